"""Mechanisms by which values go missing, and an estimate that knows the mechanism."""

import numpy as np
from scipy.special import xlogy
from sklearn.utils import check_random_state

from statlearn._core.frames import missing
from statlearn._core.params import Options, check_arguments


def missing_mask(X, mechanism="mcar", *, rate=0.1, columns=None, driver=None, probability=None, random_state=None):
    """Random mask of missing values under a given mechanism.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers; they decide which values are lost, except under "mcar".
    mechanism : {"mcar", "mar", "mnar"}, default="mcar"
        "mcar": every value is lost with the same probability. "mar": the probability depends on the `driver` column,
        which stays observed. "mnar" (non-ignorable): it depends on the value itself.
    rate : float, default=0.1
        Mean share of missing values in each affected column.
    columns : list of int or None, default=None
        Affected columns; None means all (for "mar", all but the driver).
    driver : int, default=None
        Column that decides under "mar"; None means the first.
    probability : callable or None, default=None
        Probability of losing a value as a function of the deciding values (an array). By default it is a logistic
        function of their ranks, so that large values are lost more often, with the mean `rate`.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    ndarray of bool of shape (n_samples, n_features)
        True where a value is missing.

    Notes
    -----
    Under "mcar", dropping incomplete rows leaves estimates consistent. Under "mar", likelihood methods that use all
    observed values remain consistent. Under "mnar", neither does, unless the mechanism is modelled.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.bayes import missing_mask
    >>> X = np.arange(2000.0).reshape(1000, 2)
    >>> mask = missing_mask(X, "mnar", rate=0.3, random_state=0)
    >>> bool(X[mask].mean() > X[~mask].mean())
    True
    """
    check_arguments(missing_mask, mechanism=(mechanism, [Options("mcar", "mar", "mnar")]))
    X = np.asarray(X, dtype=np.float64) if mechanism != "mcar" else np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"`X` must have two dimensions, got shape {X.shape}.")
    if not 0 <= rate <= 1:
        raise ValueError(f"`rate` must be between 0 and 1, got {rate!r}.")
    rng = check_random_state(random_state)
    n, p = X.shape
    driver = 0 if driver is None else driver
    if columns is None:
        columns = [j for j in range(p) if mechanism != "mar" or j != driver]
    for name, place in [("columns", j) for j in columns] + [("driver", driver)]:
        if not isinstance(place, (int, np.integer)) or not 0 <= place < p:
            raise ValueError(f"`{name}` must contain positions from 0 to {p - 1}, got {place!r}.")
    if mechanism == "mar" and driver in columns:
        raise ValueError("`columns` contains the `driver`, which must stay observed under 'mar'.")
    mask = np.zeros((n, p), dtype=bool)
    for j in columns:
        if mechanism == "mcar":
            chance = np.full(n, rate)
        else:
            deciding = X[:, driver] if mechanism == "mar" else X[:, j]
            chance = _by_rank(deciding, rate) if probability is None else np.asarray(probability(deciding), float)
            if chance.shape != (n,) or np.any(chance < 0) or np.any(chance > 1):
                raise ValueError("`probability` must return one number between 0 and 1 for each row.")
        mask[:, j] = rng.uniform(size=n) < chance
    return mask


def _by_rank(values, rate):
    """Logistic function of the ranks with mean `rate`, by bisection of its offset."""
    if rate in (0, 1) or len(values) == 0:
        return np.full(len(values), float(rate))
    place = np.unique(values, return_inverse=True)[1].astype(float)
    score = 4.0 * (place / max(place.max(), 1.0) - 0.5)
    low, high = -60.0, 60.0
    for _ in range(100):
        middle = (low + high) / 2
        if np.mean(1 / (1 + np.exp(-(score + middle)))) < rate:
            low = middle
        else:
            high = middle
    return 1 / (1 + np.exp(-(score + low)))


