"""Terms of an additive model, as written by the user."""

from dataclasses import dataclass, field, replace
from math import comb, prod

import numpy as np

from statlearn._math.formulas.limits import MAX_BASIS, MAX_TENSOR, over
from statlearn.smooth.splines._low_rank_plate import thin_plate_order


@dataclass(frozen=True)
class Term:
    """One term of the linear predictor; created by `s`, `s2`, `te`, `ti`, `re`, `lin`, `factor` and `offset`.

    Parameters
    ----------
    kind : {"smooth", "tensor", "linear", "factor", "offset"}
    features : tuple of int or str
        Columns of X, or functions of them: ``"log(x)"``.
    k : int or tuple of int
        Number of basis functions, before the identifiability constraint.
    basis : str or tuple of str
    lam : float, sequence of float or None
        Fixed smoothing parameters; None estimates them.
    select : bool
        Also penalise the linear part, so that the whole term can be shrunk to zero.
    knots : ndarray or None
    by : int, str or None
        Multiply the term by this column, or repeat it for each level of a factor.
    interaction : bool
        For a tensor product, exclude functions of fewer than all features.
    """

    kind: str
    features: tuple
    k: object = None
    basis: object = None
    lam: object = None
    select: bool = False
    knots: object = field(default=None, compare=False)
    by: object = None
    interaction: bool = False


def s(feature, k=10, *, basis="cr", lam=None, select=False, knots=None, by=None):
    """A smooth function of one feature.

    Parameters
    ----------
    feature : int or str
    k : int, default=10
        Number of basis functions: an upper limit of the degrees of freedom, not their value.
    basis : {"cr", "ps", "cc", "tp"}, default="cr"
        Basis: natural cubic spline with k knots at quantiles and penalty ∫f''²; P-spline (cubic B-splines on k - 4
        equal intervals, second-difference penalty); cyclic cubic spline with k knots, the last of which coincides with
        the first; thin-plate spline. They are the same as mgcv's ``s(x, k = k, bs = basis)``.
    lam : float or None, default=None
        Fixed smoothing parameter; None estimates it with the others.
    select : bool, default=False
        Also penalise the linear part, so that the term can vanish.
    knots : array-like or None, default=None
        Knots for "cr" and "cc" instead of quantiles.
    by : int, str or None, default=None
        Multiply the function by this feature (varying coefficient); for a factor, one function per level.

    Returns
    -------
    Term

    Examples
    --------
    >>> from statlearn.smooth import s
    >>> s(0, k=20).k
    20
    """
    if not isinstance(k, (int, np.integer)):
        raise ValueError(
            f"s({feature!r}): `k` must be an integer, got {k!r}; for functions of several features use s2 or te."
        )
    _check_size("s", k)
    if np.size(knots) > MAX_BASIS:
        raise ValueError(f"s({feature!r}): {np.size(knots):,} `knots` exceed {over('MAX_BASIS')}.")
    return Term("smooth", (feature,), k, basis, lam, select, knots, by)


def s2(first, second, *more, k=30, lam=None, select=False, by=None):
    """A smooth function of two or more features on the same scale: a low-rank thin-plate spline.

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
    _check_size("s2", k)
    d = 2 + len(more)
    if comb(thin_plate_order(d) - 1 + d, d) > MAX_BASIS:
        raise ValueError(f"s2: a thin-plate spline of {d} features has polynomials beyond {over('MAX_BASIS')}; use te.")
    return Term("smooth", (first, second, *more), k, "tp", lam, select, None, by)


def _check_size(name, k):
    """Raise an error unless `k` is a number of functions within the limit."""
    if not isinstance(k, (int, np.integer)):
        raise ValueError(f"{name}: `k` must be an integer, got {k!r}.")
    if k > MAX_BASIS:
        raise ValueError(f"{name}: `k`={k} exceeds {over('MAX_BASIS')}.")


def te(*features, k=5, basis="cr", lam=None, select=False, by=None):
    """A smooth function of several features on different scales: a tensor product with one penalty per feature.

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
    if len(features) < 2:
        raise ValueError("te requires at least two features; use s for one.")
    return _tensor("te", features, k, basis, lam, select, by)


def ti(*features, k=5, basis="cr", lam=None, select=False, by=None):
    """Interaction of several features without their lower-order effects: a tensor product without main effects.

    ``s(x) + s(z) + ti(x, z)`` decomposes a surface into main effects and interaction, with a test for each.

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
    >>> from statlearn.smooth import ti
    >>> ti("x", "z").interaction
    True
    """
    if not features:
        raise ValueError("ti requires at least one feature.")
    return _tensor("ti", features, k, basis, lam, select, by)


def _tensor(name, features, k, basis, lam, select, by):
    d = len(features)
    ks = (k,) * d if np.isscalar(k) or k is None else tuple(k)
    for each in ks:
        _check_size(name, each)
    ks = tuple(map(int, ks))
    bases = (basis,) * d if np.isscalar(basis) or basis is None else tuple(basis)
    if len(ks) != d or len(bases) != d:
        raise ValueError(f"{name}: `k` and `basis` must be a single value or {d} values, one per feature.")
    if prod(ks) > MAX_TENSOR:
        raise ValueError(f"{name}: `k`={ks} makes {prod(ks):,} functions, which exceeds {over('MAX_TENSOR')}.")
    return Term("tensor", tuple(features), ks, bases, lam, select, None, by, interaction=name == "ti")


def re(feature, *, lam=None, by=None):
    """A random effect: one coefficient per level of a factor, normally distributed.

    Parameters
    ----------
    feature : int or str
    lam : float or None, default=None
    by : int, str or None, default=None
        A numeric feature, for random slopes.

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


def lin(feature, *, by=None):
    """A linear term: one unpenalised coefficient for a feature.

    Parameters
    ----------
    feature : int or str
    by : int, str or None, default=None
        Multiply by this feature; for a factor, one slope per level.

    Returns
    -------
    Term

    Examples
    --------
    >>> from statlearn.smooth import lin
    >>> lin(2).kind
    'linear'
    """
    return Term("linear", (feature,), by=by)


def factor(feature):
    """A factor: one coefficient for each level except the first.

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


def offset(feature, transform=None):
    """An offset: a feature added to the linear predictor without a coefficient.

    Parameters
    ----------
    feature : int or str
    transform : {"log", "sqrt"} or None, default=None
        Function of the feature to add.

    Returns
    -------
    Term

    Examples
    --------
    >>> from statlearn.smooth import offset
    >>> offset("exposure", "log").kind
    'offset'
    """
    if transform not in (None, "log", "sqrt"):
        raise ValueError(f"offset: `transform` must be None, 'log' or 'sqrt', got {transform!r}.")
    return Term("offset", (feature,), basis=transform)


def by(term, feature):
    """The term multiplied by a numeric feature, or repeated for each level of a factor.

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
