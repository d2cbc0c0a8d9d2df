"""Fuzzy c-means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from statlearn.cluster import FuzzyCMeans, KMeans
from tests.helpers import assert_close


def objective(X, centres, r, m, weights):
    d = ((X[:, None] - centres) ** 2).sum(axis=2)
    return float(np.sum(weights[:, None] * r**m * d))


def fitted_at(centres, m):
    """A model whose centres are given."""
    model = FuzzyCMeans(len(centres), m=m, init=centres, max_iter=1, tol=0)
    with pytest.warns(ConvergenceWarning, match="membership changed"):
        model.fit(np.random.default_rng(0).normal(size=(9, 1)))
    model.cluster_centers_ = np.asarray(centres, dtype=float)
    return model


@pytest.mark.spec("CLU-T6", "CLU-06")
def test_memberships_for_squared_distances_1_4_9():
    for m, expected in ((2, [0.734694, 0.183673, 0.081633]), (50, [0.3415, 0.3320, 0.3265])):
        said = fitted_at([[1.0], [2.0], [3.0]], m).membership([[0.0]])[0]
        assert_close(said, expected, rtol=0, atol=1e-4)


@pytest.mark.spec("CLU-06")
def test_a_row_at_a_centre_belongs_there_only():
    model = fitted_at([[1.0], [2.0], [2.0]], 2)
    assert model.membership([[1.0]])[0].tolist() == [1, 0, 0]
    assert model.membership([[2.0]])[0].tolist() == [0, 0.5, 0.5]


@pytest.mark.spec("CLU-P6")
@given(st.integers(0, 10_000), st.integers(1, 5), st.floats(1.05, 6))
def test_objective_never_rises_and_ends_stationary(draw, k, m):
    rng = np.random.default_rng(draw)
    X, weights = rng.normal(size=(25, 2)), rng.integers(1, 4, size=25).astype(float)
    model = FuzzyCMeans(k, m=m, random_state=draw, max_iter=3000, tol=1e-8).fit(X, sample_weight=weights)
    r = model.memberships_
    assert_close(r.sum(axis=1), np.ones(25))
    assert np.all(r >= 0)
    assert np.all(np.diff(model.history_) <= 1e-9 * model.history_[0])
    assert_close(model.objective_, objective(X, model.cluster_centers_, r, m, weights), rtol=1e-6)
    mass = weights[:, None] * r**m
    assert_close(model.cluster_centers_, mass.T @ X / mass.sum(axis=0)[:, None], rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.spec("CLU-P6")
def test_limits_of_the_exponent(rng):
    X = rng.normal(size=(60, 2)) + 5 * rng.integers(0, 3, size=(60, 1))
    hard = KMeans(3, init=X[:3], tol=0).fit(X)
    nearly = FuzzyCMeans(3, m=1.0005, init=X[:3], tol=1e-10).fit(X)
    assert_close(nearly.cluster_centers_, hard.cluster_centers_, rtol=1e-3, atol=1e-3)
    np.testing.assert_array_equal(nearly.labels_, hard.labels_)
    away = [np.abs(fitted_at([[1.0], [2.0], [4.0]], m).membership(X[:, :1]) - 1 / 3).max() for m in (2, 20, 200)]
    assert away[0] > away[1] > away[2]
    assert away[2] < 0.05


def test_sparse_and_dense_agree(rng):
    X = np.where(rng.random((40, 5)) < 0.4, rng.normal(size=(40, 5)), 0)
    dense, thin = (FuzzyCMeans(3, random_state=0, tol=1e-9, max_iter=2000).fit(t) for t in (X, sparse.csr_array(X)))
    assert_close(dense.memberships_, thin.memberships_, atol=1e-6)


def test_weight_k_is_k_copies(rng):
    X, weights = rng.normal(size=(25, 2)), rng.integers(0, 3, size=25)
    rows = np.repeat(np.arange(25), weights)
    a = FuzzyCMeans(3, random_state=1, tol=1e-9, max_iter=2000).fit(X, sample_weight=weights)
    b = FuzzyCMeans(3, random_state=1, tol=1e-9, max_iter=2000).fit(X[rows])
    assert_close(a.memberships_[rows], b.memberships_, atol=1e-6)
    assert len(a.labels_) == 25


def test_identical_rows_and_too_few():
    model = FuzzyCMeans(2, random_state=0).fit(np.ones((5, 2)))
    assert model.objective_ == 0
    assert_close(model.memberships_, np.full((5, 2), 0.5))
    with pytest.raises(ValueError, match="n_samples=2 should be >= n_clusters=3"):
        FuzzyCMeans(3).fit([[0.0], [1.0]])
