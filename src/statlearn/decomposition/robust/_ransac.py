"""Principal components by random sample consensus."""

import math
from itertools import combinations

import numpy as np
from scipy.stats import chi2
from sklearn.utils import check_random_state

from statlearn._core.params import Int, Real, check_arguments, check_params
from statlearn._core.validation import FLOATS, validate_data
from statlearn._core.warnings import StatlearnWarning, warn

from ..components._base import ComponentsMixin
from ._irls import plane_distances, weighted_plane


def ransac_trials(inlier_share, subset_size, probability=0.99):
    r"""Number of random subsets that contain only inliers at least once, with a given probability.

    .. math:: \left\lceil \frac{\log(1 - q)}{\log(1 - p^k)} \right\rceil

    Parameters
    ----------
    inlier_share : float
        Share p of inliers among the rows, in (0, 1].
    subset_size : int
        Number k of rows in a subset.
    probability : float, default=0.99
        The probability q, in (0, 1).

    Returns
    -------
    trials : int

    Examples
    --------
    >>> from statlearn.decomposition import ransac_trials
    >>> ransac_trials(0.5, 2)
    17
    """
    check_arguments(
        ransac_trials,
        inlier_share=(inlier_share, [Real(0, 1, closed="right")]),
        subset_size=(subset_size, [Int(1, None)]),
        probability=(probability, [Real(0, 1, closed="neither")]),
    )
    clean = inlier_share**subset_size
    if clean >= 1.0:
        return 1
    if clean < 1e-300:
        raise ValueError("A subset without outliers is practically impossible; use smaller subsets.")
    return math.ceil(math.log(1.0 - probability) / math.log1p(-clean))


