"""Results of intervals and tests: small records that print on one line."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Parameters
    ----------
    estimate : float
    low, high : float
    confidence : float
        Nominal coverage, such as 0.95.
    method : str
    std_error : float
        NaN if the method does not provide one.
    distribution : ndarray or None
        The resampled values, for bootstrap intervals.
    """

    estimate: float
    low: float
    high: float
    confidence: float
    method: str
    std_error: float = float("nan")
    distribution: np.ndarray | None = field(default=None, repr=False, compare=False)

    def __contains__(self, value):
        return bool(self.low <= value <= self.high)

    def __str__(self):
        return (
            f"{self.estimate:.4g}, {100 * self.confidence:g} % interval {self.low:.4g} to {self.high:.4g} "
            f"({self.method})"
        )


@dataclass(frozen=True)
class TestResult:
    """Result of a hypothesis test.

    Parameters
    ----------
    statistic : float
    p_value : float
    df : float or tuple of float or None
        Degrees of freedom of the reference distribution, if any.
    method : str
    difference : float
        Quantity that is compared with 0, in the units of the data; NaN if there is none.
    std_error : float
    low, high : float
        Confidence interval of the difference.
    """

    __test__ = False  # not a class of tests, whatever pytest thinks of its name

    statistic: float
    p_value: float
    df: float | tuple[float, ...] | None
    method: str
    difference: float = float("nan")
    std_error: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")

    def __str__(self):
        from statlearn._core.summary import format_p

        df = "" if self.df is None else f", df {self.df}"
        return f"{self.method}: statistic {self.statistic:.4g}{df}, p {format_p(self.p_value)}"
