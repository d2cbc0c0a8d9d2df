"""Costs of the two kinds of mistakes with two classes: thresholds, and what decisions at them cost on other rows."""

import math
from dataclasses import dataclass, field

import numpy as np

from statlearn.app.compare.results import standard_error_of
from statlearn.app.errors import UsageError
from statlearn.app.setting_names import option
from statlearn.app.statements import say

MIN_ROWS = 10  # from which a threshold is chosen, else it is the one for true probabilities


@dataclass(frozen=True)
class Costs:
    """Cost of a false positive (the second class predicted, the first one true) and of a false negative."""

    fp: float
    fn: float

    @property
    def threshold(self):
        """The best threshold for true probabilities."""
        return self.fp / (self.fp + self.fn)

    def losses(self, positive, decided):
        """Cost of each row."""
        return np.where(positive, self.fn * ~decided, self.fp * decided)

    def choose(self, positive, probability):
        """The threshold with the smallest cost of these rows; that for true probabilities if there are too few."""
        from statlearn.assess import choose_threshold

        if len(positive) < MIN_ROWS or positive.all() or not positive.any():
            return self.threshold
        found = choose_threshold(positive, probability, costs=(self.fp, self.fn)).threshold
        return float(found)


@dataclass
class ModelCost:
    """What the decisions of one model cost per row.

    Parameters
    ----------
    threshold : float
        Probability of the positive class from which it is predicted, chosen on all out-of-fold predictions.
    cost, std_error : float
        On out-of-fold rows, each decided at a threshold that was chosen without its fold.
    at_half : float
        At the threshold one half.
    held_out : list of float
        Cost at `threshold` on the held-out rows and its standard error, if the model was scored there.
    """

    threshold: float
    cost: float
    std_error: float
    at_half: float
    held_out: list = field(default_factory=list)


@dataclass
class CostTable:
    """Costs of all models of a comparison that have probabilities."""

    fp: float
    fn: float
    positive: str
    models: dict = field(default_factory=dict)  # name of the model -> ModelCost

    def _check_state(self):
        numbers = [self.fp, self.fn, *(m.threshold for m in self.models.values() if isinstance(m, ModelCost))]
        if len(numbers) != 2 + len(self.models) or not all(isinstance(v, (int, float)) for v in numbers):
            raise ValueError("a table of costs without numbers")

    def words(self, name, label):
        """A sentence on one model; empty if it has no probabilities."""
        from statlearn.app.names import plain, plus_minus

        found = self.models.get(name)
        if found is None:
            return ""
        return say(
            "COST", model=label, positive=repr(self.positive), fp=plain(self.fp), fn=plain(self.fn),
            threshold=plain(found.threshold, 3), cost=plus_minus(found.cost, found.std_error),
            half=plain(found.at_half, 3),
        )  # fmt: skip


def read_costs(cost):
    """Costs from "fp=1,fn=5" or a mapping; None for None.

    Examples
    --------
    >>> from statlearn.app.compare.costs import read_costs
    >>> read_costs("fp=1,fn=5")
    Costs(fp=1.0, fn=5.0)
    """
    if cost is None or isinstance(cost, Costs):
        return cost
    if isinstance(cost, str):
        pairs = [part.partition("=") for part in cost.split(",")]
        if any(not sign for _, sign, _ in pairs) or len({name.strip() for name, _, _ in pairs}) < len(pairs):
            raise UsageError(f"{option('cost')} must have the form fp=1,fn=5, got {cost!r}")
        cost = {name.strip().lower(): value.strip() for name, _, value in pairs}
    if not hasattr(cost, "items") or set(cost) != {"fp", "fn"}:
        raise UsageError(f"{option('cost')} must have the form fp=1,fn=5, got {cost!r}")
    values = {}
    for name, value in cost.items():
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise UsageError(f"{option('cost')}: {name} must be a number, got {value!r}") from None
        if not math.isfinite(number) or number < 0:
            raise UsageError(f"{option('cost')}: {name} must be a finite number of at least 0, got {value}")
        values[name] = number
    if not values["fp"] + values["fn"] > 0:
        raise UsageError(f"{option('cost')}: one of fp and fn must be above 0")
    return Costs(**values)


def check_classes(costs, task, target, classes):
    """Refuse costs for a target that does not have two classes."""
    if costs is not None and (task != "classification" or len(classes) != 2):
        what = f"has {len(classes)} classes" if task == "classification" else "is a number"
        raise UsageError(f"{option('cost')} needs a target with two classes, and {target!r} {what}")


def cost_table(costs, problem, models, held_truth, holdout_predictions):
    """Costs of the models of a comparison.

    Parameters
    ----------
    costs : Costs or None
    problem : Problem
    models : list of ModelResult
    held_truth : ndarray of int
        Classes of the held-out rows.
    holdout_predictions : dict of str to ndarray
        Probabilities for these rows, by model.

    Returns
    -------
    CostTable or None
        None without costs.
    """
    if costs is None:
        return None
    table = CostTable(costs.fp, costs.fn, str(problem.classes[1]))
    for model in models:
        parts = model.tested or {}
        if model.status != "done" or not parts or any(part.probabilities is None for part in parts.values()):
            continue
        table.models[model.name] = _cost_of(costs, problem, parts)
        if model.name in holdout_predictions and len(held_truth):
            decided = holdout_predictions[model.name][:, 1] >= table.models[model.name].threshold
            losses = costs.losses(held_truth == 1, decided)
            error = standard_error_of(losses - losses.mean(), np.arange(len(losses)))[0]
            table.models[model.name].held_out = [float(losses.mean()), float(error)]
    return table


def _cost_of(costs, problem, parts):
    folds = sorted(parts)
    rows = np.concatenate([problem.folds[fold][1] for fold in folds])
    fold_of = np.concatenate([np.full(len(problem.folds[fold][1]), fold) for fold in folds])
    probability = np.concatenate([parts[fold].probabilities[:, 1] for fold in folds])
    positive = problem.truth[rows] == 1
    decided = np.zeros(len(rows), bool)
    for fold in folds:
        test = problem.folds[fold][1]
        others = ~np.isin(rows, test)
        if problem.scheme.ordered:  # only the past is known
            others &= rows < test.min()
        threshold = costs.choose(positive[others], probability[others])
        decided[fold_of == fold] = probability[fold_of == fold] >= threshold
    losses = costs.losses(positive, decided)
    units = problem.scheme.units(len(problem.y))[rows]
    return ModelCost(
        threshold=costs.choose(positive, probability),
        cost=float(losses.mean()),
        std_error=float(standard_error_of(losses - losses.mean(), units)[0]),
        at_half=float(costs.losses(positive, probability >= 0.5).mean()),
    )
