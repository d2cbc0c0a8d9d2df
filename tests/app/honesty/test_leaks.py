"""Columns that know the target too well."""

import re

import numpy as np
import polars as pl
import pytest

import statlearn
from statlearn.app.honesty.leaks import (
    DOUBT,
    determining_columns,
    find_leaks,
    repeated_columns,
    repeated_units,
    suspicious_columns,
)
from statlearn.app.tables import frames


def codes(columns, truth, classes=None):
    frame = frames.as_frame(pl.DataFrame(columns))
    return {detail.split("'")[1]: code for code, detail in suspicious_columns(frame, np.asarray(truth), classes)}


def test_a_quantity_in_disguise(rng):
    y = rng.normal(size=800)
    found = codes(
        {
            "copy": 3 - 2 * y,
            "ranks": np.exp(y),
            "near": y + 0.05 * rng.normal(size=800),
            "honest": y + rng.normal(size=800),
            "noise": rng.normal(size=800),
            "band": np.floor(40 * y).astype(int).astype(str).tolist(),
        },
        y,
    )
    disguised = dict.fromkeys(("copy", "ranks"), "TARGET-IN-DISGUISE")
    assert found == disguised | {"near": "LEAK", "band": "LEAK"}


def test_a_curve_gives_the_target_away_too(rng):
    x = rng.uniform(-2, 2, size=3000)
    assert codes({"x": x}, x**2 + 0.02 * rng.normal(size=3000)) == {"x": "LEAK"}


def test_two_classes(rng):
    y = rng.integers(0, 2, size=500)
    found = codes(
        {
            "code": 5 - 3 * y,
            "word": np.where(y == 1, "yes", "no").tolist(),
            "score": y + 0.25 * rng.normal(size=500),
            "honest": y + rng.normal(size=500),
            "colour": rng.choice(["a", "b"], size=500).tolist(),
            "person": [f"p{k}" for k in range(500)],
        },
        y,
        np.array([0, 1]),
    )
    assert found == {"code": "TARGET-IN-DISGUISE", "word": "TARGET-IN-DISGUISE", "score": "LEAK"}


