"""Every penalty by its definition: the proximal map minimises, the optimality conditions hold at minima."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from statlearn._math.penalties.concave import MCP, SCAD
from statlearn._math.penalties.elastic_net import ElasticNetPenalty
from statlearn._math.penalties.group import GroupPenalty
from statlearn._math.penalties.penalty import Penalty
from tests.helpers import assert_close

CODES = np.array([0, 0, 1, 1, 1, 2])
CONVEX = {
    "l1": ElasticNetPenalty(0.7),
    "elastic net": ElasticNetPenalty(0.4, 0.8),
    "factors": ElasticNetPenalty(0.4, 0.8, factor=np.array([1.0, 2.0, 0.5, 1.0, 3.0, 0.1])),
    "positive": ElasticNetPenalty(0.4, 0.8, positive=True),
    "group": GroupPenalty(CODES, np.array([0.5, 1.0, 0.2])),
}
CONCAVE = {"mcp": MCP(0.8), "mcp, steep": MCP(0.8, 1.2), "scad": SCAD(0.8), "scad, steep": SCAD(0.5, 2.1)}
PENALTIES = {**CONVEX, **CONCAVE}
points = st.lists(st.floats(-4, 4), min_size=6, max_size=6).map(np.array)


@pytest.mark.parametrize("name", PENALTIES)
@given(v=points, step=st.sampled_from([0.1, 1.0, 5.0]), seed=st.integers(0, 99))
def test_prox_minimises_its_objective(name, v, step, seed):
    penalty, rng = PENALTIES[name], np.random.default_rng(seed)

    def objective(w):
        return 0.5 * np.sum((w - v) ** 2) + step * penalty.value(w)

    w = penalty.prox(v, step)
    others = [w + size * rng.normal(size=6) for size in (1e-4, 1e-2, 1.0) for _ in range(5)] + [v, np.zeros(6)]
    if name == "positive":
        assert np.all(w >= 0)
        others = [np.maximum(other, 0) for other in others]
    assert all(objective(w) <= objective(other) + 1e-12 for other in others)


@pytest.mark.parametrize("name", CONVEX)
def test_violation_is_zero_at_a_minimum_only(name, rng):
    """The prox at v minimises the loss |w - v|^2 / 2 plus the penalty, whose gradient is w - v."""
    penalty, v = CONVEX[name], 2.0 * rng.normal(size=6)
    w = penalty.prox(v, 1.0)
    assert penalty.violation(w, w - v) <= 1e-12
    assert penalty.violation(w + 0.1, w + 0.1 - v) > 1e-3


@pytest.mark.parametrize("name", [name for name in PENALTIES if "steep" not in name])
def test_largest_is_where_zero_stops_being_a_solution(name, rng):
    penalty, gradient = PENALTIES[name], rng.normal(size=6)
    t = penalty.largest(gradient)
    assert not penalty.prox(-gradient * 1e-3, 1e-3 * t * (1 + 1e-9)).any()  # a small step looks at zero only
    assert penalty.prox(-gradient * 1e-3, 1e-3 * t * (1 - 1e-6)).any()


@pytest.mark.parametrize("name", CONVEX)
def test_consequences_of_the_prox_agree_with_closed_forms(name, rng):
    penalty, gradient = CONVEX[name], rng.normal(size=6)
    assert_close(Penalty.largest(penalty, gradient), penalty.largest(gradient), rtol=1e-9)
    w = penalty.prox(rng.normal(size=6), 1.0)
    assert (Penalty.violation(penalty, w, gradient) < 1e-12) == (penalty.violation(w, gradient) < 1e-12)


@pytest.mark.parametrize("name", CONCAVE)
def test_concave_penalties_have_the_slopes_of_their_definition(name):
    penalty = CONCAVE[name]
    a, gamma = penalty.alpha, penalty.gamma
    w = np.linspace(1e-3, 1.5 * gamma * a, 200)
    slopes = (penalty.values(w + 1e-6) - penalty.values(w - 1e-6)) / 2e-6
    if name.startswith("mcp"):
        expected = np.maximum(a - w / gamma, 0.0)
    else:
        expected = np.where(w <= a, a, np.maximum(gamma * a - w, 0.0) / (gamma - 1.0))
    assert_close(slopes, expected, atol=1e-5)
    assert_close(-np.diff(slopes).min() / np.diff(w)[0], penalty.concavity, rtol=1e-3)


def test_factors_of_one_change_nothing(rng):
    w, plain, factors = rng.normal(size=6), ElasticNetPenalty(0.3, 0.2), ElasticNetPenalty(0.3, 0.2, factor=np.ones(6))
    assert_close(plain.value(w), factors.value(w))
    assert_close(plain.prox(w, 0.5), factors.prox(w, 0.5))
    best = minimize(lambda u: 0.5 * np.sum((u - w) ** 2) + 0.5 * plain.value(u), w, method="Powell", tol=1e-10)
    assert_close(plain.prox(w, 0.5), best.x, atol=1e-4)  # a search without derivatives
