"""What there is to learn: linear and curved means, classes, and nothing at all."""

import numpy as np
import pandas as pd

from truth.world import Facts, Made, world
from truth.worlds.parts import classes, linear, logistic, names, normal, values


@world(rows=[60, 150, 400, 1500], r2=[0.1, 0.25, 0.45, 0.8])
def linear_mean(rng, rows, r2):
    """Two of five normal columns, normal noise."""
    return Made(linear(r2), rows)


@world(rows=[70, 200], r2=[0.25, 0.45])
def moderate_mean(rng, rows, r2):
    """A moderate signal in few rows, spread over four columns."""
    return Made(linear(r2, columns=8, active=4), rows)


@world(rows=[30, 60, 150, 400, 1500], columns=[3, 10])
def pure_noise(rng, rows, columns):
    """A target that no column knows."""
    return Made(linear(0.0, columns), rows, Facts(signal=False))


@world(rows=[40, 100, 300, 1000], share=[0.5, 0.25])
def noise_classes(rng, rows, share):
    """Classes that no column knows."""
    return Made(logistic(0.0, intercept=np.log(share / (1 - share))), rows, Facts(signal=False), task="classification")


@world(rows=[80, 200, 800], strength=[1.0, 2.0, 4.0])
def linear_logit(rng, rows, strength):
    """Two classes with a linear logit."""
    return Made(logistic(strength), rows, task="classification")


@world(rows=[120, 400], strength=[1.0, 3.0])
def three_classes(rng, rows, strength):
    """Three classes with linear scores."""
    draw = classes(lambda X: strength * X[:, :3], labels=("low", "middle", "tall"))
    return Made(draw, rows, task="classification")


@world(rows=[150, 600], sd=[0.3, 1.0])
def steps(rng, rows, sd):
    """A mean with steps, as a tree has."""
    return Made(values(lambda X: np.where(X[:, 0] > 0, 1.0, -1.0) + (X[:, 1] > 0.5), sd), rows)


@world(rows=[150, 600], sd=[1.0, 3.0])
def curves(rng, rows, sd):
    """Friedman's first function."""

    def draw(rng, n):
        X = rng.random((n, 8))
        best = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
        return pd.DataFrame(X, columns=names(8)).assign(y=best + sd * normal(rng, n)), best

    return Made(draw, rows)


@world(rows=[200, 800], sd=[0.5, 1.0])
def product(rng, rows, sd):
    """An interaction without main effects."""
    return Made(values(lambda X: X[:, 0] * X[:, 1], sd), rows)


@world(rows=[100, 400], effect=[0.3, 1.0])
def levels(rng, rows, effect):
    """A category of five levels with effects, and one of three without."""
    means = effect * rng.normal(size=5)

    def draw(rng, n):
        code, other = rng.integers(5, size=n), rng.integers(3, size=n)
        x = normal(rng, n)
        best = means[code] + 0.3 * x
        frame = pd.DataFrame({
            "material": np.array(["wood", "steel", "glass", "stone", "paper"], dtype=object)[code],
            "colour": np.array(["red", "green", "blue"], dtype=object)[other],
            "height": x,
        })  # fmt: skip
        return frame.assign(y=best + normal(rng, n)), best

    return Made(draw, rows)


@world(rows=[2000], r2=[0.02, 0.05])
def weak_mean(rng, rows, r2):
    """Little signal, but enough rows to be certain of it."""
    return Made(linear(r2), rows)


@world(rows=[150, 500], r2=[0.3, 0.7])
def sparse_mean(rng, rows, r2):
    """Two of thirty columns."""
    return Made(linear(r2, columns=30), rows)
