"""Parts that many worlds share: normal columns with a mean function, classes with logits."""

import numpy as np
import pandas as pd

NAMES = [
    "height", "width", "pressure", "dose", "length", "speed", "depth", "volume", "heat", "mass", "force", "charge",
]  # fmt: skip


def names(n):
    """Names of columns that sound like measurements."""
    return [NAMES[j] if j < len(NAMES) else f"m{j + 1}" for j in range(n)]


def normal(rng, n):
    return rng.normal(size=n)


def values(mean, sd=1.0, columns=5, noise=normal):
    """Rows with normal columns and a numeric target: mean(X) + sd * noise."""

    def draw(rng, n):
        X = rng.normal(size=(n, columns))
        best = mean(X)
        scale = sd(X) if callable(sd) else sd
        return pd.DataFrame(X, columns=names(columns)).assign(y=best + scale * noise(rng, n)), best

    return draw


def linear(r2, columns=5, active=2, noise=normal):
    """As :func:`values`, with `active` columns of equal weight that explain this share of the variance."""
    scale = np.sqrt(r2 / active) if r2 > 0 else 0.0
    return values(lambda X: scale * X[:, :active].sum(axis=1), np.sqrt(1 - r2), columns, noise)


def classes(logits, columns=5, labels=("no", "yes")):
    """Rows with normal columns and a target of classes; `logits` has one column per class, or is that of the second."""

    def draw(rng, n):
        X = rng.normal(size=(n, columns))
        scores = np.asarray(logits(X))
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(n), scores])
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        k = (rng.random(n)[:, None] > np.cumsum(p, axis=1)[:, :-1]).sum(axis=1)
        return pd.DataFrame(X, columns=names(columns)).assign(y=np.array(labels, dtype=object)[k]), p

    return draw


def logistic(strength, columns=5, active=2, intercept=0.0):
    """Two classes with a linear logit of this standard deviation."""
    weight = strength / np.sqrt(active)
    return classes(lambda X: intercept + weight * X[:, :active].sum(axis=1), columns)


def two_tasks(task, strong=True):
    """A generator of moderate or no signal for either task."""
    if task == "regression":
        return linear(0.5 if strong else 0.0)
    return logistic(2.0 if strong else 0.0)


def with_columns(draw, add):
    """Adds columns to what `draw` gives: `add(frame, rng)` returns the new frame."""

    def more(rng, n):
        frame, best = draw(rng, n)
        return add(frame, rng), best

    return more
