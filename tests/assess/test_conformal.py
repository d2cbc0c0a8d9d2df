"""Conformal prediction: coverage by simulation, the formulae by brute force, frozen and framed inner estimators."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

from statlearn._core.warnings import StatlearnWarning
from statlearn.assess import ConformalClassifier, ConformalRegressor
from statlearn.assess._conformal_classification import nonconformity
from statlearn.linear import LinearRegression, LogisticRegression, RidgeClassifier
from tests.helpers import assert_close


def uneven(n, rng):
    """A curve with noise that grows with x: no linear model is right."""
    X = rng.uniform(0, 2, size=(n, 1))
    return X, np.sin(3 * X[:, 0]) + (0.1 + X[:, 0]) * rng.normal(size=n)


def covered(model, X, y):
    low, high = model.predict_interval(X).T
    return np.mean((low <= y) & (y <= high))


# --------------------------------------------------------------------------------------------------------- regression


@pytest.mark.parametrize("coverage", [0.5, 0.9])
@pytest.mark.parametrize("method", ["split", "cv+", "jackknife+", "cqr"])
def test_intervals_cover_as_promised(method, coverage, rng):
    runs = 15 if method == "jackknife+" else 60
    rates = []
    for k in range(runs):
        X, y = uneven(60, rng)
        model = ConformalRegressor(method=method, coverage=coverage, random_state=k).fit(X, y)
        rates.append(covered(model, *uneven(200, rng)))
    error = np.std(rates) / np.sqrt(runs)
    # 15 calibration rows promise between c and c + 1/16; the others about c.
    assert np.mean(rates) > coverage - 3 * error - (0.0 if method in ("split", "cqr") else 0.02)
    assert np.mean(rates) < coverage + 1 / 16 + 3 * error


def test_any_regressor_is_covered_even_a_bad_one(rng):
    class Constant(LinearRegression):
        def predict(self, X):
            return 0.0 * super().predict(X) + 100.0

    for inner in (Constant(), DecisionTreeRegressor(random_state=0)):
        rates = []
        for k in range(20):
            X, y = uneven(100, rng)
            rates.append(covered(ConformalRegressor(inner, coverage=0.8, random_state=k).fit(X, y), *uneven(200, rng)))
        assert abs(np.mean(rates) - 0.82) < 0.06


def test_quantile_regression_adapts_the_length(rng):
    X, y = uneven(600, rng)
    plain = ConformalRegressor(random_state=0).fit(X, y)
    adaptive = ConformalRegressor(method="cqr", random_state=0).fit(X, y)
    narrow, wide = adaptive.predict_interval([[0.1], [1.9]])
    assert (wide[1] - wide[0]) > 2 * (narrow[1] - narrow[0])
    lengths = np.diff(plain.predict_interval([[0.1], [1.9]]), axis=1)
    assert_close(lengths[0], lengths[1])
    trees = GradientBoostingRegressor(loss="quantile", n_estimators=10, random_state=0)
    model = ConformalRegressor(trees, method="cqr", quantile_parameter="alpha", random_state=0).fit(X, y)
    assert abs(covered(model, *uneven(2000, rng)) - 0.9) < 0.05


def test_split_interval_is_the_ranked_residual(rng):
    X, y = uneven(41, rng)
    fitted = LinearRegression().fit(X[:21], y[:21])
    model = ConformalRegressor(FrozenEstimator(fitted), coverage=0.8).fit(X[21:], y[21:])
    residuals = np.sort(np.abs(y[21:] - fitted.predict(X[21:])))
    q = residuals[int(np.ceil(21 * 0.8)) - 1]  # 17th of 20
    f = fitted.predict(X)
    assert_close(model.predict_interval(X), np.column_stack([f - q, f + q]))
    assert_close(model.predict_interval(X, coverage=0.95), np.column_stack([f - residuals[19], f + residuals[19]]))
    assert np.array_equal(model.predict(X), f)


def test_folds_plus_is_the_definition(rng):
    X, y = uneven(30, rng)
    cv = KFold(5)
    model = ConformalRegressor(method="cv+", cv=cv, coverage=0.8).fit(X, y)
    new = rng.uniform(0, 2, size=(7, 1))
    low, high = [], []
    for train, test in cv.split(X):
        fold = LinearRegression().fit(X[train], y[train])
        residual = np.abs(y[test] - fold.predict(X[test]))
        low.append(fold.predict(new)[:, None] - residual)
        high.append(fold.predict(new)[:, None] + residual)
    low, high = np.sort(np.hstack(low), axis=1), np.sort(np.hstack(high), axis=1)
    assert_close(
        model.predict_interval(new), np.column_stack([low[:, int(0.2 * 31) - 1], high[:, int(np.ceil(0.8 * 31)) - 1]])
    )
    loo = ConformalRegressor(method="jackknife+").fit(X, y)
    assert len(loo.estimators_) == 30
    assert_close(loo.predict(new), LinearRegression().fit(X, y).predict(new))


def test_higher_coverage_widens_intervals_up_to_infinity(rng):
    X, y = uneven(40, rng)
    for method in ("split", "cv+"):
        model = ConformalRegressor(method=method, random_state=0).fit(X, y)
        a, b = model.predict_interval(X, 0.5), model.predict_interval(X, 0.9)
        assert np.all(b[:, 0] <= a[:, 0])
        assert np.all(a[:, 1] <= b[:, 1])
        with pytest.warns(StatlearnWarning, match="bounds are infinite"):
            assert np.all(np.isinf(model.predict_interval(X, 0.99)))


def test_frames_reach_the_inner_pipeline_unchanged(rng):
    table = pd.DataFrame({"colour": rng.choice(["red", "blue"], 100), "size": rng.normal(size=100)})
    y = (table["colour"] == "red") + table["size"] + 0.1 * rng.normal(size=100)
    inner = make_pipeline(
        ColumnTransformer([("colour", OneHotEncoder(drop="first"), ["colour"]), ("size", "passthrough", ["size"])]),
        LinearRegression(),
    )
    for method in ("split", "cv+"):
        model = ConformalRegressor(inner, method=method, random_state=0).fit(table, y)
        assert covered(model, table, y) > 0.65  # 25 calibration rows: 0.9 with a standard deviation of 0.06
        assert list(model.feature_names_in_) == ["colour", "size"]


def test_invalid_regression_input_raises(rng):
    X, y = uneven(30, rng)
    fitted = LinearRegression().fit(X, y)
    with pytest.raises(ValueError, match="use `method`='split' with a frozen estimator"):
        ConformalRegressor(FrozenEstimator(fitted), method="cv+").fit(X, y)
    with pytest.raises(ValueError, match="has no parameter 'quantile'"):
        ConformalRegressor(LinearRegression(), method="cqr").fit(X, y)
    with pytest.raises(ValueError, match="exactly once"):
        ConformalRegressor(method="cv+", cv=[(np.arange(20), np.arange(20, 30))]).fit(X, y)
    with pytest.raises(ValueError, match="cannot be changed after fitting"):
        ConformalRegressor(method="cqr", random_state=0).fit(X, y).predict_interval(X, 0.5)
    with pytest.raises(ValueError, match="'coverage' parameter of predict_interval"):
        ConformalRegressor(random_state=0).fit(X, y).predict_interval(X, 1.5)


# ----------------------------------------------------------------------------------------------------- classification


def clouds(n, rng, rare=0.05):
    y = rng.choice(4, p=[0.55 - rare, 0.3, 0.15, rare], size=n)
    return np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[y] + 0.6 * rng.normal(size=(n, 2)), y


@pytest.mark.parametrize("cv", [None, 4])
@pytest.mark.parametrize("method", ["lac", "aps", "raps"])
def test_sets_cover_as_promised(method, cv, rng):
    rates, randomized = [], []
    for k in range(40):
        X, y = clouds(200, rng, rare=0.12)  # every fold has rows of every class
        new, truth = clouds(300, rng, rare=0.12)
        options = dict(method=method, coverage=0.85, cv=cv, random_state=k, allow_empty=True)
        model = ConformalClassifier(GaussianNB(), **options).fit(X, y)
        rates.append(model.predict_set(new)[np.arange(300), truth].mean())
        model.set_params(randomized=True).fit(X, y)
        randomized.append(model.predict_set(new)[np.arange(300), truth].mean())
    for found in (rates, randomized):
        error = np.std(found) / np.sqrt(len(found))
        assert 0.85 - 3 * error - 0.01 < np.mean(found) < 0.85 + 3 * error + 0.03


def test_per_class_calibration_covers_rare_classes(rng):
    plain, own = np.zeros(4), np.zeros(4)
    for k in range(15):
        X, y = clouds(1000, rng)
        new, truth = clouds(3000, rng)
        for rates, per_class in ((plain, False), (own, True)):
            model = ConformalClassifier(coverage=0.8, per_class=per_class, random_state=k).fit(X, y)
            inside = model.predict_set(new)[np.arange(3000), truth]
            rates += [inside[truth == c].mean() / 15 for c in range(4)]
    assert plain[3] < 0.6
    assert np.all(own > 0.76)


def test_scores_are_their_definitions():
    P = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    assert_close(nonconformity(P, "lac", 0, 0), 1 - P)
    assert_close(nonconformity(P, "aps", 0, 0), [[0.5, 0.8, 1.0], [0.9, 1.0, 0.8]])
    assert_close(nonconformity(P, "raps", 0.1, 1), [[0.5, 0.9, 1.2], [1.0, 1.2, 0.8]])
    u = np.array([0.5, 1.0])
    assert_close(nonconformity(P, "aps", 0, 0, u), [[0.25, 0.65, 0.9], [0.8, 0.9, 0.0]], atol=1e-12)


def test_split_set_is_the_definition(rng):
    X, y = clouds(120, rng)
    fitted = GaussianNB().fit(X[:60], y[:60])
    for method in ("lac", "aps"):
        options = dict(coverage=0.8, method=method, allow_empty=True)
        model = ConformalClassifier(FrozenEstimator(fitted), **options).fit(X[60:], y[60:])
        scores = nonconformity(fitted.predict_proba(X[60:]), method, 0, 0)[np.arange(60), y[60:]]
        q = np.sort(scores)[int(np.ceil(0.8 * 61)) - 1]
        assert np.array_equal(model.predict_set(X), nonconformity(fitted.predict_proba(X), method, 0, 0) <= q + 1e-12)
    assert np.array_equal(model.predict(X), fitted.predict(X))


def test_adaptive_sets_are_larger_where_classes_overlap():
    X, y = load_iris(return_X_y=True)
    model = ConformalClassifier(method="aps", coverage=0.95, random_state=0).fit(X, y)
    sizes = model.predict_set(X).sum(axis=1)
    assert sizes[y == 0].mean() < sizes[y == 1].mean()
    assert sizes.min() >= 1  # never empty, unless allowed
    small = model.predict_set(X, coverage=0.3)
    assert np.all(small.sum(axis=1) >= 1)
    assert np.all(model.predict_set(X, 0.99) >= model.predict_set(X, 0.5))


def test_strings_cross_validation_and_missing_classes(rng):
    X, y = make_classification(200, 6, n_informative=4, n_classes=3, random_state=0)
    names = np.array(["x", "y", "z"])[y]
    model = ConformalClassifier(LogisticRegression(), cv=5).fit(X, names)
    assert len(model.estimators_) == 5
    assert set(model.predict(X)) <= set("xyz")
    rare = np.where(np.arange(200) == 7, "rare", names)  # its only row calibrates or trains, never both
    sets = ConformalClassifier(random_state=1).fit(X, rare).predict_set(X)
    assert sets.shape == (200, 4)
    with pytest.raises(ValueError, match="no predict_proba"):
        ConformalClassifier(RidgeClassifier(), random_state=0).fit(X, y)


@pytest.mark.parametrize("method", ["split", "cv+"])
def test_tiny_coverage_gives_the_smallest_score(method, rng):
    X = rng.normal(size=(40, 1))
    y = X[:, 0] + rng.normal(size=40)
    model = ConformalRegressor(LinearRegression(), coverage=1e-12, method=method, random_state=0).fit(X, y)
    bounds = model.predict_interval(X)
    assert np.isfinite(bounds).all()
    least = ConformalRegressor(LinearRegression(), coverage=1e-3, method=method, random_state=0).fit(X, y)
    assert_close(bounds, least.predict_interval(X))
