"""`n_jobs` in terms of the compiled core's threads."""

import contextlib
import functools
import numbers

from .native import common, threads


def count_jobs(n_jobs):
    """Number of threads for `n_jobs`, by joblib's rule but never more than the current limit.

    The limit is that of the surrounding ``statlearn.threads`` block, or all threads available to the process.

    Parameters
    ----------
    n_jobs : int or None
        None and -1 mean all allowed threads, -2 all but one, and so on, but at least one. A positive number is a
        maximum.
    """
    allowed = common.threads()
    if n_jobs is None:
        return allowed
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral):
        raise TypeError(f"`n_jobs` must be an integer or None, got {n_jobs!r}.")
    if n_jobs == 0:
        raise ValueError("`n_jobs` must not be 0; use 1 for a single thread or -1 for all.")
    return min(int(n_jobs), allowed) if n_jobs > 0 else max(1, allowed + 1 + int(n_jobs))


def jobs(n_jobs):
    """Limit the threads of the compiled core to `n_jobs` within a ``with`` block; see `count_jobs`."""
    limit = count_jobs(n_jobs)  # raises an error for 0 even if there is nothing to limit
    return contextlib.nullcontext() if n_jobs is None or n_jobs == -1 else threads(limit)


def keep_limit(function):
    """`function` bound to the current thread limit.

    Context variables do not propagate to the threads and processes started by joblib, so wrap the functions they run.
    """
    return functools.partial(_call, common.thread_limit.get(None), function)


def _call(limit, function, *args, **kwargs):
    with threads(limit):
        return function(*args, **kwargs)
