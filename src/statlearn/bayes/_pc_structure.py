"""Learning the graph of a discrete network from tests of independence: the PC algorithm."""

from itertools import combinations

import numpy as np
from scipy.special import xlogy
from scipy.stats import chi2

from statlearn._core.params import Int, Real, check_arguments

from ._structure import LARGEST_TABLE, DiscreteData, Structure, meek_rules


def pc_structure(X, *, alpha=0.05, max_conditioning=None, sample_weight=None):
    """Graph by tests of conditional independence (PC algorithm, stable version).

    Starting from the complete graph, an edge is removed if a G-test does not reject the independence of its ends given
    some set of their neighbours, of size 0, 1, 2, ... Collisions are then directed, and Meek's rules applied.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Complete discrete columns.
    alpha : float, default=0.05
        Level of the tests.
    max_conditioning : int or None, default=None
        Largest size of the conditioning sets.
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    Structure
        Directed ``edges``, ``undirected`` ones, and ``separators``. ``to_dag()`` directs all edges.

    Notes
    -----
    Degrees of freedom leave out rows and columns of a table without counts. The result does not depend on the order of
    the columns, apart from conflicting directions, where the first collision is kept. Unmeasured common causes make
    edges that are not there.

    References
    ----------
    Spirtes, P., Glymour, C. & Scheines, R. (2000). Causation, Prediction, and Search. MIT Press.

    Colombo, D. & Maathuis, M. H. (2014). Order-independent constraint-based causal structure learning. JMLR 15.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.bayes import pc_structure
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.integers(0, 2, (2, 2000))
    >>> c = np.where(rng.uniform(size=2000) < 0.9, a | b, 1 - (a | b))
    >>> pc_structure(np.column_stack([a, b, c])).edges
    [('x0', 'x2'), ('x1', 'x2')]
    """
    check_arguments(
        pc_structure,
        alpha=(alpha, [Real(0, 1, closed="neither")]),
        max_conditioning=(max_conditioning, [Int(0, None), None]),
    )
    data = DiscreteData(X, sample_weight, "pc_structure")
    p = len(data.names)
    near = {v: set(range(p)) - {v} for v in range(p)}
    separators, history = {}, []
    size = 0
    while any(len(near[v]) > size for v in near) and (max_conditioning is None or size <= max_conditioning):
        before = {v: sorted(near[v]) for v in near}  # the neighbours at the begin of a level: order does not matter
        for a, b in combinations(range(p), 2):
            if b not in near[a]:
                continue
            sets = {s for v, w in ((a, b), (b, a)) for s in combinations([u for u in before[v] if u != w], size)}
            for chosen in sorted(sets):
                p_value = g_test(data, a, b, chosen)
                history.append((data.names[a], data.names[b], tuple(data.names[u] for u in chosen), p_value))
                if p_value > alpha:
                    near[a].discard(b)
                    near[b].discard(a)
                    separators[frozenset((a, b))] = set(chosen)
                    break
        size += 1
    directed, free = _collisions(p, near, separators)
    directed, free = meek_rules(range(p), directed, free)
    names = data.names
    return Structure(
        names,
        sorted([(names[a], names[b]) for a, b in directed], key=lambda e: (names.index(e[0]), names.index(e[1]))),
        [(names[a], names[b]) for a, b in free],
        history=history,
        separators={tuple(sorted((names[v] for v in pair), key=names.index)): {names[u] for u in separator}
                    for pair, separator in separators.items()},
    )  # fmt: skip


def g_test(data, a, b, given):
    """p-value of the G-test that columns a and b are independent given others."""
    columns = (*given, a, b)
    if data.cells(columns) > LARGEST_TABLE:
        return 1.0  # a table with more cells than rows has no power
    (N,) = data.counts([columns])
    N = N.reshape(-1, data.sizes[a], data.sizes[b])
    rows, cols, total = N.sum(axis=2), N.sum(axis=1), N.sum(axis=(1, 2))
    G = 2 * (xlogy(N, N).sum() - xlogy(rows, rows).sum() - xlogy(cols, cols).sum() + xlogy(total, total).sum())
    df = np.sum(np.maximum((rows > 0).sum(axis=1) - 1, 0) * np.maximum((cols > 0).sum(axis=1) - 1, 0))
    return 1.0 if df == 0 else float(chi2.sf(max(G, 0.0), df))


def _collisions(p, near, separators):
    """Edges into the middle of a - c - b, where a and b are not joined and c does not separate them."""
    directed = {}
    for c in range(p):
        for a, b in combinations(sorted(near[c]), 2):
            if b not in near[a] and c not in separators.get(frozenset((a, b)), ()):
                for u in (a, b):
                    if (c, u) not in directed:
                        directed[(u, c)] = None
    free = [
        (a, b) for a in range(p) for b in sorted(near[a]) if a < b and (a, b) not in directed and (b, a) not in directed
    ]
    return list(directed), free
