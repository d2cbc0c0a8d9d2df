"""Shared part of mixtures: predictions from log joint densities, criteria, and the EM fit with restarts."""

import time

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.callbacks import CallbackSupportMixin, FitSteps
from statlearn._core.params import Int, Options, Real
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._core.warnings import ConvergenceWarning, warn
from statlearn._math.inference import aic_of, bic_of

from ._em import EMDriver

EM_CONSTRAINTS: dict[str, list] = {
    "n_components": [Int(1, None)],
    "tol": [Real(0, None)],
    "max_iter": [Int(0, None)],
    "n_init": [Int(1, None)],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}
ACCELERATION = [Options("squarem"), None]

NOT_CONVERGED = (
    "Best performing initialization did not converge. Try different init parameters, or increase max_iter, tol, or "
    "check for degenerate data."
)


def start_sampling(model, n_samples):
    """The generator of a fitted model's random rows."""
    check_is_fitted(model)
    if n_samples < 1:
        raise ValueError(f"Invalid value for 'n_samples': {n_samples}. The sampling requires at least one sample.")
    return check_random_state(model.random_state)


def posterior(log_joint):
    """(log p(x), P(component | x)) from log p(x, component), row by row."""
    row = logsumexp(log_joint, axis=1)
    # Scaled to sum 1, not by `row`: far from all components its rounding would be seen.
    with np.errstate(invalid="ignore"):
        R = np.exp(log_joint - log_joint.max(axis=1, keepdims=True))
        R /= R.sum(axis=1, keepdims=True)
    lost = ~np.isfinite(row)
    if lost.any():  # so far away that every density is 0
        R[lost] = 1.0 / log_joint.shape[1]
    return row, R


def kept_rows(X, weights):
    """Rows of positive weight; a row of weight 0 is absent."""
    if weights is None or np.all(weights > 0):
        return X, weights
    return X[weights > 0], weights[weights > 0]


