"""Order of work, time limits and processes."""

import signal
import time

import numpy as np
import pytest

from statlearn.app.compare import compare
from statlearn.app.errors import AppError, OutOfTime, UsageError
from statlearn.app.fitting import time_limit
from statlearn.app.progress import Progress
from statlearn.app.schedule import count_jobs
from statlearn.linear import LassoCV, LinearRegression


class Recorder(Progress):
    def __init__(self):
        self.units = []

    def unit(self, record, label):
        self.units.append((record.fold, record.model))


def test_all_models_first_meet_all_rows_then_fold_after_fold(rng):
    X = rng.normal(size=(50, 2))
    seen = Recorder()
    compare(X, X[:, 0] + rng.normal(size=50), models=["least-squares", "lasso"], folds=3, progress=seen)
    assert [fold for fold, _ in seen.units] == sorted(fold for fold, _ in seen.units)
    assert len(seen.units) == 3 * 4
    assert seen.units[0][0] == -1


def test_under_a_limit_strong_models_come_before_slow_ones_of_less_promise(rng):
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60)
    models = ["least-squares", "oblique-tree", "gradient-boosting"]
    turns = {}
    for limit in (None, 600):
        seen = Recorder()
        result = compare(X, y, models=models, folds=2, time_limit=limit, progress=seen)
        turns[limit] = [model for fold, model in seen.units if fold == -1]
        assert result.complete
    assert turns[None][1:] == models
    assert turns[600] == [turns[None][0], "gradient-boosting", "least-squares", "oblique-tree"]


def test_a_slow_model_is_dropped_and_the_others_finish(rng, monkeypatch):
    fit = LassoCV.fit

    def slow(self, X, y):
        time.sleep(5)
        return fit(self, X, y)

    monkeypatch.setattr(LassoCV, "fit", slow)
    X = rng.normal(size=(60, 2))
    result = compare(X, X[:, 0], models=["least-squares", "lasso"], folds=3, time_limit=8)
    assert result.model("lasso").status == "out of time"
    assert result.best == "least-squares"
    assert len(result.model("least-squares").scores["rmse"]) == 3
    assert result.complete


def slowly(monkeypatch, seconds):
    fit = LinearRegression.fit

    def slow(self, X, y):
        time.sleep(seconds)
        return fit(self, X, y)

    monkeypatch.setattr(LinearRegression, "fit", slow)


def test_the_end_of_the_time_keeps_what_is_finished(rng, monkeypatch):
    slowly(monkeypatch, 0.2)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + rng.normal(size=200)
    result = compare(X, y, models=["least-squares"], folds=60, time_limit=3)
    assert not result.complete
    assert result.stopped_by == "time"
    assert 2 <= len(result.model("least-squares").scores["rmse"]) < 60
    assert any(f.code == "UNFINISHED" for f in result.findings)


def test_too_little_time_for_anything(rng, monkeypatch):
    slowly(monkeypatch, 0.2)
    X = rng.normal(size=(50, 2))
    with pytest.raises(AppError, match="two folds"):
        compare(X, X[:, 0], models=["least-squares"], folds=5, time_limit=0.3)


def test_native_kernels_hear_the_clock(rng):
    X = rng.normal(size=(4000, 400))
    y = X @ rng.normal(size=400) + rng.normal(size=4000)
    model = LassoCV(cv=100, eps=1e-5, alphas=1000, tol=1e-12, max_iter=100_000)
    with pytest.raises(OutOfTime), time_limit(0.3):  # raised inside the kernel: the whole fit takes minutes
        model.fit(X, y)


def test_without_a_limit_no_clock_rings():
    with time_limit(1000):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    with time_limit(None):
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_numbers_of_processes():
    assert count_jobs(None) == 1
    assert count_jobs(3) == 3
    assert count_jobs(-1) >= 1
    for wrong in (0, -2, 1.5, True):
        with pytest.raises(UsageError, match="jobs"):
            count_jobs(wrong)


def test_results_do_not_depend_on_the_order_of_finishing(rng):
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + rng.normal(size=60)
    one = compare(X, y, models=["lasso", "ridge"], folds=3)
    two = compare(X, y, models=["lasso", "ridge"], folds=3, n_jobs=2)
    assert [m.name for m in one.models] == [m.name for m in two.models]
    for a, b in zip(one.models, two.models):
        np.testing.assert_array_equal(a.predictions, b.predictions)
