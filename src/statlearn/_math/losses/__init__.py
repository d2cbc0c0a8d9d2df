"""Losses of a score, response families and links of generalised linear models."""
