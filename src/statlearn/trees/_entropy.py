"""Entropy and related quantities for contingency tables, label vectors and densities.

Logarithms are natural unless ``base`` is given. 0 log 0 is defined as 0.
"""

import math

import numpy as np

from statlearn._core.warnings import AmbiguousInputWarning, warn


def log_scale(base):
    """Divisor that converts natural logarithms to the given base."""
    if base is None:
        return 1.0
    if not (isinstance(base, (int, float)) and base > 0 and base != 1):
        raise ValueError(f"`base` must be None or a positive number other than 1, got {base!r}.")
    return math.log(base)


def check_masses(values, name, ndim=1):
    """Check that values are finite, non-negative, not all zero and of the given dimension."""
    try:
        values = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must contain probabilities or counts. To use labels, pass `labels=` to `entropy` or `impurity`, "
            "or two label vectors to the other functions."
        ) from None
    if values.ndim != ndim or values.size == 0:
        raise ValueError(f"{name} must have {ndim} dimension{'s' if ndim > 1 else ''} and at least one entry.")
    if not np.isfinite(values).all() or (values < 0).any() or not (values > 0).any():
        raise ValueError(f"{name} must contain finite, non-negative values with a positive sum.")
    return values


def warn_of_labels(values, name="p"):
    """Warn if a vector of counts looks like labels: numbers in text, truth values, or four or more zeros and ones.

    Zeros and a single one are probabilities, and a short vector may well be the counts of a few rows.
    """
    counts = np.asarray(values)
    if counts.ndim != 1 or counts.size == 0:
        return
    if counts.dtype.kind not in "iuf" or (counts >= 0).all():
        check_masses(counts, name)
    if counts.dtype.kind in "US" or (counts.dtype.kind == "O" and any(isinstance(v, str) for v in counts)):
        what = "text"
    elif counts.dtype.kind == "b" or (
        counts.dtype.kind in "iuf" and np.isin(counts, (-1, 1)).all() and counts.min() < 0
    ):
        what = "True and False" if counts.dtype.kind == "b" else "only -1 and 1"
    elif (
        counts.dtype.kind in "iuf"
        and len(counts) > 3
        and counts.sum() > 1
        and np.isin(counts, (0, 1)).all()
        and (counts == 0).any()
    ):
        what = "only 0 and 1"
    else:
        return
    if counts.dtype.kind in "if" and counts.min() < 0:
        raise ValueError(f"`{name}` contains {what}, but counts must not be negative; use `labels=` for labels.")
    warn(
        f"`{name}` contains {what}, which is read as counts or probabilities, one per class. Use `labels=` for labels, "
        "one per row.",
        AmbiguousInputWarning,
    )


def _warn_of_sum(values, name):
    """Warn if fractions, which are not counts, do not sum to 1."""
    total = values.sum()
    if abs(total - 1.0) > 1e-6 and (values != np.floor(values)).any():
        warn(
            f"`{name}` contains fractions that sum to {total:.6g}; they are divided by their sum. Pass probabilities "
            "that sum to 1, or counts.",
            AmbiguousInputWarning,
        )


def _xlogx(p):
    return p * np.log(np.where(p > 0, p, 1.0))


def entropy_of_shares(p):
    """Entropy in nats of probabilities along the last axis."""
    return np.maximum(-_xlogx(p).sum(axis=-1), 0.0)


def _codes(labels, name):
    labels = np.asarray(labels)
    if labels.ndim != 1 or labels.size == 0:
        raise ValueError(f"{name} must be a one-dimensional array with at least one label.")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError(f"{name} must not contain NaN or infinity.")
    return np.unique(labels, return_inverse=True)


def label_weights(sample_weight, n):
    if sample_weight is None:
        return np.ones(n)
    weights = check_masses(sample_weight, "sample_weight")
    if len(weights) != n:
        raise ValueError(f"`sample_weight` has {len(weights)} entries, but there are {n} labels.")
    return weights


def label_counts(labels, sample_weight=None):
    """Weights of the distinct labels."""
    _, codes = _codes(labels, "labels")
    return np.bincount(codes, label_weights(sample_weight, len(codes)))


def joint_table(x, y, sample_weight=None):
    """Joint table of two label vectors, or the given table if y is None, and the labels of its columns."""
    if y is None:
        table = check_masses(x, "the joint table", ndim=2)
        return table, np.arange(table.shape[1])
    rows, i = _codes(x, "x")
    columns, j = _codes(y, "y")
    if len(i) != len(j):
        raise ValueError(f"`x` and `y` must have the same length, got {len(i)} and {len(j)} labels.")
    counts = np.bincount(i * len(columns) + j, label_weights(sample_weight, len(i)), len(rows) * len(columns))
    return check_masses(counts.reshape(len(rows), -1), "the joint table", ndim=2), columns


