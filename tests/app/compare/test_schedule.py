"""Order of work, time limits and processes."""

import signal
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from statlearn.app.compare.fitting import ALL_ROWS, Record, time_limit
from statlearn.app.compare.portfolio.selection import candidates
from statlearn.app.compare.progress import Progress
from statlearn.app.compare.ranking import paired_means
from statlearn.app.compare.run import compare
from statlearn.app.compare.runner import Runner, Unit, count_jobs
from statlearn.app.compare.schedule import QUICK, STRONG, Schedule, in_turn
from statlearn.app.compare.standings import Known, Sample
from statlearn.app.compare.tuning import FULL, Effort
from statlearn.app.errors import OutOfTime, UsageError
from statlearn.linear import LassoCV, LinearRegression
from statlearn.trees import DecisionTreeRegressor
from tests.helpers import assert_close


class Clock:
    """A clock on which `sleep` takes its time, and nobody waits: it also runs with the real one."""

    def __init__(self, monkeypatch):
        self.slept = 0.0
        for name in ("monotonic", "perf_counter"):
            monkeypatch.setattr(time, name, self._later(getattr(time, name)))

    def _later(self, real):
        return lambda: real() + self.slept

    def sleep(self, seconds):
        """Let the time pass; an alarm that is due in it rings when it is due."""
        left = signal.getitimer(signal.ITIMER_REAL)[0]
        if 0 < left <= seconds:
            self.slept += left
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.raise_signal(signal.SIGALRM)
            seconds -= left
        elif left:
            signal.setitimer(signal.ITIMER_REAL, left - seconds)
        self.slept += seconds


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


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


