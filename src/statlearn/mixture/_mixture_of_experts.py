"""Mixtures of experts, flat and hierarchical: regressions combined by softmax gates."""

import numpy as np

from statlearn._core.callbacks import with_callbacks
from statlearn._core.params import Int
from statlearn._core.search import SearchSpace

from ._experts_base import EXPERT_CONSTRAINTS, ExpertsBase, GaussianExpertsMixin, LogisticExpertsMixin


class _Flat(ExpertsBase):
    """Gating with one level."""

    _constraints = {"n_experts": [Int(1, None)], **EXPERT_CONSTRAINTS}

    def __init__(
        self,
        n_experts=2,
        *,
        alpha=1e-3,
        tol=1e-5,
        max_iter=1000,
        n_init=3,
        responsibilities_init=None,
        random_state=None,
        acceleration=None,
    ):
        self.n_experts = n_experts
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.responsibilities_init = responsibilities_init
        self.random_state = random_state
        self.acceleration = acceleration

    def _branching(self):
        return (self.n_experts,)


class _Nested(ExpertsBase):
    """Gating with several levels, a tree."""

    _constraints = {"branching": ["array-like"], **EXPERT_CONSTRAINTS}

    def __init__(
        self,
        branching=(2, 2),
        *,
        alpha=1e-3,
        tol=1e-5,
        max_iter=1000,
        n_init=3,
        responsibilities_init=None,
        random_state=None,
        acceleration=None,
    ):
        self.branching = branching
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.responsibilities_init = responsibilities_init
        self.random_state = random_state
        self.acceleration = acceleration

    def _branching(self):
        branching = tuple(self.branching)
        if not branching or any(not isinstance(b, (int, np.integer)) or b < 1 for b in branching):
            raise ValueError(f"`branching` must hold one positive integer per level, got {self.branching!r}.")
        return branching

    def _gate_attributes(self, gates):
        return {
            "gate_coef_": [gate[..., :-1] for gate in gates],
            "gate_intercept_": [gate[..., -1] for gate in gates],
        }

    def _gates(self):
        return [
            np.concatenate([coef, intercept[..., None]], axis=-1).astype(np.float64)
            for coef, intercept in zip(self.gate_coef_, self.gate_intercept_)
        ]

    def branch_proba(self, X):
        """Gates of every level: the probability of each branch given its node and the row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        list of ndarray of shape (n_samples, n_nodes, n_branches)
            One per level, from the root down.
        """
        levels = self._tree().level_log_probabilities(self._rows(X), self._gates())
        return [np.exp(level) for level in levels]


