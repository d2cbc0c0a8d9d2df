"""Reading tables: formats, encodings, and everything that can be wrong with a file."""

import gzip
import io
import sys
import zipfile

import numpy as np
import polars as pl
import pytest

from statlearn.app.errors import AppError, DataError, UsageError
from statlearn.app.tables import reading
from statlearn.app.tables.reading import read_table


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
    with pytest.raises(DataError, match="is not a valid Parquet file"):
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
        (b"a,b,a\n1,2,3\n", "duplicate column names: 'a'"),
        (b"a,b\n1,2\n1,2,3,4\n", "cannot be read as CSV"),
        (b"a\x00\x01\x02,b\n" + bytes(range(256)), "null bytes"),
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


def test_separators_that_excel_names_and_points_between_thousands(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("sep=;\nprice;name\n1.234,56;a\n987,00;b\n-12.345.678,9;c\n")
    table = read_table(path)
    assert table.frame.columns == ["price", "name"]
    assert table.frame["price"].to_list() == [1234.56, 987.0, -12345678.9]
    path.write_text("price;whole\n1,5;1.234\n2,25;2.000\n3,75;15\n")
    assert read_table(path).frame["whole"].to_list() == [1234, 2000, 15]


def test_text_that_shows_numbers_is_numbers_with_a_note(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('price,rate,city,zip\n"475,000",25.7 %,Rome,00123\n"$1,200.50",3 %,Oslo,00456\n-,100 %,-,01234\n')
    table = read_table(path)
    assert table.frame["price"].to_list() == [475000.0, 1200.5, None]
    assert table.frame["rate"].to_list() == pytest.approx([0.257, 0.03, 1.0])
    assert table.frame["city"].to_list() == ["Rome", "Oslo", None]
    assert len(table.notes) == 3
    assert "codes, not as numbers, in 'zip'" in table.notes[0]
    assert "converted in 'price'" in table.notes[1]
    assert "'rate'" in table.notes[1]
    assert "'-' was read as a missing value in 'price', 'city'" in table.notes[2]


@pytest.mark.parametrize("word", ["-", ".", "NULL", "#N/A", "--", "?", "n/a", " ", "#DIV/0!"])
def test_words_for_missing_cells_leave_numbers_numbers(word, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f'a,b,when\n1,0.5,2020-01-01\n"{word}","{word}","{word}"\n3,2.5,2020-01-03\n')
    frame = read_table(path).frame
    assert frame["a"].to_list() == [1, None, 3]
    assert frame["b"].to_list() == [0.5, None, 2.5]
    assert frame.schema["when"].is_temporal()
    assert frame["when"].null_count() == 1


def test_signs_that_are_levels_stay_levels(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,class\n1,+\n2,-\n3,+\n")
    assert read_table(path).frame["class"].to_list() == ["+", "-", "+"]


def workbook(*sheets):
    """A file of Excel with these sheets, each a list of rows of text and numbers."""

    def cell(value):
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
        return f"<c><v>{value}</v></c>"

    names = range(1, len(sheets) + 1)
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    packaging = "http://schemas.openxmlformats.org/package/2006"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{packaging}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{kind}.sheet.main+xml"/>'
        + "".join(f'<Override PartName="/xl/s{k}.xml" ContentType="{kind}.worksheet+xml"/>' for k in names)
        + "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{packaging}/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        + "".join(f'<sheet name="Sheet{k}" sheetId="{k}" r:id="r{k}"/>' for k in names)
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{packaging}/relationships">'
        + "".join(f'<Relationship Id="r{k}" Type="{office}/worksheet" Target="s{k}.xml"/>' for k in names)
        + "</Relationships>",
    }
    for k, rows in zip(names, sheets):
        body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
        parts[f"xl/s{k}.xml"] = f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>'
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, head + text)
    return packed.getvalue()


def test_workbooks_are_read(tmp_path, monkeypatch):
    rows = [["a", "b", "c"], [1, 0.5, "x"], [2, 1.5, "-"], [3, 2.5, "$4.50"]]
    path = tmp_path / "t.xlsx"
    path.write_bytes(workbook([["note"]], rows))
    table = read_table(path)
    assert table.frame["a"].to_list() == [1, 2, 3]
    assert table.frame["b"].to_list() == [0.5, 1.5, 2.5]
    assert table.frame["c"].to_list() == ["x", None, "$4.50"]
    assert table.notes[0] == "The file has 2 sheets; 'Sheet2', the largest, was read."
    (tmp_path / "t.csv").write_bytes(path.read_bytes())  # whatever it is called
    assert read_table(tmp_path / "t.csv").frame.equals(table.frame)
    (tmp_path / "cut.xlsx").write_bytes(path.read_bytes()[:300])
    with pytest.raises(DataError, match="incomplete or damaged"):
        read_table(tmp_path / "cut.xlsx")
    (tmp_path / "text.xlsx").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="is not a valid Excel file"):
        read_table(tmp_path / "text.xlsx")
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(DataError, match="is an Excel file; install fastexcel to read it"):
        read_table(path)


def test_archives_and_addresses_are_refused_by_their_names(tmp_path):
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("t.csv", "a,b\n1,2\n")
    with pytest.raises(DataError, match=r"is a ZIP archive; unpack it first \(t.csv\)"):
        read_table(path)
    with pytest.raises(UsageError, match="reading from URLs is not supported; download the file first"):
        read_table("https://example.org/table.csv")


def test_the_standard_input_is_a_table(monkeypatch):
    class Stream:
        def __init__(self, data):
            self.buffer = io.BytesIO(data)

    monkeypatch.setattr(sys, "stdin", Stream(b"a,b\n1,x\n2,y\n"))
    table = read_table("-")
    assert (table.source, table.n_rows, table.frame.columns) == ("stdin", 2, ["a", "b"])
    monkeypatch.setattr(sys, "stdin", Stream(b""))
    with pytest.raises(DataError, match="standard input is empty"):
        read_table("-")


