"""The Dirichlet process: restaurant, sticks, and the number of clusters that it expects."""

import numpy as np
from scipy.special import digamma, polygamma
from sklearn.utils import check_random_state

from statlearn._core.params import Int, Real, check_arguments

_MAX_STICKS = 1_000_000


def chinese_restaurant(n, alpha=1.0, *, random_state=None):
    r"""Random partition of n rows by the Chinese restaurant process.

    The first guest sits at table 0. Guest i + 1 joins a table with :math:`n_k` guests with probability
    :math:`n_k/(i+\alpha)` and opens a new one with probability :math:`\alpha/(i+\alpha)`. This is how a
    Dirichlet-process mixture distributes rows over its components before it sees them.

    Parameters
    ----------
    n : int
        Number of guests.
    alpha : float, default=1.0
        Concentration. Large values give many tables.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    ndarray of int of shape (n,)
        Table of each guest, numbered by the order in which the tables are opened.

    See Also
    --------
    expected_tables : expected number of tables.
    stick_breaking : the weights of the same process.
    BayesianGaussianMixture : Dirichlet-process mixture of normal distributions.

    References
    ----------
    Aldous (1985), Exchangeability and related topics, École d'été de probabilités de Saint-Flour XIII.

    Examples
    --------
    >>> from statlearn.mixture import chinese_restaurant
    >>> tables = chinese_restaurant(10, alpha=1.0, random_state=0)
    >>> int(tables[0]), len(tables)
    (0, 10)
    """
    check_arguments(chinese_restaurant, n=(n, [Int(0, None)]), alpha=(alpha, [Real(0, None, closed="neither")]))
    rng = check_random_state(random_state)
    opens = rng.uniform(size=n) * (alpha + np.arange(n)) < alpha
    companions = np.floor(rng.uniform(size=n) * np.arange(n)).astype(np.intp)  # a uniform earlier guest
    opens[:1] = True
    tables = np.cumsum(opens) - 1
    for guest in np.flatnonzero(~opens).tolist():  # joining a uniform guest is joining a table in proportion
        tables[guest] = tables[companions[guest]]
    return tables


def expected_tables(n, alpha=1.0):
    r"""Mean and standard deviation of the number of tables of the Chinese restaurant process.

    .. math:: E[K_n] = \sum_{i=1}^{n} \frac{\alpha}{\alpha+i-1}
              = \alpha \big(\psi(\alpha+n) - \psi(\alpha)\big)

    It grows like :math:`\alpha \log n`: the number of components of a Dirichlet-process mixture has no limit, but
    grows slowly.

    Parameters
    ----------
    n : int or array-like of int
        Number of guests.
    alpha : float or array-like, default=1.0
        Concentration.

    Returns
    -------
    mean, std : float or ndarray

    Examples
    --------
    >>> from statlearn.mixture import expected_tables
    >>> for n in (10, 100):
    ...     print("{:.4f} {:.4f}".format(*expected_tables(n, alpha=1.0)))
    2.9290 1.1744
    5.1874 1.8848
    """
    n, alpha = np.asarray(n), np.asarray(alpha, dtype=np.float64)
    if n.dtype.kind not in "iu" or (n < 0).any():
        raise ValueError(f"`n` must hold integers of at least 0, got {n}.")
    if not (np.isfinite(alpha) & (alpha > 0)).all():
        raise ValueError(f"`alpha` must be positive and finite, got {alpha}.")
    mean = alpha * (digamma(alpha + n) - digamma(alpha))
    variance = mean + alpha**2 * (polygamma(1, alpha + n) - polygamma(1, alpha))
    std = np.sqrt(np.maximum(variance, 0.0))
    return (float(mean), float(std)) if mean.ndim == 0 else (mean, std)


def stick_breaking(alpha=1.0, *, n_sticks=None, tol=1e-8, random_state=None):
    r"""Random weights of a Dirichlet process by breaking a stick.

    Of what is left of a stick of length 1, the share :math:`v_k \sim \mathrm{Beta}(1, \alpha)` is broken off:
    :math:`w_k = v_k \prod_{j<k} (1 - v_j)`.

    Parameters
    ----------
    alpha : float, default=1.0
        Concentration. The k-th weight is :math:`\alpha^{k-1}/(1+\alpha)^k` on average.
    n_sticks : int or None, default=None
        Number of weights, the last of which is the rest, as in the truncated process of
        :class:`BayesianGaussianMixture`. None breaks until the rest is shorter than `tol`.
    tol : float, default=1e-8
        Length of the rest that may be left over if `n_sticks` is None.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    ndarray
        Weights in the order of breaking. They sum to 1, or to at least 1 - `tol`.

    References
    ----------
    Sethuraman (1994), A constructive definition of Dirichlet priors, Statistica Sinica 4.

    Examples
    --------
    >>> from statlearn.mixture import stick_breaking
    >>> weights = stick_breaking(alpha=2.0, n_sticks=5, random_state=0)
    >>> len(weights), round(float(weights.sum()), 12)
    (5, 1.0)
    """
    check_arguments(
        stick_breaking,
        alpha=(alpha, [Real(0, None, closed="neither")]),
        n_sticks=(n_sticks, [Int(1, _MAX_STICKS), None]),
        tol=(tol, [Real(0, 1, closed="neither")]),
    )
    rng = check_random_state(random_state)
    if n_sticks is not None:
        shares = np.append(rng.beta(1.0, alpha, size=n_sticks - 1), 1.0)
        return shares * np.append(1.0, np.cumprod(1.0 - shares[:-1]))
    block = int(np.ceil(alpha * -np.log(tol))) + 16  # the log of the rest falls by 1/alpha per break on average
    if block > _MAX_STICKS:
        raise ValueError(f"`alpha`={alpha} needs more than {_MAX_STICKS:,} weights; set `n_sticks` or a larger `tol`.")
    pieces, rest = [], 1.0
    while rest > tol:
        left = np.cumprod(1.0 - rng.beta(1.0, alpha, size=block))
        before = rest * np.append(1.0, left[:-1])
        after = rest * left
        stop = int(np.argmax(after <= tol)) + 1 if (after <= tol).any() else block
        pieces.append((before - after)[:stop])
        rest = after[stop - 1]
    return np.concatenate(pieces)
