"""Descriptors of images by scikit-image: gradient histograms and bags of visual words."""

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.params import Int, Options, Real, check_arguments, check_params

from ._image import _ImageReader, check_images
from ._skimage import import_skimage

MAX_DESCRIPTORS = 20_000  # of the training images, from which the codebook is learned
_GREY = (0.2125, 0.7154, 0.0721)  # luminance of red, green and blue, as in scikit-image


def grey(image):
    """Brightness of an image (height, width, channels)."""
    return image @ np.array(_GREY) if image.shape[2] == 3 else image.mean(axis=2)


def stretched(image):
    """A grey image with its brightness scaled to between 0 and 1."""
    low, high = image.min(), image.max()
    return (image - low) / (high - low) if high > low else np.zeros_like(image)


class ImageFeatures(TransformerMixin, _ImageReader):
    """Histograms of gradients, or bags of visual words of key points, of images.

    Parameters
    ----------
    features : {"hog", "sift", "orb", "daisy"}, default="hog"
        - "hog": histograms of gradient directions in cells, normalised in overlapping blocks of cells; positions are
          kept, and small shifts within a cell hardly matter.
        - "sift", "orb": descriptors at key points, found at blobs and corners of any size and orientation; each is
          assigned to the nearest of `n_words` visual words, and an image is the share of its key points per word.
          Positions are lost. Images without key points (small or smooth ones) are rows of zeros.
        - "daisy": the same with descriptors on a regular grid.
    cell : int, default=8
        Height and width of a cell in pixels, for "hog".
    block : int, default=3
        Height and width of a block in cells, for "hog".
    bins : int, default=9
        Number of directions, for "hog".
    n_words : int, default=50
        Size of the codebook of the other features: centres of `KMeans` of the descriptors of the training images (of
        20,000 random ones if there are more).
    random_state : int, RandomState or None, default=None
        Seed of the codebook.

    Attributes
    ----------
    image_shape_ : tuple
        Height, width and channels of the images.
    codebook_ : ndarray of shape (n_words, n_entries)
        Visual words. Only with "sift", "orb" and "daisy".

    See Also
    --------
    ImageFlattener : pixels, edges and corners without scikit-image.
    optical_flow : motion between two images.

    Notes
    -----
    The descriptors are those of scikit-image (``pip install 'statlearn[image]'``); "hog" equals ``skimage.feature.hog``
    with its normalisation "L2-Hys". For the other features, colour images are made grey and each image is stretched to
    brightnesses between 0 and 1.

    References
    ----------
    Dalal, N. and Triggs, B. (2005). Histograms of oriented gradients for human detection. CVPR, 886-893.

    Lowe, D. G. (2004). Distinctive image features from scale-invariant keypoints. International Journal of Computer
    Vision 60, 91-110.

    Csurka, G., Dance, C., Fan, L., Willamowski, J. and Bray, C. (2004). Visual categorization with bags of keypoints.
    ECCV workshop on statistical learning in computer vision.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from statlearn.prep import ImageFeatures
    >>> images = load_digits().images[:10]
    >>> ImageFeatures("hog", cell=2, block=2).fit_transform(images).shape
    (10, 324)
    """

    _constraints = {
        "features": [Options("hog", "sift", "orb", "daisy")],
        "cell": [Int(1, None)],
        "block": [Int(1, None)],
        "bins": [Int(1, 1000)],
        "n_words": [Int(1, 100_000)],
        "random_state": ["random_state"],
    }

    def __init__(self, features="hog", *, cell=8, block=3, bins=9, n_words=50, random_state=None):
        self.features = features
        self.cell = cell
        self.block = block
        self.bins = bins
        self.n_words = n_words
        self.random_state = random_state

    def fit(self, X, y=None):
        """Learn the size of the images and the visual words.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height, width, channels)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        import_skimage("feature")
        X = self._learn_shape(X)
        self._kind = self.features
        forget(self, "codebook_", "_blocks", "_settings")
        if self._kind == "hog":
            self._learn_blocks()
        else:
            self._check_size()
            self._learn_codebook(X)
        return self

    def _learn_blocks(self):
        cells = [size // self.cell for size in self.image_shape_[:2]]
        if min(cells) < self.block:
            raise ValueError(
                f"X has images of {self.image_shape_[0]} x {self.image_shape_[1]} pixels, that is {cells[0]} x "
                f"{cells[1]} cells, fewer than `block`={self.block}; use a smaller `cell` (now {self.cell}) or `block`."
            )
        blocks = [count - self.block + 1 for count in cells]
        self._blocks = (*blocks, self.block, self.block, self.bins)
        self._settings = {
            "orientations": int(self.bins),
            "pixels_per_cell": (int(self.cell),) * 2,
            "cells_per_block": (int(self.block),) * 2,
        }

    def _check_size(self):
        if min(self.image_shape_[:2]) < 8:
            raise ValueError(
                f"features={self._kind!r} requires images of at least 8 x 8 pixels, got {self.image_shape_[0]} x "
                f"{self.image_shape_[1]}; use 'hog' with a small `cell`."
            )

    def _learn_codebook(self, X):
        from statlearn.cluster import KMeans

        descriptors = np.vstack([self._describe(grey(image))[1] for image in X])
        if not len(descriptors):
            raise ValueError(
                f"features={self._kind!r} found no key points in any image of X: they are too small or too smooth. Use "
                "'daisy', which takes descriptors on a grid, or 'hog'."
            )
        rng = check_random_state(self.random_state)
        if len(descriptors) > MAX_DESCRIPTORS:
            descriptors = descriptors[rng.choice(len(descriptors), MAX_DESCRIPTORS, replace=False)]
        n_distinct = len(np.unique(descriptors, axis=0))
        model = KMeans(min(self.n_words, n_distinct), n_init=1, random_state=rng.randint(2**31 - 1))
        self.codebook_ = model.fit(descriptors).cluster_centers_

    def _describe(self, image):
        """Positions (row, column) and descriptors of a grey image."""
        feature = import_skimage("feature")
        image = stretched(image)
        if self._kind == "daisy":
            radius = min(15, (min(image.shape) - 1) // 2)
            step = min(4, radius)
            grid = feature.daisy(image, step=step, radius=radius)
            rows, columns = np.mgrid[: grid.shape[0], : grid.shape[1]].reshape(2, -1) * step + radius
            return np.column_stack([rows, columns]), grid.reshape(-1, grid.shape[2])
        detector = feature.SIFT() if self._kind == "sift" else feature.ORB()
        try:
            detector.detect_and_extract(image)
        except RuntimeError:  # scikit-image's error if there are none
            return np.empty((0, 2)), np.empty((0, 128 if self._kind == "sift" else 256))
        return detector.keypoints, np.asarray(detector.descriptors, dtype=np.float64)

    def transform(self, X):
        """One row per image.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height, width, channels)

        Returns
        -------
        ndarray of shape (n_images, n_columns)
            Gradient histograms block by block, or the shares of the visual words.
        """
        check_is_fitted(self)
        X = self._check_shape(X)
        if self._kind == "hog":
            return np.vstack([self._hog(image) for image in X])
        result = np.zeros((len(X), len(self.codebook_)))
        for row, image in zip(result, X):
            _, descriptors = self._describe(grey(image))
            if len(descriptors):
                words = cdist(descriptors, self.codebook_, "sqeuclidean").argmin(axis=1)
                row[:] = np.bincount(words, minlength=len(row)) / len(words)
        return result

    def _hog(self, image, **options):
        hog = import_skimage("feature").hog
        image = np.asarray(image, dtype=np.float64)
        if image.shape[2] == 1:
            return hog(image[..., 0], **self._settings, **options)
        return hog(image, channel_axis=-1, **self._settings, **options)

    def picture(self, image):
        """Picture of the gradient histograms of one image: a star of lines in every cell. Only with "hog".

        Parameters
        ----------
        image : array-like of shape (height, width) or (height, width, channels)

        Returns
        -------
        ndarray of shape (height, width)
            Brightness, to be drawn with ``ax.imshow``.
        """
        check_is_fitted(self)
        if self._kind != "hog":
            raise ValueError(f"picture() requires features='hog', got {self._kind!r}.")
        return self._hog(self._check_shape(np.asarray(image)[None])[0], visualize=True)[1]

    def keypoints(self, image):
        """Key points of one image, of any size. Not with "hog".

        Parameters
        ----------
        image : array-like of shape (height, width) or (height, width, channels)

        Returns
        -------
        positions : ndarray of shape (n_points, 2)
            Row and column.
        descriptors : ndarray of shape (n_points, n_entries)
        """
        check_is_fitted(self)
        if self._kind == "hog":
            raise ValueError("keypoints() requires features='sift', 'orb' or 'daisy': 'hog' has no key points.")
        image = check_images(np.asarray(image)[None])[0]
        if min(image.shape[:2]) < 8:
            raise ValueError(f"`image` must have at least 8 x 8 pixels, got {image.shape[0]} x {image.shape[1]}.")
        return self._describe(grey(image))

    def match(self, first, second, *, max_ratio=0.8):
        """Key points of two images that match: each is the nearest of the other, and clearly nearer than the second.

        Parameters
        ----------
        first, second : array-like of shape (height, width) or (height, width, channels)
        max_ratio : float, default=0.8
            Largest ratio of the distances to the nearest and the second nearest descriptor.

        Returns
        -------
        positions_first, positions_second : ndarray of shape (n_matches, 2)
            Rows and columns of matching points.
        """
        check_arguments(ImageFeatures.match, max_ratio=(max_ratio, [Real(0, 1, closed="right")]))
        (a, left), (b, right) = self.keypoints(first), self.keypoints(second)
        if not len(left) or not len(right):
            return np.empty((0, 2)), np.empty((0, 2))
        metric = "hamming" if self._kind == "orb" else "euclidean"
        match = import_skimage("feature").match_descriptors
        pairs = match(left, right, metric=metric, cross_check=True, max_ratio=max_ratio)
        return a[pairs[:, 0]], b[pairs[:, 1]]

    def get_feature_names_out(self, input_features=None):
        """Names such as "hog_0_1_2_0_8" (block, cell in the block, direction) or "word_3".

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        if self._kind == "hog":
            names = ["hog_" + "_".join(map(str, place)) for place in np.ndindex(*self._blocks)]
        else:
            names = [f"word_{k}" for k in range(len(self.codebook_))]
        return np.asarray(names, dtype=object)
