"""Penalties of coefficients, and the conversion of their strength between the scales of textbooks and software."""
