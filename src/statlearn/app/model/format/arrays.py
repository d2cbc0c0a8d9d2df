"""Arrays as members of the archive, in numpy's own format, and sparse matrices from their arrays."""

import io
import math

import numpy as np
from numpy.lib import format as npy
from scipy import sparse

from .values import read_dtype

MAX_HEADER = 4096
MAX_EMPTY_SIDE = 2**26  # a side of an array without numbers, which costs its writer nothing
SPARSE = {
    f"{layout}_{kind}": getattr(sparse, f"{layout}_{kind}")
    for layout in ("csr", "csc", "coo")
    for kind in ("matrix", "array")
}


def to_bytes(array):
    """The file of an array of numbers, text or dates."""
    buffer = io.BytesIO()
    npy.write_array(buffer, np.asanyarray(array), allow_pickle=False)
    return buffer.getvalue()


def from_bytes(content):
    """The array of such a file; ValueError if it is anything else.

    What the header says is compared with the size of the file before memory is taken.
    """
    stream = io.BytesIO(content)
    version = npy.read_magic(stream)
    if version == (1, 0):
        shape, fortran, dtype = npy.read_array_header_1_0(stream, max_header_size=MAX_HEADER)
    elif version == (2, 0):
        shape, fortran, dtype = npy.read_array_header_2_0(stream, max_header_size=MAX_HEADER)
    else:
        raise ValueError(f"an array in numpy's format {version}")
    if dtype.hasobject or dtype.names is not None or dtype.subdtype is not None:
        raise ValueError(f"an array of type {dtype}")
    dtype = read_dtype(dtype.str)
    if (any(side < 0 or side > MAX_EMPTY_SIDE for side in shape) and 0 in shape) or len(shape) > 32:
        raise ValueError(f"an array of shape {shape}")
    count = math.prod(shape)
    if count * max(dtype.itemsize, 1) != len(content) - stream.tell() and not (count > 0 and dtype.itemsize == 0):
        raise ValueError(f"an array of shape {shape} in {len(content)} bytes")
    if dtype.itemsize == 0 and count > MAX_EMPTY_SIDE:
        raise ValueError(f"an array of shape {shape} of empty texts")
    if dtype.itemsize == 0:
        return np.zeros(shape, dtype)
    array = np.frombuffer(content, dtype, count, stream.tell())
    array = array.reshape(shape[::-1]).T if fortran else array.reshape(shape)
    return array.astype(dtype.newbyteorder("="), order="K", copy=True)


def sparse_parts(matrix):
    """The arrays of a sparse matrix by name, or None if it is of a layout that files do not hold."""
    if matrix.format in ("csr", "csc"):
        return {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
    if matrix.format == "coo" and matrix.ndim == 2:
        return {"data": matrix.data, "row": matrix.row, "col": matrix.col}
    return None


def sparse_matrix(kind, shape, parts):
    """The sparse matrix of checked arrays; ValueError where an index is out of range."""
    cls = SPARSE[kind]
    if len(shape) != 2 or any(type(side) is not int or not 0 <= side < 2**48 for side in shape):
        raise ValueError(f"a sparse matrix of shape {shape}")
    if any(type(part) is not np.ndarray or part.ndim != 1 for part in parts.values()):
        raise ValueError("a sparse matrix without arrays")
    if any(part.dtype.kind not in "iu" for name, part in parts.items() if name != "data"):
        raise ValueError("a sparse matrix whose indices are not whole numbers")
    if parts["data"].dtype.kind not in "biufc":
        raise ValueError("a sparse matrix without numbers")
    if kind.startswith("coo"):
        row, column = parts["row"], parts["col"]
        if not len(row) == len(column) == len(parts["data"]):
            raise ValueError("a sparse matrix whose arrays differ in length")
        for index, side in ((row, shape[0]), (column, shape[1])):
            if len(index) and (index.min() < 0 or index.max() >= side):
                raise ValueError("a sparse matrix with indices out of range")
        return cls((parts["data"], (row, column)), shape=tuple(shape))
    _check_compressed(parts, shape if kind.startswith("csr") else shape[::-1])
    return cls((parts["data"], parts["indices"], parts["indptr"]), shape=tuple(shape))


def _check_compressed(parts, shape):
    starts, indices = parts["indptr"], parts["indices"]
    if len(starts) != shape[0] + 1 or starts[0] != 0 or np.any(np.diff(starts.astype(np.int64)) < 0):
        raise ValueError("a sparse matrix whose rows do not follow one another")
    if starts[-1] != len(indices) or len(indices) != len(parts["data"]):
        raise ValueError("a sparse matrix whose arrays differ in length")
    if len(indices) and (indices.min() < 0 or indices.max() >= shape[1]):
        raise ValueError("a sparse matrix with indices out of range")