def test_enough_time_gives_what_no_limit_gives_the_promising_models_first(rng):
    X = rng.normal(size=(90, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=90)
    models = ["lasso", "regression-tree", "least-squares"]
    free = compare(X, y, models=models, folds=3)
    seen = Recorder()
    limited = compare(X, y, models=models, folds=3, time_limit=600, progress=seen)
    assert limited.complete
    for model in free.models:
        np.testing.assert_array_equal(limited.model(model.name).scores["rmse"], model.scores["rmse"])
        assert limited.model(model.name).remark == ""
    first_fold = [model for fold, model in seen.units if fold == 0][-4:]
    assert first_fold[0] == "mean-of-the-target"
    assert first_fold[-1] == "regression-tree"  # a line is what the data are


def table_of_steps(rng, n=6000):
    """A table in which trees are right and lines are wrong."""
    X = rng.normal(size=(n, 3))
    return X, 5.0 * (X[:, 0] > 0) * (X[:, 1] > 0) + 0.5 * rng.normal(size=n)


def test_the_strong_model_wins_the_race_although_others_finish_first(rng, monkeypatch, clock):
    fit = DecisionTreeRegressor.fit

    def slow(self, X, y, *args, **kwargs):
        clock.sleep(len(y) * 3e-4)  # 1.3 s for all rows of a fold: no time for ten of them
        return fit(self, X, y, *args, **kwargs)

    monkeypatch.setattr(DecisionTreeRegressor, "fit", slow)
    X, y = table_of_steps(rng)
    result = compare(X, y, models=["least-squares", "lasso", "ridge", "regression-tree"], time_limit=12)
    assert clock.slept < 12 + 5  # the fit of the leader to all rows comes after the end
    assert result.best == "regression-tree"
    assert result.model("regression-tree").estimator is not None
    assert result.holdout_scores["regression-tree"]["rmse"][0] < 1.5
    assert not result.complete


def test_a_fit_to_a_sample_that_is_stopped_makes_a_model_dear_but_does_not_drop_it():
    models = {c.name: c for c in candidates("regression") if c.name in ("mean-of-the-target", "regression-tree")}
    problem = SimpleNamespace(candidates=models, folds=[(np.arange(2000), np.arange(2000, 2500))], search="grid")
    schedule = Schedule(problem, None, Recorder(), seconds=60)
    schedule._labels = dict.fromkeys(models, "")
    schedule.known.samples["regression-tree"] = [Sample(rows=400, score=1.0, one_fit=0.1, predict_seconds=0.0)]
    effort = Effort(rows=1600, inner_folds=0)
    assert_close(schedule.known.cost("regression-tree", effort), 0.4)
    unit = Unit("regression-tree", 0, effort, seconds=2.0, sample=True)
    schedule._take(Record("regression-tree", 0, "out of time"), unit)
    assert not schedule.dropped
    assert_close(schedule.known.cost("regression-tree", effort), 2.0)


def test_a_model_that_is_stopped_on_a_later_fold_keeps_its_folds_and_its_fit_on_all_rows():
    models = {c.name: c for c in candidates("regression") if c.name in ("mean-of-the-target", "regression-tree")}
    problem = SimpleNamespace(candidates=models, folds=[(np.arange(20), np.arange(20, 25))] * 3, search="grid")
    schedule = Schedule(problem, None, Recorder(), seconds=60)
    schedule._labels = dict.fromkeys(models, "")
    schedule.records["regression-tree", 0] = Record("regression-tree", 0)
    schedule._take(Record("regression-tree", 1, "out of time"), Unit("regression-tree", 1, seconds=1.0))
    assert not schedule.dropped
    schedule._runner = SimpleNamespace(results=lambda units: done.extend(units) or [])
    done = []
    schedule._do([Unit("regression-tree", fold) for fold in (2, ALL_ROWS)])
    assert [unit.fold for unit in done] == [ALL_ROWS]


def test_the_final_fit_costs_what_the_last_fits_of_the_folds_did():
    models = {c.name: c for c in candidates("regression") if c.name in ("mean-of-the-target", "gradient-boosting")}
    known = Known(SimpleNamespace(candidates=models, folds=[(np.arange(20), np.arange(20, 25))], search="grid"))
    known.records["gradient-boosting", 0] = Record("gradient-boosting", 0, fit_seconds=5.0, last_fit_seconds=2.0)
    assert_close(known.cost("gradient-boosting", QUICK), 5.0)
    assert_close(known.cost("gradient-boosting", replace(QUICK, settings={"max_leaf_nodes": 4})), 2.0)


def test_folds_tuned_in_a_hurry_vote_for_the_settings_of_the_final_fit():
    models = {c.name: c for c in candidates("regression") if c.name in ("mean-of-the-target", "gradient-boosting")}
    known = Known(SimpleNamespace(candidates=models, folds=[], search="grid"))
    for fold, leaves in enumerate((31, 4, 16)):
        known.records["gradient-boosting", fold] = Record(
            "gradient-boosting", fold, settings={"max_leaf_nodes": leaves}, tuning_rows=4000
        )
    final = known.final_effort("gradient-boosting", QUICK)
    assert final.settings == {"max_leaf_nodes": 16}  # the median
    assert known.final_effort("gradient-boosting", FULL) is FULL
    assert known.final_effort("mean-of-the-target", QUICK) is QUICK
    del known.records["gradient-boosting", 2]
    assert known.final_effort("gradient-boosting", QUICK) is QUICK


def test_models_that_did_not_finish_stay_in_the_board_with_what_is_known(rng, monkeypatch, clock):
    fit = LassoCV.fit

    def slow(self, X, y, *args, **kwargs):
        clock.sleep(len(y) * 1e-3)  # 0.4 s on the first sample, 5 s on a fold
        return fit(self, X, y, *args, **kwargs)

    monkeypatch.setattr(LassoCV, "fit", slow)
    X, y = table_of_steps(rng)
    result = compare(X, y, models=["least-squares", "lasso", "ridge", "regression-tree"], time_limit=10)
    lasso = result.model("lasso")
    assert lasso.status == "out of time"
    assert lasso in result.models
    assert "rows, with RMSE" in lasso.error
    assert "Not compared because time ran out: lasso." in result.verdict
    assert "lasso" not in {d.name for d in result.differences}
    found = next(f for f in result.findings if f.code == "UNFINISHED")
    assert "lasso" in found.detail


def test_models_are_compared_on_the_folds_that_both_have_finished():
    table = np.array([[1.0, 2.0, 3.0, 9.0], [0.9, 1.9, np.nan, np.nan], [np.nan, np.nan, np.nan, np.nan]])
    means = paired_means(table)
    assert_close(means[:2], [3.75, 3.65])  # by its own mean of 1.4 the second would seem far better
    assert np.isnan(means[2])


def test_a_slow_model_is_dropped_and_the_others_finish(rng, monkeypatch, clock):
    fit = LassoCV.fit

    def slow(self, X, y):
        clock.sleep(5)
        return fit(self, X, y)

    monkeypatch.setattr(LassoCV, "fit", slow)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60)
    result = compare(X, y, models=["least-squares", "lasso"], folds=3, time_limit=8)
    assert result.model("lasso").status == "out of time"
    assert result.best == "least-squares"
    assert np.isfinite(result.model("least-squares").scores["rmse"]).sum() == 3
    assert result.stopped_by == "time"


def slowly(monkeypatch, clock, seconds):
    fit = LinearRegression.fit

    def slow(self, X, y):
        clock.sleep(seconds)
        return fit(self, X, y)

    monkeypatch.setattr(LinearRegression, "fit", slow)


