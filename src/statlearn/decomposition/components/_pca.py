"""Principal component analysis."""

import numpy as np
from scipy import linalg, sparse
from scipy.special import gammaln
from sklearn.utils import check_random_state

from statlearn._core.fitted_state import forget
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, effective_rows, require_finite, validate_data
from statlearn._core.warnings import warn_if_stopped
from statlearn._math.linalg.eigen import eigh, eigh_between
from statlearn._math.linalg.sparse_arrays import stored_values
from statlearn._math.linalg.svd import leading_svd, signed
from statlearn._math.rows.site_statistics import SiteStatistics, StatisticsMixin, column_names

from .._missing_cells import fit_low_rank, has_missing, refuse_empty_columns
from ._base import ComponentsMixin
from ._cell_cv import components_rank_curve
from ._scatter import Scatter

_SCATTER_COLUMNS = 1000  # widest table whose covariance matrix is decomposed
_SMALL = 500  # longest side up to which a complete decomposition is as fast as an iterative one
_FEW = 200  # columns up to which all eigenvectors are computed
_CV_RANKS = 20  # largest number of components tried by cross-validation


def minka_log_evidence(variance, n, k):
    """Laplace approximation of the log-evidence of k components (Minka, 2000) from all p variances (divisor n)."""
    p = len(variance)
    if not 1 <= k < p:
        raise ValueError(f"k must be between 1 and {p - 1}, got {k}.")
    tiny = 1e-15
    if variance[k - 1] < tiny:
        return -np.inf
    i = np.arange(1, k + 1)
    log_prior = -k * np.log(2.0) + np.sum(gammaln((p - i + 1) / 2.0) - np.log(np.pi) * (p - i + 1) / 2.0)
    log_top = -0.5 * n * np.sum(np.log(variance[:k]))
    noise = max(tiny, float(variance[k:].sum() / (p - k)))
    log_noise = -0.5 * n * np.log(noise) * (p - k)
    parameters = p * k - k * (k + 1.0) / 2.0
    log_volume = 0.5 * np.log(2.0 * np.pi) * (parameters + k)
    limited = variance.copy()
    limited[k:] = noise
    log_hessian = 0.0
    for a in range(k):
        gaps = (variance[a] - variance[a + 1 :]) * (1.0 / limited[a + 1 :] - 1.0 / limited[a])
        with np.errstate(divide="ignore", invalid="ignore"):
            log_hessian += np.sum(np.log(gaps)) + np.log(n) * len(gaps)
    return log_prior + log_top + log_noise + log_volume - 0.5 * log_hessian - 0.5 * k * np.log(n)


def number_by_evidence(variance, n):
    """Number of components of largest evidence; the first one among equals."""
    evidence = [minka_log_evidence(variance, n, k) for k in range(1, len(variance))]
    return 1 + int(np.nanargmax(evidence)) if len(evidence) else 1


def number_by_share(ratio, share):
    """Fewest components whose share of the variance exceeds `share`."""
    return min(int(np.searchsorted(np.cumsum(ratio), share, side="right")) + 1, len(ratio))


