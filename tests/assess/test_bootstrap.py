"""Bootstrap intervals: each fast way against the plain one, coverage, scipy, two models on the same rows."""

from functools import partial

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from statlearn import assess
from statlearn._core.warnings import StatlearnWarning
from statlearn.assess import _statistics, bootstrap_difference, bootstrap_interval, delong_interval, delong_test
from statlearn.assess._bootstrap import bootstrap_intervals, generator
from tests.helpers import assert_close

VALUES = [
    "mean_squared_error",
    "root_mean_squared_error",
    "mean_absolute_error",
    "r2_score",
    "explained_variance_score",
]
LABELS = ["accuracy_score", "balanced_accuracy_score", "cohen_kappa_score", "f1_score", "matthews_corrcoef",
          "precision_score", "recall_score", "specificity_score", "zero_one_loss"]  # fmt: skip
SCORES = ["roc_auc_score", "log_loss", "brier_score_loss"]


def problem(name, rng, n=80):
    if name in VALUES:
        y = rng.normal(size=n) + 3
        return y, y + 0.5 * rng.normal(size=n) + 0.2
    y = rng.integers(0, 2, n)
    p = np.clip(0.5 + 0.4 * (y - 0.5) + 0.2 * rng.normal(size=n), 0.05, 0.95)
    return y, np.round(p, 1) if name in SCORES else (p > 0.5).astype(int)


@pytest.mark.parametrize("name", VALUES + LABELS + SCORES)
def test_approximate_sum_is_the_metric_on_the_drawn_rows(name, rng, monkeypatch):
    """The counts that a statistic draws are recorded; the metric itself is called on the rows they stand for."""
    y, z = problem(name, rng)
    metric = getattr(assess, name)
    fast = _statistics.statistic_of(name, y, z)
    assert not isinstance(fast, _statistics.AnyStatistic)
    assert_close(fast.value(), metric(y, z))
    if name in LABELS:
        draws = np.random.default_rng(5).multinomial(80, fast.counts / 80, size=20)
        expected = []
        for counts in draws:
            cells = np.repeat(np.arange(len(counts)), counts)
            expected.append(metric(fast.true[cells], fast.pred[cells]))
        assert_close(fast.resampled(np.random.default_rng(5), 20), expected)
    else:
        rng = np.random.default_rng(5)
        rows = [rng.integers(0, 80, 80) for _ in range(20)]
        drawn = fast.resampled(np.random.default_rng(5), 20, [np.arange(80)])
        assert_close(drawn, [metric(y[r], z[r]) for r in rows])


@pytest.mark.parametrize("name", VALUES + LABELS + SCORES)
def test_left_out_values_are_the_metric_without_a_row(name, rng):
    y, z = problem(name, rng, n=30)
    metric = getattr(assess, name)
    values, weights = _statistics.statistic_of(name, y, z).left_out(rng)
    expected = np.array([metric(np.delete(y, i), np.delete(z, i)) for i in range(30)])
    if name in LABELS:
        assert weights.sum() == 30
        assert_close(np.repeat(np.sort(values), weights[np.argsort(values)].astype(int)), np.sort(expected))
    else:
        assert_close(values, expected)


@pytest.mark.parametrize("method", ["percentile", "bca", "basic"])
def test_agrees_with_scipy(method, rng):
    y, z = problem("mean_squared_error", rng)
    loss = (y - z) ** 2
    ours = bootstrap_interval("mean_squared_error", y, z, method=method, n_resamples=20_000, random_state=0)
    theirs = stats.bootstrap((loss,), np.mean, method=method, n_resamples=20_000, rng=np.random.default_rng(1))
    # A 2.5 % quantile of 20,000 draws has a standard deviation of 0.019 standard errors, two differ by 0.027.
    gap = 0.12 * theirs.standard_error
    assert_close([ours.low, ours.high], theirs.confidence_interval, rtol=0, atol=gap)
    assert_close(ours.std_error, theirs.standard_error, rtol=0.03)
    assert len(ours.distribution) == 20_000


def test_bca_of_any_function_uses_groups_of_rows(rng):
    y, z = problem("mean_squared_error", rng, n=1000)

    def own(a, b):
        return np.mean((a - b) ** 2)

    known, unknown = (
        bootstrap_interval(m, y, z, method="bca", n_resamples=3000, random_state=0) for m in ("mean_squared_error", own)
    )
    assert known.estimate == pytest.approx(unknown.estimate)
    assert_close([known.low, known.high], [unknown.low, unknown.high], rtol=0.02)


