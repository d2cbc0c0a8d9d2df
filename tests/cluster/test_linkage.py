"""Hierarchies against scipy, against their definitions, and on the catalog's data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

import statlearn
from statlearn.cluster import HDBSCAN, AgglomerativeClustering, _linkage, linkage
from tests.cluster.countries import countries
from tests.helpers import assert_close

METHODS = ["single", "complete", "average", "weighted", "ward", "centroid", "median"]
MONOTONE = METHODS[:5]


def assert_same_tree(Z, expected):
    np.testing.assert_array_equal(Z[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    assert_close(Z[:, 2], expected[:, 2])


@pytest.mark.spec("CLU-09")
@pytest.mark.parametrize("method", METHODS)
# Below and above the size from which all mutual neighbours are merged at once.
@pytest.mark.parametrize("n, p", [(2, 1), (60, 3), (1300, 2), (1100, 20)])
def test_merges_match_scipy(method, n, p, rng):
    X = rng.normal(size=(n, p))
    expected = hierarchy.linkage(X, method)
    assert_same_tree(linkage(X, method), expected)
    assert_same_tree(linkage(pdist(X), method, metric="precomputed"), expected)


@pytest.mark.parametrize("method", ["complete", "average", "ward"])
def test_a_hub_that_is_everybodys_neighbour(method, rng):
    """Rounds find one pair at a time here: chains take over."""
    X = rng.normal(size=(1200, 100))
    X *= rng.uniform(0.99, 1.01, size=(1200, 1)) / np.linalg.norm(X, axis=1, keepdims=True)
    X[0] = 0.0
    assert_same_tree(linkage(X, method), hierarchy.linkage(X, method))


@pytest.mark.parametrize("method", METHODS)
def test_matrix_triangle_and_metric_agree(method, rng):
    X = rng.normal(size=(40, 3))
    D = squareform(pdist(X))
    Z = linkage(D, method, metric="precomputed")
    assert_close(linkage(X, method)[:, 2], Z[:, 2])
    np.testing.assert_array_equal(D, squareform(pdist(X)))
    if method in _linkage.EUCLIDEAN_ONLY:
        with pytest.raises(ValueError, match="Euclidean"):
            linkage(X, method, metric="manhattan")
    else:
        for name, scipy_name in [("manhattan", "cityblock"), ("cosine", "cosine"), ("chebyshev", "chebyshev")]:
            assert_same_tree(linkage(X, method, metric=name), hierarchy.linkage(X, method, scipy_name))
        taxi = linkage(X, method, metric=lambda a, b: np.abs(a - b).sum())
        assert_same_tree(taxi, hierarchy.linkage(X, method, "cityblock"))


@pytest.mark.spec("CLU-T4")
@pytest.mark.parametrize(
    "method, heights",
    [
        ("single", [2.17, 2.25, 2.67, 2.75, 3.00, 3.67, 3.83, 4.50, 4.67, 4.75, 5.25]),
        ("complete", [2.17, 2.50, 2.67, 3.00, 3.75, 3.92, 4.50, 4.67, 5.08, 6.42, 8.17]),
        ("average", [2.17, 2.375, 2.67, 3.00, 3.3633, 3.71, 4.1933, 4.67, 4.9775, 5.5319, 6.4172]),
    ],
)
def test_heights_of_the_countries(method, heights):
    Z = linkage(countries(), method, metric="precomputed")
    assert_close(Z[:, 2], heights, rtol=0, atol=1e-4)
    np.testing.assert_array_equal(Z[0, :2], [0, 5])  # Belgium and France


@pytest.mark.spec("CLU-T10")
def test_ward_height_is_the_rise_of_the_sum_of_squares():
    Z = linkage(np.array([[0.0], [2.0], [10.0]]), "ward")
    assert Z[1, 2] ** 2 / 2 == pytest.approx(54.0, rel=1e-14)
    assert Z[0, 2] == 2.0
    within = lambda x: np.sum((x - x.mean()) ** 2)  # noqa: E731
    rise = within(np.array([0.0, 2.0, 10.0])) - within(np.array([0.0, 2.0]))
    assert Z[1, 2] ** 2 / 2 == pytest.approx(rise, rel=1e-14)


def members_of(Z):
    """The rows of every node."""
    n = len(Z) + 1
    members = [[i] for i in range(n)]
    for a, b in Z[:, :2].astype(int):
        members.append(members[a] + members[b])
    return members


def between(X, D, A, B, method):
    """The definition of the dissimilarity of two clusters."""
    block = D[np.ix_(A, B)]
    if method == "ward":
        a, b = len(A), len(B)
        return np.sqrt(2 * a * b / (a + b)) * np.linalg.norm(X[A].mean(axis=0) - X[B].mean(axis=0))
    return {"single": block.min, "complete": block.max, "average": block.mean}[method]()


@pytest.mark.spec("CLU-P9")
@pytest.mark.parametrize("method", ["single", "complete", "average", "ward"])
@given(seed=st.integers(0, 10_000), n=st.integers(2, 30), p=st.integers(1, 4))
def test_heights_rise_and_match_the_definition(method, seed, n, p):
    X = np.random.default_rng(seed).normal(size=(n, p))
    D = squareform(pdist(X))
    Z = linkage(X, method)
    assert np.all(np.diff(Z[:, 2]) >= -1e-12)
    members = members_of(Z)
    direct = [between(X, D, members[int(a)], members[int(b)], method) for a, b in Z[:, :2]]
    assert_close(Z[:, 2], direct)


@pytest.mark.spec("CLU-P9")
@pytest.mark.parametrize("p", [1, 3, 20])
def test_single_linkage_is_the_minimum_spanning_tree(p, rng):
    from scipy.sparse.csgraph import minimum_spanning_tree

    X = rng.normal(size=(300, p))
    tree = minimum_spanning_tree(squareform(pdist(X)))
    assert_close(linkage(X, "single")[:, 2], np.sort(tree.data))


def test_single_linkage_of_many_points_of_all_sizes(rng):
    """A box so wide that its points look equal beside it, copies of points, and a tree of several levels."""
    X = rng.normal(size=(9000, 3))
    X[:3000] = X[3000:6000]
    X[-1000:] *= 1e-9
    X[0] = 1e12
    expected = hierarchy.linkage(X[::2], "single")[:, 2]
    assert_close(linkage(X[::2], "single")[:, 2], expected)
    with statlearn.threads(1):
        one = linkage(X, "single")
    with statlearn.threads(3):
        np.testing.assert_array_equal(linkage(X, "single"), one)
    assert np.sum(one[:, 2] == 0) == 2999  # row 0 left its copy


@pytest.mark.parametrize("method", ["single", "average", "ward"])
def test_equal_distances_give_a_valid_tree(method, rng):
    """On a lattice nearly all distances are equal: heights of single linkage are unique all the same."""
    X = rng.integers(0, 8, size=(1500, 2)).astype(float)
    Z = linkage(X, method)
    assert hierarchy.is_valid_linkage(Z)
    assert np.all(np.diff(Z[:, 2]) >= 0)
    if method == "single":
        assert_close(Z[:, 2], hierarchy.linkage(X, "single")[:, 2])


@pytest.mark.parametrize("method", ["single", "average", "ward"])
def test_identical_points_merge_at_zero(method):
    assert np.all(linkage(np.ones((50, 3)), method)[:, 2] == 0)


@pytest.mark.parametrize("unit", [1e-150, 1e150])
@pytest.mark.parametrize("method", ["single", "average", "ward"])
def test_any_unit_of_length(method, unit, rng):
    X = rng.normal(size=(30, 2))
    Z, scaled = linkage(X, method), linkage(X * unit, method)
    np.testing.assert_array_equal(Z[:, :2], scaled[:, :2])
    assert_close(scaled[:, 2] / unit, Z[:, 2])


@pytest.mark.parametrize("method", ["single", "average", "ward"])
def test_the_same_bits_for_any_number_of_threads(method, rng):
    X = rng.normal(size=(3000, 3))
    with statlearn.threads(1):
        one = linkage(X, method)
    with statlearn.threads(4):
        np.testing.assert_array_equal(linkage(X, method), one)


def test_bad_input_raises_by_name():
    with pytest.raises(ValueError, match="'method' parameter of linkage"):
        linkage([[0.0], [1.0]], "nearest")
    with pytest.raises(ValueError, match="minimum of 2"):
        linkage([[0.0]])
    with pytest.raises(ValueError, match="NaN"):
        linkage([[0.0], [np.nan]])
    with pytest.raises(ValueError, match="Unknown metric 'nonsense'"):
        linkage([[0.0], [1.0]], "average", metric="nonsense")
    with pytest.raises(ValueError, match=r"not n .n - 1. / 2"):
        linkage([1.0, 2.0], "average", metric="precomputed")
    with pytest.raises(ValueError, match="not symmetric"):
        linkage([[0.5, 0.5], [0.2, 0.8]], "average", metric="kl")


@pytest.mark.parametrize(
    "place, value, message",
    [((0, 3), 9.0, r"not symmetric: .*D\[0, 3\] = 9"), ((2, 2), 1.0, r"zero diagonal: D\[2, 2\] = 1")],
)
def test_invalid_dissimilarities_raise(place, value, message):
    D = countries()
    D[place] = value
    with pytest.raises(ValueError, match=message):
        linkage(D, "average", metric="precomputed")


def test_memory_is_estimated_before_it_is_taken(monkeypatch):
    monkeypatch.setattr("statlearn._core.memory.available_memory", lambda: 10**6)
    X = np.arange(1000.0)[:, None]
    linkage(X, "ward"), linkage(X, "single")
    with pytest.raises(MemoryError, match=r"499,500 dissimilarities of 1,000 rows would take 4 MB.*Ward and single"):
        linkage(X, "average")


@pytest.mark.parametrize(
    "model", [AgglomerativeClustering(), AgglomerativeClustering(linkage="single"), HDBSCAN()], ids=str
)
def test_a_million_copies_of_a_row_are_refused(model):
    """They would be compared pair by pair."""
    X = np.full((1_000_000, 2), 1.5)
    X[::10] = np.arange(200_000.0).reshape(-1, 2)
    with pytest.raises(ValueError, match="X contains 900,000 copies of one row; more than 100,000"):
        model.fit(X)
