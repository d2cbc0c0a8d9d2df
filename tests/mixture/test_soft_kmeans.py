"""Soft k-means: softmax assignments, and k-means as the limit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.cluster import KMeans as Peer

from statlearn.mixture import GaussianMixture, SoftKMeans
from tests.helpers import assert_close


def blobs(rng, n=90):
    return 4.0 * rng.normal(size=(3, 2))[np.arange(n) % 3] + rng.normal(size=(n, 2))


@pytest.mark.spec("MIX-06", "MIX-P4")
@given(seed=st.integers(0, 10_000), beta=st.floats(0.05, 5.0))
def test_assignments_are_a_softmax_of_squared_distances(seed, beta):
    rng = np.random.default_rng(seed)
    X = blobs(rng)
    model = SoftKMeans(3, beta=beta, init=X[:3], tol=1e-6, max_iter=20_000).fit(X)
    squared = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    R = softmax(np.log(model.weights_) - 0.5 * beta * squared, axis=1)
    assert_close(model.predict_proba(X), R, atol=1e-8)
    assert_close(model.transform(X) ** 2, squared, rtol=1e-6, atol=1e-8)
    assert np.all(np.diff(model.lower_bound_history_) >= -1e-9 * abs(model.log_likelihood_))
    # A fixed point: centres are means weighted by the responsibilities.
    assert_close(model.cluster_centers_, (R.T @ X) / R.sum(axis=0)[:, None], atol=0.02)
    np.testing.assert_array_equal(model.labels_, R.argmax(axis=1))


@pytest.mark.spec("MIX-06", "MIX-P4")
def test_a_stiff_one_is_k_means(seed):
    rng = np.random.default_rng(seed)
    X = blobs(rng)
    hard = Peer(3, init=X[:3], n_init=1, tol=0, max_iter=1000).fit(X)
    # With a tolerance of 0 it ends when only the last digit of the objective changes.
    soft = SoftKMeans(3, beta=1e8, init=X[:3], estimate_weights=False, tol=0, max_iter=200).fit(X)
    assert_close(soft.cluster_centers_, hard.cluster_centers_, rtol=1e-6)
    np.testing.assert_array_equal(soft.labels_, hard.labels_)
    assert_close(soft.inertia_, hard.inertia_)
    # The spherical mixture with hard assignments: the same centres from known labels.
    complete = GaussianMixture(3, covariance_type="spherical").fit_complete(X, hard.labels_)
    assert_close(complete.means_, hard.cluster_centers_)


@pytest.mark.spec("MIX-06")
def test_equal_shares_weights_and_acceleration(rng):
    X = blobs(rng)
    equal = SoftKMeans(3, beta=0.5, estimate_weights=False, init=X[:3]).fit(X)
    assert_close(equal.weights_, np.full(3, 1 / 3))
    weights = rng.integers(0, 3, size=len(X))
    start = dict(beta=0.7, init=X[:3], tol=1e-10, max_iter=20_000)
    a = SoftKMeans(3, **start).fit(X, sample_weight=weights)
    b = SoftKMeans(3, **start).fit(np.repeat(X, weights, axis=0))
    assert_close(a.cluster_centers_, b.cluster_centers_)
    assert a.labels_.shape == (len(X),)
    fast = SoftKMeans(3, acceleration="squarem", **start).fit(X, sample_weight=weights)
    assert_close(fast.log_likelihood_, a.log_likelihood_)
    with pytest.raises(ValueError, match="n_samples >= n_clusters"):
        SoftKMeans(3).fit(X[:2])
    with pytest.raises(ValueError, match="'means' should have the shape"):
        SoftKMeans(3, init=X[:2]).fit(X)


def test_probabilities_far_from_all_centres_sum_to_one(rng):
    model = SoftKMeans(3, random_state=0).fit(rng.normal(size=(40, 2)))
    P = model.predict_proba(1e8 * rng.normal(size=(50, 2)))
    assert_close(P.sum(axis=1), np.ones(50), rtol=1e-12)
