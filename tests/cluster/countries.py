"""Dissimilarities of twelve countries (the catalog's data `countries`)."""

import numpy as np

NAMES = ["BEL", "BRA", "CHI", "CUB", "EGY", "FRA", "IND", "ISR", "USA", "USS", "YUG", "ZAI"]

_LOWER = """
5.58
7.00 6.50
7.08 7.00 3.83
4.83 5.08 8.17 5.83
2.17 5.75 6.67 6.92 4.92
6.42 5.00 5.58 6.00 4.67 6.42
3.42 5.50 6.42 6.42 5.00 3.92 6.17
2.50 4.92 6.25 7.33 4.50 2.25 6.33 2.75
6.08 6.67 4.25 2.67 6.00 6.17 6.17 6.92 6.17
5.25 6.83 4.50 3.75 5.75 5.42 6.08 5.83 6.67 3.67
4.75 3.00 6.08 6.67 5.00 5.58 4.83 6.17 5.67 6.50 6.92
"""


def countries():
    """The full symmetric matrix."""
    D = np.zeros((12, 12))
    D[np.tril_indices(12, -1)] = [float(x) for x in _LOWER.split()]
    return D + D.T
