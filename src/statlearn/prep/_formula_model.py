"""Models by formulas."""

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ._formula import FormulaTransformer, factors_of, parse, require_columns, require_formulaic, to_pandas, write


def _has(method):
    return lambda model: hasattr(getattr(model, "estimator_", model.estimator), method)


class FormulaModel(BaseEstimator):
    """A model with a formula, as :func:`from_formula` fits it; predicts from tables.

    Parameters
    ----------
    estimator : estimator
        The model.
    formula : str
        Target and terms: ``"y ~ x1 + x2"``.

    Attributes
    ----------
    estimator_ : estimator
        Fitted on the design.
    design_ : FormulaTransformer
        Makes the design.
    n_dropped_ : int
        Training rows left out because a cell of theirs is missing.
    """

    def __init__(self, estimator, formula):
        self.estimator = estimator
        self.formula = formula

    def fit(self, data):
        """Fit the model on a table that has the target too.

        Parameters
        ----------
        data : data frame

        Returns
        -------
        self
        """
        table = to_pandas(data)
        target, side = parse(self.formula, table.columns)
        if target is None:
            raise ValueError(f"formula: {self.formula!r} has no target; write 'y ~ terms'.")
        variables = sorted(target.required_variables | side.required_variables)
        require_columns(variables, table)
        complete = table[variables].notna().all(axis=1)
        self.n_dropped_ = int((~complete).sum())
        table = table[complete]
        if not len(table):
            raise ValueError("Every row of the data has a missing cell in a variable of the formula.")
        self.design_ = FormulaTransformer(write(side)).fit(table)
        estimator = clone(self.estimator)
        if not self.design_.has_intercept_ and "fit_intercept" in estimator.get_params():
            estimator.set_params(fit_intercept=False)
        self.estimator_ = estimator.fit(self._rows(table), _target(target, table))
        return self

    def _rows(self, data):
        import pandas as pd

        table = to_pandas(data)
        return pd.DataFrame(self.design_.transform(table), columns=self.design_.names_, index=table.index)

    @available_if(_has("predict"))
    def predict(self, data):
        """Predictions for the rows of a table.

        Parameters
        ----------
        data : data frame

        Returns
        -------
        ndarray
        """
        check_is_fitted(self)
        return self.estimator_.predict(self._rows(data))

    @available_if(_has("predict_proba"))
    def predict_proba(self, data):
        """Class probabilities for the rows of a table.

        Parameters
        ----------
        data : data frame

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self.estimator_.predict_proba(self._rows(data))

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
        With `predict` and, where the estimator has them, `predict_proba` and `summary`, which take tables of the same
        columns; `estimator_` and `design_`.

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
