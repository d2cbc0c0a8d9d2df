"""Generalised linear models with any family, link and elastic-net penalty."""

from statlearn._core.glm.families import FAMILIES, make_family
from statlearn._core.glm.links import LINKS
from statlearn._core.glm.response import resolve_link
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn.linear._penalty import PENALTY_SCALE, elastic_net_terms

from ._base import GLM


class GeneralizedLinearRegressor(GLM):
    r"""Generalised linear model with full inference, or with an elastic-net penalty.

    The mean :math:`\mu_i` of y follows a linear predictor through the link g, :math:`g(\mu_i)=b+x_i^\top w+o_i`, and
    y has a distribution of variance :math:`\phi V(\mu)`. With d the unit deviance and S the sum of the weights s,
    minimises

    .. math:: \frac{1}{2S} \sum_i s_i\, d(y_i, \mu_i)
              + \alpha \Bigl(m \lVert w \rVert_1 + \frac{1-m}{2} \lVert w \rVert^2\Bigr)

    (m is `l1_ratio`), the objective of glmnet and of scikit-learn's GLMs; at alpha = 0 it is maximum likelihood. The
    intercept b is free of penalty.

    Parameters
    ----------
    family : str, default="gaussian"
        ``"gaussian"``, ``"binomial"`` (proportions, with the number of trials as weight), ``"poisson"``, ``"gamma"``,
        ``"inverse_gaussian"``, ``"negative_binomial"`` or ``"tweedie"``.
    link : str, default="auto"
        ``"auto"``: identity for the Gaussian, logit for the binomial, log for all others. ``"canonical"``: R's default,
        which differs for the gamma (inverse) and inverse Gaussian (inverse_squared). Or one of ``"identity"``,
        ``"log"``, ``"inverse"``, ``"inverse_squared"``, ``"sqrt"``, ``"logit"``, ``"probit"``, ``"cloglog"``,
        ``"cauchit"``, ``"power"``.
    alpha : float, default=0.0
        Strength of the penalty; 0 for maximum likelihood and inference.
    l1_ratio : float, default=0.0
        0 is the ridge penalty, 1 the lasso penalty.
    power : float, default=1.5
        Exponent of the Tweedie variance.
    theta : "ml" or float, default="ml"
        Of the negative binomial, V = mu + mu^2/theta: estimated by maximum likelihood, or fixed.
    link_power : float or None, default=None
        Exponent of the link ``"power"``; 0 is the logarithm.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        The family's other scales, with the deviance in the place of RSS and :math:`\lVert w\rVert^2` without its 1/2.
    fit_intercept : bool, default=True
    tol : float, default=1e-8
        Stops when the decrease promised by the next Newton step, which is still taken, is at most `tol` times the
        objective. With an L1 penalty, and a family and link that make the loss convex with a simple conjugate
        (gaussian with the identity, binomial with the logit; poisson, gamma, negative binomial and Tweedie between 1
        and 2 with the logarithm), when the duality gap is at most `tol` times the half deviance of the null model.
    max_iter : int, default=100

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_iter_ : int
    deviance_, null_deviance_, pearson_chi2_ : float
    dispersion_ : float
        Pearson's estimate.
    log_likelihood_ : float
        At the maximum-likelihood dispersion, as R's logLik; NaN for Tweedie powers that are not between 1 and 2.
    rank_ : int
        Coefficients that can be told apart, the intercept among them.
    df_residual_ : float
    covariance_ : ndarray or None
        Inverse Fisher information at dispersion 1, the intercept first; None after a penalised fit.
    separated_ : bool
        Whether the maximum-likelihood estimate is infinite.
    theta_, theta_std_error_ : float
        Of the negative binomial.
    family_ : dict
    link_ : str
    objective_ : float
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GeneralizedLinearRegressorCV : The penalty chosen by cross-validation.
    PoissonRegressor, GammaRegressor, TweedieRegressor : The same engine behind scikit-learn's names.
    deviance_test : Comparison of nested models.

    Notes
    -----
    Newton's method with step halving; where the observed curvature of a non-canonical link turns negative, a step of
    Fisher scoring (IRLS) takes its place. One step costs one weighted cross-product, O(n p^2), beyond 2000 columns
    conjugate gradients. With an L1 penalty the step is found by coordinate descent. Work is done in double precision.

    With a bounded link range (identity, inverse, sqrt, power) steps that leave the valid means are shortened; an
    optimum at the very edge ends in a ConvergenceWarning. Infinite estimates (a level of a factor whose counts are
    all zero, separated classes) are recognised exactly, by a linear program, and reported by a SeparationWarning.

    Scale the columns before a penalised fit. Weights count rows (weight k is k copies); weights that divide the
    variance instead change the degrees of freedom: ``summary(weight_type="prior")``.

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
    Family                poisson
    Link                  log
    Dispersion (fixed)    1
    Null deviance         10.5814
      degrees of freedom  8
    Residual deviance     5.12914
      degrees of freedom  6
    AIC                   52.7613
    BIC                   53.353
    Iterations            4
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
        SearchSpace("Poisson regression", 1.9, fixed={"family": "poisson"}, max_columns=500, needs=("dense", "counts")),
        SearchSpace(
            "gamma regression",
            1.9,
            fixed={"family": "gamma", "link": "log"},
            max_columns=500,
            needs=("dense", "positive_target"),
        ),
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
            In the range of the family.
        sample_weight : array-like of shape (n_samples,) or None
            Weight k counts as k copies of the row (for proportions, k trials).
        offset : array-like of shape (n_samples,), float or None
            Known part of the linear predictor.
        exposure : array-like of shape (n_samples,), float or None
            With the log link: log(exposure) is added to the offset.

        Returns
        -------
        self
        """
        check_params(self)
        return self._fit(X, y, sample_weight, offset, exposure)
