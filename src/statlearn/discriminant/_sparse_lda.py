"""Sparse linear discriminant analysis: canonical directions with few columns."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_scores import class_priors
from statlearn._core.names import input_names
from statlearn._core.params import Int, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import FLOATS, require_finite, validate_data
from statlearn._core.warnings import MAX_ITER, OK, warn, warn_if_stopped
from statlearn.linear import ElasticNet

from ._base import DiscriminantClassifier, check_training
from ._class_scatter import ClassScatter
from ._sphering import sphere


class SparseLDA(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, DiscriminantClassifier, ClassifierMixin, BaseEstimator
):
    r"""Sparse linear discriminant analysis by optimal scoring with an elastic net.

    For one component after the other, minimises over scores θ of the classes and coefficients β

    .. math:: \frac{1}{2n} \sum_i (\theta(y_i) - x_i^\top \beta)^2 + \alpha \Big(\rho \lVert \beta \rVert_1
        + \tfrac{1 - \rho}{2} \lVert \beta \rVert^2\Big), \qquad \theta^\top D \theta = 1

    with θ orthogonal to the scores of earlier components, D the class proportions, ρ the `l1_ratio`, and standardised
    columns. Alternates between the elastic net and the scores until θ changes by less than `tol`. Rows are classified
    by linear discriminant analysis of the projections Xβ.

    Parameters
    ----------
    alpha : float, default=0.05
        Strength of the penalty. Larger values select fewer columns.
    l1_ratio : float in (0, 1], default=0.9
        Share ρ of the L1 penalty.
    n_components : int or None, default=None
        Number of directions; None for min(K - 1, p).
    priors : array-like of shape (n_classes,) or None, default=None
        Class priors. None for the class proportions of the training data.
    max_iter : int, default=100
        Maximum number of alternations per component.
    tol : float, default=1e-5
        Threshold for the largest change of a score.

    Attributes
    ----------
    classes_, priors_ : ndarray of shape (n_classes,)
    scalings_ : ndarray of shape (n_features, n_components)
        Sparse directions β in the units of the columns. Components that the penalty sets to 0 are left out.
    theta_ : ndarray of shape (n_classes, n_components)
        Scores of the classes.
    support_ : ndarray of bool of shape (n_features,)
        Columns that are used by a direction.
    means_ : ndarray of shape (n_classes, n_features)
    xbar_ : ndarray of shape (n_features,)
        Overall mean of the columns, at which the variates are centred.
    n_iter_ : int
        Largest number of alternations of a component.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The problem is not convex; the start is the best direction of the class means. If `alpha` is so large that no column
    remains, the rule predicts the most probable class, with a warning. There is no inference after selection.

    References
    ----------
    Clemmensen, Hastie, Witten & Ersbøll (2011), Sparse discriminant analysis, Technometrics 53.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from statlearn.discriminant import SparseLDA
    >>> X, y = load_wine(return_X_y=True)
    >>> model = SparseLDA(alpha=0.2).fit(X, y)
    >>> int(model.support_.sum()), round(model.score(X, y), 2)
    (8, 0.96)
    """

    _search_space = SearchSpace("sparse linear discriminant", grid={"alpha": [0.3, 0.1, 0.03, 0.01]})

    _constraints = {
        "alpha": [Real(0, None, closed="neither")],
        "l1_ratio": [Real(0, 1, closed="right")],
        "n_components": [Int(1, None), None],
        "priors": ["array-like", None],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
    }

    def __init__(self, alpha=0.05, *, l1_ratio=0.9, n_components=None, priors=None, max_iter=100, tol=1e-5):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.n_components = n_components
        self.priors = priors
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y, sample_weight=None):
        """Fit the directions and the rule.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row, a weight of 0 to its absence.

        Returns
        -------
        self
        """
        check_params(self)
        X, classes, codes, weights = check_training(self, X, y, sample_weight)
        k, p = len(classes), X.shape[1]
        limit = min(k - 1, p)
        if self.n_components is not None and self.n_components > limit:
            raise ValueError(f"`n_components`={self.n_components} exceeds min(n_classes - 1, n_features) = {limit}.")
        w = np.ones(len(X)) if weights is None else weights.astype(np.float64)
        counts = np.bincount(codes, weights=w)
        if counts.sum() <= k:
            raise ValueError("The number of samples must be more than the number of classes.")
        mean = np.average(X.astype(np.float64), axis=0, weights=w)
        Z = X - mean
        spread = np.sqrt(np.average(Z**2, axis=0, weights=w))
        require_finite(spread)
        small = np.finfo(X.dtype).eps * 10 * np.abs(mean)
        scale = np.where(spread > small, spread, np.inf)  # constant columns become 0
        Z = np.asfortranarray(Z / scale)
        B, theta, n_iter = self._directions(Z, codes, w, counts / counts.sum(), self.n_components or limit)
        self.classes_, self.priors_ = classes, class_priors(self.priors, counts)
        self.theta_, self.n_iter_ = theta, n_iter
        B = B / np.where(np.isfinite(scale), scale, 1.0)[:, None]
        self.scalings_, self.support_ = B.astype(X.dtype), np.any(B != 0, axis=1)
        self.xbar_ = mean.astype(X.dtype)
        projected = (X - mean) @ B
        if B.shape[1]:
            statistic = ClassScatter.from_block(projected, codes, weights, n_classes=k, pooled=True)
            self._W = sphere(statistic.pooled_covariance(), dtype=X.dtype).W
            self._centres = statistic.means @ self._W
        else:
            warn(
                f"SparseLDA: alpha={self.alpha:g} is so large that no column remains; the most probable class is "
                "always predicted. Use a smaller alpha."
            )
            self._W, self._centres = np.zeros((0, 0)), np.zeros((k, 0))
        membership = np.zeros((k, len(X)))
        membership[codes, np.arange(len(X))] = w
        self.means_ = (membership @ X / counts[:, None]).astype(X.dtype)
        self._n_features_out = B.shape[1]
        return self

    def _directions(self, Z, codes, w, shares, n_components):
        """Sparse directions (p, L), scores (k, L) and the number of alternations."""
        k = len(shares)
        earlier = np.ones((k, 1))  # the constant, and the scores found so far
        directions, scores, longest, stopped = [], [], 0, False
        net = ElasticNet(self.alpha, l1_ratio=self.l1_ratio, fit_intercept=False, tol=1e-7, warm_start=True)
        means = np.stack([np.average(Z[codes == c], axis=0, weights=w[codes == c]) for c in range(k)])
        for _ in range(n_components):
            theta = self._start(means, shares, earlier)
            iteration = 0
            while iteration < self.max_iter:
                iteration += 1
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)  # the outer loop continues from there
                    beta = net.fit(Z, theta[codes].astype(Z.dtype), sample_weight=w).coef_.astype(np.float64)
                if not beta.any():
                    break
                new = self._orthonormal(means @ beta, shares, earlier)  # D^-1 Y'X beta / n is the class mean of X beta
                change = np.max(np.abs(new - theta))
                theta = new
                if change < self.tol:
                    break
            stopped |= iteration == self.max_iter and bool(beta.any())
            longest = max(longest, iteration)
            if not beta.any():
                break
            directions.append(beta)
            scores.append(theta)
            earlier = np.column_stack([earlier, theta])
        warn_if_stopped(
            self, MAX_ITER if stopped else OK, f"the scores still change after {self.max_iter} alternations",
            remedy="Increase max_iter or tol.",
        )  # fmt: skip
        stack = lambda parts, rows: np.stack(parts, axis=1) if parts else np.zeros((rows, 0))  # noqa: E731
        return stack(directions, Z.shape[1]), stack(scores, k), longest

    @staticmethod
    def _orthonormal(theta, shares, earlier):
        """Scores orthogonal to earlier ones, of length 1, in the metric of the class proportions."""
        theta = theta - earlier @ (earlier.T @ (shares * theta))
        length = np.sqrt(theta @ (shares * theta))
        return theta / length if length > 1e-12 else theta

    def _start(self, means, shares, earlier):
        """Scores along the largest spread of the class means, orthogonal to earlier ones; the sign is fixed."""
        left = np.stack(
            [means[:, j] - earlier @ (earlier.T @ (shares * means[:, j])) for j in range(means.shape[1])], 1
        )
        U, _, _ = np.linalg.svd(np.sqrt(shares)[:, None] * left, full_matrices=False)
        theta = self._orthonormal(U[:, 0] / np.sqrt(shares), shares, earlier)
        if not theta.any() or not np.isfinite(theta).all():
            theta = self._orthonormal(np.arange(len(shares), dtype=float), shares, earlier)
        return theta * (1.0 if theta[np.argmax(np.abs(theta))] > 0 else -1.0)

    def _likelihood_scores(self, X):
        Z = ((X - self.xbar_) @ self.scalings_) @ self._W
        return (Z @ self._centres.T - 0.5 * np.sum(self._centres**2, axis=1)).astype(X.dtype)

    def transform(self, X):
        """Projections of the rows on the sparse directions, about the overall mean.

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
        """Coefficients of the selected columns. There are no tests after selection.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        names = np.asarray(input_names(self), dtype=object)[self.support_]
        used = self.scalings_[self.support_].astype(float)
        columns = {f"direction {j + 1}": used[:, j] for j in range(used.shape[1])}
        facts = {"selected": int(self.support_.sum()), "n_features": self.n_features_in_}
        labels = {"selected": "selected columns", "n_features": "columns"}
        table = Table(list(names), columns)
        notes = ["The columns were selected by the penalty, so standard errors and tests are not valid here."]
        return Summary("Sparse linear discriminant analysis", table, facts, labels, notes=notes)
