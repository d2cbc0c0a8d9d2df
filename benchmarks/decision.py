"""Decision processes: the same process, solved to the same error of the values."""

import time

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


def _collision(speeds):
    """Collision avoidance on a grid with this many speeds per axis; its explicit transitions fit in memory."""
    from statlearn.decision import CollisionAvoidance

    values = [int(v) for v in np.linspace(-4, 4, int(speeds))]
    grid = {"distance": [-15, -3, 0, 3, 15], "own_speed": values, "intruder_speed": values, "deviation": [-10, 0, 10]}
    return CollisionAvoidance(grid, discount=0.95).build()


class collision(Case):
    """Collision avoidance on two axes; seconds of the solvers alone.

    The fine grid of the example has 9.5 million states, nine actions and 1.3e10 transitions, which only the factored
    process holds. The two programs are compared on grids whose explicit transitions fit in memory.
    """

    size, quick = dict(speeds=3), dict(speeds=2)
    grow = dict(speeds=[2, 3])
    goal = dict(quantecon=2)
    accept = dict(error=2e-2)

    def data(speeds):
        return dict(speeds=np.array(speeds))

    def quality(fit, speeds):
        from statlearn.decision import value_iteration

        return {"error": float(np.abs(value_iteration(_collision(speeds), tol=1e-4).V - fit.V).max())}

    def statlearn(speeds):
        from statlearn.decision import value_iteration

        mdp = _collision(speeds)
        start = time.perf_counter()
        V = value_iteration(mdp, tol=1e-2).V
        return dict(V=V, seconds=time.perf_counter() - start)

    def quantecon(speeds):
        from quantecon.markov import DiscreteDP
        from scipy import sparse

        factored = _collision(speeds)
        n, k = factored.n_states, factored.n_actions
        table = sparse.csr_matrix(factored.to_finite().transitions)  # row s * k + a
        states, actions = np.repeat(np.arange(n), k), np.tile(np.arange(k), n)
        process = DiscreteDP(factored.reward().ravel(), table, 0.95, states, actions)
        start = time.perf_counter()
        V = process.value_iteration(v_init=np.zeros(n), epsilon=2e-2, max_iter=10_000).v
        return dict(V=V, seconds=time.perf_counter() - start)
