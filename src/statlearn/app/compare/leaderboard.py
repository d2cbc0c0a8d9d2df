"""The leaderboard, assembled once: tables, files, the report, the console and plots are views of it."""

from dataclasses import dataclass

import numpy as np

from statlearn.app.compare.costs import ModelCost
from statlearn.app.compare.result import ModelResult
from statlearn.app.compare.results import Difference

ROLES = {"best": "best", "simplest": "simplest within 1 SE", "baseline": "baseline"}


@dataclass(frozen=True, eq=False)
class Entry:
    """One model of the leaderboard."""

    rank: int  # from 1
    model: ModelResult
    roles: tuple[str, ...]  # among `ROLES`
    levels: dict[str, tuple[float, float]]  # score and standard error by metric, NaN where unknown
    metric: str  # the one that ranks
    behind: Difference | None  # to the best model; None for the best itself and for models without scores
    held_out: tuple[float, float, float] | None  # score on the held-out rows and its interval
    cost: ModelCost | None = None  # of its decisions, where costs were given and the model has probabilities

    @property
    def name(self):
        return self.model.name

    @property
    def label(self):
        return self.model.label

    @property
    def level(self):
        """Score and standard error by the metric that ranks."""
        return self.levels[self.metric]

    @property
    def is_best(self):
        return "best" in self.roles

    @property
    def is_baseline(self):
        return "baseline" in self.roles

    @property
    def is_simplest(self):
        """Whether this model, which is not the best one, is the simplest within one standard error of it."""
        return "simplest" in self.roles and not self.is_best

    @property
    def badges(self):
        """Roles with their words; that of the simplest model is dropped where it is the best one too."""
        return [(role, ROLES[role]) for role in self.roles if role != "simplest" or self.is_simplest]

    @property
    def finished(self):
        """Whether the model has scores by the metric that ranks."""
        return self.model.status == "done" and len(self.model.scores.get(self.metric, ())) > 0

    @property
    def fit_seconds(self):
        """Mean time for tuning and fitting in one fold."""
        return _mean(self.model.fit_seconds)

    @property
    def predict_seconds(self):
        """Mean time for predicting the test rows of one fold."""
        return _mean(self.model.predict_seconds)


def leaderboard(comparison):
    """The entries of all models, best first; models without scores come last."""
    results = comparison.results
    return [
        Entry(
            rank=rank,
            model=model,
            roles=tuple(role for role in ROLES if getattr(comparison, role) == model.name),
            levels={metric: results.level(model.name, metric) for metric in comparison.metrics},
            metric=comparison.metric,
            behind=None if model.name == comparison.best else results.difference(model.name),
            held_out=comparison.holdout_scores.get(model.name, {}).get(comparison.metric),
            cost=None if comparison.costs is None else comparison.costs.models.get(model.name),
        )
        for rank, model in enumerate(comparison.models, start=1)
    ]


def finished(comparison):
    """The entries of the models that have scores."""
    return [entry for entry in leaderboard(comparison) if entry.finished]


def as_rows(comparison):
    """One dict of plain values per model, as files and data frames show them; NaN where a number is unknown."""
    rows = []
    for entry in leaderboard(comparison):
        model = entry.model
        row = {
            "rank": entry.rank, "model": model.name, "label": model.label, "class": model.estimator_class,
            "status": model.status, "role": ", ".join(entry.roles),
        }  # fmt: skip
        for metric, (score, error) in entry.levels.items():
            row[metric], row[f"{metric}_se"] = float(score), float(error)
        behind = entry.behind
        row["behind_best"] = np.nan if behind is None else float(behind.mean)
        row["behind_best_se"] = np.nan if behind is None else float(behind.std_error)
        row["p_value"] = np.nan if behind is None else float(behind.p_value)
        held_out = entry.held_out or (np.nan,) * 3
        row |= dict(zip(("holdout", "holdout_low", "holdout_high"), map(float, held_out)))
        if comparison.costs is not None:
            cost = entry.cost
            row |= {
                "cost": np.nan if cost is None else cost.cost, "cost_se": np.nan if cost is None else cost.std_error,
                "threshold": np.nan if cost is None else cost.threshold,
            }  # fmt: skip
        row |= {
            "fit_seconds": entry.fit_seconds, "predict_seconds": entry.predict_seconds,
            "size_bytes": int(model.size_bytes), "n_parameters": model.n_parameters,
            "remark": model.remark, "error": model.error,
        }  # fmt: skip
        rows.append(row)
    return rows


def _mean(seconds):
    return float(np.mean(seconds)) if len(seconds) else float("nan")
