"""Shared part of mixtures of experts and of regressions: the fit, and predictions from gates and experts."""

import numpy as np
from scipy.special import logsumexp, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.callbacks import CallbackSupportMixin, FitSteps
from statlearn._core.params import Int, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, encode_classes, validate_data
from statlearn._math.inference import aic_of, bic_of

from ._base import ACCELERATION, EM_CONSTRAINTS
from ._em import EMDriver
from ._experts import (
    ExpertProblem,
    ExpertTree,
    GateTree,
    GaussianExperts,
    Leaves,
    LogisticExperts,
    Standard,
    principal_axis,
    sliced_leaves,
)

EXPERT_CONSTRAINTS = {
    "alpha": [Real(0, None)],
    "tol": EM_CONSTRAINTS["tol"],
    "max_iter": [Int(1, None)],
    "n_init": EM_CONSTRAINTS["n_init"],
    "responsibilities_init": ["array-like", None],
    "random_state": ["random_state"],
    "acceleration": ACCELERATION,
}

# Smallest variance of an expert, as a share of the variance of y.
_VARIANCE_FLOOR = 1e-8
# How sure the first responsibilities are of their slice.
_SURE = 0.9


class ExpertsBase(CallbackSupportMixin, BaseEstimator):
    """A tree of gates over experts. A subclass defines its branching, and mixins define the experts."""

    _constant_gates = False

    def _branching(self):
        raise NotImplementedError

    def _fit_experts(self, X, y, experts, weights, responsibilities):
        """Run generalized EM from several starts, or from given responsibilities, and set the attributes."""
        dtype = X.dtype
        X = np.asarray(X, dtype=np.float64)
        w = np.ones(X.shape[0]) if weights is None else weights
        tree = GateTree(self._branching(), self.alpha, self._constant_gates)
        with single_blas_thread():
            standard = Standard.of(X, w)
            Z = standard.apply(X)
            problem = ExpertProblem(Z, w, tree, experts)
            rng = check_random_state(self.random_state)
            steps = FitSteps(self, X, y, weights, max_steps=self.n_init * self.max_iter + 1, name="EM step")
            driver = EMDriver(
                problem.e_step,
                problem.m_step,
                generalized=True,
                tol=self.tol,
                max_iter=self.max_iter,
                n_init=1 if responsibilities is not None or tree.n_leaves == 1 else self.n_init,
                acceleration=self.acceleration,
                pack=problem.pack,
                unpack=problem.unpack,
                report=lambda n_iter, value, parameters: steps.advance(
                    lambda: self._attributes(parameters, standard, dtype)
                ),
            )
            with steps:
                steps.begin()
                result = driver.run(lambda i: self._start(problem, rng, i, responsibilities))
            vars(self).update(self._attributes(result.parameters, standard, dtype))
            penalty = tree.penalty(result.parameters.gates) + experts.penalty(result.parameters.leaves)
        self.n_iter_, self.converged_ = result.n_iter, result.converged
        self.lower_bound_history_ = result.history * problem.total
        self.log_likelihood_ = result.objective * problem.total + penalty
        driver.warn_unless_converged(self, result)
        return self

    # ----------------------------------------------------------------------------------------------------- start values

    def _blank(self, problem):
        p = problem.Z.shape[1]
        L = problem.tree.n_leaves
        shape = (L, p + 1) if isinstance(problem.experts, GaussianExperts) else (L, problem.experts.rows, p + 1)
        return ExpertTree(problem.tree.zeros(p), Leaves(np.zeros(shape), np.ones(L)))

    def _start(self, problem, rng, i, responsibilities):
        """The first M step, from responsibilities: slices across the widest direction, then across random ones."""
        L, n = problem.tree.n_leaves, len(problem.Z)
        if responsibilities is not None:
            R = responsibilities
        else:
            branching = problem.tree.branching
            if i == 0:
                directions = [principal_axis(problem.Z, problem.weights)] * len(branching)
            else:
                directions = rng.standard_normal((len(branching), problem.Z.shape[1]))
            leaf = sliced_leaves(problem.Z, problem.weights, branching, directions)
            R = np.full((n, L), (1.0 - _SURE) / L)
            R[np.arange(n), leaf] += _SURE
        return problem.m_step(R * problem.weights[:, None], self._blank(problem))

    def _check_responsibilities(self, n, used):
        """Initial responsibilities as an (n, leaves) matrix, from such a matrix or from leaf numbers; or None."""
        if self.responsibilities_init is None:
            return None
        L = int(np.prod(self._branching()))
        R = check_array(self.responsibilities_init, ensure_2d=False, dtype=np.float64)
        if R.ndim == 1 and R.shape == (n,) and np.all((np.floor(R) == R) & (R >= 0) & (R < L)):
            R = np.eye(L)[R.astype(int)]
        if R.shape != (n, L) or np.any(R < 0) or not np.allclose(R.sum(axis=1), 1.0):
            raise ValueError(
                f"`responsibilities_init` must hold expert numbers from 0 to {L - 1} or probabilities of "
                f"shape {(n, L)}, got shape {R.shape}."
            )
        return R if used is None else R[used]

    # ------------------------------------------------------------------------------------------------------ attributes

    def _attributes(self, parameters, standard, dtype):
        theta = standard.plain(parameters.leaves.theta).astype(dtype)
        gates = [standard.plain(gate).astype(dtype) for gate in parameters.gates]
        attributes = {"coef_": theta[..., :-1], "intercept_": theta[..., -1]}
        attributes.update(self._gate_attributes(gates))
        return {**attributes, **self._expert_attributes(parameters.leaves, dtype)}

    def _gate_attributes(self, gates):
        return {"gate_coef_": gates[0][0][:, :-1], "gate_intercept_": gates[0][0][:, -1]}

    def _gates(self):
        return [np.concatenate([self.gate_coef_, self.gate_intercept_[:, None]], axis=1).astype(np.float64)[None]]

    def _leaves(self):
        theta = np.concatenate([self.coef_, self.intercept_[..., None]], axis=-1).astype(np.float64)
        variance = getattr(self, "variance_", np.ones(len(theta)))
        return Leaves(theta, np.asarray(variance, dtype=np.float64))

    def _tree(self):
        return GateTree([gate.shape[1] for gate in self._gates()], 0.0, self._constant_gates)

    # ------------------------------------------------------------------------------------------------------ predictions

    def _rows(self, X):
        check_is_fitted(self)
        return validate_data(self, X, dtype=FLOATS, reset=False).astype(np.float64)

    def gate_proba(self, X):
        """Probability of each expert given the row, before observing y.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_experts)
        """
        return np.exp(self._tree().leaf_log_probabilities(self._rows(X), self._gates()))

    def responsibilities(self, X, y):
        """Probability of each expert given the row and y.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        ndarray of shape (n_samples, n_experts)
        """
        return softmax(self._log_joint(X, y), axis=1)

    def log_density(self, X, y):
        """log p(y | x) of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return logsumexp(self._log_joint(X, y), axis=1)

    def _log_joint(self, X, y):
        check_is_fitted(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, reset=False)
        Z = X.astype(np.float64)
        gates = self._tree().leaf_log_probabilities(Z, self._gates())
        return gates + self._experts_for(y).log_density(Z, self._leaves())

    def _n_parameters(self):
        p = self.n_features_in_
        return self._tree().n_parameters(p) + self._tree().n_leaves * self._any_experts().n_parameters(p)

    def bic(self, X, y):
        """Bayesian information criterion of p(y | x); lower is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        float
        """
        rows = self.log_density(X, y)
        return float(bic_of(-2.0 * rows.sum(), self._n_parameters(), len(rows)))

    def aic(self, X, y):
        """Akaike information criterion of p(y | x); lower is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        float
        """
        return float(aic_of(-2.0 * self.log_density(X, y).sum(), self._n_parameters()))

    def _prepare(self, X, y, sample_weight, **options):
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, **options)
        weights = check_weights(sample_weight, X)
        used = None
        if weights is not None:
            weights = weights.astype(np.float64)
            if not np.all(weights > 0):
                used = weights > 0
        responsibilities = self._check_responsibilities(X.shape[0], used)
        if used is not None:
            X, y, weights = X[used], y[used], weights[used]
        leaves = int(np.prod(self._branching()))
        if X.shape[0] < leaves:
            raise ValueError(f"Expected n_samples >= number of experts but got {leaves} experts, n_samples = {len(X)}.")
        return X, y, weights, responsibilities


class GaussianExpertsMixin(RegressorMixin):
    """Linear experts with normal errors."""

    def fit(self, X, y, sample_weight=None):
        """Fit gates and experts.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A row of weight k counts k times; a row of weight 0 is ignored.

        Returns
        -------
        self
        """
        X, y, weights, responsibilities = self._prepare(X, y, sample_weight, y_numeric=True)
        target = y.astype(np.float64)
        mean = np.average(target, weights=weights)
        spread = float(np.average((target - mean) ** 2, weights=weights))
        experts = GaussianExperts(target, max(_VARIANCE_FLOOR * spread, np.finfo(np.float64).tiny))
        return self._fit_experts(X, y, experts, weights, responsibilities)

    def _expert_attributes(self, leaves, dtype):
        return {"variance_": leaves.variance.astype(dtype)}

    def _experts_for(self, y):
        return GaussianExperts(np.asarray(y, dtype=np.float64), 0.0)

    def _any_experts(self):
        return GaussianExperts(np.empty(0), 0.0)

    def predict_experts(self, X):
        """Predictions of each expert.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_experts)
        """
        return self._any_experts().mean(self._rows(X), self._leaves())

    def predict(self, X):
        """Expected y: the predictions of the experts, weighted by the gates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        Z = self._rows(X)
        gates = np.exp(self._tree().leaf_log_probabilities(Z, self._gates()))
        return np.sum(gates * self._any_experts().mean(Z, self._leaves()), axis=1).astype(self.coef_.dtype)


