"""Ridge regression with the penalty chosen by leave-one-out, generalised or K-fold cross-validation."""

from sklearn.base import BaseEstimator, MultiOutputMixin

from statlearn._core.params import Instance, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn.linear._base import LinearRegressorMixin
from statlearn.linear._penalty import PENALTY_SCALE

from ._classifier import RidgeClassifierMixin
from ._ridge import SPARSE_FORMATS, coef_shape
from ._search import RidgeSearch


def _scoring_constraint():
    return [Instance(str), "callable", None]


_SEARCH_CONSTRAINTS = {
    "alphas": ["array-like", Real(0, None, closed="neither")],
    "fit_intercept": ["boolean"],
    "scoring": _scoring_constraint(),
    "cv": ["cv"],
    "store_cv_results": ["boolean"],
    "rule": [Options("min", "one_se")],
    "criterion": [Options("loo", "gcv")],
    "penalty_scale": PENALTY_SCALE,
}


class RidgeCV(RidgeSearch, LinearRegressorMixin, MultiOutputMixin, BaseEstimator):
    r"""Ridge regression with the penalty chosen by leave-one-out, generalised or K-fold cross-validation.

    The fit for the chosen penalty minimises RSS + alpha \|w\|², see :class:`Ridge`. With ``cv=None`` (default), every
    penalty is assessed by the exact leave-one-out error

    .. math:: \frac1n \sum_i w_i \left(\frac{y_i - \hat y_i(\alpha)}{1 - h_{ii}(\alpha)}\right)^2

    for the cost of one decomposition.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,) or float, default=(0.1, 1.0, 10.0)
        The penalties to try. They must be positive with ``cv=None``, otherwise non-negative.
    fit_intercept : bool, default=True
        Fit an unpenalised intercept.
    scoring : str, callable or None, default=None
        The score to maximise. None means squared error with ``cv=None``, and, as in scikit-learn, the mean R² of the
        folds with K-fold cross-validation; `cv_curve_` and ``rule="one_se"`` go by the squared error in both.
    cv : int, splitter, iterable or None, default=None
        None is leave-one-out (or GCV) from the decomposition. Otherwise, the folds to use.
    gcv_mode : {"auto", "svd", "eigen"} or None, default=None
        Decomposition used with ``cv=None``: "eigen" is the eigendecomposition of the smaller of X'X and XX', "svd" the
        singular value decomposition of X, and "auto" (None) uses "eigen" unless it is too inaccurate for the smallest
        penalty.
    store_cv_results : bool, default=False
        Keep `cv_results_` (``cv=None`` only).
    alpha_per_target : bool, default=False
        Choose one penalty per target (``cv=None`` only).
    rule : {"min", "one_se"}, keyword only, default="min"
        Choose the penalty with the smallest loss, or the largest penalty within one standard error of it.
    criterion : {"loo", "gcv"}, default="loo"
        With ``cv=None``, leave-one-out or generalised cross-validation, (RSS/n) / (1 - df/n)².
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        See :class:`Ridge`.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        The chosen penalty.
    best_score_ : float or ndarray of shape (n_targets,)
        Its score: minus the mean squared error with ``cv=None``, mean R² of the folds, or the mean of `scoring`.
    cv_curve_ : CVCurve, or a list of one per target with ``alpha_per_target=True``
        The squared error along the grid with its standard errors, largest penalty first: the mean over all held-out
        rows (and targets), also with folds. With `scoring`, the negative of that score, which plots show as the score.
    cv_results_ : ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
        Squared leave-one-out errors, or leave-one-out predictions when `scoring` is given. Rows of weight 0 are NaN.
        Only with `store_cv_results`.
    df_ : float or ndarray of shape (n_targets,)
        Effective degrees of freedom of the chosen fit, without the intercept. Only with ``cv=None``.
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    Leave-one-out for k penalties costs the cross-products, one eigen-decomposition, one n x p x p and two n x p x k
    products, in blocks of rows: O(n p (p + k) + p³) in total, and no n x p matrix is kept. K-fold cross-validation
    of tall data makes one pass over the rows: the cross-products of a training fold are those of all rows minus those
    of the held-out fold.

    Leave-one-out removes a weighted row entirely, that is, all k copies of a row of weight k. With a custom scorer, the
    standard errors of the leave-one-out curve are unknown and set to 0.

    References
    ----------
    Golub, G. H., Heath, M. & Wahba, G. (1979). Generalized cross-validation as a method for choosing a good ridge
    parameter. Technometrics 21, 215-223.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import RidgeCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(40, 5))
    >>> y = X[:, 0] + rng.normal(size=40)
    >>> model = RidgeCV(alphas=np.logspace(-2, 3, 6)).fit(X, y)
    >>> float(model.alpha_)
    1.0
    """

    _constraints = {
        **_SEARCH_CONSTRAINTS,
        "gcv_mode": [Options("auto", "svd", "eigen"), None],
        "alpha_per_target": ["boolean"],
    }
    _search_space = SearchSpace("ridge", fixed={"alphas": tuple(10 ** (0.2 * k) for k in range(30, -16, -1))})

    def __init__(
        self,
        alphas=(0.1, 1.0, 10.0),
        *,
        fit_intercept=True,
        scoring=None,
        cv=None,
        gcv_mode=None,
        store_cv_results=False,
        alpha_per_target=False,
        rule="min",
        criterion="loo",
        penalty_scale="sklearn",
    ):
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target
        self.rule = rule
        self.criterion = criterion
        self.penalty_scale = penalty_scale

    def fit(self, X, y, sample_weight=None):
        """Choose the penalty and fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : float or array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self : RidgeCV
        """
        check_params(self)
        X, y = validate_data(self, X, y, accept_sparse=SPARSE_FORMATS, dtype=FLOATS, multi_output=True, y_numeric=True)
        weights = check_weights(sample_weight, X)
        coef, intercept = self._search(X, y, y.reshape(len(y), -1), weights)
        self.coef_, self.intercept_ = coef_shape(coef, intercept, y.ndim, self.fit_intercept, X.dtype)
        if self.store_cv_results:
            self.cv_results_ = self.cv_results_[:, 0] if y.ndim == 1 else self.cv_results_
        return self


