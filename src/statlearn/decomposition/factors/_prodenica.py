"""Independent components with densities by tilted splines."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Real, check_params
from statlearn._core.validation import FLOATS, check_array, validate_data
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped
from statlearn.smooth import SmoothingSpline

from ._whitening import symmetric_orthogonal, whitening

_NEWTON_STEPS = 20
_ROUGH_STEPS = 4  # while the directions still turn: each turn starts from the densities of the one before


class TiltedDensity:
    r"""Density :math:`\phi(s) e^{g(s)}` with g a spline, by penalised likelihood on a grid.

    The counts on the grid are Poisson variables with the expectations :math:`n \Delta\, \phi(s) e^{g(s)}`, fitted by
    weighted smoothing splines. `start` is a density of similar values, from whose g the fit starts. A `rough` fit takes
    a few steps, all with the penalty that has `df` degrees of freedom in the first.
    """

    def __init__(self, s, df, n_grid, start=None, rough=False):
        n = len(s)
        low, high = s.min(), s.max()
        margin = 0.1 * (high - low) + 1e-12
        self.grid = np.linspace(low - margin, high + margin, n_grid)
        width = self.grid[1] - self.grid[0]
        # Each value is shared by its two neighbours on the grid.
        at = np.clip((s - self.grid[0]) / width, 0, n_grid - 1 - 1e-9)
        left = at.astype(int)
        counts = np.bincount(left, 1.0 - (at - left), n_grid) + np.bincount(left + 1, at - left, n_grid)
        frequency = counts / n / width
        base = np.exp(-0.5 * self.grid**2) / np.sqrt(2 * np.pi)
        g = np.zeros(n_grid) if start is None else start.spline.predict(self.grid)
        self.spline = None
        for step in range(_ROUGH_STEPS if rough else _NEWTON_STEPS):
            # Newton's step for sum of frequency * g - base * exp(g): weighted least squares of the working response.
            expected = np.maximum(base * np.exp(np.clip(g, -30, 30)), 1e-12)
            weight = expected / expected.mean()
            response = np.clip(g + (frequency - expected) / expected, g - 5.0, g + 5.0)
            smoother = SmoothingSpline(lam=self.spline.lam_) if rough and step else SmoothingSpline(df=df)
            self.spline = smoother.fit(self.grid, response, sample_weight=weight)
            before, g = g, self.spline.values_
            if np.sum(expected * np.abs(g - before)) * width < 1e-6:
                break
        self.log_norm = float(np.log(np.sum(base * np.exp(np.clip(g, -30, 30))) * width))

    def tilt(self, s):
        """g, g' and g'' at the values, normalised to a density."""
        parts = [self.spline.predict(s, derivative=order) for order in range(3)]
        return parts[0] - self.log_norm, parts[1], parts[2]


