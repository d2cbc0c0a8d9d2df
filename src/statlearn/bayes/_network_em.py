"""Learning of the tables of a network: counts of complete rows, and EM with missing values."""

import math
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from statlearn._core.warnings import warn

from ._network_arrays import COMPLETIONS, NetworkLayout, distinct_rows, expected_counts
from ._network_inference import all_states, refuse_impossible_row


class TableLearning:
    """Fits `tables_` to codes of the states, for a network whose nodes, parents and states are set."""

    def _fit_codes(self, codes, weights):
        place = {v: k for k, v in enumerate(self.nodes_)}
        layout = NetworkLayout(
            [len(self.states_[v]) for v in self.nodes_], [[place[u] for u in self.parents_[v]] for v in self.nodes_]
        )
        rows, counts = distinct_rows(codes, weights, layout.sizes)
        whole = np.all(rows >= 0, axis=1)
        uniform = layout.normalised(np.zeros(int(layout.table_start[-1])), 1.0)
        everything = _star(len(layout), layout)
        complete, _, _ = expected_counts(layout, uniform, rows[whole], counts[whole], everything)
        if np.all(whole):
            flat = layout.normalised(complete, self.alpha)
            self.n_iter_, self.converged_ = 1, True
            trace = [_log_likelihood(complete, flat)]
        else:
            flat, trace = self._em(layout, complete, rows[~whole], counts[~whole])
        self.tables_ = {v: table.copy() for v, table in zip(self.nodes_, layout.split(flat))}
        self.log_likelihoods_, self.log_likelihood_ = trace, trace[-1]

    def _em(self, layout, complete, rows, weights):
        total = complete[: layout.table_start[1]].sum() + weights.sum()
        flat = self._start(layout)
        tree = self._em_tree(layout, rows)
        trace, objective = [], -np.inf
        self.converged_ = False
        for step in range(self.max_iter + 1):
            counts, log_likelihood, impossible = expected_counts(layout, flat, rows, weights, tree)
            if impossible >= 0:
                raise ValueError(
                    f"A row of X ({self._shown_row(rows[impossible])}) has probability 0 under the start tables; "
                    "give `init` without zeros, or a positive `alpha`."
                )
            log_likelihood += _log_likelihood(complete, flat)
            trace.append(float(log_likelihood))
            with np.errstate(divide="ignore"):
                new = log_likelihood + (self.alpha * np.log(flat).sum() if self.alpha > 0 else 0.0)
            self.n_iter_ = step
            if step > 0 and new - objective <= self.tol * total:
                self.converged_ = True
                break
            if step == self.max_iter:
                warn(
                    f"{type(self).__name__} did not converge: EM stopped after {step} steps, the last of which raised "
                    f"the log-likelihood by {new - objective:.3g}. Increase max_iter, or raise tol.",
                    ConvergenceWarning,
                )
                break
            objective = new
            flat = layout.normalised(complete + counts, self.alpha)
        return flat, trace

    def _em_tree(self, layout, rows):
        """Junction tree for rows with many completions, or a trivial one if no row needs it."""
        logs = np.max((rows < 0) @ np.log(layout.sizes))
        if logs <= np.log(COMPLETIONS) + 1e-9:
            return _star(len(layout), layout)
        return layout.tree(names=self.nodes_, remedy="Drop rows or columns with many missing values, or give the nodes "
                           "fewer parents or states.")  # fmt: skip

    def _start(self, layout):
        rng = check_random_state(self.random_state)
        init = self.init or {}
        for v in init:
            if v not in self.nodes_:
                raise ValueError(f"`init`: {v!r} is not a node.")
        tables = []
        for v, shape in zip(self.nodes_, layout.shapes):
            table = 1.0 + 0.2 * rng.uniform(size=shape)
            tables.append(
                self._checked_table(v, init[v], "init") if v in init else table / table.sum(axis=-1, keepdims=True)
            )
        self._warn_of_symmetry(init)
        return layout.flat(tables)

    def _warn_of_symmetry(self, init):
        """Warn if `init` treats all states of a latent node alike, because EM cannot leave such a start."""
        for h in self.latent or ():
            children = [v for v in self.nodes_ if h in self.parents_[v]]
            if len(self.states_[h]) < 2 or not children or not all(v in init for v in children):
                continue
            spread = [np.ptp(np.asarray(init[v], dtype=float), axis=self.parents_[v].index(h)) for v in children]
            if all(np.max(each) == 0.0 for each in spread):
                warn(
                    f"`init`: the tables of {', '.join(map(repr, children))} are the same for all states of the latent "
                    f"node {h!r}, and EM cannot tell these states apart: they remain the same. Give them different "
                    "tables, or leave the tables out of `init` to start at random.",
                    ConvergenceWarning,
                )

    def _shown_row(self, row):
        return ", ".join(f"{v}={self.states_[v][k]!r}" for v, k in zip(self.nodes_, row) if k >= 0)


