"""Models fitted by formulas."""

import copy
import inspect

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames.typed_columns import is_frame
from statlearn._core.params import HasMethods, Instance, Options, check_params, check_value
from statlearn._core.validation import check_same_length, check_weights
from statlearn._math.formulas.limits import shortened
from statlearn._math.formulas.parser import parse, written
from statlearn._math.formulas.reading import proportions, read, require_columns, response_values, variables_of
from statlearn._math.formulas.tree import Name
from statlearn._math.formulas.variables import Variables, columns_of, read_columns

from ._formula import FormulaTransformer
from ._term_tests import term_tests


def _has(method):
    return lambda model: hasattr(getattr(model, "estimator_", model._inner()), method)


class FormulaModel(MetaEstimatorMixin, BaseEstimator):
    """Model on the design matrix of an R-style formula, such as ``"y ~ x1 * factor(x2) + I(x3^2)"``.

    The target is the left-hand side of the formula, or the `y` passed to `fit` if there is none. A formula without an
    intercept (``- 1``) disables the intercept of the model, and ``offset(...)`` is passed to models whose `fit` and
    `predict` accept an `offset`.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Model, which is cloned; None uses :class:`statlearn.linear.LinearRegression`.
    formula : str, default="."
        Terms as in :class:`FormulaTransformer`, with or without a target. The target may be an expression of columns,
        as in ``log(y) ~ x``, or several, as in ``cbind(y1, y2) ~ x``. With ``family="binomial"`` two columns are the
        numbers of successes and failures.

    Attributes
    ----------
    estimator_ : estimator
        Model fitted on the design.
    design_ : FormulaTransformer
        Transformer that computes the design.
    target_ : str or None
        Left-hand side of the formula.
    n_dropped_ : int
        Number of training rows dropped because of missing values.
    classes_ : ndarray
        Defined only for classifiers.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only for data frames.

    See Also
    --------
    from_formula : the same in one call.

    Notes
    -----
    Rows of a data frame with a missing value in a variable of the formula are dropped in `fit`, as in R. In new rows
    missing values raise an error.

    References
    ----------
    Chambers, J. M. and Hastie, T. J. (1992). *Statistical Models in S*, chapter 2. Wadsworth.

    Examples
    --------
    >>> import pandas as pd
    >>> from statlearn.linear import LinearRegression
    >>> from statlearn.prep import FormulaModel
    >>> table = pd.DataFrame({"y": [1.0, 2.0, 4.0, 3.0, 6.0], "x": [1, 2, 3, 4, 5], "g": list("ababa")})
    >>> model = FormulaModel(LinearRegression(), "y ~ x + g").fit(table)
    >>> model.predict(pd.DataFrame({"x": [6], "g": ["b"]})).round(4).tolist()
    [5.8]
    """

    _constraints = {"estimator": [HasMethods("fit"), None], "formula": [Instance(str)]}

    def __init__(self, estimator=None, formula="."):
        self.estimator = estimator
        self.formula = formula

    def _inner(self):
        if self.estimator is not None:
            return self.estimator
        from statlearn.linear import LinearRegression

        return LinearRegression()

    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
            Table, including the target if the formula names it.
        y : array-like of shape (n_samples,) or None, default=None
            Target, if the formula does not name it.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Passed to the model.

        Returns
        -------
        self
        """
        check_params(self)
        X, names = FormulaTransformer()._table(X, reset=True)
        target, terms = read(self.formula, names)
        rows = X.shape[0]
        X, y, sample_weight = self._complete_rows(target, terms, X, names, y, sample_weight)
        self.target_ = None if target is None else written(target)
        self.n_dropped_ = rows - X.shape[0]
        constant = terms.intercept and not terms.terms  # y ~ 1: the column of ones is the design
        self.design_ = FormulaTransformer(self.formula, intercept=constant)
        self.design_._learn(X)
        estimator = clone(self._inner())
        if (constant or not self.design_.has_intercept_) and "fit_intercept" in estimator.get_params():
            estimator.set_params(fit_intercept=False)
        if terms.offsets and "offset" not in inspect.signature(estimator.fit).parameters:
            raise ValueError(
                f"`formula`: {type(estimator).__name__} does not support offsets; use a model whose `fit` accepts "
                "`offset`, such as GeneralizedLinearRegressor."
            )
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator_ = estimator.fit(self._design(X), y, **weights, **self._offset(X))
        return self

    def _complete_rows(self, target, terms, X, names, y, sample_weight):
        """The rows without missing values in the variables of the formula: table, target and weights."""
        if target is None and y is None:
            raise ValueError(
                f"`formula`: {shortened(self.formula)} has no target; write 'y ~ terms'. Otherwise "
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        if target is not None and y is not None:
            raise ValueError(f"`formula`: {shortened(self.formula)} already names the target; leave y=None.")
        variables = sorted({*variables_of(terms), *([] if target is None else columns_of(target))})
        require_columns(variables, names)
        columns = read_columns(X, names, variables)
        complete = ~np.any([np.zeros(X.shape[0], bool), *(cells.missing for cells in columns.values())], axis=0)
        if not complete.any():
            raise ValueError("Every row of X has a missing value in a column used in the formula.")
        check_same_length(X, y)
        sample_weight = check_weights(sample_weight, np.empty((X.shape[0], 0)))
        if not complete.all():
            X, y, sample_weight = (_kept(part, complete) for part in (X, y, sample_weight))
        if target is not None:
            y = _target(target, X, names)
        if isinstance(y, np.ndarray) and y.ndim == 2 and getattr(self._inner(), "family", None) == "binomial":
            y, trials = proportions(y)
            sample_weight = trials if sample_weight is None else trials * sample_weight
        return X, y, sample_weight

    def _design(self, X):
        """The design with R's names, so that the summary of the model shows them."""
        design = self.design_.transform(X)
        if not is_frame(X):
            import pandas as pd

            return pd.DataFrame(design, columns=self.design_.names_)
        import narwhals as nw

        backend = nw.from_native(X, eager_only=True).implementation
        return nw.from_numpy(design, schema=self.design_.names_, backend=backend).to_native()

    def _offset(self, X):
        offset = self.design_._offset(X)
        return {} if offset is None else {"offset": offset}

    @available_if(_has("predict"))
    def predict(self, X):
        """Predictions for the rows of a table.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray
        """
        check_is_fitted(self)
        return self.estimator_.predict(self._design(X), **self._offset(X))

    @available_if(_has("predict_proba"))
    def predict_proba(self, X):
        """Class probabilities for the rows of a table.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self.estimator_.predict_proba(self._design(X), **self._offset(X))

    @available_if(_has("decision_function"))
    def decision_function(self, X):
        """Decision scores for the rows of a table.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray
        """
        check_is_fitted(self)
        return self.estimator_.decision_function(self._design(X), **self._offset(X))

    @available_if(_has("score"))
    def score(self, X, y=None, sample_weight=None):
        """Score of the model: R² for regressors, accuracy for classifiers.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
            Table, including the target if the formula names it.
        y : array-like of shape (n_samples,) or None, default=None
            Target, if the formula does not name it.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        float
        """
        check_is_fitted(self)
        if self.target_ is not None and y is None:
            table, names = FormulaTransformer()._table(X, reset=True)
            target = parse(self.target_)
            require_columns(columns_of(target), names)
            y = _target(target, table, names)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self.estimator_.score(self._design(X), y, **weights, **self._offset(X))

    @available_if(_has("summary"))
    def summary(self, **options):
        """Summary of the model with R's names of the terms.

        Parameters
        ----------
        **options
            Passed to `summary` of the model.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        summary = self.estimator_.summary(**options)
        if self.n_dropped_:
            rows = "1 row" if self.n_dropped_ == 1 else f"{self.n_dropped_} rows"
            summary.notes.append(f"{rows} with missing values dropped.")
        return summary

    def term_tests(self, X, y=None, sample_weight=None, *, kind="partial", test="auto", dispersion="auto"):
        """Tests of the terms of the formula: one row for a factor, whatever the number of its levels.

        Parameters
        ----------
        X, y, sample_weight
            The training data as passed to `fit`, since the model does not keep them.
        kind : {"partial", "sequential"}, default="partial"
            "partial" tests each term given all others that do not contain it: type II, as by ``Anova`` of R's car, and
            by R's ``drop1`` for terms that no other term contains. "sequential" adds the terms one by one in the order
            of the table, as R's ``anova`` does; its p-values depend on that order.
        test : {"auto", "chi2", "F"}, default="auto"
            "auto" is F if the model estimates the dispersion, as least squares does, and chi-squared otherwise.
        dispersion : {"auto", "pearson"}, default="auto"
            "pearson" estimates the dispersion even if the family fixes it, as R does for the quasi families.

        Returns
        -------
        Summary
            Columns df, deviance_drop, F or chi2, and p, a row for each term. The reduction in deviance is the sum of
            squares of the term for least squares. The dispersion is that of the whole model.

        Examples
        --------
        >>> import pandas as pd
        >>> from statlearn.linear import LinearRegression
        >>> from statlearn.prep import from_formula
        >>> table = pd.DataFrame({"y": [3.1, 4.2, 4.9, 6.3, 6.8, 8.4, 8.7, 9.6], "x": range(8), "g": list("abcabcab")})
        >>> model = from_formula(LinearRegression(), "y ~ x + g", table)
        >>> print(model.term_tests(table).table.to_text())
           df  deviance drop  F value   p value
        x   1       36.12500  387.054  3.94e-05
        g   2        0.07786    0.417    0.6847
        """
        check_is_fitted(self)
        check_value("kind", kind, [Options("partial", "sequential")], "term_tests")
        X, names = FormulaTransformer()._table(X, reset=True)
        terms = self.design_._terms()
        target = None if self.target_ is None else parse(self.target_)
        X, y, sample_weight = self._complete_rows(target, terms, X, names, y, sample_weight)
        return term_tests(self, terms, X, y, sample_weight, kind, test, dispersion)

    @property
    def classes_(self):
        return self.estimator_.classes_

    @property
    def n_features_in_(self):
        return self.design_.n_features_in_

    @property
    def feature_names_in_(self):
        return self.design_.feature_names_in_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self._inner())
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = copy.deepcopy(inner.classifier_tags)
        tags.regressor_tags = copy.deepcopy(inner.regressor_tags)
        tags.target_tags = copy.deepcopy(inner.target_tags)
        tags.target_tags.required = "~" not in str(self.formula)
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _kept(part, rows):
    """Rows of a frame or array selected by the mask `rows`."""
    if part is None:
        return None
    if is_frame(part):
        import narwhals as nw

        return nw.from_native(part, eager_only=True).filter(rows.tolist()).to_native()
    return np.asarray(part)[rows]