def test_many_classes(rng):
    y = rng.integers(0, 4, size=600)
    spoiled = y.copy()
    spoiled[0] = (y[0] + 1) % 4
    found = codes({"code": 10 * y, "almost": spoiled, "half": y // 2}, y, np.arange(4))
    assert found == {"code": "TARGET-IN-DISGUISE", "almost": "LEAK"}


@pytest.mark.parametrize("n", [15, 30_000])
def test_short_and_long_tables(n, rng):
    y = rng.normal(size=n)
    found = codes({"copy": y, "noise": rng.normal(size=n)}, y)
    assert found == ({} if n < 20 else {"copy": "TARGET-IN-DISGUISE"})


def severe(columns, truth, classes=None):
    found = find_leaks(frames.as_frame(pl.DataFrame(columns)), np.asarray(truth), classes, alone=False)
    return [leak.column for leak in found if leak.severe]


@pytest.mark.parametrize("share", [0.98, 0.99])
def test_near_copies_are_severe(share, rng):
    n = 1000
    changed = rng.random(n) > share
    y = rng.normal(50, 10, size=n)
    columns = {
        "scaled": np.where(changed, rng.permutation(y), y) * 100 + 3,
        "percent": [f"about {v:.4f} %" for v in np.where(changed, rng.permutation(y), y)],
        "honest": y + rng.normal(0, 5, n),
    }
    assert severe(columns, y) == ["scaled", "percent"]
    classes = rng.integers(0, 3, size=n)
    other = np.where(changed, (classes + 1) % 3, classes)
    names = np.array(["red", "green", "blue"])
    columns = {
        "copy": np.array(list("xyz"))[other].tolist(),
        "said": [f"it was {names[k]} ({j})" for j, k in enumerate(other)],
        "two": (classes > 0).astype(int),
        "many": [f"{k}{j % 5}" for j, k in enumerate(np.where(rng.random(n) > 0.9, (classes + 1) % 3, classes))],
    }
    found = severe(columns, classes, names)
    assert found == ["copy", "said"]
    flags = rng.integers(0, 2, size=n)
    assert severe({"flag": np.where(changed, 1 - flags, flags), "x": rng.normal(size=n)}, flags, np.array([0, 1])) == [
        "flag"
    ]


def test_a_column_that_beats_all_others_together_is_asked_about(rng):
    n = 1500
    X = rng.normal(size=(n, 5))
    y = X[:, 0] + X[:, 1] + 2 * rng.normal(size=n)
    columns = {f"x{j}": X[:, j] for j in range(5)}
    (leak,) = find_leaks(frames.as_frame(pl.DataFrame(columns | {"after": y + 0.6 * rng.normal(size=n)})), y, None)
    assert (leak.column, leak.code, leak.severe) == ("after", "STRONG-COLUMN", False)
    assert "the other 5 columns together" in leak.detail
    assert find_leaks(frames.as_frame(pl.DataFrame(columns)), y, None) == []
    # A strong cause among others that carry it too is nothing to ask about.
    twins = {"a": X[:, 0], "b": X[:, 0] + 0.1 * rng.normal(size=n), "c": X[:, 1], "d": X[:, 2]}
    assert find_leaks(frames.as_frame(pl.DataFrame(twins)), X[:, 0] + 0.3 * rng.normal(size=n), None) == []


def test_scores_that_rest_on_the_target_in_disguise_change_the_verdict(rng):
    n = 200
    x = rng.normal(size=n)
    y = 10 + 2 * x + rng.normal(size=n)
    table = pl.DataFrame({"x": x, "log y": np.log(y + 20), "y": y})
    found = statlearn.compare(table, "y", models=["LinearRegression", "ridge"], folds=4)
    assert found.verdict.startswith("Left out as the target in disguise: 'log y'. ")
    honest = statlearn.compare(table.drop("log y"), "y", models=["LinearRegression", "ridge"], folds=4)
    assert not honest.with_leaks
    assert found.level(found.best) == honest.level(honest.best)
    assert "log y" not in found.model_for_use().columns
    assert found.with_leaks["mean"] < found.level(found.best)[0]
    assert f"With 'log y', {found.with_leaks['label']} has a root mean squared error of" in found.verdict
    kept = statlearn.compare(table, "y", models=["LinearRegression"], folds=4, keep=["log y"])
    assert "log y" in kept.model_for_use().columns
    assert any(f.code == "TARGET-IN-DISGUISE" for f in kept.findings)
    only = statlearn.compare(table.drop("x"), "y", models=["LinearRegression"], folds=4)
    assert "Without it there was nothing to compare" in only.verdict
    late = table.drop("log y").with_columns(invoice=pl.Series(y + 0.1 * rng.normal(size=n)))
    doubtful = statlearn.compare(late, "y", models=["ridge"], folds=4)
    assert not doubtful.with_leaks
    assert doubtful.verdict.endswith(DOUBT)
    assert DOUBT not in honest.verdict + statlearn.compare(late, "y", models=["ridge"], folds=4, mute=["LEAK"]).verdict


def test_a_rounded_form_of_the_target_is_the_target(rng):
    y = np.round(rng.uniform(300, 1200, size=240))
    found = find_leaks(frames.as_frame(pl.DataFrame({"percent": np.round(100 * y / 1200, 2)})), y, None)[0]
    assert found.severe
    assert re.fullmatch(
        r"up to rounding it is a linear function of the target \(correlation 0\.9999\d+\)\.", found.detail
    )
    near = find_leaks(frames.as_frame(pl.DataFrame({"near": y + rng.normal(0, 3, size=240)})), y, None)[0]
    assert near.detail == "on its own it explains more than 99.9% of the variance of the target."  # not 100.0%


def test_units_that_are_measured_again_are_groups_and_no_leak(rng):
    level_of = rng.normal(size=48) * 10
    states = np.repeat([f"s{k:02d}" for k in range(48)], 7)
    y = np.repeat(level_of, 7) + rng.normal(size=336) * 0.5
    table = {"state": states.tolist(), "band": [f"b{k}" for k in np.floor(y / 2).astype(int)]}
    assert list(codes(table, y)) == ["band"]
    found = repeated_units(frames.as_frame(pl.DataFrame(table)), y)
    assert list(found) == ["state"]
    assert float(found["state"].rstrip("%")) > 98


def test_gaps_that_tell_the_class_are_the_target(rng):
    y = (rng.random(240) < 0.3).astype(int)
    survey = np.where(y == 1, rng.integers(1, 11, size=240), np.nan)
    classes = np.array(["no", "yes"])
    found = find_leaks(frames.as_frame(pl.DataFrame({"exit_survey": survey})), y, classes)[0]
    assert (found.severe, found.detail) == (True, "it is missing in all rows of class 'no', and in no others.")
    survey[np.flatnonzero(y == 1)[0]] = np.nan
    found = find_leaks(frames.as_frame(pl.DataFrame({"exit_survey": survey})), y, classes)[0]
    assert found.detail == "whether it is missing tells class 'no' from the others in 99.6% of the rows."
    honest = np.where(rng.random(240) < 0.6, np.nan, 1.0 * rng.integers(1, 11, size=240))
    assert find_leaks(frames.as_frame(pl.DataFrame({"honest": honest})), y, classes) == []


def test_intervals_of_the_target_are_the_target(rng):
    y = np.round(rng.normal(600, 100, size=200))
    cuts = np.searchsorted([520, 590, 660], y)
    table = {"band": np.array(list("DCBA"))[cuts].tolist(), "grade": cuts, "passed": (y > 600).astype(int)}
    assert codes(table, y) == dict.fromkeys(table, "TARGET-IN-DISGUISE")
    apart = np.concatenate([rng.normal(1.5, 0.2, 60), rng.normal(5.0, 0.8, 140)])  # two kinds of plants
    assert codes({"kind": ["a"] * 60 + ["b"] * 140}, apart) == {}
    spoiled = np.where(np.arange(200) == 7, 3 - cuts, cuts)
    assert codes({"grade": spoiled, "size": np.round(y + rng.normal(0, 60, 200), -2)}, y) == {}


def test_columns_that_say_the_same_and_columns_that_make_up_the_target(rng):
    low, x = rng.normal(20, 5, size=90), rng.normal(size=90)
    high = low + rng.uniform(1, 9, size=90)
    words = rng.choice(["a", "b"], size=90).tolist()
    table = {"low": low, "high": high, "x": x, "fahrenheit": 1.8 * low + 32, "minus": -x, "w": words, "v": list(words)}
    frame = frames.as_frame(pl.DataFrame(table))
    assert repeated_columns(frame) == [("fahrenheit", "low"), ("minus", "x"), ("v", "w")]
    kinds = dict.fromkeys(("low", "high", "x"), "number")
    assert sorted(determining_columns(frame, (low + high) / 2, kinds)) == ["high", "low"]
    assert determining_columns(frame, rng.normal(size=90), kinds) == []


@pytest.mark.parametrize("wild", [99999.0, 1e308])
def test_one_wild_cell_does_not_make_a_column_the_target(rng, wild):
    """The tolerance was a share of the standard deviation, which the wild cell makes."""
    x, y = rng.normal(size=(2, 1000))
    x[17] = wild
    assert find_leaks(frames.as_frame(pl.DataFrame({"x": x, "z": rng.normal(size=1000)})), y, None) == []
    copy = y.copy()
    copy[17] = wild
    (leak,) = find_leaks(frames.as_frame(pl.DataFrame({"copy": copy})), y, None)
    assert leak.severe


def test_a_column_whose_cuts_are_the_classes_is_the_target(rng):
    """A birth weight told whether it is low, and was called a strong predictor."""
    weight = rng.normal(3000, 700, size=200).round()
    low = (weight < 2500).astype(int)
    (leak,) = find_leaks(frames.as_frame(pl.DataFrame({"weight": weight})), low, np.array([0, 1]))
    assert leak.severe
    apart = np.where(low == 1, rng.normal(0, 1, size=200), rng.normal(30, 1, size=200))  # as species may be
    (leak,) = find_leaks(frames.as_frame(pl.DataFrame({"apart": apart})), low, np.array([0, 1]))
    assert not leak.severe


def test_all_columns_that_are_the_target_are_left_out(rng):
    n = 200
    x = rng.normal(size=n)
    y = x + rng.normal(size=n)
    table = pl.DataFrame({"x": x, "copy": y * 2, "band": np.digitize(y, [-1.0, 0.0, 1.0]), "y": y})
    found = statlearn.compare(table, "y", models=["LinearRegression"], folds=4)
    assert set(found.model_for_use().columns) == {"x"}
    assert found.verdict.startswith("Left out as the target in disguise: 'copy' and 'band'. ")
