"""Kernels of density estimates, and their bandwidths."""
