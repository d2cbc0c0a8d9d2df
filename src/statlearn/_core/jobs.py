"""`n_jobs` in terms of the compiled core's threads."""

import contextlib

from .native import common, threads


def jobs(n_jobs):
    """A context with at most `n_jobs` threads: None and -1 for all that the process may use, -2 for all but one."""
    if n_jobs is None or n_jobs in (-1, 0):
        return contextlib.nullcontext()
    allowed = common.threads()
    return threads(min(n_jobs, allowed) if n_jobs > 0 else max(1, allowed + 1 + n_jobs))
