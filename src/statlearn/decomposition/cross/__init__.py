"""Components of two tables at once."""
