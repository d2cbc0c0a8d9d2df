"""Numbers written as text, and words that stand for a missing value: one rule for every table.

The words of `MISSING` and the signs of `DASHES` are missing values; a column of text in which every other cell
shows a number ("475,000", "$475.00", "25.7 %", "1.234,56") is a column of numbers, and so is one in which all cells
have the same unit ("71.5 kg") or show a time of day ("10:30"), and one in which a few cells are bounds, approximate
values or stray words ("<0.5", "~12"; see :mod:`statlearn.app.tables.odd_cells`). It holds for features and targets,
when a model is fitted and when it predicts.
"""

import re

import narwhals as nw

from statlearn._core.text_values import date_format, number_format, read_date, read_number
from statlearn.app.tables.odd_cells import UNIT, has_stray_marks, read_odd_cells

MISSING = [
    "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "?", "<NA>", "#N/A", "#NA", "#N/A N/A", "#VALUE!", "#DIV/0!",
    "#REF!", "#NUM!",
]  # fmt: skip
# Missing where everything else in the column is a number, in any case: elsewhere they may be a level.
GAPS_AMONG_NUMBERS = {
    "k.a.", "k. a.", "n.a.", "n. a.", "n.d.", "n/d", "nd", "nil", "none", "missing", "unknown", "not available",
    "not applicable", "not reported", "unbekannt", "keine angabe", "blank", "(blank)", "tbd", "*", "**",
    "---", "----", "lod", "<lod", "< lod", "bdl", "<loq", "< loq", "<lloq", "not detected",
}  # fmt: skip
# Missing too, unless the column has a plus sign or another sign beside them: then they are a level.
DASHES = ("-", "--", ".", "..", "—", "–")
FIRST_LOOK = 100  # distinct cells that are read before all others are
COLUMNS_NAMED = 5
_CLOCK = re.compile(r"\s*(\d{1,3}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?\s*")


def read_cells(frame, decimal=".", only=None, codes=False):
    """Convert numbers written as text, and words that stand for missing values.

    Parameters
    ----------
    frame : narwhals frame
    decimal : {".", ","}
        The decimal sign of the table; the other one is tried too.
    only : collection of str or None
        The columns to look at; None for all.
    codes : bool
        Whether digits behind a zero ("0123") are numbers too: in columns that are known to hold numbers.

    Returns
    -------
    frame : narwhals frame
    notes : list of str
        What was read as what.
    """
    numbers, gaps, columns, odd = {}, {}, [], []
    decimals = (decimal, "," if decimal == "." else ".")
    for name, dtype in frame.schema.items():
        if dtype not in (nw.String, nw.Time) or (only is not None and name not in only):
            continue
        series = frame[name].cast(nw.String)
        made, shown, marks = read_column(series, decimals, codes)
        if (made is None or made.dtype == nw.String) and (mixed := _read_odd(series, marks, decimals, codes)):
            made, note = mixed
            odd.append(note)
        if made is None:
            continue
        columns.append(made)
        if shown:
            numbers[name] = shown
        if marks:
            gaps[name] = marks
    if not columns:
        return frame, []
    return frame.with_columns(columns), _notes(numbers, gaps) + odd


def read_column(series, decimals=(".", ","), codes=False):
    """A column of text after reading, an unusual number in it, and the words that were read as missing.

    The column is None if there is nothing to do.
    """
    distinct = [text for text in series.unique().to_list() if isinstance(text, str)]  # pandas has NaN among them
    marks = missing_words(distinct)
    rest = [text for text in distinct if text not in marks]
    sign, bare = _as_numbers(rest, decimals, codes)
    if sign == decimals[1] and has_stray_marks([text for text in series.to_list() if text in bare], decimals):
        return None, "", marks  # a measurement with a few odd cells
    words = {text for text in rest if text.strip().casefold() in GAPS_AMONG_NUMBERS}
    if sign is None and words and (codes or len(rest) > len(words)):
        numbers = [text for text in rest if text not in words]
        sign, bare = _as_numbers(numbers, decimals, codes) if numbers else (decimals[0], {})
        if sign is not None:
            rest, marks = numbers, marks | words
    if sign is None:
        if rest and all(_CLOCK.fullmatch(text) for text in rest):
            return _read_clock(series, rest, marks)
        if date_format(rest[:FIRST_LOOK]) == "iso" and date_format(rest) == "iso":
            return _mapped(series, {text: read_date(text) for text in rest}, nw.Datetime("us")), "", marks
        return (_mapped(series, {text: text for text in rest}, nw.String) if marks else None), "", marks
    table = {text: read_number(bare[text], sign) for text in rest}
    plain = [text for text in rest if _is_plain(text, sign)]
    whole = len(plain) == len(rest) and all(text.strip().lstrip("+-").isdigit() for text in rest)
    if whole and all(abs(value) < 2**53 for value in table.values()):
        made = _mapped(series, {text: int(value) for text, value in table.items()}, nw.Int64)
    else:
        made = _mapped(series, table, nw.Float64)
    odd = min(set(rest) - set(plain), key=lambda text: (table[text] == 0, text), default="")
    return made, odd and f"{odd.strip()!r} is {table[odd]:.10g}", marks