def test_auc_interval_agrees_with_delong(rng):
    y = rng.integers(0, 2, 600)
    s = y + rng.normal(size=600)
    delong = delong_interval(y, s, transform="none")
    for options in ({}, {"stratify": True}, {"method": "bca"}):
        boot = bootstrap_interval(metrics.roc_auc_score, y, s, n_resamples=4000, random_state=0, **options)
        assert_close(boot.estimate, delong.estimate)
        assert_close(boot.std_error, delong.std_error, rtol=0.08)
        assert_close([boot.low, boot.high], [delong.low, delong.high], atol=0.2 * delong.std_error)


def test_intervals_cover(rng):
    """The mean squared error of normal residuals is 1."""
    covered = np.zeros(2)
    runs = 200
    for k in range(runs):
        y = np.zeros(60)
        z = rng.normal(size=60)
        for j, method in enumerate(("percentile", "bca")):
            covered[j] += 1.0 in bootstrap_interval(
                "mean_squared_error", y, z, method=method, n_resamples=200, confidence=0.9, random_state=k
            )
    # The skewed mean of squares is covered a little less than promised; the correction helps.
    assert np.all(covered / runs > 0.9 - 0.03 - 3 * np.sqrt(0.09 / runs))
    assert covered[1] >= covered[0] - 0.05 * runs


def test_studentized_interval_is_the_bootstrap_t_of_log_means(rng):
    y, z = problem("mean_squared_error", rng)
    loss, n = (y - z) ** 2, len(y)
    draws = _statistics.Draws(generator(7), n, None)
    counts = np.array([draws.next().copy() for _ in range(400)])
    samples = [np.repeat(loss, row.astype(int)) for row in counts]
    ratios = [np.log(s.mean() / loss.mean()) / (s.std(ddof=1) / np.sqrt(n) / s.mean()) for s in samples]
    upper, lower = np.quantile(ratios, [0.05, 0.95])
    scale = loss.std(ddof=1) / np.sqrt(n) / loss.mean()
    expected = loss.mean() * np.exp([-lower * scale, -upper * scale])
    options = {"method": "studentized", "confidence": 0.9, "n_resamples": 400, "random_state": 7}
    found = bootstrap_interval("mean_squared_error", y, z, **options)
    assert_close([found.low, found.high], expected)
    root, again = bootstrap_intervals([("root_mean_squared_error", z), ("mean_squared_error", z)], y, **options)
    assert_close([root.low, root.high], np.sqrt(expected))
    assert_close([again.low, again.high], expected)


def test_studentized_interval_covers_better_where_few_rows_carry_the_loss(rng):
    runs, covered = 300, {"bca": 0, "studentized": 0}
    for k in range(runs):
        z = rng.normal(size=60) * np.exp(0.8 * rng.normal(size=60))  # mean square e^(2 * 0.8^2)
        for method in covered:
            interval = bootstrap_interval(
                "mean_squared_error", np.zeros(60), z, method=method, n_resamples=200, random_state=k
            )
            covered[method] += np.exp(1.28) in interval
    # 300 pairs on the same data: the difference has a standard deviation of about 6 intervals.
    assert covered["studentized"] > covered["bca"]


@pytest.mark.parametrize("metric", ["r2_score", "roc_auc_score", "accuracy_score"])
def test_studentized_intervals_are_for_means_of_losses(metric):
    with pytest.raises(ValueError, match="`method`='studentized' needs a metric that is a mean of non-negative losses"):
        bootstrap_interval(metric, [0, 1, 0, 1], [0, 1, 1, 1], method="studentized")


def test_studentized_interval_stays_finite_where_one_row_carries_the_loss():
    y = np.zeros(40)
    z = np.where(np.arange(40) == 3, 100.0, 1e-3)
    found = bootstrap_interval("mean_squared_error", y, z, method="studentized", random_state=0)
    assert found.low < found.estimate < found.high <= found.estimate * np.exp(3.0 * np.sqrt(40 / 39) + 1e-6)


def test_studentized_interval_of_equal_losses_is_a_point():
    y = np.arange(6.0)
    for shift in (0.0, 1.0):
        found = bootstrap_interval("mean_squared_error", y, y + shift, method="studentized", random_state=0)
        assert found.low == found.high == shift


