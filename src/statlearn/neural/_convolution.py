"""Convolution and pooling of images on numpy, and a convolution as a dense matrix."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from statlearn._core.params import Options, check_arguments

from ._shapes import _pair, steps


def _windows(images, size, stride, padding, fill):
    """View of all windows: (..., output height, output width, window height, window width)."""
    if any(padding):
        edges = [(0, 0)] * (images.ndim - 2) + [(padding[0], padding[0]), (padding[1], padding[1])]
        images = np.pad(images, edges, constant_values=fill)
    return sliding_window_view(images, size, axis=(-2, -1))[..., :: stride[0], :: stride[1], :, :]


def pool_maps(images, kind, size, stride, padding=(0, 0)):
    """Max or average pooling of the last two axes; windows that would leave the image are dropped."""
    windows = _windows(images, size, stride, padding, -np.inf if kind == "max" else 0.0)
    return windows.max(axis=(-2, -1)) if kind == "max" else windows.mean(axis=(-2, -1), dtype=images.dtype)


def convolve_maps(images, filters, bias, stride, padding):
    """Cross-correlation of (n, C, H, W) images with (K, C, F, F) filters: (n, K, H', W')."""
    windows = _windows(images, filters.shape[2:], stride, padding, 0.0)  # n, C, H', W', F, F
    n, _, height, width = windows.shape[:4]
    rows = windows.transpose(0, 2, 3, 1, 4, 5).reshape(n * height * width, -1)
    maps = rows @ filters.reshape(len(filters), -1).T
    maps += bias
    return np.ascontiguousarray(maps.reshape(n, height, width, -1).transpose(0, 3, 1, 2))


def pool(images, size=2, stride=None, *, padding=0, kind="max", strict=False):
    """Max or average pooling of each map.

    Parameters
    ----------
    images : array-like of shape (..., height, width)
        One map, or any number of maps in leading axes; each map is pooled separately.
    size : int or (int, int), default=2
        Height and width of the windows.
    stride : int, (int, int) or None, default=None
        Step of the windows; None means `size`, so that windows do not overlap.
    padding : int or (int, int), default=0
        Rows and columns added on each side. They are never the maximum and count as 0 in an average.
    kind : {"max", "average"}, default="max"
    strict : bool, default=False
        Raise an error if the windows do not cover the map exactly. Otherwise the remaining rows and columns are
        ignored.

    Returns
    -------
    ndarray of shape (..., new height, new width)

    Notes
    -----
    Max pooling commutes with increasing functions of the entries, average pooling is linear.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neural import pool
    >>> image = np.arange(16.0).reshape(4, 4)
    >>> pool(image)
    array([[ 5.,  7.],
           [13., 15.]])
    >>> pool(image, kind="average")
    array([[ 2.5,  4.5],
           [10.5, 12.5]])
    """
    check_arguments(pool, kind=(kind, [Options("max", "average")]), strict=(strict, ["boolean"]))
    images = np.asarray(images)
    if images.ndim < 2 or images.dtype.kind not in "biuf":
        raise ValueError(f"`images` must be a numeric array of shape (..., height, width), got shape {images.shape}.")
    if images.dtype.kind != "f":
        images = images.astype(np.float64)
    size = _pair(size, "size", 1, "pool")
    stride = size if stride is None else _pair(stride, "stride", 1, "pool")
    padding = _pair(padding, "padding", 0, "pool")
    if any(2 * p > s for p, s in zip(padding, size)):
        raise ValueError(f"`padding`={padding} must be at most half of `size`={size}.")
    for numbers in zip(images.shape[-2:], size, stride, padding):
        steps(*numbers, strict=strict)
    return pool_maps(images, kind, size, stride, padding)


def conv_as_dense(filters, input_shape, *, stride=1, padding=0, strict=True):
    """The dense matrix that computes a convolution layer.

    A convolution layer is a dense layer in which most weights are zero and the others are shared: row (k, i, j) of the
    matrix holds filter k, moved to the window of output pixel (i, j).

    Parameters
    ----------
    filters : array-like of shape (n_filters, channels, height, width)
        Filters, applied as cross-correlation, the convention of all neural network libraries.
    input_shape : (int, int) or (int, int, int)
        Height and width, or channels, height and width of the images.
    stride, padding : int or (int, int)
        As in :func:`conv_output_size`.
    strict : bool, default=True
        As in :func:`conv_output_size`.

    Returns
    -------
    ndarray of shape (n_filters * new height * new width, channels * height * width)
        To be multiplied with flattened images; biases are added per filter.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neural import conv_as_dense
    >>> conv_as_dense(np.array([[[[1.0, -1.0]]]]), (1, 3))
    array([[ 1., -1.,  0.],
           [ 0.,  1., -1.]])
    """
    filters = np.asarray(filters)
    if filters.ndim != 4 or filters.dtype.kind not in "biuf":
        raise ValueError(
            f"`filters` must have shape (n_filters, channels, height, width), got an array of shape {filters.shape}."
        )
    shape = tuple(input_shape)
    shape = (1, *shape) if len(shape) == 2 else shape
    if len(shape) != 3 or shape[0] != filters.shape[1]:
        raise ValueError(
            f"`input_shape`={tuple(input_shape)} does not fit filters for {filters.shape[1]} channels; it must be "
            "(channels, height, width)."
        )
    stride, padding = _pair(stride, "stride", 1, "conv_as_dense"), _pair(padding, "padding", 0, "conv_as_dense")
    for numbers in zip(shape[1:], filters.shape[2:], stride, padding):
        steps(*numbers, strict=strict)
    # Which input pixel each position of each window shows; -1 for padding.
    pixel = np.arange(np.prod(shape)).reshape(1, *shape)
    window = _windows(pixel, filters.shape[2:], stride, padding, -1)[0]  # C, H', W', F, F
    n_filters, (_, height, width) = len(filters), window.shape[:3]
    window = window.transpose(1, 2, 0, 3, 4).reshape(height * width, -1)
    weights = np.broadcast_to(filters.reshape(n_filters, 1, -1), (n_filters, *window.shape))
    dense = np.zeros((n_filters, height * width, pixel.size + 1), filters.dtype if filters.dtype.kind == "f" else float)
    at = np.broadcast_to(window, weights.shape)  # padding goes to the extra column, which is cut off
    np.put_along_axis(dense, at % (pixel.size + 1), weights, axis=2)
    return dense[:, :, :-1].reshape(n_filters * height * width, pixel.size)
