"""The report's figures of one model and of columns, each a string of SVG."""

import datetime

import numpy as np

from statlearn._math.inference import standard_error

from ..names import metric_label, moment
from .common import shown_classes
from .svg import Bands, Plot, escape, number, shorten, sparkbars

MAX_POINTS = 600  # beyond, points are counted on a lattice
MAX_IMPORTANCES = 10


def extent(*arrays, pad=0.04):
    """Smallest and largest finite value, with a little room."""
    values = np.concatenate([np.ravel(np.asarray(a, dtype=float)) for a in arrays])
    values = values[np.isfinite(values)]
    if values.size == 0:
        return 0.0, 1.0
    low, high = values.min(), values.max()
    room = pad * (high - low)
    return low - room, high + room


def _cloud(plot, x, y, css="s1"):
    if len(x) > MAX_POINTS:
        plot.density(x, y, css)
    else:
        plot.dots(x, y, css, size=4.5 if len(x) < 200 else 3.6)


# ---- tuning and learning ------------------------------------------------------------------------------------------


def tuning_figure(curve):
    """Validated loss along the tuning parameter, the best value and the one-standard-error choice marked."""
    mean, error = np.asarray(curve.mean, dtype=float), np.asarray(curve.std_error, dtype=float)
    numeric = all(isinstance(v, (int, float, np.number)) and not isinstance(v, bool) for v in curve.values)
    values = np.array(curve.values, dtype=float) if numeric else np.arange(len(mean), dtype=float)
    numeric = numeric and len(values) > 1 and np.isfinite(values).all() and len(np.unique(values)) == len(values)
    shown = np.isfinite(mean)
    low, high = extent(mean[shown] - error[shown], mean[shown] + error[shown])
    typical = np.sort(mean[shown])[: max(2, (3 * shown.sum()) // 4)].max()
    best = mean[curve.best]
    high = min(high, best + 4 * max(typical - best, 2 * error[curve.best]))  # a wild end does not flatten the rest
    common = dict(y_label=f"validation {metric_label(curve.metric)}", x_label=curve.parameter, top=14)
    if numeric:
        log = curve.log_scale and (values > 0).all()
        span = (values.min(), values.max()) if log else extent(values, pad=0.02)
        plot = Plot(span, (low, high), x_log=log, x_reversed=bool(values[0] > values[-1]), **common)
    else:
        values = np.arange(len(mean), dtype=float)
        plot = Plot([_setting(v) for v in curve.values], (low, high), **common)
    clipped = np.minimum(mean, high)
    keep = shown & (mean - error <= high)
    plot.rule(y=best + error[curve.best], css="ref")
    plot.band(values[keep], np.minimum(mean - error, high)[keep], np.minimum(mean + error, high)[keep], "s1")
    plot.line(values[keep], clipped[keep], "s1")
    if len(values) <= 40:
        plot.dots(values[keep], clipped[keep], "s1", size=4)
    plot.dot(values[curve.best], best, "s1 ring", size=9, title=f"smallest: {_setting(curve.values[curve.best])}")
    if curve.one_se != curve.best:
        plot.dot(
            values[curve.one_se],
            mean[curve.one_se],
            "s2",
            size=9,
            title=f"simplest within one standard error: {_setting(curve.values[curve.one_se])}",
        )
        plot.key("one SE", "s2", "dot")
    plot.key("best", "s1 ring", "dot")
    return plot.svg(
        f"Validation curve over {curve.parameter}",
        f"best {_setting(curve.values[curve.best])}, one standard error {_setting(curve.values[curve.one_se])}",
    )


def _setting(value):
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    return str(value)


def learning_figure(curve):
    """Score on seen and unseen rows against the number of rows, with one standard error."""
    test, train = curve.test.mean(axis=1), curve.train.mean(axis=1)
    # One fold has no standard error: its band has no width.
    test_error, train_error = (np.nan_to_num(standard_error(part, axis=1)) for part in (curve.test, curve.train))
    # Few rows can be predicted absurdly; they must not flatten the end of the curves, which is what matters.
    late = slice(-3, None)
    reach = 4 * max(np.ptp(np.r_[test[late], train[late]]), 2 * np.max(test_error[late]))
    edges = [(mean + sign * error) for mean, error in ((test, test_error), (train, train_error)) for sign in (-1, 1)]
    edges = [np.clip(edge, test[-1] - reach, test[-1] + reach) for edge in edges]
    plot = Plot(
        (curve.sizes[0], curve.sizes[-1]),
        extent(*edges),
        x_label="training rows",
        y_label=metric_label(curve.metric),
        x_log=curve.sizes[-1] > 8 * curve.sizes[0],
        top=14,
    )
    for mean, error, css, words in ((train, train_error, "s2", "seen"), (test, test_error, "s1", "unseen")):
        plot.band(curve.sizes, mean - error, mean + error, css)
        plot.line(curve.sizes, mean, css)
        plot.dots(curve.sizes, mean, css, size=4.5)
        plot.key(words, css)
    return plot.svg("Learning curve", f"At the end: {test[-1]:.4g} on unseen rows, {train[-1]:.4g} on training rows")


# ---- regression ---------------------------------------------------------------------------------------------------


def _clipped_span(y, predicted):
    """A common range of both; predictions far beyond the actual values do not stretch it."""
    low, high = extent(y)
    room = 0.5 * (high - low)
    a, b = extent(predicted)
    return max(min(low, a), low - room), min(max(high, b), high + room)


def observed_figure(y, predicted, target, axis):
    """Actual against predicted values."""
    span = _clipped_span(y, predicted)
    plot = Plot(span, span, x_label=axis, y_label=f"actual {shorten(target, 30)}", grid="xy")
    inside = (predicted >= span[0]) & (predicted <= span[1])
    _cloud(plot, predicted[inside], y[inside])
    plot.diagonal()
    _outside(plot, np.sum(~inside))
    return plot.svg("Actual against predicted values", "Points on the dashed line are predicted exactly")


def residual_figure(y, predicted, axis):
    """Residuals against predicted values with their median and quartiles in bins."""
    residual = y - predicted
    low, high = _clipped_span(y, predicted)
    inside = (predicted >= low) & (predicted <= high)
    bound = np.quantile(np.abs(residual[inside]), 0.998) * 1.15 if inside.any() else 1.0
    inside &= np.abs(residual) <= bound
    plot = Plot(
        extent(predicted[inside]),
        (-bound, bound),
        x_label=axis,
        y_label="actual − predicted",
        top=14,
    )
    _cloud(plot, predicted[inside], residual[inside])
    plot.rule(y=0.0)
    if inside.sum() >= 60:
        order = np.argsort(predicted[inside], kind="stable")
        parts = np.array_split(order, min(16, max(5, inside.sum() // 40)))
        x = np.array([np.median(predicted[inside][p]) for p in parts])
        quartiles = np.array([np.quantile(residual[inside][p], [0.25, 0.5, 0.75]) for p in parts])
        plot.band(x, quartiles[:, 0], quartiles[:, 2], "s2")
        plot.line(x, quartiles[:, 1], "s2")
        plot.key("median and middle half", "s2")
    _outside(plot, np.sum(~inside))
    return plot.svg("Residuals against predicted values", "A good model leaves no trend and a constant spread")


def quantile_figure(y, predicted):
    """Quantiles of the residuals against those of the normal distribution."""
    from scipy.special import ndtr, ndtri

    residual = np.sort(y - predicted)
    n = len(residual)
    scale = residual.std() or 1.0
    place = (np.arange(n) + 0.5) / n
    if n > 240:  # every tail point, and a selection of the middle that is even on the normal scale
        tail = np.r_[np.arange(40), np.arange(n - 40, n)]
        middle = np.linspace(ndtri(place[39]), ndtri(place[n - 40]), 140)
        pick = np.unique(np.r_[tail, np.round(ndtr(middle) * n - 0.5).astype(int).clip(0, n - 1)])
        residual, place = residual[pick], place[pick]
    z, standard = ndtri(place), (residual - residual.mean()) / scale
    quartile = np.interp([0.25, 0.75], place, standard)
    slope = (quartile[1] - quartile[0]) / (ndtri(0.75) - ndtri(0.25))
    bound = min(max(np.abs(standard).max(), 3.0), 12.0)
    plot = Plot(extent(z), (-bound, bound), x_label="normal quantile", y_label="standardised residual", grid="xy")
    ends = np.array([max(plot.x.low, -3.2), min(plot.x.high, 3.2)])
    level = quartile.mean() + slope * ends
    plot.line(ends, np.clip(level, -bound, bound), "reference", dash="3 3")
    inside = np.abs(standard) <= bound
    plot.dots(z[inside], standard[inside], "s1", size=4)
    _outside(plot, np.sum(~inside))
    return plot.svg("Normal quantile plot of the residuals", "Normal residuals lie on the dashed line")


def _outside(plot, n):
    if n:
        plot.label(plot.right - 2, plot.bottom - 5, f"{n:,} outside", anchor="end", css="small")


# ---- classification -----------------------------------------------------------------------------------------------


def _curves(codes, proba, classes):
    """(class, whether a row is of it, its probability, style) for each curve that is drawn."""
    shown = shown_classes(codes, len(classes))
    return [(str(classes[k]), codes == k, proba[:, k], f"s{i + 1}") for i, k in enumerate(shown)]


def roc_figure(codes, proba, classes):
    """True against false positives over all thresholds; several classes: each against the rest."""
    from statlearn.assess import roc_auc_score, roc_curve

    plot = Plot((0, 1), (0, 1), x_label="false positive rate", y_label="true positive rate", grid="xy")
    plot.diagonal()
    drawn = _curves(codes, proba, classes)
    for k, (name, is_class, p, css) in enumerate(drawn):
        false, true, _ = roc_curve(is_class, p)
        area = roc_auc_score(is_class, p)
        plot.line(false, true, css, title=f"{name}: AUC {area:.3f}")
        words = f"AUC {area:.3f}" if len(drawn) == 1 else f"{shorten(name, 14)} {area:.3f}"
        plot.label(
            plot.right - 4, plot.bottom - 8 - 14 * (len(drawn) - 1 - k), words, anchor="end", css=f"series {css}"
        )
    return plot.svg("ROC curve", "; ".join(f"{c[0]}" for c in drawn))


def precision_recall_figure(codes, proba, classes):
    """Precision against recall over all thresholds."""
    from statlearn.assess import average_precision_score, precision_recall_curve

    plot = Plot((0, 1), (0, 1.02), x_label="recall", y_label="precision", grid="xy")
    drawn = _curves(codes, proba, classes)
    for k, (name, is_class, p, css) in enumerate(drawn):
        precision, recall, _ = precision_recall_curve(is_class, p)
        area = average_precision_score(is_class, p)
        plot.line(recall, precision, css, title=f"{name}: average precision {area:.3f}")
        if len(drawn) == 1:
            plot.rule(y=is_class.mean())
        words = f"AP {area:.3f}" if len(drawn) == 1 else f"{shorten(name, 14)} {area:.3f}"
        plot.label(plot.left + 6, plot.bottom - 8 - 14 * (len(drawn) - 1 - k), words, css=f"series {css}")
    return plot.svg("Precision and recall", "; ".join(f"{c[0]}" for c in drawn))


def calibration_figure(codes, proba, classes, n_bins=10):
    """Observed frequency against predicted probability in bins of equal size, with Wilson intervals.

    Two classes: the probability of the second; more: that of the predicted class against how often it is right.
    """
    if len(classes) == 2:
        p, hit, label = proba[:, 1], codes == 1, f"observed share of {shorten(classes[1], 20)}"
        low = 0.0
    else:
        p, hit, label = proba.max(axis=1), proba.argmax(axis=1) == codes, "share predicted correctly"
        low = max(0.0, float(np.floor(p.min() * 10) / 10))
    order = np.argsort(p, kind="stable")
    parts = [part for part in np.array_split(order, min(n_bins, max(1, len(p) // 10))) if len(part)]
    x = np.array([p[part].mean() for part in parts])
    share = np.array([hit[part].mean() for part in parts])
    size = np.array([len(part) for part in parts])
    z2 = 1.96**2
    centre = (share + z2 / (2 * size)) / (1 + z2 / size)
    half = 1.96 * np.sqrt(share * (1 - share) / size + z2 / (4 * size**2)) / (1 + z2 / size)
    plot = Plot(
        (low, 1), (min(low, (centre - half).min()), 1), x_label="predicted probability", y_label=label, grid="xy"
    )
    counts, edges = np.histogram(p, bins=25, range=(low, 1))
    base, top = plot.y.low, plot.y.low + 0.16 * (plot.y.high - plot.y.low)
    filled = counts > 0
    plot.bars(
        edges[:-1][filled], edges[1:][filled], base, base + (top - base) * counts[filled] / counts.max(), "muted faded"
    )
    plot.diagonal()
    plot.whiskers(centre - half, centre + half, x, "s1")
    plot.line(x, share, "s1 thin")
    plot.dots(x, share, "s1", size=6)
    return plot.svg("Calibration", "On the dashed line, predicted probabilities match observed frequencies")


def confusion_figure(counts, classes):
    """A large confusion matrix as shades of the rows' shares."""
    k = len(classes)
    side = 300.0
    left = 8 + min(12, max(len(str(c)) for c in classes)) * 5.9
    cell = (side - left) / k
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    levels = np.ceil(share * 6).astype(int)
    parts = []
    for level in range(1, 7):
        rows, columns = np.nonzero(levels == level)
        path = "".join(
            f"M{number(left + c * cell)} {number(18 + r * cell)}h{number(cell)}v{number(cell)}h{number(-cell)}z"
            for r, c in zip(rows, columns)
        )
        if path:
            parts.append(f'<path class="heat s1" style="--v:{level / 6:.2f}" d="{path}"/>')
    slots = Bands(list(classes), 18, 18 + k * cell)
    for t, words in zip(slots.ticks, slots.labels):
        y = number(float(slots(t)) + 3.6)
        parts.append(f'<text x="{number(left - 5)}" y="{y}" text-anchor="end">{escape(shorten(words, 12))}</text>')
    frame = f"M{number(left)} 18h{number(k * cell)}v{number(k * cell)}h{number(-k * cell)}z"
    return (
        f'<svg class="fig" viewBox="0 0 {number(side + 8)} {number(side + 30 - left)}" role="img" '
        f'aria-label="Confusion matrix of {k} classes"><text x="2" y="12" class="name">actual ↓  predicted →</text>'
        f'{"".join(parts)}<path class="frame" d="{frame}"/></svg>'
    )


# ---- columns ------------------------------------------------------------------------------------------------------


def importance_figure(importance, n=MAX_IMPORTANCES):
    """Mean drop of the score per shuffled column with its interval."""
    shown = np.flatnonzero(importance.drops.any(axis=1))[:n]
    names, mean = [importance.columns[k] for k in shown], importance.mean[shown]
    lower, upper = importance.lower[shown], importance.upper[shown]
    plot = Plot(
        extent([0.0], lower, upper, pad=0.03),
        [shorten(name, 22) for name in names][::-1],
        height=max(46 + 18.5 * len(names), 120),
        x_label=f"{metric_label(importance.metric)} gets worse by",
        grid="x",
    )
    place = np.arange(len(names))[::-1]
    plot.rule(x=0.0, css="axis")
    # The bar's thickness is in slots: a thin stem that ends at the estimate.
    for k, value in zip(place, mean):
        plot.whiskers(0.0, value, k, "s1 stem", vertical=False)
    plot.whiskers(lower, upper, place, "ink", vertical=False, cap=3)
    for k, value, name in zip(place, mean, names):
        plot.dot(value, k, "s1", size=7.5, title=f"{name}: {value:.4g}")
    return plot.svg("Permutation importance", ", ".join(f"{name} {value:.3g}" for name, value in zip(names[:5], mean)))


def shown_outputs(dependence, most=4):
    """The classes that get a curve in all figures of a model: those that the columns move most."""
    moved: dict[str, float] = {}
    for found in dependence:
        for name, curve in zip(found.outputs, found.mean.T):
            moved[name] = moved.get(name, 0.0) + float(np.ptp(curve))
    return sorted(sorted(moved, key=lambda name: -moved[name])[:most])


def dependence_figure(found, target, outputs=None):
    """Average prediction against one column, with the band of the rows' own curves where there is one output."""
    outputs = found.outputs if outputs is None else outputs
    drawn = [(found.outputs.index(name), f"s{k + 1}") for k, name in enumerate(outputs) if name in found.outputs]
    several = len(outputs) > 1
    if found.outputs == ["prediction"]:
        y_label = f"mean prediction of {shorten(target, 22)}"
    elif several:
        y_label = "mean probability"
    else:
        y_label = f"mean probability of {shorten(target, 16)} = {shorten(found.outputs[0], 16)}"
    columns = [k for k, _ in drawn]
    single = [] if several or found.curves is None or found.categorical else [found.curves]
    span = extent(found.mean[:, columns]) if several else extent(found.lower, found.upper, *single)
    common = dict(width=330, height=220, x_label=shorten(found.column, 40), y_label=y_label, top=14 if several else 0)
    dates = bool(found.values) and all(isinstance(v, datetime.date) for v in found.values)
    if not found.categorical and (dates or all(isinstance(v, (int, float)) for v in found.values)):
        x = _days(found.values) if dates else np.array(found.values, dtype=float)
        plot = Plot(extent(x, pad=0.02), span, x_dates=dates, **common)
        for k, css in drawn:
            if not several:
                for curve in () if found.curves is None else found.curves[:, :, k].T:
                    plot.line(x, curve, f"{css} ice")
                plot.band(x, found.lower[:, k], found.upper[:, k])
            plot.line(x, found.mean[:, k], css)
        if found.counts is not None and len(found.counts) == 9:
            deciles = _days(found.counts) if dates else np.asarray(found.counts, dtype=float)
            ticks = deciles[(deciles >= plot.x.low) & (deciles <= plot.x.high)]
            path = "".join(f"M{number(float(plot.x(d)))} {number(plot.bottom)}v-5" for d in ticks)
            plot.body.append(f'<path class="whisker muted" d="{path}"><title>deciles</title></path>')
    else:
        x = np.arange(len(found.values), dtype=float)
        order = np.argsort(found.mean[:, columns[0]], kind="stable") if found.categorical else x.astype(int)
        names = [_level(v) for v in found.values]
        plot = Plot([names[k] for k in order], span, **common)
        for k, css in drawn:
            if not several:
                plot.whiskers(found.lower[order, k], found.upper[order, k], x, f"{css} soft")
            plot.dots(x, found.mean[order, k], f"{css} solid", size=8)
    if several:
        for name, (_, css) in zip(outputs, drawn):
            plot.key(shorten(name, 9), css)
    return plot.svg(f"Partial dependence on {found.column}", "", "small")


def effects_figure(found, target):
    """Accumulated local effects of one column, with a line or dots for each output."""
    y_label = "effect on the prediction" if found.outputs == ["prediction"] else "effect on the probability"
    several = len(found.outputs) > 1
    shown = np.argsort(-np.ptp(found.mean, axis=0), kind="stable")[:4]
    common = dict(width=330, height=220, x_label=shorten(found.column, 40), y_label=y_label, top=14 if several else 0)
    span = extent(found.mean[:, shown])
    if found.categorical:
        order = np.argsort(found.mean[:, shown[0]], kind="stable")
        plot = Plot([_level(found.values[k]) for k in order], span, **common)
        for k, output in enumerate(shown):
            plot.dots(np.arange(len(order), dtype=float), found.mean[order, output], f"s{k + 1} solid", size=8)
    else:
        x = np.array(found.values, dtype=float)
        plot = Plot(extent(x, pad=0.02), span, **common)
        for k, output in enumerate(shown):
            plot.line(x, found.mean[:, output], f"s{k + 1}")
    if several:
        for k, output in enumerate(shown):
            plot.key(shorten(found.outputs[output], 9), f"s{k + 1}")
    return plot.svg(f"Accumulated local effects of {found.column} on {target}", "", "small")


def _days(values):
    """Dates as days since 1970."""
    return np.asarray(values, dtype="datetime64[us]").astype(np.int64) / 86_400e6


def _level(value):
    if value is None:
        return "missing"
    return moment(value) if isinstance(value, datetime.date) else _setting(value)


def term_figure(curve, label, column):
    """One function of an additive model, with its band where it has one."""
    sides = [curve.value] if curve.low is None else [curve.low, curve.high]
    plot = Plot(
        extent(curve.x, pad=0.02), extent(*sides), width=330, height=220, x_label=shorten(column, 40),
        y_label=shorten(label, 34),
    )  # fmt: skip
    if curve.low is not None:
        plot.band(curve.x, curve.low, curve.high)
    plot.line(curve.x, curve.value, "s1")
    return plot.svg(f"{label} as a function of {column}", "", "small")


def column_spark(column, css="s1"):
    """The distribution of a column: its histogram, or the counts of its levels."""
    if column.histogram is not None:
        edges, counts = column.histogram
        show = moment if column.kind == "date" else "{:.4g}".format
        label = f"{column.name}: from {show(float(edges[0]))} to {show(float(edges[-1]))}"
        return sparkbars(np.asarray(counts), css=css, label=label)
    if column.levels:
        names = ", ".join(f"{name} {count:,}" for name, count in column.levels[:5])
        return sparkbars([c for _, c in column.levels[:20]], css=css, label=f"{column.name}: {names}", gap=2.0)
    return ""
