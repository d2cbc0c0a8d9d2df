"""Bootstrap distribution of a statistic, with confidence intervals."""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtri
from sklearn.utils import indexable

from statlearn._core.frames import n_rows, take_rows
from statlearn._core.params import Int, Options, Real, check_arguments

from ._bootstrap import _bca_levels, generator
from ._bootstrap_error import resampled_rows
from ._folds import run

_JACKKNIFE_GROUPS = 500  # more rows than this are left out in groups, not one by one


@dataclass
class BootstrapDistribution:
    """Bootstrap distribution of a statistic.

    Parameters
    ----------
    estimate : ndarray
        Statistic of all rows, of shape () or (k,).
    draws : ndarray of shape (n_resamples,) or (n_resamples, k)
    left_out : ndarray or None
        Jackknife values, for BCa intervals.
    student : ndarray or None
        (draw - estimate) / standard error of the draw, for studentised intervals.
    """

    estimate: np.ndarray
    draws: np.ndarray = field(repr=False)
    left_out: np.ndarray | None = field(default=None, repr=False)
    student: np.ndarray | None = field(default=None, repr=False)

    @property
    def std_error(self):
        """Standard deviation of the draws."""
        return self.draws.std(axis=0, ddof=1)

    @property
    def bias(self):
        """Mean of the draws minus the estimate."""
        return self.draws.mean(axis=0) - self.estimate

    def interval(self, confidence=0.95, method="bca"):
        """Lower and upper confidence limits.

        Parameters
        ----------
        confidence : float, default=0.95
        method : {"bca", "percentile", "basic", "normal", "studentized"}, default="bca"
            "bca" uses quantiles of the draws corrected for bias and acceleration, "percentile" the plain quantiles, and
            "basic" the quantiles reflected about the estimate. "normal" is the bias-corrected estimate ± z standard
            errors, and "studentized" uses quantiles of the studentised draws times the standard error.

        Returns
        -------
        tuple of ndarray
        """
        check_arguments(
            "interval", confidence=(confidence, [Real(0, 1, closed="neither")]),
            method=(method, [Options("bca", "percentile", "basic", "normal", "studentized")]),
        )  # fmt: skip
        tails = np.array([0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence])
        if method == "percentile":
            low, high = np.quantile(self.draws, tails, axis=0)
        elif method == "basic":
            high, low = 2.0 * self.estimate - np.quantile(self.draws, tails, axis=0)
        elif method == "normal":
            low, high = (self.estimate - self.bias + ndtri(t) * self.std_error for t in tails)
        elif method == "studentized":
            if self.student is None:
                raise ValueError("Studentised intervals require the standard error of every draw; pass `std_error`.")
            high, low = (self.estimate - q * self.std_error for q in np.quantile(self.student, tails, axis=0))
        else:
            low, high = self._bca(tails)
        return (float(low), float(high)) if np.ndim(low) == 0 else (np.asarray(low), np.asarray(high))

    def _bca(self, tails):
        if self.left_out is None:
            raise ValueError("BCa intervals require jackknife values; pass `jackknife`=True.")
        draws = self.draws.reshape(len(self.draws), -1)
        left_out = self.left_out.reshape(len(self.left_out), -1)
        values, weights = np.atleast_1d(self.estimate), np.ones(len(left_out))
        limits = [
            np.quantile(draws[:, k], _bca_levels(values[k], draws[:, k], left_out[:, k], weights, tails))
            for k in range(draws.shape[1])
        ]
        low, high = np.array(limits).T
        return (low[0], high[0]) if np.ndim(self.estimate) == 0 else (low, high)


