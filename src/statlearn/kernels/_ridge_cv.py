"""Kernel ridge regression with the penalty chosen by leave-one-out or generalised cross-validation."""

import numbers

import numpy as np
from scipy import linalg

from statlearn._core.blas import single_blas_thread
from statlearn._core.fitted_state import forget
from statlearn._core.params import GRID_POINTS, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.selection import CVCurve
from statlearn._core.validation import check_weights
from statlearn._core.warnings import warn

from ._estimator_kernel import KERNEL_CONSTRAINTS
from ._ridge import KernelRidge, WeightedProblem

SEARCH = np.array([1 / 16, 1 / 4, 1.0, 4.0])  # multiples of 1 / n_features
GRID_RATIO = 1e-8  # of the smallest penalty of the default grid to the largest


class KernelSpectrum:
    """Eigenvectors of the weighted, centred kernel matrix, from which the fits of all penalties follow.

    For a penalty a, the residuals are Q f Q'b and the diagonal of I - S is sum_j q_ij^2 f_j with f_j = a / (d_j + a):
    sums of non-negative terms, so no digits are lost where the fit nearly interpolates.
    """

    def __init__(self, problem, fit_intercept):
        A = problem.A
        constant = None
        if fit_intercept:
            # The weighted constant is an eigenvector with the value 0. A large value tells it from the others, which
            # may be 0 as well.
            constant = np.sqrt(problem.shares)
            A += (2.0 * max(np.abs(A).sum(axis=1).max(), 1e-300)) * np.outer(constant, constant)
        values, Q = linalg.eigh(A, driver="evd", overwrite_a=True, check_finite=False)
        if fit_intercept:
            values, Q = values[:-1], Q[:, :-1]
        self.smallest = float(values[0]) if len(values) else 0.0
        size = float(np.abs(values).max(initial=0.0))
        noise = len(A) * np.finfo(float).eps * size
        self.negative = self.smallest < -max(noise, 1e-10 * size)
        self.values, self.Q = np.where(values > noise, values, 0.0), Q
        self.scores = Q.T @ problem.B
        self.weights = None if problem.root is None else problem.root**2
        self.n, self.extra = problem.n, int(fit_intercept)

    def grid(self, count):
        largest = float(self.values.max(initial=0.0)) or 1.0
        if count == 1:
            return np.array([GRID_RATIO**0.5 * largest])
        return np.geomspace(largest, GRID_RATIO * largest, count)

    def df(self, alphas):
        """Trace of the smoother, with the intercept."""
        return np.sum(self.values / (self.values + np.asarray(alphas)[..., None]), axis=-1) + self.extra

    def leave_one_out(self, alphas):
        """Squared leave-one-out errors times the weights, of shape (n, m, k)."""
        factors = alphas / (self.values[:, None] + alphas)
        n, m, k = self.n, self.scores.shape[1], len(alphas)
        residuals = (self.Q @ (self.scores[:, :, None] * factors[:, None, :]).reshape(-1, m * k)).reshape(n, m, k)
        left = np.square(self.Q) @ factors
        residuals /= np.maximum(left, np.finfo(float).tiny)[:, None, :]
        return np.square(residuals, out=residuals)

    def generalised(self, alphas):
        """GCV (RSS / n) / (1 - df / n)^2, of shape (k, m), with n the sum of the weights."""
        factors = alphas[:, None] / (self.values + alphas[:, None])
        rss = factors**2 @ self.scores**2
        rows = self.n if self.weights is None else float(self.weights.sum())
        left = (rows - self.n + factors.sum(axis=1)) / rows
        return rss / rows / np.maximum(left, np.finfo(float).tiny)[:, None] ** 2

    def solve(self, alphas):
        """Coefficients (n, m) of the weighted problem for one penalty per target."""
        return self.Q @ (self.scores / (self.values[:, None] + alphas))


