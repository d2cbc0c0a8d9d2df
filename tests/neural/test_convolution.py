"""Pooling and convolution against PyTorch, and the identities between them."""

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from statlearn.neural import conv_as_dense, pool
from statlearn.neural._convolution import convolve_maps
from tests.helpers import assert_close

functional = torch.nn.functional


@pytest.mark.spec("NEU-10")
@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 1), st.sampled_from(["max", "average"]), st.integers(0, 99))
def test_pooling_matches_pytorch(size, stride, padding, kind, seed):
    assume(2 * padding <= size)
    images = np.random.default_rng(seed).normal(size=(2, 3, 7, 6))
    theirs = (functional.max_pool2d if kind == "max" else functional.avg_pool2d)(
        torch.from_numpy(images), size, stride, padding
    )
    assert_close(pool(images, size, stride, padding=padding, kind=kind), theirs.numpy())


@pytest.mark.spec("NEU-P8")
def test_max_pooling_commutes_with_increasing_maps_and_averages_are_linear(rng):
    a, b = rng.normal(size=(2, 4, 6)), rng.normal(size=(2, 4, 6))
    for increasing in (np.exp, np.tanh, lambda x: x**3 + x):
        np.testing.assert_array_equal(pool(increasing(a)), increasing(pool(a)))
    assert_close(pool(2 * a - 3 * b, kind="average"), 2 * pool(a, kind="average") - 3 * pool(b, kind="average"))


@pytest.mark.spec("NEU-11", "NEU-P3")
@given(
    st.integers(1, 2), st.integers(1, 3), st.integers(1, 3), st.integers(1, 2), st.integers(0, 2), st.integers(0, 99)
)
def test_a_convolution_is_a_dense_layer_with_shared_weights(channels, n_filters, size, stride, padding, seed):
    rng = np.random.default_rng(seed)
    images, filters = rng.normal(size=(2, channels, 5, 6)), rng.normal(size=(n_filters, channels, size, size))
    dense = conv_as_dense(filters, (channels, 5, 6), stride=stride, padding=padding, strict=False)
    theirs = functional.conv2d(torch.from_numpy(images), torch.from_numpy(filters), None, stride, padding).numpy()
    assert_close((images.reshape(2, -1) @ dense.T).reshape(theirs.shape), theirs)
    assert_close(convolve_maps(images, filters, np.zeros(n_filters), (stride,) * 2, (padding,) * 2), theirs)
    # all rows of a filter hold the same weights
    assert set(np.round(dense[dense != 0], 12)) <= set(np.round(filters.ravel(), 12))


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="`images` must be"):
        pool([1.0, 2.0])
    with pytest.raises(ValueError, match="not a whole number"):
        pool(np.ones((5, 5)), strict=True)
    with pytest.raises(ValueError, match=r"`padding`=\(2, 2\) must be at most half"):
        pool(np.ones((5, 5)), padding=2)
    with pytest.raises(ValueError, match="does not fit filters for 2 channels"):
        conv_as_dense(np.ones((1, 2, 3, 3)), (5, 5))
    with pytest.raises(ValueError, match="`filters` must have shape"):
        conv_as_dense(np.ones((3, 3)), (5, 5))
