"""Check whether a dissimilarity matrix satisfies the axioms of a metric."""

from dataclasses import dataclass, field

import numpy as np
from sklearn.utils.validation import check_array

from statlearn._core.params import Int, Real, check_arguments


@dataclass
class MetricReport:
    """Result of :func:`is_metric`. It is true if the matrix is that of a metric or pseudometric.

    Parameters
    ----------
    symmetric, zero_diagonal, non_negative, triangle : bool
        Whether each property holds.
    distinct : bool
        Whether distinct rows always have a positive distance. If not, the matrix is that of a pseudometric at best.
    n_violations : dict of str to int
        Number of entries, pairs or triples that violate each property.
    violations : dict of str to list of tuple
        The worst violations, each with its size last: ``(i, j, amount)``, or ``(i, j, k, amount)`` for a triangle with
        d(i, j) > d(i, k) + d(k, j).
    """

    symmetric: bool
    zero_diagonal: bool
    non_negative: bool
    triangle: bool
    distinct: bool
    n_violations: dict = field(default_factory=dict)
    violations: dict = field(default_factory=dict)

    def __bool__(self):
        return self.symmetric and self.zero_diagonal and self.non_negative and self.triangle

    def __str__(self):
        if self:
            return "a metric" if self.distinct else "a pseudometric: some distinct rows are at distance 0"
        lines = ["not a metric"]
        for name, count in self.n_violations.items():
            if count and name != "distinct":
                worst = self.violations[name][0]
                lines.append(
                    f"  {name.replace('_', ' ')}: {count} violations, the worst at {worst[:-1]} by {worst[-1]:.6g}"
                )
        return "\n".join(lines)

    __repr__ = __str__


def _worst(amounts, tolerance, limit):
    """Number of entries above the tolerance, and the largest as index tuples with the amount last."""
    broken = np.argwhere(amounts > tolerance)
    sizes = amounts[tuple(broken.T)]
    order = np.argsort(-sizes, kind="stable")[:limit]
    return len(broken), [(*map(int, broken[i]), float(sizes[i])) for i in order]


def _triangles(D, tolerance, limit):
    """Violations of d(i, j) <= d(i, k) + d(k, j), one k at a time, so that only one n x n matrix is in memory."""
    count, violations = 0, []
    for k in range(len(D)):
        excess = D - (D[:, k, None] + D[None, k, :])
        if excess.max() > tolerance:
            here, worst = _worst(excess, tolerance, limit)
            count += here
            violations += [(i, j, k, amount) for i, j, amount in worst]
            violations = sorted(violations, key=lambda v: -v[-1])[:limit]
    return count, violations


def is_metric(D, *, tol=1e-10, max_violations=5):
    """Check of the axioms of a metric for a square matrix: symmetry, zero diagonal, triangle inequality.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Dissimilarities between n items.
    tol : float, default=1e-10
        Tolerance for rounding errors, relative to the largest entry.
    max_violations : int, default=5
        Maximum number of violations to list for each property, the worst first.

    Returns
    -------
    MetricReport
        True or false as a condition; prints the violations and lists them in ``violations``.

    Notes
    -----
    Search trees and most bounds are valid for metrics only; use brute force for other dissimilarities. Checking the
    triangle inequality takes n^3 steps, about a second for n = 1000. Zero distances between distinct rows make a
    pseudometric, which search trees support; this is reported in ``distinct``.

    Examples
    --------
    >>> from statlearn.neighbors import is_metric
    >>> bool(is_metric([[0, 1, 2], [1, 0, 1], [2, 1, 0]]))
    True
    >>> is_metric([[0, 1, 4], [1, 0, 1], [4, 1, 0]])
    not a metric
      triangle: 2 violations, the worst at (0, 2, 1) by 2
    """
    check_arguments(is_metric, tol=(tol, [Real(0, None)]), max_violations=(max_violations, [Int(1, None)]))
    D = check_array(D, dtype=np.float64, input_name="D")
    if D.shape[0] != D.shape[1]:
        raise ValueError(f"`D` must be a square matrix, got shape {D.shape}.")
    tolerance = tol * np.abs(D).max()
    upper = np.triu_indices(len(D), 1)
    together = np.zeros_like(D)
    together[upper] = (np.maximum(D, D.T) <= tolerance)[upper]
    asymmetry = np.zeros_like(D)
    asymmetry[upper] = np.abs(D - D.T)[upper]
    violations = {
        "symmetric": _worst(asymmetry, tolerance, max_violations),
        "zero_diagonal": _worst(np.diag(np.abs(np.diag(D))), tolerance, max_violations),
        "non_negative": _worst(-D, tolerance, max_violations),
        "triangle": _triangles(D, tolerance, max_violations),
        "distinct": _worst(together, 0.5, max_violations),
    }
    return MetricReport(
        **{name: count == 0 for name, (count, _) in violations.items()},
        n_violations={name: count for name, (count, _) in violations.items()},
        violations={name: worst for name, (_, worst) in violations.items()},
    )
