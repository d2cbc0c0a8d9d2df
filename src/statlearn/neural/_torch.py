"""PyTorch, imported when it is first needed; its threads, devices and tensors."""

import contextlib
import functools
import importlib
import signal
import threading

import numpy as np

from statlearn._core.params import Options, check_value


@contextlib.contextmanager
def interrupt_afterwards():
    """Let Ctrl-C take effect at the end of a ``with`` block: a half-imported PyTorch is broken for the process."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield  # signals arrive elsewhere, are ignored or end the process
        return
    received = []
    signal.signal(signal.SIGINT, lambda *arguments: received.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if received:
        handler(*received[0])


@functools.cache
def import_torch():
    """The module torch, or an ImportError that says how to get it."""
    try:
        with interrupt_afterwards():
            return importlib.import_module("torch")
    except ImportError as error:
        raise ImportError(
            "Training a network requires PyTorch. Install it with `pip install 'statlearn[neural]'`. Predictions of "
            "networks that are already fitted do not need it."
        ) from error


_lock = threading.Lock()
_users = 0
_threads_before = 1


@contextlib.contextmanager
def one_torch_thread():
    """One thread inside every operation of PyTorch within a ``with`` block.

    Sums in PyTorch are split by the number of its threads, which changes their last bits. Networks are therefore
    trained on one thread per operation, and the rows of a batch are divided among threads of our own, in pieces that
    do not depend on their number. The setting is global: the last of several concurrent users restores it.
    """
    global _users, _threads_before
    torch = import_torch()
    with _lock:
        if _users == 0:
            _threads_before = torch.get_num_threads()
        _users += 1
        torch.set_num_threads(1)
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            torch.set_num_threads(_threads_before)


def check_device(device):
    """The torch device of this name, or a ValueError if the machine does not have it."""
    torch = import_torch()
    check_value("device", device, [Options("auto", "cpu", "cuda", "mps")], "this network")
    has = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if device == "auto":
        device = next(name for name in ("cuda", "mps", "cpu") if has[name])
    if not has[device]:
        raise ValueError(f"`device`={device!r} is not available to PyTorch on this machine; use 'cpu' or 'auto'.")
    return torch.device(device)


def as_tensor(data, dtype=None, device="cpu"):
    """PyTorch tensor from numbers of any kind.

    Parameters
    ----------
    data : array-like, data frame or torch.Tensor
        Numbers and booleans. Mixed entries are promoted: booleans to integers, these to floats.
    dtype : str, numpy dtype, torch.dtype or None, default=None
        Type of the result. By default, Python's floats become ``float32`` (PyTorch's default), arrays keep their type.
    device : {"auto", "cpu", "cuda", "mps"}, default="cpu"
        Where the tensor is; "auto" is a graphics processor if there is one.

    Returns
    -------
    torch.Tensor
        It shares memory with a contiguous array of the same type on the same device.

    Examples
    --------
    >>> from statlearn.neural import as_tensor
    >>> as_tensor([[1, 2], [True, False], [0.5, 3.2]])
    tensor([[1.0000, 2.0000],
            [1.0000, 0.0000],
            [0.5000, 3.2000]])
    """
    torch = import_torch()
    target = check_device(device)
    if dtype is not None and not isinstance(dtype, torch.dtype):
        dtype = torch.from_numpy(np.empty(0, np.dtype(dtype))).dtype
    if isinstance(data, torch.Tensor):
        return data.to(device=target, dtype=dtype)
    array = np.asarray(data)
    if array.dtype == object:  # mixed columns of data frames
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError("`data` must contain only numbers and booleans.") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"`data` must contain only numbers and booleans, got an array of type {array.dtype}.")
    if dtype is None and array.dtype == np.float64 and not hasattr(data, "dtype") and not hasattr(data, "columns"):
        dtype = torch.get_default_dtype()  # as PyTorch does for lists
    if not array.flags.writeable or any(stride < 0 for stride in array.strides):
        array = array.copy()
    return torch.from_numpy(array).to(device=target, dtype=dtype)


def to_device(*arrays, device="auto", dtype=None):
    """Arrays as tensors of a common type on one device.

    Parameters
    ----------
    *arrays : array-like or torch.Tensor
        At least one. Slicing (``t[:, 1]``), joining (``torch.cat([t, t], dim=1)``), products (``t @ t.T``) and
        element-wise arithmetic work on the results as they do on numpy arrays, without copies to and fro.
    device : {"auto", "cpu", "cuda", "mps"}, default="auto"
        "auto" is a graphics processor if there is one, else the main processor.
    dtype : str, numpy dtype, torch.dtype or None, default=None
        Type of the results; by default the smallest type that holds all of them, by PyTorch's rules of promotion.

    Returns
    -------
    torch.Tensor or list of torch.Tensor
        A list if several arrays are given.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neural import to_device
    >>> counts, shares = to_device(np.array([1, 2]), np.array([0.5, 0.25], np.float32), device="cpu")
    >>> counts.dtype, counts * shares
    (torch.float32, tensor([0.5000, 0.5000]))
    """
    torch = import_torch()
    if not arrays:
        raise ValueError("to_device() requires at least one array.")
    tensors = [as_tensor(array, dtype, device) for array in arrays]
    if dtype is None:
        common = functools.reduce(torch.promote_types, (tensor.dtype for tensor in tensors))
        tensors = [tensor.to(common) for tensor in tensors]
    return tensors[0] if len(tensors) == 1 else tensors
