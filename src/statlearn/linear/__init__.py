"""Linear models for regression and classification."""

__all__: list[str] = []
