"""Named arrays in a folder of .npy files: how data and results cross between processes (and to R)."""

from pathlib import Path

import numpy as np


def save(folder, arrays):
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, value in arrays.items():
        np.save(Path(folder) / f"{name}.npy", np.asanyarray(value))  # keeps C or Fortran order


def load(folder):
    arrays = {path.stem: np.load(path) for path in sorted(Path(folder).glob("*.npy"))}
    return {name: a.item() if a.ndim == 0 else a for name, a in arrays.items()}
