"""Responses drawn from a fitted model."""

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core.params import Int, check_value


def simulated(core, n_samples, random_state):
    """Draws of the response for each row, one column per sample."""
    check_value("n_samples", n_samples, [Int(1, None)], "simulate")
    rng = check_random_state(random_state)
    mu, w, shape = core.mu[:, None], core.weights[:, None], (len(core.mu), n_samples)
    name = core.kind.family
    if core.kind.quasi:
        raise ValueError("Quasi families have no distribution to draw from; use the family itself.")
    if name == "gaussian":
        return mu + rng.normal(size=shape) * np.sqrt(core.dispersion / w)
    if name == "poisson":
        return rng.poisson(np.broadcast_to(mu, shape)).astype(float)
    if name == "binomial":
        trials = np.round(w).astype(int)
        return rng.binomial(trials, np.broadcast_to(mu, shape)) / np.maximum(trials, 1)
    if name == "gamma":
        power = w / core.dispersion
        return rng.gamma(np.broadcast_to(power, shape), mu / power)
    if name == "negative_binomial":
        theta = core.family.theta
        return rng.poisson(rng.gamma(theta, np.broadcast_to(mu / theta, shape))).astype(float)
    if name == "inverse_gaussian":
        return rng.wald(np.broadcast_to(mu, shape), np.broadcast_to(w / core.dispersion, shape))
    raise ValueError(f"`simulate` does not support the family {name!r}.")
