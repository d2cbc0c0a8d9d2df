"""Isotonic regression: its optimality conditions, its limits, scikit-learn's and R's values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression as Reference

from statlearn._core.warnings import StatlearnWarning
from statlearn.smooth import IsotonicRegression
from tests.helpers import assert_close


def min_max(y, w):
    """The solution by its formula: min over ends t >= i of the max over starts s <= i of the mean of y[s..t]."""
    n = len(y)
    mean = [[np.average(y[s : t + 1], weights=w[s : t + 1]) if t >= s else np.nan for t in range(n)] for s in range(n)]
    return np.array([min(max(mean[s][t] for s in range(i + 1)) for t in range(i, n)) for i in range(n)])


@given(
    y=st.lists(st.integers(-5, 5), min_size=1, max_size=9),
    w=st.lists(st.integers(1, 4), min_size=9, max_size=9),
)
def test_fitted_values_are_the_min_max_of_block_means(y, w):
    y, w = np.array(y, float), np.array(w[: len(y)], float)
    x = np.arange(len(y), dtype=float)
    fit = IsotonicRegression().fit(x, y, sample_weight=w)
    assert_close(fit.predict(x), min_max(y, w))
    falling = IsotonicRegression(increasing=False).fit(x, -y, sample_weight=w)
    assert_close(falling.predict(x), -min_max(y, w))


@pytest.mark.parametrize("bounds", [(None, None), (0.2, None), (None, 0.7), (0.2, 0.7)])
def test_values_with_ties_weights_and_bounds_equal_those_of_scikit_learn(rng, bounds):
    x = rng.integers(0, 40, 200) / 10
    y = np.log1p(x) / 2 + 0.3 * rng.normal(size=200)
    w = rng.uniform(0.1, 2.0, 200)
    ours = IsotonicRegression(y_min=bounds[0], y_max=bounds[1]).fit(x, y, sample_weight=w)
    theirs = Reference(y_min=bounds[0], y_max=bounds[1]).fit(x, y, sample_weight=w)
    assert_close(ours.predict(np.linspace(0, 3.9, 50)), theirs.predict(np.linspace(0, 3.9, 50)))
    assert_close(ours.X_thresholds_, theirs.X_thresholds_)
    assert (ours.X_min_, ours.X_max_) == (theirs.X_min_, theirs.X_max_)


def test_published_example_has_the_values_of_isoreg():
    """R 4.2: isoreg(c(1, 0, 4, 3, 3, 5, 4, 2, 0))$yf, from the help page of isoreg."""
    y = [1, 0, 4, 3, 3, 5, 4, 2, 0]
    fit = IsotonicRegression().fit(np.arange(9), y)
    assert_close(fit.predict(np.arange(9)), [0.5, 0.5, 3, 3, 3, 3, 3, 3, 3])


def test_row_order_does_not_matter_and_weights_are_copies(rng):
    x, y = rng.normal(size=30), rng.normal(size=30)
    k = rng.integers(0, 3, 30)
    grid = np.linspace(x[k > 0].min(), x[k > 0].max(), 20)
    weighted = IsotonicRegression().fit(x, y, sample_weight=k)
    copies = IsotonicRegression().fit(np.repeat(x, k), np.repeat(y, k))
    assert_close(weighted.predict(grid), copies.predict(grid))
    order = rng.permutation(30)
    assert_close(IsotonicRegression().fit(x[order], y[order], k[order]).predict(grid), weighted.predict(grid))


def test_direction_follows_the_rank_correlation(rng):
    x = np.linspace(0, 1, 100)
    assert not IsotonicRegression(increasing="auto").fit(x, -x + 0.1 * rng.normal(size=100)).increasing_
    assert IsotonicRegression(increasing="auto").fit(x, x**3 + 0.1 * rng.normal(size=100)).increasing_
    with pytest.warns(StatlearnWarning, match="direction of the curve is uncertain"):
        IsotonicRegression(increasing="auto").fit([1, 2, 3, 4], [1, 3, 0, 2])


def test_points_outside_the_range_are_nan_clipped_or_refused():
    x, y = [1.0, 2.0, 3.0], [1.0, 2.0, 4.0]
    assert np.isnan(IsotonicRegression().fit(x, y).predict([0.0, 5.0])).all()
    assert_close(IsotonicRegression(out_of_bounds="clip").fit(x, y).predict([0.0, 5.0]), [1.0, 4.0])
    with pytest.raises(ValueError, match=r"X contains 5, outside the training range \[1, 3\]"):
        IsotonicRegression(out_of_bounds="raise").fit(x, y).predict([2.0, 5.0])


def test_bounds_in_the_wrong_order_raise():
    with pytest.raises(ValueError, match="`y_min` must not exceed `y_max`"):
        IsotonicRegression(y_min=2.0, y_max=1.0).fit([1, 2], [1, 2])
