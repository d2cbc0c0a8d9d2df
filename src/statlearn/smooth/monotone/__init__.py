"""Monotone curves."""
