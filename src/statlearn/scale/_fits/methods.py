"""Which estimators can be fitted over blocks, and how."""

from sklearn.pipeline import Pipeline

import statlearn
from statlearn._math.rows.site_statistics import StatisticsMixin

from .clusters import fit_kmeans, fit_mixture
from .glm import GLMS, fit_glm
from .incremental import fit_incrementally
from .logistic import fit_logistic
from .moments import SUPERVISED, UNSUPERVISED, fit_from_moments
from .pipelines import fit_pipeline
from .statistics import fit_from_statistics

_BY_NAME = dict.fromkeys((*SUPERVISED, *UNSUPERVISED), fit_from_moments)
_BY_NAME |= {
    "LogisticRegression": fit_logistic,
    "KMeans": fit_kmeans,
    "GaussianMixture": fit_mixture,
    **dict.fromkeys(GLMS, fit_glm),
}


def _method(kind):
    """The fit of a class, or None."""
    if issubclass(kind, Pipeline):
        return fit_pipeline
    if not kind.__module__.startswith("statlearn."):
        return fit_incrementally if hasattr(kind, "partial_fit") else None
    if kind.__name__ in _BY_NAME:
        return _BY_NAME[kind.__name__]
    if issubclass(kind, StatisticsMixin):
        return fit_from_statistics
    return fit_incrementally if hasattr(kind, "partial_fit") else None


def method_of(estimator):
    """The function ``fit(estimator, passes)`` for an estimator; raises with the list of those that have one."""
    method = _method(type(estimator))
    if method is fit_pipeline:
        method_of(estimator.steps[-1][1])
    if method is None:
        raise TypeError(
            f"`estimator` must be one that can be fitted over blocks, got {type(estimator).__name__}. These can: "
            f"{', '.join(supported_names())}."
        )
    return method


def exact_method(transformer):
    """The fit of a transformer from additive statistics of all rows, or None for one that learns from a sample."""
    method = _method(type(transformer))
    return None if method is fit_incrementally else method


def supported_names():
    """Names of the estimators of the package that have a fit over blocks."""
    return [name for name, kind in statlearn.all_estimators() if _method(kind) is not None]
