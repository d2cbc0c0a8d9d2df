"""Mean shift with both kernels."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import cluster as theirs
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

import statlearn
from statlearn.cluster import MeanShift, estimate_bandwidth, get_bin_seeds, mean_shift
from tests.helpers import assert_close


def blobs(n=120, seed=3, centers=4, p=2):
    return make_blobs(n, p, centers=centers, cluster_std=0.6, random_state=seed)


def flat_step(X, weights, point, h):
    near = weights * (np.linalg.norm(X - point, axis=1) <= h)
    return near @ X / near.sum(), near.sum()


def gaussian_step(X, weights, point, h, half=True):
    kernel = weights * np.exp(-((X - point) ** 2).sum(axis=1) / ((2 if half else 1) * h**2))
    return kernel @ X / kernel.sum(), kernel.sum()


@pytest.mark.spec("CLU-14")
@pytest.mark.parametrize("p, n", [(1, 40), (2, 150), (5, 90)])
@pytest.mark.parametrize("options", [{}, {"bin_seeding": True}, {"cluster_all": False}, {"bandwidth": 0.9}])
def test_flat_kernel_agrees_with_scikit_learn(p, n, options):
    X, _ = blobs(n, p=p)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # too fine a grid
        ours, other = MeanShift(**options).fit(X), theirs.MeanShift(**options).fit(X)
    assert_close(ours.cluster_centers_, other.cluster_centers_)
    np.testing.assert_array_equal(ours.labels_, other.labels_)
    np.testing.assert_array_equal(ours.predict(X), other.predict(X))
    assert ours.n_iter_ == other.n_iter_


def test_seeds_and_function():
    X, _ = blobs()
    seeds = X[:7]
    centers, labels = mean_shift(X, bandwidth=1.0, seeds=seeds)
    their_centers, their_labels = theirs.mean_shift(X, bandwidth=1.0, seeds=seeds)
    assert_close(centers, their_centers)
    np.testing.assert_array_equal(labels, their_labels)


@given(st.integers(0, 1000), st.integers(1, 4), st.sampled_from(["flat", "half", "no_half"]))
def test_one_move_is_the_formula(seed, p, kernel):
    rng = np.random.default_rng(seed)
    X, weights, h = rng.normal(size=(80, p)), rng.integers(0, 3, 80).astype(float), rng.uniform(0.3, 2)
    weights[0] = 1.0
    points = X[:9] + 0.05
    model = MeanShift(
        bandwidth=h,
        kernel="flat" if kernel == "flat" else "gaussian",
        gaussian_scale="half" if kernel == "flat" else kernel,
        seeds=points,
        max_iter=0,
    )
    model.bandwidth_ = h
    moved, mass, _ = model._climb(X, weights, points.copy(), 0)
    for point, end, around in zip(points, moved, mass):
        if kernel == "flat":
            if not (np.linalg.norm(X - point, axis=1) <= h)[weights > 0].any():
                assert around == 0
                continue
            expected, total = flat_step(X, weights, point, h)
        else:
            expected, total = gaussian_step(X, weights, point, h, half=kernel == "half")
        assert_close(end, expected, atol=1e-10)
        assert_close(around, total)


@pytest.mark.spec("CLU-P13")
@pytest.mark.parametrize("kernel", ["flat", "gaussian"])
def test_density_never_falls_and_modes_are_fixed_points(kernel):
    X, _ = blobs(200)
    model = MeanShift(bandwidth=0.8, kernel=kernel, tol=1e-9, max_iter=5000).fit(X)
    ways = model.trajectories(X, X[:25], n_steps=300)
    # Each kernel's own density: the shadow of the flat kernel is Epanechnikov's parabola.
    d2 = ((ways[:, :, None] - X) ** 2).sum(axis=-1) / 0.8**2
    density = np.maximum(1 - d2, 0).sum(axis=-1) if kernel == "flat" else np.exp(-d2 / 2).sum(axis=-1)
    assert (np.diff(density, axis=0) >= -1e-9).all()
    assert len(ways) < 300
    step = flat_step if kernel == "flat" else gaussian_step
    for mode in model.cluster_centers_:
        assert_close(step(X, np.ones(len(X)), mode, 0.8)[0], mode, atol=1e-7)


def test_gaussian_finds_the_blobs_and_a_wide_kernel_one_mode():
    X, labels = blobs(200)
    model = MeanShift(bandwidth=0.9, kernel="gaussian").fit(X)
    assert len(model.cluster_centers_) == 4
    assert statlearn.cluster.adjusted_rand_score(labels, model.labels_) > 0.97
    assert len(MeanShift(bandwidth=20, kernel="gaussian").fit(X).cluster_centers_) == 1


def test_a_far_seed_climbs_in_spite_of_underflow():
    X = np.array([[0.0], [0.1], [0.2]])
    model = MeanShift(bandwidth=0.5, kernel="gaussian", seeds=[[40.0]]).fit(X)
    assert_close(model.cluster_centers_, [[0.1]], atol=1e-3)


@pytest.mark.parametrize("quantile, n_samples", [(0.3, None), (0.05, None), (1.0, None), (0.0, None), (0.3, 50)])
def test_bandwidth_agrees_with_scikit_learn(quantile, n_samples):
    X, _ = blobs(90, p=3)
    options = dict(quantile=quantile, n_samples=n_samples, random_state=1)
    assert_close(estimate_bandwidth(X, **options), theirs.estimate_bandwidth(X, **options))


def test_grid_of_seeds():
    X, _ = blobs(100)
    for size, least in ((1.0, 1), (1.5, 3)):
        mine = get_bin_seeds(X, size, least)
        cells, counts = np.unique(np.round(X / size), axis=0, return_counts=True)
        assert_close(np.sort(mine, axis=0), np.sort(cells[counts >= least] * size, axis=0), rtol=1e-6)
    with pytest.warns(UserWarning, match="Binning data failed"):
        assert get_bin_seeds(X, 1e-9) is X


@pytest.mark.parametrize("kernel", ["flat", "gaussian"])
def test_any_number_of_threads_gives_the_same_bits(kernel):
    X, _ = blobs(300)
    with statlearn.threads(1):
        one = MeanShift(kernel=kernel).fit(X)
    with statlearn.threads(3):
        np.testing.assert_array_equal(MeanShift(kernel=kernel).fit(X).cluster_centers_, one.cluster_centers_)


def test_the_limit_is_reported():
    X, _ = blobs(100)
    with pytest.warns(ConvergenceWarning, match="still moving after 1 iterations. Increase max_iter"):
        MeanShift(kernel="gaussian", max_iter=1).fit(X)


def test_identical_rows_one_row_and_far_seeds():
    with pytest.raises(ValueError, match="identical"):
        MeanShift(kernel="gaussian").fit(np.ones((10, 2)))
    x = np.repeat([0.1, 0.7, 1.1], [3, 3, 2])[:, None]
    np.testing.assert_array_equal(MeanShift().fit_predict(x), [1, 1, 1, 0, 0, 0, 2, 2])  # bandwidth 0
    assert len(MeanShift(bandwidth=1).fit(np.ones((10, 2))).cluster_centers_) == 1
    np.testing.assert_array_equal(MeanShift(bandwidth=1).fit([[3.0]]).cluster_centers_, [[3.0]])
    with pytest.raises(ValueError, match=r"No point was within bandwidth=0\.1"):
        MeanShift(bandwidth=0.1, seeds=[[5.0]]).fit([[3.0], [4.0]])
    with pytest.raises(ValueError, match="`seeds` has 2 features, but X has 1"):
        MeanShift(bandwidth=0.1, seeds=[[5.0, 1.0]]).fit([[3.0], [4.0]])
