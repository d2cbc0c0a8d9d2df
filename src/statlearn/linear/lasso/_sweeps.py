"""Plain cyclic coordinate descent on cross-products, with the objective after every sweep."""

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core.warnings import MAX_ITER, OK

from ._solver import PathFits


def sweep_targets(rows, targets, l1, l2, factor, start, solver):
    """The fits of all targets, and for each the values of RSS/2 + sum factor (l1 |w| + l2/2 w^2), from the start on."""
    G, C, norms = rows.cross_products(targets.T)
    factor = np.ones(rows.p) if factor is None else factor
    problems = [
        Sweeps(G, c, norm, l1 * factor, l2 * factor, solver) for c, norm in zip(C.T, np.diag(np.atleast_2d(norms)))
    ]
    starts = np.zeros((len(targets), rows.p)) if start is None else start
    results = [problem.run(np.array(w, dtype=np.float64)) for problem, w in zip(problems, starts)]
    coef, gap, status, histories = zip(*results)
    n_iter = np.array([[len(history) - 1] for history in histories], dtype=np.int32)
    return PathFits(np.array(coef)[:, None], np.array(gap)[:, None], n_iter, np.array(status)), histories


class Sweeps:
    """One target: minimises norm/2 - c'w + w'Gw/2 + sum_j (l1_j |w_j| + l2_j/2 w_j^2)."""

    def __init__(self, G, c, norm, l1, l2, solver):
        self.G, self.c, self.norm, self.l1, self.l2, self.solver = G, c, norm, l1, l2, solver
        self.curvature = np.diag(G) + l2
        self.rng = check_random_state(solver.random_state) if solver.selection == "random" else None

    def run(self, w):
        """Sweep from w until the gap is at most tol times the objective at 0: (w, gap, status, objectives)."""
        goal = 0.5 * self.solver.tol * self.norm
        w[self.curvature == 0.0] = 0.0
        history = [self.objective(w)]
        for _ in range(int(self.solver.max_iter)):
            self.sweep(w)
            history.append(self.objective(w))
            gap = self.gap(w)
            if gap <= goal or not np.isfinite(gap):
                return w, gap, OK, np.array(history)
        return w, gap, MAX_ITER, np.array(history)

    def sweep(self, w):
        """One update of every coordinate in turn, or of as many drawn at random."""
        p = len(w)
        pull = self.c - self.G @ w  # X'r
        for j in range(p) if self.rng is None else self.rng.randint(p, size=p):
            if self.curvature[j] == 0.0:
                continue
            z = pull[j] + self.G[j, j] * w[j]
            size = max((z if self.solver.positive else abs(z)) - self.l1[j], 0.0)
            new = np.copysign(size, z) / self.curvature[j]
            if new != w[j]:
                pull -= self.G[j] * (new - w[j])
                w[j] = new

    def rss(self, w):
        return max(self.norm + w @ (self.G @ w - 2.0 * self.c), 0.0)

    def objective(self, w):
        return 0.5 * self.rss(w) + self.l1 @ np.abs(w) + 0.5 * self.l2 @ w**2

    def gap(self, w):
        """The duality gap of the compiled solver, see native/linear/duality_gap.hpp."""
        l1, l2, positive = self.l1, self.l2, self.solver.positive
        g = self.c - self.G @ w
        h = g - l2 * w
        bound, ridge = l1 > 0, (l1 == 0) & (l2 > 0)
        free = (l1 == 0) & (l2 == 0) & (np.diag(self.G) > 0)
        size = h[bound] if positive else np.abs(h[bound])
        scale = min(1.0, 1.0 / max((size / l1[bound]).max(initial=1.0), 1.0))
        total = 0.5 * (1.0 - scale) ** 2 * (self.rss(w) + np.sum((l2 * w**2)[bound]))
        total += np.sum((l1 * np.abs(w) - scale * w * h)[bound])
        pulled = np.maximum(scale * g, 0.0) if positive else scale * g
        total += np.sum((0.5 * l2 * w**2 - scale * w * g + pulled**2 / (2.0 * np.where(ridge, l2, 1.0)))[ridge])
        norms = np.where(free, np.diag(self.G), 1.0)
        pull = np.maximum(g, 0.0) if positive else np.abs(g)
        return float(total + np.sum((scale * (pull * (np.abs(w) + pull / norms) - w * g))[free]))
