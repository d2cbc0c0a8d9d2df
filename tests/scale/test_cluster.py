"""Fits on a real Dask cluster of processes: the same bits for any number of workers, and after a kill."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import distributed
import numpy as np
import polars as pl
import pytest

from statlearn import scale
from statlearn.cluster import KMeans
from statlearn.discriminant import LinearDiscriminantAnalysis
from statlearn.linear import LassoCV, LinearRegression, LogisticRegression
from statlearn.scale._sources.base import Source
from statlearn.svm import SGDClassifier
from tests.scale.local_cluster import KilledWorkersCluster
from tests.scale.tables import NAMES, bits, table

FITS = [
    (LinearRegression(), "y"),
    (LassoCV(cv=3), "y"),
    (LinearDiscriminantAnalysis(), "label"),
    (SGDClassifier(random_state=0), "label"),
    (LogisticRegression(), "label"),
    (KMeans(4, random_state=0, max_iter=5, tol=10.0), "y"),
]


@pytest.fixture(scope="module")
def cluster():
    with KilledWorkersCluster() as local, distributed.Client(local) as client:
        yield local, client


def resized(cluster, n):
    local, client = cluster
    local.scale(n)
    client.wait_for_workers(n, timeout=60)
    return client


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("blocks")
    table().write_parquet(folder / "table.parquet", row_group_size=130)  # 24 blocks
    return folder / "table.parquet"


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_any_number_of_workers_gives_the_same_bits(cluster, path, workers):
    client = resized(cluster, workers)
    for estimator, target in FITS:
        weight = "weight" if target == "y" else None
        model = scale.fit(estimator, path, target, weight, features=NAMES, client=client)
        assert bits(model) == bits(scale.fit(estimator, path, target, weight, features=NAMES))
        report = model.fit_report_
        assert (report["workers"], report["blocks"], report["retries"]) == (workers, 24, 0)
        assert report["bytes_sent"] > 0
        if report["passes"] > 2:  # the workers read the blocks twice, and hold them from the second pass on
            assert report["bytes_read"] <= 2 * 3000 * 7 * 8


def test_frames_of_the_client_travel_and_files_do_not(cluster, path):
    client = resized(cluster, 2)
    frame = table()
    frames = [frame[k : k + 130] for k in range(0, 3000, 130)]
    for estimator, target in FITS[:1] + FITS[3:5]:
        model = scale.fit(estimator, frames, target, features=NAMES, client=client)
        assert bits(model) == bits(scale.fit(estimator, path, target, features=NAMES))


class Deadly(Source):
    """Blocks of a Parquet file; the worker that first reads one of the marked blocks is killed."""

    def __init__(self, inner, marks):
        self.inner, self.marks, self.columns = inner, marks, inner.columns

    def __len__(self):
        return len(self.inner)

    def place(self, k):
        return self.inner.place(k)

    def read(self, k, columns):
        mark = self.marks.get(k)
        if mark is not None and not os.path.exists(mark):
            Path(mark).write_text("killed")
            os.kill(os.getpid(), signal.SIGKILL)
        return self.inner.read(k, columns)


@pytest.mark.parametrize("which, block", [(1, 5), (3, 17), (4, 9)])
def test_killed_workers_do_not_change_a_bit(cluster, path, tmp_path, which, block):
    client = resized(cluster, 2)
    estimator, target = FITS[which]
    marks = {block: str(tmp_path / "killed")}
    model = scale.fit(estimator, Deadly(scale.open_source(path), marks), target, features=NAMES, client=client)
    assert os.listdir(tmp_path) == ["killed"]
    assert bits(model) == bits(scale.fit(estimator, path, target, features=NAMES))
    assert model.fit_report_["retries"] >= 1


def test_errors_of_the_data_reach_the_client(cluster, path, tmp_path):
    client = resized(cluster, 2)
    frame = table().with_columns(x2=pl.when(pl.int_range(3000) == 1500).then(None).otherwise(pl.col("x2")))
    frame.write_parquet(tmp_path / "a.parquet", row_group_size=130)
    with pytest.raises(ValueError, match=r"a\.parquet, row group 11: .*NaN"):
        scale.fit(LinearRegression(), tmp_path / "a.parquet", "y", features=NAMES, client=client)
    source = scale.open_source(tmp_path / "a.parquet")
    (tmp_path / "a.parquet").unlink()
    with pytest.raises(FileNotFoundError, match=r"a\.parquet, row group \d+: .*no longer exists"):
        scale.fit(LinearRegression(), source, "y", features=NAMES, client=client)


def test_workers_of_another_version_are_named(cluster, path, monkeypatch):
    client = resized(cluster, 2)
    monkeypatch.setattr("statlearn.__version__", "99.0")
    with pytest.raises(ValueError, match=r"Worker tcp://.* another version .*statlearn .* instead of 99\.0"):
        scale.fit(LinearRegression(), path, "y", features=NAMES, client=client)


def test_a_client_is_required(path):
    with pytest.raises(TypeError, match="`client` must be None or a synchronous"):
        scale.fit(LinearRegression(), path, "y", features=NAMES, client="tcp://127.0.0.1:8786")


class Slow(Source):
    """Blocks that take a while, so that the fit lasts until the scheduler is gone."""

    def __init__(self, inner):
        self.inner, self.columns = inner, inner.columns

    def __len__(self):
        return len(self.inner)

    def read(self, k, columns):
        time.sleep(1.0)
        return self.inner.read(k, columns)


def test_a_lost_scheduler_is_reported(path, tmp_path, monkeypatch):
    """A scheduler of its own, in another process, is killed while the fit runs."""
    monkeypatch.setattr("statlearn.scale._cluster._LOST", 1.0)
    file = tmp_path / "scheduler.json"
    script = (
        "import asyncio, sys\n"
        "from distributed import Scheduler, Worker\n"
        "async def main():\n"
        f"    async with Scheduler(port=0, dashboard=False, scheduler_file={str(file)!r}) as scheduler:\n"
        "        async with Worker(scheduler.address, nthreads=1):\n"
        "            await scheduler.finished()\n"
        "asyncio.run(main())\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script])
    try:
        while not file.exists():
            assert process.poll() is None
            time.sleep(0.05)
        with distributed.Client(scheduler_file=str(file), timeout=30) as client:
            client.wait_for_workers(1, timeout=60)
            source = Slow(scale.open_source(path))
            client.loop.call_later(1.5, process.kill)
            with pytest.raises(ConnectionError, match="scheduler was lost"):
                scale.fit(LinearRegression(), source, "y", features=NAMES, client=client)
    finally:
        process.kill()
        process.wait()


def test_arrays_that_are_not_files_travel(cluster):
    client = resized(cluster, 2)
    frame = table()
    X, y = frame[NAMES].to_numpy(), frame["y"].to_numpy()
    source = scale.open_source(X, rows=200)
    model = scale.fit(LinearRegression(), source, y, client=client)
    assert bits(model) == bits(scale.fit(LinearRegression(), source, y))
    np.testing.assert_allclose(model.coef_, LinearRegression().fit(X, y).coef_, rtol=1e-10)
