"""Gaussian mixtures by variational Bayes."""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, digamma, gammaln
from sklearn.utils import check_array

from statlearn._core.callbacks import with_callbacks
from statlearn._core.params import Int, Options, Real, check_params

from ._base import EM_CONSTRAINTS, BaseMixture
from ._normal import (
    COVARIANCE_TYPES,
    NormalMoments,
    NormalParameters,
    TotalScatter,
    order_of,
    regularised,
)
from ._normal_density import NormalAttributesMixin
from ._start import INIT_PARAMS, check_matrices, check_shape, responsibility_moments, start_responsibilities

_FLOATS = [np.float64, np.float32]


def log_wishart_norm(dof, log_det, p):
    """Log normalising constant of a Wishart density, up to a power of pi; `log_det` is of a root of the precision."""
    gammas = gammaln(0.5 * (dof - np.arange(p)[:, None])).sum(axis=0)
    return -(dof * log_det + 0.5 * dof * p * np.log(2.0) + gammas)


def log_dirichlet_norm(concentration):
    """Log normalising constant of a Dirichlet density."""
    return gammaln(np.sum(concentration)) - np.sum(gammaln(concentration))


@dataclass
class Prior:
    """The prior of the weights, means and precisions."""

    weights: str  # "dirichlet_process" or "dirichlet_distribution"
    concentration: float
    mean_precision: float
    mean: np.ndarray
    dof: float
    covariance: np.ndarray


@dataclass
class MixturePosterior:
    """The variational posterior; `normal` holds the means and the expected precisions."""

    concentration: np.ndarray | tuple
    mean_precision: np.ndarray
    dof: np.ndarray
    normal: NormalParameters

    def expected_log_weights(self):
        if isinstance(self.concentration, tuple):
            a, b = self.concentration
            total = digamma(a + b)
            return digamma(a) - total + np.append(0.0, np.cumsum(digamma(b) - total)[:-1])
        return digamma(self.concentration) - digamma(np.sum(self.concentration))

    def log_scale(self):
        """E[log weight] + E[log density] without the distance."""
        k, p = self.normal.shape
        dof = np.broadcast_to(self.dof, (k,))
        log_lambda = p * np.log(2.0) + digamma(0.5 * (dof - np.arange(p)[:, None])).sum(axis=0)
        plain = self.normal.log_scale(self.expected_log_weights()) - 0.5 * p * np.log(dof)
        return plain + 0.5 * (log_lambda - p / self.mean_precision)

    def mean_weights(self):
        """Expected mixing weights, scaled to sum 1."""
        if isinstance(self.concentration, tuple):
            a, b = self.concentration
            left = b / (a + b)
            weights = a / (a + b) * np.append(1.0, np.cumprod(left[:-1]))
        else:
            weights = self.concentration
        return weights / np.sum(weights)


class BayesianProblem:
    """The steps of variational inference on one data set."""

    monotone = False  # the bound is that of scikit-learn, without constants, and reg_covar is added

    def __init__(self, X, weights, covariance_type, reg_covar, prior, make_start):
        self.X, self.weights, self.covariance_type = X, weights, covariance_type
        self.reg_covar, self.prior, self.make_start = reg_covar, prior, make_start
        self.total = float(X.shape[0] if weights is None else weights.sum())
        self.order = order_of(covariance_type)
        self.scatter = TotalScatter.from_block(X, weights) if covariance_type == "tied" else None
        self.pack = self.unpack = None

    def start(self, rng):
        return self.m_step(self.make_start(self, rng))

    def e_step(self, posterior):
        moments = NormalMoments.from_block(
            self.X, posterior.normal, self.weights, order=self.order, log_scale=posterior.log_scale()
        )
        return moments.log_likelihood / self.total, moments

    def m_step(self, moments):
        prior, kind = self.prior, self.covariance_type
        counts, means, covariances = moments.estimates(kind, self.scatter)
        covariances = regularised(covariances, kind, self.reg_covar)
        k = len(means)
        if prior.weights == "dirichlet_process":
            after = np.append(np.cumsum(counts[::-1])[-2::-1], 0.0)
            concentration = (1.0 + counts, prior.concentration + after)
        else:
            concentration = prior.concentration + counts
        mean_precision = prior.mean_precision + counts
        shrunk = (prior.mean_precision * prior.mean + counts[:, None] * means) / mean_precision[:, None]
        gap, share = means - prior.mean, prior.mean_precision / mean_precision
        dof = prior.dof + (counts.sum() / k if kind == "tied" else counts)
        if kind == "full":
            spread = counts[:, None, None] * covariances
            spread += (counts * share)[:, None, None] * gap[:, :, None] * gap[:, None, :]
            posterior = (prior.covariance + spread) / dof[:, None, None]
        elif kind == "tied":
            between = ((counts * share)[:, None] * gap).T @ gap
            posterior = (prior.covariance + (covariances * counts.sum() + between) / k) / dof
        elif kind == "diag":
            spread = counts[:, None] * (covariances + share[:, None] * gap**2)
            posterior = (prior.covariance + spread) / dof[:, None]
        else:
            posterior = (prior.covariance + counts * (covariances + share * np.mean(gap**2, axis=1))) / dof
        updated = MixturePosterior(concentration, mean_precision, dof, None)
        updated.normal = NormalParameters.of(kind, updated.mean_weights(), shrunk, posterior)
        return updated

    def bound(self, posterior, moments):
        """Lower bound of the evidence up to a constant, with the responsibilities behind `moments`."""
        k, p = posterior.normal.shape
        log_det = posterior.normal.log_det() - 0.5 * p * np.log(posterior.dof)
        wishart = np.sum(log_wishart_norm(np.broadcast_to(posterior.dof, (k,)), log_det, p))
        if isinstance(posterior.concentration, tuple):
            weights = -np.sum(betaln(*posterior.concentration))
        else:
            weights = log_dirichlet_norm(posterior.concentration)
        return moments.entropy - wishart - weights - 0.5 * p * np.sum(np.log(posterior.mean_precision))


