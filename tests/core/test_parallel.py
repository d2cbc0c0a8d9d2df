"""The thread limit of a call, the pool, and the quotas of containers."""

import asyncio
import contextvars
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import statlearn
from statlearn._core.native import common, probes
from statlearn.cluster import KMedoids
from statlearn.linear import LassoCV, LogisticRegression, LogisticRegressionCV


@pytest.fixture
def restless_threads():
    """Another Python thread that sets its own limit to 1 and 64 in turn, as long as the test runs."""
    over = threading.Event()

    def toggle():
        while not over.is_set():
            for n in (1, 64):
                with statlearn.threads(n):
                    time.sleep(2e-4)

    toggler = threading.Thread(target=toggle)
    toggler.start()
    yield
    over.set()
    toggler.join()


# ------------------------------------------------------------------------------------------------ the limit


def test_a_call_sees_one_number_of_threads(restless_threads):
    with statlearn.threads(3):
        assert probes.thread_counts_seen(0.2) == (3, 3)


@pytest.mark.usefixtures("restless_threads")
def test_kernels_size_their_buffers_once(rng):
    """Both kernels wrote beyond their buffers when another thread raised the count between two readings."""
    from tests.math.trees.test_boosting_tree import BinMapper, grow

    X = rng.normal(size=(800, 2))
    for seed in range(5):
        KMedoids(n_clusters=10, random_state=seed).fit(X)
    X, g = rng.normal(size=(10_000, 4)).astype(np.float32), rng.normal(size=10_000).astype(np.float32)
    table = BinMapper(32, np.zeros(4, bool)).fit(X, rng).transform(X)
    for _ in range(20):
        grow(table, g, np.ones_like(g), quantised=True, max_leaves=60, min_leaf_rows=5)


def test_a_limit_applies_to_its_thread_only():
    seen = []
    with statlearn.threads(1):
        other = threading.Thread(target=lambda: seen.append(common.threads()))
        other.start()
        other.join()
        assert common.threads() == 1
    assert seen == [common.default_threads()]


def test_asyncio_tasks_keep_their_limits_apart():
    async def limited(n):
        with statlearn.threads(n):
            await asyncio.sleep(0.01)
            return common.threads()

    async def all_of_them():
        with statlearn.threads(9):
            return [*await asyncio.gather(*(limited(n) for n in (2, 3, None))), await asyncio.to_thread(common.threads)]

    assert asyncio.run(all_of_them()) == [2, 3, 9, 9]


def test_a_copied_context_carries_the_limit():
    with statlearn.threads(5):
        context = contextvars.copy_context()
    assert context.run(common.threads) == 5 != common.threads()


