"""The terms of an additive model: what a user writes, and the columns and penalties it becomes."""

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg import block_diag
from scipy.spatial.distance import cdist

from ._basis import BSplineBasis, NaturalBasis
from ._thin_plate import radial

BASES = ("cr", "ps", "cc", "tp", "re")
_MOST_CENTRES = 1000  # of a thin-plate basis: its set-up is cubic in them


# What users write -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Term:
    """One summand of the linear predictor; made by `s`, `s2`, `te`, `re`, `lin` and `factor`, changed by `by`.

    Parameters
    ----------
    kind : {"smooth", "tensor", "linear", "factor"}
    features : tuple of int or str
        Columns of X.
    k : int or tuple of int
        Functions of the basis, before the constraint that makes the term identifiable.
    basis : str or tuple of str
    lam : float, sequence of float or None
        Fixed smoothing parameters; None: estimated.
    select : bool
        Penalise the straight part too, so that the whole term can be shrunk to zero.
    knots : ndarray or None
    by : int, str or None
        The term is multiplied by this column, or is there once for each of its levels.
    """

    kind: str
    features: tuple
    k: object = None
    basis: object = None
    lam: object = None
    select: bool = False
    knots: object = field(default=None, compare=False)
    by: object = None


def s(feature, k=10, *, basis="cr", lam=None, select=False, knots=None, by=None):
    """A smooth function of one feature.

    Parameters
    ----------
    feature : int or str
    k : int, default=10
        Functions of the basis: an upper limit for the degrees of freedom, not their number.
    basis : {"cr", "ps", "cc", "tp"}, default="cr"
        Natural cubic spline with k knots at quantiles and the penalty ∫f''²; P-splines (cubic B-splines on k - 4 equal
        intervals, second differences); a cubic spline that closes on itself; thin-plate spline.
    lam : float or None, default=None
        A fixed smoothing parameter; None: estimated with the others.
    select : bool, default=False
        Penalise the straight part as well: the term can vanish.
    knots : array-like or None, default=None
        Knots for "cr" and "cc" instead of the quantiles.
    by : int, str or None, default=None
        Multiply the function by this feature (varying coefficients); for a factor, one function for each level.

    Returns
    -------
    Term

    Examples
    --------
    >>> from statlearn.smooth import s
    >>> s(0, k=20).k
    20
    """
    return Term("smooth", (feature,), k, basis, lam, select, knots, by)


def s2(first, second, *more, k=30, lam=None, select=False, by=None):
    """A smooth function of two (or more) features on one scale: a thin-plate spline of low rank.

    Parameters
    ----------
    first, second, *more : int or str
    k : int, default=30
    lam : float or None, default=None
    select : bool, default=False
    by : int, str or None, default=None

    Returns
    -------
    Term

    Examples
    --------
    >>> from statlearn.smooth import s2
    >>> s2(0, 1).basis
    'tp'
    """
    return Term("smooth", (first, second, *more), k, "tp", lam, select, None, by)


def te(*features, k=5, basis="cr", lam=None, select=False, by=None):
    """A smooth function of several features on scales of their own: the product of bases, one penalty for each.

    Parameters
    ----------
    *features : int or str
    k : int or sequence of int, default=5
    basis : str or sequence of str, default="cr"
    lam : sequence of float or None, default=None
    select : bool, default=False
    by : int, str or None, default=None

    Returns
    -------
    Term

    Examples
    --------
    >>> from statlearn.smooth import te
    >>> te(0, 1, k=6).k
    (6, 6)
    """
    d = len(features)
    if d < 2:
        raise ValueError("te needs at least two features; use s for one.")
    ks = (int(k),) * d if np.isscalar(k) else tuple(int(v) for v in k)
    bases = (basis,) * d if isinstance(basis, str) else tuple(basis)
    if len(ks) != d or len(bases) != d:
        raise ValueError(f"te: k and basis need one value or {d}, one for each feature.")
    return Term("tensor", tuple(features), ks, bases, lam, select, None, by)


