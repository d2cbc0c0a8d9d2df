import numpy as np
from scipy.stats import norm, t

from statlearn._core.intervals import normal_or_t_quantile, two_sided
from tests.helpers import assert_close


def test_quantiles_are_those_of_the_two_distributions():
    assert_close(normal_or_t_quantile(0.95, None), norm.ppf(0.975))
    assert_close(normal_or_t_quantile(0.9, 7), t(7).ppf(0.95))


def test_p_values_count_both_tails():
    z = np.array([-2.5, 0.0, 1.0])
    assert_close(two_sided(z, None), 2 * norm.sf(np.abs(z)))
    assert_close(two_sided(z, 4), 2 * t(4).sf(np.abs(z)))
