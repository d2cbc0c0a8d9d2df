"""Sparse components: both formulations at their optimality conditions, and the limit of ordinary components."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.decomposition import SparsePCA as Peer

from statlearn.decomposition import PCA, MiniBatchSparsePCA, SparsePCA
from tests.decomposition.problems import low_rank, same_directions
from tests.helpers import assert_close


@pytest.fixture(scope="module")
def wine():
    X = load_wine().data
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.spec("DEC-T11", "DEC-16")
@pytest.mark.parametrize("ridge", [0.5, 10.0, 200.0])
def test_without_lasso_penalty_the_components_are_shrunken_principal_ones(wine, ridge):
    model = SparsePCA(1, alpha=0.0, ridge=ridge, formulation="regression", tol=1e-14).fit(wine)
    plain = PCA(1).fit(wine)
    d2 = plain.singular_values_[0] ** 2
    assert_close(model.raw_components_[0], d2 / (d2 + ridge) * plain.components_[0], atol=1e-6)


@pytest.mark.spec("DEC-P8", "DEC-16")
@given(st.integers(0, 10_000))
def test_without_penalties_the_regression_form_is_ordinary(seed):
    X = low_rank(seed, n=30, p=5, k=2, noise=0.5)
    model = SparsePCA(2, alpha=0.0, formulation="regression", tol=1e-13).fit(X)
    assert same_directions(model.components_, PCA(2).fit(X).components_) < 1e-5
    assert_close(model.theta_.T @ model.theta_, np.eye(2), atol=1e-9)


def regression_objective(Z, theta, V, ridge, alpha):
    """The docstring formula, literally."""
    fit = sum(np.sum((x - theta @ V.T @ x) ** 2) for x in Z)
    return fit + ridge * np.sum(V**2) + np.sum(alpha * np.abs(V).sum(axis=0))


@pytest.mark.spec("DEC-16", "DEC-P8")
def test_the_regression_form_minimises_its_documented_objective(wine):
    alpha = np.array([100.0, 40.0])
    model = SparsePCA(2, alpha=alpha, ridge=1.0, formulation="regression", tol=1e-12, max_iter=5000).fit(wine)
    assert np.all(np.diff(model.error_) <= 1e-8)
    theta, V = model.theta_, model.raw_components_.T
    best = regression_objective(wine, theta, V, 1.0, alpha)
    assert_close(best, model.error_[-1])
    assert_close(theta.T @ theta, np.eye(2), atol=1e-10)
    # Optimality of V given theta: the gradient is within the penalty, at its end where a loading is not 0.
    S = wine.T @ wine
    gradient = 2 * (S @ V - S @ theta) + 2 * 1.0 * V
    zero = V == 0
    assert zero.any()
    assert np.all(np.abs(gradient)[zero] <= np.broadcast_to(alpha, V.shape)[zero] * (1 + 1e-6))
    assert_close(gradient[~zero], (-alpha * np.sign(V))[~zero], rtol=1e-5, atol=1e-4)
    rng = np.random.default_rng(0)
    for _ in range(10):
        turned = np.linalg.qr(theta + 1e-2 * rng.normal(size=theta.shape))[0]
        turned *= np.sign(np.sum(turned * theta, axis=0))
        assert regression_objective(wine, turned, V, 1.0, alpha) >= best - 1e-6
    zeros = [
        (SparsePCA(2, alpha=a, formulation="regression").fit(wine).components_ == 0).sum()
        for a in (0.0, 20.0, 100.0, 300.0)
    ]
    assert zeros == sorted(zeros)
    assert zeros[0] == 0 < zeros[-1]


@pytest.mark.spec("DEC-16")
def test_the_dictionary_form_is_at_least_as_good_as_scikit_learns(wine):
    X = wine[:60]
    Z = X - X.mean(axis=0)
    ours = SparsePCA(3, alpha=2.0, max_iter=300, tol=1e-7).fit(X)
    assert np.all(np.diff(ours.error_) <= 1e-8)
    V = ours.raw_components_
    # The codes are optimal for the scores that their regression on the table implies; compare objectives.
    peer = Peer(3, alpha=2.0, max_iter=300, random_state=0, tol=1e-7).fit(X)
    assert ours.error_[-1] <= peer.error_[-1] * (1 + 1e-3)
    assert (V == 0).sum() > 0
    assert_close(np.linalg.norm(ours.components_, axis=1), 1)
    assert same_directions(ours.components_, peer.components_) < 0.1
    # transform: ridge regression of the rows on the components.
    C = ours.components_
    scores = Z @ C.T @ np.linalg.inv(C @ C.T + 0.01 * np.eye(3))
    assert_close(ours.transform(X), scores, atol=1e-8)
    assert_close(ours.inverse_transform(scores), scores @ C + X.mean(axis=0))


@pytest.mark.spec("DEC-16")
def test_batches_of_columns_come_close(wine):
    X = wine[:60]
    whole = SparsePCA(2, alpha=1.0).fit(X)
    batches = MiniBatchSparsePCA(2, alpha=1.0, random_state=0, max_no_improvement=None, max_iter=100).fit(X)
    assert same_directions(batches.components_, whole.components_) < 0.1
    assert batches.transform(X).shape == (60, 2)
    again = MiniBatchSparsePCA(2, alpha=1.0, random_state=0, max_no_improvement=None, max_iter=100).fit(X)
    assert np.array_equal(again.components_, batches.components_)


def test_invalid_input_raises(wine):
    with pytest.raises(ValueError, match="`alpha` must be a number"):
        SparsePCA(2, alpha=[1.0, 2.0]).fit(wine)
    with pytest.raises(ValueError, match="exceeds the 13 columns"):
        SparsePCA(14, formulation="regression").fit(wine)
    with pytest.raises(ValueError, match="V_init must have shape"):
        SparsePCA(2, V_init=np.ones((3, 13))).fit(wine)
    nothing = SparsePCA(2, alpha=1e6).fit(wine)
    assert not nothing.components_.any()
