"""BLAS on a single thread, for problems too small for several."""

import contextlib
import functools

from threadpoolctl import ThreadpoolController

# Number of rows of a matrix up to which the factorisations of LAPACK run on one thread. Several threads wait for one
# another at every step, and on a busy machine each wait takes milliseconds (measured with OpenBLAS).
SMALL = 256


@functools.cache
def _controller():
    return ThreadpoolController()  # finding the libraries takes a millisecond


def one_blas_thread(size=0):
    """Limit BLAS to one thread within a ``with`` block if `size`, the order of the matrix, is at most `SMALL`."""
    return contextlib.nullcontext() if size > SMALL else _controller().limit(limits=1, user_api="blas")
