"""What could make the scores of a comparison misleading, and the words of its verdict."""
