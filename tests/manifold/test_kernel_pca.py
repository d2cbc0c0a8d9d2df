"""Kernel principal components."""

import numpy as np
import pytest
from sklearn import decomposition
from sklearn.exceptions import NotFittedError

from statlearn.kernels import GaussianKernel
from statlearn.manifold import ClassicalMDS, KernelPCA
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


def test_a_singular_inverse_names_the_penalty():
    with pytest.raises(np.linalg.LinAlgError, match="`alpha`=0"):
        KernelPCA(1, fit_inverse_transform=True, alpha=0.0).fit(np.ones((4, 2)))


def test_rows_whose_kernel_overflows_raise(rng):
    X = rng.normal(size=(20, 1))
    model = KernelPCA(1, kernel="poly", fit_inverse_transform=True).fit(X)
    assert np.isfinite(model.inverse_transform(model.transform(X))).all()
    with pytest.raises(ValueError, match="so large or so small"):
        model.transform(1e150 * X)
    with pytest.raises(ValueError, match="so large or so small"):
        model.inverse_transform(1e150 * model.transform(X))


def test_a_refit_without_the_inverse_does_not_answer_with_the_earlier_one(rng):
    model = KernelPCA(2, kernel="rbf", fit_inverse_transform=True).fit(rng.normal(size=(30, 3)))
    scores = model.set_params(fit_inverse_transform=False).fit_transform(rng.normal(size=(20, 3)))
    with pytest.raises(NotFittedError, match="fit_inverse_transform"):
        model.inverse_transform(scores)
