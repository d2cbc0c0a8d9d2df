"""Image quantisation and segmentation by k-means on pixels or blocks."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Instance, Int, Real, check_arguments, check_params

from ._kmeans import KMeans
from ._seeding import nearest_centres


def check_image(X):
    """Validated image as (height, width, channels) of doubles, whether it had no channel axis, and its dtype."""
    X = np.asarray(X)
    if X.dtype.kind not in "buif":
        raise ValueError(
            f"X must be a numeric image, got an array of dtype {X.dtype}; complex numbers and text are not supported."
        )
    if X.ndim not in (2, 3):
        raise ValueError(f"X must be an image of shape (height, width[, channels]), got {X.ndim} dimensions.")
    if X.size == 0:
        raise ValueError(f"X is an image without pixels (shape={X.shape}), but at least one sample is required.")
    pixels = X.astype(np.float64).reshape(*X.shape[:2], -1)
    if not np.isfinite(pixels).all():
        raise ValueError("Input X contains NaN or infinity.")
    return pixels, X.ndim == 2, X.dtype


def like_image(pixels, flat, dtype):
    """Pixels as an image of the given dtype; integers are rounded and clipped to their range."""
    pixels = pixels[..., 0] if flat else pixels
    if np.dtype(dtype).kind in "ui":
        limits = np.iinfo(dtype)
        return np.clip(np.rint(pixels), limits.min, limits.max).astype(dtype)
    return pixels if np.dtype(dtype).kind == "b" else pixels.astype(dtype)


def pixel_features(pixels, position_weight):
    """Colours of all pixels and, with a positive weight, their positions, scaled so that the longer side of the
    image spans `position_weight` times the range of the colours."""
    height, width, channels = pixels.shape
    colours = pixels.reshape(-1, channels)
    if position_weight == 0:
        return colours
    scale = position_weight * (np.ptp(colours) or 1.0) / max(height - 1, width - 1, 1)
    row, column = np.divmod(np.arange(height * width), width)
    return np.column_stack([colours, scale * row, scale * column])


class _Quantizer(TransformerMixin, BaseEstimator):
    """Base class of image quantisers."""

    def _kmeans(self, rows, n_clusters, weights=None):
        distinct = len(rows)
        model = KMeans(
            min(n_clusters, distinct), n_init=self.n_init, max_iter=self.max_iter, random_state=self.random_state
        )
        return model.fit(rows, sample_weight=weights)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags


class ColorQuantizer(_Quantizer):
    """Colour quantisation of an image by k-means on its pixels.

    Minimises the sum of squared differences between the pixels and the nearest of `n_colors` colours.

    Parameters
    ----------
    n_colors : int, default=16
        Size of the palette. An image with fewer colours keeps all of them.
    position_weight : float, default=0.0
        Weight of the pixel positions. With a positive value pixels are clustered by colour and position, so that
        colours form patches; the longer side of the image is scaled to this multiple of the range of the colours.
    n_init : int, default=1
        Number of initialisations of k-means.
    max_iter : int, default=300
        Maximum number of iterations of k-means.
    random_state : int, RandomState instance or None, default=None
        Seed of the initialisations.

    Attributes
    ----------
    palette_ : ndarray of shape (n_colors, n_channels)
        Colours, the most frequent first.
    labels_ : ndarray of shape (height, width)
        Index of the colour of each pixel of the training image.
    inertia_ : float
        Sum of squared differences between the pixels and their colours.
    n_iter_ : int
        Number of iterations of k-means.

    See Also
    --------
    VectorQuantizer : blocks of pixels.
    segment_image : labels only.

    Notes
    -----
    Equal pixels are counted and clustered once. Distances are computed in the colour space of the image; in RGB they
    differ from perceived differences.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.cluster import ColorQuantizer
    >>> image = np.array([[[250, 0, 0], [240, 0, 0]], [[0, 0, 250], [0, 0, 240]]], dtype=np.uint8)
    >>> ColorQuantizer(2, random_state=0).fit_transform(image)[:, 0].tolist()
    [[245, 0, 0], [0, 0, 245]]
    """

    _constraints = {
        "n_colors": [Int(1, None)],
        "position_weight": [Real(0, None)],
        "n_init": [Int(1, None)],
        "max_iter": [Int(1, None)],
        "random_state": ["random_state"],
    }

    def __init__(self, n_colors=16, *, position_weight=0.0, n_init=1, max_iter=300, random_state=None):
        self.n_colors = n_colors
        self.position_weight = position_weight
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y=None):
        """Compute the palette.

        Parameters
        ----------
        X : array-like of shape (height, width) or (height, width, channels)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        pixels, _, _ = check_image(X)
        height, width, channels = pixels.shape
        self._position_weight = self.position_weight
        features = pixel_features(pixels, self.position_weight)
        rows, where, counts = np.unique(features, axis=0, return_inverse=True, return_counts=True)
        model = self._kmeans(rows, self.n_colors, counts.astype(float))
        labels = model.labels_[where.reshape(-1)]
        frequency = np.bincount(labels, minlength=len(model.cluster_centers_))
        order = np.argsort(-frequency, kind="stable")
        self._centres = model.cluster_centers_[order]
        self.palette_ = np.ascontiguousarray(self._centres[:, :channels])
        self.labels_ = np.argsort(order)[labels].reshape(height, width).astype(np.int32)
        self.inertia_ = float(np.sum((pixels - self.palette_[self.labels_]) ** 2))
        self.n_iter_ = model.n_iter_
        return self

    def predict(self, X):
        """Index of the nearest colour of each pixel.

        Parameters
        ----------
        X : array-like of shape (height, width) or (height, width, channels)

        Returns
        -------
        labels : ndarray of shape (height, width)
        """
        check_is_fitted(self)
        pixels, _, _ = check_image(X)
        if pixels.shape[2] != self.palette_.shape[1]:
            raise ValueError(f"X has {pixels.shape[2]} channels, but the training image has {self.palette_.shape[1]}.")
        features = np.ascontiguousarray(pixel_features(pixels, self._position_weight))
        return nearest_centres(features, self._centres, distances=False)[0].reshape(pixels.shape[:2])

    def transform(self, X):
        """The image in the colours of the palette.

        Parameters
        ----------
        X : array-like of shape (height, width) or (height, width, channels)

        Returns
        -------
        image : ndarray of the shape and type of X
        """
        labels = self.predict(X)
        _, flat, dtype = check_image(X)
        return like_image(self.palette_[labels], flat, dtype)


