"""Numbers that stand for missing values are told from measurements."""

import numpy as np
import pandas as pd
import pytest

import statlearn
from statlearn.app.tables.sentinels import sentinel


@pytest.mark.parametrize("value", [-999.0, -99.0, 9999999.0])
def test_repeated_nines_far_from_all_others_are_sentinels(value, rng):
    heights = 170 + 10 * rng.normal(size=100)
    heights[:3] = value
    assert sentinel(heights) == (value, 3)
    heights[1:3] = 160.0
    assert sentinel(heights) is None  # a single wild cell


def test_measurements_are_not_sentinels(rng):
    assert sentinel(np.r_[np.arange(90.0, 100.0), 99, 99]) is None
    assert sentinel(np.r_[np.exp(3 * rng.normal(size=200))]) is None
    assert sentinel(np.full(5, 99.0)) is None
    assert sentinel(np.empty(0)) is None


def test_sentinels_are_reported(rng):
    x = (170 + 10 * rng.normal(size=100)).round(1)
    frame = pd.DataFrame({"height": x, "z": rng.normal(size=100), "y": x + rng.normal(size=100)})
    codes = [f.code for f in statlearn.compare(frame, "y", models=["ridge"], folds=3).findings]
    assert "SENTINEL" not in codes
    frame.loc[[3, 30, 60], "height"] = -999
    found = statlearn.compare(frame, "y", models=["ridge"], folds=3).findings
    assert "'height' is -999 in" in next(f.detail for f in found if f.code == "SENTINEL")
