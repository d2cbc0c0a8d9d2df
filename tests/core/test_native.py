"""The ground of the compiled core: threads, random numbers, interrupts, cross-products."""

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import statlearn
from statlearn._core import native
from tests.helpers import assert_close

common, probes = native.common, native.probes


def philox_by_the_book(counter, key, rounds=10):
    """Philox 4x32 as published, in plain Python integers."""
    mask = 0xFFFFFFFF
    for _ in range(rounds):
        a, b = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [(b >> 32) ^ counter[1] ^ key[0], b & mask, (a >> 32) ^ counter[3] ^ key[1], a & mask]
        key = [(key[0] + 0x9E3779B9) & mask, (key[1] + 0xBB67AE85) & mask]
    return counter


def test_generator_is_philox():
    out = np.empty(8, dtype=np.uint32)
    probes.philox(0x123456789ABCDEF0, 5, out)
    key = [0x9ABCDEF0, 0x12345678]
    assert out.tolist() == philox_by_the_book([0, 0, 5, 0], key) + philox_by_the_book([1, 0, 5, 0], key)


def test_generator_gives_the_published_vector():
    """Known answer of the Random123 distribution: counter 0, key 0."""
    out = np.empty(4, dtype=np.uint32)
    probes.philox(0, 0, out)
    assert [hex(v) for v in out] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]


def test_random_numbers_have_their_distribution():
    from scipy import stats

    values = np.empty(100_000)
    probes.random_normal(1, values)
    assert stats.kstest(values, "norm").pvalue > 1e-3
    draws = np.empty(60_000, dtype=np.uint32)
    probes.random_below(2, 6, draws)
    assert stats.chisquare(np.bincount(draws, minlength=6)).pvalue > 1e-3


def test_random_numbers_do_not_depend_on_threads():
    one, two = np.empty(10_000), np.empty(10_000)
    with statlearn.threads(1):
        probes.random_normal(3, one)
    with statlearn.threads(2):
        probes.random_normal(3, two)
    np.testing.assert_array_equal(one, two)


@given(units=st.integers(0, 300), nested=st.booleans(), threads=st.integers(1, 8))
def test_parallel_loop_runs_every_unit_once(units, nested, threads):
    with statlearn.threads(threads):
        assert probes.parallel_probe(units, nested) == units * (7 if nested else 1)


def test_an_exception_in_a_unit_reaches_the_caller_and_the_pool_lives_on():
    with statlearn.threads(4):
        with pytest.raises(RuntimeError, match="unit failed"):
            probes.throw_in_loop(100, 57)
        assert probes.parallel_probe(100, False) == 100


def test_loops_from_several_python_threads_at_once():
    results = []

    def work():
        with statlearn.threads(4):  # a new thread starts without a limit
            results.extend(probes.parallel_probe(500, False) for _ in range(50))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [500] * 200


def _probe_in_child(queue):
    queue.put(probes.parallel_probe(1000, False))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # forking with threads is what is tested
def test_pool_survives_fork():
    with statlearn.threads(2):
        assert probes.parallel_probe(1000, False) == 1000  # the pool has threads now
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        child = context.Process(target=_probe_in_child, args=(queue,))
        child.start()
        assert queue.get(timeout=30) == 1000
        child.join(timeout=30)
        assert child.exitcode == 0