class PCA(StatisticsMixin, ComponentsMixin):
    r"""Principal component analysis.

    The components are the orthonormal directions :math:`v_1, v_2, \dots` of largest variance: eigenvectors of the
    covariance matrix, and right singular vectors of the centred table :math:`X - 1\bar x^\top = U D V^\top`. The first
    k of them span the plane of least squared distance to the rows,

    .. math:: \min_{\mu,\, V^\top V = I} \; \sum_i w_i \lVert x_i - \mu - V V^\top (x_i - \mu) \rVert^2

    Scores are :math:`V^\top (x - \mu)`. Variances have the divisor n - `ddof`. The sign of a component makes its entry
    of largest absolute value positive.

    NaN counts as a missing value. The components are then those of the probabilistic model
    :math:`x \sim N(\mu,\, V (\Lambda - \sigma^2 I) V^\top + \sigma^2 I)` of largest likelihood given the observed
    cells, found by expectation-maximisation; on a complete table they are the same as without a model. A score is the
    expected score given the observed cells of the row.

    Parameters
    ----------
    n_components : int, float, "mle", "cv" or None, default=None
        Number of components; None keeps min(n_samples, n_features). A number in (0, 1) keeps the fewest whose share of
        the variance exceeds it, "mle" the number with the largest evidence (Minka), and "cv" the number that predicts
        held-out cells best (see :func:`rank_cv`).
    copy : bool, default=True
        Accepted for compatibility; X is never changed.
    whiten : bool, default=False
        Divide the scores by their standard deviations.
    svd_solver : {"auto", "full", "covariance_eigh", "arpack", "randomized"}, default="auto"
        "full" decomposes the table, "covariance_eigh" the covariance matrix, in one pass over the rows.
        "randomized" and "arpack" find the leading components of large or sparse tables by block Krylov iteration:
        "randomized" with a fixed number of passes, "arpack" until convergence. "auto" chooses by the shape.
    tol : float, default=0.0
        Relative residual at which "arpack" stops; 0 means machine precision. With missing values, the iterations stop
        when the log-likelihood per observed value increases by less than this; 0 means 1e-9.
    iterated_power : int or "auto", default="auto"
        Number of passes of "randomized"; "auto" means 7 for few components, otherwise 4.
    n_oversamples : int, default=10
        Number of additional directions in "randomized", which improve its accuracy.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        Accepted for compatibility.
    random_state : int, RandomState or None, default=None
        Seed of the initial vectors of the iterative solvers and of the folds of "cv".
    center : bool, default=True
        Subtract the column means. Components of an uncentred table depend on the origin.
    ddof : int, default=1
        Variances have the divisor n - `ddof`: 1 as in scikit-learn and R's `prcomp`, 0 as in R's `princomp`.
    max_iter : int, default=1000
        Maximum number of steps with missing values.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    explained_variance_ : ndarray of shape (n_components,)
        Variance of the scores, decreasing.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of the total variance.
    singular_values_ : ndarray of shape (n_components,)
        Roots of the sums of squares of the scores.
    mean_ : ndarray of shape (n_features,)
        Column means; zeros with ``center=False``.
    n_components_ : int
    n_samples_ : int or float
        Number of rows, or the sum of their weights.
    noise_variance_ : float
        Mean variance of the discarded components.
    log_likelihood_ : list of float
        Log-likelihood after each step. Only if X has missing values.
    n_iter_ : int
        Number of steps with missing values; otherwise 1.
    cv_curve_ : CVCurve
        Mean squared error on held-out cells by number of components. Only with ``n_components="cv"``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    See Also
    --------
    IncrementalPCA : Fits from blocks of rows.
    TruncatedSVD : Without centring, for sparse tables.
    IRLSPCA, RANSACPCA, PrincipalComponentPursuit : Not dominated by outliers.
    rank_cv : Number of components by held-out cells.
    statlearn.manifold.KernelPCA : Components of a kernel's features.

    Notes
    -----
    The covariance route costs O(n p^2 + p^3) and reads the rows once, in blocks, so X may be a memory map. It loses
    the digits of components whose standard deviation is below 1e-8 of the largest; ``svd_solver="full"`` keeps them.
    With missing values, a step costs O(n p k^2), k must be smaller than the number of columns, and
    missing at random is assumed.

    Columns in different units should be scaled first: the unit decides the components. Single outliers can turn the
    components as far as they like. A row weight k counts as k copies of the row.

    References
    ----------
    Tipping and Bishop (1999), Probabilistic principal component analysis. J. R. Statist. Soc. B 61.
    Minka (2000), Automatic choice of dimensionality for PCA. NIPS 13.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.decomposition import PCA
    >>> X = load_iris(as_frame=True).data
    >>> model = PCA(2).fit(X)
    >>> print(model.summary().table.to_text())
         standard deviation     share  cumulated
    PC1             2.05627  0.924619    0.92462
    PC2             0.49262  0.053066    0.97769
    """

    _missing_cells = True
    _constraints = {
        "n_components": [Int(0, None), Real(0, 1, closed="neither"), Options("mle", "cv"), None],
        "copy": ["boolean"],
        "whiten": ["boolean"],
        "svd_solver": [Options("auto", "full", "covariance_eigh", "arpack", "randomized")],
        "tol": [Real(0, None)],
        "iterated_power": [Options("auto"), Int(0, None)],
        "n_oversamples": [Int(1, None)],
        "power_iteration_normalizer": [Options("auto", "QR", "LU", "none")],
        "random_state": ["random_state"],
        "center": ["boolean"],
        "ddof": [Int(0, 1)],
        "max_iter": [Int(1, None)],
    }

    def __init__(
        self,
        n_components=None,
        *,
        copy=True,
        whiten=False,
        svd_solver="auto",
        tol=0.0,
        iterated_power="auto",
        n_oversamples=10,
        power_iteration_normalizer="auto",
        random_state=None,
        center=True,
        ddof=1,
        max_iter=1000,
    ):
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.center = center
        self.ddof = ddof
        self.max_iter = max_iter

    def fit(self, X, y=None, sample_weight=None):
        """Compute the components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            NaN marks a missing value.
        y : ignored
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            A weight of k counts as k copies of the row; a weight of 0 leaves it out.

        Returns
        -------
        self
        """
        self._fit(X, sample_weight)
        return self

    def fit_transform(self, X, y=None, sample_weight=None):
        """Compute the components and return the scores of the rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), float or None, default=None

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components)
        """
        return self._scores(self._fit(X, sample_weight))

    def _fit(self, X, sample_weight):
        check_params(self)
        table = X
        if sparse.issparse(X) and self.svd_solver in ("full", "randomized"):
            raise TypeError(
                f'PCA only support sparse inputs with the "arpack" and "covariance_eigh" solvers, while '
                f'"{self.svd_solver}" was passed. See TruncatedSVD for a possible alternative.'
            )
        X = validate_data(self, X, dtype=FLOATS, accept_sparse=("csr", "csc"), ensure_all_finite="allow-nan")
        weights = check_weights(sample_weight, X)
        n = X.shape[0]
        used = effective_rows(n, weights)
        if used - self.ddof < 1:
            raise ValueError(
                f"X: PCA requires at least {1 + self.ddof} rows with ddof={self.ddof}, got n_samples = {used}."
            )
        forget(self, "log_likelihood_", "cv_curve_")
        self.n_iter_ = 1
        statistic = None
        if not sparse.issparse(X) and self._solver_for(X, self.n_components) == "covariance_eigh":
            with np.errstate(invalid="ignore"):
                statistic = Scatter.from_block(X, weights)  # NaN where a value is missing, at no extra pass
        values = stored_values(X)
        missing = (
            has_missing(values) if statistic is None else np.isnan(np.trace(statistic.products)) and has_missing(X)
        )
        if missing and sparse.issparse(X):
            raise ValueError("X: missing values (NaN) are supported in dense tables only; use X.toarray().")
        self.n_samples_ = n if weights is None else float(np.sum(weights, dtype=np.float64))
        if self._divisor <= 0:
            raise ValueError(f"The weights sum to {self.n_samples_:g}, which must exceed `ddof`={self.ddof}.")
        wanted = self._choose(X, weights) if self.n_components == "cv" else self.n_components
        if missing:
            refuse_empty_columns(X if weights is None else X[weights > 0], table)
            self._fit_missing(X, weights, wanted, used)
        else:
            self._fit_complete(X, weights, wanted, used, statistic)
        for name in ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"):
            setattr(self, name, np.ascontiguousarray(getattr(self, name), dtype=X.dtype))
        self.noise_variance_ = X.dtype.type(max(self.noise_variance_, 0.0))
        self.n_components_ = len(self.components_)
        return X

    _statistics_kind = "scatter"

    def _site_statistics(self, X, y, sample_weight):
        X = validate_data(self, X, dtype=FLOATS)
        weights = check_weights(sample_weight, X)
        statistic = Scatter.from_block(X, weights)
        require_finite(statistic.products)
        arrays = {
            "class_weight": np.array([float(statistic.total)]),
            "means": np.asarray(statistic.mean)[None],
            "scatter": statistic.products[None],
            "pooled": np.array(True),
        }
        rows = effective_rows(X.shape[0], weights)
        return SiteStatistics("scatter", arrays, n_features=X.shape[1], n_rows=rows, columns=column_names(self))

    def _fit_statistics(self, statistics):
        if statistics.classes is not None:
            raise ValueError("PCA requires statistics without classes; make them with PCA().statistics(X).")
        if self.n_components == "cv" or self.svd_solver in ("arpack", "randomized"):
            raise ValueError("from_statistics requires `n_components` other than 'cv' and the covariance solver.")
        a, used = statistics.arrays, statistics.n_rows
        statistic = Scatter(float(a["class_weight"][0]), a["means"][0], a["scatter"][0])
        self.n_iter_, self.n_samples_ = 1, statistic.total
        if used - self.ddof < 1 or self._divisor <= 0:
            raise ValueError(f"PCA requires at least {1 + self.ddof} rows with ddof={self.ddof}, got {used}.")
        self._fit_complete(np.empty((0, statistics.n_features)), None, self.n_components, used, statistic)
        self.noise_variance_ = np.float64(max(self.noise_variance_, 0.0))
        self.n_components_ = len(self.components_)

    @property
    def _divisor(self):
        """Divisor of the sums of squares in the variances."""
        return self.n_samples_ - self.ddof

    def _solver_for(self, X, wanted):
        n, p = X.shape
        if self.svd_solver != "auto":
            return self.svd_solver
        if sparse.issparse(X):
            return "arpack"
        if p <= _SCATTER_COLUMNS and n >= 10 * p:
            return "covariance_eigh"
        if max(n, p) <= _SMALL or wanted is None or isinstance(wanted, str):
            return "full"
        return "randomized" if 1 <= wanted < 0.8 * min(n, p) else "full"

    def _fit_complete(self, X, weights, wanted, used, statistic):
        p = X.shape[1]
        # The statistic is given if the solver is that of the covariance, or if there are no rows.
        solver = "covariance_eigh" if statistic is not None else self._solver_for(X, wanted)
        self._fit_svd_solver = solver
        limit = min(used, p)
        if wanted is None:
            wanted = limit - (solver == "arpack")
        if wanted == "mle":
            if solver in ("arpack", "randomized"):
                raise ValueError(f"n_components={wanted!r} cannot be a string with svd_solver='{solver}'.")
            if used < p:
                raise ValueError("n_components='mle' is only supported if n_samples >= n_features.")
        elif solver in ("full", "covariance_eigh"):
            if wanted > limit:
                raise ValueError(
                    f"n_components={wanted} must be between 0 and min(n_samples, n_features)={limit} with "
                    f"svd_solver={solver!r}."
                )
        elif not 1 <= wanted <= limit or isinstance(wanted, float):
            raise ValueError(
                f"n_components={wanted!r} must be between 1 and min(n_samples, n_features)={limit} with "
                f"svd_solver='{solver}'."
            )
        elif solver == "arpack" and wanted == limit:
            raise ValueError(
                f"n_components={wanted!r} must be strictly less than min(n_samples, n_features)={limit} with "
                "svd_solver='arpack'."
            )
        if solver == "covariance_eigh":
            statistic = Scatter.from_block(X, weights) if statistic is None else statistic
            s, Vt, total, complete = self._by_scatter(statistic, wanted)
        elif solver == "full":
            s, Vt, total, complete = self._by_table(X, weights)
        else:
            s, Vt, total, complete = self._by_krylov(X, weights, wanted, solver)
        require_finite(s, Vt)
        variance = s.astype(np.float64) ** 2 / self._divisor
        ratio = variance / total if total > 0 else np.zeros_like(variance)
        if wanted == "mle":
            wanted = number_by_evidence(variance[:p], self.n_samples_)
        elif isinstance(wanted, (float, np.floating)):
            wanted = number_by_share(ratio[:limit], wanted)
        k = int(wanted)
        if k < limit:
            rest = variance[k:limit].sum() if complete else total - variance[:k].sum()
            self.noise_variance_ = max(float(rest), 0.0) / (limit - k)
        else:
            self.noise_variance_ = 0.0
        self.components_, self.explained_variance_, self.explained_variance_ratio_ = Vt[:k], variance[:k], ratio[:k]
        self.singular_values_ = s[:k]

    def _by_scatter(self, statistic, wanted):
        p = len(statistic.mean)
        self.mean_ = statistic.mean if self.center else np.zeros(p)
        S = statistic.products if self.center else statistic.about(np.zeros(p))
        require_finite(S)
        trace = float(np.trace(S))
        few = isinstance(wanted, (int, np.integer)) and 1 <= wanted <= p // 4 and p > _FEW
        if few:
            values, vectors = eigh_between(S, p - wanted, p - 1)
            few = trace - values.sum() > 1e-6 * trace  # otherwise the rest is only rounding
        if not few:
            values, vectors = eigh(S)
        values = np.maximum(values[::-1], 0.0)
        if not few:
            trace = float(values.sum())
        return np.sqrt(values), signed(None, vectors[:, ::-1].T)[1], trace / self._divisor, not few

    def _centre(self, X, weights):
        if not self.center:
            return np.zeros(X.shape[1])
        if sparse.issparse(X):
            w = np.ones(X.shape[0]) if weights is None else np.asarray(weights, dtype=np.float64)
            return np.asarray(X.T @ w).ravel() / w.sum()
        return np.average(X, axis=0, weights=weights) if weights is not None else X.mean(axis=0, dtype=np.float64)

    def _by_table(self, X, weights):
        self.mean_ = self._centre(X, weights)
        Z = X - self.mean_.astype(X.dtype)
        if weights is not None:
            keep = weights > 0
            Z = Z[keep] * np.sqrt(weights[keep])[:, None]
        try:
            _, s, Vt = linalg.svd(Z, full_matrices=False, check_finite=False)
        except linalg.LinAlgError:
            _, s, Vt = linalg.svd(Z, full_matrices=False, check_finite=False, lapack_driver="gesvd")
        total = float(np.sum(s.astype(np.float64) ** 2)) / self._divisor
        return s, signed(None, Vt)[1], total, True

    def _by_krylov(self, X, weights, wanted, solver):
        self.mean_ = self._centre(X, weights)
        root = None if weights is None else np.sqrt(weights)
        passes = self.iterated_power
        if passes == "auto":
            passes = 7 if wanted < 0.1 * min(X.shape) else 4
        tol = None if solver == "randomized" else max(self.tol, 1e-13 if X.dtype == np.float64 else 1e-6)
        generator = check_random_state(self.random_state)
        mean = self.mean_.astype(X.dtype)
        _, s, Vt = leading_svd(
            X,
            int(wanted),
            generator,
            mean=mean,
            root_weights=root,
            oversamples=self.n_oversamples,
            n_iter=passes,
            tol=tol,
        )
        w = np.ones(X.shape[0]) if weights is None else np.asarray(weights, dtype=np.float64)
        if sparse.issparse(X):
            total = float(np.sum(w @ X.multiply(X).astype(np.float64))) - w.sum() * float(self.mean_ @ self.mean_)
        else:
            step = max(1, 2**20 // X.shape[1])
            total = 0.0
            for begin in range(0, len(w), step):
                Z = X[begin : begin + step] - mean
                total += float(w[begin : begin + step] @ np.einsum("ij,ij->i", Z, Z))
        return s, Vt, total / self._divisor, False

    def _fit_missing(self, X, weights, wanted, used):
        p = X.shape[1]
        limit = min(used, p) - 1
        if wanted is None:
            wanted = limit
        if not isinstance(wanted, (int, np.integer)):
            raise ValueError(
                f"`n_components`={wanted!r} requires a complete table; with missing values use an int, or 'cv'."
            )
        if not 1 <= wanted <= limit:
            raise ValueError(
                f"`n_components`={wanted} must be between 1 and {limit} with missing values: at least one column less "
                "than the smaller side of X."
            )
        if not self.center:
            raise ValueError("`center`=False requires a complete table, but X has missing values.")
        k = int(wanted)
        model, self.log_likelihood_, status = fit_low_rank(
            X.astype(np.float64), k, weights, common_noise=True, tol=self.tol or 1e-9, max_iter=self.max_iter
        )
        self.n_iter_ = len(self.log_likelihood_)
        warn_if_stopped(
            self, status, f"the log-likelihood still rises after {self.n_iter_} steps with missing values",
            remedy="Increase max_iter or tol, or use fewer components.",
        )  # fmt: skip
        self._fit_svd_solver = "em"
        U, d, _ = linalg.svd(model.loadings, full_matrices=False)
        # The likelihood has the divisor n.
        scale = self.n_samples_ / self._divisor
        noise = float(model.noise[0]) * scale
        self.mean_, self.components_ = model.mean, signed(None, U.T)[1]
        self.explained_variance_ = d**2 * scale + noise
        total = float(np.sum(d**2) * scale + p * noise)
        self.explained_variance_ratio_ = self.explained_variance_ / total
        self.singular_values_ = np.sqrt(self.explained_variance_ * self._divisor)
        self.noise_variance_ = noise

    def _choose(self, X, weights):
        """The number of components by held-out cells; sets `cv_curve_`."""
        if sparse.issparse(X):
            raise ValueError("`n_components`='cv' requires a dense table.")
        limit = min(_CV_RANKS, min(effective_rows(len(X), weights), X.shape[1]) - 1)
        if limit < 1:
            raise ValueError("`n_components`='cv' requires at least 2 rows and 2 columns.")
        ranks = np.arange(1, limit + 1)
        generator = check_random_state(self.random_state)
        self.cv_curve_ = components_rank_curve(X, ranks, weights, generator, max_iter=min(self.max_iter, 200))
        return int(ranks[self.cv_curve_.best])

    def _rows_used(self):
        return self.n_samples_ if isinstance(self.n_samples_, int) else float(self.n_samples_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.svd_solver in ("auto", "arpack", "covariance_eigh")
        return tags
