"""Paths and cross-validation of penalised generalised linear models."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import KFold, LeaveOneOut

from statlearn.linear import GeneralizedLinearRegressor, GeneralizedLinearRegressorCV, glm_path
from tests.helpers import assert_close


def counts(rng, n=120, p=6):
    X = rng.normal(size=(n, p))
    return X, rng.poisson(np.exp(0.4 + 0.7 * X[:, 0] - 0.4 * X[:, 1])).astype(float)


@pytest.mark.parametrize("family", ["poisson", "gaussian", "negative_binomial", "tweedie"])
def test_a_path_starts_at_zero_and_its_points_are_single_fits(family, rng):
    X, y = counts(rng)
    alphas, coefs, intercepts = glm_path(X, y, family, alphas=20, l1_ratio=0.8, tol=1e-11)
    assert alphas.shape == (20,)
    assert np.all(np.diff(alphas) < 0)
    assert not coefs[:, 0].any()
    assert np.count_nonzero(coefs[:, 1]) > 0
    for k in (3, 12):
        model = GeneralizedLinearRegressor(family, alpha=alphas[k], l1_ratio=0.8, theta=1.0, tol=1e-11).fit(X, y)
        assert_close(coefs[:, k], model.coef_, atol=1e-6)
        assert_close(intercepts[k], model.intercept_, atol=1e-6)


def test_paths_on_other_scales_and_sparse_input_are_the_same(rng):
    X, y = counts(rng)
    n = len(y)
    alphas, coefs, _ = glm_path(X, y, "poisson", alphas=8, tol=1e-11)
    other, same, _ = glm_path(X, y, "poisson", alphas=8, penalty_scale="half_rss", tol=1e-11)
    assert_close(other, n * alphas, rtol=1e-10)
    assert_close(same, coefs, atol=1e-7)
    _, thin, _ = glm_path(sparse.csr_array(X), y, "poisson", alphas=alphas, tol=1e-11)
    assert_close(thin, coefs, atol=1e-7)
    ridge, small, _ = glm_path(X, y, "poisson", alphas=5, l1_ratio=0.0)
    assert np.abs(small[:, 0]).max() < 0.01 < np.abs(small[:, -1]).max()
    assert np.all(np.diff(ridge) < 0)


def test_offsets_and_weights_reach_the_path(rng):
    X, y = counts(rng)
    exposure, w = rng.uniform(0.5, 2.0, size=len(y)), rng.integers(0, 3, size=len(y)).astype(float)
    alphas, coefs, _ = glm_path(X, y, "poisson", alphas=6, exposure=exposure, sample_weight=w, tol=1e-11)
    model = GeneralizedLinearRegressor("poisson", alpha=alphas[4], l1_ratio=1.0, tol=1e-11)
    assert_close(coefs[:, 4], model.fit(X, y, w, exposure=exposure).coef_, atol=1e-7)
    rows = np.repeat(np.arange(len(y)), w.astype(int))
    again = glm_path(X[rows], y[rows], "poisson", alphas=6, exposure=exposure[rows], tol=1e-11)
    assert_close(again[0], alphas, rtol=1e-8)


def test_cross_validation_is_what_a_loop_would_do(rng):
    X, y = counts(rng)
    exposure = rng.uniform(0.5, 2.0, size=len(y))
    folds = KFold(4, shuffle=True, random_state=0)
    model = GeneralizedLinearRegressorCV("poisson", alphas=12, cv=folds, l1_ratio=0.9, tol=1e-11)
    model.fit(X, y, exposure=exposure)
    losses = np.empty((12, 4))
    for k, (train, test) in enumerate(folds.split(X)):
        for i, alpha in enumerate(model.alphas_):
            fit = GeneralizedLinearRegressor("poisson", alpha=alpha, l1_ratio=0.9, tol=1e-11)
            mu = fit.fit(X[train], y[train], exposure=exposure[train]).predict(X[test], exposure=exposure[test])
            losses[i, k] = np.mean(fit._fitted_model()[0].unit_deviance(y[test], mu))
    assert_close(model.cv_curve_.loss, losses, rtol=1e-6)
    assert model.alpha_ == model.alphas_[np.argmin(losses.mean(axis=1))]
    best = GeneralizedLinearRegressor("poisson", alpha=model.alpha_, l1_ratio=0.9, tol=1e-11)
    assert_close(model.coef_, best.fit(X, y, exposure=exposure).coef_, atol=1e-6)
    with pytest.raises(ValueError, match="penalised"):
        model.summary()


def test_the_one_standard_error_rule_is_simpler(rng):
    X, y = counts(rng, p=10)
    least = GeneralizedLinearRegressorCV("poisson", alphas=30).fit(X, y)
    simple = GeneralizedLinearRegressorCV("poisson", alphas=30, rule="one_se").fit(X, y)
    assert simple.alpha_ > least.alpha_
    assert np.count_nonzero(simple.coef_) <= np.count_nonzero(least.coef_)
    assert simple.alpha_ == simple.alphas_[simple.cv_curve_.one_se]


def test_the_mixing_weight_can_be_chosen_too(rng):
    X, y = counts(rng)
    model = GeneralizedLinearRegressorCV("poisson", alphas=10, l1_ratio=[0.1, 1.0]).fit(X, y)
    assert model.l1_ratio_ in (0.1, 1.0)
    single = GeneralizedLinearRegressorCV("poisson", alphas=10, l1_ratio=model.l1_ratio_).fit(X, y)
    assert_close(model.coef_, single.coef_)


def test_bad_grids_are_refused(rng):
    X, y = counts(rng, n=20)
    for alphas, message in (([], "non-empty"), ([0.1, -1.0], "negative"), ([0.1, np.nan], "NaN")):
        with pytest.raises(ValueError, match=message):
            glm_path(X, y, "poisson", alphas=alphas)
        with pytest.raises(ValueError, match=message):
            GeneralizedLinearRegressorCV("poisson", alphas=alphas).fit(X, y)
    with pytest.raises(ValueError, match="l1_ratio"):
        GeneralizedLinearRegressorCV("poisson", l1_ratio=[0.5, 2.0]).fit(X, y)


def test_test_folds_without_weight_are_left_out(rng):
    X = rng.normal(size=(20, 2))
    y, weights = rng.poisson(np.exp(X[:, 0])), np.ones(20)
    weights[::4] = 0.0
    model = GeneralizedLinearRegressorCV("poisson", cv=LeaveOneOut()).fit(X, y, weights)
    absent = GeneralizedLinearRegressorCV("poisson", cv=LeaveOneOut()).fit(X[weights > 0], y[weights > 0])
    assert model.cv_curve_.loss.shape[1] == 15
    assert_close(model.cv_curve_.mean, absent.cv_curve_.mean)
    with pytest.raises(ValueError, match="0 for all training rows of a fold"):
        GeneralizedLinearRegressorCV("poisson", cv=2).fit(X, y, np.arange(20) < 10)
