"""Directed networks with linear Gaussian nodes, and with discrete nodes among them."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.names import input_names
from statlearn._core.params import Real, check_params
from statlearn._core.validation import check_weights, validate_data
from statlearn._math.graphs.graph import Digraph
from statlearn._math.linalg import covariance as core

from ._gaussian import MultivariateGaussian, conditional
from ._penalised_likelihood import check_covariance
from ._undirected import column_of


class LinearGaussianCPD:
    r"""Linear Gaussian conditional distribution.

    .. math:: Y \mid x \sim N(\beta_0 + \beta^\top x, \sigma^2)

    Parameters
    ----------
    intercept : float, default=0.0
    coef : array-like of shape (n_parents,), default=()
    noise_variance : float, default=1.0
    variable : str or None, default=None
        Name of the child Y.
    evidence : sequence of str or None, default=None
        Names of the parents, in the order of `coef`.

    Attributes
    ----------
    intercept : float
    coef : ndarray of shape (n_parents,)
    noise_variance : float
    variable : str or None
    evidence : list of str or None

    Notes
    -----
    The call of pgmpy, ``LinearGaussianCPD("Y", [0.2, -2, 3], 9.6, ["X1", "X2"])``, is
    ``LinearGaussianCPD(0.2, [-2, 3], 9.6, variable="Y", evidence=["X1", "X2"])``.

    Examples
    --------
    >>> from statlearn.graphical import LinearGaussianCPD
    >>> cpd = LinearGaussianCPD(0.2, [-2, 3, 7], 9.6)
    >>> mean, variance = cpd.marginal([0.2, 0.2, 0.2], [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> round(mean, 6), round(variance, 6)
    (1.8, 71.6)
    >>> LinearGaussianCPD(0.2, [-2, 3], 9.6, variable="Y", evidence=["X1", "X2"])
    Y | X1, X2 ~ N(0.2 - 2 X1 + 3 X2, 9.6)
    """

    def __init__(self, intercept=0.0, coef=(), noise_variance=1.0, *extra, variable=None, evidence=None):
        if isinstance(intercept, str) or extra:
            raise TypeError(_as_keywords(intercept, coef, noise_variance, extra[0] if extra else ()))
        self.intercept = float(intercept)
        self.coef = np.asarray(coef, dtype=np.float64).reshape(-1)
        self.noise_variance = float(noise_variance)
        if not np.isfinite(self.coef).all() or not np.isfinite(self.intercept):
            raise ValueError("`intercept` and `coef` must be finite.")
        if not (np.isfinite(self.noise_variance) and self.noise_variance >= 0.0):
            raise ValueError(f"`noise_variance` must be finite and not negative, got {self.noise_variance}.")
        self.variable, self.evidence = variable, None if evidence is None else list(evidence)
        if self.evidence is not None and len(self.evidence) != len(self.coef):
            raise ValueError(f"`evidence` has {len(self.evidence)} names for {len(self.coef)} coefficients.")

    def __repr__(self):
        if self.variable is not None or self.evidence is not None:
            names = [f"x{k}" for k in range(len(self.coef))] if self.evidence is None else self.evidence
            terms = "".join(f" {'-' if b < 0 else '+'} {abs(b):.4g} {x}" for b, x in zip(self.coef, names))
            child = "y" if self.variable is None else self.variable
            condition = f" | {', '.join(map(str, names))}" if names else ""
            return f"{child}{condition} ~ N({self.intercept:.4g}{terms}, {self.noise_variance:.4g})"
        return f"LinearGaussianCPD({self.intercept:.4g}, {self.coef.round(4).tolist()}, {self.noise_variance:.4g})"

    @classmethod
    def from_moments(cls, mean, covariance):
        """Maximum likelihood from the moments of (parents, child), the child last.

        The noise variance is ``Cov(Y, Y) - sum_ij b_i b_j Cov(X_i, X_j)``.
        """
        S = check_covariance(covariance)
        mean = np.asarray(mean, dtype=np.float64)
        coef = np.linalg.lstsq(S[:-1, :-1], S[:-1, -1], rcond=None)[0] if len(S) > 1 else np.zeros(0)
        noise = S[-1, -1] - coef @ S[:-1, :-1] @ coef
        return cls(mean[-1] - coef @ mean[:-1], coef, max(float(noise), 0.0))

    @classmethod
    def from_data(cls, X, y, sample_weight=None):
        """Maximum likelihood from rows of the parents and values of the child: least squares with the divisor n."""
        X = np.asarray(X, dtype=np.float64).reshape(len(y), -1)
        Z = np.column_stack([X, np.asarray(y, dtype=np.float64)])
        return cls.from_moments(*core.empirical_covariance(Z, check_weights(sample_weight, Z)))

    def mean(self, X):
        """Conditional means for rows of the parents."""
        return self.intercept + np.asarray(X, dtype=np.float64) @ self.coef

    def logpdf(self, y, X):
        """Conditional log-densities."""
        residual = np.asarray(y, dtype=np.float64) - self.mean(X)
        return -0.5 * (np.log(2.0 * np.pi * self.noise_variance) + residual**2 / self.noise_variance)

    def marginal(self, mean, covariance):
        """Mean and variance of the child if the parents have these moments."""
        mean, S = np.asarray(mean, dtype=np.float64), np.asarray(covariance, dtype=np.float64)
        return float(self.mean(mean)), float(self.noise_variance + self.coef @ S @ self.coef)


def _as_keywords(variable, coef, noise_variance, evidence):
    """Arguments of this package for those of pgmpy: child, intercept and slopes, variance, parents."""
    message = "LinearGaussianCPD is called with (intercept, coef, noise_variance)"
    values = list(np.atleast_1d(np.asarray(coef, dtype=object)))
    if not isinstance(variable, str) or not values:
        return f"{message} and the names `variable` and `evidence`."
    slopes = ", ".join(map(str, values[1:]))
    names = f", evidence={list(evidence)!r}" if len(evidence) else ""
    call = f"LinearGaussianCPD({values[0]}, [{slopes}], {noise_variance}, variable={variable!r}{names})"
    return f"{message}; use {call}."


def _network(edges, names):
    """The acyclic graph of edges given by names or column numbers."""
    if isinstance(edges, Digraph):
        edges = edges.edges()
    pairs = [tuple(edge) for edge in edges]
    for pair in pairs:
        if len(pair) != 2:
            raise ValueError(f"`edges` must contain pairs (parent, child), got {pair!r}.")
    return Digraph(names, [tuple(column_of(value, names, "edges") for value in pair) for pair in pairs], acyclic=True)


class GaussianBayesianNetwork(BaseEstimator):
    r"""Bayesian network of linear Gaussian nodes.

    Each variable is Gaussian given its parents, with a mean linear in them. The joint distribution is Gaussian; in
    topological order,

    .. math:: \mu_j = \beta_{0j} + \beta_j^\top \mu_{pa(j)}, \qquad
        \Sigma_{ij} = \Sigma_{i, pa(j)} \beta_j, \qquad \Sigma_{jj} = \sigma_j^2 + \beta_j^\top \Sigma_{pa(j)} \beta_j

    Parameters
    ----------
    edges : list of (parent, child), default=()
        Column names or numbers. Cycles are refused.
    min_variance : float, default=0.0
        Lower bound of the noise variances, relative to the variance of the child.

    Attributes
    ----------
    order_ : ndarray of shape (n_features,)
        Columns in topological order.
    coef_ : ndarray of shape (n_features, n_features)
        Row j contains the coefficients of the parents of j, zero elsewhere.
    intercept_ : ndarray of shape (n_features,)
    noise_variance_ : ndarray of shape (n_features,)
    location_ : ndarray of shape (n_features,)
        Mean of the joint distribution.
    covariance_ : ndarray of shape (n_features, n_features)
        Covariance of the joint distribution.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    ConditionalGaussianNetwork : with discrete nodes.

    Notes
    -----
    Fitting is one least-squares regression per node. Hidden Gaussian nodes add nothing new: the joint distribution of
    the others is Gaussian in any case.

    References
    ----------
    Koller, D. and Friedman, N. (2009). Probabilistic Graphical Models, chapter 7. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import GaussianBayesianNetwork
    >>> rng = np.random.RandomState(0)
    >>> x = rng.normal(size=1000)
    >>> y = 2 * x + rng.normal(size=1000)
    >>> net = GaussianBayesianNetwork([(0, 1)]).fit(np.column_stack([x, y]))
    >>> net.coef_.round(1)
    array([[0., 0.],
           [2., 0.]])
    """

    _constraints = {"edges": ["array-like"], "min_variance": [Real(0, 1, closed="left")]}

    def __init__(self, edges=(), *, min_variance=0.0):
        self.edges = edges
        self.min_variance = min_variance

    def fit(self, X, y=None, sample_weight=None):
        """Fit every node by maximum likelihood.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts a row k times.

        Returns
        -------
        self : GaussianBayesianNetwork
        """
        check_params(self)
        X = validate_data(self, X, dtype=np.float64)
        weights = check_weights(sample_weight, X)
        names = input_names(self)
        graph = _network(self.edges, names)
        mean, S = core.empirical_covariance(X, weights)
        p = len(S)
        constant = np.flatnonzero(np.diagonal(S) <= 0)
        if constant.size:
            rows = len(X) if weights is None else np.count_nonzero(weights)
            raise ValueError(
                f"X: column {names[constant[0]]!r} is constant in the rows that count (n_samples = {rows}), so it has "
                "no density. Drop the column."
            )
        self.order_ = np.array([graph.index[node] for node in graph.topological_order()])
        self.coef_, self.intercept_, self.noise_variance_ = np.zeros((p, p)), np.zeros(p), np.zeros(p)
        for j, node in enumerate(names):
            parents = [graph.index[parent] for parent in graph.parents[node]]
            use = [*parents, j]
            cpd = LinearGaussianCPD.from_moments(mean[use], S[np.ix_(use, use)])
            self.coef_[j, parents], self.intercept_[j] = cpd.coef, cpd.intercept
            self.noise_variance_[j] = max(cpd.noise_variance, self.min_variance * S[j, j])
        self._join()
        return self

    @classmethod
    def from_cpds(cls, cpds, edges=None):
        """Network with given conditional distributions.

        Parameters
        ----------
        cpds : dict of name to LinearGaussianCPD, or list of LinearGaussianCPD
            Coefficients in the order of the parents in `edges`, or of `evidence` for distributions that have it. A list
            needs distributions with `variable`.
        edges : list of (parent, child) or None, default=None
            None uses the names in `evidence`.

        Returns
        -------
        GaussianBayesianNetwork
            Fitted; its columns are the keys of `cpds` in their order.
        """
        if not isinstance(cpds, dict):
            if any(cpd.variable is None for cpd in cpds):
                raise ValueError("`cpds`: the distributions of a list must have `variable`; or pass a dict by name.")
            cpds = {cpd.variable: cpd for cpd in cpds}
        if edges is None:
            if any(len(cpd.coef) and cpd.evidence is None for cpd in cpds.values()):
                raise ValueError("`edges` may be left out only if all distributions have `evidence`.")
            edges = [(parent, name) for name, cpd in cpds.items() for parent in cpd.evidence or ()]
        names = list(cpds)
        graph = _network(edges, names)
        net = cls(edges=list(edges))
        p = len(names)
        net.n_features_in_ = p
        net.feature_names_in_ = np.array(names, dtype=object)
        net.order_ = np.array([graph.index[node] for node in graph.topological_order()])
        net.coef_, net.intercept_, net.noise_variance_ = np.zeros((p, p)), np.zeros(p), np.zeros(p)
        for j, node in enumerate(names):
            parents = [a for a, b in edges if b == node]
            if len(parents) != len(cpds[node].coef):
                raise ValueError(
                    f"`cpds`: {node!r} has {len(cpds[node].coef)} coefficients for {len(parents)} parents."
                )
            order = parents if cpds[node].evidence is None else cpds[node].evidence
            if set(order) != set(parents):
                raise ValueError(f"`cpds`: the `evidence` of {node!r} is {order}, but its parents are {parents}.")
            net.coef_[j, [graph.index[a] for a in order]] = cpds[node].coef
            net.intercept_[j], net.noise_variance_[j] = cpds[node].intercept, cpds[node].noise_variance
        net._join()
        return net

    def _join(self):
        """Joint mean and covariance: (I - B)^-1 noise (I - B)^-T."""
        p = len(self.intercept_)
        spread = np.linalg.inv(np.eye(p) - self.coef_)
        self.location_ = spread @ self.intercept_
        C = (spread * self.noise_variance_) @ spread.T
        self.covariance_ = (C + C.T) / 2.0

    def to_graph(self):
        """The directed graph."""
        check_is_fitted(self)
        names = input_names(self)
        return Digraph(names, [(names[i], names[j]) for j, i in np.argwhere(self.coef_ != 0)], acyclic=True)

    def joint(self):
        """The joint distribution, a `MultivariateGaussian`."""
        check_is_fitted(self)
        return MultivariateGaussian(self.location_, self.covariance_)

    def condition(self, values):
        """Distribution of the other variables given values of some.

        Parameters
        ----------
        values : dict of column name or number to float

        Returns
        -------
        names : list
            The other variables.
        mean : ndarray
        covariance : ndarray
        """
        check_is_fitted(self)
        names = input_names(self)
        positions = [_position(name, names) for name in values]
        mean, covariance = conditional(self.location_, self.covariance_, positions, list(values.values()))
        return [name for k, name in enumerate(names) if k not in set(positions)], mean, covariance

    def score_samples(self, X):
        """Log-density of each row: the sum over the nodes."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        residual = X - self.intercept_ - X @ self.coef_.T
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.log(2.0 * np.pi * self.noise_variance_) + residual**2 / self.noise_variance_
        return -0.5 * terms.sum(axis=1)

    def score(self, X, y=None, sample_weight=None):
        """Mean log-density per row."""
        return float(np.average(self.score_samples(X), weights=sample_weight))

    def sample(self, n_samples=1, *, random_state=None):
        """Random rows, drawn node by node.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState or None, default=None

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        rng = check_random_state(random_state)
        X = np.zeros((n_samples, len(self.intercept_)))
        for j in self.order_:
            noise = rng.standard_normal(n_samples) * np.sqrt(self.noise_variance_[j])
            X[:, j] = self.intercept_[j] + X @ self.coef_[j] + noise
        return X


def _position(name, names):
    if name in names:
        return names.index(name)
    if isinstance(name, (int, np.integer)) and 0 <= name < len(names):
        return int(name)
    raise ValueError(f"`values`: {name!r} is not a variable of the network.")


class ConditionalGaussianNetwork:
    r"""Bayesian network of discrete and Gaussian nodes.

    A discrete node has a table of probabilities per state of its parents, which must be discrete. A Gaussian node has
    a linear Gaussian distribution per state of its discrete parents.

    Parameters
    ----------
    edges : list of (parent, child)
    discrete : list
        Names of the discrete nodes.
    pseudo_count : float, default=0.0
        Added to every count of the tables.

    Attributes
    ----------
    nodes_ : list
        Columns in the order of the table.
    states_ : dict of name to list
        States of each discrete node, sorted.
    tables_ : dict of name to (parents, array)
        Probabilities of each discrete node: one axis per parent, the node's own last.
    cpds_ : dict of name to dict
        For each Gaussian node, a `LinearGaussianCPD` per tuple of states of its discrete parents.

    See Also
    --------
    GaussianBayesianNetwork : Gaussian nodes only.

    Notes
    -----
    A discrete node may not have a Gaussian parent; such a network has no closed form. The marginal distribution of the
    Gaussian nodes is a mixture with one component per state of the discrete nodes.

    References
    ----------
    Lauritzen, S. L. and Wermuth, N. (1989). Graphical models for associations between variables, some of which are
    qualitative and some quantitative. Annals of Statistics 17, 31-57.

    Examples
    --------
    >>> import pandas as pd
    >>> from statlearn.graphical import ConditionalGaussianNetwork
    >>> table = pd.DataFrame({"sex": ["f", "f", "m", "m"], "height": [165.0, 169.0, 177.0, 183.0]})
    >>> net = ConditionalGaussianNetwork([("sex", "height")], discrete=["sex"]).fit(table)
    >>> net.cpds_["height"][("m",)]
    LinearGaussianCPD(180, [], 9)
    >>> net.discrete_posterior({"height": 170.0})["sex"]
    {'f': 0.9921239431529213, 'm': 0.007876056847078624}
    """

    def __init__(self, edges, discrete, *, pseudo_count=0.0):
        self.edges = edges
        self.discrete = discrete
        self.pseudo_count = pseudo_count

    def fit(self, X, sample_weight=None):
        """Fit all nodes by maximum likelihood.

        Parameters
        ----------
        X : data frame
            Columns by name.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self : ConditionalGaussianNetwork
        """
        if not hasattr(X, "columns"):
            raise TypeError(f"X must be a data frame with named columns, got {type(X).__name__}.")
        if not (np.isfinite(self.pseudo_count) and self.pseudo_count >= 0):
            raise ValueError(f"`pseudo_count` must be finite and not negative, got {self.pseudo_count}.")
        names = [str(c) if isinstance(c, np.str_) else c for c in X.columns]
        graph = _network(self.edges, names)
        discrete = list(self.discrete)
        for node in discrete:
            if node not in graph:
                raise ValueError(f"`discrete`: {node!r} is not a column.")
            for parent in graph.parents[node]:
                if parent not in discrete:
                    raise ValueError(
                        f"The discrete node {node!r} has the Gaussian parent {parent!r}; discrete nodes may only have "
                        "discrete parents."
                    )
        columns = {name: np.asarray(X[name]) for name in names}
        n = len(X)
        weights = np.ones(n) if sample_weight is None else check_weights(sample_weight, np.zeros((n, 1)))
        self.nodes_, self._graph_edges_ = names, graph.edges()
        self.order_ = graph.topological_order()
        self.states_, codes = {}, {}
        for node in discrete:
            values = columns[node]
            if any(v is None or v != v for v in values.tolist()):
                raise ValueError(f"Column {node!r} has missing values; drop these rows.")
            self.states_[node] = np.unique(values[weights > 0]).tolist()
            position = {state: k for k, state in enumerate(self.states_[node])}
            codes[node] = np.array([position.get(v, -1) for v in values.tolist()])
        self.tables_, self.cpds_ = {}, {}
        for node in names:
            parents = graph.parents[node]
            if node in self.states_:
                self.tables_[node] = (parents, self._table(node, parents, codes, weights))
            else:
                self.cpds_[node] = self._gaussians(node, parents, columns, codes, weights)
        return self

    def _table(self, node, parents, codes, weights):
        shape = [len(self.states_[name]) for name in [*parents, node]]
        counts = np.full(shape, float(self.pseudo_count))
        seen = weights > 0
        np.add.at(counts, tuple(codes[name][seen] for name in [*parents, node]), weights[seen])
        total = counts.sum(axis=-1, keepdims=True)
        return np.where(total > 0, counts / np.where(total > 0, total, 1.0), 1.0 / shape[-1])

    def _gaussians(self, node, parents, columns, codes, weights):
        kinds = [name for name in parents if name in self.states_]
        numbers = [name for name in parents if name not in self.states_]
        try:
            Z = np.column_stack([columns[name].astype(np.float64) for name in [*numbers, node]])
        except (TypeError, ValueError) as error:
            raise ValueError(f"Column {node!r} or one of its parents is not numeric; list it in `discrete`.") from error
        if not np.isfinite(Z).all():
            raise ValueError(f"Column {node!r} or one of its parents contains NaN or infinity; drop these rows.")
        cpds = {}
        for states in np.ndindex(*[len(self.states_[name]) for name in kinds]):
            rows = weights > 0
            for name, k in zip(kinds, states):
                rows = rows & (codes[name] == k)
            key = tuple(self.states_[name][k] for name, k in zip(kinds, states))
            if rows.sum() < len(numbers) + 2:
                raise ValueError(
                    f"{node!r} has only {int(rows.sum())} rows with {dict(zip(kinds, key))}, too few for a regression "
                    f"on {len(numbers)} Gaussian parents."
                )
            cpds[key] = LinearGaussianCPD.from_moments(*core.empirical_covariance(Z[rows], weights[rows]))
        return cpds

    def _check_fitted(self):
        if not hasattr(self, "tables_"):
            raise ValueError("This ConditionalGaussianNetwork is not fitted yet; call `fit` first.")

    def configurations(self):
        """All states of the discrete nodes with a positive probability.

        Returns
        -------
        list of (states, probability, mean, covariance)
            States as a dict; moments of the Gaussian nodes in the order of the columns.
        """
        self._check_fitted()
        kinds = list(self.states_)
        gaussian = [name for name in self.nodes_ if name not in self.states_]
        index = {name: k for k, name in enumerate(gaussian)}
        answer = []
        for states in np.ndindex(*[len(self.states_[name]) for name in kinds]):
            code = dict(zip(kinds, states))
            probability = 1.0
            for name, (parents, table) in self.tables_.items():
                probability *= table[tuple(code[other] for other in [*parents, name])]
            if probability <= 0.0:
                continue
            B, a, v = np.zeros((len(gaussian), len(gaussian))), np.zeros(len(gaussian)), np.zeros(len(gaussian))
            for name in gaussian:
                parents = [p for p, child in self._graph_edges_ if child == name]
                parents.sort(key=self.nodes_.index)
                key = tuple(self.states_[p][code[p]] for p in parents if p in self.states_)
                cpd = self.cpds_[name][key]
                j = index[name]
                B[j, [index[p] for p in parents if p not in self.states_]] = cpd.coef
                a[j], v[j] = cpd.intercept, cpd.noise_variance
            spread = np.linalg.inv(np.eye(len(gaussian)) - B)
            labels = {name: self.states_[name][k] for name, k in code.items()}
            answer.append((labels, float(probability), spread @ a, (spread * v) @ spread.T))
        return answer

    def discrete_posterior(self, values):
        """Posterior probabilities of the discrete nodes given values of any nodes.

        Parameters
        ----------
        values : dict of name to value

        Returns
        -------
        dict of name to dict of state to float
            For the discrete nodes without a value.
        """
        configurations = self.configurations()
        gaussian = [name for name in self.nodes_ if name not in self.states_]
        for name in values:
            if name not in self.nodes_:
                raise ValueError(f"`values`: {name!r} is not a variable of the network.")
        seen = [k for k, name in enumerate(gaussian) if name in values]
        x = np.array([values[gaussian[k]] for k in seen], dtype=np.float64)
        logs = []
        for labels, probability, mean, covariance in configurations:
            fits = all(labels[name] == values[name] for name in labels if name in values)
            log = np.log(probability) if fits else -np.inf
            if fits and seen:
                law = MultivariateGaussian(mean[seen], covariance[np.ix_(seen, seen)])
                log += float(law.logpdf(x)[0])
            logs.append(log)
        logs = np.array(logs)
        if not np.isfinite(logs).any():
            raise ValueError("`values` have probability zero in this network.")
        weight = np.exp(logs - logs.max())
        weight /= weight.sum()
        return {
            name: {
                state: float(sum(w for w, (labels, *_) in zip(weight, configurations) if labels[name] == state))
                for state in self.states_[name]
            }
            for name in self.states_
            if name not in values
        }

    def sample(self, n_samples=1, *, random_state=None):
        """Random rows as a dict of columns, drawn node by node in topological order.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState or None, default=None

        Returns
        -------
        dict of name to ndarray of shape (n_samples,)
        """
        self._check_fitted()
        rng = check_random_state(random_state)
        codes, columns = {}, {}
        for name in self.order_:
            if name in self.states_:
                parents, table = self.tables_[name]
                rows = table[tuple(codes[p] for p in parents)] if parents else np.tile(table, (n_samples, 1))
                u = rng.random_sample(n_samples)
                codes[name] = np.minimum((u[:, None] > np.cumsum(rows, axis=1)).sum(axis=1), table.shape[-1] - 1)
                columns[name] = np.array(self.states_[name])[codes[name]]
            else:
                parents = sorted((p for p, child in self._graph_edges_ if child == name), key=self.nodes_.index)
                numbers = [p for p in parents if p not in self.states_]
                kinds = [p for p in parents if p in self.states_]
                Z = np.column_stack([columns[p] for p in numbers]) if numbers else np.zeros((n_samples, 0))
                value = np.zeros(n_samples)
                noise = rng.standard_normal(n_samples)
                for key, cpd in self.cpds_[name].items():
                    rows = np.ones(n_samples, dtype=bool)
                    for p, state in zip(kinds, key):
                        rows &= codes[p] == self.states_[p].index(state)
                    value[rows] = cpd.mean(Z[rows]) + noise[rows] * np.sqrt(cpd.noise_variance)
                columns[name] = value
        return {name: columns[name] for name in self.nodes_}
