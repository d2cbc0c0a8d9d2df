"""Pictures of a comparison with matplotlib, and what a notebook shows of it."""

from html import escape

import numpy as np

from .. import names as names


class ComparisonViews:
    """Plots and notebook view of a `Comparison`; `ComparisonResult` inherits them."""

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
        return _plot("leaderboard", self, self._metric(metric), ax=ax)

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

    def _repr_html_(self):
        """Verdict, leaderboard and findings, for a notebook."""
        gaps = {d.name: d for d in self.differences}
        rows = []
        for model in self.models:
            if model.status != "done":
                rows.append(f"<tr><th>{escape(model.label)}</th><td colspan=4>{escape(model.status)}</td></tr>")
                continue
            score = names.plus_minus(*self.level(model.name))
            gap = gaps.get(model.name)
            behind = names.plus_minus(gap.mean, gap.std_error) if gap else "–"
            time = names.duration(float(np.mean(model.fit_seconds))) if len(model.fit_seconds) else "–"
            cells = (score, behind, names.p_value(gap.p_value) if gap else "", time)
            label = f"<b>{escape(model.label)}</b>" if model.name == self.best else escape(model.label)
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
    from . import pictures as _pictures  # asks for matplotlib

    return getattr(_pictures, kind)(*args, ax=ax)
