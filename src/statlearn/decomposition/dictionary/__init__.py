"""Sparse codes and dictionaries."""
