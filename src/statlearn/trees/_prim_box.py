"""Boxes of PRIM: peeling and pasting."""

from dataclasses import dataclass

import numpy as np


@dataclass(repr=False)
class Box:
    """Box with bounds lower < x <= upper for numeric columns and allowed levels for categorical columns.

    `allowed` holds a mask of the levels for each categorical column, None for numeric columns. `mean`, `weight` and
    `support` (proportion of the weight) refer to the training rows that remained when the box was found. `text` holds
    the bounds with the names of the columns.
    """

    lower: np.ndarray
    upper: np.ndarray
    allowed: list
    mean: float = np.nan
    support: float = np.nan
    weight: float = np.nan
    text: str = ""

    def row(self):
        """Cells of the box in a table."""
        return {
            "box": self.text,
            "mean": float(self.mean),
            "support": float(self.support),
            "weight": float(self.weight),
        }

    def __str__(self):
        return f"{self.text or 'anything'} -> {self.mean:.6g} ({self.weight:g} rows)"

    def __repr__(self):
        return str(self)

    @classmethod
    def everything(cls, levels):
        p = len(levels)
        allowed = [None if n == 0 else np.ones(n, bool) for n in levels]
        return cls(np.full(p, -np.inf), np.full(p, np.inf), allowed)

    def copy(self):
        return Box(self.lower.copy(), self.upper.copy(), [None if a is None else a.copy() for a in self.allowed])

    def used(self):
        """Indices of the columns that restrict the box."""
        return [
            j
            for j, levels in enumerate(self.allowed)
            if (np.isfinite([self.lower[j], self.upper[j]]).any() if levels is None else not levels.all())
        ]

    def outside(self, X, j):
        """Which rows column j excludes. Unknown levels are excluded from every box restricted in that column."""
        levels = self.allowed[j]
        if levels is None:
            return (X[:, j] <= self.lower[j]) | (X[:, j] > self.upper[j])
        codes = np.where((X[:, j] >= 0) & (X[:, j] < len(levels)), X[:, j], len(levels)).astype(int)
        return ~np.append(levels, False)[codes]

    def contains(self, X):
        """Which rows lie in the box."""
        inside = np.ones(X.shape[0], bool)
        for j in self.used():
            inside &= ~self.outside(X, j)
        return inside


@dataclass(frozen=True)
class Face:
    """A change of one face of a box and its result."""

    mean: float
    column: int
    side: str  # "lower", "upper", "level"
    value: float  # the new bound, or the level

    def better(self, other):
        return other is None or self.mean > other.mean + 1e-12 * abs(other.mean)

    def apply(self, box, *, open_level=False):
        new = box.copy()
        if self.side == "level":
            new.allowed[self.column][int(self.value)] = open_level
        else:
            getattr(new, self.side)[self.column] = self.value
        return new


def _between(low, high):
    """A bound that separates two values: low <= bound < high."""
    middle = low + (high - low) / 2
    return middle if middle < high else low


def _strip(values, weights, products, limit):
    """Size of a strip of sorted rows: at most `limit` of weight, complete ties, and at least one value.

    Returns the number of rows, their weight and their weighted sum for each column; 0 rows if a column is constant.
    """
    ends = values[1:] != values[:-1]
    reached, sums = np.cumsum(weights, axis=0)[:-1], np.cumsum(products, axis=0)[:-1]
    able = ends & (reached <= limit * (1 + 1e-12))
    last = len(ends) - 1 - np.argmax(able[::-1], axis=0)
    first = np.argmax(ends, axis=0)
    rows = np.where(able.any(axis=0), last, first)
    columns = np.arange(values.shape[1])
    return np.where(ends.any(axis=0), rows + 1, 0), reached[rows, columns], sums[rows, columns]


