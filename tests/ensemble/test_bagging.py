"""Bagging."""

import joblib
import numpy as np
import pytest
from sklearn import tree
from sklearn.datasets import load_diabetes, load_iris, load_wine

from statlearn.ensemble import BaggingClassifier, BaggingRegressor
from statlearn.linear import LinearRegression, LogisticRegression
from statlearn.trees import DecisionTreeClassifier, DecisionTreeRegressor
from tests.helpers import assert_close


@pytest.mark.spec("ENS-03")
def test_members_are_fitted_to_their_samples_and_averaged():
    X, y = load_diabetes(return_X_y=True)
    model = BaggingRegressor(LinearRegression(), n_estimators=7, max_features=0.5, random_state=0).fit(X, y)
    own = [
        LinearRegression().fit(X[rows][:, columns], y[rows]).predict(X[:, columns])
        for rows, columns in zip(model.estimators_samples_, model.estimators_features_, strict=True)
    ]
    assert_close(model.predict(X), np.mean(own, axis=0))
    assert all(len(np.unique(columns)) == 5 for columns in model.estimators_features_)


@pytest.mark.spec("ENS-03")
def test_hard_votes_are_shares_of_labels_and_soft_votes_averages_of_probabilities():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["a", "b", "c"])[y]
    settings = {"n_estimators": 9, "random_state": 0}
    soft = BaggingClassifier(LogisticRegression(), **settings).fit(X, labels)
    hard = BaggingClassifier(LogisticRegression(), vote="hard", **settings).fit(X, labels)
    assert_close(soft.predict_proba(X), np.mean([m.predict_proba(X) for m in soft.estimators_], axis=0))
    votes = np.mean([np.eye(3)[m.predict(X)] for m in hard.estimators_], axis=0)
    assert_close(hard.predict_proba(X), votes)
    np.testing.assert_array_equal(hard.predict(X), hard.classes_[np.argmax(votes, axis=1)])
    assert not np.array_equal(soft.predict_proba(X), hard.predict_proba(X))
    with np.errstate(divide="ignore"):
        assert_close(hard.predict_log_proba(X), np.log(votes))


@pytest.mark.spec("ENS-03")
def test_trees_by_counts_equal_trees_on_copies():
    X, y = load_wine(return_X_y=True)
    model = BaggingClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=3, random_state=0).fit(X, y)
    for member, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        copied = DecisionTreeClassifier(max_depth=3, random_state=member.random_state).fit(X[rows], y[rows])
        assert_close(member.predict_proba(X), copied.predict_proba(X))


@pytest.mark.spec("ENS-04")
@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_out_of_bag_predictions_come_from_members_that_have_not_seen_the_row(vote):
    X, y = load_wine(return_X_y=True)
    model = BaggingClassifier(n_estimators=40, oob_score=True, random_state=0, vote=vote).fit(X, y)
    said = [m.predict_proba(X) if vote == "soft" else np.eye(3)[m.predict(X)] for m in model.estimators_]
    unseen = [~np.isin(np.arange(len(y)), rows) for rows in model.estimators_samples_]
    expected = np.array([np.mean([p[i] for p, u in zip(said, unseen) if u[i]], axis=0) for i in range(len(y))])
    assert_close(model.oob_decision_function_, expected)
    assert_close(model.oob_score_, np.mean(np.argmax(expected, axis=1) == y))
    assert 0.85 < model.oob_score_ < 1.0


@pytest.mark.spec("ENS-04")
def test_rows_that_are_in_every_sample_have_no_out_of_bag_prediction():
    X, y = load_diabetes(return_X_y=True)
    with pytest.warns(UserWarning, match="OOB"):
        model = BaggingRegressor(n_estimators=2, oob_score=True, random_state=0).fit(X, y)
    seen = np.all([np.isin(np.arange(len(y)), rows) for rows in model.estimators_samples_], axis=0)
    np.testing.assert_array_equal(np.isnan(model.oob_prediction_), seen)
    r = y[~seen] - model.oob_prediction_[~seen]
    assert_close(model.oob_score_, 1 - np.sum(r**2) / np.sum((y[~seen] - y[~seen].mean()) ** 2))
    with pytest.raises(ValueError, match="bootstrap=True"):
        BaggingRegressor(bootstrap=False, oob_score=True).fit(X, y)


