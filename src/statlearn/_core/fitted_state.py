"""What an estimator keeps from one fit to the next, and checks of what a file says it has kept."""

import numpy as np


def forget(model, *names):
    """Delete attributes of an earlier fit that this one may not set again.

    Called beside the condition under which `fit` sets them: after a refit with other settings, an attribute that only
    some settings have is that of this fit or absent.
    """
    for name in names:
        vars(model).pop(name, None)


def take_attributes(model, inner, *names):
    """Give a model those of the named attributes that an inner one has, and forget the others."""
    for name in names:
        if hasattr(inner, name):
            setattr(model, name, getattr(inner, name))
        else:
            forget(model, name)


# Checks of what a file says was fitted (`_check_state`, see `app/model/format/parts.py`) ------------------------------


def check_numbers(name, array, *, kind="iuf", ndim=None, shape=None):
    """ValueError unless this is an array of numbers of these kinds and this shape.

    Parameters
    ----------
    name : str
    array : object
    kind : str
        Letters of `numpy.dtype.kind`.
    ndim : int or None
    shape : tuple of int or None
        None in it stands for any length.
    """
    if not isinstance(array, np.ndarray) or array.dtype.kind not in kind:
        raise ValueError(f"`{name}` must be an array of numbers, got {_described(array)}.")
    if ndim is not None and array.ndim != ndim:
        raise ValueError(f"`{name}` must have {ndim} dimensions, got {array.ndim}.")
    if shape is not None and (
        array.ndim != len(shape) or any(side is not None and side != n for side, n in zip(shape, array.shape))
    ):
        raise ValueError(f"`{name}` must have the shape {shape}, got {array.shape}.")


def check_indices(name, indices, stop, *, start=0, ndim=1):
    """ValueError unless this is an array of whole numbers from `start` to `stop - 1`."""
    check_numbers(name, indices, kind="iu", ndim=ndim)
    if indices.size and (indices.min() < start or indices.max() >= stop):
        raise ValueError(f"`{name}` must lie from {start} to {stop - 1}, got {indices.min()} to {indices.max()}.")


def check_offsets(name, offsets, n):
    """ValueError unless these are the ends of consecutive pieces of `n` entries, from 0 to n."""
    check_numbers(name, offsets, kind="iu", ndim=1)
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != n or np.any(offsets[1:] < offsets[:-1]):
        raise ValueError(f"`{name}` must increase from 0 to {n}.")


def _described(value):
    return f"one of type {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
