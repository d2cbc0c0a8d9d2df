"""Solvers of the non-negative factorisation: coordinate descent, multiplicative updates, projected gradients."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core import native
from statlearn._core.blas import single_blas_thread

from ._cells import EPSILON

_SMALL = float(np.finfo(np.float64).eps)
_CHECK_EVERY = 10  # iterations between two looks at the objective
_ENOUGH = (
    0.1  # sweeps over the coordinates of a row end when they change less than this share of what the first one did
)
_MOST_RELAXED = 1.9  # longest step with missing values, in units of the plain one


@dataclass
class FactorPenalty:
    """Penalties l1 |.|_1 + l2 |.|^2 / 2 of the two factors."""

    l1_W: float = 0.0
    l1_H: float = 0.0
    l2_W: float = 0.0
    l2_H: float = 0.0

    def value(self, W, H):
        return (
            self.l1_W * float(W.sum())
            + self.l1_H * float(H.sum())
            + 0.5 * self.l2_W * float(np.sum(W**2))
            + 0.5 * self.l2_H * float(np.sum(H**2))
        )


@dataclass
class SolverSettings:
    """When to stop, and how to go."""

    tol: float
    max_iter: int
    update_H: bool = True
    shuffle: bool = False
    verbose: int = 0
    random_state: object = None


def mm_exponent(beta):
    """Exponent of the multiplicative update that guarantees a decreasing divergence (Fevotte & Idier, 2011)."""
    return 1.0 / (2.0 - beta) if beta < 1 else 1.0 / (beta - 1.0) if beta > 2 else 1.0


def _sweeps(other, k):
    """Number of sweeps worth a product with the table, which costs as much as other / k of a sweep."""
    return int(np.clip(1 + other / (4 * k), 1, 8))


def _descend(products, gram, F, l1, l2, max_sweeps, enough, order):
    return native.decomposition.nmf_coordinate_rows(
        products, np.ascontiguousarray(gram, np.float64), order, l1, l2, max_sweeps, enough, F
    )


def nonnegative_codes(products, gram, l1, l2, tol, max_iter, start=None):
    """Minimises w'(G + l2)w/2 - (a - l1)'w over w >= 0 for each row a of `products`; independent of the other rows."""
    W = np.zeros_like(products) if start is None else start
    order = np.arange(products.shape[1], dtype=np.int32)
    _descend(products, gram, W, l1, l2, max_iter, tol, order)
    return W


def _longer_steps(lacking, length, dtype):
    """Factors that lengthen the steps of rows or columns with missing values; 1 if all or none are missing."""
    steps = np.minimum(length / np.maximum(length - lacking, 1), _MOST_RELAXED)
    return np.where(lacking == length, 1.0, steps).astype(dtype)


class _Alternation:
    """Updates of W, and the products X'W that the update of H needs."""

    def __init__(self, cells, penalty, k):
        self.cells, self.penalty, self.k = cells, penalty, k
        n, p = cells.shape
        self.products = np.empty((p, k), cells.dtype)
        self.before = None  # the objective at the begin of the last iteration
        self.fall = 0.0  # of the objective in the last iteration, relative to its value; known with missing values
        self.relax = False
        if cells.missing:
            holes = np.isnan(cells.X)
            self.row_steps = _longer_steps(holes.sum(axis=1), p, cells.dtype)
            self.column_steps = _longer_steps(holes.sum(axis=0), n, cells.dtype)[:, None]

    def update_W(self, W, H, order, update_H):
        """Updates W in place; returns the violation and the size of rounding errors of the gradients."""
        cells, penalty = self.cells, self.penalty
        sweeps = _sweeps(cells.shape[1], self.k)
        if cells.sparse:
            products = cells.right(H)
            violation = _descend(products, H @ H.T, W, penalty.l1_W, penalty.l2_W, sweeps, _ENOUGH, order)
            if update_H:
                self.products = cells.left(W)
            return violation, _rounding(products)
        at_start = penalty.value(W, H) if cells.missing else 0.0
        row_steps = self.row_steps if self.relax else np.empty(0, cells.dtype)
        violation, size, squares = native.decomposition.nmf_alternating_pass(
            cells.X, H, np.asarray(H @ H.T, np.float64), order, penalty.l1_W, penalty.l2_W, sweeps, _ENOUGH,
            cells.missing, row_steps, W, self.products,
        )  # fmt: skip
        if cells.missing:
            # Steps are lengthened as long as they pay, from the second on. A plain one never raises the objective.
            objective = 0.5 * squares + at_start
            self.fall = np.inf if self.before is None else (self.before - objective) / max(objective, _SMALL)
            self.relax = 0.0 <= self.fall < np.inf
            self.before = objective
        return violation, 10.0 * float(np.finfo(W.dtype).eps) * size

    def update_H(self, W, Ht, order):
        """Update H' in place after `update_W`; returns the violation and the rounding error of the gradients."""
        penalty, relax = self.penalty, self.relax
        before = Ht.copy() if relax else None
        sweeps = _sweeps(self.cells.shape[0], self.k)
        violation = _descend(self.products, W.T @ W, Ht, penalty.l1_H, penalty.l2_H, sweeps, _ENOUGH, order)
        if relax:
            Ht[:] = np.maximum(before + self.column_steps * (Ht - before), 0.0)
        return violation, _rounding(self.products)


