"""What ``statlearn models`` tells of every estimator: objective, parameters and pitfalls, from its docstring."""

import difflib
import inspect
import re
from dataclasses import dataclass, field


@dataclass
class Entry:
    """One estimator."""

    name: str
    address: str  # "statlearn.linear.Lasso"
    family: str
    kind: str  # "regressor", "classifier", "transformer", "clusterer", ...
    summary: str
    labels: list[str] = field(default_factory=list)  # what it is called in a comparison; empty: it takes no part
    sections: list[tuple[str, str]] = field(default_factory=list)


def entries():
    """All estimators by family and name."""
    from statlearn import all_estimators

    return sorted((_entry(name, cls) for name, cls in all_estimators()), key=lambda e: (e.family, e.name))


def find(name):
    """The entry of that name, with the sections of its documentation; a ValueError that names what is near."""
    known = entries()
    wanted = name.rpartition(".")[2].lower()
    for entry in known:
        if wanted == entry.name.lower() or name in entry.labels:
            return entry
    names = [entry.name for entry in known]
    lowered = {n.lower(): n for n in names}
    near = [lowered[n] for n in difflib.get_close_matches(wanted, list(lowered), n=3, cutoff=0.5)]
    hint = f"did you mean {' or '.join(near)}?" if near else "see 'statlearn models' for the list"
    raise ValueError(f"there is no model {name!r}: {hint}")


def _entry(name, cls):
    address = f"{'.'.join(cls.__module__.split('.')[:2])}.{name}"
    sections = split_docstring(inspect.getdoc(cls) or "")
    declared = cls.__dict__.get("_search_space", ())
    spaces = declared if isinstance(declared, (list, tuple)) else (declared,)
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
        labels=[space.label for space in spaces],
        sections=about + wanted,
    )


def _kind(cls):
    from sklearn.utils import get_tags

    kind = get_tags(cls()).estimator_type
    return kind or ("transformer" if hasattr(cls, "transform") else "estimator")


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
