"""The scale of modelled objectives."""

import numpy as np

from statlearn.gp._warp import Warp
from tests.helpers import assert_close


def test_good_values_keep_their_scale_and_bad_ones_get_a_logarithmic_one():
    warp = Warp([1.0, 2.0, 3.0, 10.0, 1e6])
    assert_close(warp([-5.0, 1.0, 3.0]), [-5.0, 1.0, 3.0])
    assert_close(warp([10.0, 1e6]), 3.0 + 2.0 * np.log1p(np.array([7.0, 1e6 - 3.0]) / 2.0))
    y = np.linspace(-10, 1e4, 1001)
    assert np.all(np.diff(warp(y)) > 0)
    assert_close(warp.inverse(warp(y)), y)


def test_values_without_spread_are_left_alone():
    for values in ([], [4.0], [2.0, 2.0, 2.0, 9.0]):
        assert_close(Warp(values)([1.0, 2.0, 50.0]), [1.0, 2.0, 50.0])
