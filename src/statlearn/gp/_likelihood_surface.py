"""The marginal likelihood over two hyper-parameters, and its local maxima."""

from dataclasses import dataclass

import numpy as np
from scipy import optimize
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, check_arguments

from ._regressor import free_parameters

_SAME = 0.05  # of log hyper-parameters: maxima nearer than this are one
_DECADES = 2.0  # each side of the fitted value, where no limits are given


@dataclass
class LikelihoodSurface:
    """Log marginal likelihoods on a grid of two hyper-parameters.

    Parameters
    ----------
    names : tuple of str
        Names of the two hyper-parameters.
    first, second : ndarray of shape (n_points,)
        Their values, evenly spaced in logarithms.
    values : ndarray of shape (n_points, n_points)
        Log marginal likelihoods; rows belong to `second`, columns to `first`. The other hyper-parameters have their
        fitted values.
    optima : list of dict
        Local maxima over all hyper-parameters, the best first: "theta", "log_likelihood", and one entry per
        hyper-parameter by name.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.gp import GaussianProcessRegressor, lml_surface
    >>> X = np.linspace(0, 3, 8)[:, None]
    >>> model = GaussianProcessRegressor(alpha=0.1).fit(X, np.sin(X[:, 0]))
    >>> lml_surface(model, n_points=5).values.shape
    (5, 5)
    """

    names: tuple
    first: np.ndarray
    second: np.ndarray
    values: np.ndarray
    optima: list

    def plot(self, ax=None, *, depth=20.0):
        """Contours of the likelihood with its local maxima.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
        depth : float, default=20.0
            How far below the maximum contours are drawn.

        Returns
        -------
        matplotlib Axes
        """
        from statlearn._draw.axes import new_axes

        ax = new_axes(ax)
        top = np.nanmax(np.where(np.isfinite(self.values), self.values, np.nan))
        levels = top - depth * np.linspace(1.0, 0.0, 25) ** 2
        shown = ax.contourf(
            self.first, self.second, np.maximum(self.values, top - depth), levels=levels, cmap="viridis"
        )
        ax.figure.colorbar(shown, ax=ax, label="log marginal likelihood")
        for k, best in enumerate(self.optima):
            ax.plot(
                best[self.names[0]], best[self.names[1]], "r*" if k == 0 else "w*", markersize=12, markeredgecolor="k"
            )
        ax.set(xscale="log", yscale="log", xlabel=self.names[0], ylabel=self.names[1])
        ax.set(xlim=(self.first[0], self.first[-1]), ylim=(self.second[0], self.second[-1]))
        return ax


def lml_surface(model, names=None, *, limits=None, n_points=25):
    """Log marginal likelihood of a fitted model over two hyper-parameters, with all local maxima that the grid shows.

    Every local maximum of the grid is the start of a search over all hyper-parameters.

    Parameters
    ----------
    model : GaussianProcessRegressor or GaussianProcessClassifier
        Fitted.
    names : pair of str or None, default=None
        Names of hyper-parameters as `summary` prints them, such as "k2__length_scale". None means the first two.
    limits : pair of pairs of float or None, default=None
        Smallest and largest value of each. None means a hundredth to a hundred times the fitted value, within the
        bounds of the kernel.
    n_points : int, default=25
        Grid points per hyper-parameter.

    Returns
    -------
    LikelihoodSurface

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.gp import RBF, GaussianProcessRegressor, WhiteKernel, lml_surface
    >>> state = np.random.RandomState(0)
    >>> X = state.uniform(0, 5, (20, 1))
    >>> y = 0.5 * np.sin(3 * X[:, 0]) + state.normal(0, 0.5, 20)
    >>> model = GaussianProcessRegressor(RBF(1.0, (1e-2, 1e3)) + WhiteKernel(0.1, (1e-3, 10))).fit(X, y)
    >>> surface = lml_surface(model, n_points=12)
    >>> [round(best["log_likelihood"], 2) for best in surface.optima]
    [-22.23, -24.75, -25.21]
    """
    check_arguments(lml_surface, n_points=(n_points, [Int(3, None)]))
    check_is_fitted(model, "log_marginal_likelihood_value_")
    kernel = model.kernel_
    known, fitted = free_parameters(kernel)
    if names is None:
        names = known[:2]
    if len(names) != 2 or len(set(names)) != 2 or not set(names) <= set(known):
        raise ValueError(f"`names` must be two of the free hyper-parameters {known}, got {names!r}.")
    places = [known.index(name) for name in names]
    axes = [_axis(fitted[k], kernel.bounds[k], limits and limits[i], n_points) for i, k in enumerate(places)]
    theta = kernel.theta
    values = np.empty((n_points, n_points))
    for i, b in enumerate(axes[1]):
        for j, a in enumerate(axes[0]):
            theta[places] = np.log([a, b])
            values[i, j] = model.log_marginal_likelihood(theta)
    starts = [kernel.theta]
    for i, j in _peaks(values):
        start = kernel.theta
        start[places] = np.log([axes[0][j], axes[1][i]])
        starts.append(start)
    optima = _distinct([_climb(model, start, kernel.bounds) for start in starts])
    listed = [
        {"theta": theta, "log_likelihood": value, **dict(zip(known, np.exp(theta).tolist()))} for theta, value in optima
    ]
    return LikelihoodSurface(tuple(names), *axes, values, listed)


def _axis(value, bounds, limits, n_points):
    if limits is None:
        low, high = max(value / 10**_DECADES, np.exp(bounds[0])), min(value * 10**_DECADES, np.exp(bounds[1]))
    else:
        low, high = limits
    if not 0 < low < high < np.inf:
        raise ValueError(f"`limits` must be increasing pairs of positive numbers, got {limits!r}.")
    return np.geomspace(low, high, n_points)


def _peaks(values):
    """Places of the grid that are not lower than their neighbours."""
    padded = np.pad(values, 1, constant_values=-np.inf)
    n, m = values.shape
    around = np.max(
        [padded[1 + a : 1 + a + n, 1 + b : 1 + b + m] for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b], axis=0
    )
    return np.argwhere((values >= around) & np.isfinite(values))


def _climb(model, start, bounds):
    def negative(theta):
        value, gradient = model.log_marginal_likelihood(theta, eval_gradient=True)
        return -value, -gradient

    result = optimize.minimize(negative, np.clip(start, *bounds.T), method="L-BFGS-B", jac=True, bounds=bounds)
    return result.x, -float(result.fun)


def _distinct(runs):
    """Distinct ends of the searches, the best first."""
    ends: list = []
    for theta, value in sorted(runs, key=lambda run: -run[1]):
        flat = any(np.abs(value - other) < 1e-4 for _, other in ends)  # along a ridge the values are the same
        if not flat and not any(np.abs(theta - other).max() < _SAME for other, _ in ends):
            ends.append((theta, value))
    return ends
