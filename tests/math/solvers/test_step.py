"""Backtracking: accepted lengths, domains, curved paths, rounding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn._math.solvers.step import SUFFICIENT, backtrack, rounding


def test_full_newton_step_of_a_parabola_is_accepted():
    step = backtrack(lambda t: (1.0 - t) ** 2, 1.0, -2.0)
    assert step == (1.0, 0.0, None)


@given(scale=st.floats(0.1, 1e6))
def test_accepted_length_is_the_longest_sufficient_one(scale):
    def f(t):
        return (1.0 - scale * t) ** 2

    slope = -2.0 * scale
    lengths = 0.5 ** np.arange(40)
    sufficient = [t for t in lengths if f(t) <= 1.0 + SUFFICIENT * t * slope]
    assert backtrack(f, 1.0, slope).length == sufficient[0]


def test_steps_out_of_the_domain_are_shortened():
    def f(t):
        return -np.log(1.0 - 3.0 * t) - 9.0 * t if 3.0 * t < 1.0 else np.nan

    step = backtrack(f, 0.0, -6.0)
    assert step.length == 0.25
    assert step.value == f(0.25)


def test_no_length_decreases_the_objective_along_an_ascent_direction():
    tried = []
    assert backtrack(lambda t: tried.append(t) or t, 0.0, -1.0, shortest=1e-3) is None
    assert tried == list(0.5 ** np.arange(10))


def test_slack_accepts_an_increase_that_is_rounding():
    value = 1e6

    def f(t):
        return value + 1e-10

    assert backtrack(f, value, -1e-14) is None
    assert backtrack(f, value, -1e-14, slack=rounding(value)).length == 1.0


def test_state_matches_the_accepted_length():
    step = backtrack(lambda t: ((1.0 - 3.0 * t) ** 2, f"at {t}"), 1.0, -6.0)
    assert step.state == f"at {step.length}"


def test_predicted_change_of_a_projected_path_is_used():
    # Along the path clip(x - 4 t), the change to first order ends at the bound, where the objective stops falling.
    def path(t):
        return max(1.0 - 4.0 * t, 0.0)

    straight = backtrack(lambda t: path(t) * 1e-4, 1e-4, -4.0)
    projected = backtrack(lambda t: path(t) * 1e-4, 1e-4, lambda t: path(t) - 1.0)
    assert projected.length == 1.0
    assert straight is None or straight.length < 1.0


def test_interpolation_goes_to_the_minimum_of_the_parabola():
    tried = []

    def f(t):
        tried.append(t)
        return (1.0 - 4.0 * t) ** 2

    assert backtrack(f, 1.0, -8.0, interpolate=True).length == pytest.approx(0.25)
    assert len(tried) == 2


def test_interpolation_leaves_infinite_values_by_tenths():
    step = backtrack(lambda t: np.inf if t > 0.05 else -t, 0.0, -1.0, interpolate=True)
    assert step.length == pytest.approx(0.01)


def test_other_acceptance_rule_sees_value_and_state():
    seen = []

    def accept(t, value, state):
        seen.append((t, value, state))
        return t < 0.3

    assert backtrack(lambda t: (1.0, 2 * t), 0.0, -1.0, accept=accept).length == 0.25
    assert seen == [(1.0, 1.0, 2.0), (0.5, 1.0, 1.0), (0.25, 1.0, 0.5)]


def test_a_larger_share_of_the_decrease_asks_for_shorter_steps():
    """x^2 from 1 along -1.9: a whole step decreases it, but by less than half of what the slope predicts."""
    assert backtrack(lambda t: (1.0 - 1.9 * t) ** 2, 1.0, -3.8).length == 1.0
    assert backtrack(lambda t: (1.0 - 1.9 * t) ** 2, 1.0, -3.8, sufficient=0.5).length == 0.5
