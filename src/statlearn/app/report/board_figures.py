"""The report's figures of all models side by side, each a string of SVG."""

import numpy as np

from ..names import metric_label, plain
from .figures import extent
from .svg import Linear, Plot, escape, number, shorten


class WhiskerColumn:
    """Dots and whiskers for the rows of the leaderboard, all on one axis.

    The axis holds the models and their errors; a model far outside (the baseline, as a rule) is drawn as an arrow at
    the edge, so that the others keep their room. The band of one standard error of the best is the background of the
    table's cells, from `band[0]` to `band[1]` percent of their width.
    """

    width, height, pad = 230.0, 34.0, 10.0

    def __init__(self, means, errors, best_index, greater_is_better):
        means, errors = np.asarray(means, dtype=float), np.asarray(errors, dtype=float)
        low, high = np.nanmin(means - 2 * errors), np.nanmax(means + 2 * errors)
        near = np.abs(means - means[best_index])
        # Most of the models decide what is far; so does the best one's own error.
        reach = max(3 * np.sort(near)[int(0.6 * (len(near) - 1))], 8 * errors[best_index])
        inside = near <= reach
        if inside.any():
            low, high = np.nanmin((means - 2 * errors)[inside]), np.nanmax((means + 2 * errors)[inside])
        room = 0.06 * (high - low) or 0.5
        self.scale = Linear(low - room, high + room, self.pad, self.width - self.pad, 4)
        best = means[best_index]
        edge = best - errors[best_index] if greater_is_better else best + errors[best_index]
        self.band = sorted(float(np.clip(v, 0, self.width)) / self.width * 100 for v in self.scale([best, edge]))
        self.best = float(self.scale(best)) / self.width * 100

    def cell(self, mean, error, folds, label, css="s1"):
        """One row: the folds faint, the mean with one standard error to either side."""
        middle, scale = self.height / 2, self.scale
        parts = [
            f'<svg class="whiskers" viewBox="0 0 {number(self.width)} {number(self.height)}" role="img" '
            f'aria-label="{escape(label)}">'
        ]
        if not scale.low <= mean <= scale.high:
            edge, step = (self.width - 4, -8) if mean > scale.high else (4, 8)
            arrow = f"M{number(edge)} {number(middle)}l{step} -5v10z"
            parts.append(f'<path class="bar {css}" d="{arrow}"><title>{escape(label)}</title></path>')
        else:
            places = scale(folds)
            ticks = "".join(
                f"M{number(p)} {number(middle - 5)}v10" for p in places if np.isfinite(p) and 0 <= p <= self.width
            )
            parts.append(f'<path class="fold {css}" d="{ticks}"/>')
            a, b = np.clip(scale([mean - error, mean + error]), 0, self.width)
            parts.append(f'<path class="whisker {css}" d="M{number(a)} {number(middle)}H{number(b)}"/>')
            place = f'cx="{number(float(scale(mean)))}" cy="{number(middle)}"'
            parts.append(f'<circle class="dot {css}" {place} r="4.5"><title>{escape(label)}</title></circle>')
        return "".join(parts) + "</svg>"

    def axis(self):
        """The foot of the column."""
        marks = "".join(f"M{number(float(self.scale(t)))} 0v4" for t in self.scale.ticks)
        words = "".join(
            f'<text x="{number(float(self.scale(t)))}" y="16" text-anchor="middle">{escape(label)}</text>'
            for t, label in zip(self.scale.ticks, self.scale.labels)
        )
        width = number(self.width)
        return (
            f'<svg class="fig whiskers" viewBox="0 0 {width} 20" aria-hidden="true">'
            f'<path class="axis" d="M0 .5H{width}{marks}"/>{words}</svg>'
        )


