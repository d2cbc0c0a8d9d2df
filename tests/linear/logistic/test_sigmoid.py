"""expit, logit, softmax and the logistic growth curve."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.linear import expit, general_logistic, logit, softmax
from tests.helpers import assert_close

reals = st.floats(-700, 700)


@pytest.mark.spec("LIN-35", "LIN-P27")
@given(reals)
def test_logistic_identities(x):
    assert_close(expit(-x), 1 - expit(x), atol=1e-16)
    if abs(x) < 30:
        assert_close(logit(expit(x)), x, rtol=1e-3 if x > 15 else 1e-7)  # 1 - p loses digits near 1
    h = 1e-5
    slope = (expit(x + h) - expit(x - h)) / (2 * h)
    assert_close(slope, expit(x) * (1 - expit(x)), rtol=1e-4, atol=1e-9)  # central difference


@pytest.mark.spec("LIN-35")
def test_extreme_arguments_do_not_overflow():
    assert_close(expit([-np.inf, -800.0, 0.0, 800.0, np.inf]), [0, 0, 0.5, 1, 1])
    assert_close(logit([0.0, 0.5, 1.0]), [-np.inf, 0, np.inf])
    assert_close(softmax([[1e6, 1e6 - np.log(3)], [-1e6, 0]]), [[0.75, 0.25], [0, 1]])
    assert expit(np.float32(1.0)).dtype == np.float32


@pytest.mark.spec("LIN-35")
@given(st.lists(st.floats(-50, 50), min_size=1, max_size=6), st.floats(-100, 100))
def test_softmax_is_a_distribution_and_ignores_shifts(x, c):
    p = softmax(x)
    assert_close(p.sum(), 1.0)
    assert_close(softmax(np.array(x) + c), p)
    assert_close(softmax(np.array([x, x]).T, axis=0)[:, 0], p)


@pytest.mark.spec("LIN-35")
def test_general_logistic_has_limit_rate_and_midpoint():
    assert_close(general_logistic(3.0, upper=8.0, rate=2.0, midpoint=3.0), 4.0)
    assert_close(general_logistic(1e3, upper=8.0, rate=2.0), 8.0)
    x = np.linspace(-2, 2, 9)
    assert_close(general_logistic(x, upper=5.0, rate=1.5, midpoint=0.5), 5.0 / (1 + np.exp(-1.5 * (x - 0.5))))
    assert_close(general_logistic(x), expit(x))


@pytest.mark.parametrize("function", [expit, logit, softmax, general_logistic])
def test_text_is_refused(function):
    with pytest.raises(ValueError, match="must be real"):
        function(["a", "b"])


def test_logit_raises_outside_of_the_unit_interval():
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        logit(1.5)
