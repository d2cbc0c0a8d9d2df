"""Reading tables: CSV and its kin, Parquet, JSON lines, Arrow, Excel. Files too large for memory are sampled."""

import csv
import io
import os
import re
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import narwhals as nw

from statlearn.app.errors import AppError, DataError, UsageError
from statlearn.app.files import explain
from statlearn.app.setting_names import listed
from statlearn.app.tables.cell_text import MISSING, read_cells
from statlearn.app.tables.excel import read_excel
from statlearn.app.tables.packed import check_unpacked_size, unpacked
from statlearn.app.tables.table import Table

# Larger files are sampled; a text file takes about its own size in memory, Parquet a few times that.
MAX_BYTES = {"csv": 2**29, "ndjson": 2**28, "parquet": 2**27, "arrow": 2**29, "excel": 2**27}
MAX_CELLS = 20_000_000  # of such a sample
MAX_WHOLE_CELLS = 10 * MAX_CELLS  # equal cells take next to nothing in a file of columns
SNIFF_BYTES, MAX_HEADER = 2**16, 2**25
CODES_KEPT = "Numbers with leading zeros were read as codes, not as numbers,"
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"  # new and old files of Excel begin so
_SUFFIXES = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".txt": "csv", ".data": "csv", ".dat": "csv",
    ".parquet": "parquet", ".pq": "parquet",
    ".jsonl": "ndjson", ".ndjson": "ndjson", ".json": "ndjson",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
    ".xlsx": "excel", ".xlsm": "excel", ".xlsb": "excel", ".xls": "excel", ".ods": "excel",
}  # fmt: skip


def read_table(path, *, max_bytes=None, max_rows=None, seed=0):
    """Read a table whatever its format.

    Parameters
    ----------
    path : path
        The format is recognised by the first bytes, or by the suffix. "-" reads standard input.
    max_bytes : int or None
        Files beyond this size are sampled by rows; None takes a limit that fits the format.
    max_rows : int or None
        Longer tables are sampled too.
    seed : int
        For the sample.

    Returns
    -------
    Table

    Raises
    ------
    UsageError
        If the file does not exist.
    DataError
        It contains no table.
    """
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", str(path)):
        raise UsageError(f"{path}: reading from URLs is not supported; download the file first")
    if str(path) == "-":
        return _read_standard_input(max_bytes=max_bytes, max_rows=max_rows, seed=seed)
    path = Path(path)
    start = _first_bytes(path)
    if not start:
        raise DataError(f"{path} is empty")
    kind = _format(path, start)
    notes: list[str] = []
    decimal = "."
    limit = MAX_BYTES[kind] if max_bytes is None else max_bytes
    large = path.stat().st_size > limit
    try:
        if kind == "csv":
            frame, n_rows, decimal = _read_csv(path, start, large, limit, seed, notes)
        elif kind == "excel":
            if large:
                raise DataError(f"{path} is too large to read as an Excel file; save it as CSV or Parquet")
            frame = read_excel(path, notes)
            n_rows = len(frame)
        else:
            frame, n_rows = _read_binary(path, kind, large, limit, seed)
    except OSError as error:
        raise AppError(explain(error, path)) from error
    except BaseException as error:
        if not _is_of_polars(error):
            raise
        raise DataError(f"{path} cannot be read as {_noun(kind)}: {_first_line(error)}") from error
    frame = _drop_nested(_drop_nameless(frame), notes)
    frame, remarks = read_cells(nw.from_native(frame), decimal)
    frame = frame.to_native()
    notes += remarks
    if n_rows == 0:
        raise DataError(f"{path} has a header but no rows")
    if max_rows is not None and len(frame) > max_rows:
        import numpy as np

        frame = frame[np.sort(np.random.default_rng(seed).choice(len(frame), max_rows, replace=False))]
    if len(frame) < n_rows:
        notes.append(f"The file has {n_rows:,} rows; a random sample of {len(frame):,} was used.")
    return Table(frame, path.name, n_rows, notes)


def _read_standard_input(**options):
    """The table that comes in by the standard input, by way of a temporary file."""
    stream = sys.stdin.buffer
    if stream.isatty():
        raise UsageError("-: standard input is a terminal; pipe a table into it or name a file")
    handle, name = tempfile.mkstemp(suffix=".data")
    try:
        with os.fdopen(handle, "wb") as copy:
            while block := stream.read(2**22):
                copy.write(block)
        try:
            table = read_table(name, **options)
        except AppError as error:
            raise type(error)(str(error).replace(name, "standard input")) from None
    finally:
        os.unlink(name)
    return replace(table, source="stdin")


