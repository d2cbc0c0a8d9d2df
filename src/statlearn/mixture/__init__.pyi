"""The public names of the family and the modules that hold them."""

from ._em import EMDriver, MonotonicityError, elbo, free_energy, gem_step
from ._gaussian_mixture import GaussianMixture

__all__ = [
    "EMDriver",
    "GaussianMixture",
    "MonotonicityError",
    "elbo",
    "free_energy",
    "gem_step",
]
