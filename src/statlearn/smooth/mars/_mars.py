"""Multivariate adaptive regression splines."""

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import check_weights, present_rows

from ._base import MARSBase
from ._terms import gcv, least_squares


class MARS(MultiOutputMixin, RegressorMixin, MARSBase):
    r"""Multivariate adaptive regression splines.

    The model is :math:`f(x) = \beta_0 + \sum_m \beta_m h_m(x)`, where every :math:`h_m` is a product of hinges
    :math:`(x_j - t)_+` and :math:`(t - x_j)_+` of different features. In each step, a forward pass multiplies an
    existing term by the reflected pair of hinges, of one feature and one observed knot, that reduces the residual sum
    of squares most. Terms are then deleted, least useful first, and among the best models of every size the one with
    the smallest

    .. math:: \mathrm{GCV} = \frac{1}{n} \sum_i (y_i - f(x_i))^2 \Big/ \left(1 - \frac{r + c K}{n}\right)^2

    is kept: r terms, K = (r - 1)/2 knots, c the `penalty` for each. The coefficients are those of least squares.

    Parameters
    ----------
    max_degree : int, default=1
        Maximum number of features in a term: 1 is an additive model, 2 allows pairwise interactions.
    max_terms : int or None, default=None
        Maximum number of terms in the forward pass, two per step; None is ``min(200, max(20, 2 p)) + 1``.
    penalty : float or None, default=None
        Degrees of freedom charged per knot, c above; None is 3, or 2 for an additive model. With a negative value such
        as -1, terms and knots are free.
    threshold : float, default=0.001
        The forward pass stops when a step raises R² by less than this, or when R² is within this of 1. With 0 only
        `max_terms` stops it.
    min_span : int or None, default=None
        Minimum number of rows between knots; None uses Friedman's formula, which resists runs of noise. A negative
        value is minus the number of knots per feature.
    end_span : int or None, default=None
        Number of rows beyond the outermost knots; None uses Friedman's formula.
    end_span_adjust : float, default=2.0
        In interactions the end span is increased by this multiple of itself.
    fast_k : int or None, default=20
        Number of parent terms considered in a step, those that were most promising when last considered (fast MARS);
        None considers all.
    fast_beta : float, default=1.0
        How fast the priority of a parent that was not considered rises again.
    new_variable_penalty : float, default=0.0
        The gain of a feature not yet in the model is divided by 1 plus this, which favours models with fewer features.
    linear_features : array-like or None, default=None
        Features (positions, names or a mask) that enter linearly, without knots.
    interaction_cst : {"no_interactions", "pairwise"}, list of sets or None, default=None
        Allowed interactions: two features may interact if one of these sets contains both.
    basis : {"hinge", "step"}, default="hinge"
        Hinges, or indicators of x > t and x <= t.
    remove_parent : bool, default=False
        With steps, replace a term by its two halves and allow features to be split again. This is the regression tree
        of CART, grown best first.
    pruning : {"gcv", "cv"} or None, default="gcv"
        How the number of terms is chosen: by GCV, by cross-validation of the whole procedure, or without pruning.
    max_pruned_terms : int or None, default=None
        Maximum number of terms after pruning.
    cv : int, splitter or None, default=None
        Cross-validation splitter for ``pruning="cv"``; None uses 5 folds.
    rule : {"min", "one_se"}, default="min"
        With ``pruning="cv"``, choose the best size, or the smallest within one standard error of it.
    missing : {"error", "indicator"}, default="error"
        "indicator" replaces missing values by the median and adds an indicator of missingness that may enter the model.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Categorical columns: those of a data frame with text or a categorical data type, or positions, names or a mask.
        Each level except the first has an indicator, which enters terms without knots.

    Attributes
    ----------
    coef_ : ndarray of shape (n_terms,) or (n_targets, n_terms)
        Coefficients of `terms_`, the intercept first.
    terms_ : ndarray of int
        Indices of the selected terms in `forward_terms_`.
    forward_terms_ : MarsTerms
        All terms of the forward pass: parent, feature, factor and knot.
    forward_rss_ : ndarray
        Residual sum of squares after each step of the forward pass, starting with the mean.
    forward_end_ : str
        Why the forward pass stopped.
    pruning_sizes_, pruning_rss_, pruning_gcv_ : ndarray
        Number of terms, residual sum of squares and GCV of the best model of every size found by pruning.
    pruning_subsets_ : list of ndarray
        The terms of those models.
    rss_, gcv_ : float
        Residual sum of squares and GCV of the selected model.
    total_ss_ : float
        Sum of squares about the mean, over all targets.
    n_effective_ : float
        Number of rows, or the sum of their weights.
    anova_facts_ : dict
        The numbers reported by `anova`.
    missing_columns_, fill_values_ : ndarray
        Columns with missing values in `fit`, and their medians.
    cv_curve_ : CVCurve
        Cross-validated mean squared error by number of terms. Only with ``pruning="cv"``.
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
    For every parent, feature and knot the forward pass keeps the products of the candidate with the residual and with
    itself. A new term changes them in one sweep over the sorted rows, so a step costs O(n) per parent and feature
    regardless of the size of the model. The usual updating formulas cost O(n M).

    On continuous data, terms, GCV and residual sum of squares agree with R's earth. With interactions, earth depends on
    the units of the features: it adds one hinge instead of two if the sum of squares of the product of parent and
    feature that the model does not explain is below 0.01. Here a relative threshold is used, so units do not matter.
    Earth finds the same terms if the units are small enough, that is, the values large.

    Deletion keeps the remaining terms in the order of the forward pass. With a single target, their first 1, 2, ...
    terms are also candidates for these sizes, so the models of `pruning_subsets_` need not be nested.

    There are no standard errors because the terms are selected on the same rows. Weights count as copies of rows, also
    in the spans and in GCV. Beyond the data, predictions continue the outermost hinges as straight lines.

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
        SearchSpace("MARS, additive", grid={"penalty": [4.0, 2.0]}),
        SearchSpace("MARS, interactions", grid={"penalty": [4.0, 3.0]}, fixed={"max_degree": 2}),
    )

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Several targets share their terms, which reduce the total residual sum of squares.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        X, y = self._read(X, y, y_numeric=True, multi_output=True)
        X, y, weights = present_rows(check_weights(sample_weight, X), X, y)
        Y = y.reshape(len(y), -1)
        middle = np.average(Y, axis=0, weights=weights)  # targets far from zero would cost digits
        Y = Y - middle
        folds = check_cv(self.cv).split(X, y) if self.pruning == "cv" else None
        Z, R, chosen = self._fit_terms(X, Y, weights, folds)
        coef, self.rss_ = least_squares(R, R.shape[1] - Y.shape[1], chosen)
        self.total_ss_ = float(np.average(Y**2, axis=0, weights=weights).sum() * self.n_effective_)
        self._decompose(Z, R, chosen, coef, weights)
        # The boxes of a tree need no constant: every row is in one of them.
        coef[: 1 if self.terms_[0] == 0 else None] += middle
        self.coef_ = coef[:, 0] if y.ndim == 1 else coef.T
        return self

    def _decompose(self, Z, R, chosen, coef, weights):
        """Standard deviation of each ANOVA component, and the fit without it."""
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
        """ANOVA decomposition: the model as a sum of functions of one feature, of two, and so on.

        Returns
        -------
        Table
            For each set of features, the number of its terms, the standard deviation of their sum over the training
            rows, and GCV and residual sum of squares of the model refitted without them.
        """
        check_is_fitted(self)
        names, groups = self._column_names(), self._groups()
        rows = [" : ".join(names[j] for j in features) for features in groups]
        return Table(rows, {"terms": [len(at) for at in groups.values()], **self.anova_facts_}, "ANOVA decomposition")

    def summary(self):
        """Table of terms and coefficients, with statistics of the fit.

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
            "n": "observations", "n_terms": "terms", "n_forward": "terms in the forward pass",
            "n_features": "features used", "end": "forward pass ended because", "rss": "RSS", "gcv": "GCV", "r2": "R²",
            "grsq": "generalised R²",
        }  # fmt: skip
        tables = [self.importance()] if len(self.terms_) > 1 else []
        notes = ["No standard errors: the terms were selected on the same rows."]
        return Summary("MARS", Table(self.term_names(), columns), facts, labels, tables, notes)

    def _functions(self):
        """Coefficients of the terms for each response, by its name (empty for a single response)."""
        coef = np.atleast_2d(self.coef_)
        return [("" if len(coef) == 1 else f"target {t}: ", row) for t, row in enumerate(coef, start=1)]
