"""Bases of functions, and the splines that stand on them."""
