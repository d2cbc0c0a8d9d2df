"""BLAS on a single thread for small matrices."""

from threadpoolctl import threadpool_info, threadpool_limits

from statlearn._core.blas import SMALL, single_blas_thread


def blas_threads():
    return {info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"}


def test_small_problems_use_one_thread_and_the_setting_is_restored():
    with threadpool_limits(3, user_api="blas"):
        with single_blas_thread(10):
            assert blas_threads() == {1}
            with single_blas_thread():
                assert blas_threads() == {1}
            assert blas_threads() == {1}
        assert blas_threads() == {3}
        with single_blas_thread(SMALL + 1):
            assert blas_threads() == {3}