def _first_bytes(path):
    if not path.exists():
        raise UsageError(f"{path}: no such file{_near(path)}")
    if path.is_dir():
        raise UsageError(f"{path}: this is a folder, not a file")
    try:
        with open(path, "rb") as stream:
            return stream.read(SNIFF_BYTES)
    except OSError as error:
        raise AppError(explain(error, path)) from error


def _near(path):
    """A hint at files and built-in tables of nearly this name."""
    import difflib

    from statlearn import datasets

    beside = [entry.name for entry in path.parent.iterdir() if entry.is_file()] if path.parent.is_dir() else []
    near = [str(path.parent / name) for name in difflib.get_close_matches(path.name, beside, n=2, cutoff=0.8)]
    near += difflib.get_close_matches(str(path), datasets.available(), n=1, cutoff=0.7)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _format(path, start):
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    if start.startswith(_OLE):
        return "excel"
    suffixes = [s.lower() for s in path.suffixes]
    if start.startswith(_ZIP):
        names = _members(path)
        if "[Content_Types].xml" in names or suffixes[-1:] == [".ods"]:
            return "excel"
        raise DataError(f"{path} is a ZIP archive; unpack it first ({', '.join(names[:3])})")
    if suffixes and suffixes[-1] in (".gz", ".zst", ".bz2", ".xz", ".zip"):
        suffixes.pop()
    kind = _SUFFIXES.get(suffixes[-1] if suffixes else "", "csv")
    if kind in ("parquet", "arrow", "excel"):
        raise DataError(f"{path} is not a valid {_noun(kind)} file")
    return "ndjson" if start.lstrip()[:1] == b"{" else kind


def _members(path):
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except zipfile.BadZipFile as error:
        raise DataError(f"{path} looks like a ZIP archive or an Excel file, but is incomplete or damaged") from error


# ---- text -----------------------------------------------------------------------------------------------------------


def _read_csv(path, start, large, limit, seed, notes):
    import polars as pl

    packed = start.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd"))  # gzip, zstd: polars unpacks them
    source, temporary = path, None
    if packed:
        head = _unpacked_head(path, start)
    else:
        start = _with_whole_header(path, start)
        encoding = _encoding(path, start)
        head = start.decode(encoding, errors="replace")
        old = "\r" in head and "\n" not in head  # lines that end as on the Macs of the nineties
        if encoding not in ("utf-8", "utf-8-sig"):
            notes.append(f"The file is not UTF-8; it was read as {_encoding_name(encoding)}.")
        if encoding not in ("utf-8", "utf-8-sig") or old:
            temporary = source = _transcoded(path, encoding, newline=None if old else "")
        head = head.replace("\r", "\n") if old else head
    try:
        head, separator = _named_separator(head)
        options = {} if separator is None else {"skip_rows": 1}
        separator = separator or _separator(head)
        names, rows = _header_and_rows(head, separator, path) if head or not packed else ([], [])
        extra = _surplus(names, rows, separator, path)
        if extra is not None and not packed:
            before, after, note = extra
            notes.append(note)
            longer = _transcoded(source, "utf-8-sig", header=(before, after, options.get("skip_rows", 0)))
            if temporary is not None:
                os.unlink(temporary)
            temporary = source = longer
        comma = separator in (";", "\t") and _decimal_comma(head, separator)
        options |= {
            "separator": separator,
            "null_values": MISSING,
            "try_parse_dates": True,
            "decimal_comma": comma,
        }
        decimal = "," if comma else "."
        try:
            return *_collect(_scan_csv(source, 10_000, options, notes), large, limit, source, seed), decimal
        except pl.exceptions.ComputeError as error:
            if "more fields than" in str(error) and not packed:
                raise DataError(f"{path} cannot be read as CSV: {_uneven(source, separator, len(names))}") from error
            if "infer_schema_length" not in str(error) and "could not parse" not in str(error).lower():
                raise
            # A type that the first rows suggested does not hold further down: look at all of them.
            return *_collect(_scan_csv(source, None, options, notes), large, limit, source, seed), decimal
    finally:
        if temporary is not None:
            os.unlink(temporary)


