"""Factorization machines: linear models with low-rank pairwise interactions."""

from functools import partial

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.docstrings import filled
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, encode_classes, require_finite, validate_data
from statlearn._core.warnings import MAX_ITER, warn_if_stopped
from statlearn._math.rows.linear_scores import margin_probabilities
from statlearn._math.rows.rows import Rows
from statlearn.linear.robust._m_estimation import signed_gram

from ._pair_terms import PairQuadratic, PairTerms

_LARGE_PENALTY = 1e6  # curvatures that differ by more than this slow L-BFGS down
_WIDEST = 700  # features and pairs; up to this width, cross-products replace the rows

_CONSTRAINTS = {
    "n_components": [Int(1, None)],
    "alpha_intercept": [Real(0, None)],
    "alpha_linear": [Real(0, None)],
    "alpha_pairs": [Real(0, None)],
    "pairwise": [Options("factors", "full")],
    "fit_intercept": ["boolean"],
    "init_scale": [Real(0, 1e6, closed="right")],
    "max_iter": [Int(1, None)],
    "tol": [Real(0, None)],
    "random_state": ["random_state"],
}

_PARAMETERS = """n_components : int, default=8
        Rank k of the pairwise weights (length of the factor vectors).
    alpha_intercept : float, default=0.0
        Penalty on the squared intercept.
    alpha_linear : float, default=1.0
        Penalty on the squared linear weights.
    alpha_pairs : float, default=1.0
        Penalty on the squared factors, or on the squared pairwise weights with ``pairwise="full"``.
    pairwise : {"factors", "full"}, default="factors"
        With "factors" the pair (i, j) has the weight <v_i, v_j>; with "full" every pair has its own weight.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    init_scale : float, default=0.1
        Standard deviation of the random initial factors.
    max_iter : int, default=1000
        Maximum number of L-BFGS iterations.
    tol : float, default=1e-6
        Stop when the largest component of the gradient of the mean objective is at most `tol`.
    random_state : int, RandomState or None, default=0
        Seed of the initial factors. With factors the objective is not convex, so another seed can lead to another
        minimum."""

_NOTES = """Scores and gradients cost O(k) per non-zero entry of X, by the identity
    sum_{i<j} <v_i, v_j> x_i x_j = (abs(sum_j x_j v_j)^2 - sum_j x_j^2 abs(v_j)^2) / 2. The full form costs O(p^2) per
    row and is convex. With up to 36 features and enough rows, the cross-products of all features and pairs are formed
    instead (once for the squared loss, a few times for the logistic loss), and L-BFGS runs on them. The model does not
    contain squares of single features. Standardise or one-hot encode the features, because penalties and products
    depend on their scale. The factors are determined only up to rotation; interpret `interactions_` instead."""


def _pair_scores(X, W):
    """sum_{i<j} W_ij x_i x_j for each row, W symmetric with zero diagonal."""
    product = X @ W
    if sparse.issparse(X):
        return 0.5 * np.asarray(X.multiply(product).sum(axis=1), dtype=float).ravel()
    return 0.5 * np.einsum("ij,ij->i", product, X)


