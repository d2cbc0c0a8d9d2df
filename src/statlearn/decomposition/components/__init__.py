"""Singular values and principal components, also with missing values, in blocks and sparse."""
