"""Orthonormal wavelet transforms of signals of finite length, on the filters and convolutions of PyWavelets."""

import functools
import importlib

import numpy as np

from statlearn._core.memory import require_memory

# Orthogonal filters of PyWavelets with exact reconstruction.
NAMES = (
    "haar",
    *(f"db{k}" for k in range(1, 39)),
    *(f"sym{k}" for k in range(2, 21)),
    *(f"coif{k}" for k in range(1, 18)),
)


class WaveletName:
    """A rule of `_constraints`: the name of an orthogonal wavelet. It does not need PyWavelets."""

    def accepts(self, value):
        return isinstance(value, str) and value in NAMES

    def describe(self):
        return "the name of an orthogonal wavelet: 'haar', 'db1' to 'db38', 'sym2' to 'sym20' or 'coif1' to 'coif17'"

    def bad_values(self):
        return ["no such wavelet", 17.5]


@functools.cache
def import_pywt():
    """The module pywt, or an ImportError that says how to get it."""
    try:
        return importlib.import_module("pywt")
    except ImportError as error:
        raise ImportError("Wavelets require PyWavelets. Install it with `pip install 'statlearn[wavelet]'`.") from error


def possible_level(n):
    """How many times a signal of n entries can be halved."""
    return (n & -n).bit_length() - 1 if n else 0


def default_level(wavelet, n):
    """The level of PyWavelets, at which the filter still fits into the signal, and at most the possible one."""
    pywt = import_pywt()
    return min(pywt.dwt_max_level(n, pywt.Wavelet(wavelet).dec_len), possible_level(n))


def decompose(signals, wavelet, level):
    """Coefficients of signals along the last axis: the coarsest averages, then details from coarse to fine."""
    pywt = import_pywt()
    details = []
    averages = signals
    for _ in range(level):
        averages, detail = pywt.dwt(averages, wavelet, mode="periodization", axis=-1)
        details.append(detail)
    return np.concatenate([averages, *details[::-1]], axis=-1)


def reconstruct(coefficients, wavelet, level):
    """The signals of coefficients in the order of `decompose`."""
    pywt = import_pywt()
    size = coefficients.shape[-1] >> level
    averages = coefficients[..., :size]
    for _ in range(level):
        averages = pywt.idwt(averages, coefficients[..., size : 2 * size], wavelet, mode="periodization", axis=-1)
        size *= 2
    return np.array(averages)


def wavelet_matrix(wavelet, n, level=None):
    """The orthonormal basis of signals of n entries, one basis function per row."""
    require_memory(24 * n * n, f"The basis of {n:,} wavelets", "Transform signals without the matrix of the basis.")
    level = default_level(wavelet, n) if level is None else level
    return decompose(np.eye(n), wavelet, level).T.copy()
