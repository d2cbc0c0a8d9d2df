"""Approximate features from landmarks."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.kernel_approximation import Nystroem as Reference

from statlearn.kernels import GaussianKernel, Nystroem, kernel_projection, rbf_kernel
from tests.helpers import assert_close


def table(seed, n=60, p=3):
    return np.random.default_rng(seed).normal(size=(n, p))


@pytest.mark.spec("KER-P8")
def test_all_rows_as_landmarks_reproduce_the_kernel(seed):
    X = table(seed)
    Z = Nystroem(gamma=0.5, n_components=60, random_state=0).fit_transform(X)
    assert_close(Z @ Z.T, rbf_kernel(X, gamma=0.5), atol=1e-8)


def test_inner_products_match_projections_on_the_landmarks(seed):
    X = table(seed)
    model = Nystroem(gamma=0.5, n_components=10, random_state=1).fit(X)
    Z = model.transform(X)
    landmarks = model.components_
    np.testing.assert_array_equal(landmarks, X[model.component_indices_])
    K, Q = rbf_kernel(landmarks, gamma=0.5), rbf_kernel(X, landmarks, gamma=0.5)
    coef = kernel_projection(K, Q)
    assert_close(Z @ Z.T, coef @ K @ coef.T, atol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian", "cosine"])
def test_it_agrees_with_scikit_learn(kernel, seed):
    X = np.abs(table(seed))
    ours, theirs = (C(kernel, n_components=8, random_state=3).fit(X) for C in (Nystroem, Reference))
    np.testing.assert_array_equal(ours.component_indices_, theirs.component_indices_)
    A, B = ours.transform(X), theirs.transform(X)
    if kernel not in ("linear", "cosine"):  # singular: scikit-learn blows up rounding errors
        assert_close(A, B, atol=1e-6)
    assert_close(A @ A.T, B @ B.T, rtol=1e-5, atol=1e-5)


def test_sparse_rows_single_precision_objects_and_matrices(seed):
    X = table(seed)
    options = {"n_components": 8, "random_state": 3}
    wanted = Nystroem(gamma=0.5, **options).fit_transform(X)
    assert_close(Nystroem(gamma=0.5, **options).fit_transform(sparse.csr_matrix(X)), wanted)
    assert_close(Nystroem(GaussianKernel(0.5), **options).fit_transform(X), wanted)
    single = Nystroem(gamma=0.5, **options).fit_transform(X.astype(np.float32))
    assert single.dtype == np.float32
    assert_close(single, wanted, rtol=0, atol=1e-4)
    K = rbf_kernel(X, gamma=0.5)
    assert_close(Nystroem("precomputed", **options).fit_transform(K), wanted)
    function = Nystroem(lambda a, b, g: np.exp(-g * np.sum((a - b) ** 2)), kernel_params={"g": 0.5}, **options)
    assert_close(function.fit_transform(X), wanted)


def test_repeated_landmarks_do_no_harm(seed):
    X = np.repeat(table(seed, n=5), 4, axis=0)
    Z = Nystroem(gamma=0.5, n_components=20, random_state=0).fit_transform(X)
    assert_close(Z @ Z.T, rbf_kernel(X, gamma=0.5), atol=1e-8)
    assert np.abs(Z).max() < 2


def test_bad_settings_raise_or_reported(seed):
    X = table(seed, n=10)
    with pytest.warns(UserWarning, match="n_components > n_samples"):
        assert Nystroem(n_components=50).fit(X).transform(X).shape == (10, 10)
    for options, message in [
        ({"kernel": "precomputed"}, "X must be a square kernel matrix"),
        ({"kernel": "precomputed", "gamma": 1.0}, "Don't pass gamma"),
        ({"kernel": GaussianKernel(), "gamma": 1.0}, "Don't pass gamma"),
        ({"kernel": "nothing"}, "'kernel' parameter of Nystroem"),
    ]:
        with pytest.raises(ValueError, match=message):
            Nystroem(n_components=3, **options).fit(X)
