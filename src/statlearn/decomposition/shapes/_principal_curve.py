"""Principal curves."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_array, check_weights, validate_data
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped
from statlearn._math.linalg.svd import signed
from statlearn.smooth import Loess, SmoothingSpline

_CHUNK_NUMBERS = 2**21  # numbers in work at a time in the projection
PATIENCE = 3  # steps without a better fit at which the alternation ends: it can swing between two curves
_MOST_VERTICES = 500  # vertices of the polygon; with more rows the curve is evaluated on a grid


def project_on_polygon(X, vertices, stretch=0.0):
    """Nearest points on a polygon: arc length from its first vertex, squared distance and the points themselves.

    The first and the last segment are extended by `stretch` times their lengths.
    """
    polygon = vertices
    if stretch > 0 and len(vertices) > 1:
        polygon = vertices.copy()
        polygon[0] += stretch * (vertices[0] - vertices[1])
        polygon[-1] += stretch * (vertices[-1] - vertices[-2])
    step = np.diff(polygon, axis=0)
    length = np.linalg.norm(step, axis=1)
    keep = length > 0
    begin, step, length = polygon[:-1][keep], step[keep], length[keep]
    if len(length) == 0:
        Z = X - polygon[0]
        return np.zeros(len(X)), np.sum(Z * Z, axis=1), np.repeat(polygon[:1], len(X), axis=0)
    start = np.concatenate([[0.0], np.cumsum(length)[:-1]])
    arc, square, point = np.empty(len(X)), np.empty(len(X)), np.empty(X.shape)
    rows = max(1, _CHUNK_NUMBERS // len(length))
    with single_blas_thread():  # the same bits for any number of threads
        for i in range(0, len(X), rows):
            part = X[i : i + rows]
            # Squared distances to segments from inner products alone: no array of differences.
            along = part @ step.T - np.sum(begin * step, axis=1)
            t = np.clip(along / length**2, 0.0, 1.0)
            from_begin = np.sum(part**2, axis=1)[:, None] - 2.0 * part @ begin.T + np.sum(begin**2, axis=1)
            nearest = (from_begin - 2.0 * t * along + (t * length) ** 2).argmin(axis=1)
            at = t[np.arange(len(part)), nearest]
            point[i : i + rows] = begin[nearest] + at[:, None] * step[nearest]
            arc[i : i + rows] = start[nearest] + at * length[nearest]
            square[i : i + rows] = np.sum((part - point[i : i + rows]) ** 2, axis=1)
    return arc, square, point


class PrincipalCurve(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Principal curve: a smooth curve through the middle of the rows.

    Every point of the curve is the (smoothed) mean of the rows that project onto it,
    :math:`f(\lambda) = E[X \mid \lambda_f(X) = \lambda]`. From the first principal component, two steps alternate:
    each column is smoothed against the arc length :math:`\lambda`, and every row is projected onto the curve. Stops
    when the sum of squared distances changes by less than `tol`, relatively, or has not fallen by that much for three
    steps; the best curve is kept.

    Parameters
    ----------
    smoother : {"spline", "loess"}, default="spline"
        Smoothing spline with `df` degrees of freedom, or local regression with `span`.
    df : float, default=5
        Degrees of freedom of the spline of each column; more than 2.
    span : float, default=0.5
        Fraction of the rows in a neighbourhood of the local regression.
    stretch : float, default=2.0
        Length by which both ends are extended for the projection, in units of the last segment. With 0, all rows beyond
        the ends of the curve project onto its end points, which shrinks it.
    max_iter : int, default=20
    tol : float, default=1e-3

    Attributes
    ----------
    curve_ : ndarray of shape (n_vertices, n_features)
        The curve as a polygon.
    arc_length_ : ndarray of shape (n_samples,)
        Positions of the training rows.
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
    PrincipalSurface : The same with two coordinates.

    Notes
    -----
    The alternation need not lower the sum of squares in each step. Smoothing pulls the curve inside where it bends. A
    curve that crosses itself or closes, such as a spiral of several turns, can be out of reach from a straight start:
    use a smaller span or more degrees of freedom. Columns in different units should be scaled first. A step costs
    O(n v) for v vertices, at most 500.

    References
    ----------
    Hastie and Stuetzle (1989), Principal curves. J. Amer. Statist. Assoc. 84.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import PrincipalCurve
    >>> angle = np.linspace(0, np.pi, 100)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> model = PrincipalCurve().fit(X)
    >>> order = np.argsort(model.arc_length_)
    >>> bool(np.all(order == np.arange(100)) or np.all(order == np.arange(100)[::-1]))
    True
    """

    _constraints = {
        "smoother": [Options("spline", "loess")],
        "df": [Real(2, None, closed="neither")],
        "span": [Real(0, None, closed="neither")],
        "stretch": [Real(0, 1e6, closed="both")],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
    }

    def __init__(self, smoother="spline", *, df=5, span=0.5, stretch=2.0, max_iter=20, tol=1e-3):
        self.smoother = smoother
        self.df = df
        self.span = span
        self.stretch = stretch
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y=None, sample_weight=None):
        """Fit the curve.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            A weight of k counts as k copies of the row; a weight of 0 leaves it out.

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS, ensure_min_samples=2)
        weights = check_weights(sample_weight, X)
        rows = X.astype(np.float64)
        keep = np.ones(len(rows), dtype=bool) if weights is None else weights > 0
        Z, w = rows[keep], None if weights is None else weights[keep].astype(np.float64)
        mean = np.average(Z, axis=0, weights=w)
        centred = (Z - mean) * (1.0 if w is None else np.sqrt(w)[:, None])
        if not np.any(centred):
            raise ValueError("X has only one distinct row (n_samples = 1 in effect), which has no principal curve.")
        with single_blas_thread():
            axis = signed(None, linalg.svd(centred, full_matrices=False)[2][:1])[1][0]
            arc = (Z - mean) @ axis
        line = mean + np.outer(arc, axis)
        self.objective_ = [float(np.sum((1.0 if w is None else w[:, None]) * (Z - line) ** 2))]
        best, curve, rest = np.inf, line, PATIENCE
        status = MAX_ITER
        while len(self.objective_) <= self.max_iter and status != OK:
            vertices = self._smooth(arc, Z, w)
            arc, square, _ = project_on_polygon(Z, vertices, self.stretch)
            total = float(square.sum() if w is None else w @ square)
            before = self.objective_[-1]
            self.objective_.append(total)
            rest = PATIENCE if total < (1.0 - self.tol) * best else rest - 1
            if total < best:
                best, curve = total, vertices
            if abs(before - total) <= self.tol * before or rest == 0:
                status = OK
        self.n_iter_ = len(self.objective_) - 1
        warn_if_stopped(self, status, f"the curve still moves after {self.n_iter_} steps")
        self.curve_ = self._extended(curve)
        self.arc_length_, square, self.points_ = project_on_polygon(rows, self.curve_)
        self.distance_ = float(square[keep].sum() if w is None else w @ square[keep])
        return self

    def _extended(self, curve):
        """The curve with its stretched ends, on which new rows are projected like training rows."""
        if self.stretch == 0:
            return curve
        curve = curve.copy()
        first, last = curve[0] - curve[1], curve[-1] - curve[-2]
        curve[0] += self.stretch * first
        curve[-1] += self.stretch * last
        return curve

    def _smooth(self, arc, Z, w):
        """Vertices of the curve: columns smoothed against the arc length, in its order."""
        at = np.unique(arc)
        distinct = len(at)
        if distinct < 4:
            order = np.argsort(arc, kind="stable")
            return Z[order] if distinct > 1 else np.vstack([Z.mean(axis=0)] * 2)
        if distinct > _MOST_VERTICES:
            at = np.quantile(arc, np.linspace(0, 1, _MOST_VERTICES))
        columns = []
        for j in range(Z.shape[1]):
            if self.smoother == "spline":
                model = SmoothingSpline(df=min(self.df, 0.9 * distinct)).fit(arc, Z[:, j], sample_weight=w)
                columns.append(model.predict(at))
            else:
                model = Loess(span=self.span, degree=1).fit(arc[:, None], Z[:, j], sample_weight=w)
                columns.append(model.predict(at[:, None]))
        return np.column_stack(columns)

    def transform(self, X):
        """Positions of rows along the curve, as arc lengths.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        arc_length : ndarray of shape (n_samples, 1)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return project_on_polygon(X.astype(np.float64), self.curve_)[0][:, None]

    def inverse_transform(self, X):
        """Points of the curve at given arc lengths.

        Parameters
        ----------
        X : array-like of shape (n_samples, 1)

        Returns
        -------
        points : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        arc = check_array(X, dtype=np.float64, input_name="X")[:, 0]
        length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(self.curve_, axis=0), axis=1))])
        return np.column_stack([np.interp(arc, length, column) for column in self.curve_.T])

    def project(self, X):
        """Nearest points on the curve.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        points : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return project_on_polygon(X.astype(np.float64), self.curve_)[2]

    def plot(self, X=None, *, columns=None, projections=True, ax=None):
        """Plot of the curve, with rows joined to their nearest points on it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None, default=None
            Rows to draw, such as those of the fit; None draws only the projections of these.
        columns : sequence of two or three column names or positions, or None, default=None
            Columns to draw; None takes the first three, or both if there are two.
        projections : bool, default=True
            Whether to draw the projections.
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        matplotlib Axes
        """
        from .._shape_plots import plot_curve

        return plot_curve(self, X, columns, projections, ax)

    @property
    def _n_features_out(self):
        return self.arc_length_.ndim

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags
