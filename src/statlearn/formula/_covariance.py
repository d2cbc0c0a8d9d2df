"""Covariances of coefficients that are valid under unequal variances, groups of rows or serial correlation."""

import numpy as np

COVARIANCES = ("nonrobust", "HC0", "HC1", "HC2", "HC3", "HC4", "cluster", "HAC")


def covariance_of(core, cov="nonrobust", *, groups=None, lag=None):
    """Covariance of the independent coefficients.

    "HC0" to "HC4" are those of R's ``sandwich::vcovHC``, "cluster" that of ``vcovCL`` (HC1 for least squares, otherwise
    HC0), "HAC" that of ``NeweyWest(prewhite = FALSE, adjust = FALSE)`` with Bartlett weights up to `lag`.
    """
    if cov == "nonrobust":
        return core.covariance
    bread, scores, n, k = core.unscaled, core.scores, core.n, core.rank
    if cov == "cluster":
        meat = _clustered(core, scores, groups)
    elif cov == "HAC":
        meat = _serial(scores, lag)
    else:
        meat = _heteroskedastic(core, scores, cov, n, k)
    return bread @ meat @ bread


def _heteroskedastic(core, scores, cov, n, k):
    factor = np.ones(len(scores))
    if cov == "HC1":
        factor *= n / (n - k)
    elif cov != "HC0":
        slack = np.maximum(1.0 - core.hat, 1e-12)
        power = {"HC2": 1.0, "HC3": 2.0}.get(cov)
        factor = slack ** -(np.minimum(4.0, n * core.hat / k) if power is None else power)
    return scores.T @ (factor[:, None] * scores)


def _clustered(core, scores, groups):
    if groups is None:
        raise ValueError("cov='cluster' requires `groups`: a column of the data, or one value per row.")
    _, codes = np.unique(groups, return_inverse=True)
    count = codes.max() + 1
    if count < 2:
        raise ValueError("`groups` must have at least two different values, got one.")
    sums = np.zeros((count, scores.shape[1]))
    np.add.at(sums, codes, scores)
    factor = (core.n - 1) / (core.n - core.rank) if core.kind.least_squares else 1.0  # as in sandwich
    return sums.T @ sums * count / (count - 1) * factor


def _serial(scores, lag):
    n = len(scores)
    if lag is None:
        lag = int(np.floor(4 * (n / 100) ** (2 / 9)))  # Newey and West (1994)
    if not isinstance(lag, (int, np.integer)) or not 0 <= lag < n:
        raise ValueError(f"`lag` must be an integer from 0 to {n - 1}, got {lag!r}.")
    meat = scores.T @ scores
    for step in range(1, lag + 1):
        product = scores[step:].T @ scores[:-step]
        meat += (1.0 - step / (lag + 1.0)) * (product + product.T)
    return meat
