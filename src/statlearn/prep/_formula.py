"""Designs from formulas, for people who think in R."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.formulas import expand, parse_sides, written
from statlearn._core.frames.typed_columns import is_frame
from statlearn._core.names import input_names
from statlearn._core.params import Instance, check_params
from statlearn._core.validation import validate_data

from ._formula_design import INTERCEPT, NewLevels, Variables, check_functions, columns_of, design_matrix, read_columns


def read(formula, columns=(), *, variables=()):
    """Target (a tree or None) and terms of a formula; "." stands for the columns that the target does not use."""
    try:
        left, right = parse_sides(formula)
    except SyntaxError as error:
        raise ValueError(f"`formula`: cannot parse {formula!r}: {error.msg}.") from None
    try:
        own = set() if left is None else set(columns_of(left))
        terms = expand(right, [name for name in columns if name not in own], variables=variables)
        for node in [*terms.used.values(), *terms.offsets, *([] if left is None else [left])]:
            check_functions(node)
    except (ValueError, SyntaxError) as error:
        raise ValueError(f"`formula`: {error}.") from None
    if left is not None and written(left) in terms.used:
        raise ValueError(f"`formula`: the target {left.source!r} also appears on the right-hand side; remove it there.")
    return left, terms


def variables_of(terms):
    """Names of the columns that terms and offsets need, sorted."""
    return sorted({name for node in [*terms.used.values(), *terms.offsets] for name in columns_of(node)})


def require_columns(variables, names):
    """Refuse a table that lacks variables of a formula, naming them."""
    lacking = sorted(set(variables) - set(names))
    if lacking:
        raise ValueError(f"X lacks columns used in the formula: {', '.join(map(repr, lacking))}.")


class FormulaTransformer(TransformerMixin, BaseEstimator):
    """Design matrix by a formula with R's meaning, such as ``"x1 * factor(x2) + I(x3^2) + bs(x4, df = 4)"``.

    What the formula learns from the training table (levels, knots of splines, means of `center` and `scale`,
    orthogonal polynomials) is kept and used for new tables.

    Parameters
    ----------
    formula : str, default="."
        Terms in R's language. ``+`` adds terms, ``-`` removes them, ``a:b`` (or ``a %in% b``) is their product,
        ``a * b`` is ``a + b + a:b``, ``a / b`` is ``a + a:b``, ``(a + b + c)^2`` has all products of two, ``- 1`` or
        ``+ 0`` drops the intercept, and ``.`` stands for all columns that the left side does not use. Arithmetic and
        comparisons stand inside of functions, as in ``I(x^2)``. Names with blanks or signs stand between backticks.
        A left side is allowed and left out of the design.

        Functions: `C`, `factor` (levels; text always is), `poly`, `bs`, `ns`, `cr`, `cc` (splines), `center`, `scale`,
        `log`, `log2`, `log10`, `log1p`, `exp`, `expm1`, `sqrt`, `abs`, trigonometric functions, `I`, and ``np.`` with
        numpy's functions of single values. ``C(g, contr.sum)`` chooses contrasts: `contr.treatment`, `contr.SAS`,
        `contr.sum`, `contr.helmert` or `contr.poly`.
    intercept : bool, default=False
        Whether the design has the column of ones, if the formula has an intercept. Models that have their own do not
        need it; levels are coded against the first one as long as the formula has an intercept.

    Attributes
    ----------
    terms_ : str
        The right side of the formula with all terms written out.
    variables_ : list of str
        The columns that it needs.
    levels_ : dict
        Levels of the factors in it.
    state_ : dict
        What its functions have learned.
    names_ : list of str
        Names of the design's columns as R prints them.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only for data frames.

    Notes
    -----
    Terms come in R's order: those of one variable first, then products of two, and so on. A factor in a product has
    contrasts if an earlier term holds the rest of the product, and all its levels otherwise, which is R's rule. Factors
    with an order are coded like all others; R's polynomial contrasts are ``C(g, contr.poly)``.

    Columns are found by name; others are ignored, those that the formula needs and the table lacks are named in the
    error. Levels that were not there in training and missing cells are refused, since the formula says nothing about
    them. Columns of an array are called x0, x1, ... A formula is read, not executed: it may call the functions above
    and nothing else, so that a model that is read from a file cannot run code of its own.

    References
    ----------
    Wilkinson, G. N. and Rogers, C. E. (1973). Symbolic description of factorial models. *Appl. Statist.* 22, 392-399.
    Chambers, J. M. and Hastie, T. J. (1992). *Statistical Models in S*, chapter 2. Wadsworth.

    Examples
    --------
    >>> import pandas as pd
    >>> from statlearn.prep import FormulaTransformer
    >>> table = pd.DataFrame({"dose": [1.0, 2.0, 3.0], "drug": ["a", "b", "a"]})
    >>> design = FormulaTransformer("dose * drug + I(dose^2)").fit(table)
    >>> design.get_feature_names_out().tolist()
    ['dose', 'drugb', 'I(dose^2)', 'dose:drugb']
    >>> design.transform(table[1:2]).tolist()
    [[2.0, 1.0, 4.0, 2.0]]
    """

    _constraints = {"formula": [Instance(str)], "intercept": ["boolean"]}

    def __init__(self, formula=".", *, intercept=False):
        self.formula = formula
        self.intercept = intercept

    def fit(self, X, y=None):
        """Learn levels, knots and the like.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        _, terms = self._learn(X)
        if terms.offsets:
            raise ValueError(
                f"`formula`: offset({written(terms.offsets[0])}) is not part of a design matrix; use from_formula "
                "with a model that supports offsets."
            )
        return self

    def _learn(self, X):
        """Read the formula for this table and learn from it; returns target and terms."""
        X, names = self._table(X, reset=True)
        target, terms = read(self.formula, names)
        self.terms_ = terms.text()
        self.parts_ = list(terms.variables)
        self.variables_ = variables_of(terms)
        self.levels_, self.state_ = {}, {}
        _, self.columns_ = self._design(X, names, terms, learning=True)
        self.names_ = self._kept()
        if not self.names_:
            raise ValueError(f"`formula`: {self.formula!r} produces a design without columns.")
        return target, terms

    def transform(self, X):
        """The design matrix.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
        """
        check_is_fitted(self)
        X, names = self._table(X, reset=False)
        design, columns = self._design(X, names, self._terms())
        if columns != self.columns_:
            raise ValueError(
                f"X does not match the formula: the design has the columns {columns}, expected {self.columns_}."
            )
        return design if len(self.names_) == len(columns) else design[:, 1:]

    def get_feature_names_out(self, input_features=None):
        """Names of the design's columns as R prints them, such as "x1", "x2b", "x1:x2b".

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Checked against the names of the training columns, not used.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        input_names(self, input_features)
        return np.asarray(self.names_, dtype=object)

    @property
    def has_intercept_(self):
        """Whether the formula has an intercept."""
        return INTERCEPT in self.columns_

    def _kept(self):
        return [name for name in self.columns_ if self.intercept or name != INTERCEPT]

    def _terms(self):
        return read(self.terms_, variables=self.parts_)[1]

    def _table(self, X, *, reset):
        """The table after its checks, and the names of its columns."""
        if is_frame(X) and all(isinstance(name, str) for name in X.columns):
            if len(X) == 0:
                shape = tuple(X.shape)
                raise ValueError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
            by_name = reset or hasattr(self, "feature_names_in_")
            if reset or not by_name:
                validate_data(self, X, skip_check_array=True, reset=reset)
            if by_name:
                return X, list(X.columns)
            X = np.asarray(X)
        X = validate_data(self, X, dtype=None, reset=reset)
        return X, list(input_names(self))

    def _columns(self, X, names, terms):
        wanted = variables_of(terms)
        require_columns(wanted, names)
        columns = read_columns(X, names, wanted)
        gaps = [name for name in wanted if columns[name].missing.any()]
        if gaps:
            raise ValueError(f"X contains missing values in columns used in the formula: {', '.join(map(repr, gaps))}.")
        return columns

    def _design(self, X, names, terms, *, learning=False):
        variables = Variables(self._columns(X, names, terms), self.state_, self.levels_, learning=learning)
        try:
            with np.errstate(all="ignore"):  # what is not finite is named below
                design, columns = design_matrix(terms, variables, X.shape[0])
        except NewLevels as error:
            key, own, new = error.args
            name = own[0] if len(own) == 1 else key
            found = ", ".join(map(repr, new))
            raise ValueError(f"X contains levels of {name!r} that did not occur in training: {found}.") from None
        except ValueError as error:
            raise ValueError(f"X does not match the formula: {error}.") from None
        wild = [name for name, finite in zip(columns, np.isfinite(design).all(axis=0)) if not finite]
        if wild:
            raise ValueError(f"X: the formula produces infinity or NaN in the columns {', '.join(map(repr, wild))}.")
        return design, columns

    def _offset(self, X):
        """The sum of the formula's offsets for the rows of a table, or None."""
        X, names = self._table(X, reset=False)
        terms = self._terms()
        if not terms.offsets:
            return None
        variables = Variables(self._columns(X, names, terms), self.state_, self.levels_, learning=False)
        with np.errstate(all="ignore"):
            total = sum(variables.number(node) for node in terms.offsets)
        if not np.isfinite(total).all():
            raise ValueError("X: the formula produces infinity or NaN in the offset.")
        return np.broadcast_to(total, X.shape[0])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
