"""The model matrix of an additive model, held as codes and tables instead of rows."""

from dataclasses import dataclass

import numpy as np

from statlearn._core import native

from ._factor import BlockColumns
from ._loss import all_are


@dataclass
class RowTerm:
    """The columns of one term: products of rows of tables, chosen by codes, times a column of X.

    Parameters
    ----------
    parts : list of (object, ndarray)
        The key of a column of codes, and the table whose rows they choose.
    column : int, default=-1
        The column of X that multiplies; -1: none.
    Z : ndarray or None, default=None
        The columns are those of the products times this matrix.
    hot : int, default=-1
        Not below 0: the one table has a single column, and the columns of the term are the indicators of its rows from
        this one on. However many they are, a row costs one step.
    """

    parts: list
    column: int = -1
    Z: np.ndarray | None = None
    hot: int = -1

    @property
    def raw_width(self):
        if self.hot >= 0:
            return len(self.parts[0][1]) - self.hot
        return int(np.prod([table.shape[1] for _, table in self.parts], dtype=np.int64))

    @property
    def width(self):
        return self.raw_width if self.Z is None else self.Z.shape[1]


class GamDesign:
    """X'WX, X'v, X beta and x'Ax of a model matrix that is never made.

    Parameters
    ----------
    terms : list of RowTerm
    codes : dict
        Arrays of n codes by key; those in use are taken out.
    X : ndarray of shape (n, p)
    """

    def __init__(self, terms, codes, X):
        keys = list(dict.fromkeys(key for term in terms for key, _ in term.parts))
        largest = max((len(table) for term in terms for _, table in term.parts), default=1)
        self.codes = np.empty((len(X), len(keys)), code_type(largest), order="F")
        for place, key in enumerate(keys):
            self.codes[:, place] = codes.pop(key)  # so that they are held once
        self.tables = [np.ascontiguousarray(table) for term in terms for _, table in term.parts]
        spec = [(t, keys.index(key)) for t, term in enumerate(terms) for key, _ in term.parts]
        self.spec = np.array([(*pair, place) for place, pair in enumerate(spec)], np.int32).reshape(-1, 3)
        self.columns = np.array([(term.column, term.hot) for term in terms], np.int32).reshape(-1, 2)
        self.X, self.n = X, len(X)
        self.raw_width = sum(term.raw_width for term in terms)
        self.width = sum(term.width for term in terms)
        self.Z = _block_diagonal(terms) if any(term.Z is not None for term in terms) else None
        native.smooth.gam_check(*self._data)

    @property
    def _data(self):
        return self.codes, self.tables, self.spec, self.columns, self.X

    def gram(self, w):
        """X' diag(w) X: the same bits for any number of threads."""
        G = np.empty((self.raw_width, self.raw_width))
        w = np.empty(0) if all_are(1.0, w) else np.ascontiguousarray(w)
        native.smooth.gam_gram(*self._data, w, G)
        return G if self.Z is None else self.Z.around(G)

    def products(self, v):
        """X'v."""
        out = np.empty(self.raw_width)
        native.smooth.gam_products(*self._data, np.ascontiguousarray(v), out)
        return out if self.Z is None else self.Z.before(out)

    def values(self, beta):
        """X beta."""
        out = np.empty(self.n)
        beta = np.ascontiguousarray(beta if self.Z is None else self.Z.times(beta, self.raw_width))
        native.smooth.gam_values(*self._data, beta, out)
        return out

    def quadratic(self, A):
        """x'Ax of each row, for a symmetric A."""
        out = np.empty(self.n)
        A = np.ascontiguousarray(A if self.Z is None else self.Z.back(A, self.raw_width))
        native.smooth.gam_quadratic(*self._data, A, out)
        return out


def code_type(largest):
    """The smallest type of codes below `largest`."""
    return np.uint16 if largest <= 2**16 else np.uint32


def _block_diagonal(terms):
    blocks, row = [], 0
    for term in terms:
        width = term.raw_width
        blocks.append((slice(row, row + width), np.ones(width) if term.Z is None else term.Z))
        row += width
    return BlockColumns(blocks)
