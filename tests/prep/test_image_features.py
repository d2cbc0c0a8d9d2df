"""Image descriptors: arrays of scikit-image, bags of words, matches."""

import sys

import numpy as np
import pytest
from skimage import data, feature, transform

from statlearn.prep import ImageFeatures
from tests.helpers import assert_close


@pytest.fixture(scope="module")
def camera():
    return transform.resize(data.camera(), (100, 100))


@pytest.mark.spec("CRS-101")
@pytest.mark.parametrize("channels", [1, 3])
def test_hog_equals_that_of_scikit_image(seed, channels):
    images = np.random.default_rng(seed).random((4, 20, 26, channels))
    features = ImageFeatures("hog", cell=5, block=2, bins=7)
    found = features.fit_transform(images[..., 0] if channels == 1 else images)
    for image, row in zip(images, found):
        image, axis = (image[..., 0], None) if channels == 1 else (image, -1)
        settings = {"orientations": 7, "pixels_per_cell": (5, 5), "cells_per_block": (2, 2), "channel_axis": axis}
        expected, picture = feature.hog(image, visualize=True, **settings)
        np.testing.assert_array_equal(row, expected)
        np.testing.assert_array_equal(features.picture(image), picture)
    assert features.get_feature_names_out().shape == (found.shape[1],)


@pytest.mark.spec("CRS-102")
@pytest.mark.parametrize("kind", ["sift", "orb", "daisy"])
def test_bags_of_words_are_shares_of_the_nearest_words(camera, kind):
    images = np.stack([camera, camera[::-1], camera.T])
    model = ImageFeatures(kind, n_words=6, random_state=0).fit(images)
    bags = model.transform(images)
    assert bags.shape == (3, 6)
    assert_close(bags.sum(axis=1), np.ones(3))
    positions, descriptors = model.keypoints(camera)
    distances = ((descriptors[:, None] - model.codebook_) ** 2).sum(axis=2)
    assert_close(bags[0], np.bincount(distances.argmin(axis=1), minlength=6) / len(positions))
    np.testing.assert_array_equal(model.transform(images[:1] * 255), bags[:1])  # the scale does not matter
    assert model.get_feature_names_out().tolist() == [f"word_{k}" for k in range(6)]


@pytest.mark.spec("CRS-102")
@pytest.mark.parametrize("kind", ["sift", "orb"])
def test_matches_follow_a_rotation(camera, kind):
    model = ImageFeatures(kind, n_words=2, random_state=0).fit(camera[None])
    first, second = model.match(camera, np.rot90(camera))
    assert len(first) >= 10
    expected = np.column_stack([99 - first[:, 1], first[:, 0]])  # a quarter turn to the left
    errors = np.abs(second - expected).max(axis=1)
    assert np.mean(errors <= 3) > 0.9


def test_images_without_key_points_are_zeros(camera):
    model = ImageFeatures("sift", n_words=5, random_state=0).fit(camera[None])
    assert not model.transform(np.zeros((1, 100, 100))).any()
    first, second = model.match(camera, np.zeros((100, 100)))
    assert first.shape == second.shape == (0, 2)
    with pytest.raises(ValueError, match="found no key points in any image"):
        ImageFeatures("orb").fit(np.zeros((2, 40, 40)))


def test_impossible_settings_raise():
    images = np.zeros((2, 10, 10))
    with pytest.raises(ValueError, match="fewer than `block`=3"):
        ImageFeatures("hog").fit(images)
    with pytest.raises(ValueError, match="at least 8 x 8 pixels"):
        ImageFeatures("daisy").fit(images[:, :5])
    model = ImageFeatures("hog", cell=5, block=1).fit(images)
    with pytest.raises(ValueError, match="'hog' has no key points"):
        model.keypoints(images[0])
    with pytest.raises(ValueError, match="images of shape"):
        model.transform(images[:, 1:])


def test_without_scikit_image_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "skimage.feature", None)
    with pytest.raises(ImportError, match=r"pip install 'statlearn\[image\]'"):
        ImageFeatures().fit(np.zeros((2, 30, 30)))
