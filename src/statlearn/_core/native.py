"""Loader of the compiled core: the best instruction-set level supported by the processor, linked to scipy's BLAS.

``STATLEARN_LEVEL`` (``v2``, ``v3`` or ``plain``) overrides the choice, for tests and for comparing levels;
in a checkout of the sources, ``STATLEARN_CORE`` names a folder with another build of the compiled modules, as
``make asan`` and ``make levels`` do.
"""

import atexit
import contextlib
import importlib
import os
from pathlib import Path

from scipy.linalg import cython_blas, cython_lapack

import statlearn

from .exit import shut_down
from .families import FAMILIES

# An installed package loads no compiled code from elsewhere.
_is_checkout = (Path(__file__).parents[3] / "CMakeLists.txt").exists()
_elsewhere = os.environ.get("STATLEARN_CORE") if _is_checkout else None
if _elsewhere:
    importlib.import_module(__package__).__path__.insert(0, _elsewhere)

from . import _cpu  # type: ignore[attr-defined]  # noqa: E402  # compiled

_BLAS = ("gemm", "syrk", "gemv", "trsm", "trmm")
_LAPACK = ("potrf", "potrs", "potri", "syevd")


def _load():
    """The compiled module, and the name of its level."""
    best = os.environ.get("STATLEARN_LEVEL") or _cpu.best_level()
    tried = []
    for level in dict.fromkeys([best, "v2", "plain"]) if best else ["plain"]:
        try:
            return importlib.import_module(f"{__package__}._native_{level}"), level
        except ModuleNotFoundError as error:
            tried.append(str(error))
    if not best:
        raise ImportError(
            "statlearn requires an x86-64-v2 processor (2009 or newer: SSE4.2, POPCNT). This one lacks "
            f"{', '.join(_cpu.missing('v2'))}; build from source with -DSTATLEARN_LEVELS=plain."
        )
    raise ImportError("statlearn's compiled core is missing; rebuild the package. Tried: " + "; ".join(tried))


_module, level = _load()
if _elsewhere and os.path.dirname(_module.__file__) != os.path.abspath(_elsewhere):
    raise ImportError(f"STATLEARN_CORE={_elsewhere} contains no compiled core of level {level}.")
_compiled = getattr(_module, "__version__", "of an unknown version")
if _compiled != statlearn.__version__:
    raise ImportError(
        f"The compiled core {_module.__file__} belongs to statlearn {_compiled}, but this is statlearn "
        f"{statlearn.__version__}. Rebuild or reinstall the package."
    )
common = _module.common
atexit.register(shut_down, common)


def __getattr__(name):
    # The kernels of a family are a submodule of the same name; `probes`, which wheels lack, is what only tests call.
    if (name in FAMILIES or name == "probes") and hasattr(_module, name):
        return getattr(_module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


try:
    for _library, _names in ((cython_blas, _BLAS), (cython_lapack, _LAPACK)):
        for _name in (letter + name for name in _names for letter in "ds"):
            common.receive_blas(_name, _library.__pyx_capi__[_name])
except (KeyError, ValueError) as error:
    raise ImportError(f"This scipy does not export the BLAS and LAPACK that statlearn needs: {error}") from error


@contextlib.contextmanager
def threads(n):
    """Limit the threads of the compiled core within a ``with`` block.

    Results never depend on the number of threads.

    Parameters
    ----------
    n : int or None
        Maximum number of threads. None keeps the surrounding limit. A value below 1 means all threads available to the
        process, as limited by ``OMP_NUM_THREADS``, the CPU affinity and a container's quota.

    Notes
    -----
    The limit is a context variable. It applies to the code in the block, including asyncio tasks started there, but not
    to other threads. A new thread starts without a limit.

    Examples
    --------
    >>> import statlearn
    >>> with statlearn.threads(1):
    ...     pass  # fit here
    """
    if n is None:
        yield
        return
    token = common.thread_limit.set(common.default_threads() if n < 1 else int(n))
    try:
        yield
    finally:
        common.thread_limit.reset(token)
