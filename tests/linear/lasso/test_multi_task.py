"""Joint selection of features for several targets: optimality, scikit-learn's values, limits."""

import numpy as np
import pytest
from sklearn import linear_model as reference

from statlearn.linear import (
    Lasso,
    LinearRegression,
    MultiTaskElasticNet,
    MultiTaskElasticNetCV,
    MultiTaskLasso,
    MultiTaskLassoCV,
    Ridge,
)
from tests.helpers import assert_close


def tables(rng, n=60, p=8, q=3):
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 3.0, p) + rng.normal(size=p)
    W = np.zeros((p, q))
    W[[1, 4]] = rng.normal(size=(2, q))
    return X, X @ W + rng.normal(size=(n, q)) + 5.0


def objective(X, Y, W, b, alpha, ratio):  # the formula of the docstring, literally
    loss = np.sum((Y - b - X @ W) ** 2) / (2 * len(X))
    return loss + alpha * ratio * np.linalg.norm(W, axis=1).sum() + alpha * (1 - ratio) / 2 * np.sum(W**2)


@pytest.mark.parametrize("ratio", [1.0, 0.6])
@pytest.mark.parametrize("shape", [(60, 8), (12, 30)])
def test_solution_satisfies_the_optimality_conditions(rng, ratio, shape):
    X, Y = tables(rng, *shape)
    alpha = 0.5 if shape[0] > shape[1] else 0.3
    model = MultiTaskElasticNet(alpha, l1_ratio=ratio, tol=1e-12, max_iter=50_000).fit(X, Y)
    W, R = model.coef_.T, Y - model.predict(X)
    assert_close(R.mean(axis=0), 0.0, atol=1e-9)
    gradient = X.T @ R / len(X) - alpha * (1 - ratio) * W
    length = np.linalg.norm(W, axis=1)
    used = length > 0
    assert 0 < used.sum() < len(W)
    assert_close(gradient[used], alpha * ratio * W[used] / length[used, None], atol=1e-6)
    assert np.all(np.linalg.norm(gradient[~used], axis=1) <= alpha * ratio + 1e-6)
    best = objective(X, Y, W, model.intercept_, alpha, ratio)
    for d in 1e-3 * rng.normal(size=(20, *W.shape)):
        assert objective(X, Y, W + d, model.intercept_, alpha, ratio) > best


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_coefficients_equal_those_of_scikit_learn(rng, fit_intercept):
    X, Y = tables(rng)
    for ours, theirs in (
        (MultiTaskLasso, reference.MultiTaskLasso),
        (MultiTaskElasticNet, reference.MultiTaskElasticNet),
    ):
        settings = dict(alpha=0.2, fit_intercept=fit_intercept, tol=1e-10, max_iter=100_000)
        a, b = ours(**settings).fit(X, Y), theirs(**settings).fit(X, Y)
        assert_close(a.coef_, b.coef_, atol=1e-6)
        assert_close(a.intercept_, b.intercept_, atol=1e-6)
        assert_close(a.sparse_coef_.toarray(), a.coef_)


def test_gap_bounds_the_distance_to_the_minimum(rng):
    X, Y = tables(rng)
    rough = MultiTaskLasso(0.1, tol=1e-2).fit(X, Y)
    fine = MultiTaskLasso(0.1, tol=1e-13, max_iter=100_000).fit(X, Y)
    values = [objective(X, Y, m.coef_.T, m.intercept_, 0.1, 1.0) for m in (rough, fine)]
    assert 0 <= values[0] - values[1] <= rough.dual_gap_ + 1e-12


def test_one_target_is_the_lasso_and_limits_are_least_squares_and_ridge(rng):
    X, Y = tables(rng)
    one = MultiTaskLasso(0.2, tol=1e-12, max_iter=10_000).fit(X, Y[:, :1])
    assert_close(one.coef_[0], Lasso(0.2, tol=1e-12).fit(X, Y[:, 0]).coef_, atol=1e-7)
    assert_close(MultiTaskLasso(0.0).fit(X, Y).coef_, LinearRegression().fit(X, Y).coef_)
    ridge = MultiTaskElasticNet(0.5, l1_ratio=0.0).fit(X, Y)
    assert_close(ridge.coef_, Ridge(0.5 * len(X)).fit(X, Y).coef_)


def test_weights_count_as_copies_of_rows(rng):
    X, Y = tables(rng)
    k = rng.integers(0, 3, len(X))
    weighted = MultiTaskLasso(0.2, tol=1e-12, max_iter=10_000).fit(X, Y, sample_weight=k)
    copies = MultiTaskLasso(0.2, tol=1e-12, max_iter=10_000).fit(np.repeat(X, k, axis=0), np.repeat(Y, k, axis=0))
    assert_close(weighted.coef_, copies.coef_, atol=1e-7)


def test_warm_start_needs_fewer_passes_and_the_same_shape(rng):
    X, Y = tables(rng)
    model = MultiTaskLasso(0.2, tol=1e-10, max_iter=10_000, warm_start=True).fit(X, Y)
    first = model.n_iter_
    assert model.fit(X, Y).n_iter_ < first
    with pytest.raises(ValueError, match=r"`warm_start` requires coefficients of shape \(2, 8\)"):
        model.fit(X, Y[:, :2])


def test_one_target_as_a_vector_is_refused_by_name(rng):
    X, Y = tables(rng)
    with pytest.raises(ValueError, match="For mono-task outputs, use LassoCV"):
        MultiTaskLassoCV().fit(X, Y[:, 0])


def test_cross_validation_equals_that_of_scikit_learn(rng):
    X, Y = tables(rng)
    settings = dict(alphas=20, tol=1e-8, max_iter=50_000, cv=4)
    ours, theirs = MultiTaskLassoCV(**settings).fit(X, Y), reference.MultiTaskLassoCV(**settings).fit(X, Y)
    assert_close(ours.alphas_, theirs.alphas_)
    assert_close(ours.mse_path_, theirs.mse_path_, atol=1e-5)
    assert_close(ours.alpha_, theirs.alpha_)
    assert_close(ours.coef_, theirs.coef_, atol=1e-5)
    settings["l1_ratio"] = [0.4, 0.9]
    ours, theirs = MultiTaskElasticNetCV(**settings).fit(X, Y), reference.MultiTaskElasticNetCV(**settings).fit(X, Y)
    assert ours.l1_ratio_ == theirs.l1_ratio_
    assert_close(ours.mse_path_, theirs.mse_path_, atol=1e-5)
    assert_close(ours.coef_, theirs.coef_, atol=1e-5)


def test_one_standard_error_rule_chooses_a_larger_penalty(rng):
    X, Y = tables(rng)
    assert MultiTaskLassoCV(rule="one_se").fit(X, Y).alpha_ > MultiTaskLassoCV().fit(X, Y).alpha_


def test_shares_of_zero_are_refused_in_cross_validation(rng):
    with pytest.raises(ValueError, match="`l1_ratio` must contain values above 0"):
        MultiTaskElasticNetCV(l1_ratio=[0.0, 0.5]).fit(*tables(rng))
