"""Features of the kernel on the span of the training rows."""

import numpy as np
import pytest
from sklearn.kernel_approximation import Nystroem as Reference

from statlearn.kernels import EmpiricalKernelMap, kernel_projection, linear_kernel, polynomial_kernel, rbf_kernel
from tests.helpers import assert_close


@pytest.mark.spec("KER-12", "KER-P8")
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian", "precomputed"])
def test_inner_products_reproduce_the_kernel_matrix(kernel, seed):
    X = np.random.default_rng(seed).normal(size=(25, 3))
    table = rbf_kernel(X, gamma=0.5) if kernel == "precomputed" else X
    model = EmpiricalKernelMap(kernel, gamma=0.5).fit(table)
    Z = model.transform(table)
    K = table if kernel == "precomputed" else model._kernel_object()(X)
    assert_close(Z @ Z.T, K, atol=1e-9)
    # The finite Mercer expansion: columns sqrt(lambda_j) e_j, by decreasing lambda.
    assert_close(Z, model.eigenvectors_ * np.sqrt(model.eigenvalues_), atol=1e-6)
    assert np.all(np.diff(model.eigenvalues_) <= 0)
    assert_close(model.eigenvectors_.T @ model.eigenvectors_, np.eye(Z.shape[1]), atol=1e-9)


@pytest.mark.spec("KER-12", "KER-P8")
def test_new_rows_get_the_coordinates_of_their_projection(seed):
    rng = np.random.default_rng(seed)
    X, new = rng.normal(size=(10, 3)), rng.normal(size=(6, 3))
    model = EmpiricalKernelMap("rbf", gamma=0.3).fit(X)
    Z, T = model.transform(X), model.transform(new)
    K, Q = rbf_kernel(X, gamma=0.3), rbf_kernel(new, X, gamma=0.3)
    coef, residual = kernel_projection(K, Q, np.ones(6))
    assert_close(T, coef @ Z, atol=1e-7)
    assert_close(1 - np.sum(T**2, axis=1), residual, atol=1e-9)
    assert_close(T @ Z.T, Q, atol=1e-9)
    # scikit-learn's features with all rows as landmarks are a rotation of these.
    theirs = Reference(gamma=0.3, n_components=10, random_state=0).fit(X).transform(new)
    assert_close(theirs @ theirs.T, T @ T.T, atol=1e-7)


@pytest.mark.spec("KER-12")
def test_rank_and_number_of_components(seed):
    X = np.random.default_rng(seed).normal(size=(20, 2))
    assert EmpiricalKernelMap("linear").fit(X).transform(X).shape == (20, 2)
    model = EmpiricalKernelMap("poly", degree=2).fit(X)
    assert len(model.eigenvalues_) == 6
    assert np.linalg.matrix_rank(polynomial_kernel(X, degree=2)) == 6
    few = EmpiricalKernelMap("rbf", n_components=4).fit(X)
    K = rbf_kernel(X)
    values = np.linalg.eigvalsh(K)
    Z = few.transform(X)
    assert_close(np.linalg.norm(K - Z @ Z.T), np.linalg.norm(values[:-4]), atol=1e-9)  # best approximation of rank 4
    assert list(few.get_feature_names_out()) == [f"empiricalkernelmap{k}" for k in range(4)]


def test_indefinite_and_empty_kernels(seed):
    X = np.random.default_rng(seed).normal(size=(10, 2))
    with pytest.warns(UserWarning, match="negative eigenvalues"):
        EmpiricalKernelMap("sigmoid", gamma=1.0, coef0=-1.0).fit(X)
    with pytest.raises(ValueError, match="The kernel matrix of X has no positive eigenvalues"):
        EmpiricalKernelMap("linear").fit(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="X must be a square kernel matrix"):
        EmpiricalKernelMap("precomputed").fit(np.ones((3, 2)))
    with pytest.raises(ValueError, match="X must be a symmetric kernel matrix"):
        EmpiricalKernelMap("precomputed").fit(np.array([[1.0, 2.0], [0.0, 1.0]]))
    K = linear_kernel(X)
    given, named = EmpiricalKernelMap("precomputed").fit(K), EmpiricalKernelMap("linear").fit(X)
    assert_close(given.transform(K[:2]) ** 2, named.transform(X[:2]) ** 2, atol=1e-9)
