"""What an estimator states about its own tuning: its name among models and the grid that is worth searching."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class SearchSpace:
    """Label and grid of an estimator, declared by the class as ``_search_space``.

    A class that stands for several methods (a GLM with its families) declares a tuple of them, each with its label.

    An estimator that tunes itself (``LassoCV``) has an empty grid and stores its curve in ``cv_curve_``. Any other
    estimator is tuned over the product of the grid values within the training folds. When and how `compare` uses the
    model is written in ``app/compare/portfolio/<family>.py``.

    Parameters
    ----------
    label : str
        Name of the method in the leaderboard, such as "lasso" or "logistic regression, L2".
    grid : mapping of str to sequence
        Values to try for each parameter, ordered from the simplest model to the most complex.
    fixed : mapping of str to object
        Settings other than the constructor's defaults.
    """

    label: str
    grid: Mapping[str, Sequence] = field(default_factory=dict)
    fixed: Mapping[str, object] = field(default_factory=dict)
