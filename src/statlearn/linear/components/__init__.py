"""Regression on principal components and partial least squares."""
