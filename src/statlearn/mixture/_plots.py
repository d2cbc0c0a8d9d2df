"""Plots of two-dimensional mixtures (density, regions, ellipses) and of model-selection criteria."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._draw.axes import new_axes
from statlearn._draw.style import MARKERS, styled, theme

from ._normal import full_matrices


def _limits(model, X, margin):
    if X is not None:
        points = np.asarray(X, dtype=np.float64)
        low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    else:
        spread = 3.0 * np.sqrt(np.diagonal(_matrices(model), axis1=1, axis2=2))
        low, high = (model.means_ - spread).min(axis=0), (model.means_ + spread).max(axis=0)
    space = margin * np.where(high > low, high - low, 1.0)
    return low - space, high + space


def _matrices(model):
    k, p = np.shape(model.means_)
    return full_matrices(np.asarray(model.covariances_, dtype=np.float64), model._fitted_covariance_type, k, p)


def _check_plane(model, X):
    check_is_fitted(model)
    if model.n_features_in_ != 2:
        raise ValueError(
            f"`model` must be a mixture of two columns, this one has {model.n_features_in_}; use marginal() to "
            "select two."
        )
    if X is not None and np.shape(X)[1:] != (2,):
        raise ValueError(f"X must have two columns, got shape {np.shape(X)}.")


def _names(model):
    return tuple(str(name) for name in getattr(model, "feature_names_in_", ("x0", "x1")))


@styled
def gmm_density_plot(model, X=None, *, regions=True, levels=10, grid_resolution=200, margin=0.08, ax=None):
    """Density contours of a fitted mixture, and the regions in which each component is most probable.

    Parameters
    ----------
    model : fitted mixture of two columns
        A fitted model with `score_samples` and `predict`.
    X : array-like of shape (n_samples, 2) or None, default=None
        Points to plot, coloured by component. Without them the limits are derived from means and covariances.
    regions : bool, default=True
        Whether to shade the regions.
    levels : int or array-like, default=10
        Number of contours of the log density, or their log densities.
    grid_resolution : int, default=200
    margin : float, default=0.08
        Margin around the points, as a fraction of their range.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import GaussianMixture, gmm_density_plot
    >>> model = GaussianMixture.from_parameters([0.5, 0.5], [[0, 0], [3, 1]], [1.0, 0.5], "spherical")
    >>> ax = gmm_density_plot(model, grid_resolution=20)  # doctest: +SKIP
    """
    _check_plane(model, X)
    ax, colours = new_axes(ax), theme()
    low, high = _limits(model, X, margin)
    axes = [np.linspace(low[j], high[j], grid_resolution) for j in range(2)]
    first, second = np.meshgrid(*axes)
    grid = np.column_stack([first.ravel(), second.ravel()])
    bare = _without_names(model)
    density = bare.score_samples(grid).reshape(first.shape)
    k = len(np.asarray(model.weights_)) if hasattr(model, "weights_") else int(bare.predict(grid).max()) + 1
    shades = [colours.cycle[j % len(colours.cycle)] for j in range(k)]
    if regions and k > 1:
        region = bare.predict(grid).reshape(first.shape)
        ax.contourf(first, second, region, levels=np.arange(k + 1) - 0.5, colors=shades, alpha=0.14)
        for j in range(k):
            ax.contour(first, second, region == j, levels=[0.5], colors=colours.muted, linewidths=0.8)
    if np.ndim(levels) == 0:
        # From the top down to where the density is e^-8 of it: below, nothing is seen of the data.
        levels = density.max() - np.linspace(8.0, 0.25, int(levels))
    ax.contour(first, second, density, levels=np.sort(levels), cmap=colours.sequential, linewidths=1.1)
    if X is not None:
        points = np.asarray(X, dtype=np.float64)
        labels = bare.predict(points)
        for j in np.unique(labels):
            chosen = points[labels == j]
            ax.scatter(*chosen.T, s=12, marker=MARKERS[j % len(MARKERS)], color=shades[j], alpha=0.75, zorder=3)
    ax.set(xlabel=_names(model)[0], ylabel=_names(model)[1], xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    ax.grid(False)
    return ax


def _without_names(model):
    """The model without column names, since a grid has none."""
    if not hasattr(model, "feature_names_in_"):
        return model
    import copy

    bare = copy.copy(model)
    del bare.feature_names_in_
    return bare


@styled
def ellipse_plot(model, X=None, *, coverage=(0.5, 0.95), margin=0.08, ax=None):
    """Components of a fitted normal or Student-t mixture as ellipses that contain given probabilities.

    Parameters
    ----------
    model : fitted GaussianMixture, BayesianGaussianMixture or StudentTMixture of two columns
    X : array-like of shape (n_samples, 2) or None, default=None
        Points to plot, coloured by component.
    coverage : array-like of float, default=(0.5, 0.95)
        Probability of a component inside its ellipses.
    margin : float, default=0.08
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import GaussianMixture, ellipse_plot
    >>> model = GaussianMixture.from_parameters([0.5, 0.5], [[0, 0], [3, 1]], [1.0, 0.5], "spherical")
    >>> ax = ellipse_plot(model)  # doctest: +SKIP
    """
    from matplotlib.patches import Ellipse

    _check_plane(model, X)
    coverage = np.atleast_1d(np.asarray(coverage, dtype=np.float64))
    if np.any(coverage <= 0) or np.any(coverage >= 1):
        raise ValueError(f"`coverage` must hold probabilities between 0 and 1, got {coverage.tolist()}.")
    ax, colours = new_axes(ax), theme()
    low, high = _limits(model, X, margin)
    labels = None if X is None else _without_names(model).predict(np.asarray(X, dtype=np.float64))
    for j, matrix in enumerate(_matrices(model)):
        colour = colours.cycle[j % len(colours.cycle)]
        values, vectors = np.linalg.eigh(matrix)
        angle = np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1]))
        for radius in ellipse_radii(coverage, getattr(model, "dof_", None), j):
            width, height = 2.0 * radius * np.sqrt(values[::-1])
            patch = Ellipse(model.means_[j], width, height, angle=angle, facecolor=colour, edgecolor=colour)
            patch.set(alpha=0.16, linewidth=0)
            ax.add_patch(patch)
            ax.add_patch(Ellipse(model.means_[j], width, height, angle=angle, fill=False, edgecolor=colour, lw=1.3))
        ax.plot(*model.means_[j], "+", color=colours.ink, ms=8, zorder=4)
        if labels is not None:
            chosen = np.asarray(X, dtype=np.float64)[labels == j]
            ax.scatter(*chosen.T, s=12, marker=MARKERS[j % len(MARKERS)], color=colour, alpha=0.75, zorder=3)
    ax.set(xlabel=_names(model)[0], ylabel=_names(model)[1], xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    return ax


def ellipse_radii(coverage, dof=None, component=0):
    """Mahalanobis distances within which a component of two columns has the given probabilities."""
    if dof is None:
        return np.sqrt(-2.0 * np.log1p(-coverage))  # chi-square with two degrees of freedom
    nu = float(dof[component])
    return np.sqrt(nu * ((1.0 - coverage) ** (-2.0 / nu) - 1.0))  # twice an F(2, nu) variable


@styled
def criterion_plot(chosen, *, criterion=None, ax=None):
    """Criterion of every mixture fitted by a `GaussianMixtureIC`, against the number of components.

    Parameters
    ----------
    chosen : fitted GaussianMixtureIC
    criterion : {"bic", "icl", "aic"} or None, default=None
        Criterion to plot; None is the one used for the selection.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import GaussianMixtureIC, criterion_plot
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> ax = criterion_plot(GaussianMixtureIC([1, 2], random_state=0).fit(X))  # doctest: +SKIP
    """
    check_is_fitted(chosen)
    criterion = chosen.criterion if criterion is None else criterion
    ax, colours = new_axes(ax), theme()
    results = chosen.results_
    for j, shape in enumerate(dict.fromkeys(results["covariance_type"])):
        rows = results["covariance_type"] == shape
        colour = colours.cycle[j % len(colours.cycle)]
        ax.plot(results["n_components"][rows], results[criterion][rows], color=colour, label=str(shape))
        sound = rows & ~results["collapsed"]
        ax.plot(results["n_components"][sound], results[criterion][sound], "o", color=colour)
    here = (results["n_components"] == chosen.n_components_) & (results["covariance_type"] == chosen.covariance_type_)
    ax.plot(chosen.n_components_, results[criterion][here], "o", ms=11, mfc="none", mec=colours.good, mew=2)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel="number of components", ylabel=criterion.upper())
    ax.legend(title="covariances")
    return ax
