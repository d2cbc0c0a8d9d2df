"""Poisson, gamma and Tweedie regression with scikit-learn's parameters."""

from statlearn._core.params import Int, Options, Real, check_params
from statlearn._math.losses.families import make_family
from statlearn._math.losses.links import make_link

from ._base import GLM


class _SklearnGLM(GLM):
    """scikit-learn's constructor: mean half deviance + alpha/2 |w|^2."""

    _constraints = {
        "alpha": [Real(0, None)],
        "fit_intercept": ["boolean"],
        "solver": [Options("lbfgs", "newton-cholesky")],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None, closed="neither")],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        alpha=1.0,
        fit_intercept=True,
        solver="lbfgs",
        max_iter=100,
        tol=1e-4,
        warm_start=False,
        verbose=0,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weight k counts as k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        self._fit(X, y, sample_weight)
        if self.verbose:
            print(f"{type(self).__name__}: {self.n_iter_} Newton steps, objective {self.objective_:.6g}")
        return self


class PoissonRegressor(_SklearnGLM):
    r"""Poisson regression with the log link and a ridge penalty.

    Minimises the weighted mean of half the Poisson deviance plus :math:`\frac{\alpha}{2}\lVert w\rVert^2`.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty. 0 is maximum likelihood, for which `summary` is available.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        Accepted for compatibility. Both use the Newton method of :class:`GeneralizedLinearRegressor`, with conjugate
        gradients beyond 2000 columns.
    max_iter : int, default=100
        Maximum number of Newton steps.
    tol : float, default=1e-4
        Stop when no entry of the gradient exceeds `tol` and the predicted decrease is below 1e-8 of the objective.
    warm_start : bool, default=False
        Start from the coefficients of the previous fit.
    verbose : int, default=0

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_iter_ : int
    deviance_, null_deviance_, pearson_chi2_, dispersion_, log_likelihood_, df_residual_ : float
    rank_ : int
    covariance_ : ndarray or None
        Inverse Fisher information with the intercept first; None after a penalised fit.
    aliased_, separated_, n_rows_, total_weight_, n_parameters_, family_, link_, link_power_, objective_
        As in :class:`GeneralizedLinearRegressor`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GeneralizedLinearRegressor : All families and links, offsets, elastic-net penalties.

    Examples
    --------
    >>> from statlearn.linear import PoissonRegressor
    >>> X, y = [[1, 2], [2, 3], [3, 4], [4, 3]], [12, 17, 22, 21]
    >>> PoissonRegressor().fit(X, y).coef_.round(4)
    array([0.1211, 0.1584])
    """

    def _model(self):
        return make_family("poisson"), make_link("log")


class GammaRegressor(_SklearnGLM):
    r"""Gamma regression with the log link and a ridge penalty.

    Minimises the weighted mean of half the gamma deviance plus :math:`\frac{\alpha}{2}\lVert w\rVert^2`.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty. 0 is maximum likelihood, for which `summary` is available.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        Accepted for compatibility. Both use the Newton method of :class:`GeneralizedLinearRegressor`, with conjugate
        gradients beyond 2000 columns.
    max_iter : int, default=100
        Maximum number of Newton steps.
    tol : float, default=1e-4
        Stop when no entry of the gradient exceeds `tol` and the predicted decrease is below 1e-8 of the objective.
    warm_start : bool, default=False
        Start from the coefficients of the previous fit.
    verbose : int, default=0

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_iter_ : int
    deviance_, null_deviance_, pearson_chi2_, dispersion_, log_likelihood_, df_residual_ : float
    rank_ : int
    covariance_ : ndarray or None
        Inverse Fisher information with the intercept first; None after a penalised fit.
    aliased_, separated_, n_rows_, total_weight_, n_parameters_, family_, link_, link_power_, objective_
        As in :class:`GeneralizedLinearRegressor`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GeneralizedLinearRegressor : All families and links, offsets, elastic-net penalties.

    Examples
    --------
    >>> from statlearn.linear import GammaRegressor
    >>> X, y = [[1, 2], [2, 3], [3, 4], [4, 3]], [19, 26, 33, 30]
    >>> GammaRegressor().fit(X, y).coef_.round(4)
    array([0.0729, 0.0668])
    """

    def _model(self):
        return make_family("gamma"), make_link("log")


class TweedieRegressor(_SklearnGLM):
    r"""Tweedie regression with variance :math:`\phi\mu^p` and a ridge penalty.

    Minimises the weighted mean of half the Tweedie deviance plus :math:`\frac{\alpha}{2}\lVert w\rVert^2`.

    Parameters
    ----------
    power : float, default=0.0
        Exponent of the variance: 0 is normal, 1 Poisson, between 1 and 2 compound Poisson-gamma, 2 gamma, 3 inverse
        Gaussian. No distribution exists between 0 and 1.
    alpha : float, default=1.0
        Strength of the penalty. 0 is maximum likelihood, for which `summary` is available.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not penalised.
    link : {"auto", "identity", "log"}, default="auto"
        "auto" is the identity for powers up to 0, otherwise the logarithm.
    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        Accepted for compatibility. Both use the Newton method of :class:`GeneralizedLinearRegressor`, with conjugate
        gradients beyond 2000 columns.
    max_iter : int, default=100
        Maximum number of Newton steps.
    tol : float, default=1e-4
        Stop when no entry of the gradient exceeds `tol` and the predicted decrease is below 1e-8 of the objective.
    warm_start : bool, default=False
        Start from the coefficients of the previous fit.
    verbose : int, default=0

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_iter_ : int
    deviance_, null_deviance_, pearson_chi2_, dispersion_, log_likelihood_, df_residual_ : float
    rank_ : int
    covariance_ : ndarray or None
        Inverse Fisher information with the intercept first; None after a penalised fit.
    aliased_, separated_, n_rows_, total_weight_, n_parameters_, family_, link_, link_power_, objective_
        As in :class:`GeneralizedLinearRegressor`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GeneralizedLinearRegressor : All families and links, offsets, elastic-net penalties.

    Examples
    --------
    >>> from statlearn.linear import TweedieRegressor
    >>> X, y = [[1, 2], [2, 3], [3, 4], [4, 3]], [2, 3.5, 5, 5.5]
    >>> TweedieRegressor().fit(X, y).coef_.round(4)
    array([0.6, 0.3])
    """

    _constraints = {
        "power": [Real(None, None)],
        **_SklearnGLM._constraints,
        "link": [Options("auto", "identity", "log")],
    }

    def __init__(
        self,
        *,
        power=0.0,
        alpha=1.0,
        fit_intercept=True,
        link="auto",
        solver="lbfgs",
        max_iter=100,
        tol=1e-4,
        warm_start=False,
        verbose=0,
    ):
        super().__init__(
            alpha=alpha,
            fit_intercept=fit_intercept,
            solver=solver,
            max_iter=max_iter,
            tol=tol,
            warm_start=warm_start,
            verbose=verbose,
        )
        self.power = power
        self.link = link

    def _model(self):
        family = make_family("tweedie", power=self.power)
        link = ("identity" if self.power <= 0 else "log") if self.link == "auto" else self.link
        return family, make_link(link)
