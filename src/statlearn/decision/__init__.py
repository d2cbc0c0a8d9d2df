"""Markov decision processes, policies under uncertainty, and tools for several objectives.

The public names stand in ``__init__.pyi``.
"""

from statlearn._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