class KernelRidgeCV(KernelRidge):
    r"""Kernel ridge regression with the penalty chosen by leave-one-out or generalised cross-validation.

    The fit for the chosen penalty is that of :class:`KernelRidge`. With the smoother :math:`S_\alpha = K (K + \alpha
    I)^{-1}` (and the constant, if there is an intercept), the criteria are

    .. math:: \frac1n \sum_i s_i \left(\frac{y_i - \hat f_\alpha(x_i)}{1 - S_{\alpha,ii}}\right)^2
        \quad\text{and}\quad
        \frac{\frac1n \sum_i s_i (y_i - \hat f_\alpha(x_i))^2}{(1 - \operatorname{tr}(S_\alpha) / n)^2} .

    The first is the exact leave-one-out error. Both are computed for all penalties from one eigendecomposition.

    Parameters
    ----------
    alphas : int or array-like of shape (n_alphas,), default=50
        Penalties to try, all positive. An int is their number, spaced evenly on the log scale between the largest
        eigenvalue of the kernel matrix and 1e-8 times it.
    kernel : str, Kernel or callable, default="rbf"
        See :class:`KernelRidge`.
    gamma : float, array-like, "search" or None, default=None
        As in :class:`KernelRidge`, or several values to try with one eigendecomposition each. "search" tries 1/16, 1/4,
        1 and 4 times 1 / n_features, which suits standardised columns.
    degree : float, default=3
        Degree of "poly".
    coef0 : float, default=1
        Constant of "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Keyword arguments of a function.
    fit_intercept : bool, default=True
        Whether to add an unpenalised constant.
    criterion : {"loo", "gcv"}, default="loo"
        Leave-one-out or generalised cross-validation.
    rule : {"min", "one_se"}, default="min"
        The penalty with the smallest error, or the largest one within a standard error of it ("loo" only).
    alpha_per_target : bool, default=False
        Whether to choose a penalty for each target.
    store_cv_results : bool, default=False
        Whether to keep `cv_results_` ("loo" only).

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        Chosen penalty.
    gamma_ : float or None
        Chosen gamma; the given value if it was a single one.
    alphas_ : ndarray of shape (n_alphas,)
        Penalties tried with the chosen gamma, largest first if `alphas` is an int.
    best_score_ : float or ndarray of shape (n_targets,)
        Minus the criterion at the chosen penalty.
    cv_curve_ : CVCurve, or a list of one per target with ``alpha_per_target=True``
        Criterion along the penalties for the chosen gamma, with standard errors for "loo", largest penalty first.
    cv_results_ : ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
        Squared leave-one-out errors for the chosen gamma, NaN for rows of weight 0. Only with `store_cv_results`.
    df_ : float or ndarray of shape (n_targets,)
        Effective degrees of freedom :math:`\sum_j d_j / (d_j + \alpha)`, plus 1 for the intercept.
    eigenvalues_ : ndarray
        Eigenvalues d of the (centred and weighted) kernel matrix, ascending.
    dual_coef_, intercept_, X_fit_
        See :class:`KernelRidge`.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    Notes
    -----
    The eigendecomposition takes most of the time, O(n^3); 50 penalties add two matrix products. Leave-one-out removes a
    weighted row entirely, that is, all k copies of a row of weight k; GCV counts copies as rows.

    Leave-one-out and GCV assume independent rows. Repeated or neighbouring measurements make both too optimistic about
    small penalties; use cross-validation by groups then. Negative eigenvalues of an indefinite kernel are set to 0,
    with a warning.

    References
    ----------
    Golub, Heath and Wahba (1979), Generalized cross-validation as a method for choosing a good ridge parameter.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.kernels import KernelRidgeCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 6, size=(80, 1))
    >>> y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=80)
    >>> model = KernelRidgeCV(gamma=[0.1, 1.0, 10.0]).fit(X, y)
    >>> bool(abs(model.predict([[np.pi / 2]])[0] - 1) < 0.1)
    True
    """

    _constraints = {
        "alphas": [GRID_POINTS, "array-like"],
        **KERNEL_CONSTRAINTS,
        "gamma": [Real(0, None), Options("search"), "array-like", None],
        "fit_intercept": ["boolean"],
        "criterion": [Options("loo", "gcv")],
        "rule": [Options("min", "one_se")],
        "alpha_per_target": ["boolean"],
        "store_cv_results": ["boolean"],
    }

    _search_space = SearchSpace("kernel ridge", fixed={"gamma": "search"})

    def __init__(
        self,
        alphas=50,
        *,
        kernel="rbf",
        gamma=None,
        degree=3,
        coef0=1,
        kernel_params=None,
        fit_intercept=True,
        criterion="loo",
        rule="min",
        alpha_per_target=False,
        store_cv_results=False,
    ):
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.criterion = criterion
        self.rule = rule
        self.alpha_per_target = alpha_per_target
        self.store_cv_results = store_cv_results

    def fit(self, X, y, sample_weight=None):
        """Choose the penalty and fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples) if precomputed
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : float, array-like of shape (n_samples,) or None, default=None
            A weight of 0 is equivalent to omitting the row.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = self._check_training(X, y, multi_output=True, y_numeric=True, ensure_min_samples=2)
        weights = check_weights(sample_weight, X)
        gammas = self._check_gammas(X.shape[1])
        if self.criterion == "gcv" and (self.rule == "one_se" or self.store_cv_results):
            raise ValueError("criterion='gcv' has no errors of single rows; use rule='min' and store_cv_results=False.")
        best = None
        with single_blas_thread():  # the same bits for any number of threads
            for gamma in gammas:
                tried = self._try(X, y, weights, gamma)
                if best is None or tried["score"] < best["score"]:
                    best = tried
            self._keep(best, X, y)
        return self

    def _check_gammas(self, n_features):
        if self.gamma is None or isinstance(self.gamma, numbers.Real):
            return [self.gamma]
        gammas = SEARCH / n_features if isinstance(self.gamma, str) else np.asarray(self.gamma, dtype=np.float64)
        if gammas.ndim != 1 or len(gammas) == 0 or not np.all((gammas >= 0) & np.isfinite(gammas)):
            raise ValueError(f"`gamma` must contain finite non-negative numbers, got {self.gamma!r}.")
        if not isinstance(self.kernel, str) or self.kernel not in _WITH_GAMMA:
            raise ValueError(f"`gamma` has several values, but the kernel {self.kernel!r} has no parameter `gamma`.")
        return gammas.tolist()

    def _check_alphas(self):
        """The given penalties, or None for the default grid."""
        if isinstance(self.alphas, numbers.Integral) and not isinstance(self.alphas, bool):
            return None
        try:
            alphas = np.asarray(self.alphas, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"`alphas` must contain positive numbers, got {self.alphas!r}.") from None
        if alphas.ndim != 1 or len(alphas) == 0 or not np.all((alphas > 0) & np.isfinite(alphas)):
            raise ValueError(f"`alphas` must contain finite positive numbers, got {self.alphas!r}.")
        return alphas

    def _try(self, X, y, weights, gamma):
        """The criterion for all penalties, with one gamma."""
        listed = self._check_alphas()
        self._set_kernel(gamma)
        problem = WeightedProblem(X, y, weights, self._kernel_object(), self.fit_intercept)
        spectrum = KernelSpectrum(problem, self.fit_intercept)
        problem.A = None  # overwritten
        alphas = spectrum.grid(int(self.alphas)) if listed is None else listed
        per_target = self.alpha_per_target and problem.B.shape[1] > 1
        errors = std_error = None
        if self.criterion == "gcv":
            loss = spectrum.generalised(alphas)
            loss = loss if per_target else loss.mean(axis=1, keepdims=True)
        else:
            errors = spectrum.leave_one_out(alphas)
            parts = errors if per_target else errors.mean(axis=1, keepdims=True)
            loss = parts.mean(axis=0).T
            std_error = (parts.std(axis=0) / np.sqrt(max(problem.n - 1, 1))).T
        order = np.argsort(-alphas, kind="stable")
        curves = [
            CVCurve(
                alphas[order],
                loss[order, [t]][:, None],
                known_std_error=np.zeros(len(alphas)) if std_error is None else std_error[order, t],
            )
            for t in range(loss.shape[1])
        ]
        if self.rule == "one_se":
            picks = np.array([int(order[curve.one_se]) for curve in curves])
        else:
            picks = order[loss[order].argmin(axis=0)]  # of equals the largest penalty
        best = loss[picks, np.arange(loss.shape[1])]
        return {
            "gamma": gamma,
            "problem": problem,
            "spectrum": spectrum,
            "alphas": alphas,
            "picks": picks,
            "best": best,
            "score": float(loss.min(axis=0).mean()),
            "curves": curves,
            "errors": errors if self.store_cv_results else None,
        }

    def _keep(self, best, X, y):
        problem, spectrum, alphas = best["problem"], best["spectrum"], best["alphas"]
        per_target = len(best["picks"]) > 1
        chosen = alphas[best["picks"]]
        if spectrum.negative:
            warn(
                f"KernelRidgeCV: the kernel matrix has negative eigenvalues (smallest {spectrum.smallest:.3g}), which "
                "were set to 0. Use a positive semi-definite kernel, or repair a precomputed matrix with nearest_psd."
            )
        self._set_kernel(best["gamma"])
        self.gamma_, self.alphas_ = best["gamma"], alphas
        self.alpha_ = chosen if per_target else float(chosen[0])
        self.best_score_ = -best["best"] if per_target else -float(best["best"][0])
        self.cv_curve_ = best["curves"] if per_target else best["curves"][0]
        self.df_ = spectrum.df(chosen) if per_target else float(spectrum.df(chosen)[0])
        self.eigenvalues_ = spectrum.values
        forget(self, "cv_results_")
        if best["errors"] is not None:
            shape = (problem.n_given, *best["errors"].shape[1:])
            full = np.full(shape, np.nan)
            full[slice(None) if problem.present is None else problem.present] = best["errors"]
            self.cv_results_ = full[:, 0] if y.ndim == 1 else full
        self._set_solution(problem, problem.dual_coef(spectrum.solve(chosen)), X, y.ndim)


_WITH_GAMMA = ("rbf", "gaussian", "laplacian", "poly", "polynomial", "sigmoid", "chi2")
