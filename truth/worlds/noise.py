"""Errors that are not normal."""

import numpy as np
import pandas as pd

from truth.world import Facts, Made, world
from truth.worlds.parts import linear, names, values


@world(rows=[100, 300, 1000], r2=[0.0, 0.3, 0.6])
def t3_errors(rng, rows, r2):
    """Student errors with three degrees of freedom."""
    draw = linear(r2, noise=lambda rng, n: rng.standard_t(3, size=n) / np.sqrt(3))
    return Made(draw, rows, Facts(signal=r2 > 0))


@world(rows=[100, 300, 1000], r2=[0.0, 0.3, 0.6])
def lognormal_errors(rng, rows, r2):
    """Skew errors."""
    mean, sd = np.exp(0.5), np.sqrt((np.e - 1) * np.e)
    draw = linear(r2, noise=lambda rng, n: (np.exp(rng.normal(size=n)) - mean) / sd)
    return Made(draw, rows, Facts(signal=r2 > 0))


@world(rows=[150, 500])
def wild_errors(rng, rows):
    """Student errors with 1.5 degrees of freedom, without a variance."""
    draw = linear(0.5, noise=lambda rng, n: rng.standard_t(1.5, size=n))
    return Made(draw, rows, Facts(wild=True))


@world(rows=[150, 500])
def uneven_errors(rng, rows):
    """Errors that grow with a column."""
    return Made(values(lambda X: X[:, 0], lambda X: np.exp(0.7 * X[:, 1])), rows)


@world(rows=[150, 500], mean=[0.5, 4.0])
def counts(rng, rows, mean):
    """Poisson counts."""

    def draw(rng, n):
        X = rng.normal(size=(n, 4))
        best = mean * np.exp(0.5 * X[:, 0])
        return pd.DataFrame(X, columns=names(4)).assign(y=rng.poisson(best).astype(float)), best

    return Made(draw, rows)


@world(rows=[150, 500])
def positive_amounts(rng, rows):
    """Gamma amounts whose spread grows with their mean."""

    def draw(rng, n):
        X = rng.normal(size=(n, 4))
        best = 100 * np.exp(0.6 * X[:, 0])
        return pd.DataFrame(X, columns=names(4)).assign(y=rng.gamma(2.0, best / 2)), best

    return Made(draw, rows)
