"""Classification on the basis that MARS finds."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted, validate_data

from statlearn._core.params import check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import check_weights, encode_classes
from statlearn.linear import LogisticRegression

from ._mars_base import MARSBase


class MARSClassifier(ClassifierMixin, MARSBase):
    r"""Logistic regression on the terms of adaptive regression splines.

    `MARS` grows and prunes its terms by least squares on the indicators of the classes (one for two classes, one for
    each class otherwise, sharing their terms). The chosen terms then enter a logistic or multinomial regression

    .. math:: \log \frac{P(k \mid x)}{P(1 \mid x)} = \sum_m \beta_{km} h_m(x).

    Parameters
    ----------
    max_degree, max_terms, penalty, threshold, min_span, end_span, end_span_adjust, fast_k, fast_beta : see `MARS`
    new_variable_penalty, linear_features, interaction_cst, basis, remove_parent, pruning : see `MARS`
    max_pruned_terms, cv, rule, missing : see `MARS`

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    model_ : LogisticRegression
        The regression on the terms (without the constant, which it has as its intercept).
    terms_, forward_terms_, pruning_sizes_, pruning_rss_, pruning_gcv_, pruning_subsets_, rss_, gcv_ : see `MARS`
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Where terms separate the classes the likelihood has no maximum; the regression then reports a SeparationWarning.
    Pruning by cross-validation looks at the squared error of the indicators, on which the terms were grown.

    References
    ----------
    Friedman, J. (1991). Multivariate adaptive regression splines. Annals of Statistics 19, 1-67, section 4.5.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import MARSClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (400, 2))
    >>> y = (np.abs(X[:, 0]) + 0.4 * rng.normal(size=400) > 0.5).astype(int)
    >>> model = MARSClassifier().fit(X, y)
    >>> model.predict([[0.9, 0.0], [0.0, 0.0]])
    array([1, 0])
    """

    _search_space = SearchSpace(
        "MARS, logistic", complexity=3.0, grid={"max_degree": [1, 2]}, scaled=False, max_columns=200
    )

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite=self._finite, ensure_min_samples=2)
        weights = check_weights(sample_weight, X)
        if weights is not None and not np.all(weights > 0):
            X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
        self.classes_, codes = encode_classes(y, owner=type(self).__name__)
        K = len(self.classes_)
        Y = (codes[:, None] == np.arange(1 if K == 2 else 0, K)).astype(np.float64)
        Y -= np.average(Y, axis=0, weights=weights)
        folds = check_cv(self.cv, codes, classifier=True).split(X, codes) if self.pruning == "cv" else None
        Z, _, _ = self._fit_terms(X, Y, weights, folds)
        B = self.forward_terms_.basis(Z, self.terms_)
        self.model_ = LogisticRegression(penalty=None).fit(self._regressors(B), codes, sample_weight=weights)
        return self

    def _regressors(self, B):
        """The terms without the first: the constant, or one of the boxes that together make it. Zeros if it is alone."""
        return B[:, 1:] if B.shape[1] > 1 else np.zeros((len(B), 1))

    def predict_proba(self, X):
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self.model_.predict_proba(self._regressors(self._basis(X)))

    def decision_function(self, X):
        """Log-odds: one value for each row with two classes, one for each class otherwise.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self.model_.decision_function(self._regressors(self._basis(X)))

    def predict(self, X):
        """The most probable class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.classes_[self.model_.predict(self._regressors(self._basis(X)))]

    def summary(self):
        """The table of the logistic regression on the terms, with their names.

        Standard errors are left out: the terms were chosen with the same rows.

        Returns
        -------
        Summary
        """
        from statlearn._core.summary import Summary, Table

        check_is_fitted(self)
        names = self.term_names()
        coef = np.column_stack([self.model_.intercept_, self.model_.coef_])
        kept = ["(Intercept)", *names[1:]] if len(names) > 1 else ["(Intercept)", "(none)"]
        labels = self.classes_[1:] if len(coef) == 1 else self.classes_
        columns = {str(label): row for label, row in zip(labels, coef, strict=True)}
        facts = {"n": int(round(self.n_effective_)), "n_terms": len(self.terms_), "end": self.forward_end_}
        printed = {"n": "rows", "n_terms": "terms", "end": "forward pass ended by"}
        notes = ["No standard errors: the terms were chosen with the same rows."]
        return Summary("MARS, logistic", Table(kept, columns), facts, printed, [self.importance()], notes)
