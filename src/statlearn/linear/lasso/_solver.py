"""The native solver behind the lasso, its paths and their cross-validation, and the preparation of its inputs."""

from dataclasses import dataclass, fields

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from statlearn._core import native
from statlearn._core.validation import FLOATS
from statlearn._core.warnings import OK, warn
from statlearn._math.penalties.scales import elastic_net_terms
from statlearn._math.rows.rows import Rows

# Cross-products of all features are formed at once when the rows outnumber them by this factor.
_TALL = 2


@dataclass
class PathFits:
    """Several paths: coefficients (paths, models, features), duality gaps on the scale of a sum, passes, status."""

    coef: np.ndarray
    gap: np.ndarray
    n_iter: np.ndarray
    status: np.ndarray

    @property
    def converged(self):
        """Whether every model reached its gap."""
        return bool(np.all(self.status == OK))

    def path(self, k):
        """One of the paths, as a set of one."""
        return PathFits(*(getattr(self, field.name)[k : k + 1] for field in fields(self)))

    @classmethod
    def stack(cls, parts):
        """The paths of several sets in one."""
        parts = list(parts)
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


@dataclass
class Solver:
    """Settings of the path solver, independent of the data."""

    tol: float = 1e-4
    max_iter: int = 1000
    positive: bool = False
    selection: str = "cyclic"
    random_state: object = None

    def _run(self, function, data, l1, l2, factor, init, p):
        paths, models = l1.shape
        random = self.selection == "random"
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max)) if random else 0
        fits = PathFits(
            np.empty((paths, models, p)),
            np.empty((paths, models)),
            np.zeros((paths, models), np.int32),
            np.zeros(paths, np.int32),
        )
        if factor is not None:
            factor = np.ascontiguousarray(factor, dtype=np.float64)
        if init is not None:
            init = np.ascontiguousarray(np.atleast_2d(init), dtype=np.float64)
        # The kernel compares the gap with tol |y|^2; the documented scale is the objective at 0, |y|^2 / 2.
        function(
            *data,
            np.ascontiguousarray(l1),
            np.ascontiguousarray(l2),
            factor,
            init,
            0.5 * self.tol,
            int(self.max_iter),
            self.positive,
            random,
            seed,
            fits.coef,
            fits.gap,
            fits.n_iter,
            fits.status,
        )
        return fits

    def from_rows(self, rows, Y, l1, l2, *, weights=None, factor=None, init=None):
        """Paths on rows; Y and `weights` (default: those of the rows) have one row per path, or one for all."""
        Y = np.ascontiguousarray(Y, dtype=np.float64)
        weights = rows.weights if weights is None else weights
        if weights is not None:
            weights = np.ascontiguousarray(np.atleast_2d(weights), dtype=np.float64)
        return self._run(rows.kernel("enet_path"), (Y, weights, rows.centre), l1, l2, factor, init, rows.p)

    def from_gram(self, G, target_dot, target_norm2, l1, l2, *, factor=None, init=None):
        """Paths on cross-products: G (paths or 1, p, p), X'y (paths, p) and y'y (paths,)."""
        data = (
            np.ascontiguousarray(G, dtype=np.float64),
            np.ascontiguousarray(target_dot, dtype=np.float64),
            np.ascontiguousarray(target_norm2, dtype=np.float64),
        )
        return self._run(native.linear.enet_path_gram, data, l1, l2, factor, init, G.shape[2])


def warn_unless_converged(fits, scale, tolerance):
    """A ConvergenceWarning when a path reports that a model stopped early; `scale` turns sums into means."""
    if fits.converged:
        return
    if not np.all(np.isfinite(fits.coef)):
        return  # the caller raises an error with the reason
    warn(
        "Objective did not converge. You might want to increase the number of iterations (max_iter), check the scale "
        "of the features or consider increasing regularisation (alpha). "
        f"Duality gap: {np.max(fits.gap) / scale:.3e}, tolerance: {tolerance / scale:.3e}",
        ConvergenceWarning,
    )


def check_factor(penalty_factor, n_features):
    """The penalty factors as an array, or None."""
    if penalty_factor is None:
        return None
    factor = check_array(penalty_factor, ensure_2d=False, dtype=np.float64, input_name="penalty_factor")
    if factor.shape != (n_features,):
        raise ValueError(f"penalty_factor must have shape ({n_features},), one value per feature, got {factor.shape}.")
    if np.any(factor < 0):
        raise ValueError("penalty_factor must be non-negative.")
    return factor


