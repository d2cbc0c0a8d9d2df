"""Statistics that are sums of arrays."""

import numpy as np


class Sums:
    """Named arrays that are added when blocks are merged.

    Parameters
    ----------
    **arrays : array or float
    """

    def __init__(self, **arrays):
        self.arrays = {name: np.asarray(value, dtype=np.float64) for name, value in arrays.items()}

    def __getattr__(self, name):
        try:
            return vars(self)["arrays"][name]
        except KeyError:
            raise AttributeError(name) from None

    def merge(self, other):
        """The sums of both."""
        return Sums(**{name: value + other.arrays[name] for name, value in self.arrays.items()})
