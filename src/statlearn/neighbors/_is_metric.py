"""Whether a matrix of dissimilarities is one of distances."""

from dataclasses import dataclass, field

import numpy as np
from sklearn.utils.validation import check_array

from statlearn._core.params import Int, Real, check_arguments


@dataclass
class MetricReport:
    """What :func:`is_metric` found. It is true when the matrix is that of a metric (or of a pseudometric).

    Parameters
    ----------
    symmetric, zero_diagonal, non_negative, triangle : bool
        Which of the properties hold.
    distinct : bool
        Whether different rows always have a positive distance. If not, the rest makes a pseudometric.
    n_violations : dict of str to int
        How many entries, pairs or triples break each property.
    violations : dict of str to list of tuple
        The worst of them, each with its amount last: ``(i, j, amount)``, or ``(i, j, k, amount)`` for a triangle with
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
            return "a metric" if self.distinct else "a pseudometric: different rows at distance 0"
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
    """Number of entries above the tolerance, and the largest of them as index tuples with the amount last."""
    broken = np.argwhere(amounts > tolerance)
    sizes = amounts[tuple(broken.T)]
    order = np.argsort(-sizes, kind="stable")[:limit]
    return len(broken), [(*map(int, broken[i]), float(sizes[i])) for i in order]


def _triangles(D, tolerance, limit):
    """The same for d(i, j) - d(i, k) - d(k, j), k by k: n matrices of n x n, one in memory."""
    count, found = 0, []
    for k in range(len(D)):
        excess = D - (D[:, k, None] + D[None, k, :])
        if excess.max() > tolerance:
            here, worst = _worst(excess, tolerance, limit)
            count += here
            found += [(i, j, k, amount) for i, j, amount in worst]
            found = sorted(found, key=lambda v: -v[-1])[:limit]
    return count, found


def is_metric(D, *, tol=1e-10, max_violations=5):
    """Check that a square matrix holds the distances of a metric: symmetry, zero diagonal, triangle inequality.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Dissimilarities between n things.
    tol : float, default=1e-10
        What rounding may do, as a share of the largest entry.
    max_violations : int, default=5
        How many violations of each kind are listed, the worst first.

    Returns
    -------
    MetricReport
        True or false as a condition; prints what is wrong, and lists it in ``violations``.

    Notes
    -----
    Search trees and most bounds are right for metrics only; with a dissimilarity that is none, use brute force. The
    triangle inequality takes n^3 steps: a second for n = 1000. Distances of zero between different rows make a
    pseudometric, which trees take; ``distinct`` says so.

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
        raise ValueError(f"D must be square, got shape {D.shape}")
    tolerance = tol * np.abs(D).max()
    upper = np.triu_indices(len(D), 1)
    together = np.zeros_like(D)
    together[upper] = (np.maximum(D, D.T) <= tolerance)[upper]
    asymmetry = np.zeros_like(D)
    asymmetry[upper] = np.abs(D - D.T)[upper]
    found = {
        "symmetric": _worst(asymmetry, tolerance, max_violations),
        "zero_diagonal": _worst(np.diag(np.abs(np.diag(D))), tolerance, max_violations),
        "non_negative": _worst(-D, tolerance, max_violations),
        "triangle": _triangles(D, tolerance, max_violations),
        "distinct": _worst(together, 0.5, max_violations),
    }
    return MetricReport(
        **{name: count == 0 for name, (count, _) in found.items()},
        n_violations={name: count for name, (count, _) in found.items()},
        violations={name: worst for name, (_, worst) in found.items()},
    )
