"""Kernel density estimates: they live with the search trees that they are computed on."""

from statlearn.neighbors import KernelDensity, select_density_bandwidth

__all__ = ["KernelDensity", "select_density_bandwidth"]
