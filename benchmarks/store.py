"""Named arrays in a folder of .npy files: how data and results cross between processes (and to R).

What is no array (sparse tables, lists of baskets) is pickled, and reaches Python only.
"""

import pickle
from pathlib import Path

import numpy as np
from scipy import sparse


def save(folder, arrays):
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, value in arrays.items():
        if sparse.issparse(value) or _is_ragged(value):
            (Path(folder) / f"{name}.pickle").write_bytes(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))
        else:
            np.save(Path(folder) / f"{name}.npy", np.asanyarray(value))  # keeps C or Fortran order


def _is_ragged(value):
    return isinstance(value, list) and any(isinstance(item, (list, tuple, set)) for item in value)


def load(folder):
    arrays = {path.stem: np.load(path) for path in sorted(Path(folder).glob("*.npy"))}
    found = {name: a.item() if a.ndim == 0 else a for name, a in arrays.items()}
    for path in sorted(Path(folder).glob("*.pickle")):  # written by this process's own parent or child
        found[path.stem] = pickle.loads(path.read_bytes())
    return found