def test_codes_with_leading_zeros_stay_text(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{k % 7:05d},{k},{k / 2}\n" for k in range(40))
    path.write_text("zip,n,x\n" + rows)
    table = read_table(path)
    assert table.frame["zip"].dtype == pl.String
    assert table.frame["zip"][3] == "00003"
    assert table.frame["n"].dtype == pl.Int64
    assert table.frame["x"].dtype == pl.Float64
    assert "Numbers with leading zeros were read as codes, not as numbers, in 'zip'." in table.notes


def test_a_code_far_down_keeps_its_zeros(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n" + "12345;1,5\n" * 11_000 + "01234;2,5\n" + "0;0,5\n")
    table = read_table(path)
    assert table.frame["a"][-2] == "01234"
    assert table.frame["b"].sum() == pytest.approx(11_000 * 1.5 + 3)


def test_zero_alone_is_a_number(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "0,1\n10,2\n" * 10)
    assert read_table(path).frame["a"].dtype == pl.Int64


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_lines_that_end_with_a_carriage_return_alone(encoding, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("größe,y\r1,2\r3,4\r".encode(encoding))
    assert read_table(path).frame.rows() == [(1, 2), (3, 4)]
    assert read_table(path).frame.columns == ["größe", "y"]


def test_rows_that_end_with_a_separator(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("sep=;\na;b\n" + "1,5;2;\n" * 5)
    table = read_table(path)
    assert table.frame.columns == ["a", "b"]
    assert table.frame["a"].sum() == 7.5
    assert any("ends with a separator" in note for note in table.notes)
    path.write_text("a,b,\n" + "1,2,\n" * 5)
    assert read_table(path).frame.columns == ["a", "b"]


def test_row_names_without_a_heading_as_r_writes_them(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('"a","b"\n"Mazda RX4",1.5,2\n"Fiat",2.5,3\n')
    table = read_table(path)
    assert table.frame.columns == ["rownames", "a", "b"]
    assert table.frame["b"].to_list() == [2, 3]
    assert any("row names" in note for note in table.notes)
    path.write_text("a,b\n" + "1,2,3\n" * 20)  # names of rows would differ
    with pytest.raises(DataError, match="line 2 has 3 cells"):
        read_table(path)


def test_a_line_with_too_many_cells_is_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 20 + "1,2,3\n" + "1,2\n")
    with pytest.raises(DataError, match="line 22 has 3 cells, but the header has 2"):
        read_table(path)


def test_the_largest_sheet_is_read_from_its_header_on(tmp_path):
    about = [["Sales of 2023"], ["Contact: controlling"], ["last change: May"]]
    rows = [["Quarterly report"], [], ["plant", "pressure", "yield"]]
    rows += [["A", 3.5, 70.0], ["B", "-", 71.5], ["C", 2.5, 69.0]]
    path = tmp_path / "t.xlsx"
    path.write_bytes(workbook(about, rows))
    table = read_table(path)
    assert table.frame.to_dict(as_series=False) == {
        "plant": ["A", "B", "C"], "pressure": [3.5, None, 2.5], "yield": [70.0, 71.5, 69.0],
    }  # fmt: skip
    assert table.notes[:2] == [
        "The file has 2 sheets; 'Sheet2', the largest, was read.", "2 rows above the header were skipped.",
    ]  # fmt: skip


def test_dates_are_read_in_the_order_that_their_column_agrees_on(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("day,x\n" + "".join(f"{k:02d}/04/2024,{k}\n" for k in range(1, 12)))
    assert read_table(path).frame["day"].dtype == pl.String  # day or month first: a model knows from its training
    mixed = ["2019-01-07", "14.01.2019", "2019-01-21"]
    path.write_text("day,x\n" + "".join(f"{text},{k}\n" for k, text in enumerate(mixed)))
    assert read_table(path).frame["day"].to_list() == mixed  # was refused
    path.write_text("day,x\n2019-01-07,1\n2019-01-14,2\n")
    assert read_table(path).frame["day"].dtype.is_temporal()


def test_headers_longer_than_the_first_bytes_are_read_whole(tmp_path):
    path, names = tmp_path / "wide.csv", [f"gene{k}" for k in range(10_000)]
    path.write_text(",".join(names) + "\n" + ",".join(["1"] * 10_000) + "\n" + ",".join(["2"] * 10_000) + "\n")
    assert path.stat().st_size > reading.SNIFF_BYTES
    assert read_table(path).frame.columns == names


def test_rows_with_more_cells_than_the_header_and_huge_fields_raise(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 10 + "1," + "x" * 200_000 + ",5,6\n")
    with pytest.raises(DataError, match="cannot be read as CSV: line 12: field larger than"):
        read_table(path)


def test_columnar_files_of_too_many_equal_cells_are_sampled(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAX_WHOLE_CELLS", 50_000)
    monkeypatch.setattr(reading, "MAX_CELLS", 10_000)
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": np.zeros(100_000), "b": np.zeros(100_000)}).write_parquet(path)
    table = read_table(path)
    assert table.n_rows == 100_000
    assert 3_000 < len(table.frame) < 7_000
    assert "a random sample" in table.notes[-1]


def test_panics_of_polars_are_data_errors(tmp_path, monkeypatch):
    class PanicException(BaseException):
        pass

    def panic(*args):
        raise PanicException("called `Option::unwrap()` on a `None` value")

    monkeypatch.setattr(reading, "_read_binary", panic)
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(path)
    with pytest.raises(DataError, match="cannot be read as Parquet: called"):
        read_table(path)
