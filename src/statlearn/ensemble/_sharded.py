"""Ensembles on disjoint shards of the rows, which can forget rows at the cost of one shard."""

import hashlib

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from statlearn._core.fitted_state import check_indices, check_numbers
from statlearn._core.params import HasMethods, Int, check_params
from statlearn._core.validation import check_weights, encode_classes, validate_data

from ._weak_learner import LARGEST_SEED, seeded_clone

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def _mix(values):
    """The finaliser of splitmix64: every bit of the result depends on every bit of a value."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def shard_of_rows(X, labels, n_shards, seed):
    """Shard of every row, by a hash of its entries (in single precision) and its label, a 64-bit integer.

    It depends on nothing but the row and the seed: removing other rows does not move it.
    """
    with np.errstate(over="ignore"):
        bits = (X.astype(np.float32) + np.float32(0)).view(np.uint32).astype(np.uint64)
    key = _mix(labels.astype(np.uint64) + np.uint64(seed * int(_GOLDEN) % 2**64))
    for column in bits.T:
        key = _mix(key + column + _GOLDEN)
    return (key % np.uint64(n_shards)).astype(np.intp)


class _Sharded(BaseEstimator):
    """Base class of the classifier and the regressor."""

    _constraints: dict = {
        "estimator": [HasMethods("fit", "predict"), None],
        "n_shards": [Int(1, 100_000)],
        "random_state": ["random_state"],
    }

    def __init__(self, estimator=None, *, n_shards=5, random_state=None):
        self.estimator = estimator
        self.n_shards = n_shards
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Fit one member per shard.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Passed to the members. A row of weight 0 is not stored.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=np.float64, **self._y_options)
        weights = check_weights(sample_weight, X)
        kind = self._default_member() if self.estimator is None else self.estimator
        if weights is not None and not has_fit_parameter(kind, "sample_weight"):
            raise ValueError(
                f"`sample_weight` must be None, because {type(kind).__name__}.fit does not accept weights."
            )
        present = np.arange(len(y)) if weights is None else np.flatnonzero(weights > 0)
        self._member = kind
        self._seed = int(check_random_state(self.random_state).randint(LARGEST_SEED))
        self._n_rows, self.rows_ = len(y), present
        self._X, self._y = X[present], y[present]
        self._weights = None if weights is None else weights[present]
        self._learn_target(self._y)
        self.shards_ = shard_of_rows(self._X, self._label_keys(self._y), self.n_shards, self._seed)
        rows = self._X, self._y, self._weights, self.shards_
        self.estimators_ = [self._fit_shard(shard, *rows) for shard in range(self.n_shards)]
        self.refitted_ = list(range(self.n_shards))
        return self

    def _fit_shard(self, shard, X, y, weights, shards):
        """The member of a shard, or None if it has no rows (or rows of one class only)."""
        rows = np.flatnonzero(shards == shard)
        if not self._can_learn(y[rows]):
            return None
        member = seeded_clone(self._member, np.random.RandomState([self._seed, shard]))
        options = {} if weights is None else {"sample_weight": weights[rows]}
        return member.fit(X[rows], y[rows], **options)

    def forget(self, rows):
        """Remove training rows, and refit the members that have seen them.

        Parameters
        ----------
        rows : int or array-like of int
            Positions in the table passed to `fit`. They keep their meaning in later calls.

        Returns
        -------
        self
            Equal to a model fitted without these rows, with the same seed. `refitted_` lists the members that were
            fitted again.
        """
        check_is_fitted(self)
        rows = np.atleast_1d(np.asarray(rows))
        if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
            raise ValueError("`rows` must contain positions of rows (integers).")
        rows = np.unique(rows.astype(np.int64))
        unknown = np.setdiff1d(rows, self.rows_)
        if len(unknown):
            raise ValueError(
                f"`rows` must be among the rows of the fit that are not forgotten yet (0 to {self._n_rows - 1}), got "
                f"{unknown[:10].tolist()}."
            )
        gone = np.isin(self.rows_, rows)
        if gone.all():
            raise ValueError("`rows` contains every row that is left; a model without rows cannot predict.")
        remaining = ~gone
        weights = None if self._weights is None else self._weights[remaining]
        left = self._X[remaining], self._y[remaining], weights, self.shards_[remaining]
        touched = np.unique(self.shards_[gone]).tolist()
        members = [self._fit_shard(shard, *left) for shard in touched]  # an error leaves the model unchanged
        self._learn_target(left[1])
        self._X, self._y, self._weights, self.shards_ = left
        self.rows_, self.refitted_ = self.rows_[remaining], touched
        for shard, member in zip(touched, members):
            self.estimators_[shard] = member
        return self

    def _check_state(self):
        if hasattr(self, "shards_"):
            check_indices("shards_", self.shards_, len(self.estimators_))
            check_numbers("rows_", self.rows_, kind="iu", shape=self.shards_.shape)

    def _shares(self):
        """Share of the rows (or of their weights) in every shard."""
        sums = np.bincount(self.shards_, self._weights, minlength=len(self.estimators_))
        return sums / sums.sum()


class ShardedClassifier(ClassifierMixin, _Sharded):
    """Classifiers on disjoint shards of the rows, which can forget rows exactly (SISA).

    Each member sees one shard, and probabilities are averaged with the sizes of the shards as weights. To forget a row
    is to refit the member of its shard: about `n_shards` times cheaper than a new fit, for any estimator.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Member; None is ``trees.DecisionTreeClassifier()``. Without `predict_proba`, members vote.
    n_shards : int, default=5
        Number of shards. More make forgetting cheaper and members worse, since each sees fewer rows.
    random_state : int, RandomState or None, default=None
        Seed of the assignment to shards and of the members.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimators_ : list
        Member of every shard; None for a shard without rows or with rows of one class, which it then predicts.
    shards_ : ndarray of shape (n_rows,)
        Shard of every row that is not forgotten.
    rows_ : ndarray of shape (n_rows,)
        Their positions in the table passed to `fit`.
    refitted_ : list of int
        Shards whose member was fitted in the last call of `fit` or `forget`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    ShardedRegressor : the same for regression.
    statlearn.linear.RecursiveLeastSquares : forgetting in closed form.

    Notes
    -----
    A row is assigned to a shard by a hash of its entries and its label, so that removing other rows does not move it:
    after `forget`, the model is the one that a fit without these rows would have given. The model stores the training
    rows, since a shard has to be fitted again; a row is gone from it once forgotten. The slices within shards of the
    original method, which save checkpoints while a member trains, are not implemented.

    References
    ----------
    Bourtoule, L. et al. (2021). Machine unlearning. IEEE Symposium on Security and Privacy, 141-159.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.ensemble import ShardedClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ShardedClassifier(n_shards=5, random_state=0).fit(X, y)
    >>> model.forget([7, 8]).refitted_
    [0, 2]
    >>> len(model.rows_)
    148
    """

    _y_options: dict = {}

    @staticmethod
    def _default_member():
        from statlearn.trees import DecisionTreeClassifier

        return DecisionTreeClassifier()

    def _learn_target(self, y):
        self.classes_, _ = encode_classes(y, owner=type(self).__name__)

    @staticmethod
    def _label_keys(y):
        """A number for every label that does not depend on the other labels."""
        labels, codes = np.unique(y, return_inverse=True)
        texts = [repr(label) if isinstance(label, str) else repr(float(label)) for label in labels.tolist()]
        keys = [int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") for text in texts]
        return np.array(keys, np.uint64)[codes]

    def _can_learn(self, y):
        return len(y) > 0 and bool(np.any(y != y[0]))

    def predict_proba(self, X):
        """Probabilities of the classes: means of those of the members, weighted by the sizes of their shards.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        result = np.zeros((len(X), len(self.classes_)))
        for shard, share in enumerate(self._shares()):
            member = self.estimators_[shard]
            if member is not None and hasattr(member, "predict_proba"):
                result[:, np.searchsorted(self.classes_, member.classes_)] += share * member.predict_proba(X)
            elif member is not None:
                result[np.arange(len(X)), np.searchsorted(self.classes_, member.predict(X))] += share
            elif share > 0:
                result[:, np.searchsorted(self.classes_, self._y[self.shards_ == shard][0])] += share
        return result / result.sum(axis=1, keepdims=True)

    def predict(self, X):
        """Most probable class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]


class ShardedRegressor(RegressorMixin, _Sharded):
    """Regressions on disjoint shards of the rows, which can forget rows exactly (SISA).

    Each member sees one shard, and predictions are averaged with the sizes of the shards as weights. To forget a row is
    to refit the member of its shard: about `n_shards` times cheaper than a new fit, for any estimator.

    Parameters
    ----------
    estimator : regressor or None, default=None
        Member; None is ``trees.DecisionTreeRegressor()``.
    n_shards : int, default=5
        Number of shards. More make forgetting cheaper and members worse, since each sees fewer rows.
    random_state : int, RandomState or None, default=None
        Seed of the assignment to shards and of the members.

    Attributes
    ----------
    estimators_ : list
        Member of every shard; None for a shard without rows.
    shards_ : ndarray of shape (n_rows,)
        Shard of every row that is not forgotten.
    rows_ : ndarray of shape (n_rows,)
        Their positions in the table passed to `fit`.
    refitted_ : list of int
        Shards whose member was fitted in the last call of `fit` or `forget`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    ShardedClassifier : the same for classes, with notes on the method.

    References
    ----------
    Bourtoule, L. et al. (2021). Machine unlearning. IEEE Symposium on Security and Privacy, 141-159.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import ShardedRegressor
    >>> from statlearn.linear import LinearRegression
    >>> X = np.arange(20.0)[:, None]
    >>> model = ShardedRegressor(LinearRegression(), n_shards=2, random_state=0).fit(X, 2 * X[:, 0])
    >>> model.forget(3).predict([[50.0]]).round(6)
    array([100.])
    """

    _y_options: dict = {"y_numeric": True}

    @staticmethod
    def _default_member():
        from statlearn.trees import DecisionTreeRegressor

        return DecisionTreeRegressor()

    def _learn_target(self, y):
        """Hook for targets that must be learned; does nothing here."""

    @staticmethod
    def _label_keys(y):
        with np.errstate(over="ignore"):
            return (y.astype(np.float32) + np.float32(0)).view(np.uint32).astype(np.uint64)

    def _can_learn(self, y):
        return len(y) > 0

    def predict(self, X):
        """Mean of the members' predictions, weighted by the sizes of their shards.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        result = np.zeros(len(X))
        for member, share in zip(self.estimators_, self._shares()):
            if member is not None:
                result += share * member.predict(X)
        return result