class RidgeClassifierCV(RidgeClassifierMixin, RidgeSearch, BaseEstimator):
    """Ridge classifier with the penalty chosen by cross-validation.

    This is :class:`RidgeCV` on classes coded -1 and +1, see :class:`RidgeClassifier`.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,) or float, default=(0.1, 1.0, 10.0)
        The penalties to try.
    fit_intercept : bool, default=True
    scoring : str, callable or None, default=None
        The score to maximise. None means squared error of the coded labels with ``cv=None``, and accuracy with K-fold
        cross-validation.
    cv : int, splitter, iterable or None, default=None
        None is leave-one-out (or GCV) from one decomposition.
    class_weight : dict, "balanced" or None, default=None
    store_cv_results : bool, default=False
    rule : {"min", "one_se"}, keyword only, default="min"
    criterion : {"loo", "gcv"}, default="loo"
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    best_score_ : float
        Its score.
    cv_curve_ : CVCurve
        The loss along the grid with its standard errors, largest penalty first: the squared error of the coded labels,
        or, with folds or `scoring`, the negative of the score, which plots show as the score.
    cv_results_ : ndarray of shape (n_samples, n_targets, n_alphas)
        Squared leave-one-out errors, or leave-one-out predictions when `scoring` is given. Rows of weight 0 are NaN.
        Only with `store_cv_results`.
    df_ : float
        Effective degrees of freedom of the chosen fit, without the intercept. Only with ``cv=None``.
    coef_ : ndarray of shape (n_features,) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,), or 0.0 without an intercept
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    Cost and treatment of weights are those of :class:`RidgeCV`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.linear import RidgeClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RidgeClassifierCV(alphas=[0.01, 1.0, 100.0]).fit(X, y)
    >>> float(model.alpha_)
    1.0
    """

    _constraints = {**_SEARCH_CONSTRAINTS, "class_weight": [Instance(dict), Options("balanced"), None]}
    _search_space = SearchSpace(
        "ridge classifier", fixed={"alphas": tuple(10 ** (0.2 * k) for k in range(30, -16, -1))}
    )

    def __init__(
        self,
        alphas=(0.1, 1.0, 10.0),
        *,
        fit_intercept=True,
        scoring=None,
        cv=None,
        class_weight=None,
        store_cv_results=False,
        rule="min",
        criterion="loo",
        penalty_scale="sklearn",
    ):
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.class_weight = class_weight
        self.store_cv_results = store_cv_results
        self.rule = rule
        self.criterion = criterion
        self.penalty_scale = penalty_scale

    def fit(self, X, y, sample_weight=None):
        """Choose the penalty and fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : float or array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self : RidgeClassifierCV
        """
        check_params(self)
        X, y, Y, weights = self._check_data(X, y, sample_weight)
        coef, intercept = self._search(X, y, Y, weights)
        self.coef_, self.intercept_ = coef_shape(coef, intercept, 2, self.fit_intercept, X.dtype)
        return self
