"""Kinds that the user sets reach the folds and the saved model."""

import numpy as np
import polars as pl
import pytest

import statlearn
from statlearn.app.errors import DataError, UsageError
from statlearn.app.tables import frames
from statlearn.app.tables.asked_kinds import check_kinds, levels_of, with_kinds


def table(n=120, seed=0):
    rng = np.random.default_rng(seed)
    size = rng.choice(["S", "M", "L", "XL"], n)
    zips = rng.choice([1, 2, 3], n)
    price = [f"{v:.1f}" for v in rng.normal(10, 2, n)]
    y = np.array([float(p) for p in price]) + 5.0 * (zips == 2) + rng.normal(0, 0.1, n)
    price[::4] = ["ask"] * len(price[::4])
    return pl.DataFrame({"size": size, "zip": zips, "price": price, "y": y})


def test_texts_and_mappings_are_read_alike():
    assert check_kinds(["zip=category", "a=b=number"]) == {"zip": "category", "a=b": "number"}
    assert check_kinds({"size": ["S", "M"]}) == {"size": ("S", "M")}
    assert check_kinds(None) == check_kinds(()) == {}


@pytest.mark.parametrize(
    "kinds", [["zip"], ["=number"], {"zip": "colour"}, {"zip": ["a"]}, {"zip": ["a", "a"]}, ["z=a<"]]
)
def test_invalid_kinds_raise(kinds):
    with pytest.raises(UsageError, match="`kinds`"):
        check_kinds(kinds)


def test_text_becomes_numbers_with_gaps():
    frame, notes = with_kinds(frames.as_frame(table()), {"price": "number"})
    assert frame["price"].dtype.is_numeric()
    assert frame["price"].null_count() == 30
    assert "price" in notes[0]


@pytest.mark.parametrize("kinds", [{"size": "number"}, {"size": "date"}, {"size": ("S", "M")}])
def test_kinds_that_a_column_cannot_have_raise(kinds):
    with pytest.raises(DataError, match="`kinds`"):
        with_kinds(frames.as_frame(table()), kinds)
    with pytest.raises(UsageError, match="unknown column"):
        with_kinds(frames.as_frame(table()), {"nothing": "number"})


def test_levels_of_numbers_are_sorted_by_size():
    assert levels_of(frames.as_frame(pl.DataFrame({"a": [10.0, 2.0, None]})), "a") == ["2", "10"]


def test_a_comparison_uses_the_kinds_and_its_model_predicts_new_tables():
    data = table()
    kinds = {"zip": "category", "price": "number", "size": ["S", "M", "L", "XL"]}
    settings = {"target": "y", "models": ["least-squares"], "folds": 3}
    plain = statlearn.compare(data, **settings)
    found = statlearn.compare(data, **settings, kinds=kinds)
    own = {c.name: c.kind for c in found.profile.columns}
    assert own["zip"] == own["size"] == "category"
    assert own["price"] == "number"
    assert found.level("least-squares")[0] < plain.level("least-squares")[0]
    model = found.model_for_use()
    assert model.columns["zip"] == "category"
    assert model.columns["size"] == "ordinal"
    assert np.isfinite(model.predict(data)).all()
    low, high = (data.with_columns(size=pl.lit(level)) for level in ("S", "XL"))
    middle = data.with_columns(size=pl.lit("M"))
    steps = model.predict(high) - model.predict(low), model.predict(middle) - model.predict(low)
    np.testing.assert_allclose(steps[0], 3 * steps[1], rtol=1e-8)  # ordered levels are evenly spaced