class KnownMechanismMLE:
    r"""Category probabilities from incomplete data with a known, possibly non-ignorable, missingness mechanism.

    A value of category k is observed with probability :math:`\theta_k (1 - m_k)` and missing with probability
    :math:`\sum_k \theta_k m_k`, where :math:`m_k = P(\text{missing} \mid k)` is known. Maximises the log-likelihood
    :math:`\sum_k n_k \log(\theta_k (1 - m_k)) + n_? \log \sum_k \theta_k m_k` by EM.

    Parameters
    ----------
    missing_probability : array-like of shape (n_categories,)
        Probability that a value of each category is missing.
    categories : list or None, default=None
        Names of the categories; None means 0, 1, 2, ...
    tol : float, default=1e-12
        Stops when no probability changes by more than this in one step.
    max_iter : int, default=10000

    Attributes
    ----------
    probabilities_ : ndarray of shape (n_categories,)
    naive_probabilities_ : ndarray of shape (n_categories,)
        Relative frequencies of the observed values, which ignore the mechanism.
    log_likelihood_ : float
    n_iter_ : int

    Notes
    -----
    Dropping the missing values is consistent only if all :math:`m_k` are equal.

    Examples
    --------
    >>> from statlearn.bayes import KnownMechanismMLE
    >>> model = KnownMechanismMLE([0.5, 0.0]).fit_counts([30, 60], n_missing=30)
    >>> model.probabilities_.round(6).tolist(), model.naive_probabilities_.round(3).tolist()
    ([0.5, 0.5], [0.333, 0.667])
    """

    def __init__(self, missing_probability, *, categories=None, tol=1e-12, max_iter=10_000):
        self.missing_probability = missing_probability
        self.categories = categories
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, values, sample_weight=None):
        """Estimate from values; NaN or None marks missing ones."""
        values = np.asarray(values, dtype=object).ravel()
        lost = missing(values)
        names = self.categories
        names = list(range(len(self._mechanism()))) if names is None else list(names)
        place = {name: k for k, name in enumerate(names)}
        weights = np.ones(len(values)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if weights.shape != values.shape or np.any(weights < 0):
            raise ValueError("`sample_weight` must have one non-negative entry per value.")
        unknown = [v for v, gone in zip(values, lost) if not gone and v not in place]
        if unknown:
            raise ValueError(f"`values` contains {unknown[0]!r}, which is not one of the categories {names}.")
        codes = np.array([place[v] for v, gone in zip(values, lost) if not gone], dtype=np.intp)
        counts = np.bincount(codes, weights[~lost], minlength=len(names))
        return self.fit_counts(counts, n_missing=float(weights[lost].sum()))

    def _mechanism(self):
        m = np.asarray(self.missing_probability, dtype=np.float64)
        if m.ndim != 1 or np.any(m < 0) or np.any(m > 1) or np.any(np.isnan(m)):
            raise ValueError("`missing_probability` must contain one probability for each category.")
        return m

    def fit_counts(self, counts, n_missing):
        """Estimate from counts of the observed categories and the number of missing values."""
        m = self._mechanism()
        counts = np.asarray(counts, dtype=np.float64)
        if counts.shape != m.shape or np.any(counts < 0) or n_missing < 0 or counts.sum() + n_missing <= 0:
            raise ValueError("`counts` must have one non-negative entry per category, and some data must be present.")
        if np.any((counts > 0) & (m == 1)):
            raise ValueError("`counts`: a category that is always missing was observed.")
        if n_missing > 0 and not np.any(m > 0):
            raise ValueError("`n_missing` is positive, but `missing_probability` is 0 for every category.")
        total = counts.sum() + n_missing
        theta = np.full(len(m), 1.0 / len(m))
        self.n_iter_ = 0
        while self.n_iter_ < self.max_iter:
            self.n_iter_ += 1
            hidden = theta * m
            new = (counts + (n_missing * hidden / hidden.sum() if n_missing > 0 else 0.0)) / total
            change = np.max(np.abs(new - theta))
            theta = new
            if change <= self.tol:
                break
        self.probabilities_ = theta
        seen = counts.sum()
        self.naive_probabilities_ = counts / seen if seen > 0 else np.full(len(m), np.nan)
        observed = xlogy(counts, theta * (1 - m)).sum()
        self.log_likelihood_ = float(observed + xlogy(n_missing, np.sum(theta * m)))
        return self
