"""Partial least squares against scikit-learn, R's pls and least squares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cross_decomposition import PLSRegression

from statlearn.linear import LinearRegression, PartialLeastSquares
from tests.helpers import assert_close
from tests.linear.components.test_pcr import FOLDS, mtcars


@given(seed=st.integers(0, 10_000), k=st.integers(1, 4), m=st.integers(1, 3), scale=st.booleans())
def test_components_match_scikit_learn(seed, k, m, scale):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 5)) * [1, 2, 3, 4, 5] + 10.0
    Y = X @ rng.normal(size=(5, m)) + rng.normal(size=(25, m))
    ours = PartialLeastSquares(k, scale=scale).fit(X, Y)
    theirs = PLSRegression(k, scale=scale, max_iter=10_000, tol=1e-14).fit(X, Y)
    assert_close(ours.coef_, theirs.coef_, rtol=1e-5, atol=1e-6)
    assert_close(ours.predict(X), theirs.predict(X), rtol=1e-5, atol=1e-6)
    signs = np.sign(np.sum(ours.x_weights_ * theirs.x_weights_, axis=0))
    assert_close(ours.x_weights_ * signs, theirs.x_weights_, rtol=1e-5, atol=1e-5)
    assert_close(ours.x_loadings_ * signs, theirs.x_loadings_, rtol=1e-5, atol=1e-5)
    assert_close(ours.x_rotations_ * signs, theirs.x_rotations_, rtol=1e-5, atol=1e-5)
    assert_close(ours.transform(X) * signs, theirs.transform(X), rtol=1e-5, atol=1e-5)


def test_coefficients_agree_with_r():
    """R 4.2.2, pls 2.8-1: coef(plsr(..., data = mtcars), ncomp = 2, intercept = TRUE), kernel algorithm"""
    X, y, Y = mtcars()
    one = PartialLeastSquares(2).fit(X, y)
    expected = [-1.1190432081456, -1.0748210671703, -1.0375090594836, 0.9838896323919, -1.8663681504461,
                0.0618594463563]  # fmt: skip
    assert_close(one.coef_ * X.std(axis=0, ddof=1), expected)
    two = PartialLeastSquares(2, scale=False).fit(X, Y)
    assert_close(two.intercept_, [30.7283419781, 0.379433711657])
    expected = [[-5.70244326654e-04, -3.03426068515e-02, -2.48211152411e-02, 9.46457076186e-05, -3.13560267661e-04,
                 4.55510795530e-04],
                [3.34357300550e-04, -6.89744285707e-03, 2.75051072817e-02, 5.47029191118e-05, 1.75560974432e-04,
                 -7.29944066565e-04]]  # fmt: skip
    assert_close(two.coef_, expected)


def test_cross_validation_agrees_with_r():
    """plsr(..., ncomp = 6, validation = "CV", segments = split(1:32, rep(1:4, each = 8))): RMSEP(estimate = "CV")^2"""
    X, y, _ = mtcars()
    model = PartialLeastSquares("cv", scale=False, cv=FOLDS).fit(X, y)
    expected = [11.78766684362, 12.65835929106, 10.34348757866, 7.97131238023, 7.93492765038, 8.50685350804]
    assert_close(model.cv_curve_.mean, expected)
    assert model.n_components_ == 5
    assert PartialLeastSquares("cv", scale=False, cv=FOLDS, rule="one_se").fit(X, y).n_components_ <= 5


def test_all_components_are_least_squares_and_scores_are_orthogonal(rng):
    X, y = rng.normal(size=(60, 5)), rng.normal(size=60)
    model = PartialLeastSquares(5).fit(X, y)
    assert_close(model.coef_, LinearRegression().fit(X, y).coef_)
    T = model.transform(X)
    assert_close(T.T @ T, np.diag(np.diag(T.T @ T)), atol=1e-8)
    assert list(model.get_feature_names_out())[:2] == ["partialleastsquares0", "partialleastsquares1"]


def test_it_stops_when_y_is_fitted_exactly(rng):
    X = rng.normal(size=(20, 4))
    X = np.linalg.qr(X - X.mean(0))[0]
    model = PartialLeastSquares(3, scale=False).fit(X, X @ [1.0, 2.0, 3.0, 4.0])
    assert model.n_components_ == 1  # orthonormal columns: one component says it all
    assert_close(model.coef_, [1, 2, 3, 4])


@given(seed=st.integers(0, 10_000))
def test_weights_are_copies(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    w = rng.integers(0, 4, size=20)
    w[:5] = 1
    rows = np.repeat(np.arange(20), w)
    a, b = PartialLeastSquares(2).fit(X, y, w), PartialLeastSquares(2).fit(X[rows], y[rows])
    assert_close(a.coef_, b.coef_, rtol=1e-6, atol=1e-8)
    assert_close(a.x_scale_, b.x_scale_)


def test_too_many_components_are_refused(rng):
    with pytest.raises(ValueError, match=r"n_components=4 must be at most .* = 3"):
        PartialLeastSquares(4).fit(rng.normal(size=(10, 3)), rng.normal(size=10))
