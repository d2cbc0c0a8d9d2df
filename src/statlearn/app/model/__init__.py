"""Saved models: the file, its format, predictions for other tables."""