@pytest.mark.parametrize("value, expected", [(None, 7), (3, 3), (0, None), (-1, None)])
def test_an_inner_limit(value, expected):
    with statlearn.threads(7), statlearn.threads(value):
        assert common.threads() == (expected or common.default_threads())


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        LogisticRegressionCV(Cs=2, cv=2),
        LassoCV(cv=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_n_jobs_none_inherits_the_surrounding_limit(model, rng, monkeypatch):
    """Every native call of the fit sees the limit around it."""
    seen = set()
    import statlearn._core.native as native

    class Watched:
        def __init__(self, module):
            self.module = module

        def __getattr__(self, name):
            if name not in ("thread_limit", "default_threads"):  # by which the limit itself is set
                seen.add(common.threads())
            return getattr(self.module, name)

    monkeypatch.setattr(native, "linear", Watched(native.linear))
    monkeypatch.setattr(native, "common", Watched(native.common))
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + rng.normal(size=60)
    with statlearn.threads(3):
        model.fit(X, y > 0 if hasattr(model, "predict_proba") else y)
    assert seen == {3}


# ------------------------------------------------------------------------------------------------ the pool


@pytest.mark.parametrize("threads, units", [(32, 5), (8, 8), (6, 4), (3, 40), (7, 1)])
def test_units_share_the_threads_of_their_loop(threads, units):
    shares = np.empty(units, np.int32)
    with statlearn.threads(threads):
        probes.thread_shares(shares)
    if units > threads:
        np.testing.assert_array_equal(shares, 1)
    else:
        assert shares.sum() == threads
        assert np.ptp(shares) <= 1


def test_callers_at_the_same_time_divide_the_threads():
    """All loops finish, whatever the others do, and each runs every unit once."""
    results = []

    def work(threads):
        with statlearn.threads(threads):
            results.extend(probes.parallel_probe(300, True) for _ in range(30))

    workers = [threading.Thread(target=work, args=(n,)) for n in (2, 3, 8, 8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [2100] * 120


SLEEPING_WORKER = """
import os, time
import statlearn
from statlearn._core import native

def work():
    with statlearn.threads(2):
        for _ in range(20):
            native.probes.parallel_probe(300, True)

def asleep_on(worker):
    # the processors of the worker once it has worked and sleeps: on a busy machine a loop may be over before it wakes
    deadline = time.monotonic() + 20
    while os.sched_getaffinity(worker) == allowed and time.monotonic() < deadline:
        work()
        time.sleep(0.05)
    return os.sched_getaffinity(worker)

def tasks():
    return set(map(int, os.listdir("/proc/self/task")))

others, allowed = tasks(), os.sched_getaffinity(0)
work()
(worker,) = tasks() - others
asleep = asleep_on(worker)
assert asleep < allowed and len(asleep) == len(allowed) - 1, (asleep, allowed)
assert os.sched_getaffinity(0) == allowed
narrow = allowed - asleep
os.sched_setaffinity(worker, narrow)
work()
time.sleep(0.2)  # the worker sleeps by then
assert os.sched_getaffinity(worker) == narrow
"""


@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs Linux and two processors"
)
def test_a_worker_does_not_wake_on_the_processor_of_its_caller():
    """It leaves that one out while it sleeps; what others have set meanwhile stays."""
    subprocess.run([sys.executable, "-c", SLEEPING_WORKER], check=True)


LONG_LAST_UNIT = """
import signal
import statlearn
from statlearn._core import native
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background has Ctrl-C ignored
print("ready", flush=True)
with statlearn.threads(2):
    native.probes.spin(300.0, in_worker=True)
"""


def test_ctrl_c_stops_a_long_last_unit_in_another_thread():
    with subprocess.Popen(
        [sys.executable, "-c", LONG_LAST_UNIT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(1.0)
        assert child.poll() is None
        child.send_signal(signal.SIGINT)
        _, message = child.communicate(timeout=60)  # far below the 300 seconds of the unit
        assert "KeyboardInterrupt" in message


# ------------------------------------------------------------------------------------------------ the GIL


def test_python_runs_while_a_kernel_does():
    """The kernel waits inside for a flag that only Python code of another thread can raise."""
    flags = np.zeros(2, np.uint8)

    def answer():
        while not flags[0]:  # the kernel is inside
            time.sleep(1e-3)
        flags[1] = 1

    other = threading.Thread(target=answer)
    other.start()
    answered = probes.await_answer(flags, 60.0)
    flags[0] = 1  # lets the other thread end if the kernel failed
    other.join()
    assert answered


BINDINGS = sorted((Path(__file__).parents[2] / "native").glob("*/bind*.[ch]pp"))
# What takes no time to speak of, or is made for tests of one function.
SHORT = {
    "philox",
    "random_below",
    "quota_threads",
    "receive_blas",
    "blas_ready",
    "cholesky_probe",
    "triangle_probe",
    "eigen_probe",
    "svd_probe",
    "qr_probe",
    "elementary",
    "inner",
    "tiled_product",
    "joined_solve",
    "element",
    "part_size",
    "cell",
    "work_size",
    "bessel_k_scaled",
    "concave_threshold",
    "concave_penalty",
    "make_program",
    "make_query",
    "threads",
    "default_threads",
}


def balanced(text, start, pair):
    """The text from `start` to the bracket that closes the first one after it."""
    depth = 0
    for at in range(text.index(pair[0], start), len(text)):
        depth += (text[at] == pair[0]) - (text[at] == pair[1])
        if depth == 0:
            return text[start : at + 1]
    raise ValueError(f"unbalanced {pair}")


@pytest.mark.parametrize("path", BINDINGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_binding_releases_the_gil(path):
    """Through `run_native`, in the binding itself or in a function of its file or of a shared header."""
    files = (path, *path.parent.glob("bind_*.hpp"))
    text, *headers = (re.sub(r'("\w*")|".*?"|//.*', r"\1", file.read_text()) for file in files)  # only names and code
    near = text + "".join(headers)
    functions = [
        (match[1], balanced(near, match.end() - 1, "{}"))
        for match in re.finditer(r"(?<![.\w])(\w+)(?: = \[[^\]]*\])?\([^;{}]*\)(?: const)? \{", near)
    ]
    releasing = {"run_native"}
    for _ in range(2):  # a function may release through another one
        word = re.compile(rf"\b(?:{'|'.join(releasing)})\b")
        releasing |= {name for name, body in functions if word.search(body)}
    called = re.compile(rf"\b(?:{'|'.join(releasing)})[<(]")
    for match in re.finditer(r'm\.def\(\s*"(\w+)"', text):
        assert match[1] in SHORT or called.search(balanced(text, match.start(), "()")), match[1]


# ------------------------------------------------------------------------------------------------ working memory


def test_units_of_a_thread_share_their_blocks():
    """One block for each that a unit has at a time, and one more where a block had to grow."""
    for threads in (1, 2, 3):
        with statlearn.threads(threads):
            blocks, spoiled = probes.scratch_probe(200)
        assert blocks <= 3 * threads
        assert spoiled == 0


def test_loops_inside_units_have_separate_blocks():
    with statlearn.threads(8):
        assert [probes.scratch_probe(units)[1] for units in (1, 2, 3, 50)] == [0, 0, 0, 0]


# ------------------------------------------------------------------------------------------------ quotas


def machine(folder, cgroup, mounts, files):
    """A root folder with the files by which Linux tells a process its groups and their quotas."""
    (folder / "proc/self").mkdir(parents=True)
    (folder / "proc/self/cgroup").write_text(cgroup)
    (folder / "proc/self/mountinfo").write_text("22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + mounts)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(folder)


V2 = "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = "31 22 0:27 {} /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"


@pytest.mark.parametrize(
    "leaf, middle, expected",
    [("max 100000", "max 100000", 0), ("400000 100000", "max 100000", 4), ("400000 100000", "150000 100000", 2)],
)
def test_version_2_quotas_are_the_least_over_the_ancestors(tmp_path, leaf, middle, expected):
    root = machine(
        tmp_path,
        "0::/a.slice/b.scope\n",
        V2,
        {"sys/fs/cgroup/a.slice/b.scope/cpu.max": leaf, "sys/fs/cgroup/a.slice/cpu.max": middle},
    )
    assert probes.quota_threads(root) == expected


@pytest.mark.parametrize("quota, expected", [("-1", 0), ("250000", 3), ("20000", 1)])
def test_version_1_quotas(tmp_path, quota, expected):
    group = "sys/fs/cgroup/cpu,cpuacct/docker/abc/"
    root = machine(
        tmp_path,
        "5:memory:/elsewhere\n4:cpu,cpuacct:/docker/abc\n",
        V1.format("/"),
        {group + "cpu.cfs_quota_us": quota, group + "cpu.cfs_period_us": "100000"},
    )
    assert probes.quota_threads(root) == expected


def test_version_1_inside_a_container_that_sees_a_single_group(tmp_path):
    files = {"cpu.cfs_quota_us": "200000", "cpu.cfs_period_us": "100000"}
    root = machine(
        tmp_path,
        "4:cpu,cpuacct:/docker/abc\n",
        V1.format("/docker/abc"),
        {"sys/fs/cgroup/cpu,cpuacct/" + name: text for name, text in files.items()},
    )
    assert probes.quota_threads(root) == 2


def test_no_groups_no_quota(tmp_path):
    assert probes.quota_threads(str(tmp_path)) == 0


def test_ctrl_c_is_heard_while_a_unit_waits_for_the_units_inside_it():
    """The calling thread asked nobody while it waited for a loop within a loop."""
    code = "from statlearn._core.native import probes; print('ready', flush=True); probes.spin_inside(60.0)"
    child = subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, "OMP_NUM_THREADS": "4"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        _, message = child.communicate(timeout=30)
        assert "KeyboardInterrupt" in message
    finally:
        child.kill()
