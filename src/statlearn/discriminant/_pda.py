"""Penalised discriminant analysis: smooth coefficients for curves and images."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_scores import class_priors
from statlearn._core.fitted_state import forget
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.selection import CVCurve
from statlearn._core.validation import FLOATS, require_finite, validate_data
from statlearn._math.linalg.positive import cholesky

from ._base import DiscriminantClassifier, check_training, stratified_folds
from ._class_scatter import ClassScatter, fold_scatters
from ._optimal_scoring import (
    best_rotation,
    between_shares,
    centroid_scores,
    start_scores,
    variate_scale,
    variate_summary,
)


def _second_differences(n):
    """Matrix (n - 2, n) of second differences; empty for n < 3."""
    return np.diff(np.eye(n), 2, axis=0)


def penalty_matrix(penalty, p, image_shape=None):
    """The penalty Ω (p, p): identity, squared second differences along the columns or an image, or a given matrix."""
    if not isinstance(penalty, str):
        omega = np.array(penalty, dtype=np.float64)
        if omega.shape != (p, p) or not np.allclose(omega, omega.T):
            raise ValueError(f"`penalty` must be a symmetric matrix of shape ({p}, {p}), got shape {omega.shape}.")
        return omega
    if penalty == "identity":
        return np.eye(p)
    if penalty == "smooth":
        D = _second_differences(p)
        return D.T @ D
    if image_shape is None or np.size(image_shape) != 2 or int(np.prod(image_shape)) != p:
        raise ValueError(f"penalty='image' requires `image_shape` with a product of {p} columns, got {image_shape!r}.")
    rows, cols = (int(side) for side in image_shape)
    down, across = _second_differences(rows), _second_differences(cols)
    return np.kron(down.T @ down, np.eye(cols)) + np.kron(np.eye(rows), across.T @ across)


class _Rule:
    """Penalised optimal scoring of one statistic."""

    def __init__(self, statistic, alpha, omega, n_components=None):
        n, mean = statistic.total_weight, statistic.mean()
        gap = statistic.means - mean
        cross = (statistic.counts[:, None] * gap).T  # X'Y, centred
        total = statistic.within() + gap.T @ (statistic.counts[:, None] * gap)
        shares = statistic.counts / n
        present = shares > 0
        start = np.zeros((len(shares), max(present.sum() - 1, 1)))
        start[present] = start_scores(shares[present])
        A = total + alpha * omega
        factor = cholesky(A)
        if factor is None:
            raise linalg.LinAlgError(
                f"The penalised total scatter is singular with alpha={alpha:g}: the penalty does not reach all "
                "collinear or constant columns. Increase alpha, remove these columns, or use penalty='identity'."
            )
        B = factor.solve(cross @ start)
        rotation, self.r2 = best_rotation(start.T @ cross.T @ B / n, n_components)
        self.coef = B @ rotation * variate_scale(self.r2)  # (p, L)
        self.theta, self.mean = start @ rotation, mean
        self.centroids = gap @ self.coef
        self.df = float(np.trace(factor.solve(total)))


class PenalizedDiscriminantAnalysis(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, DiscriminantClassifier, ClassifierMixin, BaseEstimator
):
    r"""Penalised discriminant analysis, for curves, images and correlated columns.

    Optimal scoring with a quadratic penalty: minimises over scores θ_l of the classes and coefficients β_l

    .. math:: \sum_l \Big[ \sum_i (\theta_l(y_i) - x_i^\top \beta_l)^2 + \alpha\, \beta_l^\top \Omega\, \beta_l \Big],
        \qquad \frac1n \sum_i \theta_l(y_i) \theta_m(y_i) = \delta_{lm}

    with centred columns. This is linear discriminant analysis with the within-class scatter S_W + αΩ. A row goes to the
    class with the nearest centroid of the discriminant variates, corrected by log π_k.

    Parameters
    ----------
    alpha : float or array-like of floats, default=1.0
        Strength of the penalty, in units of the scatter (a sum over the rows). The best of several values is chosen by
        cross-validation.
    penalty : {"identity", "smooth", "image"} or array-like of shape (p, p), default="identity"
        The matrix Ω: the identity (ridge), squared second differences of neighbouring columns (coefficients that are
        smooth along a curve), the same along the rows and columns of an image, or any symmetric matrix that is not
        negative.
    image_shape : tuple of two ints or None, default=None
        Rows and columns of the image, whose product is the number of columns of X.
    n_components : int or None, default=None
        Number of discriminant variates; None for K - 1.
    priors : array-like of shape (n_classes,) or None, default=None
        Class priors. None for the class proportions of the training data.
    cv : int, splitter or iterable, default=5
        Folds for the choice of alpha; an int means stratified folds.
    rule : {"min", "one_se"}, default="min"
        Smallest error, or the largest alpha within one standard error of it.

    Attributes
    ----------
    alpha_ : float
        The penalty used.
    cv_curve_ : CVCurve
        Cross-validated error against alpha; only if there was a choice.
    classes_, priors_ : ndarray of shape (n_classes,)
    scalings_ : ndarray of shape (n_features, n_components)
        Coefficients of the discriminant variates.
    theta_ : ndarray of shape (n_classes, n_components)
        Optimal scores.
    r2_ : ndarray of shape (n_components,)
        R² of the penalised regression of each score.
    explained_variance_ratio_ : ndarray of shape (n_components,)
    centroids_ : ndarray of shape (n_classes, n_components)
        Class means of the variates.
    xbar_ : ndarray of shape (n_features,)
        Overall mean of the columns, at which the variates are centred.
    df_ : float
        Effective degrees of freedom of the regressions, without the intercept.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    One pass over the rows collects the scatters of all folds, in O(n p²); each alpha costs O(p³). The penalty depends
    on the units of the columns.

    References
    ----------
    Hastie, Buja & Tibshirani (1995), Penalized discriminant analysis, Annals of Statistics 23.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from statlearn.discriminant import PenalizedDiscriminantAnalysis
    >>> X, y = load_digits(return_X_y=True)
    >>> model = PenalizedDiscriminantAnalysis(1000.0, penalty="image", image_shape=(8, 8)).fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    _search_space = SearchSpace("penalized discriminant analysis", fixed={"alpha": (1.0, 10.0, 100.0, 1000.0)})

    _constraints = {
        "alpha": [Real(0, None), "array-like"],
        "penalty": [Options("identity", "smooth", "image"), "array-like"],
        "image_shape": ["array-like", None],
        "n_components": [Int(1, None), None],
        "priors": ["array-like", None],
        "cv": ["cv"],
        "rule": [Options("min", "one_se")],
    }

    def __init__(
        self, alpha=1.0, *, penalty="identity", image_shape=None, n_components=None, priors=None, cv=5, rule="min"
    ):
        self.alpha = alpha
        self.penalty = penalty
        self.image_shape = image_shape
        self.n_components = n_components
        self.priors = priors
        self.cv = cv
        self.rule = rule

    def fit(self, X, y, sample_weight=None):
        """Fit the model, after choosing alpha if several values are given.

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
        alphas = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if alphas.ndim != 1 or not alphas.size or not np.all((alphas >= 0) & np.isfinite(alphas)):
            raise ValueError(f"`alpha` must contain numbers of at least 0, got {self.alpha!r}.")
        alphas = np.unique(alphas)[::-1]
        X, classes, codes, weights = check_training(self, X, y, sample_weight)
        k = len(classes)
        if self.n_components is not None and self.n_components > k - 1:
            raise ValueError(f"`n_components`={self.n_components} exceeds n_classes - 1 = {k - 1}.")
        omega = penalty_matrix(self.penalty, X.shape[1], self.image_shape)
        statistic = ClassScatter.from_block(X, codes, weights, n_classes=k)
        require_finite(statistic.scatter)
        forget(self, "cv_curve_")
        self.classes_, self.priors_ = classes, class_priors(self.priors, statistic.counts)
        self.alpha_ = float(alphas[0])
        if len(alphas) > 1:
            self.cv_curve_ = self._curve(X, codes, weights, sample_weight, alphas, omega)
            self.alpha_ = float(alphas[self.cv_curve_.chosen(self.rule)])
        rule = _Rule(statistic, self.alpha_, omega, self.n_components)
        self.scalings_, self.centroids_ = rule.coef.astype(X.dtype), rule.centroids.astype(X.dtype)
        self.theta_, self.r2_, self.df_ = rule.theta, rule.r2, rule.df
        self.xbar_ = rule.mean.astype(X.dtype)
        self.explained_variance_ratio_ = between_shares(rule.r2)
        self._n_features_out = len(rule.r2)
        return self

    def _curve(self, X, codes, weights, sample_weight, alphas, omega):
        folds = stratified_folds(self.cv, X, codes, sample_weight)
        loss = np.empty((len(alphas), len(folds)))
        fold_weight = np.array([len(t) if weights is None else float(weights[t].sum()) for _, t in folds])
        for f, statistic in enumerate(fold_scatters(X, codes, weights, folds, len(self.classes_))):
            test = folds[f][1]
            priors = class_priors(self.priors, statistic.counts)
            with np.errstate(divide="ignore"):
                log_priors = np.log(priors)
            for a, alpha in enumerate(alphas):
                rule = _Rule(statistic, alpha, omega, self.n_components)
                scores = centroid_scores((X[test] - rule.mean) @ rule.coef, rule.centroids) + log_priors
                w = None if weights is None else weights[test]
                loss[a, f] = np.average(np.argmax(scores, axis=1) != codes[test], weights=w)
        return CVCurve(alphas, loss, fold_weight, name="alpha")

    def _likelihood_scores(self, X):
        return centroid_scores((X - self.xbar_) @ self.scalings_, self.centroids_)

    def transform(self, X):
        """Discriminant variates of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return (X - self.xbar_) @ self.scalings_

    def summary(self):
        """R² of the optimal scores, shares of the variates and class centroids.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        return variate_summary(
            "Penalized discriminant analysis",
            self,
            {"alpha": self.alpha_, "df": self.df_},
            {"alpha": "alpha", "df": "degrees of freedom"},
        )
