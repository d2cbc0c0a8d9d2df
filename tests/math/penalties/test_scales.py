"""The scales of penalties describe one objective."""

import numpy as np
import pytest

from statlearn._math.penalties.scales import elastic_net_terms, objective_factor, penalty_factor, ridge_lambda
from tests.helpers import assert_close


@pytest.mark.parametrize("scale", ["half_rss", "sum", "rss"])
def test_terms_of_sums_match_the_mean(rng, scale):
    """alpha (m |w|_1 + (1 - m) |w|^2) beside a sum of losses, literally."""
    w, losses, alpha, m = rng.normal(size=4), rng.uniform(size=9), 0.7, 0.3
    l1, l2 = elastic_net_terms(alpha, m, scale, 9.0)
    working = losses.mean() + l1 * np.abs(w).sum() + 0.5 * l2 * w @ w
    written = (2.0 if scale == "rss" else 1.0) * losses.sum() + alpha * (m * np.abs(w).sum() + (1 - m) * w @ w)
    assert_close(working * objective_factor(scale, 9.0), written)
    assert_close(penalty_factor(scale, 9.0), l1 / (alpha * m))


def test_scikit_learns_scale_is_the_working_one():
    assert elastic_net_terms(0.5, 0.4, "sklearn", 9.0) == (0.2, 0.3)
    assert objective_factor("sklearn", 9.0) == 1.0
    assert ridge_lambda(2.0, "half_rss") == 4.0
    assert ridge_lambda(2.0, "rss") == 2.0