def bootstrap_distribution(
    statistic,
    *data,
    n_resamples=1000,
    groups=None,
    stratify=None,
    std_error=None,
    jackknife=True,
    n_jobs=None,
    random_state=None,
):
    """Bootstrap distribution of a statistic by resampling rows with replacement.

    Parameters
    ----------
    statistic : callable
        Function of the arrays in `data` that returns a number or a vector.
    *data : arrays, sparse matrices, data frames or lists of the same length
        Data; rows are drawn jointly.
    n_resamples : int, default=1000
    groups : array-like of shape (n,) or None, default=None
        Groups to draw as a whole (cluster bootstrap), if rows within a group are dependent.
    stratify : array-like of shape (n,) or None, default=None
        Classes within which rows are drawn.
    std_error : callable, int or None, default=None
        Standard error of the statistic, for studentised intervals: a function of the arrays in `data`, or the number of
        second-level resamples from which it is estimated.
    jackknife : bool, default=True
        Whether to compute the leave-one-out values (or leave out one of 500 blocks of rows) that BCa intervals require.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None

    Returns
    -------
    BootstrapDistribution
        Has `draws`, `std_error`, `bias` and `interval(confidence, method)`.

    Notes
    -----
    Percentile limits are quantiles of the draws: simple and invariant under transformations, but too short in small
    samples. BCa and studentised limits are accurate to a higher order. The bootstrap fails for extremes (such as the
    maximum) and for statistics at the edge of their range.

    References
    ----------
    Efron, B. & Tibshirani, R. (1993). An Introduction to the Bootstrap, chapters 12-14.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import bootstrap_distribution
    >>> x = np.random.default_rng(0).exponential(size=60)
    >>> found = bootstrap_distribution(np.median, x, random_state=0)
    >>> low, high = found.interval(0.95, method="percentile")
    >>> bool(low < np.log(2) < high)
    True
    """
    check_arguments(
        bootstrap_distribution, statistic=(statistic, ["callable"]), n_resamples=(n_resamples, [Int(2, None)]),
        std_error=(std_error, [Int(2, None), "callable", None]), jackknife=(jackknife, ["boolean"]),
    )  # fmt: skip
    if not data:
        raise ValueError("bootstrap_distribution requires data, for example bootstrap_distribution(np.mean, x).")
    if groups is not None and stratify is not None:
        raise ValueError("`groups` and `stratify` cannot be combined.")
    data = indexable(*data)
    n = n_rows(data[0])
    rng = generator(random_state)
    draws_of = _drawer(n, groups, stratify)
    rows = draws_of(n_resamples, rng)
    seeds = rng.integers(2**63, size=n_resamples)

    def value(index):
        return np.asarray(statistic(*(take_rows(table, index) for table in data)), dtype=np.float64)

    def one(index, seed):
        drawn = value(index)
        if std_error is None:
            return drawn, None
        if callable(std_error):
            return drawn, np.asarray(std_error(*(take_rows(table, index) for table in data)), dtype=np.float64)
        inner = np.random.default_rng(seed)
        again = [value(index[inner.integers(len(index), size=len(index))]) for _ in range(std_error)]
        return drawn, np.std(again, axis=0, ddof=1)

    estimate = value(np.arange(n))
    replicates = run(one, list(zip(rows, seeds)), n_jobs)
    draws = np.array([drawn for drawn, _ in replicates])
    student = None
    if std_error is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            student = (draws - estimate) / np.array([error for _, error in replicates])
        student = student[np.isfinite(student.reshape(len(student), -1)).all(axis=1)]
    left_out = np.array([value(index) for index in _leave_out(n, groups)]) if jackknife else None
    return BootstrapDistribution(estimate[()], draws, left_out, student)


def _drawer(n, groups, stratify):
    """Function that draws row indices: rows, rows within classes, or whole groups."""
    if groups is not None:
        code = np.unique(np.asarray(groups), return_inverse=True)[1]
        members = [np.flatnonzero(code == g) for g in range(code.max() + 1)]

        def draw(count, rng):
            picks = (rng.integers(len(members), size=len(members)) for _ in range(count))
            return [np.concatenate([members[g] for g in pick]) for pick in picks]

        return draw
    strata = None
    if stratify is not None:
        label = np.asarray(stratify)
        strata = [np.flatnonzero(label == k) for k in np.unique(label)]
    return lambda count, rng: resampled_rows(n, count, rng, strata)


def _leave_out(n, groups):
    """Row indices that remain when each group, row or block of rows is left out."""
    if groups is not None:
        block = np.unique(np.asarray(groups), return_inverse=True)[1]
    else:
        block = np.arange(n) * min(n, _JACKKNIFE_GROUPS) // n
    return [np.flatnonzero(block != b) for b in range(block.max() + 1)]