def self_information(p, *, base=None):
    """Self-information (surprisal) -log p of an event.

    Parameters
    ----------
    p : float or array-like
        Probabilities. The self-information of 0 is infinite.
    base : float or None, default=None
        Base of the logarithm, 2 for bits. None uses natural logarithms.

    Returns
    -------
    float or ndarray

    References
    ----------
    Shannon, C. E. (1948). A mathematical theory of communication. *Bell System Technical Journal* 27, 379-423.

    Examples
    --------
    >>> from statlearn.trees import self_information
    >>> self_information(0.25, base=2)
    2.0
    """
    p = np.asarray(p, dtype=np.float64)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("`p` must contain probabilities between 0 and 1.")
    with np.errstate(divide="ignore"):
        surprise = -np.log(p) / log_scale(base) + 0.0
    return float(surprise) if p.ndim == 0 else surprise


def entropy(p=None, *, labels=None, sample_weight=None, base=None):
    r"""Shannon entropy in nats of probabilities or counts, one per class, or of `labels`, one per row.

    .. math:: H = -\sum_k p_k \log p_k

    A vector without a name is probabilities or counts: ``entropy([1, 1, 2])`` has three classes, and
    ``entropy(labels=[1, 1, 2])`` two. ``base=2`` gives bits, the unit of :func:`information_gain`.

    Parameters
    ----------
    p : array-like of shape (k,) or None, default=None
        Probabilities or counts, normalised to sum to 1.
    labels : array-like of shape (n,) or None, default=None
        Labels whose frequencies to use instead of `p`.
    sample_weight : array-like of shape (n,) or None, default=None
        Weights of the labels.
    base : float or None, default=None
        Base of the logarithm, 2 for bits. None uses natural logarithms.

    Returns
    -------
    float
        Between 0 (a single label) and log k (all labels equally frequent).

    Notes
    -----
    The plug-in estimate from n labels is biased downwards, by about (k - 1) / (2 n) nats.

    References
    ----------
    Shannon, C. E. (1948). A mathematical theory of communication. *Bell System Technical Journal* 27, 379-423.

    Examples
    --------
    >>> from statlearn.trees import entropy
    >>> round(entropy([2, 3, 4], base=2), 7)
    1.5304931
    >>> entropy(labels=["a", "b", "a", "b"], base=2)
    1.0
    """
    if (p is None) == (labels is None):
        raise ValueError("Pass exactly one of `p` and `labels`.")
    if labels is not None:
        p = label_counts(labels, sample_weight)
    else:
        warn_of_labels(p)
    p = check_masses(p, "p")
    return float(entropy_of_shares(p / p.sum()) / log_scale(base))


def differential_entropy(
    distribution, *, scale=1.0, cov=None, mean=1.0, low=0.0, high=1.0, support=(-np.inf, np.inf), base=None
):
    r"""Differential entropy of a density, :math:`-\int f \log f`.

    Parameters
    ----------
    distribution : {"normal", "exponential", "uniform"}, distribution of scipy.stats or callable
        Name of a distribution, one with its parameters such as ``scipy.stats.norm(0, 2)``, or a density f(x) that is
        integrated numerically over `support`.
    scale : float, default=1.0
        Standard deviation of the normal distribution.
    cov : array-like of shape (d, d) or None, default=None
        Covariance matrix of a d-dimensional normal distribution, instead of `scale`.
    mean : float, default=1.0
        Mean of the exponential distribution.
    low, high : float, default=0.0 and 1.0
        Bounds of the uniform distribution.
    support : (float, float), default=(-inf, inf)
        Interval on which the density is positive.
    base : float or None, default=None
        Base of the logarithm. None uses natural logarithms.

    Returns
    -------
    float
        The differential entropy. Unlike the entropy of a discrete variable it may be negative, and it depends on the
        unit of measurement.

    References
    ----------
    Cover, T. M. and Thomas, J. A. (2006). *Elements of Information Theory*, 2nd ed., chapter 8.

    Examples
    --------
    >>> from statlearn.trees import differential_entropy
    >>> round(differential_entropy("normal"), 7), differential_entropy("exponential")
    (1.4189385, 1.0)
    """
    if hasattr(distribution, "pdf") and not callable(distribution):
        nats = float(distribution.entropy())
    elif callable(distribution):
        nats = _integrated_entropy(distribution, support)
    elif distribution == "normal" and cov is not None:
        cov = np.asarray(cov, dtype=np.float64)
        if cov.ndim != 2 or cov.shape[0] != cov.shape[1] or not np.allclose(cov, cov.T):
            raise ValueError("`cov` must be a symmetric matrix.")
        eigenvalues = np.linalg.eigvalsh(cov)
        if eigenvalues[0] <= 0:
            raise ValueError("`cov` must be positive definite.")
        nats = 0.5 * (len(cov) * (1.0 + math.log(2.0 * math.pi)) + np.log(eigenvalues).sum())
    elif distribution == "normal":
        nats = 0.5 + math.log(math.sqrt(2.0 * math.pi) * _positive("scale", scale))
    elif distribution == "exponential":
        nats = 1.0 + math.log(_positive("mean", mean))
    elif distribution == "uniform":
        nats = math.log(_positive("high - low", high - low))
    else:
        raise ValueError(
            f"`distribution` must be 'normal', 'exponential', 'uniform' or a callable density, got {distribution!r}."
        )
    return float(nats / log_scale(base))


