"""Settings for the tests of this family."""

import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def _one_thread():
    """Small tensors on one thread: several wait for one another on a busy machine."""
    torch.set_num_threads(1)
