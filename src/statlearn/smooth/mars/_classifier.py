"""Classification on the basis that MARS finds."""

import warnings

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import check_weights, encode_classes, present_rows
from statlearn._core.warnings import SeparationWarning, pass_on
from statlearn.linear import LogisticRegression

from ._base import MARSBase


class MARSClassifier(ClassifierMixin, MARSBase):
    r"""Logistic regression on the terms of adaptive regression splines.

    `MARS` grows and prunes terms by least squares on class indicators (one for two classes, otherwise one per class
    with shared terms). The selected terms then enter a logistic or multinomial regression

    .. math:: \log \frac{P(k \mid x)}{P(1 \mid x)} = \sum_m \beta_{km} h_m(x).

    Parameters
    ----------
    max_degree : int, default=1
        Maximum number of features in a term.
    max_terms : int or None, default=None
        Maximum number of terms in the forward pass; None is ``min(200, max(20, 2 p)) + 1``.
    penalty : float or None, default=None
        Degrees of freedom charged per knot in GCV; None is 3, or 2 for an additive model. With a negative value, terms
        and knots are free.
    threshold : float, default=0.001
        The forward pass stops when a step raises R² of the indicators by less than this.
    min_span : int or None, default=None
        Minimum number of rows between knots; None uses Friedman's formula. A negative value is minus the number of
        knots per feature.
    end_span : int or None, default=None
        Number of rows beyond the outermost knots; None uses Friedman's formula.
    end_span_adjust : float, default=2.0
        In interactions the end span is increased by this multiple of itself.
    fast_k : int or None, default=20
        Number of parent terms considered in a step; None considers all.
    fast_beta : float, default=1.0
        How fast the priority of a parent that was not considered rises again.
    new_variable_penalty : float, default=0.0
        The gain of a feature not yet in the model is divided by 1 plus this.
    linear_features : array-like or None, default=None
        Features that enter linearly, without knots.
    interaction_cst : {"no_interactions", "pairwise"}, list of sets or None, default=None
        Allowed interactions: two features may interact if one of these sets contains both.
    basis : {"hinge", "step"}, default="hinge"
        Hinges, or indicators of x > t and x <= t.
    remove_parent : bool, default=False
        With steps, replace a term by its two halves, as in a tree.
    pruning : {"gcv", "cv"} or None, default="gcv"
        How the number of terms is chosen.
    max_pruned_terms : int or None, default=None
        Maximum number of terms after pruning.
    cv : int, splitter or None, default=None
        Cross-validation splitter for ``pruning="cv"``; None uses 5 stratified folds.
    rule : {"min", "one_se"}, default="min"
        With ``pruning="cv"``, choose the best size, or the smallest within one standard error of it.
    missing : {"error", "indicator"}, default="error"
        "indicator" replaces missing values by the median and adds an indicator of missingness that may enter the model.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Categorical columns: those of a data frame with text or a categorical data type, or positions, names or a mask.
        Each level except the first has an indicator, which enters terms without knots.
    C : float, default=inf
        Inverse strength of a ridge penalty on the coefficients of the logistic regression; inf means no penalty.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    model_ : LogisticRegression
        Regression on the terms (without the constant term, which is its intercept).
    deviance_, null_deviance_ : float
        Minus twice the log-likelihood of that regression, and of the class proportions alone.
    terms_, forward_terms_, forward_rss_, forward_end_ : ndarray, MarsTerms, ndarray, str
        Selected terms and the forward pass, as in :class:`MARS`. The responses are the class indicators.
    pruning_sizes_, pruning_rss_, pruning_gcv_, pruning_subsets_ : ndarray or list of ndarray
        Best model of every size, as in :class:`MARS`.
    rss_, gcv_, n_effective_ : float
        Residual sum of squares and GCV of the selected terms, and the number of rows or sum of their weights.
    cv_curve_ : CVCurve
        Cross-validated mean squared error by number of terms. Only with ``pruning="cv"``.
    missing_columns_, fill_values_ : ndarray
        Columns with missing values in `fit`, and their medians.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decreases of the residual sum of squares, as in :meth:`importance`.
    feature_range_ : ndarray of shape (2, n_features)
        Smallest and largest value of each column.
    feature_median_ : ndarray of shape (n_features,)
        Median of each column.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    If the terms separate the classes, the likelihood has no maximum. The regression then issues a
    ``SeparationWarning``; set a finite `C`.
    Pruning by cross-validation uses the squared error of the indicators, on which the terms were grown.

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

    _search_space = SearchSpace("MARS, logistic", grid={"max_degree": [1, 2]}, fixed={"C": 1e4})

    _constraints = {**MARSBase._constraints, "C": [Real(0, None, closed="right")]}

    def __init__(
        self,
        max_degree=1,
        *,
        max_terms=None,
        penalty=None,
        threshold=0.001,
        min_span=None,
        end_span=None,
        end_span_adjust=2.0,
        fast_k=20,
        fast_beta=1.0,
        new_variable_penalty=0.0,
        linear_features=None,
        interaction_cst=None,
        basis="hinge",
        remove_parent=False,
        pruning="gcv",
        max_pruned_terms=None,
        cv=None,
        rule="min",
        missing="error",
        categorical_features="from_dtype",
        C=np.inf,
    ):
        super().__init__(
            max_degree,
            max_terms=max_terms,
            penalty=penalty,
            threshold=threshold,
            min_span=min_span,
            end_span=end_span,
            end_span_adjust=end_span_adjust,
            fast_k=fast_k,
            fast_beta=fast_beta,
            new_variable_penalty=new_variable_penalty,
            linear_features=linear_features,
            interaction_cst=interaction_cst,
            basis=basis,
            remove_parent=remove_parent,
            pruning=pruning,
            max_pruned_terms=max_pruned_terms,
            cv=cv,
            rule=rule,
            missing=missing,
            categorical_features=categorical_features,
        )
        self.C = C

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
        X, y = self._read(X, y)
        X, y, weights = present_rows(check_weights(sample_weight, X), X, y)
        self.classes_, codes = encode_classes(y, owner=type(self).__name__)
        K = len(self.classes_)
        Y = (codes[:, None] == np.arange(1 if K == 2 else 0, K)).astype(np.float64)
        Y -= np.average(Y, axis=0, weights=weights)
        folds = check_cv(self.cv, codes, classifier=True).split(X, codes) if self.pruning == "cv" else None
        Z, _, _ = self._fit_terms(X, Y, weights, folds)
        B = self.forward_terms_.basis(Z, self.terms_)
        C = self.C if B.shape[1] > 1 else 1.0  # the coefficient of zeros needs a penalty to be unique
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.model_ = LogisticRegression(C=C).fit(self._regressors(B), codes, sample_weight=weights)
        pass_on(
            caught,
            {
                SeparationWarning: f"{type(self).__name__}: the terms separate the classes, so the maximum-likelihood "
                "coefficients are infinite and the probabilities are close to 0 and 1. Set a finite `C` or "
                "use fewer terms.",
            },
        )
        w = np.ones(len(codes)) if weights is None else weights
        fitted = self.model_.predict_proba(self._regressors(B))[np.arange(len(codes)), codes]
        share = np.bincount(codes, w, minlength=K) / w.sum()
        with np.errstate(divide="ignore"):
            self.deviance_ = float(-2 * (w @ np.log(fitted)))
        self.null_deviance_ = float(-2 * (w @ np.log(share[codes])))
        return self

    def _regressors(self, B):
        """Terms without the first (the constant, or a box of the partition that replaces it); zeros if it is alone."""
        return B[:, 1:] if B.shape[1] > 1 else np.zeros((len(B), 1))

    def _functions(self):
        """Coefficients of the terms by class name (empty for two classes)."""
        coef = self.model_.coef_
        if len(self.terms_) == 1:
            coef = coef[:, :0]
        coef = np.column_stack([np.zeros(len(coef)), coef])  # the first term is not a regressor
        return [
            ("" if len(coef) == 1 else f"{c!s}: ", row)
            for c, row in zip(self.classes_[-len(coef) :], coef, strict=True)
        ]

    def predict_proba(self, X):
        """Class probabilities.

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
        """Log-odds: one value per row for two classes, otherwise one per class.

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
        """Table of the logistic regression on the terms.

        There are no standard errors because the terms are selected on the same rows.

        Returns
        -------
        Summary
        """
        from statlearn._core.summary import Summary, Table

        check_is_fitted(self)
        names = self.term_names()
        coef = np.column_stack([self.model_.intercept_, self.model_.coef_])
        row_labels = ["(Intercept)", *names[1:]] if len(names) > 1 else ["(Intercept)", "(none)"]
        labels = self.classes_[1:] if len(coef) == 1 else self.classes_
        columns = {str(label): row for label, row in zip(labels, coef, strict=True)}
        facts = {
            "n": int(round(self.n_effective_)),
            "n_terms": len(self.terms_),
            "n_forward": len(self.forward_terms_),
            "end": self.forward_end_,
            "deviance": self.deviance_,
            "null_deviance": self.null_deviance_,
            "explained": 1 - self.deviance_ / self.null_deviance_,
            "rss": self.rss_,
            "gcv": self.gcv_,
        }
        printed = {
            "n": "observations", "n_terms": "terms", "n_forward": "terms in the forward pass",
            "end": "forward pass ended because", "deviance": "deviance", "null_deviance": "null deviance",
            "explained": "deviance explained", "rss": "RSS of the indicators", "gcv": "GCV of the indicators",
        }  # fmt: skip
        notes = ["No standard errors: the terms were selected on the same rows."]
        return Summary("MARS, logistic", Table(row_labels, columns), facts, printed, [self.importance()], notes)