class VectorQuantizer(_Quantizer):
    """Vector quantisation of image blocks: lossy compression by k-means.

    The image is divided into blocks, which are replaced by the nearest of `n_codes` code blocks. The codes minimise the
    sum of squared differences; `distortion_` is that sum divided by the number of blocks.

    Parameters
    ----------
    n_codes : int, default=64
        Size of the codebook. An image with fewer distinct blocks keeps all of them.
    block_shape : tuple of two int, default=(2, 2)
        Height and width of a block.
    n_init : int, default=1
        Number of initialisations of k-means.
    max_iter : int, default=300
        Maximum number of iterations of k-means.
    random_state : int, RandomState instance or None, default=None
        Seed of the initialisations.

    Attributes
    ----------
    codebook_ : ndarray of shape (n_codes, block height, block width, channels)
        The code blocks.
    inertia_ : float
        Sum of squared differences between blocks and codes.
    distortion_ : float
        Mean of these sums per block.
    bits_per_pixel_ : float
        log2(n_codes) per block, divided by its number of pixels: fixed-length codes, excluding the codebook itself.
    n_iter_ : int
        Number of iterations of k-means.

    See Also
    --------
    ColorQuantizer : single pixels.

    Notes
    -----
    An image whose sides are not multiples of the block is padded with its last row and column, and `decode` crops it
    again. More codes should never be worse, but a local optimum may be; increase `n_init` then.

    References
    ----------
    Gersho and Gray (1992), Vector Quantization and Signal Compression, Kluwer.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.cluster import VectorQuantizer
    >>> image = np.tile([[0.0, 0.0, 9.0, 9.0]], (4, 2))
    >>> model = VectorQuantizer(2, random_state=0).fit(image)
    >>> model.distortion_, model.bits_per_pixel_
    (0.0, 0.25)
    >>> bool(np.all(model.decode(model.encode(image)) == image))
    True
    """

    _constraints = {
        "n_codes": [Int(1, None)],
        "block_shape": [Instance(tuple, list)],
        "n_init": [Int(1, None)],
        "max_iter": [Int(1, None)],
        "random_state": ["random_state"],
    }

    def __init__(self, n_codes=64, *, block_shape=(2, 2), n_init=1, max_iter=300, random_state=None):
        self.n_codes = n_codes
        self.block_shape = block_shape
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y=None):
        """Compute the codebook.

        Parameters
        ----------
        X : array-like of shape (height, width) or (height, width, channels)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        pixels, flat, dtype = check_image(X)
        high, wide = self._block()
        blocks = self._cut(pixels, high, wide)
        rows, counts = np.unique(blocks, axis=0, return_counts=True)
        model = self._kmeans(rows, self.n_codes, counts.astype(float))
        self.codebook_ = model.cluster_centers_.reshape(-1, high, wide, pixels.shape[2])
        self.inertia_, self.n_iter_ = model.inertia_, model.n_iter_
        self.distortion_ = model.inertia_ / len(blocks)
        self.bits_per_pixel_ = float(np.log2(len(self.codebook_)) / (high * wide))
        self._flat, self._dtype = flat, dtype.str
        return self

    def encode(self, X):
        """Index of the nearest code of each block.

        Parameters
        ----------
        X : array-like of shape (height, width) or (height, width, channels)

        Returns
        -------
        codes : ndarray of shape (rows of blocks, columns of blocks)
        """
        check_is_fitted(self)
        pixels, _, _ = check_image(X)
        if pixels.shape[2] != self.codebook_.shape[3]:
            raise ValueError(f"X has {pixels.shape[2]} channels, but the training image has {self.codebook_.shape[3]}.")
        high, wide = self.codebook_.shape[1:3]
        codebook = self.codebook_.reshape(len(self.codebook_), -1)
        codes = nearest_centres(self._cut(pixels, high, wide), codebook, distances=False)[0]
        return codes.reshape(-(-pixels.shape[0] // high), -(-pixels.shape[1] // wide))

    def decode(self, codes, shape=None):
        """The image represented by the codes.

        Parameters
        ----------
        codes : array-like of shape (rows of blocks, columns of blocks)
        shape : tuple of two int or None, default=None
            Height and width to crop the image to; None keeps all blocks.

        Returns
        -------
        image : ndarray of the type of the training image
        """
        check_is_fitted(self)
        codes = np.asarray(codes)
        if codes.ndim != 2 or codes.dtype.kind not in "iu":
            raise ValueError("`codes` must be a two-dimensional array of integers, one per block.")
        if codes.size and (codes.min() < 0 or codes.max() >= len(self.codebook_)):
            raise ValueError(f"`codes` must be between 0 and {len(self.codebook_) - 1}.")
        blocks = self.codebook_[codes]  # rows x columns x height x width x channels
        rows, columns, high, wide, channels = blocks.shape
        image = blocks.transpose(0, 2, 1, 3, 4).reshape(rows * high, columns * wide, channels)
        if shape is not None:
            image = image[: shape[0], : shape[1]]
        return like_image(image, self._flat, np.dtype(self._dtype))

    def transform(self, X):
        """The image rebuilt from code blocks.

        Parameters
        ----------
        X : array-like of shape (height, width) or (height, width, channels)

        Returns
        -------
        image : ndarray of the shape of X
        """
        return self.decode(self.encode(X), np.shape(X)[:2])

    def _block(self):
        shape = tuple(self.block_shape)
        if len(shape) != 2 or not all(isinstance(s, (int, np.integer)) and s >= 1 for s in shape):
            raise ValueError(f"`block_shape` must be two positive integers, got {self.block_shape!r}.")
        return shape

    @staticmethod
    def _cut(pixels, high, wide):
        """Blocks as rows of a table."""
        height, width, channels = pixels.shape
        padded = np.pad(pixels, ((0, -height % high), (0, -width % wide), (0, 0)), mode="edge")
        blocks = padded.reshape(padded.shape[0] // high, high, padded.shape[1] // wide, wide, channels)
        return np.ascontiguousarray(blocks.transpose(0, 2, 1, 3, 4).reshape(-1, high * wide * channels))


def segment_image(image, n_segments=4, *, position_weight=0.5, n_init=1, max_iter=300, random_state=None):
    """Image segmentation by k-means on the colours and positions of the pixels.

    Parameters
    ----------
    image : array-like of shape (height, width) or (height, width, channels)
        Image to segment.
    n_segments : int, default=4
        Number of segments.
    position_weight : float, default=0.5
        Weight of position relative to colour: the longer side of the image is scaled to this multiple of the range of
        the colours. 0 uses colours only; large values divide the image into cells.
    n_init : int, default=1
        Number of initialisations of k-means.
    max_iter : int, default=300
        Maximum number of iterations of k-means.
    random_state : int, RandomState instance or None, default=None
        Seed of the initialisations.

    Returns
    -------
    labels : ndarray of shape (height, width)
        Segment of each pixel; the largest segment is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.cluster import segment_image
    >>> segment_image(np.array([[0, 0, 0, 9], [0, 0, 0, 9]]), 2, random_state=0).tolist()
    [[0, 0, 0, 1], [0, 0, 0, 1]]
    """
    check_arguments(
        segment_image,
        n_segments=(n_segments, [Int(1, None)]),
        position_weight=(position_weight, [Real(0, None)]),
        n_init=(n_init, [Int(1, None)]),
        max_iter=(max_iter, [Int(1, None)]),
        random_state=(random_state, ["random_state"]),
    )
    quantizer = ColorQuantizer(
        n_segments, position_weight=position_weight, n_init=n_init, max_iter=max_iter, random_state=random_state
    )
    return quantizer.fit(image).labels_
