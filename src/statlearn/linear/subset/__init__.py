"""Linear models of a subset of the columns, found exactly or step by step."""
