"""Optical flow of shifted images."""

import sys

import numpy as np
import pandas as pd
import pytest
from scipy import ndimage

from statlearn.prep import optical_flow
from tests.helpers import assert_close


def scene(rng, shape=(48, 56)):
    return ndimage.gaussian_filter(rng.normal(size=shape), 3)


@pytest.mark.spec("CRS-103")
@pytest.mark.parametrize("method", ["tvl1", "ilk"])
def test_a_shifted_image_moves_by_the_shift(seed, method):
    large = scene(np.random.default_rng(seed))
    first, second = large[4:-4, 4:-4], large[3:-5, 2:-6]
    flow = optical_flow(200 * first, 200 * second, method=method)
    inside = slice(10, -10)
    assert abs(np.median(flow.rows[inside, inside]) - 1) < 0.1
    assert abs(np.median(flow.columns[inside, inside]) - 2) < 0.1
    summary = flow.summary()
    assert_close(summary["mean_row"], flow.rows.mean())
    assert_close(sum(summary[f"direction_{k}"] for k in range(8)), 1.0)
    assert np.argmax(flow.directions(4)) in (0, 1)  # to the right, or down
    assert pd.DataFrame([summary, summary]).shape == (2, 11)


@pytest.mark.spec("CRS-103")
@pytest.mark.parametrize(("shift", "direction"), [((0, 2), 0), ((2, 0), 1), ((0, -2), 2), ((-2, 0), 3)])
def test_directions_turn_from_right_to_down(seed, shift, direction):
    large = scene(np.random.default_rng(seed))
    rows, columns = shift
    second = large[4 - rows : 44 - rows, 4 - columns : 50 - columns]
    assert np.argmax(optical_flow(large[4:44, 4:50], second, method="ilk").directions(4)) == direction


def test_colours_and_arrows(seed):
    large = scene(np.random.default_rng(seed))
    colours = np.stack([large] * 3, axis=2)
    grey = optical_flow(large[2:-2, 2:-2], large[1:-3, 2:-2], method="ilk")
    flow = optical_flow(colours[2:-2, 2:-2], colours[1:-3, 2:-2], method="ilk")
    np.testing.assert_allclose(flow.rows, grey.rows, atol=1e-6)
    ax = flow.plot()
    assert ax.get_xlabel() == "column"
    still = optical_flow(large, large, method="ilk")
    assert still.directions().sum() <= 1


def test_bad_images_raise(monkeypatch):
    image = np.arange(100.0).reshape(10, 10)
    with pytest.raises(ValueError, match="`second` must have the size"):
        optical_flow(image, image[1:])
    with pytest.raises(ValueError, match="one brightness"):
        optical_flow(np.ones((5, 5)), np.ones((5, 5)))
    with pytest.raises(ValueError, match="`first` must be an image"):
        optical_flow(image[0], image[0])
    with pytest.raises(ValueError, match="second contains NaN"):
        optical_flow(image, image * np.nan)
    monkeypatch.setitem(sys.modules, "skimage.registration", None)
    with pytest.raises(ImportError, match=r"pip install 'statlearn\[image\]'"):
        optical_flow(image, image)
