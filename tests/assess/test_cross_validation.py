"""Cross-validated scores against scikit-learn's and against the formula written out."""

import numpy as np
import pytest
from sklearn import model_selection
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.metrics import log_loss, roc_auc_score

from statlearn.assess import KFold, LeaveOneOut, PredefinedSplit, StratifiedKFold, cross_val_score, cross_validate
from statlearn.linear import LinearRegression, LogisticRegression
from tests.helpers import assert_close

X, y = load_diabetes(return_X_y=True)
A, b = load_breast_cancer(return_X_y=True)
A = (A - A.mean(axis=0))[:, :4] / A.std(axis=0)[:4]


class Zero(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return np.zeros(len(X))


@pytest.mark.spec("ASM-25", "ASM-T6")
def test_folds_of_different_size_weigh_differently():
    target = np.sqrt([1.0, 2.0, 3.0, 14.0, 16.0])
    options = dict(scoring="neg_mean_squared_error", cv=PredefinedSplit([0, 0, 0, 1, 1]))
    pooled = cross_val_score(Zero(), np.ones((5, 1)), target, aggregate="pooled", **options)
    folds = cross_val_score(Zero(), np.ones((5, 1)), target, **options)
    assert_close(-pooled.estimate, 7.2, rtol=1e-12)
    assert_close(-folds.estimate, 8.5, rtol=1e-12)
    assert pooled.n_fits == folds.n_fits == 2
    assert_close(folds, pooled)


@pytest.mark.spec("ASM-25")
def test_fold_scores_are_scikit_learns():
    ours = cross_val_score(LinearRegression(), X, y, cv=4)
    theirs = model_selection.cross_val_score(LinearRegression(), X, y, cv=4)
    assert_close(ours, theirs)
    assert_close(ours.estimate, theirs.mean())
    assert_close(ours.std_error, theirs.std(ddof=1) / 2)
    assert type(ours.mean()) is np.float64
    assert ours[:2].estimate is None


@pytest.mark.spec("ASM-25")
def test_pooled_score_and_its_standard_error_written_out():
    squared = np.empty(len(y))
    for train, test in KFold(7).split(X):
        squared[test] = (y[test] - LinearRegression().fit(X[train], y[train]).predict(X[test])) ** 2
    found = cross_val_score(
        LinearRegression(), X, y, cv=7, scoring="neg_mean_squared_error", aggregate="pooled", se="samples"
    )
    assert_close(-found.estimate, squared.mean())
    assert_close(found.std_error, squared.std(ddof=1) / np.sqrt(len(y)))


@pytest.mark.spec("ASM-25")
def test_pooling_probabilities():
    proba = model_selection.cross_val_predict(LogisticRegression(), A, b, cv=StratifiedKFold(4), method="predict_proba")
    scoring = ["neg_log_loss", "roc_auc", "accuracy"]
    found = cross_validate(LogisticRegression(), A, b, cv=4, scoring=scoring, aggregate="pooled")
    assert_close(found["estimate_neg_log_loss"], -log_loss(b, proba))
    assert_close(found["estimate_roc_auc"], roc_auc_score(b, proba[:, 1]))
    assert_close(found["estimate_accuracy"], np.mean(proba.argmax(axis=1) == b))
    assert found["n_fits"] == 4
    assert "estimator" not in found
    assert found["test_roc_auc"].shape == (4,)


@pytest.mark.spec("ASM-25")
def test_a_class_missing_from_a_training_set_has_probability_zero():
    y3 = np.array([0, 1] * 12 + [2] * 3)
    X3 = np.random.default_rng(0).normal(size=(27, 2))
    split = PredefinedSplit([0, 0, 1, 1] * 6 + [2, 2, 2])  # the third fold takes the whole third class with it
    with np.errstate(divide="ignore"):
        found = cross_val_score(
            LogisticRegression(), X3, y3, cv=split, scoring="accuracy", aggregate="pooled", se="samples"
        )
    assert_close(found.estimate, np.average(found, weights=[12, 12, 3]))


def test_standard_errors_over_rows_need_a_mean_over_rows():
    with pytest.raises(ValueError, match="averages over rows"):
        cross_val_score(LinearRegression(), X, y, se="samples", scoring="r2")


def test_unknown_aggregate_raises():
    with pytest.raises(ValueError, match="'aggregate' parameter of cross_val_score"):
        cross_val_score(LinearRegression(), X, y, aggregate="mean")


def test_number_of_folds_with_a_seed_shuffles():
    first = cross_val_score(LinearRegression(), X, y, random_state=0)
    assert_close(
        first, model_selection.cross_val_score(LinearRegression(), X, y, cv=KFold(5, shuffle=True, random_state=0))
    )


@pytest.mark.spec("ASM-T12")
@pytest.mark.parametrize("n", [4, 10, 30])
def test_majority_vote_errs_always_under_leave_one_out_on_balanced_labels(n, rng):
    from sklearn.dummy import DummyClassifier

    labels = rng.permutation(np.repeat([0, 1], n // 2))
    found = cross_val_score(DummyClassifier(), np.zeros((n, 1)), labels, cv=LeaveOneOut(), aggregate="pooled")
    assert 1 - found.estimate == 1.0


@pytest.mark.slow
@pytest.mark.spec("ASM-P17")
def test_two_folds_overestimate_the_error_and_leave_one_out_hardly(rng):
    """Squared error of least squares with 6 columns on 24 rows: 12 rows for a half are far too few."""
    n, p, sets = 24, 6, 100
    two, ten, loo, truth = np.empty((4, sets))
    for k in range(sets):
        B = rng.normal(size=(n, p))
        t = B.sum(axis=1) + rng.normal(size=n)
        options = dict(scoring="neg_mean_squared_error", aggregate="pooled")
        two[k] = -cross_val_score(LinearRegression(), B, t, cv=2, **options).estimate
        ten[k] = -cross_val_score(LinearRegression(), B, t, cv=8, **options).estimate
        fit = LinearRegression().fit(B, t)
        loo[k] = fit.influence(B, t).loo_mse
        truth[k] = 1 + np.sum((fit.coef_ - 1) ** 2) + fit.intercept_**2
    error = np.std(two - truth, ddof=1) / np.sqrt(sets)
    assert np.mean(two - truth) > 3 * error
    assert abs(np.mean(loo - truth)) < abs(np.mean(ten - truth)) + 3 * np.std(loo - truth, ddof=1) / np.sqrt(sets)
    assert abs(np.median(loo) - np.median(truth)) < abs(np.median(two) - np.median(truth))
