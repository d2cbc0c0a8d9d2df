"""Classification on the basis that MARS finds."""

import warnings

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import check_weights, encode_classes
from statlearn._core.warnings import SeparationWarning, pass_on
from statlearn.linear import LogisticRegression

from ._base import MARSBase


class MARSClassifier(ClassifierMixin, MARSBase):
    r"""Logistic regression on the terms of adaptive regression splines.

    `MARS` grows and prunes its terms by least squares on the indicators of the classes (one for two classes, one for
    each class otherwise, sharing their terms). The chosen terms then enter a logistic or multinomial regression

    .. math:: \log \frac{P(k \mid x)}{P(1 \mid x)} = \sum_m \beta_{km} h_m(x).

    Parameters
    ----------
    max_degree : int, default=1
        Features in a term at most.
    max_terms : int or None, default=None
        Terms of the forward pass at most; None: ``min(200, max(20, 2 p)) + 1``.
    penalty : float or None, default=None
        Degrees of freedom of a knot in GCV; None: 3, or 2 for an additive model. Below 0, terms and knots are free.
    threshold : float, default=0.001
        The forward pass ends when a step raises R² of the indicators by less.
    min_span : int or None, default=None
        Rows between knots; None: Friedman's formula. Negative: minus the number of knots of each feature.
    end_span : int or None, default=None
        Rows beyond the outermost knots; None: Friedman's formula.
    end_span_adjust : float, default=2.0
        In products the end span is larger by this multiple of itself.
    fast_k : int or None, default=20
        Parents that a step looks at; None: all.
    fast_beta : float, default=1.0
        How fast a parent that was not looked at comes up again.
    new_variable_penalty : float, default=0.0
        The gain of a feature that is not yet in the model is divided by 1 plus this.
    linear_features : array-like or None, default=None
        Features that enter without knots.
    interaction_cst : {"no_interactions", "pairwise"}, list of sets or None, default=None
        Which features may meet in a term.
    basis : {"hinge", "step"}, default="hinge"
        Hinges, or indicators of x > t and x <= t.
    remove_parent : bool, default=False
        With steps: a term is replaced by its two halves, as in a tree.
    pruning : {"gcv", "cv"} or None, default="gcv"
        What chooses the number of terms.
    max_pruned_terms : int or None, default=None
        Terms that pruning may leave at most.
    cv : int, splitter or None, default=None
        Folds for ``pruning="cv"``; None: 5, stratified.
    rule : {"min", "one_se"}, default="min"
        With ``pruning="cv"``: the best size, or the smallest within one standard error of it.
    missing : {"error", "indicator"}, default="error"
        "indicator": the median stands in for a missing cell, and an indicator of it may enter the model.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that hold categories: those of a data frame with text or a categorical data type, or numbers, names or a
        mask. Each level but the first has an indicator, which enters terms as it is.
    C : float, default=inf
        Inverse strength of a ridge penalty on the coefficients of the logistic regression; inf is none.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    model_ : LogisticRegression
        The regression on the terms (without the constant, which it has as its intercept).
    deviance_, null_deviance_ : float
        Minus twice the log-likelihood of that regression, and of the shares of the classes alone.
    terms_, forward_terms_, pruning_sizes_, pruning_rss_, pruning_gcv_, pruning_subsets_, rss_, gcv_ : see `MARS`
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Where terms separate the classes the likelihood has no maximum; the regression then reports a SeparationWarning,
    and a finite `C` helps.
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
        "MARS, logistic",
        complexity=3.0,
        grid={"max_degree": [1, 2]},
        fixed={"C": 1e4},
        scaled=False,
        max_columns=200,
    )

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
        found = self.model_.predict_proba(self._regressors(B))[np.arange(len(codes)), codes]
        share = np.bincount(codes, w, minlength=K) / w.sum()
        with np.errstate(divide="ignore"):
            self.deviance_ = float(-2 * (w @ np.log(found)))
        self.null_deviance_ = float(-2 * (w @ np.log(share[codes])))
        return self

    def _regressors(self, B):
        """The terms without the first: the constant, or a box of those that make it up. Zeros if it is alone."""
        return B[:, 1:] if B.shape[1] > 1 else np.zeros((len(B), 1))

    def _functions(self):
        """Coefficients of the terms for each class, by its name (none where there are two classes)."""
        coef = self.model_.coef_
        if len(self.terms_) == 1:
            coef = coef[:, :0]
        coef = np.column_stack([np.zeros(len(coef)), coef])  # the first term is no regressor
        return [
            ("" if len(coef) == 1 else f"{c!s}: ", row)
            for c, row in zip(self.classes_[-len(coef) :], coef, strict=True)
        ]

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
            "n": "rows", "n_terms": "terms", "n_forward": "terms in the forward pass", "end": "forward pass ended by",
            "deviance": "deviance", "null_deviance": "null deviance", "explained": "deviance explained",
            "rss": "RSS of the indicators", "gcv": "GCV of the indicators",
        }  # fmt: skip
        notes = ["No standard errors: the terms were selected on the same rows."]
        return Summary("MARS, logistic", Table(kept, columns), facts, printed, [self.importance()], notes)
