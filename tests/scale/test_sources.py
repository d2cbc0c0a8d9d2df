"""Sources: the rows that were written, in order, as often as asked, and errors that name the place."""

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from statlearn import scale
from statlearn.linear import LinearRegression
from tests.scale.tables import NAMES, bits, table


class Again:
    """An iterable of frames that can be read again."""

    def __init__(self, frames):
        self.frames = frames

    def __iter__(self):
        return iter(self.frames)


def sources(folder):
    """One table in every kind of source, with blocks of 700 rows where blocks can be chosen."""
    frame = table()
    frames = [frame[k : k + 700] for k in range(0, 3000, 700)]
    frame.write_parquet(folder / "whole.parquet", row_group_size=700)
    (folder / "parts").mkdir()
    for k, part in enumerate(frames):
        part.write_parquet(folder / "parts" / f"part-{k}.parquet")
    pa.feather.write_feather(frame.to_arrow(), folder / "table.feather", chunksize=700, compression="zstd")
    frame.write_csv(folder / "table.csv")
    yield from {
        "parquet": folder / "whole.parquet",
        "folder": folder / "parts",
        "list": sorted((folder / "parts").iterdir()),
        "feather": folder / "table.feather",
        "csv": scale._sources.csv.CsvSource([folder / "table.csv"], n_bytes=60_000),
        "polars": frames,
        "pandas": [part.to_pandas() for part in frames],
        "arrow": [part.to_arrow() for part in frames],
        "again": Again(frames),
        "one frame": frame,
    }.items()


def test_every_source_gives_the_same_fit(tmp_path):
    frame = table()
    reference = LinearRegression().fit(frame[NAMES], frame["y"].to_numpy(), frame["weight"].to_numpy())
    by_blocks = set()
    for kind, source in sources(tmp_path):
        model = scale.fit(LinearRegression(), source, "y", "weight", features=NAMES)
        np.testing.assert_allclose(model.coef_, reference.coef_, rtol=1e-11, err_msg=kind)
        np.testing.assert_allclose(model.intercept_, reference.intercept_, rtol=1e-9, err_msg=kind)
        assert model.fit_report_["rows"] == (frame["weight"].to_numpy() > 0).sum()
        assert list(model.feature_names_in_) == NAMES
        if model.fit_report_["blocks"] == 5:
            by_blocks.add(str(bits(model)))
    assert len(by_blocks) == 1  # the same blocks, the same bits


def test_memory_maps_are_read_in_blocks(tmp_path):
    frame = table()
    X, y = frame[NAMES].to_numpy(), frame["y"].to_numpy()
    X.astype(np.float32).tofile(tmp_path / "x.bin")
    mapped = np.memmap(tmp_path / "x.bin", np.float32, "r", shape=X.shape)
    model = scale.fit(LinearRegression(), scale.open_source(mapped, rows=700), y)
    reference = LinearRegression().fit(X.astype(np.float32), y)
    np.testing.assert_allclose(model.coef_, reference.coef_, rtol=1e-4)
    assert model.fit_report_["blocks"] == 5


def test_csv_lines_with_quoted_breaks_are_whole(tmp_path):
    rows = [f'{k},"line {k}\nnext, ""quoted""",{k * 0.5}' for k in range(500)]
    (tmp_path / "t.csv").write_text("k,text,half\n" + "\n".join(rows))
    source = scale._sources.csv.CsvSource([tmp_path / "t.csv"], n_bytes=997)
    assert len(source) > 10
    read = pl.concat(list(source.read_range(0, len(source), ["k", "text", "half"])))
    assert read.equals(pl.read_csv(tmp_path / "t.csv"))


