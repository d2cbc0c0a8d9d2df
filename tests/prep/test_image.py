"""Images as rows."""

import numpy as np
import pytest
from sklearn.feature_extraction.image import extract_patches_2d

from statlearn.prep import ImageFlattener, ImagePatches
from tests.helpers import assert_close


@pytest.mark.spec("PRE-26")
def test_pixels_and_edges(rng):
    images = rng.random((5, 4, 6, 3))
    flat = ImageFlattener().fit(images)
    np.testing.assert_array_equal(flat.transform(images), images.reshape(5, -1))
    np.testing.assert_array_equal(flat.inverse_transform(flat.transform(images)), images)
    down, right = np.gradient(images, axis=(1, 2))
    both = ImageFlattener("both").fit_transform(images)
    assert_close(both[:, 72:], np.hypot(down, right).reshape(5, -1))
    assert_close(ImageFlattener("edges").fit_transform(images), both[:, 72:])
    names = ImageFlattener("both").fit(images).get_feature_names_out()
    assert (names[0], names[-1], len(names)) == ("pixel_0_0_0", "edge_3_5_2", 144)


@pytest.mark.spec("PRE-26")
def test_a_step_is_an_edge_unlike_a_plane():
    step = np.zeros((1, 6, 6))
    step[:, :, 3:] = 1
    edges = ImageFlattener("edges").fit_transform(step).reshape(6, 6)
    assert (edges[:, 2:4] == 0.5).all()
    assert not edges[:, [0, 1, 4, 5]].any()
    assert ImageFlattener().fit(step).get_feature_names_out()[7] == "pixel_1_1"
    assert ImageFlattener().fit(step).inverse_transform(step.reshape(1, -1)).shape == (1, 6, 6)


@pytest.mark.spec("PRE-26")
def test_patches_match_scikit_learn_with_positions(rng):
    image = rng.random((6, 7, 3))
    ours = ImagePatches((2, 3), stride=1).fit(image[None])
    theirs = extract_patches_2d(image, (2, 3))
    assert_close(ours.transform(image[None]), theirs.reshape(len(theirs), -1))
    assert ours.patches_per_image_ == 25
    assert len(ours.get_feature_names_out()) == 18
    rgb = ImagePatches(1, positions=True).fit(image[None])
    rows = rgb.transform(image[None])
    assert rows.shape == (42, 5)
    assert_close(rows[:, :3], image.reshape(-1, 3))
    assert_close(rows[9], [*image[1, 2], 1 / 6, 2 / 7])
    assert rgb.get_feature_names_out().tolist() == ["pixel_0_0_0", "pixel_0_0_1", "pixel_0_0_2", "row", "column"]


def test_patches_of_several_images_do_not_overlap_by_default(rng):
    images = rng.random((2, 4, 4))
    patches = ImagePatches(2).fit_transform(images)
    assert patches.shape == (8, 4)
    assert_close(patches[5], images[1, :2, 2:].ravel())
    assert ImagePatches(9).fit_transform(images).shape == (2, 16)


@pytest.mark.parametrize("transformer", [ImageFlattener(), ImagePatches(2)], ids=["flattener", "patches"])
def test_invalid_images_raise(transformer, rng):
    images = rng.random((3, 4, 4))
    with pytest.raises(ValueError, match="got 2 dimensions"):
        transformer.fit(images[0])
    with pytest.raises(ValueError, match="NaN"):
        transformer.fit(np.full((1, 2, 2), np.nan))
    with pytest.raises(ValueError, match="without pixels"):
        transformer.fit(np.zeros((1, 0, 2)))
    with pytest.raises(ValueError, match="the training images have"):
        transformer.fit(images).transform(images[:, :3])
    with pytest.raises(ValueError, match="height and a width"):
        ImagePatches((1, 2, 3)).fit(images)
    with pytest.raises(ValueError, match="no inverse"):
        ImageFlattener("edges").fit(images).inverse_transform(images.reshape(3, -1))


@pytest.mark.spec("CRS-100")
def test_corner_response_equals_that_of_scikit_image(seed):
    from skimage.feature import corner_harris

    images = np.random.default_rng(seed).random((3, 12, 15, 2))
    responses = ImageFlattener("corners").fit_transform(images).reshape(images.shape)
    for image, response in zip(images, responses):
        for channel in range(2):
            expected = corner_harris(image[..., channel], k=0.05, sigma=1)
            np.testing.assert_allclose(response[..., channel], expected, atol=1e-6 * np.abs(expected).max())


@pytest.mark.spec("CRS-100")
def test_a_white_square_has_its_maxima_at_the_corners():
    image = np.zeros((1, 20, 20))
    image[0, 5:15, 5:15] = 1
    flattener = ImageFlattener("corners")
    response = flattener.fit_transform(image)[0]
    names = flattener.get_feature_names_out()[np.argsort(response)[-4:]]
    assert sorted(names) == ["corner_14_14", "corner_14_5", "corner_5_14", "corner_5_5"]
    assert response.reshape(20, 20)[10, 5] < 0  # an edge
    assert abs(response.reshape(20, 20)[10, 10]) < 1e-4 * response.max()
    with pytest.raises(ValueError, match="'corners' has no inverse"):
        flattener.inverse_transform(response[None])
