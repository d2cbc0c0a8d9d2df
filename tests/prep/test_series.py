"""Features of time series."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from statlearn.prep import SeriesFeatures
from statlearn.prep._series import approximate_entropy, sample_entropy, standardise
from tests.helpers import assert_close


def described(X, **options):
    features = SeriesFeatures(**options).fit(X)
    return dict(zip(features.get_feature_names_out(), features.transform(X).T))


@pytest.mark.spec("PRE-25")
def test_distribution_and_autocorrelation(rng):
    X = rng.gamma(2, size=(4, 80)).cumsum(axis=1)
    found = described(X, families=["distribution", "autocorrelation"])
    assert_close(found["mean"], X.mean(axis=1))
    assert_close(found["sd"], X.std(axis=1))
    assert_close(found["skewness"], stats.skew(X, axis=1))
    assert_close(found["kurtosis"], stats.kurtosis(X, axis=1))
    assert_close(found["q25"], np.quantile(X, 0.25, axis=1))
    Z = X - X.mean(axis=1, keepdims=True)
    for lag in (1, 2, 5):
        assert_close(found[f"acf{lag}"], (Z[:, lag:] * Z[:, :-lag]).sum(axis=1) / (Z**2).sum(axis=1))
    first = [next(k for k in range(1, 80) if (z[k:] * z[:-k]).sum() <= 0) / 80 for z in Z]
    assert_close(found["first_zero"], first)


def slow_matches(z, m, r, n):
    return sum(
        max(abs(z[i + k] - z[j + k]) for k in range(m)) <= r for i in range(n) for j in range(n) if i != j
    )  # fmt: skip


@pytest.mark.spec("PRE-25")
def test_entropies_against_their_definitions(rng):
    Z = standardise(np.vstack([rng.normal(size=40), np.sin(np.arange(40) / 3), rng.normal(size=40).cumsum()]))
    expected = [-np.log(slow_matches(z, 3, 0.5, 38) / slow_matches(z, 2, 0.5, 38)) for z in Z]
    assert_close(sample_entropy(Z, 0.5), expected)

    def phi(z, m):
        n = len(z) - m + 1
        near = lambda i, j: max(abs(z[i + k] - z[j + k]) for k in range(m)) <= 0.5  # noqa: E731
        return np.mean([np.log(sum(near(i, j) for j in range(n)) / n) for i in range(n)])

    assert_close(approximate_entropy(Z, 0.5), [phi(z, 2) - phi(z, 3) for z in Z])


@pytest.mark.spec("PRE-25", "PRE-P12")
@pytest.mark.parametrize("value", [0.0, 3.7, 0.1, -1e9, 1e-12])
@pytest.mark.parametrize("length", [1, 2, 3, 5, 50])
def test_constant_and_short_series_give_finite_values(value, length, rng):
    X = np.vstack([np.full(length, value), rng.normal(size=length)])
    found = described(X)
    assert all(np.isfinite(v).all() for v in found.values())
    constant = {name: v[0] for name, v in found.items()}
    for name in ("sd", "skewness", "kurtosis", "acf1", "slope", "period", "spectral_entropy", "time_asymmetry"):
        assert constant[name] == 0, name


@pytest.mark.spec("PRE-P12")
def test_white_noise_has_no_autocorrelation(rng):
    found = described(rng.normal(size=(20, 2000)), families=["autocorrelation", "stationarity"])
    for lag in range(1, 6):
        assert np.abs(found[f"acf{lag}"]).max() < 5 / np.sqrt(2000)
    assert found["seasonality"].max() < 0.1


@pytest.mark.spec("PRE-P12")
@given(st.floats(5, 60), st.floats(0, 6))
def test_a_sine_has_its_period(period, phase):
    wave = np.sin(2 * np.pi * np.arange(400) / period + phase)
    found = described(np.vstack([wave, 5 + 0.01 * np.arange(400) + wave]), families=["stationarity"])
    assert_close(found["period"], period, rtol=0.02)
    assert found["seasonality"][0] > 0.9


@pytest.mark.spec("PRE-25")
def test_families_distinguish_kinds_of_series(rng):
    t = np.arange(500)
    noise, wave, walk = rng.normal(size=500), np.sin(t / 5), rng.normal(size=500).cumsum()
    logistic = np.empty(500)
    logistic[0] = 0.4
    for k in range(499):
        logistic[k + 1] = 4 * logistic[k] * (1 - logistic[k])
    saw = (t % 20) / 20.0
    trend = 0.05 * t + rng.normal(size=500)
    found = described(np.vstack([noise, wave, walk, logistic, saw, trend]))
    assert found["permutation_entropy"][0] > 0.97
    assert found["spectral_entropy"][1] < 0.3 < found["spectral_entropy"][0]
    assert found["sample_entropy"][1] < found["sample_entropy"][0]
    assert found["acf1"][2] > 0.9
    assert found["trend"][5] > 0.8
    assert found["mean_change"][5] > 1
    assert abs(found["time_asymmetry"][4]) > 3 * abs(found["time_asymmetry"][1])
    assert found["divergence"][3] > 0.3 > abs(found["divergence"][1])  # chaos; its exponent is log 2


def test_long_series_in_blocks_and_wrong_families(rng, monkeypatch):
    X = rng.normal(size=(3, 60))
    whole = SeriesFeatures().fit_transform(X)
    monkeypatch.setattr("statlearn.prep._series.BLOCK", 100)
    np.testing.assert_array_equal(SeriesFeatures().fit_transform(X), whole)
    with pytest.raises(ValueError, match="'families' parameter of SeriesFeatures must be a list"):
        SeriesFeatures(["colour"]).fit(X)


@pytest.mark.spec("CRS-104")
def test_values_match_tsfresh_and_catch22():
    """tsfresh 0.21.2 (`feature_calculators`), pycatch22 1.0.2 (`CO_trev_1_num`), converted as docs/prep/series says."""
    t = np.arange(100)
    x = np.sin(0.3 * t) + 0.5 * np.cos(1.7 * t) + 0.2 * ((7 * t) % 5)
    ours = {name: float(values[0]) for name, values in described(x[None]).items()}
    n, sd = len(x), ours["sd"]
    z = (x - x.mean()) / sd
    assert_close(ours["mean"], 0.43383634421706274)  # mean(x)
    assert_close(sd, 0.8366951506092231)  # standard_deviation(x)
    assert_close(ours["skewness"] * np.sqrt(n * (n - 1)) / (n - 2), -0.04537535128291403)  # skewness(x)
    assert_close(ours["q05"], -0.8410512205525963)  # quantile(x, 0.05)
    assert_close(ours["acf3"] * n / (n - 3), 0.5062944627847488)  # autocorrelation(x, 3)
    assert_close(ours["slope"] * sd * 2 / (n - 1), -0.0021125785294335616)  # linear_trend(x, "slope")
    assert_close(ours["trend"], 0.07288417982050002**2)  # linear_trend(x, "rvalue")
    assert_close(ours["permutation_entropy"] * np.log(6), 1.747829628347934)  # permutation_entropy(x, 1, 3)
    assert_close(ours["approximate_entropy"], 0.6302042613098671)  # approximate_entropy(x, 2, 0.2)
    assert_close(ours["sample_entropy"], 1.9459101490553135)  # sample_entropy(x)
    assert_close(ours["c3"], -0.026882743039101938)  # c3 of the standardised series, lag 1
    reversal = ours["time_asymmetry"] * np.mean(np.diff(z) ** 2) ** 1.5
    assert_close(reversal * (1 - 1 / n) ** 1.5, -0.1194832576795759)  # CO_trev_1_num
