"""k-means on batches."""

import numpy as np
import pytest
from scipy import sparse

import statlearn
from statlearn.cluster import KMeans, MiniBatchKMeans
from tests.helpers import assert_close, assert_same_state, fitted_state


def groups(rng, n=3000):
    return rng.normal(size=(n, 3)) + 8 * rng.integers(0, 4, size=(n, 1))


@pytest.mark.parametrize("table", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_comes_close_to_the_exact_iteration(rng, table):
    X = table(groups(rng))
    exact = KMeans(4, random_state=0).fit(X)
    batches = MiniBatchKMeans(4, batch_size=200, random_state=0).fit(X)
    assert exact.inertia_ <= batches.inertia_ < 1.02 * exact.inertia_
    assert_close(-batches.score(X), batches.inertia_)
    assert batches.n_iter_ == np.ceil(batches.n_steps_ * 200 / 3000)


def test_a_stream_gives_running_means(rng):
    # One cluster: after every batch the centre is the weighted mean of all rows so far.
    model = MiniBatchKMeans(1, reassignment_ratio=0)
    X, weights = rng.normal(size=(50, 2)), rng.uniform(size=50)
    for part in np.array_split(np.arange(50), 4):
        model.partial_fit(X[part], sample_weight=weights[part])
        seen = slice(0, part[-1] + 1)
        assert_close(model.cluster_centers_[0], np.average(X[seen], axis=0, weights=weights[seen]))
    assert model.n_steps_ == 4


def test_weights_determine_drawing_probabilities(rng):
    X = np.concatenate([rng.normal(size=(300, 1)), 50 + rng.normal(size=(300, 1))])
    weights = np.repeat([1.0, 0.0], 300)
    model = MiniBatchKMeans(1, random_state=0, batch_size=100).fit(X, sample_weight=weights)
    assert abs(model.cluster_centers_[0, 0]) < 1
    assert len(model.labels_) == 600


def test_same_bits_for_any_number_of_threads(rng):
    X = groups(rng)
    states = []
    for threads in (1, 3):
        with statlearn.threads(threads):
            states.append(fitted_state(MiniBatchKMeans(5, random_state=0).fit(X)))
    assert_same_state(*states)


def test_centres_without_rows_are_moved(rng):
    X = groups(rng, 500)
    start = np.vstack([X[:3], np.full((1, 3), 1e6)])
    model = MiniBatchKMeans(4, init=start, random_state=0, batch_size=100).fit(X)
    assert np.abs(model.cluster_centers_).max() < 100
    stays = MiniBatchKMeans(4, init=start, random_state=0, batch_size=100, reassignment_ratio=0).fit(X)
    assert np.abs(stays.cluster_centers_).max() == 1e6


def test_labels_are_optional(rng):
    X = groups(rng, 500)
    model = MiniBatchKMeans(4, random_state=0, compute_labels=False).fit(X)
    assert not hasattr(model, "labels_")
    assert_close(model.inertia_, -model.score(X), rtol=0.2)  # a smoothed estimate from the batches


def test_bad_input_raises_by_name(rng):
    X = rng.normal(size=(30, 2))
    with pytest.raises(ValueError, match="n_samples=30 should be >= n_clusters=31"):
        MiniBatchKMeans(31).fit(X)
    with pytest.raises(ValueError, match="n_samples=4 should be >= n_clusters=8"):
        MiniBatchKMeans().partial_fit(X[:4])
    model = MiniBatchKMeans(2).partial_fit(X)
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :1])


def test_labels_that_were_not_stored_are_predicted(rng):
    X = rng.normal(size=(60, 2))
    model = MiniBatchKMeans(3, random_state=0)
    kept = model.fit_predict(X)
    found = model.set_params(compute_labels=False).fit_predict(X)
    assert np.array_equal(found, kept)
    assert not hasattr(model, "labels_")


def test_all_centres_may_be_reassigned(rng):
    X = rng.normal(size=(100, 2))
    model = MiniBatchKMeans(3, reassignment_ratio=2.0, random_state=0).fit(X)
    assert np.isfinite(model.cluster_centers_).all()


def test_partial_fit_starts_again_after_a_fit_that_failed_on_another_table(rng):
    model = MiniBatchKMeans(3, random_state=0).fit(rng.normal(size=(60, 2)))
    with pytest.raises(ValueError, match="n_clusters"):
        model.fit(rng.normal(size=(2, 5)))
    model.partial_fit(rng.normal(size=(60, 5)))
    assert model.cluster_centers_.shape == (3, 5)


def test_a_fit_ends_the_random_stream_of_earlier_batches(rng):
    X = groups(rng, 200)
    used, new = (MiniBatchKMeans(4, batch_size=50, n_init=1, random_state=0) for _ in range(2))
    used.partial_fit(X).partial_fit(X)
    assert "_random_state" not in vars(used.fit(X))
    np.testing.assert_array_equal(used.partial_fit(X).cluster_centers_, new.fit(X).partial_fit(X).cluster_centers_)
