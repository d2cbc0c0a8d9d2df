"""Generalised linear models without an estimator: links, response families, their losses and fits."""