def test_options_of_metrics_keep_the_fast_way(rng):
    y, z = rng.integers(0, 3, 100), rng.integers(0, 3, 100)
    metric = partial(metrics.f1_score, average="macro")
    statistic = _statistics.statistic_of(metric, y, z)
    assert isinstance(statistic, _statistics.TableStatistic)
    assert_close(statistic.value(), metric(y, z))
    weighted = partial(metrics.mean_squared_error, sample_weight=np.ones(100))
    assert isinstance(_statistics.statistic_of(weighted, y, z), _statistics.AnyStatistic)
    P = rng.dirichlet(np.ones(3), size=100)
    assert_close(bootstrap_interval("log_loss", y, P, random_state=0).estimate, metrics.log_loss(y, P))
    ovr = partial(metrics.roc_auc_score, multi_class="ovr")
    assert_close(bootstrap_interval(ovr, y, P, n_resamples=20, random_state=0).estimate, ovr(y, P))


@pytest.mark.parametrize("name", ["mean_squared_error", "roc_auc_score", "accuracy_score", "median_absolute_error"])
def test_differences_use_the_same_rows(name, rng):
    n = 300
    y = rng.integers(0, 2, n)
    a = y + rng.normal(size=n)
    b = a + 0.1 * rng.normal(size=n)
    if name == "accuracy_score":
        a, b = (a > 0.5).astype(int), (b > 0.5).astype(int)
    metric = getattr(metrics, name)
    both = bootstrap_difference(name, y, a, b, random_state=0)
    assert_close(both.estimate, metric(y, a) - metric(y, b))
    rows = [rng.integers(0, n, n) for _ in range(200)]
    spread = np.std([metric(y[r], a[r]) - metric(y[r], b[r]) for r in rows])
    assert_close(both.std_error, spread, rtol=0.2)  # 200 values: 5 % of noise
    alone = bootstrap_interval(name, y, a, random_state=0).std_error
    assert both.std_error < alone  # pairing takes out what both share
    assert both.low <= both.estimate <= both.high
    if name != "median_absolute_error":  # a median is not smooth: leaving out rows says little of it
        bca = bootstrap_difference(name, y, a, b, random_state=0, method="bca")
        assert_close([bca.low, bca.high], [both.low, both.high], atol=0.8 * spread)


def test_difference_of_areas_agrees_with_delong(rng):
    y = rng.integers(0, 2, 500)
    a = y + rng.normal(size=500)
    b = a + rng.normal(size=500)
    ours, test = bootstrap_difference("roc_auc_score", y, a, b, random_state=0), delong_test(y, a, b)
    assert_close(ours.estimate, test.difference)
    assert_close(ours.std_error, test.std_error, rtol=0.1)


def test_the_same_seed_gives_the_same_interval(rng):
    y, z = problem("roc_auc_score", rng)
    first, again, other = (bootstrap_interval("roc_auc_score", y, z, random_state=s) for s in (3, 3, 4))
    assert first == again
    assert first != other


def test_samples_without_a_class_are_dropped_and_reported(rng):
    y = np.r_[np.zeros(30), 1.0]
    with pytest.warns(StatlearnWarning, match="`stratify`=True"):
        bootstrap_interval("roc_auc_score", y, rng.normal(size=31), random_state=0)
    bootstrap_interval("roc_auc_score", y, rng.normal(size=31), random_state=0, stratify=True)


def test_wrong_use_raises(rng):
    y, z = problem("roc_auc_score", rng)
    with pytest.raises(ValueError, match="metric must be a function"):
        bootstrap_interval("nonsense", y, z)
    with pytest.raises(ValueError, match="'method' parameter of bootstrap_interval"):
        bootstrap_interval("roc_auc", y, z, method="magic")
    with pytest.raises(ValueError, match="inconsistent"):
        bootstrap_interval("accuracy", y, z[:-1])
    assert bootstrap_interval("roc_auc", y, z, random_state=0) == bootstrap_interval(
        "roc_auc_score", y, z, random_state=0
    )


@pytest.mark.parametrize("stratify", [False, True])
def test_intervals_together_are_those_one_by_one(stratify):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 80)
    p, q = rng.uniform(0.05, 0.95, (2, 80))
    cases = [("brier_score_loss", p), ("roc_auc_score", p), ("log_loss", q), ("accuracy_score", (q > 0.5).astype(int))]
    options = dict(stratify=stratify, random_state=5, n_resamples=50, method="bca")
    together = bootstrap_intervals(cases, y, **options)
    for (metric, predicted), found in zip(cases, together):
        alone = bootstrap_interval(metric, y, predicted, **options)
        assert_close([found.estimate, found.low, found.high], [alone.estimate, alone.low, alone.high], rtol=1e-12)
