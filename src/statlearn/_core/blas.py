"""Thread limits for BLAS."""

import contextlib
import functools
import threading

# Number of rows of a matrix up to which the factorisations of LAPACK run on one thread. Several threads wait for one
# another at every step, and on a busy machine each wait takes milliseconds (measured with OpenBLAS).
SMALL = 256


@functools.cache
def _controller():
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()  # inspects all loaded libraries, so it is created once


def single_blas_thread(size=0):
    """A context in which BLAS and LAPACK run in the calling thread, if `size` is at most `SMALL`.

    For many small calls in a row, and for the same bits whatever the number of threads. If other processes compete for
    the cores, the threads of each call can wait for one another up to a hundred times longer than they work. With
    `size`, the order of a matrix, larger ones keep all threads.

    BLAS has one number of threads for the whole process: calls of other Python threads are limited too while the block
    runs, and blocks that overlap in time can lift each other's limit (see docs/threads.rst).
    """
    return contextlib.nullcontext() if size > SMALL else _controller().limit(limits=1, user_api="blas")


class _SharedLimit:
    """A limit to one thread that lasts while any of several overlapping blocks runs."""

    def __init__(self):
        self._lock, self._blocks, self._limit = threading.Lock(), 0, None

    def __enter__(self):
        with self._lock:
            if self._blocks == 0:
                self._limit = _controller().limit(limits=1, user_api="blas")
            self._blocks += 1

    def __exit__(self, *error):
        with self._lock:
            self._blocks -= 1
            if self._blocks == 0:
                self._limit.restore_original_limits()
                self._limit = None


_shared_limit = _SharedLimit()


def one_blas_thread():
    """A context with one BLAS thread, for blocks that run in several Python threads at once and need the same bits.

    The limit is lifted when the last of the overlapping blocks ends.
    """
    return _shared_limit
