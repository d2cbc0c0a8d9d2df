"""Kernels of density estimates: values, constants, and random steps."""

import numpy as np
from scipy.special import gammainc, gammaln, logsumexp, roots_legendre

KERNELS = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine")  # as in kernel_density.hpp


def _log_ball(d):
    """Logarithm of the volume of the unit ball in d dimensions."""
    return 0.5 * d * np.log(np.pi) - gammaln(0.5 * d + 1)


def log_kernel_norm(kernel, bandwidth, d):
    """Logarithm of the constant that makes a kernel a density in d dimensions, for Euclidean distance."""
    log_shell = np.log(d) + _log_ball(d)  # surface of the unit sphere
    if kernel == "gaussian":
        volume = 0.5 * d * np.log(2 * np.pi)
    elif kernel == "tophat":
        volume = _log_ball(d)
    elif kernel == "epanechnikov":
        volume = _log_ball(d) + np.log(2 / (d + 2))
    elif kernel == "exponential":
        volume = log_shell + gammaln(d)
    elif kernel == "linear":
        volume = _log_ball(d) - np.log(d + 1)
    else:  # r^(d-1) cos(pi r / 2) is smooth, so Gauss's rule is exact up to rounding; the closed sum would cancel
        nodes, weights = roots_legendre(d // 2 + 32)
        r = 0.5 * (nodes + 1)
        volume = log_shell + logsumexp((d - 1) * np.log(r) + np.log(np.cos(0.5 * np.pi * r)), b=0.5 * weights)
    return -volume - d * np.log(bandwidth)


def log_kernel_values(kernel, u):
    """Logarithm of the kernel, without its constant, at distances u in bandwidths."""
    inside = u < 1
    with np.errstate(divide="ignore"):
        if kernel == "gaussian":
            return -0.5 * u**2
        if kernel == "exponential":
            return -u
        if kernel == "tophat":
            return np.log(inside.astype(np.float64))
        if kernel == "epanechnikov":
            return np.log(np.where(inside, 1 - u**2, 0.0))
        if kernel == "linear":
            return np.log(np.where(inside, 1 - u, 0.0))
        return np.log(np.where(inside, np.cos(0.5 * np.pi * u), 0.0))


# Bandwidths equivalent to a Gaussian of bandwidth 1 in one dimension: ratios of (R(K) / mu_2(K)^2)^(1/5).
_CANONICAL = {
    "gaussian": (1 / (2 * np.sqrt(np.pi)), 1.0),
    "tophat": (1 / 2, 1 / 3),
    "epanechnikov": (3 / 5, 1 / 5),
    "exponential": (1 / 4, 2.0),
    "linear": (2 / 3, 1 / 6),
    "cosine": (np.pi**2 / 16, 1 - 8 / np.pi**2),
}


def canonical_ratio(kernel):
    """Bandwidth at which a kernel has the variance and bias of a Gaussian kernel of bandwidth 1, on the line."""
    roughness, variance = _CANONICAL[kernel]
    reference = _CANONICAL["gaussian"][0]
    return float((roughness / variance**2 / reference) ** 0.2)


def kernel_radii(kernel, length, d, rng):
    """Random step lengths in bandwidths, with density proportional to r^(d-1) K(r)."""
    n = len(length)
    if kernel == "tophat":  # the length of a normal vector, made uniform by its own distribution
        return gammainc(0.5 * d, 0.5 * length**2) ** (1.0 / d)
    if kernel == "exponential":
        return rng.gamma(d, size=n)
    if kernel == "epanechnikov":
        return np.sqrt(rng.beta(0.5 * d, 2.0, size=n))
    if kernel == "linear":
        return rng.beta(d, 2.0, size=n)
    out = np.empty(0)
    while len(out) < n:  # cos(pi r / 2) is at most (pi / 2) (1 - r): two thirds of the linear kernel's draws are kept
        r = rng.beta(d, 2.0, size=2 * n)
        accepted = rng.uniform(size=2 * n) * 0.5 * np.pi * (1 - r) <= np.cos(0.5 * np.pi * r)
        out = np.concatenate([out, r[accepted]])
    return out[:n]
