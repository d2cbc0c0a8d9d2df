"""Base class of naive Bayes: posteriors, odds, Bayes factors, class priors and streams of batches."""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax, logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.validation import check_labels, check_weights, classes_of_stream, effective_rows
from statlearn._core.warnings import ZeroProbabilityWarning, warn
from statlearn._math.rows.site_statistics import require_classes

NO_Y = "no_validation"  # as in scikit-learn: there is no y at prediction, whereas None is an error of the user


@dataclass
class BayesFactors:
    """Result of `bayes_factors`: posterior odds as a product of prior odds and one factor per feature.

    Parameters
    ----------
    prior_odds : float
        Prior odds of the first class against the second.
    factors : ndarray of shape (n_samples, n_features)
        Ratio of the two class-conditional probabilities (or densities) of each value; 1 for missing values.
    log_factors : ndarray of shape (n_samples, n_features)
    feature_names : list of str
    classes : tuple
        The class whose odds are given and the class it is compared with.
    """

    prior_odds: float
    factors: np.ndarray
    log_factors: np.ndarray
    feature_names: list
    classes: tuple

    @property
    def posterior_odds(self):
        """Prior odds times the factors of each row."""
        with np.errstate(divide="ignore", over="ignore"):
            return np.exp(np.log(self.prior_odds) + self.log_factors.sum(axis=1))

    def cumulative(self):
        """Odds after the first, the first two, ... features, with the prior odds first: (n_samples, n_features + 1)."""
        with np.errstate(divide="ignore", over="ignore"):
            steps = np.cumsum(self.log_factors, axis=1) + np.log(self.prior_odds)
            return np.column_stack([np.full(len(steps), self.prior_odds), np.exp(steps)])


def check_class_prior(prior, n_classes, name):
    """A fixed class prior as an array that sums to 1."""
    try:
        prior = np.asarray(prior, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"`{name}` must contain one number per class, got {prior!r}.") from None
    if prior.shape != (n_classes,):
        raise ValueError(f"Number of priors must match number of classes: `{name}` has shape {prior.shape}, "
                         f"but there are {n_classes} classes.")  # fmt: skip
    if not np.all(np.isfinite(prior)):
        raise ValueError(f"`{name}` must contain finite numbers, got {prior.tolist()}.")
    if not np.isclose(prior.sum(), 1.0):
        raise ValueError(f"The sum of the priors should be 1: `{name}` sums to {prior.sum():.6g}.")
    if np.any(prior < 0):
        raise ValueError(f"Priors must be non-negative: `{name}` contains {prior.min():.6g}.")
    return prior


def log_quietly(values):
    """Logarithms, -inf for 0."""
    with np.errstate(divide="ignore"):
        return np.log(values)


def one_hot(labels, n_classes, weights=None):
    """Sparse matrix of shape (n_classes, n) with the weight of each row in the row of its class."""
    from scipy import sparse

    data = np.ones(len(labels)) if weights is None else np.asarray(weights, dtype=np.float64)
    n = len(labels)
    return sparse.csc_array((data, labels, np.arange(n + 1)), shape=(n_classes, n)).tocsr()


def dirichlet_estimate(counts, prior, estimate):
    """Probabilities along the last axis from counts and Dirichlet parameters.

    "mean" is the posterior mean (N + a) / (sum N + sum a), "map" the posterior mode (N + a - 1) / (sum N + sum a - K).
    Where there is nothing to divide by, all probabilities are equal.
    """
    prior = np.broadcast_to(np.asarray(prior, dtype=np.float64), counts.shape)
    if not np.all(np.isfinite(prior)) or np.any(prior < 0) or (estimate == "map" and np.any(prior == 0)):
        raise ValueError("`prior` must contain positive, finite Beta or Dirichlet parameters.")
    top = counts + prior - (1.0 if estimate == "map" else 0.0)
    if np.any(top < 0):
        raise ValueError(
            "`prior` has parameters below 1 for values that do not occur, so the posterior has no mode inside the "
            "simplex. Use estimate='mean', or parameters of at least 1."
        )
    total = top.sum(axis=-1, keepdims=True)
    return np.where(total > 0, top / np.where(total > 0, total, 1.0), 1.0 / max(counts.shape[-1], 1))


