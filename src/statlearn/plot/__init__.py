"""Plots of data, models and their errors. Requires matplotlib (``pip install statlearn[plot]``).

The public names are listed in ``__init__.pyi``. matplotlib is imported when the first plot is drawn.
"""

from statlearn._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
