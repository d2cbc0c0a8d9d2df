"""Samplers."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statlearn._core.warnings import LeakageWarning
from statlearn.linear import LogisticRegression
from statlearn.prep import (
    SMOTE,
    RandomOverSampler,
    RandomUnderSampler,
    SimilarityUnderSampler,
    compute_class_weight,
)
from tests.helpers import assert_close


def unequal(rng, large=90, small=10, p=2):
    y = np.repeat([0, 1], [large, small])
    return rng.normal(size=(large + small, p)) + 2 * y[:, None], y


def drawn(sampler, X, y):
    return sampler.fit_resample(X, y, training_only=True)


@pytest.mark.spec("PRE-27", "PRE-29", "PRE-32", "PRE-T8")
def test_printed_weights_and_counts(rng):
    X, y = unequal(rng)
    weights = compute_class_weight("balanced", classes=np.array([0, 1]), y=y)
    assert_close(weights, [0.5555556, 5], atol=1e-7)
    assert compute_class_weight({0: 1, 1: 3}, classes=np.array([0, 1]), y=y).tolist() == [1, 3]
    assert np.bincount(drawn(RandomUnderSampler(random_state=0), X, y)[1]).tolist() == [10, 10]
    assert np.bincount(drawn(RandomOverSampler(random_state=0), X, y)[1]).tolist() == [90, 90]


@pytest.mark.spec("PRE-27", "PRE-P8")
@given(st.integers(0, 1000), st.integers(5, 40), st.integers(1, 5), st.booleans())
def test_undersampling_keeps_every_row_of_the_minority(seed, large, small, replacement):
    X, y = unequal(np.random.default_rng(seed), large, small)
    sampler = RandomUnderSampler(random_state=seed, replacement=replacement)
    X_less, y_less = drawn(sampler, X, y)
    np.testing.assert_array_equal(X_less[y_less == 1], X[y == 1])
    np.testing.assert_array_equal(X_less, X[sampler.sample_indices_])
    assert np.bincount(y_less).tolist() == [small, small]
    if not replacement:
        assert len(np.unique(sampler.sample_indices_)) == 2 * small
    again = RandomUnderSampler(random_state=seed, replacement=replacement)
    np.testing.assert_array_equal(drawn(again, X, y)[0], X_less)


@pytest.mark.spec("PRE-29", "PRE-P8")
def test_oversampling_by_a_whole_ratio_is_a_class_weight(rng):
    X, y = unequal(rng, 60, 20)
    X_more, y_more = drawn(RandomOverSampler(random_state=0), X, y)
    copies = LogisticRegression(C=2.0, tol=1e-10).fit(X_more, y_more)
    weighted = LogisticRegression(C=2.0, tol=1e-10, class_weight={1: 3}).fit(X, y)
    assert_close(copies.coef_, weighted.coef_, rtol=1e-6)
    assert_close(copies.intercept_, weighted.intercept_, rtol=1e-6)


@pytest.mark.spec("PRE-29")
@given(st.integers(0, 1000), st.integers(1, 9), st.integers(10, 40))
def test_copies_are_even_or_drawn(seed, small, large):
    X, y = unequal(np.random.default_rng(seed), large, small)
    even = RandomOverSampler(random_state=seed)
    drawn(even, X, y)
    times = np.bincount(even.sample_indices_, minlength=len(y))
    assert (times[y == 0] == 1).all()
    assert np.ptp(times[y == 1]) <= 1
    assert times[y == 1].sum() == large
    loose = RandomOverSampler(random_state=seed, even=False)
    assert np.bincount(drawn(loose, X, y)[1]).tolist() == [large, large]


def test_wanted_counts(rng):
    X, y = unequal(rng)
    counts = lambda sampler: np.bincount(drawn(sampler, X, y)[1]).tolist()  # noqa: E731
    assert counts(RandomUnderSampler(sampling_strategy=0.5)) == [20, 10]
    assert counts(RandomOverSampler(sampling_strategy=0.5)) == [90, 45]
    assert counts(RandomUnderSampler(sampling_strategy={0: 33})) == [33, 10]
    assert counts(SMOTE(sampling_strategy={1: 33})) == [90, 33]
    for sampler, words in (
        (RandomUnderSampler(sampling_strategy={0: 100}), "can only make fewer"),
        (RandomOverSampler(sampling_strategy={0: 10}), "can only make more"),
        (RandomUnderSampler(sampling_strategy={0: 0}), "requests 0 rows"),
        (RandomUnderSampler(sampling_strategy={7: 3}), "which is not in y"),
    ):
        with pytest.raises(ValueError, match=words):
            drawn(sampler, X, y)
    with pytest.raises(ValueError, match="two classes"):
        drawn(RandomUnderSampler(sampling_strategy=0.5), X, np.arange(100) % 3)
    with pytest.raises(ValueError, match="at least 2 classes"):
        drawn(RandomUnderSampler(), X, np.zeros(100))
    three = np.repeat(["a", "b", "c"], [70, 20, 10])
    assert np.unique(drawn(RandomUnderSampler(), X, three)[1], return_counts=True)[1].tolist() == [10, 10, 10]


@pytest.mark.spec("PRE-28")
def test_near_duplicates_of_the_majority_go():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.05], [9.0], [0.0], [0.05]])
    y = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    near = SimilarityUnderSampler(distance=0.3)
    X_less, y_less = drawn(near, X, y)
    np.testing.assert_array_equal(X_less.ravel(), [0, 5, 9, 0, 0.05])
    assert y_less.tolist() == [0, 0, 0, 1, 1]
    # No class falls below the wanted count.
    kept = drawn(SimilarityUnderSampler(distance=100, sampling_strategy={0: 4}), X, y)[1]
    assert np.bincount(kept).tolist() == [4, 2]


@pytest.mark.spec("PRE-28")
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine"])
def test_remaining_rows_are_spread_widely(metric, rng):
    from sklearn.metrics import pairwise_distances

    X, y = unequal(rng, 80, 10)
    sampler = SimilarityUnderSampler(metric=metric)
    drawn(sampler, X, y)
    chosen = sampler.sample_indices_[sampler.sample_indices_ < 80]
    assert len(chosen) == 10
    distance = pairwise_distances(X[:80], metric=metric)
    within = distance[np.ix_(chosen, chosen)][np.triu_indices(10, 1)].min()
    reach = distance[:, chosen].min(axis=1).max()
    assert within >= reach - 1e-12  # what goes is nearer to what stays than that is to each other


@pytest.mark.spec("PRE-30", "PRE-P6")
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
def test_new_rows_lie_between_near_rows_of_their_class(metric, rng):
    from sklearn.metrics import pairwise_distances

    X, y = unequal(rng, 60, 12)
    k = 3
    X_more, y_more = drawn(SMOTE(k_neighbors=k, metric=metric, random_state=0), X, y)
    np.testing.assert_array_equal(X_more[:72], X)
    np.testing.assert_array_equal(y_more[:72], y)
    assert np.bincount(y_more).tolist() == [60, 60]
    small = X[y == 1]
    neighbours = pairwise_distances(small, metric=metric).argsort(axis=1)[:, 1 : k + 1]
    for row in X_more[72:]:
        found = False
        for i in range(12):
            for j in neighbours[i]:
                step = small[j] - small[i]
                u = (row - small[i]) @ step / (step @ step)
                found |= 0 <= u <= 1 and np.abs(small[i] + u * step - row).max() < 1e-9
        assert found


@pytest.mark.spec("PRE-30")
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_levels_match_most_neighbours(frame, rng):
    X, y = unequal(rng, 40, 12)
    table = frame({"a": X[:, 0], "colour": np.where(X[:, 1] > 1, "red", "blue").tolist(), "b": X[:, 1]})
    more, y_more = drawn(SMOTE(categorical_features=["colour"], random_state=0), table, y)
    assert isinstance(more, frame)
    assert len(more) == 80
    assert set(more["colour"]) <= {"red", "blue"}
    assert np.asarray(more["a"])[:52].tolist() == table["a"].to_list()
    assert np.bincount(y_more).tolist() == [40, 40]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize("sampler", [RandomUnderSampler(), RandomOverSampler(), SimilarityUnderSampler(), SMOTE()])
def test_frames_series_and_lists_keep_their_type(frame, sampler, rng):
    X, y = unequal(rng, 20, 8)
    table = frame({"a": X[:, 0], "b": X[:, 1]})
    series = (pd.Series if frame is pd.DataFrame else pl.Series)("y", y) if frame is pl.DataFrame else pd.Series(y)
    X_new, y_new = drawn(sampler, table, series)
    assert isinstance(X_new, frame)
    assert list(X_new.columns) == ["a", "b"]
    assert type(y_new) is type(series)
    assert len(X_new) == len(y_new)
    assert isinstance(drawn(sampler, X, y.tolist())[1], list)


def test_text_and_sparse_rows(rng):
    X, y = unequal(rng)
    words = pl.DataFrame({"w": ["a", "b"] * 50})
    assert len(drawn(RandomOverSampler(), words, y)[0]) == 180
    more = drawn(RandomOverSampler(), sparse.csr_array(X), y)[0]
    assert sparse.issparse(more)
    assert more.shape == (180, 2)


@pytest.mark.spec("PRE-31")
def test_outside_a_pipeline_there_is_a_warning(rng):
    X, y = unequal(rng)
    with pytest.warns(LeakageWarning, match="SamplingPipeline"):
        RandomOverSampler().fit_resample(X, y)


def test_few_rows_and_a_missing_package(rng, monkeypatch):
    X, y = unequal(rng, 20, 4)
    with pytest.raises(ValueError, match="`k_neighbors`=5 requires more than 5 rows of class 1, which has 4"):
        drawn(SMOTE(), X, y)
    monkeypatch.setitem(sys.modules, "imblearn", None)
    with pytest.raises(ImportError, match=r"statlearn\[imbalance\]"):
        drawn(SMOTE(k_neighbors=2), X, y)
