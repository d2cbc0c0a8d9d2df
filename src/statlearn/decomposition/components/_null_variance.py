"""Variance of components in data without structure, as a reference for the observed ones."""

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from sklearn.utils import check_random_state

from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._core.validation import check_array


@dataclass
class VarianceReference:
    """Result of `explained_variance_reference`.

    Attributes
    ----------
    explained : ndarray of shape (k,)
        Observed variances of the components.
    reference : ndarray of shape (n_repeats, k)
        Variances in the tables without structure.
    limit : ndarray of shape (k,)
        Quantile of the reference at `level`.
    n_components : int
        Number of leading components above the limit.
    method : str
    level : float
    """

    explained: np.ndarray
    reference: np.ndarray
    limit: np.ndarray
    n_components: int
    method: str
    level: float

    @property
    def share(self):
        """Observed shares of the total variance."""
        return self.explained / self.explained.sum()

    @property
    def reference_share(self):
        """Shares of the total variance in the tables without structure."""
        return self.reference / self.reference.sum(axis=1, keepdims=True)

    def plot(self, ax=None):
        """Scree plot with the reference; returns the matplotlib axes."""
        from ._plots import plot_reference

        return plot_reference(self, ax=ax)


def broken_stick(n_components):
    r"""Expected shares of the variance if it were divided at random (a stick broken at random points).

    .. math:: b_j = \frac1p \sum_{i=j}^{p} \frac1i

    Components with a larger share than these are usually worth a look.

    Parameters
    ----------
    n_components : int
        Number p of all components, the smaller side of the table.

    Returns
    -------
    shares : ndarray of shape (n_components,)

    References
    ----------
    Jackson (1993), Stopping rules in principal components analysis. Ecology 74.

    Examples
    --------
    >>> from statlearn.decomposition import broken_stick
    >>> broken_stick(3).round(3)
    array([0.611, 0.278, 0.111])
    """
    check_arguments(broken_stick, n_components=(n_components, [Int(1, None)]))
    return np.cumsum(1.0 / np.arange(n_components, 0, -1))[::-1] / n_components


def _variances(Z):
    """Variances of all principal components of a centred table, with divisor n - 1."""
    n, p = Z.shape
    G = Z.T @ Z if p <= n else Z @ Z.T
    return np.maximum(linalg.eigvalsh(G, check_finite=False)[::-1], 0.0) / (n - 1)


def _draw(Z, method, rng):
    n, p = Z.shape
    if method == "permutation":
        return rng.permuted(Z, axis=0)
    if method == "normal":
        drawn = rng.standard_normal((n, p)) * Z.std(axis=0, ddof=1)
        return drawn - drawn.mean(axis=0)
    # Every row turned on its own: the lengths remain, the common directions go.
    drawn = rng.standard_normal((n, p))
    drawn *= (np.linalg.norm(Z, axis=1) / np.linalg.norm(drawn, axis=1))[:, None]
    return drawn - drawn.mean(axis=0)


def explained_variance_reference(X, *, method="permutation", n_repeats=20, level=0.95, scale=False, random_state=None):
    """Variances of the principal components, against those of tables without structure.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    method : {"permutation", "normal", "rotation"}, default="permutation"
        How a table without structure is made: every column permuted on its own, independent normal columns of the same
        variances (Horn's parallel analysis), or every centred row turned in a random direction.
    n_repeats : int, default=20
    level : float, default=0.95
        Quantile of the reference that a component must exceed.
    scale : bool, default=False
        Divide the columns by their standard deviations first, so that the correlation matrix is analysed.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    VarianceReference
        With `explained`, `reference`, `limit`, the suggested `n_components`, and a method `plot`.

    References
    ----------
    Horn (1965), A rationale and test for the number of factors in factor analysis. Psychometrika 30.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.decomposition import explained_variance_reference
    >>> explained_variance_reference(load_iris().data, scale=True, random_state=0).n_components
    1
    """
    check_arguments(
        explained_variance_reference,
        method=(method, [Options("permutation", "normal", "rotation")]),
        n_repeats=(n_repeats, [Int(1, None)]),
        level=(level, [Real(0, 1, closed="neither")]),
        scale=(scale, ["boolean"]),
        random_state=(random_state, ["random_state"]),
    )
    X = check_array(X, dtype=np.float64, input_name="X", ensure_min_samples=2)
    Z = X - X.mean(axis=0)
    if scale:
        deviation = Z.std(axis=0, ddof=1)
        Z = Z / np.where(deviation > 0, deviation, 1.0)
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
    observed = _variances(Z)
    drawn = np.array([_variances(_draw(Z, method, rng)) for _ in range(n_repeats)])
    limit = np.quantile(drawn, level, axis=0)
    above = observed > limit
    n_components = len(above) if above.all() else int(np.argmin(above))
    return VarianceReference(observed, drawn, limit, n_components, method, level)


def quantile_grid(scores, quantiles=(0.05, 0.25, 0.5, 0.75, 0.95)):
    """Rows nearest to a grid of quantiles of the first two scores.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_components)
        At least two columns, of which the first two are used.
    quantiles : sequence of float, default=(0.05, 0.25, 0.5, 0.75, 0.95)

    Returns
    -------
    rows : ndarray of shape (n_quantiles, n_quantiles)
        Numbers of rows. Row i, column j of the grid is at quantile i of the second and quantile j of the first score.
    points : ndarray of shape (n_quantiles, n_quantiles, 2)
        The points of the grid.

    Notes
    -----
    Distances are measured in units of the standard deviation of each score. Showing the chosen rows in the arrangement
    of the grid makes visible what the two components mean.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.decomposition import PCA, quantile_grid
    >>> rows, points = quantile_grid(PCA(2).fit_transform(load_iris().data))
    >>> rows.shape
    (5, 5)
    """
    Z = check_array(scores, dtype=np.float64, input_name="scores")
    if Z.shape[1] < 2:
        raise ValueError(f"`scores` must have at least 2 columns, got {Z.shape[1]}.")
    levels = np.asarray(quantiles, dtype=np.float64)
    if levels.ndim != 1 or levels.size == 0 or not np.all((levels >= 0) & (levels <= 1)):
        raise ValueError("`quantiles` must be numbers between 0 and 1.")
    Z = Z[:, :2]
    deviation = Z.std(axis=0)
    deviation[deviation == 0] = 1.0
    first, second = (np.quantile(Z[:, j], levels) for j in range(2))
    points = np.stack(np.meshgrid(first, second), axis=-1)
    distance = np.linalg.norm((Z[None, None] - points[:, :, None]) / deviation, axis=-1)
    return distance.argmin(axis=-1), points
