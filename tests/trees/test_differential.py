"""Relative entropy of densities: closed forms, numerical integrals, and the identity with the cross-entropy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from statlearn.trees import differential_cross_entropy, differential_entropy, differential_kl
from tests.helpers import assert_close

WIDE = ("normal", {"mean": 1.0, "scale": 2.0})


@pytest.mark.spec("CRS-71")
def test_divergences_by_hand():
    assert_close(differential_kl("normal", WIDE), 0.4431472, rtol=0, atol=1e-7)
    assert_close(differential_kl("exponential", ("exponential", {"mean": 2.0})), 0.1931472, rtol=0, atol=1e-7)
    assert_close(differential_kl("uniform", ("uniform", {"low": -1.0, "high": 3.0}), base=2), 2.0)
    assert differential_kl("uniform", ("uniform", {"low": 0.1, "high": 3.0})) == math.inf
    assert differential_kl("normal", "exponential") == math.inf  # no density below 0
    assert differential_kl("normal", "uniform") == math.inf
    matrix = ("normal", {"mean": [1.0], "cov": [[4.0]]})
    assert_close(differential_kl(("normal", {"cov": [[1.0]]}), matrix), differential_kl("normal", WIDE))


@pytest.mark.spec("CRS-72")
def test_cross_entropy_by_hand():
    assert_close(differential_cross_entropy("normal", WIDE), 1.8620857, rtol=0, atol=1e-7)
    assert_close(differential_cross_entropy("normal", "normal"), differential_entropy("normal"))
    assert differential_cross_entropy("normal", "uniform") == math.inf


@pytest.mark.spec("CRS-71", "CRS-72")
@settings(max_examples=15)
@given(st.floats(-3, 3), st.floats(0.5, 2), st.floats(-3, 3), st.floats(0.5, 2))
def test_closed_forms_are_the_integrals(m1, s1, m2, s2):
    p, q = ("normal", {"mean": m1, "scale": s1}), ("normal", {"mean": m2, "scale": s2})
    closed = differential_kl(p, q)
    assert closed >= 0
    assert_close(differential_kl(p, lambda x: stats.norm(m2, s2).pdf(x) + 1e-300), closed, rtol=1e-5, atol=1e-6)
    identity = differential_entropy("normal", scale=s1) + closed
    assert_close(differential_cross_entropy(p, q), identity)


@pytest.mark.spec("CRS-71", "CRS-72")
def test_densities_given_as_functions():
    triangle = lambda x: 2.0 * x  # noqa: E731
    expected = math.log(2.0) - 0.5  # E log(2x)
    assert_close(differential_kl(triangle, "uniform", support=(0.0, 1.0)), expected, atol=1e-8)
    cross = differential_cross_entropy(triangle, "exponential", support=(0.0, 1.0))
    assert_close(cross, 2.0 / 3.0, atol=1e-8)  # E x
    assert differential_kl("uniform", lambda x: 2.0 if x < 0.5 else 0.0) == math.inf
    assert_close(differential_kl(("exponential", {"mean": 0.5}), "normal"),
                 math.log(2.0) - 1.0 + 0.5 * math.log(2 * math.pi) + 0.25, atol=1e-8)  # fmt: skip


@pytest.mark.spec("CRS-71")
def test_distributions_of_scipy_are_densities():
    wide = stats.norm(1000.0, 0.1), stats.norm(1000.1, 0.2)
    assert_close(differential_kl(*wide), differential_kl("normal", WIDE))
    assert_close(differential_kl(stats.expon(scale=1), stats.expon(scale=2)), np.log(2) - 0.5)
    assert differential_kl(stats.uniform(0, 2), stats.uniform(0, 1)) == np.inf
    assert_close(differential_entropy(stats.norm(0, 2)), differential_entropy("normal", scale=2.0))
    cov = [[2.0, 0.5], [0.5, 1.0]]
    plane = [stats.multivariate_normal(mean, cov) for mean in ([0, 0], [1, 0])]
    assert_close(differential_kl(*plane), 0.5 * np.linalg.inv(cov)[0, 0])
    # Others are integrated: D(gamma(a) || gamma(b)) = (a - b) digamma(a) - log gamma(a) + log gamma(b).
    far = stats.gamma(2.0, loc=500.0), stats.gamma(3.0, loc=500.0)
    assert_close(differential_kl(*far), -special.digamma(2.0) + np.log(2.0), rtol=1e-6)
    with pytest.raises(ValueError, match="only normal ones are supported"):
        differential_kl(stats.multivariate_t([0, 0]), "normal")


@pytest.mark.spec("CRS-71")
def test_several_dimensions(seed):
    rng = np.random.default_rng(seed)
    A, B = (M @ M.T + np.eye(3) for M in rng.normal(size=(2, 3, 3)))
    a, b = rng.normal(size=(2, 3))
    p, q = ("normal", {"mean": a, "cov": A}), ("normal", {"mean": b, "cov": B})
    x = stats.multivariate_normal(a, A).rvs(200_000, random_state=0)
    ratio = stats.multivariate_normal(a, A).logpdf(x) - stats.multivariate_normal(b, B).logpdf(x)
    assert abs(differential_kl(p, q) - ratio.mean()) < 5 * ratio.std() / np.sqrt(len(x))
    assert_close(differential_cross_entropy(p, q), differential_entropy("normal", cov=A) + differential_kl(p, q))


@pytest.mark.parametrize(
    "p, q, words",
    [
        ("gamma", "normal", "`p` must name one of"),
        ("normal", ("normal", {"variance": 4.0}), "parameters"),
        ("normal", ("normal", {"scale": 0.0}), "scale must be positive"),
        (("normal", {"cov": np.eye(2)}), "normal", "same dimension"),
        (("normal", {"cov": -np.eye(2)}), "normal", "positive definite"),
        (lambda x: 1.0 + 0.0 * x, "uniform", "must integrate to 1"),
        (3.0, "normal", "`p` must be a name"),
    ],
)
def test_invalid_densities_raise(p, q, words):
    with pytest.raises(ValueError, match=words):
        differential_kl(p, q, support=(0.0, 2.0))
