"""Random forests and extra trees, and quantities derived from their leaves and bootstrap samples."""
