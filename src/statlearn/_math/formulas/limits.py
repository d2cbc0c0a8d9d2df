"""Limits of formulas: errors name them, and a formula within them is read and expanded in about a second."""

MAX_LENGTH = 1_000_000  # characters of a formula
MAX_TOKENS = 100_000  # names, numbers and operators of a formula
MAX_NAME = 10_000  # characters of a name or a string
MAX_DIGITS = 100  # digits of a number
MAX_DEPTH = 100  # expressions within each other: brackets, arguments, signs and right operands
MAX_OPERATIONS = 1_000  # operators and calls within one variable, such as I(a + b + c)
MAX_POWER = 100  # of a sum of terms: (a + b)^2
MAX_ORDER = 30  # variables in one term: a:b:c
MAX_TERMS = 10_000
MAX_PRODUCTS = 300_000  # products of terms in the course of the expansion
MAX_COLUMNS = 100_000  # columns of a design
MAX_BASIS = 1_000  # columns or knots of one polynomial or spline
MAX_DEGREE = 30  # of a spline
MAX_TENSOR = 2_500  # functions of one tensor product


def shortened(text, limit=200):
    """The text in quotation marks, abbreviated if it is long."""
    return repr(text) if len(text) <= limit else f"{text[:limit]!r}... ({len(text):,} characters)"


def over(limit):
    """The value of a limit and its name, as the errors about it end: ``the limit of 10,000 (MAX_TERMS)``."""
    return f"the limit of {globals()[limit]:,} ({limit})"