def coordinate_descent(cells, W, H, penalty, plan):
    """Frobenius norm, by sweeps over the coordinates of the rows of W and of the columns of H.

    Stops when the sum of the absolute projected gradients, as met in the first sweeps of an iteration, is at most `tol`
    times that of the first iteration. With missing values, the objective must also have fallen by at most `tol` times
    its value in the last iteration.
    """
    k = W.shape[1]
    order = np.arange(k, dtype=np.int32)
    rng = check_random_state(plan.random_state) if plan.shuffle else None
    Ht = np.ascontiguousarray(H.T)
    alternation = _Alternation(cells, penalty, k)
    first = 0.0
    with single_blas_thread():  # cross-products of the factors only
        for step in range(1, plan.max_iter + 1):
            if rng is not None:
                order = rng.permutation(k).astype(np.int32)
            violation, rounding = alternation.update_W(W, H, order, plan.update_H)
            if plan.update_H:
                other = alternation.update_H(W, Ht, order)
                violation, rounding = violation + other[0], rounding + other[1]
                H[:] = Ht.T
            if step == 1:
                first = violation
            if plan.verbose:
                print(f"Iteration {step}: violation {violation / first if first else 0.0:.3e}")
            if violation <= rounding or (violation <= plan.tol * first and alternation.fall <= plan.tol):
                break
    return step


def _rounding(products):
    """Size of the rounding errors of the gradients."""
    return 10.0 * float(np.finfo(products.dtype).eps) * float(np.abs(products).sum(dtype=np.float64))


def update_W(cells, W, H, penalty, exponent):
    """One multiplicative update of W."""
    num, den = cells.sums_right(W, H)
    return _multiplied(W, num, den, penalty.l1_W, penalty.l2_W, exponent)


def update_H(cells, W, H, penalty, exponent):
    """One multiplicative update of H."""
    num, den = cells.sums_left(W, H)
    return _multiplied(H, num, den, penalty.l1_H, penalty.l2_H, exponent)


def _multiplied(F, num, den, l1, l2, exponent):
    if l1 > 0:
        den = den + l1
    if l2 > 0:
        den = den + l2 * F
    return np.ascontiguousarray(F * _ratio(num, den, exponent), F.dtype)


def _ratio(num, den, exponent):
    ratio = num / np.where(den == 0, EPSILON, den)
    return ratio if exponent == 1.0 else np.power(ratio, exponent)


class _Momentum:
    """Extrapolation of one factor along its last change: Nesterov's sequence, in a form that keeps factors positive."""

    def __init__(self, F):
        self.before = F.copy()

    def ahead(self, F, share):
        """The factor, extrapolated by `share` of its last relative change."""
        if share == 0.0:
            return F
        ratio = np.divide(self.before, F, out=np.ones_like(F), where=F > 0)
        gain = share * (np.minimum(ratio, 10.0) - 1.0)
        # Growth is carried on linearly, decline as a quotient, which never reaches 0.
        return np.where(ratio <= 1.0, F * (1.0 - gain), F / (1.0 + np.maximum(gain, 0.0)))