def check_order(rows):
    """Dense columns must be contiguous; validation sees to that unless it is skipped."""
    if not rows.sparse and not rows.X.flags.f_contiguous:
        raise ValueError("X must be column-major (Fortran order) with check_input=False.")


def path_terms(alphas, l1_ratio, penalty_scale, total):
    """The penalties of each model on the scale of 1/2 RSS, as rows for the kernel."""
    l1, l2 = elastic_net_terms(np.asarray(alphas, np.float64), l1_ratio, penalty_scale, total)
    return np.atleast_2d(l1 * total), np.atleast_2d(l2 * total)


def check_gram(rows, gram):
    """The given Gram matrix as doubles, or None (with a warning) when X is not centred as it should be."""
    X, weights, p = rows.X, rows.weights, rows.p
    gram = check_array(gram, dtype=FLOATS, input_name="precompute")
    if gram.shape != (p, p):
        raise ValueError(f"Shape of Gram matrix provided is inconsistent: expected {(p, p)}, got {gram.shape}")
    mean = rows.means()
    if not np.allclose(mean, np.zeros(p)):
        warn(
            "Gram matrix was provided but X was centered to fit intercept: recomputing Gram matrix.",
            UserWarning,
        )
        return None
    a = (p - 1) // 2
    b = min(a + 1, p - 1)
    w = 1.0 if weights is None else weights * (len(weights) / weights.sum())
    expected = np.sum(w * (X[:, a] - mean[a]) * (X[:, b] - mean[b]), dtype=np.float64)
    size = np.sqrt(abs(gram[a, a] * gram[b, b]))
    digits = 1e-4 if np.float32 in (X.dtype, gram.dtype) else 1e-7
    if not abs(expected - gram[a, b]) <= digits * (abs(expected) + size):
        raise ValueError(
            "Gram matrix passed in via 'precompute' parameter did not pass validation when a single element was "
            f"checked - please check that it was computed properly. For element ({a},{b}) we computed {expected} but "
            f"the user-supplied value was {gram[a, b]}."
        )
    return gram


@dataclass
class PathProblem:
    """The elastic net on one table of rows, by the method that suits its shape.

    Parameters
    ----------
    rows : Rows
    solver : Solver
    factor : ndarray of shape (p,) or None, default=None
        Factors of the penalty.
    precompute : "auto", bool or ndarray of shape (p, p), default="auto"
        Whether to work on the cross-products of all features, or these cross-products themselves.
    """

    rows: Rows
    solver: Solver
    factor: np.ndarray | None = None
    precompute: object = "auto"

    @property
    def _is_given(self):
        return not isinstance(self.precompute, (bool, np.bool_, str))

    def by_products(self, models):
        """Whether a path of this many models is solved on the cross-products of all features, formed here."""
        if self.rows.sparse or self._is_given:
            return False
        if isinstance(self.precompute, str):
            return self.rows.n >= _TALL * self.rows.p and models > 1
        return bool(self.precompute)

    def solve(self, y, l1, l2, *, init=None, Xy=None):
        """The path of one target.

        On cross-products, a dense X need not have been checked for non-finite values: they show up in the products
        and raise an error.
        """
        if self.precompute is not True or self.rows.sparse:  # products are formed from rows or columns
            check_order(self.rows)
        if self._is_given and not self.rows.sparse:
            gram = check_gram(self.rows, self.precompute)
            if gram is not None:
                return self._on_gram(gram, y, l1, l2, init, Xy)
            return self._on_products(y, l1, l2, init)
        if self.by_products(l1.shape[1]):
            return self._on_products(y, l1, l2, init)
        return self.solver.from_rows(self.rows, y[None], l1, l2, factor=self.factor, init=init)

    def _on_products(self, y, l1, l2, init):
        Sxx, Sxy, Syy = self.rows.cross_products(y)
        return self.solver.from_gram(Sxx[None], Sxy.T, Syy.ravel(), l1, l2, factor=self.factor, init=init)

    def _on_gram(self, gram, y, l1, l2, init, Xy):
        """A path on the user's Gram matrix, whose weights sum to the number of rows."""
        rows, scale = self.rows, self.rows.n / self.rows.total_weight
        y = y - rows.average(y)
        wy = scale * rows.weighted(y)
        dot = np.asarray(rows.X.T @ wy if Xy is None else np.ravel(Xy), np.float64)
        norm2 = np.array([y @ wy])
        fits = self.solver.from_gram(
            gram[None], dot[None], norm2, l1 * scale, l2 * scale, factor=self.factor, init=init
        )
        fits.gap /= scale
        return fits
