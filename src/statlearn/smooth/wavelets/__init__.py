"""Orthonormal wavelets and curves by shrinkage of their coefficients."""
