"""Multinomial and complement naive Bayes for counts."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, as_counts
from statlearn._math.linalg.sparse_arrays import to_dense

from ._base import BayesFactorMixin, dirichlet_estimate, log_quietly
from ._column_densities import ComplementColumn
from ._discrete_base import ESTIMATE, PRIOR_CONSTRAINTS, CountNB, without_missing
from ._nb_summary import LOG_ODDS_NOTE, log_odds_table, term_table


class MultinomialNB(BayesFactorMixin, CountNB):
    r"""Multinomial naive Bayes for counts, such as words of documents.

    A row is assigned to the class with the largest :math:`\log \pi_c + \sum_j x_j \log \theta_{cj}`, where

    .. math:: \theta_{cj} = \frac{N_{cj} + \alpha_j}{\sum_l (N_{cl} + \alpha_l)}

    and :math:`N_{cj}` is the weighted sum of column j over the rows of class c. In a data frame, a column of text or
    categories is one more factor beside the counts: it adds the logarithm of the smoothed frequency of its level within
    the class, :math:`(N_{cj}(k) + \alpha)/(N_{cj} + S_j \alpha)` with :math:`S_j` levels, as in :class:`CategoricalNB`.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-count of every column of counts, and of every level of a category. 0 is the maximum-likelihood fit, in
        which one unseen word excludes a class.
    force_alpha : bool, default=True
        Whether to use values of `alpha` below 1e-10 as they are.
    fit_prior : bool, default=True
        Whether to learn the class prior; otherwise it is uniform.
    class_prior : array-like of shape (n_classes,) or None, default=None
        A fixed class prior.
    prior : array-like or None, default=None
        Dirichlet parameters, broadcast to (n_classes, n_numbers); they replace `alpha` for the columns of counts.
        Categories keep `alpha`.
    estimate : {"mean", "map"}, default="mean"
        Posterior mean or mode under `prior`.
    smooth_prior : float, default=0.0
        Pseudo-count of each class in the class prior.
    categorical_features : array-like or None, default=None
        Numeric columns to treat as categories, by index, name or mask. Not supported for sparse matrices.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
    class_log_prior_ : ndarray of shape (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    feature_count_ : ndarray of shape (n_classes, n_numbers)
        Weighted sums of the columns of counts in each class.
    feature_log_prob_ : ndarray of shape (n_classes, n_numbers)
        :math:`\log \theta_{cj}`.
    levels_ : list
        Per column, the levels of text or categories; None for numbers.
    category_count_ : list
        Per column, the weights of the levels by class, of shape (n_classes, n_levels); None for numbers.
    category_log_prob_ : list
        Per column, the log probabilities of the levels, of shape (n_classes, n_levels); None for numbers.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    Notes
    -----
    Counts must not be negative; fractions such as tf-idf work. A missing value contributes no factor. Fit and
    prediction take one pass over the stored values of a sparse matrix.

    In a pandas or polars data frame, columns of text, of a categorical data type or of other objects are categories.
    Booleans are the numbers 0 and 1, as in scikit-learn. Declared levels count even if they do not occur, and levels
    that first occur in a later batch of `partial_fit` are added. A level that did not occur in training has the
    probability :math:`\alpha / (N_{cj} + (S_j + 1) \alpha)` in class c, and no factor if `alpha` is 0.

    A level is not one more word of the document. Its probability is a share of the rows of the class, not of all words,
    so it does not depend on the lengths of the documents.

    Examples
    --------
    >>> from statlearn.bayes import MultinomialNB
    >>> X = [[2, 1, 0], [1, 0, 0], [0, 1, 3]]
    >>> model = MultinomialNB().fit(X, ["sports", "sports", "politics"])
    >>> model.predict([[1, 1, 0]]).tolist()
    ['sports']
    """

    _search_space = SearchSpace("naive Bayes, multinomial", grid={"alpha": [100.0, 10.0, 1.0, 0.1]})
    _constraints = {
        "alpha": [Real(0, None), "array-like"],
        "force_alpha": ["boolean"],
        **PRIOR_CONSTRAINTS,
        "categorical_features": ["array-like", None],
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
        categorical_features=None,
    ):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.prior = prior
        self.estimate = estimate
        self.smooth_prior = smooth_prior
        self.categorical_features = categorical_features

    def fit(self, X, y, sample_weight=None):
        """Fit the probabilities of the columns in each class.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Numbers, and in a data frame also columns of text or categories; NaN or None marks missing values.
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
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
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
        terms, logs, counts = self._terms()
        prior = np.exp(self.class_log_prior_)
        tables = log_odds_table(self.classes_, prior, terms, np.exp(logs), counts, n_terms)
        return Summary("Multinomial naive Bayes", self._class_table(), tables=tables,
                       notes=[LOG_ODDS_NOTE] if tables else [])  # fmt: skip

    def _solve_numbers(self, alpha):
        prior, estimate = self.prior, self.estimate
        if prior is None:
            prior, estimate = alpha, "mean"
        self._set_class_prior()
        theta = dirichlet_estimate(self.feature_count_, prior, estimate)
        self.feature_log_prob_ = log_quietly(theta)
        return np.any(theta == 0)

    def _joint_of_numbers(self, X):
        return self._scores(without_missing(X), self.feature_log_prob_, self.class_log_prior_)

    def _feature_logs_of_numbers(self, X, c):
        X = without_missing(X)
        X = to_dense(X)
        with np.errstate(invalid="ignore"):
            return np.where(X == 0, 0.0, X * self.feature_log_prob_[c])


def normalized(numbers, *tables):
    """Complement weights divided by their sum in each class, of columns of numbers and of all levels of categories.

    The last column of a table, for unseen levels, is divided, too, but not part of the sum. Infinite weights are the
    limit of large ones: they share the sum, and the others vanish.
    """
    known = np.hstack([numbers, *(table[:, :-1] for table in tables)])
    infinite = np.isinf(known).any(axis=1, keepdims=True)
    total = np.where(infinite, np.isinf(known), known).sum(axis=1, keepdims=True)
    total[total == 0] = 1.0
    return [np.where(infinite, np.isinf(part), part) / total for part in (numbers, *tables)]


class ComplementNB(CountNB):
    r"""Complement naive Bayes for counts of unbalanced classes.

    The weights of a class come from all **other** classes,

    .. math:: w_{cj} = -\log \frac{\alpha_j + \sum_{c' \ne c} N_{c'j}}{\sum_l (\alpha_l + \sum_{c' \ne c} N_{c'l})}

    and a row is assigned to the class with the largest :math:`\sum_j x_j w_{cj}`. In a data frame, a column of text or
    categories adds the weight of its level k, from the rows of all other classes in the same way:

    .. math:: w_{cj}(k) = -\log \frac{\alpha_j + \sum_{c' \ne c} N_{c'j}(k)}
              {\sum_l (\alpha_j + \sum_{c' \ne c} N_{c'j}(l))}

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-count of every column of counts, and of every level of a category.
    force_alpha : bool, default=True
        Whether to use values of `alpha` below 1e-10 as they are.
    fit_prior : bool, default=True
        Whether to learn the class prior, which matters only if there is a single class.
    class_prior : array-like of shape (n_classes,) or None, default=None
        Not used, except for a single class.
    norm : bool, default=False
        Whether to divide the weights of each class, those of levels included, by their sum of absolute values.
    smooth_prior : float, default=0.0
        Pseudo-count of each class in the class prior.
    categorical_features : array-like or None, default=None
        Numeric columns to treat as categories, by index, name or mask. Not supported for sparse matrices.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
    class_log_prior_ : ndarray of shape (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    feature_all_ : ndarray of shape (n_numbers,)
        Weighted sums of the columns of counts over all classes.
    feature_count_ : ndarray of shape (n_classes, n_numbers)
    feature_log_prob_ : ndarray of shape (n_classes, n_numbers)
        The weights.
    levels_ : list
        Per column, the levels of text or categories; None for numbers.
    category_count_ : list
        Per column, the weights of the levels by class, of shape (n_classes, n_levels); None for numbers.
    category_log_prob_ : list
        Per column, the weights of the levels in the score, of shape (n_classes, n_levels); None for numbers.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    Notes
    -----
    The scores are not likelihoods, so `predict_proba` is a softmax of them and should not be read as a probability.
    A missing value adds nothing to them.

    Categories are read as in :class:`MultinomialNB`. A level that did not occur in training has the weight of one more
    level without counts, and adds nothing if `alpha` is 0.

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
        "naive Bayes, complement", grid={"alpha": [100.0, 10.0, 1.0, 0.1], "norm": [True, False]}
    )
    _constraints = {
        "alpha": [Real(0, None), "array-like"],
        "force_alpha": ["boolean"],
        **PRIOR_CONSTRAINTS,
        "categorical_features": ["array-like", None],
        "norm": ["boolean"],
    }

    def __init__(
        self,
        *,
        alpha=1.0,
        force_alpha=True,
        fit_prior=True,
        class_prior=None,
        norm=False,
        smooth_prior=0.0,
        categorical_features=None,
    ):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm
        self.smooth_prior = smooth_prior
        self.categorical_features = categorical_features

    _category_column = ComplementColumn
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
        tables, notes = [], []
        terms, weights, counts = self._terms()
        k = len(self.classes_)
        if k > 1:
            with np.errstate(invalid="ignore"):
                ahead = np.array([weights[c] - np.delete(weights, c, axis=0).mean(axis=0) for c in range(k)])
            columns = {"difference": ahead, "weight": weights, "count": as_counts(counts)}
            tables = term_table(self.classes_, terms, ahead, counts, n_terms, columns,
                                "Columns with the largest weights of each class")  # fmt: skip
            notes = ["Difference: weight of the column in the class less its mean weight in the other classes. The "
                     "priors do not enter the prediction."]  # fmt: skip
        return Summary("Complement naive Bayes", self._class_table(), tables=tables, notes=notes)

    def _solve_numbers(self, alpha):
        self._set_class_prior()
        self.feature_all_ = self.feature_count_.sum(axis=0)
        other = self.feature_all_ + alpha - self.feature_count_
        theta = dirichlet_estimate(np.maximum(other, 0.0), 0.0, "mean")
        self.feature_log_prob_ = -log_quietly(theta)
        if self.norm:
            columns = [] if self._block is None else self._block.columns
            self.feature_log_prob_, *tables = normalized(self.feature_log_prob_, *(column.logs for column in columns))
            for column, table in zip(columns, tables, strict=True):
                column.logs = table
        return np.any(theta == 0)

    def _joint_of_numbers(self, X):
        X = without_missing(X)
        offset = self.class_log_prior_ if len(self.classes_) == 1 else np.zeros(len(self.classes_))
        return self._scores(X, self.feature_log_prob_, offset)
