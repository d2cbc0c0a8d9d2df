"""Documents and words."""
