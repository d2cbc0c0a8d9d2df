"""Reliability: scikit-learn's curve, identities of the Brier score, the test's level and power."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.calibration import calibration_curve

from statlearn.assess import (
    brier_decomposition,
    brier_score_loss,
    expected_calibration_error,
    hosmer_lemeshow,
    reliability_curve,
    score_interval,
)
from tests.helpers import assert_close

seeds = st.integers(0, 10**6)


def forecasts(seed, n=200, digits=None):
    rng = np.random.default_rng(seed)
    p = rng.uniform(size=n)
    y = (rng.uniform(size=n) < p**2).astype(int)
    y[:2] = [0, 1]
    return y, p if digits is None else np.round(p, digits)


@given(seed=seeds, n_bins=st.integers(1, 20), strategy=st.sampled_from(["uniform", "quantile"]))
def test_curve_agrees_with_sklearn(seed, n_bins, strategy):
    y, p = forecasts(seed)
    ours = reliability_curve(y, p, n_bins=n_bins, strategy=strategy)
    observed, predicted = calibration_curve(y, p, n_bins=n_bins, strategy=strategy)
    assert_close(ours.observed, observed)
    assert_close(ours.predicted, predicted)
    assert ours.count.sum() == len(y)
    for k in range(len(ours.count)):
        band = score_interval(round(ours.observed[k] * ours.count[k]), ours.count[k])
        assert_close([ours.low[k], ours.high[k]], [band.low, band.high])


@given(seed=seeds, strategy=st.sampled_from(["uniform", "quantile"]))
def test_weights_are_copies(seed, strategy):
    y, p = forecasts(seed, n=40)
    w = np.random.default_rng(seed).integers(0, 4, 40)
    w[:2] = 1
    rows = np.repeat(np.arange(40), w)
    options = dict(n_bins=5, strategy=strategy)
    a, b = reliability_curve(y, p, sample_weight=w, **options), reliability_curve(y[rows], p[rows], **options)
    for name in ("predicted", "observed", "count", "edges"):
        assert_close(getattr(a, name), getattr(b, name))
    assert_close(
        expected_calibration_error(y, p, sample_weight=w, **options),
        expected_calibration_error(y[rows], p[rows], **options),
    )
    assert_close(
        list(vars(brier_decomposition(y, p, sample_weight=w)).values()),
        list(vars(brier_decomposition(y[rows], p[rows])).values()),
    )


@given(seed=seeds, n_bins=st.one_of(st.none(), st.integers(1, 12)))
def test_brier_score_is_the_sum_of_its_parts(seed, n_bins):
    y, p = forecasts(seed, digits=1 if n_bins is None else None)
    parts = brier_decomposition(y, p, n_bins=n_bins)
    assert_close(parts.brier, brier_score_loss(y, p))
    assert_close(parts.reliability - parts.resolution + parts.uncertainty + parts.within_bin, parts.brier)
    assert parts.reliability >= 0
    assert 0 <= parts.resolution <= parts.uncertainty + 1e-12
    assert_close(parts.uncertainty, np.var(y))
    if n_bins is None:
        assert parts.within_bin == 0.0
    else:  # what varies inside the bins: variance of p less twice the covariance with y
        codes = np.clip(np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], p, side="right"), 0, n_bins - 1)
        inside = sum(
            np.mean(codes == k) * (np.var(p[codes == k]) - 2 * np.cov(p[codes == k], y[codes == k], ddof=0)[0, 1])
            for k in np.unique(codes)
        )
        assert_close(parts.within_bin, inside, atol=1e-9)


def test_calibration_error_by_hand():
    y = np.array([0, 1, 1, 1])
    p = np.array([0.1, 0.2, 0.7, 0.9])
    gaps = [abs(0.15 - 0.5), abs(0.8 - 1.0)]
    assert_close(expected_calibration_error(y, p, n_bins=2), np.mean(gaps))
    assert_close(expected_calibration_error(y, p, n_bins=2, norm="max"), max(gaps))
    assert_close(expected_calibration_error(y, p, n_bins=2, norm="l2"), np.sqrt(np.mean(np.square(gaps))))
    P = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]])
    assert_close(expected_calibration_error([0, 1, 2], P, n_bins=1), 1 - 0.6)
    assert_close(expected_calibration_error(["a", "b", "c"], P[[0, 0, 0]], n_bins=1), abs(0.6 - 1 / 3))


def test_calibration_error_falls_to_zero_for_true_probabilities(rng):
    p = rng.uniform(size=200_000)
    y = (rng.uniform(size=p.size) < p).astype(int)
    assert expected_calibration_error(y, p) < 0.01
    assert abs(expected_calibration_error(y, p**2) - np.mean(np.abs(p - p**2))) < 0.01


@given(seed=seeds, groups=st.integers(3, 12))
def test_hosmer_lemeshow_is_the_formula_on_groups_cut_as_r_cuts(seed, groups):
    y, p = forecasts(seed, n=120, digits=2)
    p = np.clip(p, 0.01, 0.99)
    cut = pd.cut(p, np.unique(np.quantile(p, np.linspace(0, 1, groups + 1))), include_lowest=True)
    table = (
        pd.DataFrame({"y": y, "p": p}).groupby(cut, observed=True).agg(n=("y", "size"), o=("y", "sum"), e=("p", "sum"))
    )
    statistic = np.sum((table.o - table.e) ** 2 / (table.e * (1 - table.e / table.n)))
    ours = hosmer_lemeshow(y, p, n_groups=groups)
    assert_close([ours.statistic, ours.df], [statistic, len(table) - 2])
    assert_close(ours.p_value, stats.chi2.sf(statistic, len(table) - 2))
    # As R's formula has it: both cells of each group.
    both = np.sum((table.o - table.e) ** 2 / table.e + (table.o - table.e) ** 2 / (table.n - table.e))
    assert_close(ours.statistic, both)


def test_hosmer_lemeshow_keeps_its_level(rng):
    rejected = 0
    for _ in range(400):
        p = rng.uniform(0.1, 0.9, size=400)
        rejected += hosmer_lemeshow((rng.uniform(size=400) < p).astype(int), p, fitted=False).p_value < 0.1
    assert abs(rejected / 400 - 0.1) < 3 * np.sqrt(0.09 / 400)
    with pytest.raises(ValueError, match="too few for the test"):
        hosmer_lemeshow([0, 1, 1], [0.5, 0.5, 0.5])


def test_bad_probabilities_raise():
    with pytest.raises(ValueError, match=r"outside \[0, 1\]"):
        reliability_curve([0, 1], [0.2, 1.2])
    with pytest.raises(ValueError, match="two classes"):
        reliability_curve([0, 1, 2], [0.2, 0.3, 0.4])
    with pytest.raises(ValueError, match="columns"):
        expected_calibration_error([0, 1, 1], np.full((3, 3), 1 / 3))
    only = reliability_curve([1, 1], [0.2, 0.7], n_bins=2)
    assert_close(only.observed, [1, 1])
