"""Numbers and dates in text: "75K", "$1,200.50", "12 %", "29.02.2024"."""

import datetime
import re


def instant(value):
    """A date or time converted to UTC, without a time zone."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.UTC).replace(tzinfo=None)
    return value


# Numbers in text -----------------------------------------------------------------------------------------------------

_SCALES = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "bn": 1e9, "%": 0.01}
_NUMBER = {
    decimal: re.compile(
        rf"(?P<open>\()?\s*(?P<sign>[-+\u2212])?\s*[$€£¥]?\s*"
        rf"(?P<digits>\d{{1,3}}(?:[{thousands}]\d{{3}})+|\d*)(?P<rest>{re.escape(decimal)}\d+|{re.escape(decimal)})?"
        rf"(?P<power>[eE][-+]?\d+)?\s*(?P<scale>[kKmMbB]|bn|BN|Bn|%)?\s*[$€£¥]?\s*(?(open)\))"
    )
    for decimal, thousands in ((".", ",' "), (",", ".' "))
}
_PLAIN = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")  # fast path for most cells
_CODE = re.compile(r"0\d+")


def read_number(text, decimal="."):
    """The number in a text cell, or None: "75K", "$1,200.50", "12 %", "(300)", "1e-3".

    Examples
    --------
    >>> from statlearn._core.text_values import read_number
    >>> read_number("75K"), read_number("-1,200.5"), read_number("3,5", decimal=","), read_number("red")
    (75000.0, -1200.5, 3.5, None)
    """
    if decimal == "." and _PLAIN.fullmatch(text):
        return float(text)
    match = _NUMBER[decimal].fullmatch(text.strip())
    if match is None:
        return None
    if match["digits"].startswith("0") and not match["digits"].isdigit():
        return None  # "0,123" has a decimal comma, no thousands
    digits = "".join(filter(str.isdigit, match["digits"]))
    rest = (match["rest"] or "").replace(decimal, ".")
    if not digits and len(rest) < 2:
        return None
    value = float(f"{digits or 0}{rest}{match['power'] or ''}") * _SCALES[(match["scale"] or "").lower()]
    return -value if match["open"] or match["sign"] in ("-", "\u2212") else value


def number_format(texts, decimals=(".", ","), codes=False):
    """The first decimal mark with which every text is a number, or None.

    Codes such as "0123" are not numbers, unless `codes` is true.
    """
    if not texts or (not codes and any(_CODE.fullmatch(text.strip()) for text in texts)):
        return None
    return next((d for d in decimals if all(read_number(text, d) is not None for text in texts)), None)


# Dates in text -------------------------------------------------------------------------------------------------------

# Tried in this order. Where a day and a month may change places, a column has one order only, the American one first.
_DAYS = (
    "iso", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%m-%d-%Y", "%d-%m-%Y", "%d-%b-%Y", "%d-%b-%y",
    "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%B %d %Y", "%b %d %Y", "%Y-%m", "%b %Y", "%B %Y", "%m/%d/%y",
    "%d/%m/%y", "%d.%m.%y",
)  # fmt: skip
_CLOCKS = ("", " %H:%M", " %H:%M:%S", ", %H:%M", ", %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
_DATE_FORMATS = tuple(day + clock for day in _DAYS for clock in (_CLOCKS if day != "iso" else _CLOCKS[:1]))
_ORDERS = (re.compile("%d[-/]%m"), re.compile("%m[-/]%d[-/]"))  # formats that each of the two orders leaves out
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?")
_SHORT = re.compile(r"\d\d\.\d\d\.\d\d\b")
_MANY_SHAPES = 5  # of a column of dates, which differ as in "1 May 2024" and "2024-05-01"


def read_date(text, form="iso"):
    """The date or time in a text cell in the given format (in UTC if it has a time zone), or None.

    Several formats are joined by "|", as by :func:`date_format`; the first that fits the cell is taken.

    Examples
    --------
    >>> from statlearn._core.text_values import read_date
    >>> print(read_date("2024-02-29"), read_date("29.02.2024", "iso|%d.%m.%Y"), read_date("red"))
    2024-02-29 00:00:00 2024-02-29 00:00:00 None
    """
    text = text.strip()
    for one in form.split("|"):
        if one.startswith("%d.%m.%y") and not _SHORT.match(text):  # versions and sections look like it: "1.2.10"
            continue
        try:
            if one != "iso":
                return datetime.datetime.strptime(text, one)
            if _ISO.fullmatch(text):
                return instant(datetime.datetime.fromisoformat(text))
        except ValueError:
            continue
    return None


def date_format(texts):
    """The format in which every text is a date, or None; several formats are joined by "|".

    A column may mix ways of writing a date ("2024-02-29", "29.02.2024"), but not the two orders of day and month:
    "02/29/2024" and "29/02/2024" in one column are text.

    Examples
    --------
    >>> from statlearn._core.text_values import date_format
    >>> date_format(["2024-02-29", "31.01.2024"]), date_format(["02/29/2024", "29/02/2024"])
    ('iso|%d.%m.%Y', None)
    """
    shapes = {}
    for text in texts:
        shapes.setdefault(_shape(text), []).append(text)
        if len(shapes) > _MANY_SHAPES:
            return None
    return next(filter(None, (_common_format(shapes, order) for order in _ORDERS)), None)


def month_comes_first(texts):
    """Whether dates were read with the month first although every one of them could have the day first."""
    form = date_format(texts)
    if form is None or not _ORDERS[1].search(form):
        return False
    swapped = re.sub("%m([-/])%d", r"%d\1%m", form)
    return all(read_date(text, swapped) is not None for text in texts)


def _shape(text):
    """Pattern of a date without its digits and letters: "29 Feb 2024" is "9 a 9"."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text.strip()))


def _common_format(shapes, left_out):
    """Formats without those of one order of day and month that read all texts, in the order of `_DATE_FORMATS`."""
    forms = [form for form in _DATE_FORMATS if not left_out.search(form)]
    orders = set()
    for texts in shapes.values():
        fitting = next((f for f in forms if all(read_date(text, f) is not None for text in texts)), None)
        if fitting is None:
            return None
        orders.add(fitting)
    return "|".join(form for form in forms if form in orders) or None