def test_csv_types_of_later_blocks_are_named(tmp_path):
    lines = [f"{k},{k}" for k in range(200)] + ["1.5,3"] * 5
    (tmp_path / "t.csv").write_text("a,b\n" + "\n".join(lines) + "\n")
    source = scale._sources.csv.CsvSource([tmp_path / "t.csv"], n_bytes=500)
    with pytest.raises(ValueError, match=r"t\.csv, bytes \d+ to \d+.*types"):
        scale.fit(LinearRegression(), source, "b")
    source = scale._sources.csv.CsvSource([tmp_path / "t.csv"], n_bytes=500, types={"a": pl.Float64})
    assert scale.fit(LinearRegression(), source, "b").fit_report_["rows"] == 205


def test_delayed_parts_are_computed_one_by_one():
    dask = pytest.importorskip("dask")
    frame = table()
    parts = [dask.delayed(frame.slice)(k, 700) for k in range(0, 3000, 700)]
    model = scale.fit(LinearRegression(), parts, "y", features=NAMES)
    assert model.fit_report_["blocks"] == 5
    np.testing.assert_allclose(
        model.coef_, LinearRegression().fit(frame[NAMES], frame["y"].to_numpy()).coef_, rtol=1e-11
    )


# Bad input ----------------------------------------------------------------------------------------------------------


def test_generators_raise():
    with pytest.raises(TypeError, match="read several times"):
        scale.open_source(part for part in [table()])


def test_other_columns_in_a_later_file_are_named(tmp_path):
    table().write_parquet(tmp_path / "a.parquet")
    table().drop("x3").with_columns(x1=pl.lit("text")).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(ValueError, match=r"b\.parquet` has other columns than .*a\.parquet.*without \['x3'\].*'x1' is"):
        scale.fit(LinearRegression(), tmp_path, "y")


def test_files_that_change_or_vanish_between_passes_are_named(tmp_path):
    path = tmp_path / "a.parquet"
    table().write_parquet(path)
    source = scale.open_source(path)
    table(100).write_parquet(path)
    with pytest.raises(ValueError, match=r"a\.parquet, row group 0: .* has changed .* its length was"):
        scale.fit(LinearRegression(), source, "y", features=NAMES)
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"a\.parquet, row group 0: .* no longer exists"):
        scale.fit(LinearRegression(), source, "y", features=NAMES)


def test_corrupt_row_groups_are_named(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(table().to_arrow(), path, row_group_size=700, write_page_checksum=True)
    column = pq.ParquetFile(path).metadata.row_group(2).column(0)
    source = scale.open_source(path)
    damaged = bytearray(path.read_bytes())
    middle = column.dictionary_page_offset or column.data_page_offset
    damaged[middle + 60 : middle + 90] = bytes(30)
    path.write_bytes(damaged)
    source = scale.open_source(path)
    with pytest.raises((OSError, ValueError), match=r"a\.parquet, row group 2: "):
        scale.fit(LinearRegression(), source, "y", features=NAMES)
    path.write_bytes(damaged[: len(damaged) // 2])
    with pytest.raises((OSError, ValueError), match=r"a\.parquet` "):
        scale.open_source(path)


def test_missing_values_raise_with_their_place(tmp_path):
    frame = table().with_columns(x2=pl.when(pl.int_range(3000) == 1500).then(None).otherwise(pl.col("x2")))
    frame.write_parquet(tmp_path / "a.parquet", row_group_size=700)
    with pytest.raises(ValueError, match=r"a\.parquet, row group 2: .*NaN"):
        scale.fit(LinearRegression(), tmp_path / "a.parquet", "y", features=NAMES)
    frame = table().with_columns(y=pl.when(pl.int_range(3000) == 100).then(None).otherwise(pl.col("y")))
    with pytest.raises(ValueError, match=r"frame 0: `target`='y' has missing"):
        scale.fit(LinearRegression(), frame, "y", features=NAMES)


def test_kinds_of_files_do_not_mix(tmp_path):
    (tmp_path / "a.csv").write_text("a\n1\n")
    table().write_parquet(tmp_path / "b.parquet")
    with pytest.raises(ValueError, match="one kind"):
        scale.open_source(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="must contain"):
        scale.open_source(tmp_path / "empty")
    with pytest.raises(FileNotFoundError, match="existing"):
        scale.open_source(tmp_path / "nothing.parquet")