def test_the_end_of_the_time_keeps_what_is_finished(rng, monkeypatch, clock):
    slowly(monkeypatch, clock, 0.2)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + rng.normal(size=200)
    result = compare(X, y, models=["least-squares"], folds=60, time_limit=3)
    assert not result.complete
    assert result.stopped_by == "time"
    scores = result.model("least-squares").scores["rmse"]
    assert 2 <= np.isfinite(scores).sum() < 60
    assert result.model("least-squares").remark == f"{np.isfinite(scores).sum()} of 60 folds"
    assert f"over {np.isfinite(scores).sum()} of 60 outer folds" in result.verdict
    assert any(f.code == "UNFINISHED" for f in result.findings)


def test_too_little_time_for_anything_still_gives_a_result(rng, monkeypatch, clock):
    slowly(monkeypatch, clock, 0.2)
    X = rng.normal(size=(50, 2))
    result = compare(X, X[:, 0], models=["least-squares"], folds=5, time_limit=0.3)
    assert result.best == "least-squares"
    assert result.stopped_by == "time"
    assert result.model("least-squares").remark == "2 of 5 folds"
    assert result.model("least-squares").estimator is not None


def test_under_a_short_limit_the_quickest_model_is_fitted_to_a_sample(rng, monkeypatch, clock):
    """A machine so busy that every fit takes as long as the whole limit."""
    unhurried = Runner.results

    def busy(self, units):
        for pair in unhurried(self, units):
            clock.sleep(5)
            yield pair

    monkeypatch.setattr(Runner, "results", busy)
    X = rng.normal(size=(3000, 3))
    y = X[:, 0] + rng.normal(size=3000)
    result = compare(X, y, models=["least-squares", "lasso", "random-forest"], folds=5, time_limit=4, holdout=0)
    assert result.stopped_by == "time"
    best = result.model(result.best)
    assert best.name != result.baseline
    assert "2 of 5 folds" in best.remark
    assert best.estimator is not None
    assert np.isfinite(result.model(result.baseline).scores["rmse"]).sum() == 2


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
        with pytest.raises(UsageError, match="n_jobs"):
            count_jobs(wrong)


def test_results_do_not_depend_on_the_order_of_finishing(rng):
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + rng.normal(size=60)
    one = compare(X, y, models=["lasso", "ridge"], folds=3)
    two = compare(X, y, models=["lasso", "ridge"], folds=3, n_jobs=2)
    assert [m.name for m in one.models] == [m.name for m in two.models]
    for a, b in zip(one.models, two.models):
        np.testing.assert_array_equal(a.predictions, b.predictions)


def test_a_race_on_two_processes(rng):
    X, y = table_of_steps(rng, 1000)
    models = ["least-squares", "ridge", "regression-tree", "gradient-boosting"]
    result = compare(X, y, models=models, folds=4, time_limit=90, n_jobs=2)
    assert result.best in ("regression-tree", "gradient-boosting")
    assert result.model(result.best).estimator is not None


def test_ctrl_c_in_a_race_of_two_processes_shows_what_has_finished(rng, monkeypatch):
    """What the race still owes, the fit of the leader to all rows, is done in this process."""
    results, seen = Runner.results, []

    def interrupted(self, units):
        done = results(self, units)
        for item in done:
            yield item
            seen.append(item)
            if self.n_jobs > 1 and len(seen) == 10:
                done.throw(KeyboardInterrupt)

    monkeypatch.setattr(Runner, "results", interrupted)
    X = rng.normal(size=(120, 2))
    y = X[:, 0] + rng.normal(size=120)
    result = compare(X, y, models=["least-squares", "ridge"], folds=4, time_limit=300, n_jobs=2)
    assert result.stopped_by == "interrupt"
    assert result.model(result.best).estimator is not None
    assert result.best in ("least-squares", "ridge")
    assert 2 <= np.isfinite(result.model(result.best).scores["rmse"]).sum() < 4


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_first_fits_take_simple_and_flexible_models_in_turn(task):
    found = {c.name: c.space.complexity for c in candidates(task) if c.space.default}
    order = in_turn(list(found), found)
    assert sorted(order) == sorted(found)
    assert found[order[0]] == 0
    # Whenever the clock ends it, there is a simple and a flexible model to go on with.
    assert found[order[1]] < STRONG <= found[order[2]]
    assert order[2] == "gradient-boosting"


def test_a_leader_that_is_too_slow_for_all_rows_gets_a_part_of_them():
    schedule = SimpleNamespace(
        problem=SimpleNamespace(folds=[(np.arange(10_000), np.arange(9))]),
        samples={"slow": [SimpleNamespace(rows=400)]},
    )
    assert Schedule._smaller(schedule, "slow") == [5000, 2500, 1250, 625, 400]
    assert Schedule._smaller(schedule, "new") == [None]
