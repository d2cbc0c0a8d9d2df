"""Estimators with additive statistics: one pass, merged, solved."""

from statlearn._core.validation import refuse_one_class

from .requirements import checked_copy, require_target

_WITHOUT_TARGET = ("PCA", "StandardScaler")
_ONE_CLASS = ("GaussianNB", "CategoricalNB")  # fitted to rows of one class in memory, too


def _statistics(block, estimator):
    """The statistics of one block."""
    return estimator.statistics(block.X, block.y, block.weights)


def fit_from_statistics(estimator, passes):
    """The fit of an estimator that has `statistics` and `from_statistics`."""
    model = checked_copy(estimator)
    if type(model).__name__ not in _WITHOUT_TARGET:
        require_target(passes, model)
    total = passes.reduce(_statistics, model)
    if total.classes is not None and type(model).__name__ not in _ONE_CLASS:
        refuse_one_class(total.classes, type(model).__name__)
    return type(model).from_statistics(total, **model.get_params(deep=False))
