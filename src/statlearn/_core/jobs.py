"""`n_jobs` in terms of the compiled core's threads."""

import contextlib
import functools
import numbers

from .native import common, threads


def count_jobs(n_jobs):
    """Number of threads that `n_jobs` stands for, by joblib's rule but never more than allowed here.

    What is allowed is the limit of the surrounding ``statlearn.threads`` block, or else all that the process may use.

    Parameters
    ----------
    n_jobs : int or None
        None and -1 mean all that is allowed, -2 all but one, and so on, at least one. A positive number is a maximum.
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
    limit = count_jobs(n_jobs)  # refuses 0 also where nothing is left to limit
    return contextlib.nullcontext() if n_jobs is None or n_jobs == -1 else threads(limit)


def keep_limit(function):
    """`function` with the thread limit that holds here.

    A context variable does not reach the threads and processes that joblib starts: wrap what they run.
    """
    return functools.partial(_call, common.thread_limit.get(None), function)


def _call(limit, function, *args, **kwargs):
    with threads(limit):
        return function(*args, **kwargs)