def differences_figure(rows, metric):
    """Paired differences to the best model, fold by fold; `rows` are (label, folds, mean, error)."""
    rows = rows[:12]
    height = 40 + 24 * len(rows)
    values = np.concatenate([r[1] for r in rows] + [np.zeros(1)])
    middle = np.array([r[2] for r in rows])
    limit = 3 * max(np.sort(middle)[: max(2, (len(middle) + 1) // 2)].max(), np.median([r[3] for r in rows]) * 2)
    high = min(values.max(), limit) if limit > 0 else values.max()
    plot = Plot(
        extent([max(values.min(), -high), 0.0, high]),
        [shorten(r[0], 28) for r in rows][::-1],
        width=500,
        height=height,
        x_label=f"{metric_label(metric)}: worse than the best by",
        grid="x",
    )
    plot.rule(x=0.0, css="best-line")
    for k, (label, folds, mean, error) in enumerate(reversed(rows)):
        folds = folds[(folds >= plot.x.low) & (folds <= plot.x.high)]
        plot.dots(folds, np.full(len(folds), k), "muted faded", size=5)
        if mean > plot.x.high:
            edge, y = plot.right, float(plot.y(k))
            plot.body.append(f'<path class="bar s1" d="M{number(edge)} {number(y)}l-8 -5v10z"/>')
            plot.label(edge - 12, y + 3.6, plain(mean, 3), anchor="end")
            continue
        plot.whiskers(max(mean - error, plot.x.low), min(mean + error, plot.x.high), k, "s1", vertical=False)
        plot.dot(mean, k, "s1", size=8, title=f"{label}: {mean:.4g} ± {error:.2g}")
    return plot.svg(
        "Paired differences to the best model", "One grey dot per outer fold, difference and standard error", "wide"
    )


def cost_figure(rows, metric, greater_is_better):
    """Score against time to fit; `rows` are (label, seconds, mean, css)."""
    seconds = np.maximum([r[1] for r in rows], 1e-4)
    means = np.array([r[2] for r in rows], dtype=float)
    order = np.sort(means)[::-1] if greater_is_better else np.sort(means)
    spread = abs(order[0] - order[max(1, (2 * len(order)) // 3)]) if len(order) > 1 else 0.0
    far = order[0] - 3 * spread if greater_is_better else order[0] + 3 * spread
    inside = means >= far if greater_is_better else means <= far
    if not spread:
        inside[:] = True
    plot = Plot(
        (seconds.min() / 1.6, seconds.max() * 1.6),
        extent(means[inside], pad=0.14),
        width=500,
        height=280,
        x_label="seconds to tune and fit, one outer fold",
        y_label=metric_label(metric),
        x_log=True,
        grid="xy",
    )
    order = [k for k in np.argsort(-means if greater_is_better else means, kind="stable") if inside[k]]
    at = {k: (float(plot.x(seconds[k])), float(plot.y(means[k]))) for k in order}
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in at.values()]
    for k in order:
        label, _, mean, css = rows[k]
        plot.dot(seconds[k], mean, css, size=8, title=f"{label}: {mean:.4g} in {seconds[k]:.2g} s")
        words = shorten(label, 26)
        place = _free_place(plot, *at[k], 5.6 * len(words), taken)
        if place is not None:
            x, y, anchor, box = place
            taken.append(box)
            plot.label(x, y, words, anchor=anchor, css="plain")
    n_far = int(np.sum(~inside))
    if n_far:
        words = f"{n_far} with {'smaller' if greater_is_better else 'larger'} {metric_label(metric)} not shown"
        plot.label(plot.right - 2, plot.top - 4, words, anchor="end", css="small")
    return plot.svg("Score against time", "One point per model", "wide")


def _free_place(plot, x, y, length, taken):
    """Where the name of a point can stand without touching others: right, left, above, below; or None."""
    for dx, dy in ((8, 3.6), (-8, 3.6), (4, -7), (4, 14), (-4, -7), (-4, 14)):
        left = x + dx - (length if dx < 0 else 0)
        box = (left, y + dy - 9, left + length, y + dy + 2)
        inside = plot.left <= box[0] and box[2] <= plot.right + 6 and plot.top - 8 <= box[1] and box[3] <= plot.bottom
        if inside and not any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken):
            return x + dx, y + dy, "end" if dx < 0 else "start", box
    return None