class BaseNB(ClassifierMixin, BaseEstimator):
    """Posterior probabilities from joint log-likelihoods, and fits from batches.

    A subclass implements `_read(X, reset)` (validation), `_add(X, labels, weights)` (adds a batch to its statistics),
    `_solve()` (parameters from the statistics), `_joint_log_likelihood(X)` and, for Bayes factors,
    `_feature_log_likelihood(X, c)`.
    """

    def _read_y(self, y):
        from sklearn.utils import column_or_1d

        y = column_or_1d(y, warn=True)
        check_labels(y)
        return y

    def _first_batch(self, y, weights):
        """Classes of a fit: those with a row of positive weight."""
        y = y if weights is None else y[weights > 0]
        return np.unique(y)

    def _labels(self, y, weights):
        """Class numbers of the rows; raises if a row of positive weight has an unknown class."""
        place = np.minimum(np.searchsorted(self.classes_, y), len(self.classes_) - 1)
        unknown = self.classes_[place] != y
        if weights is not None:
            unknown &= weights > 0
        if np.any(unknown):
            labels = np.unique(np.asarray(y)[unknown])
            raise ValueError(f"The target label(s) {labels} in y do not exist in the initial classes {self.classes_}.")
        return np.ascontiguousarray(place, dtype=np.int32)

    def _fit_batch(self, X, y, sample_weight, classes, first):
        X, y, sample_weight = self._present_rows(X, y, sample_weight)
        X, y = self._read(X, y, reset=first)
        weights = check_weights(sample_weight, np.empty((X.shape[0], 0)))
        if first:
            self.classes_ = self._first_batch(y, weights) if classes is None else classes
            self._clear()
        self._add(X, self._labels(y, weights), weights)
        self._solve()
        return self

    def _fit(self, X, y, sample_weight):
        return self._fit_batch(X, y, sample_weight, None, True)

    def _partial_fit(self, X, y, classes, sample_weight):
        known = getattr(self, "classes_", None)
        return self._fit_batch(X, y, sample_weight, classes_of_stream(known, classes), known is None)

    def _summed(self, X, y, sample_weight):
        """Add the rows of a site to empty statistics; returns the number of rows."""
        X, y, sample_weight = self._present_rows(X, y, sample_weight)
        X, y = self._read(X, y, reset=True)
        weights = check_weights(sample_weight, np.empty((X.shape[0], 0)))
        if any(levels is not None for levels in self.levels_):
            raise ValueError("statistics requires numbers: columns of text have levels of their own at every site.")
        self.classes_ = self._first_batch(y, weights)
        self._clear()
        self._add(X, self._labels(y, weights), weights)
        return effective_rows(X.shape[0], weights)

    def _begin(self, statistics):
        """Empty statistics of the classes and columns of a site."""
        require_classes(statistics, type(self).__name__)
        self.classes_ = statistics.classes
        self.levels_, self._coded_numbers = [None] * self.n_features_in_, []
        self._clear()

    def _prior_from_counts(self, prior, fit_prior=True):
        """Class prior: given, uniform, or by (smoothed) relative frequency."""
        counts = self.class_count_
        if prior is not None:
            return check_class_prior(prior, len(counts), "priors" if hasattr(self, "priors") else "class_prior")
        if not fit_prior:
            return np.full(len(counts), 1.0 / len(counts))
        smoothed = counts + self.smooth_prior
        return smoothed / smoothed.sum()

    def _warn_zeros(self, has_zero):
        if has_zero:
            remedy = "`alpha` or a `prior`" if hasattr(self, "prior") else "`alpha`"
            warn(
                f"{type(self).__name__}: some estimated probabilities are exactly 0, so one value can exclude a class "
                f"whatever the other columns say. Use a positive {remedy}.",
                ZeroProbabilityWarning,
            )

    def _refuse_negative(self, smallest):
        """Raise if the smallest count or category code is negative."""
        if smallest < 0:
            raise ValueError(
                f"Negative values in data passed to {type(self).__name__} (input X): the smallest is {smallest:.6g}. "
                "Use GaussianNB or DiscretizingNB for numbers that are neither counts nor category codes."
            )

    def _warn_constant(self, constant):
        """Warn of columns without variance within a class; `constant` has the shape (classes, columns)."""
        if np.any(constant):
            c, j = (int(at[0]) for at in np.nonzero(constant))
            named = hasattr(self, "feature_names_in_")
            column = f"column {self.feature_names_in_[j]!r}" if named else f"column {j}"
            remedy = "Use a positive `var_smoothing`, or drop the column."
            if getattr(self, "var_smoothing", 0) > 0:  # a share of the largest variance, which is 0 too
                remedy = (
                    "No column varies by more than 1e-150, so `var_smoothing` cannot help: drop the constant columns "
                    "or rescale X."
                )
            warn(
                f"X: {column} is constant within the class {self.classes_.tolist()[c]!r}, so its variance is 0 and any "
                f"other value excludes the class. {remedy}",
                ZeroProbabilityWarning,
            )

    def predict_joint_log_proba(self, X):
        """Logarithm of prior times likelihood of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self._joint_log_likelihood(self._read(X, reset=False))

    def predict_log_proba(self, X):
        """Logarithm of the posterior probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            If every class has probability 0, the row has the prior probabilities.
        """
        joint = self.predict_joint_log_proba(X)
        lost = np.isneginf(joint.max(axis=1))
        if np.any(lost):
            joint[lost] = self._log_prior()
        sure = np.isposinf(joint.max(axis=1))  # complement weights without smoothing
        if np.any(sure):
            joint[sure] = np.where(np.isposinf(joint[sure]), 0.0, -np.inf)
        # The largest is subtracted first, because the sum would vanish next to a density of exp(-1e20).
        return log_softmax(joint, axis=1)

    def predict_proba(self, X):
        """Posterior probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.exp(self.predict_log_proba(X))

    def predict(self, X):
        """The most probable class of each row; ties go to the first class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        joint = self.predict_joint_log_proba(X)
        best = np.argmax(joint, axis=1)
        lost = np.isneginf(joint[np.arange(len(joint)), best])
        if np.any(lost):
            best[lost] = np.argmax(self._log_prior())
        return self.classes_[best]

    def predict_log_odds(self, X):
        """Logarithm of the posterior odds of each class against all others.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, the log odds of ``classes_[1]``.
        """
        joint = self.predict_joint_log_proba(X)
        with np.errstate(invalid="ignore"):
            if joint.shape[1] == 2:
                return joint[:, 1] - joint[:, 0]
            rest = np.column_stack([logsumexp(np.delete(joint, c, axis=1), axis=1) for c in range(joint.shape[1])])
            return joint - rest

    def _log_prior(self):
        return self.class_log_prior_


class BayesFactorMixin:
    """Prior odds and Bayes factors by feature."""

    def bayes_factors(self, X, of=None, against=None):
        """Prior odds and the factor that each feature contributes to the posterior odds of two classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        of : label or None, default=None
            The class whose odds are computed; None means ``classes_[1]`` of two classes.
        against : label or None, default=None
            The class it is compared with; None means the other of two classes.

        Returns
        -------
        BayesFactors
            With ``prior_odds``, ``factors`` (n_samples, n_features), ``posterior_odds`` and ``cumulative()``.
        """
        check_is_fitted(self)
        pair = [self._class_number(of, "of", 1), self._class_number(against, "against", 0)]
        if against is None and of is not None:
            pair[1] = 1 - pair[0]
        if pair[0] == pair[1]:
            raise ValueError("`of` and `against` must be two different classes.")
        X = self._read(X, reset=False)
        with np.errstate(invalid="ignore"):
            logs = self._feature_log_likelihood(X, pair[0]) - self._feature_log_likelihood(X, pair[1])
        prior = self._log_prior()
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        with np.errstate(over="ignore"):
            odds, factors = float(np.exp(prior[pair[0]] - prior[pair[1]])), np.exp(logs)
        return BayesFactors(odds, factors, logs, list(names), tuple(self.classes_[pair]))

    def _class_number(self, label, name, default):
        if label is None:
            if len(self.classes_) != 2:
                raise ValueError(f"`{name}` must name a class if there are more than two: {self.classes_.tolist()}.")
            return default
        numbers = np.flatnonzero(self.classes_ == label)
        if not len(numbers):
            raise ValueError(f"`{name}`={label!r} is not one of the classes {self.classes_.tolist()}.")
        return int(numbers[0])
