"""Flexible discriminant analysis."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from statlearn._core.warnings import RankWarning
from statlearn.discriminant import FlexibleDiscriminantAnalysis, LinearDiscriminantAnalysis
from statlearn.linear import LinearRegression
from statlearn.prep import make_scenario
from statlearn.smooth import BRUTO, GAM, MARS
from statlearn.trees import DecisionTreeRegressor
from tests.discriminant.tables import gaussians, vowel
from tests.helpers import assert_close


@given(seed=st.integers(0, 10_000), p=st.integers(1, 5), k=st.integers(2, 5))
def test_linear_regression_gives_linear_discriminant_analysis(seed, p, k):
    X, y = gaussians(np.random.default_rng(seed), 60, p, k)
    flexible, linear = FlexibleDiscriminantAnalysis().fit(X, y), LinearDiscriminantAnalysis().fit(X, y)
    assert_close(flexible.predict_proba(X), linear.predict_proba(X), atol=1e-6)
    shares = np.bincount(y) / len(y)
    L = flexible.theta_.shape[1]
    assert_close(flexible.theta_.T @ (shares[:, None] * flexible.theta_), np.eye(L), atol=1e-8)
    # r² are squared canonical correlations.
    values = linear.summary()["eigenvalue"]
    assert_close(flexible.r2_[: len(values)], (values / (1 + values))[:L], rtol=1e-6, atol=1e-8)


def test_r_agrees():
    # R 4.2.2, mda 0.5-3, vowel: f <- fda(y ~ ., train); f$values; f$percent.explained; predict(f, type = "posterior")
    X, y, X_test, y_test = vowel()
    model = FlexibleDiscriminantAnalysis().fit(X, y)
    values = [0.8020583563347, 0.7173711086151, 0.2431794303306, 0.1213412128409, 0.0714334416995]
    assert_close(model.r2_[:5], values, rtol=1e-8)
    posterior = [0.04831635844, 0.3991432458, 0.5432345036093, 5.227577492e-03, 2.283055023e-06, 5.125719260e-04]
    assert_close(model.predict_proba(X_test[:1])[0, :6], posterior, rtol=1e-8)
    assert_close(100 * np.cumsum(model.explained_variance_ratio_)[:2], [56.16626034, 91.34935526], rtol=1e-8)

    def errors(m):
        m.fit(X, y)
        return 1 - m.score(X, y), 1 - m.score(X_test, y_test)

    assert_close(errors(model), [0.3162878788, 0.5562770563])
    # fda(y ~ ., train, dimension = 2), and fda(y ~ ., train, method = polyreg, degree = 2)
    assert_close(errors(FlexibleDiscriminantAnalysis(n_components=2)), [0.3503787879, 0.4913419913])
    quadratic = make_pipeline(PolynomialFeatures(2, include_bias=False), LinearRegression())
    model = FlexibleDiscriminantAnalysis(quadratic)
    assert_close(errors(model), [0.02272727273, 0.43939393939])
    explained = [45.15239922, 73.69602004, 86.41764686, 91.42091751]
    assert_close(100 * np.cumsum(model.explained_variance_ratio_)[:4], explained, rtol=1e-7)


def test_mars_matches_fda_with_earth():
    # R 4.2.2, mda 0.5-3, earth 5.3.2: f <- fda(y ~ ., train, method = earth); f$values; f$fit$gcv; f$fit$rss
    X, y, X_test, y_test = vowel()
    model = FlexibleDiscriminantAnalysis(MARS()).fit(X, y)
    mars = model.regressors_[0]
    values = [0.9177463078154, 0.8220002985734, 0.5813356156164, 0.5340461647137, 0.3448062120232, 0.2931313856981]
    assert_close(model.r2_[:6], values, rtol=1e-8)
    assert len(mars.terms_) == 17
    assert_close([mars.gcv_, mars.rss_], [7.00097378989, 3248.88939937], rtol=1e-9)
    assert_close([1 - model.score(X, y), 1 - model.score(X_test, y_test)], [0.261363636364, 0.517316017316], rtol=1e-9)
    assert_close(np.log(model.predict_proba(X_test[:1])[0, 1:3]), np.log([3.71679051523e-13, 1.96269673025e-18]))
    X, y = load_iris(return_X_y=True)
    model = FlexibleDiscriminantAnalysis(MARS()).fit(X, y)
    assert_close(model.r2_, [0.996880942091, 0.868860866412], rtol=1e-8)
    assert len(model.regressors_[0].terms_) == 9
    assert_close(model.regressors_[0].gcv_, 0.1707733, rtol=1e-6)


@pytest.mark.parametrize(("table", "gcv_of_mda"), [("iris", 0.265421601589), ("vowel", 7.05663655304)])
def test_mars_finds_a_smaller_gcv_than_mda(table, gcv_of_mda):
    # R 4.2.2, mda 0.5-3: fda(y ~ ., train, method = mars)$fit$gcv. Same degree, number of terms, penalty, threshold and
    # spans, but mda's mars passes over a knot whose row is tied with the row before it: 7 terms on iris, 15 on vowel.
    X, y = load_iris(return_X_y=True) if table == "iris" else vowel()[:2]
    mars = FlexibleDiscriminantAnalysis(MARS()).fit(X, y).regressors_[0]
    assert mars.gcv_ < gcv_of_mda


def test_any_regressor_will_do(rng):
    y = np.arange(240) % 3
    angle = rng.uniform(0, 2 * np.pi, 240)
    X = np.column_stack([np.cos(angle), np.sin(angle)]) * (1 + y)[:, None] + 0.3 * rng.normal(size=(240, 2))
    assert FlexibleDiscriminantAnalysis().fit(X, y).score(X, y) < 0.6
    for regressor in (MARS(), GAM(), DecisionTreeRegressor(max_leaf_nodes=12)):
        model = FlexibleDiscriminantAnalysis(regressor).fit(X, y)
        assert model.score(X, y) > 0.75
        assert len(model.regressors_) == (2 if isinstance(regressor, GAM) else 1)
        Z = model.transform(X)
        within = np.mean([Z[y == c].var(axis=0) for c in range(3)], axis=0)
        assert np.all((within > 0.5) & (within < 2))


def test_weights_are_used_and_bad_input_raises(rng):
    X, y = gaussians(rng, 60)
    w = rng.integers(0, 3, len(X))
    for model in (
        FlexibleDiscriminantAnalysis(),
        FlexibleDiscriminantAnalysis(make_pipeline(PolynomialFeatures(2), LinearRegression(fit_intercept=False))),
    ):
        a = model.fit(X, y, w).predict_proba(X)
        assert_close(a, model.fit(X.repeat(w, axis=0), y.repeat(w)).predict_proba(X), atol=1e-7)
    with pytest.raises(ValueError, match="`n_components`=3 exceeds"):
        FlexibleDiscriminantAnalysis(n_components=3).fit(X, y)
    with pytest.warns(RankWarning, match="R² = 1"):
        FlexibleDiscriminantAnalysis(DecisionTreeRegressor()).fit(X, y)


def test_iris_in_r():
    # ir <- fda(Species ~ ., data = iris); predict(ir, iris[c(71, 84, 134), ], type = "posterior")
    X, y = load_iris(return_X_y=True)
    found = FlexibleDiscriminantAnalysis().fit(X, y).predict_proba(X[[70, 83, 133]])
    assert_close(found[:, 1], [0.2490773340, 0.1389693681, 0.7333635677], rtol=1e-8)


@pytest.mark.spec("CRS-84")
@pytest.mark.parametrize("columns", [4, 10])
def test_bruto_as_the_regression_classifies_and_drops_columns_of_noise(columns):
    """The notes have errors of .084 (.003) and, with six columns of noise, .090 (.003); Bayes .029."""
    train, test = (make_scenario("orange_skin", n, n_features=columns, random_state=n) for n in (200, 2000))
    model = FlexibleDiscriminantAnalysis(BRUTO()).fit(train.X, train.y)
    assert 1 - model.score(test.X, test.y) < 0.12
    assert (model.regressors_[0].types_[:4] == "smooth").all()
    assert (model.regressors_[0].types_[4:] == "excluded").sum() >= (columns - 4) / 2
