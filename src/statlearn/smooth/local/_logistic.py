"""Local logistic regression."""

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.params import check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, encode_classes, present_rows, validate_columns
from statlearn._math.losses.families import make_family
from statlearn._math.losses.links import make_link
from statlearn.smooth._input_columns import check_sizes

from ._likelihood import EMPTY, LocalModel, criteria


class LocalLogistic(ClassifierMixin, LocalModel):
    r"""Local logistic regression: maximum likelihood with kernel weights around each point.

    For two classes, with y = 1 for the second,

    .. math:: \max_\beta \sum_i w_i K(\lVert x_i - x_0 \rVert / h)
        \bigl(y_i \eta_i - \log(1 + e^{\eta_i})\bigr), \qquad \eta_i = \beta_0 + \beta_1^\top (x_i - x_0) + \dots

    and :math:`P(1 \mid x_0) = 1/(1 + e^{-\hat\beta_0})`. The columns are centred at the query, so its log-odds are the
    local intercept. With more classes, each has its own polynomial in a multinomial logit model.

    Parameters
    ----------
    bandwidth : float, callable or None, default=None
        The bandwidth h, inf for a global fit, or a function that returns :math:`h(x_0)` for each row of an array.
    degree : {0, 1, 2}, default=1
        Degree of the local polynomial; 2 includes all products of two columns.
    n_neighbors : int or None, default=None
        Without a bandwidth, :math:`h(x_0)` is the distance to this nearest row.
    span : float or None, default=None
        The number of neighbours as a fraction of the rows. If none of the three is set, 0.7.
    kernel : {"epanechnikov", "tricube", "gaussian", "uniform"}, default="tricube"
        See :func:`kernel_profile`.
    gaussian_scale : {"standard", "variance", "no_half"}, default="standard"
        Meaning of the bandwidth b for the Gaussian kernel: :math:`\exp(-d^2 / (2 b^2))`, :math:`\exp(-d^2 / (2 b))` or
        :math:`\exp(-d^2 / b^2)`.
    A : array-like of shape (n_features, n_features) or None, default=None
        Distances are :math:`\sqrt{(x - x_0)^\top A (x - x_0)}`. The polynomial uses all columns.
    alpha : float, default=0.0
        Ridge penalty :math:`\frac\alpha2 (\lVert\beta_{1:}\rVert^2 + (\beta_0 - \bar\eta)^2)` in every window, with
        offsets in units of the bandwidth and :math:`\bar\eta` the overall log-odds; with more classes, alpha times the
        squared deviations of the class scores from their mean.
    tol : float, default=1e-9
        Newton's method stops when the next step would change no linear predictor eta of the rows of the window by more
        than `tol` (1 + abs(eta)).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_prior_ : ndarray of shape (n_classes,)
        Weighted proportions of the classes.
    X_train_, y_train_ : ndarray
        Training rows and their class codes, sorted by x if there is a single column.
    df_, loo_ : float
        Sum of the leverages (two classes only), and mean leave-one-out deviance. Each takes a pass over the rows.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    LocalLikelihood : other families.
    SplineLogistic : an additive model with curves for the columns.
    KernelDensityClassifier : from densities of the classes.

    Notes
    -----
    If a window contains a single class, or a plane separates its classes, there is no finite maximum. A ridge of 0.1,
    about as strong as half a row of the other class, is then used there and a ``SeparationWarning`` issued;
    probabilities remain inside (0, 1). Pure windows are common for well-separated classes; set `alpha`. The cost is
    that of :class:`LocalLikelihood`; with K classes and m polynomial terms a step takes O(K^2 m^2) per row.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 6.5.

    Loader, C. (1999). *Local Regression and Likelihood*. Springer.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import LocalLogistic
    >>> x = np.arange(12.0)[:, None]
    >>> y = [0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1]
    >>> LocalLogistic(8.0).fit(x, y).predict_proba([[1.0], [6.0]]).round(3)
    array([[0.822, 0.178],
           [0.445, 0.555]])
    """

    _search_space = SearchSpace(
        "local logistic regression", grid={"span": (1.0, 0.7, 0.5, 0.35, 0.25)}, fixed={"alpha": 0.1}
    )

    def __init__(
        self,
        bandwidth=None,
        degree=1,
        *,
        n_neighbors=None,
        span=None,
        kernel="tricube",
        gaussian_scale="standard",
        A=None,
        alpha=0.0,
        tol=1e-9,
    ):
        self.bandwidth = bandwidth
        self.degree = degree
        self.n_neighbors = n_neighbors
        self.span = span
        self.kernel = kernel
        self.gaussian_scale = gaussian_scale
        self.A = A
        self.alpha = alpha
        self.tol = tol

    def fit(self, X, y, sample_weight=None):
        """Store the rows; the local fits are computed at prediction.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels, two or more classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts as k rows.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_columns(self, X, y, dtype=FLOATS)
        check_sizes(X)
        X, y, weights = present_rows(check_weights(sample_weight, X), X, y)
        self.classes_, codes = encode_classes(y, owner=type(self).__name__)
        sizes = np.bincount(codes, weights=weights).astype(np.float64)
        self.class_prior_ = sizes / sizes.sum()
        self._keep(X, codes, weights)
        return self

    def _evaluate(self, X, *, leave_out=False):
        """Scores relative to the first class, standard errors (two classes), leverages over curvature, statuses."""
        prior = self.class_prior_
        centre = np.log(prior[1:] / prior[0])
        if len(prior) == 2:
            family, link = make_family("binomial"), make_link("logit")
            return self._glm_windows(X, family, link, centre[0], prior[1], leave_out=leave_out)
        X = np.ascontiguousarray(X, dtype=np.float64)
        scores, ended = np.empty((len(X), len(centre))), np.empty(len(X), dtype=np.intc)
        native.smooth.local_multinomial(*self._arguments(X), centre, *self._how(leave_out), scores, ended)
        return scores, None, None, ended

    def _scores_of(self, X):
        check_is_fitted(self)
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        scores, _, _, ended = self._evaluate(X)
        self._report(ended)
        return scores

    def predict_linear(self, X, *, return_std=False):
        """Log-odds of the second of two classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        return_std : bool, default=False
            Also return standard errors.

        Returns
        -------
        ndarray of shape (n_samples,), or two of them
        """
        check_is_fitted(self)
        if len(self.classes_) > 2:
            raise ValueError(
                "predict_linear supports two classes only; decision_function returns a score for each class."
            )
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        eta, std_error, _, ended = self._evaluate(X)
        self._report(ended)
        return (eta, std_error) if return_std else eta

    def decision_function(self, X):
        """Log-odds of the second of two classes, or scores of all classes that sum to 0.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        scores = self._scores_of(X)
        if scores.ndim == 1:
            return scores
        full = np.column_stack([np.zeros(len(scores)), scores])
        return full - full.mean(axis=1, keepdims=True)

    def predict_proba(self, X):
        """Class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self.decision_function(X)
        return np.column_stack([expit(-scores), expit(scores)]) if scores.ndim == 1 else softmax(scores, axis=1)

    def predict_log_proba(self, X):
        """Logarithms of the class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return _log_proba(self.decision_function(X))

    def predict(self, X):
        """The most probable class of each row; the first in case of ties.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        best = (scores > 0).astype(int) if scores.ndim == 1 else np.argmax(scores, axis=1)
        return self.classes_[best]

    # Scores ----------------------------------------------------------------------------------------------------------

    def row_losses(self, X, y):
        """Deviance of each row: minus twice the log probability of its class, inf for an unseen class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        logs = self.predict_log_proba(X)
        matches = np.asarray(y)[:, None] == self.classes_
        return -2.0 * np.where(matches.any(axis=1), np.where(matches, logs, 0.0).sum(axis=1), -np.inf)

    def scores(self):
        """Degrees of freedom and deviances of the fit to the training rows, computed in two passes over them.

        Returns
        -------
        dict
            ``df`` (sum of the leverages), ``deviance``, ``loo`` (mean leave-one-out deviance at the same bandwidth),
            ``gcv`` (n times the deviance over (n - df)^2) and ``aicc`` (the deviance plus 2 df n / (n - df - 1)). With
            more than two classes ``df``, ``gcv`` and ``aicc`` are NaN.
        """
        check_is_fitted(self)
        codes, n = self.y_train_.astype(int), self._total_weight
        w = np.ones(len(codes)) if self._row_weights is None else self._row_weights
        eta, _, information, _ = self._evaluate(self.X_train_)
        without, _, _, ended = self._evaluate(self.X_train_, leave_out=True)

        def deviance_of(scores):
            if scores.ndim > 1:
                scores = np.column_stack([np.zeros(len(scores)), scores])
            return float(-2.0 * w @ _log_proba(scores)[np.arange(len(codes)), codes])

        deviance = deviance_of(eta)
        loo = np.inf if np.any(ended == EMPTY) else deviance_of(without) / n
        if information is None:
            return dict(df=np.nan, deviance=deviance, loo=loo, gcv=np.nan, aicc=np.nan)
        return criteria(n, float(w @ (information * expit(eta) * expit(-eta))), deviance, loo, True)

    @property
    def df_(self):
        """Sum of the leverages, for two classes."""
        return self.scores()["df"]

    @property
    def loo_(self):
        """Mean leave-one-out deviance."""
        return self.scores()["loo"]


def _log_proba(scores):
    if scores.ndim == 1:
        return np.column_stack([log_expit(-scores), log_expit(scores)])
    return log_softmax(scores, axis=1)
