"""Choice of the rank of a decomposition by cells that are left out and predicted."""

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from statlearn._core.params import HasMethods, Int, check_arguments
from statlearn._core.selection import CVCurve
from statlearn._core.validation import check_array

from .._missing_cells import fit_low_rank

_LOOSE = 1e-6  # gain of log-likelihood per cell at which the fits of folds stop


def cell_folds(X, n_folds, random_state):
    """Numbers of folds for the observed cells of X, -1 for missing ones.

    The cells of each row are dealt to the folds in random order, so that no row or column is left out as a whole.
    """
    seen = ~np.isnan(X)
    fold = np.full(X.shape, -1)
    deal = random_state.permutation(np.arange(X.size) % n_folds)
    order = np.argsort(random_state.random_sample(X.shape), axis=1)
    start = deal[: len(X)]
    position = np.empty_like(order)
    np.put_along_axis(position, order, np.arange(X.shape[1])[None, :] + start[:, None], axis=1)
    fold[seen] = (position % n_folds)[seen]
    return fold


def held_out_losses(X, ranks, folds, predict, weights=None):
    """Mean squared errors (rank, fold) on held-out cells, and the weight of the cells of each fold.

    ``predict(table, rank)`` returns all cells of a table from which the cells of a fold have been removed.
    """
    w = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
    n_folds = folds.max() + 1
    losses, counts = np.empty((len(ranks), n_folds)), np.empty(n_folds)
    for f in range(n_folds):
        held = folds == f
        inside = np.where(held, np.nan, X)
        cell_weight = held * w[:, None]
        counts[f] = cell_weight.sum()
        for r, k in enumerate(ranks):
            error = np.where(held, X - predict(inside, int(k)), 0.0)
            losses[r, f] = np.sum(cell_weight * error**2) / (counts[f] or 1.0)  # folds without cells do not count
    return losses, counts


def components_rank_curve(X, ranks, weights, random_state, *, max_iter, n_folds=5):
    """The curve of probabilistic principal components."""
    X = np.asarray(X, dtype=np.float64)

    def predict(inside, k):
        model, _, _ = fit_low_rank(inside, k, weights, common_noise=True, tol=_LOOSE, max_iter=max_iter)
        return model.completed(inside)

    losses, counts = held_out_losses(X, ranks, cell_folds(X, n_folds, random_state), predict, weights)
    return CVCurve(ranks, losses, counts, name="n_components")


def rank_cv(estimator, X, n_components=range(1, 11), *, n_folds=5, random_state=None):
    """Number of components of a decomposition, by cross-validation over cells.

    The observed cells are divided at random into folds. In turn, the cells of one fold are declared missing, the
    estimator is fitted, and the held-out cells are compared with their predictions: ``complete(X)`` if the estimator
    has this method, otherwise ``inverse_transform(transform(X))``. Held-out rows would not do, as their scores are
    computed from the very cells to be predicted. The error rises again when components begin to describe noise.

    Near the number of columns, `NMF` without a penalty has as many weights per row as observed cells: its held-out
    errors are then large and differ from fold to fold. A small penalty (``alpha_W=1e-3``) keeps the curve smooth. `PCA`
    needs none, because its noise variance shrinks the scores.

    Parameters
    ----------
    estimator : estimator
        A decomposition that accepts missing values (NaN) and has a parameter `n_components`, such as `PCA` or `NMF`.
    X : array-like of shape (n_samples, n_features)
        May itself have missing values.
    n_components : iterable of int, default=range(1, 11)
        Numbers to try, increasing.
    n_folds : int, default=5
    random_state : int, RandomState or None, default=None
        Seed of the folds.

    Returns
    -------
    CVCurve
        Mean squared error of held-out cells by number of components: ``curve.parameter[curve.best]`` is the best
        number, ``curve.parameter[curve.one_se]`` the smallest within one standard error of it.

    References
    ----------
    Wold (1978), Cross-validatory estimation of the number of components in factor and principal components models.
    Technometrics 20.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import PCA, rank_cv
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 8)) + 0.1 * rng.normal(size=(60, 8))
    >>> curve = rank_cv(PCA(), X, range(1, 5), random_state=0)
    >>> int(curve.parameter[curve.best])
    2
    """
    check_arguments(
        rank_cv,
        estimator=(estimator, [HasMethods("fit", "transform", "inverse_transform")]),
        n_folds=(n_folds, [Int(2, None)]),
    )
    X = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan", input_name="X")
    ranks = np.asarray(list(n_components))
    if ranks.ndim != 1 or ranks.size == 0 or ranks.dtype.kind not in "iu" or np.any(np.diff(ranks) <= 0):
        raise ValueError("`n_components` must contain increasing whole numbers.")
    folds = cell_folds(X, n_folds, check_random_state(random_state))

    def predict(inside, k):
        model = clone(estimator).set_params(n_components=k).fit(inside)
        if hasattr(model, "complete"):
            return model.complete(inside)
        return model.inverse_transform(model.transform(inside))

    losses, counts = held_out_losses(X, ranks, folds, predict)
    return CVCurve(ranks, losses, counts, name="n_components")
