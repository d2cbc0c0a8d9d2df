"""Queries to a network: evidence, marginals by enumeration or junction tree, explanations, likelihoods and samples."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native

from ._network_arrays import propagate
from ._states import encode_column, plain, shown

# Below this many joint states of the hidden nodes, enumeration is as fast as a junction tree.
_ENUMERATED = 4096
_SMALL = 1e-100  # joint tables whose largest entry is smaller are rescaled


@dataclass
class Marginal:
    """A joint distribution of some nodes.

    Parameters
    ----------
    variables : list
        Names of the nodes, one per axis.
    states : list of lists
        States of each axis.
    values : ndarray
        Probabilities, which sum to 1.
    """

    variables: list
    states: list
    values: np.ndarray

    def __getitem__(self, key):
        key = key if len(self.variables) > 1 else (key,)
        return float(self.values[tuple(s.index(k) for s, k in zip(self.states, key, strict=True))])

    def to_dict(self):
        """Probabilities by state, or by tuple of states."""
        if len(self.variables) == 1:
            return dict(zip(self.states[0], self.values.tolist()))
        cells = np.ndindex(*self.values.shape)
        return {tuple(s[i] for s, i in zip(self.states, at)): float(self.values[at]) for at in cells}

    def to_frame(self):
        """One row per combination of states, as a pandas data frame."""
        import pandas as pd

        rows = [[s[i] for s, i in zip(self.states, at)] for at in np.ndindex(*self.values.shape)]
        return pd.DataFrame(rows, columns=self.variables).assign(probability=self.values.ravel())


class NetworkInference:
    """Answers from the tables of a network with `nodes_`, `states_` and `_layout()`."""

    # Evidence --------------------------------------------------------------------------------------------------------

    def _codes(self, X):
        """Codes of all nodes for rows of X, -1 for missing values and latent nodes."""
        check_is_fitted(self, "tables_")
        columns = getattr(self, "_columns", None)
        if columns is None:  # made from tables: columns by name
            columns = self.nodes_
            if hasattr(X, "columns"):
                unknown = [c for c in X.columns if c not in self.nodes_]
                if unknown:
                    raise ValueError(f"X: column {unknown[0]!r} is not a node of the network.")
                columns = list(X.columns)
            X = np.asarray(X, dtype=object)
            if X.ndim != 2 or X.shape[1] != len(columns):
                raise ValueError(f"X must have {len(columns)} columns, one per node, got shape {X.shape}.")
        else:
            X = self._read(X)
        codes = np.full((len(X), len(self.nodes_)), -1, dtype=np.int32)
        place = {v: k for k, v in enumerate(self.nodes_)}
        for j, v in enumerate(columns):
            codes[:, place[v]] = encode_column(X[:, j], self.states_[v], v)
        return codes

    def _evidence(self, evidence):
        layout, _, place = self._layout()
        row = np.full(len(layout), -1, dtype=np.int32)
        if not (evidence is None or isinstance(evidence, Mapping)):
            raise TypeError(f"`evidence` must be a dict of states by node, got {evidence!r}.")
        for v, state in (evidence or {}).items():
            if v not in place:
                raise ValueError(f"`evidence`: {v!r} is not a node; the nodes are {shown(self.nodes_)}.")
            if plain(state) not in self.states_[v]:
                raise ValueError(
                    f"`evidence`: {plain(state)!r} is not a state of {v!r}; its states are {shown(self.states_[v])}."
                )
            row[place[v]] = self.states_[v].index(plain(state))
        return row

    def _impossible(self, evidence):
        text = ", ".join(f"{v}={state!r}" for v, state in (evidence or {}).items())
        return ValueError(f"`evidence` ({text}) has probability 0, so there is no posterior.")

    def _tree(self, row):
        layout, _, _ = self._layout()
        return layout.tree(frozenset(np.flatnonzero(row >= 0).tolist()), self.nodes_)

    # Inference -------------------------------------------------------------------------------------------------------

    def marginals(self, evidence=None):
        """Posterior distribution of every node, by the junction tree.

        Parameters
        ----------
        evidence : dict or None, default=None
            Observed states by node.

        Returns
        -------
        dict of ndarray
        """
        layout, flat, _ = self._layout()
        row = self._evidence(evidence)
        logs, posteriors = propagate(layout, flat, row[None], self._tree(row))
        if np.isneginf(logs[0]):
            raise self._impossible(evidence)
        cuts = np.cumsum(layout.sizes)[:-1]
        return dict(zip(self.nodes_, np.split(posteriors[0], cuts)))

    def log_evidence(self, evidence):
        """Log probability of the evidence; -inf if impossible."""
        layout, flat, _ = self._layout()
        row = self._evidence(evidence)
        return float(propagate(layout, flat, row[None], self._tree(row), marginals=False)[0][0])

    def query(self, variables, evidence=None, *, method="auto", n_samples=10_000, random_state=None):
        """Posterior distribution of one or several nodes.

        Parameters
        ----------
        variables : name or list of names
        evidence : dict or None, default=None
            Observed states by node.
        method : {"auto", "enumeration", "junction_tree", "sampling"}, default="auto"
            "auto" enumerates small problems and uses the junction tree otherwise. "sampling" is likelihood weighting.
        n_samples : int, default=10000
            Number of samples of "sampling".
        random_state : int, RandomState or None, default=None

        Returns
        -------
        Marginal
            With ``values``, ``to_dict()`` and ``to_frame()``; ``result["yes"]`` is the probability of one state.
        """
        layout, flat, place = self._layout()
        names = (
            list(variables)
            if isinstance(variables, (list, tuple, set)) and variables not in list(place)
            else [variables]
        )
        row = self._evidence(evidence)
        for v in names:
            if v not in place:
                raise ValueError(f"`variables`: {v!r} is not a node; the nodes are {shown(self.nodes_)}.")
            if row[place[v]] >= 0:
                raise ValueError(f"`variables`: {v!r} is observed in `evidence`.")
        if not names or len(set(names)) < len(names):
            raise ValueError("`variables` must name distinct nodes.")
        wanted = [place[v] for v in names]
        hidden = math.prod(int(s) for s in layout.sizes[row < 0])
        if method == "auto":
            method = "enumeration" if hidden <= _ENUMERATED else "junction_tree"
        if method == "enumeration":
            values = self._enumerate(layout, flat, row, wanted)
        elif method == "junction_tree":
            values = self._by_tree(layout, flat, row, wanted)
        elif method == "sampling":
            values = self._by_sampling(layout, row, wanted, n_samples, random_state)
        else:
            raise ValueError(f"`method` must be 'auto', 'enumeration', 'junction_tree' or 'sampling', got {method!r}.")
        total = values.sum()
        if not total > 0:
            raise self._impossible(evidence)
        return Marginal(names, [self.states_[v] for v in names], values / total)

    def _enumerate(self, layout, flat, row, wanted):
        """Sum of the joint table over all hidden nodes but the wanted ones."""
        hidden = np.flatnonzero(row < 0)
        if math.prod(int(s) for s in layout.sizes[hidden]) > 2**26 or len(hidden) > 60:
            raise MemoryError(
                f"Enumeration of {len(hidden)} hidden nodes has too many joint states; use method='junction_tree'."
            )
        axis = {int(v): k for k, v in enumerate(hidden)}
        joint = np.ones([int(layout.sizes[v]) for v in hidden])
        for v, table in enumerate(layout.split(flat)):
            family = [*layout.parents[v], v]
            factor = table[tuple(slice(None) if row[u] < 0 else row[u] for u in family)]
            free = [u for u in family if row[u] < 0]
            order = np.argsort([axis[u] for u in free], kind="stable")
            shape = np.ones(len(hidden), dtype=int)
            for u in free:
                shape[axis[u]] = layout.sizes[u]
            joint = joint * np.transpose(factor, order).reshape(shape)
            if 0 < (largest := joint.max()) < _SMALL:  # only ratios matter, and products of many tables would underflow
                joint /= largest
        others = tuple(axis[int(v)] for v in hidden if v not in wanted)
        summed = joint.sum(axis=others)
        remaining = [int(v) for v in hidden if v in wanted]
        return np.transpose(summed, [remaining.index(v) for v in wanted])

    def _by_tree(self, layout, flat, row, wanted):
        tree = self._tree(row)
        # All states of all but the last wanted node become evidence; the last one is read from the marginals.
        first, last = wanted[:-1], wanted[-1]
        shape = [int(layout.sizes[v]) for v in first]
        if math.prod(shape) > 1_000_000:
            raise MemoryError(f"The joint distribution has {math.prod(shape) * int(layout.sizes[last]):,} cells.")
        rows = np.tile(row, (math.prod(shape), 1))
        rows[:, first] = all_states(shape)
        logs, posteriors = propagate(layout, flat, rows, tree)
        start = int(layout.sizes[:last].sum())
        marginal = posteriors[:, start : start + int(layout.sizes[last])]
        top = logs.max()
        weights = np.exp(logs - top) if np.isfinite(top) else np.zeros(len(logs))
        return (weights[:, None] * marginal).reshape([*shape, -1])

    def _by_sampling(self, layout, row, wanted, n_samples, random_state):
        rows, logs = self._draw(row, n_samples, random_state)
        top = logs.max()
        weights = np.exp(logs - top) if np.isfinite(top) else np.zeros(len(logs))
        shape = [int(layout.sizes[v]) for v in wanted]
        cell = np.ravel_multi_index(tuple(rows[:, v] for v in wanted), shape)
        return np.bincount(cell, weights, minlength=math.prod(shape)).reshape(shape)

    def posterior(self, X, variable):
        """Posterior of one node for each row of X, given the values that are present.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Values of `variable` itself are ignored.
        variable : name

        Returns
        -------
        ndarray of shape (n_samples, n_states)
        """
        layout, flat, place = self._layout()
        if variable not in place:
            raise ValueError(f"`variable`: {variable!r} is not a node; the nodes are {shown(self.nodes_)}.")
        codes = self._codes(X)
        v = place[variable]
        codes[:, v] = -1
        rows, at = np.unique(codes, axis=0, return_inverse=True)
        logs, posteriors = propagate(layout, flat, rows, layout.tree(names=self.nodes_))
        refuse_impossible_row(np.isneginf(logs)[at.ravel()])
        start = int(layout.sizes[:v].sum())
        return posteriors[at.ravel(), start : start + int(layout.sizes[v])]

    def most_probable_explanation(self, evidence=None):
        """The most probable joint state of all hidden nodes, given the evidence.

        Parameters
        ----------
        evidence : dict or None, default=None

        Returns
        -------
        states : dict
            A state for every node; ties go to the first states.
        log_probability : float
            Joint log probability of these states.
        """
        row = self._evidence(evidence)
        completed, logs = self._explain(row[None])
        if np.isneginf(logs[0]):
            raise self._impossible(evidence)
        return {v: self.states_[v][k] for v, k in zip(self.nodes_, completed[0])}, float(logs[0])

    def _explain(self, rows):
        layout, flat, _ = self._layout()
        rows = np.ascontiguousarray(rows, dtype=np.int32)
        logs, completed = np.empty(len(rows)), np.empty(rows.shape, dtype=np.int32)
        tree = self._tree(rows[0]) if len(rows) == 1 else layout.tree(names=self.nodes_)
        native.bayes.explain(*layout.arrays(flat), *tree, rows, logs, completed)
        return completed, logs

    def impute(self, X):
        """The rows of X with missing values replaced by their jointly most probable states.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of object of shape (n_samples, n_nodes)
            One column per node, in the order of `nodes_`; latent nodes are included.
        """
        completed, logs = self._explain(self._codes(X))
        refuse_impossible_row(np.isneginf(logs))
        return self._decoded(completed)

    def _decoded(self, codes):
        out = np.empty(codes.shape, dtype=object)
        for k, v in enumerate(self.nodes_):
            states = np.empty(len(self.states_[v]), dtype=object)
            states[:] = self.states_[v]
            out[:, k] = states[codes[:, k]]
        return out

    def score_samples(self, X):
        """Log probability of the values that are present in each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        layout, flat, _ = self._layout()
        codes = self._codes(X)
        whole = np.all(codes >= 0, axis=1)
        logs = np.zeros(len(codes))
        with np.errstate(divide="ignore"):
            for v, table in enumerate(layout.split(flat)):
                at = tuple(codes[whole, u] for u in (*layout.parents[v], v))
                logs[whole] += np.log(table[at])
        if not np.all(whole):
            tree = layout.tree(names=self.nodes_)
            logs[~whole] = propagate(layout, flat, codes[~whole], tree, marginals=False)[0]
        return logs

    def score(self, X, y=None):
        """Mean log probability of the rows."""
        return float(np.mean(self.score_samples(X)))

    # Sampling --------------------------------------------------------------------------------------------------------

    def _draw(self, row, n_samples, random_state):
        layout, flat, _ = self._layout()
        if int(n_samples) != n_samples or n_samples < 1:
            raise ValueError(f"`n_samples` must be a positive integer, got {n_samples!r}.")
        seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
        order = np.array(layout.graph().topological_order(), dtype=np.int32)
        rows, logs = np.empty((int(n_samples), len(layout)), dtype=np.int32), np.empty(int(n_samples))
        native.bayes.sample(*layout.arrays(flat), order, row, seed, rows, logs)
        return rows, logs

    def sample(self, n_samples=1, evidence=None, *, return_weights=False, random_state=None):
        """Rows drawn from the network.

        Parameters
        ----------
        n_samples : int, default=1
        evidence : dict or None, default=None
            Fixed states. The rows then have weights, the probabilities of these states given their parents (likelihood
            weighting), and represent the posterior only together with them.
        return_weights : bool, default=False
            Whether to return the weights, normalised to a mean of 1.
        random_state : int, RandomState or None, default=None

        Returns
        -------
        rows : ndarray of object of shape (n_samples, n_nodes)
            One column per node, in the order of `nodes_`.
        weights : ndarray of shape (n_samples,)
            Only if asked for.
        """
        rows, logs = self._draw(self._evidence(evidence), n_samples, random_state)
        if np.isneginf(logs.max()):
            raise self._impossible(evidence)
        decoded = self._decoded(rows)
        if not return_weights:
            return decoded
        weights = np.exp(logs - logs.max())
        return decoded, weights / weights.mean()


def refuse_impossible_row(impossible):
    """Raise if a row of X, marked in `impossible`, has no posterior."""
    if np.any(impossible):
        raise ValueError(
            f"X: row {int(np.argmax(impossible))} has probability 0 under the tables; fit with a positive `alpha`."
        )


def all_states(shape):
    """All combinations of states, one per row, the last axis fastest."""
    return np.array(list(np.ndindex(*shape)), dtype=np.int32).reshape(math.prod(shape), len(shape))
