"""k-means: its objective, its algorithms, its starts."""

import numpy as np
import pytest
import sklearn.cluster
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import statlearn
from statlearn.cluster import KMeans, k_means, kmeans_plusplus
from tests.helpers import assert_close, assert_same_state, fitted_state

ALGORITHMS = ["full", "lloyd", "hamerly", "elkan"]


def blobs(rng, n=300, p=4, k=5, spread=0.6):
    middles = rng.normal(scale=3.0, size=(k, p))
    return middles[rng.integers(k, size=n)] + spread * rng.normal(size=(n, p))


def objective(X, centres, labels, weights=1.0):
    """The docstring's formula, literally."""
    return float(np.sum(weights * ((X - centres[labels]) ** 2).sum(axis=1)))


def nearest(X, centres):
    return ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)


def lloyd(X, centres, weights):
    """The obvious version, for starts that leave no cluster empty."""
    labels = None
    while True:
        new = nearest(X, centres)
        if labels is not None and np.array_equal(new, labels):
            return centres, labels
        labels = new
        centres = np.array(
            [np.average(X[labels == c], axis=0, weights=weights[labels == c]) for c in np.unique(labels)]
        )


@pytest.mark.spec("CLU-T7")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_two_groups_on_a_line(algorithm):
    X = np.array([[1.0], [2], [3], [10], [11], [12]])
    model = KMeans(2, random_state=0, algorithm=algorithm).fit(X)
    assert sorted(model.cluster_centers_[:, 0]) == [2.0, 11.0]
    assert model.inertia_ == 4.0
    assert model.predict([[0.0], [20.0]]).tolist() == [model.labels_[0], model.labels_[5]]


