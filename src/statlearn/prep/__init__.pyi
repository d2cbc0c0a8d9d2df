"""The public names of the family and the modules that hold them."""

from ._table import TableTransformer

__all__ = ["TableTransformer"]
