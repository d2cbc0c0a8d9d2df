"""Loads the compiled core: the best instruction-set level this processor can run, wired to scipy's BLAS.

``STATLEARN_LEVEL`` (``v2``, ``v3`` or ``plain``) overrides the choice, for tests and for comparing levels;
``STATLEARN_CORE`` names a folder with another build of the compiled modules, as ``make asan`` and ``make levels`` do.
"""

import contextlib
import importlib
import os

from scipy.linalg import cython_blas, cython_lapack

from .families import FAMILIES

_elsewhere = os.environ.get("STATLEARN_CORE")
if _elsewhere:
    importlib.import_module(__package__).__path__.insert(0, _elsewhere)

from . import _cpu  # type: ignore[attr-defined]  # noqa: E402  # compiled

_BLAS = ("dgemm", "sgemm", "dsyrk", "ssyrk", "dgemv", "sgemv")
_LAPACK = ("dpotrf", "dpotrs", "dsyevd")


def _load():
    """The compiled module, and the name of its level."""
    best = os.environ.get("STATLEARN_LEVEL") or _cpu.best_level()
    tried = []
    for level in dict.fromkeys([best, "v2", "plain"]):
        try:
            return importlib.import_module(f"{__package__}._native_{level}"), level
        except ModuleNotFoundError as error:
            tried.append(str(error))
    raise ImportError("statlearn's compiled core is missing; rebuild the package. Tried: " + "; ".join(tried))


_module, level = _load()
if _elsewhere and os.path.dirname(_module.__file__) != os.path.abspath(_elsewhere):
    raise ImportError(f"STATLEARN_CORE: {_elsewhere} holds no compiled core of level {level}.")
common = _module.common


def __getattr__(name):
    # The kernels of a family are a submodule that bears its name.
    if name in FAMILIES and hasattr(_module, name):
        return getattr(_module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


for _library, _names in ((cython_blas, _BLAS), (cython_lapack, _LAPACK)):
    for _name in _names:
        common.receive_blas(_name, _library.__pyx_capi__[_name])


@contextlib.contextmanager
def threads(n):
    """Limit the threads of the compiled core within a ``with`` block.

    Results never depend on the number of threads.

    Parameters
    ----------
    n : int or None
        At most this many threads; None (or a value below 1) means all that the process may use:
        ``OMP_NUM_THREADS``, the CPU affinity and a container's quota are honoured.

    Examples
    --------
    >>> import statlearn
    >>> with statlearn.threads(1):
    ...     pass  # fit here
    """
    before = common.threads()
    common.set_threads(0 if n is None or n < 1 else int(n))
    try:
        yield
    finally:
        common.set_threads(before)
