import numpy as np
from scipy.stats import norm, t

from statlearn._math.inference import normal_or_t_quantile, standard_error, two_sided
from tests.helpers import assert_close


def test_quantiles_match_the_two_distributions():
    assert_close(normal_or_t_quantile(0.95, None), norm.ppf(0.975))
    assert_close(normal_or_t_quantile(0.9, 7), t(7).ppf(0.95))


def test_p_values_count_both_tails():
    z = np.array([-2.5, 0.0, 1.0])
    assert_close(two_sided(z, None), 2 * norm.sf(np.abs(z)))
    assert_close(two_sided(z, 4), 2 * t(4).sf(np.abs(z)))


def test_standard_error_is_the_spread_over_the_root_of_the_count():
    values = np.array([[1.0, 2.0, 6.0], [0.0, 0.0, 3.0]])
    assert_close(standard_error(values, axis=1), [np.sqrt(7.0 / 3.0), 1.0], atol=0)
    assert_close(standard_error(values[1]), 1.0, atol=0)
    assert isinstance(standard_error([1, 2]), float)


def test_one_value_has_no_standard_error():
    assert np.isnan(standard_error([3.0]))
    found = standard_error(np.ones((4, 1)), axis=1)
    assert found.shape == (4,)
    assert np.isnan(found).all()
