"""Models by formulas."""

import copy

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from statlearn._core.frames import take_rows
from statlearn._core.params import HasMethods, Instance, check_params
from statlearn._core.validation import check_weights

from ._formula import FormulaTransformer, factors_of, parse, require_columns, require_formulaic, write


def _has(method):
    return lambda model: hasattr(getattr(model, "estimator_", model._inner()), method)


class FormulaModel(MetaEstimatorMixin, BaseEstimator):
    """Any model on the design of a formula, such as ``"y ~ x1 * C(x2) + bs(x3, df=4)"``.

    The target is the left side of the formula, or the `y` of `fit` if the formula has no left side. A formula without
    intercept (``- 1``) turns off the model's.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The model, which is cloned; None for :class:`statlearn.linear.LinearRegression`.
    formula : str, default="."
        Terms as in :class:`FormulaTransformer`, with or without a target. The target may be a function of a column, as
        in ``log(y) ~ x``.

    Attributes
    ----------
    estimator_ : estimator
        Fitted on the design.
    design_ : FormulaTransformer
        Makes the design.
    target_ : str or None
        The left side of the formula.
    n_dropped_ : int
        Training rows left out because a cell of theirs is missing.
    classes_ : ndarray
        Only for classifiers.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only for data frames.

    See Also
    --------
    from_formula : The same in one call.

    Notes
    -----
    Rows of a data frame with a missing cell in a variable of the formula are left out of the fit, as R does; new
    rows with missing cells are refused.

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
            With the target, if the formula names it.
        y : array-like of shape (n_samples,) or None, default=None
            The target, if the formula does not name it.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Passed to the model.

        Returns
        -------
        self
        """
        check_params(self)
        table = FormulaTransformer()._table(X, reset=True)
        target, side = parse(self.formula, table.columns)
        if target is None and y is None:
            raise ValueError(
                f"formula: {self.formula!r} has no target; write 'y ~ terms'. Otherwise {type(self).__name__} requires "
                "y to be passed, but the target y is None."
            )
        if target is not None and y is not None:
            raise ValueError(f"formula: {self.formula!r} names the target; leave y at None.")
        variables = sorted(side.required_variables | (set() if target is None else target.required_variables))
        require_columns(variables, table)
        complete = table[variables].notna().all(axis=1).to_numpy()
        if not complete.any():
            raise ValueError("Every row of the data has a missing cell in a variable of the formula.")
        self.target_ = None if target is None else write(target).removeprefix("0 + ")
        y = y if target is None else _target(target, table[complete])
        check_consistent_length(X, y if target is None else None)
        sample_weight = check_weights(sample_weight, np.empty((len(table), 0)))
        self.n_dropped_ = int((~complete).sum())
        if self.n_dropped_:
            X, sample_weight = take_rows(X, complete), take_rows(sample_weight, complete)
            y = take_rows(y, complete) if target is None else y
        self.design_ = FormulaTransformer(write(side)).fit(X)
        estimator = clone(self._inner())
        if not self.design_.has_intercept_ and "fit_intercept" in estimator.get_params():
            estimator.set_params(fit_intercept=False)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator_ = estimator.fit(self._design(X), y, **weights)
        return self

    def _design(self, X):
        """The design with R's names, so that the model's table of estimates has them."""
        import pandas as pd

        return pd.DataFrame(self.design_.transform(X), columns=self.design_.names_)

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
        return self.estimator_.predict(self._design(X))

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
        return self.estimator_.predict_proba(self._design(X))

    @available_if(_has("decision_function"))
    def decision_function(self, X):
        """Scores of the classes for the rows of a table.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray
        """
        check_is_fitted(self)
        return self.estimator_.decision_function(self._design(X))

    @available_if(_has("score"))
    def score(self, X, y=None, sample_weight=None):
        """The model's score: R² of regressors, accuracy of classifiers.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
            With the target, if the formula names it.
        y : array-like of shape (n_samples,) or None, default=None
            The target, if the formula does not name it.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        float
        """
        check_is_fitted(self)
        if self.target_ is not None and y is None:
            table = FormulaTransformer()._table(X, reset=True)
            side, _ = parse(f"{self.target_} ~ 1", table.columns)
            require_columns(side.required_variables, table)
            y = _target(side, table)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self.estimator_.score(self._design(X), y, **weights)

    @available_if(_has("summary"))
    def summary(self, **options):
        """The model's table of estimates, with R's names of the terms.

        Parameters
        ----------
        **options
            Passed to the model's `summary`.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        return self.estimator_.summary(**options)

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


def _target(side, table):
    factors = factors_of(side)
    if len(factors) == 1 and factors[0].eval_method.value == "lookup":
        return table[factors[0].expr].to_numpy()
    made = require_formulaic().ModelSpec(formula=side).get_model_matrix(table, context={})
    if made.shape[1] != 1:
        raise ValueError(f"formula: the target must be one column, got {list(made.columns)}.")
    return np.asarray(made, dtype=np.float64)[:, 0]


def from_formula(estimator, formula, data):
    """Fit any estimator by a formula: ``from_formula(LinearRegression(), "y ~ x1 * C(x2) + bs(x3, df=4)", data)``.

    Rows with a missing cell in a variable of the formula are left out, as R does. A formula without intercept (``- 1``)
    turns off the estimator's.

    Parameters
    ----------
    estimator : estimator
        For example :class:`statlearn.linear.LinearRegression`; it is cloned.
    formula : str
        Target and terms; see :class:`FormulaTransformer`. The target may be a function of a column, as in ``log(y) ~
        x``.
    data : data frame
        With all variables, the target among them.

    Returns
    -------
    FormulaModel
        Fitted; its `predict`, and `predict_proba` and `summary` where the estimator has them, take tables of the same
        columns.

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
