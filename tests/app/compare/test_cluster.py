"""Comparisons on a real Dask cluster of processes: the board of one machine, also after a kill."""

import os
import signal

import distributed
import numpy as np
import pytest

from statlearn import compare
from statlearn.app.compare import cluster as cluster_module
from statlearn.app.compare.request import Request
from statlearn.app.errors import UsageError
from statlearn.app.tables.table import as_table
from tests.scale.local_cluster import KilledWorkersCluster


def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    return X, X @ [1.0, -2.0, 0.0] + rng.normal(size=120)


SETTINGS = dict(models=["ridge", "lasso", "regression-tree"], folds=3)


def same_board(a, b):
    """Whether two comparisons have the same models, scores and predictions, to the bit."""
    for ours, theirs in zip(a.models, b.models, strict=True):
        assert ours.label == theirs.label
        for metric, scores in ours.scores.items():
            np.testing.assert_array_equal(scores, theirs.scores[metric])


def test_the_board_of_a_cluster_is_that_of_one_machine_also_after_a_kill():
    X, y = table()
    alone = compare(X, y, **SETTINGS)
    with KilledWorkersCluster(2) as local, distributed.Client(local) as client:
        same_board(alone, compare(X, y, cluster=local.scheduler_address, **SETTINGS))
        victim = next(iter(client.run(os.getpid).values()))
        client.loop.call_later(0.5, os.kill, victim, signal.SIGKILL)
        same_board(alone, compare(X, y, cluster=client, **SETTINGS))


def test_a_missing_scheduler_and_a_time_limit_raise(monkeypatch):
    X, y = table()
    with pytest.raises(UsageError, match="`time_limit` must be left out with `cluster`"):
        Request(as_table(X, None, None, ()), y, cluster="tcp://127.0.0.1:1", time_limit=10.0)
    monkeypatch.setattr(cluster_module, "_PATIENCE", 0.5)
    with pytest.raises(UsageError, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:1'"):
        cluster_module.ClusterRunner(None, "tcp://127.0.0.1:1").__enter__()