class LogisticExpertsMixin(ClassifierMixin):
    """Logistic experts."""

    def fit(self, X, y, sample_weight=None):
        """Fit gates and experts.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A row of weight k counts k times; a row of weight 0 is ignored.

        Returns
        -------
        self
        """
        X, y, weights, responsibilities = self._prepare(X, y, sample_weight)
        self.classes_, codes = encode_classes(y, owner=type(self).__name__)
        experts = LogisticExperts(codes, len(self.classes_), self.alpha)
        return self._fit_experts(X, y, experts, weights, responsibilities)

    def _expert_attributes(self, leaves, dtype):
        return {}

    def _experts_for(self, y):
        codes = np.searchsorted(self.classes_, y)
        if np.any(codes >= len(self.classes_)) or np.any(self.classes_[np.minimum(codes, len(self.classes_) - 1)] != y):
            raise ValueError("y contains a class that was not seen in fit.")
        return LogisticExperts(codes, len(self.classes_), 0.0)

    def _any_experts(self):
        return LogisticExperts(np.empty(0, dtype=int), len(self.classes_), 0.0)

    def predict_experts(self, X):
        """Class probabilities of each expert.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_experts, n_classes)
        """
        return self._any_experts().mean(self._rows(X), self._leaves())

    def predict_proba(self, X):
        """Class probabilities of the experts, weighted by the gates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        Z = self._rows(X)
        gates = np.exp(self._tree().leaf_log_probabilities(Z, self._gates()))
        each = self._any_experts().mean(Z, self._leaves())
        return np.einsum("nl,nlc->nc", gates, each).astype(self.coef_.dtype)

    def predict(self, X):
        """The most probable class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        P = self.predict_proba(X)
        return self.classes_[P.argmax(axis=1)]
