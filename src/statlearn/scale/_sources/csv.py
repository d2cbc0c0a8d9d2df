"""CSV files, in blocks of whole lines."""

import io

from .base import Source
from .files import Files, same_schema

_STEP = 2**22  # bytes that are searched for the end of a line at a time


class CsvSource(Source):
    """Parts of CSV files with about the same number of bytes, each ending with a line.

    The types of the columns are those of the first block: a column of whole numbers that holds fractions later on is
    an error, which `types` resolves.

    Parameters
    ----------
    paths : list of path
    n_bytes : int, default=2**25
        Approximate bytes of a block.
    types : dict of str to polars data type, default=None
        Types of columns that the first block does not show.
    """

    def __init__(self, paths, *, n_bytes=2**25, types=None):
        self.files, self.parts, first = Files(paths), [], None
        self.headers, self.schema = [], dict(types or {})
        for k, path in enumerate(self.files.paths):
            header, ends = line_ends(path, n_bytes)
            self.headers.append(header)
            starts = [len(header), *ends]
            self.parts += [(k, begin, end) for begin, end in zip(starts, ends)]
            names = list(self._parse(header, b"").columns)
            if first is None:
                first = names, [""] * len(names)
            same_schema(names, [""] * len(names), first, path, f"`{self.files.paths[0]}`")
        self.columns = first[0] if first else []
        if self.parts:
            table = self._table(0)
            self.schema = {name: kind for name, kind in table.schema.items()}

    def _parse(self, header, body):
        import polars as pl

        return pl.read_csv(
            io.BytesIO(header + body), schema_overrides=self.schema or None, infer_schema_length=None,
            null_values=["", "NA", "NaN", "nan", "null"],
        )  # fmt: skip

    def _table(self, k):
        number, begin, end = self.parts[k]
        with open(self.files.paths[number], "rb") as file:
            file.seek(begin)
            return self._parse(self.headers[number], file.read(end - begin))

    def __len__(self):
        return len(self.parts)

    def place(self, k):
        number, begin, end = self.parts[k]
        return f"{self.files.paths[number]}, bytes {begin} to {end}"

    def read(self, k, columns):
        import polars as pl

        self.files.check(self.parts[k][0])
        try:
            return self._table(k).select(columns)
        except pl.exceptions.PolarsError as error:
            text = str(error).splitlines()[0]
            raise ValueError(f"{text}. The types are those of the first block; pass `types` to change them.") from error


def line_ends(path, n_bytes):
    """The header line of a CSV file, and where its blocks of about `n_bytes` bytes end.

    A line break inside quotes does not end a row: before it, the number of quotes is odd.
    """
    with open(path, "rb") as file:
        header = file.readline()
        position, quotes, ends = len(header), 0, []
        target = position + n_bytes
        while chunk := file.read(_STEP):
            at = 0
            while position + len(chunk) >= target:
                cut = _line_break(chunk, max(at, target - position - 1), quotes, at)
                if cut is None:
                    break
                quotes += chunk.count(b'"', at, cut)
                at = cut
                ends.append(position + cut)
                target = position + cut + n_bytes
            quotes += chunk.count(b'"', at)
            position += len(chunk)
        if position > (ends[-1] if ends else len(header)):
            ends.append(position)
    return header if header.endswith(b"\n") else header + b"\n", ends


def _line_break(chunk, begin, quotes, counted):
    """The place behind the first line break from `begin` that is not inside quotes; None if there is none."""
    while (found_at := chunk.find(b"\n", begin)) >= 0:
        if (quotes + chunk.count(b'"', counted, found_at)) % 2 == 0:
            return found_at + 1
        begin = found_at + 1
    return None
