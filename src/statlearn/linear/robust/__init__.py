"""Robust and quantile regression."""