def _scan_csv(source, rows, options, notes):
    """The text table, `rows` of which tell the types; codes such as "01234" and dates other than ISO's stay text.

    polars takes such codes for integers, and their zeros would be lost. In "03/04/2024" it always takes the day first;
    a column of text is read in the order that all its cells agree on, and by a model in that of its training table.
    """
    import polars as pl

    scan = pl.scan_csv(source, infer_schema_length=rows, **options)
    schema = scan.collect_schema()
    whole = [name for name, dtype in schema.items() if dtype.is_integer()]
    dates = [name for name, dtype in schema.items() if dtype.is_temporal()]
    if not whole and not dates:
        return scan
    looked_at = dict.fromkeys([*whole, *dates], pl.String)
    as_text = pl.scan_csv(source, infer_schema_length=rows, schema_overrides=looked_at, **options)
    cells = {name: pl.col(name).str.strip_chars() for name in looked_at}
    found = as_text.select(
        *(cells[name].str.contains(r"^0\d+$").any() for name in whole),
        *(~cells[name].str.contains(r"^\d{4}-\d\d-\d\d").all() for name in dates),
    )
    kept = [name for name, is_text in zip(looked_at, found.collect(engine="streaming").row(0)) if is_text]
    if not kept:
        return scan
    codes = [name for name in kept if name in whole]
    if codes:
        notes[:] = [note for note in notes if not note.startswith(CODES_KEPT)]  # a second look tells it again
        notes.append(f"{CODES_KEPT} in {listed(codes)}.")
    return pl.scan_csv(source, infer_schema_length=rows, schema_overrides=dict.fromkeys(kept, pl.String), **options)


def _encoding(path, start):
    """Python's name of the encoding: UTF-8 unless bytes say otherwise."""
    for mark, name in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if start.startswith(mark):
            return name
    if b"\x00" in start:
        zeros = start[:2000]
        if zeros[1::2].count(0) > 0.4 * len(zeros) / 2:
            return "utf-16-le"
        if zeros[::2].count(0) > 0.4 * len(zeros) / 2:
            return "utf-16-be"
        raise DataError(f"{path} is not a text table; it contains null bytes")
    return "utf-8" if _is_utf8(path) else "cp1252"


def _is_utf8(path):
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")()
    with open(path, "rb") as stream:
        try:
            while block := stream.read(2**22):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _transcoded(path, encoding, newline="", header=None):
    """A temporary copy in UTF-8, made block by block.

    With ``newline=None`` all ends of lines become "\\n". `header` holds text to put before and after the header, and
    the number of lines above it.
    """
    errors = "replace" if encoding == "cp1252" else "strict"
    handle, name = tempfile.mkstemp(suffix=".csv")
    try:
        with open(path, encoding=encoding, errors=errors, newline=newline) as source, \
                os.fdopen(handle, "w", encoding="utf-8", newline="") as copy:  # fmt: skip
            if header is not None:
                before, after, above = header
                copy.writelines(source.readline() for _ in range(above))
                line = source.readline()
                text = line.rstrip("\r\n")
                copy.write(before + text + after + line[len(text) :])
            while block := source.read(2**22):
                copy.write(block)
    except UnicodeError as error:
        os.unlink(name)
        raise DataError(f"{path}: the encoding is not UTF-8, UTF-16 or Windows-1252; save the file as UTF-8") from error
    except BaseException:
        os.unlink(name)
        raise
    return Path(name)


def _encoding_name(encoding):
    return {"cp1252": "Windows-1252 (Western European)"}.get(encoding, encoding.upper())


def _with_whole_header(path, start):
    """The first bytes, up to the end of a line where all of them are of one: the header of a wide table."""
    if len(start) < SNIFF_BYTES or b"\n" in start or b"\r" in start:
        return start
    with open(path, "rb") as stream:
        return stream.readline(MAX_HEADER) + stream.read(SNIFF_BYTES)


def _unpacked_head(path, start):
    if not start.startswith(b"\x1f\x8b"):
        return ""
    check_unpacked_size(path)
    return unpacked(path, SNIFF_BYTES).decode("utf-8", errors="replace")


def _separator(head):
    """The candidate that divides the first lines into the same number of fields, the more the better."""
    lines = [line for line in head.splitlines()[:20] if line.strip()]
    if len(head) >= SNIFF_BYTES and len(lines) > 1:
        lines = lines[:-1]  # the last one may be cut
    best, most = ",", 0
    for candidate in (",", ";", "\t", "|"):
        widths = [len(next(csv.reader(io.StringIO(line), delimiter=candidate), [])) for line in lines]
        if widths and widths[0] > 1:
            agreement = sum(width == widths[0] for width in widths) / len(widths)
            if agreement * widths[0] > most:
                best, most = candidate, agreement * widths[0]
    return best


def _named_separator(head):
    """The text without a first line such as "sep=;", which Excel writes, and the separator in it (None if none)."""
    first, _, rest = head.lstrip("\ufeff").partition("\n")
    found = re.fullmatch(r"sep=(.)\s*", first, re.IGNORECASE)
    return (rest, found[1]) if found else (head, None)


def _decimal_comma(head, separator):
    cells = [cell.strip().strip('"') for line in head.splitlines()[1:20] for cell in line.split(separator)]
    commas = sum(bool(re.fullmatch(r"[-+]?(\d+|\d{1,3}(\.\d{3})+),\d+", cell)) for cell in cells)
    points = sum(bool(re.fullmatch(r"[-+]?(\d+|\d{1,3}(,\d{3})+)\.\d+", cell)) for cell in cells)
    return commas > points or (commas == points > 0 and separator == ";")


