"""Principal surfaces."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_array, validate_data
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped
from statlearn._math.linalg.svd import signed
from statlearn.smooth import Loess, ThinPlateSpline

from ._principal_curve import PATIENCE

_CHUNK_NUMBERS = 2**21


def project_on_grid(X, u, v, nodes):
    """Nearest points on a surface of triangles over a grid: coordinates (n, 2), squared distances and points.

    `nodes` (len(u), len(v), p) are the points of the surface; each cell of the grid is two triangles. Of a row, the
    triangles around the nearest node are searched.
    """
    a, b, p = nodes.shape
    flat = nodes.reshape(-1, p)
    squares = np.sum(flat**2, axis=1)
    nearest = np.empty(len(X), dtype=np.intp)
    rows = max(1, _CHUNK_NUMBERS // len(flat))
    for i in range(0, len(X), rows):
        nearest[i : i + rows] = (squares - 2.0 * X[i : i + rows] @ flat.T).argmin(axis=1)
    i, j = np.divmod(nearest, b)
    coordinates = np.column_stack([u[i], v[j]])
    points = flat[nearest]
    best = np.sum((X - points) ** 2, axis=1)
    for di in (-1, 1):
        for dj in (-1, 1):
            inside = ((i + di >= 0) & (i + di < a) & (j + dj >= 0) & (j + dj < b)).nonzero()[0]
            if len(inside) == 0:
                continue
            corner = nodes[i[inside], j[inside]]
            side, up = nodes[i[inside] + di, j[inside]], nodes[i[inside], j[inside] + dj]
            far = nodes[i[inside] + di, j[inside] + dj]
            du, dv = u[i[inside] + di] - u[i[inside]], v[j[inside] + dj] - v[j[inside]]
            # The two triangles of the cell that meet at the corner.
            for first, second, swap in ((side, far, 0), (up, far, 1)):
                s, t = _in_triangle(X[inside], corner, first, second)
                projections = corner + s[:, None] * (first - corner) + t[:, None] * (second - corner)
                square = np.sum((X[inside] - projections) ** 2, axis=1)
                better = square < best[inside]
                at = inside[better]
                best[at], points[at] = square[better], projections[better]
                both, one = (s + t)[better], t[better]
                coordinates[at, 0] = u[i[at]] + (both if swap == 0 else one) * du[better]
                coordinates[at, 1] = v[j[at]] + (one if swap == 0 else both) * dv[better]
    return coordinates, best, points


def _in_triangle(X, corner, first, second):
    """Coordinates (s, t) of the nearest points corner + s (first - corner) + t (second - corner) of triangles."""
    e, f, z = first - corner, second - corner, X - corner
    ee, ff, ef = np.sum(e * e, axis=1), np.sum(f * f, axis=1), np.sum(e * f, axis=1)
    ez, fz = np.sum(e * z, axis=1), np.sum(f * z, axis=1)
    determinant = ee * ff - ef * ef
    safe = np.where(determinant > 1e-14 * ee * ff, determinant, 1.0)
    s, t = (ff * ez - ef * fz) / safe, (ee * fz - ef * ez) / safe
    inside = (s >= 0) & (t >= 0) & (s + t <= 1) & (determinant > 1e-14 * ee * ff)
    zero = np.zeros_like(s)
    edges = [
        (np.clip(ez / np.where(ee > 0, ee, 1.0), 0, 1), zero),
        (zero, np.clip(fz / np.where(ff > 0, ff, 1.0), 0, 1)),
    ]
    g = f - e
    gg = np.sum(g * g, axis=1)
    along = np.clip(np.sum((z - e) * g, axis=1) / np.where(gg > 0, gg, 1.0), 0, 1)
    edges.append((1.0 - along, along))
    squares = [np.sum((z - a[:, None] * e - b[:, None] * f) ** 2, axis=1) for a, b in edges]
    which = np.argmin(squares, axis=0)
    s = np.where(inside, s, np.choose(which, [a for a, _ in edges]))
    t = np.where(inside, t, np.choose(which, [b for _, b in edges]))
    return s, t


class PrincipalSurface(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Principal surface: a smooth surface with two coordinates through the middle of the rows.

    Every point of the surface is the (smoothed) mean of the rows that project onto it. From the plane of the first two
    principal components, two steps alternate: each column is smoothed against the two coordinates of the rows, and
    every row is projected onto the surface, evaluated on a grid and joined by triangles. Stops when the sum of squared
    distances changes by less than `tol` times that of the plane, or has not fallen by that much for three steps; the
    best surface is kept.

    Parameters
    ----------
    smoother : {"loess", "thin_plate"}, default="loess"
        Local regression in two dimensions with `span`, or a thin-plate spline with `df` degrees of freedom.
    span : float, default=0.5
        Fraction of the rows in a neighbourhood of the local regression.
    df : float, default=10
        Degrees of freedom of the thin-plate spline of each column; more than 3.
    grid_size : int, default=30
        Points of the grid in each direction.
    max_iter : int, default=20
    tol : float, default=1e-3

    Attributes
    ----------
    grid_ : tuple of two ndarray of shape (grid_size,)
        Coordinates of the grid.
    surface_ : ndarray of shape (grid_size, grid_size, n_features)
        The surface at the points of the grid.
    coordinates_ : ndarray of shape (n_samples, 2)
        Coordinates of the training rows.
    points_ : ndarray of shape (n_samples, n_features)
        Their projections.
    distance_ : float
        Sum of squared distances.
    objective_ : list of float
        Sum of squared distances after each step.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    See Also
    --------
    PrincipalCurve : With one coordinate.

    Notes
    -----
    The projection searches the triangles around the nearest point of the grid, which is exact for a grid that is fine
    compared with the bends of the surface. Coordinates are those of the starting plane, not arc lengths. Columns in
    different units should be scaled first.

    References
    ----------
    Hastie and Stuetzle (1989), Principal curves. J. Amer. Statist. Assoc. 84.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import PCA, PrincipalSurface
    >>> rng = np.random.default_rng(0)
    >>> uv = rng.uniform(-1, 1, size=(300, 2))
    >>> X = np.column_stack([uv, uv[:, 0] ** 2])
    >>> model = PrincipalSurface().fit(X)
    >>> bool(model.distance_ < 0.1 * model.objective_[0])
    True
    """

    _constraints = {
        "smoother": [Options("loess", "thin_plate")],
        "span": [Real(0, None, closed="neither")],
        "df": [Real(3, None, closed="neither")],
        "grid_size": [Int(3, 200)],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
    }

    def __init__(self, smoother="loess", *, span=0.5, df=10, grid_size=30, max_iter=20, tol=1e-3):
        self.smoother = smoother
        self.span = span
        self.df = df
        self.grid_size = grid_size
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y=None):
        """Fit the surface.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            At least two columns and ten rows.
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS, ensure_min_features=2, ensure_min_samples=10)
        Z = X.astype(np.float64)
        mean = Z.mean(axis=0)
        _, s, Vt = linalg.svd(Z - mean, full_matrices=False)
        if not s[1] > 1e-10 * max(s[0], 1e-300):
            raise ValueError("X lies on a straight line, which has no principal surface.")
        axes = signed(None, Vt[:2])[1]
        at = (Z - mean) @ axes.T
        self.objective_ = [float(np.sum((Z - mean - at @ axes) ** 2))]
        limit = self.tol * max(self.objective_[0], 1e-12 * float(np.sum(s**2)))
        best, rest, status = np.inf, PATIENCE, MAX_ITER
        while len(self.objective_) <= self.max_iter and status != OK:
            grid, surface = self._smooth(at, Z)
            at, square, points = project_on_grid(Z, *grid, surface)
            before, total = self.objective_[-1], float(square.sum())
            self.objective_.append(total)
            rest = PATIENCE if total < best - limit else rest - 1
            if total < best:
                best, self.grid_, self.surface_ = total, grid, surface
                self.coordinates_, self.points_, self.distance_ = at, points, total
            if abs(before - total) <= limit or rest == 0:
                status = OK
        self.n_iter_ = len(self.objective_) - 1
        warn_if_stopped(self, status, f"the surface still moves after {self.n_iter_} steps")
        return self

    def _smooth(self, at, Z):
        grid = tuple(np.linspace(at[:, c].min(), at[:, c].max(), self.grid_size) for c in range(2))
        mesh = np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1).reshape(-1, 2)
        columns = []
        for j in range(Z.shape[1]):
            if self.smoother == "loess":
                model = Loess(span=max(self.span, 8 / len(Z)), degree=1, normalize=False, statistics="approximate")
            else:
                model = ThinPlateSpline(df=min(self.df, 0.5 * len(Z)))
            columns.append(model.fit(at, Z[:, j]).predict(mesh))
        return grid, np.column_stack(columns).reshape(self.grid_size, self.grid_size, -1)

    def transform(self, X):
        """Coordinates of rows on the surface.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        coordinates : ndarray of shape (n_samples, 2)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return project_on_grid(X.astype(np.float64), *self.grid_, self.surface_)[0]

    def project(self, X):
        """Nearest points on the surface.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        points : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return project_on_grid(X.astype(np.float64), *self.grid_, self.surface_)[2]

    def inverse_transform(self, X):
        """Points of the surface at given coordinates; those outside the grid are moved to its border.

        Parameters
        ----------
        X : array-like of shape (n_samples, 2)

        Returns
        -------
        points : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        at = check_array(X, dtype=np.float64, input_name="X")
        if at.shape[1] != 2:
            raise ValueError(f"X must have 2 columns, got {at.shape[1]}.")
        place, share = [], []
        for c in range(2):
            axis = self.grid_[c]
            position = np.clip((at[:, c] - axis[0]) / max(axis[1] - axis[0], 1e-300), 0, len(axis) - 1 - 1e-12)
            place.append(position.astype(int))
            share.append((position - place[-1])[:, None])
        (i, j), (s, t), nodes = place, share, self.surface_
        return (
            (1 - s) * (1 - t) * nodes[i, j]
            + s * (1 - t) * nodes[i + 1, j]
            + (1 - s) * t * nodes[i, j + 1]
            + s * t * nodes[i + 1, j + 1]
        )

    def plot(self, X=None, *, columns=None, ax=None):
        """Plot of the surface as a net, with rows coloured by their first coordinate.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None, default=None
            Rows to draw, such as those of the fit; None draws their projections.
        columns : sequence of two or three column names or positions, or None, default=None
            Columns to draw; None takes the first three, or both if there are two.
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        matplotlib Axes
        """
        from .._shape_plots import plot_surface

        return plot_surface(self, X, columns, ax)

    @property
    def _n_features_out(self):
        return self.coordinates_.shape[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags
