"""Scree plots and biplots."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._draw.axes import new_axes
from statlearn._draw.style import styled, theme

from ._null_variance import VarianceReference, broken_stick

_MOST_ARROWS = 25  # arrows of a biplot; the shortest ones are left out


@styled
def plot_reference(result, ax=None):
    """Scree plot of a `VarianceReference`."""
    ax = new_axes(ax, figsize=(5.4, 3.8))
    colours = theme()
    at = np.arange(1, len(result.explained) + 1)
    ax.plot(at, result.explained, "o-", ms=4, color=colours.cycle[0], label="observed")
    ax.plot(at, result.reference.mean(axis=0), color=colours.muted, lw=1.2, label=f"{result.method}: mean")
    ax.plot(at, result.limit, "--", color=colours.bad, lw=1.2, label=f"{result.level:.0%} quantile")
    ax.set(xlabel="component", ylabel="variance", title=f"{result.n_components} components above the reference")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_ylim(0, None)
    ax.legend()
    return ax


@styled
def scree_plot(model, *, reference="broken_stick", ax=None):
    """Scree plot: share of the variance by component, with a reference for data without structure.

    Parameters
    ----------
    model : fitted PCA, IncrementalPCA or TruncatedSVD
    reference : {"broken_stick"}, VarianceReference or None, default="broken_stick"
        Expected shares of a stick broken at random, the result of :func:`explained_variance_reference` (such as
        parallel analysis), or nothing.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.decomposition import PCA, scree_plot
    >>> scree_plot(PCA().fit(load_iris().data)).get_xlabel()
    'component'
    """
    check_is_fitted(model)
    if reference is not None and not isinstance(reference, VarianceReference):
        check_arguments(scree_plot, reference=(reference, [Options("broken_stick"), None]))
    ax = new_axes(ax, figsize=(5.4, 3.8))
    colours = theme()
    share = np.asarray(model.explained_variance_ratio_, dtype=float)
    at = np.arange(1, len(share) + 1)
    ax.bar(at, share, color=colours.cycle[0], alpha=0.75, width=0.7, label="share")
    ax.plot(at, np.cumsum(share), "o-", ms=3.5, color=colours.ink, lw=1, label="cumulated")
    if isinstance(reference, VarianceReference):
        limit = np.quantile(reference.reference_share, reference.level, axis=0)[: len(at)]
        ax.plot(
            at[: len(limit)], limit, "--", color=colours.bad, lw=1.3, label=f"{reference.method}, {reference.level:.0%}"
        )
    elif reference == "broken_stick":
        rows = getattr(model, "n_samples_", np.inf)
        stick = broken_stick(int(min(rows, model.n_features_in_)))[: len(at)]
        ax.plot(at[: len(stick)], stick, "--", color=colours.bad, lw=1.3, label="broken stick")
    ax.set(xlabel="component", ylabel="share of the variance", ylim=(0, 1.05))
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend()
    return ax


@styled
def biplot(model, X, *, components=(0, 1), labels=None, names=None, scale=1.0, ax=None):
    r"""Biplot: scores of rows as points and columns as arrows, in the plane of two components.

    With the centred table :math:`U D V^\top`, points are rows of :math:`\sqrt{n} \, U D^{1-\alpha}` and arrows rows of
    :math:`V D^{\alpha} / \sqrt n`, up to common factors. Products of points and arrows approximate the centred cells.

    Parameters
    ----------
    model : fitted PCA or IncrementalPCA
    X : array-like of shape (n_samples, n_features)
        Rows to show.
    components : pair of int, default=(0, 1)
        Which components, counted from 0.
    labels : array-like of shape (n_samples,) or None, default=None
        Groups of rows, shown by colour.
    names : sequence of str or None, default=None
        Names of the columns; None uses those of the model.
    scale : float, default=1.0
        The exponent :math:`\alpha` between 0 and 1. With 1, angles between arrows show correlations of columns; with
        0, distances between points show distances of rows.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Gabriel (1971), The biplot graphic display of matrices with application to principal component analysis.
    Biometrika 58.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.decomposition import PCA, biplot
    >>> X, species = load_iris(return_X_y=True, as_frame=True)
    >>> biplot(PCA(2).fit(X), X, labels=species).get_xlabel()
    'PC1 (92.5 %)'
    """
    check_is_fitted(model)
    a, b = components
    check_arguments(
        biplot,
        **{
            "components[0]": (a, [Int(0, model.n_components_ - 1)]),
            "components[1]": (b, [Int(0, model.n_components_ - 1)]),
            "scale": (scale, [Real(0, 1, closed="both")]),
        },
    )
    ax = new_axes(ax, figsize=(6.0, 5.2))
    colours = theme()
    scores = np.asarray(model.transform(X), dtype=float)[:, [a, b]]
    deviation = np.sqrt(np.asarray(model.explained_variance_, dtype=float)[[a, b]])
    safe = np.where(deviation > 0, deviation, 1.0)
    if model.whiten:
        scores = scores * safe
    points = scores / safe**scale
    arrows = np.asarray(model.components_, dtype=float)[[a, b]].T * safe**scale
    if labels is None:
        ax.plot(*points.T, "o", ms=3.5, mew=0, alpha=0.6, color=colours.cycle[0])
    else:
        labels = np.asarray(labels)
        for c, group in enumerate(np.unique(labels)):
            colour = colours.cycle[c % len(colours.cycle)]
            ax.plot(*points[labels == group].T, "o", ms=3.5, mew=0, alpha=0.7, color=colour, label=str(group))
        ax.legend()
    if names is None:
        names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(len(arrows))])
    length = np.hypot(*arrows.T)
    factor = 0.85 * np.abs(points).max(initial=1e-300) / max(length.max(initial=0.0), 1e-300)
    for j in np.argsort(-length, kind="stable")[:_MOST_ARROWS]:
        tip = factor * arrows[j]
        ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "->", "color": colours.bad, "lw": 1.2})
        side = ("left" if tip[0] >= 0 else "right", "bottom" if tip[1] >= 0 else "top")
        ax.text(*(1.03 * tip), str(names[j]), color=colours.bad, fontsize=8, ha=side[0], va=side[1])
    share = np.asarray(model.explained_variance_ratio_, dtype=float)
    ax.set(xlabel=f"PC{a + 1} ({100 * share[a]:.1f} %)", ylabel=f"PC{b + 1} ({100 * share[b]:.1f} %)")
    ax.axhline(0, color=colours.faint, lw=0.8, zorder=0)
    ax.axvline(0, color=colours.faint, lw=0.8, zorder=0)
    ax.margins(0.12)
    return ax
