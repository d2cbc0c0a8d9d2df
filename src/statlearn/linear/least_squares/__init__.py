"""Ordinary least squares, its diagnostics and its recursive form."""
