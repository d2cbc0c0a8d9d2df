"""Orthonormal wavelet bases."""

import sys

import numpy as np
import pytest
import pywt

from statlearn._math.linalg import wavelets
from statlearn.decomposition import SparseCoder
from statlearn.smooth import WaveletBasis
from tests.helpers import assert_close


@pytest.mark.spec("CRS-76")
def test_haar_coefficients_of_four_numbers():
    basis = WaveletBasis("haar").fit([[1.0, 2.0, 3.0, 4.0]])
    assert_close(basis.transform([[1.0, 2.0, 3.0, 4.0]]), [[5.0, -2.0, -(0.5**0.5), -(0.5**0.5)]])
    assert basis.get_feature_names_out().tolist() == ["average2_0", "detail2_0", "detail1_0", "detail1_1"]


@pytest.mark.spec("CRS-76")
@pytest.mark.parametrize("wavelet", ["haar", "db4", "db20", "sym8", "coif3"])
@pytest.mark.parametrize("n", [64, 24, 2])
def test_bases_are_orthonormal_and_equal_to_pywavelets(wavelet, n, rng):
    X = rng.normal(size=(3, n))
    basis = WaveletBasis(wavelet).fit(X)
    W = basis.components_
    assert np.abs(W @ W.T - np.eye(n)).max() < 1e-12
    Z = basis.transform(X)
    assert_close(Z, X @ W.T)
    assert_close(basis.inverse_transform(Z), X)
    assert_close(Z, np.hstack(pywt.wavedec(X, wavelet, mode="periodization", level=basis.level_)))
    if n == 64:
        assert_close(Z, np.hstack(pywt.wavedec(X, wavelet, mode="periodization")))


def test_odd_lengths_cannot_be_halved():
    assert WaveletBasis().fit([[1.0, 2.0, 3.0]]).level_ == 0
    with pytest.raises(ValueError, match="`level`=3 must be at most 2: a row of X has 12 entries"):
        WaveletBasis(level=3).fit(np.ones((1, 12)))
    with pytest.raises(ValueError, match="X must have 4 coefficients per row, got 2"):
        WaveletBasis().fit(np.ones((1, 4))).inverse_transform([[1.0, 2.0]])


@pytest.mark.spec("CRS-76")
def test_sparse_coder_takes_the_names_of_wavelets(rng):
    X = rng.normal(size=(4, 16))
    coder = SparseCoder("db2", transform_algorithm="lasso_cd", transform_alpha=0.5).fit(X)
    basis = WaveletBasis("db2").fit(X)
    assert_close(coder.components_, basis.components_)
    Z = basis.transform(X)
    # The lasso in an orthonormal basis is soft thresholding, to the coder's tolerance.
    assert_close(coder.transform(X), np.sign(Z) * np.maximum(np.abs(Z) - 0.5, 0.0), atol=1e-6)


def test_every_listed_wavelet_is_known_to_pywavelets():
    assert set(wavelets.NAMES) == {w for w in pywt.wavelist(kind="discrete") if pywt.Wavelet(w).orthogonal} - {"dmey"}


def test_missing_pywavelets_is_named_with_its_extra(monkeypatch):
    wavelets.import_pywt.cache_clear()
    monkeypatch.setitem(sys.modules, "pywt", None)
    with pytest.raises(ImportError, match=r"pip install 'statlearn\[wavelet\]'"):
        WaveletBasis().fit(np.ones((1, 4)))
    wavelets.import_pywt.cache_clear()
