"""The public names and the modules that hold them."""

from ._catalog import Dataset, available, describe, load

__all__ = ["Dataset", "available", "describe", "load"]
