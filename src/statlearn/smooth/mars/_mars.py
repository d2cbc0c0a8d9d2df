"""Multivariate adaptive regression splines."""

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import check_weights

from ._base import MARSBase
from ._terms import gcv, least_squares


class MARS(MultiOutputMixin, RegressorMixin, MARSBase):
    r"""Multivariate adaptive regression splines.

    The model is :math:`f(x) = \beta_0 + \sum_m \beta_m h_m(x)` with every :math:`h_m` a product of hinges
    :math:`(x_j - t)_+` and :math:`(t - x_j)_+` of different features. A forward pass multiplies, step by step, an
    existing term by the reflected pair of one feature and one observed knot that lowers the residual sum of squares
    most. Then terms are deleted, the least useful first, and of the best models of every size the one with the smallest

    .. math:: \mathrm{GCV} = \frac{1}{n} \sum_i (y_i - f(x_i))^2 \Big/ \left(1 - \frac{r + c K}{n}\right)^2

    is kept: r terms, K = (r - 1)/2 knots, c the `penalty` for each. The coefficients are those of least squares.

    Parameters
    ----------
    max_degree : int, default=1
        Features in a term at most: 1 is an additive model, 2 lets pairs interact.
    max_terms : int or None, default=None
        Terms of the forward pass at most, every step counting for two; None: ``min(200, max(20, 2 p)) + 1``.
    penalty : float or None, default=None
        Degrees of freedom of a knot, c above; None: 3, or 2 for an additive model. Below 0, as -1, terms and knots are
        free.
    threshold : float, default=0.001
        The forward pass ends when a step raises R² by less, or R² comes within it of 1. 0: only `max_terms` ends it.
    min_span : int or None, default=None
        Rows between knots; None: Friedman's formula, enough to resist a run of noise. Negative: minus the number of
        knots of each feature.
    end_span : int or None, default=None
        Rows beyond the outermost knots; None: Friedman's formula.
    end_span_adjust : float, default=2.0
        In products the end span is larger by this multiple of itself.
    fast_k : int or None, default=20
        Parents that a step looks at, those most promising when last seen (fast MARS); None: all.
    fast_beta : float, default=1.0
        How fast a parent that was not looked at comes up again.
    new_variable_penalty : float, default=0.0
        The gain of a feature that is not yet in the model is divided by 1 plus this: fewer features.
    linear_features : array-like or None, default=None
        Features (numbers, names or a mask) that enter as they are, without knots.
    interaction_cst : {"no_interactions", "pairwise"}, list of sets or None, default=None
        Which features may meet: two of them, if a set holds both.
    basis : {"hinge", "step"}, default="hinge"
        "step" takes the indicators of x > t and x <= t.
    remove_parent : bool, default=False
        With steps: a term is replaced by its two halves, and features may be cut again. That is the regression tree
        of CART, grown best first.
    pruning : {"gcv", "cv"} or None, default="gcv"
        What chooses the number of terms: GCV, cross-validation of the whole procedure, or nothing (no pruning).
    max_pruned_terms : int or None, default=None
        Terms that pruning may leave at most.
    cv : int, splitter or None, default=None
        Folds for ``pruning="cv"``; None: 5.
    rule : {"min", "one_se"}, default="min"
        With ``pruning="cv"``: the best size, or the smallest within one standard error of it.
    missing : {"error", "indicator"}, default="error"
        "indicator": the median stands in for a missing cell, and an indicator of it may enter the model.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that hold categories: those of a data frame with text or a categorical data type, or numbers, names or a
        mask. Each level but the first has an indicator, which enters terms as it is.

    Attributes
    ----------
    coef_ : ndarray of shape (n_terms,) or (n_targets, n_terms)
        Coefficients of `terms_`, the constant first.
    terms_ : ndarray of int
        The chosen terms among those of `forward_terms_`.
    forward_terms_ : MarsTerms
        All terms of the forward pass: parent, feature, factor and knot of each.
    forward_rss_ : ndarray
        Residual sum of squares after each step of the forward pass, the mean first.
    forward_end_ : str
        Why the forward pass ended.
    pruning_sizes_, pruning_rss_, pruning_gcv_ : ndarray
        Number of terms, residual sum of squares and GCV of the best model of every size that pruning met.
    pruning_subsets_ : list of ndarray
        The terms of those models.
    rss_, gcv_ : float
        Of the chosen model.
    total_ss_ : float
        Sum of squares about the mean, over all targets.
    n_effective_ : float
        Rows, or the sum of their weights.
    anova_facts_ : dict
        What `anova` prints.
    missing_columns_, fill_values_ : ndarray
        Columns that had gaps at `fit`, and their medians.
    cv_curve_ : CVCurve
        With ``pruning="cv"``: mean squared error against the number of terms.
    feature_range_ : ndarray of shape (2, n_features)
    feature_median_ : ndarray of shape (n_features,)
        For `plot`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The forward pass keeps, for every parent, feature and knot, the products of the candidate with the residual and
    with itself. A term that enters changes them by one sweep over the sorted rows, so a step costs O(n) for each
    parent and feature, whatever the size of the model; the usual updating formulas cost O(n M).

    Terms, GCV and residual sum of squares are those of R's earth on continuous data. With interactions earth depends on
    the units of the features: it adds one hinge instead of two where the sum of squares of the product of parent and
    feature that the model does not explain is below 0.01. Here a share decides, so that units do not matter; earth
    finds the same terms where they are small enough.

    A deletion leaves the remaining terms in the order of the forward pass, and with one target their first 1, 2, ...
    are candidates for their sizes too: the models of `pruning_subsets_` need not be nested.

    There are no standard errors: the terms were chosen with the same rows. Weights count as copies of rows, in the
    spans and in GCV too. Predictions beyond the data continue the outermost hinges in straight lines.

    References
    ----------
    Friedman, J. (1991). Multivariate adaptive regression splines. Annals of Statistics 19, 1-67.
    Friedman, J. (1993). Fast MARS. Technical report 110, Stanford University.
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, section 9.4.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import MARS
    >>> x = np.linspace(0, 1, 200)[:, None]
    >>> model = MARS().fit(x, np.abs(x[:, 0] - 0.3))
    >>> model.term_names()
    ['(Intercept)', 'h(x0-0.296482)', 'h(0.296482-x0)']
    >>> model.predict([[0.5], [1.5]]).round(2)
    array([0.2, 1.2])
    """

    _search_space = (
        SearchSpace("MARS, additive", complexity=2.5, grid={"penalty": [4.0, 2.0]}, scaled=False),
        SearchSpace(
            "MARS, interactions", complexity=3.5, grid={"penalty": [4.0, 3.0]}, fixed={"max_degree": 2}, scaled=False
        ),
    )

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Several targets share their terms: the sum of their residual sums of squares is lowered.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        X, y = self._read(X, y, y_numeric=True, multi_output=True)
        weights = check_weights(sample_weight, X)
        if weights is not None and not np.all(weights > 0):
            X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
        Y = y.reshape(len(y), -1)
        middle = np.average(Y, axis=0, weights=weights)  # targets far from zero would cost digits
        Y = Y - middle
        folds = check_cv(self.cv).split(X, y) if self.pruning == "cv" else None
        Z, R, chosen = self._fit_terms(X, Y, weights, folds)
        coef, self.rss_ = least_squares(R, R.shape[1] - Y.shape[1], chosen)
        self.total_ss_ = float(np.average(Y**2, axis=0, weights=weights).sum() * self.n_effective_)
        self._decompose(Z, R, chosen, coef, weights)
        # The boxes of a tree have no constant beside them: every row is in one of the boxes.
        coef[: 1 if self.terms_[0] == 0 else None] += middle
        self.coef_ = coef[:, 0] if y.ndim == 1 else coef.T
        return self

    def _decompose(self, Z, R, chosen, coef, weights):
        """For each set of features: the spread of its part of the model, and the fit without it."""
        B = self.forward_terms_.basis(Z, self.terms_)
        M = R.shape[1] - coef.shape[1]
        facts = {"std": [], "gcv_without": [], "rss_without": []}
        for at in self._groups().values():
            part = B[:, at] @ coef[at]
            spread = np.average((part - np.average(part, axis=0, weights=weights)) ** 2, axis=0, weights=weights)
            others = np.delete(chosen, at)
            rss = least_squares(R, M, others)[1] if len(others) else self.total_ss_
            facts["std"].append(float(np.sqrt(spread.sum())))
            facts["rss_without"].append(rss)
            facts["gcv_without"].append(float(gcv(rss, self.n_effective_, max(len(others), 1), self._penalty())))
        self.anova_facts_ = facts

    def predict(self, X):
        """Predicted values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        return self._basis(X) @ self.coef_.T

    def anova(self):
        """The model as a sum of functions of one feature, of two, ...

        Returns
        -------
        Table
            For each set of features: the terms made of them, the standard deviation of their sum over the training
            rows, and GCV and residual sum of squares of the model refitted without them.
        """
        check_is_fitted(self)
        names, groups = self._column_names(), self._groups()
        rows = [" : ".join(names[j] for j in features) for features in groups]
        return Table(rows, {"terms": [len(at) for at in groups.values()], **self.anova_facts_}, "ANOVA decomposition")

    def summary(self):
        """Terms, coefficients and fit in a table.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        coef = np.atleast_2d(self.coef_)
        columns = (
            {"estimate": coef[0]} if len(coef) == 1 else {f"target {t}": row for t, row in enumerate(coef, start=1)}
        )
        null = float(gcv(self.total_ss_, self.n_effective_, 1, self._penalty()))
        used = set().union(*(self._features_of(k) for k in self.terms_))
        facts = {
            "n": int(round(self.n_effective_)),
            "n_terms": len(self.terms_),
            "n_forward": len(self.forward_terms_),
            "n_features": f"{len(used)} of {self.n_features_in_}",
            "end": self.forward_end_,
            "rss": self.rss_,
            "gcv": self.gcv_,
            "r2": 1 - self.rss_ / self.total_ss_ if self.total_ss_ > 0 else float("nan"),
            "grsq": 1 - self.gcv_ / null if 0 < null < np.inf else float("nan"),
        }
        labels = {
            "n": "rows", "n_terms": "terms", "n_forward": "terms in the forward pass", "n_features": "features used",
            "end": "forward pass ended by", "rss": "RSS", "gcv": "GCV", "r2": "R²", "grsq": "generalised R²",
        }  # fmt: skip
        tables = [self.importance()] if len(self.terms_) > 1 else []
        notes = ["No standard errors: the terms were selected on the same rows."]
        return Summary("MARS", Table(self.term_names(), columns), facts, labels, tables, notes)

    def _functions(self):
        """Coefficients of the terms for each response, by its name (none where there is one)."""
        coef = np.atleast_2d(self.coef_)
        return [("" if len(coef) == 1 else f"target {t}: ", row) for t, row in enumerate(coef, start=1)]
