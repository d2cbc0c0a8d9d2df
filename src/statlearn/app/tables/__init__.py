"""The table: read from files, its cells as numbers, what its columns are."""
