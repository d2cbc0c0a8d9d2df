"""The budget form of the soft margin: total slack limited instead of priced."""

import numpy as np

from statlearn.svm._solver import classification_dual

_TRIES = 60


def solve_for_budget(solver, table, machine, bounds, budget):
    r"""The soft margin with :math:`\sum_i s_i\xi_i \le` budget, through the cost C that matches it.

    The total slack never grows with C. C is bracketed by factors of 10 and then found by bisection on its logarithm,
    each fit starting from the last. If even a very large C leaves less slack than the budget on its way down, the
    smallest C that keeps within the budget is taken.

    Returns
    -------
    C : float
    duals : list of one Dual
    solutions : list of one MultiplierSolution
    """
    rows, y = machine
    weights = bounds[rows]
    last = {"C": 1.0, "b": np.zeros(rows.size)}

    def fit(C):
        start = last["b"] * (C / last["C"])  # the bounds and the sum constraint scale with C
        dual = classification_dual(rows, y, C * weights, np.clip(start, -C * weights, C * weights))
        (solution,) = solver(table, [dual])
        last.update(C=C, b=solution.b.copy())
        slack = np.maximum(1.0 - y * (solution.score - solution.level(dual)), 0.0)
        return dual, solution, float(weights @ slack)

    low, high = 1.0, 1.0
    dual, solution, slack = fit(1.0)
    if slack > budget:
        while slack > budget:
            if high >= 1e8:
                raise ValueError(
                    f"budget={budget:g} is too small: the total slack is {slack:.4g} even with C = {high:g}. Raise the "
                    "budget or use a richer kernel."
                )
            low, high = high, 10.0 * high
            dual, solution, slack = fit(high)
    else:
        while slack <= budget and low > 1e-8:
            low, high = 0.1 * low, low
            dual, solution, slack = fit(low)
    best = None
    for _ in range(_TRIES):
        middle = float(np.sqrt(low * high))
        dual, solution, slack = fit(middle)
        if slack <= budget:
            high, best = middle, (middle, dual, solution)
        else:
            low = middle
        if high / low < 1 + 1e-10 or (best is not None and abs(slack - budget) <= 1e-9 * max(budget, 1.0)):
            break
    if best is None:
        dual, solution, slack = fit(high)
        best = high, dual, solution
    C, dual, solution = best
    return C, [dual], [solution]
