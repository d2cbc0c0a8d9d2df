"""Basis expansions by any list of functions, and linear models on them."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin, clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from statlearn._core.fitted_state import take_attributes
from statlearn._core.names import input_names
from statlearn._core.params import HasMethods, Options, check_params
from statlearn._core.validation import FLOATS, validate_columns
from statlearn._math.linalg.sparse_arrays import to_dense

from ._step_basis import StepBasis


def _quadratic(X, names):
    pairs = [(i, j) for i in range(X.shape[1]) for j in range(i + 1, X.shape[1])]
    crossed = [2.0 * X[:, i] * X[:, j] for i, j in pairs]
    columns = np.column_stack([X, X**2, *crossed])
    return columns, [*names, *(f"{n}^2" for n in names), *(f"2 {names[i]} {names[j]}" for i, j in pairs)]


def _positive(X, what):
    if np.any(X <= 0 if what == "log" else X < 0):
        raise ValueError(f"The basis {what!r} requires {'positive' if what == 'log' else 'non-negative'} values in X.")
    return X


_NAMED = {
    "identity": lambda X, names: (X, list(names)),
    "quadratic": _quadratic,
    "log": lambda X, names: (np.log(_positive(X, "log")), [f"log({n})" for n in names]),
    "sqrt": lambda X, names: (np.sqrt(_positive(X, "sqrt")), [f"sqrt({n})" for n in names]),
    "norm": lambda X, names: (np.linalg.norm(X, axis=1)[:, None], ["norm"]),
}


class BasisExpansion(TransformerMixin, BaseEstimator):
    r"""Basis expansion: features :math:`h_1(x), \dots, h_M(x)` from any list of functions.

    Parameters
    ----------
    bases : list or None, default=None
        Each entry is one of

        - ``"identity"``, ``"log"``, ``"sqrt"``: of each column;
        - ``"quadratic"``: the columns, their squares and twice the products of pairs;
        - ``"norm"``: the length of the row;
        - ``("power", k)``: the k-th power of each column;
        - ``("intervals", cuts)``: indicators of the intervals between cuts, of each column;
        - a callable that takes X and returns one or several columns;
        - a transformer, which is fitted.

        None means ``["identity"]``.

    Attributes
    ----------
    transformers_ : list
        The fitted transformers among the entries; None for other entries.
    n_features_out_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 5.1.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import BasisExpansion
    >>> expand = BasisExpansion(["quadratic", "norm", lambda X: np.sin(X[:, 0])]).fit([[3.0, 4.0]])
    >>> expand.transform([[3.0, 4.0]]).round(2).tolist()
    [[3.0, 4.0, 9.0, 16.0, 24.0, 5.0, 0.14]]
    >>> expand.get_feature_names_out().tolist()
    ['x0', 'x1', 'x0^2', 'x1^2', '2 x0 x1', 'norm', 'lambda_2']
    """

    _constraints = {"bases": ["array-like", None]}

    def __init__(self, bases=None):
        self.bases = bases

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X, y=None):
        """Fit the transformers among the bases and count the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or None, default=None
            Passed to the transformers.

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_columns(self, X, dtype=FLOATS)
        self.transformers_ = []
        self._checked_entries = self._entries()
        for entry in self._checked_entries:
            if isinstance(entry, tuple) and entry[0] == "intervals":
                entry = StepBasis(cuts=entry[1])
            self.transformers_.append(clone(entry).fit(X, y) if hasattr(entry, "transform") else None)
        blocks, _ = self._expand(X, input_names(self))
        self.n_features_out_ = sum(block.shape[1] for block in blocks)
        return self

    def _entries(self):
        entries = ["identity"] if self.bases is None else list(self.bases)
        if not entries:
            raise ValueError("`bases` must not be empty.")
        for entry in entries:
            pair = isinstance(entry, tuple) and len(entry) == 2 and entry[0] in ("power", "intervals")
            known = isinstance(entry, str) and entry in _NAMED
            if not (pair or known or callable(entry) or hasattr(entry, "transform")):
                raise ValueError(
                    f"`bases`: {entry!r} must be one of {sorted(_NAMED)}, ('power', k), ('intervals', cuts), "
                    "a callable or a transformer."
                )
        return entries

    def _expand(self, X, names):
        """The blocks of columns and their names."""
        blocks, labels_all = [], []
        for k, (entry, fitted) in enumerate(zip(self._checked_entries, self.transformers_, strict=True)):
            if fitted is not None:
                values = fitted.transform(X)
                values = np.asarray(to_dense(values))
                fitted_names = getattr(fitted, "feature_names_in_", None)
                labels = list(fitted.get_feature_names_out(names if fitted_names is None else fitted_names))
            elif isinstance(entry, str):
                values, labels = _NAMED[entry](X, names)
            elif isinstance(entry, tuple):
                values, labels = X ** entry[1], [f"{n}^{entry[1]}" for n in names]
            else:
                values = np.asarray(entry(X))
                if values.shape[:1] != X.shape[:1] or values.ndim > 2:
                    raise ValueError(
                        f"`bases`: {entry!r} must return one value, or one row of values, for each row of X."
                    )
                values = values.reshape(X.shape[0], -1)
                word = getattr(entry, "__name__", type(entry).__name__).strip("<>")
                labels = (
                    [f"{word}_{k}"] if values.shape[1] == 1 else [f"{word}_{k}_{j}" for j in range(values.shape[1])]
                )
            blocks.append(values)
            labels_all += labels
        return blocks, labels_all

    def transform(self, X):
        """Features of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features_out_)
        """
        check_is_fitted(self)
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        blocks, _ = self._expand(X, input_names(self))
        return np.hstack(blocks).astype(X.dtype, copy=False)

    def get_feature_names_out(self, input_features=None):
        """Names of the features.

        Parameters
        ----------
        input_features : array-like of str or None, default=None

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = input_names(self, input_features)
        # The names are independent of the row: one that every basis accepts.
        return np.asarray(self._expand(np.ones((1, self.n_features_in_)), names)[1], dtype=object)


MODELS = ("ols", "ridge", "logistic")


def _models():
    from statlearn.linear import LinearRegression, LogisticRegression, Ridge

    return dict(zip(MODELS, (LinearRegression(), Ridge(), LogisticRegression(C=np.inf))))


def _classifies(self):
    if hasattr(self, "model_"):
        return is_classifier(self.model_)
    return self.model == "logistic" if isinstance(self.model, str) else is_classifier(self.model)


class BasisRegressor(RegressorMixin, BaseEstimator):
    r"""Linear model on a basis expansion, :math:`f(x) = \sum_m \beta_m h_m(x)`.

    Parameters
    ----------
    bases : list, transformer or None, default=None
        The entries of a :class:`BasisExpansion`, or any transformer such as a :class:`SplineTransformer`.
    model : {"ols", "ridge", "logistic"} or estimator, default="ols"
        The model on the features: least squares, ridge, unpenalised logistic regression, or any other estimator. With a
        classifier, this estimator is a classifier too.

    Attributes
    ----------
    expansion_ : transformer
        The fitted expansion.
    model_ : estimator
        The fitted model.
    coef_, intercept_ : ndarray, float
        Coefficients and intercept of the model.
    classes_ : ndarray
        Class labels. Only if the model is a classifier.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    `summary` returns the summary of the model with the names of the features. It is valid only if the basis was not
    chosen by looking at y.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 5.1.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import BasisRegressor
    >>> x = np.arange(5.0)
    >>> fit = BasisRegressor(["identity", ("power", 2)]).fit(x[:, None], 1 + x - 2 * x**2)
    >>> fit.coef_.round(6).tolist()
    [1.0, -2.0]
    """

    _constraints: dict[str, list] = {
        "bases": ["array-like", HasMethods("fit", "transform"), None],
        "model": [Options(*MODELS), HasMethods("fit", "predict")],
    }

    def __init__(self, bases=None, *, model="ols"):
        self.bases = bases
        self.model = model

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        model = getattr(self, "model_", self.model)
        model = _models()[model] if isinstance(model, str) and model in MODELS else model
        if hasattr(model, "__sklearn_tags__"):
            tags.target_tags = get_tags(model).target_tags
        if _classifies(self):
            from sklearn.utils import ClassifierTags

            tags.estimator_type, tags.regressor_tags, tags.classifier_tags = "classifier", None, ClassifierTags()
        return tags

    def fit(self, X, y, sample_weight=None):
        """Expand the columns and fit the model.

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
        # The expansion and the model check the contents of X and y; here only names and shapes are stored.
        X = validate_columns(self, X, dtype=FLOATS)
        expansion = self._expansion().set_output(transform="default")
        weighted = sample_weight is not None and has_fit_parameter(expansion, "sample_weight")
        expansion.fit(X, y, **({"sample_weight": sample_weight} if weighted else {}))
        model = _models()[self.model] if isinstance(self.model, str) else clone(self.model)
        extra = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.model_ = model.fit(expansion.transform(X), y, **extra)
        self.expansion_ = expansion
        take_attributes(self, self.model_, "coef_", "intercept_", "classes_")
        return self

    def _expansion(self):
        return clone(self.bases) if hasattr(self.bases, "transform") else BasisExpansion(self.bases)

    def _features(self, X):
        check_is_fitted(self)
        return self.expansion_.transform(validate_columns(self, X, dtype=FLOATS, reset=False))

    def predict(self, X):
        """Predicted values, or classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        features = self._features(X)
        return self.model_.predict(features)

    @available_if(_classifies)
    def predict_proba(self, X):
        """Class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self.model_.predict_proba(self._features(X))

    def score(self, X, y, sample_weight=None):
        """R^2 of the predictions, or the accuracy for classifiers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        float
        """
        if not _classifies(self):
            return super().score(X, y, sample_weight)
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

    def summary(self, **settings):
        """Summary of the model, if it has one, with the names of the features.

        Parameters
        ----------
        **settings : dict
            Passed to the `summary` method of the model.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        if not hasattr(self.model_, "summary"):
            raise ValueError(f"{type(self.model_).__name__} has no summary.")
        table = self.model_.summary(**settings)
        names = self.expansion_.get_feature_names_out(input_names(self))
        plain = {f"x{j}": str(name) for j, name in enumerate(names)}
        table.table.rows = [plain.get(row, row) for row in table.table.rows]
        return table
