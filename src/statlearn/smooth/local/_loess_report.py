"""Summary, comparison and plot of loess fits."""

import numpy as np
from scipy import special

from statlearn._core.summary import Summary, Table
from statlearn._draw.axes import new_axes
from statlearn._draw.style import styled
from statlearn.smooth._function_plots import draw_levels, grid_rows


def summarise(model):
    """Statistics and settings of a fit."""
    robust = model.family == "symmetric"
    rows = {
        "equivalent parameters": model.enp_,
        "trace of the smoother matrix": model.df_,
        "residual scale" if robust else "residual standard error": model.scale_,
        "residual degrees of freedom": model.df_residual_,
    }
    facts = dict(
        n=model._n_rows, enp=model.enp_, df=model.df_, scale=model.scale_, df_residual=model.df_residual_,
        one_delta=model.one_delta_, two_delta=model.two_delta_, span=float(model.span), degree=int(model.degree),
        family=model.family, surface=model.surface_, statistics=model.statistics,
        vertices=None if model.vertices_ is None else len(model.vertices_),
    )  # fmt: skip
    labels = {"n": "observations"}
    labels |= {name: name for name in ("span", "degree", "family", "surface", "vertices", "statistics")}
    title = f"Loess, degree {model.degree}, span {model.span:g}"
    return Summary(title, Table(list(rows), {"estimate": np.array(list(rows.values()))}), facts, labels)


def compare_fits(models):
    """F tests of successive fits, with the residual variance of the fit with the most parameters."""
    if len(models) < 2:
        raise ValueError("anova requires at least two fits.")
    first = models[0]
    for model in models[1:]:
        if model._n_rows != first._n_rows or not np.array_equal(np.sort(model._y_train), np.sort(first._y_train)):
            raise ValueError("anova requires fits to the same responses.")
    one, two, scale, enp = (
        np.array([getattr(m, name) for m in models]) for name in ("one_delta_", "two_delta_", "scale_", "enp_")
    )
    rss = scale**2 * one
    full = int(np.argsort(enp, kind="stable")[-1])
    steps = np.abs(np.diff(one))
    denominator = one[full] ** 2 / two[full]
    with np.errstate(divide="ignore", invalid="ignore"):
        F = np.abs(np.diff(rss)) / steps / scale[full] ** 2
        p = special.fdtrc(steps**2 / np.abs(np.diff(two)), denominator, F)
    table = Table(
        [f"{k + 1}: span {m.span:g}, degree {m.degree}" for k, m in enumerate(models)],
        {"parameters": enp, "RSS": rss, "F": np.append(np.nan, F), "p": np.append(np.nan, p)},
    )
    facts = dict(denominator_df=float(denominator))
    return Summary("Analysis of variance of loess fits", table, facts, {"denominator_df": "denominator df"})


@styled
def draw_fit(model, ax, grid_size, level):
    """Plot a curve with its band and the rows, or filled contours of a surface."""
    p = model.n_features_in_
    if p > 2:
        raise ValueError(f"plot supports fits of one or two columns, this one has {p}.")
    ax = new_axes(ax)
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(p)])
    train = model._unscaled(model._X_train)
    lines, grid = grid_rows(range(p), train.min(axis=0), train.max(axis=0), train.mean(axis=0), grid_size)
    grid = np.clip(grid, train.min(axis=0), train.max(axis=0))
    if p == 2:
        draw_levels(ax, lines, model._evaluate(grid, False)[0])
        ax.plot(*train.T, ".", color="white", markersize=2, alpha=0.6)
        ax.set(xlabel=names[0], ylabel=names[1])
        return ax
    value, error = model._evaluate(grid, True)
    band = special.stdtrit(model.df_residual_, 0.5 + level / 2) * error
    ax.plot(train[:, 0], model._y_train, ".", color="0.6", markersize=4)
    ax.fill_between(lines[0], value - band, value + band, alpha=0.25, linewidth=0)
    ax.plot(lines[0], value)
    ax.set(xlabel=names[0])
    return ax
