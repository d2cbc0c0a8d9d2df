"""Registry of the package's estimators, from the public names of the families."""

import importlib
import inspect

from .families import FAMILIES


def all_estimators(type_filter=None, *, family=None):
    """All public estimator classes as ``(name, class)`` pairs, sorted by name.

    Parameters
    ----------
    type_filter : {"classifier", "regressor", "transformer", "cluster"} or None, default=None
        Keep only estimators of this kind.
    family : str or None, default=None
        Keep only this subpackage, such as ``"linear"``.

    Returns
    -------
    list of (str, type)

    Examples
    --------
    >>> from statlearn import all_estimators
    >>> "Lasso" in dict(all_estimators("regressor", family="linear"))
    True
    """
    from sklearn.base import BaseEstimator, ClassifierMixin, ClusterMixin, RegressorMixin, TransformerMixin

    mixins = {
        "classifier": ClassifierMixin,
        "regressor": RegressorMixin,
        "transformer": TransformerMixin,
        "cluster": ClusterMixin,
    }
    if type_filter is not None and type_filter not in mixins:
        raise ValueError(f"`type_filter` must be None or one of {sorted(mixins)}, got {type_filter!r}.")
    if family is not None and family not in FAMILIES:
        raise ValueError(f"family must be None or one of {list(FAMILIES)}, got {family!r}.")
    wanted = mixins.get(type_filter, BaseEstimator)
    estimators = {}
    for name in FAMILIES if family is None else (family,):
        module = importlib.import_module(f"statlearn.{name}")
        for public in module.__all__:
            item = getattr(module, public)
            # Re-exported scikit-learn classes are not our estimators.
            ours = inspect.isclass(item) and item.__module__.startswith("statlearn.")
            if ours and issubclass(item, BaseEstimator) and issubclass(item, wanted):
                estimators[item.__name__] = item  # once, also if a second name is published for it
    return sorted(estimators.items())


def published(name):
    """What a family publishes under a name such as "assess.get_scorer", for a family on which that one builds.

    `assess` imports from `linear`, so `linear` cannot import from `assess`: it finds the scorers of the package here.
    """
    family, _, public = name.partition(".")
    return getattr(importlib.import_module(f"statlearn.{family}"), public)