class RANSACPCA(ComponentsMixin):
    """Robust principal components by random sample consensus.

    The plane through a random subset of rows is judged by the number of inliers, rows within `threshold` of it. The
    first plane with at least `min_inliers` is accepted; after `max_trials` subsets the one with the most inliers is.
    The components are then computed from its inliers.

    Parameters
    ----------
    n_components : int, default=1
        Dimension of the plane, smaller than the number of columns.
    threshold : float or None, default=None
        Largest distance of an inlier from the plane. None estimates it from the plane with the smallest median
        distance, as the 99 % quantile of normal noise with that median.
    min_inliers : int, float or None, default=None
        Number of inliers, or their share of the rows in (0, 1), at which a plane is accepted. None never accepts early:
        all `max_trials` subsets are judged.
    max_trials : int, default=100
        Maximum number of subsets; see :func:`ransac_trials`. If the rows have no more subsets than this, each of them
        is judged once.
    subset_size : int or None, default=None
        Rows of a subset; None means `n_components` + 1, as few as define a plane.
    refit : bool, default=True
        Whether to compute the final components from all inliers instead of the subset alone.
    random_state : int, RandomState or None, default=None
        Seed of the subsets.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
    mean_ : ndarray of shape (n_features,)
    inlier_mask_ : ndarray of bool of shape (n_samples,)
        Inliers of the accepted subset's plane.
    threshold_ : float
    n_trials_ : int
        Number of subsets judged.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        Variances of the rows used for the final components, with their number as divisor, and their shares.
    noise_variance_ : float
    n_components_ : int
    n_samples_ : int
        Number of rows used for the final components.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    Notes
    -----
    With a share p of inliers and subsets of k rows, m trials find a subset without outliers with probability
    1 - (1 - p^k)^m. If the inliers themselves scatter about the plane, the plane through a minimal subset is only
    approximate; refitting corrects this.

    References
    ----------
    Fischler and Bolles (1981), Random sample consensus. Communications of the ACM 24.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import RANSACPCA
    >>> t = np.linspace(-1, 1, 20)
    >>> X = np.column_stack([t, 2 * t])
    >>> X[::3] = np.random.default_rng(0).normal(size=(7, 2)) * 3
    >>> model = RANSACPCA(threshold=0.01, random_state=0).fit(X)
    >>> int(model.inlier_mask_.sum())
    13
    """

    whiten = False
    _constraints = {
        "n_components": [Int(1, None)],
        "threshold": [Real(0, None), None],
        "min_inliers": [Int(1, None), Real(0, 1, closed="neither"), None],
        "max_trials": [Int(1, 10_000)],
        "subset_size": [Int(2, None), None],
        "refit": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components=1,
        *,
        threshold=None,
        min_inliers=None,
        max_trials=100,
        subset_size=None,
        refit=True,
        random_state=None,
    ):
        self.n_components = n_components
        self.threshold = threshold
        self.min_inliers = min_inliers
        self.max_trials = max_trials
        self.subset_size = subset_size
        self.refit = refit
        self.random_state = random_state

    def fit(self, X, y=None):
        """Compute the plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS, ensure_min_samples=2)
        Z = X.astype(np.float64)
        n, p = Z.shape
        k = self.n_components
        if k > min(n - 1, p):
            raise ValueError(f"`n_components`={k} must be at most min(n_samples - 1, n_features) = {min(n - 1, p)}.")
        size = k + 1 if self.subset_size is None else self.subset_size
        if not k + 1 <= size <= n:
            raise ValueError(f"`subset_size`={size} must be between n_components + 1 = {k + 1} and n_samples = {n}.")
        generator = check_random_state(self.random_state)
        self.threshold_ = self._threshold(Z, size, generator)
        wanted = self.min_inliers
        if isinstance(wanted, (float, np.floating)):
            wanted = math.ceil(wanted * n)
        best, subset, inside = -1, None, None
        trial = 0
        for rows in self._subsets(n, size, generator):
            trial += 1
            mean, _, axes = weighted_plane(Z[rows], np.ones(size), k)
            inliers = plane_distances(Z, mean, axes) <= self.threshold_
            if inliers.sum() > best:
                best, subset, inside = int(inliers.sum()), rows, inliers
            if wanted is not None and best >= wanted:
                break
        self.n_trials_, self.inlier_mask_ = trial, inside
        if wanted is not None and best < wanted:
            warn(
                f"RANSACPCA found a plane with at most {best} inliers, fewer than `min_inliers`={wanted}, in "
                f"{trial} trials. Increase `max_trials` or `threshold`.",
                StatlearnWarning,
            )
        used = Z[inside] if self.refit and best > k else Z[subset]
        mean, variance, axes = weighted_plane(used, np.ones(len(used)), k)
        total = float(variance.sum())
        self.mean_, self.components_ = mean.astype(X.dtype), axes.astype(X.dtype)
        self.explained_variance_ = variance[:k].astype(X.dtype)
        self.explained_variance_ratio_ = (variance[:k] / total if total > 0 else np.zeros(k)).astype(X.dtype)
        self.noise_variance_ = float(variance[k:].sum() / (p - k)) if k < p else 0.0
        self.n_components_, self.n_samples_ = k, len(used)
        return self

    def _subsets(self, n, size, generator):
        """The row numbers of each subset to judge."""
        few = min(size, n - size) < 20  # otherwise there are at least 2^20
        if few and math.comb(n, size) <= self.max_trials:
            yield from map(list, combinations(range(n), size))
        else:
            for _ in range(self.max_trials):
                yield generator.choice(n, size, replace=False)

    def _threshold(self, Z, size, generator):
        if self.threshold is not None:
            return float(self.threshold)
        n, p = Z.shape
        smallest = np.inf
        for rows in self._subsets(n, size, generator):
            mean, _, axes = weighted_plane(Z[rows], np.ones(size), self.n_components)
            smallest = min(smallest, float(np.median(plane_distances(Z, mean, axes))))
        codimension = max(p - self.n_components, 1)
        noise = smallest / np.sqrt(chi2.ppf(0.5, codimension))
        return float(noise * np.sqrt(chi2.ppf(0.99, codimension))) + 1e-12 * float(np.abs(Z).max())
