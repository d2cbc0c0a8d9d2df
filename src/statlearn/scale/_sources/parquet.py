"""Parquet files, one block per row group."""

from .base import Source
from .files import Files, arrow, same_schema


class ParquetSource(Source):
    """Row groups of Parquet files, in the order of the files.

    Parameters
    ----------
    paths : list of path
    """

    def __init__(self, paths):
        parquet = arrow("parquet", "Reading Parquet in blocks")
        self.files = Files(paths)
        self.groups, self.sizes, first = [], [], None
        for k, path in enumerate(self.files.paths):
            try:
                with parquet.ParquetFile(path) as file:
                    meta, schema = file.metadata, file.schema_arrow
            except OSError as error:
                raise OSError(f"`{path}` could not be opened as Parquet: {error}") from error
            except ValueError as error:
                raise ValueError(f"`{path}` is not a Parquet file, or is damaged: {error}") from error
            names, types = list(schema.names), [str(kind) for kind in schema.types]
            if first is None:
                first, self.schema = (names, types), schema
            same_schema(names, types, first, path, f"`{self.files.paths[0]}`")
            groups = [g for g in range(meta.num_row_groups) if meta.row_group(g).num_rows]
            self.groups += [(k, g) for g in groups]
            self.sizes += [meta.row_group(g).num_rows for g in groups]
        self.columns = list(first[0]) if first else []
        self.types = dict(zip(*first)) if first else {}

    def __len__(self):
        return len(self.groups)

    @property
    def n_rows(self):
        return sum(self.sizes)

    def place(self, k):
        file, group = self.groups[k]
        return f"{self.files.paths[file]}, row group {group}"

    def n_bytes(self, k, columns):
        return 8 * self.sizes[k] * len(columns)

    def read(self, k, columns):
        number, group = self.groups[k]
        self.files.check(number)
        table = self._file(number).read_row_group(group, columns=columns)
        if table.num_rows != self.sizes[k]:
            raise ValueError(f"the row group has {table.num_rows} rows, but {self.sizes[k]} when it was opened.")
        return table

    def _file(self, number):
        """The open file; only the last one is kept open."""
        number_open, file = getattr(self, "_open_file", (None, None))
        if number_open != number:
            if file is not None:
                file.close()
            parquet = arrow("parquet", "Reading Parquet in blocks")
            file = parquet.ParquetFile(self.files.paths[number], page_checksum_verification=True)
            self._open_file = number, file
        return file