def _read_odd(series, marks, decimals, codes):
    """A column of numbers but for a few cells, and the note on these; None if it is something else."""
    cells = [text for text in series.to_list() if isinstance(text, str) and text not in marks]
    if not cells or (not codes and not _looks_numeric(cells, decimals)):
        return None
    words = {text for text in set(cells) if text.strip().casefold() in GAPS_AMONG_NUMBERS}
    found = read_odd_cells([text for text in cells if text not in words], decimals, known=codes)
    if found is None:
        return None
    for text in words:
        found.words.add(text)
        found.odd[text] = cells.count(text)
    return _mapped(series, found.values, nw.Float64), found.note(series.name)


def _looks_numeric(cells, decimals):
    """Whether half of the first cells are numbers: a quick look, so that long columns of words cost little."""
    few = cells[:FIRST_LOOK]
    return max(sum(read_number(text, d) is not None for text in few) for d in decimals) >= 0.5 * len(few) > 0


def _as_numbers(texts, decimals, codes):
    """The decimal sign with which all texts are numbers, or None, and the texts without their unit."""
    sign = _sign(texts, decimals, codes)
    if sign is None and (bare := without_unit(texts)):
        return _sign(list(bare.values()), decimals, codes), bare
    return sign, {text: text for text in texts}


def _read_clock(series, texts, marks):
    """Times such as "10:30" in units of their first part, which are hours for times of the day."""
    parts = {text: [float(part or 0) for part in _CLOCK.fullmatch(text).groups()] for text in texts}
    table = {text: first + (second + third / 60) / 60 for text, (first, second, third) in parts.items()}
    shown = max(texts, key=lambda text: (table[text] % 1 > 0, text))
    return _mapped(series, table, nw.Float64), f"{shown.strip()!r} is {table[shown]:.4g}", marks


def _sign(texts, decimals, codes):
    """The decimal sign with which all texts are numbers, or None; a few of them are looked at first."""
    sign = number_format(texts[:FIRST_LOOK], decimals, codes) if texts else None
    return sign and number_format(texts, decimals, codes)


def without_unit(texts):
    """The texts without the unit that they all have in common: {"71.5 kg": "71.5"}; empty if there is none.

    Examples
    --------
    >>> from statlearn.app.tables.cell_text import without_unit
    >>> without_unit(["71.5 kg", "80 kg"]), without_unit(["71.5 kg", "158 lb"]), without_unit(["1st", "2nd"])
    ({'71.5 kg': '71.5', '80 kg': '80'}, {}, {})
    """
    bare, units = {}, set()
    for text in texts:
        found = UNIT.fullmatch(text)
        unit = found and found["unit"].strip()
        units.add(unit.removesuffix("s") if unit and len(unit) > 3 else unit)  # "1 year", "2 years"
        if found is None or len(units) > 1:
            return {}
        bare[text] = found["number"]
    return bare if len(bare) > 1 else {}


def missing_words(distinct):
    """Those of the distinct cells of a column that stand for a missing value."""
    stripped = {text: text.strip() for text in distinct}
    marks = {text for text, short in stripped.items() if short in MISSING or not short}
    dashes = {text for text, short in stripped.items() if short in DASHES}
    others = [short for text, short in stripped.items() if text not in marks and text not in dashes]
    signs = any(len(short) == 1 and not short.isalnum() for short in others)
    if dashes and others and not signs and len({stripped[text] for text in dashes}) == 1:
        marks |= dashes
    return marks


def _is_plain(text, sign):
    """Whether a text is a plain number apart from its decimal sign."""
    if sign == "," and "." in text:
        return False
    try:
        float(text.replace(sign, "."))
    except ValueError:
        return False
    return True


def _mapped(series, table, dtype):
    values = [table.get(text) for text in series.to_list()]
    if dtype == nw.Int64 and None in values and not series.implementation.is_polars():
        dtype = nw.Float64  # integers of pandas have no missing cells
    return nw.new_series(series.name, values, dtype, backend=series.implementation)


def _notes(numbers, gaps):
    notes = []
    if numbers:
        shown = ", ".join(f"{name!r} ({text})" for name, text in list(numbers.items())[:COLUMNS_NAMED])
        more = f" and {len(numbers) - COLUMNS_NAMED} more" if len(numbers) > COLUMNS_NAMED else ""
        notes.append(f"Numbers written as text were converted in {shown}{more}.")
    words = sorted({word.strip() for marks in gaps.values() for word in marks if word.strip()})
    if words:
        shown = ", ".join(map(repr, list(gaps)[:COLUMNS_NAMED]))
        more = f" and {len(gaps) - COLUMNS_NAMED} more columns" if len(gaps) > COLUMNS_NAMED else ""
        verb = "was read as a missing value" if len(words) == 1 else "were read as missing values"
        notes.append(f"{', '.join(map(repr, words[:6]))} {verb} in {shown}{more}.")
    return notes
