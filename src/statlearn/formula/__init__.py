"""Models by formulas, with one set of answers for all of them. The public names are listed in ``__init__.pyi``."""

from statlearn._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
