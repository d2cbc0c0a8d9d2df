"""Generators: shares, moments and Bayes errors are those of their definitions."""

import numpy as np
import pytest
from scipy import stats

from statlearn.prep import make_scenario
from tests.helpers import assert_close

N = 40_000
BAND = 5 / np.sqrt(N)  # five standard errors of a share, at most


@pytest.mark.spec("PRE-33", "PRE-P13")
def test_gaussians_have_the_requested_distance_and_error(rng):
    data = make_scenario("gaussians", N, n_features=3, distance=3.0, random_state=0)
    means = [data.X[data.y == k].mean(axis=0) for k in (0, 1)]
    assert_close(np.linalg.norm(means[0] - means[1]), 3.0, atol=4 * BAND)
    for k in (0, 1):
        assert_close(np.cov(data.X[data.y == k].T), np.eye(3), atol=4 * BAND)
    assert_close(np.mean((data.truth(data.X) > 0.5) != data.y), data.bayes_error, rtol=0, atol=BAND)
    assert_close(data.bayes_error, stats.norm.cdf(-1.5))


@pytest.mark.spec("PRE-33", "PRE-P13")
@pytest.mark.parametrize("state", [0, 1, 2])
def test_mixture_has_balanced_classes_and_its_bayes_error(state):
    data = make_scenario("mixture", N, random_state=state)
    assert np.bincount(data.y).tolist() == [N // 2, N // 2]
    p = data.truth(data.X)
    assert_close(np.mean((p > 0.5) != data.y), data.bayes_error, rtol=0, atol=BAND)
    assert_close(np.minimum(p, 1 - p).mean(), data.bayes_error, rtol=0, atol=BAND)


@pytest.mark.spec("PRE-33", "PRE-P13")
def test_nested_spheres():
    data = make_scenario("nested_spheres", N, random_state=0)
    assert data.X.shape == (N, 10)
    assert_close(data.y.mean(), 0.5, rtol=0, atol=BAND)
    np.testing.assert_array_equal(data.y, (data.X**2).sum(axis=1) > 9.341818)
    assert data.bayes_error == 0


@pytest.mark.spec("PRE-33", "PRE-P13")
@pytest.mark.parametrize("columns", [4, 10])
def test_orange_skin(columns):
    data = make_scenario("orange_skin", N, n_features=columns, random_state=0)
    assert_close(data.bayes_error, 0.029040, rtol=0, atol=5e-7)
    squared = (data.X[:, :4] ** 2).sum(axis=1)
    assert squared[data.y == 1].min() >= 9 - 1e-9
    assert squared[data.y == 1].max() <= 16 + 1e-9
    assert_close(np.mean((data.truth(data.X) > 0.5) != data.y), data.bayes_error, rtol=0, atol=BAND)
    conditional = stats.chi2(4).expect(lambda s: s, lb=9, ub=16, conditional=True)
    assert_close(squared[data.y == 1].mean(), conditional, rtol=0, atol=0.06)
    assert_close(data.X[data.y == 1].mean(axis=0), 0, atol=0.06)
    assert_close(data.X[:, 4:].var(axis=0), 1, rtol=0.04)


@pytest.mark.spec("PRE-33", "PRE-P13")
def test_corner_boxes():
    data = make_scenario("corner_boxes", N, share=0.1, random_state=0)
    assert_close(data.y.mean(), 0.1, rtol=0, atol=BAND)
    assert data.X[data.y == 1].min() > 1 - np.sqrt(0.1) - 1e-12
    noisy = make_scenario("corner_boxes", N, n_features=3, noise=0.2, random_state=0)
    assert_close(np.mean((noisy.truth(noisy.X) > 0.5) != noisy.y), 0.2, rtol=0, atol=BAND)
    assert noisy.bayes_error == 0.2


@pytest.mark.spec("PRE-33", "PRE-P13")
def test_rings_have_equal_classes_at_their_radii():
    data = make_scenario("rings", 450, random_state=0)
    assert np.bincount(data.y).tolist() == [150, 150, 150]
    radius = np.linalg.norm(data.X, axis=1)
    for k, expected in enumerate((1, 2.8, 5)):
        assert abs(radius[data.y == k].mean() - expected) < 0.12  # noise across the circle adds .03 to the inner one
    assert np.mean(data.truth(data.X) == data.y) > 0.97
    np.testing.assert_array_equal(make_scenario("rings", 9, noise=0.0).y, np.repeat([0, 1, 2], 3))


@pytest.mark.spec("PRE-33", "PRE-P13")
def test_cubic_has_its_curve_and_unit_noise():
    data = make_scenario("cubic", N, random_state=0)
    assert abs(data.X).max() <= 2
    residual = data.y - data.truth(data.X)
    assert_close(data.truth(data.X), data.X[:, 0] ** 3 - 2 * data.X[:, 0])
    assert_close([residual.mean(), residual.var()], [0, 1], rtol=0.05, atol=4 * BAND)
    assert make_scenario("cubic", 5, noise=0.5).bayes_error == 0.25


@pytest.mark.spec("PRE-33", "PRE-P13")
def test_ridge_design():
    data = make_scenario("ridge_design", N, n_features=6, random_state=0)
    correlation = np.corrcoef(data.X.T)
    assert_close(correlation[np.triu_indices(6, 1)], 0.2, rtol=0, atol=2 * BAND)
    signal = data.truth(data.X)
    assert_close(signal, data.X @ data.coef)
    assert_close(signal.var() / np.var(data.y - signal), 2, rtol=0.06)
    assert make_scenario("ridge_design", 3, random_state=0).X.shape == (3, 1000)


@pytest.mark.spec("PRE-33")
def test_seeds_repeat_and_bad_input_raises():
    a, b = (make_scenario("mixture", 20, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(a.X, b.X)
    with pytest.raises(ValueError, match="'name' parameter of make_scenario"):
        make_scenario("spirals")
    with pytest.raises(ValueError, match=r"must be 2 for .*, got 3"):
        make_scenario("mixture", n_features=3)
    with pytest.raises(ValueError, match="at least 4"):
        make_scenario("orange_skin", n_features=3)
    with pytest.raises(TypeError, match="no option 'noise'"):
        make_scenario("gaussians", noise=1.0)
    with pytest.raises(ValueError, match="'share' parameter of make_scenario"):
        make_scenario("corner_boxes", share=2.0)
