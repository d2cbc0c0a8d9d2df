"""Naive Bayes, conjugate models and discrete Bayesian networks.

The public names stand in ``__init__.pyi``.
"""

from statlearn._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
