"""Subset selection for linear models, exhaustive or stepwise."""
