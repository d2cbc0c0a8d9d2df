"""Profiles of columns over blocks."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn import scale
from statlearn.scale._quantiles import SIZE, QuantileSketch
from statlearn.scale._tree import merge_all
from tests.scale.tables import table


def test_profiles_equal_those_of_the_whole_table():
    frame = table().with_columns(x1=pl.when(pl.int_range(3000) % 7 == 0).then(None).otherwise(pl.col("x1")))
    found = scale.describe([frame[k : k + 700] for k in range(0, 3000, 700)])
    for j, name in enumerate(["x0", "x1", "x2"]):
        column = frame[name]
        assert found["mean"][j] == pytest.approx(column.mean(), rel=1e-12)
        assert found["std"][j] == pytest.approx(column.std(), rel=1e-12)
        assert (found["min"][j], found["max"][j]) == (column.min(), column.max())
        assert found["missing"][j] == column.null_count()
        rank = (column.drop_nulls() <= found["median"][j]).mean()
        assert abs(rank - 0.5) <= found.facts["rank_error"] + 1e-3
    assert found["levels"][frame.columns.index("label")] == 3
    assert found.facts["n"] == 3000


def test_columns_with_too_many_levels_are_not_counted():
    parts = [pl.DataFrame({"c": [f"{k}-{j}" for j in range(6)]}) for k in range(3)]
    assert scale.describe(parts, max_levels=10)["levels"][0] == np.inf
    assert scale.describe(parts)["levels"][0] == 18


def test_columns_of_two_kinds_raise():
    with pytest.raises(ValueError, match=r"\['c'\] are numbers in some blocks"):
        scale.describe([pl.DataFrame({"c": [1.0]}), pl.DataFrame({"c": ["a"]})])


@given(st.integers(1, 12), st.sampled_from(["normal", "integers", "sorted", "constant"]), st.integers(0, 1000))
def test_ranks_of_quantiles_are_within_the_stated_error(blocks, kind, seed):
    rng = np.random.default_rng(seed)
    x = {
        "normal": lambda n: rng.normal(size=n),
        "integers": lambda n: rng.integers(0, 5, n).astype(float),
        "sorted": lambda n: np.sort(rng.normal(size=n)),
        "constant": np.ones,
    }[kind](1500 * blocks)
    sketch = merge_all([QuantileSketch.from_values(part) for part in np.split(x, blocks)])
    assert len(sketch.values) <= SIZE
    assert sketch.weights.sum() == len(x)
    for q in (0.0, 0.1, 0.5, 0.77, 1.0):
        value = sketch.quantile(q)
        low, high = (x < value).mean(), (x <= value).mean()
        slack = sketch.rank_error + 1.0 / len(x)
        assert low - slack <= q <= high + slack
    assert (sketch.quantile(0.0), sketch.quantile(1.0)) == (x.min(), x.max())
    assert sketch.rank_error < 0.01
