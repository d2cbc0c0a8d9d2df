"""A Dask cluster of processes on this machine, for tests that kill its workers."""

import contextlib

import distributed


class KilledWorkersCluster(distributed.LocalCluster):
    """A cluster that survives a race of its own: a killed worker may be forgotten before it is reported as removed."""

    def __init__(self, n_workers=1):
        super().__init__(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", processes=True)

    def _update_worker_status(self, op, msg):
        with contextlib.suppress(KeyError):
            super()._update_worker_status(op, msg)
