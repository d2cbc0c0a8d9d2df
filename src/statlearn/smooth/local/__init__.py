"""Kernel and nearest-neighbour smoothers: local averages, polynomials and likelihoods."""
