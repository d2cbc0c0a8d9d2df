"""The loss of a family and a link: derivatives against differences, values against deviances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn._math.losses.families import make_family
from statlearn._math.losses.glm import GlmLoss
from statlearn._math.losses.links import make_link
from tests.helpers import assert_close

PAIRS = [
    *[("gaussian", link) for link in ("identity", "log", "inverse", "sqrt")],
    *[("binomial", link) for link in ("logit", "probit", "cloglog", "cauchit", "log", "identity")],
    *[("poisson", link) for link in ("log", "identity", "sqrt")],
    *[("gamma", link) for link in ("log", "inverse", "identity", "power")],
    *[("inverse_gaussian", link) for link in ("inverse_squared", "log", "inverse")],
    *[("negative_binomial", link) for link in ("log", "sqrt", "identity")],
    *[("tweedie", link) for link in ("log", "power", "identity")],
]


def draw(family, rng, n=30):
    """Responses and means that the family allows, off the bounds."""
    if family == "binomial":
        return rng.uniform(0.05, 0.95, size=n), rng.uniform(0.1, 0.9, size=n)
    if family == "gaussian":
        return rng.normal(size=n), rng.uniform(0.3, 3.0, size=n)
    return rng.gamma(2.0, size=n) + 0.05, rng.uniform(0.3, 3.0, size=n)


@pytest.mark.parametrize(("family", "link"), PAIRS)
@given(seed=st.integers(0, 10**6))
def test_derivatives_match_differences(family, link, seed):
    rng = np.random.default_rng(seed)
    y, mu = draw(family, rng)
    link = make_link(link, 0.4)
    eta = link.link(mu)
    assert_close(link.inverse(eta), mu, rtol=1e-9)
    step = 1e-5 * np.maximum(np.abs(eta), 1e-2)
    first, second = link.slopes(eta)
    assert_close(first, (link.inverse(eta + step) - link.inverse(eta - step)) / (2 * step), rtol=1e-5, atol=1e-8)
    ends = link.slopes(eta + step)[0] - link.slopes(eta - step)[0]
    assert_close(second, ends / (2 * step), rtol=1e-4, atol=1e-6)
    loss = GlmLoss(y, make_family(family, theta=1.7, power=1.6), link)
    slope, expected, correction = loss._terms(eta)
    assert_close(slope, (loss.value(eta + step) - loss.value(eta - step)) / (2 * step), rtol=1e-4, atol=1e-5)
    bends = (loss.derivatives(eta + step)[0] - loss.derivatives(eta - step)[0]) / (2 * step)
    assert_close(expected + correction, bends, rtol=1e-3, atol=1e-4)
    assert_close(2 * loss.value(eta), loss.family.unit_deviance(y, mu), rtol=1e-9, atol=1e-12)


def test_canonical_links_make_observed_and_expected_curvature_agree(rng):
    for name in ("gaussian", "binomial", "poisson", "gamma", "inverse_gaussian"):
        family = make_family(name)
        link = make_link(family.canonical)
        y, mu = draw(name, rng)
        _, _, correction = GlmLoss(y, family, link)._terms(link.link(mu))
        assert_close(correction, np.zeros_like(y) if np.ndim(correction) else 0.0, atol=1e-10)