def _target(node, X, names):
    """Values of the left-hand side: a column, or an expression of columns."""
    if isinstance(node, Name):
        if not is_frame(X):
            return X[:, names.index(node.name)]
        import narwhals as nw

        return nw.from_native(X, eager_only=True)[node.name].to_numpy()
    return response_values(node, Variables(read_columns(X, names, columns_of(node)), {}, {}, learning=True))


def from_formula(estimator, formula, data):
    """Fit of an estimator by a formula: ``from_formula(LinearRegression(), "y ~ x1 * factor(x2) + I(x3^2)", data)``.

    Rows with a missing value in a variable of the formula are dropped, as in R. A formula without an intercept
    (``- 1``) disables the intercept of the estimator.

    Parameters
    ----------
    estimator : estimator
        Estimator, which is cloned, for example :class:`statlearn.linear.LinearRegression`.
    formula : str
        Target and terms; see :class:`FormulaTransformer`. The target may be a function of a column, as in
        ``log(y) ~ x``.
    data : data frame
        Table with all variables, including the target.

    Returns
    -------
    FormulaModel
        Fitted model. Its `predict`, and `predict_proba` and `summary` if the estimator has them, accept tables with the
        same columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from statlearn.linear import LinearRegression
    >>> from statlearn.prep import from_formula
    >>> table = pd.DataFrame({"y": [1.0, 2.0, 4.0, 3.0, 6.0], "x": [1, 2, 3, 4, 5], "g": list("ababa")})
    >>> model = from_formula(LinearRegression(), "y ~ x + g", table)
    >>> model.summary().table.rows
    ['(Intercept)', 'x', 'gb']
    >>> model.predict(pd.DataFrame({"x": [6], "g": ["b"]})).round(4).tolist()
    [5.8]
    """
    return FormulaModel(estimator, formula).fit(data)
