"""Criteria against the catalog's numbers, R's, and each other."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import poisson
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from statlearn.assess import (
    aic,
    aicc,
    bic,
    gaussian_aic,
    gcv_score,
    information_criteria,
    mallows_cp,
    posterior_model_probabilities,
)
from statlearn.ensemble import GradientBoostingRegressor
from statlearn.linear import (
    GeneralizedLinearRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    effective_df,
)
from statlearn.smooth import GAM, AdditiveModel, LocalLikelihood
from statlearn.trees import DecisionTreeRegressor
from tests.helpers import assert_close
from tests.linear import carcass


@pytest.mark.spec("ASM-34", "ASM-T18")
def test_carcass6_as_in_the_catalog():
    model = LinearRegression().fit(carcass.X, carcass.y)
    rss = np.sum((carcass.y - model.predict(carcass.X)) ** 2)
    assert_close(mallows_cp(rss / 6, 3, 6, rss / 3), 6.5929292, atol=1e-6)
    assert_close(gaussian_aic(rss, 3, 6), 29.7515751, atol=1e-6)
    assert_close(gaussian_aic(rss, 3, 6, criterion="bic"), 28.9186130, atol=1e-6)
    found = information_criteria(model, carcass.X, carcass.y)
    assert_close([found.aic, found.bic, found.df], [29.7515751, 28.9186130, 4.0], atol=1e-6)
    facts = model.summary().facts
    assert_close([found.aic, found.bic, found.log_likelihood], [facts["aic"], facts["bic"], facts["log_likelihood"]])


@pytest.mark.spec("ASM-34")
def test_likelihood_forms():
    assert aic(-100.0, 3) == 206.0
    assert_close(aic(-100.0, 3, n=50, scale="mean"), 206.0 / 50)
    assert_close(gaussian_aic(12.0, 2, 20, noise_variance=0.8), aic(-10 * np.log(2 * np.pi * 0.8) - 12 / 1.6, 2))
    assert_close(bic([-100.0, -90.0], [3, 5], 50), [200 + 3 * np.log(50), 180 + 5 * np.log(50)])
    assert aicc(-1.0, 5, 6) == np.inf
    # Cp in R's form ranks alike.
    errors, d = np.array([2.0, 1.5, 1.4]), np.array([1, 2, 3])
    assert_close(mallows_cp(errors, d, 30, 1.2) * 30 / 1.2 - 30, errors * 30 / 1.2 - 30 + 2 * d)


@pytest.mark.spec("ASM-P19")
@given(st.integers(2, 10_000), st.integers(1, 20))
def test_the_price_of_bic_exceeds_that_of_aic_beyond_seven_rows(n, d):
    assert (bic(-10.0, d, n) > aic(-10.0, d)) == (n > np.e**2)


@pytest.mark.spec("ASM-34", "ASM-P19")
@given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=10), st.floats(-1e3, 1e3))
def test_posterior_probabilities_sum_to_one_and_ignore_a_shift(values, shift):
    probability = posterior_model_probabilities(values)
    assert_close(probability.sum(), 1.0)
    assert_close(posterior_model_probabilities(np.add(values, shift)), probability, atol=1e-7)
    assert_close(posterior_model_probabilities(values, prior=np.full(len(values), 3.0)), probability)
    assert values[int(np.argmax(probability))] <= min(values) + 1e-9


@pytest.mark.spec("ASM-34")
def test_posterior_ratio_is_the_exponential_of_half_the_difference():
    p = posterior_model_probabilities([10.0, 13.0])
    assert_close(p[0] / p[1], np.exp(1.5))


def test_ridge_and_lasso_spend_their_effective_parameters():
    X, y = load_diabetes(return_X_y=True)
    ridge = Ridge(alpha=0.1).fit(X, y)
    found = information_criteria(ridge, X, y)
    assert_close(found.df, effective_df(ridge, X, count_intercept=True) + 1)
    assert_close(found.gcv, gcv_score(ridge, y, X))
    lasso = Lasso(alpha=1.0).fit(X, y)
    assert information_criteria(lasso, X, y).df == np.count_nonzero(lasso.coef_) + 2


def test_generalised_linear_models_as_statsmodels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = rng.poisson(np.exp(0.3 + X @ [0.5, -0.2]))
    ours = information_criteria(PoissonRegressor(alpha=0).fit(X, y), X, y)
    theirs = sm.GLM(y, sm.add_constant(X), family=sm.families.Poisson()).fit()
    assert_close([ours.log_likelihood, ours.aic], [theirs.llf, theirs.aic], rtol=1e-6)


def test_logistic_models_as_statsmodels_and_in_the_limits():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X[:, [0, 1, 5]])
    free = LogisticRegression(C=np.inf, tol=1e-8, max_iter=1000).fit(X, y)
    theirs = sm.Logit(y, sm.add_constant(X)).fit(disp=0)
    ours = information_criteria(free, X, y)
    assert_close([ours.log_likelihood, ours.aic, ours.bic], [theirs.llf, theirs.aic, theirs.bic], rtol=1e-5)
    dfs = [information_criteria(LogisticRegression(C=C).fit(X, y), X, y).df for C in (1e-8, 1e-2, 1.0, 1e8)]
    assert dfs == sorted(dfs)
    assert_close([dfs[0], dfs[-1]], [1.0, 4.0], rtol=1e-4)


def test_multinomial_parameters_in_the_limits_and_pipelines():
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=1e-8)).fit(X, y)
    assert_close(information_criteria(model, X, y).df, 2.0, rtol=1e-3)
    larger = make_pipeline(StandardScaler(), LogisticRegression(C=1.0)).fit(X, y)
    assert 2.0 < information_criteria(larger, X, y).df < 10.0
    assert information_criteria(larger, X, y, df=7.0).df == 7.0


def test_weights_count_as_rows():
    X, y = load_diabetes(return_X_y=True)
    w = np.random.default_rng(0).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), w)
    weighted = information_criteria(Ridge().fit(X, y, sample_weight=w), X, y, sample_weight=w)
    copied = information_criteria(Ridge().fit(X[rows], y[rows]), X[rows], y[rows])
    assert_close([weighted.aic, weighted.bic, weighted.gcv], [copied.aic, copied.bic, copied.gcv])


def test_every_model_with_a_family_has_the_likelihood_of_its_family():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(150, 2))
    y = rng.poisson(np.exp(1 + np.sin(6 * X[:, 0])))
    models = [
        GAM(family="poisson"),
        AdditiveModel(family="poisson"),
        LocalLikelihood(family="poisson"),
        GeneralizedLinearRegressor("poisson", alpha=0.1),
        GradientBoostingRegressor(loss="poisson", n_estimators=5),
        DecisionTreeRegressor(criterion="poisson", max_depth=2),
    ]
    for model in models:
        found = information_criteria(model.fit(X, y), X, y, df=8.0)
        assert_close(found.log_likelihood, poisson.logpmf(y, model.predict(X)).sum(), rtol=1e-6)
        assert found.df == 8.0
    gam = models[0]
    own = information_criteria(gam, X, y)
    assert_close([own.log_likelihood, own.aic], [gam.log_likelihood_, gam.aic_])
    # The variance counts as a parameter, whether df is given or not.
    plain = GeneralizedLinearRegressor("gaussian").fit(X, y)
    assert_close(information_criteria(plain, X, y, df=3.0).aic, information_criteria(plain, X, y).aic)
    assert_close(information_criteria(plain, X, y).aic, information_criteria(LinearRegression().fit(X, y), X, y).aic)


def test_unknown_names_raise():
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="pass `df`"):
        information_criteria(KNeighborsRegressor().fit(X, y), X, y)
    with pytest.raises(ValueError, match="pass `df`"):
        information_criteria(KNeighborsClassifier().fit(X, y), X, y)
    with pytest.raises(ValueError, match="pass `n`"):
        aic(-1.0, 2, scale="mean")
    with pytest.raises(ValueError, match="`prior` must contain"):
        posterior_model_probabilities([1.0, 2.0], prior=[1.0])


@pytest.mark.spec("CRS-179")
def test_gaussian_aic_and_cp_name_each_other_and_their_relation_holds():
    n, variance = 60, 1.5
    rss, d = np.array([130.0, 100.0, 96.0]), np.array([2, 3, 5])
    on_the_likelihood = gaussian_aic(rss, d, n, noise_variance=variance)
    on_the_error = mallows_cp(rss / n, d, n, variance)
    assert_close(on_the_likelihood, n * np.log(2 * np.pi * variance) + n / variance * on_the_error)
    assert_close(on_the_error, variance / n * (on_the_likelihood - n * np.log(2 * np.pi * variance)))
    assert ":func:`gaussian_aic`" in mallows_cp.__doc__
    assert ":func:`mallows_cp`" in gaussian_aic.__doc__