@pytest.mark.parametrize(
    "environment, expected",
    [({"OMP_NUM_THREADS": "3"}, "3"), ({"OMP_NUM_THREADS": "3", "STATLEARN_NUM_THREADS": "5"}, "5")],
)
def test_environment_sets_the_number_of_threads(environment, expected):
    code = "from statlearn._core import native; print(native.common.threads())"
    run = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == expected


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no CPU affinity")
def test_affinity_limits_the_number_of_threads():
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))});"
        "from statlearn._core import native; print(native.common.threads())"
    )
    clean = {k: v for k, v in os.environ.items() if k not in ("OMP_NUM_THREADS", "STATLEARN_NUM_THREADS")}
    run = subprocess.run([sys.executable, "-c", code], env=clean, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "1"


def test_threads_context_restores_the_default():
    before = common.threads()
    with statlearn.threads(7):
        assert common.threads() == 7
        with statlearn.threads(None):  # inherits
            assert common.threads() == 7
        assert common.threads() == 7
    assert common.threads() == before


# A fit that would take minutes: strongly correlated columns, a tiny penalty and no tolerance.
LONG_FIT = """
import numpy as np
from statlearn.linear import Lasso
rng = np.random.default_rng(0)
X = rng.normal(size=(2000, 4000)).cumsum(axis=1)
y = rng.normal(size=2000)
print("ready", flush=True)
Lasso(alpha=1e-9, tol=0.0, max_iter=10**9).fit(X, y)
"""
# More rounds, or trees, than minutes suffice for.
LONG_TREES = """
import numpy as np
from statlearn.ensemble import {name}
X = np.random.default_rng(0).normal(size=(20_000, 10))
print("ready", flush=True)
{name}(n_estimators=100_000{more}).fit(X, X[:, 0] * X[:, 1])
"""
BOOSTING = LONG_TREES.format(name="GradientBoostingRegressor", more=", max_depth=8")
FOREST = LONG_TREES.format(name="RandomForestRegressor", more="")
EXACT_FOREST = LONG_TREES.format(name="RandomForestRegressor", more=", splitter='exact'")
WAIT = """
from statlearn._core import native
print("ready", flush=True)
native.probes.spin(300.0)
"""


@pytest.mark.parametrize(
    "work",
    [WAIT, LONG_FIT, BOOSTING, FOREST, EXACT_FOREST],
    ids=["native loop", "lasso", "boosting", "forest", "exact forest"],
)
def test_ctrl_c_stops_a_long_fit(work):
    """The promise is half a second; the child is waited for longer, on a busy machine or under a sanitizer, but far
    shorter than the minutes of its work."""
    with subprocess.Popen(
        [sys.executable, "-c", work], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            time.sleep(0.3)
            assert child.poll() is None, "the work ended before it could be interrupted"
            child.send_signal(signal.SIGINT)
            _, message = child.communicate(timeout=60)
            assert "KeyboardInterrupt" in message
        finally:
            child.kill()  # a parent that ignores Ctrl-C hands that on


@pytest.mark.parametrize("level", ["v2", "v3", "nonsense"])
def test_level_can_be_chosen_and_falls_back(level):
    code = "from statlearn._core import native; print(native.level)"
    environment = {k: v for k, v in os.environ.items() if k != "STATLEARN_CORE"} | {"STATLEARN_LEVEL": level}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    built = [p.split(".")[0].removeprefix("_native_") for p in os.listdir(os.path.dirname(native.__file__))]
    if level in built:
        assert run.stdout.strip() == level
    elif {"v2", "plain"} & set(built):
        assert run.stdout.strip() in ("v2", "plain")
    else:
        assert "compiled core is missing" in run.stderr


def test_another_build_can_be_loaded_and_must_be_there(tmp_path):
    code = "from statlearn._core import native; print(native._module.__file__)"

    def run():
        environment = {**os.environ, "STATLEARN_CORE": str(tmp_path), "STATLEARN_LEVEL": native.level}
        return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)

    assert "compiled core" in run().stderr  # which is not in that folder, or nowhere
    shutil.copy(native._module.__file__, tmp_path)
    assert os.path.dirname(run().stdout) == str(tmp_path)


def test_blas_is_wired():
    assert common.blas_ready()


def test_blas_of_another_signature_raises():
    from scipy.linalg import cython_blas

    capsules = cython_blas.__pyx_capi__
    with pytest.raises(ValueError, match=r"dgemm: scipy exports void \(.*float.*\), expected void \(.*double"):
        common.receive_blas("dgemm", capsules["sgemm"])
    with pytest.raises(ValueError, match="no kernel calls it"):
        common.receive_blas("daxpy", capsules["daxpy"])
    assert common.blas_ready()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_lapack_as_the_kernels_call_it(dtype, rng):
    def fortran(values):
        return np.array(values, dtype=dtype, order="F")

    tol = dict(rtol=1e-9, atol=1e-9) if dtype == np.float64 else dict(rtol=1e-3, atol=1e-3)
    n, r = 7, 3
    B = fortran(rng.normal(size=(n, r)))
    S = rng.normal(size=(n, 2 * n))
    S = S @ S.T + np.eye(n)
    inverse, solved = fortran(S), B.copy(order="F")
    assert probes.cholesky_probe(inverse, solved) == 0
    assert_close(solved, np.linalg.solve(S, B), **tol)
    assert_close(np.tril(inverse), np.tril(np.linalg.inv(S)), **tol)
    broken = S.copy()
    broken[4, 4] = -1.0  # the fifth leading minor is the first that is not positive
    assert probes.cholesky_probe(fortran(broken), B.copy(order="F")) == 5
    for lost in (np.nan, np.inf):  # which some libraries take for a positive pivot
        broken[4, 4] = lost
        assert probes.cholesky_probe(fortran(broken), B.copy(order="F")) == 5

    L, X = fortran(np.tril(S)), B.copy(order="F")
    probes.triangle_probe(L, 2.0, X)
    assert_close(np.tril(S) @ X, 2.0 * B, **tol)

    vectors, values = fortran(S), np.empty(n, dtype)
    assert probes.eigen_probe(vectors, values) == 0
    assert_close(vectors * values @ vectors.T, S, **tol)


def test_wrong_shapes_raise_before_the_kernel():
    X, Y = np.zeros((5, 2)), np.zeros((4, 1))
    with pytest.raises(ValueError, match="different numbers of rows"):
        common.gram_with_targets(X, Y, None, np.zeros(3), np.zeros((4, 4)))
    with pytest.raises(ValueError, match="shapes of the arrays do not match"):
        common.gram_with_targets(X, np.zeros((5, 1)), None, np.zeros(2), np.zeros((4, 4)))


@given(
    n=st.integers(1, 300),
    p=st.integers(1, 30),
    m=st.integers(0, 3),
    order=st.sampled_from("CF"),
    dtype=st.sampled_from([np.float64, np.float32]),
    weighted=st.booleans(),
)
def test_gram_equals_the_product_written_out(n, p, m, order, dtype, weighted):
    rng = np.random.default_rng(n + 1000 * p)
    X = np.array(rng.normal(size=(n, p)) + 3, dtype=dtype, order=order)
    Y = np.array(rng.normal(size=(n, m)), dtype=dtype)
    w = rng.integers(0, 4, size=n).astype(dtype) if weighted else None
    shift = rng.normal(size=p + m)
    G = np.empty((p + m + 1, p + m + 1))
    common.gram_with_targets(X, Y, w, shift, G)
    Z = np.column_stack([X.astype(float) - shift[:p], Y.astype(float) - shift[p:], np.ones(n)])
    assert_close(G, Z.T @ (Z if w is None else Z * w.astype(float)[:, None]), rtol=1e-10, atol=1e-10)


def test_rows_of_weight_0_are_absent_from_a_gram_matrix_whatever_they_hold():
    X, G, H = np.array([[1.0], [np.nan], [3.0], [np.inf]]), np.empty((3, 3)), np.empty((3, 3))
    Y, weights = np.array([[2.0], [1.0], [5.0], [0.0]]), np.array([1.0, 0.0, 2.0, 0.0])
    common.gram_with_targets(X, Y, weights, np.zeros(2), G)
    common.gram_with_targets(X[::2].copy(), Y[::2].copy(), weights[::2].copy(), np.zeros(2), H)
    np.testing.assert_array_equal(G, H)


@pytest.mark.parametrize("asked, rough, size", [(0.0, False, 1), (1e6, False, 1_000_001), (1e6, True, 1_000_101)])
def test_work_space_of_lapack_is_as_large_as_asked(asked, rough, size):
    assert probes.work_size(asked, rough) == size


@pytest.mark.parametrize("asked", [2.0**31, 1e300, np.inf, np.nan, -1.0])
def test_work_space_beyond_integers_is_refused(asked):
    with pytest.raises((ValueError, RuntimeError), match="the matrix is too large"):
        probes.work_size(asked)


def test_a_plain_build_is_loaded_where_no_level_is_supported(tmp_path):
    """It was advised by the message, and then not tried."""
    (tmp_path / "_native_plain.py").write_text("raise SystemExit('the plain build')")
    code = f"""
import importlib, types
from statlearn import _core
cpu = importlib.import_module("statlearn._core._cpu")
fake = types.ModuleType("statlearn._core._cpu")
fake.best_level, fake.missing = lambda: None, lambda level: ["POPCNT"]
import sys
sys.modules["statlearn._core._cpu"] = _core._cpu = fake
_core.__path__.append({str(tmp_path)!r})
import statlearn._core.native
"""
    environment = {k: v for k, v in os.environ.items() if k != "STATLEARN_LEVEL"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert run.stderr.strip() == "the plain build"
