"""Clusters, coordinates and rules: the commands for tables without a target, as forms."""

import re
from pathlib import Path

from statlearn.app.errors import UsageError
from statlearn.app.studio.choices import shell
from statlearn.app.studio.look import Look
from statlearn.app.studio.web import asked, see

# Fields of the forms: name, words, kind or choices, usual value, note.
FORMS = {
    "cluster": (
        "Clusters",
        "Do the rows form groups, how many, and what distinguishes them?",
        [
            ("method", "Method", ("kmeans", "kmedoids", "ward", "gaussian"), "kmeans", "How rows are put together."),
            ("clusters", "Clusters", "number", "", "Empty: the number that most validity indices favour."),
            ("max-clusters", "At most", "number", "10", "The largest number of clusters that is tried."),
            ("truth", "Known classes", "column", "", "Compared with the clusters, not used for them."),
        ],
    ),
    "embed": (
        "Map",
        "Give every row two coordinates, so that a picture shows which rows are alike.",
        [
            (
                "method",
                "Method",
                ("pca", "factors", "ica", "nmf", "mds", "isomap", "spectral"),
                "pca",
                "How rows are placed.",
            ),
            ("components", "Coordinates", "number", "2", "How many coordinates each row gets."),
            ("colour", "Colour", "column", "", "Colours the pictures, not used for the coordinates."),
        ],
    ),
    "rules": (
        "Rules",
        "What occurs together? Rules that hold beyond chance, checked on other rows.",
        [
            (
                "support",
                "Support",
                "real",
                "",
                "Smallest share of the rows; empty: chosen so that some rules are found.",
            ),
            (
                "confidence",
                "Confidence",
                "real",
                "0.3",
                "Smallest share of the rows with the left side that have the right.",
            ),
            ("bins", "Intervals", "number", "2", "Into how many intervals numbers are cut."),
            ("max-len", "Items", "number", "4", "The largest number of items of a rule."),
        ],
    ),
}


def routes(studio):
    """Pages and actions of this module."""
    web, pages = studio.web, ExplorePages(studio)
    return [
        *(web.get(f"/{kind}", pages.form(kind)) for kind in FORMS),
        web.post("/explore/start", pages.start),
    ]


class ExplorePages:
    """The forms of the commands without a target.

    Parameters
    ----------
    studio : Studio
    """

    def __init__(self, studio):
        self.studio, self.render, self.look = studio, studio.web.render, Look(studio)

    def form(self, kind):
        """The page with the form of a command."""
        title, words, fields = FORMS[kind]

        def page(request):
            data = asked(request, "data")
            opened = self.studio.tables.get(data)
            choices = self.look.choices(data, opened)
            usual = {name: value for name, _, _, value, _ in fields}
            return self.render(
                "explore.html.j2",
                title=f"{title}: {data}",
                at=kind,
                data=data,
                kind=kind,
                heading=title,
                words=words,
                fields=fields,
                columns=opened.frame.columns[:500],
                out=self._free_folder(data, kind),
                dropped=choices.columns("drop"),
                command=shell(self._words(kind, data, choices, usual, "FOLDER")),
                past=[job for job in self.studio.jobs.all() if job.kind == kind and job.data == data][:10],
            )

        return page

    def _free_folder(self, data, kind):
        ending = {"cluster": "clusters", "embed": "embedding", "rules": "rules"}[kind]
        stem = re.sub(r"[^\w.-]", "-", Path(data).stem) or "table"
        found = (f"{stem}-{ending}{'' if k == 1 else f'-{k}'}" for k in range(1, 10_000))
        return next(name for name in found if not (self.studio.folder.root / name).exists())

    @staticmethod
    def _words(kind, data, choices, values, out):
        words = [kind, data]
        for name, _, _, usual, _ in FORMS[kind][2]:
            value = values.get(name, usual)
            if value != usual:
                words += [f"--{name}", value]
        for name in choices.columns("drop"):
            words += ["--drop", name]
        return [*words, "--out", out]

    def start(self, request, fields):
        """Start the command in a process of its own."""
        kind, data = fields.get("kind", ""), fields.get("data", "")
        if kind not in FORMS:
            raise UsageError(f"`kind` must be one of {', '.join(FORMS)}")
        opened = self.studio.tables.get(data)
        values = {}
        for name, words, what, usual, _ in FORMS[kind][2]:
            value = fields.get(name, usual).strip()
            if isinstance(what, tuple) and value not in what:
                raise UsageError(f"“{words}” must be one of {', '.join(what)}, got {value!r}")
            if what == "column" and value:
                opened.column(value)
            if what in ("number", "real") and value and not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", value):
                raise UsageError(f"“{words}” must be a number, got {value[:40]!r}")
            values[name] = value
        out = fields.get("out", "").strip() or self._free_folder(data, kind)
        place = self.studio.folder.path(out)
        if place.exists():
            raise UsageError(f"{out} exists; choose another folder")
        name = self.studio.folder.name(place)
        words = self._words(kind, data, self.look.choices(data, opened), values, name)
        return see("/job", name=self.studio.jobs.start(kind, words, data, name).name)