def re(feature, *, lam=None, by=None):
    """A random effect: one coefficient for each level of a factor, all from one normal distribution.

    Parameters
    ----------
    feature : int or str
    lam : float or None, default=None
    by : int, str or None, default=None
        A numeric feature: random slopes.

    Returns
    -------
    Term

    Examples
    --------
    >>> from statlearn.smooth import re
    >>> re("school").features
    ('school',)
    """
    return Term("smooth", (feature,), None, "re", lam, False, None, by)


def lin(feature):
    """A feature as it is, with one coefficient and no penalty.

    Parameters
    ----------
    feature : int or str

    Returns
    -------
    Term

    Examples
    --------
    >>> from statlearn.smooth import lin
    >>> lin(2).kind
    'linear'
    """
    return Term("linear", (feature,))


def factor(feature):
    """A factor: one coefficient for each level but the first.

    Parameters
    ----------
    feature : int or str

    Returns
    -------
    Term

    Examples
    --------
    >>> from statlearn.smooth import factor
    >>> factor("colour").kind
    'factor'
    """
    return Term("factor", (feature,))


def by(term, feature):
    """The term multiplied by a feature, or once for each level of a factor.

    Parameters
    ----------
    term : Term
    feature : int or str

    Returns
    -------
    Term

    Examples
    --------
    >>> from statlearn.smooth import by, s
    >>> by(s("age"), "sex").by
    'sex'
    """
    return replace(term, by=feature)


# Bases with their penalties ------------------------------------------------------------------------------------------


class CubicRegression:
    """Natural (or closed) cubic spline in its values at the knots, with the penalty ∫f''²."""

    def __init__(self, x, k, knots=None, closed=False):
        distinct = np.unique(x)
        if knots is None:
            # As many knots as there are values, at most.
            knots = np.quantile(distinct, np.linspace(0, 1, min(k + closed, len(distinct))))
        knots = np.unique(np.asarray(knots, np.float64))
        if len(knots) < 3 + closed:
            raise ValueError(f"needs at least {3 + closed} distinct values, got {len(distinct)}")
        self.low, self.high = knots[0], knots[-1]
        self.closed = closed
        # On [0, 1] for conditioning; the penalty goes back to the scale of x.
        unit = (knots - self.low) / (self.high - self.low)
        if closed:
            self.basis = BSplineBasis(unit, 3, periodic=True)
            at_knots = self.basis.design(unit[:-1])
        else:
            self.basis = NaturalBasis(unit, "bspline")
            at_knots = self.basis.design(unit)
        self.to_values = np.linalg.inv(at_knots)
        omega = self.basis.penalty(2) / (self.high - self.low) ** 3
        S = self.to_values.T @ omega @ self.to_values
        self.penalties = [(S + S.T) / 2]
        self.null = 1 if closed else 2

    def design(self, x):
        return self.basis.design((x - self.low) / (self.high - self.low)) @ self.to_values


class PSpline:
    """Cubic B-splines on equal intervals with squared second differences of the coefficients."""

    def __init__(self, x, k):
        if k < 5:
            raise ValueError(f"P-splines need k of at least 5, got {k}")
        low, high = x.min(), x.max()
        if low == high:
            raise ValueError("the feature is constant")
        margin = 0.001 * (high - low)
        self.basis = BSplineBasis(np.linspace(low - margin, high + margin, k - 2), 3)
        self.penalties = [self.basis.difference_penalty(2)]
        self.null = 2

    def design(self, x):
        return self.basis.extended(x, "linear")


