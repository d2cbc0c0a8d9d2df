"""The result of a comparison with its tables as data frames."""

from dataclasses import dataclass

import numpy as np

from statlearn.app.compare.result import Comparison
from statlearn.app.compare.scoring import METRICS
from statlearn.app.compare.views import ComparisonViews
from statlearn.app.errors import UsageError
from statlearn.app.tables import frames


@dataclass(repr=False)
class ComparisonResult(ComparisonViews, Comparison):
    """Result of `statlearn.compare`, with its tables as data frames.

    Data frames are polars if it is installed, pandas otherwise.
    """

    stored_model: object = None  # the TableModel of the folder that the comparison was read from
    stopped_by: str | None = None  # "interrupt" or "time", where the comparison ended early
    state = None  # no field: the checkpoints of this comparison, which `write` removes
    copied: float = 0.0  # share of rows with a suspicious copy among the training rows of a fold that tests them

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
        ComparisonResult
        """
        from statlearn.app.report.outputs import read_comparison

        return read_comparison(folder, table)

    def inspect(self, *, seconds=20.0, models=None, learning=True):
        """Compute learning curves, importances, partial dependence and worst rows of the fitted models for the report.

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
        self : ComparisonResult
        """
        from statlearn.app.explain.inspection import inspect_comparison

        if self.features is None:
            raise UsageError("`inspect` needs the table, which the folder does not store; pass it as `table` to `open`")
        inspect_comparison(self, seconds=seconds, models=models, learning=learning)
        return self

    def write(self, out, *, safe_csv=False):
        """Write report.html, report.json, leaderboard.csv, predictions.csv and model.statlearn into a folder.

        All of the files are replaced, or none. `ComparisonResult.open` reopens the comparison from there.

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
            Model, mean and standard error of each metric, difference to the best with the p-value of the corrected
            paired test, seconds to fit and to predict (mean of a fold), non-zero parameters, bytes, status.
        """
        gaps = {d.name: d for d in self.differences}
        rows = []
        for model in self.models:
            row = {"model": model.name, "label": model.label}
            for metric in self.metrics:
                row[metric], row[f"{metric}_se"] = self.level(model.name, metric)
            gap = gaps.get(model.name)
            row["difference"] = gap.mean if gap else (0.0 if model.name == self.best else float("nan"))
            row["difference_se"] = gap.std_error if gap else float("nan")
            row["p_value"] = gap.p_value if gap else float("nan")
            row["fit_seconds"] = float(np.mean(model.fit_seconds)) if len(model.fit_seconds) else float("nan")
            row["predict_seconds"] = float(np.mean(model.predict_seconds)) if len(model.fit_seconds) else float("nan")
            row["n_parameters"] = model.n_parameters
            row["size_bytes"] = model.size_bytes
            row["status"] = model.status
            row["remark"] = model.remark or (model.error or "")
            rows.append(row)
        return frames.from_rows(rows)

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

    def __repr__(self):
        metric = METRICS[self.task][self.metric]
        lines = [self.verdict, "", f"{'':34}{metric.name:>14}{'± SE':>10}{'behind':>12}{'p':>9}"]
        gaps = {d.name: d for d in self.differences}
        for model in self.models:
            if model.status != "done":
                lines.append(f"{model.label:34}{model.status:>14}")
                continue
            mean, error = self.level(model.name)
            line = f"{model.label:34}{mean:14.5g}{error:10.2g}"
            if model.name in gaps:
                line += f"{gaps[model.name].mean:12.3g}{gaps[model.name].p_value:9.2g}"
            if model.remark:
                line += f"  {model.remark}"
            lines.append(line)
        if self.findings:
            lines += ["", "Honesty box: " + ", ".join(f.code for f in self.findings)]
        return "\n".join(lines)
