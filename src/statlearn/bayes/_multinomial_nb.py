"""Multinomial and complement naive Bayes for counts."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.names import input_names
from statlearn._core.params import Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, as_counts

from ._base import BayesFactorMixin, log_quietly
from ._discrete_base import ESTIMATE, PRIOR_CONSTRAINTS, CountNB, dirichlet_estimate, without_missing
from ._nb_summary import LOG_ODDS_NOTE, log_odds_table, term_table


class MultinomialNB(BayesFactorMixin, CountNB):
    r"""Multinomial naive Bayes for counts, such as words of documents.

    A row is assigned to the class with the largest :math:`\log \pi_c + \sum_j x_j \log \theta_{cj}`, where

    .. math:: \theta_{cj} = \frac{N_{cj} + \alpha_j}{\sum_l (N_{cl} + \alpha_l)}

    and :math:`N_{cj}` is the weighted sum of column j over the rows of class c.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-count of every column. 0 is the maximum-likelihood fit, in which one unseen word excludes a class.
    force_alpha : bool, default=True
        Whether to use values of `alpha` below 1e-10 as they are.
    fit_prior : bool, default=True
        Whether to learn the class prior; otherwise it is uniform.
    class_prior : array-like of shape (n_classes,) or None, default=None
        A fixed class prior.
    prior : array-like or None, default=None
        Dirichlet parameters, broadcast to (n_classes, n_features); they replace `alpha`.
    estimate : {"mean", "map"}, default="mean"
        Posterior mean or mode under `prior`.
    smooth_prior : float, default=0.0
        Pseudo-count of each class in the class prior.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
    class_log_prior_ : ndarray of shape (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    feature_count_ : ndarray of shape (n_classes, n_features)
        Weighted sums of the columns in each class.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        :math:`\log \theta_{cj}`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    Notes
    -----
    Counts must not be negative; fractions such as tf-idf work. A missing value (NaN) contributes no factor. Fit and
    prediction take one pass over the stored values of a sparse matrix.

    Examples
    --------
    >>> from statlearn.bayes import MultinomialNB
    >>> X = [[2, 1, 0], [1, 0, 0], [0, 1, 3]]
    >>> model = MultinomialNB().fit(X, ["sports", "sports", "politics"])
    >>> model.predict([[1, 1, 0]]).tolist()
    ['sports']
    """

    _search_space = SearchSpace(
        "naive Bayes, multinomial", 1.0, grid={"alpha": [100.0, 10.0, 1.0, 0.1]}, table="counts",
        needs=("nonnegative",), default=False,
    )  # fmt: skip
    _constraints = {
        "alpha": [Real(0, None), "array-like"],
        "force_alpha": ["boolean"],
        **PRIOR_CONSTRAINTS,
        "prior": ["array-like", Real(0, None, closed="neither"), None],
        "estimate": ESTIMATE,
    }

    def __init__(
        self,
        *,
        alpha=1.0,
        force_alpha=True,
        fit_prior=True,
        class_prior=None,
        prior=None,
        estimate="mean",
        smooth_prior=0.0,
    ):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.prior = prior
        self.estimate = estimate
        self.smooth_prior = smooth_prior

    def fit(self, X, y, sample_weight=None):
        """Fit the probabilities of the columns in each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Non-negative counts.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Add a batch of rows; the result equals one `fit` of all rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,) or None, default=None
            All classes that will occur; required in the first call.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        return self._partial_fit(X, y, classes, sample_weight)

    def summary(self, n_terms=5):
        """Class priors, and the columns with the largest log odds of each class.

        Parameters
        ----------
        n_terms : int, default=5
            Maximum number of terms per class.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        prior, theta = np.exp(self.class_log_prior_), np.exp(self.feature_log_prob_)
        tables = log_odds_table(self.classes_, prior, input_names(self), theta, self.feature_count_, n_terms)
        return Summary("Multinomial naive Bayes", self._class_table(), tables=tables,
                       notes=[LOG_ODDS_NOTE] if tables else [])  # fmt: skip

    def _solve(self):
        prior, estimate = self.prior, self.estimate
        if prior is None:
            prior, estimate = self._check_alpha(), "mean"
        self._set_class_prior()
        theta = dirichlet_estimate(self.feature_count_, prior, estimate)
        self._warn_zeros(np.any(theta == 0))
        self.feature_log_prob_ = log_quietly(theta)

    def _joint_log_likelihood(self, X):
        return self._scores(without_missing(X), self.feature_log_prob_, self.class_log_prior_)

    def _feature_log_likelihood(self, X, c):
        X = without_missing(X)
        X = X.toarray() if hasattr(X, "toarray") else X
        with np.errstate(invalid="ignore"):
            return np.where(X == 0, 0.0, X * self.feature_log_prob_[c])


class ComplementNB(CountNB):
    r"""Complement naive Bayes for counts of unbalanced classes.

    The weights of a class come from all **other** classes,

    .. math:: w_{cj} = -\log \frac{\alpha_j + \sum_{c' \ne c} N_{c'j}}{\sum_l (\alpha_l + \sum_{c' \ne c} N_{c'l})}

    and a row is assigned to the class with the largest :math:`\sum_j x_j w_{cj}`.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-count of every column.
    force_alpha : bool, default=True
        Whether to use values of `alpha` below 1e-10 as they are.
    fit_prior : bool, default=True
        Whether to learn the class prior, which matters only if there is a single class.
    class_prior : array-like of shape (n_classes,) or None, default=None
        Not used, except for a single class.
    norm : bool, default=False
        Whether to divide the weights of each class by their sum of absolute values.
    smooth_prior : float, default=0.0
        Pseudo-count of each class in the class prior.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
    class_log_prior_ : ndarray of shape (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    feature_all_ : ndarray of shape (n_features,)
        Weighted sums of the columns over all classes.
    feature_count_ : ndarray of shape (n_classes, n_features)
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        The weights.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    Notes
    -----
    The scores are not likelihoods, so `predict_proba` is a softmax of them and should not be read as a probability.

    References
    ----------
    Rennie, J. D., Shih, L., Teevan, J. & Karger, D. R. (2003). Tackling the poor assumptions of naive Bayes text
    classifiers. ICML 20, 616-623.

    Examples
    --------
    >>> from statlearn.bayes import ComplementNB
    >>> X = [[2, 1, 0], [1, 0, 0], [0, 1, 3]]
    >>> model = ComplementNB().fit(X, ["sports", "sports", "politics"])
    >>> model.predict([[1, 1, 0]]).tolist()
    ['sports']
    """

    _search_space = SearchSpace(
        "naive Bayes, complement", 1.0, grid={"alpha": [100.0, 10.0, 1.0, 0.1], "norm": [True, False]}, table="counts",
        needs=("nonnegative",), default=False,
    )  # fmt: skip
    _constraints = {
        "alpha": [Real(0, None), "array-like"],
        "force_alpha": ["boolean"],
        **PRIOR_CONSTRAINTS,
        "norm": ["boolean"],
    }

    def __init__(self, *, alpha=1.0, force_alpha=True, fit_prior=True, class_prior=None, norm=False, smooth_prior=0.0):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm
        self.smooth_prior = smooth_prior

    fit = MultinomialNB.fit
    partial_fit = MultinomialNB.partial_fit

    def summary(self, n_terms=5):
        """Class counts, and the columns whose weight in a class is largest compared with the other classes.

        Parameters
        ----------
        n_terms : int, default=5
            Maximum number of terms per class.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        tables, notes, weights = [], [], self.feature_log_prob_
        k = len(self.classes_)
        if k > 1:
            with np.errstate(invalid="ignore"):
                ahead = np.array([weights[c] - np.delete(weights, c, axis=0).mean(axis=0) for c in range(k)])
            columns = {"difference": ahead, "weight": weights, "count": as_counts(self.feature_count_)}
            tables = term_table(self.classes_, input_names(self), ahead, self.feature_count_, n_terms, columns,
                                "Columns with the largest weights of each class")  # fmt: skip
            notes = ["Difference: weight of the column in the class less its mean weight in the other classes. The "
                     "priors do not enter the prediction."]  # fmt: skip
        return Summary("Complement naive Bayes", self._class_table(), tables=tables, notes=notes)

    def _solve(self):
        alpha = self._check_alpha()
        self._set_class_prior()
        self.feature_all_ = self.feature_count_.sum(axis=0)
        other = self.feature_all_ + alpha - self.feature_count_
        theta = dirichlet_estimate(np.maximum(other, 0.0), 0.0, "mean")
        self._warn_zeros(np.any(theta == 0))
        logs = log_quietly(theta)
        with np.errstate(invalid="ignore"):
            self.feature_log_prob_ = logs / logs.sum(axis=1, keepdims=True) if self.norm else -logs

    def _joint_log_likelihood(self, X):
        X = without_missing(X)
        offset = self.class_log_prior_ if len(self.classes_) == 1 else np.zeros(len(self.classes_))
        return self._scores(X, self.feature_log_prob_, offset)
