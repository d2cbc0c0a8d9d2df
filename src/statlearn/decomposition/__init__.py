"""Decomposition: matrices written as sums or products of simple parts, from principal components to word vectors.

The public names are listed in ``__init__.pyi``.
"""

from statlearn._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
