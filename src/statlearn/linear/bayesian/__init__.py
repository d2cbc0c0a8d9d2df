"""Linear regression with priors."""
