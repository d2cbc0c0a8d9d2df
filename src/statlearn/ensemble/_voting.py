"""Voting: different models fitted to the same rows, combined by voting or averaging."""

import numpy as np
from sklearn import ensemble
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.frames import naming_text
from statlearn._core.params import Options, check_params
from statlearn._core.search import SearchSpace

from ._members import MEMBERS, N_JOBS, MembersMixin, check_fit_arguments, default_classifiers, default_regressors


class VotingClassifier(MembersMixin, ensemble.VotingClassifier):
    r"""Voting classifier that combines different classifiers.

    A hard vote gives each class the total weight of the members that predict it. A soft vote averages the members'
    probabilities. The class with the largest total is predicted, the first one in case of ties. A drop-in replacement
    for scikit-learn's class.

    Parameters
    ----------
    estimators : list of (str, classifier) or None, default=None
        Names and members. Use "drop" instead of a classifier to leave it out. None uses a logistic regression and a
        small gradient boosting model.
    voting : {"hard", "soft"}, default="hard"
        "hard" counts predicted labels, "soft" averages probabilities.
    weights : array-like of shape (n_members,) or None, default=None
        Non-negative weights of the members. None gives all members the same weight.
    n_jobs : int or None, default=None
        Number of members fitted in parallel.
    flatten_transform : bool, default=True
        Whether `transform` returns soft votes as one table or as an array of shape (n_members, n_rows, n_classes).
    verbose : bool, default=False
        Whether to print which member is being fitted.

    Attributes
    ----------
    estimators_ : list of classifiers
        The members, fitted to class indices 0, 1, ...
    named_estimators_ : Bunch
        The fitted members by name.
    le_ : LabelEncoder
        Converts labels to class indices.
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    n_features_in_, feature_names_in_
        Those of the members.

    Notes
    -----
    A vote outperforms its members to the extent that they are better than chance and make different errors.
    :func:`majority_vote_accuracy` gives the limit for independent members. To learn the weights from out-of-fold
    predictions, use :class:`StackingClassifier`.

    See Also
    --------
    StackingClassifier : Learns how to combine the members.
    BaggingClassifier : Fits the same model to bootstrap samples.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.ensemble import VotingClassifier
    >>> from statlearn.linear import LinearRegression, LogisticRegression, Perceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> members = [("logistic", LogisticRegression()), ("perceptron", Perceptron(random_state=0))]
    >>> VotingClassifier(members, weights=[2, 1]).fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    _search_space = SearchSpace("voting", fixed={"voting": "soft"})
    _constraints = {
        "estimators": MEMBERS,
        "voting": [Options("hard", "soft")],
        "weights": ["array-like", None],
        "n_jobs": N_JOBS,
        "flatten_transform": ["boolean"],
        "verbose": ["verbose"],
    }

    def __init__(
        self, estimators=None, *, voting="hard", weights=None, n_jobs=None, flatten_transform=True, verbose=False
    ):
        super().__init__(
            estimators,
            voting=voting,
            weights=weights,
            n_jobs=n_jobs,
            flatten_transform=flatten_transform,
            verbose=verbose,
        )

    def _defaults(self):
        return {"estimators": default_classifiers()} if self.estimators is None else {}

    @naming_text("a member")
    def fit(self, X, y, sample_weight=None, **fit_params):
        """Fit the members.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Passed to the members. Those that do not accept weights raise a TypeError.
        **fit_params : dict
            Metadata, if scikit-learn's metadata routing is enabled.

        Returns
        -------
        self : object
        """
        check_params(self)
        _check_weights(self.weights)
        forget(self, "feature_names_in_")  # scikit-learn sets it if the first member has it
        with self._filled():
            return super().fit(X, y, **check_fit_arguments(y, sample_weight, fit_params))

    def predict(self, X):
        """Predicted class: the winner of the vote.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        votes = self.predict_proba(X) if self.voting == "soft" else self._count(X)
        return self.classes_[np.argmax(votes, axis=1)]

    def _count(self, X):
        """Total weight of the members that predict each class."""
        labels = [np.asarray(member.predict(X)).astype(np.intp) for member in self.estimators_]
        votes = np.zeros((len(labels[0]), len(self.classes_)))
        rows = np.arange(len(votes))
        for column, weight in zip(labels, _weights_of(self), strict=True):
            votes[rows, column] += weight
        return votes


class VotingRegressor(MembersMixin, ensemble.VotingRegressor):
    r"""Voting regressor: weighted average of different regressors.

    Parameters
    ----------
    estimators : list of (str, regressor) or None, default=None
        Names and members. Use "drop" instead of a regressor to leave it out. None uses least squares and a small
        gradient boosting model.
    weights : array-like of shape (n_members,) or None, default=None
        Non-negative weights of the members. None gives all members the same weight.
    n_jobs : int or None, default=None
        Number of members fitted in parallel.
    verbose : bool, default=False
        Whether to print which member is being fitted.

    Attributes
    ----------
    estimators_ : list of regressors
        The fitted members.
    named_estimators_ : Bunch
        The fitted members by name.
    n_features_in_, feature_names_in_
        Those of the members.

    See Also
    --------
    StackingRegressor : Learns the weights from out-of-fold predictions.
    average_variance : Variance of an average of correlated members.

    Examples
    --------
    >>> from statlearn.ensemble import VotingRegressor
    >>> from statlearn.linear import LinearRegression, QuantileRegressor
    >>> members = [("mean", LinearRegression()), ("median", QuantileRegressor(alpha=0.0))]
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [1.0, 2.0, 3.0, 8.0]
    >>> VotingRegressor(members).fit(X, y).predict([[2.0]])
    array([2.2])
    """

    _search_space = SearchSpace("voting")
    _constraints = {
        "estimators": MEMBERS,
        "weights": ["array-like", None],
        "n_jobs": N_JOBS,
        "verbose": ["verbose"],
    }

    def __init__(self, estimators=None, *, weights=None, n_jobs=None, verbose=False):
        super().__init__(estimators, weights=weights, n_jobs=n_jobs, verbose=verbose)

    def _defaults(self):
        return {"estimators": default_regressors()} if self.estimators is None else {}

    @naming_text("a member")
    def fit(self, X, y, sample_weight=None, **fit_params):
        """Fit the members.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Passed to the members. Those that do not accept weights raise a TypeError.
        **fit_params : dict
            Metadata, if scikit-learn's metadata routing is enabled.

        Returns
        -------
        self : object
        """
        check_params(self)
        _check_weights(self.weights)
        forget(self, "feature_names_in_")  # scikit-learn sets it if the first member has it
        with self._filled():
            return super().fit(X, y, **check_fit_arguments(y, sample_weight, fit_params))

    def predict(self, X):
        """Predicted values: weighted average of the members' predictions.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return np.average(self.transform(X), axis=1, weights=_weights_of(self))


def _check_weights(weights):
    if weights is None:
        return
    weights = np.asarray(weights, dtype=np.float64)
    if weights.ndim != 1 or not np.all(np.isfinite(weights)) or np.any(weights < 0) or not np.any(weights > 0):
        raise ValueError("`weights` must be finite and non-negative with a positive sum.")


def _weights_of(model):
    """Weights of the fitted members, without those that were dropped."""
    if model.weights is None:
        return np.ones(len(model.estimators_))
    present = [member != "drop" for _, member in model.estimators] if model.estimators is not None else slice(None)
    return np.asarray(model.weights, dtype=np.float64)[present]
