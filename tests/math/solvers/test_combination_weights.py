"""Weights of a logarithmic pool of probabilities: at the maximum of the likelihood, whatever the members gave."""

import numpy as np
from scipy.special import log_softmax

from statlearn._math.solvers.combination_weights import log_pool, log_pool_weights
from tests.helpers import assert_close


def made(rng, n=2000):
    """Classes from known probabilities, and their logarithms."""
    truth = log_softmax(rng.normal(size=(n, 3)), axis=1)
    codes = (rng.uniform(size=(n, 1)) > np.cumsum(np.exp(truth), axis=1)).sum(axis=1).clip(max=2)
    return truth, codes


def test_weights_are_at_the_maximum_of_the_likelihood(rng):
    truth, codes = made(rng)
    logs = np.stack([log_softmax(truth + rng.normal(size=truth.shape), axis=1) for _ in range(3)])
    w = log_pool_weights(logs, codes, ridge=0.0)
    rows = np.arange(len(codes))

    def loss(v):
        return -np.mean(np.log(log_pool(logs, v)[rows, codes]))

    assert min(w) > 0
    for k in range(3):
        for step in (-0.01, 0.01):
            assert loss(w + step * np.eye(3)[k]) >= loss(w)


def test_members_that_are_too_sure_or_too_cautious_are_corrected(rng):
    truth, codes = made(rng)
    for power in (0.5, 2.0):
        w = log_pool_weights(log_softmax(power * truth, axis=1)[None], codes)
        assert_close(w, 1 / power, rtol=0.1)
        assert_close(log_pool(log_softmax(power * truth, axis=1)[None], [1 / power]), np.exp(truth))


def test_equal_members_share_weight_and_useless_ones_have_none(rng):
    truth, codes = made(rng)
    useless = log_softmax(rng.normal(size=truth.shape), axis=1)
    w = log_pool_weights(np.stack([truth, truth, useless]), codes)
    assert_close(w[0], w[1], rtol=1e-3)
    assert_close(w.sum(), 1.0, rtol=0.1)
    assert w[2] < 0.05