class ThinPlate:
    """Thin-plate spline of low rank: the leading eigenvectors of the full one's kernel (Wood, 2003)."""

    def __init__(self, x, k):
        distinct = np.unique(x, axis=0)
        d = distinct.shape[1]
        self.null = d + 1
        if d > 3:
            raise ValueError("thin-plate terms take up to three features")
        if k <= self.null or len(distinct) <= self.null:
            raise ValueError(f"needs k and the number of distinct points above {self.null}")
        if len(distinct) > _MOST_CENTRES:
            distinct = distinct[np.random.default_rng(0).choice(len(distinct), _MOST_CENTRES, replace=False)]
        k = min(k, len(distinct))
        self.middle, self.centres = distinct.mean(axis=0), distinct
        E, T = self._kernel(distinct), self._polynomial(distinct)
        values, vectors = np.linalg.eigh(E)
        leading = np.argsort(-np.abs(values), kind="stable")[:k]
        values, vectors = values[leading], vectors[:, leading]
        Z = np.linalg.qr(vectors.T @ T, mode="complete")[0][:, self.null :]
        self.weights = vectors @ Z
        S = Z.T @ (values[:, None] * Z)
        self.penalties = [block_diag((S + S.T) / 2, np.zeros((self.null, self.null)))]

    def _kernel(self, x):
        r = cdist(x, self.centres)
        return -r if x.shape[1] == 3 else radial(r, x.shape[1])

    def _polynomial(self, x):
        return np.column_stack([np.ones(len(x)), x - self.middle])

    def design(self, x):
        return np.column_stack([self._kernel(x) @ self.weights, self._polynomial(x)])


class RandomEffect:
    """Indicators of the levels of a factor, with the identity as penalty."""

    null = 0

    def __init__(self, codes, levels):
        self.levels = levels
        self.penalties = [np.eye(levels)]

    def design(self, codes):
        return (codes[:, None] == np.arange(self.levels)).astype(np.float64)


class Tensor:
    """Row-wise products of bases, with each basis' penalty along its own direction."""

    def __init__(self, parts):
        self.parts = parts
        sizes = [len(part.penalties[0]) for part in parts]
        self.penalties = []
        for at, part in enumerate(parts):
            # The penalty of a product of cardinal functions is that of the values along this direction.
            S = np.ones((1, 1))
            for other, size in enumerate(sizes):
                S = np.kron(S, part.penalties[0] / np.linalg.norm(part.penalties[0]) if other == at else np.eye(size))
            self.penalties.append(S)
        self.null = int(np.prod([part.null for part in parts]))

    def design(self, columns):
        out = np.ones((len(columns), 1))
        for part, x in zip(self.parts, columns.T, strict=True):
            B = part.design(x)
            out = (out[:, :, None] * B[:, None, :]).reshape(len(columns), -1)
        return out


# Fitted terms --------------------------------------------------------------------------------------------------------


class Columns:
    """The checked columns of X by number or name, and which of them hold the codes of factors."""

    def __init__(self, X, names, levels):
        self.X, self.levels = X, levels
        self.names = [f"x{j}" for j in range(X.shape[1])] if names is None else [str(name) for name in names]

    def place(self, feature):
        if isinstance(feature, str):
            if feature not in self.names:
                raise ValueError(f"terms: there is no column named {feature!r}.")
            return self.names.index(feature)
        if not 0 <= feature < self.X.shape[1]:
            raise ValueError(f"terms: column {feature} is out of range, X has {self.X.shape[1]} columns.")
        return int(feature)


