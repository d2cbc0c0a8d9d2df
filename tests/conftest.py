"""Settings for the whole suite."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# The same examples in every run; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile(
    "fixed", derandomize=True, deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


def pytest_generate_tests(metafunc):
    """`seed` is 0, or every value below STATLEARN_SEEDS: a test that needs a lucky seed is wrong."""
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(int(os.environ.get("STATLEARN_SEEDS", "1"))))


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


@pytest.fixture(autouse=True)
def _no_window(monkeypatch):
    """Figures are drawn without a screen and closed after each test."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    yield
    import sys

    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