class BayesianGaussianMixture(NormalAttributesMixin, BaseMixture):
    r"""Bayesian Gaussian mixture by variational inference: finite, or a Dirichlet-process mixture.

    The weights have a Dirichlet prior or that of a (truncated) Dirichlet process, and means and precisions have a
    normal-Wishart prior. The posterior is approximated by a product of the same families. Each step raises a lower
    bound of the evidence, and the fit stops when the bound changes by less than `tol` in one step. Components that the
    data do not need end up with weights near 0, so `n_components` is an upper limit.

    Parameters
    ----------
    n_components : int, default=1
        Maximum number of components.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
    tol : float, default=1e-3
    reg_covar : float, default=1e-6
        Added to the variances of the data.
    max_iter : int, default=100
    n_init : int, default=1
        Number of starts; the one with the highest bound is kept.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
    weight_concentration_prior_type : {"dirichlet_process", "dirichlet_distribution"}, default="dirichlet_process"
        Prior of the weights; the default is "dirichlet_process" (stick breaking).
    weight_concentration_prior : float or None, default=None
        Small values empty components; None is 1 / n_components.
    mean_precision_prior : float or None, default=None
        Number of rows that the prior mean is worth; None is 1.
    mean_prior : array-like of shape (n_features,) or None, default=None
        Prior mean; None is the mean of X.
    degrees_of_freedom_prior : float or None, default=None
        Degrees of freedom of the Wishart prior; None is n_features.
    covariance_prior : float, array-like or None, default=None
        Prior covariance, with the shape of a single covariance of the type; None is the covariance of X.
    random_state : int, RandomState or None, default=None
    warm_start : bool, default=False
    verbose : int, default=0
    verbose_interval : int, default=10

    Attributes
    ----------
    weights_, means_, covariances_, precisions_, precisions_cholesky_ : ndarray
        As in `GaussianMixture`, at the posterior mean.
    covariance_type_ : str
        The `covariance_type` of the fit.
    weight_concentration_ : ndarray or tuple of ndarray
        Dirichlet parameters, or the two parameters of the beta distribution of each stick.
    mean_precision_, degrees_of_freedom_ : ndarray
        Parameters of the posterior.
    weight_concentration_prior_, mean_precision_prior_, mean_prior_, degrees_of_freedom_prior_, covariance_prior_
        The priors in use.
    converged_ : bool
    n_iter_ : int
    lower_bound_ : float
        The lower bound, up to a constant.
    lower_bounds_ : list of float
        The bound after each step.
    lower_bound_history_ : ndarray
        The bound after each step, as an array.
    log_likelihood_ : float
        Expected log-likelihood of the training rows.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Uses the same native pass over the rows as `GaussianMixture`, at the same cost. Results depend on the priors; with
    few rows compare several values of `weight_concentration_prior` and `covariance_prior`. Weights count as copies of
    rows, in the likelihood and in the default priors.

    See Also
    --------
    chinese_restaurant, stick_breaking : the partitions and weights that a Dirichlet process expects.

    References
    ----------
    Bishop (2006), Pattern Recognition and Machine Learning, section 10.2. Blei & Jordan (2006), Variational inference
    for Dirichlet process mixtures, Bayesian Analysis 1(1).

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import BayesianGaussianMixture
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, 100), rng.normal(9, 1, 100)])[:, None]
    >>> model = BayesianGaussianMixture(n_components=4, random_state=0, max_iter=500).fit(X)
    >>> int((model.weights_ > 0.05).sum())
    2
    """

    _constraints = {
        **EM_CONSTRAINTS,
        "covariance_type": [Options(*COVARIANCE_TYPES)],
        "reg_covar": [Real(0, None)],
        "init_params": [Options(*INIT_PARAMS)],
        "weight_concentration_prior_type": [Options("dirichlet_process", "dirichlet_distribution")],
        "weight_concentration_prior": [None, Real(0, None, closed="neither")],
        "mean_precision_prior": [None, Real(0, None, closed="neither")],
        "mean_prior": [None, "array-like"],
        "degrees_of_freedom_prior": [None, Real(0, None, closed="neither")],
        "covariance_prior": [None, "array-like", Real(0, None, closed="neither")],
        "warm_start": ["boolean"],
        "verbose_interval": [Int(1, None)],
    }

    def __init__(
        self,
        *,
        n_components=1,
        covariance_type="full",
        tol=1e-3,
        reg_covar=1e-6,
        max_iter=100,
        n_init=1,
        init_params="kmeans",
        weight_concentration_prior_type="dirichlet_process",
        weight_concentration_prior=None,
        mean_precision_prior=None,
        mean_prior=None,
        degrees_of_freedom_prior=None,
        covariance_prior=None,
        random_state=None,
        warm_start=False,
        verbose=0,
        verbose_interval=10,
    ):
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weight_concentration_prior_type = weight_concentration_prior_type
        self.weight_concentration_prior = weight_concentration_prior
        self.mean_precision_prior = mean_precision_prior
        self.mean_prior = mean_prior
        self.degrees_of_freedom_prior = degrees_of_freedom_prior
        self.covariance_prior = covariance_prior
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval

    @with_callbacks
    def fit(self, X, y=None, sample_weight=None):
        """Fit the mixture.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A row of weight k counts k times; a row of weight 0 is ignored.

        Returns
        -------
        self
        """
        check_params(self)
        X, weights = self._prepare(X, sample_weight)
        prior = self._set_prior(X, weights)
        problem = BayesianProblem(X, weights, self.covariance_type, self.reg_covar, prior, self._start)
        self._fit_by_em(X, weights, problem, one_start=self.n_components == 1)
        return self

    def _start(self, problem, rng):
        R = start_responsibilities(problem.X, self.n_components, self.init_params, rng, problem.weights)
        order = 2 if self.covariance_type == "tied" else problem.order
        return responsibility_moments(problem.X, R, problem.weights, order=order)

    def _set_prior(self, X, weights):
        p, kind = X.shape[1], self.covariance_type
        scatter = TotalScatter.from_block(X, weights)
        covariance = scatter.matrix / max(scatter.weight - 1.0, np.finfo(float).tiny)
        self.weight_concentration_prior_ = self.weight_concentration_prior or 1.0 / self.n_components
        self.mean_precision_prior_ = self.mean_precision_prior or 1.0
        if self.mean_prior is None:
            self.mean_prior_ = scatter.mean
        else:
            self.mean_prior_ = check_array(self.mean_prior, dtype=_FLOATS, ensure_2d=False)
            check_shape(self.mean_prior_, (p,), "means")
        self.degrees_of_freedom_prior_ = p if self.degrees_of_freedom_prior is None else self.degrees_of_freedom_prior
        if self.degrees_of_freedom_prior_ <= p - 1.0:
            raise ValueError(
                "The parameter 'degrees_of_freedom_prior' should be greater than "
                f"{p - 1}, but got {self.degrees_of_freedom_prior_:.3f}."
            )
        if self.covariance_prior is None:
            priors = {
                "full": covariance,
                "tied": covariance,
                "diag": np.diagonal(covariance).copy(),
                "spherical": np.diagonal(covariance).mean(),
            }
            self.covariance_prior_ = priors[kind]
        elif kind == "spherical":
            if not np.isscalar(self.covariance_prior):
                raise ValueError("The parameter 'spherical covariance_prior' should be a number.")
            self.covariance_prior_ = self.covariance_prior
        else:
            self.covariance_prior_ = check_array(self.covariance_prior, dtype=_FLOATS, ensure_2d=False)
            check_shape(self.covariance_prior_, (p,) if kind == "diag" else (p, p), f"{kind} covariance_prior")
            check_matrices(self.covariance_prior_, kind, f"{kind} precision")
        return Prior(
            self.weight_concentration_prior_type,
            self.weight_concentration_prior_,
            self.mean_precision_prior_,
            np.asarray(self.mean_prior_, dtype=np.float64),
            float(self.degrees_of_freedom_prior_),
            np.asarray(self.covariance_prior_, dtype=np.float64),
        )

    def _attributes(self, posterior, dtype):
        if isinstance(posterior, NormalParameters):  # a marginal or conditional density has no posterior
            return super()._attributes(posterior, dtype)
        return {
            **super()._attributes(posterior.normal, dtype),
            "weight_concentration_": posterior.concentration,
            "mean_precision_": posterior.mean_precision,
            "degrees_of_freedom_": posterior.dof,
        }

    def _posterior(self):
        normal = NormalAttributesMixin._parameters(self)
        return MixturePosterior(self.weight_concentration_, self.mean_precision_, self.degrees_of_freedom_, normal)

    def _fit_from(self):
        return self._posterior()

    def _log_joint(self, X):
        normal = NormalAttributesMixin._parameters(self)
        if not hasattr(self, "mean_precision_"):
            return normal.log_joint(X)
        return normal.log_joint(X, self._posterior().log_scale())

    def _settings_of(self, parameters):
        return {**super()._settings_of(parameters), "mean_prior": None, "covariance_prior": None}
