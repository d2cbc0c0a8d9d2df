"""Feature selection by the overlap of class densities, and by stepwise search."""

from itertools import combinations

import numpy as np
from sklearn import feature_selection
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.feature_selection import SelectorMixin
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget, take_attributes
from statlearn._core.frames import refuse_repeated_names
from statlearn._core.params import HasMethods, Instance, Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, encode_classes, validate_data

from ._explained_transform import ExplainedTransformMixin
from ._search_progress import AnnouncedSplitter, SearchProgress


def density_similarity(p, q, measure="cosine"):
    """Similarity of two histograms: their dot product, or the cosine of the angle between them."""
    dot = float(np.dot(p, q))
    if measure == "dot":
        return dot
    length = float(np.linalg.norm(p) * np.linalg.norm(q))
    return dot / length if length > 0 else 0.0


class DensitySimilaritySelector(ExplainedTransformMixin, SelectorMixin, BaseEstimator):
    r"""Removal of features whose distribution is nearly the same in two classes.

    Each column is binned, and the fractions of the rows of a class in the bins are its histogram :math:`p_k`. The
    similarity of two classes is the cosine :math:`p_k^\top p_l / (\|p_k\| \|p_l\|)` or the plain dot product; with
    several classes, the largest over all pairs is used. Columns above the threshold are dropped.

    Parameters
    ----------
    threshold : float, default=0.95
        Largest similarity that is kept.
    measure : {"cosine", "dot"}, default="cosine"
        The dot product of two probability vectors is 1 only for point masses; the cosine is 1 for equal histograms.
    bins : int, default=20
        Number of bins of equal width between the smallest and largest value.

    Attributes
    ----------
    similarities_ : ndarray of shape (n_features,)
    histograms_ : ndarray of shape (n_features, n_classes, bins)
        Fractions of the rows of a class in the bins.
    bin_edges_ : ndarray of shape (n_features, bins + 1)
    classes_ : ndarray
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Each column is assessed on its own, so one that separates the classes only jointly with another is dropped. With
    several classes, a column that separates one class from the rest but cannot distinguish two others also has
    similarity near 1.

    References
    ----------
    Duda, R. O., Hart, P. E. and Stork, D. G. (2001). *Pattern Classification*, 2nd ed., section 2.8. Wiley.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.prep import DensitySimilaritySelector
    >>> X = np.array([[0, 1], [1, 2], [0, 3], [8, 1], [9, 2], [8, 3]])
    >>> selector = DensitySimilaritySelector(bins=3).fit(X, [0, 0, 0, 1, 1, 1])
    >>> selector.similarities_.tolist(), selector.get_support().tolist()
    ([0.0, 1.0], [True, False])
    """

    _constraints = {
        "threshold": [Real(0, None)],
        "measure": [Options("cosine", "dot")],
        "bins": [Int(2, 65_536)],
    }

    def __init__(self, threshold=0.95, *, measure="cosine", bins=20):
        self.threshold = threshold
        self.measure = measure
        self.bins = bins

    def fit(self, X, y):
        """Compute the histograms.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS)
        self.classes_, codes = encode_classes(y, owner=type(self).__name__)
        self.bin_edges_ = np.array([np.histogram_bin_edges(column, self.bins) for column in X.T])
        self.histograms_ = np.array(
            [
                [np.histogram(column[codes == k], edges)[0] / np.sum(codes == k) for k in range(len(self.classes_))]
                for column, edges in zip(X.T, self.bin_edges_)
            ]
        )
        pairs = list(combinations(range(len(self.classes_)), 2))
        self.similarities_ = np.array(
            [max(density_similarity(h[k], h[l], self.measure) for k, l in pairs) for h in self.histograms_]
        )
        if not self._get_support_mask().any():
            raise ValueError(
                f"X: no feature has a similarity of at most `threshold`={self.threshold:g}; the smallest is "
                f"{self.similarities_.min():.3g}. Increase `threshold`."
            )
        return self

    def _get_support_mask(self):
        check_is_fitted(self)
        # Histograms that are equal have cosine 1 up to rounding.
        return self.similarities_ <= self.threshold + 1e-12

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class SequentialFeatureSelector(ExplainedTransformMixin, feature_selection.SequentialFeatureSelector):
    r"""Stepwise feature selection, forward or backward, by cross-validation or an information criterion.

    Extends scikit-learn's class of the same name by `criterion`. With "aic" or "bic" a set of k columns is scored by
    :math:`-2 \log L + c \cdot d`, where c = 2 or :math:`\log n`, and L is the likelihood of the fitted model on the
    training rows: normal with variance RSS/n for regressors, the product of the predicted probabilities for
    classifiers. d counts the nonzero coefficients, including intercepts, and the variance.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Model; None uses :class:`statlearn.linear.LinearRegression`.
    n_features_to_select : "auto", int or float, default="auto"
        Number or fraction of columns. "auto" stops when the criterion no longer improves; for cross-validation, when it
        improves by less than `tol`, or at half of the columns if `tol` is None.
    tol : float or None, default=None
        Smallest improvement of the score that justifies another column; used by cross-validation.
    direction : {"forward", "backward"}, default="forward"
        Whether to start without columns and add, or with all columns and drop.
    scoring : str, callable, list, tuple, dict or None, default=None
        Score for cross-validation.
    cv : int, splitter or iterable, default=5
        Folds.
    n_jobs : int or None, default=None
        Number of parallel fits in cross-validation.
    criterion : {"cv", "aic", "bic"}, default="cv"
        Selection criterion.
    verbose : int or bool, default=0
        Whether the progress and an estimate of the remaining time are printed. Without it, a search that will take more
        than a minute says so once in a warning.

    Attributes
    ----------
    support_ : ndarray of bool of shape (n_features,)
    n_features_to_select_ : int
    criterion_path_ : list of (int, float)
        Number of columns and criterion after each step. Only for "aic" and "bic".
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Requires O(p) fits per step, O(p^2) in total. Standard errors and p-values of a model fitted to the selected columns
    ignore the selection. Ties go to the lowest column index.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 3.3.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.prep import SequentialFeatureSelector
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> y = X[:, 1] - 2 * X[:, 3]
    >>> SequentialFeatureSelector(criterion="bic").fit(X, y).get_support().tolist()
    [False, True, False, True]
    """

    _constraints = {
        "estimator": [HasMethods("fit"), None],
        "n_features_to_select": [
            Options("auto"),
            Real(0, 1, closed="right"),
            Int(1, None),
        ],
        "tol": [Real(None, None), None],
        "direction": [Options("forward", "backward")],
        "scoring": [Instance(str, list, tuple, set, dict), "callable", None],
        "cv": ["cv"],
        "n_jobs": [Int(), None],
        "criterion": [Options("cv", "aic", "bic")],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator=None,
        *,
        n_features_to_select="auto",
        tol=None,
        direction="forward",
        scoring=None,
        cv=5,
        n_jobs=None,
        criterion="cv",
        verbose=0,
    ):
        super().__init__(
            estimator,
            n_features_to_select=n_features_to_select,
            tol=tol,
            direction=direction,
            scoring=scoring,
            cv=cv,
            n_jobs=n_jobs,
        )
        self.criterion = criterion
        self.verbose = verbose

    def fit(self, X, y=None, **params):
        """Select the columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
        **params : dict
            Routed to the scorer and the splitter in cross-validation.

        Returns
        -------
        self
        """
        check_params(self)
        forget(self, "criterion_path_")
        if self.criterion == "cv":
            return self._fit_cv(X, y, params)
        X, y = validate_data(self, X, y, dtype=FLOATS, ensure_min_features=2, multi_output=True)
        self._walk(X, y)
        return self

    def __sklearn_tags__(self):
        tags = super(SelectorMixin, self).__sklearn_tags__()
        inner = get_tags(self._model())
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.input_tags.sparse = inner.input_tags.sparse and self.criterion == "cv"
        return tags

    def _model(self):
        if self.estimator is not None:
            return self.estimator
        from statlearn.linear import LinearRegression

        return LinearRegression()

    def _fit_cv(self, X, y, params):
        refuse_repeated_names(X)
        checked = validate_data(self, X, accept_sparse="csc", ensure_all_finite=not get_tags(self).input_tags.allow_nan)
        model = self._model()
        cv = check_cv(self.cv, y, classifier=is_classifier(model))
        settings = {**self.get_params(deep=False), "estimator": model}
        del settings["criterion"], settings["verbose"]
        n_fits = _number_of_folds(cv, checked, y)
        if n_fits is not None:
            progress = SearchProgress(type(self).__name__, self._step_sizes(checked.shape[1]), n_fits, self.verbose)
            settings["cv"] = AnnouncedSplitter(cv, progress)
        fitted = feature_selection.SequentialFeatureSelector(**settings).fit(X, y, **params)
        take_attributes(self, fitted, "support_", "n_features_to_select_", "n_features_in_", "feature_names_in_")
        return self

    def _step_sizes(self, p):
        """Number of feature sets that each step scores, unless the search stops early."""
        wanted, forward = self.n_features_to_select, self.direction == "forward"
        if wanted == "auto":
            n_steps = (p // 2 if self.tol is None else p - 1) if self.criterion == "cv" else p if forward else p - 1
        else:
            wanted = int(p * wanted) if isinstance(wanted, float) else wanted
            n_steps = wanted if forward else p - wanted
        return [p - k for k in range(n_steps)]

    def _walk(self, X, y):
        p = X.shape[1]
        wanted = self.n_features_to_select
        if wanted != "auto":
            limit = p if isinstance(wanted, float) else p - 1
            wanted = int(p * wanted) if isinstance(wanted, float) else wanted
            if not 1 <= wanted <= limit:
                raise ValueError(
                    f"n_features_to_select must be either 'auto', an integer below n_features={p} or a fraction of "
                    "them."
                )
        forward = self.direction == "forward"
        chosen = [] if forward else list(range(p))
        best = np.inf if forward else information_criterion(self._model(), X, y, self.criterion)
        self.criterion_path_ = [] if forward else [(p, best)]
        goal = wanted if wanted != "auto" else p if forward else 1
        progress = SearchProgress(type(self).__name__, self._step_sizes(p), 1, self.verbose)
        while len(chosen) != goal:
            moves = [j for j in range(p) if (j in chosen) != forward]
            sets = [sorted(set(chosen) ^ {j}) for j in moves]
            values = []
            for columns in sets:
                progress.set_begins()
                values.append(information_criterion(self._model(), X[:, columns], y, self.criterion))
            k = int(np.argmin(values))
            if wanted == "auto" and chosen and values[k] >= best:
                break
            chosen, best = sets[k], values[k]
            self.criterion_path_.append((len(chosen), float(best)))
        self.support_ = np.isin(np.arange(p), chosen)
        self.n_features_to_select_ = len(chosen)


def _number_of_folds(cv, X, y):
    """Number of folds, or None if it depends on the data and their groups."""
    try:
        return cv.get_n_splits(X, y)
    except ValueError:
        return None


def information_criterion(estimator, X, y, criterion):
    """AIC or BIC of a clone of the estimator fitted to X and y."""
    model = clone(estimator).fit(X, y)
    n = X.shape[0]
    if is_classifier(model):
        if not hasattr(model, "predict_proba"):
            raise ValueError(
                f"`criterion`={criterion!r} requires a likelihood, but {type(model).__name__} has no predict_proba."
            )
        probability = model.predict_proba(X)[np.arange(n), np.searchsorted(model.classes_, y)]
        deviance = -2 * np.sum(np.log(np.maximum(probability, np.finfo(float).tiny)))
        size = 0
    else:
        rss = np.sum((y - model.predict(X)) ** 2, axis=0)
        # A perfect fit has an infinite likelihood; rounding decides how large "infinite" is.
        floor = (10 * np.finfo(X.dtype).eps) ** 2 * np.maximum(np.sum(y**2, axis=0), np.finfo(X.dtype).tiny)
        deviance = np.sum(n * (np.log(2 * np.pi * np.maximum(rss, floor) / n) + 1))
        size = np.size(rss)
    coefficients = getattr(model, "coef_", None)
    free = X.shape[1] if coefficients is None else np.count_nonzero(coefficients)
    free += np.count_nonzero(getattr(model, "intercept_", 0.0))
    rows = np.shape(coefficients)[0] if np.ndim(coefficients) == 2 else 1
    if is_classifier(model) and rows > 1 and rows == len(model.classes_):
        free *= (rows - 1) / rows  # one class's coefficients follow from the others
    size += free
    return float(deviance + (2 if criterion == "aic" else np.log(n)) * size)
