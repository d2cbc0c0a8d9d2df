"""statlearn: the whole of statistical learning behind one scikit-learn compatible interface.

Each family of methods is a subpackage, loaded when it is first used::

    from statlearn.linear import LinearRegression, LassoCV

``statlearn.all_estimators()`` lists every estimator; ``statlearn.threads(n)`` limits the threads of the compiled core.
"""

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_SUBPACKAGES = (
    "app",
    "assess",
    "cluster",
    "datasets",
    "ensemble",
    "linear",
    "mixture",
    "neighbors",
    "plot",
    "prep",
    "smooth",
    "trees",
)
_FUNCTIONS = {
    "all_estimators": "statlearn._core.registry",
    "compare": "statlearn.app.compare",
    "threads": "statlearn._core.native",
    "show_versions": "statlearn._core.versions",
}

__all__ = [
    "__version__",
    "all_estimators",
    "app",
    "assess",
    "cluster",
    "compare",
    "datasets",
    "ensemble",
    "linear",
    "mixture",
    "neighbors",
    "plot",
    "prep",
    "show_versions",
    "smooth",
    "threads",
    "trees",
]

if TYPE_CHECKING:
    from statlearn import (
        app,
        assess,
        cluster,
        datasets,
        ensemble,
        linear,
        mixture,
        neighbors,
        plot,
        prep,
        smooth,
        trees,
    )
    from statlearn._core.native import threads
    from statlearn._core.registry import all_estimators
    from statlearn._core.versions import show_versions
    from statlearn.app.compare import compare


def __getattr__(name):
    # Subpackages and functions load on first use, so that `import statlearn` itself costs almost nothing.
    if name in _SUBPACKAGES:
        return importlib.import_module(f"statlearn.{name}")
    if name in _FUNCTIONS:
        return getattr(importlib.import_module(_FUNCTIONS[name]), name)
    raise AttributeError(f"module 'statlearn' has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
