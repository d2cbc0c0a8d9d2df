"""Design matrices from R-style formulas."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import frame_names
from statlearn._core.frames.frame import refuse_lazy
from statlearn._core.frames.typed_columns import is_frame
from statlearn._core.names import input_names
from statlearn._core.params import Instance, check_params
from statlearn._core.validation import validate_data
from statlearn._math.formulas.design import INTERCEPT, NewLevels, design_matrix
from statlearn._math.formulas.limits import shortened
from statlearn._math.formulas.parser import written
from statlearn._math.formulas.reading import read, require_columns, variables_of
from statlearn._math.formulas.variables import Variables, read_columns


class FormulaTransformer(TransformerMixin, BaseEstimator):
    """Design matrix from an R-style formula, such as ``"x1 * factor(x2) + I(x3^2) + bs(x4, df = 4)"``.

    Everything learned from the training table (levels, spline knots, means of `center` and `scale`, orthogonal
    polynomials) is stored and applied to new tables.

    Parameters
    ----------
    formula : str, default="."
        Terms in R's syntax. ``+`` adds terms, ``-`` removes them, ``a:b`` (or ``a %in% b``) is their product, ``a * b``
        is ``a + b + a:b``, ``a / b`` is ``a + a:b``, ``(a + b + c)^2`` includes all pairwise products, ``- 1`` or
        ``+ 0`` drops the intercept, and ``.`` stands for all columns not used on the left-hand side. Arithmetic and
        comparisons must be inside functions, as in ``I(x^2)``. Quote names with spaces or operators in backticks. A
        left-hand side is allowed and ignored in the design.

        Functions: `C`, `factor`, `ordered`, `relevel`, `cut` (categories; text always is one), `poly`, `bs`, `ns`,
        `cr`, `cc` (splines), `center`, `scale`, `ifelse`, `pmin`, `pmax`, `round`, `log`, `log2`, `log10`, `log1p`,
        `exp`, `expm1`, `sqrt`, `abs`, trigonometric functions, `I`, and ``np.`` with numpy's functions of single
        values. ``C(g, contr.sum)`` chooses contrasts: `contr.treatment`,
        `contr.SAS`, `contr.sum`, `contr.helmert` or `contr.poly`.
    intercept : bool, default=False
        Whether to include the column of ones if the formula has an intercept. Models that fit their own intercept do
        not need it. Levels are coded relative to the first one if the formula has an intercept, whether or not the
        column is included.

    Attributes
    ----------
    terms_ : str
        Right-hand side of the formula with all terms expanded.
    variables_ : list of str
        Columns that the formula uses.
    levels_ : dict
        Levels of its factors.
    state_ : dict
        Learned state of its functions.
    names_ : list of str
        Names of the columns of the design, as printed by R.
    term_numbers_ : list of int
        Number of the term that each column belongs to, from 0; -1 for the intercept.
    has_intercept_ : bool
        Whether the formula has an intercept.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only for data frames.

    Notes
    -----
    Terms are in R's order: main effects first, then products of two variables, and so on. A factor in a product is
    coded by contrasts if an earlier term contains the rest of the product, and by all its levels otherwise, as in R.
    Ordered factors (``ordered(g)``, and ordered categories of pandas) have polynomial contrasts, all others treatment
    contrasts, as in R.

    Columns are matched by name. Additional columns are ignored, and missing ones are named in the error. Levels not
    seen in training and missing values raise an error. The columns of an array are called x0, x1, ... A formula is
    parsed, not executed: it can call the functions above and nothing else, so a model loaded from a file cannot run
    arbitrary code.

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
        """Learn levels, knots and other state.

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
        """Parse the formula for this table and learn from it; returns target and terms."""
        X, names = self._table(X, reset=True)
        target, terms = read(self.formula, names)
        self.terms_ = terms.text()
        self._formula_variables = list(terms.variables)
        self._terms()  # `transform` reads it: what exceeds a limit with all terms written out is refused here
        self.variables_ = variables_of(terms)
        self.levels_, self.state_ = {}, {}
        _, self._design_columns, numbers = self._design(X, names, terms, learning=True)
        self.names_ = self._kept()
        self.term_numbers_ = numbers[len(numbers) - len(self.names_) :]
        if not self.names_:
            raise ValueError(f"`formula`: {shortened(self.formula)} produces a design without columns.")
        return target, terms

    def transform(self, X):
        """Design matrix.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
        """
        check_is_fitted(self)
        X, names = self._table(X, reset=False)
        design, columns, _ = self._design(X, names, self._terms())
        if columns != self._design_columns:
            raise ValueError(
                f"X does not match the formula: the design has the columns {columns}, expected {self._design_columns}."
            )
        return design if len(self.names_) == len(columns) else design[:, 1:]

    def get_feature_names_out(self, input_features=None):
        """Names of the columns of the design as printed by R, such as "x1", "x2b", "x1:x2b".

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Checked against the names of the training columns, otherwise unused.

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
        return INTERCEPT in self._design_columns

    def _kept(self):
        return [name for name in self._design_columns if self.intercept or name != INTERCEPT]

    def _terms(self):
        return read(self.terms_, variables=self._formula_variables)[1]

    def _table(self, X, *, reset):
        """The validated table and the names of its columns."""
        refuse_lazy(X)
        if is_frame(X) and all(isinstance(name, str) for name in frame_names(X)):
            if len(X) == 0:
                shape = tuple(X.shape)
                raise ValueError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
            by_name = reset or hasattr(self, "feature_names_in_")
            if reset or not by_name:
                validate_data(self, X, skip_check_array=True, reset=reset)
            if by_name:
                return X, list(frame_names(X))
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
            with np.errstate(all="ignore"):  # non-finite columns are named below
                design, columns, numbers = design_matrix(terms, variables, X.shape[0])
        except NewLevels as error:
            key, sources, new = error.args
            name = sources[0] if len(sources) == 1 else key
            levels = ", ".join(map(repr, new))
            raise ValueError(f"X contains levels of {name!r} that did not occur in training: {levels}.") from None
        except ValueError as error:
            raise ValueError(f"X does not match the formula: {error}.") from None
        wild = [name for name, finite in zip(columns, np.isfinite(design).all(axis=0)) if not finite]
        if wild:
            raise ValueError(f"X: the formula produces infinity or NaN in the columns {', '.join(map(repr, wild))}.")
        return design, columns, numbers

    def _offset(self, X):
        """Sum of the offsets of the formula for the rows of a table, or None."""
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
