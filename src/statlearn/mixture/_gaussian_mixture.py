"""Gaussian mixtures by maximum likelihood."""

import functools
from dataclasses import replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from statlearn._core.callbacks import with_callbacks
from statlearn._core.fitted_state import forget
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.partial_labels import partial_labels
from statlearn._core.validation import check_weights

from . import _missing
from ._base import ACCELERATION, EM_CONSTRAINTS, BaseMixture, CriteriaMixin, kept_rows
from ._normal import (
    COVARIANCE_TYPES,
    NormalMoments,
    NormalParameters,
    TotalScatter,
    covariances_from_factor,
    order_of,
    precision_factor,
    precisions_from_factor,
    regularised,
)
from ._normal_density import NormalAttributesMixin, warn_of_collapse
from ._start import (
    INIT_PARAMS,
    check_start_factor,
    check_start_means,
    check_start_weights,
    filled_with_means,
    responsibility_moments,
    start_responsibilities,
)


class NormalProblem:
    """The E and M steps of a normal mixture on one data set."""

    def __init__(self, X, weights, covariance_type, reg_covar, make_start):
        self.X, self.weights = X, weights
        self.covariance_type, self.reg_covar = covariance_type, reg_covar
        self.make_start = make_start
        self.total = float(X.shape[0] if weights is None else weights.sum())
        self.groups = _missing.group_rows(X, weights)
        complete = len(self.groups) == 1 and self.groups[0].seen.size == X.shape[1]
        self.order, self.scatter = order_of(covariance_type), None
        if covariance_type == "tied":
            if complete:
                self.scatter = TotalScatter.from_block(X, weights)
            else:
                self.order = 2
        # The ridge is not a penalty on the likelihood, so a step may lower the likelihood slightly.
        self.monotone = reg_covar == 0.0

    def start(self, rng):
        return self.make_start(self, rng)

    def start_moments(self, k, method, rng, order):
        """Moments for the responsibilities of a start."""
        X = filled_with_means(self.X, self.weights)
        R = self.agreeing(start_responsibilities(X, k, method, rng, self.weights))
        return responsibility_moments(X, R, self.weights, order=order)

    def agreeing(self, R):
        """Responsibilities that respect what is known of the components."""
        return R

    def e_step(self, parameters):
        moments = _missing.moments(self.groups, parameters, self.order)
        return moments.log_likelihood / self.total, moments

    def m_step(self, moments):
        return moments.solve(self.covariance_type, self.reg_covar, self.scatter)

    def pack(self, parameters):
        self._like = parameters
        return parameters.pack()

    def unpack(self, vector):
        return self._like.unpack(vector)


class LabelledNormalProblem(NormalProblem):
    """The steps if the component of some rows is known; `codes` holds it, -1 for the others."""

    def __init__(self, X, weights, codes, covariance_type, reg_covar, make_start):
        super().__init__(X, weights, covariance_type, reg_covar, make_start)
        self.codes, self.labelled = codes, []
        everything = np.ones(len(codes)) if weights is None else weights
        for code in np.unique(codes):
            rows = codes == code
            groups = _missing.group_rows(X[rows], None if weights is None else weights[rows])
            self.labelled.append((code, groups, everything[rows].sum()))

    def agreeing(self, R):
        return _agreeing(R, self.codes, self.weights)

    def e_step(self, parameters):
        moments, of_labels = None, 0.0
        for code, groups, weight in self.labelled:
            shares = parameters
            if code >= 0:  # all mass on the known component: its responsibility is 1
                sure = np.zeros(len(parameters.weights))
                sure[code] = 1.0
                shares = replace(parameters, weights=sure)
                of_labels += weight * parameters.log_weights()[code]
            part = _missing.moments(groups, shares, self.order)
            if part is not None:
                moments = part if moments is None else moments.merge(part)
        moments.log_likelihood += of_labels
        return moments.log_likelihood / self.total, moments


class BlockNormalProblem(NormalProblem):
    """The E and M steps of a normal mixture whose rows come in blocks.

    Parameters
    ----------
    sums : callable
        ``sums(parameters, order)`` are the moments of all rows under parameters.
    starts : callable
        ``starts(order)`` are the moments of rows that belong to the component of the nearest centre.
    total : float
        Sum of the weights.
    """

    def __init__(self, sums, starts, total, covariance_type, reg_covar, make_start):
        self.sums, self.starts, self.total = sums, starts, total
        self.covariance_type, self.reg_covar, self.make_start = covariance_type, reg_covar, make_start
        self.order = 2 if covariance_type == "tied" else order_of(covariance_type)
        self.scatter, self.monotone = None, reg_covar == 0.0

    def start_moments(self, k, method, rng, order):
        return self.starts(order)

    def e_step(self, parameters):
        moments = self.sums(parameters, self.order)
        return moments.log_likelihood / self.total, moments


