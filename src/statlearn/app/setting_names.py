"""Names of settings as the reader knows them: options on the command line, arguments in Python."""

import difflib
from contextlib import contextmanager
from contextvars import ContextVar

_on_command_line: ContextVar[bool] = ContextVar("statlearn_on_command_line", default=False)
_in_studio: ContextVar[bool] = ContextVar("statlearn_in_studio", default=False)

# Arguments whose option has another name than the argument.
_OPTIONS = {
    "groups": "--group",
    "kinds": "--kind",
    "min_confidence": "--confidence",
    "min_support": "--support",
    "n_clusters": "--clusters",
    "n_components": "--components",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "time_order": "--time",
}


# What a reader of the studio's pages clicks.
_CLICKS = {
    "groups": "the role “group”",
    "time_order": "the role “time”",
    "target": "the role “target”",
    "weights": "the role “weight”",
    "drop": "the role “ignore”",
    "keep": "the role “always use”",
    "kinds": "the kind of the column",
}


@contextmanager
def in_studio():
    """Messages inside the block name what there is to click."""
    token = _in_studio.set(True)
    try:
        yield
    finally:
        _in_studio.reset(token)


@contextmanager
def command_line():
    """Messages inside the block name options of the command line."""
    token = _on_command_line.set(True)
    try:
        yield
    finally:
        _on_command_line.reset(token)


def option(argument):
    """What the reader has to write for an argument.

    Examples
    --------
    >>> from statlearn.app.setting_names import command_line, option
    >>> option("time_limit")
    '`time_limit`'
    >>> with command_line():
    ...     option("time_limit"), option("groups")
    ('--time-limit', '--group')
    """
    if _in_studio.get():
        return _CLICKS.get(argument, f"“{argument.replace('_', ' ')}”")
    if not _on_command_line.get():
        return f"`{argument}`"
    return _OPTIONS.get(argument, "--" + argument.replace("_", "-"))


def setting(argument, value):
    """How the reader sets an argument: "--metric mae" or "metric='mae'"."""
    if _on_command_line.get() or _in_studio.get():
        return f"{option(argument)} {value}"
    return f"{argument}={value!r}"


class Options(dict):
    """For `str.format_map`: {repeats} becomes the option or the argument of that name."""

    def __missing__(self, argument):
        return option(argument)


def did_you_mean(name, known):
    """Names near a wrong one, or the known ones."""
    known = [str(k) for k in known]
    near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.5)
    shown = ", ".join(known[:20]) + (" ..." if len(known) > 20 else "")
    return f"did you mean {' or '.join(map(repr, near))}?" if near else f"the columns are: {shown}"


def count(n, noun):
    """A number and its noun: "1 row", "1,200 rows"."""
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def joined(labels):
    """Labels in a row; those of several parts ("MARS, additive") are kept apart by semicolons."""
    labels = list(labels)
    return ("; " if any("," in label for label in labels) else ", ").join(labels)


def in_a_row(words):
    """Words in a sentence: "a, b and c"."""
    words = list(words)
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def listed(names, most=5):
    """Quoted names in a sentence: 'a', 'b' and 3 more."""
    names = list(names)
    if len(names) > most + 1:  # "and 1 more" would be as long as its name
        return ", ".join(map(repr, names[:most])) + f" and {len(names) - most} more"
    if len(names) < 2:
        return "".join(map(repr, names))
    return ", ".join(map(repr, names[:-1])) + f" and {names[-1]!r}"
