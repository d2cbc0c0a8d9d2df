"""Estimators that depend on the rows through their weighted means and cross-products alone.

One pass sums these (`LeastSquaresStatistic`), and the estimator itself is fitted to a few rows that have them
(`_math.rows.moment_rows`), with cross-validation over folds of whole blocks.
"""

import numpy as np

from statlearn._math.rows.moment_rows import moment_rows
from statlearn.linear import LinearRegression

from .requirements import checked_copy, require_settings, require_target


class FoldStatistics:
    """Statistics by fold.

    Parameters
    ----------
    folds : dict of int to SiteStatistics
    """

    def __init__(self, folds):
        self.folds = folds

    def merge(self, other):
        """Both together, fold by fold."""
        folds = dict(self.folds)
        for fold, statistics in other.folds.items():
            folds[fold] = folds[fold].merge(statistics) if fold in folds else statistics
        return FoldStatistics(folds)


def _fold_statistics(block, fit_intercept, first_blocks):
    """The least-squares statistics of a block, under the number of its fold."""
    y = np.zeros(block.X.shape[0]) if block.y is None else block.y
    statistics = LinearRegression(fit_intercept=fit_intercept).statistics(block.X, y, block.weights)
    return FoldStatistics({int(np.searchsorted(first_blocks, block.index, side="right")): statistics})


def _folds_of_blocks(n_folds, n_blocks, owner):
    """The first block of each fold but the first: consecutive blocks, as evenly divided as KFold does."""
    if n_folds < 2:
        raise ValueError(f"`cv` must be at least 2, got {n_folds}.")
    if n_folds > n_blocks:
        raise ValueError(
            f"`cv`={n_folds} of {owner} exceeds the {n_blocks} blocks of the source: a fold consists of whole blocks. "
            "Use fewer folds or smaller blocks."
        )
    sizes = np.full(n_folds, n_blocks // n_folds)
    sizes[: n_blocks % n_folds] += 1
    return np.cumsum(sizes)[:-1]


def _number_of_folds(model):
    """The folds of a cross-validated estimator; 1 for one that needs none."""
    if not hasattr(model, "cv"):
        return 1
    if type(model).__name__ == "RidgeCV" and model.cv is None:
        if model.criterion != "gcv":
            raise ValueError(
                "`cv` of RidgeCV must be an int or `criterion` must be 'gcv' over blocks: leave-one-out errors need "
                "the rows."
            )
        require_settings(model, scoring=(None,), store_cv_results=(False,))
        return 1
    if model.cv is not None and not isinstance(model.cv, (int, np.integer)):
        raise ValueError(f"`cv` must be None or an int over blocks, got {model.cv!r}.")
    return 5 if model.cv is None else int(model.cv)


def fit_from_moments(estimator, passes):
    """The fit of an estimator on rows that have the moments of all rows."""
    model = checked_copy(estimator)
    supervised = type(model).__name__ in SUPERVISED
    if supervised:
        require_target(passes, model)
    require_settings(model, warm_start=(False,), scoring=(None,))
    n_folds = _number_of_folds(model)
    owner = type(model).__name__
    first_blocks = _folds_of_blocks(n_folds, len(passes.source), owner) if n_folds > 1 else np.empty(0, dtype=int)
    intercept = bool(getattr(model, "fit_intercept", not getattr(model, "assume_centered", owner in _ABOUT_ZERO)))
    total = passes.reduce(_fold_statistics, intercept, first_blocks)
    if len(total.folds) < n_folds:
        raise ValueError(f"`cv`={n_folds} of {owner}: only {len(total.folds)} folds have rows of positive weight.")
    tables = [moment_rows(total.folds[fold].least_squares()) for fold in sorted(total.folds)]
    X, Y, weights = (np.concatenate(parts) for parts in zip(*tables))
    first = next(iter(total.folds.values()))
    y = Y[:, 0] if first.arrays["target_dim"] == 1 else Y
    if n_folds > 1:
        ends = np.cumsum([len(table[2]) for table in tables])
        rows = [np.arange(end - len(table[2]), end) for end, table in zip(ends, tables)]
        cv, model.cv = model.cv, [(np.setdiff1d(np.arange(len(X)), test), test) for test in rows]
    if supervised:
        model.fit(X, y, sample_weight=weights)
    elif owner in _UNWEIGHTED:  # all rows have the same weight, and the scale of the rows is that of the mean
        model.fit(X)
    else:
        model.fit(X, sample_weight=weights)
    if n_folds > 1:
        model.cv = cv
    return model


# Estimators of the target, those without weights, and those that sum products about 0.
SUPERVISED = ("Lasso", "ElasticNet", "LassoCV", "ElasticNetCV", "RidgeCV")
UNSUPERVISED = ("GraphicalLasso", "EmpiricalCovariance")
_UNWEIGHTED = ("GraphicalLasso",)
_ABOUT_ZERO = ("TruncatedSVD",)
