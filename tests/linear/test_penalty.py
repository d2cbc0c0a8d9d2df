"""Penalties on other scales."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.linear import LassoLars, Ridge, convert_penalty
from tests.helpers import assert_close

L2 = ["sklearn", "rss", "half_rss", "mean", "C", "prior_variance"]
L1 = ["sklearn", "rss", "half_rss", "mean", "C", "laplace_scale"]


@pytest.mark.spec("LIN-19", "LIN-P13")
@given(
    st.floats(1e-6, 1e6),
    st.sampled_from([("l2", a, b) for a in L2 for b in L2] + [("l1", a, b) for a in L1 for b in L1]),
    st.floats(1, 1e5),
    st.floats(1e-3, 1e3),
)
def test_conversions_go_and_come_back(value, scales, n, sigma2):
    penalty, source, target = scales
    there = convert_penalty(value, source, target, penalty=penalty, n_samples=n, sigma2=sigma2)
    back = convert_penalty(there, target, source, penalty=penalty, n_samples=n, sigma2=sigma2)
    assert back == pytest.approx(value, rel=1e-12)


@pytest.mark.spec("LIN-19")
def test_each_scale_by_its_definition():
    assert convert_penalty(3.0, "half_rss", "rss") == 6.0
    assert convert_penalty(3.0, "sklearn", "rss") == 3.0
    assert convert_penalty(0.5, "mean", "rss", n_samples=10) == 5.0
    assert convert_penalty(4.0, "C", "rss") == 1 / 8
    assert convert_penalty(2.0, "prior_variance", "rss", sigma2=3.0) == 1.5
    assert convert_penalty(3.0, "half_rss", "rss", penalty="l1") == 6.0
    assert convert_penalty(0.5, "sklearn", "rss", penalty="l1", n_samples=10) == 10.0
    assert convert_penalty(4.0, "C", "rss", penalty="l1") == 1 / 4
    assert convert_penalty(4.0, "laplace_scale", "rss", penalty="l1", sigma2=3.0) == 1.5
    assert np.array_equal(convert_penalty([1.0, 2.0], "half_rss", "rss"), [2.0, 4.0])


@pytest.mark.spec("LIN-19")
def test_converted_penalties_give_the_same_fit(rng):
    X, y = rng.normal(size=(30, 4)), rng.normal(size=30)
    y += X[:, 0]
    for scale in ("rss", "half_rss"):
        alpha = convert_penalty(2.0, "sklearn", scale)
        assert_close(Ridge(alpha, penalty_scale=scale).fit(X, y).coef_, Ridge(2.0).fit(X, y).coef_)
        alpha = convert_penalty(0.1, "sklearn", scale, penalty="l1", n_samples=30)
        same = LassoLars(alpha, penalty_scale=scale).fit(X, y)
        assert_close(same.coef_, LassoLars(0.1).fit(X, y).coef_)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((1.0, "rss", "mean"), "n_samples is required"),
        ((1.0, "rss", "prior_variance"), "sigma2 is required"),
        ((1.0, "rss", "laplace_scale"), "'target' parameter"),
        ((-1.0, "rss", "half_rss"), "value must be at least 0"),
        ((np.nan, "rss", "half_rss"), "value must be at least 0"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        convert_penalty(*arguments)
