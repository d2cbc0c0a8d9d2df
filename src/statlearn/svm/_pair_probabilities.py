"""Probabilities of several classes from decision values: held-out values and the coupling of pairs of classes."""

import numpy as np
from sklearn.model_selection import StratifiedKFold

from statlearn.svm._solver import classification_dual


def couple_pairs(r):
    """Class probabilities from pairwise ones, of shape (rows, k, k): the second method of Wu, Lin and Weng.

    Minimises the sum over i and j of (r_ji p_i - r_ij p_j)^2 over the simplex; the optimality conditions are linear.
    """
    n, k, _ = r.shape
    Q = -np.transpose(r, (0, 2, 1)) * r
    diagonal = np.arange(k)
    square = np.transpose(r, (0, 2, 1)) ** 2
    square[:, diagonal, diagonal] = 0.0
    Q[:, diagonal, diagonal] = square.sum(axis=2)
    system = np.zeros((n, k + 1, k + 1))
    system[:, :k, :k] = Q
    system[:, :k, k] = system[:, k, :k] = 1.0
    right = np.zeros((n, k + 1, 1))
    right[:, k] = 1.0
    p = np.linalg.solve(system, right)[:, :k, 0]
    p = np.clip(p, 1e-15, None)
    return p / p.sum(axis=1, keepdims=True)


def held_out_values(solver, table, machines, make_dual, level, random_state, n_splits=5):
    """Decision values of every machine on rows that its fit has not seen, by stratified folds.

    `make_dual(rows, y)` builds the problem of a subset, `level(dual, solution)` gives the factor and intercept of its
    function. A machine with a class of fewer than `n_splits` rows uses as many folds as that class has rows; with a
    single row the training values are taken.
    """
    jobs, duals = [], []
    for m, (rows, y) in enumerate(machines):
        folds = min(n_splits, int(np.sum(y > 0)), int(np.sum(y < 0)))
        if folds < 2:
            splits = [(np.arange(rows.size), np.arange(rows.size))]
        else:
            splitter = StratifiedKFold(folds, shuffle=random_state is not None, random_state=random_state)
            splits = splitter.split(np.zeros((rows.size, 1)), y)
        for train, test in splits:
            jobs.append((m, train, test))
            duals.append(make_dual(rows[train], y[train]))
    values = [np.zeros(rows.size) for rows, _ in machines]
    for (m, _, test), dual, solution in zip(jobs, duals, solver(table, duals)):
        factor, intercept = level(dual, solution)
        used = np.flatnonzero(solution.b)
        K = table.values(machines[m][0][test], dual.rows[used])
        values[m][test] = factor * (K @ solution.b[used]) + intercept
    return values


def soft_margin_level(dual, solution):
    """Factor and intercept of the soft margin's function."""
    return 1.0, -solution.level(dual)


def soft_margin_maker(prices):
    """`make_dual` of `held_out_values` for prices C_i by row."""
    return lambda rows, y: classification_dual(rows, y, prices[rows])
