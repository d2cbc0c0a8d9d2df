"""k-means and Gaussian mixtures over blocks."""

import numpy as np
import polars as pl
import pytest

from statlearn import scale
from statlearn.cluster import KMeans
from statlearn.mixture import GaussianMixture
from tests.scale.tables import bits

NAMES = ["a", "b", "c"]


def clusters(n=4000, k=5, seed=0):
    """Well separated groups, with weights, in random order."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(0.0, 8.0, (k, 3)) + 50.0
    labels = rng.integers(0, k, n)
    X = centres[labels] + rng.normal(size=(n, 3)) * [1.0, 0.5, 1.5]
    return pl.DataFrame(X, schema=NAMES).with_columns(w=pl.Series(rng.integers(0, 3, n).astype(float))), centres


def frames(frame, block=600):
    return [frame[k : k + block] for k in range(0, len(frame), block)]


def by_first(centres):
    return centres[np.argsort(centres[:, 0])]


@pytest.mark.parametrize("weight", [None, "w"])
def test_kmeans_from_given_centres_equals_that_in_memory(weight):
    frame, centres = clusters()
    start = centres + 1.0
    estimator = KMeans(5, init=start, tol=0.0, n_init=1)
    model = scale.fit(estimator, frames(frame), weight=weight, features=NAMES)
    w = None if weight is None else frame["w"].to_numpy()
    reference = KMeans(5, init=start, tol=0.0, n_init=1).fit(frame[NAMES], sample_weight=w)
    np.testing.assert_allclose(model.cluster_centers_, reference.cluster_centers_, rtol=1e-12)
    assert model.inertia_ == pytest.approx(reference.inertia_, rel=1e-12)
    assert np.all(np.diff(model.history_) <= 1e-9)
    assert not hasattr(model, "labels_")
    np.testing.assert_array_equal(model.predict(frame[NAMES]), reference.predict(frame[NAMES]))


def test_kmeans_finds_separated_groups(seed):
    frame, centres = clusters()
    model = scale.fit(KMeans(5, random_state=seed, n_init=2), frames(frame), features=NAMES)
    np.testing.assert_allclose(by_first(model.cluster_centers_), by_first(centres), atol=0.3)
    memory = KMeans(5, random_state=seed, n_init=10).fit(frame[NAMES])
    assert model.inertia_ == pytest.approx(memory.inertia_, rel=1e-6)


def test_empty_clusters_receive_far_rows():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    start = np.array([[0.5], [5.0], [1000.0]])
    source = scale.open_source(X, rows=2)
    model = scale.fit(KMeans(3, init=start, n_init=1), source)
    assert len(np.unique(model.predict(X))) == 3
    assert model.inertia_ == pytest.approx(0.5)


@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical"])
def test_mixtures_from_given_means_equal_those_in_memory(covariance_type):
    frame, centres = clusters()
    precisions = {"full": np.tile(np.eye(3), (5, 1, 1)), "tied": np.eye(3), "diag": np.ones((5, 3))}
    settings = dict(
        n_components=5,
        covariance_type=covariance_type,
        weights_init=np.full(5, 0.2),
        means_init=centres + 0.3,
        precisions_init=precisions.get(covariance_type, np.ones(5)),
        tol=1e-10,
        max_iter=500,
    )
    model = scale.fit(GaussianMixture(**settings), frames(frame), weight="w", features=NAMES)
    reference = GaussianMixture(**settings).fit(frame[NAMES], sample_weight=frame["w"].to_numpy())
    for name in ("weights_", "means_", "covariances_"):
        np.testing.assert_allclose(getattr(model, name), getattr(reference, name), rtol=1e-6, atol=1e-7)
    assert model.log_likelihood_ == pytest.approx(reference.log_likelihood_, rel=1e-10)
    assert model.bic(frame[NAMES]) == pytest.approx(reference.bic(frame[NAMES]), rel=1e-8)


def test_mixtures_find_separated_groups(seed):
    frame, centres = clusters()
    model = scale.fit(GaussianMixture(5, random_state=seed), frames(frame), features=NAMES)
    np.testing.assert_allclose(by_first(model.means_), by_first(centres), atol=0.3)
    reference = GaussianMixture(5, random_state=seed, n_init=5).fit(frame[NAMES])
    assert model.lower_bound_ == pytest.approx(reference.lower_bound_, rel=1e-4)


def test_draws_depend_on_blocks_and_seed_alone():
    frame, _ = clusters()
    for estimator in (KMeans(7, random_state=3), GaussianMixture(4, random_state=3)):
        fits = [scale.fit(estimator, frames(frame), features=NAMES, memory=memory) for memory in (0, 2**28)]
        assert bits(fits[0]) == bits(fits[1])


def test_settings_that_need_all_rows_raise():
    frame, _ = clusters(100)
    for estimator, match in (
        (KMeans(5, init="random"), "`init` must be"),
        (KMeans(5, init=np.zeros((2, 3))), r"`init` must have shape \(5, 3\)"),
        (KMeans(101), "n_samples=100"),
        (GaussianMixture(3, n_init=4), "`n_init` must be 1"),
        (GaussianMixture(3, warm_start=True), "`warm_start` must be False"),
    ):
        with pytest.raises(ValueError, match=match):
            scale.fit(estimator, frames(frame, 40), features=NAMES)
