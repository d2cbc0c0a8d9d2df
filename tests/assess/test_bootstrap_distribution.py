"""The bootstrap distribution and its intervals."""

import numpy as np
import pytest
from scipy import stats

from statlearn.assess import bootstrap_distribution
from statlearn.linear import LinearRegression
from tests.helpers import assert_close


@pytest.mark.spec("ASM-35")
def test_standard_error_of_a_mean(rng):
    x = rng.normal(size=200)
    found = bootstrap_distribution(np.mean, x, n_resamples=2000, random_state=0)
    # The ideal bootstrap has exactly sd (divisor n) over root n; 2000 draws know it to 1/sqrt(4000).
    assert_close(found.std_error, x.std() / np.sqrt(200), rtol=0.08)
    assert abs(found.bias) < 5 * found.std_error / np.sqrt(2000)


@pytest.mark.spec("ASM-35")
def test_intervals_agree_with_scipy(rng, seed):
    x = rng.exponential(size=80)
    ours = bootstrap_distribution(
        np.mean, x, n_resamples=3000, std_error=lambda v: v.std(ddof=1) / np.sqrt(len(v)), random_state=seed
    )
    for method, name in (("percentile", "percentile"), ("basic", "basic"), ("bca", "BCa")):
        theirs = stats.bootstrap((x,), np.mean, n_resamples=3000, method=name, rng=1).confidence_interval
        # Two simulations: a 2.5 % quantile of 3000 draws varies by 0.05 standard errors, those that BCa reads by 0.1.
        assert np.max(np.abs(np.subtract(ours.interval(0.95, method), theirs))) < 0.35 * ours.std_error
    low, high = ours.interval(0.95, "studentized")
    assert ours.estimate - low < high - ours.estimate, "the long tail is above: the studentised limits show it"
    normal = ours.interval(0.95, "normal")
    assert_close(normal[1] - normal[0], 2 * 1.959964 * ours.std_error, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.spec("ASM-35")
def test_intervals_have_their_nominal_coverage(rng):
    """The mean of 25 exponential values: percentile limits fall short, studentised ones nearly hold."""
    sets, hits = 150, {"percentile": 0, "bca": 0, "studentized": 0}
    for _ in range(sets):
        x = rng.exponential(size=25)
        found = bootstrap_distribution(
            np.mean, x, n_resamples=250, std_error=lambda v: v.std(ddof=1) / 5, random_state=int(rng.integers(10**6))
        )
        for method in hits:
            low, high = found.interval(0.9, method)
            hits[method] += low <= 1.0 <= high
    share = {method: count / sets for method, count in hits.items()}
    error = np.sqrt(0.9 * 0.1 / sets)
    assert share["studentized"] > 0.9 - 3 * error
    assert share["percentile"] > 0.75
    assert share["bca"] > 0.75


@pytest.mark.spec("ASM-35")
def test_vectors_rows_drawn_jointly_and_nested_standard_errors(rng):
    X = rng.normal(size=(60, 2))
    y = X @ [1.0, -2.0] + 0.3 * rng.normal(size=60)
    found = bootstrap_distribution(
        lambda A, b: LinearRegression().fit(A, b).coef_, X, y, n_resamples=100, std_error=10, random_state=0
    )
    assert found.draws.shape == (100, 2)
    for method in ("bca", "percentile", "basic", "normal", "studentized"):
        low, high = found.interval(0.99, method)
        assert np.all((low < found.estimate) & (found.estimate < high))
        assert np.all((low < [1.0, -2.0]) & (high > [1.0, -2.0]))


def test_groups_are_drawn_whole():
    groups = np.repeat(np.arange(10), 5)
    found = bootstrap_distribution(
        lambda g: np.all(np.bincount(g, minlength=10) % 5 == 0), groups, groups=groups, n_resamples=50, random_state=0
    )
    assert found.draws.all()
    assert found.left_out.shape == (10,)


def test_strata_keep_their_sizes():
    classes = np.array([0] * 30 + [1] * 3)
    found = bootstrap_distribution(np.sum, classes, stratify=classes, n_resamples=50, jackknife=False, random_state=0)
    assert np.all(found.draws == 3)


def test_missing_requirements_of_an_interval_raise():
    found = bootstrap_distribution(np.mean, [1.0, 2.0, 4.0], n_resamples=20, jackknife=False, random_state=0)
    with pytest.raises(ValueError, match="pass `std_error`"):
        found.interval(method="studentized")
    with pytest.raises(ValueError, match="`jackknife`=True"):
        found.interval()
    with pytest.raises(ValueError, match="cannot be combined"):
        bootstrap_distribution(np.mean, [1.0, 2.0], groups=[0, 1], stratify=[0, 1])
    with pytest.raises(ValueError, match="requires data"):
        bootstrap_distribution(np.mean)


def test_many_rows_are_left_out_in_blocks():
    found = bootstrap_distribution(np.mean, np.arange(3000.0), n_resamples=10, random_state=0)
    assert found.left_out.shape == (500,)
