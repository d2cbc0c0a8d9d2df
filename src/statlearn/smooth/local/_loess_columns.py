"""Checks before a loess fit and warnings after it."""

import numpy as np

from statlearn._core.warnings import RankWarning, warn

_MOST_FUNCTIONS = 1000  # of a local polynomial
_FAR_OFF = 20.0  # ranges of the responses: corners beyond are no basis for interpolation (10 on data without trouble)


def check_squares(dropped, degree):
    """Raise if there are no squares to drop."""
    if dropped.any() and degree < 2:
        raise ValueError(f"`drop_square` requires degree=2; degree={degree} has no squares.")
    if dropped.any() and len(dropped) == 1:
        raise ValueError("`drop_square` requires several columns; for a single column use degree=1 instead.")


def choose_columns(X, parametric):
    """Non-constant columns, those used for distances first, and the number of the latter, at least 1."""
    if parametric.all():
        raise ValueError("`parametric` names every column; at least one must be left for the distances.")
    varies = np.ptp(X, axis=0) > 0
    near = np.flatnonzero(varies & ~parametric)
    if not len(near):
        near = np.flatnonzero(~parametric)[:1]
    return np.append(near, np.flatnonzero(varies & parametric)), len(near)


def choose_neighbors(span, n, problem):
    """Number of rows in a neighbourhood."""
    k = problem.n_functions
    if k > _MOST_FUNCTIONS:
        raise ValueError(
            f"`degree`={problem.degree} with {problem.X.shape[1]} columns has {k} coefficients, more than the "
            f"maximum of {_MOST_FUNCTIONS}; lower the degree or use fewer features."
        )
    neighbors = min(n, np.floor(n * span + 1e-5))
    if neighbors <= k and n > k:
        raise ValueError(
            f"`span`={span} gives neighbourhoods of {neighbors:g} of {n:g} rows, too few for the {k} "
            f"coefficients of degree={problem.degree}; use a span of at least "
            f"{np.ceil(1e4 * (k + 1) / n) / 1e4:g} or a lower degree."
        )
    if n < 2:
        raise ValueError(
            f"sample_weight: the weights sum to {n:g} rows; use weights='precision' if they are relative weights."
        )
    return float(n if n <= k else neighbors)


def warn_of_lost_rows(model, fits, step):
    """Warn that the robustness weights left too few rows somewhere, so that the fit before them was kept."""
    warn(
        f"Loess: robustness weights left too few rows for a polynomial of degree {model.degree} at {fits.singular} of "
        f"{len(fits.values)} points, so the iteration stopped after {step} of {model.iterations} fits and the last fit "
        "was kept. Increase `span` or lower `degree`.",
        RankWarning,
    )


def warn_of_trouble(model, fits, singular):
    """Warn if rows did not determine the polynomial at some points, or if vertices are far from all rows."""
    if singular:
        # Without any row inside a neighbourhood there is no local design whose condition could be named.
        condition = f" (reciprocal condition number {fits.rcond:.1e})" if fits.rcond < 1.0 else ""
        warn(
            f"Loess: at {singular} of {len(fits.values)} points the nearby rows do not determine a polynomial "
            f"of degree {model.degree}{condition}, and the minimum-norm solution was used. "
            "Increase `span`, lower `degree` or look for columns that depend on others.",
            RankWarning,
        )
        return
    extent = np.ptp(model._y_train)
    far = np.abs(fits.values[:, 0] - np.median(model._y_train)).max()
    if model._cells is not None and extent > 0 and far > _FAR_OFF * extent:
        warn(
            f"Loess: at cell vertices without nearby rows the polynomials reach {far / extent:.0f} times the "
            "range of the responses, so the interpolated surface is unreliable there. Columns are nearly "
            "dependent; use surface='direct', a lower `degree` or other columns.",
            RankWarning,
        )
