"""The native path of L1-penalised generalised linear models against optimality, other solvers and other data forms."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from statlearn._math.losses.families import make_family
from statlearn._math.losses.glm import GlmLoss
from statlearn._math.losses.links import make_link
from statlearn._math.penalties.elastic_net import ElasticNetPenalty
from statlearn._math.rows.rows import Rows
from statlearn._math.solvers.minimise import minimise
from statlearn._math.solvers.native_newton import has_kernel
from statlearn.linear import GeneralizedLinearRegressor, LogisticRegression, glm_path, lasso_path
from tests.helpers import assert_close

PAIRS = [
    ("gaussian", "identity"),
    ("binomial", "logit"),
    ("poisson", "log"),
    ("gamma", "log"),
    ("negative_binomial", "log"),
    ("tweedie", "log"),
]


def problem(family, rng, n=150, p=30):
    X = rng.normal(size=(n, p)) + 0.5 * rng.normal(size=(n, 1)) + 1.0
    eta = 0.3 + (X[:, :4] - 1.0) @ [0.5, -0.4, 0.3, 0.2]
    mu = np.exp(eta)
    y = {
        "gaussian": lambda: eta + rng.normal(size=n),
        "binomial": lambda: (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(float),
        "poisson": lambda: rng.poisson(mu).astype(float),
        "gamma": lambda: rng.gamma(2.0, mu / 2.0),
        "negative_binomial": lambda: rng.negative_binomial(2, 2 / (2 + mu)).astype(float),
        "tweedie": lambda: np.where(rng.random(n) < 0.3, 0.0, rng.gamma(2.0, mu / 2.0)),
    }[family]()
    return X, y


def slopes(family, link, X, y, coef, intercept, weights, offset):
    """Gradient of the mean half deviance in the coefficients and the intercept."""
    loss = GlmLoss(y, make_family(family, theta=2.0, power=1.5), make_link(link))
    g = weights / weights.sum() * loss.derivatives(X @ coef + intercept + offset)[0]
    return X.T @ g, g.sum()


@pytest.mark.parametrize("family, link", PAIRS)
@pytest.mark.parametrize("l1_ratio", [1.0, 0.6])
def test_every_point_satisfies_the_optimality_conditions(family, link, l1_ratio, rng):
    X, y = problem(family, rng)
    weights, offset = rng.uniform(0.5, 2.0, len(y)), 0.2 * rng.normal(size=len(y))
    alphas, coefs, intercepts = glm_path(
        X, y, family, link, l1_ratio=l1_ratio, alphas=8, eps=1e-2, theta=2.0, power=1.5, sample_weight=weights,
        offset=offset, tol=1e-12,
    )  # fmt: skip
    assert not coefs[:, 0].any()
    assert np.count_nonzero(coefs[:, -1]) > 3
    for alpha, coef, b in zip(alphas, coefs.T, intercepts, strict=True):
        gradient, slope = slopes(family, link, X, y, coef, b, weights, offset)
        gradient += alpha * (1 - l1_ratio) * coef
        on, cut = coef != 0, alpha * l1_ratio
        assert abs(slope) < 1e-6 * alphas[0]
        assert_close(gradient[on], -cut * np.sign(coef[on]), atol=1e-5 * alphas[0])
        assert np.all(np.abs(gradient[~on]) <= cut + 1e-5 * alphas[0])


@pytest.mark.parametrize("family, link", PAIRS)
def test_the_general_solver_agrees(family, link, rng):
    X, y = problem(family, rng, p=8)
    model = make_family(family, theta=2.0, power=1.5)
    assert has_kernel(model, make_link(link))
    fast = GeneralizedLinearRegressor(
        family, link, alpha=0.05, l1_ratio=0.7, theta=2.0, power=1.5, tol=1e-12
    ).fit(X, y)  # fmt: skip
    loss, penalty = GlmLoss(y, model, make_link(link)), ElasticNetPenalty(0.05 * 0.7, 0.05 * 0.3)
    slow = minimise(Rows.double(X), loss, penalty, tol=1e-14, start=(np.zeros(8), fast.intercept_))
    assert_close(fast.coef_, slow.coef, atol=1e-5)
    assert_close(fast.objective_, slow.objective, rtol=1e-9, atol=0)


@pytest.mark.parametrize("family, link", PAIRS)
def test_the_gap_bounds_the_remaining_decrease(family, link, rng):
    """The documented objective, literally, minimised by a general optimiser over split positive and negative parts."""
    X, y = problem(family, rng, p=5)
    loss = GlmLoss(y, make_family(family, theta=2.0, power=1.5), make_link(link))
    null = minimise(Rows.double(np.empty((len(y), 0))), loss, start=(np.empty(0), 0.1), tol=1e-13).objective

    def split(z):
        w = z[:5] - z[5:10]
        g = loss.derivatives(X @ w + z[10])[0] / len(y)
        value = np.mean(loss.value(X @ w + z[10])) + 0.05 * z[:10].sum()
        return value, np.concatenate([X.T @ g + 0.05, 0.05 - X.T @ g, [g.sum()]])

    best = minimize(
        split, np.append(np.full(10, 1e-3), 0.1), jac=True, method="L-BFGS-B", bounds=[(0, None)] * 10 + [(None, None)],
        options={"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-9},
    ).fun  # fmt: skip
    for tol in (1e-2, 1e-4):
        _, coefs, b = glm_path(X, y, family, link, alphas=[0.05], theta=2.0, power=1.5, tol=tol)
        value = np.mean(loss.value(X @ coefs[:, 0] + b[0])) + 0.05 * np.abs(coefs).sum()
        assert -1e-7 <= value - best <= tol * null + 1e-9


@pytest.mark.parametrize("family", ["poisson", "gamma"])
def test_sparse_equals_dense(family, rng):
    X, y = problem(family, rng)
    X = np.where(rng.random(X.shape) < 0.3, X, 0.0)
    options = dict(alphas=6, eps=1e-2, tol=1e-11)
    for fit_intercept in (True, False):
        dense = glm_path(X, y, family, "log", fit_intercept=fit_intercept, **options)
        kept = glm_path(sparse.csr_array(X), y, family, "log", fit_intercept=fit_intercept, **options)
        for a, b in zip(dense, kept, strict=True):
            assert_close(a, b, atol=1e-5)


def test_known_special_cases(rng):
    X, y = problem("gaussian", rng)
    Xc, yc = X - X.mean(axis=0), y - y.mean()
    alphas, coefs, _ = glm_path(X, y, alphas=10, eps=1e-2, tol=1e-11)
    assert_close(coefs, lasso_path(Xc, yc, alphas=alphas, tol=1e-12)[1], atol=1e-5)
    X, y = problem("binomial", rng)
    _, coefs, intercepts = glm_path(X, y, "binomial", alphas=[0.03], tol=1e-11)
    peer = LogisticRegression(C=1 / (0.03 * len(y)), l1_ratio=1.0, tol=1e-11, solver="coordinate").fit(X, y)
    assert_close(coefs[:, 0], peer.coef_[0], atol=1e-5)
    assert_close(intercepts, peer.intercept_, atol=1e-5)
