"""What the columns of a table are taken for, and their numbers."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from statlearn.app.tables import frames, profile
from statlearn.app.tables.profile import profile_table


@pytest.fixture
def columns():
    n = 60
    rng = np.random.default_rng(0)
    return {
        "number": rng.normal(size=n),
        "count": rng.integers(0, 5, size=n),
        "rowid": np.arange(n),
        "flag": rng.random(n) < 0.5,
        "colour": rng.choice(["red", "green"], size=n).tolist(),
        "code": [f"A{k:05d}" for k in range(n)],
        "words": [f"the quick brown fox number {k} jumps" for k in range(n)],
        "day": [datetime.date(2024, 1, 1) + datetime.timedelta(days=k % 20) for k in range(n)],
        "same": ["x"] * n,
        "empty": [None] * n,
        "holes": [None if k % 3 else float(k) for k in range(n)],
    }


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame])
def test_kinds_and_numbers(columns, make):
    if make is pd.DataFrame:
        columns = {**columns, "day": pd.to_datetime(columns["day"])}
    found = profile_table(frames.as_frame(make(columns)), source="t", target="number")
    kinds = {column.name: column.kind for column in found.columns}
    assert kinds == {
        "number": "number", "count": "number", "rowid": "identifier", "flag": "boolean", "colour": "category",
        "code": "identifier", "words": "text", "day": "date", "same": "constant", "empty": "constant",
        "holes": "number",
    }  # fmt: skip
    by_name = {column.name: column for column in found.columns}
    assert by_name["holes"].n_missing == 40
    assert by_name["holes"].n_distinct == 20
    assert by_name["number"].statistics["mean"] == pytest.approx(np.mean(columns["number"]))
    assert by_name["number"].statistics["std"] == pytest.approx(np.std(columns["number"], ddof=1))
    assert by_name["number"].histogram[1].sum() == 60
    assert sum(count for _, count in by_name["colour"].levels) == 60
    assert sum(count for _, count in by_name["count"].levels) == 60
    assert by_name["empty"].note
    assert (found.n_rows, found.source, found.target, found.sampled_rows) == (60, "t", "number", None)


def test_duplicates_and_infinite_values():
    frame = pl.DataFrame({"a": [1.0, 1.0, 2.0, float("inf")], "b": ["x", "x", "y", "z"]})
    found = profile_table(frames.as_frame(frame))
    assert found.n_duplicates == 1
    assert "1 infinite" in found.columns[0].note
    assert found.columns[0].statistics["max"] == 2.0


def test_long_tables_are_sampled_for_the_profile(monkeypatch):
    monkeypatch.setattr(profile, "SAMPLE_ROWS", 100)
    found = profile_table(frames.as_frame(pl.DataFrame({"a": np.arange(1000) % 7})))
    assert (found.n_rows, found.sampled_rows) == (1000, 100)


def test_mostly_numbers_are_noticed():
    frame = pl.DataFrame({"a": [str(k % 30) for k in range(90)] + ["n/k"] * 10})
    assert "mostly numbers" in profile_table(frames.as_frame(frame)).columns[0].note


def test_dates_in_text_have_the_numbers_of_dates():
    days = [(datetime.date(2024, 1, 3) + datetime.timedelta(days=k)).strftime("%m/%d/%Y") for k in range(9)]
    table = frames.as_frame(pl.DataFrame({"day": days * 3, "x": range(27)}))
    found = profile_table(table, source="t")
    day = found.columns[0]
    assert (day.kind, day.n_distinct) == ("date", 9)
    assert day.statistics["min"] == datetime.datetime(2024, 1, 3, tzinfo=datetime.UTC).timestamp() * 1e6
    assert found.notes == ["The dates in 'day' were read with the month first; all could have the day first."]


def test_telephone_numbers_name_the_rows():
    rng = np.random.default_rng(0)
    phones = [f"+49 170 {k}" for k in rng.integers(10**6, 10**7, size=60)]
    found = profile_table(frames.as_frame(pl.DataFrame({"phone": phones, "x": rng.normal(size=60)})), source="t")
    assert found.columns[0].kind == "identifier"
