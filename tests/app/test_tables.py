"""Reading tables: formats, encodings, and everything that can be wrong with a file."""

import gzip

import numpy as np
import polars as pl
import pytest

from statlearn.app.errors import AppError, DataError, UsageError
from statlearn.app.tables import read_table


@pytest.fixture
def frame():
    return pl.DataFrame({"a": [1, 2, 3], "b": [0.5, None, 2.5], "c": ["x", "y", "x"]})


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "jsonl", "arrow", "csv.gz"])
def test_formats_give_the_same_table(frame, suffix, tmp_path):
    path = tmp_path / f"table.{suffix}"
    if suffix == "csv.gz":
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    elif suffix == "tsv":
        frame.write_csv(path, separator="\t")
    else:
        {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson, "arrow": frame.write_ipc}[
            suffix
        ](path)
    table = read_table(path)
    assert table.frame.equals(frame)
    assert (table.n_rows, table.source, table.notes, table.sampled) == (3, path.name, [], False)


def test_the_format_is_told_by_the_bytes_where_the_suffix_lies(frame, tmp_path):
    path = tmp_path / "table.csv"
    frame.write_parquet(path)
    assert read_table(path).frame.equals(frame)
    (tmp_path / "table.parquet").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="is not Parquet"):
        read_table(tmp_path / "table.parquet")


def test_an_arrow_stream_is_read(frame, tmp_path):
    frame.write_ipc_stream(tmp_path / "table.arrow")
    assert read_table(tmp_path / "table.arrow").frame.equals(frame)


def test_missing_markers_semicolons_and_decimal_commas(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1,5;NA\n?;x\n2,25;y\n")
    frame = read_table(path).frame
    assert frame["a"].to_list() == [1.5, None, 2.25]
    assert frame["b"].to_list() == [None, "x", "y"]


@pytest.mark.parametrize(
    "encoding, said",
    [("cp1252", "Windows-1252"), ("utf-16", "UTF-16"), ("utf-8-sig", None), ("utf-16-le", "UTF-16-LE")],
)
def test_other_encodings_are_read_with_a_note(encoding, said, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("stadt,wert\nMünchen,1\nKöln,2\n".encode(encoding))
    table = read_table(path)
    assert table.frame.columns == ["stadt", "wert"]
    assert table.frame["stadt"].to_list() == ["München", "Köln"]
    assert [said in note for note in table.notes] == ([True] if said else [])
    assert list(tmp_path.iterdir()) == [path]


def test_a_type_that_changes_far_down_becomes_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 20_000 + "oops,3\n")
    frame = read_table(path).frame
    assert frame["a"].dtype == pl.String
    assert frame["b"].dtype.is_integer()
    assert frame["a"][-1] == "oops"


@pytest.mark.parametrize(
    "content, words",
    [
        (b"", "is empty"),
        (b"a,b,c\n", "header but no rows"),
        (b"a,b,a\n1,2,3\n", "duplicated column names: 'a'"),
        (b"a,b\n1,2\n1,2,3,4\n", "cannot be read as CSV"),
        (b"a\x00\x01\x02,b\n" + bytes(range(256)), "zero bytes"),
        (b"\x1f\x8b\x08\x00broken", "gzip"),
        (b"PAR1 but nothing else", "cannot be read as Parquet"),
        (b"ARROW1 but nothing else", "cannot be read as Arrow"),
        (b'{"a": 1}\n{"a": ', "cannot be read as JSON lines"),
    ],
)
def test_broken_files_are_refused_with_a_reason(content, words, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=words):
        read_table(path)


def test_one_json_document_is_not_json_lines(tmp_path):
    (tmp_path / "t.json").write_text('[{"a": 1}, {"a": 2}]')
    with pytest.raises(DataError, match="one object per line"):
        read_table(tmp_path / "t.json")


def test_paths_that_are_no_files(tmp_path):
    with pytest.raises(UsageError, match="no such file"):
        read_table(tmp_path / "nothing.csv")
    with pytest.raises(UsageError, match="folder"):
        read_table(tmp_path)


def test_a_file_that_cannot_be_opened(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    import builtins

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(builtins, "open", refuse)
    with pytest.raises(AppError, match="permission denied"):
        read_table(path)


def test_columns_of_lists_are_left_out_with_a_note(tmp_path):
    pl.DataFrame({"a": [1, 2], "b": [[1], [2, 3]]}).write_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    assert table.frame.columns == ["a"]
    assert "'b'" in table.notes[0]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_large_files_are_sampled_evenly_and_repeatably(suffix, tmp_path):
    n = 20_000
    frame = pl.DataFrame({"row": np.arange(n), "x": np.random.default_rng(0).normal(size=n)})
    path = tmp_path / f"t.{suffix}"
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[suffix](path)
    limit = path.stat().st_size // 10
    table = read_table(path, max_bytes=limit)
    assert table.sampled
    assert table.n_rows == n
    assert 0.08 * n < len(table.frame) < 0.12 * n
    assert "sample" in table.notes[-1]
    assert abs(table.frame["row"].mean() / n - 0.5) < 0.03
    assert table.frame.equals(read_table(path, max_bytes=limit).frame)
    assert not table.frame.equals(read_table(path, max_bytes=limit, seed=1).frame)


def test_ten_thousand_columns(tmp_path):
    path = tmp_path / "t.csv"
    names = ",".join(f"x{j}" for j in range(10_000))
    path.write_text("\n".join([names, *(",".join(["1.5"] * 10_000) for _ in range(5))]) + "\n")
    assert read_table(path).frame.shape == (5, 10_000)


def test_long_tables_are_sampled_on_request(tmp_path):
    pl.DataFrame({"row": np.arange(1000)}).write_csv(tmp_path / "t.csv")
    table = read_table(tmp_path / "t.csv", max_rows=100)
    assert (len(table.frame), table.n_rows) == (100, 1000)
    assert table.frame["row"].is_sorted()
    assert table.frame["row"].n_unique() == 100
    assert "random sample of 100" in table.notes[0]
