"""Models of the logarithm of a target, whose predictions are transformed back and judged on the original scale."""

from dataclasses import replace

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from statlearn.app.compare.fitting import make_transformer
from statlearn.app.compare.portfolio.selection import Candidate, select, slug
from statlearn.app.errors import UsageError
from statlearn.app.setting_names import option
from statlearn.app.statements import say

BASES = ("least-squares", "lasso", "ridge", "additive-model", "mars-interactions")  # that get a form on the log scale
SUFFIX = "-log"
LIKELIHOOD_RATIO = 10.8  # from which the errors ask for a logarithm: 0.1 % of a chi-squared distribution
MIN_ROWS = 50
MAX_ROWS = 5000  # behind the test
BEYOND = 0.5  # of the range of the log target: predictions go no further outside of it
OF_MEANS = ("rmse", "mse", "r2", "poisson_deviance")  # metrics that are best served by the mean


class LogTargetRegressor(RegressorMixin, BaseEstimator):
    r"""A regressor fitted to the logarithm of the target.

    Predictions are :math:`c \exp f(x)`. For the mean, c makes the sum of the fitted values that of the training target
    (a ratio form of Duan's smearing estimate); for the median c = 1. :math:`f(x)` is kept within the range of the log
    target, extended by half of it.

    Parameters
    ----------
    estimator : regressor
    mean : bool
        Whether the mean is predicted, not the median.

    References
    ----------
    Duan, N. (1983). Smearing estimate: a nonparametric retransformation method. *JASA* 78, 605-610.
    """

    def __init__(self, estimator=None, mean=True):
        self.estimator = estimator
        self.mean = mean

    def fit(self, X, y):
        """Fit the estimator to log(y).

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            All values above 0.

        Returns
        -------
        self
        """
        y = np.asarray(y, np.float64)
        if not np.all(y > 0):
            raise ValueError("`y` must be above 0 for a model of its logarithm.")
        log = np.log(y)
        low, high = float(log.min()), float(log.max())
        self.limits_ = np.array([low - BEYOND * (high - low), high + BEYOND * (high - low)])
        self.estimator_ = clone(self.estimator).fit(X, log)
        self.factor_ = float(y.sum() / self._exp(X).sum()) if self.mean else 1.0
        return self

    def predict(self, X):
        """Predictions on the original scale.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self, "estimator_")
        return self.factor_ * self._exp(X)

    def _check_state(self):
        if not isinstance(getattr(self, "estimator_", None), BaseEstimator):
            raise ValueError("a model of a logarithm without its estimator")
        if np.shape(self.limits_) != (2,) or not np.isfinite([*self.limits_, self.factor_]).all():
            raise ValueError("a model of a logarithm with impossible limits")

    def _exp(self, X):
        return np.exp(np.clip(np.asarray(self.estimator_.predict(X), np.float64), *self.limits_))

    @available_if(lambda self: hasattr(self.estimator, "summary"))
    def summary(self, **options):
        """The summary of the fit to the logarithm."""
        return self.estimator_.summary(**options)


class LogCandidate(Candidate):
    """A candidate that is fitted to the logarithm of the target."""

    def make(self, seed, cv, rule, **settings):
        """The estimator of the candidate behind a logarithm."""
        mean = settings.pop("mean", True)
        return LogTargetRegressor(super().make(seed, cv, rule, **settings), mean=mean)


class MedianLogCandidate(LogCandidate):
    """The same for metrics that are best served by the median."""

    def make(self, seed, cv, rule, **settings):
        """The estimator of the candidate behind a logarithm, for the median."""
        return super().make(seed, cv, rule, mean=False, **settings)


def choose(task, models, metric, facts, training, kinds, target):
    """The portfolio for a table, with models of the logarithm where they are named or the errors ask for them.

    Parameters
    ----------
    task, models, metric, facts
        As in :func:`statlearn.app.compare.portfolio.selection.select`.
    training : LearningTable
        The training rows.
    kinds : dict of str to str
        Kinds of the columns.
    target : str

    Returns
    -------
    chosen : list of Candidate
    notes : list of str
    """
    named = [m.strip().lower() for m in models or () if m.strip().lower().endswith(SUFFIX)]
    if named:
        return _named(task, models, named, metric, facts, target)
    chosen, notes = select(task, models, metric, facts)
    if models is not None or task != "regression":
        return chosen, notes
    ratio = likelihood_ratio(training, kinds)
    if ratio < LIKELIHOOD_RATIO:
        return chosen, notes
    found = [on_log(c, metric, target) for c in chosen if c.name in BASES]
    if found:
        notes = [*notes, say("LOG-TARGET", target=target, ratio=f"{ratio:.3g}")]
    return chosen + found, notes


def on_log(candidate, metric, target):
    """The candidate on the log scale."""
    kind = LogCandidate if metric.name in OF_MEANS else MedianLogCandidate
    space = replace(
        candidate.space, label=f"{candidate.space.label} on log({target})", adapt=None,
        complexity=candidate.space.complexity + 0.05, needs=(*candidate.space.needs, "positive_target"),
    )  # fmt: skip
    return kind(candidate.name + SUFFIX, space, candidate.estimator)


def _named(task, models, named, metric, facts, target):
    bases = [name.removesuffix(SUFFIX) for name in named]
    wrong = next((name for name in bases if slug(name) not in BASES), None)
    if task != "regression" or wrong is not None:
        known = ", ".join(base + SUFFIX for base in BASES)
        raise UsageError(f"{option('models')}: models of the logarithm are {known}, for regression; got {named[0]!r}")
    if not np.min(facts.y) > 0:
        raise UsageError(f"{option('models')}: {named[0]!r} needs a positive target, and {target!r} is not")
    others = [m for m in models if m.strip().lower() not in named]
    chosen, notes = select(task, [*others, *bases], metric, facts)
    kept, _ = select(task, others, metric, facts) if others else (chosen[:1], [])
    return kept + [on_log(c, metric, target) for c in chosen if c.name in bases], notes


def likelihood_ratio(training, kinds):
    """Twice the gain in normal log-likelihood of least squares on log(y) over y, as in Box and Cox (1964).

    Parameters
    ----------
    training : LearningTable
    kinds : dict of str to str

    Returns
    -------
    float
        Minus infinity for targets that are not positive and for tables with few rows for their columns.
    """
    y = np.asarray(training.y, np.float64)
    if len(y) < MIN_ROWS or not np.all(y > 0) or np.ptp(y) == 0:
        return -np.inf
    design = np.asarray(make_transformer("plain", kinds).fit_transform(training.frame.to_native(), y), np.float64)
    if len(y) > MAX_ROWS:
        rows = np.random.default_rng(0).choice(len(y), MAX_ROWS, replace=False)
        design, y = design[rows], y[rows]
    design = np.column_stack([np.ones(len(y)), design])
    if 3 * design.shape[1] > len(y) or not np.isfinite(design).all():
        return -np.inf
    basis = np.linalg.svd(design / np.maximum(np.abs(design).max(axis=0), 1e-300), full_matrices=False)
    basis = basis[0][:, basis[1] > 1e-9 * basis[1][0]]
    log = np.log(y)

    def rss(values):
        rest = values - basis @ (basis.T @ values)
        return max(float(rest @ rest), 1e-24 * float(values @ values))

    n = len(y)
    plain = -0.5 * n * np.log(rss(y) / n)
    logged = -0.5 * n * np.log(rss(log) / n) - log.sum()
    return 2 * (logged - plain)