@pytest.mark.spec("CLU-01")
@pytest.mark.parametrize("table", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_agrees_with_the_obvious_version(rng, table, dtype, algorithm):
    X = blobs(rng).astype(dtype)
    weights = rng.integers(1, 4, size=len(X)).astype(float)
    start = X[rng.choice(len(X), 5, replace=False)]
    centres, labels = lloyd(X.astype(float), start.astype(float), weights)
    model = KMeans(5, init=start, tol=0, algorithm=algorithm).fit(table(X), sample_weight=weights)
    np.testing.assert_array_equal(model.labels_, labels)
    tight = 1e-5 if dtype == np.float32 else 1e-10
    assert_close(model.cluster_centers_, centres, rtol=tight, atol=tight)
    assert_close(model.inertia_, objective(X, centres, labels, weights), rtol=tight)
    assert model.cluster_centers_.dtype == dtype


@pytest.mark.spec("CLU-01")
def test_agrees_with_scikit_learn_from_the_same_start(rng):
    X = rng.normal(size=(2000, 6))
    ours = KMeans(12, init=X[:12], tol=0).fit(X)
    theirs = sklearn.cluster.KMeans(12, init=X[:12], n_init=1, tol=0).fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.n_iter_ == theirs.n_iter_
    assert_close(ours.cluster_centers_, theirs.cluster_centers_)


@pytest.mark.spec("CLU-P1", "CLU-04")
@given(st.integers(0, 10_000), st.integers(2, 8), st.sampled_from(ALGORITHMS))
def test_objective_never_rises_and_total_is_within_plus_between(draw, k, algorithm):
    rng = np.random.default_rng(draw)
    X = rng.normal(size=(40, 2)).round(1)  # with ties and copies
    model = KMeans(k, init="random", n_init=1, random_state=draw, tol=0, algorithm=algorithm).fit(X)
    total = np.sum((X - X.mean(axis=0)) ** 2)
    assert model.n_iter_ < 300
    assert np.all(np.diff(model.history_) <= 1e-12 * total)
    assert_close(model.history_[-1], model.inertia_)
    sizes = np.bincount(model.labels_, minlength=k)
    between = np.sum(sizes * ((model.cluster_centers_ - X.mean(axis=0)) ** 2).sum(axis=1))
    assert_close(model.inertia_ + between, total)
    np.testing.assert_array_equal(model.labels_, nearest(X, model.cluster_centers_))


@pytest.mark.spec("CLU-P1")
def test_more_starts_are_never_worse(rng):
    X = rng.normal(size=(150, 3))
    inertia = [KMeans(9, init="random", n_init=r, random_state=3).fit(X).inertia_ for r in (1, 3, 10, 30)]
    assert inertia == sorted(inertia, reverse=True)


@pytest.mark.spec("CLU-03", "CLU-P2")
def test_all_algorithms_take_the_same_steps_and_elkan_evaluates_fewest_distances(rng):
    for X, k in ((blobs(rng, 3000, 8, 20), 20), (rng.normal(size=(3000, 3)), 10)):
        models = {a: KMeans(k, init=X[:k], tol=0, algorithm=a).fit(X) for a in ALGORITHMS}
        full = models["full"]
        for model in models.values():
            np.testing.assert_array_equal(model.labels_, full.labels_)
            np.testing.assert_array_equal(model.cluster_centers_, full.cluster_centers_)
            np.testing.assert_array_equal(model.history_, full.history_)
            assert model.n_iter_ == full.n_iter_
        evaluated = [models[a].n_distances_ for a in ("elkan", "hamerly", "full")]
        assert evaluated == sorted(evaluated)
        assert full.n_distances_ >= len(X) * k * full.n_iter_
        assert models["lloyd"].n_distances_ < full.n_distances_


@pytest.mark.spec("CLU-02")
@pytest.mark.parametrize("table", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("init", ["k-means++", "k-means||", "random", "box"])
def test_every_start_finds_clear_clusters(rng, init, table):
    X = np.concatenate([rng.normal(size=(60, 2)) + c for c in ((0, 0), (30, 0), (0, 30))])
    model = KMeans(3, init=init, n_init=10, random_state=0).fit(table(X))
    assert len(set(zip(model.labels_, np.repeat(range(3), 60)))) == 3


@pytest.mark.spec("CLU-02")
def test_starts_match_their_definitions(rng):
    X = rng.normal(size=(80, 3))
    centres, rows = kmeans_plusplus(X, 6, random_state=1)
    np.testing.assert_array_equal(centres, X[rows])
    assert len(set(rows)) == 6
    # After one step from a start, the first entry of the history is the objective of the start.
    for init in ("random", "k-means++"):
        first = KMeans(6, init=init, n_init=1, random_state=0, max_iter=1, tol=1e9).fit(X).history_[0]
        pairs = ((X[:, None] - X) ** 2).sum(axis=2)
        assert first < pairs.max() * len(X)
    inside = KMeans(6, init="box", n_init=1, random_state=0, max_iter=1, tol=1e9).fit(X)
    assert np.isfinite(inside.history_).all()
    given = KMeans(6, init=lambda X, k, random_state: X[:k], tol=0).fit(X)
    np.testing.assert_array_equal(given.labels_, KMeans(6, init=X[:6], tol=0).fit(X).labels_)


@pytest.mark.spec("CLU-P3")
def test_careful_starts_are_better_than_random_ones():
    rng = np.random.default_rng(0)
    X = blobs(rng, 400, 2, 15, spread=0.1)
    mean = {
        init: np.mean([KMeans(15, init=init, n_init=1, random_state=s).fit(X).inertia_ for s in range(30)])
        for init in ("random", "k-means++", "k-means||")
    }
    assert mean["k-means++"] < 0.7 * mean["random"]
    assert mean["k-means||"] < 0.7 * mean["random"]


@pytest.mark.spec("CLU-02")
def test_plain_kmeanspp_draws_by_squared_distance():
    # Rows at 0 (weight 6), 1 (weight 3) and 3 (weight 1). Given a first row at 0, the second is 1 with probability
    # 3 * 1 / (3 * 1 + 1 * 9) = 1/4.
    X, weights = np.array([[0.0], [1.0], [3.0]]), [6.0, 3.0, 1.0]
    draws = [
        kmeans_plusplus(X, 2, sample_weight=weights, random_state=s, n_local_trials=1)[1].tolist() for s in range(1000)
    ]
    first = np.bincount([d[0] for d in draws], minlength=3) / 1000
    assert_close(first, [0.6, 0.3, 0.1], atol=4 * np.sqrt(0.25 / 1000))
    after_zero = [d[1] for d in draws if d[0] == 0]
    assert_close(np.mean(np.array(after_zero) == 1), 0.25, atol=4 * np.sqrt(0.19 / len(after_zero)))


@pytest.mark.spec("CLU-P19")
def test_rescaling_a_column_changes_the_clusters():
    X = np.array([[0.0, 0], [0, 2], [1, 0], [1, 2]])
    tall = KMeans(2, n_init=20, random_state=0).fit(X).labels_
    wide = KMeans(2, n_init=20, random_state=0).fit(X * [5, 1]).labels_
    assert tall[0] == tall[2]
    assert tall[0] != tall[1]
    assert wide[0] == wide[1]
    assert wide[0] != wide[2]


def test_same_bits_for_any_number_of_threads(rng):
    X = rng.normal(size=(20_000, 5))
    for table in (X, sparse.csr_array(np.where(X > 1, X, 0))):
        for algorithm in ALGORITHMS:
            states = []
            for threads in (1, 2, 5):
                with statlearn.threads(threads):
                    model = KMeans(7, algorithm=algorithm, random_state=0, max_iter=20, tol=1e-2).fit(table)
                    states.append(fitted_state(model))
            assert_same_state(states[0], states[1])
            assert_same_state(states[0], states[2])


def test_result_does_not_depend_on_the_order_of_rows(rng):
    X = blobs(rng, 500, 3, 8)
    one = KMeans(8, random_state=4).fit(X)
    shuffled = rng.permutation(500)
    two = KMeans(8, random_state=4).fit(X[shuffled])
    assert_close(one.cluster_centers_, two.cluster_centers_)
    np.testing.assert_array_equal(one.labels_[shuffled], two.labels_)


@given(st.integers(0, 10_000))
def test_weight_k_is_k_copies_and_weight_0_is_absence(draw):
    rng = np.random.default_rng(draw)
    X, weights = rng.normal(size=(30, 2)), rng.integers(0, 4, size=30)
    rows = np.repeat(np.arange(30), weights)
    weighted = KMeans(3, random_state=draw).fit(X, sample_weight=weights)
    copied = KMeans(3, random_state=draw).fit(X[rows])
    assert_close(weighted.cluster_centers_, copied.cluster_centers_)
    assert_close(weighted.inertia_, copied.inertia_)
    np.testing.assert_array_equal(weighted.labels_[rows], copied.labels_)
    np.testing.assert_array_equal(weighted.labels_, weighted.predict(X))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_empty_cluster_takes_the_farthest_row(algorithm):
    X = np.array([[0.0], [1], [2], [9], [20]])
    model = KMeans(3, init=[[0.0], [100.0], [200.0]], algorithm=algorithm).fit(X)
    assert sorted(model.cluster_centers_[:, 0]) == [1.0, 9.0, 20.0]
    assert np.all(np.diff(model.history_) <= 1e-12)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_fewer_distinct_rows_than_clusters(algorithm):
    X = np.repeat([[0.0, 0], [1, 1], [5, 5]], 4, axis=0)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(3\)"):
        model = KMeans(5, random_state=0, algorithm=algorithm).fit(X)
    assert model.inertia_ == 0
    assert len(np.unique(model.labels_)) == 3
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(1\)"):
        assert KMeans(2, random_state=0).fit(np.ones((4, 2))).inertia_ == 0


def test_one_row_and_one_cluster():
    model = KMeans(1).fit([[3.0, 4.0]])
    assert model.inertia_ == 0
    assert model.cluster_centers_.tolist() == [[3, 4]]
    with pytest.warns(RuntimeWarning, match="single cluster"):
        KMeans(1, algorithm="elkan").fit([[3.0], [4.0]])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_far_from_zero_no_digits_are_lost(rng, algorithm):
    X = rng.normal(size=(400, 3))
    near = KMeans(6, init=X[:6], tol=0, algorithm=algorithm).fit(X)
    far = KMeans(6, init=X[:6] + 1e7, tol=0, algorithm=algorithm).fit(X + 1e7)
    np.testing.assert_array_equal(near.labels_, far.labels_)
    assert_close(near.inertia_, far.inertia_, rtol=1e-6)  # X + 1e7 itself is rounded to 1e-9


def test_ties_go_to_the_first_centre():
    X = np.array([[0.0], [2.0], [1.0]])
    for algorithm in ALGORITHMS:
        model = KMeans(2, init=[[0.0], [2.0]], max_iter=1, tol=1e9, algorithm=algorithm).fit(X)
        assert model.cluster_centers_[:, 0].tolist() == [0.5, 2.0]


def test_bad_input_raises_by_name():
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(ValueError, match="n_samples=6 should be >= n_clusters=8"):
        KMeans().fit(X)
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=4"):
        KMeans(4).fit(X, sample_weight=[1, 1, 1, 0, 0, 0])
    with pytest.raises(ValueError, match="does not match the number of clusters 2"):
        KMeans(2, init=X[:3]).fit(X)
    with pytest.raises(ValueError, match="does not match the number of features"):
        KMeans(2, init=X[:2, :1]).fit(X)
    with pytest.raises(ValueError, match="NaN"):
        KMeans(2).fit(np.where(X == 3, np.nan, X))
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        KMeans(3, init=X[:3], max_iter=1, tol=0).fit(X)


def test_elkan_reports_its_memory(monkeypatch):
    monkeypatch.setattr("statlearn._core.memory.available_memory", lambda: 1000)
    with pytest.raises(MemoryError, match=r"elkan.*hamerly"):
        KMeans(8, algorithm="elkan").fit(np.random.default_rng(0).normal(size=(100, 2)))


def test_function_form(rng):
    X = blobs(rng)
    centres, labels, inertia, n_iter = k_means(X, 5, random_state=0, return_n_iter=True)
    model = KMeans(5, random_state=0).fit(X)
    np.testing.assert_array_equal(centres, model.cluster_centers_)
    np.testing.assert_array_equal(labels, model.labels_)
    assert (inertia, n_iter) == (model.inertia_, model.n_iter_)
    assert_close(-model.score(X), inertia)
    assert_close(model.transform(X).min(axis=1) ** 2 @ np.ones(len(X)), inertia)


def test_the_course_is_printed_on_request(rng, capsys):
    KMeans(3, random_state=0, verbose=1, tol=0).fit(blobs(rng))
    assert "strict convergence" in capsys.readouterr().out


def test_too_many_trials_raise(rng):
    X = rng.normal(size=(20, 2))
    with pytest.raises(ValueError, match="n_local_trials"):
        KMeans(2, n_local_trials=2**31).fit(X)
    with pytest.raises(ValueError, match="n_local_trials"):
        kmeans_plusplus(X, 2, n_local_trials=2**31)
