"""Weights of a mixture of probabilities: at the maximum of the likelihood, whatever the members gave."""

import numpy as np

from statlearn._core.combination_weights import mixture_weights
from tests.helpers import assert_close


def likelihood(P, w):
    return np.mean(np.log(P @ w))


def test_mixture_weights_reach_the_maximum_of_the_likelihood(rng):
    P = rng.uniform(0.01, 1.0, size=(300, 4))
    w = mixture_weights(P, tol=1e-9, max_iter=100_000)
    assert_close(w.sum(), 1.0)
    best = likelihood(P, w)
    for other in rng.dirichlet(np.ones(4), size=200):
        assert likelihood(P, other) <= best + 1e-9
    # Stationary: the gradient is 1 where the weight is positive, and no larger elsewhere.
    gradient = np.mean(P / (P @ w)[:, None], axis=0)
    assert gradient.max() <= 1 + 1e-8
    assert_close(gradient[w > 1e-3], 1.0, rtol=1e-4)


def test_a_member_that_gives_0_is_not_needed_and_hopeless_rows_do_not_count(rng):
    P = np.column_stack([np.full(50, 0.8), np.zeros(50)])
    P = np.vstack([P, np.zeros((3, 2))])
    assert_close(mixture_weights(P, tol=1e-12), [1.0, 0.0], atol=1e-12)
    assert_close(mixture_weights(np.zeros((3, 2))), [0.5, 0.5])
