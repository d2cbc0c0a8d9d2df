"""Random forests and extra trees, and what is computed from their leaves and bootstrap samples."""
