"""Gram matrices of vectors, strings and objects."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import pairwise_kernels as reference

from statlearn.cluster import KernelKMeans
from statlearn.kernels import (
    GaussianKernel,
    KernelRidge,
    KernelRidgeCV,
    Nystroem,
    SpectrumKernel,
    gram_matrix,
    pairwise_kernels,
    rbf_kernel,
)
from statlearn.manifold import KernelPCA
from tests.helpers import assert_close


def jaccard(a, b):
    return len(a & b) / len(a | b)


@pytest.mark.spec("KER-10")
@pytest.mark.parametrize("block_size", [None, 1, 7, 100])
def test_blocks_of_any_size_give_the_same_matrix(block_size, seed):
    rng = np.random.default_rng(seed)
    X, Y = rng.random((23, 3)), rng.random((9, 3))
    strings = ["".join(rng.choice(list("ab"), 8)) for _ in range(12)]
    sets = [set(rng.integers(0, 9, size=4).tolist()) for _ in range(10)]
    options = {"block_size": block_size}
    assert_close(gram_matrix(X, "rbf", params={"gamma": 0.4}, **options), rbf_kernel(X, gamma=0.4), rtol=1e-13)
    assert_close(gram_matrix(X, GaussianKernel(0.4), Y, **options), rbf_kernel(X, Y, gamma=0.4), rtol=1e-13)
    assert_close(gram_matrix(sparse.csr_matrix(X), "linear", **options), X @ X.T)
    np.testing.assert_array_equal(gram_matrix(strings, SpectrumKernel(2), **options), SpectrumKernel(2)(strings))
    slow = [[jaccard(a, b) for b in sets] for a in sets]
    np.testing.assert_array_equal(gram_matrix(sets, jaccard, pairs=True, **options), slow)
    np.testing.assert_array_equal(gram_matrix(sets, jaccard, sets[:3], pairs=True, **options), np.array(slow)[:, :3])


@pytest.mark.spec("KER-10")
def test_the_result_can_be_a_memory_map(seed, tmp_path):
    X = np.random.default_rng(seed).random((20, 3))
    out = np.memmap(tmp_path / "K", dtype=np.float64, mode="w+", shape=(20, 20))
    assert gram_matrix(X, "rbf", block_size=6, out=out) is out
    assert_close(out, rbf_kernel(X), rtol=1e-13)
    with pytest.raises(ValueError, match="`out` must have shape"):
        gram_matrix(X, "rbf", out=np.empty((3, 3)))


@pytest.mark.spec("KER-10")
def test_a_precomputed_matrix_is_checked_and_returned():
    K = np.array([[2.0, 1.0], [1.0, 2.0]])
    np.testing.assert_array_equal(gram_matrix(K, "precomputed"), K)
    with pytest.raises(ValueError, match="X must be a square kernel matrix"):
        gram_matrix(np.ones((2, 3)), "precomputed")
    with pytest.raises(ValueError, match="X must be a symmetric kernel matrix"):
        gram_matrix(np.array([[1.0, 2.0], [0.0, 1.0]]), "precomputed")
    with pytest.raises(ValueError, match="Y must be None"):
        gram_matrix(K, "precomputed", K)


def test_names_and_functions_that_are_not_known_raise():
    X = np.ones((2, 2))
    with pytest.raises(ValueError, match="Unknown kernel 'nothing'"):
        gram_matrix(X, "nothing")
    with pytest.raises(TypeError, match="has no parameter 'gama'"):
        gram_matrix(X, "rbf", params={"gama": 1.0})
    with pytest.raises(TypeError, match="`kernel` must be a name"):
        gram_matrix(X, 3)
    with pytest.raises(ValueError, match="Set the parameters of"):
        gram_matrix(X, GaussianKernel(), params={"gamma": 1.0})


@pytest.mark.parametrize("metric", ["linear", "rbf", "poly", "laplacian", "sigmoid", "cosine", "chi2", "additive_chi2"])
def test_pairwise_kernels_has_scikit_learns_signature(metric, seed):
    X = np.random.default_rng(seed).random((12, 3))
    assert_close(pairwise_kernels(X, X[:4], metric), reference(X, X[:4], metric), rtol=1e-12, atol=1e-14)
    assert_close(
        pairwise_kernels(X, metric=metric, filter_params=True, gamma=0.3, degree=2, n_jobs=1),
        reference(X, metric=metric, filter_params=True, gamma=0.3, degree=2),
        rtol=1e-12, atol=1e-14,
    )  # fmt: skip


def test_pairwise_kernels_takes_functions_of_rows_objects_and_matrices(seed):
    X = np.random.default_rng(seed).random((6, 3))
    assert_close(pairwise_kernels(X, metric=lambda a, b: np.minimum(a, b).sum()), pairwise_kernels(X, metric="min"))
    assert_close(pairwise_kernels(X, X[:2], metric=RBF(2.0)), rbf_kernel(X, X[:2], sigma=2.0))
    K = X @ X.T
    np.testing.assert_array_equal(pairwise_kernels(K, metric="precomputed"), K)
    with pytest.raises(ValueError, match="Precomputed metric requires shape"):
        pairwise_kernels(X, metric="precomputed")


@pytest.mark.spec("CRS-123")
def test_gaussian_is_a_name_of_the_rbf_kernel(rng):
    X = rng.normal(size=(30, 2))
    y = np.sin(X[:, 0])
    np.testing.assert_array_equal(gram_matrix(X, "gaussian"), gram_matrix(X, "rbf"))
    for model, options in (
        (KernelRidge(), {"gamma": 0.7}),
        (KernelRidgeCV(), {"gamma": [0.3, 0.7]}),
        (KernelPCA(2), {"gamma": 0.7}),
        (KernelKMeans(2, random_state=0), {"gamma": 0.7}),
        (Nystroem(n_components=5, random_state=0), {"gamma": 0.7}),
    ):
        one, two = (clone(model).set_params(kernel=kernel, **options).fit(X, y) for kernel in ("gaussian", "rbf"))
        read = "predict" if hasattr(one, "predict") else "transform"
        np.testing.assert_array_equal(getattr(one, read)(X), getattr(two, read)(X))


def test_a_kernel_before_the_rows_raises_with_the_order(rng):
    with pytest.raises(TypeError, match=r"got ndarray. The rows come first: gram_matrix\(X, kernel\)"):
        gram_matrix("rbf", rng.normal(size=(5, 2)))
