"""Kernel principal components and locally linear embedding."""

import numpy as np
import pytest
from sklearn import decomposition
from sklearn import manifold as reference
from sklearn.exceptions import NotFittedError

from statlearn.kernels import GaussianKernel
from statlearn.manifold import ClassicalMDS, KernelPCA, LocallyLinearEmbedding, locally_linear_embedding, swiss_roll
from statlearn.neighbors import pairwise_distances
from tests.helpers import assert_close
from tests.manifold.problems import same_up_to_signs


@pytest.mark.spec("MAN-05")
@pytest.mark.parametrize("n", [60, 600])  # a complete decomposition, and the iterative one
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid", "cosine"])
def test_scores_are_scikit_learns(kernel, n):
    X = np.random.default_rng(0).normal(size=(n, 4)) * [4, 3, 2, 1]
    new = np.random.default_rng(1).normal(size=(7, 4))
    options = dict(kernel=kernel, gamma=0.05, coef0=0.5, degree=2)
    ours, theirs = KernelPCA(3, **options), decomposition.KernelPCA(3, eigen_solver="dense", **options)
    same_up_to_signs(ours.fit_transform(X), theirs.fit_transform(X))
    assert_close(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    same_up_to_signs(ours.transform(new), theirs.transform(new))


@pytest.mark.spec("MAN-P2")
def test_the_linear_kernel_gives_pca_and_classical_scaling(seed):
    X = np.random.default_rng(seed).normal(size=(30, 4)) * [4, 3, 2, 1]
    scores = KernelPCA(4).fit_transform(X)
    same_up_to_signs(scores, decomposition.PCA(4).fit_transform(X))
    same_up_to_signs(scores, ClassicalMDS(4).fit_transform(X))


@pytest.mark.spec("MAN-05", "MAN-P3")
def test_scores_are_centred_orthogonal_and_the_best_of_their_rank(seed):
    X = np.random.default_rng(seed).normal(size=(25, 3))
    c = 4.0
    model = KernelPCA(4, kernel=GaussianKernel(gamma=1 / c))  # exp(-d^2 / c)
    Z = model.fit_transform(X)
    assert_close(Z.sum(axis=0), 0.0, atol=1e-8)
    assert_close(Z.T @ Z, np.diag(model.eigenvalues_), atol=1e-8)
    K = np.exp(-(pairwise_distances(X) ** 2) / c)
    H = np.eye(25) - 1 / 25
    centred = H @ K @ H
    values = np.sort(np.linalg.eigvalsh(centred))[::-1]
    assert_close(np.linalg.norm(centred - Z @ Z.T) ** 2, np.sum(values[4:] ** 2), rtol=1e-6)


@pytest.mark.spec("MAN-05", "MAN-P10")
@pytest.mark.parametrize("kernel", ["poly", "rbf", "precomputed", lambda x, y: np.exp(-abs(x - y).sum())])
def test_training_rows_get_their_scores(kernel, seed):
    X = np.random.default_rng(seed).normal(size=(30, 3))
    if isinstance(kernel, str) and kernel == "precomputed":
        X = (X @ X.T + 1) ** 2
    model = KernelPCA(3, kernel=kernel)
    assert_close(model.fit_transform(X), model.transform(X), atol=1e-8)


def test_the_inverse_transform_is_scikit_learns():
    X = np.random.default_rng(0).normal(size=(50, 3))
    options = dict(kernel="rbf", gamma=0.3, fit_inverse_transform=True, alpha=0.1)
    ours, theirs = KernelPCA(4, **options).fit(X), decomposition.KernelPCA(4, **options).fit(X)
    rows = ours.inverse_transform(ours.transform(X[:9]))
    assert_close(rows, theirs.inverse_transform(theirs.transform(X[:9])), rtol=1e-6)
    with pytest.raises(NotFittedError, match="fit_inverse_transform"):
        KernelPCA(2).fit(X).inverse_transform(np.zeros((1, 2)))
    with pytest.raises(ValueError, match="precomputed"):
        KernelPCA(2, kernel="precomputed", fit_inverse_transform=True).fit(X @ X.T)


def test_components_without_variance_are_dropped(seed):
    X = np.random.default_rng(seed).normal(size=(20, 2))
    assert KernelPCA().fit(X).eigenvalues_.shape == (2,)
    assert KernelPCA(5, remove_zero_eig=True).fit(X).eigenvalues_.shape == (2,)
    assert KernelPCA(5).fit_transform(X).shape == (20, 5)
    assert_close(KernelPCA(5).fit_transform(X)[:, 2:], 0.0)
    with pytest.raises(ValueError, match="X must be a square kernel matrix"):
        KernelPCA(kernel="precomputed").fit(X)


@pytest.mark.parametrize("method", ["standard", "modified"])
@pytest.mark.parametrize("n", [150, 450])  # a complete decomposition, and the iterative one
def test_locally_linear_coordinates_are_scikit_learns(method, n):
    X, _ = swiss_roll(n, random_state=0)
    ours = LocallyLinearEmbedding(n_neighbors=12, method=method).fit(X)
    theirs = reference.LocallyLinearEmbedding(n_neighbors=12, method=method, eigen_solver="dense").fit(X)
    same_up_to_signs(ours.embedding_, theirs.embedding_, atol=1e-5)
    assert_close(ours.reconstruction_error_, theirs.reconstruction_error_, rtol=1e-3)
    new = X[:9] + 0.1
    same_up_to_signs(ours.transform(new), theirs.transform(new), atol=1e-5)
    Y, error = locally_linear_embedding(X, n_neighbors=12, n_components=2, method=method)
    same_up_to_signs(Y, ours.embedding_, atol=1e-5)  # the start of the eigensolver is random
    assert_close(error, ours.reconstruction_error_, rtol=1e-3)


def test_a_plane_is_recovered_by_the_modified_method(seed):
    plane = np.random.default_rng(seed).uniform(size=(300, 2))
    X = plane @ np.random.default_rng(seed + 1).normal(size=(2, 5))
    Y = LocallyLinearEmbedding(n_neighbors=10, method="modified").fit_transform(X)
    A = np.column_stack([plane, np.ones(300)])
    residual = Y - A @ np.linalg.lstsq(A, Y, rcond=None)[0]
    assert np.linalg.norm(residual) < 5e-3 * np.linalg.norm(Y)  # an affine map of the plane, up to the ridge


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(n_neighbors=10), "n_neighbors = 10"),
        (dict(n_components=4), "output dimension must be less than or equal to input dimension"),
        (dict(n_neighbors=2, method="modified"), "`n_neighbors`=2 must exceed"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        LocallyLinearEmbedding(**options).fit(np.random.default_rng(0).normal(size=(10, 3)))


def test_a_singular_inverse_names_the_penalty():
    with pytest.raises(np.linalg.LinAlgError, match="`alpha`=0"):
        KernelPCA(1, fit_inverse_transform=True, alpha=0.0).fit(np.ones((4, 2)))
