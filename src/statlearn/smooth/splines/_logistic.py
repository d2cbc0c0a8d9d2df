"""Logistic regression on natural splines of the columns."""

import warnings

import numpy as np
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import check_weights, encode_classes, present_rows, validate_columns
from statlearn._core.warnings import RankWarning, SeparationWarning, pass_on
from statlearn._math.linalg.positive import positive_system
from statlearn._math.rows.statistics import gram_with_intercept
from statlearn.linear import LogisticRegression
from statlearn.smooth._function_plots import draw_curves
from statlearn.smooth._input_columns import check_sizes
from statlearn.smooth._term_curves import column_range, predicted_curves

from ._basis import NaturalBasis, quantile_knots


class SplineLogistic(ClassifierMixin, BaseEstimator):
    r"""Additive logistic regression on natural cubic splines.

    .. math:: \log \frac{P(1 \mid x)}{P(0 \mid x)} = \theta_0 + \sum_j h_j(x_j)^\top \theta_j

    where :math:`h_j` is a natural cubic spline basis of `df` functions for each column; columns with two values enter
    linearly. The coefficients maximise the likelihood. Terms may be dropped one at a time while that lowers AIC.
    Constant columns are ignored.

    Parameters
    ----------
    df : int, default=4
        Number of functions per column; the knots are at `df` + 1 quantiles, including the extremes.
    selection : {"aic"} or None, default="aic"
        Drop the term whose removal lowers AIC most, until no removal does.
    C : float, default=inf
        Inverse strength of a ridge penalty; inf means no penalty. Standard errors require inf.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    terms_ : list of int
        Columns in the model.
    aic_ : float
    coef_ : ndarray
        The intercept, then the coefficients of each column in `terms_`.
    covariance_ : ndarray
        Inverse of :math:`H^\top W H`.
    knots_ : list of ndarray or None
        Spline basis of each column; None for columns that enter linearly.
    selection_path_ : list of (int or None, float)
        The column dropped in each step and AIC after it, starting with the full model.
    centres_ : list of ndarray
        Means over the rows of the spline functions of each column, at which they are centred.
    feature_range_ : ndarray of shape (2, n_features)
        Smallest and largest value of each column.
    feature_middle_ : ndarray of shape (n_features,)
        Median of each column.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The functions are centred at their means over the rows, so a band :math:`\hat f_j \pm 2\,\mathrm{se}` refers to the
    term alone. Standard errors do not account for the selection and are too small after it. In data sampled by outcome,
    a curve can be distorted or even reversed, for example because people under treatment have had the disease longer.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, section 5.2.2.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import SplineLogistic
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, size=(500, 2))
    >>> y = (X[:, 0] ** 2 + rng.logistic(size=500) > 1).astype(int)
    >>> SplineLogistic().fit(X, y).terms_
    [0]
    """

    _search_space = SearchSpace("spline logistic", grid={"df": [3, 5]}, fixed={"selection": None, "C": 1e4})

    _constraints = {
        "df": [Int(1, 10_000)],
        "selection": [Options("aic"), None],
        "C": [Real(0, None, closed="right")],
    }

    def __init__(self, df=4, *, selection="aic", C=np.inf):
        self.df = df
        self.selection = selection
        self.C = C

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels, two classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_columns(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_sizes(X)
        self.feature_range_, self.feature_middle_ = column_range(X)
        X, y, weights = present_rows(check_weights(sample_weight, X), X, y)
        self.classes_, codes = encode_classes(y, owner=type(self).__name__)
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass, "
                f"with {len(self.classes_)} classes."
            )
        self.knots_ = [self._place_knots(x, weights) for x in X.T]
        blocks = [self._functions(j, X[:, j]) for j in range(X.shape[1])]
        self.centres_ = [np.average(B, axis=0, weights=weights) for B in blocks]
        blocks = [B - centre for B, centre in zip(blocks, self.centres_, strict=True)]
        varying = [j for j, x in enumerate(X.T) if np.any(x != x[0])]
        with single_blas_thread():  # many small problems
            self.terms_, fit, self.aic_, self.selection_path_, caught = self._select(blocks, varying, codes, weights)
        pass_on(caught, self._words())
        H = np.column_stack([np.zeros((len(codes), 0)), *(blocks[j] for j in self.terms_)])
        p = fit.predict_proba(H if H.shape[1] else np.zeros((len(H), 1)))[:, 1]
        curvature = p * (1 - p) if weights is None else weights * p * (1 - p)
        penalty = np.append(0.0, np.full(H.shape[1], 0.0 if np.isinf(self.C) else 1.0 / self.C))
        information = gram_with_intercept(H, curvature, fit_intercept=True)
        self.covariance_ = positive_system(information + np.diag(penalty)).inverse()
        self.coef_ = np.append(fit.intercept_, fit.coef_[0] if H.shape[1] else [])
        return self

    def _place_knots(self, x, weights):
        """Knots at quantiles; None for a column with two values or fewer, or too few for a curve."""
        if len(np.unique(x)) <= 2 or self.df < 2:
            return None
        knots = np.unique(quantile_knots(x, self.df + 1, weights))
        return knots if len(knots) > 2 else None

    def _functions(self, j, x):
        knots = self.knots_[j]
        if knots is None:
            return x[:, None]
        low, width = knots[0], knots[-1] - knots[0]
        basis = NaturalBasis((knots - low) / width, "bspline", intercept=False)
        return basis.design((x - low) / width)

    def _fit_terms(self, blocks, terms, codes, weights):
        H = np.column_stack([blocks[j] for j in terms]) if terms else np.zeros((len(codes), 1))
        # Without terms a column of zeros stands for them: its coefficient needs a penalty to be unique.
        C = self.C if terms else 1.0
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit = LogisticRegression(C=C, tol=1e-8, max_iter=200).fit(H, codes, sample_weight=weights)
        p = np.clip(fit.predict_proba(H)[np.arange(len(codes)), codes], 1e-300, None)
        likelihood = np.log(p).sum() if weights is None else weights @ np.log(p)
        width = 1 + sum(blocks[j].shape[1] for j in terms)
        return fit, -2.0 * float(likelihood) + 2.0 * width, caught

    def _select(self, blocks, terms, codes, weights):
        fit, aic, caught = self._fit_terms(blocks, terms, codes, weights)
        path = [(None, aic)]
        while self.selection == "aic" and terms:
            trials = [self._fit_terms(blocks, [k for k in terms if k != j], codes, weights) for j in terms]
            best = int(np.argmin([trial[1] for trial in trials]))
            if trials[best][1] >= aic:
                break
            fit, aic, caught = trials[best]
            path.append((terms.pop(best), aic))
        return terms, fit, aic, path, caught

    def _words(self):
        """Replace messages of the regression about columns by messages about spline terms."""
        owner = type(self).__name__
        return {
            SeparationWarning: f"{owner}: the spline terms separate the classes, so the maximum-likelihood "
            "coefficients are infinite and standard errors are meaningless. Lower `df` or set a finite `C`.",
            RankWarning: f"{owner}: the spline terms are linearly dependent, so the functions of single columns are "
            "not unique. Drop duplicate columns, lower `df` or set a finite `C`.",
        }

    # Prediction ------------------------------------------------------------------------------------------------------

    def _slices(self):
        at = 1
        for j in self.terms_:
            width = len(self.centres_[j])
            yield j, slice(at, at + width)
            at += width

    def _values(self, X):
        check_is_fitted(self)
        return validate_columns(self, X, dtype=np.float64, reset=False)

    def predict_terms(self, X, *, return_std=False):
        """Functions of the columns at the rows of X; zero for dropped columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        return_std : bool, default=False
            Also return standard errors, from the inverse of :math:`H^\\top W H`.

        Returns
        -------
        ndarray of shape (n_samples, n_features), or two of them
        """
        X = self._values(X)
        parts, errors = np.zeros(X.shape), np.zeros(X.shape)
        for j, at in self._slices():
            B = self._functions(j, X[:, j]) - self.centres_[j]
            parts[:, j] = B @ self.coef_[at]
            errors[:, j] = np.sqrt(np.maximum(np.einsum("ij,ij->i", B @ self.covariance_[at, at], B), 0.0))
        return (parts, errors) if return_std else parts

    def term_curves(self, *, grid_size=101, level=0.95):
        """Functions of the retained columns with their bands, as arrays.

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
        if not 0 < level < 1:
            raise ValueError(f"`level` must be between 0 and 1, got {level}.")
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        return predicted_curves(self, names, self.terms_, grid_size, norm.ppf(0.5 + level / 2))

    def plot(self, axes=None, *, grid_size=101, level=0.95):
        """Plot the functions of the retained columns with their bands.

        Parameters
        ----------
        axes : array of matplotlib axes or None, default=None
        grid_size : int, default=101
        level : float, default=0.95

        Returns
        -------
        ndarray of matplotlib axes
        """
        curves = self.term_curves(grid_size=grid_size, level=level)
        if not curves:
            raise ValueError("There is no function to plot: all columns were dropped from the model.")
        return draw_curves(curves, axes)

    def decision_function(self, X):
        """Log-odds of the second class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.predict_terms(X).sum(axis=1) + self.coef_[0]

    def predict_proba(self, X):
        """Probabilities of the two classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, 2)
        """
        from scipy.special import expit

        score = self.decision_function(X)
        return np.column_stack([expit(-score), expit(score)])

    def predict(self, X):
        """The more probable class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def summary(self):
        """Table of the terms with degrees of freedom and Wald tests.

        Returns
        -------
        Summary
        """
        from scipy.stats import chi2

        check_is_fitted(self)
        if not np.isinf(self.C):
            raise ValueError("Standard errors are not valid for a penalised fit; refit with C=inf.")
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        rows, columns = [], {"df": [], "chi²": [], "p": []}
        for j, at in self._slices():
            b, V = self.coef_[at], self.covariance_[at, at]
            statistic = float(b @ positive_system(V).inverse() @ b)
            rows.append(str(names[j]))
            columns["df"].append(len(b))
            columns["chi²"].append(statistic)
            columns["p"].append(float(chi2.sf(statistic, len(b))))
        notes = (
            ["Terms were selected on the same rows, and the p-values do not account for it."] if self.selection else []
        )
        facts = {"aic": self.aic_, "intercept": float(self.coef_[0]),
                 "intercept_p": float(2 * norm.sf(abs(self.coef_[0]) / np.sqrt(self.covariance_[0, 0])))}  # fmt: skip
        return Summary("Spline logistic regression", Table(rows, columns), facts, {"aic": "AIC"}, notes=notes)
