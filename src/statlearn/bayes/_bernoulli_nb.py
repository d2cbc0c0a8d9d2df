"""Bernoulli naive Bayes for binary columns."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Real
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary
from statlearn._math.linalg.sparse_arrays import stored_values, to_dense

from ._base import BayesFactorMixin, dirichlet_estimate, log_quietly
from ._discrete_base import ESTIMATE, PRIOR_CONSTRAINTS, CountNB, missing_marks
from ._multinomial_nb import MultinomialNB
from ._nb_summary import LOG_ODDS_NOTE, log_odds_table


class BernoulliNB(BayesFactorMixin, CountNB):
    r"""Bernoulli naive Bayes for binary columns, such as the presence of words in documents.

    A row is assigned to the class with the largest

    .. math:: \log \pi_c + \sum_j x_j \log \theta_{cj} + (1 - x_j) \log (1 - \theta_{cj}), \qquad
              \theta_{cj} = \frac{N_{cj} + \alpha}{N_c + 2 \alpha}

    where :math:`N_{cj}` is the weight of the rows of class c with a 1 in column j. Unlike in the multinomial model,
    absent words count. In a data frame, a column of text or categories is one more factor: it adds the logarithm of the
    smoothed frequency of its level within the class, :math:`(N_{cj}(k) + \alpha)/(N_{cj} + S_j \alpha)` with
    :math:`S_j` levels, as in :class:`CategoricalNB`. Missing values are ignored in training and prediction.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-count of ones and of zeros, and of every level of a category. 0 is the maximum-likelihood fit, in which
        one value can exclude a class.
    force_alpha : bool, default=True
        Whether to use values of `alpha` below 1e-10 as they are.
    binarize : float or None, default=0.0
        Values above this threshold count as 1, others as 0. None if X contains only zeros and ones.
    fit_prior : bool, default=True
        Whether to learn the class prior; otherwise it is uniform.
    class_prior : array-like of shape (n_classes,) or None, default=None
        A fixed class prior.
    prior : array-like or None, default=None
        Beta parameters (a, b) of the probability of a one, broadcast to (n_classes, n_numbers, 2); they replace
        `alpha` for the columns of numbers. Categories keep `alpha`.
    estimate : {"mean", "map"}, default="mean"
        Posterior mean :math:`(N_{cj} + a)/(N_c + a + b)` or mode :math:`(N_{cj} + a - 1)/(N_c + a + b - 2)`.
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
        Weight of the ones, in the columns of numbers.
    observed_count_ : ndarray of shape (n_classes, n_numbers)
        Weight of the values that are not missing.
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
    Adding `alpha` equals the posterior mean under Beta(alpha, alpha) and the mode under Beta(alpha + 1, alpha + 1).

    In a pandas or polars data frame, columns of text, of a categorical data type or of other objects are categories.
    Booleans are the numbers 0 and 1, as in scikit-learn. Declared levels count even if they do not occur, and levels
    that first occur in a later batch of `partial_fit` are added. A level that did not occur in training has the
    probability :math:`\alpha / (N_{cj} + (S_j + 1) \alpha)` in class c, and no factor if `alpha` is 0.

    One indicator column per level is not equivalent. Exactly one of the indicators is 1, so the product of their
    Bernoulli probabilities counts the evidence of a level again in the absence of the others.

    Examples
    --------
    >>> from statlearn.bayes import BernoulliNB
    >>> X = [[1, 0, 1], [1, 1, 0], [0, 0, 1], [0, 1, 1]]
    >>> model = BernoulliNB().fit(X, ["a", "a", "b", "b"])
    >>> model.predict_proba([[1, 0, 0]]).round(3).tolist()
    [[0.857, 0.143]]
    >>> model.bayes_factors([[1, 0, 0]], of="a").factors.round(6).tolist()  # odds multiply
    [[3.0, 1.0, 2.0]]
    """

    _nonnegative = False
    _search_space = SearchSpace("naive Bayes, Bernoulli", grid={"alpha": [100.0, 10.0, 1.0, 0.1]})
    _constraints = {
        "alpha": [Real(0, None), "array-like"],
        "force_alpha": ["boolean"],
        "binarize": [Real(None, None), None],
        **PRIOR_CONSTRAINTS,
        "categorical_features": ["array-like", None],
        "prior": ["array-like", None],
        "estimate": ESTIMATE,
    }

    def __init__(
        self,
        *,
        alpha=1.0,
        force_alpha=True,
        binarize=0.0,
        fit_prior=True,
        class_prior=None,
        prior=None,
        estimate="mean",
        smooth_prior=0.0,
        categorical_features=None,
    ):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.prior = prior
        self.estimate = estimate
        self.smooth_prior = smooth_prior
        self.categorical_features = categorical_features

    fit = MultinomialNB.fit
    partial_fit = MultinomialNB.partial_fit

    def summary(self, n_terms=5):
        """Class priors, and the values (column = 1 or 0) with the largest log odds of each class.

        Parameters
        ----------
        n_terms : int, default=5
            Maximum number of terms per class.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        terms = [f"{name} = {value}" for value in (1, 0) for name in self._number_names()]
        logs = np.hstack([self.feature_log_prob_, self._log_zero])
        counts = np.hstack([self.feature_count_, np.maximum(self.observed_count_ - self.feature_count_, 0.0)])
        prior = np.exp(self.class_log_prior_)
        if self._block is not None:
            terms, logs = terms + self._level_terms(), np.hstack([logs, self._block.logs()])
            counts = np.hstack([counts, self._block.counts()])
        tables = log_odds_table(self.classes_, prior, terms, np.exp(logs), counts, n_terms)
        return Summary("Bernoulli naive Bayes", self._class_table(), tables=tables,
                       notes=[LOG_ODDS_NOTE] if tables else [])  # fmt: skip

    def _checked_numbers(self, X):
        """X as zeros, ones and NaN, checked."""
        if self.binarize is None:
            values = stored_values(X)
            if not np.all((values == 0) | (values == 1) | np.isnan(values)):
                raise ValueError("X must contain only zeros and ones if `binarize` is None.")
            return X
        if sparse.issparse(X):
            if self.binarize < 0:
                raise ValueError("Cannot binarize a sparse matrix X with `binarize` < 0: its zeros would become ones.")
            X = X.copy()
            X.data = np.where(np.isnan(X.data), X.data, (X.data > self.binarize).astype(X.dtype))
            X.eliminate_zeros()
            return X
        ones = (self.binarize < X).astype(X.dtype)
        lost = np.isnan(X)
        if lost.any():
            ones[lost] = np.nan
        return ones

    def _clear_numbers(self, p):
        super()._clear_numbers(p)
        self.observed_count_ = np.zeros_like(self.feature_count_)

    def _add_numbers(self, X, labels, weights):
        before = self.class_count_
        missing = super()._add_numbers(X, labels, weights)
        added = (self.class_count_ - before)[:, None]
        self.observed_count_ = self.observed_count_ + np.maximum(added - (0.0 if missing is None else missing), 0.0)
        return missing

    def _solve_numbers(self, alpha):
        prior, estimate = self.prior, self.estimate
        if prior is None:
            prior, estimate = (alpha if alpha.ndim == 0 else alpha[:, None]), "mean"
        elif np.shape(prior)[-1:] != (2,):
            raise ValueError("`prior` must have two Beta parameters (a, b) along its last axis.")
        self._set_class_prior()
        zeros = np.maximum(self.observed_count_ - self.feature_count_, 0.0)
        theta = dirichlet_estimate(np.stack([self.feature_count_, zeros], axis=-1), prior, estimate)
        self.feature_log_prob_, self._log_zero = log_quietly(theta[..., 0]), log_quietly(theta[..., 1])
        return np.any(theta == 0)

    def _joint_of_numbers(self, X):
        one, zero = self.feature_log_prob_, self._log_zero
        lost = missing_marks(X)
        if lost is not None or not (np.all(np.isfinite(one)) and np.all(np.isfinite(zero))):
            dense = to_dense(X)
            per_class = [self._feature_logs_of_numbers(dense, c).sum(axis=1) for c in range(len(self.classes_))]
            return np.column_stack(per_class) + self.class_log_prior_
        return self._scores(X, one - zero, self.class_log_prior_ + zero.sum(axis=1))

    def _feature_logs_of_numbers(self, X, c):
        X = to_dense(X)
        logs = np.where(X == 1, self.feature_log_prob_[c], self._log_zero[c])
        return np.where(np.isnan(X), 0.0, logs)
