"""How each kind of estimator is fitted in passes over blocks."""
