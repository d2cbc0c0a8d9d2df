"""Discrete Bayesian networks: tables, exact inference, sampling, and EM with missing values."""

import math
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.graphs import CycleError, Digraph
from statlearn._core.params import Instance, Int, Real, check_params
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import check_weights, validate_data
from statlearn._core.warnings import warn

from ._engine import COMPLETIONS, Layout, distinct_rows, expected_counts, propagate
from ._states import encode_column, find_states, plain, shown

# Below this many joint states of the hidden nodes, enumeration is as fast as a junction tree.
_ENUMERATED = 4096


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


class DiscreteBayesianNetwork(BaseEstimator):
    r"""Bayesian network of discrete nodes.

    The joint probability is the product of one table per node, :math:`\prod_v P(x_v \mid x_{pa(v)})`. With complete
    data the tables are (weighted) relative frequencies. With missing values or latent nodes, EM maximises

    .. math:: \sum_i s_i \log \sum_{\text{completions}} \prod_v P(x_v \mid x_{pa(v)})
              \; [+ \alpha \sum_v \sum \log P(x_v \mid x_{pa(v)})]

    a sum over rows of weight :math:`s_i`. Each step replaces a row by its completions, weighted by their posterior
    probabilities.

    Parameters
    ----------
    edges : list of (parent, child), default=()
        Names of columns (``"x0"``, ``"x1"``, ... for arrays). Columns without an edge are independent of all others.
    states : dict or None
        States of some nodes by name; others are found in the data, in sorted order.
    latent : dict or None
        Unobserved nodes: the number of states, or the list of states, by name.
    alpha : float, default=0.0
        Pseudo-count of every cell of the tables (a Dirichlet prior).
    init : dict or None
        Start tables of EM by name, with one axis per parent and the node's own axis last. Other tables start near
        uniform, at random.
    tol : float, default=1e-6
        EM stops when the objective rises by less than this per unit of weight in one step.
    max_iter : int, default=500
        Maximum number of EM steps.
    random_state : int, RandomState or None
        For the start tables.

    Attributes
    ----------
    nodes_ : list
        All nodes: the columns of X, then the latent nodes.
    states_ : dict of lists
    parents_ : dict of lists
    tables_ : dict of ndarray
        Conditional tables, with one axis per parent and the node's own axis last.
    log_likelihood_ : float
        Of the data, without the prior.
    log_likelihoods_ : list of float
        At the start of EM and after each step.
    n_iter_ : int
        Number of EM steps; 1 for complete data, where one step is exact.
    converged_ : bool
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    hill_climb_structure, chow_liu_structure, pc_structure : learn the edges.
    BayesianNetworkClassifier : a network as a classifier.

    Notes
    -----
    Exact inference uses a junction tree with a min-fill elimination order; small problems are enumerated. Its cost is
    exponential in the size of the largest clique, and a network that is too wide is refused with that size. EM treats
    equal rows once, and sums a group of missing values that share tables directly if it has few completions.

    EM finds a local maximum, and a symmetric start (all states of a latent node alike) is a fixed point: give other
    start tables, or leave them to chance. Values must be missing at random; no estimate here corrects for values that
    are lost because of what they are.

    References
    ----------
    Koller, D. & Friedman, N. (2009). Probabilistic Graphical Models. MIT Press.

    Lauritzen, S. L. (1995). The EM algorithm for graphical association models with missing data. Computational
    Statistics & Data Analysis 19, 191-201.

    Examples
    --------
    >>> import pandas as pd
    >>> from statlearn.bayes import DiscreteBayesianNetwork
    >>> data = pd.DataFrame({"rain": ["no", "no", "yes", "yes", "no"], "wet": ["no", "no", "yes", None, "yes"]})
    >>> network = DiscreteBayesianNetwork([("rain", "wet")], alpha=1.0, tol=1e-10).fit(data)
    >>> {state: round(p, 3) for state, p in network.query("rain", {"wet": "yes"}).to_dict().items()}
    {'no': 0.444, 'yes': 0.556}
    """

    _constraints = {
        "edges": ["array-like"],
        "states": [Instance(dict), None],
        "latent": [Instance(dict), None],
        "alpha": [Real(0, None)],
        "init": [Instance(dict), None],
        "tol": [Real(0, None)],
        "max_iter": [Int(1, None)],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        edges=(),
        *,
        states=None,
        latent=None,
        alpha=0.0,
        init=None,
        tol=1e-6,
        max_iter=500,
        random_state=None,
    ):
        self.edges = edges
        self.states = states
        self.latent = latent
        self.alpha = alpha
        self.init = init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    # Construction ----------------------------------------------------------------------------------------------------

    @classmethod
    def from_tables(cls, tables, states, parents=None):
        """A network with given tables.

        Parameters
        ----------
        tables : dict of array-like
            By node, with one axis per parent and the node's own axis last; every row sums to 1.
        states : dict of lists
            States of every node.
        parents : dict of lists or None
            Parents of each node in the order of the axes; nodes left out have none.

        Returns
        -------
        DiscreteBayesianNetwork
            A fitted network.
        """
        parents = {} if parents is None else parents
        nodes = list(states)
        for what, given in (("tables", tables), ("parents", parents)):
            for node in given:
                if node not in states:
                    raise ValueError(f"`{what}`: {node!r} has no entry in `states`.")
        if set(tables) != set(nodes):
            raise ValueError(f"`tables`: the table of {next(n for n in nodes if n not in tables)!r} is missing.")
        edges = [(u, v) for v in nodes for u in parents.get(v, ())]
        self = cls(edges, states=dict(states))
        self._set_structure(nodes, edges, {v: list(parents.get(v, ())) for v in nodes}, states)
        self.tables_ = {v: self._checked_table(v, tables[v], "tables") for v in nodes}
        self.n_iter_, self.converged_ = 0, True
        return self

    def _set_structure(self, nodes, edges, parents, states):
        graph = Digraph(nodes, edges)
        cycle = graph.find_cycle()
        if cycle is not None:
            raise CycleError(cycle, "`edges`")
        self.nodes_, self.parents_ = list(nodes), parents
        self.states_ = {v: [plain(s) for s in states[v]] for v in nodes}
        for v, own in self.states_.items():
            if not own or len(set(own)) < len(own):
                raise ValueError(f"`states` of {v!r} must be distinct, and at least one, got {shown(own)}.")

    def _checked_table(self, v, table, argument):
        table = np.array(table, dtype=np.float64)
        shape = tuple(len(self.states_[u]) for u in (*self.parents_[v], v))
        if table.shape != shape:
            axes = ", ".join(map(str, (*self.parents_[v], v)))
            raise ValueError(
                f"`{argument}`: the table of {v!r} must have the shape {shape} ({axes}), got {table.shape}."
            )
        if np.any(table < 0) or not np.allclose(table.sum(axis=-1), 1.0, atol=1e-6):
            raise ValueError(
                f"`{argument}`: the table of {v!r} must contain probabilities that sum to 1 over its states."
            )
        total = table.sum(axis=-1, keepdims=True)
        return np.where(np.abs(total - 1.0) < 1e-12, table, table / total)

    def graph(self):
        """The directed graph."""
        check_is_fitted(self, "tables_")
        return Digraph(self.nodes_, [(u, v) for v in self.nodes_ for u in self.parents_[v]])

    def _layout(self):
        """Flat arrays for the kernels, and the position of each node; not part of the fitted state."""
        check_is_fitted(self, "tables_")
        cached = self.__dict__.get("_cache")
        if cached is None or cached[2] is not self.tables_:
            place = {v: k for k, v in enumerate(self.nodes_)}
            layout = Layout(
                [len(self.states_[v]) for v in self.nodes_], [[place[u] for u in self.parents_[v]] for v in self.nodes_]
            )
            flat = layout.flat([self.tables_[v] for v in self.nodes_])
            cached = self._cache = (layout, flat, self.tables_, place)
        return cached[0], cached[1], cached[3]

    def __getstate__(self):
        return {name: value for name, value in super().__getstate__().items() if name != "_cache"}

    # Learning --------------------------------------------------------------------------------------------------------

    def _read(self, X, *, reset=False, **options):
        return validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=reset, **options)

    def _column_names(self, X):
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(X.shape[1])] if names is None else [plain(n) for n in names]

    def fit(self, X, y=None, sample_weight=None):
        """Estimate the tables.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            One column per observed node, of numbers or text; NaN or None marks missing values.
        y : Ignored
        sample_weight : array-like of shape (n_samples,) or None
            A weight of k is equivalent to k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        X = self._read(X, reset=True)
        weights = check_weights(sample_weight, np.empty((X.shape[0], 0)))
        if weights is not None:
            X, weights = X[weights > 0], weights[weights > 0].astype(np.float64)
        names = self._column_names(X)
        self._columns = names
        latent = self.latent or {}
        for v in latent:
            if v in names:
                raise ValueError(f"`latent`: {v!r} is a column of X; leave it out of X, or out of `latent`.")
        nodes = [*names, *latent]
        given = self.states or {}
        for v in given:
            if v not in nodes:
                raise ValueError(f"`states`: {v!r} is not a column of X.")
        states = {}
        for j, v in enumerate(names):
            states[v] = list(given[v]) if v in given else find_states(X[:, j], v)
        for v, own in latent.items():
            states[v] = list(range(own)) if isinstance(own, (int, np.integer)) else list(own)
        try:
            edges = [tuple(plain(v) for v in edge) for edge in self.edges]
            graph = Digraph(nodes, edges)
        except (ValueError, TypeError) as error:
            raise ValueError(f"`edges` must be pairs of column names: {error}") from None
        self._set_structure(nodes, edges, {v: list(graph.parents[v]) for v in nodes}, states)
        codes = np.full((len(X), len(nodes)), -1, dtype=np.int32)
        for j, v in enumerate(names):
            codes[:, j] = encode_column(X[:, j], self.states_[v], v)
        self._fit_codes(codes, weights)
        return self

    def _fit_codes(self, codes, weights):
        place = {v: k for k, v in enumerate(self.nodes_)}
        layout = Layout(
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
        """A tree for rows with many completions, or a harmless one if no row needs it."""
        logs = np.max((rows < 0) @ np.log(layout.sizes))
        if logs <= np.log(COMPLETIONS) + 1e-9:
            return _star(len(layout), layout)
        return layout.tree(names=self.nodes_)

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
        return layout.flat(tables)

    def _shown_row(self, row):
        return ", ".join(f"{v}={self.states_[v][k]!r}" for v, k in zip(self.nodes_, row) if k >= 0)

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
        evidence : dict or None
            Observed states by node.

        Returns
        -------
        dict of ndarray
        """
        layout, flat, _ = self._layout()
        row = self._evidence(evidence)
        logs, found = propagate(layout, flat, row[None], self._tree(row))
        if np.isneginf(logs[0]):
            raise self._impossible(evidence)
        cuts = np.cumsum(layout.sizes)[:-1]
        return dict(zip(self.nodes_, np.split(found[0], cuts)))

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
        evidence : dict or None
            Observed states by node.
        method : {"auto", "enumeration", "junction_tree", "sampling"}, default="auto"
            "auto" enumerates small problems and uses the junction tree otherwise. "sampling" is likelihood weighting.
        n_samples : int, default=10000
            Number of samples of "sampling".
        random_state : int, RandomState or None

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
        others = tuple(axis[int(v)] for v in hidden if v not in wanted)
        summed = joint.sum(axis=others)
        kept = [int(v) for v in hidden if v in wanted]
        return np.transpose(summed, [kept.index(v) for v in wanted])

    def _by_tree(self, layout, flat, row, wanted):
        tree = self._tree(row)
        # All states of all but the last wanted node become evidence; the last one is read from the marginals.
        first, last = wanted[:-1], wanted[-1]
        shape = [int(layout.sizes[v]) for v in first]
        if math.prod(shape) > 1_000_000:
            raise MemoryError(f"The joint distribution has {math.prod(shape) * int(layout.sizes[last]):,} cells.")
        rows = np.tile(row, (math.prod(shape), 1))
        rows[:, first] = _grid(shape)
        logs, found = propagate(layout, flat, rows, tree)
        start = int(layout.sizes[:last].sum())
        own = found[:, start : start + int(layout.sizes[last])]
        top = logs.max()
        weights = np.exp(logs - top) if np.isfinite(top) else np.zeros(len(logs))
        return (weights[:, None] * own).reshape([*shape, -1])

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
        logs, found = propagate(layout, flat, rows, layout.tree(names=self.nodes_))
        if np.any(np.isneginf(logs)):
            raise ValueError(f"X: row {int(np.flatnonzero(np.isneginf(logs)[at.ravel()])[0])} has probability 0.")
        start = int(layout.sizes[:v].sum())
        return found[at.ravel(), start : start + int(layout.sizes[v])]

    def most_probable_explanation(self, evidence=None):
        """The most probable joint state of all hidden nodes, given the evidence.

        Parameters
        ----------
        evidence : dict or None

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
        if np.any(np.isneginf(logs)):
            raise ValueError(f"X: row {int(np.flatnonzero(np.isneginf(logs))[0])} has probability 0.")
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
        evidence : dict or None
            Fixed states. The rows then have weights, the probabilities of these states given their parents (likelihood
            weighting).
        return_weights : bool, default=False
            Whether to return the weights, normalised to a mean of 1.
        random_state : int, RandomState or None

        Returns
        -------
        rows : ndarray of object of shape (n_samples, n_nodes)
            One column per node, in the order of `nodes_`.
        weights : ndarray of shape (n_samples,)
            Only if asked for.
        """
        rows, logs = self._draw(self._evidence(evidence), n_samples, random_state)
        decoded = self._decoded(rows)
        if not return_weights:
            return decoded
        if np.isneginf(logs.max()):
            raise self._impossible(evidence)
        weights = np.exp(logs - logs.max())
        return decoded, weights / weights.mean()

    # Structure -------------------------------------------------------------------------------------------------------

    def d_separated(self, a, b, given=()):
        """Whether the graph implies that nodes `a` and `b` are independent given `given`."""
        return self.graph().d_separated(a, b, given)

    def markov_blanket(self, node):
        """Parents, children and the children's other parents of a node, as a list."""
        graph = self.graph()
        return graph.ordered(graph.markov_blanket(node))

    def n_parameters(self):
        """Number of free probabilities."""
        check_is_fitted(self, "tables_")
        return sum(table.size // table.shape[-1] * (table.shape[-1] - 1) for table in self.tables_.values())

    def summary(self):
        """Nodes with their states, parents and numbers of parameters."""
        check_is_fitted(self, "tables_")
        tables = [self.tables_[v] for v in self.nodes_]
        facts = {"n_nodes": len(self.nodes_), "n_edges": sum(map(len, self.parents_.values()))}
        facts["n_parameters"] = self.n_parameters()
        labels = {"n_nodes": "Nodes", "n_edges": "Edges", "n_parameters": "Free parameters"}
        if hasattr(self, "log_likelihood_"):
            facts["log_likelihood"], labels["log_likelihood"] = self.log_likelihood_, "Log-likelihood"
            facts["n_iter"], labels["n_iter"] = self.n_iter_, "EM steps"
        columns = {
            "states": [table.shape[-1] for table in tables],
            "parents": [", ".join(map(str, self.parents_[v])) for v in self.nodes_],
            "parameters": [t.size // t.shape[-1] * (t.shape[-1] - 1) for t in tables],
        }
        return Summary("Discrete Bayesian network", Table([str(v) for v in self.nodes_], columns), facts, labels)

    def plot(self, ax=None, *, node_size=1600):
        """Draw the graph with parents above their children; returns the axes.

        Parameters
        ----------
        ax : matplotlib Axes or None
        node_size : float, default=1600
        """
        from ._network_plot import plot_graph

        check_is_fitted(self, "tables_")
        return plot_graph(self.graph(), ax, node_size=node_size, dashed=set(self.latent or ()))

    def to_bif(self, path=None):
        """The network in the BIF format; written to a file if a path is given, and returned as text."""
        from ._bif import write_bif

        check_is_fitted(self, "tables_")
        return write_bif(self, path)

    @classmethod
    def from_bif(cls, source):
        """Read a network in the BIF format, from a path or from the text itself."""
        from ._bif import read_bif

        return cls.from_tables(*read_bif(source))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _star(n, layout):
    """One clique with all nodes, for kernels that will not propagate on it."""
    members = np.arange(n, dtype=np.int32)
    zero = np.zeros(1, dtype=np.int32)
    return np.array([0, n], dtype=np.int32), members, zero - 1, zero, np.zeros(n, dtype=np.int32)


def _grid(shape):
    """All combinations of states, one per row, the last axis fastest."""
    return np.array(list(np.ndindex(*shape)), dtype=np.int32).reshape(math.prod(shape), len(shape))


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
    sample_weight : array-like of shape (n_samples,) or None

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
        raise MemoryError(f"`X` has {cells:,} completions; pass fewer rows, or rows with fewer missing values.")
    tables = layout.split(flat)
    rows, shares, source = [], [], []
    for i, row in enumerate(codes):
        gone = np.flatnonzero(row < 0)
        block = np.tile(row, (math.prod(int(s) for s in layout.sizes[gone]), 1))
        block[:, gone] = _grid([int(s) for s in layout.sizes[gone]])
        p = np.ones(len(block))
        for v, table in enumerate(tables):
            p *= table[tuple(block[:, u] for u in (*layout.parents[v], v))]
        if not p.sum() > 0:
            raise ValueError(f"X: row {i} has probability 0.")
        rows.append(block)
        shares.append(weights[i] * p / p.sum() if len(gone) else np.full(1, weights[i]))
        source.append(np.full(len(block), i))
    return CompletedRows(
        network._decoded(np.concatenate(rows)), np.concatenate(shares), np.concatenate(source), list(network.nodes_)
    )
