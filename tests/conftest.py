"""Settings for the whole suite."""

import collections
import gc
import os
import sys

import numpy as np
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

# The same examples in every run; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile(
    "fixed", derandomize=True, deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

os.environ["MPLBACKEND"] = "agg"  # figures are drawn without a screen, in child processes too

SLOWEST = 10  # files that are listed at the end of a run


def pytest_generate_tests(metafunc):
    """`seed` is 0, or every value below STATLEARN_SEEDS: a test that needs a lucky seed is wrong."""
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(int(os.environ.get("STATLEARN_SEEDS", "1"))))


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Leave what collection makes to itself: a million objects, which every full garbage collection would visit."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config, items):
    """Leave out the tests marked `full`, unless STATLEARN_FULL is set (`make test-full`) or `-m` speaks of them."""
    if os.environ.get("STATLEARN_FULL") or "full" in config.getoption("markexpr"):
        return
    left_out = [item for item in items if item.get_closest_marker("full")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("full")]


def pytest_terminal_summary(terminalreporter):
    """The slowest files and their seconds, summed over the workers: where the budget goes (see CONTRIBUTING.md)."""
    seconds, tests = collections.Counter(), collections.Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                file = report.nodeid.split("::")[0]
                seconds[file] += report.duration
                tests[file] += report.when == "call"
    if len(seconds) < 2:
        return
    terminalreporter.section(f"slowest {min(SLOWEST, len(seconds))} of {len(seconds)} files")
    for file, spent in seconds.most_common(SLOWEST):
        terminalreporter.write_line(f"{spent:7.1f} s  {tests[file]:5d} tests  {file}")
    terminalreporter.write_line(f"{sum(seconds.values()):7.1f} s  {sum(tests.values()):5d} tests  in all")


def pytest_runtest_protocol(item, nextitem):
    """Send one report of a test that passes, not three and a start, to the process that prints: a millisecond each."""
    if not hasattr(item.config, "workerinput"):
        return None
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    seconds = sum(report.duration for report in reports)
    for report in reports:
        if report.when == "call":
            report.duration = seconds
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown():
    """Close the figures of a test; a hook costs less than a fixture of forty thousand tests."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def killed_at_step():
    """Run a function in a forked process that dies, as by ``kill -9``, before its n-th change to the disk.

    Returns whether it died; False says that it had fewer steps than that.
    """

    def run(step, function):
        process = os.fork()
        if process == 0:
            status = 1
            try:
                count = 0

                def dying(change):
                    def wrapped(*args, **kwargs):
                        nonlocal count
                        count += 1
                        if count == step:
                            os._exit(9)
                        return change(*args, **kwargs)

                    return wrapped

                for name in ("replace", "unlink", "rmdir", "mkdir", "fsync"):
                    setattr(os, name, dying(getattr(os, name)))
                function()
                status = 0
            finally:
                os._exit(status)
        _, status = os.waitpid(process, 0)
        assert os.waitstatus_to_exitcode(status) in (0, 9)
        return os.waitstatus_to_exitcode(status) == 9

    return run
