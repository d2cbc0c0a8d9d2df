"""Mixtures of any family with a weighted fit and a log density."""

import copy
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from statlearn._core.callbacks import with_callbacks
from statlearn._core.params import Options, check_params

from ._base import EM_CONSTRAINTS, BaseMixture, CriteriaMixin, posterior, start_sampling
from ._components import FAMILIES
from ._start import INIT_PARAMS, start_responsibilities


@dataclass
class Mixed:
    """Mixing weights and fitted components."""

    weights: np.ndarray
    components: list


def fit_component(component, X, weights):
    """A fitted copy of a component, or of a density estimator with `fit(X, sample_weight=)`."""
    if hasattr(component, "score_samples"):
        return clone(component).fit(X, sample_weight=weights)
    return copy.copy(component).fit(X, weights)


def log_density(component, X):
    """Log densities of the rows, by either method name."""
    return component.score_samples(X) if hasattr(component, "score_samples") else component.logpdf(X)


class MixedProblem:
    """The E and M steps of a mixture of any components."""

    monotone = True
    pack = unpack = None

    def __init__(self, X, weights, components, make_start):
        self.X, self.components, self.make_start = X, components, make_start
        self.weights = np.ones(X.shape[0]) if weights is None else weights
        self.total = float(self.weights.sum())

    def start(self, rng):
        return self.m_step(self.make_start(self, rng) * self.weights[:, None])

    def log_joint(self, mixed):
        return log_joint(self.X, mixed)

    def e_step(self, mixed):
        row, R = posterior(self.log_joint(mixed))
        return np.sum(self.weights * row) / self.total, R * self.weights[:, None]

    def m_step(self, expected):
        shares = expected.sum(axis=0) / self.total
        fitted = []
        for k, component in enumerate(self.components):
            # A component that has lost every row is fitted to all of them; its share stays 0.
            rows = expected[:, k] if shares[k] > 0 else self.weights
            fitted.append(fit_component(component, self.X, rows))
        return Mixed(shares, fitted)


def log_joint(X, mixed):
    """log(mixing weight times density), (n, k)."""
    with np.errstate(divide="ignore"):
        shares = np.log(mixed.weights)
    return np.column_stack([log_density(component, X) for component in mixed.components]) + shares


class MixtureModel(CriteriaMixin, BaseMixture):
    r"""Mixture of components of any family: normal, Poisson, exponential, Bernoulli, categorical or user-defined.

    Maximises over mixing weights and the parameters of the components

    .. math:: \sum_i s_i \log \sum_k \pi_k \, f_k(x_i)

    a **sum** over rows with weights :math:`s_i`, by EM; stops when the mean per unit of weight changes by less than
    `tol`.

    Parameters
    ----------
    components : str or list, default="gaussian"
        A family ("gaussian", "poisson", "exponential", "bernoulli", "categorical") for all components, or a list of
        component objects, possibly of different families. An object must have ``fit(X, sample_weight)``, which returns
        the fitted component, and ``logpdf(X)``; or, like density estimators of scikit-learn, ``fit(X, sample_weight=)``
        and ``score_samples(X)``. `sample` requires ``sample(n, rng)``, and the criteria require ``n_parameters(p)``.
    n_components : int or None, default=None
        Number of components of a named family; None is 1, or the length of the list.
    tol : float, default=1e-6
    max_iter : int, default=500
    n_init : int, default=1
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
        Initial responsibilities.
    random_state : int, RandomState or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
    components_ : list
        The fitted components.
    converged_ : bool
    n_iter_ : int
    lower_bound_, lower_bounds_, log_likelihood_, lower_bound_history_
        As in `GaussianMixture`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The log-likelihood never decreases if the fit of every component maximises its weighted likelihood. A warning is
    issued if one does not. For plain normal mixtures `GaussianMixture` is much faster.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import MixtureModel
    >>> rng = np.random.RandomState(0)
    >>> X = np.concatenate([rng.poisson(2, 300), rng.poisson(20, 100)])[:, None]
    >>> model = MixtureModel("poisson", n_components=2, init_params="random", random_state=0).fit(X)
    >>> np.sort([float(c.mean_[0]) for c in model.components_]).round(1)
    array([ 1.9, 19.6])
    """

    _constraints = {
        **EM_CONSTRAINTS,
        "components": [Options(*FAMILIES), "array-like"],
        "n_components": [*EM_CONSTRAINTS["n_components"], None],
        "init_params": [Options(*INIT_PARAMS)],
    }

    def __init__(
        self,
        components="gaussian",
        *,
        n_components=None,
        tol=1e-6,
        max_iter=500,
        n_init=1,
        init_params="kmeans",
        random_state=None,
        verbose=0,
    ):
        self.components = components
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.random_state = random_state
        self.verbose = verbose

    @with_callbacks
    def fit(self, X, y=None, sample_weight=None):
        """Fit the mixture.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A row of weight k counts k times; a row of weight 0 is ignored.

        Returns
        -------
        self
        """
        check_params(self)
        components = self._component_list()
        X, weights = self._prepare(X, sample_weight, size=len(components))
        problem = MixedProblem(X, weights, components, self._start)
        self._fit_by_em(X, weights, problem, one_start=len(components) == 1)
        return self

    def _component_list(self):
        if isinstance(self.components, str):
            return [FAMILIES[self.components]() for _ in range(self.n_components or 1)]
        components = list(self.components)
        if not components:
            raise ValueError("`components` must not be empty.")
        for component in components:
            known = callable(getattr(component, "fit", None)) and (
                callable(getattr(component, "logpdf", None)) or callable(getattr(component, "score_samples", None))
            )
            if not known or isinstance(component, type):
                raise ValueError(
                    f"`components`: {component!r} must have the methods fit and logpdf (or score_samples)."
                )
        if self.n_components not in (None, len(components)):
            raise ValueError(
                f"`n_components`={self.n_components} does not match the {len(components)} entries of `components`."
            )
        return components

    def _start(self, problem, rng):
        R = start_responsibilities(problem.X, len(problem.components), self.init_params, rng, problem.weights)
        if self.init_params in ("k-means++", "random_from_data"):
            # One row carries little information about a general family, so every row joins the nearest chosen one.
            chosen = problem.X[R.argmax(axis=0)].astype(np.float64)
            nearest = ((problem.X[:, None, :] - chosen) ** 2).sum(axis=2).argmin(axis=1)
            R = np.eye(R.shape[1])[nearest]
        # A trace of every component in every row: families with bounded support must be able to start anywhere.
        return 0.99 * R + 0.01 / R.shape[1]

    def _attributes(self, mixed, dtype):
        return {"weights_": mixed.weights, "components_": mixed.components}

    def _log_joint(self, X):
        return log_joint(X, Mixed(self.weights_, self.components_))

    def sample(self, n_samples=1):
        """Random rows from the fitted density.

        Parameters
        ----------
        n_samples : int, default=1

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        y : ndarray of int of shape (n_samples,)
            The component of each row; rows are ordered by component.
        """
        rng = start_sampling(self, n_samples)
        counts = rng.multinomial(n_samples, self.weights_ / self.weights_.sum())
        drawn = [component.sample(int(n), rng) for component, n in zip(self.components_, counts) if n]
        return np.vstack(drawn), np.repeat(np.arange(len(counts)), counts)

    def _n_parameters(self):
        counts = [component.n_parameters(self.n_features_in_) for component in self.components_]
        return len(self.weights_) - 1 + sum(counts)
