"""Images as rows of numbers."""

import numpy as np
from scipy import ndimage
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core.frames import refuse_repeated_names
from statlearn._core.params import Instance, Int, Options, check_params
from statlearn._core.validation import FLOATS


def check_images(X):
    """Images as a float array of shape (n, height, width, channels); grey images may omit the last axis."""
    refuse_repeated_names(X)
    X = check_array(X, dtype=FLOATS, allow_nd=True, ensure_2d=False, input_name="X")
    if X.ndim not in (3, 4):
        raise ValueError(f"X must contain images of shape (n, height, width[, channels]), got {X.ndim} dimensions.")
    if 0 in X.shape[1:]:
        raise ValueError(f"X contains images without pixels (shape={X.shape}).")
    return X if X.ndim == 4 else X[..., None]


def gradients(X):
    """Magnitude of the grey-level gradient at every pixel, by central differences (one-sided at the edges)."""
    slopes = [np.gradient(X, axis=axis) if X.shape[axis] > 1 else np.zeros_like(X) for axis in (1, 2)]
    return np.sqrt(slopes[0] ** 2 + slopes[1] ** 2)


def corner_response(X, k=0.05, sigma=1.0):
    r"""Harris response det M - k (tr M)² at every pixel, per channel.

    M is the matrix of products of the Sobel derivatives, averaged with Gaussian weights of standard deviation `sigma`;
    pixels outside the image are 0.
    """
    smooth, slope = np.array([1.0, 2.0, 1.0]), np.array([1.0, 0.0, -1.0])

    def sobel(axis):
        across = ndimage.convolve1d(X, smooth, axis=3 - axis, mode="constant")
        return ndimage.convolve1d(across, slope, axis=axis, mode="constant")

    Dy, Dx = sobel(1), sobel(2)
    yy, yx, xx = (
        ndimage.gaussian_filter(product, (0, sigma, sigma, 0), mode="constant")
        for product in (Dy * Dy, Dy * Dx, Dx * Dx)
    )
    return yy * xx - yx * yx - k * (yy + xx) ** 2


class _ImageReader(BaseEstimator):
    """Shared part of the image transformers: the image size is learned and checked."""

    def _learn_shape(self, X):
        X = check_images(X)
        self.image_shape_ = X.shape[1:]
        return X

    def _check_shape(self, X):
        X = check_images(X)
        if X.shape[1:] != self.image_shape_:
            raise ValueError(
                f"X contains images of shape {X.shape[1:]}, but the training images have shape {self.image_shape_}."
            )
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        tags.requires_fit = True
        return tags


class ImageFlattener(TransformerMixin, _ImageReader):
    """Flattening of images into rows of pixels, edge strengths or corner strengths.

    Parameters
    ----------
    features : {"pixels", "edges", "corners", "both"}, default="pixels"
        "edges" are the magnitudes of the brightness gradient at the pixels, by central differences, per channel.
        "corners" is the response of Harris and Stephens, det M - 0.05 (tr M)², where M averages the products of the
        Sobel derivatives with Gaussian weights of standard deviation 1: positive at corners, negative at edges, near 0
        in flat regions. "both" are pixels and edges.

    Attributes
    ----------
    image_shape_ : tuple
        Height, width and channels of the images.

    Notes
    -----
    The model treats neighbouring pixels like any other columns. Many columns at the border hardly vary;
    :class:`VarianceThreshold` removes them.

    References
    ----------
    Gonzalez, R. C. and Woods, R. E. (2018). *Digital Image Processing*, 4th ed., section 10.2. Pearson.

    Harris, C. and Stephens, M. (1988). A combined corner and edge detector. Alvey Vision Conference, 147-151.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.prep import ImageFlattener
    >>> images = np.array([[[0, 0, 4, 4], [0, 0, 4, 4]]])
    >>> ImageFlattener("edges").fit_transform(images).tolist()
    [[0.0, 2.0, 2.0, 0.0, 0.0, 2.0, 2.0, 0.0]]
    """

    _constraints = {"features": [Options("pixels", "edges", "corners", "both")]}

    def __init__(self, features="pixels"):
        self.features = features

    def fit(self, X, y=None):
        """Learn the size of the images.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height, width, channels)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        self._learn_shape(X)
        return self

    def transform(self, X):
        """One row per image.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height, width, channels)

        Returns
        -------
        ndarray of shape (n_images, n_columns)
        """
        check_is_fitted(self)
        X = self._check_shape(X)
        functions = {"pixels": lambda X: X, "edges": gradients, "corners": corner_response}
        names = ("pixels", "edges") if self.features == "both" else (self.features,)
        return np.hstack([functions[name](X).reshape(len(X), -1) for name in names])

    def inverse_transform(self, X):
        """Images from rows of pixels.

        Parameters
        ----------
        X : array-like of shape (n_images, n_columns)

        Returns
        -------
        ndarray of shape (n_images, height, width, channels), without the last axis for one channel
        """
        check_is_fitted(self)
        size = int(np.prod(self.image_shape_))
        if self.features in ("edges", "corners"):
            raise ValueError(
                f"`features`={self.features!r} has no inverse, because {self.features} do not determine the brightness."
            )
        images = np.asarray(X)[:, :size].reshape(-1, *self.image_shape_)
        return images[..., 0] if self.image_shape_[-1] == 1 else images

    def get_feature_names_out(self, input_features=None):
        """Names such as "pixel_3_5" (row 3, column 5) or "edge_3_5_0" (channel 0 of several).

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        words = {"pixels": ["pixel"], "edges": ["edge"], "corners": ["corner"], "both": ["pixel", "edge"]}[
            self.features
        ]
        single = self.image_shape_[-1] == 1
        places = ["_".join(map(str, place[:2] if single else place)) for place in np.ndindex(*self.image_shape_)]
        return np.asarray([f"{word}_{place}" for word in words for place in places], dtype=object)


