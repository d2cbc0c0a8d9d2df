"""Cross-validation fold by fold: scores of candidates that may stop early."""

import numpy as np
from scipy.stats import rankdata
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import get_routing_for_object

from statlearn._math.inference import standard_error

CAUTION = 2.0  # standard deviations between a hopeless candidate and the bar
FEW = 2  # minimum number of complete candidates in addition to the best one


class FoldByFold:
    """A splitter that yields one fold of another splitter at a time, the one numbered `current`.

    Parameters
    ----------
    inner : int, splitter, iterable or None
    estimator : estimator
        Classifiers have stratified folds by default.
    """

    def __init__(self, inner, estimator):
        self.inner, self.estimator = inner, estimator
        self.current = 0
        self.folds = None

    def get_n_splits(self, X=None, y=None, groups=None):
        return 1

    def split(self, X, y=None, groups=None, **params):
        if self.folds is None:
            splitter = check_cv(self.inner, y, classifier=is_classifier(self.estimator))
            extra = {**params, **({} if groups is None else {"groups": groups})}
            self.folds = list(splitter.split(X, y, **extra))
        yield self.folds[self.current]

    def get_metadata_routing(self):
        return get_routing_for_object(self.inner)


class FoldScores:
    """Scores of candidates per fold, NaN where a fold was not evaluated.

    Attributes
    ----------
    table : ndarray of shape (n_candidates, n_folds)
    """

    def __init__(self):
        self.table = np.empty((0, 0))
        self.failed: list[bool] = []

    def add(self, n_candidates, n_folds):
        """Room for further candidates; returns their numbers."""
        first = len(self.table)
        self.table = np.concatenate([self.table.reshape(first, n_folds), np.full((n_candidates, n_folds), np.nan)])
        self.failed += [False] * n_candidates
        return range(first, first + n_candidates)

    def put(self, candidate, fold, score):
        self.table[candidate, fold] = score
        self.failed[candidate] |= not np.isfinite(score)

    @property
    def complete(self):
        return np.isfinite(self.table).all(axis=1)

    def is_hopeless(self, candidate, n_done, *, margin):
        """Whether the mean over all folds is very unlikely to reach the best one so far minus a margin.

        The differences to the best candidate on the same folds are compared with their usual standard deviation s over
        folds, the median over the complete candidates. After k of K folds the mean of the differences still varies with
        variance s^2 (1/k - 1/K).

        Parameters
        ----------
        candidate : int
        n_done : int
            Number of folds that were evaluated, the first ones.
        margin : bool
            Whether candidates within one standard error of the best still matter.
        """
        complete = self.table[self.complete]
        n_folds = self.table.shape[1]
        if len(complete) <= FEW or n_done >= n_folds:
            return False
        leader = complete[np.argmax(complete.mean(axis=1))]
        spreads = (leader - complete).std(axis=1, ddof=1)
        spreads = np.sort(spreads)[1:]  # without the leader itself
        spread = np.median(spreads)
        bar = standard_error(leader) if margin else 0.0
        lag = np.mean(leader[:n_done] - self.table[candidate, :n_done])
        return bool(lag > bar + CAUTION * spread * np.sqrt(1.0 / n_done - 1.0 / n_folds))

    def estimate(self, candidate):
        """Mean score of a candidate, with missing folds filled in by their usual difference to the others."""
        if self.failed[candidate]:
            return np.nan
        row, complete = self.table[candidate], self.table[self.complete]
        known = np.isfinite(row)
        if known.all() or not len(complete):
            return float(np.mean(row[known]))
        level = complete.mean(axis=0)
        return float(np.mean(row[known] - level[known]) + level.mean())


def regroup(flat, places, n_folds):
    """Results of a search as scikit-learn formats them, from results with one candidate and fold per row.

    Parameters
    ----------
    flat : dict
        ``cv_results_`` of evaluations with a single split.
    places : list of (int, int)
        Candidate and fold of each row; candidates are numbered from 0 without gaps.
    n_folds : int

    Returns
    -------
    results : dict
        With "n_splits_done" and "pruned" in addition to the usual keys. Means are over the evaluated folds; candidates
        that were not evaluated on all folds rank behind all others.
    first : ndarray
        First row of each candidate in `flat`.
    """
    candidate, fold = np.array(places).T
    n_candidates = int(candidate.max()) + 1
    first = np.array([np.flatnonzero(candidate == k)[0] for k in range(n_candidates)])
    done = np.zeros((n_candidates, n_folds), dtype=bool)
    done[candidate, fold] = True

    def table(values):
        out = np.full((n_candidates, n_folds), np.nan)
        out[candidate, fold] = values
        return out

    results: dict = {}
    for name in ("fit_time", "score_time"):
        results |= _means(name, table(flat[f"mean_{name}"]), done)
    results |= {key: values[first] for key, values in flat.items() if key.startswith("param_")}
    results["params"] = [flat["params"][row] for row in first]
    for key, values in flat.items():
        if key.startswith("split0_"):
            name = key.removeprefix("split0_")
            scores = table(values)
            results |= {f"split{k}_{name}": scores[:, k] for k in range(n_folds)}
            results |= _means(name, scores, done)
            if name.startswith("test_"):
                results[f"rank_{name}"] = _ranks(results[f"mean_{name}"], done.all(axis=1))
    results["n_splits_done"] = done.sum(axis=1)
    results["pruned"] = ~done.all(axis=1)
    return results, first


def with_failures(results, failed):
    """Results with rows of NaN for candidates that could not be evaluated at all.

    Parameters
    ----------
    results : dict
    failed : dict of int to dict
        Settings by their place among all candidates.

    Returns
    -------
    results : dict
    kept : ndarray of int
        New places of the rows of `results`.
    """
    known = results["params"]
    total = len(known) + len(failed)
    fitted = np.array([k for k in range(total) if k not in failed])
    out: dict = {}
    for key, values in results.items():
        if key == "params":
            old = iter(known)
            out[key] = [failed[k] if k in failed else next(old) for k in range(total)]
        elif key.startswith("param_"):
            out[key] = _param_column(key.removeprefix("param_"), values, fitted, failed, total)
        else:
            fill = {"rank": len(known) + 1, "n_splits_done": 0, "pruned": True}.get(key.split("_")[0], np.nan)
            fill = {"n_splits_done": 0, "pruned": True}.get(key, fill)
            out[key] = np.full(total, fill, dtype=values.dtype)
            out[key][fitted] = values
    return out, fitted


def _param_column(name, values, rows, failed, total):
    column = np.ma.MaskedArray(np.empty(total, dtype=object), mask=True)
    column[rows] = values
    for k, params in failed.items():
        if name in params:
            column[k] = params[name]
    return column if values.dtype == object else column.astype(values.dtype)


def _means(name, table, done):
    """Mean and standard deviation over the evaluated folds."""
    count = done.sum(axis=1)
    mean = np.where(done, table, 0.0).sum(axis=1) / count
    square = np.where(done, (table - mean[:, None]) ** 2, 0.0).sum(axis=1) / count
    return {f"mean_{name}": mean, f"std_{name}": np.sqrt(square)}


def _ranks(mean, complete):
    """Ranks from 1: complete candidates by their mean, then incomplete ones, then failed ones."""
    group = np.where(np.isfinite(mean), np.where(complete, 0, 1), 2)
    score = np.where(np.isfinite(mean), mean, 0.0)
    keys = [(int(g), -float(s)) for g, s in zip(group, score)]
    level = {key: place for place, key in enumerate(sorted(set(keys)))}
    return rankdata([level[key] for key in keys], method="min").astype(np.int32)
