"""The covariance within the classes of linear discriminant analysis and its sphering, with remedies if singular."""

import numpy as np
from scipy import linalg

from statlearn._core.validation import require_finite
from statlearn._math.linalg.covariance import ledoit_wolf_amount

from ._class_scatter import ClassScatter
from ._covariance import class_covariances_by, shrunk
from ._sphering import Sphering, between_basis, separating_columns, sphere, sphere_rows, warn_singular

_IGNORED = "Directions without spread within the classes are ignored; consider shrinkage or fewer columns."
_PROJECTED = "The rows are projected onto the space of the class means first."
_TOO_FEW_ROWS = "The number of samples must be more than the number of classes."


class WithinSphering:
    """Finds W with W'ΣW = I by the settings of the estimator, and stores `covariance_` where the solver needs it.

    `rows` are X, class codes and weights; None if only the statistic is left of them.
    """

    def _is_plain(self):
        """Whether the covariance comes from the scatter alone."""
        return self.covariance_estimator is None and self.shrinkage != "auto"

    def _averages_by_priors(self):
        """Whether class covariances are averaged with the given priors, as scikit-learn does with these solvers."""
        return self.priors is not None and self.cov_divisor == "auto" and self.solver in ("lsqr", "eigen")

    def _divisor(self, statistic):
        return statistic.total_weight - (statistic.n_present if self.cov_divisor == "n-k" else 0.0)

    def _covariance(self, statistic, priors, rows):
        """Covariance within the classes."""
        if not self._is_plain():
            X, codes, weights = rows
            each = class_covariances_by(X, codes, weights, len(priors), self.covariance_estimator)
            shares = priors if self.cov_divisor == "auto" else statistic.counts / statistic.total_weight
            return np.tensordot(shares, each, 1) * (statistic.total_weight / self._divisor(statistic))
        left = self._divisor(statistic)
        if left <= 0:
            raise ValueError(_TOO_FEW_ROWS)
        if len(statistic.scatter) > 1:
            S = np.tensordot(priors, np.nan_to_num(statistic.class_covariances()), 1)
        else:
            S = statistic.within() / left
        require_finite(S)
        return S if not self.shrinkage else shrunk(S, self.shrinkage, self.shrinkage_target)

    def _sphere(self, S, statistic, priors, rows, dtype):
        """Sphering of the covariance, with the remedy if it is singular; stores the covariance."""
        scaled = self.solver != "lsqr"
        tol = self.tol if self.solver == "svd" else 0.0
        sphering = sphere(S, tol=tol, scaled=scaled, dtype=dtype)
        if sphering.rank < len(S):
            S, sphering = self._mend(S, sphering, statistic, priors, rows, dtype)
        if self.solver != "svd" or self.store_covariance:
            self.covariance_ = S.astype(dtype)
        return sphering

    def _mend(self, S, sphering, statistic, priors, rows, dtype):
        rank, p = sphering.rank, len(S)
        if self.on_singular == "raise":
            raise linalg.LinAlgError(
                f"The within-class scatter is singular: rank {rank} of {p} columns. Use `shrinkage`, or another value "
                "of `on_singular`."
            )
        if self.on_singular == "between":
            warn_singular(self, rank, p, _PROJECTED)
            basis = between_basis(statistic.means, statistic.counts / statistic.total_weight)
            inner = sphere(basis.T @ S @ basis, tol=self.tol, dtype=dtype)
            return S, Sphering(basis @ inner.W, inner.log_det)
        if self.on_singular == "shrink":
            X, codes, weights = rows
            amount = ledoit_wolf_amount(X - statistic.means[codes], weights, assume_centered=True)
            warn_singular(self, rank, p, f"The covariance was shrunk by {amount:.3g} (Ledoit and Wolf).")
            S = shrunk(S, amount, self.shrinkage_target)
            return S, sphere(S, dtype=dtype)
        warn_singular(self, rank, p, _IGNORED, separating_columns(statistic, np.diagonal(S)))
        return S, sphering

    def _sphere_wide(self, statistic, rows, priors):
        """Sphering by the singular values of the centred rows, if there are fewer rows than columns."""
        X, codes, weights = rows
        left = self._divisor(statistic)
        if left <= 0:
            raise ValueError(_TOO_FEW_ROWS)
        if self.shrinkage or self.on_singular in ("shrink", "raise"):
            return self._sphere_full(statistic, rows, priors)
        Z = X.astype(np.float64) - statistic.means[codes]
        if weights is not None:
            Z *= np.sqrt(weights.astype(np.float64))[:, None]
        Z /= np.sqrt(left)
        spread = np.sqrt(np.einsum("ij,ij->j", Z, Z))
        scale = np.where(spread > 0, spread, 1.0)
        tol = max(self.tol if self.solver == "svd" else 0.0, 1e-6 if X.dtype == np.float32 else 0.0)
        if self.on_singular == "between":
            basis = between_basis(statistic.means, statistic.counts / statistic.total_weight)
            warn_singular(self, min(Z.shape), X.shape[1], _PROJECTED)
            B = Z @ basis
            inner = sphere(B.T @ B, tol=self.tol)
            sphering = Sphering(basis @ inner.W, inner.log_det)
        else:
            sphering = sphere_rows(Z, scale, tol=tol)
            warn_singular(self, sphering.rank, X.shape[1], _IGNORED, separating_columns(statistic, spread**2))
        if self.solver != "svd" or self.store_covariance:
            self.covariance_ = Z.T @ Z
        return sphering

    def _sphere_full(self, statistic, rows, priors):
        """Sphering with shrinkage if there are fewer rows than columns, which needs the whole matrix."""
        X, codes, weights = rows
        statistic = ClassScatter.from_block(X, codes, weights, n_classes=len(priors), pooled=True)
        self.scatter_ = statistic.within()
        return self._sphere(self._covariance(statistic, priors, rows), statistic, priors, rows, X.dtype)
