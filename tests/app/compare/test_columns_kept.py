"""No predictor is lost: what columns are taken for, what is left out, and that it is reported."""

import numpy as np
import polars as pl
import pytest

from statlearn.app.compare.run import compare
from statlearn.app.errors import UsageError
from statlearn.app.setting_names import command_line
from statlearn.app.tables import frames
from statlearn.app.tables.profile import column_kinds, profile_table

FEW = ["least-squares", "lasso"]


def dose_table(rng, n=100):
    dose = np.arange(1, n + 1)
    return pl.DataFrame(
        {"dose": dose, "noise": rng.normal(size=n), "response": 50 + 0.5 * dose + rng.normal(0, 3, size=n)}
    )


def test_a_dose_that_counts_from_one_is_a_predictor(rng):
    result = compare(dose_table(rng), "response", models=FEW, folds=5)
    assert result.best != result.baseline
    assert "significantly better than the baseline" in result.verdict
    assert result.profile.left_out == {}
    assert "dose" in result.model_for_use().columns


def test_twelve_rows_of_a_line(rng):
    x = np.arange(1, 13)
    result = compare(pl.DataFrame({"x": x, "y": 2 * x + 0.1 * rng.normal(size=12)}), "y", models=FEW, folds=4)
    assert result.best != result.baseline


@pytest.mark.parametrize(
    "name", ["id", "user_id", "customerId", "rownames", "Unnamed: 0", "", "uuid", "Kundennr", "order_no", "beleg_nr"]
)
def test_identifiers_are_known_by_their_name_left_out_and_named(name, rng):
    frame = dose_table(rng).with_columns(pl.Series("key", rng.permutation(100) + 7)).rename({"key": name})
    result = compare(frame, "response", models=FEW, folds=3)
    assert result.profile.left_out == {name: "identifier"}
    assert f"Columns left out: {name!r}." in result.verdict
    found = next(f for f in result.findings if f.code == "LEFT-OUT")
    assert repr(name) in found.detail
    assert "`keep`" in found.advice


@pytest.mark.parametrize("name", ["dose", "price", "position", "paid", "x"])
def test_other_distinct_numbers_are_numbers(name):
    kinds, left_out, _ = column_kinds(frames.as_frame(pl.DataFrame({name: range(1, 51), "z": [0.0, 1.5] * 25})))
    assert kinds[name] == "number"
    assert left_out == {}


def test_keep_and_drop(rng):
    frame = dose_table(rng).with_columns(
        user_id=rng.permutation(100) + 7, code=pl.Series([f"k{i}" for i in range(100)])
    )
    kept = compare(frame, "response", models=FEW, folds=3, keep=["user_id"], drop=["noise"])
    assert set(kept.profile.left_out) == {"noise", "code"}
    assert set(kept.model_for_use().columns) == {"dose", "user_id"}
    assert "'noise'" not in kept.verdict  # nobody has to be told what they have asked for
    with pytest.raises(UsageError, match="`keep`: unknown column 'usr_id'; did you mean 'user_id'"):
        compare(frame, "response", keep=["usr_id"])
    with pytest.raises(UsageError, match="`keep` and `drop` both name 'dose'"):
        compare(frame, "response", keep="dose", drop="dose")
    with command_line(), pytest.raises(UsageError, match="--keep: unknown column"):
        compare(frame, "response", keep=["usr_id"])


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_an_identifier_that_is_associated_with_the_target_is_kept(task, rng):
    number = np.sort(rng.choice(10_000, 120, replace=False))
    y = 0.01 * number + rng.normal(size=120)
    frame = pl.DataFrame({"account_id": number, "noise": rng.normal(size=120)})[rng.permutation(120).tolist()]
    y = 0.01 * frame["account_id"].to_numpy() + 5 * rng.normal(size=120)
    target = y if task == "regression" else np.where(y > np.median(y), "high", "low")
    models = FEW if task == "regression" else ["logistic-l2"]
    result = compare(frame, target, models=models, folds=3)
    assert result.profile.left_out == {}
    assert any(f.code == "IDENTIFIER" and "account_id" in f.detail for f in result.findings)


def test_the_number_of_the_row_is_not_a_predictor_in_a_sorted_table(rng):
    y = np.sort(rng.normal(size=100))
    frame = pl.DataFrame({"rownames": np.arange(1, 101), "x": y + rng.normal(size=100)})
    result = compare(frame, y, models=FEW, folds=3)
    found = next(f for f in result.findings if f.code == "LEFT-OUT")
    assert found.severity == "warning"
    assert "sorted" in found.detail


def test_row_numbers_are_known_in_a_table_with_gaps_in_the_target(rng):
    y = np.sort(rng.normal(size=100))
    frame = pl.DataFrame({"rownames": np.arange(1, 101), "x": rng.normal(size=100), "y": y})
    frame = frame.with_columns(y=pl.when(pl.col("rownames") % 5 > 0).then(pl.col("y")))
    result = compare(frame, "y", models=FEW, folds=3)
    assert result.profile.left_out == {"rownames": "identifier"}
    assert not any(f.code in ("IDENTIFIER", "SAMPLED") for f in result.findings)


def test_describe_and_compare_agree(rng):
    n = 60
    frame = pl.DataFrame(
        {
            "dose": np.arange(1, n + 1), "id": rng.permutation(n) + 5, "code": [f"A{k:05d}" for k in range(n)],
            "pct": [f"{k % 7} %" for k in range(n)], "colour": ["red", "green", "blue"] * (n // 3),
            "flag": [True, False] * (n // 2), "same": ["x"] * n, "y": rng.normal(size=n),
        }
    )  # fmt: skip
    described = profile_table(frames.as_frame(frame), target="y")
    compared = compare(frame, "y", models=FEW, folds=3).profile
    kinds = {column.name: column.kind for column in described.columns if column.name != "y"}
    assert kinds == {column.name: column.kind for column in compared.columns}
    assert described.left_out == compared.left_out == {
        "id": "identifier", "code": "identifier", "same": "constant"
    }  # fmt: skip
    assert kinds["pct"] == "number"


def test_rows_without_a_target_are_not_a_sample(rng):
    frame = dose_table(rng, 200).with_columns(
        response=pl.when(pl.col("dose") > 60).then(pl.col("response")).otherwise(None)
    )
    result = compare(frame, "response", models=FEW, folds=3, n_rows=200)
    assert not any(f.code == "SAMPLED" for f in result.findings)
    assert result.profile.sampled_rows is None
    assert any("60 rows without a target" in note for note in result.profile.notes)
    sampled = compare(frame, "response", models=FEW, folds=3, n_rows=1000)
    found = next(f for f in sampled.findings if f.code == "SAMPLED")
    assert "140 of 1,000 rows" in found.detail


def test_target_by_name_and_formula(rng):
    frame = dose_table(rng)
    by_name = compare(frame, target="response", models=FEW, folds=3)
    by_formula = compare(frame, "response ~ dose + noise", models=FEW, folds=3)
    for model in by_name.models:
        np.testing.assert_array_equal(by_formula.model(model.name).scores["rmse"], model.scores["rmse"])
    assert list(compare(frame, "response ~ . - noise", models=FEW, folds=3).model_for_use().columns) == ["dose"]
    with pytest.raises(UsageError, match="no target was given"):
        compare(frame)
    with pytest.raises(UsageError, match="pass only one of them"):
        compare(frame, "response", target="response")
