"""Soft k-means: a mixture of spherical components of fixed size."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.callbacks import with_callbacks
from statlearn._core.params import Int, Options, Real, check_params

from ._base import ACCELERATION, EM_CONSTRAINTS, BaseMixture
from ._normal import NormalMoments, NormalParameters
from ._start import INIT_PARAMS, check_start_means, responsibility_moments, start_responsibilities


def squared_distances(parameters, X):
    """Squared distances to the centres, (n, k)."""
    unit = NormalParameters(
        "spherical",
        parameters.weights,
        parameters.means,
        np.ones_like(parameters.weights),
        np.ones_like(parameters.weights),
    )
    return np.maximum(-2.0 * unit.log_joint(X, np.zeros(len(parameters.weights))), 0.0)


class SoftKMeansProblem:
    """EM with the covariance fixed at I / beta."""

    monotone = True

    def __init__(self, X, weights, beta, estimate_weights, make_start):
        self.X, self.weights, self.beta = X, weights, beta
        self.estimate_weights, self.make_start = estimate_weights, make_start
        self.total = float(X.shape[0] if weights is None else weights.sum())

    def parameters(self, means, weights):
        k = len(means)
        return NormalParameters(
            "spherical", weights, means, np.full(k, 1.0 / self.beta), np.full(k, np.sqrt(self.beta))
        )

    def start(self, rng):
        means, weights = self.make_start(self, rng)
        return self.parameters(means, weights)

    def e_step(self, parameters):
        moments = NormalMoments.from_block(self.X, parameters, self.weights, order=0)
        return moments.log_likelihood / self.total, moments

    def m_step(self, moments):
        k = len(moments.total)
        weights = moments.total / moments.total.sum() if self.estimate_weights else np.full(k, 1.0 / k)
        return self.parameters(moments.means(), weights)

    def pack(self, parameters):
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(parameters.weights, 1e-300))
        self._shape = parameters.means.shape
        return np.concatenate([logs, parameters.means.ravel()])

    def unpack(self, vector):
        k, _ = self._shape
        weights = np.exp(vector[:k] - vector[:k].max())
        return self.parameters(vector[k:].reshape(self._shape), weights / weights.sum())


class SoftKMeans(ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin, BaseMixture):
    r"""Soft k-means: a normal mixture with covariances fixed at :math:`I / \beta`.

    A row belongs to cluster k with probability

    .. math:: r_{ik} \propto \phi_k \exp\!\bigl(-\tfrac{\beta}{2} \lVert x_i - \mu_k \rVert^2\bigr)

    and centres are means weighted by these probabilities. The fit maximises the log-likelihood of the mixture by EM and
    stops when its mean per unit of weight changes by less than `tol`. For :math:`\beta \to \infty` it becomes k-means.

    Parameters
    ----------
    n_clusters : int, default=8
    beta : float, default=1.0
        Stiffness: the inverse variance of a cluster along every axis.
    estimate_weights : bool, default=True
        Whether to estimate the mixing weights :math:`\phi_k`; otherwise they are equal.
    init : {"kmeans", "k-means++", "random", "random_from_data"} or array-like, default="k-means++"
        Initialisation, or the initial centres of shape (n_clusters, n_features).
    n_init : int, default=1
        Number of starts; the one with the highest likelihood is kept.
    max_iter : int, default=300
    tol : float, default=1e-4
    random_state : int, RandomState or None, default=None
    verbose : int, default=0
    acceleration : {None, "squarem"}, default=None

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    weights_ : ndarray of shape (n_clusters,)
    beta_ : float
        Value of `beta` in `fit`.
    labels_ : ndarray of int of shape (n_samples,)
    inertia_ : float
        Weighted sum of squared distances to the nearest centre.
    n_iter_ : int
    converged_ : bool
    log_likelihood_ : float
        Log-likelihood of the training rows, a sum in nats.
    lower_bound_ : float
        Mean log-likelihood per unit of weight at the fitted centres.
    lower_bounds_ : list of float
        Mean log-likelihood before each step.
    lower_bound_history_ : ndarray of shape (n_iter_ + 1,)
        Log-likelihood at the start and after each step; it never decreases.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Scale the columns first, since a single :math:`\beta` applies to all of them. With a small :math:`\beta` centres
    coincide and fewer distinct clusters remain; with a large one assignments become hard and the result depends on the
    start.

    References
    ----------
    MacKay (2003), Information Theory, Inference, and Learning Algorithms, chapter 22.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import SoftKMeans
    >>> X = np.array([[0.0], [1.0], [4.0], [5.0]])
    >>> model = SoftKMeans(2, beta=4.0, init=[[0.0], [5.0]]).fit(X)
    >>> model.cluster_centers_.ravel().round(3), model.labels_
    (array([0.5, 4.5]), array([0, 0, 1, 1]))
    """

    _constraints = {
        **{name: rule for name, rule in EM_CONSTRAINTS.items() if name != "n_components"},
        "n_clusters": [Int(1, None)],
        "beta": [Real(0, None, closed="neither")],
        "estimate_weights": ["boolean"],
        "init": [Options(*INIT_PARAMS), "array-like"],
        "acceleration": ACCELERATION,
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        beta=1.0,
        estimate_weights=True,
        init="k-means++",
        n_init=1,
        max_iter=300,
        tol=1e-4,
        random_state=None,
        verbose=0,
        acceleration=None,
    ):
        self.n_clusters = n_clusters
        self.beta = beta
        self.estimate_weights = estimate_weights
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.acceleration = acceleration

    @with_callbacks
    def fit(self, X, y=None, sample_weight=None):
        """Find the centres.

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
        rows, weights = self._prepare(X, sample_weight, size=self.n_clusters, name="n_clusters")
        problem = SoftKMeansProblem(rows, weights, self.beta, self.estimate_weights, self._start)
        self._fit_by_em(rows, weights, problem, one_start=not isinstance(self.init, str))
        self.labels_ = self.predict(X)
        closest = squared_distances(self._parameters(), rows).min(axis=1)
        self.inertia_ = float(closest.sum() if weights is None else weights @ closest)
        return self

    def _start(self, problem, rng):
        k, p = self.n_clusters, problem.X.shape[1]
        if not isinstance(self.init, str):
            return check_start_means(self.init, k, p), np.full(k, 1.0 / k)
        R = start_responsibilities(problem.X, k, self.init, rng, problem.weights)
        return responsibility_moments(problem.X, R, problem.weights, order=0).means(), np.full(k, 1.0 / k)

    def _attributes(self, parameters, dtype):
        return {
            "cluster_centers_": parameters.means.astype(dtype),
            "weights_": parameters.weights.astype(dtype),
            "beta_": float(self.beta),
        }

    def _parameters(self):
        k = self.cluster_centers_.shape[0]
        return NormalParameters(
            "spherical",
            np.asarray(self.weights_, dtype=np.float64),
            np.asarray(self.cluster_centers_, dtype=np.float64),
            np.full(k, 1.0 / self.beta_),
            np.full(k, np.sqrt(self.beta_)),
        )

    def _log_joint(self, X):
        return self._parameters().log_joint(X)

    def transform(self, X):
        """Distances to the centres.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
        """
        check_is_fitted(self)
        X = self._validate(X)
        return np.sqrt(squared_distances(self._parameters(), X)).astype(X.dtype, copy=False)

    @property
    def _n_features_out(self):
        return self.cluster_centers_.shape[0]
