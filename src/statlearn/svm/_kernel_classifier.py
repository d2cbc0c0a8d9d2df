"""Base class of `SVC` and `NuSVC`: pairs of classes, votes, probabilities and the layout of the dual coefficients."""

import functools
import itertools

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_weights import class_factors
from statlearn._core.params import Instance, Options, check_params
from statlearn._core.validation import check_labels
from statlearn._math.solvers.platt import platt_sigmoid
from statlearn.svm._machine import KERNEL_CONSTRAINTS, KernelMachine, sparse_like
from statlearn.svm._pair_probabilities import couple_pairs, held_out_values
from statlearn.svm._solver import StepSettings, solve

CLASSIFIER_CONSTRAINTS: dict[str, list] = {
    **KERNEL_CONSTRAINTS,
    "class_weight": [Options("balanced"), Instance(dict), None],
    "decision_function_shape": [Options("ovr", "ovo")],
    "break_ties": ["boolean"],
    "random_state": ["random_state"],
    "probability": ["boolean"],
}


def ovr_scores(wins_low, confidences, n_classes):
    """Per-class scores from one-vs-one decisions: votes plus a monotone map of summed confidences into (-1/3, 1/3).

    `wins_low` says that pair (i, j), i < j, votes for j; `confidences` are positive for j. This is scikit-learn's
    convention, in which the votes decide and the summed decision values break ties.
    """
    votes = np.zeros((wins_low.shape[0], n_classes))
    sums = np.zeros_like(votes)
    for k, (i, j) in enumerate(itertools.combinations(range(n_classes), 2)):
        sums[:, i] -= confidences[:, k]
        sums[:, j] += confidences[:, k]
        votes[~wins_low[:, k], i] += 1
        votes[wins_low[:, k], j] += 1
    return votes + sums / (3 * (np.abs(sums) + 1))


