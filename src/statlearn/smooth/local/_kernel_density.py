"""Kernel density estimates: they live with the search trees that they are computed on."""

from statlearn.neighbors._density_bandwidth import select_density_bandwidth
from statlearn.neighbors._kernel_density import KernelDensity

__all__ = ["KernelDensity", "select_density_bandwidth"]
