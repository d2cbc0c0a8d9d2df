import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes

from statlearn.linear import ForwardStagewiseRegressor, lars_path
from tests.helpers import assert_close


def slow_stagewise(X, y, epsilon, steps):
    """The loop of the text on the residual."""
    X, r = X - X.mean(axis=0), y - y.mean()
    beta = np.zeros(X.shape[1])
    for _ in range(steps):
        inner = X.T @ r
        if epsilon is None:
            j = np.argmax(np.abs(inner) / np.linalg.norm(X, axis=0))
            delta = inner[j] / (X[:, j] @ X[:, j])
        else:
            j = np.argmax(np.abs(inner))
            delta = epsilon * np.sign(inner[j])
        beta[j] += delta
        r = r - delta * X[:, j]
    return beta


@pytest.mark.spec("LIN-28")
@given(st.integers(0, 10**6), st.sampled_from([None, 0.01, 0.05]), st.sampled_from([1, 7, 40]))
def test_equals_the_loop_on_the_residual(seed, epsilon, steps):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 5)) + 3.0
    y = X @ np.array([2.0, -1.0, 0.5, 0.0, 1.5]) + rng.normal(size=30)
    model = ForwardStagewiseRegressor(epsilon, max_iter=steps, tol=0.0).fit(X, y)
    if model.n_iter_ == steps:
        assert_close(model.coef_, slow_stagewise(X, y, epsilon, steps), atol=1e-9)
    assert_close(model.rss_path_[-1], np.sum((y - model.predict(X)) ** 2), rtol=1e-7, atol=0)
    assert np.all(np.diff(model.rss_path_) <= 1e-9 * model.rss_path_[0])
    assert not model.coef_path_[:, 0].any()
    np.testing.assert_array_equal(model.coef_path_[:, -1], model.coef_)


@pytest.mark.spec("LIN-28")
def test_full_steps_end_at_least_squares(rng):
    X = rng.normal(size=(50, 4)) + 0.5 * rng.normal(size=(50, 1))
    y = X @ [1.0, 2.0, -1.0, 0.0] + rng.normal(size=50)
    model = ForwardStagewiseRegressor(None, tol=1e-12).fit(X, y)
    design = np.column_stack([np.ones(50), X])
    assert_close(model.coef_, np.linalg.lstsq(design, y, rcond=None)[0][1:], atol=1e-8)
    assert model.n_iter_ < 5000


@pytest.mark.spec("LIN-P19")
def test_small_steps_approach_least_angle_regression():
    # Down to the fifth node of the diabetes path all profiles are monotone: there stagewise, LARS and lasso agree.
    X, y = load_diabetes(return_X_y=True)
    X = X / np.linalg.norm(X, axis=0)
    y = (y - y.mean()) / 100
    coefs = lars_path(X, y)[2][:, :6]
    assert np.all(np.diff(np.abs(coefs), axis=1) >= 0)
    arc = np.abs(coefs).sum(axis=0)
    worst = []
    for epsilon in (0.4, 0.1, 0.025):
        model = ForwardStagewiseRegressor(epsilon, max_iter=int(arc[-1] / epsilon), max_nodes=10**6).fit(X, y)
        length = np.abs(model.coef_path_).sum(axis=0)
        exact = np.array([np.interp(length, arc, profile) for profile in coefs])
        worst.append(np.abs(exact - model.coef_path_).max())
    assert worst[1] < worst[0] / 2
    assert worst[2] < worst[1] / 2
    assert worst[2] < 0.05


def test_stops_when_no_step_helps_and_thins_the_path(rng):
    X = rng.normal(size=(40, 3))
    y = X @ [1.0, 0.0, -2.0]
    model = ForwardStagewiseRegressor(0.001, max_iter=10**6, max_nodes=50).fit(X, y)
    assert model.n_iter_ < 10**6
    assert_close(model.coef_, [1.0, 0.0, -2.0], atol=0.01)
    short = ForwardStagewiseRegressor(0.001, max_iter=1000, max_nodes=50).fit(X, y)
    np.testing.assert_array_equal(short.steps_path_, np.arange(0, 1001, 20))
    assert short.coef_path_.shape == (3, 51)


@given(st.integers(0, 10**6))
def test_weights_count_copies(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 3))
    y = X @ [1.0, -2.0, 0.3] + rng.normal(size=20)
    w = rng.integers(0, 4, size=20)
    a = ForwardStagewiseRegressor(None, max_iter=20).fit(X, y, sample_weight=w)
    b = ForwardStagewiseRegressor(None, max_iter=20).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_close(a.coef_, b.coef_, atol=1e-9)
    assert_close(a.rss_path_, b.rss_path_, atol=1e-8)
