"""Brownian motion."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.gp import Brownian, BrownianMotion
from tests.helpers import assert_close


@pytest.mark.spec("GPR-05", "GPR-P2")
@given(st.lists(st.floats(0, 100), min_size=4, max_size=4), st.floats(0.1, 10))
def test_increments_have_the_stated_covariance(times, scale):
    a, b, c, d = sorted(times)
    K = BrownianMotion(scale).covariance([a, b, c, d])
    assert_close(K, Brownian(scale)(np.array([[a], [b], [c], [d]])))
    assert_close(K[3, 3] - 2 * K[3, 0] + K[0, 0], scale * (d - a), atol=1e-10)
    between = (K[1, 3] - K[1, 2]) - (K[0, 3] - K[0, 2])  # Cov(B_b - B_a, B_d - B_c)
    assert_close(between, 0.0, atol=1e-9)
    assert BrownianMotion(scale).covariance([0.0])[0, 0] == 0.0


@pytest.mark.spec("GPR-05")
def test_paths_have_the_covariance_of_the_process():
    times = [2.0, 0.5, 0.5, 1.0, 0.0]
    paths = BrownianMotion(2.0).sample(times, 20_000, random_state=0)
    expected = 2.0 * np.minimum.outer(times, times)
    # Standard deviations of the entries are at most sqrt(2 * 4^2 / 20000) = 0.04.
    assert np.abs(np.cov(paths.T) - expected).max() < 0.2
    assert np.array_equal(paths[:, 1], paths[:, 2])
    assert not paths[:, 4].any()
    assert np.array_equal(paths, BrownianMotion(2.0).sample(times, 20_000, random_state=0))


def test_bad_times_raise():
    for times in ([-1.0], [np.nan], [[1.0]]):
        with pytest.raises(ValueError, match="`times`"):
            BrownianMotion().sample(times)
    with pytest.raises(ValueError, match="scale"):
        BrownianMotion(0).sample([1.0])
