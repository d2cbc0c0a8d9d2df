"""Building blocks of generalised linear models: links, response families, losses and solvers."""
