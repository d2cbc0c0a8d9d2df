"""Thread limits for BLAS."""

import functools


@functools.cache
def _controller():
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()  # inspects all loaded libraries, so it is created once


def single_blas_thread():
    """A context in which BLAS and LAPACK run in the calling thread.

    Useful for many small calls in a row. If other processes compete for the cores, the threads of each call can wait
    for one another up to a hundred times longer than they work.
    """
    return _controller().limit(limits=1, user_api="blas")
