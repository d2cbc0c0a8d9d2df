"""Trials of an optimisation: points, values, and what became of them."""

from dataclasses import dataclass, field

import numpy as np

WAITING, PENDING, DONE, FAILED = "waiting", "pending", "done", "failed"


@dataclass
class Trial:
    """One point of a study, as stored in the `trials` of :class:`BayesianOptimizer`.

    Parameters
    ----------
    number : int
        Place in the study, from 0.
    point : dict or list
    position : ndarray
        The point in the unit cube of the model.
    status : {"waiting", "pending", "done", "failed"}
        "waiting": asked before the study was interrupted, to be proposed again; "pending": asked, not told yet;
        "failed": the objective raised an error or returned NaN.
    values : list of float
        One value per objective, empty unless done.
    constraints : list of float
        Values of the constraints, at most 0 if they hold; empty if unknown.
    origin : {"design", "model", "given"}
        Initial design, proposal of the model, or a point passed to `tell` that was not asked for.
    seconds : float or None
        Time between ask and tell in this process.
    error : str or None
        What went wrong.
    lie : list of float or None
        Values that stand for those of a pending point.

    Examples
    --------
    >>> from statlearn.gp import BayesianOptimizer
    >>> study = BayesianOptimizer({"x": (0.0, 1.0)}, random_state=0)
    >>> _ = study.tell({"x": 0.5}, 2.0)
    >>> study.trials[0].status, study.trials[0].values, study.trials[0].origin
    ('done', [2.0], 'given')
    """

    number: int
    point: object
    position: np.ndarray = field(repr=False)
    status: str = PENDING
    values: list = field(default_factory=list)
    constraints: list = field(default_factory=list)
    origin: str = "model"
    seconds: float | None = None
    error: str | None = None
    lie: list | None = field(default=None, repr=False)

    @property
    def feasible(self):
        """Whether the trial is done and all constraints hold."""
        return self.status == DONE and all(value <= 0 for value in self.constraints)
