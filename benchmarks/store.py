"""Named arrays in a folder of .npy files: how data and results cross between processes (and to R).

What is no array (sparse tables, lists of baskets) is pickled, and reaches Python only.
"""

import pickle
from pathlib import Path

import numpy as np


def save(folder, arrays):
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, value in arrays.items():
        array = _as_array(value)
        if array is None:
            (Path(folder) / f"{name}.pickle").write_bytes(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))
        else:
            np.save(Path(folder) / f"{name}.npy", array)  # keeps C or Fortran order


def _as_array(value):
    if isinstance(value, list) and value and isinstance(value[0], list):
        return None  # baskets are lists even if all have the same length
    try:
        array = np.asanyarray(value)
    except ValueError:  # lists of different lengths
        return None
    return None if array.dtype == object else array


def load(folder):
    arrays = {path.stem: np.load(path) for path in sorted(Path(folder).glob("*.npy"))}
    found = {name: a.item() if a.ndim == 0 else a for name, a in arrays.items()}
    for path in sorted(Path(folder).glob("*.pickle")):  # written by this process's own parent or child
        found[path.stem] = pickle.loads(path.read_bytes())
    return found
