"""Local likelihood: generalised linear models around each point."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.params import HasMethods, Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, present_rows, validate_columns
from statlearn._core.warnings import MAX_ITER, SeparationWarning, warn, warn_if_stopped
from statlearn._math.inference import normal_or_t_quantile
from statlearn._math.losses.families import FAMILIES, make_family
from statlearn._math.losses.glm import GlmLoss
from statlearn._math.losses.links import LINKS, make_link
from statlearn._math.losses.response import check_response, predicted_intervals, predicted_means, resolve_link
from statlearn.smooth._input_columns import check_sizes, in_precision_of

from ._newton import local_newton
from ._rows import LocalRows

FALLBACK = 0.1  # ridge of windows without a finite optimum: about half a row of the other kind
OK, NOT_CONVERGED, SEPARATED, EMPTY = range(4)  # as in local_likelihood.hpp
_MOST_STEPS = 100  # of Newton's method in a window

_FAMILY_CODES = {
    "gaussian": 0, "binomial": 1, "poisson": 2, "gamma": 3, "inverse_gaussian": 4, "negative_binomial": 5, "tweedie": 6,
}  # fmt: skip
_LINK_CODES = {"identity": 0, "log": 1, "logit": 3, "probit": 4, "cloglog": 5}


class LocalModel(LocalRows):
    """Shared part of local likelihood fits: spans, a ridge penalty and warnings about windows."""

    _constraints = {
        **LocalRows._constraints,
        "degree": [Int(0, 2)],
        "span": [Real(0, 1, closed="right"), None],
        "alpha": [Real(0, None)],
        "tol": [Real(0, None, closed="neither")],
    }

    def _degree(self):
        return self.degree

    def _default_neighbors(self, limit):
        return int(0.7 * limit)

    def _how(self, leave_out):
        return float(self.alpha), FALLBACK, float(self.tol), _MOST_STEPS, leave_out

    def _glm_windows(self, X, family, link, centre, mean, *, leave_out=False):
        """Linear predictors, standard errors at dispersion 1, leverages over curvature, status of the windows."""
        X = np.ascontiguousarray(X, dtype=np.float64)
        eta, std_error, information = np.empty(len(X)), np.empty(len(X)), np.empty(len(X))
        ended = np.empty(len(X), dtype=np.intc)
        native.smooth.local_likelihood(
            *self._arguments(X), _FAMILY_CODES[family.name], _LINK_CODES.get(link.name, 2),
            float(getattr(family, "theta", getattr(family, "power", 0.0))), float(getattr(link, "power", 1.0)),
            *self._how(leave_out), float(centre), float(mean), eta, std_error, information, ended,
        )  # fmt: skip
        return eta, std_error, information, ended

    def _report(self, ended):
        """Warn once about the windows of these queries."""
        separated, slow = int(np.sum(ended == SEPARATED)), int(np.sum(ended == NOT_CONVERGED))
        if separated:
            warn(
                f"{type(self).__name__}: in {separated} of {len(ended)} windows the likelihood has no finite "
                "maximum (the responses are all alike, or a plane separates them), so a small ridge penalty "
                "was used there. Use wider windows, or set `alpha` > 0 to penalise every window.",
                SeparationWarning,
            )
        if slow:
            remedy = "Use wider windows, or set `alpha` > 0."
            warn_if_stopped(self, MAX_ITER, f"in {slow} of {len(ended)} windows", remedy=remedy)


def criteria(n, df, deviance, loo, dispersion_known):
    """The dictionary returned by `scores`."""
    spare = n - df
    gcv = n * deviance / spare**2 if spare > 0 else np.inf
    if dispersion_known:
        aicc = deviance + 2.0 * df * n / (spare - 1.0) if spare > 1 else np.inf
    else:
        aicc = np.log(deviance / n) + 1.0 + 2.0 * (df + 1.0) / (spare - 2.0) if spare > 2 and deviance > 0 else np.inf
    return dict(df=df, deviance=deviance, loo=loo if np.isfinite(loo) else np.inf, gcv=float(gcv), aicc=float(aicc))


class LocalLikelihood(RegressorMixin, LocalModel):
    r"""Local likelihood: a generalised linear model fitted around each point with kernel weights.

    .. math:: \max_\beta \sum_i w_i K(\lVert x_i - x_0 \rVert / h) \,
        \ell\bigl(y_i,\ \beta_0 + \beta_1^\top (x_i - x_0) + \dots\bigr), \qquad \hat\eta(x_0) = \hat\beta_0

    The columns are centred at the query, so its linear predictor is the local intercept. The prediction is the mean
    :math:`g^{-1}(\hat\eta)`.

    Parameters
    ----------
    family : str or object, default="gaussian"
        As in :class:`~statlearn.linear.GeneralizedLinearRegressor`: ``"gaussian"``, ``"binomial"`` (proportions),
        ``"poisson"``, ``"gamma"``, ``"inverse_gaussian"``, ``"negative_binomial"``, ``"tweedie"``. Alternatively an
        object with ``loss(y, eta)``, minus the log-likelihood of each row, and ``derivatives(y, eta)``, its first and
        second derivatives in eta. It may also have ``inverse(eta)`` (the prediction, by default eta) and ``start(y,
        weights)`` (the initial linear predictor, by default 0).
    bandwidth : float, callable or None, default=None
        The bandwidth h, inf for a global fit, or a function that returns :math:`h(x_0)` for each row of an array.
    degree : {0, 1, 2}, default=1
        Degree of the local polynomial; 2 includes all products of two columns.
    n_neighbors : int or None, default=None
        Without a bandwidth, :math:`h(x_0)` is the distance to this nearest row.
    span : float or None, default=None
        The number of neighbours as a fraction of the rows. If none of the three is set, 0.7.
    link : str, default="auto"
        ``"auto"`` is the identity for the Gaussian, logit for the binomial and log for all other families.
        ``"canonical"`` or a name is also accepted, except ``"cauchit"``.
    kernel : {"epanechnikov", "tricube", "gaussian", "uniform"}, default="tricube"
        See :func:`kernel_profile`.
    gaussian_scale : {"standard", "variance", "no_half"}, default="standard"
        Meaning of the bandwidth b for the Gaussian kernel: :math:`\exp(-d^2 / (2 b^2))`, :math:`\exp(-d^2 / (2 b))` or
        :math:`\exp(-d^2 / b^2)`.
    A : array-like of shape (n_features, n_features) or None, default=None
        Distances are :math:`\sqrt{(x - x_0)^\top A (x - x_0)}`. The polynomial uses all columns.
    alpha : float, default=0.0
        Ridge penalty :math:`\frac\alpha2 (\lVert\beta_{1:}\rVert^2 + (\beta_0 - \bar\eta)^2)` in every window, with
        offsets in units of the bandwidth and :math:`\bar\eta` the linear predictor of the overall mean.
    theta : float, default=1.0
        Parameter of the negative binomial family, V = mu + mu^2/theta.
    power : float, default=1.5
        Exponent of the Tweedie variance.
    link_power : float or None, default=None
        Exponent of the link ``"power"``.
    tol : float, default=1e-9
        Newton's method stops when the next step would change no linear predictor eta of the rows of the window by more
        than `tol` (1 + abs(eta)).

    Attributes
    ----------
    df_, loo_ : float
        Sum of the leverages, and mean leave-one-out deviance. Each takes a pass over the rows; see :meth:`scores`.
    dispersion_ : float
        1 if the family fixes it, otherwise Pearson's statistic divided by the residual degrees of freedom; takes a pass
        over the rows.
    X_train_, y_train_ : ndarray
        Training rows, sorted by x if there is a single column.
    family_ : dict or object
        Name and parameters of the family, or the object passed as `family`.
    link_ : str
        Name of the link; empty if `family` is an object.
    link_power_ : float or None
        Exponent of a power link, None for other links.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    LocalLogistic : classes.
    LocalPolynomialRegressor : the Gaussian case, which is linear in y.
    GAM : additive models for the same families.

    Notes
    -----
    Newton's method is run in every window, with Fisher's curvature if the observed one is not positive, and with step
    halving; it takes a few passes over the rows of the window. Directions that a window does not determine are dropped,
    and an empty window uses the nearest rows. If all counts of a window are 0, or its binary responses are all alike or
    separated by a plane, there is no finite maximum; a ridge of 0.1 is then used and a ``SeparationWarning`` issued.
    Standard errors are those of the local intercept for a fixed bandwidth and ignore its bias. In more than three or
    four dimensions neighbourhoods are hardly local.

    References
    ----------
    Tibshirani, R. and Hastie, T. (1987). Local likelihood estimation. Journal of the American Statistical Association
    82, 559-567.

    Loader, C. (1999). *Local Regression and Likelihood*. Springer.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import LocalLikelihood
    >>> x = np.arange(8.0)[:, None]
    >>> counts = [1, 0, 2, 3, 5, 6, 12, 15]
    >>> LocalLikelihood("poisson", bandwidth=np.inf).fit(x, counts).predict([[3.5]]).round(3)
    array([3.417])
    >>> LocalLikelihood("poisson", span=0.8).fit(x, counts).predict([[3.5]]).round(3)
    array([3.759])
    """

    _constraints = {
        **LocalModel._constraints,
        "family": [Options(*FAMILIES), HasMethods("loss", "derivatives")],
        "link": [Options("auto", "canonical", *(link for link in LINKS if link != "cauchit"))],
        "theta": [Real(0, None, closed="neither")],
        "power": [Real(None, None)],
        "link_power": [Real(None, None), None],
    }
    _search_space = (
        SearchSpace("local lines", grid={"span": (1.0, 0.7, 0.5, 0.35, 0.25, 0.15)}),
        SearchSpace(
            "local Poisson regression",
            grid={"span": (1.0, 0.7, 0.5, 0.35, 0.25)},
            fixed={"family": "poisson", "alpha": 0.1},
        ),
    )

    def __init__(
        self,
        family="gaussian",
        bandwidth=None,
        degree=1,
        *,
        n_neighbors=None,
        span=None,
        link="auto",
        kernel="tricube",
        gaussian_scale="standard",
        A=None,
        alpha=0.0,
        theta=1.0,
        power=1.5,
        link_power=None,
        tol=1e-9,
    ):
        self.family = family
        self.bandwidth = bandwidth
        self.degree = degree
        self.n_neighbors = n_neighbors
        self.span = span
        self.link = link
        self.kernel = kernel
        self.gaussian_scale = gaussian_scale
        self.A = A
        self.alpha = alpha
        self.theta = theta
        self.power = power
        self.link_power = link_power
        self.tol = tol

    def _model(self):
        """Family and link of the parameters; (None, None) for a likelihood given as an object."""
        if not isinstance(self.family, str):
            return None, None
        family = make_family(self.family, theta=self.theta, power=self.power)
        return family, resolve_link(family, self.link, self.link_power)

    def fit(self, X, y, sample_weight=None):
        """Store the rows; the local fits are computed at prediction.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Responses in the range of the family.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts as k rows.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_columns(self, X, y, dtype=FLOATS, y_numeric=True)
        check_sizes(X, y)
        X, y, weights = present_rows(check_weights(sample_weight, X), X, y)
        y = np.asarray(y, dtype=np.float64)
        family, link = self._model()
        if family is None:
            self.family_, self.link_, self.link_power_ = self.family, "", None
            self._mean = 0.0
            begin = getattr(self.family, "start", lambda y, weights: 0.0)
            self._centre = float(begin(y, np.ones(len(y)) if weights is None else weights))
        else:
            check_response(y, family)
            self._mean = float(np.average(y, weights=weights))
            if not np.all(family.valid_mean(np.asarray(self._mean))):
                raise ValueError(
                    f"y: the mean is {self._mean:g}, at the boundary of the {family.name} family, because all "
                    "responses are equal."
                )
            self.family_, self.link_ = family.describe(), link.name
            self.link_power_ = getattr(link, "power", None)
            with np.errstate(all="ignore"):
                self._centre = float(link.link(np.asarray(self._mean)))
            if not np.isfinite(self._centre):
                raise ValueError(
                    f"`link`={link.name!r} is undefined at {self._mean:g}, the mean of y; use another link."
                )
        self._keep(X, y, weights)
        return self

    def _fitted_model(self):
        if not isinstance(self.family_, dict):
            return None, None
        settings = dict(self.family_)
        return make_family(settings.pop("name"), **settings), make_link(self.link_, self.link_power_)

    def _own_inverse(self, eta):
        """Inverse link of a likelihood given as an object."""
        return np.asarray(getattr(self.family_, "inverse", lambda eta: eta)(eta))

    def _evaluate(self, X, *, leave_out=False):
        family, link = self._fitted_model()
        if family is None:
            X = np.ascontiguousarray(X, dtype=np.float64)
            windows = self._windows(X, leave_out=leave_out)
            return local_newton(self.family_, self.y_train_, self._row_weights, windows, self._centre,
                                *self._how(leave_out)[:4])  # fmt: skip
        return self._glm_windows(X, family, link, self._centre, self._mean, leave_out=leave_out)

    def predict_linear(self, X, *, return_std=False):
        """Linear predictor, on the scale of the link.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        return_std : bool, default=False
            Also return standard errors.

        Returns
        -------
        ndarray of shape (n_samples,), or two of them
        """
        check_is_fitted(self)
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        eta, std_error, _, ended = self._evaluate(X)
        self._report(ended)
        if not return_std:
            return in_precision_of(X, eta)
        return in_precision_of(X, eta), in_precision_of(X, std_error * np.sqrt(self.dispersion_))

    def predict(self, X):
        """Predicted means.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        eta, _, _, ended = self._evaluate(X)
        self._report(ended)
        family, link = self._fitted_model()
        return in_precision_of(X, self._own_inverse(eta) if family is None else predicted_means(self, link, eta))

    def confidence_interval(self, X, level=0.95):
        """Pointwise confidence intervals for the mean, from the standard errors of the linear predictor.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        level : float, default=0.95

        Returns
        -------
        ndarray of shape (n_samples, 2)
        """
        if not 0 < level < 1:
            raise ValueError(f"`level` must be between 0 and 1, got {level}.")
        eta, std_error = self.predict_linear(X, return_std=True)
        family, link = self._fitted_model()
        known = family is None or family.dispersion_known
        half = normal_or_t_quantile(level, None if known else self._total_weight - self.df_) * std_error
        if family is None:
            return np.sort(self._own_inverse(np.column_stack([eta - half, eta + half])), axis=1)
        return predicted_intervals(self, link, eta, half)

    # Scores ----------------------------------------------------------------------------------------------------------

    def _losses(self, y, eta):
        """Half the deviance of each row, or minus its log-likelihood."""
        family, link = self._fitted_model()
        return self.family_.loss(y, eta) if family is None else GlmLoss(y, family, link).value(eta)

    def _curvature(self, y, eta):
        family, link = self._fitted_model()
        return (
            self.family_.derivatives(y, eta)[1] if family is None else GlmLoss(y, family, link).expected_curvature(eta)
        )

    def row_losses(self, X, y):
        """Deviance of each row under the fit to the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        y = np.asarray(y, dtype=np.float64)
        return 2.0 * self._losses(y, np.asarray(self.predict_linear(X), dtype=np.float64))

    def scores(self):
        """Degrees of freedom and deviances of the fit to the training rows, computed in two passes over them.

        Returns
        -------
        dict
            ``df`` (sum of the leverages), ``deviance``, ``loo`` (mean leave-one-out deviance at the same bandwidth),
            ``gcv`` (n times the deviance over (n - df)^2) and ``aicc`` (the deviance plus 2 df n / (n - df - 1), or the
            criterion of Hurvich, Simonoff and Tsai if the dispersion is unknown).
        """
        check_is_fitted(self)
        y, n = self.y_train_, self._total_weight
        w = np.ones(len(y)) if self._row_weights is None else self._row_weights
        eta, _, information, _ = self._evaluate(self.X_train_)
        without, _, _, ended = self._evaluate(self.X_train_, leave_out=True)
        deviance = float(2.0 * w @ self._losses(y, eta))
        df = float(w @ (information * self._curvature(y, eta)))
        loo = np.inf if np.any(ended == EMPTY) else float(2.0 * w @ self._losses(y, without) / n)
        family, _ = self._fitted_model()
        return criteria(n, df, deviance, loo, family is None or family.dispersion_known)

    @property
    def df_(self):
        """Sum of the leverages."""
        return self.scores()["df"]

    @property
    def loo_(self):
        """Mean leave-one-out deviance."""
        return self.scores()["loo"]

    @property
    def dispersion_(self):
        """Dispersion of the family."""
        check_is_fitted(self)
        family, link = self._fitted_model()
        if family is None or family.dispersion_known:
            return 1.0
        w = np.ones(len(self.y_train_)) if self._row_weights is None else self._row_weights
        eta, _, information, _ = self._evaluate(self.X_train_)
        mu = link.inverse(eta)
        df = float(w @ (information * self._curvature(self.y_train_, eta)))
        pearson = float(w @ ((self.y_train_ - mu) ** 2 / family.variance(mu)[0]))
        return pearson / (self._total_weight - df) if self._total_weight > df else np.nan

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        try:
            family, _ = self._model()
            tags.target_tags.positive_only = family is not None and not bool(family.in_range(np.float64(-1.0)))
        except (ValueError, TypeError, KeyError):
            pass  # an invalid parameter is reported by fit
        return tags