class FittedTerm:
    """A block of columns of the model matrix: their values for any rows, their penalties, their names.

    The mean of a smooth over the training rows is zero (unless a numeric `by` variable or a random effect makes that
    unnecessary): `Z` spans the coefficients that fulfil it.
    """

    def __init__(self, term, columns, weights, level=None):
        self.term, self.level = term, level
        self.places = [columns.place(f) for f in term.features]
        self.by_place = None if term.by is None else columns.place(term.by)
        self.label = self._label(columns)
        self.parametric = term.kind in ("linear", "factor")
        x = columns.X[:, self.places]
        self.Z, self.penalties, self.null, self.basis = None, [], 0, None
        if term.kind == "linear":
            self.width = 1
        elif term.kind == "factor":
            self.levels = self._n_levels(columns, self.places[0], term.features[0])
            self.width = self.levels - 1
        else:
            self._set_up(x, columns, weights)
        self.names = self._names(columns)
        lam = term.lam
        self.lam = None if lam is None else np.atleast_1d(np.asarray(lam, np.float64))
        if self.lam is not None and (len(self.lam) != len(self.penalties) or np.any(self.lam < 0)):
            raise ValueError(f"{self.label}: lam needs {len(self.penalties)} values of at least 0.")

    def _n_levels(self, columns, place, name):
        if place not in columns.levels:
            raise ValueError(f"terms: {name!r} is no factor.")
        return len(columns.levels[place])

    def _label(self, columns):
        inner = ",".join(columns.names[j] for j in self.places)
        name = {"linear": inner, "factor": inner, "tensor": f"te({inner})"}.get(self.term.kind, f"s({inner})")
        if self.by_place is None:
            return name
        level = "" if self.level is None else str(columns.levels[self.by_place][self.level])
        return f"{name}:{columns.names[self.by_place]}{level}"

    def _names(self, columns):
        if self.term.kind == "linear":
            return [self.label]
        if self.term.kind == "factor":
            return [f"{self.label}[{level}]" for level in columns.levels[self.places[0]][1:]]
        return [f"{self.label}.{j}" for j in range(1, self.width + 1)]

    def _set_up(self, x, columns, weights):
        term = self.term
        try:
            if term.kind == "tensor":
                parts = [_marginal(b, x[:, j], k) for j, (b, k) in enumerate(zip(term.basis, term.k, strict=True))]
                self.basis = Tensor(parts)
            elif term.basis == "re":
                self.basis = RandomEffect(x[:, 0], self._n_levels(columns, self.places[0], term.features[0]))
            elif term.basis == "tp":
                self.basis = ThinPlate(x, term.k)
            else:
                self.basis = _marginal(term.basis, x[:, 0], term.k, term.knots)
        except ValueError as error:
            raise ValueError(f"{self.label}: {error}.") from None
        penalties, null = self.basis.penalties, self.basis.null
        numeric_by = self.by_place is not None and self.level is None
        self.Z = None
        if term.basis != "re" and not numeric_by:
            # Over all rows, those of other levels too: the knots of all levels are the same as well.
            B = self.basis.design(self._own(columns.X))
            w = np.ones(len(B)) if weights is None else weights
            sums = w @ B
            self.Z = np.linalg.qr(sums[:, None], mode="complete")[0][:, 1:]
            penalties = [self.Z.T @ S @ self.Z for S in penalties]
            null -= 1
        self.width = len(penalties[0])
        if term.select and null:
            values, vectors = np.linalg.eigh(sum(S / np.linalg.norm(S) for S in penalties))
            flat = vectors[:, np.argsort(values)[:null]]
            penalties = [*penalties, flat @ flat.T]
            null = 0
        # On the scale of the columns: smoothing parameters of different terms are then comparable.
        size = max(np.abs(self.design(columns.X)).sum(axis=1).max() ** 2, 1e-300)
        self.scales = [size / max(np.abs(S).sum(axis=1).max(), 1e-300) for S in penalties]
        self.penalties, self.null = [scale * (S + S.T) / 2 for S, scale in zip(penalties, self.scales)], null

    def _own(self, X):
        x = X[:, self.places]
        return x if self.term.kind == "tensor" or self.term.basis == "tp" else x[:, 0]

    def _values(self, X):
        B = self.basis.design(self._own(X))
        if self.by_place is not None:
            z = X[:, self.by_place]
            B = B * (z if self.level is None else z == self.level)[:, None]
        return B

    def design(self, X):
        """The columns of the term for these rows."""
        if self.term.kind == "linear":
            return X[:, self.places]
        if self.term.kind == "factor":
            return (X[:, self.places] == np.arange(1, self.levels)).astype(np.float64)
        B = self._values(X)
        return B if self.Z is None else B @ self.Z


def _marginal(basis, x, k, knots=None):
    if basis == "ps":
        return PSpline(x, k)
    if basis == "tp":
        return ThinPlate(np.asarray(x)[:, None], k)
    if basis in ("cr", "cc"):
        return CubicRegression(x, k, knots, closed=basis == "cc")
    raise ValueError(f"basis must be one of {', '.join(BASES)}, got {basis!r}")


def fit_terms(terms, columns, weights):
    """The blocks of the model matrix after the constant; a factor `by` makes one for each level."""
    fitted = []
    for term in terms:
        place = None if term.by is None else columns.place(term.by)
        if place is not None and place in columns.levels:
            fitted += [FittedTerm(term, columns, weights, level) for level in range(len(columns.levels[place]))]
        else:
            fitted.append(FittedTerm(term, columns, weights))
    return fitted
