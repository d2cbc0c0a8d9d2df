"""Fisher's linear discriminant of two classes."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.names import input_names
from statlearn._core.params import Options, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table, as_counts
from statlearn._core.validation import FLOATS, require_finite, validate_data

from ._base import check_training
from ._class_scatter import ClassScatter, check_class_data
from ._sphering import separating_columns, sphere, warn_singular


def fisher_criterion(w, X, y, sample_weight=None):
    r"""Fisher's criterion of a direction for two classes.

    .. math:: J(w) = \frac{(w^\top (m_2 - m_1))^2}{w^\top S_W w}

    S_W is the unnormalised within-class scatter. The criterion does not depend on the length of w.

    Parameters
    ----------
    w : array-like of shape (p,)
    X : array-like of shape (n, p)
    y : array-like of shape (n,)
        Two classes.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.discriminant import fisher_criterion
    >>> X = [[4, 2], [2, 4], [2, 3], [3, 6], [4, 4], [9, 10], [6, 8], [9, 5], [8, 7], [10, 8]]
    >>> round(fisher_criterion([1.0, 0.0], X, ["A"] * 5 + ["B"] * 5), 4)
    2.2091
    """
    X, classes, codes, weights = check_class_data(X, y, sample_weight, minimum=2, owner="fisher_criterion")
    if len(classes) != 2:
        raise ValueError(f"y must contain two classes, got {len(classes)}.")
    w = np.asarray(w, dtype=np.float64)
    if w.shape != (X.shape[1],):
        raise ValueError(f"w must have shape ({X.shape[1]},), got {w.shape}.")
    statistic = ClassScatter.from_block(X, codes, weights, n_classes=2, pooled=True)
    return float((w @ (statistic.means[1] - statistic.means[0])) ** 2 / (w @ statistic.within() @ w))


def _best_threshold(z, codes, weights, centre):
    """Threshold with the smallest training error of "second class if z > threshold"; nearest to `centre` among ties."""
    w = np.ones(len(z)) if weights is None else weights.astype(np.float64)
    order = np.argsort(z, kind="stable")
    z, sign = z[order], np.where(codes[order] == 1, w[order], -w[order])
    error = w[codes == 0].sum() + np.concatenate([[0.0], np.cumsum(sign)])  # after 0, 1, ... rows fall below
    edges = np.concatenate([[z[0] - 1.0], (z[:-1] + z[1:]) / 2, [z[-1] + 1.0]])
    allowed = np.concatenate([[True], z[1:] > z[:-1], [True]])
    error = np.where(allowed, error, np.inf)
    best = np.flatnonzero(error <= error.min() + 1e-9 * w.sum())
    low = np.concatenate([[-np.inf], z])[best]
    high = np.concatenate([z, [np.inf]])[best]
    inside = (low < centre) & (centre < high)  # the midpoint itself is among the best thresholds
    return float(centre) if inside.any() else float(edges[best[np.argmin(np.abs(edges[best] - centre))]])


class FisherDiscriminant(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClassifierMixin, BaseEstimator):
    r"""Fisher's linear discriminant of two classes.

    The direction w that maximises the squared distance of the projected means over the within-class scatter,

    .. math:: J(w) = \frac{(w^\top (m_2 - m_1))^2}{w^\top S_W w}, \qquad w \propto S_W^{-1} (m_2 - m_1),
        \qquad J^* = (m_2 - m_1)^\top S_W^{-1} (m_2 - m_1)

    No distribution is assumed. Rows are classified by their projection.

    Parameters
    ----------
    offset : {"midpoint", "error"}, default="midpoint"
        Threshold of the projection: the midpoint of the projected means (the nearest projected mean, which is linear
        discriminant analysis with equal priors), or the value with the smallest training error, the nearest to the
        midpoint among several.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    means_ : ndarray of shape (2, n_features)
    coef_ : ndarray of shape (1, n_features)
        The direction S_W^{-1}(m_2 - m_1).
    intercept_ : ndarray of shape (1,)
        Minus the threshold.
    direction_ : ndarray of shape (n_features,)
        The direction with length 1.
    criterion_ : float
        The maximum J*, with the unnormalised scatter S_W.
    within_std_ : ndarray of shape (n_features,)
        Standard deviations of the columns within the classes, with divisor n - 2.
    class_count_ : ndarray of shape (2,)
        Sum of the weights of each class.
    projected_means_, projected_std_ : ndarray of shape (2,)
        Means and standard deviations (divisor n_k - 1) of the rows of each class, projected on `direction_`.
    training_error_ : ndarray of shape (2,)
        Share of each class that is misclassified in the training data.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Fails if the means of the classes coincide or if a class has several separate groups of rows. If S_W is singular,
    directions without spread are ignored, with a warning.

    References
    ----------
    Fisher (1936), The use of multiple measurements in taxonomic problems, Annals of Eugenics 7.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.discriminant import FisherDiscriminant
    >>> X = np.array([[4, 2], [2, 4], [2, 3], [3, 6], [4, 4], [9, 10], [6, 8], [9, 5], [8, 7], [10, 8]])
    >>> model = FisherDiscriminant().fit(X, ["A"] * 5 + ["B"] * 5)
    >>> model.direction_.round(4), round(model.criterion_, 4)
    (array([0.9088, 0.4173]), 3.0502)
    """

    _search_space = SearchSpace("Fisher discriminant", grid={"offset": ["midpoint", "error"]})
    _constraints = {"offset": [Options("midpoint", "error")]}

    def __init__(self, *, offset="midpoint"):
        self.offset = offset

    def fit(self, X, y, sample_weight=None):
        """Fit the direction and the threshold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row, a weight of 0 to its absence.

        Returns
        -------
        self
        """
        check_params(self)
        X, classes, codes, weights = check_training(self, X, y, sample_weight)
        if len(classes) != 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is multiclass: y has {len(classes)} "
                "classes. Use LinearDiscriminantAnalysis."
            )
        statistic = ClassScatter.from_block(X, codes, weights, n_classes=2, pooled=True)
        require_finite(statistic.scatter)
        S = statistic.within()
        sphering = sphere(S, dtype=X.dtype)
        if sphering.rank < len(S):
            separators = separating_columns(statistic, np.diagonal(S) / statistic.total_weight)
            warn_singular(self, sphering.rank, len(S), "Directions without spread are ignored.", separators)
        gap = statistic.means[1] - statistic.means[0]
        inner = gap @ sphering.W
        w = sphering.W @ inner
        centre = float(w @ statistic.means.sum(axis=0) / 2)
        if self.offset == "error":
            centre = _best_threshold(X.astype(np.float64) @ w, codes, weights, centre)
        self.classes_ = classes
        self.means_ = statistic.means.astype(X.dtype)
        self.coef_, self.intercept_ = w[None].astype(X.dtype), np.array([-centre], dtype=X.dtype)
        length = np.linalg.norm(w)
        self.direction_ = (w / length if length > 0 else w).astype(X.dtype)
        self.criterion_ = float(inner @ inner)
        self._describe(X, codes, weights, statistic, S)
        self._n_features_out = 1
        return self

    def _describe(self, X, codes, weights, statistic, S):
        """Spreads and errors of the training rows, for `summary`."""
        w = np.ones(len(X)) if weights is None else weights.astype(np.float64)
        z = X.astype(np.float64) @ self.direction_.astype(np.float64)
        wrong = (X @ self.coef_[0] + self.intercept_[0] > 0) != (codes == 1)
        self.class_count_ = statistic.counts
        self.within_std_ = np.sqrt(np.maximum(np.diagonal(S), 0.0) / max(w.sum() - 2.0, 1.0))
        self.projected_means_ = statistic.means @ self.direction_.astype(np.float64)
        squares = np.bincount(codes, w * (z - self.projected_means_[codes]) ** 2, minlength=2)
        self.projected_std_ = np.sqrt(squares / np.maximum(self.class_count_ - 1.0, 1.0))
        self.training_error_ = np.bincount(codes, w * wrong, minlength=2) / self.class_count_

    def decision_function(self, X):
        """Projection minus the threshold, positive for the second class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return X @ self.coef_[0] + self.intercept_[0]

    def predict(self, X):
        """The class of each row; rows at the threshold go to the first class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        second = self.decision_function(X) > 0
        return self.classes_[second.astype(np.intp)]

    def transform(self, X):
        """Projection of the rows on the unit direction.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, 1)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return X @ self.direction_[:, None]

    def summary(self):
        """Direction, projected classes and criterion.

        Returns
        -------
        Summary
            One row per column: the unit direction, the direction times the standard deviation of the column within the
            classes, which compares columns of different units, and the class means. A second table lists the projected
            classes and the share of each that is misclassified in the training data.
        """
        check_is_fitted(self)
        direction = self.direction_.astype(float)
        labels = [str(c) for c in self.classes_]
        means = {f"mean of {label}": self.means_[k].astype(float) for k, label in enumerate(labels)}
        columns = {"direction": direction, "direction x sd": direction * self.within_std_, **means}
        projected = {
            "n": as_counts(self.class_count_),
            "mean": self.projected_means_,
            "sd": self.projected_std_,
            "training error": self.training_error_,
        }
        length = float(np.linalg.norm(self.coef_[0].astype(float)))
        facts = {
            "criterion": self.criterion_,
            "distance": float(np.sqrt(max(self.class_count_.sum() - 2.0, 0.0) * self.criterion_)),
            "threshold": -float(self.intercept_[0]) / length if length > 0 else float("nan"),
            "offset": self.offset,
        }
        names = {"criterion": "Criterion J", "distance": "Mahalanobis distance of the means",
                 "threshold": "Threshold of the projection", "offset": "Rule for the threshold"}  # fmt: skip
        notes = [
            "The training error is optimistic; cross-validate. For tests of equal means, see the summary of "
            "LinearDiscriminantAnalysis."
        ]
        tables = [Table(labels, projected, "Projection on the direction")]
        return Summary("Fisher's linear discriminant",
                       Table(input_names(self), columns, names=tuple(means)), facts, names, tables, notes)  # fmt: skip

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
