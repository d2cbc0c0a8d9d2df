"""Effects, importances and Shapley values of fitted models."""
