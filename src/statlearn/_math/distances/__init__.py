"""Distances by name, and searches for nearest neighbours."""
