"""Least-angle regression."""
