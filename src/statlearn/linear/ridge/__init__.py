"""Ridge regression and the choice of its penalty."""