def multiplicative(cells, W, H, penalty, plan):
    """Any beta divergence, by multiplicative updates of extrapolated factors (Hien, Leplat & Gillis, 2024).

    The extrapolation starts again whenever the gradient says that the objective rises along the last change (O'Donoghue
    & Candes, 2015), and if the objective has risen between two looks at it, the iteration returns to the better one and
    continues with plain updates, which never raise it. With ``tol=0`` all updates are plain ones.

    Stops when the square root of twice the objective has fallen by less than `tol` times its initial value in ten
    iterations.
    """
    exponent = mm_exponent(cells.beta)

    def size():
        return np.sqrt(2.0 * max(0.0, cells.divergence(W, H)))

    def step_of(F, momentum, share, sums, l1, l2, least):
        """Updates F in place; returns the slope of the objective along the change."""
        ahead = momentum.ahead(F, share)
        num, den = sums(ahead)
        if l1 > 0:
            den = den + l1
        if l2 > 0:
            den = den + l2 * ahead
        after = _ratio(num, den, exponent)
        after *= ahead
        if least:
            after[after < _SMALL] = 0.0
        slope = float(np.sum((den - num) * (after - F), dtype=np.float64)) if share > 0.0 else 0.0
        momentum.before[:] = F
        F[:] = after
        return slope

    of_W, of_H = _Momentum(W), _Momentum(H)
    initial = before = size()
    best, plain, t = (W.copy(), H.copy()), plan.tol == 0, 1.0
    for step in range(1, plan.max_iter + 1):
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * t * t))
        share = 0.0 if plain else (t - 1.0) / following
        t = following
        slope = step_of(W, of_W, share, lambda F: cells.sums_right(F, H), penalty.l1_W, penalty.l2_W, cells.beta < 1)
        if plan.update_H:
            slope += step_of(
                H, of_H, share, lambda F: cells.sums_left(W, F), penalty.l1_H, penalty.l2_H, cells.beta <= 1
            )
        if slope > 0.0:
            t = 1.0
        if plan.tol > 0 and step % _CHECK_EVERY == 0:
            now = size()
            if plan.verbose:
                print(f"Epoch {step:02d}: error {now:.6f}")
            if now > before and not plain:
                W[:], H[:] = best
                plain = True
                continue
            if (before - now) <= plan.tol * initial:
                break
            before, best = now, (W.copy(), H.copy())
    return step


def _gradient_steps(products, gram, F, l1, l2, steps, size):
    """Projected gradient steps with the decrease rule of Lin (2007); returns F, the step size and |P grad|."""
    gram = gram + l2 * np.eye(len(gram), dtype=gram.dtype)
    norm = 0.0
    for step in range(steps):
        gradient = F @ gram - products + l1
        norm = float(np.linalg.norm(gradient[(gradient < 0) | (F > 0)])) if step == 0 else norm
        smaller = None
        for _ in range(30):
            candidate = np.maximum(F - size * gradient, 0.0)
            change = candidate - F
            enough = 0.99 * float(np.sum(gradient * change)) + 0.5 * float(np.sum((change @ gram) * change)) <= 0
            if smaller is None:
                smaller, accepted = not enough, F
            if smaller:
                if enough:
                    F = candidate
                    break
                size *= 0.1
            else:
                if not enough or np.array_equal(accepted, candidate):
                    F, size = accepted, size * 0.1
                    break
                accepted, size = candidate, size * 10.0
        else:
            F = accepted
    return np.ascontiguousarray(F), size, norm


def projected_gradient(cells, W, H, penalty, plan):
    """Frobenius norm, by projected gradient steps on W and H in turn, with a step size found by backtracking.

    Stops when the norm of the projected gradients is at most `tol` times that of the first iteration.
    """
    size_W = size_H = 1.0
    first = 0.0
    for step in range(1, plan.max_iter + 1):
        table = cells.complete(W, H)
        W[:], size_W, norm = _gradient_steps(table.right(H), H @ H.T, W, penalty.l1_W, penalty.l2_W, 4, size_W)
        if plan.update_H:
            Ht, size_H, other = _gradient_steps(
                table.left(W), W.T @ W, np.ascontiguousarray(H.T), penalty.l1_H, penalty.l2_H, 4, size_H
            )
            H[:] = Ht.T
            norm = np.hypot(norm, other)
        if step == 1:
            first = norm
        if plan.verbose:
            print(f"Iteration {step}: projected gradient {norm / first if first else 0.0:.3e}")
        if norm <= max(plan.tol * first, 10.0 * np.finfo(W.dtype).eps * float(np.linalg.norm(W) * np.linalg.norm(H))):
            break
    return step


SOLVERS = {"cd": coordinate_descent, "mu": multiplicative, "pg": projected_gradient}


def codes_by_updates(cells_of, W, H, penalty, beta, tol, max_iter):
    """Multiplicative updates of W alone. A row stops once no entry changes by more than `tol` of the row's largest.

    Rows do not influence one another. `cells_of(rows)` gives the cells of these rows. Returns W and the number of
    iterations.
    """
    exponent, live, step = mm_exponent(beta), np.arange(W.shape[0]), 0
    active = np.ones(len(live), dtype=bool)  # of the live rows: those that have not stopped
    cells = cells_of(live)
    for step in range(1, max_iter + 1):  # noqa: B007
        before = W[live]
        after = update_W(cells, before, H, penalty, exponent)
        if beta < 1:
            after[after < _SMALL] = 0.0
        W[live[active]] = after[active]
        if tol > 0:
            active &= np.abs(after - before).max(axis=1) > tol * after.max(axis=1)
            if not active.any():
                break
            if active.mean() < 0.7:
                live = live[active]
                active = np.ones(len(live), dtype=bool)
                cells = cells_of(live)
    return W, step
