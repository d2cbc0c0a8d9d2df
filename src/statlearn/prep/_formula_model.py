"""Models by formulas."""

import inspect

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from statlearn._core.formulas import Name

from ._formula import FormulaTransformer, read, require_columns, variables_of
from ._formula_design import Variables, columns_of, read_columns


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
        import narwhals as nw

        frame = nw.from_native(data, eager_only=True)
        target, terms = read(self.formula, frame.columns)
        if target is None:
            raise ValueError(f"formula: {self.formula!r} has no target; write 'y ~ terms'.")
        variables = sorted({*columns_of(target), *variables_of(terms)})
        require_columns(variables, frame.columns)
        missing = [cells.missing for cells in read_columns(data, frame.columns, variables).values()]
        complete = ~np.any(missing, axis=0)
        self.n_dropped_ = int((~complete).sum())
        if not complete.any():
            raise ValueError("Every row of the data has a missing cell in a variable of the formula.")
        table = frame.filter(complete.tolist()).to_native() if self.n_dropped_ else data
        self.design_ = FormulaTransformer(self.formula)
        self.design_._learn(table)
        estimator = clone(self.estimator)
        if not self.design_.has_intercept_ and "fit_intercept" in estimator.get_params():
            estimator.set_params(fit_intercept=False)
        if terms.offsets and "offset" not in inspect.signature(estimator.fit).parameters:
            raise ValueError(
                f"formula: {type(estimator).__name__} takes no offset; use a model whose fit has an `offset`, such as "
                "GeneralizedLinearRegressor."
            )
        self.estimator_ = estimator.fit(self._rows(table), _target(target, table, frame), **self._offset(table))
        return self

    def _rows(self, data):
        import narwhals as nw

        frame = nw.from_native(data, eager_only=True)
        design = self.design_.transform(data)
        return nw.from_numpy(design, schema=self.design_.names_, backend=frame.implementation).to_native()

    def _offset(self, data):
        offset = self.design_._offset(data)
        return {} if offset is None else {"offset": offset}

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
        return self.estimator_.predict(self._rows(data), **self._offset(data))

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
        return self.estimator_.predict_proba(self._rows(data), **self._offset(data))

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


def _target(node, table, frame):
    """The values left of the tilde: a column as it is, or a function of columns."""
    import narwhals as nw

    if isinstance(node, Name):
        return nw.from_native(table, eager_only=True)[node.name].to_numpy()
    variables = Variables(read_columns(table, frame.columns, columns_of(node)), {}, {}, learning=True)
    try:
        with np.errstate(all="ignore"):
            made = variables.number(node)
    except ValueError as error:
        raise ValueError(f"formula: the target {node.source!r}: {error}.") from None
    if made.ndim != 1:
        raise ValueError(f"formula: the target must be one column, but {node.source!r} has {made.shape[1]}.")
    return made


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
