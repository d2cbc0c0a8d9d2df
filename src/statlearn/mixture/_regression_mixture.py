"""Mixtures of regressions, with mixing weights that do not depend on x."""

import numpy as np

from statlearn._core.callbacks import with_callbacks
from statlearn._core.params import Int
from statlearn._core.search import SearchSpace

from ._experts_base import EXPERT_CONSTRAINTS, ExpertsBase, GaussianExpertsMixin, LogisticExpertsMixin

# Spread of the start values around the pooled fit: of lines in units of the errors, of log-odds in plain numbers.
_LINE_SPREAD, _ODDS_SPREAD = 1.0, 1.5


class _RegressionMixture(ExpertsBase):
    """Base class of mixtures with constant gates."""

    _constant_gates = True
    _constraints = {
        "n_components": [Int(1, None)],
        **{name: rule for name, rule in EXPERT_CONSTRAINTS.items() if name != "alpha"},
    }

    def _branching(self):
        return (self.n_components,)

    def _gate_attributes(self, gates):
        shares = np.exp(gates[0][0][:, -1] - gates[0][0][:, -1].max())
        return {"weights_": shares / shares.sum()}

    def _gates(self):
        gate = np.zeros((1, len(self.weights_), self.n_features_in_ + 1))
        with np.errstate(divide="ignore"):
            gate[0, :, -1] = np.log(np.maximum(np.asarray(self.weights_, dtype=np.float64), 1e-300))
        return [gate]

    def _start(self, problem, rng, i, responsibilities):
        """The pooled fit, randomly perturbed for each component; the first E step assigns the rows."""
        if responsibilities is not None:
            return super()._start(problem, rng, i, responsibilities)
        k = self.n_components
        even = np.tile(problem.weights[:, None] / k, (1, k))
        pooled = problem.m_step(even, self._blank(problem))
        spread = (
            _LINE_SPREAD * np.sqrt(pooled.leaves.variance[0]) if hasattr(problem.experts, "floor") else _ODDS_SPREAD
        )
        if k > 1:
            pooled.leaves.theta = pooled.leaves.theta + spread * rng.standard_normal(pooled.leaves.theta.shape)
        return pooled


class LinearRegressionMixture(GaussianExpertsMixin, _RegressionMixture):
    r"""Mixture of linear regressions with unobserved component labels.

    .. math:: p(y \mid x) = \sum_k \pi_k \, N(y; b_k + x^\top w_k, \sigma_k^2)

    Maximises the log-likelihood, a **sum** over rows with their weights, by EM: weighted least squares for every
    component. Stops when the mean per unit of weight changes by less than `tol` in one step.

    Parameters
    ----------
    n_components : int, default=2
    tol : float, default=1e-6
    max_iter : int, default=1000
    n_init : int, default=10
        Number of starts, with lines drawn around the pooled fit; the one with the highest likelihood is kept.
    responsibilities_init : array-like of shape (n_samples,) or (n_samples, n_components), or None, default=None
        Initial component of each row, or initial probabilities of the components.
    random_state : int, RandomState or None, default=None
    acceleration : {None, "squarem"}, default=None
        "squarem" extrapolates the EM steps, which usually needs fewer of them.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Mixing weights.
    coef_ : ndarray of shape (n_components, n_features)
    intercept_ : ndarray of shape (n_components,)
    variance_ : ndarray of shape (n_components,)
        Error variances (maximum-likelihood divisor).
    log_likelihood_ : float
    lower_bound_history_ : ndarray of shape (n_iter_ + 1,)
        Log-likelihood at the start and after each step; it never decreases.
    converged_ : bool
    n_iter_ : int
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    MixtureOfExperts : Shares that depend on x.

    Notes
    -----
    `predict` returns the mean over the components, which may lie where there are no rows; see `predict_experts`, and
    `responsibilities` for rows with known y. The likelihood is unbounded if a component fits few rows exactly, so the
    variance is kept above 1e-8 times that of y.

    References
    ----------
    DeSarbo & Cron (1988), A maximum likelihood methodology for clusterwise linear regression, J. Classification 5.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import LinearRegressionMixture
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-1, 1, 200)
    >>> y = np.where(np.arange(200) < 120, 3 * x, 1 - 3 * x) + 0.1 * rng.normal(size=200)
    >>> model = LinearRegressionMixture(2, random_state=0).fit(x[:, None], y)
    >>> np.sort(model.coef_.ravel()).round(1), np.sort(model.weights_).round(2)
    (array([-3.,  3.]), array([0.39, 0.61]))
    """

    alpha = 0.0  # constant shares and linear experts have nothing to penalise
    _search_space = SearchSpace("mixture of regressions")

    def __init__(
        self,
        n_components=2,
        *,
        tol=1e-6,
        max_iter=1000,
        n_init=10,
        responsibilities_init=None,
        random_state=None,
        acceleration=None,
    ):
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.responsibilities_init = responsibilities_init
        self.random_state = random_state
        self.acceleration = acceleration

    @with_callbacks
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, sample_weight)

    fit.__doc__ = GaussianExpertsMixin.fit.__doc__