class ProDenICA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Product density independent component analysis.

    The density of each source is :math:`\phi(s) e^{g_j(s)}`, a normal density tilted by a smoothing spline. The
    orthonormal directions :math:`a_j` in whitened data maximise the penalised likelihood

    .. math:: \sum_j \Bigl[ \frac1n \sum_i \bigl(\log\phi(a_j^\top z_i) + g_j(a_j^\top z_i)\bigr)
        - \int \phi\, e^{g_j} - \lambda_j \int g_j''(t)^2 dt \Bigr]

    by turns of densities and directions; a turn of directions is a fixed-point step with the contrast
    :math:`G = g_j`. The penalties :math:`\lambda_j` give every tilt `df` effective degrees of freedom.
    Stops when the directions turn by less than `tol`.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components; None keeps all.
    df : float, default=6
        Degrees of freedom of each tilt; more than 3.
    n_grid : int, default=300
        Points of the grid on which densities are fitted.
    n_init : int, default=1
        Number of random starts in addition to the start at the directions of `FastICA`; the most likely result is kept.
    max_iter : int, default=50
    tol : float, default=1e-4
    random_state : int, RandomState or None, default=None
        Seed of the starts.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Unmixing matrix: sources are ``(X - mean_) @ components_.T`` and have variance 1.
    mixing_ : ndarray of shape (n_features, n_components)
    mean_ : ndarray of shape (n_features,)
    negentropy_ : ndarray of shape (n_components,)
        Mean tilt of each source: an estimate of its Kullback-Leibler distance from the normal distribution.
    grid_, log_density_ : ndarray of shape (n_components, n_grid)
        Fitted log-densities of the sources.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    See Also
    --------
    FastICA : With a fixed contrast; faster.

    Notes
    -----
    A fixed contrast is blind to some distributions; an estimated density adapts to skewed, bimodal or heavy-tailed
    sources. At most one source may be normal. A turn costs one pass over the rows and a spline per component.

    References
    ----------
    Hastie and Tibshirani (2003), Independent components analysis through product density estimation. NIPS 15.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import ProDenICA
    >>> rng = np.random.default_rng(0)
    >>> sources = np.column_stack([rng.exponential(size=800), rng.choice([-1, 1], 800) + 0.3 * rng.normal(size=800)])
    >>> X = sources @ [[1.0, 0.5], [0.3, 1.0]]
    >>> found = ProDenICA(random_state=0).fit_transform(X)
    >>> bool(np.abs(np.corrcoef(found.T, sources.T)[:2, 2:]).max(axis=1).min() > 0.99)
    True
    """

    _constraints = {
        "n_components": [Int(1, None), None],
        "df": [Real(3, None, closed="neither")],
        "n_grid": [Int(50, 100_000)],
        "n_init": [Int(0, None)],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "random_state": ["random_state"],
    }

    def __init__(self, n_components=None, *, df=6, n_grid=300, n_init=1, max_iter=50, tol=1e-4, random_state=None):
        self.n_components = n_components
        self.df = df
        self.n_grid = n_grid
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None):
        """Find the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        from ._fastica import _Contrast, _white, parallel_ica

        check_params(self)
        X = validate_data(self, X, dtype=FLOATS, ensure_min_samples=2)
        n, p = X.shape
        limit = min(n - 1, p)
        k = limit if self.n_components is None else self.n_components
        if k > limit:
            raise ValueError(f"`n_components`={k} must be at most min(n_samples - 1, n_features) = {limit}.")
        if self.df >= self.n_grid:
            raise ValueError(f"`df`={self.df} must be smaller than `n_grid`={self.n_grid}.")
        mean, K = whitening(X, k, "svd")
        Z = _white(X, mean, K)
        generator = check_random_state(self.random_state)
        starts = [generator.normal(size=(k, k)) for _ in range(1 + self.n_init)]
        starts[0] = parallel_ica(_Contrast(Z, "logcosh", None), starts[0], 1e-4, 100)[0]
        best = None
        for start in starts:
            solution = self._search(Z, symmetric_orthogonal(start))
            if best is None or solution[2].sum() > best[2].sum():
                best = solution
        A, densities, self.negentropy_, self.n_iter_, status = best
        warn_if_stopped(self, status, f"the directions still turn after {self.n_iter_} steps")
        order = np.argsort(-self.negentropy_, kind="stable")
        A, self.negentropy_ = A[order], self.negentropy_[order]
        self.components_ = (np.sqrt(n) * A @ K).astype(X.dtype)
        self.mean_ = mean.astype(X.dtype)
        self.mixing_ = linalg.pinv(self.components_)
        self.grid_ = np.array([densities[j].grid for j in order])
        normal = -0.5 * self.grid_**2 - 0.5 * np.log(2 * np.pi)
        self.log_density_ = normal + np.array([densities[j].tilt(densities[j].grid)[0] for j in order])
        return self

    def _search(self, Z, A):
        n = Z.shape[1]
        status, step, densities = MAX_ITER, 0, [None] * len(A)
        while status != OK and step < self.max_iter:
            step += 1
            turned = np.empty_like(A)
            for j, a in enumerate(A):
                s = a @ Z
                densities[j] = TiltedDensity(s, self.df, self.n_grid, densities[j], rough=step > 1)
                _, slope, curvature = densities[j].tilt(s)
                turned[j] = Z @ slope / n - curvature.mean() * a
            turned = symmetric_orthogonal(turned)
            change = np.max(np.abs(np.abs(np.sum(turned * A, axis=1)) - 1.0))
            A = turned
            status = OK if change <= self.tol else MAX_ITER
        densities = [TiltedDensity(a @ Z, self.df, self.n_grid, before) for a, before in zip(A, densities)]
        tilts = np.array([density.tilt(a @ Z)[0].mean() for density, a in zip(densities, A)])
        return A, densities, tilts, step, status

    def transform(self, X):
        """Sources of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        sources : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return (X - self.mean_.astype(X.dtype)) @ self.components_.T.astype(X.dtype)

    def inverse_transform(self, X):
        """Rows with given sources.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return check_array(X, dtype=FLOATS, input_name="X") @ self.mixing_.T + self.mean_

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
