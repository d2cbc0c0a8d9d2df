"""The table that `summary()` returns: prints as text, renders as HTML in a notebook, converts to a data frame."""

import html
import math
from dataclasses import dataclass, field

import numpy as np

# How a column is printed: heading, and "value", "p" (p-values), "fixed3" (three decimals) or "count" (whole numbers, if
# all of them are).
HEADINGS = {
    "estimate": ("Estimate", "value"),
    "std_error": ("Std. Error", "value"),
    "t": ("t value", "fixed3"),
    "z": ("z value", "fixed3"),
    "F": ("F value", "fixed3"),
    "chi2": ("chi²", "fixed3"),
    "p": ("p value", "p"),
    "df": ("df", "count"),
    "df_residual": ("residual df", "count"),
    "ci_low": ("lower", "value"),
    "ci_high": ("upper", "value"),
    "odds_ratio": ("odds ratio", "value"),
}


def format_p(p):
    """A p-value as R prints it: four significant digits, and a bound below machine precision."""
    if math.isnan(p):
        return ""
    if p < 2e-16:
        return "<2e-16"
    return f"{p:.4g}" if p >= 1e-4 else f"{p:.2e}"


def format_number(value, digits=6):
    """A number with `digits` significant digits, without an exponent if readable."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if math.isnan(value):
        return "NaN"
    return f"{value:.{digits}g}"


def format_column(values, digits=5):
    """Numbers of one column with the same number of decimals, enough for the smallest relevant entry.

    If they are too different in size for that, as the coefficients of columns in different units may be, each number
    has its own `digits` significant digits.
    """
    values = np.asarray(values, dtype=float)
    finite = np.abs(values[np.isfinite(values) & (values != 0)])
    form = "{:.1f}"
    if finite.size:
        finite = finite[finite > 1e-12 * finite.max()]  # the rest is rounding error
        largest, smallest = (math.floor(math.log10(size)) for size in (finite.max(), finite.min()))
        decimals = min(max(0, digits - 1 - smallest), max(0, digits + 1 - largest), 10)
        form = f"{{:.{decimals}f}}"
        if largest >= 8 or largest < -5:
            form = f"{{:.{digits - 1}e}}" if largest - smallest < 2 else None
        elif decimals + smallest < 1:  # the smallest would show fewer than two digits
            form = None
    return ["" if math.isnan(v) else form.format(v) if form else format_alone(v, digits) for v in values]


def as_counts(weights):
    """Sums of weights as integers, which print without decimals, if all of them are whole numbers."""
    weights = np.asarray(weights, dtype=np.float64)
    return weights.astype(np.int64) if np.all((weights == np.floor(weights)) & (weights < 2**53)) else weights


def format_alone(value, digits):
    """A number with `digits` significant digits or all digits before the point, without an exponent below 1e8."""
    return f"{value:.0f}" if 10**digits <= abs(value) < 1e8 else f"{value:.{digits}g}"


@dataclass
class Table:
    """Named columns of equal length, with a label per row.

    `names` are columns called after something of the user (a feature, a class): printed as they are, as numbers.
    """

    rows: list
    columns: dict
    caption: str = ""
    names: tuple = ()

    def __post_init__(self):
        lengths = {len(self.rows), *(len(column) for column in self.columns.values())}
        if len(lengths) > 1:
            raise ValueError(f"`columns` must have equal lengths, got {sorted(lengths)}.")

    def __getitem__(self, column):
        """A column by its name, as of a `Summary`."""
        return np.asarray(self.columns[column])

    def cells(self):
        """Headings and formatted cells."""
        headings, formatted = [], []
        for name, column in self.columns.items():
            heading, kind = HEADINGS.get(name, (name.replace("_", " "), "value"))
            if name in self.names:
                heading, kind = str(name), "value"
            headings.append(heading)
            if kind == "p":
                formatted.append([format_p(v) for v in column])
            elif kind == "fixed3":
                formatted.append(["" if math.isnan(v) else f"{v:.3f}" for v in column])
            elif kind == "count" and all(v == round(v) for v in np.asarray(column) if np.isfinite(v)):
                formatted.append(["" if math.isnan(v) else f"{v:.0f}" for v in column])
            elif np.asarray(column).dtype.kind == "f":
                formatted.append(format_column(column))
            else:
                formatted.append([format_number(v) for v in column])
        return headings, list(zip(*formatted)) if formatted else [() for _ in self.rows]

    def to_text(self):
        headings, cells = self.cells()
        lines = [["", *headings], *([str(label), *row] for label, row in zip(self.rows, cells))]
        widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
        text = [
            "  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:]))]).rstrip()
            for line in lines
        ]
        return "\n".join(([self.caption] if self.caption else []) + text)

    def to_html(self):
        headings, cells = self.cells()
        escape = html.escape
        head = "".join(f"<th>{escape(h)}</th>" for h in headings)
        body = "".join(
            f"<tr><th>{escape(str(label))}</th>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>"
            for label, row in zip(self.rows, cells)
        )
        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        return f"<table>{caption}<thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"

    def to_frame(self):
        """The table as a pandas DataFrame with full precision."""
        import pandas as pd

        return pd.DataFrame(self.columns, index=pd.Index(self.rows, name="term"))


@dataclass
class Summary:
    """Result of `summary()`.

    ``print`` shows a text table, and a notebook cell renders HTML. Index it for a column (``s["std_error"]``), look up
    statistics of the fit in ``s.facts`` (``s.facts["r2"]``), or convert it with ``to_frame()``.

    Parameters
    ----------
    title : str
    table : Table
        The main table, one row per term.
    facts : dict
        Named numbers about the whole fit, at full precision.
    labels : dict
        Printed labels of the facts. A fact without a label is stored but not printed.
    tables : list of Table
        Further tables.
    notes : list of str
        Sentences printed below the tables.
    """

    title: str
    table: Table
    facts: dict = field(default_factory=dict)
    labels: dict = field(default_factory=dict)
    tables: list = field(default_factory=list)
    notes: list = field(default_factory=list)

    def __getitem__(self, column):
        return np.asarray(self.table.columns[column])

    def to_frame(self):
        """The main table as a pandas DataFrame with full precision."""
        return self.table.to_frame()

    def printed_facts(self):
        """(label, formatted value) of each fact that has a label."""
        for key, label in self.labels.items():
            value = self.facts.get(key)
            if value is not None:
                yield label, format_p(value) if key.endswith("_p") or key == "p" else format_number(value)

    def __str__(self):
        parts = [self.title, "=" * len(self.title), self.table.to_text()]
        facts = list(self.printed_facts())
        if facts:
            width = max(len(label) for label, _ in facts)
            parts += ["", *(f"{label.ljust(width)}  {value}" for label, value in facts)]
        for table in self.tables:
            parts += ["", table.to_text()]
        if self.notes:
            parts += ["", *self.notes]
        return "\n".join(parts)

    __repr__ = __str__

    def _repr_html_(self):
        facts = "".join(
            f"<tr><th>{html.escape(label)}</th><td>{html.escape(value)}</td></tr>"
            for label, value in self.printed_facts()
        )
        parts = [f"<h4>{html.escape(self.title)}</h4>", self.table.to_html()]
        if facts:
            parts.append(f"<table><tbody>{facts}</tbody></table>")
        parts += [table.to_html() for table in self.tables]
        parts += [f"<p>{html.escape(note)}</p>" for note in self.notes]
        return "\n".join(parts)
