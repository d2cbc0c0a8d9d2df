"""The stack of the best: honest weights, a fitted mean, a file."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from sklearn.dummy import DummyRegressor

from statlearn.app.compare import scoring, splits
from statlearn.app.compare.fitting import ALL_ROWS, Designs, Problem, Record, run
from statlearn.app.compare.portfolio.selection import STACK, candidates
from statlearn.app.compare.result import ModelResult
from statlearn.app.compare.run import compare
from statlearn.app.compare.stack import BlendRegressor, _pool, is_preferred, row_gaps, useful_members
from statlearn.app.compare.stack import stack as make_stack
from statlearn.app.compare.tuning import Effort
from statlearn.app.model import file as model_file
from statlearn.app.tables import frames
from statlearn.app.tables.learning_table import LearningTable
from tests.helpers import assert_close


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    n = 300
    frame = pl.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.choice(["x", "y", "z"], n)})
    steps = 2.0 * (frame["b"].to_numpy() > 0)
    y = 2 * frame["a"].to_numpy() + steps + rng.normal(size=n)
    return frame, y


MODELS = ["lasso", "regression-tree", STACK]


def test_the_stack_is_a_weighted_mean_of_fitted_models(made, tmp_path):
    frame, y = made
    result = compare(frame, y, models=MODELS, folds=4)
    stack = result.model(STACK)
    assert stack.status == "done"
    assert sum(stack.estimator.weights) == pytest.approx(1)
    assert min(stack.estimator.weights) > 0
    members = [result.model("lasso"), result.model("regression-tree")]
    by_label = {m.label: m for m in members}
    expected = sum(
        w * by_label[label].estimator.predict(frame) for label, w in zip(stack.settings, stack.estimator.weights)
    )
    np.testing.assert_allclose(stack.estimator.predict(frame), expected)
    # Half linear, half a step: together they are better than each alone.
    assert stack.scores["rmse"].mean() < min(m.scores["rmse"].mean() for m in members)
    assert result.best == STACK
    paths = result.write(tmp_path)
    again = model_file.load(paths["model"])
    np.testing.assert_allclose(again.predict(frame), expected)
    assert set(again.columns) == {"a", "b", "c"}


def test_weights_of_a_fold_do_not_see_its_target(made):
    """Other targets in a fold's test rows change the stack there only through the members' own fits."""
    frame, y = made
    problem_y = y.copy()
    result = compare(frame, problem_y, models=MODELS, folds=4, holdout=0)
    first = result.model(STACK).predictions
    members = np.column_stack([result.model(name).predictions for name in MODELS[:2]])
    # In every fold the stack lies between its members, at one and the same place: two weights for all rows of a fold.
    gap = members[:, 1] - members[:, 0]
    clear = np.abs(gap) > 0.1
    share = ((first - members[:, 0]) / np.where(clear, gap, 1))[clear]
    assert len(np.unique(share.round(8))) == 4
    assert np.all((share >= 0) & (share <= 1))


def test_classes(made):
    frame, y = made
    labels = np.where(y > 1, "up", "down")
    result = compare(frame, labels, models=["logistic-l2", "random-forest", STACK], folds=4)
    stack = result.model(STACK)
    table = stack.estimator.predict_proba(frame)
    np.testing.assert_allclose(table.sum(axis=1), 1)
    assert set(stack.estimator.predict(frame)) <= {"up", "down"}


def test_it_takes_part_by_default_or_if_named(made):
    frame, y = made
    assert STACK not in {m.name for m in compare(frame, y, models=MODELS[:2], folds=3).models}
    # One member alone is no stack.
    assert STACK not in {m.name for m in compare(frame, y, models=["lasso", STACK], folds=3).models}


def fake_problem(rng, n=90, n_folds=3):
    y = rng.normal(size=n)
    folds = [(np.setdiff1d(np.arange(n), part), part) for part in np.array_split(np.arange(n), n_folds)]
    metric, _ = scoring.choose_metrics("regression")
    return SimpleNamespace(y=y, truth=y, classes=None, folds=folds, metric=metric, scheme=splits.Scheme("regression"))


def test_members_with_weight_are_worth_more_folds_and_useless_ones_are_not(rng):
    problem = fake_problem(rng)
    noise = rng.normal(size=(3, 90))
    # Two models with independent errors help each other; a third that adds noise to the first does not.
    first, second = problem.y + noise[0], problem.y + 1.2 * noise[1]
    third = first + noise[2]
    records = {
        (name, fold): Record(name, fold, predictions=values[problem.folds[fold][1]])
        for name, values in {"first": first, "second": second, "third": third}.items()
        for fold in range(3)
    }
    assert useful_members(problem, records, ["first", "second", "third"], range(3)) == ["first", "second"]
    assert useful_members(problem, records, ["first"], range(3)) == ["first"]


def test_the_stack_is_judged_by_the_folds_that_its_members_share(rng):
    problem = fake_problem(rng, n=100, n_folds=10)
    counts = {"long": 10, "half": 6, "short": 3}
    records = {(name, fold): Record(name, fold) for name, n in counts.items() for fold in range(n)}
    results = [ModelResult(name, name, "", 2.0, status="done", estimator=object()) for name in counts]
    pool, shared = _pool(problem, records, results, list(range(10)))
    assert [m.name for m in pool] == ["long", "half"]
    assert shared == [0, 1, 2, 3, 4, 5]
    alone, none = _pool(problem, records, results[1:], [0, 1])
    assert (alone, none) == ([], [])


def test_a_stack_that_is_level_is_preferred():
    gaps = np.array([-0.01, 0.02, -0.02, 0.015])
    assert is_preferred(gaps)
    assert is_preferred(gaps - 0.1)
    assert not is_preferred(gaps + 0.1)
    # One and a half standard errors may be luck, two are not.
    some = np.array([0.03, 0.01, 0.05, -0.01, 0.02, 0.04, -0.02, 0.03, -0.03, 0.05])
    by = some.std(ddof=1) / np.sqrt(10)
    assert is_preferred(some - some.mean() + 1.5 * by)
    assert not is_preferred(some - some.mean() + 2 * by)
    assert not is_preferred(np.array([0.01]))


def test_a_clear_lead_on_the_rows_is_no_luck_however_few_the_folds(rng):
    folds = np.array([0.02, 0.08, 0.03])  # 2.3 standard errors, which t with two degrees of freedom calls luck
    assert is_preferred(folds)
    assert not is_preferred(folds, rng.normal(0.043, 0.15, 150))  # 3.5 standard errors
    assert is_preferred(folds, rng.normal(0.043, 0.5, 150))
    assert is_preferred(-folds, rng.normal(-0.043, 0.15, 150))


def test_rows_of_groups_and_of_time_do_not_tell_luck(rng):
    problem = fake_problem(rng, n=60, n_folds=3)
    one, other = (SimpleNamespace(predictions=rng.normal(size=60)) for _ in range(2))
    expected = (problem.y - one.predictions) ** 2 - (problem.y - other.predictions) ** 2
    assert_close(row_gaps(problem, one, other), expected, rtol=1e-12)
    other.predictions[:5] = np.nan  # of a fold that it has not finished
    assert_close(row_gaps(problem, one, other), expected[5:], rtol=1e-12)
    problem.scheme = splits.Scheme("regression", ordered=True)
    assert row_gaps(problem, one, other) is None
    problem.scheme = splits.Scheme("regression", groups=np.arange(60) // 3)
    assert row_gaps(problem, one, other) is None


def linear_and_step(rng, names, n=120, n_folds=5):
    """A problem of a line and a step, and its table."""
    frame = pl.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)})
    y = 2 * frame["a"].to_numpy() + 2.0 * (frame["b"].to_numpy() > 0) + 0.3 * rng.normal(size=n)
    scheme = splits.Scheme("regression")
    folds, _ = splits.outer_folds(y, scheme, n_folds, 1, 0)
    metric, metrics = scoring.choose_metrics("regression", None)
    problem = Problem(
        LearningTable(frames.as_frame(frame), y, scheme=scheme), folds=folds, metric=metric,
        metrics=metrics, rule="min", seed=0, kinds={"a": "number", "b": "number"},
        candidates={c.name: c for c in candidates("regression") if c.name in names},
    )  # fmt: skip
    return problem, frame


def test_boosting_in_the_stack_is_the_mean_of_its_fits(rng, tmp_path):
    problem, frame = linear_and_step(rng, ["lasso", "gradient-boosting"], n_folds=3)
    designs, effort = Designs(problem), Effort(inner_folds=0)
    records = {
        (name, k): run(problem, designs, name, k, effort=effort) for name in problem.candidates for k in (0, 1, 2)
    }
    results = [
        ModelResult(name, name, "", 2.0, status="done", estimator=run(problem, designs, name, ALL_ROWS).estimator)
        for name in problem.candidates
    ]
    found = make_stack(problem, records, results, [0, 1, 2])
    fits = dict(zip(found.settings, found.estimator.members_))
    assert [len(fits["lasso"]), len(fits["gradient-boosting"])] == [1, 4]  # all rows, and three folds
    expected = sum(
        w * np.mean([fit.predict(frame) for fit in fits[name]], axis=0)
        for name, w in zip(found.settings, found.estimator.weights)
    )
    np.testing.assert_allclose(found.estimator.predict(frame), expected)
    model_file.save(found.estimator, tmp_path / "stack.statlearn")
    np.testing.assert_allclose(model_file.load(tmp_path / "stack.statlearn").predict(frame), expected)
    # Fitted again, as a learning curve does, each member is one fit.
    assert [len(parts) for parts in found.estimator.fit(frame, problem.y).members_] == [1, 1]


def test_members_that_finished_different_folds_are_stacked_on_those_they_share(rng):
    problem, _ = linear_and_step(rng, MODELS)
    designs = Designs(problem)
    counts = {"lasso": 5, "regression-tree": 3}
    records = {(name, k): run(problem, designs, name, k) for name, count in counts.items() for k in range(count)}
    results = [
        ModelResult(name, name, "", 2.0, status="done", estimator=run(problem, designs, name, ALL_ROWS).estimator)
        for name in counts
    ]
    found = make_stack(problem, records, results, list(range(5)))
    assert set(found.settings) == set(counts)
    np.testing.assert_array_equal(np.isfinite(found.scores["rmse"]), [True, True, True, False, False])
    assert len(found.fit_seconds) == len(found.predict_seconds) == 3
    judged = np.concatenate([problem.folds[k][1] for k in range(3)])
    assert np.isfinite(found.predictions[judged]).all()
    assert np.isnan(np.delete(found.predictions, judged)).all()


def test_a_member_far_outside_the_range_of_the_target_is_cut_off():
    X, y = [[0.0], [1.0]], [0.0, 10.0]
    members = [[DummyRegressor(strategy="constant", constant=value).fit(X, y)] for value in (4.0, 1e9)]
    assert BlendRegressor.of(members, [0.5, 0.5], y).predict([[0.0]]) == [(4 + 15) / 2]
    assert BlendRegressor.of(members, [0.5, 0.5], y, bounded=False).predict([[0.0]]) == [(4 + 1e9) / 2]


def test_one_wild_prediction_does_not_cost_a_member_its_weight(rng):
    problem, _ = linear_and_step(rng, ["lasso", "regression-tree"])
    designs, effort = Designs(problem), Effort(inner_folds=0)
    records = {
        (name, fold): run(problem, designs, name, fold, effort=effort)
        for name in problem.candidates
        for fold in [ALL_ROWS, *range(5)]
    }
    results = [
        ModelResult(name, name, "", 2.0, status="done", estimator=records[name, ALL_ROWS].estimator)
        for name in problem.candidates
    ]
    before = make_stack(problem, records, results, list(range(5)))
    records["lasso", 0].predictions[0] = 1e9
    after = make_stack(problem, records, results, list(range(5)))
    assert before.settings["lasso"] > 0.25
    assert after.settings["lasso"] > 0.05  # its squared error as it stands is 1e18
    assert after.scores["rmse"][0] < 5 * before.scores["rmse"][0]


def test_the_remark_counts_the_folds_by_which_the_stack_was_judged(made, monkeypatch):
    def judged_by_fewer(*args):
        result = make_stack(*args)
        for scores in result.scores.values():
            scores[-1] = np.nan
        return result

    monkeypatch.setattr("statlearn.app.compare.fits.stack.stack", judged_by_fewer)
    found = compare(*made, models=MODELS, folds=4)
    assert found.model(STACK).remark.startswith("3 of 4 folds")
