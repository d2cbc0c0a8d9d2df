"""Constraints that a user puts on the columns of a tree, as arrays for the native growers."""

import numpy as np


def monotone_signs(given, p, names=None):
    """-1, 0 or +1 per column from a list, or from a dict of names; empty when nothing is constrained."""
    if given is None:
        return np.empty(0, np.int8)
    if isinstance(given, dict):
        unknown = sorted(set(given) - set([] if names is None else names))
        if unknown:
            raise ValueError(f"monotonic_cst: no column named {unknown[0]!r}.")
        given = [given.get(name, 0) for name in names]
    signs = np.asarray(given)
    if signs.shape != (p,):
        raise ValueError(f"monotonic_cst has shape {signs.shape[0]} but the input data X has {p} features.")
    if not np.all(np.isin(signs, (-1, 0, 1))):
        raise ValueError(f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {np.unique(signs)}")
    return signs.astype(np.int8) if np.any(signs) else np.empty(0, np.int8)
