"""The language of formulas."""
