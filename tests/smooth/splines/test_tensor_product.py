"""Products of splines."""

import numpy as np
import pytest

from statlearn.linear import LogisticRegression
from statlearn.smooth import SplineTransformer, TensorProductBasis, TensorProductSpline
from tests.helpers import assert_close


def problem(rng, n=200):
    X = rng.uniform(size=(n, 2))
    return X, np.sin(5 * X[:, 0]) + X[:, 1] ** 2, 0.2 * rng.normal(size=n)


@pytest.mark.spec("SMT-13", "SMT-T2")
def test_additive_and_tensor_counts(rng):
    X, f, noise = problem(rng)
    tensor = TensorProductSpline(df=4).fit(X, f + noise)
    additive = TensorProductSpline(df=4, interaction=False).fit(X, f + noise)
    assert (additive.n_functions_, tensor.n_functions_) == (7, 16)
    for model in (tensor, additive):
        H = np.column_stack([np.ones(len(X)), model.expansion_.transform(X)])
        assert np.linalg.matrix_rank(H) == H.shape[1] == model.n_functions_
        assert len(model.expansion_.get_feature_names_out()) == model.n_functions_ - 1


@pytest.mark.spec("SMT-13")
@pytest.mark.parametrize("basis", ["natural", "bspline"])
def test_spans_all_products(basis, rng):
    X, f, noise = problem(rng)
    y = f + noise
    one = SplineTransformer(df=5, basis=basis, clamped=True)
    H1, H2 = (one.fit_transform(X[:, [j]]) for j in (0, 1))
    G = (H1[:, :, None] * H2[:, None, :]).reshape(len(X), -1)
    fitted = G @ np.linalg.lstsq(G, y)[0]
    assert_close(TensorProductSpline(df=5, basis=basis).fit(X, y).predict(X), fitted, atol=1e-6)


@pytest.mark.spec("SMT-P8")
@pytest.mark.parametrize("draw", range(5))
def test_with_an_additive_truth_both_fits_agree_up_to_noise(draw):
    X, f, noise = problem(np.random.default_rng(draw), n=2000)
    fits = [TensorProductSpline(df=6, interaction=i).fit(X, f + noise).predict(X) for i in (True, False)]
    # 25 more coefficients for noise of variance 0.04 among 2000 rows; allow twice the expected mean square.
    assert np.mean((fits[0] - fits[1]) ** 2) < 2 * 25 * 0.04 / 2000
    exact = [TensorProductSpline(df=6, interaction=i).fit(X, fits[1]).predict(X) for i in (True, False)]
    assert_close(exact[0], fits[1], atol=1e-7)
    assert_close(exact[1], fits[1], atol=1e-7)


@pytest.mark.spec("SMT-13")
def test_logistic_surface(rng):
    X = rng.uniform(-1, 1, size=(300, 2))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=300) > 0).astype(int)
    tensor = TensorProductSpline(df=4, model="logistic").fit(X, y)
    additive = TensorProductSpline(df=4, interaction=False, model="logistic").fit(X, y)
    assert tensor.score(X, y) > additive.score(X, y) + 0.1
    H = TensorProductBasis(df=4).fit_transform(X)
    assert_close(tensor.predict_proba(X), LogisticRegression(C=np.inf).fit(H, y).predict_proba(H), atol=1e-5)


def test_three_columns_have_all_pairs(rng):
    X = rng.uniform(size=(80, 3))
    assert TensorProductBasis(df=3).fit_transform(X).shape[1] == 3 * 2 + 3 * 4
    with pytest.raises(ValueError, match="df"):
        TensorProductBasis(df=2, basis="bspline").fit(X)


@pytest.mark.spec("SMT-10", "SMT-13")
@pytest.mark.parametrize("interaction", [True, False])
def test_the_penalty_is_the_mean_of_squared_derivatives_along_the_columns(interaction):
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 2, size=(80, 3))
    basis = TensorProductBasis(df=4, basis="bspline", degree=3, interaction=interaction).fit(X)
    beta = rng.normal(size=basis.n_features_out_)
    nodes, weights = np.polynomial.legendre.leggauss(8)
    low, high = X.min(axis=0), X.max(axis=0)
    axes = [low[j] + (nodes + 1) * (high[j] - low[j]) / 2 for j in range(3)]
    grid = np.array(np.meshgrid(*axes, indexing="ij")).reshape(3, -1).T
    mean = np.prod(np.meshgrid(weights, weights, weights, indexing="ij"), axis=0).ravel() / 8
    step, total = 1e-3, 0.0
    for j in range(3):
        shift = step * np.eye(3)[j]
        bend = sum(c * basis.transform(grid + k * shift) @ beta for k, c in ((-1, 1), (0, -2), (1, 1))) / step**2
        part = (high[j] - low[j]) * mean @ bend**2
        assert beta @ basis.penalty_matrix(column=j) @ beta == pytest.approx(part, rel=1e-4)
        total += part
    assert beta @ basis.penalty_matrix() @ beta == pytest.approx(total, rel=1e-4)
