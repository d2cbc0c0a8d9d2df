"""Warnings before anything is fitted agree with what a comparison finds afterwards."""

import numpy as np
import polars as pl

from statlearn.app.compare.planning import make_plan
from statlearn.app.compare.request import Request
from statlearn.app.honesty.preview import warnings_before
from statlearn.app.studio.choices import Choices
from statlearn.app.studio.tables import OpenTable
from statlearn.app.tables.table import as_table


def codes(frame, target, **roles):
    table = as_table(frame)
    choices = Choices("t", roles={target: "target", **{name: role for role, name in roles.items()}} if target else {})
    profile = OpenTable(table).profile(choices)
    time = roles.get("time")
    found = warnings_before(table, target, groups=roles.get("group"), time_order=time, profile=profile)
    return {f.code: f for f in found}


def panel(n=300, seed=0):
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(n // 10), 10)
    x = rng.normal(size=n)
    y = x + rng.normal(0, 2, n // 10)[person] + rng.normal(0, 0.3, n)
    return pl.DataFrame({"person_id": [f"p{k}" for k in person], "x": x, "y": y})


def test_groups_and_leaks_are_those_of_the_plan():
    frame = panel().with_columns(copy=pl.col("y") * 2 + 1)
    found = codes(frame, "y")
    plan = make_plan(Request(as_table(frame), "y", folds=3))
    assert plan.design.groups == "person_id"
    assert "person_id" in found["GROUP-FOLDS"].detail
    assert [leak.column for leak in plan.problem.leaks] == ["copy"]
    assert "copy" in found["TARGET-IN-DISGUISE"].detail
    assert "GROUP-FOLDS" not in codes(frame, "y", group="person_id")


def test_a_clean_table_has_no_warnings():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({name: rng.normal(size=300) for name in "abcy"})
    assert codes(frame, "y") == codes(frame, None) == {}


def test_sentinels_and_copies_need_no_target():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    frame = pl.DataFrame({"x": x, "again": 3 * x + 1, "s": np.where(np.arange(100) < 5, -999.0, rng.normal(size=100))})
    assert set(codes(frame, None)) == {"SENTINEL", "REPEATED-COLUMN"}


def test_later_rows_that_differ_are_reported_with_a_time():
    rng = np.random.default_rng(0)
    n = 400
    a, b, y = rng.normal(size=(3, n))
    frame = pl.DataFrame({"day": np.arange(n), "a": a + 3 * (np.arange(n) > 330), "b": b, "y": y})
    found = codes(frame, "y", time="day")
    assert "'a'" in found["TIME-DRIFT"].detail
    assert "'b'" not in found["TIME-DRIFT"].detail


def test_a_target_that_cannot_be_used_is_reported():
    frame = panel().with_columns(y=pl.lit(1.0))
    assert codes(frame, "y")["TARGET"].severity == "serious"
