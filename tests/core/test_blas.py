"""The limit on the threads of BLAS."""

import scipy.linalg  # noqa: F401  loads a BLAS
from threadpoolctl import threadpool_info, threadpool_limits

from statlearn._core.blas import single_blas_thread


def threads_of_blas():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_contexts_nest_and_restore_the_previous_state():
    with threadpool_limits(limits=2, user_api="blas"):
        before = threads_of_blas()
        with single_blas_thread():
            with single_blas_thread():
                pass
            assert threads_of_blas() == {1}
        assert threads_of_blas() == before
