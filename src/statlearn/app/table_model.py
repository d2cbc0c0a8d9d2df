"""A fitted model with what it takes to predict other tables."""

from dataclasses import dataclass, field

import numpy as np

from statlearn.app import frames
from statlearn.app.cells import read_cells
from statlearn.app.errors import DataError, UsageError
from statlearn.app.scoring import predictions_of

MAX_RESIDUALS = 5000  # order statistics kept for intervals


@dataclass
class TableModel:
    """The pipeline of a comparison's model, the columns it needs, and its out-of-fold residuals.

    Parameters
    ----------
    pipeline : Pipeline
        Preparation of the table and model, fitted on the training rows.
    name, label : str
    task, target : str
    columns : dict of str to str
        The columns that are needed and what they were taken for.
    classes : list
        Labels in the order of the probabilities; empty for regression.
    residuals : ndarray
        Sorted sizes of the out-of-fold residuals (at most 5,000 order statistics); empty for classification.
    n_residuals : int
        How many residuals there were.
    about : dict
        Versions, source of the table, scores.
    """

    pipeline: object
    name: str
    label: str
    task: str
    target: str
    columns: dict
    classes: list = field(default_factory=list)
    residuals: np.ndarray = field(default_factory=lambda: np.empty(0))
    n_residuals: int = 0
    about: dict = field(default_factory=dict)

    @classmethod
    def from_comparison(cls, result, name):
        """From one of the models of a comparison."""
        model = result.model(name)
        if model.estimator is None:
            raise UsageError(f"{name} has no fitted model: {model.status}")
        columns = used_columns(model.estimator)
        residuals, n = np.empty(0), 0
        if result.task == "regression":
            sizes = np.abs(result.y_true - model.predictions)
            sizes = np.sort(sizes[np.isfinite(sizes)])
            residuals, n = sizes[_places(len(sizes))], len(sizes)
        about = {
            "versions": result.settings.get("versions", {}),
            "source": result.profile.source,
            "metric": result.metric,
            "scores": [float(v) for v in model.scores[result.metric]],
        }
        classes = [] if result.task == "regression" else np.unique(result.y_true).tolist()
        return cls(
            model.estimator, model.name, model.label, result.task, result.target, columns, classes, residuals, n, about
        )

    def check(self, X):
        """The frame and notes on it; DataError where columns are lacking.

        Parameters
        ----------
        X : data frame

        Returns
        -------
        frame : native data frame
        notes : list of str
        """
        frame = frames.as_frame(X)
        lacking = [name for name in self.columns if name not in frame.columns]
        if lacking:
            shown = ", ".join(map(repr, lacking[:10])) + (f" and {len(lacking) - 10} more" if len(lacking) > 10 else "")
            raise DataError(f"the table lacks {_columns(lacking)} that {self.label} was fitted with: {shown}")
        notes = []
        extra = [name for name in frame.columns if name not in self.columns and name != self.target]
        if extra:
            shown = ", ".join(map(repr, extra[:10])) + (f" and {len(extra) - 10} more" if len(extra) > 10 else "")
            notes.append(f"ignored {_columns(extra)} that the model does not use: {shown}")
        if len(frame) == 0:
            raise DataError("the table has no rows")
        frame, _ = read_cells(
            frame.select(list(self.columns)), only=[c for c, k in self.columns.items() if k == "number"]
        )
        frame, infinite = frames.without_infinities(frame)
        if infinite:
            notes.append(f"infinite values were taken for missing in {', '.join(map(repr, infinite[:5]))}")
        return frame.to_native(), notes

    def predict(self, X):
        """Predicted values or labels.

        Parameters
        ----------
        X : data frame

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        found = self._predictions(X)
        return found.values if self.task == "regression" else np.array(self.classes)[found.values]

    def predict_proba(self, X):
        """Probabilities of the classes, where the model has them.

        Parameters
        ----------
        X : data frame

        Returns
        -------
        ndarray of shape (n_rows, n_classes) or None
        """
        return self._predictions(X).probabilities

    def predict_table(self, X, coverage=0.9):
        """Predictions with intervals, or labels with probabilities.

        The intervals are conformal: as wide on both sides as the out-of-fold residual that a share `coverage` of the
        training rows stays below. They hold on average over rows like those of the training table.

        Parameters
        ----------
        X : data frame
        coverage : float

        Returns
        -------
        data frame
            Columns prediction, lower, upper; or prediction and one probability per class.
        """
        if not 0 < coverage < 1:
            raise UsageError(f"coverage must be between 0 and 1, got {coverage!r}")
        found = self._predictions(X)
        if self.task == "regression":
            half = self.half_width(coverage)
            columns = {"prediction": found.values, "lower": found.values - half, "upper": found.values + half}
            return frames.from_columns(columns)
        labels = np.array(self.classes)
        columns = {"prediction": labels[found.values].tolist()}
        if found.probabilities is not None:
            columns |= {f"probability of {c}": found.probabilities[:, k] for k, c in enumerate(self.classes)}
        return frames.from_columns(columns)

    def half_width(self, coverage):
        """Half the width of an interval with this coverage; infinite where there are too few residuals."""
        n = self.n_residuals
        place = int(np.ceil((n + 1) * coverage)) - 1  # of all n, sorted
        if place >= n:
            return float("inf")
        return float(self.residuals[min(np.searchsorted(_places(n), place), len(self.residuals) - 1)])

    def _predictions(self, X):
        frame, _ = self.check(X)
        classes = None if self.task == "regression" else np.array(self.classes)
        try:
            return predictions_of(self.pipeline, frame, classes)
        except ValueError as error:
            raise DataError(f"the table does not fit the model: {error}") from error


def used_columns(estimator):
    """The columns of the table that a pipeline or a stack needs, and what they were taken for."""
    if hasattr(estimator, "columns_"):
        return estimator.columns_
    transformer = estimator.steps[0][1]
    return {c: kind for c, kind in transformer.kinds_.items() if c not in transformer.dropped_}


def _places(n):
    """Which of n sorted residuals are kept."""
    return np.arange(n) if n <= MAX_RESIDUALS else np.unique(np.linspace(0, n - 1, MAX_RESIDUALS).round().astype(int))


def _columns(names):
    return "a column" if len(names) == 1 else f"{len(names)} columns"
