"""Thin-plate splines as features."""

import numpy as np
import pytest

from statlearn.linear import LinearRegression
from statlearn.smooth import GAM, ThinPlateBasis, ThinPlateSpline, s2
from tests.helpers import assert_close


def points(n=60, p=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, p))
    return X, np.sin(4 * X[:, 0]) * X[:, -1] + 0.1 * rng.normal(size=n)


def ridge(B, P, y, lam):
    """Penalised least squares with a free constant."""
    B = np.column_stack([np.ones(len(B)), B])
    S = np.zeros((B.shape[1],) * 2)
    S[1:, 1:] = P
    return B @ np.linalg.solve(B.T @ B + lam * S, B.T @ y)


@pytest.mark.spec("SMT-14")
@pytest.mark.parametrize("p", [1, 2])
def test_the_full_basis_with_its_penalty_is_the_thin_plate_spline(p):
    X, y = points(p=p)
    basis = ThinPlateBasis(None).fit(X)
    assert basis.n_features_out_ == len(X) - 1
    lam = 1e-3
    expected = ThinPlateSpline(lam=lam, n_knots=None).fit(X, y).predict(X)
    assert_close(ridge(basis.transform(X), basis.penalty_matrix(), y, lam), expected, atol=1e-6)


@pytest.mark.spec("SMT-14")
@pytest.mark.parametrize("p", [1, 2, 3])
def test_low_rank_basis_contains_the_fits_of_the_additive_model(p):
    X, y = points(n=100, p=p)
    features = ThinPlateBasis(25).fit_transform(X)
    assert features.shape == (100, 24)
    term = GAM([s2(*range(p), k=25, lam=0)] if p > 1 else "s(x0, k=25, basis='tp', lam=0)").fit(X, y)
    assert_close(LinearRegression().fit(features, y).predict(features), term.predict(X), atol=1e-7)


def test_names_and_polynomials_without_penalty():
    X, _ = points(p=3)
    basis = ThinPlateBasis(12, include_bias=True).fit(X)
    names = basis.get_feature_names_out(["a", "b", "c"]).tolist()
    polynomials = ["1", "a", "b", "c", "a^2", "a b", "a c", "b^2", "b c", "c^2"]
    assert names == ["tp_1", "tp_2", *polynomials]
    values, P = basis.transform(X), basis.penalty_matrix()
    assert_close(values[:, 7], X[:, 0] * X[:, 1], atol=0)
    np.testing.assert_array_equal(P[2:], 0)
    assert np.linalg.eigvalsh(P[:2, :2]).min() > 0


def test_few_rows_leave_the_columns():
    X, _ = points(n=4, p=3)
    basis = ThinPlateBasis().fit(X)
    np.testing.assert_array_equal(basis.transform(X), X)
    np.testing.assert_array_equal(basis.penalty_matrix(), 0)
