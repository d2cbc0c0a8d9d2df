"""Principal components that outliers cannot turn."""
