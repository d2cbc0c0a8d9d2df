"""Silhouettes: printed values, scikit-learn beside them, and what must hold for every partition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import statlearn
from statlearn.cluster import _distance_sums, silhouette_samples, silhouette_score
from tests.cluster.countries import NAMES, countries
from tests.helpers import assert_close

TWO5 = np.array([[4, 2], [2, 4], [2, 3], [3, 6], [4, 4], [9, 10], [6, 8], [9, 5], [8, 7], [10, 8]], dtype=float)


def partition(n, k, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, n)
    labels[:k] = np.arange(k)
    return labels


@pytest.mark.spec("CLU-17", "CLU-T3")
def test_silhouettes_of_countries_match_the_book():
    clusters = [["CHI", "CUB", "USS", "YUG"], ["BEL", "EGY", "FRA", "ISR", "USA"], ["BRA", "IND", "ZAI"]]
    labels = [next(k for k, names in enumerate(clusters) if name in names) for name in NAMES]
    found = silhouette_samples(countries(), labels, metric="precomputed")
    assert_close(found.mean(), 0.3301021, atol=1e-6)
    assert_close(found[NAMES.index("USA")], 0.468085, atol=1e-6)
    assert_close(found[NAMES.index("EGY")], 0.021186, atol=1e-6)


@pytest.mark.spec("CLU-T5")
def test_a_row_nearer_its_own_centre_can_have_a_negative_silhouette():
    X = np.array([[-1, 1], [1, 1], [0, 0], [0, -1.2], [0, -1.1]], dtype=float)
    found = silhouette_samples(X, [0, 0, 0, 1, 1])
    assert_close(found, [0.280089, 0.280089, -0.186827, 0.950275, 0.947843], atol=1e-6)
    assert_close(silhouette_score(X, [0, 0, 0, 1, 1]), 0.454294, atol=1e-6)
    own, other = np.linalg.norm(X[:3].mean(axis=0)), np.linalg.norm(X[3:].mean(axis=0))
    assert_close([own, other], [2 / 3, 1.15])


@pytest.mark.spec("CLU-T12")
def test_silhouette_of_ten_points_matches_the_printed_value():
    assert_close(silhouette_score(TWO5, np.repeat([0, 1], 5)), 0.5812622, atol=1e-6)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "sqeuclidean", "cosine", "l1"])
@pytest.mark.parametrize("n, p, k", [(9, 1, 2), (130, 3, 4), (300, 9, 40)])
def test_agrees_with_scikit_learn(metric, n, p, k):
    X = np.random.default_rng(n).normal(size=(n, p))
    labels = partition(n, k)
    assert_close(
        silhouette_samples(X, labels, metric=metric), metrics.silhouette_samples(X, labels, metric=metric), atol=1e-8
    )


def test_strips_and_all_at_once_agree(monkeypatch):
    X = np.random.default_rng(0).normal(size=(700, 3))
    labels = partition(700, 5)
    whole = silhouette_samples(X, labels)
    monkeypatch.setattr(_distance_sums, "_ALL_AT_ONCE", 0)
    monkeypatch.setattr(_distance_sums, "_STRIP_BYTES", 8 * 5 * 256)
    assert_close(silhouette_samples(X, labels), whole, rtol=1e-12)
    monkeypatch.setattr(_distance_sums, "_STRIP_BYTES", 8 * 700 * 50)
    assert_close(silhouette_samples(X, labels, metric="cosine"), metrics.silhouette_samples(X, labels, metric="cosine"))


def test_any_number_of_threads_gives_the_same_bits():
    X = np.random.default_rng(0).normal(size=(1000, 4))
    labels = partition(1000, 7)
    with statlearn.threads(1):
        one = silhouette_samples(X, labels)
    with statlearn.threads(3):
        np.testing.assert_array_equal(silhouette_samples(X, labels), one)


def test_near_rows_far_from_the_origin_are_distinguished():
    X = np.array([[0.0], [1e-3], [5e-3], [6e-3]])
    assert_close(silhouette_score(X + 1e6, [0, 0, 1, 1]), silhouette_score(X, [0, 0, 1, 1]), rtol=1e-5)


@pytest.mark.spec("CLU-P14")
@given(st.integers(3, 30), st.integers(2, 6), st.integers(0, 10_000))
def test_bounds_singletons_and_the_three_case_form(n, k, seed):
    k = min(k, n - 1)
    X = np.random.default_rng(seed).normal(size=(n, 2)).round(1)
    labels = partition(n, k, seed)
    found = silhouette_samples(X, labels)
    assert (np.abs(found) <= 1).all()
    D = metrics.pairwise_distances(X)
    for i in range(n):
        own = labels == labels[i]
        if own.sum() == 1:
            assert found[i] == 0
            continue
        a = D[i, own].sum() / (own.sum() - 1)
        b = min(D[i, labels == c].mean() for c in range(k) if c != labels[i])
        three = 1 - a / b if a < b else (b / a - 1 if a > b else 0.0)
        assert_close(found[i], three, atol=1e-7)


def test_a_sample_is_the_one_that_scikit_learn_draws():
    X, labels = np.random.default_rng(0).normal(size=(200, 3)), partition(200, 4)
    for matrix, metric in ((X, "euclidean"), (metrics.pairwise_distances(X), "precomputed")):
        np.fill_diagonal(matrix, 0.0) if metric == "precomputed" else None
        options = dict(metric=metric, sample_size=60, random_state=3)
        assert_close(silhouette_score(matrix, labels, **options), metrics.silhouette_score(matrix, labels, **options))


def test_identical_rows_have_silhouette_zero():
    np.testing.assert_array_equal(silhouette_samples(np.ones((4, 2)), [0, 0, 1, 1]), np.zeros(4))


@pytest.mark.parametrize(
    "X, labels, options, message",
    [
        (np.eye(3), [0, 0, 0], {}, "Number of labels is 1"),
        (np.eye(3), [0, 1, 2], {}, "Number of labels is 3"),
        (np.eye(3), [0, 1], {}, "inconsistent"),
        (np.eye(3), [0, 1, np.nan], {}, "`labels` contains NaN"),
        (np.eye(3), [0, 0, 1], {"metric": "nonsense"}, "metric.*parameter of silhouette_samples"),
        (np.eye(3), [0, 0, 1], {"metric": "precomputed"}, "zero diagonal"),
        (np.zeros((3, 2)), [0, 0, 1], {"metric": "precomputed"}, "square matrix"),
        (np.array([[0, 1, 2], [1, 0, 3], [2, 4, 0.0]]), [0, 0, 1], {"metric": "precomputed"}, "not symmetric"),
        (np.array([[0.0], [np.nan], [1.0]]), [0, 0, 1], {}, "NaN"),
    ],
)
def test_bad_input_raises(X, labels, options, message):
    with pytest.raises(ValueError, match=message):
        silhouette_samples(X, labels, **options)
