"""Pictures of data, models and their errors; needs matplotlib (``pip install statlearn[plot]``).

The public names stand in ``__init__.pyi``. matplotlib loads with the first picture.
"""

from statlearn._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