class MixtureOfExperts(GaussianExpertsMixin, _Flat):
    r"""Mixture of experts: linear regressions combined by a softmax gate.

    .. math:: p(y \mid x) = \sum_k g_k(x) \, N(y; b_k + x^\top w_k, \sigma_k^2), \qquad
              g(x) = \operatorname{softmax}(c_k + x^\top v_k)

    Maximises the log-likelihood, a **sum** over rows with their weights, minus :math:`\alpha / 2 \sum \lVert v_k
    \rVert^2` for gates of standardised columns, by generalized EM: weighted least squares for the experts and a few
    Newton steps of a weighted multinomial regression for the gates. Stops when the mean per unit of weight changes by
    less than `tol`.

    Parameters
    ----------
    n_experts : int, default=2
    alpha : float, default=1e-3
        L2 penalty on the slopes of the gates, for columns of variance 1. Without it, the gates of experts that a
        hyperplane separates grow without bound.
    tol : float, default=1e-5
    max_iter : int, default=1000
    n_init : int, default=3
        Number of starts. The first slices the rows across the direction of greatest spread, the others across random
        directions.
    responsibilities_init : array-like of shape (n_samples,) or (n_samples, n_experts), or None, default=None
        Initial expert of each row, or initial probabilities of the experts.
    random_state : int, RandomState or None, default=None
    acceleration : {None, "squarem"}, default=None

    Attributes
    ----------
    coef_ : ndarray of shape (n_experts, n_features)
    intercept_ : ndarray of shape (n_experts,)
    variance_ : ndarray of shape (n_experts,)
        Error variances.
    gate_coef_ : ndarray of shape (n_experts, n_features)
    gate_intercept_ : ndarray of shape (n_experts,)
    log_likelihood_ : float
        Log-likelihood of y given X, without the penalty.
    lower_bound_history_ : ndarray of shape (n_iter_ + 1,)
        Penalised log-likelihood at the start and after each step; it never decreases.
    converged_ : bool
    n_iter_ : int
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    HierarchicalMixtureOfExperts : Gates in a tree.
    LinearRegressionMixture : Shares that do not depend on x.

    Notes
    -----
    A single expert is least squares. Steep gates partition the space like a tree with soft oblique splits. The
    likelihood has many local maxima; more starts help, but more experts than the data support do not.

    References
    ----------
    Jacobs, Jordan, Nowlan & Hinton (1991), Adaptive mixtures of local experts, Neural Computation 3.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import MixtureOfExperts
    >>> x = np.linspace(-1, 1, 201)
    >>> y = np.where(x < 0, -x, 2 * x) + 0.05 * np.sin(40 * x)
    >>> model = MixtureOfExperts(2, random_state=0).fit(x[:, None], y)
    >>> np.sort(model.coef_.ravel()).round(1)
    array([-1.,  2.])
    """

    _search_space = SearchSpace("mixture of experts", grid={"n_experts": [2, 4]})

    @with_callbacks
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, sample_weight)

    fit.__doc__ = GaussianExpertsMixin.fit.__doc__


class MixtureOfExpertsClassifier(LogisticExpertsMixin, _Flat):
    r"""Mixture of logistic experts combined by a softmax gate.

    .. math:: P(y \mid x) = \sum_k g_k(x) \, P_k(y \mid x)

    with multinomial logistic experts and :math:`g(x) = \operatorname{softmax}(c_k + x^\top v_k)`. Maximises the
    log-likelihood, a **sum** over rows with their weights, minus :math:`\alpha / 2` times the squared slopes of gates
    and experts for standardised columns, by generalized EM. Stops when the mean per unit of weight changes by less than
    `tol`.

    Parameters
    ----------
    n_experts : int, default=2
    alpha : float, default=1e-3
        L2 penalty on the slopes of gates and experts, for columns of variance 1; keeps them finite if a hyperplane
        separates the classes.
    tol : float, default=1e-5
    max_iter : int, default=1000
    n_init : int, default=3
    responsibilities_init : array-like of shape (n_samples,) or (n_samples, n_experts), or None, default=None
    random_state : int, RandomState or None, default=None
    acceleration : {None, "squarem"}, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (n_experts, 1 or n_classes, n_features)
    intercept_ : ndarray of shape (n_experts, 1 or n_classes)
    gate_coef_ : ndarray of shape (n_experts, n_features)
    gate_intercept_ : ndarray of shape (n_experts,)
    log_likelihood_, lower_bound_history_, converged_, n_iter_
        As in `MixtureOfExperts`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    A single expert is (penalised) logistic regression. See `MixtureOfExperts`.

    References
    ----------
    Jordan & Jacobs (1994), Hierarchical mixtures of experts and the EM algorithm, Neural Computation 6.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import MixtureOfExpertsClassifier
    >>> x = np.linspace(-3, 3, 121)
    >>> y = (np.abs(x) < 1).astype(int)
    >>> MixtureOfExpertsClassifier(2, random_state=0).fit(x[:, None], y).score(x[:, None], y) > 0.97
    True
    """

    _search_space = SearchSpace("mixture of logistic experts", grid={"n_experts": [2, 4]})

    @with_callbacks
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, sample_weight)

    fit.__doc__ = LogisticExpertsMixin.fit.__doc__


