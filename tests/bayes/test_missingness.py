"""Missingness mechanisms and the estimate that knows them."""

import numpy as np
import pytest
from scipy.optimize import minimize

from statlearn.bayes import KnownMechanismMLE, missing_mask
from tests.helpers import assert_close

DIE = np.array([1 / 8, 1 / 4, 1 / 4, 1 / 8, 1 / 8, 1 / 8])


@pytest.mark.spec("BAY-21")
def test_masks_have_the_requested_rate_and_dependence(seed):
    X = np.random.default_rng(seed).normal(size=(20_000, 2))
    masks = {m: missing_mask(X, m, rate=0.3, columns=[1], random_state=seed)[:, 1] for m in ("mcar", "mar", "mnar")}
    for mask in masks.values():
        assert abs(mask.mean() - 0.3) < 4.5 * np.sqrt(0.3 * 0.7 / 20_000)
    error = 4.5 / np.sqrt(20_000 * 0.3)

    def gap(mask, j):
        return X[mask, j].mean() - X[~mask, j].mean()

    assert abs(gap(masks["mcar"], 0)) < 2 * error
    assert abs(gap(masks["mcar"], 1)) < 2 * error
    assert gap(masks["mar"], 0) > 0.5
    assert abs(gap(masks["mar"], 1)) < 2 * error
    assert gap(masks["mnar"], 1) > 0.5
    sure = missing_mask(X, "mnar", probability=lambda v: (v > 0).astype(float), random_state=seed)
    assert np.array_equal(sure, X > 0)
    with pytest.raises(ValueError, match="must stay observed"):
        missing_mask(X, "mar", columns=[0, 1], driver=0)


@pytest.mark.spec("BAY-22", "BAY-T11")
def test_a_die_whose_twos_and_threes_are_lost_more_often(seed):
    # Population: expected counts per 48 rolls.
    observed = (1 - DIE) / 6
    assert_close(observed[[1, 2]], 1 / 8, atol=1e-12)
    assert_close(observed[[0, 3, 4, 5]], 7 / 48, atol=1e-12)
    model = KnownMechanismMLE(DIE, tol=1e-15).fit_counts(48 * observed, n_missing=48 / 6)
    assert_close(model.naive_probabilities_, [0.175, 0.15, 0.15, 0.175, 0.175, 0.175], atol=1e-12)
    assert_close(model.probabilities_, 1 / 6, atol=1e-12)

    rng = np.random.default_rng(seed)
    n = 60_000
    rolls = rng.integers(0, 6, n)
    lost = rng.uniform(size=n) < DIE[rolls]
    values = np.where(lost, None, rolls + 1)
    model = KnownMechanismMLE(DIE, categories=[1, 2, 3, 4, 5, 6]).fit(values)
    se = np.sqrt(1 / 6 * 5 / 6 / (n * 5 / 6))
    assert np.all(np.abs(model.probabilities_ - 1 / 6) < 3.5 * se)
    assert_close(model.naive_probabilities_, [0.175, 0.15, 0.15, 0.175, 0.175, 0.175], atol=3.5 * se)


@pytest.mark.spec("BAY-22")
def test_the_estimate_maximises_the_documented_likelihood():
    m, counts, lost = np.array([0.1, 0.6, 0.3]), np.array([30.0, 10.0, 25.0]), 40.0

    def minus(z):
        theta = np.exp(z - z.max())
        theta /= theta.sum()
        return -(counts @ np.log(theta * (1 - m)) + lost * np.log(theta @ m))

    best = minimize(minus, np.zeros(3), tol=1e-12)
    model = KnownMechanismMLE(m).fit_counts(counts, n_missing=lost)
    assert_close(model.log_likelihood_, -best.fun, rtol=1e-9)
    theta = np.exp(best.x) / np.exp(best.x).sum()
    assert_close(model.probabilities_, theta, atol=1e-5)
    with pytest.raises(ValueError, match="always missing was observed"):
        KnownMechanismMLE([1.0, 0.5]).fit_counts([1, 1], 1)
    with pytest.raises(ValueError, match="0 for every category"):
        KnownMechanismMLE([0.0, 0.0]).fit_counts([1, 1], 1)
    with pytest.raises(ValueError, match="not one of the categories"):
        KnownMechanismMLE([0.5, 0.0]).fit([0, 1, 7])


@pytest.mark.spec("BAY-P14")
def test_dropping_is_consistent_only_if_values_are_lost_at_random(seed):
    rng = np.random.default_rng(seed)
    n = 100_000
    truth = np.array([0.2, 0.3, 0.5])
    values = rng.choice(3, size=n, p=truth)
    se = 4.5 * np.sqrt(0.25 / n) * 1.5
    even = missing_mask(values[:, None], "mcar", rate=0.4, random_state=seed)[:, 0]
    kept = np.bincount(values[~even], minlength=3) / np.sum(~even)
    assert np.all(np.abs(kept - truth) < se)
    m = np.array([0.1, 0.2, 0.7])
    lost = missing_mask(values[:, None], "mnar", probability=lambda v: m[v.astype(int)], random_state=seed)[:, 0]
    model = KnownMechanismMLE(m).fit(np.where(lost, None, values))
    limit = truth * (1 - m) / np.sum(truth * (1 - m))
    assert np.all(np.abs(model.naive_probabilities_ - limit) < se)
    assert np.max(np.abs(limit - truth)) > 0.15
    assert np.all(np.abs(model.probabilities_ - truth) < 2 * se)


@pytest.mark.parametrize(("argument", "value"), [("columns", [3]), ("columns", [-1]), ("driver", 9), ("driver", "a")])
def test_places_outside_the_table_raise(argument, value):
    with pytest.raises(ValueError, match=f"`{argument}` must contain positions from 0 to 2"):
        missing_mask(np.ones((4, 3)), "mar", **{argument: value})
