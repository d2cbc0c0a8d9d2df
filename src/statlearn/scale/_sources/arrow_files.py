"""Arrow IPC files (feather), one block per record batch."""

from .base import Source
from .files import Files, arrow, same_schema


class ArrowSource(Source):
    """Record batches of Arrow files, in the order of the files.

    Parameters
    ----------
    paths : list of path
    """

    def __init__(self, paths):
        self.files = Files(paths)
        self.batches, first = [], None
        for k, path in enumerate(self.files.paths):
            with self._reader(path) as reader:
                schema, count = reader.schema, reader.num_record_batches
            names, types = list(schema.names), [str(kind) for kind in schema.types]
            first = first or (names, types)
            same_schema(names, types, first, path, f"`{self.files.paths[0]}`")
            self.batches += [(k, b) for b in range(count)]
        self.columns = list(first[0]) if first else []
        self.types = dict(zip(*first)) if first else {}

    @staticmethod
    def _reader(path):
        ipc = arrow("ipc", "Reading Arrow files in blocks")
        try:
            return ipc.open_file(path)
        except ValueError as error:
            raise ValueError(f"`{path}` is not an Arrow file, or is damaged: {error}") from error

    def __len__(self):
        return len(self.batches)

    def place(self, k):
        file, batch = self.batches[k]
        return f"{self.files.paths[file]}, record batch {batch}"

    def read(self, k, columns):
        number, batch = self.batches[k]
        self.files.check(number)
        with self._reader(self.files.paths[number]) as reader:
            rows = reader.get_batch(batch)
        rows.validate(full=True)
        return arrow("", "Reading Arrow files").Table.from_batches([rows]).select(columns)
