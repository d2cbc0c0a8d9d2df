"""The k-nearest-neighbour mean as a linear smoother."""

import numpy as np
import pytest

from statlearn.assess import smoother_matrix
from statlearn.neighbors import KNeighborsRegressor, knn_effective_df, knn_risk, knn_smoother_matrix
from tests.helpers import assert_close


@pytest.mark.spec("NEI-14", "NEI-P2")
def test_rows_sum_to_one_the_diagonal_is_one_over_k_and_the_trace_n_over_k(rng):
    for n, p, k in ((20, 1, 3), (30, 2, 7), (25, 4, 1), (15, 3, 15)):
        S = knn_smoother_matrix(rng.normal(size=(n, p)), k)
        assert_close(S.sum(axis=1), np.ones(n))
        assert_close(S.diagonal(), np.full(n, 1 / k))
        assert_close(S.trace(), n / k)
        assert_close(knn_effective_df(rng.normal(size=(n, p)), k), n / k)


@pytest.mark.spec("NEI-14")
@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: np.exp(-d)])
def test_it_is_the_regressors_own_matrix(weights, rng):
    X, y, Q = rng.normal(size=(40, 2)), rng.normal(size=40), rng.normal(size=(9, 2))
    model = KNeighborsRegressor(6, weights=weights).fit(X, y)
    assert_close(knn_smoother_matrix(X, 6, weights=weights) @ y, model.predict(X))
    assert_close(knn_smoother_matrix(X, 6, X_new=Q, weights=weights) @ y, model.predict(Q))
    assert_close(
        smoother_matrix(KNeighborsRegressor(6, weights=weights), X),
        knn_smoother_matrix(X, 6, weights=weights).toarray(),
    )


def test_degrees_of_freedom_at_new_rows_predict_the_excess_error(rng):
    # With f = 0 there is no bias: error at new rows minus training error is 2 sigma^2 df / n, exactly in expectation.
    X, Q = rng.normal(size=(60, 2)), rng.normal(size=(500, 2))
    for weights in ("uniform", "distance"):
        S, new = knn_smoother_matrix(X, 5, weights=weights), knn_smoother_matrix(X, 5, X_new=Q, weights=weights)
        training = (np.square(np.eye(60) - S.toarray()).sum()) / 60
        test = 1 + np.square(new.toarray()).sum() / 500
        assert_close(test - training, 2 * knn_effective_df(X, 5, X_new=Q, weights=weights) / 60)


def f(X):
    return np.sin(3 * X[:, 0]) + X[:, 1] ** 2


@pytest.mark.spec("NEI-15", "NEI-P4")
def test_simulated_risk_is_the_formula(rng):
    X, Q, sigma = rng.normal(size=(80, 2)), rng.normal(size=(5, 2)), 0.7
    for k in (1, 4, 15):
        risk = knn_risk(f, X, Q, k, noise_variance=sigma**2)
        S = knn_smoother_matrix(X, k, X_new=Q)
        # The variance of the prediction is exactly sigma^2 / k: that of S times independent noise.
        assert_close(risk.variance, sigma**2 * S.power(2).sum(axis=1))
        assert_close(risk.variance, np.full(5, sigma**2 / k))
        runs = 20000
        said = (S @ (f(X)[:, None] + sigma * rng.normal(size=(80, runs)))).T
        y0 = f(Q) + sigma * rng.normal(size=(runs, 5))
        errors = (y0 - said) ** 2
        # Five standard errors of the simulation.
        assert np.all(np.abs(errors.mean(axis=0) - risk.total) < 5 * errors.std(axis=0) / np.sqrt(runs))


@pytest.mark.spec("NEI-15")
def test_several_k_at_once_are_one_by_one(rng):
    X, Q = rng.normal(size=(50, 2)), rng.normal(size=(7, 2))
    ks = [3, 1, 20]
    risk = knn_risk(f, X, Q, ks, noise_variance=2.0)
    assert risk.total.shape == (3, 7)
    for i, k in enumerate(ks):
        alone = knn_risk(f, X, Q, k, noise_variance=2.0)
        assert_close(risk.total[i], alone.total)
        neighbours = np.argsort(((X - Q[0]) ** 2).sum(axis=1))[:k]
        assert_close(alone.total[0], 2 + (f(Q)[0] - f(X)[neighbours].mean()) ** 2 + 2 / k)


@pytest.mark.spec("NEI-P3")
def test_variance_falls_and_bias_rises_with_k(rng):
    X, Q = rng.uniform(-1, 1, size=(400, 2)), rng.uniform(-0.6, 0.6, size=(100, 2))
    ks = [1, 20, 80, 200]
    risk = knn_risk(f, X, Q, ks, noise_variance=1.0)
    assert np.all(np.diff(risk.variance.mean(axis=1)) < 0)
    assert np.all(np.diff(risk.squared_bias.mean(axis=1)[1:]) > 0)  # one neighbour is near, but on one side


def test_bad_arguments(rng):
    X = rng.normal(size=(5, 2))
    with pytest.raises(ValueError, match="n_neighbors <= n_samples_fit"):
        knn_smoother_matrix(X, 6)
    with pytest.raises(ValueError, match="n_neighbors"):
        knn_risk(f, X, X, [0])
    with pytest.raises(ValueError, match="`X_new` has 3 features"):
        knn_smoother_matrix(X, 2, X_new=np.zeros((1, 3)))
    with pytest.raises(ValueError, match="zero weights"):
        knn_smoother_matrix(X, 2, weights=lambda d: 0 * d)
