"""Designs from formulas, for people who think in R; needs formulaic (``pip install statlearn[formula]``)."""

import ast
import re
import warnings

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Instance, check_params
from statlearn._core.validation import validate_data

from ._cells import is_frame
from ._names import input_names

INTERCEPT = "Intercept"


def require_formulaic():
    """formulaic, or an error that says how to get it."""
    try:
        import formulaic
    except ImportError as error:
        raise ImportError("Formulas need formulaic: pip install statlearn[formula].") from error
    return formulaic


# Reading of formulas -------------------------------------------------------------------------------------------------


def parse(formula, columns=()):
    """A formula as formulaic's object; "." stands for the columns that the left side does not use."""
    formulaic = require_formulaic()
    try:
        parsed = formulaic.Formula(formula, _context={"__formulaic_variables_available__": list(columns)})
        sides = (parsed.lhs, parsed.rhs) if hasattr(parsed, "lhs") else (None, getattr(parsed, "rhs", parsed))
    except (formulaic.errors.FormulaicError, SyntaxError) as error:
        raise ValueError(f"formula: {plain_text(error)}") from None
    for side in sides:
        for factor in factors_of(side):
            if factor.eval_method.value == "python":
                check_expression(factor.expr)
    return sides


def plain_text(error):
    """An error's message without its colours and markers."""
    return " ".join(re.sub(r"\x1b\[[0-9;]*m|[⧛⧚]", "", str(error)).split())


def factors_of(side):
    return [] if side is None else [factor for term in side for factor in term.factors]


_HARMLESS = (
    ast.Expression,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.Compare,
    ast.operator,
    ast.unaryop,
    ast.boolop,
    ast.cmpop,
    ast.keyword,
    ast.List,
    ast.Tuple,
)


def check_expression(text):
    """Refuse whatever is more than arithmetic on columns and formulaic's own functions.

    A formula is evaluated as code, also after a model was read from a file: so that no formula can do harm, names are
    looked up, functions of the list are called, and nothing else.
    """
    from formulaic.transforms import TRANSFORMS

    for node in ast.walk(ast.parse(text, mode="eval")):
        if isinstance(node, ast.Call):
            fine = isinstance(node.func, (ast.Name, ast.Attribute))
            fine = fine and (not isinstance(node.func, ast.Name) or node.func.id in TRANSFORMS)
        elif isinstance(node, ast.Attribute):
            fine = isinstance(node.value, ast.Name) and (
                (node.value.id == "np" and isinstance(getattr(np, node.attr, None), np.ufunc))
                or (node.value.id == "contr" and not node.attr.startswith("_"))
            )
        else:
            fine = isinstance(node, _HARMLESS)
        if not fine:
            raise ValueError(f"formula: {text!r} is more than columns, arithmetic and {', '.join(sorted(TRANSFORMS))}.")


def write(side):
    """The text of one side of a formula, with names quoted where they need it."""

    def quoted(factor):
        lookup = factor.eval_method.value == "lookup"
        return f"`{factor.expr}`" if lookup and not factor.expr.isidentifier() else factor.expr

    terms = [":".join(quoted(factor) for factor in term.factors) for term in side]
    return " + ".join(terms if "1" in terms else ["0", *terms])


def r_name(name):
    """A design column's name as R prints it: "x2[T.b]" is "x2b", "bs(x, df=4)[1]" is "bs(x, df = 4)1".

    Examples
    --------
    >>> from statlearn.prep._formula import r_name
    >>> r_name("x1:C(x2)[T.b]"), r_name("bs(x3, df=4)[1]"), r_name("I(x1 ** 2)")
    ('x1:C(x2)b', 'bs(x3, df = 4)1', 'I(x1^2)')
    """
    name = re.sub(r"\[(?:[A-Z]\.)?([^\[\]]*)\]", r"\1", name)
    return re.sub(r"(?<=\w)=(?=[^=])", " = ", name).replace(" ** ", "^")


# Tables --------------------------------------------------------------------------------------------------------------


def to_pandas(X):
    """A data frame of any library as one of pandas, which formulaic works on; ordered levels keep their order."""
    import narwhals as nw
    import pandas as pd

    if isinstance(X, pd.DataFrame):
        return X
    frame = nw.from_native(X, eager_only=True)
    columns = {}
    for name in frame.columns:
        series = frame[name]
        values = series.to_numpy()
        columns[name] = pd.Categorical(values, series.dtype.categories) if series.dtype == nw.Enum else values
    return pd.DataFrame(columns)


def require_columns(variables, table):
    """Refuse a table that lacks variables of a formula, naming them."""
    lacking = sorted(set(variables) - set(table.columns))
    if lacking:
        raise ValueError(f"X lacks variables of the formula: {', '.join(map(repr, lacking))}.")