@pytest.mark.spec("ENS-P3")
def test_more_members_do_not_harm_and_linear_fits_are_unchanged(rng):
    X = rng.uniform(-2, 2, size=(300, 2))
    y = np.sin(3 * X[:, 0]) + 0.5 * rng.normal(size=300)
    A = rng.uniform(-2, 2, size=(1000, 2))
    truth = np.sin(3 * A[:, 0])
    errors = [
        np.mean((truth - BaggingRegressor(n_estimators=b, random_state=0).fit(X, y).predict(A)) ** 2)
        for b in (1, 10, 100)
    ]
    assert errors[0] > errors[1] > 0.9 * errors[2]
    assert errors[2] < 0.6 * errors[0]
    plain = LinearRegression().fit(X, y).predict(A)
    bagged = BaggingRegressor(LinearRegression(), n_estimators=400, random_state=0).fit(X, y)
    own = np.array([m.predict(A) for m in bagged.estimators_])
    # The average of the members is off by its own standard error, and by a bias of order 1/n.
    assert np.all(np.abs(bagged.predict(A) - plain) < 5 * own.std(axis=0) / 20 + 1e-2)


def test_rows_drawn_by_weights_never_hold_a_row_of_weight_zero():
    X, y = load_diabetes(return_X_y=True)
    w = (np.arange(len(y)) % 3 > 0) * 1.0
    model = BaggingRegressor(LinearRegression(), n_estimators=5, random_state=0).fit(X, y, sample_weight=w)
    assert all(np.all(w[rows] > 0) for rows in model.estimators_samples_)


def test_members_are_added_on_a_warm_start():
    X, y = load_diabetes(return_X_y=True)
    cold = BaggingRegressor(n_estimators=6, random_state=0).fit(X, y)
    warm = BaggingRegressor(n_estimators=2, random_state=0, warm_start=True).fit(X, y)
    first = warm.estimators_[0]
    warm.set_params(n_estimators=6).fit(X, y)
    assert warm.estimators_[0] is first
    assert_close(warm.predict(X), cold.predict(X))


def test_members_of_other_libraries_and_the_default():
    X, y = load_iris(return_X_y=True)
    theirs = BaggingClassifier(tree.DecisionTreeClassifier(), random_state=0).fit(X, y)
    assert theirs.score(X, y) > 0.95
    ours = BaggingClassifier(random_state=0).fit(X, y)
    assert isinstance(ours.estimators_[0], DecisionTreeClassifier)
    assert ours.estimator is None
    assert isinstance(BaggingRegressor(random_state=0).fit(X, y).estimators_[0], DecisionTreeRegressor)


def test_a_classifier_needs_classifiers_as_members():
    with pytest.raises(ValueError, match="`estimator` must be a classifier, got LinearRegression"):
        BaggingClassifier(LinearRegression()).fit(*load_iris(return_X_y=True))


@pytest.mark.filterwarnings("ignore:When fitting BaggingRegressor with sample_weight")
def test_without_replacement_rows_of_weight_zero_are_absent():
    X, y = load_diabetes(return_X_y=True)
    weights = np.ones(len(y))
    weights[:3] = 0.0
    model = BaggingRegressor(bootstrap=False, n_estimators=2, random_state=0).fit(X, y, weights)
    for rows in model.estimators_samples_:
        np.testing.assert_array_equal(np.sort(rows), np.arange(3, len(y)))
    with pytest.raises(ValueError, match="`max_samples`=442 exceeds the 439 rows of positive weight"):
        BaggingRegressor(bootstrap=False, max_samples=442).fit(X, y, weights)


def test_samples_far_larger_than_the_table_raise():
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match="`max_samples`=2147483648 is too large for 442 rows; use at most 1,000,000"):
        BaggingRegressor(max_samples=2**31).fit(X, y)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_averages_are_the_same_bits_for_any_number_of_jobs(n_jobs):
    """The members of each job used to be added first."""
    X, y = load_wine(return_X_y=True)
    classifier = BaggingClassifier(LogisticRegression(max_iter=20, tol=0.1), n_estimators=7, random_state=0).fit(X, y)
    regressor = BaggingRegressor(n_estimators=7, max_samples=50, random_state=0).fit(X, X @ np.arange(13.0) / 7)

    def outputs():
        verbs = ("predict_proba", "predict_log_proba", "decision_function")
        return [*(getattr(classifier, verb)(X) for verb in verbs), regressor.predict(X)]

    one = outputs()
    classifier.n_jobs = regressor.n_jobs = n_jobs
    with joblib.parallel_config(backend="threading"):
        several = outputs()
    for before, after in zip(one, several, strict=True):
        np.testing.assert_array_equal(before, after)
