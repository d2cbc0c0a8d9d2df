"""Look at a table: its rows, what its columns are, what is wrong with them, and two columns against each other."""

import datetime

from markupsafe import Markup
from starlette.responses import HTMLResponse

from statlearn.app.errors import UsageError
from statlearn.app.honesty.preview import warnings_before
from statlearn.app.names import moment
from statlearn.app.report.content import _column, data_section
from statlearn.app.report.svg import shorten
from statlearn.app.studio.choices import ROLES, python, shell
from statlearn.app.studio.pictures import two_columns
from statlearn.app.studio.suggestions import suggestions
from statlearn.app.studio.web import asked, is_part, number, see
from statlearn.app.tables.asked_kinds import KINDS, levels_of

ROWS, WIDE = 40, 24  # rows and columns of a window
MAX_CELL = 80  # characters
FACTS = ("missing values", "duplicate rows")
PART = 60  # columns that are described at once
MAX_LEVELS = 40  # of a column whose order can be changed


def routes(studio):
    """Pages and actions of this module."""
    web = studio.web
    look = Look(studio)
    return [
        web.get("/look", look.page),
        web.get("/look/columns", look.columns),
        web.get("/look/rows", look.rows),
        web.get("/look/warnings", look.warnings),
        web.get("/look/two", look.two),
        web.post("/look/choose", look.choose),
        web.post("/look/order", look.order),
    ]


def cell_text(value):
    """A cell as it is in the table: no digit of a number is left out, and long text is cut.

    Examples
    --------
    >>> from statlearn.app.studio.look import cell_text
    >>> cell_text(10115), cell_text(471.49), cell_text(3.0), cell_text(None), cell_text(True)
    ('10115', '471.49', '3', '–', 'yes')
    """
    if value is None or value != value:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.12g}".replace("-", "−")
    if isinstance(value, int):
        return str(value).replace("-", "−")
    return moment(value) if isinstance(value, datetime.date) else shorten(value, MAX_CELL)


