"""Generalised linear models with any family, link and elastic-net penalty."""

from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._math.losses.families import FAMILIES, make_family
from statlearn._math.losses.links import LINKS
from statlearn._math.losses.response import resolve_link
from statlearn._math.penalties.scales import elastic_net_terms
from statlearn.linear._penalty import PENALTY_SCALE

from ._base import GLM


class GeneralizedLinearRegressor(GLM):
    r"""Generalised linear model with full inference or an elastic-net penalty.

    The mean :math:`\mu_i` of y is related to a linear predictor by the link g, :math:`g(\mu_i)=b+x_i^\top w+o_i`, and
    y has variance :math:`\phi V(\mu)`. With d the unit deviance and S the sum of the weights s,
    minimises

    .. math:: \frac{1}{2S} \sum_i s_i\, d(y_i, \mu_i)
              + \alpha \Bigl(m \lVert w \rVert_1 + \frac{1-m}{2} \lVert w \rVert^2\Bigr)

    where m is `l1_ratio`. This is the objective of glmnet and of scikit-learn's GLMs. alpha = 0 is maximum likelihood.
    The intercept b is unpenalised.

    Parameters
    ----------
    family : str, default="gaussian"
        ``"gaussian"``, ``"binomial"`` (proportions, with the number of trials as weight), ``"poisson"``, ``"gamma"``,
        ``"inverse_gaussian"``, ``"negative_binomial"`` or ``"tweedie"``.
    link : str, default="auto"
        ``"auto"`` is the identity for the Gaussian, logit for the binomial and log for all other families.
        ``"canonical"`` is R's default, which differs for the gamma (inverse) and inverse Gaussian (inverse_squared).
        Otherwise one of ``"identity"``,
        ``"log"``, ``"inverse"``, ``"inverse_squared"``, ``"sqrt"``, ``"logit"``, ``"probit"``, ``"cloglog"``,
        ``"cauchit"``, ``"power"``.
    alpha : float, default=0.0
        Strength of the penalty. 0 is maximum likelihood, with inference.
    l1_ratio : float, default=0.0
        0 is the ridge penalty, 1 the lasso penalty.
    power : float, default=1.5
        Exponent of the Tweedie variance.
    theta : "ml" or float, default="ml"
        Parameter of the negative binomial, V = mu + mu^2/theta, estimated by maximum likelihood ("ml") or fixed.
    link_power : float or None, default=None
        Exponent of the link ``"power"``; 0 is the logarithm.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        Scale of `alpha`. "half_rss" and "rss" use the deviance instead of RSS and :math:`\lVert w\rVert^2` without the
        factor 1/2.
    fit_intercept : bool, default=True
    tol : float, default=1e-8
        Stop when the decrease predicted for the next Newton step, which is still taken, is at most `tol` times the
        objective. With an L1 penalty and a loss that is convex with a simple conjugate (gaussian with the identity
        link, binomial with logit; poisson, gamma, negative binomial and Tweedie between 1 and 2 with log), stop when
        the duality gap is at most `tol` times the half deviance of the null model.
    max_iter : int, default=100

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_iter_ : int
    deviance_, null_deviance_, pearson_chi2_ : float
    dispersion_ : float
        Pearson's estimate of the dispersion.
    log_likelihood_ : float
        At the maximum-likelihood dispersion, as in R's logLik; NaN for Tweedie powers outside (1, 2).
    rank_ : int
        Number of linearly independent coefficients, including the intercept.
    df_residual_ : float
    covariance_ : ndarray or None
        Inverse Fisher information at dispersion 1, with the intercept first and NaN for aliased columns; None after a
        penalised fit.
    aliased_ : ndarray of int
        Columns that are linear combinations of earlier columns.
    separated_ : bool
        Whether the maximum-likelihood estimate is infinite.
    theta_, theta_std_error_ : float
        Parameter of the negative binomial family and its standard error, None if `theta` is given. Only for
        ``family="negative_binomial"``.
    n_rows_ : int
        Number of training rows.
    total_weight_ : float
        Sum of their weights.
    n_parameters_ : int
        Number of estimated parameters that the AIC counts, including the dispersion if it is estimated.
    family_ : dict
        Name and parameters of the family in use.
    link_ : str
        The link in use.
    link_power_ : float or None
        Exponent of a power link, None for other links.
    objective_ : float
        Value of the objective at the solution.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GeneralizedLinearRegressorCV : Penalty chosen by cross-validation.
    PoissonRegressor, GammaRegressor, TweedieRegressor : Same solver with scikit-learn's constructors.
    deviance_test : Comparison of nested models.

    Notes
    -----
    The solver is Newton's method with step halving. If the observed curvature of a non-canonical link is negative, a
    Fisher scoring (IRLS) step is taken instead. Each step costs one weighted cross-product, O(n p^2), or conjugate
    gradients beyond 2000 columns. With an L1 penalty, the step is found by coordinate descent. Computations are in
    double precision.

    With links that restrict the linear predictor (identity, inverse, sqrt, power), steps that leave the valid range of
    means are shortened, and an optimum on its boundary causes a ConvergenceWarning. Infinite estimates (a factor level
    whose counts are all zero, separated classes) are detected exactly by a linear program and cause a
    SeparationWarning.

    Scale the columns before a penalised fit. Weights count rows (weight k is k copies). If the weights divide the
    variance instead, use ``summary(weights="precision")``, since the degrees of freedom differ.

    References
    ----------
    McCullagh & Nelder (1989), Generalized Linear Models. Venables & Ripley (2002), Modern Applied Statistics with S,
    section 7.4 (negative binomial). Friedman, Hastie & Tibshirani (2010), Journal of Statistical Software 33.

    Examples
    --------
    Counts of three outcomes in Dobson's randomised trial, as in R's ``help(glm)``:

    >>> import numpy as np
    >>> from statlearn.linear import GeneralizedLinearRegressor
    >>> counts = [18, 17, 15, 20, 10, 20, 25, 13, 12]
    >>> outcome = np.tile([1, 2, 3], 3)
    >>> X = np.column_stack([outcome == 2, outcome == 3]).astype(float)
    >>> print(GeneralizedLinearRegressor("poisson").fit(X, counts).summary())
    Generalised linear model
    ========================
                 Estimate  Std. Error  z value  p value     lower      upper
    (Intercept)   3.04452     0.12599   24.165   <2e-16   2.79759   3.291455
    x0           -0.45426     0.20217   -2.247  0.02465  -0.85050  -0.058008
    x1           -0.29299     0.19274   -1.520   0.1285  -0.67076   0.084781
    <BLANKLINE>
    observations          9
    family                poisson
    link                  log
    dispersion (fixed)    1
    null deviance         10.5814
      degrees of freedom  8
    residual deviance     5.12914
      degrees of freedom  6
    AIC                   52.7613
    BIC                   53.353
    iterations            4
    """

    _constraints = {
        "family": [Options(*FAMILIES)],
        "link": [Options("auto", "canonical", *LINKS)],
        "alpha": [Real(0, None)],
        "l1_ratio": [Real(0, 1, closed="both")],
        "power": [Real(None, None)],
        "theta": [Real(0, None, closed="neither"), Options("ml")],
        "link_power": [Real(None, None), None],
        "penalty_scale": PENALTY_SCALE,
        "fit_intercept": ["boolean"],
        "tol": [Real(0, None, closed="neither")],
        "max_iter": [Int(1, None)],
    }
    _search_space = (
        SearchSpace("Poisson regression", fixed={"family": "poisson"}),
        SearchSpace("gamma regression", fixed={"family": "gamma", "link": "log"}),
    )

    def __init__(
        self,
        family="gaussian",
        link="auto",
        *,
        alpha=0.0,
        l1_ratio=0.0,
        power=1.5,
        theta="ml",
        link_power=None,
        penalty_scale="sklearn",
        fit_intercept=True,
        tol=1e-8,
        max_iter=100,
    ):
        self.family = family
        self.link = link
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.power = power
        self.theta = theta
        self.link_power = link_power
        self.penalty_scale = penalty_scale
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _model(self):
        theta = 1.0 if self.theta == "ml" else self.theta
        family = make_family(self.family, theta=theta, power=self.power)
        return family, resolve_link(family, self.link, self.link_power)

    def _penalty(self, total_weight):
        return elastic_net_terms(self.alpha, self.l1_ratio, self.penalty_scale, total_weight)

    def _options(self):
        return {"tol": self.tol, "max_iter": self.max_iter}

    def _estimates_theta(self):
        return self.family == "negative_binomial" and self.theta == "ml"

    def fit(self, X, y, sample_weight=None, *, offset=None, exposure=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Responses in the range of the family.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weight k counts as k copies of the row (for proportions, k trials).
        offset : array-like of shape (n_samples,), float or None, default=None
            Known part of the linear predictor.
        exposure : array-like of shape (n_samples,), float or None, default=None
            log(exposure) is added to the offset (log link only).

        Returns
        -------
        self
        """
        check_params(self)
        return self._fit(X, y, sample_weight, offset, exposure)
