"""Solvers of the non-negative factorisation: coordinate descent, multiplicative updates, projected gradients."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core import native

from ._cells import EPSILON

_SMALL = float(np.finfo(np.float64).eps)
_CHECK_EVERY = 10  # iterations between two looks at the objective


@dataclass
class Penalty:
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
class Plan:
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
    """Sweeps over the coordinates that are worth a product with the table, which costs other / k of a sweep."""
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


def coordinate_descent(cells, W, H, penalty, plan):
    """Frobenius norm, by sweeps over the coordinates of the rows of W and of the columns of H.

    Stops when the sum of the absolute projected gradients, as met in the first sweeps of an iteration, is at most `tol`
    times that of the first iteration.
    """
    k = W.shape[1]
    order = np.arange(k, dtype=np.int32)
    rng = check_random_state(plan.random_state) if plan.shuffle else None
    Ht = np.ascontiguousarray(H.T)
    n, p = cells.shape
    first = 0.0
    for step in range(1, plan.max_iter + 1):
        table = cells.complete(W, H)
        if rng is not None:
            order = rng.permutation(k).astype(np.int32)
        products = table.right(H)
        rounding = _rounding(products)
        violation = _descend(products, H @ H.T, W, penalty.l1_W, penalty.l2_W, _sweeps(p, k), 0.1, order)
        if plan.update_H:
            products = table.left(W)
            rounding += _rounding(products)
            violation += _descend(products, W.T @ W, Ht, penalty.l1_H, penalty.l2_H, _sweeps(n, k), 0.1, order)
            H[:] = Ht.T
        if step == 1:
            first = violation
        if plan.verbose:
            print(f"Iteration {step}: violation {violation / first if first else 0.0:.3e}")
        if violation <= max(plan.tol * first, rounding):
            break
    return step


def _rounding(products):
    """What rounding alone leaves of the gradients."""
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
    ratio = num / np.where(den == 0, EPSILON, den)
    if exponent != 1.0:
        ratio = np.power(ratio, exponent)
    return np.ascontiguousarray(F * ratio, F.dtype)


def multiplicative(cells, W, H, penalty, plan):
    """Any beta divergence, by multiplicative updates.

    Stops when the square root of twice the objective has fallen by less than `tol` times its initial value in ten
    iterations.
    """
    exponent = mm_exponent(cells.beta)

    def size():
        return np.sqrt(2.0 * max(0.0, cells.divergence(W, H)))

    initial = before = size()
    for step in range(1, plan.max_iter + 1):
        W[:] = update_W(cells, W, H, penalty, exponent)
        if cells.beta < 1:
            W[W < _SMALL] = 0.0
        if plan.update_H:
            H[:] = update_H(cells, W, H, penalty, exponent)
            if cells.beta <= 1:
                H[H < _SMALL] = 0.0
        if plan.tol > 0 and step % _CHECK_EVERY == 0:
            now = size()
            if plan.verbose:
                print(f"Epoch {step:02d}: error {now:.6f}")
            if (before - now) <= plan.tol * initial:
                break
            before = now
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
                smaller, kept = not enough, F
            if smaller:
                if enough:
                    F = candidate
                    break
                size *= 0.1
            else:
                if not enough or np.array_equal(kept, candidate):
                    F, size = kept, size * 0.1
                    break
                kept, size = candidate, size * 10.0
        else:
            F = kept
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
