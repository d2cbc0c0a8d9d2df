"""What the user has said about a table: roles and kinds of its columns, kept in a file, shown as a command."""

import hashlib
import json
import shlex
from dataclasses import asdict, dataclass, field, replace

from statlearn._core import atomic_files
from statlearn.app.errors import UsageError
from statlearn.app.tables.asked_kinds import KINDS

ROLES = {
    "feature": "feature",
    "target": "target",
    "group": "group",
    "time": "time",
    "weight": "weight",
    "keep": "always use",
    "drop": "ignore",
}
SINGLE = ("target", "group", "time", "weight")  # roles that one column has


@dataclass(frozen=True)
class Choices:
    """A table by its name, and what its columns are.

    Parameters
    ----------
    data : str
        Name of a file in the studio's folder, or of a built-in table.
    roles : dict of str to str
        Among `ROLES`; a column without one is a feature.
    kinds : dict of str to (str or list of str)
        As `statlearn.compare` takes them.
    settings : dict of str to str
        Fields of the form that starts a comparison, as they were last.
    """

    data: str
    roles: dict = field(default_factory=dict)
    kinds: dict = field(default_factory=dict)
    settings: dict = field(default_factory=dict)

    def column(self, role):
        """The column of a role that one column has, or None."""
        return next((name for name, own in self.roles.items() if own == role), None)

    def columns(self, role):
        """All columns of a role."""
        return [name for name, own in self.roles.items() if own == role]

    def with_role(self, name, role):
        """The choices with another role of a column; it is taken from the column that had it."""
        if role not in ROLES:
            raise UsageError(f"`role` must be one of {', '.join(ROLES)}, got {role!r}")
        roles = {n: r for n, r in self.roles.items() if n != name and not (role in SINGLE and r == role)}
        return replace(self, roles=roles if role == "feature" else {**roles, name: role})

    def with_kind(self, name, kind):
        """The choices with another kind of a column: "auto", a word, or a list of levels."""
        if isinstance(kind, str) and kind not in (*KINDS, "auto"):
            raise UsageError(f"`kind` must be one of auto, {', '.join(KINDS)}, got {kind!r}")
        kinds = {n: k for n, k in self.kinds.items() if n != name}
        return replace(self, kinds=kinds if kind == "auto" else {**kinds, name: kind})

    def asked(self):
        """The kinds as the readers of tables take them."""
        return {name: kind if isinstance(kind, str) else tuple(kind) for name, kind in self.kinds.items()}

    # As a command, and as a call from Python.

    def options(self):
        """The options of ``statlearn compare`` that say this."""
        words = []
        for role, option in (("target", "--target"), ("group", "--group"), ("time", "--time"), ("weight", "--weights")):
            if (name := self.column(role)) is not None:
                words += [option, name]
        # A list of columns is divided at commas, so a name that holds one cannot be in it.
        for role in ("keep", "drop"):
            for name in self.columns(role):
                words += [f"--{role}", name]
        for name, kind in self.kinds.items():
            words += ["--kind", f"{name}={kind if isinstance(kind, str) else '<'.join(kind)}"]
        return words

    def arguments(self):
        """The arguments of `statlearn.compare` that say this."""
        found = {
            "target": self.column("target"), "groups": self.column("group"), "time_order": self.column("time"),
            "weights": self.column("weight"), "keep": self.columns("keep"), "drop": self.columns("drop"),
            "kinds": self.kinds,
        }  # fmt: skip
        return {name: value for name, value in found.items() if value}


def shell(words):
    """A command line that a shell reads as these words."""
    return shlex.join(["statlearn", *map(str, words)])


def python(data, function, arguments, imports="import statlearn"):
    """Lines of Python that read the table and call a function with these arguments."""
    shown = "".join(f",\n    {name}={value!r}" for name, value in arguments.items())
    return (
        f"{imports}\nfrom statlearn.app.tables.table import open_table\n\n"
        f"table = open_table({data!r})\nresult = {function}(\n    table{shown},\n)"
    )


class Memory:
    """The choices of all tables of a folder, one file each.

    Parameters
    ----------
    folder : Folder
    """

    def __init__(self, folder):
        self.folder = folder

    def load(self, data):
        """The choices of a table; those of an unknown one are empty, and so are those of a damaged file."""
        try:
            known = json.loads(self._path(data).read_text(encoding="utf-8"))
            return _checked(Choices(**known), data)
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            return Choices(data)

    def save(self, choices):
        """Keep the choices of a table."""
        atomic_files.write_text(self._path(choices.data), json.dumps(asdict(choices), indent=1))

    def _path(self, data):
        return self.folder.own("choices") / f"{hashlib.sha256(data.encode()).hexdigest()[:24]}.json"


def _checked(choices, data):
    """The choices that were read, if they are choices of this table; ValueError if not."""
    texts = all(isinstance(v, str) for d in (choices.roles, choices.settings) for item in d.items() for v in item)
    kinds = all(
        kind in KINDS if isinstance(kind, str) else all(isinstance(level, str) for level in kind)
        for kind in choices.kinds.values()
    )
    if choices.data != data or not texts or not kinds or not set(choices.roles.values()) <= set(ROLES):
        raise ValueError("choices that were not written by the studio")
    return choices
