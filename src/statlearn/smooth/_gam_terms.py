"""The terms of an additive model, as a user writes them."""

from dataclasses import dataclass, field, replace

import numpy as np


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
