"""What ``statlearn models`` says about every estimator: objective, parameters and pitfalls, from its docstring."""

import difflib
import inspect
import re
from dataclasses import dataclass, field

from statlearn.app.setting_names import option


@dataclass
class Entry:
    """One estimator."""

    name: str
    address: str  # "statlearn.linear.Lasso"
    family: str
    kind: str  # "regressor", "classifier", "transformer", "clusterer", ...
    summary: str
    names: list[str] = field(default_factory=list)  # what `compare` calls it; empty: it takes no part
    extra: bool = False  # takes part in a comparison only if it is named
    sections: list[tuple[str, str]] = field(default_factory=list)


def entries(*, family=None, task=None):
    """All estimators by family and name, or those of one family or for one task.

    Parameters
    ----------
    family : str or None
    task : {"regression", "classification"} or None

    Returns
    -------
    list of Entry
    """
    from statlearn import all_estimators

    found = sorted((_entry(name, cls) for name, cls in all_estimators()), key=lambda e: (e.family, e.name))
    if family is not None:
        families = sorted({entry.family for entry in found})
        if family not in families:
            raise ValueError(f"{option('family')} must be one of {', '.join(families)}, got {family!r}")
        found = [entry for entry in found if entry.family == family]
    if task is not None:
        kinds = {"regression": "regressor", "classification": "classifier"}
        if task not in kinds:
            raise ValueError(f"{option('task')} must be regression or classification, got {task!r}")
        found = [entry for entry in found if entry.kind == kinds[task]]
    return found


def find(name):
    """The entry of that name, with the sections of its documentation; a ValueError with similar names if none."""
    known = entries()
    wanted = name.rpartition(".")[2].lower()
    for entry in known:
        if wanted == entry.name.lower() or name.lower() in entry.names:
            return entry
    names = {n.lower(): n for entry in known for n in (entry.name, *entry.names)}
    near = [names[n] for n in difflib.get_close_matches(wanted, list(names), n=3, cutoff=0.5)]
    hint = f"did you mean {' or '.join(near)}?" if near else "'statlearn models --all' lists all models"
    raise ValueError(f"unknown model {name!r}; {hint}")


def matching(known, word):
    """The entries among `known` that a word stands for, in the order of `statlearn.find`; a ValueError if none."""
    from statlearn import find

    by_name = {entry.name: entry for entry in known}
    matches = find(word)
    found = [by_name[match.name] for match in matches if match.name in by_name]
    if not found:
        said = f"no estimator matches {word!r}; 'statlearn find {word}' searches functions too" if matches else matches
        raise ValueError(str(said))
    return found


def _entry(name, cls):
    address = f"{'.'.join(cls.__module__.split('.')[:2])}.{name}"
    from statlearn.app.compare.portfolio.selection import slug, spaces_of

    sections = split_docstring(inspect.getdoc(cls) or "")
    spaces = spaces_of(cls)
    summary, about = sections.pop(0)[1], []
    head, _, rest = summary.partition("\n\n")
    if rest.strip():
        about.append(("What it does", readable(rest)))
    wanted = [(title, readable(body)) for title, body in sections if title in ("Parameters", "Notes", "References")]
    return Entry(
        name=name,
        address=address,
        family=cls.__module__.split(".")[1],
        kind=_kind(cls),
        summary=readable(" ".join(head.split())),
        names=[slug(space.label) for space in spaces],
        extra=bool(spaces) and not any(space.default for space in spaces),
        sections=about + wanted,
    )


def _kind(cls):
    from sklearn.utils import get_tags

    # What an estimator is does not depend on its arguments, of which some have required ones.
    kind = get_tags(cls.__new__(cls)).estimator_type if _needs_arguments(cls) else get_tags(cls()).estimator_type
    return kind or ("transformer" if hasattr(cls, "transform") else "estimator")


def _needs_arguments(cls):
    required = [p for p in inspect.signature(cls).parameters.values() if p.default is p.empty]
    return any(p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in required)


def split_docstring(text):
    """A numpydoc docstring as (title, body) pairs; the first has no title."""
    parts = re.split(r"^([A-Z][\w ]+)\n-{3,}[ ]*$", text, flags=re.MULTILINE)
    return [("", parts[0].strip()), *((title, body.strip("\n")) for title, body in zip(parts[1::2], parts[2::2]))]


def readable(text):
    """The docstring's markup taken out as far as a terminal needs it."""
    text = re.sub(r"^\.\. math::[ ]*\n?", "    ", text, flags=re.MULTILINE)
    text = re.sub(r"^\.\. \[(\d+)\][ ]*", r"[\1] ", text, flags=re.MULTILINE)
    text = re.sub(r":\w+:`~?([^`]*)`", r"\1", text)
    text = re.sub(r"``([^`]*)``", r"\1", text)
    return re.sub(r"`([^`]*)`_?", r"\1", text)
