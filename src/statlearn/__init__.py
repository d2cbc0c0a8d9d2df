"""statlearn: the whole of statistical learning behind one scikit-learn compatible interface.

Each family of methods is a subpackage, loaded when it is first used::

    from statlearn.linear import LinearRegression, LassoCV

``statlearn.all_estimators()`` lists every estimator; ``statlearn.threads(n)`` limits the threads of the compiled core.
"""

from statlearn._core.lazy import attach
from statlearn._core.missing_modules import install as _install_hints

__version__ = "0.1.0"

# Subpackages and functions load on first use, so that `import statlearn` itself costs almost nothing.
__getattr__, __dir__, _functions = attach(__name__, __file__)
__all__ = ["__version__", *__dir__()]

_install_hints()
