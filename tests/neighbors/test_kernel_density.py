"""Kernel density estimates."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import cdist
from scipy.special import gamma, logsumexp
from sklearn import neighbors as peer

from statlearn import threads
from statlearn._core.warnings import AmbiguousInputWarning
from statlearn._math.density.kernels import KERNELS, log_kernel_norm
from statlearn.neighbors import KernelDensity
from statlearn.smooth import KernelDensityClassifier
from tests.helpers import assert_close


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "minkowski", "canberra"])
def test_agrees_with_scikit_learn(kernel, metric, rng):
    X, Q = rng.normal(size=(300, 3)), rng.normal(size=(50, 3)) * 1.5
    for h in (0.3, 1.0):
        ours = KernelDensity(bandwidth=h, kernel=kernel, metric=metric).fit(X).score_samples(Q)
        with np.errstate(divide="ignore"):
            theirs = peer.KernelDensity(bandwidth=h, kernel=kernel, metric=metric, rtol=1e-12).fit(X).score_samples(Q)
        assert_close(np.exp(ours), np.exp(theirs), atol=1e-11)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_bumps_integrate_to_one(kernel, d):
    # In spherical coordinates: surface of the sphere times the integral over the radius.
    h = 0.7
    r = np.linspace(0, 1 if kernel not in ("gaussian", "exponential") else 60, 200_001)
    values = KernelDensity(kernel=kernel, bandwidth=h).fit(np.zeros((1, d)))
    rows = np.zeros((len(r), d))
    rows[:, 0] = r * h * (1 - 1e-12)
    density = np.exp(values.score_samples(rows))
    shell = d * np.pi ** (d / 2) / gamma(d / 2 + 1)
    total = np.trapezoid(density * shell * (r * h) ** (d - 1), r * h)
    assert_close(total, 1.0, rtol=1e-5)


def test_the_cosines_constant_is_right_in_many_dimensions():
    # The closed alternating sum has lost all digits here; the constant lies between those of wider and narrower bumps.
    for d in (20, 60, 200):
        linear, tophat = log_kernel_norm("linear", 1.0, d), log_kernel_norm("tophat", 1.0, d)
        assert tophat < log_kernel_norm("cosine", 1.0, d) < linear + np.log(np.pi / 2)


@pytest.mark.parametrize("kernel", ["gaussian", "exponential", "epanechnikov"])
@pytest.mark.parametrize("rtol, atol", [(1e-2, 0), (0, 1e-3), (1e-4, 1e-6)])
def test_the_allowed_error_is_respected(kernel, rtol, atol, rng):
    X, Q = rng.normal(size=(3000, 2)), rng.normal(size=(200, 2)) * 2
    exact = np.exp(KernelDensity(bandwidth=0.3, kernel=kernel).fit(X).score_samples(Q))
    rough = np.exp(KernelDensity(bandwidth=0.3, kernel=kernel, rtol=rtol, atol=atol).fit(X).score_samples(Q))
    assert np.all(np.abs(rough - exact) <= 1.0001 * (rtol * exact + atol) + 1e-14)


def test_logarithms_far_from_all_rows(rng):
    X = rng.normal(size=(500, 2))
    Q = np.array([[200.0, 0.0], [0.0, -1e4]])
    D = cdist(Q, X)
    for kernel, terms in (("gaussian", -0.5 * D**2), ("exponential", -D)):
        expected = logsumexp(terms, axis=1) - np.log(500) + log_kernel_norm(kernel, 1.0, 2)
        assert_close(KernelDensity(kernel=kernel).fit(X).score_samples(Q), expected)
    assert np.all(np.isneginf(KernelDensity(kernel="linear").fit(X).score_samples(Q)))


@given(st.integers(0, 10_000), st.sampled_from(KERNELS), st.sampled_from(["euclidean", "hamming"]))
def test_weights_are_copies(seed, kernel, metric):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(60, 2)).astype(float)
    w = rng.integers(0, 4, size=60)
    w[0] = 1
    rows = np.repeat(np.arange(60), w)
    Q = rng.normal(size=(10, 2)) if metric == "euclidean" else X[:10]
    for h in (0.7, "scott"):
        model = KernelDensity(kernel=kernel, metric=metric, bandwidth=h)
        weighted = model.fit(X, sample_weight=w).score_samples(Q)
        copied = model.fit(X[rows]).score_samples(Q)
        assert_close(np.exp(weighted), np.exp(copied))


def test_named_bandwidths_and_precision(rng):
    X = rng.normal(size=(100, 3))
    assert_close(KernelDensity(bandwidth="scott").fit(X).bandwidth_, 100 ** (-1 / 7))
    assert_close(KernelDensity(bandwidth="silverman").fit(X).bandwidth_, (100 * 5 / 4) ** (-1 / 7))
    single = KernelDensity().fit(X.astype(np.float32)).score_samples(X.astype(np.float32))
    assert_close(single, KernelDensity().fit(X).score_samples(X), rtol=1e-5)


def test_the_same_bits_from_any_number_of_threads_and_after_pickling(rng):
    X, Q = rng.normal(size=(2000, 3)), rng.normal(size=(1500, 3))
    model = KernelDensity(bandwidth=0.4, rtol=1e-3).fit(X, sample_weight=rng.uniform(size=2000))
    with threads(1):
        one = model.score_samples(Q)
    np.testing.assert_array_equal(one, model.score_samples(Q))
    np.testing.assert_array_equal(one, pickle.loads(pickle.dumps(model)).score_samples(Q))
    assert_close(model.score(Q), one.sum())


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("d", [1, 3])
def test_draws_follow_the_kernel(kernel, d):
    drawn = KernelDensity(kernel=kernel, bandwidth=2.0).fit(np.zeros((1, d))).sample(4000, random_state=0)
    r = np.linalg.norm(drawn, axis=1) / 2.0
    grid = np.linspace(0, 1 if kernel not in ("gaussian", "exponential") else 30, 20_001)
    shape = {
        "gaussian": np.exp(-(grid**2) / 2),
        "tophat": np.ones_like(grid),
        "epanechnikov": 1 - grid**2,
        "exponential": np.exp(-grid),
        "linear": 1 - grid,
        "cosine": np.cos(np.pi * grid / 2),
    }[kernel]
    mass = np.cumsum(shape * grid ** (d - 1))
    assert stats.kstest(r, lambda x: np.interp(x, grid, mass / mass[-1])).pvalue > 1e-3
    assert np.abs(drawn.mean(axis=0)).max() < 5 * drawn.std() / np.sqrt(4000)


def test_rows_are_drawn_by_their_weight(rng):
    model = KernelDensity(bandwidth=1e-3).fit([[0.0], [1.0]], sample_weight=[1.0, 3.0])
    assert abs(np.mean(model.sample(4000, random_state=1) > 0.5) - 0.75) < 0.035  # five standard deviations


def test_bad_arguments(rng):
    X = rng.normal(size=(10, 2))
    with pytest.raises(ValueError, match="invalid metric for KDTree"):
        KernelDensity(algorithm="kd_tree", metric="haversine").fit(X)
    with pytest.raises(ValueError, match="bandwidth"):
        KernelDensity(bandwidth=0.0).fit(X)
    with pytest.raises(ValueError, match="Euclid"):
        KernelDensity(metric="manhattan").fit(X).sample()


def test_bandwidths_whose_square_underflows_raise(rng):
    with pytest.raises(ValueError, match="`bandwidth`=1e-300 is too small"):
        KernelDensity(bandwidth=1e-300).fit(rng.normal(size=(10, 3)))
    one = rng.normal(size=(10, 1))
    assert np.isfinite(KernelDensity(bandwidth=1e-300).fit(one).score_samples(one)).all()


@pytest.mark.spec("CRS-29")
@pytest.mark.parametrize("make", [KernelDensity, KernelDensityClassifier])
@pytest.mark.parametrize("bandwidth", [1.0, "scott"])
def test_settings_of_the_choice_are_not_silently_ignored(make, bandwidth, rng):
    X, y = rng.normal(size=(30, 1)), np.arange(30) % 2
    with pytest.raises(ValueError, match="`bandwidths` is used with bandwidth='cv' only"):
        make(bandwidth=bandwidth, bandwidths=[0.1, 1.0], cv=5).fit(X, y)
    with pytest.warns(AmbiguousInputWarning, match="`cv` is used with bandwidth='cv' only"):
        make(bandwidth=bandwidth, cv=5).fit(X, y)
    chosen = make(bandwidth="cv", bandwidths=[0.1, 1.0], cv=5).fit(X, y)
    assert chosen.cv_curve_.parameter.tolist() == [1.0, 0.1]