def _positive(name, value):
    if not value > 0:
        raise ValueError(f"`{name}` must be positive, got {value!r}.")
    return value


def _integrated_entropy(density, support):
    from scipy.integrate import quad

    low, high = support
    total, _ = quad(density, low, high, limit=200)
    if not abs(total - 1.0) < 1e-4:
        raise ValueError(
            f"`distribution` must integrate to 1 over `support`={support}, but its integral is {total:.6g}."
        )

    def integrand(x):
        f = density(x)
        return -f * math.log(f) if f > 0 else 0.0

    return quad(integrand, low, high, limit=200)[0]


def cross_entropy(p, q, *, base=None):
    """Cross-entropy in nats of q relative to p, the sum of -p log q over probabilities or counts, one per class.

    ``base=2`` gives bits. The cross-entropy is the entropy of p plus :func:`kl_divergence`.

    Parameters
    ----------
    p, q : array-like of shape (k,)
        Probabilities or counts, one per class. Both are divided by their sums, with a warning if fractions do not sum
        to 1.
    base : float or None, default=None
        Base of the logarithm. None uses natural logarithms.

    Returns
    -------
    float
        Infinite if q is 0 for any outcome where p is positive.

    References
    ----------
    Cover, T. M. and Thomas, J. A. (2006). *Elements of Information Theory*, 2nd ed., chapter 2.

    Examples
    --------
    >>> from statlearn.trees import cross_entropy
    >>> cross_entropy([1, 1], [1, 3], base=2).__round__(7)
    1.2075187
    """
    p, q = _shares(p, q)
    if np.any((q == 0) & (p > 0)):
        return math.inf
    return float(-np.sum(p * np.log(np.where(q > 0, q, 1.0))) / log_scale(base))


def kl_divergence(p, q, *, base=None):
    """Kullback-Leibler divergence D(p || q) in nats, the sum of p log(p / q) over probabilities or counts.

    Equals :func:`cross_entropy` minus the :func:`entropy` of p. ``base=2`` gives bits.

    Parameters
    ----------
    p, q : array-like of shape (k,)
        Probabilities or counts, one per class. Both are divided by their sums, with a warning if fractions do not sum
        to 1.
    base : float or None, default=None
        Base of the logarithm. None uses natural logarithms.

    Returns
    -------
    float
        Non-negative, and 0 only if the distributions are equal. Infinite if q is 0 for any outcome where p is
        positive. Not symmetric.

    References
    ----------
    Kullback, S. and Leibler, R. A. (1951). On information and sufficiency. *Annals of Mathematical Statistics* 22,
    79-86.

    Examples
    --------
    >>> from statlearn.trees import kl_divergence
    >>> kl_divergence([1, 1], [1, 3], base=2).__round__(7), kl_divergence([1, 1], [1, 0])
    (0.2075187, inf)
    """
    p, q = _shares(p, q)
    return max(log_sum_inequality_gap(p, q, base=base), 0.0)


def log_sum_inequality_gap(p, q, *, base=None):
    r"""Gap in the log-sum inequality, for vectors that need not sum to 1.

    .. math:: \sum_k p_k \log \frac{p_k}{q_k} - \Bigl(\sum_k p_k\Bigr) \log \frac{\sum_k p_k}{\sum_k q_k}

    Parameters
    ----------
    p, q : array-like of shape (k,)
        Non-negative numbers.
    base : float or None, default=None
        Base of the logarithm. None uses natural logarithms.

    Returns
    -------
    float
        Non-negative up to rounding, and 0 if p and q are proportional. Infinite if q is 0 for any entry where p is
        positive.

    References
    ----------
    Cover, T. M. and Thomas, J. A. (2006). *Elements of Information Theory*, 2nd ed., section 2.7.

    Examples
    --------
    >>> from statlearn.trees import log_sum_inequality_gap
    >>> log_sum_inequality_gap([1, 2], [2, 4])
    0.0
    """
    p, q = _pair(p, q)
    if np.any((q == 0) & (p > 0)):
        return math.inf
    used = p > 0
    terms = p[used] * np.log(p[used] / q[used])
    return float((terms.sum() - p.sum() * math.log(p.sum() / q.sum())) / log_scale(base))


