"""Norms, distances, centres and projections in feature space."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist

from statlearn.kernels import (
    kernel_center_distance,
    kernel_distance,
    kernel_norm,
    kernel_projection,
    linear_kernel,
    median_heuristic,
    poly_feature_map,
    polynomial_kernel,
    rbf_kernel,
)
from tests.helpers import assert_close

MAPS = {
    "linear": (linear_kernel, lambda X: X),
    "polynomial": (
        lambda X, Y=None: polynomial_kernel(X, Y, degree=3, gamma=0.5, coef0=1.0),
        lambda X: poly_feature_map(X, 3, gamma=0.5),
    ),
}


@pytest.mark.spec("KER-17", "KER-P6")
@pytest.mark.parametrize("name", MAPS)
def test_geometry_from_the_kernel_matches_the_features(name, seed):
    kernel, phi = MAPS[name]
    rng = np.random.default_rng(seed)
    X, new, coef = rng.normal(size=(12, 3)), rng.normal(size=(5, 3)), rng.normal(size=12)
    F, G = phi(X), phi(new)
    K, T, d = kernel(X), kernel(new, X), np.diag(kernel(new))
    assert_close(kernel_norm(K), np.linalg.norm(F, axis=1))
    assert_close(kernel_norm(K, coef), np.linalg.norm(coef @ F))
    assert_close(kernel_norm(K, np.full(12, 1 / 12)), np.linalg.norm(F.mean(axis=0)))  # the centre of mass
    assert_close(kernel_distance(K), cdist(F, F), atol=1e-6)  # square roots of rounding errors on the diagonal
    assert_close(kernel_distance(K, T, d, squared=True), cdist(G, F) ** 2, atol=1e-9)
    centre = F.mean(axis=0)
    assert_close(kernel_center_distance(K), np.linalg.norm(F - centre, axis=1))
    assert_close(kernel_center_distance(K, T, d), np.linalg.norm(G - centre, axis=1))
    mean_square = np.trace(K) / 12 - K.sum() / 144
    assert_close(kernel_center_distance(K, squared=True).mean(), mean_square)


@pytest.mark.spec("KER-16", "KER-P9")
@pytest.mark.parametrize("name", MAPS)
def test_projection_is_least_squares_on_the_features(name, seed):
    kernel, phi = MAPS[name]
    rng = np.random.default_rng(seed)
    X, new = rng.normal(size=(2, 3)), rng.normal(size=(4, 3))
    F, G = phi(X), phi(new)
    coef, residual = kernel_projection(kernel(X), kernel(new, X), np.diag(kernel(new)))
    wanted = np.linalg.lstsq(F.T, G.T, rcond=None)[0].T
    assert_close(coef, wanted)
    assert_close(residual, np.sum((G - coef @ F) ** 2, axis=1), atol=1e-9)
    assert np.all(residual >= 0)
    single, left = kernel_projection(kernel(X), kernel(new, X)[1], kernel(new)[1, 1])
    assert_close(single, coef[1])
    assert_close(left, residual[1])


@pytest.mark.spec("KER-P9", "KER-16")
def test_training_points_lie_in_their_span(seed):
    X = np.random.default_rng(seed).normal(size=(15, 2))
    for K in (rbf_kernel(X, gamma=2.0), linear_kernel(X)):  # regular and singular
        coef, residual = kernel_projection(K, K, np.diag(K))
        assert_close(residual, np.zeros(15), atol=1e-8)
        assert_close(coef @ K, K, atol=1e-8)
    assert_close(kernel_projection(rbf_kernel(X, gamma=2.0), rbf_kernel(X, gamma=2.0)), np.eye(15), atol=1e-6)


@pytest.mark.spec("KER-18")
def test_median_heuristic(seed):
    X = np.random.default_rng(seed).normal(size=(50, 3))
    assert_close(median_heuristic(X), np.median(pdist(X)))
    assert_close(rbf_kernel(X, sigma=median_heuristic(X)), np.exp(-(cdist(X, X) ** 2) / (2 * np.median(pdist(X)) ** 2)))
    sample = median_heuristic(X, max_rows=20, random_state=1)
    assert sample == median_heuristic(X, max_rows=20, random_state=1)
    assert pdist(X).min() < sample < pdist(X).max()
    # Most pairs are equal: the others decide.
    assert median_heuristic([[0.0]] * 9 + [[3.0]]) == 3.0
    with pytest.raises(ValueError, match="identical rows"):
        median_heuristic(np.ones((4, 2)))


def test_bad_arguments_raise_by_name():
    K = np.eye(3)
    bad = np.array([[1.0, 5.0], [5.0, 1.0]])
    for call, message in [
        (lambda: kernel_norm(np.ones((2, 3))), "K must be a square"),
        (lambda: kernel_norm(K, [1.0]), "coef must contain 3 numbers"),
        (lambda: kernel_norm(bad, [1.0, -1.0]), "K is not positive semi-definite"),
        (lambda: kernel_norm(-K), "K is not positive semi-definite"),
        (lambda: kernel_distance(bad), "K is not positive semi-definite"),
        (lambda: kernel_distance(K, np.ones((2, 3))), "`K_cross` requires `diag_cross`"),
        (lambda: kernel_distance(K, diag_cross=[1.0]), "`diag_cross` requires `K_cross`"),
        (lambda: kernel_distance(K, np.ones((2, 4)), [1.0, 1.0]), "K_cross must have 3 columns"),
        (lambda: kernel_center_distance(K, np.ones((2, 3))), "`K_cross` requires `diag_cross`"),
        (lambda: kernel_center_distance(K, diag_cross=[1.0]), "`diag_cross` requires `K_cross`"),
        (lambda: kernel_center_distance(K, np.ones((2, 4)), [1.0, 1.0]), "K_cross must have 3 columns"),
        (lambda: kernel_projection(K, np.ones((2, 4))), "K_cross must have 3 columns"),
        (lambda: kernel_projection(bad, np.ones((2, 2))), "K is not positive semi-definite"),
        (lambda: median_heuristic([[1.0]]), "X"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
