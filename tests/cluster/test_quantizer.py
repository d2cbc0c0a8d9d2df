"""Colours, blocks and parts of images."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.cluster import ColorQuantizer, KMeans, VectorQuantizer, segment_image
from tests.helpers import assert_close


def picture(rng, height=24, width=30):
    """A red disc and a green stripe on blue, with noise."""
    row, column = np.mgrid[:height, :width]
    image = np.zeros((height, width, 3))
    image[..., 2] = 200
    image[(row - 8) ** 2 + (column - 8) ** 2 < 25] = [220, 30, 30]
    image[:, 22:26] = [20, 180, 40]
    return np.clip(image + rng.normal(scale=5, size=image.shape), 0, 255).astype(np.uint8)


@pytest.mark.spec("CLU-23")
def test_palette_is_kmeans_on_the_pixels(rng):
    image = picture(rng)
    model = ColorQuantizer(3, random_state=0, n_init=5).fit(image)
    plain = KMeans(3, random_state=0, n_init=5).fit(image.reshape(-1, 3).astype(float))
    assert_close(model.inertia_, plain.inertia_, rtol=1e-6)
    again = model.transform(image)
    assert again.shape == image.shape
    assert again.dtype == np.uint8
    assert len(np.unique(again.reshape(-1, 3), axis=0)) == 3
    np.testing.assert_array_equal(again, np.rint(model.palette_[model.labels_]))
    np.testing.assert_array_equal(model.predict(image), model.labels_)
    counts = np.bincount(model.labels_.ravel())
    assert np.all(np.diff(counts) <= 0)


@pytest.mark.spec("CLU-23")
def test_few_colours_are_preserved(rng):
    image = np.array([[0, 255], [255, 0], [7, 7]], dtype=np.uint8)
    model = ColorQuantizer(16, random_state=0).fit(image)
    np.testing.assert_array_equal(model.transform(image), image)
    assert model.inertia_ == 0


@pytest.mark.spec("CLU-23", "CLU-25")
def test_place_keeps_equal_colours_apart():
    image = np.zeros((4, 40))
    image[:, 10:30] = 0.2  # two dark ends, a lighter middle
    by_colour = segment_image(image, 2, position_weight=0, random_state=0)
    assert by_colour[0, 0] == by_colour[0, -1]
    by_both = segment_image(image, 3, position_weight=3.0, random_state=0, n_init=5)
    assert by_both[0, 0] != by_both[0, -1]
    assert by_both.shape == (4, 40)
    assert ColorQuantizer(3, position_weight=3.0, random_state=0).fit(image).palette_.shape == (3, 1)


@pytest.mark.spec("CLU-25")
def test_parts_of_a_picture(rng):
    labels = segment_image(picture(rng), 3, position_weight=0.1, random_state=0, n_init=5)
    assert len({labels[8, 8], labels[0, 24], labels[20, 2]}) == 3
    assert labels[20, 2] == 0  # the background is the largest part


@pytest.mark.spec("CLU-24", "CLU-P18")
@given(st.integers(0, 1000), st.sampled_from([(1, 1), (2, 2), (3, 2)]))
def test_distortion_is_inertia_over_blocks_and_falls_with_the_codebook(draw, block):
    rng = np.random.default_rng(draw)
    image = rng.random((12, 12))
    last = np.inf
    for n_codes in (1, 2, 4, 8):
        model = VectorQuantizer(n_codes, block_shape=block, n_init=20, random_state=draw).fit(image)
        blocks = 144 // (block[0] * block[1])
        assert_close(model.distortion_, model.inertia_ / blocks)
        assert_close(model.inertia_, np.sum((model.transform(image) - image) ** 2))
        assert_close(model.bits_per_pixel_, np.log2(n_codes) / (block[0] * block[1]))
        assert model.distortion_ <= last + 1e-9
        last = model.distortion_


@pytest.mark.spec("CLU-24")
def test_encode_and_decode(rng):
    image = picture(rng)[:23, :29]  # no multiple of the block
    model = VectorQuantizer(40, block_shape=(4, 4), random_state=0).fit(image)
    codes = model.encode(image)
    assert codes.shape == (6, 8)
    assert model.decode(codes).shape == (24, 32, 3)
    again = model.decode(codes, image.shape[:2])
    assert again.shape == image.shape
    assert again.dtype == np.uint8
    np.testing.assert_array_equal(again, model.transform(image))
    gray = VectorQuantizer(4, random_state=0).fit(image[..., 0])
    assert gray.transform(image[..., 0]).shape == (23, 29)


def test_bad_input_raises_by_name(rng):
    image = picture(rng)
    for model in (ColorQuantizer(3), VectorQuantizer(3)):
        with pytest.raises(ValueError, match="dimensions"):
            model.fit(image[0, 0])
        with pytest.raises(ValueError, match="without pixels"):
            model.fit(image[:0])
        with pytest.raises(ValueError, match="NaN"):
            model.fit(np.full((4, 4), np.nan))
        with pytest.raises(ValueError, match="numeric image"):
            model.fit([["a"]])
        model.fit(image)
        with pytest.raises(ValueError, match="X has 1 channels"):
            model.transform(image[..., 0])
    with pytest.raises(ValueError, match="block_shape"):
        VectorQuantizer(block_shape=(0, 2)).fit(image)
    with pytest.raises(ValueError, match="`codes` must be between 0 and 2"):
        VectorQuantizer(3).fit(image).decode([[3]])
    with pytest.raises(ValueError, match="`codes` must be a two-dimensional array"):
        VectorQuantizer(3).fit(image).decode([0.5])
    with pytest.raises(ValueError, match="'n_segments'"):
        segment_image(image, 0)