class Look:
    """The pages of one table.

    Parameters
    ----------
    studio : Studio
    """

    def __init__(self, studio):
        self.studio, self.render = studio, studio.web.render

    def _open(self, request):
        """The table that is asked for, and what the user has said about it."""
        data = asked(request, "data")
        opened = self.studio.tables.get(data)
        return data, opened, self.choices(data, opened)

    def choices(self, data, opened):
        """The choices of a table; a built-in table brings its target."""
        choices = self.studio.memory.load(data)
        target = opened.table.target
        if target is not None and not choices.roles and not choices.kinds:
            choices = choices.with_role(target, "target")
        return choices

    def page(self, request):
        """The page with the first rows; the rest follows when it has been computed."""
        data, opened, choices = self._open(request)
        columns = opened.frame.columns
        return self.render(
            "look.html.j2", title=data, at="look", data=data, source=opened.table.source,
            facts=[("rows", f"{opened.table.n_rows:,}"), ("columns", f"{len(columns):,}")],
            notes=opened.table.notes, columns=columns, target=choices.column("target"),
            **self._two_first(opened, choices), **self._window(opened, 0, 0),
        )  # fmt: skip

    def _two_first(self, opened, choices):
        """The columns of the first picture: the target, or the last one, against the first other one."""
        columns = opened.frame.columns
        up = choices.column("target") or columns[-1]
        numbers = [c for c in columns if c != up and opened.frame[c].dtype.is_numeric()]
        return {"across": next(iter(numbers), columns[0]), "up": up}

    # Rows.

    def rows(self, request):
        """A window of rows and columns."""
        data, opened, _ = self._open(request)
        start = number(request.query_params.get("start"), "start", 0, 10**12, 0, whole=True)
        first = number(request.query_params.get("first"), "first", 0, 10**9, 0, whole=True)
        return self.render("rows.html.j2", data=data, **self._window(opened, start, first))

    def _window(self, opened, start, first):
        frame = opened.frame
        n, p = frame.shape
        start, first = min(start, max(n - ROWS, 0)), min(first, max(p - WIDE, 0))
        shown = frame.columns[first : first + WIDE]
        part = frame[start : start + ROWS].select(shown)
        cells = [[cell_text(value) for value in part[name].to_list()] for name in shown]
        return {
            "window": {
                "start": start, "end": min(start + ROWS, n), "n": n, "first": first, "last": first + len(shown), "p": p,
                "step": ROWS, "wide": WIDE, "names": shown,
                "numeric": [part[name].dtype.is_numeric() for name in shown],
                "rows": [(start + k, row) for k, row in enumerate(zip(*cells))],
            }
        }  # fmt: skip

    # Columns.

    def columns(self, request):
        """Columns with their kinds, roles and distributions."""
        data, opened, choices = self._open(request)
        start = number(request.query_params.get("from"), "from", 0, 10**9, 0, whole=True)
        return self._columns(data, opened, choices, request.query_params.get("q", "")[:200], start)

    def _columns(self, data, opened, choices, wanted="", start=0):
        profile = opened.profile(choices)
        target = choices.column("target")
        found = [c for c in profile.columns if wanted.casefold() in c.name.casefold()]
        found.sort(key=lambda c: c.name != target)
        why = profile.left_out
        rows = []
        for column in found[start : start + PART]:
            row = _column(column, profile.n_rows, column.name == target)
            left = why.get(column.name, "") if column.name != target else ""
            left = "" if choices.roles.get(column.name) in ("drop", "group") else left
            row["note"] = "; ".join(filter(None, [f"left out: {left}" if left else "", row["note"]]))
            kind = choices.kinds.get(column.name)
            row |= {
                "column": column.name, "role": choices.roles.get(column.name, "feature"), "place": start + len(rows),
                "wish": "auto" if kind is None else kind if isinstance(kind, str) else "ordered",
                "levels": None if kind is None or isinstance(kind, str) else kind,
                "used": not left and choices.roles.get(column.name) not in ("drop", "group"),
            }  # fmt: skip
            rows.append(row)
        return self.render(
            "columns.html.j2", data=data, rows=rows, kinds=KINDS, roles=ROLES, start=start, wanted=wanted,
            following=start + PART if start + PART < len(found) else None, n=len(found),
            facts=[f for f in data_section(profile, [], target)["facts"] if f[0] in FACTS],
            notes=[n for n in profile.notes if n not in opened.table.notes],
        )  # fmt: skip

    def choose(self, request, fields):
        """Set the role or the kind of a column."""
        data, name = fields.get("data", ""), fields.get("column", "")
        opened = self.studio.tables.get(data)
        choices = self.choices(data, opened)
        if not name and fields.get("role") == "target":  # none is to be predicted
            name, fields = choices.column("target") or opened.frame.columns[0], {"role": "feature"}
        opened.column(name)
        if "role" in fields and fields["role"] != choices.roles.get(name, "feature"):
            choices = choices.with_role(name, fields["role"])
        if "kind" in fields:
            choices = choices.with_kind(name, self._kind(opened, choices, name, fields["kind"]))
        return self._changed(request, data, opened, choices)

    def _kind(self, opened, choices, name, kind):
        """The kind of a column, where "ordered" means the levels as they are, or as they have been put."""
        if kind != "ordered":
            return kind
        known = choices.kinds.get(name)
        if known is not None and not isinstance(known, str):
            return known
        levels = levels_of(opened.frame, name)
        if not 2 <= len(levels) <= MAX_LEVELS:
            raise UsageError(f"{name!r} has {len(levels):,} levels; an order needs from 2 to {MAX_LEVELS} of them")
        return levels

    def order(self, request, fields):
        """Move a level of an ordered column up or down."""
        data, name = fields.get("data", ""), fields.get("column", "")
        opened = self.studio.tables.get(data)
        choices = self.choices(data, opened)
        levels = choices.kinds.get(opened.column(name))
        if not isinstance(levels, list):
            raise UsageError(f"{name!r} has no order of levels")
        way, _, place = fields.get("move", "").partition(":")
        at = number(place, "move", 0, len(levels) - 1, whole=True)
        to = at - 1 if way == "down" else at + 1
        if 0 <= to < len(levels):
            levels = list(levels)
            levels[at], levels[to] = levels[to], levels[at]
        return self._changed(request, data, opened, choices.with_kind(name, levels))

    def _changed(self, request, data, opened, choices):
        """Keep the choices if the table can be read with them, and show its columns again."""
        content = self._columns(data, opened, choices)
        self.studio.memory.save(choices)
        if not is_part(request):
            return see("/look", data=data)
        return HTMLResponse(content, headers={"hx-trigger": "choices-changed"})

    # Warnings, and the command that says the same.

    def warnings(self, request):
        """What could mislead a comparison with these choices, and the command that makes it."""
        data, opened, choices = self._open(request)
        key = ("warnings", repr((sorted(choices.roles.items()), sorted(choices.kinds.items()))))
        found = opened.remember(key, lambda: self._warnings(opened, choices))
        words = ["compare", data, *choices.options()]
        return self.render(
            "warnings.html.j2", data=data, findings=found,
            offers=[suggestions(finding, opened.frame.columns) for finding in found], target=choices.column("target"),
            command=shell(words), call=python(data, "statlearn.compare", choices.arguments()),
        )  # fmt: skip

    def _warnings(self, opened, choices):
        return warnings_before(
            opened.table, choices.column("target"), groups=choices.column("group"), time_order=choices.column("time"),
            keep=tuple(choices.columns("keep")), drop=tuple(choices.columns("drop")), kinds=choices.asked(),
            profile=opened.profile(choices),
        )  # fmt: skip

    # Two columns.

    def two(self, request):
        """A column against another one, coloured by a third."""
        data, opened, choices = self._open(request)
        x, y = (opened.column(asked(request, name)) for name in ("x", "y"))
        colour = request.query_params.get("colour") or None
        frame, _ = opened.read_as(choices)
        if colour is not None:
            opened.column(colour)
        kinds = {c.name: c.kind for c in opened.profile(choices).columns if c.name in (x, y, colour)}
        svg, words = two_columns(frame, kinds, x, y, colour)
        return self.render("two.html.j2", data=data, svg=Markup(svg), words=words)