class MixtureMixin(CallbackSupportMixin, DensityMixin):
    """Predictions and scores from `_log_joint(X)`."""

    _allow_nan = False

    def _validate(self, X, *, reset=False, **kwargs):
        finite = "allow-nan" if self._allow_nan else True
        return validate_data(self, X, dtype=FLOATS, reset=reset, ensure_all_finite=finite, **kwargs)

    def score_samples(self, X):
        """Log density of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = self._validate(X)
        return logsumexp(self._log_joint(X), axis=1).astype(_float_of(X), copy=False)

    def score(self, X, y=None):
        """Mean log density of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        float
        """
        return float(np.mean(self.score_samples(X), dtype=np.float64))

    def predict(self, X):
        """The most probable component of each row; the lowest number in case of ties.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._log_joint(self._validate(X)).argmax(axis=1)

    def predict_proba(self, X):
        """Responsibilities: the probability of each component given the row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = self._validate(X)
        return posterior(self._log_joint(X))[1].astype(_float_of(X), copy=False)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allow_nan
        return tags


class CriteriaMixin:
    """AIC, BIC and ICL, from the log densities and `_n_parameters()`."""

    def bic(self, X):
        """Bayesian information criterion on X; lower is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        float
        """
        rows = self.score_samples(X)
        return float(bic_of(-2.0 * np.sum(rows, dtype=np.float64), self._n_parameters(), len(rows)))

    def aic(self, X):
        """Akaike information criterion on X; lower is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        float
        """
        rows = self.score_samples(X)
        return float(aic_of(-2.0 * np.sum(rows, dtype=np.float64), self._n_parameters()))

    def icl(self, X):
        """Integrated completed likelihood on X: BIC plus twice the entropy of the responsibilities.

        It favours components that do not overlap, that is, clusters. Lower is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        float
        """
        check_is_fitted(self)
        log_joint = self._log_joint(self._validate(X))
        row, R = posterior(log_joint)
        with np.errstate(invalid="ignore"):
            entropy = -np.sum(np.where(R > 0, R * (log_joint - row[:, None]), 0.0))
        return float(bic_of(-2.0 * row.sum(), self._n_parameters(), len(row)) + 2.0 * entropy)


def _float_of(X):
    return X.dtype if X.dtype in FLOATS else np.float64


class BaseMixture(MixtureMixin, BaseEstimator):
    """A density fitted by EM; the subclass defines the start, the E and M steps and the attributes.

    A subclass creates a problem, an object with `start(rng)`, `e_step`, `m_step` and, if needed, `bound`, `pack`,
    `unpack`. It also defines `_fit_from()`, the fitted parameters in the form the problem expects, and
    `_attributes(parameters, dtype)`, the fitted attributes by name.
    """

    _min_samples = 2

    def fit_predict(self, X, y=None, sample_weight=None):
        """Fit the mixture and return the component of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : Ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        return self.fit(X, y, sample_weight=sample_weight).predict(X)

    def _prepare(self, X, sample_weight, size=None, name="n_components"):
        """Rows of positive weight and their weights; requires at least one row per component."""
        X = self._validate(X, reset=True, ensure_min_samples=self._min_samples)
        weights = check_weights(sample_weight, X)
        if weights is not None:
            weights = weights.astype(np.float64)
        X, weights = kept_rows(X, weights)
        size = self.n_components if size is None else size
        if X.shape[0] < size:
            raise ValueError(f"Expected n_samples >= {name} but got {name} = {size}, n_samples = {X.shape[0]}.")
        return X, weights

    def _fit_by_em(self, X, weights, problem, *, one_start=False, data=None):
        """Run EM from all starts and set the attributes common to all mixtures.

        `one_start` indicates that all starts would be identical.
        `data` holds rows and weights for callbacks, if the problem uses them in another form.
        """
        warm = getattr(self, "warm_start", False) and hasattr(self, "converged_")
        if warm:
            self._check_warm_start(X)
        rng = check_random_state(self.random_state)
        n_init = 1 if warm or one_start else self.n_init
        rows, row_weights = (X, weights) if data is None else data
        steps = FitSteps(self, rows, None, row_weights, max_steps=n_init * self.max_iter + 1, name="EM step")
        total = float(X.shape[0] if weights is None else weights.sum())
        talk = _Verbose(self.verbose, getattr(self, "verbose_interval", 10))
        last = [-np.inf]

        def report(n_iter, objective, parameters):
            talk.step(n_iter, objective - last[0], objective)
            last[0] = objective
            return steps.advance(lambda: self._attributes(parameters, X.dtype))

        def start(i):
            talk.begin(i)
            last[0] = -np.inf
            return problem.start(rng)

        driver = EMDriver(
            problem.e_step,
            problem.m_step,
            tol=self.tol,
            max_iter=self.max_iter,
            n_init=n_init,
            acceleration=getattr(self, "acceleration", None),
            pack=problem.pack,
            unpack=problem.unpack,
            bound=getattr(problem, "bound", None),
            on_fall="warn" if problem.monotone else "ignore",
            report=report,
        )
        with steps:
            steps.begin()
            if warm:
                result = driver.run(self._fit_from(), before=self.lower_bounds_[-1] if self.lower_bounds_ else -np.inf)
            else:
                result = driver.run(start)
        talk.end(result)
        vars(self).update(self._attributes(result.parameters, X.dtype))
        shown = result.history if driver.bound else result.history[:-1]
        self.converged_ = result.converged
        self.n_iter_ = result.n_iter
        self.lower_bounds_ = [float(v) for v in shown]
        self.lower_bound_ = float(result.objective)
        unit = 1.0 if driver.bound else total
        self.lower_bound_history_ = result.history * unit
        self.log_likelihood_ = float(result.expected.log_likelihood if driver.bound else result.objective * total)
        if not (result.converged or result.asked) and self.max_iter > 0:
            warn(NOT_CONVERGED, ConvergenceWarning)
        return result

    def _check_warm_start(self, X):
        """Refuse to continue a fit of other columns or components."""
        last = self._parameters()
        wanted = (self.n_components, X.shape[1])
        if last.shape != wanted or last.covariance_type != self.covariance_type:
            k, p = last.shape
            raise ValueError(
                f"`warm_start`=True cannot continue a fit of {k} {last.covariance_type!r} components in {p} columns "
                f"with {wanted[0]} {self.covariance_type!r} components in {wanted[1]}; use warm_start=False."
            )

    def _fit_from(self):
        """The fitted parameters, from which a warm start continues."""
        return self._parameters()


class _Verbose:
    """Verbose output of EM, in scikit-learn's wording."""

    def __init__(self, level, interval):
        self.level, self.interval, self.clock = int(level), int(interval), time.perf_counter()

    def begin(self, i):
        if self.level:
            print(f"Initialization {i}")
            self.clock = time.perf_counter()

    def step(self, n_iter, change, objective):
        if self.level and n_iter % self.interval == 0:
            if self.level == 1:
                print(f"  Iteration {n_iter}")
            else:
                spent = time.perf_counter() - self.clock
                print(f"  Iteration {n_iter}\t time lapse {spent:.5f}s\t ll change {change:.5f}")
                self.clock = time.perf_counter()

    def end(self, result):
        if self.level:
            state = "converged" if result.converged else "did not converge"
            print(f"Initialization {state}. Lower bound {result.objective:.5f}.")
