"""Lists of rules, boxes and regions that print one entry per line."""


class TextList(list):
    """List of objects that print as sentences: one per line, and as a data frame by their method ``row``."""

    def __repr__(self):
        return "\n".join(map(str, self)) if self else "[]"

    def __getitem__(self, k):
        chosen = super().__getitem__(k)
        return TextList(chosen) if isinstance(k, slice) else chosen

    def __add__(self, other):
        return TextList(super().__add__(other))

    def to_frame(self, backend="pandas"):
        """The entries as a data frame with one row each; columns without any value are left out.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default="pandas"

        Returns
        -------
        data frame
        """
        if backend not in ("pandas", "polars"):
            raise ValueError(f"`backend` must be 'pandas' or 'polars', got {backend!r}.")
        if backend == "pandas":
            import pandas as maker
        else:
            import polars as maker
        rows = [entry.row() for entry in self]
        columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
        return maker.DataFrame({name: cells for name, cells in columns.items() if any(c == c for c in cells)})
