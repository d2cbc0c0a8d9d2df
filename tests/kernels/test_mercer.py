"""Checks, report and repair of positive semi-definiteness."""

import numpy as np
import pytest

from statlearn.kernels import is_psd, mercer_report, nearest_psd, rbf_kernel, sigmoid_kernel
from tests.helpers import assert_close


def indefinite(seed):
    X = np.random.default_rng(seed).normal(size=(15, 2))
    return sigmoid_kernel(X, gamma=1.0, coef0=-1.0)


@pytest.mark.spec("KER-11", "KER-P1")
def test_gaussian_passes_and_tanh_fails(seed):
    X = np.random.default_rng(seed).normal(size=(30, 2))
    assert is_psd(rbf_kernel(X))
    assert is_psd(rbf_kernel(X.astype(np.float32)))
    report = mercer_report(rbf_kernel(X))
    assert report.psd
    assert report.symmetric
    assert report.n_negative == 0
    assert report.n_items == 30
    assert report.cauchy_schwarz <= 1e-12
    K = indefinite(seed)
    report = mercer_report(K)
    assert not is_psd(K)
    assert not report.psd
    values = np.linalg.eigvalsh(K)
    assert_close(report.smallest_eigenvalue, values[0])
    assert_close(report.negative_share, -values[values < 0].sum() / np.abs(values).sum())
    assert report.n_negative == np.sum(values < -1e-12)
    assert values[0] <= report.smallest_form


@pytest.mark.spec("KER-11")
def test_asymmetry_is_reported():
    K = np.array([[1.0, 0.5], [0.2, 1.0]])
    report = mercer_report(K)
    assert not report.symmetric
    assert not report.psd
    assert not is_psd(K)
    assert_close(report.asymmetry, 0.3)
    assert "Positive semi-definite: no" in str(report)
    assert "largest difference 0.3" in str(report)


def test_cauchy_schwarz_excess_is_relative():
    assert_close(mercer_report([[1.0, 2.0], [2.0, 1.0]]).cauchy_schwarz, 3.0 / 4.0)
    assert mercer_report(np.zeros((2, 2))).psd


@pytest.mark.spec("KER-11")
def test_repairs_are_positive_semi_definite_and_clipping_is_nearest(seed):
    K = indefinite(seed)
    values = np.linalg.eigvalsh(K)
    clipped = nearest_psd(K)
    assert is_psd(clipped)
    assert is_psd(nearest_psd(K, method="flip"))
    assert is_psd(nearest_psd(K, method="shift"))
    assert_close(np.linalg.norm(clipped - K), np.sqrt(np.sum(np.minimum(values, 0) ** 2)))
    assert_close(nearest_psd(K, method="shift") - K, -values[0] * np.eye(len(K)), atol=1e-12)
    assert_close(np.linalg.eigvalsh(nearest_psd(K, method="flip")), np.sort(np.abs(values)), atol=1e-12)
    # Of many other positive semi-definite matrices none is nearer.
    rng = np.random.default_rng(seed)
    for _ in range(20):
        L = rng.normal(size=K.shape)
        other = clipped + 0.1 * rng.random() * (L @ L.T)
        assert np.linalg.norm(other - K) > np.linalg.norm(clipped - K)


def test_a_good_matrix_is_unchanged(seed):
    K = rbf_kernel(np.random.default_rng(seed).normal(size=(5, 2)) * 3)
    for method in ("clip", "shift", "flip"):
        assert_close(nearest_psd(K, method=method), K)


@pytest.mark.parametrize("function", [is_psd, mercer_report, nearest_psd])
def test_non_square_matrices_raise(function):
    with pytest.raises(ValueError, match="K must be a square kernel matrix"):
        function(np.ones((2, 3)))
    with pytest.raises(ValueError, match="K contains NaN"):
        function([[np.nan, 1.0], [1.0, 1.0]])
