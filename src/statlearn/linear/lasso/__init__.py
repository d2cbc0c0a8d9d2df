"""The lasso, the elastic net and their relatives."""
