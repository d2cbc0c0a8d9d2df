"""Penalised logistic and multinomial losses: value, gradient and Hessian from native kernels.

Everything is a weighted mean: with S the sum of the weights s_i,

    F(W, b) = (1/S) sum_i s_i loss_i + (l2 / 2) ||W||^2,   intercepts free.

The solvers see parameters phi = (slopes, intercept at the middle of the data), one row per class. The shift avoids the
loss of accuracy with columns far from zero. `to_plain` returns the usual intercept.
"""

import numpy as np

from statlearn._math.rows.linear_scores import linear_scores
from statlearn._math.rows.rows import Rows

_NONE = np.empty(0)
_NO_HESSIAN = np.empty((0, 0))


class LogisticLoss:
    """One data set with its classes, weights, offset and L2 penalty.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, p), float64 or float32
    codes : ndarray of int of shape (n,)
        Class numbers. With two classes one row of parameters describes the log-odds of class 1.
    n_classes : int
    weights : ndarray of shape (n,) or None, default=None
    offset : ndarray of shape (n,) or (n, n_classes), or None, default=None
    l2 : float, default=0.0
    fit_intercept : bool, default=True
    fixed_last : bool, default=False
        With more than two classes, fix the parameters of the last class at 0.
    """

    in_blocks = False  # a subclass sums over blocks of rows that are not in memory

    def __init__(self, X, codes, n_classes, *, weights=None, offset=None, l2=0.0, fit_intercept=True, fixed_last=False):
        self.X, self.codes, self.n_classes = X, codes, n_classes
        self.weights = _NONE if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        self.offset = _NONE if offset is None else np.ascontiguousarray(offset, dtype=np.float64).ravel()
        self.total = float(X.shape[0] if weights is None else self.weights.sum())
        self.l2, self.fit_intercept = l2, fit_intercept
        self.q = X.shape[1] + fit_intercept
        self.binary = n_classes == 2
        self.n_rows = 1 if self.binary else n_classes - fixed_last
        self.shape = (self.n_rows, self.q)
        self.rows = Rows(X)
        self.shift = self.rows.middle() if fit_intercept else np.zeros(X.shape[1])
        self._target = np.where(codes == 1, 1.0, -1.0) if self.binary else np.ascontiguousarray(codes, dtype=np.intc)
        # Slopes are penalised, intercepts are not.
        self._penalised = np.ones(self.q)
        if fit_intercept:
            self._penalised[-1] = 0.0

    # --- parameters -------------------------------------------------------------------------------------------------

    def to_plain(self, phi):
        """Slopes and the intercept at x = 0."""
        theta = phi.copy()
        if self.fit_intercept:
            theta[:, -1] -= phi[:, :-1] @ self.shift
        return theta

    def from_plain(self, theta):
        """The inverse of `to_plain`."""
        phi = theta.copy()
        if self.fit_intercept:
            phi[:, -1] += theta[:, :-1] @ self.shift
        return phi

    def plain_gradient(self, gradient):
        """The gradient with respect to the plain parameters."""
        if not self.fit_intercept:
            return gradient
        plain = gradient.copy()
        plain[:, :-1] += gradient[:, -1:] * self.shift
        return plain

    # --- the function -----------------------------------------------------------------------------------------------

    def value_and_gradient(self, phi):
        """F and its gradient, one pass over X."""
        theta = self.to_plain(phi)
        if self.binary:
            gradient = np.empty(self.q)
            loss = self._run("logistic_pass", self._target, self.weights, self.offset, theta[0], gradient, _NO_HESSIAN)
            gradient = gradient[None]
        else:
            full = np.zeros((self.n_classes, self.q))
            full[: self.n_rows] = theta
            gradient = np.empty_like(full)
            loss = self._run("multinomial_pass", self._target, self.weights, self.offset, full, gradient)
            gradient = gradient[: self.n_rows]
        return self._with_penalty(loss, gradient, phi)

    def value_gradient_hessian(self, phi):
        """F, gradient and the full Hessian (parameters class by class)."""
        if not self.binary:
            return *self.value_and_gradient(phi), self._full_hessian(phi)
        gradient, hessian = np.empty(self.q), np.empty((self.q, self.q))
        loss = self._run(
            "logistic_pass", self._target, self.weights, self.offset, self.to_plain(phi)[0], gradient, hessian
        )
        hessian /= self.total
        hessian[np.diag_indices(self.q)] += self.l2 * self._penalised
        return *self._with_penalty(loss, gradient[None], phi), hessian

    def block_hessians(self, phi):
        """The diagonal blocks of the Hessian, one per row of parameters: (n_rows, q, q)."""
        if self.binary:
            return self.value_gradient_hessian(phi)[2][None]
        blocks = np.empty((self.n_rows, self.q, self.q))
        self._run("multinomial_hessian", self.weights, self.offset, self._padded(phi), True, blocks)
        blocks /= self.total
        blocks[:, np.arange(self.q), np.arange(self.q)] += self.l2 * self._penalised
        return blocks

    def diagonal_bound(self):
        """Upper bound on the diagonal of the Hessian for any parameters: sum_i s_i z_ij^2 / (4 S) + l2."""
        weights = np.full(self.X.shape[0], 1.0 / self.total) if self.weights.size == 0 else self.weights / self.total
        if self.rows.sparse:
            squares = self.X.multiply(self.X).T @ weights
        else:
            squares = np.empty(self.X.shape[1])
            for j in range(0, self.X.shape[1], 64):
                squares[j : j + 64] = weights @ (self.X[:, j : j + 64] - self.shift[j : j + 64]) ** 2
        diagonal = np.append(squares, weights.sum()) if self.fit_intercept else np.asarray(squares, dtype=np.float64)
        return np.tile(0.25 * diagonal + self.l2 * self._penalised, (self.n_rows, 1))

    def margins(self, phi):
        """Margins of the classes of rows with positive weight over each other class, (n, K - 1), without the offset."""
        theta, p = self.to_plain(phi), self.X.shape[1]
        scores = linear_scores(self.X, theta[:, :p], theta[:, p] if self.fit_intercept else 0.0)
        if not self.binary and self.n_rows < self.n_classes:
            scores = np.hstack([scores, np.zeros((len(scores), 1))])
        keep = self.weights > 0 if self.weights.size else slice(None)
        codes, scores = self.codes[keep], scores[keep]
        if self.binary:
            return np.where(codes == 1, scores[:, 0], -scores[:, 0])[:, None]
        correct = scores[np.arange(len(codes)), codes][:, None]
        other = np.ones(scores.shape, dtype=bool)
        other[np.arange(len(codes)), codes] = False
        return (correct - scores)[other].reshape(len(codes), -1)

    def margin_range(self, phi):
        """The smallest and the largest margin; zeros without rows."""
        margins = self.margins(phi)
        return (float(margins.min()), float(margins.max())) if margins.size else (0.0, 0.0)

    def class_totals(self):
        """Sum of the weights of each class."""
        weights = self.weights if self.weights.size else np.ones(self.X.shape[0])
        return np.bincount(self.codes, weights=weights, minlength=self.n_classes)

    def subset(self, rows):
        """The problem on a subset of the rows."""
        offset = None
        if self.offset.size:
            offset = self.offset.reshape(self.X.shape[0], -1)[rows]
        part = LogisticLoss(
            self.X[rows],
            self.codes[rows],
            self.n_classes,
            weights=self.weights[rows] if self.weights.size else None,
            offset=offset,
            l2=self.l2,
            fit_intercept=self.fit_intercept,
            fixed_last=not self.binary and self.n_rows < self.n_classes,
        )
        part.shift[:] = self.shift  # same meaning of phi
        return part

    def _run(self, kernel, *arguments):
        return self.rows.kernel(kernel, by="rows")(self.shift, bool(self.fit_intercept), *arguments)

    def _padded(self, phi):
        full = np.zeros((self.n_classes, self.q))
        full[: self.n_rows] = self.to_plain(phi)
        return full

    def _with_penalty(self, loss, gradient, phi):
        slopes = phi * self._penalised
        gradient = gradient / self.total + self.l2 * slopes
        return loss / self.total + 0.5 * self.l2 * float(np.vdot(slopes, slopes)), gradient

    def _full_hessian(self, phi):
        K, q = self.n_rows, self.q
        pairs = np.empty((K * (K + 1) // 2, q, q))
        self._run("multinomial_hessian", self.weights, self.offset, self._padded(phi), False, pairs)
        hessian = np.empty((K, q, K, q))
        pair = 0
        for k in range(K):
            for m in range(k, K):
                hessian[k, :, m, :] = pairs[pair]
                hessian[m, :, k, :] = pairs[pair]
                pair += 1
        hessian = hessian.reshape(K * q, K * q) / self.total
        hessian[np.diag_indices(K * q)] += np.tile(self.l2 * self._penalised, K)
        return hessian