class KernelClassifier(ClassifierMixin, KernelMachine):
    """Base of `SVC` and `NuSVC`: pairs of classes, votes, and the layout of the dual coefficients."""

    def fit(self, X, y, sample_weight=None):
        """Fit the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows, or the kernel matrix of shape (n_samples, n_samples) with ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weight of every row: its C is multiplied by the weight. A weight of k equals k copies of the row. Rows with
            negative weights are left out with a warning, as in scikit-learn.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = self._validate(X, y)
        check_labels(y)
        self._refuse_one_class(y, sample_weight)
        table, used, weights = self._prepare(X, sample_weight)
        y = y[used]
        classes, codes = np.unique(y, return_inverse=True)
        if classes.size < 2:
            raise ValueError(f"The number of classes in y has to be greater than one; got {classes.size} class.")
        self.classes_ = classes
        self._one_vs_rest = getattr(self, "multi_class", "ovo") == "ovr"
        self.class_weight_ = class_factors(self.class_weight, classes, codes, weights)
        bounds = self.class_weight_[codes] * (1.0 if weights is None else weights)
        self._fit_machines(X, table, used, codes, bounds)
        self.probA_ = self.probB_ = np.empty(0)
        if self.probability:
            self._fit_sigmoids(table, codes, bounds)
        return self

    def _refuse_one_class(self, y, sample_weight):
        weights = None if sample_weight is None else np.asarray(sample_weight)
        if weights is None or weights.shape != y.shape or weights.dtype.kind not in "biuf" or not np.any(weights > 0):
            return
        if np.unique(y).size > 1 and np.unique(y[weights > 0]).size < 2:
            what = "Invalid input" if type(self).__name__ == "SVC" else "specified nu is infeasible"
            raise ValueError(
                f"{what} - all samples with positive weights belong to the same class. Check sample_weight."
            )

    def _fit_sigmoids(self, table, codes, bounds):
        machines = self._machines(codes)
        settings = StepSettings(
            tol=self.tol, max_iter=self.max_iter, cache_size=self.cache_size, shrinking=self.shrinking
        )
        solver = functools.partial(solve, settings=settings)
        values = held_out_values(solver, table, machines, *self._folds(bounds), self.random_state)
        fitted = [platt_sigmoid(f, y > 0, bounds[rows]) for f, (rows, y) in zip(values, machines)]
        self.probA_, self.probB_ = -np.array(fitted).T  # libsvm writes 1 / (1 + exp(A f + B))

    def _has_probabilities(self):
        if not self.probability:
            raise AttributeError("predict_proba is not available when probability=False; set probability=True.")
        return True

    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """Class probabilities by Platt's sigmoids, coupled over pairs for more than two classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        values = self._pair_sums(X)
        if self.probA_.size == 0:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False; set probability=True and fit again."
            )
        p = expit(-(values * self.probA_ + self.probB_))
        k = self.classes_.size
        if k == 2:
            return np.column_stack([1.0 - p[:, 0], p[:, 0]])
        if self._one_vs_rest:
            return p / p.sum(axis=1, keepdims=True)
        p = np.clip(p, 1e-7, 1 - 1e-7)
        r = np.zeros((p.shape[0], k, k))
        for c, (i, j) in enumerate(itertools.combinations(range(k), 2)):
            r[:, i, j], r[:, j, i] = p[:, c], 1.0 - p[:, c]
        return couple_pairs(r)

    @available_if(_has_probabilities)
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

    def _machines(self, codes):
        """Rows and labels +-1 of every binary problem."""
        k = self.classes_.size
        if k == 2:
            return [(np.arange(codes.size), np.where(codes == 1, 1.0, -1.0))]
        if self._one_vs_rest:
            return [(np.arange(codes.size), np.where(codes == c, 1.0, -1.0)) for c in range(k)]
        pairs = []
        for i, j in itertools.combinations(range(k), 2):
            rows = np.flatnonzero((codes == i) | (codes == j))
            pairs.append((rows, np.where(codes[rows] == i, 1.0, -1.0)))
        return pairs

    def _set_attributes(self, X, positions, codes, machines, coefs, intercepts, steps):
        """Support vectors by class, and dual coefficients in libsvm's layout (one-vs-one) or one row per class."""
        k, n = self.classes_.size, codes.size
        used = np.zeros(n, dtype=bool)
        for (rows, _), coef in zip(machines, coefs):
            used[rows[coef != 0]] = True
        order = np.flatnonzero(used)
        order = order[np.argsort(codes[order], kind="stable")]
        self._n_support = np.bincount(codes[order], minlength=k).astype(np.int32)
        pairwise = k > 2 and not self._one_vs_rest
        layout = np.zeros((k - 1 if pairwise else len(machines), n))
        if pairwise:
            for (rows, _), coef, (i, j) in zip(machines, coefs, itertools.combinations(range(k), 2)):
                first = codes[rows] == i
                layout[j - 1, rows[first]] = coef[first]
                layout[i, rows[~first]] = coef[~first]
        else:
            for r, ((rows, _), coef) in enumerate(zip(machines, coefs)):
                layout[r, rows] = coef
        self._keep_support(X, positions[order])
        self.dual_coef_ = sparse_like(np.ascontiguousarray(layout[:, order]), self.support_vectors_)
        self.intercept_ = np.asarray(intercepts, dtype=np.float64)
        self.n_iter_ = np.asarray(steps, dtype=np.int32)
        self._require_finite()

    def _pair_sums(self, X):
        """Decision values of the machines: positive means the second class of two, the first class of a pair."""
        check_is_fitted(self)
        k = self.classes_.size
        pairwise = k > 2 and not self._one_vs_rest
        n_support = int(self._n_support.sum())
        segments = np.concatenate([[0], np.cumsum(self._n_support)]) if pairwise else [0, n_support]
        sums = self._segment_sums(X, self.dual_coef_, segments)
        if not pairwise:
            return sums[:, 0, :] + self.intercept_
        pairs = itertools.combinations(range(k), 2)
        return np.column_stack([sums[:, i, j - 1] + sums[:, j, i] for i, j in pairs]) + self.intercept_

    def decision_function(self, X):
        """Decision values of the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows, or with ``kernel="precomputed"`` their kernel values with the training rows.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_classes * (n_classes - 1) / 2)
            Two classes have one value, positive for ``classes_[1]``. With ``decision_function_shape="ovo"`` there is
            one column per pair (i, j), i < j, positive for class i.
        """
        values = self._pair_sums(X)
        k = self.classes_.size
        if k == 2:
            return values.ravel()
        if self.decision_function_shape == "ovr" and not self._one_vs_rest:
            return ovr_scores(values < 0, -values, k)
        return values

    def predict(self, X):
        """Predicted class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        k = self.classes_.size
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("`break_ties` must be False when decision_function_shape is 'ovo'.")
        values = self._pair_sums(X)
        if k == 2:
            return self.classes_[(values.ravel() > 0).astype(np.intp)]
        if self._one_vs_rest:
            return self.classes_[values.argmax(axis=1)]
        if self.break_ties:
            return self.classes_[ovr_scores(values < 0, -values, k).argmax(axis=1)]
        votes = np.zeros((values.shape[0], k), dtype=np.intp)
        for c, (i, j) in enumerate(itertools.combinations(range(k), 2)):
            wins = values[:, c] > 0
            votes[wins, i] += 1
            votes[~wins, j] += 1
        return self.classes_[votes.argmax(axis=1)]

    def _linear_coef(self):
        k = self.classes_.size
        if k == 2 or self._one_vs_rest:
            return self.dual_coef_ @ self.support_vectors_
        starts = np.concatenate([[0], np.cumsum(self._n_support)])
        part = [slice(starts[c], starts[c + 1]) for c in range(k)]
        coef = []
        for i, j in itertools.combinations(range(k), 2):
            # A slice of one row keeps two dimensions, dense and sparse alike.
            first = self.dual_coef_[[j - 1]][:, part[i]] @ self.support_vectors_[part[i]]
            second = self.dual_coef_[[i]][:, part[j]] @ self.support_vectors_[part[j]]
            coef.append(first + second)
        return sparse.vstack(coef).tocsr() if sparse.issparse(coef[0]) else np.vstack(coef)
