"""Classification by least squares on coded labels."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, encode_classes, require_finite, validate_data
from statlearn.linear._base import LinearClassifierMixin, linear_scores
from statlearn.linear._penalty import PENALTY_SCALE
from statlearn.linear.ridge._ridge import Ridge


class LeastSquaresClassifier(LinearClassifierMixin, BaseEstimator):
    r"""Least-squares classifier: regression on coded class labels, with an optional ridge penalty.

    Minimises :math:`\sum_i s_i \lVert t_i - b - W x_i\rVert^2 + \alpha\lVert W\rVert^2` for the coded targets t:

    - ``coding="sign"``: t = ±1, and the class is the sign of the fit (two classes);
    - ``coding="half"``: t = 0 or 1, with a threshold of ½ (two classes);
    - ``coding="onehot"``: t is the indicator vector of the class, and the class with the largest fit is predicted
      (indicator-matrix regression, any number of classes).

    Parameters
    ----------
    coding : {"auto", "sign", "half", "onehot"}, default="auto"
        "auto" is "sign" for two classes and "onehot" for more.
    alpha : float, keyword only, default=0.0
        Ridge penalty on the slopes; 0 is plain least squares.
    degree : int, default=1
        Polynomial degree of the features; 1 means the original features.
    interaction_only : bool, default=False
        With ``degree > 1``, use products of different columns only, without powers.
    fit_intercept : bool, default=True
    threshold_rule : {"gt", "ge"}, default="gt"
        Class of a score equal to the threshold (two classes): the lower class with "gt", the higher with "ge".
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        See :class:`Ridge`.
    penalize_intercept : bool, default=False
        Penalise the intercept like a slope.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_terms) or (n_classes, n_terms)
        One row for "sign" and "half", one per class for "onehot".
    intercept_ : ndarray of shape (1,) or (n_classes,)
        For "half", the intercept of the fit before ½ is subtracted.
    classes_ : ndarray of shape (n_classes,)
    coding_ : str
        The coding that was used.
    degree_, interaction_only_ : int, bool
        The polynomial terms that were used.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    The fitted values estimate E(t | x) but can lie outside [0, 1]. Distant but correctly classified points affect the
    boundary. With three or more classes, a class in the middle can be masked entirely. Logistic regression and
    discriminant analysis avoid all three problems. The number of polynomial terms grows very quickly above degree 3.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 4.2.

    Examples
    --------
    >>> from statlearn.linear import LeastSquaresClassifier
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> LeastSquaresClassifier(degree=2, interaction_only=True).fit(X, [0, 1, 1, 0]).predict(X)
    array([0, 1, 1, 0])
    """

    _constraints = {
        "coding": [Options("auto", "sign", "half", "onehot")],
        "alpha": [Real(0, None)],
        "degree": [Int(1, None)],
        "interaction_only": ["boolean"],
        "fit_intercept": ["boolean"],
        "threshold_rule": [Options("gt", "ge")],
        "penalty_scale": PENALTY_SCALE,
        "penalize_intercept": ["boolean"],
    }
    _search_space = SearchSpace("least squares classifier")

    def __init__(
        self,
        coding="auto",
        *,
        alpha=0.0,
        degree=1,
        interaction_only=False,
        fit_intercept=True,
        threshold_rule="gt",
        penalty_scale="sklearn",
        penalize_intercept=False,
    ):
        self.coding = coding
        self.alpha = alpha
        self.degree = degree
        self.interaction_only = interaction_only
        self.fit_intercept = fit_intercept
        self.threshold_rule = threshold_rule
        self.penalty_scale = penalty_scale
        self.penalize_intercept = penalize_intercept

    def _expand(self, X):
        if self.degree_ == 1:
            return X
        from sklearn.preprocessing import PolynomialFeatures

        stage = PolynomialFeatures(self.degree_, interaction_only=self.interaction_only_, include_bias=False)
        return stage.fit_transform(X)

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : float or array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self : LeastSquaresClassifier
        """
        check_params(self)
        X, y = validate_data(self, X, y, accept_sparse=("csr", "csc"), dtype=FLOATS)
        self.classes_, codes = encode_classes(y, owner="LeastSquaresClassifier")
        weights = check_weights(sample_weight, X)
        n_classes = len(self.classes_)
        coding = ("sign" if n_classes == 2 else "onehot") if self.coding == "auto" else self.coding
        if coding != "onehot" and n_classes > 2:
            raise ValueError(f"coding={coding!r} requires two classes, but y has {n_classes}; use coding='onehot'.")
        targets = {"sign": 2.0 * codes - 1.0, "half": codes, "onehot": np.eye(n_classes)[codes]}[coding]
        self.degree_, self.interaction_only_ = self.degree, self.interaction_only
        model = Ridge(
            self.alpha,
            fit_intercept=self.fit_intercept,
            penalty_scale=self.penalty_scale,
            penalize_intercept=self.penalize_intercept,
        )
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # refused below, in words
            model.fit(self._expand(X), np.asarray(targets, dtype=X.dtype).reshape(len(codes), -1), weights)
        require_finite(model.coef_, model.intercept_)
        self.coding_ = coding
        self.coef_ = np.atleast_2d(model.coef_)
        self.intercept_ = np.broadcast_to(np.asarray(model.intercept_, X.dtype), self.coef_.shape[:1]).copy()
        return self

    def fitted_targets(self, X):
        """Fitted targets, estimates of E(t | x) that can lie outside the range of the code.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, accept_sparse=("csr", "csc"), reset=False)
        values = linear_scores(self._expand(X), self.coef_, self.intercept_)
        return values[:, 0] if self.coding_ != "onehot" else values

    def decision_function(self, X):
        """Decision scores: the fit (minus ½ for ``coding="half"``), one column per class for three or more.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        values = self.fitted_targets(X)
        if self.coding_ == "half":
            return values - 0.5
        if self.coding_ == "onehot" and len(self.classes_) == 2:
            return values[:, 1] - values[:, 0]
        return values

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
