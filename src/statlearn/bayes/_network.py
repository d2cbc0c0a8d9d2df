"""Discrete Bayesian networks: structure, tables and their files; learning and inference are in files of their own."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Instance, Int, Real, check_params
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import check_weights, validate_data
from statlearn._math.graphs.graph import CycleError, Digraph

from ._network_arrays import NetworkLayout
from ._network_em import TableLearning
from ._network_inference import NetworkInference
from ._states import encode_column, find_states, plain, shown


def graph_of(nodes, edges, argument):
    """The graph; errors name the argument that the edges come from."""
    try:
        return Digraph(nodes, edges)
    except ValueError as error:
        raise ValueError(str(error).replace("edges: ", f"`{argument}`: ", 1)) from None


class DiscreteBayesianNetwork(TableLearning, NetworkInference, BaseEstimator):
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
    states : dict or None, default=None
        States of some nodes by name; others are found in the data, in sorted order.
    latent : dict or None, default=None
        Unobserved nodes: the number of states, or the list of states, by name.
    alpha : float, default=0.0
        Pseudo-count of every cell of the tables (a Dirichlet prior).
    init : dict or None, default=None
        Start tables of EM by name, with one axis per parent and the node's own axis last. Other tables start near
        uniform, at random.
    tol : float, default=1e-6
        EM stops when the objective rises by less than this per unit of weight in one step.
    max_iter : int, default=500
        Maximum number of EM steps.
    random_state : int, RandomState or None, default=None
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
        parents : dict of lists or None, default=None
            Parents of each node in the order of the axes; nodes left out have none.

        Returns
        -------
        DiscreteBayesianNetwork
            A fitted network.
        """
        parents = {} if parents is None else parents
        nodes = list(states)
        parents = {v: list(each) if not isinstance(each, str) else [each] for v, each in parents.items()}
        for what, mapping in (("tables", tables), ("parents", parents)):
            for node in mapping:
                if node not in states:
                    raise ValueError(f"`{what}`: {node!r} has no entry in `states`.")
        if set(tables) != set(nodes):
            raise ValueError(f"`tables`: the table of {next(n for n in nodes if n not in tables)!r} is missing.")
        edges = [(u, v) for v in nodes for u in parents.get(v, ())]
        self = cls(edges, states=dict(states))
        self._set_structure(nodes, edges, {v: parents.get(v, []) for v in nodes}, states, argument="parents")
        self.tables_ = {v: self._checked_table(v, tables[v], "tables") for v in nodes}
        self.n_iter_, self.converged_ = 0, True
        return self

    def _set_structure(self, nodes, edges, parents, states, *, argument="edges"):
        cycle = graph_of(nodes, edges, argument).find_cycle()
        if cycle is not None:
            raise CycleError(cycle, f"`{argument}`")
        self.nodes_, self.parents_ = list(nodes), parents
        self.states_ = {v: [plain(s) for s in states[v]] for v in nodes}
        for v, names in self.states_.items():
            if not names:
                raise ValueError(f"`states`: {v!r} must have at least one state, got none.")
            if len(set(names)) < len(names):
                raise ValueError(f"`states`: the states of {v!r} must be distinct, got {shown(names)}.")

    def _checked_table(self, v, table, argument):
        try:
            table = np.array(table, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"`{argument}`: the table of {v!r} must be an array of numbers, with rows of equal length."
            ) from None
        shape = tuple(len(self.states_[u]) for u in (*self.parents_[v], v))
        if table.shape != shape:
            axes = ", ".join(map(str, (*self.parents_[v], v)))
            raise ValueError(
                f"`{argument}`: the table of {v!r} must have the shape {shape} ({axes}), got {table.shape}."
            )
        total = table.sum(axis=-1, keepdims=True)
        wrong = ~np.isclose(total, 1.0, atol=1e-6) | np.any(table < 0, axis=-1, keepdims=True)
        if np.any(wrong):
            at = tuple(int(k[0]) for k in np.nonzero(wrong))[:-1]
            condition = ", ".join(f"{u}={self.states_[u][k]!r}" for u, k in zip(self.parents_[v], at))
            raise ValueError(
                f"`{argument}`: the table of {v!r} must contain probabilities that sum to 1 over its states, got "
                f"{shown(table[at].tolist())}{f' for {condition}' if condition else ''}."
            )
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
            layout = NetworkLayout(
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
        sample_weight : array-like of shape (n_samples,) or None, default=None
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
        known_states = self.states or {}
        for v in known_states:
            if v not in nodes:
                raise ValueError(f"`states`: {v!r} is not a column of X.")
        states = {}
        for j, v in enumerate(names):
            states[v] = list(known_states[v]) if v in known_states else find_states(X[:, j], v)
        for v, labels in latent.items():
            if not isinstance(labels, (Integral, list, tuple, np.ndarray)):
                raise ValueError(f"`latent`: {v!r} must have a number of states or a list of states, got {labels!r}.")
            states[v] = list(range(labels)) if isinstance(labels, Integral) else list(labels)
        try:
            edges = [tuple(plain(v) for v in edge) for edge in self.edges]
        except TypeError:
            raise ValueError("`edges` must be a list of pairs of column names.") from None
        graph = graph_of(nodes, edges, "edges")
        self._set_structure(nodes, edges, {v: list(graph.parents[v]) for v in nodes}, states)
        codes = np.full((len(X), len(nodes)), -1, dtype=np.int32)
        for j, v in enumerate(names):
            codes[:, j] = encode_column(X[:, j], self.states_[v], v)
        self._fit_codes(codes, weights)
        return self

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
        ax : matplotlib Axes or None, default=None
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
