"""t-SNE: its forces, its similarities, the grid, and the divergence of scikit-learn's maps."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import manifold as reference
from sklearn.datasets import load_digits, load_iris

from statlearn._core.native import manifold as native
from statlearn.manifold import TSNE, trustworthiness
from statlearn.manifold._tsne_forces import Attraction, ExactRepulsion, GridRepulsion
from tests.helpers import assert_close


def similarities(rng, n):
    P = rng.uniform(size=(n, n)) * (rng.uniform(size=(n, n)) < 0.3)
    P = P + P.T
    np.fill_diagonal(P, 0.0)
    return P / P.sum()


def divergence(P, Y):  # the formula of the docstring, literally
    D = np.sum((Y[:, None] - Y[None]) ** 2, axis=2)
    Q = 1 / (1 + D)
    np.fill_diagonal(Q, 0.0)
    Q /= Q.sum()
    used = P > 0
    return np.sum(P[used] * np.log(P[used] / Q[used]))


@pytest.mark.parametrize("q", [1, 2, 3])
def test_forces_are_the_gradient_of_the_divergence(rng, q):
    P, Y = similarities(rng, 12), rng.normal(size=(12, q))
    pull, value = Attraction(sparse.csr_array(P))(Y, divergence=True)
    push, total = ExactRepulsion()(Y)
    assert_close(value + np.log(total), divergence(P, Y))
    gradient = 4 * (pull - push / total)
    for i, c in [(0, 0), (5, q - 1)]:
        step = np.zeros_like(Y)
        step[i, c] = 1e-5
        slope = (divergence(P, Y + step) - divergence(P, Y - step)) / 2e-5
        assert_close(gradient[i, c], slope, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("spread", [1e-4, 3.0, 40.0])
def test_grid_forces_match_all_pairs(rng, spread):
    Y = spread * rng.normal(size=(800, 2))
    exact, total = ExactRepulsion()(Y)
    repulsion = GridRepulsion()
    for _ in range(2):  # the second time with remembered kernels
        near, near_total = repulsion(Y)
        assert_close(near_total, total, rtol=0.01)
        # The forces vanish with the spread, the error of the interpolation does not.
        assert np.linalg.norm(near - exact) < 0.02 * np.linalg.norm(exact) + 1e-3 * len(Y)


def test_similarities_have_the_wanted_perplexity(rng):
    square = np.sort(rng.uniform(0.1, 50.0, size=(40, 30)), axis=1)
    P = np.empty_like(square)
    native.perplexity_weights(square, 9.0, P)
    assert_close(P.sum(axis=1), 1.0)
    assert_close(np.exp(-np.sum(P * np.log(np.maximum(P, 1e-300)), axis=1)), 9.0, rtol=1e-4)
    beta = -np.diff(np.log(P), axis=1) / np.diff(square, axis=1)
    assert_close(beta, np.repeat(beta[:, :1], 29, axis=1), rtol=1e-6)


@pytest.mark.parametrize("method", ["exact", "interpolation"])
def test_divergence_is_not_larger_than_that_of_scikit_learn(method):
    X = load_iris().data[::2]
    ours = TSNE(perplexity=15, method=method, max_iter=400, random_state=0).fit(X)
    theirs = reference.TSNE(perplexity=15, max_iter=400, method="exact", random_state=0).fit(X)
    assert ours.kl_divergence_ < 1.02 * theirs.kl_divergence_
    assert ours.learning_rate_ == theirs.learning_rate_


def test_map_of_digits_keeps_neighbourhoods_and_classes():
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], y[:400]
    Y = TSNE(method="interpolation", max_iter=350, random_state=0).fit_transform(X)
    assert trustworthiness(X, Y) > 0.97
    near = np.argsort(np.sum((Y[:, None] - Y[None]) ** 2, axis=2), axis=1)[:, 1]
    assert np.mean(y[near] == y) > 0.93


def test_distances_and_rows_have_the_same_similarities(rng):
    X = rng.normal(size=(50, 3))
    D = np.sqrt(np.sum((X[:, None] - X[None]) ** 2, axis=2))
    by_rows = TSNE(perplexity=10)._similarities(X, exact=False).toarray()
    assert_close(TSNE(perplexity=10, metric="precomputed")._similarities(D, exact=False).toarray(), by_rows)
    with pytest.raises(ValueError, match="must not contain negative distances"):
        TSNE(perplexity=10, metric="precomputed").fit(-D)


def test_start_may_be_an_array_and_is_kept(rng):
    X, start = load_iris().data, 1e-4 * rng.normal(size=(150, 2))
    copy = start.copy()
    a = TSNE(init=start, max_iter=250).fit_transform(X)
    assert_close(start, copy, atol=0)
    np.testing.assert_array_equal(a, TSNE(init=start, max_iter=250, n_jobs=1).fit_transform(X))
    with pytest.raises(ValueError, match=r"`init` must have shape \(150, 2\), got \(150, 3\)"):
        TSNE(init=np.zeros((150, 3))).fit(X)


def test_equal_rows_are_mapped_without_trouble():
    X = np.repeat(np.arange(5.0)[:, None], 20, axis=0)
    Y = TSNE(perplexity=8, max_iter=300, random_state=0).fit_transform(X)
    assert np.isfinite(Y).all()


def test_perplexity_must_be_less_than_the_number_of_rows(rng):
    with pytest.raises(ValueError, match="`perplexity` must be less than the 10 rows of X, got 30"):
        TSNE().fit(rng.normal(size=(10, 2)))


def test_progress_is_printed(capsys):
    TSNE(perplexity=5, max_iter=250, verbose=1, random_state=0).fit(load_iris().data[::10])
    assert capsys.readouterr().out.count("[t-SNE] step") == 5