class Peeler:
    """Peels boxes from a table, keeping the rows of the current box sorted by every numeric column."""

    def __init__(self, X, y, w, levels, alpha, n_min):
        self.X, self.y, self.w, self.alpha, self.n_min = X, y, w, alpha, n_min
        self.numbers = np.flatnonzero(np.asarray(levels) == 0)
        self.names = np.flatnonzero(np.asarray(levels) > 0)
        self.levels = levels

    def trajectory(self):
        """All boxes from the whole table down to `n_min` rows."""
        box = Box.everything(self.levels)
        inside = np.ones(len(self.y), bool)
        order = np.argsort(self.X[:, self.numbers], axis=0, kind="stable")
        boxes = [self._measured(box, inside)]
        while (face := self._best_peel(box, order, inside)) is not None:
            box = face.apply(box)
            inside &= ~box.outside(self.X, face.column)
            p = len(self.numbers)
            if p:
                still_inside = inside[order]
                order = order.T[still_inside.T].reshape(p, -1).T
            boxes.append(self._measured(box, inside))
        return boxes

    def _measured(self, box, inside):
        weight = self.w[inside].sum()
        box.mean = float(self.w[inside] @ self.y[inside] / weight)
        box.weight, box.support = float(weight), float(weight / self.w.sum())
        return box

    def _best_peel(self, box, order, inside):
        """The face whose strip leaves the highest mean and at least `n_min` rows."""
        weight = self.w[inside].sum()
        total = self.w[inside] @ self.y[inside]
        limit, best = self.alpha * weight, None

        def consider(removed, gone, column, side, value):
            nonlocal best
            if weight - removed < self.n_min - 1e-9 or weight - removed <= 0:
                return
            face = Face(float((total - gone) / (weight - removed)), int(column), side, float(value))
            if face.better(best):
                best = face

        if len(self.numbers) and len(order) > 1:
            values = np.take_along_axis(self.X[:, self.numbers], order, axis=0)
            w, wy = self.w[order], (self.w * self.y)[order]
            low = _strip(values, w, wy, limit)
            high = _strip(values[::-1], w[::-1], wy[::-1], limit)
            for k, j in enumerate(self.numbers):
                if low[0][k]:
                    rows = low[0][k]
                    consider(low[1][k], low[2][k], j, "lower", _between(values[rows - 1, k], values[rows, k]))
                if high[0][k]:
                    rows = len(values) - high[0][k]
                    consider(high[1][k], high[2][k], j, "upper", _between(values[rows - 1, k], values[rows, k]))
        for j in self.names:
            codes = self.X[inside, j].astype(int)
            n = np.bincount(codes, self.w[inside], self.levels[j])
            sums = np.bincount(codes, self.w[inside] * self.y[inside], self.levels[j])
            for level in np.flatnonzero(n):
                consider(n[level], sums[level], j, "level", level)
        return best

    def pasted(self, box):
        """The box after adding strips to its faces as long as this raises its mean."""
        while (wider := self._best_paste(box)) is not None:
            box = wider
        return box

    def _best_paste(self, box):
        used = box.used()
        if not used:
            return None
        out = np.column_stack([box.outside(self.X, j) for j in used])
        barriers = out.sum(axis=1)
        inside = barriers == 0
        weight, total = self.w[inside].sum(), self.w[inside] @ self.y[inside]
        now, best = Face(float(total / weight), -1, "", 0.0), None
        alone = barriers == 1
        for k, j in enumerate(used):
            rows = np.flatnonzero(alone & out[:, k])
            for side, value, w, wy in self._neighbours(box, j, rows, self.alpha * weight):
                face = Face(float((total + wy) / (weight + w)), j, side, float(value))
                if face.better(now) and face.better(best):
                    best = face
        if best is None:
            return None
        wider = best.apply(box, open_level=True)
        return self._measured(wider, wider.contains(self.X))

    def _neighbours(self, box, j, rows, limit):
        """Strips just outside the faces of column j: side, new bound or level, weight and weighted sum."""
        w, wy, x = self.w[rows], (self.w * self.y)[rows], self.X[rows, j]
        if box.allowed[j] is not None:
            for level in np.unique(x[(x >= 0) & (x < len(box.allowed[j]))]):
                yield "level", level, w[x == level].sum(), wy[x == level].sum()
            return
        for side, beyond in (("lower", x <= box.lower[j]), ("upper", x > box.upper[j])):
            if not beyond.any():
                continue
            order = np.flatnonzero(beyond)[np.argsort(x[beyond] if side == "upper" else -x[beyond], kind="stable")]
            # A sentinel row closes the last tie.
            values = np.append(x[order], np.inf if side == "upper" else -np.inf)[:, None]
            n, weight, total = _strip(
                values, np.append(w[order], 0.0)[:, None], np.append(wy[order], 0.0)[:, None], limit
            )
            n = int(n[0])
            reached, following = values[n - 1, 0], values[n, 0]
            bound = following if n == len(order) else _between(*sorted((reached, following)))
            yield side, bound, float(weight[0]), float(total[0])
