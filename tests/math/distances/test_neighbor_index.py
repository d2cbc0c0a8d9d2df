"""The search index: every back end against a slow, obvious one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import statlearn
from statlearn._math.distances.neighbor_index import build_index
from tests.helpers import assert_close

BACK_ENDS = ("kd_tree", "ball_tree", "brute")


def slow_distances(X, Q, metric="euclidean", p=2):
    """Sums over the coordinates in their order, in double precision."""
    total = np.zeros((len(Q), len(X)))
    for j in range(X.shape[1]):
        d = np.abs(Q[:, j, None].astype(float) - X[:, j].astype(float))
        if metric == "chebyshev":
            total = np.maximum(total, d)
        else:
            total += {"euclidean": d * d, "manhattan": d}.get(metric, d**p)
    return {"euclidean": np.sqrt(total), "minkowski": total ** (1 / p)}.get(metric, total)


def slow_query(D, k):
    rows = np.stack([np.lexsort((np.arange(D.shape[1]), d))[:k] for d in D])
    return np.take_along_axis(D, rows, axis=1), rows


@pytest.mark.spec("NEI-04", "NEI-P1")
@given(
    n=st.integers(1, 200),
    p=st.integers(1, 6),
    levels=st.integers(1, 5),
    seed=st.integers(0, 2**31),
    leaf_size=st.sampled_from([1, 8, 40]),
    metric=st.sampled_from(["euclidean", "manhattan", "chebyshev", "minkowski"]),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_all_back_ends_agree_with_the_obvious_search_under_ties(n, p, levels, seed, leaf_size, metric, dtype):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, size=(n, p)).astype(dtype)  # few levels: ties everywhere, exact sums
    Q = rng.integers(0, levels, size=(7, p)).astype(dtype)
    k = int(rng.integers(1, n + 1))
    distances, rows = slow_query(slow_distances(X, Q, metric, 3), k)
    for algorithm in BACK_ENDS:
        index = build_index(X, metric=metric, p=3, algorithm=algorithm, leaf_size=leaf_size)
        found = index.query(Q, k)
        np.testing.assert_array_equal(found[1], rows, err_msg=algorithm)
        assert_close(found[0], distances, rtol=1e-14, err_msg=algorithm, atol=0)


@pytest.mark.spec("NEI-P1")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(3000, 3), (700, 20), (2000, 1), (1500, 60)])
def test_back_ends_give_the_same_bits_on_random_data(shape, dtype, rng):
    X = (100 + rng.normal(size=shape)).astype(dtype)
    X[50:100] = X[:50]  # duplicates
    m = 1100 if shape[1] == 3 else 60  # many queries are put in the order of the leaves first
    Q = np.concatenate([X[:40], (100 + rng.normal(size=(m, shape[1]))).astype(dtype)])
    answers = [build_index(X, algorithm=a).query(Q, 13) for a in BACK_ENDS]
    for found in answers[1:]:
        np.testing.assert_array_equal(found[0], answers[0][0])
        np.testing.assert_array_equal(found[1], answers[0][1])
    distances, rows = slow_query(slow_distances(X, Q), 13)
    np.testing.assert_array_equal(rows, answers[0][1])
    assert_close(distances, answers[0][0], rtol=1e-12, atol=0)
    assert np.all(answers[0][0][:40, 0] == 0)


@pytest.mark.parametrize("algorithm", BACK_ENDS)
def test_a_row_can_be_excluded_from_its_neighbours(algorithm, rng):
    X = rng.integers(0, 3, size=(300, 2)).astype(float)
    D = slow_distances(X, X)
    np.fill_diagonal(D, np.inf)
    distances, rows = slow_query(D, 40)
    found = build_index(X, algorithm=algorithm).query(None, 40, exclude_self=True)
    np.testing.assert_array_equal(found[1], rows)
    assert_close(found[0], distances, atol=0)


@pytest.mark.parametrize("algorithm", BACK_ENDS)
@pytest.mark.parametrize("sort", [False, True])
def test_radius_search_finds_exactly_the_rows_within(algorithm, sort, rng):
    X = rng.integers(0, 6, size=(400, 3)).astype(float)
    Q = np.concatenate([X[:50], rng.normal(3, 3, size=(1100, 3))])
    r = np.where(np.arange(len(Q)) % 3 == 0, np.sqrt(2), 2.0)  # on the boundary for many
    D = slow_distances(X, Q)
    indptr, rows, distances = build_index(X, algorithm=algorithm).radius(Q, r, sort=sort)
    assert indptr.shape == (len(Q) + 1,)
    for i in range(len(Q)):
        part = slice(indptr[i], indptr[i + 1])
        expected = np.flatnonzero(D[i] <= r[i])
        if sort:
            expected = expected[np.lexsort((expected, D[i, expected]))]
        np.testing.assert_array_equal(rows[part], expected)
        assert_close(distances[part], D[i, expected], atol=0)


@pytest.mark.parametrize("algorithm", BACK_ENDS)
def test_radius_search_leaves_the_row_itself_out(algorithm, rng):
    X = rng.integers(0, 4, size=(200, 2)).astype(float)
    D = slow_distances(X, X)
    np.fill_diagonal(D, np.inf)
    indptr, rows, _ = build_index(X, algorithm=algorithm).radius(None, 1.0, exclude_self=True)
    np.testing.assert_array_equal(rows, np.nonzero(D <= 1)[1])
    np.testing.assert_array_equal(np.diff(indptr), (D <= 1).sum(axis=1))


@pytest.mark.parametrize("algorithm", BACK_ENDS)
def test_the_number_of_threads_does_not_matter(algorithm, rng):
    X = rng.normal(size=(3000, 4))
    with statlearn.threads(1):
        one = build_index(X, algorithm=algorithm)
        alone = one.query(X[:1500], 9)
    two = build_index(X, algorithm=algorithm)
    for a, b in zip(alone, two.query(X[:1500], 9, n_jobs=2)):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(one.radius(X[:1500], 0.5, n_jobs=1), two.radius(X[:1500], 0.5)):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("algorithm", BACK_ENDS)
def test_identical_points_and_a_single_point(algorithm):
    index = build_index(np.ones((500, 3)), algorithm=algorithm)
    distances, rows = index.query(np.zeros((2, 3)), 5)
    np.testing.assert_array_equal(rows, [range(5)] * 2)
    np.testing.assert_array_equal(distances, np.sqrt(3) * np.ones((2, 5)))
    alone = build_index(np.ones((1, 3)), algorithm=algorithm).query(np.ones((1, 3)), 1)
    assert alone[0] == 0
    assert alone[1] == 0


@pytest.mark.parametrize("k", [25, 64, 150, 1500])
def test_many_neighbours_are_selected_and_sorted_exactly(k, rng):
    X, Q = rng.integers(0, 9, size=(2000, 2)).astype(float), rng.integers(0, 9, size=(20, 2)).astype(float)
    expected = slow_query(slow_distances(X, Q), k)
    for algorithm in BACK_ENDS:
        found = build_index(X, algorithm=algorithm).query(Q, k)
        np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("scale", [1e-170, 1e-160, 1.0, 1e150])
@pytest.mark.parametrize("k", [5, 40])
def test_bounds_from_earlier_queries_lose_no_neighbour(scale, k, rng):
    X = scale * rng.normal(size=(600, 3))  # squares of the smallest scale are 0, and those of the next subnormal
    expected = slow_query(slow_distances(X, X), k)
    found = build_index(X, algorithm="kd_tree").query(X, k)
    np.testing.assert_array_equal(found[1], expected[1])
    assert_close(found[0], expected[0], rtol=1e-14, atol=0)


def test_a_function_matches_its_name(rng):
    X, Q = rng.normal(size=(300, 3)), rng.normal(size=(20, 3))
    by_name = build_index(X, metric="manhattan").query(Q, 4)
    by_function = build_index(X, metric=lambda a, b: np.sum(np.abs(a - b))).query(Q, 4)
    np.testing.assert_array_equal(by_name[1], by_function[1])
    indptr, rows, _ = build_index(X, metric=lambda a, b: np.sum(np.abs(a - b))).radius(Q, 1.0)
    expected = build_index(X, metric="manhattan").radius(Q, 1.0)
    np.testing.assert_array_equal(indptr, expected[0])
    np.testing.assert_array_equal(rows, expected[1])


def test_functions_keep_ties_in_row_order():
    X = np.array([[0.0], [1.0], [1.0], [-1.0], [0.0], [1.0]])
    _, rows = build_index(X, metric=lambda a, b: abs(a[0] - b[0])).query(np.zeros((1, 1)), 4)
    np.testing.assert_array_equal(rows, [[0, 4, 1, 2]])


@pytest.mark.parametrize(
    "arguments, words",
    [
        (dict(metric="no such metric"), "Unknown metric"),
        (dict(metric="cosine", algorithm="ball_tree"), "triangle inequality"),
        (dict(metric="braycurtis", algorithm="kd_tree"), "KD-tree"),
        (dict(metric="braycurtis", algorithm="ball_tree"), "triangle inequality"),
        (dict(metric="minkowski", p=0.5, algorithm="kd_tree"), "KD-tree"),
        (dict(metric=np.dot, algorithm="kd_tree"), "callable"),
        (dict(metric="haversine"), "two columns"),
        (dict(metric="euclidean", metric_params={"q": 1}), "does not accept"),
    ],
)
def test_metrics_that_do_not_fit_raise(arguments, words):
    with pytest.raises(ValueError, match=words):
        build_index(np.ones((5, 3)), **arguments)


def test_queries_that_do_not_fit_raise(rng):
    index = build_index(rng.normal(size=(30, 3)))
    with pytest.raises(ValueError, match="columns"):
        index.query(np.ones((2, 4)), 3)
    with pytest.raises(ValueError, match="`k` must be between 1 and 30"):
        index.query(np.ones((2, 3)), 31)
    with pytest.raises(ValueError, match="`k` must be between 1 and 29"):
        index.query(None, 30, exclude_self=True)
    with pytest.raises(ValueError, match="one per query"):
        index.radius(np.ones((2, 3)), [1.0, 2.0, 3.0])


@pytest.mark.parametrize("metric", ["hamming", "canberra", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath"])
def test_ball_trees_take_other_metrics(metric, rng):
    X = rng.integers(0, 3, size=(400, 9)).astype(float)
    if metric not in ("hamming", "canberra"):
        X = (X > 1).astype(float)
        X[np.arange(400), np.arange(400) % 9] = 1.0  # scipy has its own mind about empty sets
    brute = build_index(X, metric=metric, algorithm="brute").query(X[:60], 8)
    ball = build_index(X, metric=metric, algorithm="ball_tree").query(X[:60], 8)
    np.testing.assert_array_equal(brute[0], ball[0])
    np.testing.assert_array_equal(brute[1], ball[1])
    D = cdist(X[:60], X, metric) if metric in ("hamming", "canberra") else cdist(X[:60] > 0, X > 0, metric)
    assert_close(brute[0], np.sort(D, axis=1)[:, :8], atol=1e-14)


def test_haversine_trees_measure_angles_on_the_sphere(rng):
    X = np.column_stack([rng.uniform(-np.pi / 2, np.pi / 2, 500), rng.uniform(-np.pi, np.pi, 500)])
    xyz = np.column_stack([np.cos(X[:, 0]) * np.cos(X[:, 1]), np.cos(X[:, 0]) * np.sin(X[:, 1]), np.sin(X[:, 0])])
    angles = np.arccos(np.clip(xyz[:80] @ xyz.T, -1, 1))
    distances, rows = build_index(X, metric="haversine", algorithm="ball_tree").query(X[:80], 6)
    assert_close(distances, np.sort(angles, axis=1)[:, :6], atol=1e-7)
    again = build_index(X, metric="haversine", algorithm="brute").query(X[:80], 6)
    np.testing.assert_array_equal(rows, again[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", ["far from zero", "huge", "tiny", "outliers", "far queries", "one direction"])
def test_brute_force_filters_in_floats_and_answers_exactly(case, dtype, rng):
    X, Q = rng.normal(size=(1000, 30)), rng.normal(size=(50, 30))
    if case == "far from zero":
        X, Q = X + 1e5, Q + 1e5
    elif case == "huge":
        X, Q = X * 1e15, Q * 1e15
    elif case == "tiny":
        X, Q = X * 1e-17, Q * 1e-17
    elif case == "outliers":
        X[::100] *= 1e8
    elif case == "far queries":
        Q[:25] *= 1e9
        Q[25:] *= 1e18
    else:
        X[:, 1:], Q[:, 1:] = 0, 0
    X, Q = X.astype(dtype), Q.astype(dtype)
    expected = build_index(X, algorithm="ball_tree").query(Q, 20)
    index = build_index(X, algorithm="brute")
    found = index.query(Q, 20)
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_array_equal(found[0], expected[0])
    r = expected[0][:, 7]  # one neighbour exactly on the boundary
    for a, b in zip(index.radius(Q, r), build_index(X, algorithm="ball_tree").radius(Q, r)):
        np.testing.assert_array_equal(a, b)


def test_brute_force_with_thousands_of_ties(rng):
    X = np.repeat(rng.normal(size=(3, 20)), 2000, axis=0)[rng.permutation(6000)]
    Q = np.concatenate([X[:5], rng.normal(size=(6, 20))])
    expected = build_index(X, algorithm="kd_tree").query(Q, 50)
    found = build_index(X, algorithm="brute").query(Q, 50)
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_array_equal(found[0], expected[0])


def test_the_matrix_of_neighbours_raises_when_it_cannot_be_had(monkeypatch, rng):
    monkeypatch.setattr("statlearn._core.memory.available_memory", lambda: 1000)
    with pytest.raises(MemoryError, match="fewer neighbours"):
        build_index(rng.normal(size=(100, 2))).query(np.zeros((100, 2)), 50)
