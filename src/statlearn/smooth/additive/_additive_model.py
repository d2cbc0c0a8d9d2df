"""Additive models by backfitting, with any smoother."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from statlearn._core.fitted_state import forget
from statlearn._core.params import HasMethods, Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import check_weights, present_rows, validate_columns
from statlearn._core.warnings import RankWarning, SeparationWarning, warn
from statlearn._math.losses.families import FAMILIES, make_family
from statlearn._math.losses.glm import GlmLoss
from statlearn._math.losses.links import LINKS, make_link
from statlearn._math.losses.response import check_response, predicted_means, resolve_link
from statlearn.smooth._function_plots import draw_curves
from statlearn.smooth._term_curves import column_range, predicted_curves
from statlearn.smooth.splines._smoothing_spline import SmoothingSpline

_NO_ERROR = 1e-4  # half deviance of a row, on average, of a model whose functions would be infinite
_ROUGH = 1e-2  # change of the functions at which the first step of local scoring ends


class AdditiveModel(RegressorMixin, BaseEstimator):
    r"""Additive model :math:`g(\mu_i) = \alpha + \sum_j f_j(x_{ij})`, fitted by backfitting with any smoother.

    Each function in turn is the fit of the smoother to the partial residuals,

    .. math:: f_j \leftarrow S_j\Bigl[y - \alpha - \sum_{k \ne j} f_k(x_k)\Bigr], \qquad f_j \leftarrow f_j - \bar f_j,

    until none of them changes. Families other than the Gaussian are fitted by local scoring: repeated weighted
    backfitting of the working response :math:`\eta + (y - \mu) g'(\mu)`.

    Parameters
    ----------
    smoother : estimator, list of estimators or None, default=None
        A regressor for a single column, used for all columns, or a list with one per column. None uses
        ``SmoothingSpline(df=4)``, and least squares for columns with fewer than five distinct values.
    family : str, default="gaussian"
        ``"gaussian"``, ``"binomial"``, ``"poisson"``, ``"gamma"``, ``"inverse_gaussian"``, ``"negative_binomial"``
        or ``"tweedie"``.
    link : str, default="auto"
        As in :class:`statlearn.linear.GeneralizedLinearRegressor`.
    theta : float, default=1.0
        Parameter of the negative binomial family.
    power : float, default=1.5
        Exponent of the Tweedie variance.
    tol : float, default=1e-6
        Backfitting stops when the functions change by less than this fraction of their size (root mean squares over the
        rows). Local scoring stops when the relative change of the deviance is this small.
    max_iter : int, default=200
        Maximum number of rounds of backfitting, those of all steps of local scoring together.
    verbose : int, default=0
        If positive, print the progress of the rounds.

    Attributes
    ----------
    intercept_ : float
    smoothers_ : list
        The fitted smoother of each column.
    means_ : ndarray of shape (n_features,)
        Constant subtracted from each function, so that its mean over the rows is zero.
    df_ : float or None
        Degrees of freedom: the sum over the smoothers, minus one each, plus one for the intercept. None if a smoother
        does not define any.
    deviance_ : float
        Residual sum of squares for the Gaussian family with the identity link, otherwise the deviance of the family.
    deviances_ : list of float
        Deviance of the initial fit and after each step of local scoring. Only for families and links other than the
        Gaussian with the identity.
    family_ : dict
        Name and parameters of the family in use.
    link_ : str
        The link in use.
    link_power_ : float or None
        Exponent of a power link, None for other links.
    term_std_ : ndarray of shape (n_features,)
        Root mean squares of the functions over the rows, a measure of the importance of each column.
    n_iter_ : int
        Total number of rounds of backfitting.
    feature_range_ : ndarray of shape (2, n_features)
        Smallest and largest value of each column.
    feature_middle_ : ndarray of shape (n_features,)
        Median of each column.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    With smoothers that are projections (regression splines, polynomials), backfitting solves the joint least-squares
    problem of all bases by the Gauss-Seidel method. Concurvity (columns that are nearly functions of each other) makes
    it slow. :class:`GAM` fits all functions at once and chooses their smoothness, and :class:`BRUTO` chooses it during
    backfitting. A smoother that chooses its flexibility at every visit may not converge; use a fixed one.

    References
    ----------
    Hastie, T. and Tibshirani, R. (1990). Generalized Additive Models. Chapman and Hall.
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, section 9.1.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import AdditiveModel
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(200, 2))
    >>> y = 2 + X[:, 0] ** 2 + np.cos(3 * X[:, 1])
    >>> model = AdditiveModel().fit(X, y)
    >>> bool(abs(model.predict_terms(X).mean(axis=0)).max() < 1e-10)
    True
    """

    _search_space = SearchSpace("additive model, backfitting")

    _constraints = {
        "smoother": [HasMethods("fit", "predict"), "array-like", None],
        "family": [Options(*FAMILIES)],
        "link": [Options("auto", "canonical", *LINKS)],
        "theta": [Real(0, None, closed="neither")],
        "power": [Real(None, None)],
        "tol": [Real(0, None, closed="neither")],
        "max_iter": [Int(1, None)],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        smoother=None,
        *,
        family="gaussian",
        link="auto",
        theta=1.0,
        power=1.5,
        tol=1e-6,
        max_iter=200,
        verbose=0,
    ):
        self.smoother = smoother
        self.family = family
        self.link = link
        self.theta = theta
        self.power = power
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

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
        X, y = validate_columns(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        self.feature_range_, self.feature_middle_ = column_range(X)
        weights = check_weights(sample_weight, X)
        X, y, weights = present_rows(weights, X, y)
        weights = np.ones(len(y)) if weights is None else weights
        weights = np.asarray(weights, np.float64)
        family = make_family(self.family, theta=self.theta, power=self.power)
        check_response(y, family)
        link = resolve_link(family, self.link)
        self.family_, self.link_ = family.describe(), link.name
        self.link_power_ = getattr(link, "power", None)
        self.smoothers_ = self._make_smoothers(X)
        same = [name for name, column in zip(self._names(), X.T, strict=True) if np.ptp(column) == 0]
        if same and self.smoother is None:
            warn(
                f"Constant column(s) {', '.join(same)}: their functions are set to zero. Drop these columns.",
                RankWarning,
            )
        plain = family.name == "gaussian" and link.name == "identity"
        if not plain:
            _take_precisions(self.smoothers_)
        self.means_ = np.zeros(X.shape[1])
        self.n_iter_ = 0
        parts = np.zeros(X.shape)  # values of the functions, updated in place
        forget(self, "deviances_")
        if plain:
            settled = self._backfit(X, y, weights, self.tol, parts)
            self.deviance_ = float(weights @ (y - self.intercept_ - parts.sum(axis=1)) ** 2)
        else:
            settled = self._local_scoring(X, y, weights, GlmLoss(y, family, link), parts)
        self.term_std_ = np.sqrt(np.average(parts**2, axis=0, weights=weights))
        if not plain and _all_at_bounds(y, family) and self.deviance_ < 2 * _NO_ERROR * weights.sum():
            warn(
                "The fitted functions separate the classes, so the maximum-likelihood fit is infinite; the "
                "result depends on where the iterations stopped. Use fewer degrees of freedom, or "
                "GAMClassifier, which adds a weak prior in this case.",
                SeparationWarning,
            )
        elif not settled:
            warn(
                "Backfitting did not converge, so the functions may be inaccurate. Increase `max_iter`, fix "
                "the flexibility of the smoothers, or look for columns that are nearly functions of each "
                "other.",
                ConvergenceWarning,
            )
        degrees = [getattr(smoother, "df_", None) for smoother in self.smoothers_]
        known = all(isinstance(d, (int, float, np.floating)) for d in degrees)
        self.df_ = float(1 + sum(d - 1 for d in degrees)) if known else None
        return self

    def _make_smoothers(self, X):
        p = X.shape[1]
        if self.smoother is None:
            return [_default_smoother(X[:, j]) for j in range(p)]
        if hasattr(self.smoother, "fit"):
            return [clone(self.smoother) for _ in range(p)]
        smoothers = [clone(smoother) for smoother in self.smoother]
        if len(smoothers) != p:
            raise ValueError(f"`smoother` must list one smoother per column: expected {p}, got {len(smoothers)}.")
        return smoothers

    def _backfit(self, X, z, weights, tol, f):
        """Backfit the response z from the values f of the functions, in place; returns whether it converged."""
        total = weights.sum()
        self.intercept_ = float(weights @ z / total)
        while self.n_iter_ < self.max_iter:
            self.n_iter_ += 1
            moved = 0.0
            for j, smoother in enumerate(self.smoothers_):
                rest = z - self.intercept_ - f.sum(axis=1) + f[:, j]
                new = _smooth(smoother, X[:, [j]], rest, weights)
                self.means_[j] = float(weights @ new / total)
                new = new - self.means_[j]
                moved += float(weights @ (new - f[:, j]) ** 2)
                f[:, j] = new
            size = max(float(weights @ (f**2).sum(axis=1)), 1e-12 * float(weights @ z**2))
            if self.verbose:
                share = np.sqrt(moved / size) if size > 0 else 0.0
                print(f"round {self.n_iter_}: relative change of the functions {share:.3g}", flush=True)
            if moved <= tol**2 * size:
                return True
        return X.shape[1] == 1

    def _local_scoring(self, X, y, weights, loss, parts):
        """Weighted backfitting of the working response until the deviance converges.

        Early steps are as rough as the deviance allows, since the next one has another response; the last is not.
        """
        eta = np.full(len(y), float(loss.link.link(np.average(loss.family.start(y, weights), weights=weights))))
        deviance = 2.0 * float(weights @ loss.value(eta))
        self.deviances_ = [deviance]
        settled, tol = False, max(_ROUGH, self.tol)
        # Separated classes: the iteration does not end.
        least = 2 * _NO_ERROR * weights.sum() if _all_at_bounds(y, loss.family) else 0.0
        for _ in range(50):
            if self.n_iter_ >= self.max_iter:
                settled = False
                break
            slope, curvature = loss.derivatives(eta)[0], np.maximum(loss.expected_curvature(eta), 1e-10)
            settled = self._backfit(X, eta - slope / curvature, weights * curvature, tol, parts)
            new_eta = self.intercept_ + parts.sum(axis=1)
            new = 2.0 * float(weights @ loss.value(new_eta))
            if not np.isfinite(new):
                raise ValueError(
                    f"y: local scoring with link {loss.link.name!r} produced means outside the range of the "
                    "family; try another link."
                )
            eta, change, deviance = new_eta, abs(deviance - new), new
            self.deviances_.append(deviance)
            if self.verbose:
                print(f"local scoring step {len(self.deviances_) - 1}: deviance {deviance:.8g}", flush=True)
            share = change / (abs(deviance) + 0.1)
            if (share <= self.tol and tol <= self.tol) or deviance < least:
                break
            tol = self.tol if share <= self.tol else max(self.tol, min(tol, 0.1 * share))
        else:
            settled = False
        self.deviance_ = deviance
        return settled

    def predict_terms(self, X):
        """Values of the functions at the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = validate_columns(self, X, dtype=np.float64, reset=False)
        parts = [smoother.predict(X[:, [j]]) for j, smoother in enumerate(self.smoothers_)]
        return np.column_stack(parts) - self.means_

    def term_curves(self, *, grid_size=101):
        """Functions of the columns as arrays.

        Parameters
        ----------
        grid_size : int, default=101

        Returns
        -------
        list of TermCurve
        """
        check_is_fitted(self)
        return predicted_curves(self, self._names(), range(self.n_features_in_), grid_size)

    def _names(self):
        return [str(name) for name in getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])]

    def plot(self, axes=None, *, grid_size=101):
        """Plot the functions of the columns.

        Parameters
        ----------
        axes : array of matplotlib axes or None, default=None
        grid_size : int, default=101

        Returns
        -------
        ndarray of matplotlib axes
        """
        return draw_curves(self.term_curves(grid_size=grid_size), axes)

    def summary(self):
        """Table of the smoothers, their degrees of freedom, and statistics of the fit.

        Returns
        -------
        Summary
            There are no tests, since none exist for backfitting with arbitrary smoothers. See :class:`GAM`.
        """
        check_is_fitted(self)
        degrees = [getattr(smoother, "df_", np.nan) for smoother in self.smoothers_]
        columns = {
            "smoother": [type(smoother).__name__ for smoother in self.smoothers_],
            "df": [float(d) - 1.0 if np.ndim(d) == 0 else np.nan for d in degrees],
            "std": self.term_std_,
        }
        facts = {"family": self.family_["name"], "intercept": self.intercept_, "deviance": self.deviance_,
                 "df": np.nan if self.df_ is None else self.df_, "n_iter": self.n_iter_}  # fmt: skip
        labels = {"family": "family", "intercept": "intercept", "deviance": "deviance", "df": "degrees of freedom",
                  "n_iter": "rounds of backfitting"}  # fmt: skip
        notes = ["df excludes the constant; std is the standard deviation of the function over the training rows."]
        return Summary("Additive model", Table(self._names(), columns), facts, labels, [], notes)

    def predict(self, X):
        """Predicted means.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        eta = self.predict_terms(X).sum(axis=1) + self.intercept_
        return predicted_means(self, make_link(self.link_, self.link_power_), eta)


def _all_at_bounds(y, family):
    """Whether all responses are at bounds of the family's range, so that functions may be infinite."""
    return bool(np.all((y == family.lower) | (y == family.upper)))


def _default_smoother(x):
    if len(np.unique(x)) < 5:
        from statlearn.linear import LinearRegression

        return LinearRegression()
    return SmoothingSpline(df=4)


def _take_precisions(smoothers):
    """Treat the weights of local scoring as precisions, in smoothers that would interpret them as copies of rows."""
    for smoother in smoothers:
        if getattr(smoother, "weights", None) == "frequency":
            smoother.set_params(weights="precision")


def _smooth(smoother, x, z, weights):
    """Fit the smoother to z and return its fit, with weights if it accepts them."""
    if np.ptp(x) == 0:
        with warnings.catch_warnings():  # that the column is constant was said by its name
            warnings.simplefilter("ignore", RankWarning)
            return _fitted(smoother, x, z, weights)
    return _fitted(smoother, x, z, weights)


def _fitted(smoother, x, z, weights):
    if has_fit_parameter(smoother, "sample_weight"):
        return np.asarray(smoother.fit(x, z, sample_weight=weights).predict(x), np.float64)
    if not np.all(weights == weights[0]):
        raise ValueError(
            f"`smoother`: {type(smoother).__name__} does not accept weights, which this family or `sample_weight` "
            "requires."
        )
    return np.asarray(smoother.fit(x, z).predict(x), np.float64)
