"""Methods that minimise an objective."""
