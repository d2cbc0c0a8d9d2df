"""Penalties towards the coefficients of a source model."""

import numpy as np
import pytest
from scipy import sparse

from statlearn.linear import LogisticRegression, Ridge
from tests.helpers import assert_close


def classes(rng, n_classes, n=80, p=3):
    X = rng.normal(size=(n, p))
    scores = X @ rng.normal(size=(p, n_classes)) + rng.gumbel(size=(n, n_classes))
    return X, np.array(list("abc"))[scores.argmax(axis=1)]


@pytest.mark.spec("CRS-94")
def test_ridge_shrinks_towards_the_source():
    X, y = np.array([[1.0], [2.0], [3.0]]), np.array([1.0, 2.0, 3.0])

    def slope(alpha):
        return Ridge(alpha, fit_intercept=False, prior_coef=[2.0]).fit(X, y).coef_[0]

    assert_close(slope(1.0), 16 / 15)
    assert_close(slope(0.0), 1.0)
    assert_close(slope(1e12), 2.0)


@pytest.mark.parametrize("solver", ["cholesky", "dual", "svd", "sparse_cg"])
@pytest.mark.parametrize("sparse_input", [False, True])
def test_ridge_minimises_its_documented_objective(seed, solver, sparse_input):
    if sparse_input and solver == "svd":
        solver = "auto"
    rng = np.random.default_rng(seed)
    X, Y, prior = rng.normal(size=(30, 4)), rng.normal(size=(30, 2)), rng.normal(size=(2, 4))
    weights = rng.uniform(0.5, 2, 30)
    model = Ridge(2.0, solver=solver, tol=1e-12, prior_coef=prior)
    model.fit(sparse.csr_matrix(X) if sparse_input else X, Y, sample_weight=weights)
    residuals = Y - model.predict(X)
    gradient = -(weights[:, None] * residuals).T @ X + 2.0 * (model.coef_ - prior)
    assert np.abs(gradient).max() < 1e-8
    assert np.abs(weights @ residuals).max() < 1e-8


@pytest.mark.spec("CRS-94")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("solver", ["lbfgs", "irls", "coordinate"])
def test_logistic_regression_minimises_its_documented_objective(seed, n_classes, solver):
    rng = np.random.default_rng(seed)
    X, y = classes(rng, n_classes)
    prior = rng.normal(size=(1 if n_classes == 2 else n_classes, 3))
    model = LogisticRegression(C=0.3, solver=solver, tol=1e-9, max_iter=1000, prior_coef=prior).fit(X, y)
    share = model.predict_proba(X) - (y[:, None] == model.classes_)
    gradient = (share[:, 1:] if n_classes == 2 else share).T @ X + (model.coef_ - prior) / 0.3
    assert np.abs(gradient).max() < 1e-5
    again = model.set_params(warm_start=True).fit(X, y)
    assert again.n_iter_[0] <= 3


@pytest.mark.spec("CRS-94")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_logistic_limits_are_the_source_and_the_target_fit(seed, n_classes):
    rng = np.random.default_rng(seed)
    X, y = classes(rng, n_classes)
    source = LogisticRegression().fit(*classes(rng, n_classes))
    strong = LogisticRegression(C=1e-9, prior_coef=source.coef_).fit(X, y)
    assert_close(strong.coef_, source.coef_, atol=1e-6)
    free = LogisticRegression(C=np.inf, tol=1e-8, prior_coef=source.coef_).fit(X, y)
    plain = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y)
    np.testing.assert_array_equal(free.coef_, plain.coef_)
    assert str(free.summary()) == str(plain.summary())


def test_an_l1_penalty_keeps_coefficients_of_the_source_exactly(seed):
    rng = np.random.default_rng(seed)
    X, y = classes(rng, 2)
    prior = np.array([0.5, -1.0, 2.0])
    model = LogisticRegression(C=0.02, l1_ratio=1.0, prior_coef=prior).fit(X, y)
    assert np.count_nonzero(model.coef_[0] == prior) >= 1


def test_a_reference_class_and_a_penalised_intercept(seed):
    rng = np.random.default_rng(seed)
    X, y = classes(rng, 3)
    prior = np.vstack([[0.0, 0.0, 0.0], rng.normal(size=(2, 3))])
    model = LogisticRegression(C=0.3, tol=1e-9, reference="a", penalize_intercept=True, prior_coef=prior).fit(X, y)
    share = model.predict_proba(X) - (y[:, None] == model.classes_)
    assert not model.coef_[0].any()
    assert np.abs((share.T @ X + (model.coef_ - prior) / 0.3)[1:]).max() < 1e-5
    assert np.abs((share.sum(axis=0) + model.intercept_ / 0.3)[1:]).max() < 1e-5
    with pytest.raises(ValueError, match="zero in the row of the `reference` class"):
        LogisticRegression(reference="b", prior_coef=prior).fit(X, y)


def test_wrong_shapes_raise(seed):
    X, y = classes(np.random.default_rng(seed), 3)
    with pytest.raises(ValueError, match=r"`prior_coef` must have the shape \(3, 3\) of `coef_`, got \(3,\)"):
        LogisticRegression(prior_coef=[1.0, 2.0, 3.0]).fit(X, y)
    with pytest.raises(ValueError, match=r"`prior_coef` must have the shape \(3,\) of `coef_`, got \(2,\)"):
        Ridge(prior_coef=[1.0, 2.0]).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="`prior_coef` must be None with positive=True"):
        Ridge(prior_coef=[1.0, 2.0, 3.0], positive=True).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="contains NaN"):
        Ridge(prior_coef=[1.0, np.nan, 3.0]).fit(X, X[:, 0])
