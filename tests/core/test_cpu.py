"""Which compiled level this processor may load."""

import os
import subprocess
import sys

import pytest

from statlearn._core import native
from statlearn._core.native import _cpu

V3 = ["AVX", "AVX2", "BMI1", "BMI2", "F16C", "FMA", "LZCNT", "MOVBE", "OSXSAVE"]
V2 = ["CMPXCHG16B", "LAHF/SAHF", "POPCNT", "SSE3", "SSSE3", "SSE4.1", "SSE4.2"]

pytestmark = pytest.mark.skipif(_cpu.best_level() == "plain", reason="levels are for x86-64")


def test_the_chosen_level_is_complete():
    level = _cpu.best_level()
    assert level in ("v2", "v3")
    assert _cpu.missing(level) == []


@pytest.mark.parametrize("feature", V3)
def test_every_feature_of_level_3_is_looked_at(feature):
    assert feature in _cpu.missing("v3", [feature])
    assert _cpu.best_level([feature]) == "v2"


@pytest.mark.parametrize("feature", V2)
def test_cache_size_is_zero_without_level_2(feature):
    assert feature in _cpu.missing("v2", [feature])
    assert _cpu.best_level([feature]) is None


def test_flags_of_the_kernel_agree():
    try:
        with open("/proc/cpuinfo") as file:
            flags = set(next(line for line in file if line.startswith("flags")).split(":")[1].split())
    except (OSError, StopIteration):
        pytest.skip("this system does not list the processor's flags")
    names = {"LZCNT": "abm", "SSE3": "pni", "CMPXCHG16B": "cx16", "LAHF/SAHF": "lahf_lm", "SSE4.1": "sse4_1"}
    names |= {"SSE4.2": "sse4_2"}
    lacking = set(_cpu.missing("v3"))
    for feature in {*V2, *V3} - {"OSXSAVE"}:
        assert (names.get(feature, feature.lower()) in flags) == (feature not in lacking), feature


def test_an_unsupported_processor_raises_at_import():
    code = (
        "import sys, types; from statlearn import _core; import importlib;"
        "cpu = importlib.import_module('statlearn._core._cpu'); fake = types.ModuleType('statlearn._core._cpu');"
        "fake.best_level = lambda: cpu.best_level(['POPCNT']);"
        "fake.missing = lambda level: cpu.missing(level, ['POPCNT']);"
        "sys.modules['statlearn._core._cpu'] = _core._cpu = fake;"
        "import statlearn._core.native"
    )
    environment = {k: v for k, v in os.environ.items() if k != "STATLEARN_LEVEL"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert "ImportError: statlearn requires an x86-64-v2 processor" in run.stderr
    assert "POPCNT" in run.stderr
    assert native.level in ("v2", "v3")
