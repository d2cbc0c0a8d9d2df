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
_PLAIN = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")  # most cells: the fast way
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

# Tried in this order; a column uses the first that matches all its cells.
_DATE_FORMATS = ("iso", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%b-%Y", "%d %B %Y", "%B %d, %Y")
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?")


def read_date(text, form="iso"):
    """The date or time in a text cell in the given format (in UTC if it has a time zone), or None.

    Examples
    --------
    >>> from statlearn._core.text_values import read_date
    >>> print(read_date("2024-02-29"), read_date("29.02.2024", "%d.%m.%Y"), read_date("red"))
    2024-02-29 00:00:00 2024-02-29 00:00:00 None
    """
    text = text.strip()
    try:
        if form == "iso":
            return instant(datetime.datetime.fromisoformat(text)) if _ISO.fullmatch(text) else None
        return datetime.datetime.strptime(text, form)
    except ValueError:
        return None


def date_format(texts):
    """The first format in which every text is a date, or None."""
    if not texts:
        return None
    return next((f for f in _DATE_FORMATS if all(read_date(text, f) is not None for text in texts)), None)
