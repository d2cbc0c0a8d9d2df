"""`n_jobs` in terms of threads."""

import numpy as np
import pytest
from joblib import Parallel, delayed

import statlearn
from statlearn._core.jobs import count_jobs, jobs, keep_limit
from statlearn._core.native import common
from statlearn.cluster import DBSCAN
from statlearn.ensemble import RandomForestRegressor
from statlearn.linear import LinearRegression, LogisticRegression
from statlearn.neighbors import NearestNeighbors


@pytest.mark.parametrize(
    "n_jobs, expected", [(None, 8), (-1, 8), (-2, 7), (-8, 1), (-100, 1), (1, 1), (5, 5), (8, 8), (1000, 8)]
)
def test_joblib_semantics_within_the_allowed_threads(n_jobs, expected):
    with statlearn.threads(8):
        assert count_jobs(n_jobs) == expected
        with jobs(n_jobs):
            assert common.threads() == expected
        assert common.threads() == 8


@pytest.mark.parametrize("n_jobs, error", [(0, ValueError), (1.5, TypeError), ("2", TypeError), (True, TypeError)])
def test_invalid_n_jobs_raise_by_name(n_jobs, error):
    with pytest.raises(error, match="`n_jobs`"):
        jobs(n_jobs)


@pytest.mark.parametrize(
    "model",
    [LinearRegression(n_jobs=0), LogisticRegression(n_jobs=0), RandomForestRegressor(2, n_jobs=0), DBSCAN(n_jobs=0)],
    ids=lambda model: type(model).__name__,
)
def test_estimators_refuse_zero_jobs(model, rng):
    X = rng.normal(size=(20, 2))
    with pytest.raises(ValueError, match="n_jobs"):
        model.fit(X, (X[:, 0] > 0).astype(int))


def test_searches_refuse_zero_jobs(rng):
    X = rng.normal(size=(20, 2))
    with pytest.raises(ValueError, match="n_jobs"):
        NearestNeighbors(n_jobs=0).fit(X).kneighbors(X)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_joblib_workers_keep_the_limit(backend):
    with statlearn.threads(3):
        seen = Parallel(n_jobs=2, backend=backend)(delayed(keep_limit(_threads))() for _ in range(4))
    assert seen == [3] * 4


def _threads():
    return common.threads()


def test_unlimited_threads_are_not_restricted():
    assert keep_limit(np.sum)([1, 2]) == 3
