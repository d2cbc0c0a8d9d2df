"""Columns of measurements in which a few cells are not plain numbers: bounds, approximate values, units, stray words.

A single "<0.5" or "n/a (broken)" must not turn a measurement into a category. Such cells are read as the number that
they show, or as missing if they show none, and a note says so.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

from statlearn._core.text_values import read_number

MIN_SHARE = 0.9  # of the filled cells that are plain numbers; empirical like the next two
MIN_NUMBERS = 10  # distinct plain numbers: with fewer, words may be levels of a scale
MAX_WORDS = 3  # distinct cells without digits
SHOWN = 3

# A number and its unit: any word behind a space, or one of these, which are hardly anything else.
UNIT = re.compile(
    r"(?P<number>.*\d[.,]?)(?P<unit>\s+[^\W\d_]{1,12}|\s*(?:[°º][CF]?|"
    r"[kmcµμn]?(?:g|m|l|L|W|V|A|Hz|Wh|mol|Pa|s)|(?:[kmc]?m|ft|in)[²³23]|lbs?|oz|ft|min|h|hp|hrs?|yrs?|px|mph|km/h|m/s|"
    r"mg/d?l|mmol/l|mmHg|[KMG]B|kcal|USD|EUR|GBP|CHF|Mio|Mrd))\s*"
)
# A bound or an approximate value: a sign or a word before the number, or a sign or a remark behind it.
_MARKED = re.compile(
    r"\s*(?P<before>[<>~≈≤≥±=]{1,2}|(?:ca|c|approx|circa|about|around|over|under|up to|(?:less|more) than)\b\.?)?\s*"
    r"(?P<number>[-+\u2212$€£]?\s*[\d.,].*?)\s*(?P<behind>[*+†‡?]+|\([^()\d]{1,20}\))?\s*",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")


@dataclass
class OddCells:
    """How the texts of a column are read: `values` for all that show a number, `words` for those that do not."""

    values: dict[str, float]
    words: set[str] = field(default_factory=set)
    odd: dict[str, int] = field(default_factory=dict)  # texts that are not plain numbers, with their numbers of cells

    def note(self, name):
        """What was read as what, for the reader of a report."""
        rows = sum(self.odd.values())
        ranked = sorted(self.odd, key=lambda text: (-self.odd[text], text))[:SHOWN]
        shown = [f"{t.strip()!r} as {'missing' if t in self.words else format(self.values[t], '.10g')}" for t in ranked]
        more = ", and so on" if len(self.odd) > SHOWN else ""
        cells = "1 cell is" if rows == 1 else f"{rows:,} cells are"
        return f"In {name!r}, {cells} not plain numbers. Read: {', '.join(shown)}{more}."


def read_odd_cells(cells, decimals=(".", ","), known=False):
    """The numbers of a column that is a measurement but for a few cells, or None if it is something else.

    Parameters
    ----------
    cells : sequence of str
        The cells that are not missing.
    decimals : tuple of str
        Decimal signs, the expected one first.
    known : bool
        Whether the column is known to hold numbers: then a few cells are enough.

    Returns
    -------
    OddCells or None

    Examples
    --------
    >>> from statlearn.app.tables.odd_cells import read_odd_cells
    >>> cells = [f"{k}.5" for k in range(40)]
    >>> found = read_odd_cells([*cells, "<0.5", "~12", "<LOD"])
    >>> found.values["<0.5"], found.values["~12"], found.words
    (0.5, 12.0, {'<LOD'})
    >>> read_odd_cells([*cells, "10-20"]) is None
    True
    """
    counts = Counter(cells)
    tables = [{text: value for text in counts if (value := read_number(text, d)) is not None} for d in decimals]
    by_count = lambda table: sum(counts[text] for text in table)  # noqa: E731
    plain = tables[0] if has_stray_marks(cells, decimals) else max(tables, key=by_count)
    share = sum(counts[text] for text in plain) / max(len(cells), 1)
    if not known and (share < MIN_SHARE or len(plain) < MIN_NUMBERS):
        return None
    other_first = decimals if plain is tables[0] else decimals[::-1]
    odd = {text: n for text, n in counts.items() if text not in plain}
    words = {text for text in odd if not _DIGIT.search(text)}
    found = {text: _marked(text, other_first) for text in odd if text not in words}
    if any(value is None for value, _ in found.values()) or len({unit for _, unit in found.values()} - {""}) > 1:
        return None
    if len(words) > MAX_WORDS or (words and share < MIN_SHARE):
        return None
    return OddCells(plain | {text: value for text, (value, _) in found.items()}, words, odd)


def has_stray_marks(cells, decimals=(".", ",")):
    """Whether a few cells have the other decimal mark, although with it all cells are numbers: "10.035" and "10,1".

    Read with the mark of the few, the points of all others would separate thousands, and the few would be the smallest
    numbers by far. They are strays if their numbers are of the size of the others, whose points are decimal points.

    Examples
    --------
    >>> from statlearn.app.tables.odd_cells import has_stray_marks
    >>> points = [f"{k}.035" for k in range(9, 60)]
    >>> has_stray_marks([*points, "10,1"]), has_stray_marks([*points, "1.234,5"]), has_stray_marks([*points, "900,1"])
    (True, False, False)
    """
    first, second = decimals
    others = {text: value for text in set(cells) if (value := read_number(text, first)) is not None}
    strays = [text for text in cells if text not in others]
    if not strays or len(strays) > (1 - MIN_SHARE) * len(cells) or len(others) < MIN_NUMBERS:
        return False
    values = [None if first in text else read_number(text, second) for text in strays]
    low, high = min(others.values()), max(others.values())
    return all(value is not None and 2 * low - high <= value <= 2 * high - low for value in values)


def _marked(text, decimals):
    """The number of a bound, an approximate value or a quantity with a unit, and the unit; None without one."""
    match = _MARKED.fullmatch(text)
    number, unit = match["number"] if match else text, ""
    if (with_unit := UNIT.fullmatch(number)) is not None:
        number, unit = with_unit["number"], with_unit["unit"].strip().removesuffix("s")
    value = next((v for d in decimals if (v := read_number(number, d)) is not None), None)
    return value, unit
