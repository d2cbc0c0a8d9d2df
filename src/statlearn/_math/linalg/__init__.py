"""Linear algebra that several families share."""
