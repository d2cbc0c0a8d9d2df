"""The terms of a fitted additive model: blocks of columns with their penalties."""

from dataclasses import replace

import numpy as np
from scipy.linalg import qr

from ._bases import RandomEffect, Tensor, add_curve, centred, in_values, smooth_basis
from ._gam_design import GamDesign, RowTerm

AT_ONCE = 8192  # rows whose columns are held together in a prediction
_FEW_LEVELS = 16  # of a factor whose indicators are columns like others
_LOOKED_AT = 1000  # rows from which the size of a term's columns is judged
_FOLLOWS = np.finfo(np.float64).eps ** 0.5  # share of the largest column that is left of one that follows from others
_NO_PENALTY = 1e-10  # share of the largest eigenvalue of a penalty below which one is 0


class FittedTerm:
    """A block of columns of the model matrix: their values for any rows, their penalties, their names.

    The mean of a smooth over the training rows is zero (unless a numeric `by` variable or a random effect makes that
    unnecessary); `Z` spans the coefficients that satisfy this constraint. `turn` maps the coefficients in use to those
    of the documented basis; None is the identity.

    Parameters
    ----------
    term : Term
    columns : Columns
    level : int or None, default=None
        Of the factor `by`.
    inner : list of FittedTerm, default=()
        Terms of a subset of its features; columns that they span are dropped.
    """

    def __init__(self, term, columns, level=None, inner=()):
        self.term, self.level = term, level
        self.places = [columns.place(f) for f in term.features]
        self.by_place = None if term.by is None else columns.place(term.by)
        self.parametric = term.kind in ("linear", "factor")
        self.label = self._label(columns)
        if self.by_place is not None and (term.kind == "factor" or (term.kind == "linear" and level is None)):
            raise ValueError(
                f"{self.label}: `by` is only for smooth terms and for slopes by the levels of a factor; write a "
                "product of numeric columns as I(x * z)."
            )
        if term.kind != "factor" and term.basis != "re":
            check_numbers(self.places, columns, self.label)
        self.Z, self.turn, self.penalties, self.null, self.basis = None, None, [], 0, None
        if term.kind == "linear":
            self.width = 1
        elif term.kind == "factor":
            self.levels = self._n_levels(columns, self.places[0], term.features[0])
            if self.levels < 2:
                raise ValueError(f"{self.label}: a factor must have at least two levels, got {self.levels}.")
            self.width = self.levels - 1
        else:
            self._set_up(columns, inner)
        self.names = self._names(columns)
        try:
            self.lam = None if term.lam is None else np.atleast_1d(np.asarray(term.lam, np.float64))
        except (TypeError, ValueError):
            raise ValueError(f"{self.label}: `lam` must be a number, got {term.lam!r}.") from None
        if self.lam is not None:
            self._check_lam()

    def _check_lam(self):
        if len(self.lam) != len(self.penalties) or not np.all(self.lam >= 0):
            raise ValueError(f"{self.label}: `lam` must be {len(self.penalties)} non-negative number(s).")
        if not np.any(self.lam):
            # Without a penalty: in the likelihood of the others its coefficients are like those of parametric terms.
            self.penalties, self.scales, self.lam, self.null = [], [], np.zeros(0), self.width

    def _n_levels(self, columns, place, name):
        if place not in columns.levels:
            raise ValueError(f"terms: column {name!r} is not a factor.")
        return len(columns.levels[place])

    def _label(self, columns):
        inner = ",".join(columns.names[j] for j in self.places)
        kind = self.term.kind
        name = (
            inner
            if self.parametric
            else f"{'s' if kind == 'smooth' else 'ti' if self.term.interaction else 'te'}({inner})"
        )
        if self.by_place is None:
            return name
        level = "" if self.level is None else str(columns.levels[self.by_place][self.level])
        return f"{name}:{columns.names[self.by_place]}{level}"

    def _names(self, columns):
        if self.term.kind == "linear":
            return [self.label]
        if self.term.kind == "factor":
            return [f"{self.label}{level}" for level in columns.levels[self.places[0]][1:]]
        return [f"{self.label}.{j}" for j in range(1, self.width + 1)]

    def _set_up(self, columns, inner):
        term = self.term
        try:
            parts = self._make_basis(columns)
        except ValueError as error:
            raise ValueError(f"{self.label}: {error}.") from None
        penalties, null = self.basis.penalties, self.basis.null
        numeric_by = self.by_place is not None and self.level is None
        if term.basis != "re" and not numeric_by and not term.interaction:
            # Over all rows, those of other levels too: the knots of all levels are the same as well.
            if len(parts) == 1:
                sums = columns.coded(parts[0][0]).weight @ parts[0][1]
            else:
                sums = GamDesign([RowTerm(parts)], columns.codes, columns.X).products(columns.weights)
            self.Z = np.linalg.qr(sums[:, None], mode="complete")[0][:, 1:]
            penalties = [self.Z.T @ S @ self.Z for S in penalties]
            null -= 1
        if inner:
            columns_used = self._own_columns(columns, inner)
            self.Z = (np.eye(len(penalties[0])) if self.Z is None else self.Z)[:, columns_used]
            penalties = [S[np.ix_(columns_used, columns_used)] for S in penalties]
            values = np.linalg.eigvalsh(sum(S / np.linalg.norm(S) for S in penalties))
            null = int(np.sum(values < _NO_PENALTY * values[-1]))
        self.width = len(penalties[0])
        if len(penalties) == 1 and term.basis != "re":
            # Along the eigenvectors: the directions without penalty then have exactly none, however large lambda is.
            values, vectors = np.linalg.eigh((penalties[0] + penalties[0].T) / 2)
            values[:null] = 0.0
            self.Z = vectors if self.Z is None else self.Z @ vectors
            self.turn = vectors
            penalties = [np.diag(np.maximum(values, 0.0))]
        if term.select and null:
            values, vectors = np.linalg.eigh(sum(S / np.linalg.norm(S) for S in penalties))
            flat = vectors[:, np.argsort(values, kind="stable")[:null]]
            penalties = [*penalties, flat @ flat.T]
            null = 0
        # On the scale of the columns: smoothing parameters of different terms are then comparable.
        some = columns.X[:: max(1, len(columns.X) // _LOOKED_AT)]
        size = max(np.abs(self.design(some)).sum(axis=1).max() ** 2, 1e-300)
        self.scales = [size / max(np.abs(S).sum(axis=1).max(), 1e-300) for S in penalties]
        self.penalties, self.null = [scale * (S + S.T) / 2 for S, scale in zip(penalties, self.scales)], null

    def _own_columns(self, columns, inner):
        """Positions of the columns that are not spanned by the intercept and the inner terms: mgcv's `gam.side`."""
        X = columns.X[columns.sample]
        others = np.column_stack([np.ones(len(X)), *(term.design(X) for term in inner)])
        Q, design = np.linalg.qr(others)[0], self.design(X)
        R, order = qr(design - Q @ (Q.T @ design), mode="r", pivoting=True)
        size = np.abs(R[: len(order)])
        last = len(size)
        while last > 1 and size[last - 1 :, last - 1 :].mean() < _FOLLOWS * size[0, 0]:
            last -= 1
        return np.sort(order[:last])

    def _make_basis(self, columns):
        """The basis, and its tables with the keys of their codes."""
        term = self.term
        if term.kind == "tensor":
            keys = [columns.key((j,), k) for j, k in zip(self.places, term.k, strict=True)]
            bases = zip(term.basis, keys, term.k, strict=True)
            parts = [self._margin(columns.coded(key), basis, k) for basis, key, k in bases]
            self.basis = Tensor(parts)
            return [(key, part.design(columns.coded(key).values)) for key, part in zip(keys, parts, strict=True)]
        if term.basis == "re":
            self.basis = RandomEffect(self._n_levels(columns, self.places[0], term.features[0]))
        key = columns.key(self.places, term.k or 1)
        coded = columns.coded(key)
        if term.basis != "re":
            self.basis = smooth_basis(term.basis, coded, term.k, term.knots)
        return [(key, self.basis.design(coded.values))]

    def _margin(self, coded, basis, k):
        """One of the bases of a tensor product."""
        part = smooth_basis(basis, coded, k)
        if self.term.interaction:
            part = centred(part, coded.weight @ part.design(coded.values))
        return in_values(part, coded.distinct.min(), coded.distinct.max())

    def row_term(self, columns):
        """The columns of the term for the rows of `columns`, as codes and tables."""
        term = self.term
        if term.kind == "linear":
            row = RowTerm([], self.places[0])
            return row if self.level is None else self._of_level(row, columns)
        if term.kind == "factor":
            if self.levels > _FEW_LEVELS:
                return _indicators(columns.key(self.places, 1), self.levels, 1)
            return RowTerm([(columns.key(self.places, 1), np.eye(self.levels)[:, 1:])])
        if term.kind == "tensor":
            keys = [columns.key((j,), k) for j, k in zip(self.places, term.k, strict=True)]
            tables = zip(keys, self.basis.parts, strict=True)
            row = RowTerm([(key, part.design(columns.coded(key).values)) for key, part in tables], Z=self.Z)
        elif term.basis == "re" and self.level is None and self.width > _FEW_LEVELS:
            row = _indicators(columns.key(self.places, 1), self.width, 0)
        else:
            key = columns.key(self.places, term.k or 1)
            B = self.basis.design(columns.coded(key).values)
            row = RowTerm([(key, B if self.Z is None else B @ self.Z)])
        if self.level is not None:
            return self._of_level(row, columns)
        if self.by_place is not None:
            row.column = self.by_place
        return row

    def _of_level(self, row, columns):
        """The columns for the rows of this term's level; zeros for the others."""
        levels = len(columns.levels[self.by_place])
        row.parts.append((columns.key([self.by_place], 1), np.eye(levels)[:, [self.level]]))
        return row

    def _own(self, X):
        x = X[:, self.places]
        return x if self.term.kind == "tensor" or self.term.basis == "tp" else x[:, 0]

    def design(self, X):
        """The columns of the term for these rows."""
        if self.term.kind == "linear":
            x = X[:, self.places]
            return x if self.level is None else x * (X[:, [self.by_place]] == self.level)
        if self.term.kind == "factor":
            return (X[:, self.places] == np.arange(1, self.levels)).astype(np.float64)
        B = self.basis.design(self._own(X))
        if self.by_place is not None:
            z = X[:, self.by_place]
            B = B * (z if self.level is None else z == self.level)[:, None]
        return B if self.Z is None else B @ self.Z

    def add_values(self, X, beta, out):
        """Add the values of the term at these rows, with these coefficients, to `out`."""
        if not self.parametric and hasattr(self.basis, "curve"):
            curve = self.basis.curve(beta if self.Z is None else self.Z @ beta)
            if self.by_place is None:
                add_curve(curve, X, self.places[0], out)
            else:
                values, z = np.zeros(len(X)), X[:, self.by_place]
                add_curve(curve, X, self.places[0], values)
                out += values * (z if self.level is None else z == self.level)
            return
        for start in range(0, len(X), AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            out[rows] += self.design(X[rows]) @ beta


def _indicators(key, levels, first):
    """Columns of a factor with many levels, starting with level `first`."""
    return RowTerm([(key, np.ones((levels, 1)))], hot=first)


def check_numbers(places, columns, label):
    """Refuse a factor where numbers are needed."""
    for j in places:
        if j in columns.levels:
            raise ValueError(
                f"{label}: column {columns.names[j]!r} is a factor, because it holds text or categories or "
                "because another term uses it as one. To use a numeric column both ways, include it twice."
            )


def fit_terms(terms, columns):
    """Blocks of the model matrix after the intercept; a factor `by` creates one block per level.

    A factor among the linear terms has a coefficient for each level but the first, as in R.
    """
    wanted = []
    for term in terms:
        place = None if term.by is None else columns.place(term.by)
        if term.kind == "linear" and term.by is None and columns.place(term.features[0]) in columns.levels:
            wanted.append((replace(term, kind="factor"), None))
        elif place is not None and place in columns.levels:
            wanted += [(term, level) for level in range(len(columns.levels[place]))]
        else:
            wanted.append((term, None))
    fitted = [None] * len(wanted)
    for at in sorted(range(len(wanted)), key=lambda at: len(wanted[at][0].features)):
        term, level = wanted[at]
        fitted[at] = FittedTerm(term, columns, level, _inner_terms(term, level, fitted, columns))
    return fitted


def _inner_terms(term, level, fitted, columns):
    """Fitted smooth terms of a proper subset of a term's features, with the same `by`."""
    if term.interaction or term.kind not in ("smooth", "tensor") or term.basis == "re":
        return []
    places, by = {columns.place(f) for f in term.features}, None if term.by is None else columns.place(term.by)
    return [
        other
        for other in fitted
        if other is not None
        and not other.parametric
        and other.term.basis != "re"
        and set(other.places) < places
        and (other.by_place, other.level) == (by, level)
    ]


def model_rows(terms, columns):
    """The model matrix: the intercept, then the columns of each term."""
    rows = [RowTerm([]), *(term.row_term(columns) for term in terms)]
    return GamDesign(rows, columns.release(), columns.X)