class HierarchicalMixtureOfExperts(GaussianExpertsMixin, _Nested):
    r"""Hierarchical mixture of experts: linear regressions at the leaves of a soft tree.

    With two levels, :math:`p(y \mid x) = \sum_j g_j(x) \sum_l g_{l \mid j}(x) \, N(y; b_{jl} + x^\top w_{jl},
    \sigma_{jl}^2)`, where all gates are softmax functions of x. Maximises the log-likelihood, a **sum** over rows with
    their weights, minus :math:`\alpha / 2` times the squared slopes of the gates for standardised columns, by
    generalized EM. Stops when the mean per unit of weight changes by less than `tol`.

    Parameters
    ----------
    branching : array-like of int, default=(2, 2)
        Number of branches per node of each level, from the root down.
    alpha : float, default=1e-3
    tol : float, default=1e-5
    max_iter : int, default=1000
    n_init : int, default=3
    responsibilities_init : array-like of shape (n_samples,) or (n_samples, n_leaves), or None, default=None
    random_state : int, RandomState or None, default=None
    acceleration : {None, "squarem"}, default=None
        All as in `MixtureOfExperts`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_leaves, n_features)
        Leaves are numbered with the branch of the last level varying fastest.
    intercept_, variance_ : ndarray of shape (n_leaves,)
    gate_coef_ : list of ndarray of shape (n_nodes, n_branches, n_features)
        One per level, from the root down.
    gate_intercept_ : list of ndarray of shape (n_nodes, n_branches)
    log_likelihood_, lower_bound_history_, converged_, n_iter_
        As in `MixtureOfExperts`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With one branch at the root this is a plain `MixtureOfExperts`. Unlike a tree with hard splits, the model is smooth
    in x and its splits are oblique.

    References
    ----------
    Jordan & Jacobs (1994), Hierarchical mixtures of experts and the EM algorithm, Neural Computation 6.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import HierarchicalMixtureOfExperts
    >>> x = np.linspace(0, 4, 201)
    >>> y = np.abs(np.abs(x - 2) - 1)
    >>> model = HierarchicalMixtureOfExperts((2, 2), random_state=0).fit(x[:, None], y)
    >>> model.score(x[:, None], y) > 0.99
    True
    """

    _search_space = SearchSpace("hierarchical mixture of experts")

    @with_callbacks
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, sample_weight)

    fit.__doc__ = GaussianExpertsMixin.fit.__doc__


class HierarchicalMixtureOfExpertsClassifier(LogisticExpertsMixin, _Nested):
    """Hierarchical mixture of logistic experts at the leaves of a soft tree.

    Like `HierarchicalMixtureOfExperts`, but with multinomial logistic experts, whose slopes are penalised like those of
    the gates. Maximises the penalised log-likelihood, a **sum** over rows with their weights, by generalized EM. Stops
    when the mean per unit of weight changes by less than `tol`.

    Parameters
    ----------
    branching : array-like of int, default=(2, 2)
        Number of branches per node of each level, from the root down.
    alpha : float, default=1e-3
    tol : float, default=1e-5
    max_iter : int, default=1000
    n_init : int, default=3
    responsibilities_init : array-like of shape (n_samples,) or (n_samples, n_leaves), or None, default=None
    random_state : int, RandomState or None, default=None
    acceleration : {None, "squarem"}, default=None
        All as in `MixtureOfExpertsClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (n_leaves, 1 or n_classes, n_features)
    intercept_ : ndarray of shape (n_leaves, 1 or n_classes)
    gate_coef_, gate_intercept_ : list of ndarray
        As in `HierarchicalMixtureOfExperts`.
    log_likelihood_, lower_bound_history_, converged_, n_iter_
        As in `MixtureOfExperts`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Jordan & Jacobs (1994), Hierarchical mixtures of experts and the EM algorithm, Neural Computation 6.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import HierarchicalMixtureOfExpertsClassifier
    >>> x = np.linspace(-3, 3, 121)
    >>> y = (np.abs(x) < 1).astype(int)
    >>> model = HierarchicalMixtureOfExpertsClassifier((2, 2), random_state=0).fit(x[:, None], y)
    >>> model.score(x[:, None], y) > 0.97
    True
    """

    _search_space = SearchSpace("hierarchical mixture of logistic experts")

    @with_callbacks
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, sample_weight)

    fit.__doc__ = LogisticExpertsMixin.fit.__doc__