class GaussianMixture(NormalAttributesMixin, CriteriaMixin, BaseMixture):
    r"""Gaussian mixture by maximum likelihood, fitted with EM.

    Maximises the log-likelihood over mixing weights, means and covariances,

    .. math:: \sum_i s_i \log \sum_k \pi_k \, N(x_i; \mu_k, \Sigma_k)

    a **sum** over rows with weights :math:`s_i`. EM stops when its mean per unit of weight changes by less than `tol`
    in one step. Covariances are the maximum-likelihood estimates (the divisor is the sum of the responsibilities), with
    `reg_covar` added to the variances.

    Parameters
    ----------
    n_components : int, default=1
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        One covariance matrix per component, one shared by all, one diagonal matrix per component, or one variance per
        component.
    tol : float, default=1e-3
        EM stops when the mean log-likelihood per unit of weight changes by less than this in one step.
    reg_covar : float, default=1e-6
        Added to the variances, to prevent a component from collapsing onto few rows.
    max_iter : int, default=100
    n_init : int, default=1
        Number of starts; the one with the highest likelihood is kept.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
        Initialisation of EM: from the clusters of k-means, from rows chosen by k-means++, from random responsibilities,
        or from rows chosen at random.
    weights_init : array-like of shape (n_components,) or None, default=None
        Initial values; those not given come from `init_params`.
    means_init : array-like of shape (n_components, n_features) or None, default=None
    precisions_init : array-like or None, default=None
        Initial inverse covariances, with the shape of `covariances_`.
    random_state : int, RandomState or None, default=None
    warm_start : bool, default=False
        Continue from the previous fit.
    verbose : int, default=0
    verbose_interval : int, default=10
    acceleration : {None, "squarem"}, default=None
        "squarem" extrapolates the path of EM, which saves steps when components overlap and never lowers the
        likelihood.
    unlabeled_weight : float or None, default=None
        If given, `fit` reads class labels from y, with -1, NaN or None for unlabelled rows, and multiplies the weight
        of the unlabelled rows by this number. The component of a labelled row is that of its class. None ignores y.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
    means_ : ndarray of shape (n_components, n_features)
    covariances_ : ndarray
        (k, p, p), (p, p), (k, p) or (k,), depending on `covariance_type`.
    covariance_type_ : str
        The `covariance_type` of the fit.
    precisions_, precisions_cholesky_ : ndarray
        Inverse covariances, and upper triangular U with U U' = precision.
    converged_ : bool
    n_iter_ : int
    lower_bound_ : float
        Mean log-likelihood per unit of weight at the fitted parameters.
    lower_bounds_ : list of float
        Mean log-likelihood before each step.
    log_likelihood_ : float
        Log-likelihood of the training rows, a sum in nats.
    lower_bound_history_ : ndarray of shape (n_iter_ + 1,)
        Log-likelihood at the start and after each step. It never decreases if ``reg_covar=0``.
    posterior_entropy_ : float
        Entropy of the responsibilities of the training rows, a sum in nats; 0 if no two components overlap.
    classes_ : ndarray
        Classes of the first components, sorted; further components have no class. Only with `unlabeled_weight`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    statlearn.bayes.SemiSupervisedNB : EM with some labels for naive Bayes.
    GaussianMixtureIC : Number and shape of the components by BIC or ICL.
    BayesianGaussianMixture : Variational inference, which empties superfluous components.
    StudentTMixture : Resists outliers.

    Notes
    -----
    The E step and the sums of the M step are computed in one native pass over the rows, with n k p² multiply-adds for
    full covariances. The matrix of responsibilities is never stored. Missing values (NaN) are integrated out, neither
    imputed nor dropped: rows contribute their observed values (missing at random), in `fit`, `predict` and
    `score_samples` alike.

    The likelihood of a mixture with unrestricted covariances is unbounded: a component on a single row makes it
    infinite. Keep `reg_covar` positive, or use diagonal or tied covariances. A `CollapseWarning` is issued if only
    `reg_covar` kept a component from collapsing. EM finds a local maximum, so use several starts (`n_init`). Symmetric
    initial values are fixed points. The numbering of the components is arbitrary; match them before comparing two fits.

    With some labels the log-likelihood is that of labels and rows together,

    .. math:: \sum_{i\ \text{labelled}} s_i \log \pi_{y_i} N(x_i; \mu_{y_i}, \Sigma_{y_i})
              + \lambda \sum_{i\ \text{unlabelled}} s_i \log \sum_k \pi_k N(x_i; \mu_k, \Sigma_k)

    with :math:`\lambda` the `unlabeled_weight`. If the classes are not normal, many unlabelled rows pull the components
    away from the classes: compare several weights on labelled rows that were held out.

    References
    ----------
    Nigam, McCallum, Thrun & Mitchell (2000), Text classification from labeled and unlabeled documents using EM, Machine
    Learning 39. McLachlan & Peel (2000), Finite Mixture Models. Ghahramani & Jordan (1994), Supervised learning from
    incomplete data via an EM approach.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import GaussianMixture
    >>> X = np.array([[1.0, 2], [2, 4], [0, 0], [10, 2], [11, 4], [9, 0]])
    >>> model = GaussianMixture(2, covariance_type="diag", means_init=[[0, 2], [9, 2]]).fit(X)
    >>> model.means_.round(3)
    array([[ 1.,  2.],
           [10.,  2.]])
    >>> model.predict([[0, 0], [12, np.nan]])
    array([0, 1])
    """

    _allow_nan = True
    _constraints = {
        **EM_CONSTRAINTS,
        "covariance_type": [Options(*COVARIANCE_TYPES)],
        "reg_covar": [Real(0, None)],
        "init_params": [Options(*INIT_PARAMS)],
        "weights_init": ["array-like", None],
        "means_init": ["array-like", None],
        "precisions_init": ["array-like", None],
        "warm_start": ["boolean"],
        "verbose_interval": [Int(1, None)],
        "acceleration": ACCELERATION,
        "unlabeled_weight": [Real(0, None), None],
    }

    def __init__(
        self,
        n_components=1,
        *,
        covariance_type="full",
        tol=1e-3,
        reg_covar=1e-6,
        max_iter=100,
        n_init=1,
        init_params="kmeans",
        weights_init=None,
        means_init=None,
        precisions_init=None,
        random_state=None,
        warm_start=False,
        verbose=0,
        verbose_interval=10,
        acceleration=None,
        unlabeled_weight=None,
    ):
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval
        self.acceleration = acceleration
        self.unlabeled_weight = unlabeled_weight

    @classmethod
    def from_parameters(cls, weights, means, covariances, covariance_type="full", **settings):
        """Mixture with known parameters, ready to sample, score and predict.

        Parameters
        ----------
        weights : array-like of shape (n_components,)
        means : array-like of shape (n_components, n_features)
        covariances : array-like
            Covariances with the shape of `covariances_`.
        covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        **settings
            Further constructor parameters, such as `random_state`.

        Returns
        -------
        fitted GaussianMixture
        """
        means = np.array(means, dtype=np.float64, ndmin=2)
        k, p = means.shape
        factor = precision_factor(covariances, covariance_type)
        check_start_factor(precisions_from_factor(factor, covariance_type), covariance_type, k, p)
        weights = check_start_weights(weights, k)
        parameters = NormalParameters(covariance_type, weights, means, np.array(covariances, dtype=np.float64), factor)
        shape = cls(k, covariance_type=covariance_type, **settings)
        shape.means_ = means
        return shape._fitted_like(parameters)

    @with_callbacks
    def fit(self, X, y=None, sample_weight=None):
        """Fit the mixture.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; NaN marks missing values.
        y : array-like of shape (n_samples,) or None, default=None
            Class labels, -1 for unlabelled rows. Ignored without `unlabeled_weight`.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A row of weight k counts k times; a row of weight 0 is ignored.

        Returns
        -------
        self
        """
        check_params(self)
        forget(self, "classes_")
        codes = None
        if self.unlabeled_weight is None:
            X, weights = self._prepare(X, sample_weight)
        else:
            X, weights, codes = self._prepare_labelled(X, y, sample_weight)
        k, p = self.n_components, X.shape[1]
        init = (
            check_start_weights(self.weights_init, k),
            check_start_means(self.means_init, k, p),
            check_start_factor(self.precisions_init, self.covariance_type, k, p),
        )
        start = functools.partial(self._start, init)
        if codes is None:
            problem = NormalProblem(X, weights, self.covariance_type, self.reg_covar, start)
        else:
            problem = LabelledNormalProblem(X, weights, codes, self.covariance_type, self.reg_covar, start)
        same = k == 1 or all(value is not None for value in init)
        return self._finish(self._fit_by_em(X, weights, problem, one_start=same))

    def _finish(self, result):
        """Set what a fit adds to the attributes of all mixtures."""
        self.posterior_entropy_ = result.expected.entropy
        if self.max_iter > 0 and self.reg_covar > 0:
            warn_of_collapse(type(self).__name__, result.parameters, self.reg_covar)
        return self

    def _block_moments(self, X, weights, parameters, order):
        """Moments of a block of rows under parameters."""
        X = self._validate(X, reset=True)
        return _missing.moments(_missing.group_rows(X, weights), parameters, order)

    def _block_starts(self, X, weights, codes, centres, order):
        """Moments of a block whose rows belong to the components `codes`, about the centres."""
        X = self._validate(X, reset=True)
        R = np.zeros((len(X), self.n_components))
        R[np.arange(len(codes)), codes] = 1.0
        return NormalMoments.from_responsibilities(X, R, centres, weights, order=order)

    def _fit_blocks(self, sums, starts, total, n_features):
        """Run EM on moments that are summed over blocks of rows."""
        k = self.n_components
        init = (
            check_start_weights(self.weights_init, k),
            check_start_means(self.means_init, k, n_features),
            check_start_factor(self.precisions_init, self.covariance_type, k, n_features),
        )
        start = functools.partial(self._start, init)
        problem = BlockNormalProblem(sums, starts, total, self.covariance_type, self.reg_covar, start)
        self.n_features_in_ = n_features
        return self._finish(self._fit_by_em(np.empty((1, n_features)), np.array([total]), problem, one_start=True))

    def _prepare_labelled(self, X, y, sample_weight):
        """Rows, weights and components of a fit with some labels; unlabelled rows of weight 0 are left out."""
        X = self._validate(X, reset=True, ensure_min_samples=self._min_samples)
        labels = partial_labels(y, X, type(self).__name__, minimum=0)
        weights = check_weights(sample_weight, X)
        weights = np.ones(X.shape[0]) if weights is None else weights.astype(np.float64)
        weights[~labels.known] *= self.unlabeled_weight
        used = weights > 0
        self.classes_, codes = np.unique(labels.codes[used], return_inverse=True)
        codes = codes.ravel() - np.count_nonzero(self.classes_ < 0)  # classes without a row of positive weight are gone
        self.classes_ = labels.classes[self.classes_[self.classes_ >= 0]]
        if len(self.classes_) > self.n_components:
            raise ValueError(
                f"y has {len(self.classes_)} classes, more than n_components={self.n_components}; every class is a "
                "component."
            )
        if used.sum() < self.n_components:
            raise ValueError(
                f"Expected n_samples >= n_components but got n_components = {self.n_components}, n_samples = "
                f"{used.sum()}."
            )
        weights = weights[used]
        return X[used], None if (weights == 1).all() else weights, codes

    def _start(self, init, problem, rng):
        weights, means, factor = init
        estimated = None
        if weights is None or means is None or factor is None:
            order = 2 if self.covariance_type == "tied" else order_of(self.covariance_type)
            moments = problem.start_moments(self.n_components, self.init_params, rng, order)
            counts, own_means, covariances = moments.estimates(self.covariance_type)
            covariances = regularised(covariances, self.covariance_type, self.reg_covar)
            weights = counts / counts.sum() if weights is None else weights
            means = own_means if means is None else means
            estimated = covariances if factor is None else None
        if estimated is None:
            return NormalParameters(
                self.covariance_type, weights, means, covariances_from_factor(factor, self.covariance_type), factor
            )
        return NormalParameters.of(self.covariance_type, weights, means, estimated)

    def fit_complete(self, X, y, sample_weight=None):
        """Fit with known components: class proportions, means and covariances in closed form.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels; their sorted order gives the components.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        X, weights = self._prepare(X, sample_weight)
        if np.isnan(X).any():
            raise ValueError("Input X contains NaN: fit_complete does not support missing values; use fit.")
        labels = np.asarray(y)
        if sample_weight is not None:
            labels, _ = kept_rows(labels, np.broadcast_to(np.asarray(sample_weight, dtype=np.float64), labels.shape))
        if labels.shape != (X.shape[0],):
            raise ValueError(f"y must hold one label per row of X, expected shape ({X.shape[0]},), got {np.shape(y)}.")
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) != self.n_components:
            raise ValueError(
                f"y has {len(classes)} distinct labels, but n_components={self.n_components}; they must be equal."
            )
        R = np.zeros((X.shape[0], len(classes)))
        R[np.arange(len(codes)), codes] = 1.0
        order = 2 if self.covariance_type == "tied" else order_of(self.covariance_type)
        parameters = responsibility_moments(X, R, weights, order=order).solve(self.covariance_type, self.reg_covar)
        vars(self).update(self._attributes(parameters, X.dtype))
        self.converged_, self.n_iter_ = True, 0
        return self

    def _settings_of(self, parameters):
        unset = dict.fromkeys(["weights_init", "means_init", "precisions_init"])
        return {**super()._settings_of(parameters), **unset}

    def _n_parameters(self):
        return self._parameters().n_free()


def _agreeing(R, codes, weights):
    """Start responsibilities in the order of the classes that they agree with best, and 1 for known components."""
    known = codes >= 0
    if not known.any():
        return R
    votes = np.zeros((R.shape[1], R.shape[1]))
    np.add.at(votes, codes[known], R[known] if weights is None else R[known] * weights[known, None])
    R = R[:, linear_sum_assignment(votes, maximize=True)[1]]
    R[known] = 0.0
    R[known, codes[known]] = 1.0
    return R
