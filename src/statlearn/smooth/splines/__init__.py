"""Bases of functions, and the splines built on them."""
