"""Mixtures of multivariate Student-t distributions."""

from dataclasses import replace

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma

from statlearn._core.callbacks import with_callbacks
from statlearn._core.params import Int, Options, Real, check_params

from . import _missing
from ._base import ACCELERATION, EM_CONSTRAINTS, BaseMixture, CriteriaMixin
from ._gaussian_mixture import NormalProblem
from ._normal import COVARIANCE_TYPES, NormalParameters, order_of, regularised
from ._normal_density import NormalAttributesMixin, warn_of_collapse
from ._start import INIT_PARAMS, check_start_means, filled_with_means, responsibility_moments, start_responsibilities

# Where degrees of freedom are looked for; beyond the upper end a component is normal.
DOF_LOW, DOF_HIGH = 0.5, 500.0


def best_dof(mean_gap):
    """Degrees of freedom that maximise Q, given the mean of E[log u] - E[u] under the responsibilities.

    The root of log(nu/2) - digamma(nu/2) + 1 + mean_gap, which decreases in nu, or an end of the range if there is
    none.
    """

    def slope(nu):
        return np.log(0.5 * nu) - digamma(0.5 * nu) + 1.0 + mean_gap

    if slope(DOF_LOW) <= 0.0:
        return DOF_LOW
    if slope(DOF_HIGH) >= 0.0:
        return DOF_HIGH
    return float(brentq(slope, DOF_LOW, DOF_HIGH, xtol=1e-10))


class StudentProblem(NormalProblem):
    """The E and M steps of a mixture of t distributions."""

    def __init__(self, X, weights, covariance_type, reg_covar, make_start, dof, shared):
        super().__init__(X, weights, covariance_type, reg_covar, make_start)
        self.dof, self.shared = dof, shared
        # Rows count by r u, so that the scatter of all rows is uninformative about the pooled one.
        self.order, self.scatter = 2 if covariance_type == "tied" else order_of(covariance_type), None

    def m_step(self, moments):
        counts, means, covariances = moments.estimates(self.covariance_type)
        covariances = regularised(covariances, self.covariance_type, self.reg_covar)
        k = len(counts)
        if self.dof is not None:
            dof = np.full(k, float(self.dof))
        elif self.shared:
            dof = np.full(k, best_dof(moments.log_gap.sum() / counts.sum()))
        else:
            dof = np.array([best_dof(gap) for gap in moments.log_gap / counts])
        return NormalParameters.of(self.covariance_type, counts / counts.sum(), means, covariances, dof)

    def unpack(self, vector):
        parameters = super().unpack(vector)
        dof = self._like.dof if self.dof is not None else np.clip(parameters.dof, DOF_LOW, DOF_HIGH)
        return replace(parameters, dof=dof)


def conditional_student(parameters, columns, values):
    """Conditional mixture: dof grows by the number of known columns, scales with how outlying these are."""
    seen = parameters.marginal(columns)
    joint = seen.log_joint(values[None])[0]
    weights = np.exp(joint - joint.max())
    B, C, rest = _missing.regression_on_seen(parameters, columns)
    gap = values - parameters.means[:, columns]
    means = parameters.means[:, rest] + (B @ gap[:, :, None])[:, :, 0]
    S = parameters.full_covariances()[:, columns[:, None], columns]
    distance = np.einsum("ki,ki->k", gap, np.linalg.solve(S, gap[:, :, None])[:, :, 0])
    grown = (parameters.dof + distance) / (parameters.dof + len(columns))
    return NormalParameters.of(
        "full", weights / weights.sum(), means, grown[:, None, None] * C, parameters.dof + len(columns)
    )