class LogisticRegressionMixture(LogisticExpertsMixin, _RegressionMixture):
    r"""Mixture of logistic regressions with unobserved component labels.

    .. math:: P(y \mid x) = \sum_k \pi_k \, P_k(y \mid x)

    Maximises the log-likelihood, a **sum** over rows with their weights, minus :math:`\alpha / 2` times the squared
    slopes of standardised columns, by generalized EM. Stops when the mean per unit of weight changes by less than
    `tol`.

    Parameters
    ----------
    n_components : int, default=2
    alpha : float, default=1e-3
        L2 penalty on the slopes, for columns of variance 1; keeps them finite if a hyperplane separates the classes.
    tol : float, default=1e-6
    max_iter : int, default=2000
    n_init : int, default=5
    responsibilities_init : array-like of shape (n_samples,) or (n_samples, n_components), or None, default=None
    random_state : int, RandomState or None, default=None
    acceleration : {None, "squarem"}, default=None
        "squarem" extrapolates the EM steps, which usually needs fewer of them.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    weights_ : ndarray of shape (n_components,)
    coef_ : ndarray of shape (n_components, 1 or n_classes, n_features)
    intercept_ : ndarray of shape (n_components, 1 or n_classes)
    log_likelihood_, lower_bound_history_, converged_, n_iter_
        As in `LinearRegressionMixture`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With one y per x the components of a binary response are hardly identified; there must be many rows with the same x,
    or widely differing x. Compare `bic` with that of a single logistic regression.

    References
    ----------
    Follmann & Lambert (1991), Identifiability of finite mixtures of logistic regression models, JSPI 27.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import LogisticRegressionMixture
    >>> x = np.repeat([-2.0, -1.0, 0.0, 1.0, 2.0], 20)
    >>> y = (np.arange(100) % 20 < 10) ^ (x > 0)
    >>> model = LogisticRegressionMixture(2, random_state=0).fit(x[:, None], y)
    >>> model.predict_proba([[0.0]]).round(1)
    array([[0.5, 0.5]])
    """

    _constraints = {**_RegressionMixture._constraints, "alpha": EXPERT_CONSTRAINTS["alpha"]}
    _search_space = SearchSpace("mixture of logistic regressions")

    def __init__(
        self,
        n_components=2,
        *,
        alpha=1e-3,
        tol=1e-6,
        max_iter=2000,
        n_init=5,
        responsibilities_init=None,
        random_state=None,
        acceleration=None,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.responsibilities_init = responsibilities_init
        self.random_state = random_state
        self.acceleration = acceleration

    @with_callbacks
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, sample_weight)

    fit.__doc__ = LogisticExpertsMixin.fit.__doc__
