"""AdaBoost and its relatives, gradient boosting, forward stagewise models."""
