"""Cells clipped, rows dropped."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from statlearn.prep import OutlierFilter
from tests.helpers import assert_close


@pytest.mark.spec("PRE-13")
def test_limits_of_the_three_rules(rng):
    X = rng.standard_t(3, size=(101, 2))
    X[3, 1] = np.nan
    low, high = np.nanquantile(X, [0.25, 0.75], axis=0)
    fences = OutlierFilter().fit(X)
    assert_close([fences.lower_, fences.upper_], [low - 1.5 * (high - low), high + 1.5 * (high - low)])
    z = OutlierFilter("z", threshold=2).fit(X)
    assert_close(z.upper_, np.nanmean(X, axis=0) + 2 * np.nanstd(X, axis=0))
    mad = OutlierFilter("mad").fit(X)
    spread = stats.median_abs_deviation(X, axis=0, scale="normal", nan_policy="omit")
    assert_close(mad.lower_, np.nanmedian(X, axis=0) - 3.5 * spread)


@pytest.mark.spec("PRE-13")
@pytest.mark.parametrize("rule", ["iqr", "z", "mad"])
@given(seed=st.integers(0, 100))
def test_clipping_and_dropping_agree_on_outliers(rule, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_t(2, size=(60, 3))
    clip = OutlierFilter(rule).fit(X)
    inside = (clip.transform(X) == X).all(axis=1)
    np.testing.assert_array_equal(clip.inliers(X), inside)
    kept, y = OutlierFilter(rule, action="drop").fit_resample(X, np.arange(60))
    np.testing.assert_array_equal(y, np.flatnonzero(inside))
    np.testing.assert_array_equal(kept, X[inside])


@pytest.mark.spec("PRE-13")
def test_limits_come_from_the_training_rows_and_every_new_row_is_answered(rng):
    X, new = rng.normal(size=(100, 1)), np.array([[1e6], [0.0]])
    clip = OutlierFilter().fit(X)
    assert_close(clip.transform(new)[0], clip.upper_)
    drop = OutlierFilter(action="drop").fit(X)
    np.testing.assert_array_equal(drop.transform(new), new)
    np.testing.assert_array_equal(drop.inliers(new), [False, True])


def test_columns_of_equal_cells_have_no_limits_and_frames_stay_frames():
    table = pd.DataFrame({"a": [1.0] * 9 + [50.0], "b": np.arange(10.0)})
    for rule in ("iqr", "mad"):
        np.testing.assert_array_equal(OutlierFilter(rule).fit_transform(table), table)
    kept, y = OutlierFilter("z", threshold=2, action="drop").fit_resample(table, pd.Series(range(10)))
    assert list(kept.columns) == ["a", "b"]
    assert y.tolist() == list(range(9))
    clipped, y = OutlierFilter("z", threshold=2).fit_resample(table, None)
    assert len(clipped) == 10
    assert y is None


@pytest.mark.parametrize("action", ["clip", "drop"])
def test_a_target_of_another_length_raises(action, rng):
    with pytest.raises(ValueError, match=r"\by\b.*inconsistent numbers of samples"):
        OutlierFilter(action=action).fit_resample(rng.normal(size=(6, 2)), np.arange(5))
