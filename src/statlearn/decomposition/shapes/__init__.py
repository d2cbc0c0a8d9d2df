"""Aligned shapes, principal curves and surfaces."""
