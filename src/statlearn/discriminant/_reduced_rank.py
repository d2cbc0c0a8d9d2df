"""Linear discriminant analysis in the first canonical coordinates."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_scores import class_priors
from statlearn._core.fitted_state import forget
from statlearn._core.params import Int, Options, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.selection import CVCurve
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import FLOATS, require_finite, validate_data

from ._base import DiscriminantClassifier, check_training, stratified_folds
from ._class_scatter import ClassScatter, fold_scatters
from ._sphering import separating_columns, sphere, warn_singular


def canonical_coordinates(statistic, priors, divisor, dtype=np.float64):
    """Centre (p,), canonical directions (p, L), ratios between/within (L,) and rank of the within-class scatter.

    The directions are ordered by the ratio and scaled to unit variance within the classes.
    """
    minus = statistic.n_present if divisor == "n-k" else 0.0
    S = statistic.pooled_covariance(minus)
    require_finite(S)
    W = sphere(S, dtype=dtype).W
    present = statistic.counts > 0
    centre = priors[present] @ statistic.means[present] / priors[present].sum()
    inner = np.where(present[:, None], np.sqrt(priors)[:, None] * (statistic.means - centre), 0.0) @ W
    _, s, Vt = linalg.svd(inner, full_matrices=False)
    limit = min(statistic.means.shape[1], len(priors) - 1)
    return centre, (W @ Vt.T)[:, :limit], s[:limit] ** 2, W.shape[1]


def rank_scores(Z, centres, priors):
    """Scores of the classes for every number of coordinates: shape (L, n, k)."""
    squares = (Z[:, None, :] - centres[None]) ** 2
    with np.errstate(divide="ignore"):
        return np.moveaxis(-0.5 * np.cumsum(squares, axis=2), 2, 0) + np.log(priors)


class ReducedRankLDA(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, DiscriminantClassifier, ClassifierMixin, BaseEstimator
):
    r"""Reduced-rank linear discriminant analysis, with the error for every rank.

    Classifies in the first L canonical coordinates z = V'x by the nearest class mean, corrected by the priors,

    .. math:: \delta_k(x) = -\tfrac12 \lVert z - \bar z_k \rVert^2 + \log \pi_k

    The coordinates have unit variance within the classes and are ordered by the between-class variance. With
    L = min(K - 1, p) this is linear discriminant analysis; fewer coordinates can predict better.

    Parameters
    ----------
    n_components : int or None, default=None
        The rank L. None chooses it by cross-validation.
    priors : array-like of shape (n_classes,) or None, default=None
        Class priors. None for the class proportions of the training data.
    cv : int, splitter or iterable, default=10
        Folds for the errors of all ranks; an int means stratified folds.
    rule : {"min", "one_se"}, default="min"
        Smallest error, or the smallest rank within one standard error of it. Ties go to the smaller rank.
    cov_divisor : {"n", "n-k"}, default="n"
        Divisor of the pooled covariance.

    Attributes
    ----------
    n_components_ : int
        The rank used by `predict` and `transform`.
    cv_curve_ : CVCurve
        Cross-validated error rate for every rank; only if the rank was chosen.
    train_error_ : ndarray of shape (min(K - 1, p),)
        Training error for every rank.
    scalings_ : ndarray of shape (n_features, min(K - 1, p))
        Canonical directions.
    eigenvalues_ : ndarray
        Ratio of between-class to within-class variance along them, descending.
    explained_variance_ratio_ : ndarray
        Their shares.
    means_ : ndarray of shape (n_classes, n_features)
    xbar_ : ndarray of shape (n_features,)
        Mean of the class means, weighted by the priors.
    classes_, priors_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    One pass over the rows collects the statistics of all folds, and each fold gives the errors of all ranks. The error
    of the chosen rank is slightly optimistic, because it was chosen.

    References
    ----------
    Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, section 4.3.3.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from statlearn.discriminant import ReducedRankLDA
    >>> X, y = load_wine(return_X_y=True)
    >>> model = ReducedRankLDA().fit(X, y)
    >>> model.n_components_, model.cv_curve_.mean.round(3)
    (2, array([0.084, 0.022]))
    """

    _search_space = SearchSpace("reduced-rank linear discriminant")

    _constraints = {
        "n_components": [Int(1, None), None],
        "priors": ["array-like", None],
        "cv": ["cv"],
        "rule": [Options("min", "one_se")],
        "cov_divisor": [Options("n", "n-k")],
    }

    def __init__(self, n_components=None, *, priors=None, cv=10, rule="min", cov_divisor="n"):
        self.n_components = n_components
        self.priors = priors
        self.cv = cv
        self.rule = rule
        self.cov_divisor = cov_divisor

    def fit(self, X, y, sample_weight=None):
        """Fit the canonical coordinates, and choose the rank if it is not given.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row in the fit; copies are never split between folds.

        Returns
        -------
        self
        """
        check_params(self)
        X, classes, codes, weights = check_training(self, X, y, sample_weight)
        limit = min(len(classes) - 1, X.shape[1])
        if self.n_components is not None and self.n_components > limit:
            raise ValueError(f"`n_components`={self.n_components} exceeds min(n_classes - 1, n_features) = {limit}.")
        statistic = ClassScatter.from_block(X, codes, weights, n_classes=len(classes), pooled=True)
        if statistic.total_weight <= len(classes):
            raise ValueError("The number of samples must be more than the number of classes.")
        priors = class_priors(self.priors, statistic.counts)
        centre, V, values, rank = canonical_coordinates(statistic, priors, self.cov_divisor, X.dtype)
        if rank == 0:
            raise ValueError("All columns of X are constant within the classes, so there are no canonical coordinates.")
        if rank < X.shape[1]:
            variances = np.diagonal(statistic.within()) / statistic.total_weight
            separators = separating_columns(statistic, variances)
            warn_singular(self, rank, X.shape[1], "Directions without spread are ignored.", separators)
        forget(self, "cv_curve_")
        self.classes_, self.priors_ = classes, priors
        self.means_, self.xbar_ = statistic.means.astype(X.dtype), centre.astype(X.dtype)
        self.scalings_, self.eigenvalues_ = V.astype(X.dtype), values
        total = values.sum()
        self.explained_variance_ratio_ = values / total if total > 0 else np.zeros_like(values)
        w = np.ones(len(X)) if weights is None else weights
        scores = rank_scores((X - centre) @ V, (statistic.means - centre) @ V, priors)
        self.train_error_ = np.array([np.average(np.argmax(s, axis=1) != codes, weights=w) for s in scores])
        self.n_components_ = V.shape[1] if self.n_components is None else self.n_components
        if self.n_components is None and limit > 1:
            self.cv_curve_ = self._curve(X, codes, weights, sample_weight, len(classes), limit)
            self.n_components_ = int(self.cv_curve_.parameter[self.cv_curve_.chosen(self.rule)])
        self.n_components_ = max(1, min(self.n_components_, V.shape[1]))
        return self

    def _curve(self, X, codes, weights, sample_weight, k, limit):
        folds = stratified_folds(self.cv, X, codes, sample_weight)
        loss = np.empty((limit, len(folds)))
        fold_weight = np.array([len(t) if weights is None else float(weights[t].sum()) for _, t in folds])
        for f, statistic in enumerate(fold_scatters(X, codes, weights, folds, k)):
            test = folds[f][1]
            priors = class_priors(self.priors, statistic.counts)
            centre, V, *_ = canonical_coordinates(statistic, priors, "n", X.dtype)
            Z, centres = (X[test] - centre) @ V, (statistic.means - centre) @ V
            scores = rank_scores(Z, centres, priors) if V.shape[1] else np.tile(priors, (1, len(test), 1))
            wrong = [np.argmax(s, axis=1) != codes[test] for s in scores]
            wrong += [wrong[-1]] * (limit - len(wrong))
            w = None if weights is None else weights[test]
            loss[:, f] = [np.average(each, weights=w) for each in wrong]
        return CVCurve(np.arange(1, limit + 1), loss, fold_weight, name="n_components")

    def _likelihood_scores(self, X):
        V = self.scalings_[:, : self.n_components_]
        Z, centres = (X - self.xbar_) @ V, (self.means_ - self.xbar_) @ V
        return Z @ centres.T - 0.5 * np.sum(centres**2, axis=1).astype(X.dtype)

    def transform(self, X):
        """The first `n_components_` canonical coordinates, centred at `xbar_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return (X - self.xbar_) @ self.scalings_[:, : self.n_components_]

    @property
    def _n_features_out(self):
        return self.n_components_

    def summary(self):
        """Eigenvalues, shares and error rates for every rank.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        columns = {
            "eigenvalue": self.eigenvalues_,
            "share": self.explained_variance_ratio_,
            "training_error": self.train_error_,
        }
        notes = [f"Rank {self.n_components_} is used."]
        if hasattr(self, "cv_curve_"):
            columns["cv_error"] = self.cv_curve_.mean
            columns["cv_std_error"] = self.cv_curve_.std_error
            notes[0] = f"Rank {self.n_components_} was chosen by cross-validation, so its error is slightly optimistic."
        rows = [f"rank {rank}" for rank in range(1, len(self.eigenvalues_) + 1)]
        return Summary("Reduced-rank linear discriminant analysis", Table(rows, columns), notes=notes)
