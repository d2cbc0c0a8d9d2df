"""The terms of a MARS model: products of hinges, their values, their names, and which of them to keep."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lstsq, solve_triangular
from sklearn.utils.validation import check_array

from statlearn._core.fitted_state import check_numbers

RIGHT, LEFT, LINEAR = 1, -1, 2


@dataclass
class MarsTerms:
    """Every term is its parent times one factor of one feature; the first is the constant.

    Parameters
    ----------
    parent, feature : ndarray of int
    factor : ndarray of int
        1 for (x - knot)_+, -1 for (knot - x)_+, 2 for x itself, 0 for the constant.
    knot : ndarray of float
    step : bool
        Indicators of x > knot and x <= knot instead of hinges.
    """

    parent: np.ndarray
    feature: np.ndarray
    factor: np.ndarray
    knot: np.ndarray
    step: bool = False

    def _check_state(self):
        n = len(self.parent)
        for name in ("parent", "feature", "factor", "knot"):
            check_numbers(name, getattr(self, name), kind="f" if name == "knot" else "i", shape=(n,))
        if np.any(self.parent[1:] < 0) or np.any(self.parent[1:] >= np.arange(1, n)):
            raise ValueError("`parent` must be a term that comes before.")

    def __len__(self):
        return len(self.parent)

    def lineage(self, k):
        """The terms from the first factor of term k to k itself, without the constant."""
        path = []
        while k > 0:
            path.append(int(k))
            k = self.parent[k]
        return path[::-1]

    def features(self, k):
        """The features of term k, in order and once each."""
        return tuple(sorted({int(self.feature[j]) for j in self.lineage(k)}))

    def degree(self, k):
        """Factors of term k."""
        return len(self.lineage(k))

    def _factor(self, k, x):
        if self.factor[k] == LINEAR:
            return x
        if self.step:
            return (x > self.knot[k]) if self.factor[k] == RIGHT else (x <= self.knot[k])
        return np.maximum(x - self.knot[k] if self.factor[k] == RIGHT else self.knot[k] - x, 0.0)

    def basis(self, X, keep):
        """Values of the terms `keep` at the rows of X, in columns."""
        X = np.asarray(X)
        out = np.empty((X.shape[0], len(keep)), np.float64, order="F")
        values = {0: np.ones(X.shape[0])}
        needed = sorted({j for k in keep for j in self.lineage(k)})
        last_use = {int(self.parent[j]): j for j in needed}
        place = {int(k): column for column, k in enumerate(keep)}
        for k in [0, *needed]:
            if k:
                parent = int(self.parent[k])
                values[k] = values[parent] * self._factor(k, X[:, self.feature[k]])
                if last_use[parent] == k:
                    del values[parent]
            if k in place:
                out[:, place[k]] = values[k]
        return out

    def names(self, features, digits=6):
        """Every term in words: "h(x1-0.47)*x2" for hinges, "(x1>0.47)" for steps."""
        words = []
        for k in range(len(self)):
            words.append("*".join(self._name(j, features, digits) for j in self.lineage(k)) or "(Intercept)")
        return words

    def _name(self, k, features, digits):
        name, knot = features[self.feature[k]], f"{self.knot[k]:.{digits}g}"
        if self.factor[k] == LINEAR:
            return str(name)
        if self.step:
            return f"({name}>{knot})" if self.factor[k] == RIGHT else f"({name}<={knot})"
        if self.factor[k] == LEFT:
            return f"h({knot}-{name})"
        return f"h({name}-{knot})" if self.knot[k] >= 0 else f"h({name}+{knot[1:]})"


def gcv(rss, n, n_terms, penalty):
    """Generalised cross-validation, RSS / n / (1 - M / n)^2 with M = r + penalty K.

    r counts the terms and K = (r - 1) / 2 the knots, two terms to a knot; a negative penalty makes both free. Models
    with M >= n get infinity.
    """
    r = np.asarray(n_terms, np.float64)
    cost = np.where(penalty < 0, 0.0, (r + penalty * (r - 1) / 2) / n)
    with np.errstate(divide="ignore"):
        return np.where(cost < 1, rss / (n * np.where(cost < 1, 1 - cost, 1.0) ** 2), np.inf)


def compressed(B, Y, weights):
    """The triangle R of the weighted [B, Y]: least squares on columns of B is least squares on those of R."""
    table = np.column_stack([B, Y])
    if weights is not None:
        table *= np.sqrt(weights)[:, None]
    return np.linalg.qr(table, mode="r")


def least_squares(R, M, columns):
    """Coefficients of the columns (of the first M of R) for all responses, and their residual sum of squares."""
    size = np.linalg.norm(R[:, columns], axis=0)
    size[size == 0] = 1.0
    B = R[:, columns] / size  # scaled, so that no term looks negligible next to a large one
    coef = lstsq(B, R[:, M:], lapack_driver="gelsy")[0]
    return coef / size[:, None], float(((R[:, M:] - B @ coef) ** 2).sum())


def delete_backward(R, M, *, forced=0):
    """The best model of every size that is met while the least useful term is deleted again and again.

    With one response the first terms of those that are left, in the order of the forward pass, are looked at too after
    every deletion: later terms together often do what the first pair does, so that backward deletion alone breaks the
    pair up. The code behind R's earth does the same, and only deletes if there are several responses.

    Parameters
    ----------
    R : ndarray
        Of `compressed`: M independent basis functions, then the responses.
    M : int
    forced : int, default=0
        Number of leading columns that are kept.

    Returns
    -------
    sizes, rss : ndarray
        From the smallest model to the full one.
    subsets : list of ndarray
        Columns of each.
    """
    root = solve_triangular(R[:M, :M], np.eye(M))
    inverse, coef = root @ root.T, root @ R[:M, M:]
    left, smallest = list(range(M)), max(forced, 1)
    rss = float((R[M:, M:] ** 2).sum())
    best = {M: (rss, left.copy())}
    triangle = R.copy() if R.shape[1] == M + 1 else None
    _offer_first_terms(best, triangle, left, smallest)
    while len(left) > smallest:
        at = np.array(left[forced:])
        rise = (coef[at] ** 2).sum(axis=1) / inverse[at, at]
        k = int(at[np.argmin(rise)])
        rss += float(rise.min())
        # Sweeping k out of the inverse gives inverse and coefficients of the model without it.
        column = inverse[:, k].copy()
        coef = coef - np.outer(column, coef[k] / column[k])
        inverse = inverse - np.outer(column, column / column[k])
        place = left.index(k)
        left.remove(k)
        _offer(best, rss, left)
        if triangle is not None:
            triangle = np.delete(triangle, place, axis=1)
            triangle[place:, place:] = _triangular(triangle[place:, place:])
            _offer_first_terms(best, triangle, left, max(place, smallest))
    sizes = np.arange(smallest, M + 1)
    return sizes, np.array([best[r][0] for r in sizes]), [np.array(best[r][1]) for r in sizes]


def _offer(best, rss, columns):
    """Store a model if it improves on that of its size by the margin that leaps require."""
    size = len(columns)
    if size not in best or rss * (1 + 1e-5) <= best[size][0]:
        best[size] = rss, list(columns)


def _offer_first_terms(best, triangle, left, smallest):
    """Offer the first terms of those left; `triangle` is their triangle with the response last."""
    if triangle is None:
        return
    behind = np.cumsum(triangle[::-1, -1] ** 2)[::-1]  # squares not explained by the first columns
    for size in range(smallest, len(left)):
        _offer(best, float(behind[size]), left[:size])


def _triangular(block):
    """Triangle of a block with as many or more rows than columns, zeros below."""
    out = np.zeros_like(block)
    r = np.linalg.qr(block, mode="r")
    out[: len(r)] = r
    return out


def reflected_pairs(X):
    """All hinges (x_j - t)_+ and (t - x_j)_+ with t an observed value: the candidates of the first step of MARS.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)

    Returns
    -------
    MarsTerms
        The constant, then two hinges for each feature and distinct value: 2 n p where no value repeats.

    Examples
    --------
    >>> from statlearn.smooth import reflected_pairs
    >>> len(reflected_pairs([[0.0, 1.0], [2.0, 3.0]])) - 1
    8
    """
    X = check_array(X, dtype=np.float64)
    knots = [np.unique(column) for column in X.T]
    feature = np.repeat(np.arange(X.shape[1]), [2 * len(values) for values in knots])
    knot = np.concatenate([np.repeat(values, 2) for values in knots])
    factor = np.tile([RIGHT, LEFT], len(knot) // 2)
    return MarsTerms(
        np.zeros(len(knot) + 1, np.int64),
        np.append(0, feature),
        np.append(0, factor).astype(np.int8),
        np.append(0.0, knot),
    )
