"""k-medoids on any dissimilarity."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

import statlearn
from statlearn.cluster import KMedoids
from tests.cluster.countries import NAMES, countries
from tests.helpers import assert_close, assert_same_state, fitted_state


def loss(D, medoids, weights=1.0):
    return float(np.sum(weights * D[:, list(medoids)].min(axis=1)))


@pytest.mark.spec("CLU-T1", "CLU-08")
@pytest.mark.parametrize(
    "k, names, value",
    [(2, "CUB USA", 38.84), (3, "CUB USA ZAI", 30.08), (4, "BRA CUB IND USA", 25.25)],
)
def test_best_medoids_of_the_countries(k, names, value):
    model = KMedoids(k, metric="precomputed", method="exhaustive").fit(countries())
    assert [NAMES[i] for i in model.medoid_indices_] == names.split()
    assert_close(model.inertia_, value)
    swapped = KMedoids(k, metric="precomputed", n_init=5, random_state=0).fit(countries())
    assert_close(swapped.inertia_, value)


@pytest.mark.spec("CLU-T1")
def test_three_groups_of_countries():
    labels = KMedoids(3, metric="precomputed", init="build").fit(countries()).labels_
    groups = {" ".join(np.array(NAMES)[labels == c]) for c in range(3)}
    assert groups == {"CHI CUB USS YUG", "BEL EGY FRA ISR USA", "BRA IND ZAI"}


@pytest.mark.spec("CLU-T2")
def test_alternating_from_all_triples():
    ends = [
        KMedoids(3, metric="precomputed", method="alternate", init=triple).fit(countries()).inertia_
        for triple in itertools.combinations(range(12), 3)
    ]
    values, counts = np.unique(np.round(ends, 6), return_counts=True)
    assert len(values) == 13
    assert values[0] == 30.08
    assert counts[0] == 119


@pytest.mark.spec("CLU-P8")
@given(st.integers(0, 10_000), st.integers(1, 5), st.sampled_from(["fasterpam", "alternate"]))
def test_ends_in_a_local_optimum_of_its_objective(draw, k, method):
    rng = np.random.default_rng(draw)
    X = rng.normal(size=(25, 2)).round(1)
    weights = rng.integers(1, 4, size=25).astype(float)
    model = KMedoids(k, method=method, metric="manhattan", random_state=draw).fit(X, sample_weight=weights)
    D = cdist(X, X, "cityblock")
    assert_close(model.inertia_, loss(D, model.medoid_indices_, weights))
    assert_close(model.history_[-1], model.inertia_)
    assert np.all(np.diff(model.history_) <= 1e-9)
    np.testing.assert_array_equal(model.cluster_centers_, X[model.medoid_indices_])
    np.testing.assert_array_equal(model.labels_, D[:, model.medoid_indices_].argmin(axis=1))
    medoids = model.medoid_indices_.tolist()
    if method == "fasterpam":  # no swap of one medoid for one row helps
        swaps = [loss(D, [*medoids[:c], row, *medoids[c + 1 :]], weights) for c in range(k) for row in range(25)]
        assert min(swaps) >= model.inertia_ - 1e-9
    else:  # no other member serves its cluster better
        for c in range(k):
            members = np.flatnonzero(model.labels_ == c)
            sums = D[np.ix_(members, members)] @ weights[members]
            if len(members):
                assert_close(sums.min(), D[medoids[c], members] @ weights[members])


@pytest.mark.spec("CLU-P8")
@pytest.mark.parametrize("method", ["fasterpam", "alternate", "exhaustive"])
def test_coordinates_and_matrix_agree(rng, method):
    X = rng.normal(size=(14, 3))
    a = KMedoids(3, method=method, metric="manhattan", init=[0, 1, 2]).fit(X)
    b = KMedoids(3, method=method, metric="precomputed", init=[0, 1, 2]).fit(cdist(X, X, "cityblock"))
    np.testing.assert_array_equal(a.medoid_indices_, b.medoid_indices_)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert_close(a.inertia_, b.inertia_)
    new = rng.normal(size=(6, 3))
    np.testing.assert_array_equal(a.predict(new), b.predict(cdist(new, X, "cityblock")))
    assert_close(a.transform(new), b.transform(cdist(new, X, "cityblock")))


def test_swaps_find_the_best_medoids_of_small_tables_more_often_than_alternation():
    found = {"fasterpam": 0, "alternate": 0}
    for seed in range(30):
        X = np.random.default_rng(seed).normal(size=(15, 2))
        best = KMedoids(3, method="exhaustive").fit(X).inertia_
        for method in found:
            model = KMedoids(3, method=method, init="random", n_init=1, random_state=seed).fit(X)
            assert model.inertia_ >= best - 1e-9
            found[method] += model.inertia_ <= best + 1e-9
    assert found["fasterpam"] > found["alternate"]


def test_swaps_agree_with_an_obvious_version(rng):
    D = cdist(*[rng.normal(size=(40, 2))] * 2)
    medoids, row, tried = [0, 1, 2, 3], 0, 0
    while tried < 40:  # eager: the first row that helps takes the place where it helps most
        options = [loss(D, [*medoids[:c], row, *medoids[c + 1 :]]) for c in range(4)]
        if row not in medoids and min(options) < loss(D, medoids) - 1e-12:
            medoids[int(np.argmin(options))] = row
            tried = 0
        else:
            tried += 1
        row = (row + 1) % 40
    model = KMedoids(4, metric="precomputed", init=[0, 1, 2, 3]).fit(D)
    assert model.medoid_indices_.tolist() == medoids


@pytest.mark.parametrize("method", ["fasterpam", "alternate", "clara"])
def test_same_bits_for_any_number_of_threads(rng, method):
    X = rng.normal(size=(600, 3))
    states = []
    for threads in (1, 2, 3):
        with statlearn.threads(threads):
            states.append(fitted_state(KMedoids(6, method=method, random_state=0).fit(X)))
    assert_same_state(states[0], states[1])
    assert_same_state(states[0], states[2])


@given(st.integers(0, 10_000))
def test_weight_k_is_k_copies(draw):
    rng = np.random.default_rng(draw)
    X, weights = rng.normal(size=(20, 2)), rng.integers(0, 4, size=20)
    rows = np.repeat(np.arange(20), weights)
    weighted = KMedoids(3, random_state=draw).fit(X, sample_weight=weights)
    copied = KMedoids(3, random_state=draw).fit(X[rows])
    assert_close(weighted.inertia_, copied.inertia_)
    np.testing.assert_array_equal(weighted.cluster_centers_, copied.cluster_centers_)


def test_subsamples_come_close_to_all_rows(rng):
    X = rng.normal(size=(1500, 2)) + 8 * rng.integers(0, 3, size=(1500, 1))
    full = KMedoids(3, random_state=0).fit(X)
    clara = KMedoids(3, method="clara", random_state=0).fit(X)
    assert full.inertia_ <= clara.inertia_ < 1.05 * full.inertia_
    D = cdist(X, X)
    again = KMedoids(3, method="clara", metric="precomputed", random_state=0).fit(D)
    assert again.inertia_ < 1.05 * full.inertia_


def test_a_dissimilarity_need_not_be_a_metric():
    D = np.array([[0, 1, 9.0], [1, 0, 1], [9, 1, 0]])  # 9 > 1 + 1
    model = KMedoids(1, metric="precomputed").fit(D)
    assert model.medoid_indices_.tolist() == [1]
    assert model.inertia_ == 2
    squared = KMedoids(2, metric=lambda a, b: float((a[0] - b[0]) ** 2), random_state=0).fit([[0.0], [1], [9], [10]])
    assert squared.inertia_ == 2


def test_parameters_taken_from_the_data_match_the_training_rows(rng):
    X = rng.normal(size=(40, 2)) * [1, 50]
    for metric in ("mahalanobis", "seuclidean"):
        model = KMedoids(3, metric=metric, random_state=0).fit(X)
        np.testing.assert_array_equal(model.predict(X[:1]), model.labels_[:1])
        assert_close(model.transform(X)[:5], model.transform(X[:5]))


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda D: D[:3], "square"),
        (lambda D: D + np.eye(4), "zero diagonal"),
        (lambda D: np.triu(D), r"not symmetric: D\[1, 0\] = 0 but D\[0, 1\]"),
        (lambda D: -D, "[Nn]egative"),
        (lambda D: np.where(D.max() == D, np.nan, D), "NaN"),
    ],
)
def test_invalid_dissimilarities_raise(change, words):
    D = cdist([[0.0], [1], [3], [7]], [[0.0], [1], [3], [7]])
    with pytest.raises(ValueError, match=words):
        KMedoids(2, metric="precomputed").fit(np.ascontiguousarray(change(D)))


def test_bad_input_raises_by_name(monkeypatch, rng):
    X = rng.normal(size=(40, 2))
    with pytest.raises(ValueError, match="n_samples=40 should be >= n_clusters=41"):
        KMedoids(41).fit(X)
    for init in ([0, 1], [0, 1, 1], [0, 1, 40], [0.0, 1.0, 2.0]):
        with pytest.raises(ValueError, match="`init` must contain"):
            KMedoids(3, init=init).fit(X)
    with pytest.raises(ValueError, match="`init` contains rows with sample_weight 0"):
        KMedoids(2, init=[0, 1]).fit(X, sample_weight=[0, *np.ones(39)])
    with pytest.raises(ValueError, match="unknown"):
        KMedoids(2, metric="unknown").fit(X)
    with pytest.raises(ValueError, match="sets of medoids"):
        KMedoids(12, method="exhaustive").fit(X)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        KMedoids(8, init="random", n_init=1, max_iter=1, random_state=0).fit(X)
    monkeypatch.setattr("statlearn._core.memory.available_memory", lambda: 1000)
    with pytest.raises(MemoryError, match=r"40 x 40 .*clara"):
        KMedoids(2).fit(X)


def test_copies_and_single_rows():
    X = np.repeat([[0.0], [1], [2]], 3, axis=0)
    model = KMedoids(4, random_state=0).fit(X)
    assert model.inertia_ == 0
    assert len(set(model.medoid_indices_.tolist())) == 4
    assert KMedoids(1).fit([[5.0]]).inertia_ == 0
