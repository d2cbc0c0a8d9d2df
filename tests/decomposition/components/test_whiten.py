"""Whitening and the latent-variable form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.decomposition import latent_variable_form, whiten
from tests.decomposition.problems import low_rank
from tests.helpers import assert_close


@pytest.mark.spec("DEC-11")
@given(st.integers(0, 10_000), st.sampled_from(["pca", "zca", "svd"]))
def test_white_coordinates_have_unit_covariance_and_an_inverse(seed, method):
    X = low_rank(seed, noise=0.5)
    white = whiten(X, method=method)
    assert_close(np.cov(white.Z, rowvar=False, bias=True), np.eye(6), atol=1e-8)
    assert_close(white.inverse_transform(white.Z), X, atol=1e-7)
    assert_close(white.transform(X[:3]), white.Z[:3], atol=1e-7)
    if method == "zca":
        values, vectors = np.linalg.eigh(np.cov(X, rowvar=False, bias=True))
        assert_close(white.matrix, vectors @ np.diag(values**-0.5) @ vectors.T, rtol=1e-6, atol=1e-7)
    else:
        assert_close(whiten(X, method="svd").Z, whiten(X, method="pca").Z, rtol=1e-5, atol=1e-6)


@pytest.mark.spec("DEC-11")
def test_directions_without_variance_are_dropped():
    X = low_rank(0)
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    assert whiten(X).Z.shape[1] == 6
    assert whiten(X, method="svd").Z.shape[1] == 6
    assert whiten(X, method="zca").Z.shape[1] == 7
    with pytest.raises(ValueError, match="X is constant"):
        whiten(np.ones((4, 2)))


@pytest.mark.spec("DEC-10", "DEC-P5")
@given(st.integers(0, 10_000))
def test_latent_variables_are_uncorrelated_and_free_to_rotate(seed):
    X = low_rank(seed)
    form = latent_variable_form(X)
    n = len(X)
    assert_close(form.S.T @ form.S / n, np.eye(6), atol=1e-9)
    assert_close(form.S @ form.A.T + form.mean, X, atol=1e-9)
    # Erratum 004b: S is sqrt(N) U.
    assert_close(form.A @ form.A.T, np.cov(X, rowvar=False, bias=True), atol=1e-9)
    R = np.linalg.qr(np.random.default_rng(seed).normal(size=(6, 6)))[0]
    turned = form.rotated(R)
    assert_close(turned.S @ turned.A.T + turned.mean, X, atol=1e-9)
    assert_close(turned.S.T @ turned.S / n, np.eye(6), atol=1e-9)
    with pytest.raises(ValueError, match="orthogonal"):
        form.rotated(2 * R)
