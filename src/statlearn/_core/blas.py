"""How many threads BLAS takes."""

import functools


@functools.cache
def _controller():
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()  # looks through all loaded libraries, so once


def single_blas_thread():
    """A context in which BLAS and LAPACK run in the calling thread.

    For many small calls in a row: where other processes want the cores too, the threads of each call wait for one
    another up to a hundred times longer than they work.
    """
    return _controller().limit(limits=1, user_api="blas")
