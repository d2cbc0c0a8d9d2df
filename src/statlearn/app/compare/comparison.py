"""The result of a comparison: immutable, with its tables as data frames and its plots."""

from dataclasses import dataclass, field, replace
from html import escape

import numpy as np

from statlearn.app import names
from statlearn.app.compare import leaderboard as board
from statlearn.app.compare.costs import CostTable
from statlearn.app.compare.result import Finding, ModelResult, TableProfile
from statlearn.app.compare.results import Results
from statlearn.app.errors import UsageError
from statlearn.app.tables import frames


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Result of `statlearn.compare`.

    Nothing in it changes after it was made: `inspect` returns another one. Data frames are polars if it is installed,
    pandas otherwise.
    """

    profile: TableProfile
    task: str
    target: str
    metric: str  # the metric that ranks
    greater_is_better: bool
    metrics: list[str]
    models: list[ModelResult]  # best first; what failed comes last
    baseline: str  # name of the model that learns nothing
    best: str
    simplest: str  # simplest within one standard error of the best
    results: Results  # scores, standard errors and differences: what all other parts take their numbers from
    findings: list[Finding]
    verdict: str  # two sentences
    y_true: np.ndarray  # target of the training rows
    train_rows: np.ndarray
    holdout_rows: np.ndarray
    holdout_scores: dict[str, dict[str, tuple[float, float, float]]]  # model -> metric -> value, lower, upper
    holdout_predictions: dict[str, np.ndarray] = field(default_factory=dict)
    settings: dict[str, object] = field(default_factory=dict)  # folds, repeats, seed, time limit, command, versions
    seconds: float = 0.0
    complete: bool = True  # False: stopped by Ctrl-C or by the clock
    features: object = None  # the table without target and groups, a pandas or polars frame; train_rows index it
    y_holdout: np.ndarray = field(default_factory=lambda: np.empty(0))
    random_folds: dict[str, object] = field(default_factory=dict)  # scores beside those of a design that was detected
    with_leaks: dict[str, object] = field(default_factory=dict)  # scores with the columns that are the target
    stored_model: object = None  # the TableModel of the folder that the comparison was read from
    stopped_by: str | None = None  # "interrupt" or "time", where the comparison ended early
    signal: float = float("nan")  # p-value of the test of all columns together; NaN where rows are not independent
    copied: float = 0.0  # share of rows with a suspicious copy among the training rows of a fold that tests them
    costs: CostTable | None = None  # of mistakes with two classes, where costs were given
    state: object = None  # its checkpoints, which `write` removes

    def model(self, name):
        """The model of that name."""
        for model in self.models:
            if model.name == name:
                return model
        known = ", ".join(m.name for m in self.models)
        raise UsageError(f"`name` must be one of the compared models ({known}), got {name!r}")

    def level(self, name, metric=None):
        """Score of a model by a metric (None: the one that ranks) and its standard error; NaN where unknown."""
        return self.results.level(name, metric)

    @property
    def differences(self):
        """Every other model against the best one."""
        return self.results.differences

    def grouped_findings(self):
        """The findings, the serious first; those that say the same of several models as one, with a line for each."""
        order = {"serious": 0, "warning": 1, "note": 2}
        groups: dict[tuple, Finding] = {}
        for f in sorted(self.findings, key=lambda f: order.get(f.severity, 1)):
            key = (f.code, f.title, f.why, f.advice, f.severity)
            if key not in groups:
                groups[key] = replace(f, models=list(f.models))
            else:
                groups[key].detail += f"\n{f.detail}"
                groups[key].models += f.models
        return list(groups.values())

    @classmethod
    def open(cls, folder, table=None):
        """Read a comparison that was written into a folder.

        The table and the fitted models other than the best one are not stored.

        Parameters
        ----------
        folder : path
        table : data frame or None
            The table that was compared; only `inspect` needs it.

        Returns
        -------
        Comparison
        """
        from statlearn.app.report.outputs import read_comparison

        return read_comparison(folder, table)

    def inspect(self, *, seconds=20.0, models=None, learning=True):
        """The comparison with learning curves, importances, partial dependence and worst rows of its fitted models.

        Parameters
        ----------
        seconds : float
            Time limit for the importances and partial dependence of all models together; the best models come first.
        models : sequence of str or None
            Models to inspect; None for all that have scores, except the baseline.
        learning : bool
            Whether to compute learning curves of the best and the simplest model. The number of fits is fixed, however
            long they take.

        Returns
        -------
        Comparison
        """
        from statlearn.app.explain.inspection import inspect_comparison

        if self.features is None:
            raise UsageError("`inspect` needs the table, which the folder does not store; pass it as `table` to `open`")
        return inspect_comparison(self, seconds=seconds, models=models, learning=learning)

    def write(self, out, *, safe_csv=False):
        """Write report.html, report.json, leaderboard.csv, predictions.csv and model.statlearn into a folder.

        All of the files are replaced, or none. `Comparison.open` reopens the comparison from there.

        Parameters
        ----------
        out : path
        safe_csv : bool, default=False
            Whether to put an apostrophe before text cells that a spreadsheet would take for formulas: cells that begin
            with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return.

        Returns
        -------
        dict of str to Path
        """
        from statlearn.app.report.outputs import write_comparison

        return write_comparison(self, out, safe_csv=safe_csv)

    def leaderboard(self):
        """One row per model, best first.

        Returns
        -------
        data frame
            The columns of leaderboard.csv: rank, model and role; score and standard error of each metric; difference
            to the best with the p-value of its test; score on the held-out rows with its interval; mean seconds of a
            fold to fit and to predict, bytes, non-zero parameters; what sets the scores apart, and errors.
        """
        return frames.from_rows(board.as_rows(self))

    def fold_scores(self):
        """One row per model, fold and metric.

        Returns
        -------
        data frame
        """
        rows = [
            {"model": model.name, "fold": fold, "metric": metric, "score": float(value)}
            for model in self.models
            for metric, values in model.scores.items()
            for fold, value in enumerate(values)
        ]
        return frames.from_rows(rows)

    def holdout(self):
        """Scores on the held-out rows with intervals: the best model, the simplest within one SE, the baseline.

        Returns
        -------
        data frame
        """
        rows = [
            {"model": name, "metric": metric, "score": value, "lower": lower, "upper": upper}
            for name, scores in self.holdout_scores.items()
            for metric, (value, lower, upper) in scores.items()
        ]
        return frames.from_rows(rows, columns=("model", "metric", "score", "lower", "upper"))

    def honesty(self):
        """The findings of the honesty box, most serious first.

        Returns
        -------
        data frame
        """
        columns = ("code", "severity", "title", "detail", "why", "advice", "models")
        rows = [{c: ", ".join(f.models) if c == "models" else getattr(f, c) for c in columns} for f in self.findings]
        return frames.from_rows(rows, columns=columns)

    def predictions(self):
        """Out-of-fold predictions of the best model for the training rows, and its predictions for the held-out rows.

        Returns
        -------
        data frame
            Row number in the table, part ("train" or "holdout"), target, prediction, probabilities of the classes.
        """
        best = self.model(self.best)
        parts = [("train", self.train_rows, self.y_true, best.predictions)]
        if self.best in self.holdout_predictions:
            parts.append(("holdout", self.holdout_rows, self.y_holdout, self.holdout_predictions[self.best]))
        rows = np.concatenate([part[1] for part in parts])
        table = np.concatenate([part[3] for part in parts])
        columns = {
            "row": rows,
            "part": [part[0] for part in parts for _ in part[1]],
            self.target: np.concatenate([part[2] for part in parts]),
        }
        if self.task == "regression":
            columns["prediction"] = table
        else:
            known = np.isfinite(table[:, 0])
            place = np.where(known, np.nan_to_num(table).argmax(axis=1), -1)
            columns["prediction"] = [self.profile.classes[k] if k >= 0 else None for k in place]
            columns |= {f"probability of {c}": table[:, k] for k, c in enumerate(self.profile.classes)}
        return frames.from_columns(columns)

    def model_for_use(self, name=None):
        """A fitted model that can predict other tables, with its columns, classes and prediction intervals.

        Parameters
        ----------
        name : str or None
            Name of a model; None for the best.

        Returns
        -------
        TableModel
        """
        from statlearn.app.model.table_model import TableModel

        if self.stored_model is not None and name in (None, self.best):
            return self.stored_model
        return TableModel.from_comparison(self, name or self.best)

    def plot_leaderboard(self, *, metric=None, ax=None):
        """Mean and standard error of each model, best on top, with the band of one standard error of the best.

        Parameters
        ----------
        metric : str or None
            One of the metrics of the comparison; None for the one that ranks the models.
        ax : matplotlib Axes or None

        Returns
        -------
        matplotlib Axes
        """
        return _plot("plot_board", self, self._metric(metric), ax=ax)

    def plot_scores(self, *, metric=None, ax=None):
        """Score of each model in each fold, one line per fold, to show whether a model wins in every fold.

        Parameters
        ----------
        metric : str or None
            One of the metrics of the comparison; None for the one that ranks the models.
        ax : matplotlib Axes or None

        Returns
        -------
        matplotlib Axes
        """
        return _plot("scores", self, self._metric(metric), ax=ax)

    def plot_tuning(self, model=None, *, ax=None):
        """Validation loss of a model against its tuning parameter, with the one-standard-error choice.

        Parameters
        ----------
        model : str or None
            Name of a tuned model; None for the best of them.
        ax : matplotlib Axes or None

        Returns
        -------
        matplotlib Axes
        """
        tuned = [m.name for m in self.models if m.tuning is not None]
        if model is None and not tuned:
            raise ValueError("No model in this comparison was tuned over a grid.")
        found = self.model(model or tuned[0])
        if found.tuning is None:
            raise ValueError(f"{found.name!r} has no tuning curve; these models have one: {', '.join(tuned) or 'none'}")
        return _plot("tuning", found, ax=ax)

    def plot_predictions(self, model=None, *, ax=None):
        """Out-of-fold predictions of a model: actual against predicted values, or the ROC curve.

        Parameters
        ----------
        model : str or None
            Name of a model; None for the best.
        ax : matplotlib Axes or None

        Returns
        -------
        matplotlib Axes
        """
        found = self.model(model or self.best)
        if found.predictions is None:
            raise ValueError(f"{found.name!r} has no predictions: {found.status}")
        return _plot("predictions", self, found, ax=ax)

    def _metric(self, metric):
        if metric is None:
            return self.metric
        if metric not in self.metrics:
            raise ValueError(f"`metric` must be one of {', '.join(self.metrics)}, got {metric!r}")
        return metric

    def __repr__(self):
        lines = [self.verdict, "", f"{'':34}{self.metric:>14}{'± SE':>10}{'behind':>12}{'p':>9}"]
        for entry in board.leaderboard(self):
            if entry.model.status != "done":
                lines.append(f"{entry.label:34}{entry.model.status:>14}")
                continue
            line = f"{entry.label:34}{entry.level[0]:14.5g}{entry.level[1]:10.2g}"
            if entry.behind is not None:
                line += f"{entry.behind.mean:12.3g}{entry.behind.p_value:9.2g}"
            if entry.model.remark:
                line += f"  {entry.model.remark}"
            lines.append(line)
        if self.findings:
            lines += ["", "Honesty box: " + ", ".join(f.code for f in self.findings)]
        return "\n".join(lines)

    def _repr_html_(self):
        """Verdict, leaderboard and findings, for a notebook."""
        rows = []
        for entry in board.leaderboard(self):
            label = f"<b>{escape(entry.label)}</b>" if entry.is_best else escape(entry.label)
            if entry.model.status != "done":
                rows.append(f"<tr><th>{label}</th><td colspan=4>{escape(entry.model.status)}</td></tr>")
                continue
            gap, seconds = entry.behind, entry.fit_seconds
            cells = (
                names.plus_minus(*entry.level),
                names.plus_minus(gap.mean, gap.std_error) if gap else "–",
                names.p_value(gap.p_value) if gap else "",
                names.duration(seconds) if np.isfinite(seconds) else "–",
            )
            rows.append(f"<tr><th>{label}</th>" + "".join(f"<td>{escape(c)}</td>" for c in cells) + "</tr>")
        head = "".join(
            f"<th>{escape(h)}</th>"
            for h in ("model", f"{names.metric_label(self.metric)} ± SE", "behind the best", "p", "tune + fit")
        )
        found = "".join(
            f"<li><code>{escape(f.code)}</code> {escape(f.title)}: {escape(f.detail)}</li>" for f in self.findings
        )
        return (
            f"<p>{escape(self.verdict)}</p><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
            + (f"<p>Honesty box</p><ul>{found}</ul>" if found else "")
        )


def _plot(kind, *args, ax):
    from statlearn.app.compare import pictures  # asks for matplotlib

    return getattr(pictures, kind)(*args, ax=ax)
