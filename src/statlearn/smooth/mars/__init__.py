"""Multivariate adaptive regression splines."""
