"""k-means in the feature space of a kernel."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from statlearn.cluster import KernelKMeans, KMeans
from statlearn.kernels import GaussianKernel
from tests.helpers import assert_close


def rings(rng, n=150):
    angle = rng.uniform(0, 2 * np.pi, size=n)
    radius = np.where(np.arange(n) < n // 3, 0.3, 3.0) + 0.1 * rng.normal(size=n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), (np.arange(n) >= n // 3).astype(int)


def objective(K, labels, weights):
    """Sum of weighted squared distances in feature space, cluster by cluster, literally."""
    total = 0.0
    for c in np.unique(labels):
        w, inner = weights * (labels == c), 0.0
        W = w.sum()
        inner = w @ K @ w / W**2
        total += np.sum(w * (np.diagonal(K) - 2 * K @ w / W + inner))
    return float(total)


@pytest.mark.spec("CLU-P4", "CLU-05")
@given(st.integers(0, 10_000), st.integers(1, 5))
def test_linear_kernel_is_kmeans_from_the_same_start(draw, k):
    rng = np.random.default_rng(draw)
    X, weights = rng.normal(size=(40, 3)), rng.integers(1, 4, size=40).astype(float)
    start = X[:k]
    labels = ((X[:, None] - start) ** 2).sum(axis=2).argmin(axis=1)
    plain = KMeans(k, init=start, tol=0).fit(X, sample_weight=weights)
    kernel = KernelKMeans(k, kernel="linear", init=labels).fit(X, sample_weight=weights)
    np.testing.assert_array_equal(kernel.labels_, plain.labels_)
    assert_close(kernel.inertia_, plain.inertia_)
    new = rng.normal(size=(10, 3))
    np.testing.assert_array_equal(kernel.predict(new), plain.predict(new))


@pytest.mark.spec("CLU-P4", "CLU-05")
@given(st.integers(0, 10_000), st.integers(2, 6))
def test_objective_decreases_and_matches_its_definition(draw, k):
    rng = np.random.default_rng(draw)
    X, weights = rng.normal(size=(30, 2)), rng.integers(1, 3, size=30).astype(float)
    model = KernelKMeans(k, gamma=0.7, random_state=draw).fit(X, sample_weight=weights)
    assert np.all(np.diff(model.history_) <= 1e-9)
    assert_close(model.inertia_, objective(rbf_kernel(X, gamma=0.7), model.labels_, weights))
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.spec("CLU-05")
def test_rings_that_kmeans_cannot_separate(rng):
    X, truth = rings(rng)
    said = KernelKMeans(2, gamma=2.0, n_init=10, random_state=0).fit(X).labels_
    straight = KMeans(2, random_state=0).fit(X).labels_
    assert len(set(zip(said, truth))) == 2
    assert len(set(zip(straight, truth))) > 2


@pytest.mark.spec("CLU-05")
def test_kernel_by_name_matrix_and_function_agree(rng):
    X, weights = rng.normal(size=(40, 2)), rng.integers(0, 3, size=40).astype(float)
    start = rng.integers(0, 3, size=40)
    K = rbf_kernel(X, gamma=0.5)
    named = KernelKMeans(3, gamma=0.5, init=start).fit(X, sample_weight=weights)
    matrix = KernelKMeans(3, kernel="precomputed", init=start).fit(K, sample_weight=weights)
    function = KernelKMeans(3, kernel=lambda a, b: np.exp(-0.5 * np.sum((a - b) ** 2)), init=start)
    blocks = KernelKMeans(3, gamma=0.5, init=start, cache_size=0).fit(X, sample_weight=weights)
    thing = KernelKMeans(3, kernel=GaussianKernel(gamma=0.5), init=start).fit(X, sample_weight=weights)
    for other in (matrix, function.fit(X, sample_weight=weights), blocks, thing):
        np.testing.assert_array_equal(named.labels_, other.labels_)
        assert_close(named.inertia_, other.inertia_)
    np.testing.assert_array_equal(named.predict(X), matrix.predict(K))


def test_weight_k_is_k_copies(rng):
    X, weights = rng.normal(size=(30, 2)), rng.integers(0, 4, size=30)
    rows = np.repeat(np.arange(30), weights)
    a = KernelKMeans(3, random_state=1).fit(X, sample_weight=weights)
    b = KernelKMeans(3, random_state=1).fit(X[rows])
    assert_close(a.inertia_, b.inertia_)
    np.testing.assert_array_equal(a.labels_[rows], b.labels_)


def test_empty_clusters_and_copies():
    X = np.array([[0.0], [0.1], [5.0], [9.0]])
    model = KernelKMeans(3, kernel="linear", init=[0, 0, 0, 0]).fit(X)
    assert len(set(model.labels_.tolist())) == 3
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(1\)"):
        assert KernelKMeans(2, random_state=0).fit(np.ones((4, 2))).inertia_ == 0


def test_bad_input_raises_by_name(rng):
    X = rng.normal(size=(6, 2))
    with pytest.raises(ValueError, match="square"):
        KernelKMeans(2, kernel="precomputed").fit(X)
    with pytest.raises(ValueError, match="symmetric kernel matrix"):
        KernelKMeans(2, kernel="precomputed").fit(np.triu(np.ones((4, 4))))
    with pytest.raises(ValueError, match="`init` must contain one integer label per row"):
        KernelKMeans(2, init=[0, 1]).fit(X)
    with pytest.raises(ValueError, match="between 0 and n_clusters - 1 = 1"):
        KernelKMeans(2, init=[0, 1, 2, 0, 0, 0]).fit(X)
    with pytest.raises(ValueError, match="'kernel' parameter"):
        KernelKMeans(2, kernel="no such").fit(X)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        KernelKMeans(3, init=[0, 1, 2, 0, 1, 2], max_iter=1).fit(X)
