"""Model selection for Gaussian mixtures by information criteria."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, ListOf, Options, Real, check_params
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._core.warnings import CollapseWarning, warn

from ._gaussian_mixture import GaussianMixture
from ._normal import COVARIANCE_TYPES


class GaussianMixtureIC(DensityMixin, BaseEstimator):
    """Gaussian mixture with the number and shape of components chosen by an information criterion.

    Fits every pair of `n_components` and `covariance_types` and keeps the one with the smallest criterion: BIC = -2
    log-likelihood + (number of parameters) log n, AIC with 2 instead of log n, ICL = BIC + 2 (entropy of the
    responsibilities). Ties are resolved in favour of the model with fewer parameters.

    Parameters
    ----------
    n_components : array-like of int, default=(1, 2, ..., 9)
        Candidate numbers of components.
    covariance_types : array-like of str, default=("spherical", "diag", "tied", "full")
        Candidate covariance types.
    criterion : {"bic", "icl", "aic"}, default="bic"
        BIC estimates how many normal densities the data require, ICL how many separate clusters there are.
    tol : float, default=1e-4
        As in `GaussianMixture`.
    reg_covar : float, default=1e-6
    max_iter : int, default=500
    n_init : int, default=3
        Number of starts of each fit.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
    random_state : int, RandomState or None, default=None
    acceleration : {None, "squarem"}, default=None

    Attributes
    ----------
    best_estimator_ : GaussianMixture
    n_components_ : int
    covariance_type_ : str
    criterion_ : float
        Smallest value of the criterion.
    results_ : dict of ndarray
        Results of every fit: ``n_components``, ``covariance_type``, ``n_parameters``, ``log_likelihood``, ``bic``,
        ``aic``, ``icl``, ``collapsed`` (whether only `reg_covar` kept a component from collapsing; such fits are not
        selected).
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    GaussianMixture : One mixture of given size and shape.

    Notes
    -----
    The likelihood of a fit with a component that collapsed onto few rows is meaningless, so it is excluded. If all fits
    collapsed, the best is returned with a warning. Weights count as copies, and n is their sum. Criteria are comparable
    only between models of the same rows.

    References
    ----------
    Fraley & Raftery (2002), Model-based clustering, discriminant analysis, and density estimation, JASA 97.
    Biernacki, Celeux & Govaert (2000), Assessing a mixture model for clustering with the integrated completed
    likelihood, IEEE PAMI 22.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.mixture import GaussianMixtureIC
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(7, 1, (60, 2))])
    >>> model = GaussianMixtureIC(n_components=[1, 2, 3], random_state=0).fit(X)
    >>> model.n_components_, model.covariance_type_
    (2, 'spherical')
    """

    _constraints = {
        "n_components": [ListOf(Int(1, None)), Int(1, None)],
        "covariance_types": [ListOf(Options(*COVARIANCE_TYPES)), Options(*COVARIANCE_TYPES)],
        "criterion": [Options("bic", "icl", "aic")],
        "tol": [Real(0, None)],
        "reg_covar": [Real(0, None)],
        "max_iter": [Int(1, None)],
        "n_init": [Int(1, None)],
        "init_params": GaussianMixture._constraints["init_params"],
        "random_state": ["random_state"],
        "acceleration": GaussianMixture._constraints["acceleration"],
    }

    def __init__(
        self,
        n_components=(1, 2, 3, 4, 5, 6, 7, 8, 9),
        *,
        covariance_types=("spherical", "diag", "tied", "full"),
        criterion="bic",
        tol=1e-4,
        reg_covar=1e-6,
        max_iter=500,
        n_init=3,
        init_params="kmeans",
        random_state=None,
        acceleration=None,
    ):
        self.n_components = n_components
        self.covariance_types = covariance_types
        self.criterion = criterion
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.random_state = random_state
        self.acceleration = acceleration

    def fit(self, X, y=None, sample_weight=None):
        """Fit all mixtures and keep the best.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; NaN marks missing values.
        y : Ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A row of weight k counts k times; a row of weight 0 is ignored.

        Returns
        -------
        self
        """
        check_params(self)
        sizes, shapes = self._candidates()
        X = validate_data(self, X, dtype=FLOATS, ensure_all_finite="allow-nan", ensure_min_samples=2)
        weights = check_weights(sample_weight, X)
        rows = X.shape[0] if weights is None else int(np.count_nonzero(weights))
        sizes = [k for k in sizes if k <= rows]
        if not sizes:
            raise ValueError(f"`n_components`: every candidate exceeds the {rows} rows; include smaller numbers.")
        fits = [self._fit_one(X, weights, k, shape) for k in sizes for shape in shapes]
        usable = [fit for fit in fits if not fit["collapsed"]]
        if not usable:
            warn("GaussianMixtureIC: a component collapsed in every fit. Use fewer components.", CollapseWarning)
        chosen = min(usable or fits, key=lambda fit: (fit[self.criterion], fit["n_parameters"]))
        self.best_estimator_ = chosen["model"]
        self.n_components_ = chosen["n_components"]
        self.covariance_type_ = chosen["covariance_type"]
        self.criterion_ = chosen[self.criterion]
        names = [name for name in chosen if name != "model"]
        self.results_ = {name: np.array([fit[name] for fit in fits]) for name in names}
        return self

    def _candidates(self):
        sizes = [self.n_components] if np.isscalar(self.n_components) else list(self.n_components)
        shapes = [self.covariance_types] if isinstance(self.covariance_types, str) else list(self.covariance_types)
        return [int(k) for k in sizes], shapes

    def _fit_one(self, X, weights, k, shape):
        model = GaussianMixture(
            k,
            covariance_type=shape,
            tol=self.tol,
            reg_covar=self.reg_covar,
            max_iter=self.max_iter,
            n_init=self.n_init if k > 1 else 1,
            init_params=self.init_params,
            random_state=self.random_state,
            acceleration=self.acceleration,
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, sample_weight=weights)
        collapsed = any(issubclass(w.category, CollapseWarning) for w in caught)
        n = float(X.shape[0] if weights is None else weights.sum())
        free, deviance = model._n_parameters(), -2.0 * model.log_likelihood_
        bic = deviance + free * np.log(n)
        return {
            "n_components": k,
            "covariance_type": shape,
            "n_parameters": free,
            "log_likelihood": model.log_likelihood_,
            "bic": bic,
            "aic": deviance + 2.0 * free,
            "icl": bic + 2.0 * model.posterior_entropy_,
            "collapsed": collapsed,
            "model": model,
        }

    def summary(self):
        """Table of all fits with their criteria, best first.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        order = np.argsort(self.results_[self.criterion], kind="stable")
        columns = {name: self.results_[name][order] for name in ("log_likelihood", "n_parameters", "bic", "icl", "aic")}
        labels = [
            f"{shape}, {k}"
            for shape, k in zip(self.results_["covariance_type"][order], self.results_["n_components"][order])
        ]
        return Summary("Gaussian mixtures", Table(labels, columns), {"criterion": self.criterion_})

    def _ask(self, method, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, ensure_all_finite="allow-nan", reset=False)
        return getattr(self.best_estimator_, method)(X)

    def predict(self, X):
        """The most probable component of each row under the selected mixture.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        return self._ask("predict", X)

    def predict_proba(self, X):
        """Responsibilities under the selected mixture.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
        """
        return self._ask("predict_proba", X)

    def score_samples(self, X):
        """Log density of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._ask("score_samples", X)

    def score(self, X, y=None):
        """Mean log density of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        float
        """
        return float(np.mean(self.score_samples(X), dtype=np.float64))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
