"""k-means and Gaussian mixtures over blocks."""

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from statlearn._core.warnings import MAX_ITER, OK
from statlearn.cluster import KMeans
from statlearn.linear import LinearRegression

from .requirements import checked_copy, require_settings

_ROUNDS = 5  # of k-means||
_LARGEST_SEED = 2**31 - 1


class Candidates:
    """Rows that may become centres, and the sum of the squared distances to the present ones.

    Parameters
    ----------
    rows : ndarray of shape (m, p)
    objective : float
    """

    def __init__(self, rows, objective):
        self.rows, self.objective = rows, objective

    def merge(self, other):
        """The candidates of both, in the order of their blocks."""
        return Candidates(np.concatenate([self.rows, other.rows]), self.objective + other.objective)


class FirstRow:
    """One row drawn in proportion to the weights: the one with the smallest exponential clock.

    Parameters
    ----------
    row : ndarray of shape (p,)
    time : float
    """

    def __init__(self, row, time):
        self.row, self.time = row, time

    def merge(self, other):
        """The earlier of two."""
        return self if self.time <= other.time else other


def _rng(seed, number, block):
    """Random numbers of one block in one round, whoever draws them."""
    return np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, number, block.index]))


def _first_row(block, seed):
    times = _rng(seed, 0, block).standard_exponential(len(block))
    times = times if block.weights is None else times / block.weights
    k = int(np.argmin(times))
    return FirstRow(np.array(block.X[k], dtype=np.float64), float(times[k]))


def _weighted_squares(block, model, centres):
    """Weighted squared distances of the rows to the nearest centre."""
    model.cluster_centers_ = centres
    squares = model.transform(block.X).min(axis=1).astype(np.float64) ** 2
    return squares if block.weights is None else squares * block.weights


def _objective(block, model, centres):
    return Candidates(np.empty((0, centres.shape[1])), float(_weighted_squares(block, model, centres).sum()))


def _draw(block, model, centres, seed, number, factor):
    """Rows drawn independently with probability `factor` times their share of the objective, and the objective."""
    squares = _weighted_squares(block, model, centres)
    chosen = _rng(seed, number, block).random(len(block)) < factor * squares
    return Candidates(np.array(block.X[chosen], dtype=np.float64), float(squares.sum()))


def _sums(block, model, centres):
    return model._centre_sums(block.X, block.weights, centres)


def parallel_start(passes, model, seed):
    """Centres by k-means|| (Bahmani et al., 2012): few rounds of many independent draws, then k-means on them."""
    k = model.n_clusters
    centres = passes.reduce(_first_row, seed).row[None]
    objective = passes.reduce(_objective, model, centres).objective
    for number in range(1, _ROUNDS + 1):
        if objective <= 0.0:
            break
        drawn = passes.reduce(_draw, model, centres, seed, number, 2.0 * k / objective)
        objective = drawn.objective  # at the centres before the draw: an upper bound, so that fewer are drawn
        centres = np.unique(np.concatenate([centres, drawn.rows]), axis=0)
    if len(centres) <= k:  # fewer distinct rows than clusters, or few draws
        return np.resize(centres, (k, centres.shape[1]))
    weights = passes.reduce(_sums, model, centres).weight
    start = KMeans(k, n_init=4, random_state=seed).fit(centres, sample_weight=np.maximum(weights, 1e-12))
    return start.cluster_centers_


def lloyd(passes, model, centres, tol):
    """Lloyd's steps until no centre moves by more than `tol`, one pass each; (centres, statistic, facts)."""
    history, status, shift, n_iter = [], MAX_ITER, np.inf, 0
    sums = passes.reduce(_sums, model, centres)
    while n_iter < model.max_iter:
        n_iter += 1
        after = sums.solve()
        shift = float(((after - centres) ** 2).sum())
        history.append(sums.inertia)
        centres, sums = after, passes.reduce(_sums, model, after)
        if shift <= tol or sums.inertia >= history[-1] * (1.0 - 1e-15) > 0.0:
            status = OK
            break
    return centres, sums, dict(n_iter=n_iter, history=[*history, sums.inertia], status=status, shift=shift, tol=tol)


def _spread(passes):
    """Rows, columns, total weight and mean variance of the columns."""
    total = passes.reduce(_moments)
    statistic = total.least_squares()
    return total.n_rows, total.n_features, statistic.total_weight, float(
        np.mean(np.sum(statistic.design**2, axis=0)) / statistic.total_weight
    )  # fmt: skip


def _moments(block):
    return LinearRegression().statistics(block.X, np.zeros(len(block)), block.weights)


def _require_rows(n_rows, n_clusters):
    if n_rows < n_clusters:
        raise ValueError(f"n_samples={n_rows} should be >= n_clusters={n_clusters}.")


def fit_kmeans(estimator, passes):
    """The fit of `KMeans`: k-means|| or given centres, then Lloyd's steps."""
    model = checked_copy(estimator)
    n_rows, p, _, variance = _spread(passes)
    _require_rows(n_rows, model.n_clusters)
    model.n_features_in_ = p
    if isinstance(model.init, str):
        require_settings(model, init=("k-means++", "k-means||"))
        n_init = 1 if model.n_init == "auto" else model.n_init
        random_state = check_random_state(model.random_state)
        starts = [
            parallel_start(passes, model, int(random_state.randint(_LARGEST_SEED))) for _ in range(n_init)
        ]  # fmt: skip
    else:
        if callable(model.init):
            raise ValueError("`init` must be 'k-means++', 'k-means||' or an array over blocks, got a function.")
        centres = check_array(model.init, dtype=np.float64, copy=True, order="C", input_name="init")
        if centres.shape != (model.n_clusters, p):
            raise ValueError(f"`init` must have shape ({model.n_clusters}, {p}), got {centres.shape}.")
        starts = [centres]
    runs = [lloyd(passes, model, start, model.tol * variance) for start in starts]
    best = min(range(len(runs)), key=lambda k: runs[k][1].inertia)
    centres, sums, facts = runs[best]
    model._store_blocks(centres, sums, **facts)
    return model


# ------------------------------------------------------------------------------------------------------------ mixtures


def _normal_moments(block, model, parameters, order):
    return model._block_moments(block.X, block.weights, parameters, order)


def _normal_starts(block, model, clusters, order):
    codes = clusters.predict(block.X)
    return model._block_starts(block.X, block.weights, codes, clusters.cluster_centers_, order)


def fit_mixture(estimator, passes):
    """The fit of `GaussianMixture`: EM from k-means over blocks, or from given parameters."""
    model = checked_copy(estimator)
    require_settings(
        model, warm_start=(False,), n_init=(1,), init_params=("kmeans", "k-means++"), unlabeled_weight=(None,)
    )
    n_rows, p, total, _ = _spread(passes)
    if n_rows < model.n_components:
        raise ValueError(
            f"Expected n_samples >= n_components but got n_components = {model.n_components}, n_samples = {n_rows}."
        )
    seed = int(check_random_state(model.random_state).randint(_LARGEST_SEED))
    plain = checked_copy(model)

    def sums(parameters, order):
        return passes.reduce(_normal_moments, plain, parameters, order)

    def starts(order):
        clusters = KMeans(model.n_components, max_iter=10, random_state=seed, tol=1e-2)
        clusters.n_features_in_ = p
        centres = parallel_start(passes, clusters, seed)
        if model.init_params == "kmeans":
            centres, *_ = lloyd(passes, clusters, centres, 0.0)
        clusters.cluster_centers_ = centres
        return passes.reduce(_normal_starts, plain, clusters, order)

    return model._fit_blocks(sums, starts, total, p)