class ImagePatches(TransformerMixin, _ImageReader):
    """Extraction of small windows from images, one row per window, optionally with their positions.

    Windows of one pixel with positions are the rows (red, green, blue, row, column) used for image segmentation by
    clustering; without positions they are used for colour quantisation.

    Parameters
    ----------
    patch_size : int or (int, int), default=8
        Height and width of a window.
    stride : int or None, default=None
        Number of pixels from one window to the next; None uses the size of a window, without overlap.
    positions : bool, default=False
        Whether to append the row and column of the first pixel of the window, as fractions of the image's height and
        width.

    Attributes
    ----------
    image_shape_ : tuple
        Height, width and channels of the images.
    patch_size_ : tuple
        Height and width of a window, limited to those of the image.
    patches_per_image_ : int

    Notes
    -----
    The result has `patches_per_image_` rows per image, image by image, each in row-major order. It is meant for
    dictionary learning and clustering, not for a pipeline whose target has one entry per image. Windows that would
    extend beyond the edge are omitted.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 14.3.9.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.prep import ImagePatches
    >>> image = np.arange(16.0).reshape(1, 4, 4)
    >>> ImagePatches(2).fit_transform(image).tolist()[:2]
    [[0.0, 1.0, 4.0, 5.0], [2.0, 3.0, 6.0, 7.0]]
    >>> ImagePatches(1, positions=True).fit_transform(image)[5].tolist()
    [5.0, 0.25, 0.25]
    """

    _constraints = {
        "patch_size": [Int(1, None), Instance(tuple, list)],
        "stride": [Int(1, None), None],
        "positions": ["boolean"],
    }

    def __init__(self, patch_size=8, *, stride=None, positions=False):
        self.patch_size = patch_size
        self.stride = stride
        self.positions = positions

    def fit(self, X, y=None):
        """Learn the size of the images.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height, width, channels)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = self._learn_shape(X)
        size = (self.patch_size,) * 2 if np.isscalar(self.patch_size) else tuple(self.patch_size)
        if len(size) != 2 or any(s < 1 for s in size):
            raise ValueError(f"`patch_size` must be a height and a width, got {self.patch_size!r}.")
        self.patch_size_ = tuple(int(min(s, full)) for s, full in zip(size, X.shape[1:3]))
        rows, columns = self._starts()
        self.patches_per_image_ = len(rows) * len(columns)
        return self

    def _starts(self):
        steps = self.patch_size_ if self.stride is None else (self.stride,) * 2
        return [
            np.arange(0, full - size + 1, step) for full, size, step in zip(self.image_shape_, self.patch_size_, steps)
        ]

    def transform(self, X):
        """One row per window.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height, width, channels)

        Returns
        -------
        ndarray of shape (n_images * patches_per_image_, n_columns)
        """
        check_is_fitted(self)
        X = self._check_shape(X)
        rows, columns = self._starts()
        windows = np.lib.stride_tricks.sliding_window_view(X, self.patch_size_, axis=(1, 2))[:, rows][:, :, columns]
        # (image, row, column, channel, height, width): channels last inside a window, as in the image.
        patches = np.moveaxis(windows, 3, -1).reshape(len(X) * self.patches_per_image_, -1)
        if not self.positions:
            return patches
        height, width = self.image_shape_[:2]
        places = np.array([(r / height, c / width) for r in rows for c in columns], dtype=X.dtype)
        return np.hstack([patches, np.tile(places, (len(X), 1))])

    def get_feature_names_out(self, input_features=None):
        """Names such as "pixel_0_1", or "pixel_0_1_2" for channel 2 of several; "row" and "column" of the window.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        channels = self.image_shape_[-1]
        places = np.ndindex(*self.patch_size_, channels)
        names = ["pixel_" + "_".join(map(str, place if channels > 1 else place[:2])) for place in places]
        return np.asarray(names + (["row", "column"] if self.positions else []), dtype=object)
