"""Losses: derivatives against differences, the piecewise form against the loss itself, stability far out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn._math.losses.scores import MARGIN_LOSSES, REGRESSION_LOSSES, Hinge, Pinball
from tests.helpers import assert_close

KINDS = [("margin", name) for name in MARGIN_LOSSES] + [("regression", name) for name in REGRESSION_LOSSES]


def make(kind, name, y):
    return (MARGIN_LOSSES if kind == "margin" else REGRESSION_LOSSES)[name](y)


def target(kind, rng, n):
    return rng.choice([-1.0, 1.0], size=n) if kind == "margin" else rng.normal(size=n)


@pytest.mark.parametrize(("kind", "name"), KINDS)
@given(seed=st.integers(0, 10**6))
def test_derivatives_match_differences(kind, name, seed):
    rng = np.random.default_rng(seed)
    loss = make(kind, name, target(kind, rng, 40))
    f, step = 3.0 * rng.normal(size=40), 1e-5
    g, h = loss.derivatives(f)
    slopes = (loss.value(f + step) - loss.value(f - step)) / (2 * step)
    bends = (loss.derivatives(f + step)[0] - loss.derivatives(f - step)[0]) / (2 * step)
    smooth = np.abs(loss.derivatives(f + step)[1] - loss.derivatives(f - step)[1]) < 1e-2  # no kink in between
    smooth &= np.abs(loss.derivatives(f + step)[0] - loss.derivatives(f - step)[0]) < 0.1
    assert smooth.mean() > 0.9
    assert_close(g[smooth], slopes[smooth], atol=1e-6)
    assert_close(h[smooth], bends[smooth], atol=1e-4)
    assert np.all(h >= 0)


@pytest.mark.parametrize(("kind", "name"), [k for k in KINDS if not make(*k, np.ones(1)).smooth])
def test_pieces_add_up_to_the_loss(kind, name, rng):
    loss = make(kind, name, target(kind, rng, 200))
    f = 3.0 * rng.normal(size=200)
    pieces = loss.pieces()
    r = pieces.centre - f
    total = pieces.low * r + (pieces.heights * np.maximum(r - pieces.knots, 0.0)).sum(axis=0) + pieces.constant
    assert_close(total, loss.value(f), atol=1e-12)
    assert np.all(pieces.heights > 0)


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_nothing_overflows_far_out(kind, name):
    loss = make(kind, name, np.array([1.0, -1.0, 1.0, -1.0]))
    f = np.array([1e8, 1e8, -1e8, -1e8])
    for values in (loss.value(f), *loss.derivatives(f)):
        assert np.all(np.isfinite(values))


def test_known_values():
    assert_close(MARGIN_LOSSES["modified_huber"](np.ones(4)).value(np.array([-2.0, -1.0, 0.0, 2.0])), [8, 4, 1, 0])
    assert_close(REGRESSION_LOSSES["huber"](np.zeros(3), 0.5).value(np.array([0.2, 0.5, -3.0])), [0.02, 0.125, 1.375])
    assert_close(REGRESSION_LOSSES["log_cosh"](np.zeros(2)).value(np.array([0.5, -800.0])),
                 [np.log(np.cosh(0.5)), 800 - np.log(2)])  # fmt: skip
    assert_close(Pinball(np.zeros(2), 0.9).value(np.array([-1.0, 1.0])), [0.9, 0.1])
    assert_close(REGRESSION_LOSSES["epsilon_insensitive"](np.zeros(2), 0.5).value(np.array([0.4, -2.0])), [0, 1.5])
    assert_close(Hinge(np.array([1.0, -1.0])).take(slice(1, 2)).value(np.array([0.5])), [1.5])
