"""Statistics without some of their rows: what adds up over rows can be subtracted again.

Means and sums of squares are those of `SiteStatistics.merge`, solved for the first site. A triangular factor R of the
rows, with the factor B of those to forget, is replaced by L'R with LL' = I - WW' and W = R⁻ᵀB'. The eigenvalues of
I - WW' are 1 - h, with h the leverage of directions within the forgotten rows.
"""

import numpy as np
from scipy import linalg

from .least_squares import EPS, LeastSquaresStatistic
from .site_statistics import KINDS, SiteStatistics, of_least_squares, require_alike, widened

# A remainder below this fraction of the whole is mostly rounding.
_ROUNDING = np.sqrt(EPS)
_REFIT = "Fit the remaining rows instead."
_STRANGERS = "`others` must hold statistics of rows that are behind this object"


def without_rows(a, b):
    """The statistics `a` without the rows of the statistics `b`."""
    require_alike(a, b, "subtracted")
    n_rows = a.n_rows - b.n_rows
    if n_rows <= 0:
        raise ValueError(f"`others` must leave rows, but hold {b.n_rows} of the {a.n_rows} rows. {_REFIT}")
    columns = b.columns if a.columns is None else a.columns
    if a.kind == "least squares":
        rest = _downdated(a.least_squares(), b.least_squares())
        return of_least_squares(rest, columns=columns, target_dim=int(a.arrays["target_dim"]))
    if a.classes is not None:
        if not np.isin(b.classes, a.classes).all():
            raise ValueError(f"{_STRANGERS}, got the classes {b.classes}, which are not all in {a.classes}.")
        b = widened(b, a.classes)
    arrays = _difference(a.kind, a.arrays, b.arrays)
    classes = a.classes
    if classes is not None:
        arrays, classes = _remaining_classes(a.kind, arrays, classes)
    return SiteStatistics(a.kind, arrays, n_features=a.n_features, n_rows=n_rows, classes=classes, columns=columns)


def _difference(kind, x, y):
    """The arrays of the remaining rows."""
    arrays = {"class_weight": _less(x["class_weight"], y["class_weight"])}
    if kind == "category counts":
        counts, gone = x["category_counts"], y["category_counts"]
        if gone[:, :, counts.shape[2] :].any():
            raise ValueError(f"{_STRANGERS}, got further categories.")
        gone = gone[:, :, : counts.shape[2]]
        gone = np.pad(gone, ((0, 0), (0, 0), (0, counts.shape[2] - gone.shape[2])))
        return arrays | {"category_counts": _less(counts, gone), "n_categories": x["n_categories"]}
    if kind == "scatter":
        m, rest = y["class_weight"][:, None], arrays["class_weight"][:, None]
    else:
        m, rest = y["counts"], _less(x["counts"], y["counts"])
        arrays["counts"] = rest
    ratio = np.divide(m, rest, out=np.zeros_like(rest), where=rest > 0)
    arrays["means"] = np.where(rest > 0, x["means"] + ratio * (x["means"] - y["means"]), 0.0)
    gap = np.where(rest > 0, y["means"] - arrays["means"], 0.0)
    between = rest * np.divide(m, rest + m, out=np.zeros_like(rest), where=rest + m > 0) * gap
    if kind == "moments":
        return arrays | {"squares": _less(x["squares"], y["squares"] + between * gap, x["squares"])}
    cross = (between.T @ gap)[None] if x["pooled"] else between[:, :, None] * gap[:, None, :]
    scatter = x["scatter"] - y["scatter"] - cross
    variances, whole = (np.diagonal(s, axis1=1, axis2=2) for s in (scatter, x["scatter"]))
    _less(variances, 0.0, whole)
    return arrays | {"scatter": scatter, "pooled": x["pooled"]}


def _less(whole, part, scale=None):
    """A difference that must not be negative, which is 0 if it is only rounding."""
    rest = whole - part
    limit = _ROUNDING * np.abs(whole if scale is None else scale)
    if np.any(rest < -limit):
        raise ValueError(f"{_STRANGERS}, but a sum of theirs exceeds that of all rows.")
    return np.where(rest <= 16 * EPS * np.abs(whole if scale is None else scale), 0.0, rest)


def _remaining_classes(kind, arrays, classes):
    """The arrays without classes that have no rows left, as a fit to the remaining rows has them."""
    left = arrays["class_weight"] > 0
    names = [*KINDS[kind][1]]
    if kind == "scatter" and not arrays["pooled"]:
        names.append("scatter")
    return {name: a[left] if name in names else a for name, a in arrays.items()}, classes[left]


def _downdated(a, b):
    """The `LeastSquaresStatistic` of the rows of `a` that are not in `b`."""
    if a.intercept != b.intercept:
        raise ValueError("Statistics with and without an intercept cannot be subtracted.")
    q = a.R.shape[1]
    gone = b.R
    if a.intercept:
        gone = gone.copy()
        gone[:, 1:] += np.outer(gone[:, 0], b.shift - a.shift)
    sizes = np.linalg.norm(a.R, axis=0)
    if len(a.R) < q or np.any(np.abs(np.diagonal(a.R)) <= q * _ROUNDING * sizes):
        raise ValueError(f"The columns are linearly dependent, or nearly so, and no rows can be subtracted. {_REFIT}")
    W = linalg.solve_triangular(a.R, gone.T, trans="T", check_finite=False)
    left = np.eye(q) - W @ W.T
    smallest = linalg.eigvalsh(left, check_finite=False)[0]
    if smallest < -_ROUNDING:
        raise ValueError(f"{_STRANGERS}, but their cross-products exceed those of all rows.")
    if smallest < _ROUNDING:
        raise ValueError(f"The rows to forget alone determine a coefficient or all of the residuals. {_REFIT}")
    R = linalg.cholesky(left, lower=True, check_finite=False).T @ a.R
    return LeastSquaresStatistic(
        R, a.shift, a.n_features, a.intercept, a.n_rows - b.n_rows, a.total_weight - b.total_weight,
        a.log_weight - b.log_weight, True,
    )  # fmt: skip
