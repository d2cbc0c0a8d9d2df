"""Classification by generalised additive models."""

from dataclasses import replace

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_is_fitted, column_or_1d

from statlearn._core.fitted_state import take_attributes
from statlearn._core.params import Options, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import check_same_length, check_weights, encode_classes, refuse_no_rows
from statlearn._math.rows.linear_scores import one_vs_rest_probabilities

from ._gam import GAM
from ._input import formula_columns, read_terms


class GAMClassifier(ClassifierMixin, BaseEstimator):
    r"""Additive logistic regression with penalised regression splines.

    For two classes :math:`\operatorname{logit} P(y = 1 \mid x) = \beta_0 + \sum_j f_j(x_j) + \ldots`, the binomial
    :class:`GAM` of the second class. For more classes, one-vs-rest models are fitted and their probabilities
    normalised.

    Parameters
    ----------
    terms : str, sequence of Term or None, default=None
        As in :class:`GAM`: a formula, a list of terms, or None for a smooth of every column (factors for columns of
        text or categories, linear terms for columns with few distinct values).
    link : {"logit", "probit", "cloglog", "cauchit"}, default="logit"
    method : {"reml", "ml", "gcv"}, default="reml"
        Criterion for the smoothing parameters ("gcv" is UBRE here).
    select : bool, default=False
        Add a second penalty on the linear part of every smooth, so that whole terms can be shrunk to zero.
    gamma : float, default=1.0
        Multiplier of the degrees of freedom in UBRE.
    tol : float, default=1e-10
        Newton's method stops after a step whose predicted decrease of the penalised half deviance, relative to its
        value, is at most this.
    discrete : "auto", bool or int, default="auto"
        Whether covariates are rounded, and to how many values; see :class:`GAM`.
    verbose : int, default=0
        If positive, print the criterion at every evaluation.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    models_ : list of GAM
        One fitted model for two classes, otherwise one per class.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    If the terms separate the classes, or nearly so, the likelihood has no maximum. A weak prior then keeps the
    coefficients finite, and a ``SeparationWarning`` is issued (see :class:`GAM`). Probabilities remain sound, but
    standard errors and tests depend on the prior.

    References
    ----------
    Hastie, T. and Tibshirani, R. (1990). Generalized Additive Models. Chapman & Hall.
    Wood, S. (2017). Generalized Additive Models: An Introduction with R, 2nd edition.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import GAMClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (400, 2))
    >>> y = (np.abs(X[:, 0]) + 0.4 * rng.normal(size=400) > 0.5).astype(int)
    >>> model = GAMClassifier().fit(X, y)
    >>> model.predict([[0.9, 0.0], [0.0, 0.0]])
    array([1, 0])
    """

    _search_space = SearchSpace("additive model, logistic", grid={"select": [True]})

    _constraints = {
        **{
            name: GAM._constraints[name]
            for name in ("terms", "method", "select", "gamma", "tol", "discrete", "verbose")
        },
        "link": [Options("logit", "probit", "cloglog", "cauchit")],
    }

    def __init__(
        self,
        terms=None,
        *,
        link="logit",
        method="reml",
        select=False,
        gamma=1.0,
        tol=1e-10,
        discrete="auto",
        verbose=0,
    ):
        self.terms = terms
        self.link = link
        self.method = method
        self.select = select
        self.gamma = gamma
        self.tol = tol
        self.discrete = discrete
        self.verbose = verbose

    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            A data frame may contain factors as text or categories.
        y : array-like of shape (n_samples,) or None, default=None
            If None, the response column named in the formula is used.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        terms, X, y = read_terms(self.terms, X, y)
        y = column_or_1d(y, warn=True)
        check_same_length(X, y)
        refuse_no_rows(X)
        if y.dtype.kind == "f":
            assert_all_finite(y, input_name="y", estimator_name=type(self).__name__)
        weights = check_weights(sample_weight, np.empty((len(y), 1)))
        used = y if weights is None else y[weights > 0]
        self.classes_ = encode_classes(used, owner=type(self).__name__)[0]
        # With two classes one model is sufficient.
        wanted = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        self.models_ = []
        for label in wanted:
            model = GAM(
                terms, family="binomial", link=self.link, method=self.method, select=self.select, gamma=self.gamma,
                tol=self.tol, discrete=self.discrete, verbose=self.verbose,
            )  # fmt: skip
            self.models_.append(model.fit(X, (y == label).astype(np.float64), weights))
        take_attributes(self, self.models_[0], "n_features_in_", "feature_names_in_")
        return self

    def _linear(self, X):
        check_is_fitted(self)
        X = formula_columns(self.terms, X)
        return np.column_stack([model.predict_linear(X) for model in self.models_])

    def decision_function(self, X):
        """Linear predictor: one value per row for two classes, otherwise one per class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        eta = self._linear(X)
        return eta[:, 0] if eta.shape[1] == 1 else eta

    def predict_proba(self, X):
        """Class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        eta = self._linear(X)
        p = self.models_[0]._link.inverse(eta)
        return one_vs_rest_probabilities(p)

    def predict(self, X):
        """The most probable class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        eta = self._linear(X)
        if eta.shape[1] > 1:
            return self.classes_[eta.argmax(axis=1)]
        return self.classes_[(self.models_[0]._link.inverse(eta[:, 0]) > 0.5).astype(np.intp)]

    def summary(self, *, calibrate=True, parts=False):
        """Tables of the additive model; with several classes, one set per one-vs-rest model.

        Parameters
        ----------
        calibrate : bool, default=True
            See :meth:`GAM.summary`.
        parts : bool, default=False
            Whether to add a table of the linear and the nonlinear part of each term; see :meth:`GAM.summary`.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        if len(self.models_) == 1:
            first = self.models_[0].summary(calibrate=calibrate, parts=parts)
            first.title = f"Generalised additive model of {self.classes_[1]!s} against {self.classes_[0]!s}"
            return first
        parts = [model.summary(calibrate=calibrate, parts=parts) for model in self.models_]
        tables = []
        for label, part in zip(self.classes_, parts, strict=True):
            for table in (part.table, *part.tables):
                tables.append(Table(table.rows, table.columns, f"{table.caption}, {label!s} against the rest"))
        facts = {"link": self.link, "n": parts[0].facts["n"], "aic": float(sum(part.facts["aic"] for part in parts))}
        labels = {"link": "link", "n": "observations", "aic": "AIC, sum"}
        return Summary("Generalised additive models", tables[0], facts, labels, tables[1:], parts[0].notes)

    def plot(self, axes=None, *, X=None, label=None, grid_size=101, level=0.95):
        """Plot the smooth terms with their bands; see :meth:`GAM.plot`.

        Parameters
        ----------
        axes : array of matplotlib axes or None, default=None
        X : array-like of shape (n_samples, n_features) or None, default=None
            Rows to mark on the plots.
        label : object or None, default=None
            With several classes, the class whose model is drawn; None is the first.
        grid_size : int, default=101
        level : float, default=0.95

        Returns
        -------
        ndarray of matplotlib axes
        """
        check_is_fitted(self)
        place = 0
        if label is not None and len(self.models_) > 1:
            positions = np.flatnonzero(self.classes_ == label)
            if not len(positions):
                raise ValueError(f"`label` must be one of the classes, got {label!r}.")
            place = int(positions[0])
        X = None if X is None else formula_columns(self.terms, X)
        return self.models_[place].plot(axes, X=X, grid_size=grid_size, level=level)

    def term_curves(self, *, grid_size=101, level=0.95):
        """Smooth terms of one feature as arrays, class by class.

        Parameters
        ----------
        grid_size : int, default=101
        level : float, default=0.95
            Confidence level of the bands.

        Returns
        -------
        list of TermCurve
        """
        check_is_fitted(self)
        all_curves = []
        for label, model in zip(self.classes_[-len(self.models_) :], self.models_, strict=True):
            curves = model.term_curves(grid_size=grid_size, level=level)
            if len(self.models_) > 1:
                curves = [replace(curve, label=f"{label!s}: {curve.label}") for curve in curves]
            all_curves += curves
        return all_curves
