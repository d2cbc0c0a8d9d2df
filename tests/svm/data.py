"""Data sets that several tests of the family use."""

import functools

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris


@functools.cache
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@functools.cache
def iris():
    return load_iris(return_X_y=True)


@functools.cache
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X / X.std(axis=0), y / y.std()


def blobs(seed, n=60, p=2, distance=1.5):
    """Two overlapping clouds with labels -1 and +1."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = rng.normal(size=(n, p))
    X[:, 0] += distance * y / 2
    return X, y


def rings(seed, n=120):
    """Two concentric rings."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    angle = rng.uniform(0, 2 * np.pi, n)
    radius = 1.0 + 2.0 * y + 0.1 * rng.normal(size=n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y
