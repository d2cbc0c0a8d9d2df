"""Neural networks: activations, the computational graph, multilayer perceptrons, convolutions and autoencoders.

Networks are trained with PyTorch (``pip install 'statlearn[neural]'``), which is imported when the first one is fitted.
Activations, the computational graph, gradient checks, shape calculators and predictions need only numpy. The public
names are listed in ``__init__.pyi``.
"""

from statlearn._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
