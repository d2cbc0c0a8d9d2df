"""Settings for the tests of Gaussian processes."""

import pytest

from statlearn._core.blas import single_blas_thread


@pytest.fixture(autouse=True)
def _one_blas_thread():
    """Many small calls of BLAS, by the references too: its threads would wait for one another."""
    with single_blas_thread():
        yield
