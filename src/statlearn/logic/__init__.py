"""Version spaces and inductive logic programming: terms, a Prolog, relational learners, answer sets.

The public names are listed in ``__init__.pyi``.
"""

from statlearn._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