class _FactorizationMachine(BaseEstimator):
    """Objective, solver and scores shared by the classifier and the regressor."""

    _logistic = False

    def __init__(
        self,
        n_components=8,
        *,
        alpha_intercept=0.0,
        alpha_linear=1.0,
        alpha_pairs=1.0,
        pairwise="factors",
        fit_intercept=True,
        init_scale=0.1,
        max_iter=1000,
        tol=1e-6,
        random_state=0,
    ):
        self.n_components = n_components
        self.alpha_intercept = alpha_intercept
        self.alpha_linear = alpha_linear
        self.alpha_pairs = alpha_pairs
        self.pairwise = pairwise
        self.fit_intercept = fit_intercept
        self.init_scale = init_scale
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _validate(self, X, *y, reset=False, **options):
        options = {"dtype": FLOATS, "order": "C", "accept_sparse": "csr", "accept_large_sparse": False, **options}
        return validate_data(self, X, *y, reset=reset, **options)

    def _pair_start(self, p):
        if self.pairwise == "full":
            return np.zeros(p * (p - 1) // 2)
        generator = check_random_state(self.random_state)
        return self.init_scale * generator.standard_normal((p, self.n_components)).ravel()

    def _loss(self, rows, parameters, y, weights, gradient):
        """Sum of the losses without penalty; its gradient."""
        if self.pairwise == "factors":
            return rows.kernel("fm_loss", by="rows")(
                y, weights, self._logistic, parameters, self.n_components, gradient
            )
        p = rows.p
        f = self._scores(rows, parameters, None)
        if self._logistic:
            value = weights @ np.logaddexp(0.0, -y * f)
            slope = -weights * y * expit(-y * f)
        else:
            value, slope = weights @ (y - f) ** 2, 2 * weights * (f - y)
        gradient[0] = slope.sum()
        gradient[1 : p + 1] = rows.X.T @ slope
        gradient[p + 1 :] = signed_gram(rows.X, slope)[np.triu_indices(p, 1)]
        return value

    def _scores(self, rows, parameters, rank):
        """Scores of one machine, with factors of the given rank, or None for the full form."""
        if rank is not None:
            scores = np.empty(rows.n)
            rows.kernel("fm_scores", by="rows")(parameters, rank, scores)
            return scores
        p = rows.p
        return (
            parameters[0] + rows.X @ parameters[1 : p + 1] + _pair_scores(rows.X, self._square(parameters[p + 1 :], p))
        )

    @staticmethod
    def _square(upper, p):
        W = np.zeros((p, p))
        W[np.triu_indices(p, 1)] = upper
        return W + W.T

    def _minimise(self, rows, y, weights, bias):
        """One machine: (parameters, objective, iterations, converged)."""
        p = rows.p
        start = np.concatenate([[bias], np.zeros(p), self._pair_start(p)])
        start[p + 1 :] /= self._units(start, weights.sum())[p + 1 :]
        terms = PairTerms(rows.X)
        if terms.size > _WIDEST or 4 * terms.size > terms.n:
            loss = partial(self._loss_and_gradient, rows, y, weights)
            return self._descend(loss, start, weights.sum(), self.tol, self.max_iter)
        if self._logistic:
            return self._descend_by_models(terms, y, weights, start)
        c, b, A = terms.squared(y, weights)
        model = PairQuadratic(c, -2.0 * b, 2.0 * A, np.zeros(terms.size))
        return self._descend(partial(self._through_pairs, model), start, weights.sum(), self.tol, self.max_iter)

    def _loss_and_gradient(self, rows, y, weights, parameters):
        gradient = np.empty_like(parameters)
        return self._loss(rows, np.ascontiguousarray(parameters), y, weights, gradient), gradient

    def _descend(self, loss, start, total, tol, max_iter):
        """L-BFGS on ``loss(parameters) -> value, gradient`` plus the penalty, both divided by `total`."""
        strength, unit = self._strength(start), self._units(start, total)

        def objective(scaled):
            parameters = scaled / unit
            value, gradient = loss(parameters)
            gradient += 2 * strength * parameters
            if not self.fit_intercept:
                gradient[0] = 0.0
            return (value + strength @ parameters**2) / total, gradient / total / unit

        options = {"maxiter": max_iter, "maxfun": 5 * max_iter + 100, "gtol": tol, "ftol": 0.0, "maxcor": 20}
        # scipy's L-BFGS solves systems of a few dozen unknowns, for which BLAS threads cost far more than they gain.
        with single_blas_thread():
            solution = minimize(objective, start * unit, jac=True, method="L-BFGS-B", options=options)
        return solution.x / unit, float(solution.fun), int(solution.nit), solution.status != 1

    def _units(self, parameters, total):
        """Scales of the parameters in which even the largest penalties have a curvature of about 1."""
        strength = self._strength(parameters) / total
        return np.sqrt(np.where(strength > _LARGE_PENALTY, strength, 1.0))

    def _strength(self, parameters):
        p = self.n_features_in_
        sizes = [1, p, parameters.size - p - 1]
        return np.repeat(np.array([self.alpha_intercept, self.alpha_linear, self.alpha_pairs], dtype=float), sizes)

    def _pair_weights(self, parameters):
        """The u of `PairTerms`: intercept, linear weights, weights of the pairs."""
        p = self.n_features_in_
        if self.pairwise == "full":
            return np.array(parameters)
        V = parameters[p + 1 :].reshape(p, -1)
        return np.append(parameters[: p + 1], np.einsum("if,jf->ij", V, V)[np.triu_indices(p, 1)])

    def _through_pairs(self, model, parameters):
        """Value and gradient of a function of the pair weights, as one of the parameters."""
        p = self.n_features_in_
        value, g = model(self._pair_weights(parameters))
        if self.pairwise == "full":
            return value, g
        V = parameters[p + 1 :].reshape(p, -1)
        return value, np.append(g[: p + 1], np.einsum("ij,jf->if", self._square(g[p + 1 :], p), V))

    def _descend_by_models(self, terms, y, weights, parameters):
        """Minimise the logistic loss through quadratic models in the pair weights, damped until each step helps."""
        total, strength = weights.sum(), self._strength(parameters)
        damping, steps, objective = 0.0, 0, np.inf
        value, g, H = terms.logistic(self._pair_weights(parameters), y, weights)
        while True:
            model = PairQuadratic(value, g, (1.0 + damping) * H, self._pair_weights(parameters))
            gradient = self._through_pairs(model, parameters)[1] + 2 * strength * parameters
            if not self.fit_intercept:
                gradient[0] = 0.0
            steepest = np.abs(gradient).max() / total
            objective = (value + strength @ parameters**2) / total
            if steepest <= self.tol or steps >= self.max_iter:
                return parameters, float(objective), steps, steepest <= self.tol
            # Solving a model more accurately than a fraction of its possible gain is wasted work.
            goal = max(0.3 * self.tol, 1e-3 * steepest)
            trial, promised, n_steps, _ = self._descend(
                partial(self._through_pairs, model), parameters, total, goal, self.max_iter - steps
            )
            steps += max(n_steps, 1)
            new = terms.logistic(self._pair_weights(trial), y, weights)
            reached = (new[0] + strength @ trial**2) / total
            gain = objective - promised
            if gain <= 1e-15 * abs(objective):  # rounding
                return parameters, float(objective), steps, True
            if reached <= objective - 0.1 * gain:
                parameters, (value, g, H), damping = trial, new, damping / 4
            else:
                damping = max(4.0 * damping, 0.5)

    def _fit_machines(self, X, targets, weights, biases):
        """One machine per target; sets the attributes."""
        dtype = X.dtype
        if weights is None:
            weights = np.ones(X.shape[0])
        elif not weights.all():
            rows = np.flatnonzero(weights)
            X, targets, weights = X[rows], [t[rows] for t in targets], weights[rows]
        weights = weights.astype(np.float64)
        rows, p = Rows(X), X.shape[1]
        fits = [self._minimise(rows, np.ascontiguousarray(t, float), weights, b) for t, b in zip(targets, biases)]
        if not all(done for *_, done in fits):
            warn_if_stopped(self, MAX_ITER, f"L-BFGS reached {self.max_iter} iterations")
        parameters = np.stack([fit[0] for fit in fits])
        require_finite(parameters, [fit[1] for fit in fits])  # products of columns overflow first
        self.intercept_ = parameters[:, 0].astype(dtype)
        self.coef_ = parameters[:, 1 : p + 1].astype(dtype)
        pairs = parameters[:, p + 1 :]
        if self.pairwise == "factors":
            factors = pairs.reshape(len(fits), p, self.n_components)
            self.factors_ = factors.astype(dtype)
            W = factors @ factors.transpose(0, 2, 1)
            W[:, np.arange(p), np.arange(p)] = 0.0
        else:
            self.factors_ = None
            W = np.stack([self._square(upper, p) for upper in pairs])
        require_finite(W, remedy="Scale them, or use a smaller init_scale.")
        self.interactions_ = W.astype(dtype)
        self.objective_ = [fit[1] for fit in fits]
        self.n_iter_ = max(fit[2] for fit in fits)

    def _all_scores(self, X):
        """Scores of every machine, (n_samples, n_machines)."""
        check_is_fitted(self)
        X = self._validate(X)
        rows, p = Rows(X), X.shape[1]
        rank = None if self.factors_ is None else self.factors_.shape[2]
        columns = []
        for k, intercept in enumerate(self.intercept_):
            pairs = self.interactions_[k][np.triu_indices(p, 1)] if self.factors_ is None else self.factors_[k].ravel()
            parameters = np.concatenate([[intercept], self.coef_[k], pairs]).astype(np.float64)
            columns.append(self._scores(rows, parameters, rank))
        return np.column_stack(columns).astype(X.dtype)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@filled(parameters=_PARAMETERS, notes=_NOTES)
class FactorizationMachineRegressor(RegressorMixin, _FactorizationMachine):
    r"""Factorization machine for regression, with low-rank pairwise interactions.

    Minimises over the intercept, the linear weights and the factor vectors, with S the sum of the sample weights s_i,

    .. math:: \frac{1}{S} \sum_i s_i (y_i - f(x_i))^2 + \frac{\lambda_0}{S} w_0^2
        + \frac{\lambda_1}{S} \sum_j w_j^2 + \frac{\lambda_2}{S} \sum_j \lVert v_j \rVert^2, \qquad
        f(x) = w_0 + \sum_j w_j x_j + \sum_{i<j} \langle v_i, v_j \rangle x_i x_j

    The loss is a weighted mean without a factor 1/2, and each penalty is divided by S as well.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    intercept_ : ndarray of shape (1,)
    coef_ : ndarray of shape (1, n_features)
    factors_ : ndarray of shape (1, n_features, n_components), or None with ``pairwise="full"``
    interactions_ : ndarray of shape (1, n_features, n_features)
        Symmetric matrix of pairwise weights with zero diagonal.
    objective_ : list of float
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    {notes}

    References
    ----------
    S. Rendle, "Factorization machines", ICDM 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import FactorizationMachineRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = 1 + X[:, 0] + 2 * X[:, 1] * X[:, 2]
    >>> model = FactorizationMachineRegressor(alpha_linear=0, alpha_pairs=1e-3).fit(X, y)
    >>> model.interactions_[0].round(2) + 0.0
    array([[0., 0., 0.],
           [0., 0., 2.],
           [0., 2., 0.]])
    """

    _constraints = _CONSTRAINTS

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        X, y = self._validate(X, y, reset=True, y_numeric=True)
        weights = check_weights(sample_weight, X)
        y = y.astype(np.float64)
        bias = np.average(y, weights=weights) if self.fit_intercept else 0.0
        self._fit_machines(X, [y], weights, [bias])
        return self

    def predict(self, X):
        """Predicted values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._all_scores(X)[:, 0]


@filled(parameters=_PARAMETERS, notes=_NOTES)
class FactorizationMachineClassifier(ClassifierMixin, _FactorizationMachine):
    r"""Factorization machine for classification, with logistic loss and low-rank pairwise interactions.

    Minimises over the intercept, the linear weights and the factor vectors, with labels y = ±1 and S the sum of the
    sample weights s_i,

    .. math:: \frac{1}{S} \sum_i s_i \log(1 + e^{-y_i f(x_i)}) + \frac{\lambda_0}{S} w_0^2
        + \frac{\lambda_1}{S} \sum_j w_j^2 + \frac{\lambda_2}{S} \sum_j \lVert v_j \rVert^2, \qquad
        f(x) = w_0 + \sum_j w_j x_j + \sum_{i<j} \langle v_i, v_j \rangle x_i x_j

    The loss is a weighted mean, and each penalty is divided by S as well. More than two classes are fitted one-vs-rest.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : ndarray
    intercept_ : ndarray of shape (1,) or (n_classes,)
    coef_ : ndarray of shape (1 or n_classes, n_features)
    factors_ : ndarray of shape (1 or n_classes, n_features, n_components), or None with ``pairwise="full"``
    interactions_ : ndarray of shape (1 or n_classes, n_features, n_features)
        Symmetric matrix of pairwise weights with zero diagonal.
    objective_ : list of float
        Minimised objective of each one-vs-rest model.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    {notes}

    References
    ----------
    S. Rendle, "Factorization machines", ICDM 2010.

    Examples
    --------
    >>> from statlearn.linear import FactorizationMachineClassifier
    >>> X = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    >>> y = ["same", "different", "different", "same"]
    >>> model = FactorizationMachineClassifier(n_components=2, alpha_pairs=0.01).fit(X, y)
    >>> print(model.predict(X))
    ['same' 'different' 'different' 'same']
    """

    _constraints = _CONSTRAINTS
    _logistic = True

    def fit(self, X, y, sample_weight=None):
        """Fit one model, or one per class for more than two classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        X, y = self._validate(X, y, reset=True)
        weights = check_weights(sample_weight, X)
        present = y if weights is None else y[weights > 0]
        self.classes_, _ = encode_classes(present, owner=type(self).__name__)
        wanted = self.classes_[1:] if self.classes_.size == 2 else self.classes_
        targets = [np.where(y == label, 1.0, -1.0) for label in wanted]
        self._fit_machines(X, targets, weights, [0.0] * len(targets))
        return self

    def decision_function(self, X):
        """Scores f(x): one per row for two classes, one per row and class otherwise.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        scores = self._all_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X):
        """Predicted class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    def predict_proba(self, X):
        """Class probabilities; normalised one-vs-rest probabilities for more than two classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        return margin_probabilities("log_loss", scores)

    def predict_log_proba(self, X):
        """Logarithms of `predict_proba`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.log(self.predict_proba(X))
