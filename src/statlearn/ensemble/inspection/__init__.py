"""Feature effects, feature importances and Shapley values of fitted models."""
