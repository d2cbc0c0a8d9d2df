"""Data in Parquet blocks. The time limit is polars reading and summing the same columns; the peers read the same file.

The files are made once per size in the folder of temporary files. The operating system holds them in its cache, for
all runners alike.
"""

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.case import Case

ROWS = 1_000_000  # of a row group


def parquet(n, p, kind):
    """A file of float32 columns x0, x1, ... and a target, made row group by row group."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(tempfile.gettempdir()) / f"statlearn-scale-{kind}-{n}-{p}.parquet"
    if path.exists():
        return str(path)
    part, writer = path.with_suffix(".part"), None
    slopes = np.linspace(-1.0, 1.0, p).astype(np.float32)
    centres = np.random.default_rng(1).normal(0.0, 2.0, (20, p)).astype(np.float32)
    for k, first in enumerate(range(0, n, ROWS)):
        rng = np.random.default_rng([0, k])
        m = min(ROWS, n - first)
        X = rng.standard_normal((m, p), dtype=np.float32)
        if kind == "groups":
            X += centres[rng.integers(20, size=m)]
        score = X @ slopes
        noise = rng.standard_normal(m, dtype=np.float32)
        y = score + noise if kind != "classes" else (score + 1.7 * noise > 0).astype(np.float32)
        table = pa.table({**{f"x{j}": X[:, j] for j in range(p)}, "y": y})
        if writer is None:
            writer = pq.ParquetWriter(part, table.schema, compression="zstd")
        writer.write_table(table, row_group_size=ROWS)
    writer.close()
    part.rename(path)
    return str(path)


def columns_of(p):
    return [f"x{j}" for j in range(p)]


class least_squares(Case):
    """Least squares with its inference table; polars only reads and sums the columns."""

    size, quick = dict(n=10_000_000, p=20), dict(n=20_000, p=4)
    grow = dict(n=[2_000_000, 10_000_000, 20_000_000])
    accept = dict(objective=1e-6)

    def data(n, p):
        return dict(path=parquet(n, p, "line"), p=p)

    def quality(fit, path, p):
        if fit.coef is None:
            return {}
        return dict(objective=1.0 + np.sum((fit.coef - np.linspace(-1.0, 1.0, p)) ** 2))

    def statlearn(path, p):
        from statlearn import scale
        from statlearn.linear import LinearRegression

        model = scale.fit(LinearRegression(), path, "y", memory=0)
        return dict(coef=model.coef_, errors=model.summary()["std_error"])

    def polars_means(path, p):
        import polars as pl

        means = pl.scan_parquet(path).select(pl.all().mean()).collect(engine="streaming")
        return dict(coef=None, means=means.to_numpy())

    def sklearn_partial(path, p):
        import pyarrow.parquet as pq
        from sklearn.linear_model import SGDRegressor

        model, file = SGDRegressor(random_state=0), pq.ParquetFile(path)
        for k in range(file.num_row_groups):
            table = file.read_row_group(k).to_pandas()
            model.partial_fit(table[columns_of(p)].to_numpy(), table["y"].to_numpy())
        return dict(coef=model.coef_)


class logistic(Case):
    """Logistic regression with a small L2 penalty, to the optimum."""

    size, quick = dict(n=5_000_000, p=20), dict(n=20_000, p=4)
    accept = dict(objective=1e-6)

    def data(n, p):
        return dict(path=parquet(n, p, "classes"), p=p)

    def quality(fit, path, p):
        import pyarrow.parquet as pq

        table = pq.ParquetFile(path).read_row_group(0)
        X = np.column_stack([table.column(name).to_numpy() for name in columns_of(p)]).astype(np.float64)
        score = (2.0 * table.column("y").to_numpy() - 1.0) * (X @ fit.coef + fit.intercept)
        return dict(objective=np.mean(np.logaddexp(0.0, -score)))

    def statlearn(path, p):
        from statlearn import scale
        from statlearn.linear import LogisticRegression

        model = scale.fit(LogisticRegression(), path, "y", memory=0)
        return dict(coef=model.coef_[0], intercept=model.intercept_[0])

    def sklearn_in_memory(path, p):
        import pyarrow.parquet as pq
        from sklearn.linear_model import LogisticRegression

        table = pq.read_table(path).to_pandas()
        model = LogisticRegression(solver="newton-cholesky").fit(table[columns_of(p)].to_numpy(), table["y"].to_numpy())
        return dict(coef=model.coef_[0], intercept=model.intercept_[0])


class kmeans(Case):
    """k-means with 20 clusters from given centres, ten steps."""

    size, quick = dict(n=5_000_000, p=10), dict(n=20_000, p=3)
    accept = dict(objective=1e-6)

    def data(n, p):
        import pyarrow.parquet as pq

        path = parquet(n, p, "groups")
        table = pq.ParquetFile(path).read_row_group(0)
        start = np.column_stack([table.column(name).to_numpy()[:20] for name in columns_of(p)])
        return dict(path=path, p=p, start=start.astype(np.float64))

    def quality(fit, path, p, start):
        return dict(objective=fit.inertia)

    def statlearn(path, p, start):
        import warnings

        from statlearn import scale
        from statlearn.cluster import KMeans

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ten steps are what is measured
            model = scale.fit(
                KMeans(20, init=start, n_init=1, max_iter=10, tol=0), path, features=columns_of(p), memory=0
            )
        return dict(inertia=model.inertia_)

    def sklearn_in_memory(path, p, start):
        import pyarrow.parquet as pq
        from sklearn.cluster import KMeans

        X = pq.read_table(path, columns=columns_of(p)).to_pandas().to_numpy()
        model = KMeans(20, init=start.astype(X.dtype), n_init=1, max_iter=10, tol=0).fit(X)
        return dict(inertia=model.inertia_)


class overhead(Case):
    """The same least-squares fit in this process and on a Dask cluster of one worker on this machine."""

    size, quick = dict(n=10_000_000, p=20, rows=50_000), dict(n=20_000, p=4, rows=5_000)

    def data(n, p, rows):
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = Path(parquet(n, p, "line"))
        small = path.with_suffix(f".{rows}.parquet")
        if not small.exists():
            with pq.ParquetWriter(small, pq.read_schema(path)) as writer:
                for batch in pq.ParquetFile(path).iter_batches(rows):
                    writer.write_table(pa.Table.from_batches([batch]), row_group_size=rows)
        return dict(path=str(small))

    def quality(fit, path):
        return dict(norm=np.linalg.norm(fit.coef))

    def statlearn(path):
        from statlearn import scale
        from statlearn.linear import LinearRegression

        return dict(coef=scale.fit(LinearRegression(), path, "y").coef_)

    def statlearn_dask(path):
        import time

        from distributed import Client, LocalCluster

        from statlearn import scale
        from statlearn.linear import LinearRegression

        with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as local, Client(local) as client:
            scale.fit(LinearRegression(), path, "y", client=client)  # imports
            start = time.perf_counter()
            coef = scale.fit(LinearRegression(), path, "y", client=client).coef_
            seconds = time.perf_counter() - start
        return dict(coef=coef, seconds=seconds)
