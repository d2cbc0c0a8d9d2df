"""Growing of oblique trees: directions, the scan for the best threshold, and the recursion.

Splits are scored from sums over rows of `parts`: one column of weights per class for a classifier, the columns
(weight, weight times y, weight times y squared) for a regressor. `mass` turns such sums into weight times impurity.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from statlearn._core.native import trees as native

from ._node_numbers import NodeNumbers, spread


def gini_mass(parts):
    """n - sum of n_k^2 / n."""
    n = parts.sum(axis=-1)
    return n - (parts**2).sum(axis=-1) / np.where(n > 0, n, 1.0)


def entropy_mass(parts):
    """n times entropy, in bits."""
    n = parts.sum(axis=-1)
    inner = (parts * np.log2(np.where(parts > 0, parts, 1.0))).sum(axis=-1)
    return n * np.log2(np.where(n > 0, n, 1.0)) - inner


def squares_mass(parts):
    """Sum of squares around the mean."""
    n = parts[..., 0]
    return parts[..., 2] - parts[..., 1] ** 2 / np.where(n > 0, n, 1.0)


MASSES = {"gini": gini_mass, "entropy": entropy_mass, "squared_error": squares_mass}  # in the order of native Mass


@dataclass
class ObliqueTree:
    """Oblique tree as flat arrays; a row goes right if ``X @ coef[k] + intercept[k] > 0``.

    The children of node k are ``child[k]`` (left) and ``child[k] + 1``; a leaf is its own child. ``value`` holds class
    proportions or the mean of y, ``impurity`` the impurity, ``rows`` and ``weight`` the number and weight of training
    rows. Instead of a coefficient times a value, a missing value of column j adds ``missing[k, j]``, and level c of a
    categorical column adds ``level_coef[k, level_start[j] + c]``.
    """

    coef: np.ndarray
    intercept: np.ndarray
    child: np.ndarray
    value: np.ndarray
    impurity: np.ndarray
    rows: np.ndarray
    weight: np.ndarray
    missing: np.ndarray
    level_coef: np.ndarray
    level_start: np.ndarray

    @property
    def node_count(self):
        return len(self.child)

    @property
    def is_leaf(self):
        return self.child == np.arange(len(self.child))

    @property
    def n_leaves(self):
        return int(np.count_nonzero(self.is_leaf))

    @property
    def depth(self):
        """Distance of each node from the root."""
        depth = np.zeros(self.node_count, int)
        for k in np.flatnonzero(~self.is_leaf):  # parents come before their children
            depth[self.child[k] : self.child[k] + 2] = depth[k] + 1
        return depth

    def apply(self, X):
        """The leaf of every row."""
        n = self.node_count
        inner = np.flatnonzero(~self.is_leaf)
        if not np.all((self.child[inner] > inner) & (self.child[inner] + 1 < n)):
            raise ValueError("The arrays of the fitted tree are inconsistent; the model may be corrupted. Refit it.")
        node = np.zeros(X.shape[0], np.int64)
        active = np.arange(X.shape[0]) if n > 1 else np.empty(0, int)
        leaf = self.is_leaf
        while len(active):
            at = node[active]
            node[active] = self.child[at] + (self._sums(X[active], at) > 0)
            active = active[~leaf[node[active]]]
        return node

    def _sums(self, X, at):
        """Value of the linear test of node at[i] for row i, summed in the same order as in `right_side`."""
        terms = X * self.coef[at]
        gap = np.isnan(X)
        for j in np.flatnonzero(np.diff(self.level_start)):
            codes = np.where(gap[:, j], 0, X[:, j]).astype(int)
            terms[:, j] = self.level_coef[at, self.level_start[j] + codes]
        if gap.any():
            terms = np.where(gap, self.missing[at], terms)
        return terms.sum(axis=1) + self.intercept[at]


def right_side(X, coef, intercept):
    """Which rows lie on the positive side. The sum of a row does not depend on the other rows in the batch."""
    return (X * coef).sum(axis=1) + intercept > 0


class Scan:
    """Thresholds of sorted values, scored by the remaining impurity."""

    def __init__(self, criterion, min_leaf):
        self.kind, self.min_leaf = list(MASSES).index(criterion), min_leaf

    def columns(self, Z, parts):
        """The best threshold of every column of Z: the remaining impurity (infinite if none is valid) and the value."""
        left, cut = np.empty((2, Z.shape[1]))
        native.best_cuts(Z, parts, self.kind, self.min_leaf, left, cut)
        return left, cut


def discriminant_direction(Z, parts, is_regression):
    """Least-squares direction of y, or the first discriminant coordinate of the classes."""
    if is_regression:
        w, target = parts[:, 0], parts[:, 1] / np.where(parts[:, 0] > 0, parts[:, 0], 1.0)
        centred = Z - (w @ Z) / w.sum()
        return _solve((centred * w[:, None]).T @ centred, centred.T @ (w * (target - w @ target / w.sum())))
    n = parts.sum(axis=0)
    used = n > 0
    n, parts = n[used], parts[:, used]
    means = (parts.T @ Z) / n[:, None]
    inside = (Z * parts.sum(axis=1)[:, None]).T @ Z - (means * n[:, None]).T @ means
    if len(n) == 2:
        return _solve(inside, means[1] - means[0])
    # The direction with the largest ratio of between-class to within-class variance.
    between = (means - n @ means / n.sum()) * np.sqrt(n)[:, None]
    scaled = _solve(inside, between.T)
    _, vectors = np.linalg.eigh(between @ scaled)
    return scaled @ vectors[:, -1]


def _solve(A, b):
    """Solution of a positive semi-definite system, with the smallest ridge that makes it solvable."""
    q = len(A)
    level = np.trace(A) / q
    if not level > 0:
        return np.zeros_like(b)
    for ridge in (1e-8, 1e-4, 1e-1):
        factor, info = lapack.dpotrf(A + ridge * level * np.eye(q), lower=1)
        if info == 0:
            return lapack.dpotrs(factor, b, lower=1)[0]
    return np.zeros_like(b)


def logistic_direction(Z, parts, is_regression, steps=8, ridge=1e-3):
    """Direction of a lightly penalised logistic regression between two groups.

    More than two classes are grouped by the sign of their mean on the first discriminant coordinate, numeric targets by
    whether they exceed their mean.
    """
    w = parts[:, 0] if is_regression else parts.sum(axis=1)
    if is_regression:
        target = parts[:, 1] / np.where(w > 0, w, 1.0)
        group = (target > w @ target / w.sum()).astype(float)
    else:
        first = Z @ discriminant_direction(Z, parts, False)
        n = parts.sum(axis=0)
        means = (first @ parts) / np.where(n > 0, n, 1.0)
        upper = (means > w @ first / w.sum()) & (n > 0)
        group = parts[:, upper].sum(axis=1) / np.where(w > 0, w, 1.0)
    A = np.column_stack([Z, np.ones(len(Z))])
    beta = np.zeros(A.shape[1])
    penalty = np.append(np.full(Z.shape[1], ridge * w.sum()), 1e-9)
    for _ in range(steps):
        p = 1.0 / (1.0 + np.exp(-np.clip(A @ beta, -30, 30)))
        gradient = A.T @ (w * (group - p)) - penalty * beta
        hessian = (A * (w * np.maximum(p * (1 - p), 1e-6))[:, None]).T @ A + np.diag(penalty)
        step = _solve(hessian, gradient)
        beta += step
        if np.abs(step).max() < 1e-6:
            break
    return beta[:-1]


class CoordinateSearch:
    """Coordinate-wise improvement of a hyperplane, as in OC1 (Murthy, Kasif and Salzberg, 1994)."""

    def __init__(self, mass, min_leaf, cycles=4):
        self.mass, self.min_leaf, self.cycles = mass, min_leaf, cycles

    def improve(self, Z, parts, direction, intercept, left):
        """The improved hyperplane and its remaining impurity."""
        A = np.asfortranarray(np.column_stack([Z, np.ones(len(Z))]))
        plane = np.append(direction, intercept)
        side = A @ plane
        for _ in range(self.cycles):
            before = left
            for j in range(len(plane)):
                value, remaining = self._best_value(A[:, j], parts, side - plane[j] * A[:, j])
                if remaining < left * (1 - 1e-9):
                    side += (value - plane[j]) * A[:, j]
                    plane[j], left = value, remaining
            if left >= before * (1 - 1e-6):
                break
        return plane[:-1], plane[-1], left

    def _best_value(self, x, parts, rest):
        """The value of one coefficient that minimises the impurity; `rest` is the sum of the other terms of each row.

        Each row is on the positive side if the coefficient is above (x > 0) or below (x < 0) some turning point, so one
        pass over the sorted turning points covers every split that the coefficient can produce.
        """
        moving = np.abs(x) > 1e-12
        fixed = ~moving & (rest > 0)
        start, count = parts[fixed].sum(axis=0), np.count_nonzero(fixed)
        total = parts.sum(axis=0)
        if not moving.all():
            x, parts, rest = x[moving], parts[moving], rest[moving]
        if len(x) < 2:
            return 0.0, np.inf
        turn = -rest / x
        order = np.argsort(turn, kind="stable")
        turn, step, moved = turn[order], np.sign(x)[order], parts[order]
        falling = step < 0
        right = start + moved[falling].sum(axis=0) + np.cumsum(step[:, None] * moved, axis=0)[:-1]
        count = count + np.count_nonzero(falling) + np.cumsum(step)[:-1]
        gap = turn[1:] > turn[:-1] + 1e-12 * np.abs(turn[1:])
        able = gap & (count >= self.min_leaf) & (len(moving) - count >= self.min_leaf)
        remaining = np.where(able, self.mass(right) + self.mass(total - right), np.inf)
        best = int(np.argmin(remaining))
        return (turn[best] + turn[best + 1]) / 2, float(remaining[best])


class ObliqueGrower:
    """Grows one tree, depth first, without recursion."""

    def __init__(self, *, direction, criterion, max_columns, max_depth, min_split, min_leaf, min_decrease):
        self.mass = MASSES[criterion]
        self.is_regression = criterion == "squared_error"
        self.direction, self.max_columns, self.max_depth = direction, max_columns, max_depth
        self.min_split, self.min_leaf, self.min_decrease = min_split, min_leaf, min_decrease
        self.scan = Scan(criterion, min_leaf)
        self.search = CoordinateSearch(self.mass, min_leaf)

    def grow(self, X, parts, n_levels):
        """Grow a tree on a table of numbers and codes, with NaN for missing values; `n_levels` is 0 if numeric."""
        numbers = NodeNumbers(n_levels, self.is_regression)
        nodes = []
        open_ = [(self._add(nodes, parts), 0, np.arange(len(X)))]
        self.total, self.pure = nodes[0]["weight"], 1e-12 * float(self.mass(parts.sum(axis=0)))
        while open_:
            node, depth, rows = open_.pop()
            if len(rows) < max(self.min_split, 2 * self.min_leaf):
                continue
            if self.max_depth is not None and depth >= self.max_depth:
                continue
            numbers_here, means, scores = numbers.of(X[rows], parts[rows])
            plane = self._split(numbers_here, parts[rows])
            if plane is None:
                continue
            right = right_side(numbers_here, *plane)
            if not self.min_leaf <= np.count_nonzero(right) <= len(rows) - self.min_leaf:
                continue  # two values that differ by rounding only
            nodes[node]["coef"], nodes[node]["intercept"] = plane
            nodes[node]["missing"] = plane[0] * means
            nodes[node]["levels"] = np.repeat(plane[0], n_levels) * scores
            nodes[node]["child"] = len(nodes)
            left_child = self._add(nodes, parts[rows[~right]])
            right_child = self._add(nodes, parts[rows[right]])
            open_ += [(right_child, depth + 1, rows[right]), (left_child, depth + 1, rows[~right])]
        return self._finished(nodes, numbers.start)

    def _add(self, nodes, parts):
        sums = parts.sum(axis=0)
        weight = sums[0] if self.is_regression else sums.sum()
        value = sums[1:2] / weight if self.is_regression else sums / weight
        impurity = max(float(self.mass(sums)) / weight, 0.0)
        nodes.append({"value": value, "impurity": impurity, "rows": len(parts), "weight": weight, "child": -1})
        return len(nodes) - 1

    def _split(self, X, parts):
        """Coefficients and intercept of the best half-space, or None if no split is good enough."""
        if self.is_regression:
            # Centred at the node mean, so that the sums of squares of small nodes keep their precision.
            w = parts[:, 0]
            y = parts[:, 1] / w
            y = y - w @ y / w.sum()
            parts = np.column_stack([w, w * y, w * y**2])
        before = float(self.mass(parts.sum(axis=0)))
        if before <= self.pure:
            return None
        left, cuts = self.scan.columns(X, parts)
        if not np.isfinite(left).any():
            return None
        j = int(np.flatnonzero(left <= left.min() + 1e-12 * before)[0])
        coef = np.zeros(X.shape[1])
        coef[j] = 1.0
        best = left[j], coef, -cuts[j]
        if self.max_columns > 1:
            best = self._oblique(X, parts, left, best)
        if before - best[0] < self.min_decrease * self.total - 1e-12 * before:
            return None
        return best[1:]

    def _oblique(self, X, parts, left, best):
        """The better of the given single-column split and a split along a direction of several columns."""
        able = np.isfinite(left)
        columns = np.sort(np.argsort(left, kind="stable")[: min(self.max_columns, np.count_nonzero(able))])
        if len(columns) < 2:
            return best
        weight = parts[:, 0] if self.is_regression else parts.sum(axis=1)
        centre = weight @ X[:, columns] / weight.sum()
        Z = X[:, columns] - centre
        scale = spread(Z, weight, weight.sum())
        Z /= scale
        find = logistic_direction if self.direction == "logistic" else discriminant_direction
        direction = find(Z, parts, self.is_regression)
        size = np.abs(direction).max()
        if not (np.isfinite(size) and size > 0):
            return best
        direction = direction / size
        remaining, cut = self.scan.columns((Z @ direction)[:, None], parts)
        plane = direction, -cut[0], remaining[0]
        if self.direction == "search":
            start = best[1][columns] * scale, best[2] + best[1][columns] @ centre, best[0]
            plane = self.search.improve(Z, parts, *min(plane, start, key=lambda p: p[2]))
        # Ignore gains that are rounding errors.
        if not plane[2] < best[0] - 1e-9 * float(self.mass(parts.sum(axis=0))):
            return best
        coef = np.zeros(X.shape[1])
        coef[columns] = plane[0] / scale
        return plane[2], coef, plane[1] - coef[columns] @ centre

    def _finished(self, nodes, level_start):
        p = len(level_start) - 1
        coef, missing = np.zeros((2, len(nodes), p))
        level_coef = np.zeros((len(nodes), level_start[-1]))
        intercept = np.zeros(len(nodes))
        child = np.arange(len(nodes))
        for k, node in enumerate(nodes):
            if node["child"] >= 0:
                coef[k], intercept[k], child[k] = node["coef"], node["intercept"], node["child"]
                missing[k], level_coef[k] = node["missing"], node["levels"]
        return ObliqueTree(
            coef,
            intercept,
            child,
            np.array([node["value"] for node in nodes]),
            np.array([node["impurity"] for node in nodes]),
            np.array([node["rows"] for node in nodes]),
            np.array([node["weight"] for node in nodes]),
            missing,
            level_coef,
            level_start,
        )
