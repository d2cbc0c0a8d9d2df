"""The page of the guide from the checks."""

from math import floor

HEAD = """\
.. Made by `make verify`; edit verification/ instead.

Verification
============

Is a number of this package right? Here it stands beside values that nobody here computed. ``make verify`` repeats
all of it in under a minute and writes this page.

**{sentence}**

Digits are minus the decimal logarithm of the relative error, at most 15. A value agrees if it has at least five digits
in common with the reference; whatever has fewer is counted as a difference, including cases in which the reference is
the less accurate of the two. R's values come from R itself, run on the script ``tests/formula/r_values.R``.
"""


def sentence(checks):
    """The counts in one sentence, for the page and the README."""
    differ = sum(not c.agrees for c in checks)
    explained = "each difference explained" if all(c.agrees or c.reason for c in checks) else "not all explained"
    return f"{len(checks)} values: {len(checks) - differ} agree, {differ} differ, {explained}."


def groups(checks, *fields):
    """Lists of checks with the same fields, in order of appearance."""
    found = {}
    for check in checks:
        found.setdefault(tuple(getattr(check, f) for f in fields), []).append(check)
    return found


def fewest_digits(checks):
    """Whole digits, which do not depend on the machine as the last bits do."""
    return max(0, floor(min(c.digits for c in checks)))


def list_table(title, header, rows, widths):
    lines = [title, "-" * len(title), "", ".. list-table::", "    :header-rows: 1", f"    :widths: {widths}", ""]
    for row in (header, *rows):
        lines += [f"    {'*' if i == 0 else ' '} - {cell}" for i, cell in enumerate(row)]
    return "\n".join(lines) + "\n"


def page(checks):
    sources = [
        (source, len(found), sum(c.agrees for c in found), sum(not c.agrees for c in found))
        for (source,), found in groups(checks, "source").items()
    ]
    different = [
        (place, quantity, f"``{call}``", len(found), fewest_digits(found), reason)
        for (place, quantity, call, reason), found in groups(
            [c for c in checks if not c.agrees], "place", "quantity", "call", "reason"
        ).items()
    ]
    everything = [
        (source, place, quantity, f"``{call}``", len(found), fewest_digits(found))
        for (source, place, quantity, call), found in groups(checks, "source", "place", "quantity", "call").items()
    ]
    return "\n".join(
        [
            HEAD.format(sentence=sentence(checks)),
            list_table("Sources", ("source", "values", "agree", "differ"), sources, "50 10 10 10"),
            list_table(
                "Where they differ, and why",
                ("problem", "quantity", "call", "values", "fewest digits", "reason"),
                different,
                "10 10 20 6 6 30",
            ),
            list_table(
                "All comparisons",
                ("source", "problem", "quantity", "call", "values", "fewest digits"),
                everything,
                "22 10 12 26 6 6",
            ),
        ]
    )