class FormulaTransformer(TransformerMixin, BaseEstimator):
    """A design matrix by a formula in R's manner, such as ``"x1 * C(x2) + bs(x3, df=4)"``.

    What the formula learns from the training table (levels, knots of splines, means of `center` and `scale`,
    orthogonal polynomials) is kept and used for new tables. Made by formulaic (extra ``statlearn[formula]``).

    Parameters
    ----------
    formula : str, default="."
        ``+`` adds terms, ``:`` crosses them, ``a * b`` is ``a + b + a:b``, ``- 1`` drops the intercept, ``.`` stands
        for all columns. Functions: `C` (levels; text always is), `bs`, `cr`, `cc` (splines), `poly`, `center`,
        `scale`, `log`, `exp`, `I` (arithmetic) and ``np.`` with numpy's functions of single values. A left side is
        allowed and left out of the design.
    intercept : bool, default=False
        Whether the design has the column of ones, if the formula has an intercept. Models that have their own do not
        need it; levels are coded against the first one as long as the formula has an intercept.

    Attributes
    ----------
    terms_ : str
        The right side of the formula with all columns written out.
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
    Columns are found by name; others are ignored, those that the formula needs and the table lacks are named in the
    error. Levels that were not there in training and missing cells are refused, since the formula says nothing about
    them. Columns of an array are called x0, x1, ... Formulas may call the functions above and nothing else, so that a
    model that is read from a file cannot run code of its own.

    References
    ----------
    Wilkinson, G. N. and Rogers, C. E. (1973). Symbolic description of factorial models. *Appl. Statist.* 22, 392-399.
    Chambers, J. M. and Hastie, T. J. (1992). *Statistical Models in S*, chapter 2. Wadsworth.

    Examples
    --------
    >>> import pandas as pd
    >>> from statlearn.prep import FormulaTransformer
    >>> table = pd.DataFrame({"dose": [1.0, 2.0, 3.0], "drug": ["a", "b", "a"]})
    >>> design = FormulaTransformer("dose * drug").fit(table)
    >>> design.get_feature_names_out().tolist()
    ['dose', 'drugb', 'dose:drugb']
    >>> design.transform(table[1:2]).tolist()
    [[2.0, 1.0, 2.0]]
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
        require_formulaic()
        table = self._table(X, reset=True)
        _, side = parse(self.formula, table.columns)
        self.terms_ = write(side)
        self.variables_ = sorted(side.required_variables)
        design = self._design(table, self._spec(side))
        spec = design.model_spec
        self.levels_ = {
            name: [str(level) if isinstance(level, str) else level for level in state["categories"]]
            for name, (_, state) in spec.encoder_state.items()
            if "categories" in state
        }
        self.numbers_ = [name for name, (_, state) in spec.encoder_state.items() if "categories" not in state]
        self.state_ = plain_state(spec.transform_state)
        self.columns_ = [str(name) for name in design.columns]
        self.names_ = [r_name(name) for name in self._kept()]
        if not self.names_:
            raise ValueError(f"formula: {self.formula!r} leaves no column of X in the design.")
        return self

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
        table = self._table(X, reset=False)
        design = self._design(table, self._spec(parse(self.terms_)[1], learned=True))
        if list(design.columns) != self.columns_:
            text = [name for name in self.numbers_ if name in table and not np.issubdtype(table[name].dtype, np.number)]
            raise ValueError(f"The formula does not fit X: expected numbers in {', '.join(map(repr, text))}.")
        return np.asarray(design[self._kept()], dtype=np.float64)

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

    def _table(self, X, *, reset):
        import pandas as pd

        if is_frame(X) and all(isinstance(name, str) for name in X.columns):
            if len(X) == 0:
                shape = tuple(X.shape)
                raise ValueError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
            by_name = reset or hasattr(self, "feature_names_in_")
            if reset or not by_name:
                validate_data(self, X, skip_check_array=True, reset=reset)
            table = to_pandas(X)
            return table if by_name else table.set_axis(input_names(self), axis=1)
        X = validate_data(self, X, dtype=None, reset=reset)
        return pd.DataFrame(X, columns=input_names(self)).infer_objects()

    def _spec(self, side, *, learned=False):
        """formulaic's description of the design; made anew each time, so that the state of this class is plain."""
        from formulaic import ModelSpec
        from formulaic.parser.types import Factor

        if not learned:
            return ModelSpec(formula=side, na_action="raise")
        encoders = {name: (Factor.Kind.NUMERICAL, {}) for name in self.numbers_}
        encoders |= {k: (Factor.Kind.CATEGORICAL, {"categories": list(v)}) for k, v in self.levels_.items()}
        return ModelSpec(
            formula=side, na_action="raise", transform_state=plain_state(self.state_), encoder_state=encoders
        )

    def _design(self, table, spec):
        formulaic = require_formulaic()
        require_columns(self.variables_, table)
        gaps = [name for name in self.variables_ if table[name].isna().any()]
        if gaps:
            raise ValueError(f"X has missing cells in variables of the formula: {', '.join(map(repr, gaps))}.")
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):  # what is not finite is named below
                warnings.simplefilter("error", formulaic.errors.DataMismatchWarning)
                design = spec.get_model_matrix(table, context={})
        except formulaic.errors.DataMismatchWarning:
            raise ValueError(self._new_levels(table)) from None
        except (formulaic.errors.FormulaicError, ValueError, TypeError) as error:
            raise ValueError(f"The formula does not fit X: {plain_text(error)}") from None
        wild = [name for name, column in design.items() if not np.isfinite(np.asarray(column, dtype=float)).all()]
        if wild:
            raise ValueError(f"The formula makes of X infinity or NaN in the columns {', '.join(map(repr, wild))}.")
        return design

    def _new_levels(self, table):
        for factor, levels in self.levels_.items():
            for name in self.variables_:
                if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", factor):
                    new = sorted(set(map(str, table[name].unique())) - set(map(str, levels)))
                    if new:
                        return f"X has levels of {name!r} that the training table lacks: {', '.join(map(repr, new))}."
        return "X has levels that the training table lacks."

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def plain_state(state):
    """A copy of nested dicts and lists in which numbers are Python's own."""
    if isinstance(state, dict):
        return {key: plain_state(value) for key, value in state.items()}
    if isinstance(state, (list, tuple)):
        return [plain_state(value) for value in state]
    return state.item() if isinstance(state, np.generic) else state