def _pair(p, q):
    p, q = check_masses(p, "p"), check_masses(q, "q")
    if p.shape != q.shape:
        raise ValueError(f"`p` and `q` must have the same length, got {len(p)} and {len(q)} entries.")
    return p, q


def _shares(p, q):
    """Both vectors divided by their sums."""
    p, q = _pair(p, q)
    _warn_of_sum(p, "p")
    _warn_of_sum(q, "q")
    return p / p.sum(), q / q.sum()


def joint_entropy(x, y=None, *, base=None):
    """Joint entropy H(X, Y) in nats of two vectors of labels, one per row, or of one joint table of counts.

    ``base=2`` gives bits. :func:`entropy` reads a vector as counts.

    Parameters
    ----------
    x : array-like of shape (n,) or (r, c)
        Labels or, if `y` is None, the joint table of probabilities or counts.
    y : array-like of shape (n,) or None, default=None
        Labels of the second variable.
    base : float or None, default=None
        Base of the logarithm. None uses natural logarithms.

    Returns
    -------
    float

    References
    ----------
    Cover, T. M. and Thomas, J. A. (2006). *Elements of Information Theory*, 2nd ed., chapter 2.

    Examples
    --------
    >>> from statlearn.trees import joint_entropy
    >>> joint_entropy([[1, 1], [1, 1]], base=2)
    2.0
    """
    table, _ = joint_table(x, y)
    return float(entropy_of_shares(table.ravel() / table.sum()) / log_scale(base))


def conditional_entropy(x, y=None, *, given=None, base=None):
    """Conditional entropy H(X | Y), or H(X | Y = given), in nats, of two vectors of labels or one joint table.

    ``base=2`` gives bits. :func:`entropy` reads a vector as counts.

    Parameters
    ----------
    x : array-like of shape (n,) or (r, c)
        Labels or, if `y` is None, the joint table of probabilities or counts with X in the rows and Y in the columns.
    y : array-like of shape (n,) or None, default=None
        Labels of the conditioning variable.
    given : label or None, default=None
        Value of Y to condition on (a column index if `x` is a table). None averages over all values.
    base : float or None, default=None
        Base of the logarithm. None uses natural logarithms.

    Returns
    -------
    float
        H(X | Y) is at most H(X), but H(X | Y = given) may be larger.

    References
    ----------
    Cover, T. M. and Thomas, J. A. (2006). *Elements of Information Theory*, 2nd ed., chapter 2.

    Examples
    --------
    >>> from statlearn.trees import conditional_entropy
    >>> conditional_entropy([0, 0, 1, 1], ["a", "a", "b", "b"])
    0.0
    >>> conditional_entropy([0, 1, 0], [5, 5, 6], given=5, base=2)
    1.0
    """
    table, columns = joint_table(x, y)
    if given is None:
        totals = table.sum(axis=0)
        shares = table.T / np.where(totals > 0, totals, 1.0)[:, None]
        return float(totals @ entropy_of_shares(shares) / totals.sum() / log_scale(base))
    place = np.flatnonzero(columns == given)
    if len(place) == 0 or table[:, place[0]].sum() == 0:
        raise ValueError(f"`given`={given!r} does not occur in the conditioning variable.")
    column = table[:, place[0]]
    return float(entropy_of_shares(column / column.sum()) / log_scale(base))


def mutual_information(x, y=None, *, sample_weight=None, base=None):
    """Mutual information H(X) + H(Y) - H(X, Y) in nats of two vectors of labels, one per row, or of one joint table.

    The same number as :func:`information_gain`, which is in bits: both agree for the same `base`. Equals the
    Kullback-Leibler divergence of the joint distribution from independence.

    Parameters
    ----------
    x : array-like of shape (n,) or (r, c)
        Labels or, if `y` is None, the joint table of probabilities or counts.
    y : array-like of shape (n,) or None, default=None
        Labels of the second variable.
    sample_weight : array-like of shape (n,) or None, default=None
        Weights of the labels.
    base : float or None, default=None
        Base of the logarithm. None uses natural logarithms, as :func:`sklearn.metrics.mutual_info_score` does.

    Returns
    -------
    float
        Non-negative, and 0 only if the variables are independent.

    References
    ----------
    Cover, T. M. and Thomas, J. A. (2006). *Elements of Information Theory*, 2nd ed., chapter 2.

    Examples
    --------
    >>> from statlearn.trees import mutual_information
    >>> mutual_information([0, 0, 1, 1], ["a", "a", "b", "b"], base=2)
    1.0
    """
    table, _ = joint_table(x, y, sample_weight)
    table = table / table.sum()
    nats = (
        entropy_of_shares(table.sum(axis=0)) + entropy_of_shares(table.sum(axis=1)) - entropy_of_shares(table.ravel())
    )
    return max(float(nats / log_scale(base)), 0.0)