class StudentTMixture(NormalAttributesMixin, CriteriaMixin, BaseMixture):
    r"""Mixture of multivariate Student-t distributions, fitted by EM and robust against outliers.

    Maximises over mixing weights, locations, scale matrices and degrees of freedom

    .. math:: \sum_i s_i \log \sum_k \pi_k \, t_{\nu_k}(x_i; \mu_k, \Sigma_k)

    a **sum** over rows with weights :math:`s_i`. EM stops when its mean per unit of weight changes by less than `tol`.

    Parameters
    ----------
    n_components : int, default=1
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        Shape of the scale matrices.
    dof : float or None, default=None
        Degrees of freedom of all components, at most 1e8; None estimates them, between 0.5 and 500.
    shared_dof : bool, default=False
        Whether a single number of degrees of freedom is estimated for all components.
    tol : float, default=1e-3
    reg_covar : float, default=1e-6
        Added to the diagonals of the scale matrices.
    max_iter : int, default=200
    n_init : int, default=1
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
    means_init : array-like of shape (n_components, n_features) or None, default=None
    random_state : int, RandomState or None, default=None
    warm_start : bool, default=False
    verbose : int, default=0
    acceleration : {None, "squarem"}, default=None

    Attributes
    ----------
    weights_, means_, covariances_, precisions_, precisions_cholesky_ : ndarray
        As in `GaussianMixture`; `covariances_` holds the scale matrices. If dof > 2, the covariance of a component is
        its scale matrix times dof / (dof - 2).
    covariance_type_ : str
        The `covariance_type` of the fit.
    dof_ : ndarray of shape (n_components,)
        Degrees of freedom of the components.
    converged_ : bool
    n_iter_ : int
    lower_bound_, lower_bounds_, log_likelihood_, lower_bound_history_
        As in `GaussianMixture`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    A t variable is a normal variable with a random precision u. The E step also computes the expectation of u, and a
    row far from a component counts there with a small :math:`u = (\nu + p) / (\nu + d^2)`. Each step is one native pass
    over the rows, as for Gaussian mixtures. Missing values (NaN) are integrated out. The likelihood is unbounded for
    small degrees of freedom or a component on few rows; keep `reg_covar` positive.

    References
    ----------
    Peel & McLachlan (2000), Robust mixture modelling using the t distribution, Statistics and Computing 10.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import GaussianMixture, StudentTMixture
    >>> X = np.append(np.linspace(-1, 1, 21), 100.0)[:, None]
    >>> StudentTMixture(tol=1e-6).fit(X).means_.round(2), GaussianMixture().fit(X).means_.round(2)
    (array([[0.]]), array([[4.55]]))
    """

    _allow_nan = True
    _constraints = {
        **EM_CONSTRAINTS,
        "covariance_type": [Options(*COVARIANCE_TYPES)],
        "dof": [Real(0, 1e8, closed="right"), None],  # beyond, a normal distribution
        "shared_dof": ["boolean"],
        "reg_covar": [Real(0, None)],
        "init_params": [Options(*INIT_PARAMS)],
        "means_init": ["array-like", None],
        "warm_start": ["boolean"],
        "acceleration": ACCELERATION,
        "max_iter": [Int(0, None)],
    }

    def __init__(
        self,
        n_components=1,
        *,
        covariance_type="full",
        dof=None,
        shared_dof=False,
        tol=1e-3,
        reg_covar=1e-6,
        max_iter=200,
        n_init=1,
        init_params="kmeans",
        means_init=None,
        random_state=None,
        warm_start=False,
        verbose=0,
        acceleration=None,
    ):
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.dof = dof
        self.shared_dof = shared_dof
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.means_init = means_init
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.acceleration = acceleration

    @with_callbacks
    def fit(self, X, y=None, sample_weight=None):
        """Fit the mixture.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; NaN marks missing values.
        y : Ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A row of weight k counts k times; a row of weight 0 is ignored.

        Returns
        -------
        self
        """
        check_params(self)
        X, weights = self._prepare(X, sample_weight)
        check_start_means(self.means_init, self.n_components, X.shape[1])
        problem = StudentProblem(
            X, weights, self.covariance_type, self.reg_covar, self._start, self.dof, self.shared_dof
        )
        result = self._fit_by_em(X, weights, problem, one_start=self.n_components == 1)
        if self.max_iter > 0 and self.reg_covar > 0:
            warn_of_collapse(type(self).__name__, result.parameters, self.reg_covar)
        return self

    def _start(self, problem, rng):
        X = filled_with_means(problem.X, problem.weights)
        R = start_responsibilities(X, self.n_components, self.init_params, rng, problem.weights)
        moments = responsibility_moments(X, R, problem.weights, order=problem.order)
        parameters = moments.solve(self.covariance_type, self.reg_covar)
        means = check_start_means(self.means_init, *parameters.shape)
        dof = np.full(self.n_components, 20.0 if self.dof is None else float(self.dof))
        return replace(parameters, means=parameters.means if means is None else means, dof=dof)

    def _parameters(self):
        return replace(super()._parameters(), dof=np.asarray(self.dof_, dtype=np.float64))

    def _attributes(self, parameters, dtype):
        return {**super()._attributes(parameters, dtype), "dof_": parameters.dof.astype(dtype)}

    def _standard_noise(self, rng, y, parameters):
        normal = super()._standard_noise(rng, y, parameters)
        dof = parameters.dof[y]
        # With few degrees of freedom a draw underflows to 0: the row lies far out, but stays finite.
        precision = np.maximum(rng.chisquare(dof) / dof, np.finfo(np.float64).tiny)
        return normal / np.sqrt(precision)[:, None]

    def _conditional(self, parameters, columns, values):
        return conditional_student(parameters, columns, values)

    def _settings_of(self, parameters):
        return {**super()._settings_of(parameters), "means_init": None}

    def _n_parameters(self):
        estimated = 0 if self.dof is not None else (1 if self.shared_dof else len(self.weights_))
        return self._parameters().n_free() + estimated
