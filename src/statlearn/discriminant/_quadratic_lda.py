"""Linear discriminant analysis with squares and cross products of the columns."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.memory import require_memory
from statlearn._core.names import input_names
from statlearn._core.params import Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table
from statlearn._core.warnings import RankWarning, pass_on

from ._base import DiscriminantClassifier, check_training
from ._lda import LinearDiscriminantAnalysis

_SINGULAR = (
    "QuadraticLDA: the within-class scatter of the columns, squares and products is singular: columns are collinear or "
    "have only two values, or there are too few rows. Directions without spread within the classes are ignored; "
    "consider shrinkage or fewer columns."
)


def _expand(X):
    """Columns, squares and cross products: p (p + 3) / 2 columns."""
    p = X.shape[1]
    i, j = np.triu_indices(p)
    return np.hstack([X, X[:, i] * X[:, j]])


class QuadraticLDA(DiscriminantClassifier, ClassifierMixin, BaseEstimator):
    r"""Linear discriminant analysis of the columns, their squares and their cross products.

    The boundaries are quadratic, as those of `QuadraticDiscriminantAnalysis`, and have as many parameters,
    (K - 1)(p (p + 3) / 2 + 1). The rules are similar in practice but not the same: here the expanded columns, not the
    columns, are taken as Gaussian with a common covariance.

    Parameters
    ----------
    shrinkage : float in [0, 1], "auto" or None, default=None
        Shrinkage of the covariance of the expanded columns, as in `LinearDiscriminantAnalysis`.
    priors : array-like of shape (n_classes,) or None, default=None
        Class priors. None for the class proportions of the training data.
    cov_divisor : {"auto", "n", "n-k"}, default="auto"
        As in `LinearDiscriminantAnalysis`.

    Attributes
    ----------
    classes_, priors_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (n_classes, n_expanded), or (1, n_expanded) for two classes
        Coefficients of the standardised columns, then of their products in the order of the upper triangle.
    intercept_ : ndarray
    n_parameters_ : int
        Parameters of the rule.
    n_parameters_qda_ : int
        Parameters of quadratic discriminant analysis for the same columns and classes.
    n_parameters_lda_ : int
        Parameters of linear discriminant analysis.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The columns are standardised first, which does not change the rule without shrinkage and keeps products in range.
    Cost O(n p⁴ / 4): meant for some dozens of columns.

    References
    ----------
    Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, figure 4.6.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.discriminant import QuadraticLDA
    >>> X, y = load_iris(return_X_y=True)
    >>> model = QuadraticLDA().fit(X, y)
    >>> model.n_parameters_, model.n_parameters_lda_
    (30, 10)
    """

    _search_space = SearchSpace("linear discriminant, quadratic terms", grid={"shrinkage": [0.3, 0.1, 0.01]})

    _constraints = {
        "shrinkage": [Options("auto"), Real(0, 1, closed="both"), None],
        "priors": ["array-like", None],
        "cov_divisor": [Options("auto", "n", "n-k")],
    }

    def __init__(self, *, shrinkage=None, priors=None, cov_divisor="auto"):
        self.shrinkage = shrinkage
        self.priors = priors
        self.cov_divisor = cov_divisor

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

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
        n, p = X.shape
        expanded = p * (p + 3) // 2
        require_memory(
            X.itemsize * n * expanded + 16 * expanded**2,
            f"The expansion of {p} columns to {expanded:,}",
            "Use QuadraticDiscriminantAnalysis, which needs no expansion.",
        )
        w = np.ones(n) if weights is None else weights
        centre = np.average(X.astype(np.float64), axis=0, weights=w)
        spread = np.sqrt(np.average((X - centre) ** 2, axis=0, weights=w))
        self._centre = centre.astype(X.dtype)
        self._spread = np.where(spread > 0, spread, 1.0).astype(X.dtype)
        linear = LinearDiscriminantAnalysis(
            solver="sphere", shrinkage=self.shrinkage, priors=self.priors, cov_divisor=self.cov_divisor
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            linear.fit(self._columns(X), codes, weights)
        pass_on(caught, {RankWarning: _SINGULAR})
        self.classes_, self.priors_ = classes, linear.priors_
        self.coef_, self.intercept_ = linear.coef_, linear.intercept_
        self._directions, self._half_norms, self._mean = linear._directions, linear._half_norms, linear.xbar_
        self.n_parameters_ = linear.n_parameters_
        k = len(classes)
        self.n_parameters_lda_ = (k - 1) * (p + 1)
        self.n_parameters_qda_ = (k - 1) * (expanded + 1)
        return self

    def summary(self):
        """Class priors, and coefficients of the columns, squares and products.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        names, classes = input_names(self), [str(c) for c in self.classes_]
        pairs = zip(*np.triu_indices(len(names)))
        terms = [*names, *(f"{names[i]}²" if i == j else f"{names[i]} × {names[j]}" for i, j in pairs)]
        of = classes if len(self.coef_) > 1 else [f"log odds of {classes[1]}"]
        coefficients = Table(["intercept", *terms], dict(zip(of, np.column_stack([self.intercept_, self.coef_]))),
                             "Coefficients of the standardised columns", tuple(of))  # fmt: skip
        facts = {"n_parameters": self.n_parameters_, "n_parameters_lda": self.n_parameters_lda_}
        labels = {"n_parameters": "Parameters of the rule", "n_parameters_lda": "  without squares and products"}
        classes = Table(classes, {"prior": self.priors_.astype(np.float64)})
        return Summary("Linear discriminant analysis with quadratic terms", classes, facts, labels, [coefficients])

    def _columns(self, X):
        return _expand((X - self._centre) / self._spread)

    def _likelihood_scores(self, X):
        return (self._columns(X) - self._mean) @ self._directions.T + self._half_norms