def _header_and_rows(head, separator, path):
    """Names of the columns, and the complete rows among the first ones."""
    head = head.lstrip("\ufeff")
    rows = [row for row in csv.reader(io.StringIO(head, newline=""), delimiter=separator) if row]
    if not rows:
        raise DataError(f"{path} is empty" if not head.strip() else f"{path} contains no table")
    names = rows[0]
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        shown = ", ".join(repr(name) for name in twice[:5]) + (" ..." if len(twice) > 5 else "")
        raise DataError(f"{path} has duplicate column names: {shown}; give every column its own name")
    return names, rows[1:-1] if len(head) >= SNIFF_BYTES else rows[1:]


def _surplus(names, rows, separator, path):
    """What to put before and after a header that is one name too short, and a note; None if it is not too short.

    Two programs write such files: some end every row, but not the header, with a separator, and R's `write.table` gives
    its row names no heading.
    """
    if not rows or any(len(row) != len(names) + 1 for row in rows):
        return None
    if not any(row[-1].strip() for row in rows):
        return "", separator, "Every row ends with a separator that the header lacks; it was ignored."
    first = [row[0] for row in rows]
    if len(rows) < 2 or len(set(first)) < len(first) or "rownames" in names:
        return None  # names of rows differ
    note = "The header has one name fewer than the rows have cells; the first cells were taken for row names."
    return f"rownames{separator}", "", note


def _uneven(path, separator, n_names):
    """The first line with more cells than the header, in words."""
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as stream:
        rows = csv.reader(stream, delimiter=separator)
        try:
            for row in rows:
                if len(row) > n_names and n_names > 0:
                    return f"line {rows.line_num:,} has {len(row):,} cells, but the header has {n_names:,}"
        except csv.Error as error:  # a cell of more than csv.field_size_limit()
            return f"line {rows.line_num:,}: {error}"
    return "a line has more cells than the header"


# ---- all formats ----------------------------------------------------------------------------------------------------


def _read_binary(path, kind, large, limit, seed):
    import polars as pl

    if kind == "ndjson":
        text = _first_bytes(path).lstrip()
        if text[:1] == b"[":
            raise DataError(f"{path} is a single JSON document; use JSON lines, with one object per line")
        scan = pl.scan_ndjson(path, infer_schema_length=10_000)
    elif kind == "parquet":
        scan = pl.scan_parquet(path)
    elif _first_bytes(path).startswith(b"ARROW1"):
        scan = pl.scan_ipc(path)
    else:
        scan = pl.read_ipc_stream(path).lazy()
    if kind == "parquet" and not large:
        n_rows = int(scan.select(pl.len()).collect().item())
        large = n_rows * len(scan.collect_schema()) > MAX_WHOLE_CELLS
    return _collect(scan, large, limit, path, seed)


def _collect(scan, large, limit, path, seed):
    """The frame and the rows of the file; large files by a sample of rows, in a stream."""
    import polars as pl

    if not large:
        frame = scan.collect()
        return frame, len(frame)
    n_rows = int(scan.select(pl.len()).collect(engine="streaming").item())
    n_columns = len(scan.collect_schema())
    share = min(limit / Path(path).stat().st_size, MAX_CELLS / max(n_rows * n_columns, 1))
    index = "__row_of_statlearn__"
    drawn = pl.col(index).hash(seed=seed) < int(share * 2**64)
    sample = scan.with_row_index(index).filter(drawn).drop(index).collect(engine="streaming")
    return sample, n_rows


def _drop_nameless(frame):
    """Without a column that has neither a name nor values: lines that end with a separator make one."""
    if "" in frame.columns and frame.width > 1 and frame[""].null_count() == len(frame):
        return frame.drop("")
    return frame


def _drop_nested(frame, notes):
    import polars as pl

    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested() or dtype in (pl.Binary, pl.Object)]
    if nested:
        shown = ", ".join(map(repr, nested[:5])) + (" ..." if len(nested) > 5 else "")
        notes.append(f"Columns of lists or records were left out: {shown}.")
        frame = frame.drop(nested)
    if not frame.columns:
        raise DataError("the table has no usable columns")
    return frame


def _is_of_polars(error):
    """Whether polars raised this; what it calls a panic is not even an Exception."""
    import polars as pl

    return isinstance(error, pl.exceptions.PolarsError) or type(error).__name__ == "PanicException"


def _first_line(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:300] if lines else type(error).__name__


def _noun(kind):
    return {"csv": "CSV", "ndjson": "JSON lines", "parquet": "Parquet", "arrow": "Arrow", "excel": "Excel"}[kind]
