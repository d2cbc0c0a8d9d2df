"""Version information for bug reports."""

import platform
from importlib.metadata import PackageNotFoundError, version


def show_versions():
    """Print the versions of statlearn and its dependencies.

    Examples
    --------
    >>> import statlearn
    >>> statlearn.show_versions()  # doctest: +ELLIPSIS
    python ...
    """
    from . import native

    print(f"python {platform.python_version()} on {platform.system()} {platform.machine()}")
    for package in ("statlearn", "numpy", "scipy", "scikit-learn", "pandas", "polars", "matplotlib"):
        try:
            print(f"{package} {version(package)}")
        except PackageNotFoundError:
            print(f"{package} not installed")
    print(f"compiled core: level {native.level}, {native.common.threads()} threads")