def _star(n, layout):
    """Tree of one clique with all nodes, for kernels that do not use it."""
    members = np.arange(n, dtype=np.int32)
    zero = np.zeros(1, dtype=np.int32)
    return np.array([0, n], dtype=np.int32), members, zero - 1, zero, np.zeros(n, dtype=np.int32)


def _log_likelihood(counts, flat):
    seen = counts > 0
    with np.errstate(divide="ignore"):
        return float(counts[seen] @ np.log(flat[seen]))


@dataclass
class CompletedRows:
    """Result of :func:`expand_incomplete`.

    Parameters
    ----------
    rows : ndarray of object of shape (n_completions, n_nodes)
    weights : ndarray of shape (n_completions,)
        Posterior probability of each completion times the weight of its row.
    source : ndarray of int of shape (n_completions,)
        Number of the row of X that each completion belongs to.
    columns : list
        Names of the nodes.
    """

    rows: np.ndarray
    weights: np.ndarray
    source: np.ndarray
    columns: list

    def to_frame(self):
        """As a pandas data frame, with the columns ``weight`` and ``source``."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=self.columns).assign(weight=self.weights, source=self.source)


def expand_incomplete(network, X, sample_weight=None):
    """The E-step table of EM: every incomplete row replaced by its completions, weighted by their probabilities.

    Parameters
    ----------
    network : DiscreteBayesianNetwork
        A fitted network.
    X : array-like or data frame
        Rows with missing values.
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    CompletedRows
        With ``rows``, ``weights`` and the number of the ``source`` row; complete rows keep their weight.

    Examples
    --------
    >>> import pandas as pd
    >>> from statlearn.bayes import DiscreteBayesianNetwork, expand_incomplete
    >>> coins = DiscreteBayesianNetwork.from_tables({"a": [0.5, 0.5], "b": [[0.9, 0.1], [0.3, 0.7]]},
    ...     {"a": [0, 1], "b": [0, 1]}, {"b": ["a"]})
    >>> expand_incomplete(coins, pd.DataFrame({"a": [None, 1], "b": [0, 1]})).weights.round(3).tolist()
    [0.75, 0.25, 1.0]
    """
    codes = network._codes(X)
    layout, flat, _ = network._layout()
    weights = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    cells = sum(math.prod(int(s) for s in layout.sizes[row < 0]) for row in codes)
    if cells * len(layout) > 10**8:
        number = f"{cells:,}" if cells < 10**15 else f"about 10^{math.floor(math.log10(cells))}"
        raise MemoryError(f"`X` has {number} completions; pass fewer rows, or rows with fewer missing values.")
    tables = layout.split(flat)
    rows, shares, source = [], [], []
    for i, row in enumerate(codes):
        gone = np.flatnonzero(row < 0)
        block = np.tile(row, (math.prod(int(s) for s in layout.sizes[gone]), 1))
        block[:, gone] = all_states([int(s) for s in layout.sizes[gone]])
        p = np.ones(len(block))
        for v, table in enumerate(tables):
            p *= table[tuple(block[:, u] for u in (*layout.parents[v], v))]
        refuse_impossible_row(np.arange(i + 1) == i if not p.sum() > 0 else ())
        rows.append(block)
        shares.append(weights[i] * p / p.sum() if len(gone) else np.full(1, weights[i]))
        source.append(np.full(len(block), i))
    return CompletedRows(
        network._decoded(np.concatenate(rows)), np.concatenate(shares), np.concatenate(source), list(network.nodes_)
    )
