"""What loess checks and chooses before it fits, and what it warns of afterwards."""

import numpy as np

from statlearn._core.warnings import RankWarning, warn

_MOST_FUNCTIONS = 1000  # of a local polynomial
_FAR_OFF = 20.0  # ranges of the responses: corners beyond are no basis for interpolation (10 on data without trouble)


def check_squares(dropped, degree):
    """Raise where there are no squares to drop."""
    if dropped.any() and degree < 2:
        raise ValueError(f"drop_square needs degree=2: with degree={degree} there are no squares.")
    if dropped.any() and len(dropped) == 1:
        raise ValueError("drop_square needs several columns: without its square one column has degree=1.")


def choose_columns(X, parametric):
    """Columns that vary, those that make the distance first, and the number of these, which is at least 1."""
    if parametric.all():
        raise ValueError("parametric names all columns: at least one must make the distance.")
    varies = np.ptp(X, axis=0) > 0
    near = np.flatnonzero(varies & ~parametric)
    if not len(near):
        near = np.flatnonzero(~parametric)[:1]
    return np.append(near, np.flatnonzero(varies & parametric)), len(near)


def choose_neighbors(span, n, problem):
    """Rows in a neighbourhood."""
    k = problem.n_functions
    if k > _MOST_FUNCTIONS:
        raise ValueError(
            f"A polynomial of degree={problem.degree} in {problem.X.shape[1]} columns has {k} coefficients, more than "
            f"{_MOST_FUNCTIONS}: lower the degree or use fewer features."
        )
    neighbors = min(n, np.floor(n * span + 1e-5))
    if neighbors <= k and n > k:
        raise ValueError(
            f"span={span} puts {neighbors:g} of {n:g} rows into a neighbourhood, too few for the {k} coefficients of "
            f"degree={problem.degree}: span must be at least {np.ceil(1e4 * (k + 1) / n) / 1e4:g}, or the degree lower."
        )
    if n < 2:
        raise ValueError(f"sample_weight: the weights sum to {n:g} rows; use weights='precision' for relative ones.")
    return float(n if n <= k else neighbors)


def warn_of_trouble(model, fits, singular):
    """Say at how many places the rows did not determine the polynomial, or that corners are far from all rows."""
    if singular:
        warn(
            f"Loess: at {singular} of {len(fits.values)} places the rows nearby do not determine a polynomial of "
            f"degree {model.degree} (reciprocal condition number {fits.rcond:.1e}); the solution of smallest norm "
            "was taken. Increase span, lower the degree or look for columns that depend on others.",
            RankWarning,
        )
        return
    extent = np.ptp(model.y_train_)
    far = np.abs(fits.values[:, 0] - np.median(model.y_train_)).max()
    if model.cells_ is not None and extent > 0 and far > _FAR_OFF * extent:
        warn(
            f"Loess: at corners of cells without rows nearby the polynomials reach {far / extent:.0f} times the range "
            "of the responses, so that the surface between them means little: columns are nearly dependent. Use "
            "surface='direct', a lower degree or other columns.",
            RankWarning,
        )
