"""Data and a slow, obvious tree that several tests share."""

import numpy as np

STEPS_X = np.arange(1.0, 11.0)[:, None]
STEPS_Y = np.array([5.56, 5.70, 5.91, 6.40, 6.80, 7.05, 8.90, 8.70, 9.00, 9.05])


def problem(rng, n=200, p=4, classes=3):
    """Continuous columns, a target of numbers and one of classes; no ties."""
    X = rng.normal(size=(n, p))
    y = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2 % p]) + 0.5 * rng.normal(size=n)
    return X, y, np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))


def structure(tree, decimals=5):
    """Splits (column, threshold) and leaves (None) from the root downwards, left before right."""
    left, right, found, stack = tree.children_left, tree.children_right, [], [0]
    while stack:
        k = stack.pop()
        if left[k] < 0:
            found.append(None)
            continue
        found.append((int(tree.feature[k]), round(float(tree.threshold[k]), decimals)))
        stack += [right[k], left[k]]
    return found


def rows_below(tree, k):
    """The node and all nodes below it."""
    found, stack = [], [k]
    while stack:
        k = stack.pop()
        found.append(k)
        if tree.children_left[k] >= 0:
            stack += [tree.children_left[k], tree.children_right[k]]
    return found


def impurity_of(y, w, criterion, losses=None):
    """Of one node, by definition."""
    if criterion == "squared_error":
        return np.average((y - np.average(y, weights=w)) ** 2, weights=w)
    p = np.array([w[y == k].sum() for k in range(int(y.max()) + 1)]) / w.sum()
    if criterion == "loss":
        full = np.zeros(len(losses))
        full[: len(p)] = p
        return full @ losses @ full
    positive = p[p > 0]
    entropy = -np.sum(positive * np.log2(positive))
    return {"gini": 1 - np.sum(p**2), "entropy": entropy, "error": 1 - p.max()}[criterion]
