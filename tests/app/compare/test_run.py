"""The comparison: what it finds, that it is honest, and what it refuses."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, train_test_split
from sklearn.pipeline import make_pipeline

import statlearn
from statlearn import datasets
from statlearn.app.compare.progress import Progress
from statlearn.app.compare.run import compare
from statlearn.app.errors import DataError, UsageError
from statlearn.linear import LassoCV, LinearRegression
from statlearn.prep import TableTransformer
from tests.helpers import assert_close

FEW = ["least-squares", "lasso"]


@pytest.fixture(scope="module")
def diabetes():
    data = datasets.load("diabetes")
    return compare(data.frame, data.target, models=FEW, folds=5, source="diabetes")


@pytest.fixture(scope="module")
def iris():
    data = datasets.load("iris")
    return compare(data.frame, data.target, models=["logistic*"], folds=4, repeats=2)


def test_scores_are_those_of_a_plain_cross_validation(diabetes):
    data = datasets.load("diabetes")
    X, y = data.X.to_pandas(), data.y.astype(float)
    train, held = train_test_split(np.arange(len(y)), test_size=88, random_state=0)
    train, held = np.sort(train), np.sort(held)
    assert np.array_equal(diabetes.train_rows, train)
    assert np.array_equal(diabetes.holdout_rows, held)
    model = make_pipeline(TableTransformer(drop="first"), LinearRegression())
    expected = []
    for a, b in KFold(5, shuffle=True, random_state=0).split(train):
        fitted = clone(model).fit(X.iloc[train[a]], y[train[a]])
        expected.append(np.sqrt(np.mean((y[train[b]] - fitted.predict(X.iloc[train[b]])) ** 2)))
    found = diabetes.model("least-squares")
    assert_close(found.scores["rmse"], expected, rtol=1e-10, atol=0)
    final = model.fit(X.iloc[train], y[train])
    assert_close(found.estimator.predict(X.iloc[held]), final.predict(X.iloc[held]), rtol=1e-10, atol=0)
    rmse = np.sqrt(np.mean((y[held] - diabetes.holdout_predictions[diabetes.best]) ** 2))
    assert diabetes.holdout_scores[diabetes.best]["rmse"][0] == pytest.approx(rmse)


def test_tuning_happens_inside_the_training_part(diabetes):
    """The settings of a fold are those of a fit that has never seen its test rows."""
    data = datasets.load("diabetes")
    X, y = data.X.to_pandas(), data.y.astype(float)
    train = diabetes.train_rows
    a, _ = next(KFold(5, shuffle=True, random_state=0).split(train))
    inner = KFold(5, shuffle=True, random_state=0)
    table = TableTransformer(scale=True, drop="first")
    alone = LassoCV(cv=inner, random_state=0).fit(table.fit_transform(X.iloc[train[a]]), y[train[a]])
    assert diabetes.model("lasso").fold_settings[0]["alpha"] == pytest.approx(alone.alpha_, rel=1e-9)


def test_the_result_is_complete(diabetes):
    assert diabetes.complete
    assert diabetes.task == "regression"
    assert [m.status for m in diabetes.models] == ["done"] * 3
    means = [m.scores["rmse"].mean() for m in diabetes.models]
    assert means == sorted(means)
    assert diabetes.baseline == "mean-of-the-target"
    assert diabetes.models[-1].name == diabetes.baseline
    assert {d.name for d in diabetes.differences} == {m.name for m in diabetes.models} - {diabetes.best}
    assert all(d.mean >= 0 and 0 <= d.p_value <= 1 for d in diabetes.differences)
    best = diabetes.model(diabetes.best)
    assert np.isfinite(best.predictions).all()
    assert diabetes.verdict.count(". ") == 2  # the best, the simplest, the held-out rows
    assert best.label.lower() in diabetes.verdict.lower()
    assert diabetes.model("lasso").tuning.parameter == "alpha"
    assert 0 < diabetes.model("lasso").n_parameters <= 10
    assert diabetes.seconds > 0
    for name in diabetes.holdout_scores:
        for value, lower, upper in diabetes.holdout_scores[name].values():
            assert lower <= value <= upper


def test_tables_are_frames(diabetes, iris):
    board = diabetes.leaderboard()
    assert board["model"].to_list() == [m.name for m in diabetes.models]
    assert {"rmse", "rmse_se", "mae", "r2", "behind_best", "p_value", "fit_seconds", "size_bytes"} <= set(board.columns)
    assert len(diabetes.fold_scores()) == 3 * 3 * 5
    assert set(diabetes.holdout()["metric"]) == {"rmse", "mae", "r2"}
    assert diabetes.honesty().columns[0] == "code"
    assert len(diabetes.predictions()) == 442
    table = iris.predictions()
    assert len(table) == 150
    assert {"probability of setosa", "prediction"} <= set(table.columns)
    text = repr(iris)
    assert iris.verdict in text
    assert "class frequencies" in text


def test_three_classes_with_repeats(iris):
    assert iris.task == "classification"
    assert iris.profile.classes == ["setosa", "versicolor", "virginica"]
    best = iris.model(iris.best)
    assert len(best.scores["log_loss"]) == 8
    assert_close(best.predictions.sum(axis=1), 1, atol=0)
    assert best.scores["accuracy"].mean() > 0.9


def test_the_same_seed_gives_the_same_numbers(diabetes):
    data = datasets.load("diabetes")
    again = compare(data.frame, data.target, models=FEW, folds=5)
    for model in diabetes.models:
        for metric, scores in model.scores.items():
            np.testing.assert_array_equal(again.model(model.name).scores[metric], scores)
    other = compare(data.frame, data.target, models=["least-squares"], folds=5, random_state=1)
    assert not np.array_equal(other.train_rows, diabetes.train_rows)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_mixed_tables_of_both_makers(make):
    data = datasets.load("loans")
    columns = {name: data.frame[name].to_list() for name in data.frame.columns}
    result = compare(make(columns), "paid_back", models=["logistic-no-penalty"], folds=3)
    assert result.task == "classification"
    assert not any(f.code == "FAILED" for f in result.findings)
    kinds = {c.name: c.kind for c in result.profile.columns}
    assert kinds["asked"] == "date"
    assert kinds["purpose"] == "category"
    assert result.best == "logistic-no-penalty"


def test_arrays_and_the_door_of_the_library(rng):
    X = rng.normal(size=(80, 3))
    result = statlearn.compare(X, X[:, 0] + 0.1 * rng.normal(size=80), models=["least-squares"], folds=4, holdout=0)
    assert result.target == "y"
    assert result.holdout_scores == {}
    assert len(result.train_rows) == 80
    assert result.model("least-squares").scores["r2"].min() > 0.9


def test_a_model_that_was_not_compared_is_named():
    table = pd.DataFrame({"x": np.arange(40) % 7, "kind": ["a", "b"] * 20})
    found = compare(table, "kind", models=["logistic-l2"], folds=2, holdout=0)
    with pytest.raises(
        UsageError, match=r"must be one of the compared models \(class-frequencies, logistic-l2\), got 'knn'"
    ):
        found.model_for_use("knn")


def test_a_comparison_is_opened_from_its_folder(tmp_path):
    from statlearn.app.compare.comparison import Comparison
    from statlearn.app.errors import DataError

    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.normal(size=120), "t": rng.choice(["x", "y"], 120), "n": np.arange(120)})
    frame = frame.with_columns(pl.date(2024, 1, 1) + pl.duration(days=pl.col("n")).alias("day")).drop("n")
    y = frame["a"].to_numpy() + 0.1 * rng.normal(size=120)
    result = compare(frame, y, models=["lasso", "regression-tree"], folds=3).inspect(seconds=5)
    result.write(tmp_path)
    again = Comparison.open(tmp_path)
    assert again.verdict == result.verdict
    assert repr(again) == repr(result)
    assert again.leaderboard().equals(result.leaderboard())
    assert again.predictions().equals(result.predictions())
    np.testing.assert_array_equal(again.model_for_use().predict(frame), result.model_for_use().predict(frame))
    with pytest.raises(UsageError, match="needs the table"):
        again.inspect()
    Comparison.open(tmp_path, frame).inspect(seconds=1, models=[again.best], learning=False)
    with pytest.raises(DataError, match="not the folder of a finished comparison"):
        Comparison.open(tmp_path / "elsewhere")


def test_groups_and_order_of_time(rng):
    n = 120
    frame = pl.DataFrame({
        "person": [f"p{k % 15}" for k in range(n)],
        "day": [datetime.date(2024, 1, 1) + datetime.timedelta(days=int(d)) for d in rng.permutation(n)],
        "x": rng.normal(size=n),
        "y": rng.normal(size=n),
    })  # fmt: skip
    grouped = compare(frame, "y", groups="person", models=["lasso"], folds=5)
    people = np.array(frame["person"].to_list())
    assert not set(people[grouped.train_rows]) & set(people[grouped.holdout_rows])
    assert "person" not in grouped.features.columns
    assert isinstance(grouped.model("lasso").estimator.steps[-1][1].cv, int)
    timed = compare(frame, "y", time_order="day", models=["least-squares"], folds=4)
    days = frame["day"].to_numpy()
    assert days[timed.train_rows].max() <= days[timed.holdout_rows].min()
    assert not np.isfinite(timed.model("least-squares").predictions).all()  # the first rows are never tested
    assert not any(f.code == "TIME-ORDER" for f in timed.findings)


def test_rows_without_a_target_are_left_out_with_a_note(rng):
    y = rng.normal(size=60)
    y[:5] = np.nan
    result = compare(rng.normal(size=(60, 2)), y, models=["least-squares"], folds=3)
    assert any("5 rows without a target" in note for note in result.profile.notes)
    assert set(result.train_rows) | set(result.holdout_rows) == set(range(5, 60))


def test_settings_that_a_model_refuses_on_a_fold_are_left_out(rng):
    # 15 coefficients of a local quadratic in four columns: the smallest span has too few rows in inner folds.
    X = rng.uniform(size=(96, 4))
    result = compare(X, np.sin(6 * X[:, 0]) + 0.2 * rng.normal(size=96), models=["loess"], folds=3, holdout=0)
    loess = result.model("loess")
    assert loess.status == "done"
    assert any("settings could not be fitted" in line and "'span': 0.3" in line for line in loess.warnings)
    assert all(settings["span"] > 0.3 for settings in loess.fold_settings)


def test_a_grid_is_tuned_by_the_metric_inside_the_folds(rng):
    X = rng.normal(size=(90, 4))
    y = X[:, 0] + rng.standard_t(2, size=90)
    result = compare(X, y, models=["median-regression-l1"], metric="mae", folds=3, rule="one_se")
    model = result.model("median-regression-l1")
    assert model.tuning.metric == "mae"
    assert model.tuning.chosen == model.tuning.one_se <= model.tuning.best
    assert model.settings["alpha"] == model.tuning.values[model.tuning.chosen]
    assert len(model.fold_settings) == 3


def test_a_model_that_fails_is_told_of_and_the_rest_goes_on(rng, monkeypatch):
    def fail(*_, **__):
        raise ValueError("no luck today")

    monkeypatch.setattr(LassoCV, "fit", fail)
    X = rng.normal(size=(60, 3))
    result = compare(X, X[:, 0], models=FEW, folds=3)
    assert result.model("lasso").status == "failed"
    assert "no luck today" in result.model("lasso").error
    assert result.models[-1].name == "lasso"
    assert any(f.code == "FAILED" and f.models == ["lasso"] for f in result.findings)


class Recorder(Progress):
    def __init__(self, stop_after=None):
        self.units, self.stop_after, self.done = [], stop_after, None

    def start(self, models, n_units, done):
        self.n_units, self.done = n_units, done

    def unit(self, record, label):
        self.units.append((record.model, record.fold))
        if len(self.units) == self.stop_after:
            raise KeyboardInterrupt


def test_interrupted_work_gives_what_is_finished_and_goes_on(rng, tmp_path):
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + rng.normal(size=80)
    settings = {"models": FEW, "folds": 5, "out": tmp_path / "out"}
    whole = compare(X, y, **{**settings, "out": None})
    stopped = compare(X, y, progress=Recorder(11), **settings)
    assert not stopped.complete
    assert stopped.stopped_by == "interrupt"
    finished = {model.name: np.isfinite(model.scores["rmse"]) for model in stopped.models}
    assert sorted(int(folds.sum()) for folds in finished.values()) == [2, 3, 3]
    assert any(f.code == "UNFINISHED" for f in stopped.findings)
    for name, folds in finished.items():
        np.testing.assert_array_equal(
            stopped.model(name).scores["rmse"][folds], whole.model(name).scores["rmse"][: len(folds)][folds]
        )
    seen = Recorder()
    resumed = compare(X, y, progress=seen, resume=True, **settings)
    assert seen.done == 11 - 3  # models that are fitted in no time are fitted again
    assert len(seen.units) == 18 - seen.done
    assert resumed.complete
    for model in whole.models:
        again = resumed.model(model.name)
        np.testing.assert_array_equal(again.scores["rmse"], model.scores["rmse"])
        np.testing.assert_array_equal(again.predictions, model.predictions)
        assert again.settings == model.settings
        np.testing.assert_array_equal(
            again.estimator.predict(resumed.features), model.estimator.predict(whole.features)
        )
    resumed.write(tmp_path / "out")
    assert not (tmp_path / "out" / "state").exists()


def test_interrupted_too_early(rng, tmp_path):
    from statlearn.app.errors import Interrupted

    X = rng.normal(size=(40, 2))
    with pytest.raises(Interrupted, match="`resume`"):
        compare(X, X[:, 0], models=FEW, folds=3, progress=Recorder(4), out=tmp_path / "out")


def test_resuming_something_else_is_refused(rng, tmp_path):
    from statlearn.app.errors import StateError

    X = rng.normal(size=(60, 2))
    compare(X, X[:, 0], models=FEW, folds=5, progress=Recorder(11), out=tmp_path)
    with pytest.raises(StateError, match="seed"):
        compare(X, X[:, 0], models=FEW, folds=5, random_state=1, out=tmp_path, resume=True)
    with pytest.raises(StateError, match="data"):
        compare(X, X[:, 1], models=FEW, folds=5, out=tmp_path, resume=True)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"y": "nothing"}, "unknown column 'nothing'"),
        ({"y": "yy"}, "did you mean 'y'"),
        ({"task": "sorting"}, "`task` must be"),
        ({"metric": "beauty"}, "`metric` must be one of rmse"),
        ({"models": ["magic"]}, "unknown model 'magic'"),
        ({"folds": 1}, "`folds` must be"),
        ({"repeats": 0}, "`repeats` must be"),
        ({"holdout": 1.5}, "`holdout` must be"),
        ({"rule": "max"}, "`rule` must be"),
        ({"search": "random"}, "`search` must be"),
        ({"random_state": -1}, "`random_state` must be"),
        ({"time_limit": 0}, "`time_limit` must be"),
        ({"n_jobs": 0}, "`n_jobs` must be"),
        ({"mute": ["LEEK"]}, "unknown finding 'LEEK'"),
        ({"resume": True}, "`resume` needs"),
        ({"groups": "who"}, "`groups`: unknown column"),
    ],
)
def test_wrong_arguments_are_named(change, words, rng):
    frame = pl.DataFrame({"x": rng.normal(size=30), "y": rng.normal(size=30)})
    arguments = {"X": frame, "y": "y", "models": ["least-squares"], **change}
    with pytest.raises(UsageError, match=words):
        compare(**arguments)


def table(**columns):
    n = 40
    rng = np.random.default_rng(0)
    made = {"x": rng.normal(size=n), "y": rng.normal(size=n)}
    return pl.DataFrame({**made, **columns}, strict=False)


@pytest.mark.parametrize(
    "frame, words",
    [
        (table(y=[1.0] * 40), "constant"),
        (table(y=[None] * 40), "is missing in every row"),
        (table(y=["a", "b"] * 19 + ["a", "c"]), "only one row: 'c'"),
        (table(y=[float("inf")] + [1.0, 2.0, 3.5] * 13), "infinite"),
        (table().head(1), "too few"),
        (table().head(9), "too few"),
        (table().select("y"), "no columns besides the target"),
        (table(x=[1.0] * 40), "(?i)no usable columns"),
        (table(x=[None] * 40), "(?i)no usable columns"),
        (table(y=[f"name{k}" for k in range(40)]), "too many for classification"),
    ],
)
def test_tables_that_cannot_be_learned_from(frame, words):
    with pytest.raises(DataError, match=words):
        compare(frame, "y")


def test_strange_columns_do_no_harm(rng):
    n = 60
    x = rng.normal(size=n)
    frame = pl.DataFrame({
        "x": x,
        "empty": pl.Series([None] * n, dtype=pl.Float64),
        "infinite": [float("inf")] + x[1:].tolist(),
        "mixed": [str(k) if k % 2 else "text" for k in range(n)],
        "id": np.arange(n),
        "y": x + 0.1 * rng.normal(size=n),
    })  # fmt: skip
    result = compare(frame, "y", models=["lasso"], folds=3)
    assert result.model("lasso").status == "done"
    assert result.best == "lasso"
    assert any("Infinite values" in note and "'infinite'" in note for note in result.profile.notes)


def test_more_columns_than_rows(rng):
    X = rng.normal(size=(40, 300))
    result = compare(X, 3 * X[:, 0] + 0.1 * rng.normal(size=40), models=["lasso"], folds=3)
    assert result.best == "lasso"
    assert any(f.code == "WIDE" for f in result.findings)
