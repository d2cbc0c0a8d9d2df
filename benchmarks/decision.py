"""Decision processes: the same process, solved to the same error of the values."""

import numpy as np

from benchmarks.case import Case


def _random_process(n, k, branching, seed=0):
    """Rows of `branching` random next states, as matrices per action and as quantecon's pairs of state and action."""
    from scipy import sparse

    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(n * k), branching)
    columns = rng.integers(n, size=n * k * branching)
    shares = rng.dirichlet(np.ones(branching), size=n * k).ravel()
    table = sparse.csr_array((shares, (rows, columns)), shape=(n * k, n))  # row s * k + a
    table.sum_duplicates()
    return dict(indptr=table.indptr, indices=table.indices, data=table.data, R=rng.normal(size=(n, k)))


def _table(indptr, indices, data, R):
    from scipy import sparse

    return sparse.csr_matrix((data, indices, indptr), shape=(R.size, len(R)))


class value_iteration(Case):
    """Random sparse process with a million transitions."""

    size, quick = dict(n=50_000, k=4, branching=5), dict(n=50, k=2, branching=3)
    grow = dict(n=[10_000, 50_000, 250_000])
    goal = dict(quantecon=2)
    accept = dict(error=1e-3)

    def data(n, k, branching):
        return _random_process(n, k, branching)

    def quality(fit, indptr, indices, data, R):
        Q = R + 0.95 * (_table(indptr, indices, data, R) @ fit.V).reshape(R.shape)
        return {"error": float(np.abs(Q.max(axis=1) - fit.V).max() / 0.05)}  # bounds the error of V

    def statlearn(indptr, indices, data, R):
        from statlearn.decision import FiniteMDP, value_iteration

        k = R.shape[1]
        table = _table(indptr, indices, data, R)
        mdp = FiniteMDP([table[a::k] for a in range(k)], R, discount=0.95)
        return dict(V=value_iteration(mdp, tol=1e-4).V)

    def quantecon(indptr, indices, data, R):
        from quantecon.markov import DiscreteDP

        n, k = R.shape
        states, actions = np.repeat(np.arange(n), k), np.tile(np.arange(k), n)
        process = DiscreteDP(R.ravel(), _table(indptr, indices, data, R), 0.95, states, actions)
        return dict(V=process.value_iteration(v_init=np.zeros(n), epsilon=2e-4, max_iter=10_000).v)
