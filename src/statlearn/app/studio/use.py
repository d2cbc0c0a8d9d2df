"""Use a saved model: what if a cell were different, and predictions for a file."""

import json
import threading
from collections import OrderedDict

import numpy as np
from markupsafe import Markup
from starlette.responses import FileResponse

from statlearn.app import names
from statlearn.app.errors import UsageError
from statlearn.app.explain.live import LiveTable
from statlearn.app.explain.what_if import what_if
from statlearn.app.model.predict import load_table_model
from statlearn.app.report.figures import extent
from statlearn.app.report.svg import Plot, shorten
from statlearn.app.report.what_if import reason_rows
from statlearn.app.studio.choices import shell
from statlearn.app.studio.web import asked, number, see
from statlearn.app.tables import frames

MOST_OPEN = 2  # models with their tables in memory
MAX_FIELDS = 80
MAX_KEPT = 12
BACKGROUND = 200  # rows behind an explanation
MODEL = "model.statlearn"


def routes(studio):
    """Pages and actions of this module."""
    web, pages = studio.web, UsePages(studio)
    return [
        web.get("/whatif", pages.page),
        web.get("/whatif/answer", pages.answer),
        web.get("/whatif/reasons", pages.reasons),
        web.get("/predict", pages.predict),
        web.get("/predict/drift", pages.drift),
        web.post("/predict/start", pages.start),
        web.get("/job/file", pages.file),
    ]


class UsePages:
    """Pages of saved models.

    Parameters
    ----------
    studio : Studio
    """

    def __init__(self, studio):
        self.studio, self.render = studio, studio.web.render
        self._open, self._lock = OrderedDict(), threading.Lock()

    def _model(self, folder):
        """The model of a folder, by the safe reader."""
        path = self.studio.folder.path(f"{folder}/{MODEL}")
        key = ("model", folder, path.stat().st_mtime_ns if path.is_file() else 0)
        return self._remember(key, lambda: load_table_model(path))

    def _live(self, folder, data):
        """The table as the model of a folder reads it."""
        opened = self.studio.tables.get(data)
        model = self._model(folder)
        return self._remember(("live", folder, data, id(opened), id(model)), lambda: LiveTable(model, opened.frame))

    def _remember(self, key, make):
        with self._lock:
            if key not in self._open:
                self._open[key] = make()
                while len(self._open) > 2 * MOST_OPEN:
                    self._open.popitem(last=False)
            self._open.move_to_end(key)
            return self._open[key]

    def _tables(self, folder):
        """Names of tables that may suit a model: that of its comparison first."""
        job = self.studio.jobs.writing_to(folder)
        known = [job.data] if job else []
        return list(dict.fromkeys([*known, *(entry.name for entry in self.studio.folder.tables()[:100])]))

    # What if.

    def page(self, request):
        """A form with the cells of a row, and what the model says about it."""
        folder = asked(request, "folder")
        model, tables = self._model(folder), self._tables(folder)
        data = request.query_params.get("data") or next(iter(tables), None)
        if data is None:
            raise UsageError("put a table of rows into the folder, for example the one that the model was trained on")
        live = self._live(folder, data)
        row = number(request.query_params.get("row"), "row", 0, max(len(live) - 1, 0), 0, whole=True)
        fields = self._fields(model, live, row)
        return self.render(
            "whatif.html.j2",
            title=f"What if: {model.label}",
            at="results",
            folder_name=folder,
            label=model.label,
            target=model.target,
            tables=tables if data in tables else [data, *tables],
            table=data,
            row=row,
            n=len(live),
            fields=fields[:MAX_FIELDS],
            more=max(0, len(fields) - MAX_FIELDS),
            column=fields[0]["name"],
        )

    def _fields(self, model, live, row):
        """The columns of the model with the cell of the row and what it can be."""
        cells, found = live.cells(row), []
        for name in model.columns:
            known = None if model.training is None else model.training.column(name)
            dtype = live.X[name].dtype
            levels, limits = None, ""
            if known is not None and known.kind == "levels" and known.complete and len(known.levels) <= 60:
                levels = known.levels
            if known is not None and known.is_number and not known.is_date:
                limits = f"{names.bare(known.low)} to {names.bare(known.high)} in training"
            text = cell_input(cells[name])
            if levels is not None and text and text not in levels:
                levels = [text, *levels]
            found.append(
                {
                    "name": name,
                    "text": text,
                    "levels": levels,
                    "limits": limits,
                    "number": dtype.is_numeric() and not levels,
                }
            )
        return found

    def _asked(self, request):
        """The table, the row and the changed cells of a request."""
        folder, data = asked(request, "folder"), asked(request, "data")
        live = self._live(folder, data)
        row = number(request.query_params.get("row"), "row", 0, max(len(live) - 1, 0), whole=True)
        texts = {}
        for key, value in request.query_params.items():
            if key.startswith("c:") and key[2:] in live.model.columns:
                texts[key[2:]] = value.strip() or None
        return folder, data, live, row, live.changed(row, texts)

    def answer(self, request):
        """The prediction of the changed row beside that of the row as it is, and the curve along one column."""
        folder, data, live, row, changes = self._asked(request)
        coverage = number(request.query_params.get("coverage"), "coverage", 0.5, 0.999, 0.9)
        column = request.query_params.get("column") or next(iter(live.model.columns))
        kept = self._kept(live, row, request.query_params.get("kept", "[]"))
        if request.query_params.get("keep") and changes and changes not in kept:
            kept = [*kept, changes][-MAX_KEPT:]
        found = live.ask(row, [*kept, changes], column, coverage)
        words = ["explain", f"{folder}/{MODEL}", data, "--row", str(row)]
        for name, value in changes.items():
            words += ["--set", f"{name}={cell_input(value)}"]
        new = {name: cell_input(value) or None for name, value in changes.items()}
        call = (
            "from statlearn.app.model.predict import load_table_model, what_if_file\n\n"
            f"model = load_table_model({f'{folder}/{MODEL}'!r})\n"
            f"found = what_if_file(model, {data!r}, {row}, {new!r})"
        )
        return self.render(
            "whatif_answer.html.j2",
            model=live.model,
            before=_shown(found.scenarios[0]),
            changed=list(changes),
            after=_shown(found.scenarios[-1]) if changes else None,
            actual=_text(live.actual(row)),
            notes=found.notes,
            regression=live.model.task == "regression",
            coverage=f"{100 * coverage:g}",
            svg=Markup(curve_figure(found.curve, live.model.target, live.actual(row)))
            if found.curve is not None
            else "",
            kept=[(_changes(c), _shown(s)) for c, s in zip(kept, found.scenarios[1:])],
            command=shell(words),
            call=call,
            keeps=bool(request.query_params.get("keep")),
            kept_value=json.dumps([{n: cell_input(v) for n, v in c.items()} for c in kept]),
        )

    def _kept(self, live, row, text):
        """The versions of the row that the page keeps, from their JSON."""
        try:
            known = json.loads(text)
            plain = isinstance(known, list) and all(
                isinstance(one, dict) and all(isinstance(v, str) for item in one.items() for v in item) for one in known
            )
        except (ValueError, RecursionError):
            plain = False
        if not plain:
            raise UsageError("`kept` must be a list of changed cells")
        versions = [live.changed(row, {n: v or None for n, v in one.items()}) for one in known[-MAX_KEPT:]]
        return [version for version in versions if version]

    def reasons(self, request):
        """What moved the prediction, and the nearest training rows: slower than the answer itself."""
        _, _, live, row, changes = self._asked(request)
        others = np.delete(np.arange(len(live)), row)
        if len(others) > BACKGROUND:
            others = np.sort(np.random.default_rng(0).choice(others, BACKGROUND, replace=False))
        few = frames.take(live.frame, np.r_[row, others])
        found = what_if(live.model, few.to_native(), 0, {n: cell_input(v) or None for n, v in changes.items()})
        last = found.after or found.before
        nearest = last.nearest
        return self.render(
            "whatif_reasons.html.j2",
            reasons=reason_rows(found),
            unit=found.unit,
            method=found.method,
            target=live.model.target,
            headings=["as it is", "changed"][: 1 + bool(found.after)],
            base="" if found.base is None else names.plain(found.base),
            columns=list(nearest[0].cells)[:8] if nearest else [],
            nearest=[
                (
                    f"{r.row:,}",
                    _text(r.actual),
                    names.plain(r.distance, 2),
                    [_text(c) for c in list(r.cells.values())[:8]],
                )
                for r in nearest
            ],
            bars=Markup(reason_figure(last.reasons)) if last.reasons else "",
        )

    # Predict a file.

    def predict(self, request):
        """A form that predicts a table of the folder."""
        folder = asked(request, "folder")
        model = self._model(folder)
        return self.render(
            "predict.html.j2",
            title=f"Predict with {model.label}",
            at="results",
            folder_name=folder,
            label=model.label,
            target=model.target,
            tables=self._tables(folder),
            columns=list(model.columns),
            regression=model.task == "regression",
            out=self._free_file(folder),
        )

    def _free_file(self, folder):
        stem = folder.replace("/", "-").removesuffix("-report")
        found = (f"{stem}-predictions{'' if k == 1 else f'-{k}'}.csv" for k in range(1, 10_000))
        return next(name for name in found if not (self.studio.folder.root / name).exists())

    def drift(self, request):
        """Which columns of a table are distributed differently from the training rows of a model."""
        model = self._model(asked(request, "folder"))
        opened = self.studio.tables.get(asked(request, "data"))
        _, notes = model.check(opened.frame)
        found = model.drift(opened.frame)
        tests = [] if found is None else sorted(found.tests, key=lambda t: (not t.moved, t.p_value))
        return self.render(
            "drift.html.j2",
            notes=notes,
            known=found is not None,
            new=[] if found is None else found.new_levels,
            moved=[] if found is None else found.moved,
            rows=[
                (
                    t.column,
                    t.words if t.moved else t.words.replace(" has moved:", ":"),
                    names.p_value(t.p_value),
                    t.moved,
                )
                for t in tests[:60]
            ],
        )

    def start(self, request, fields):
        """Predict a table in a process of its own, by the command line."""
        folder, data, out = (fields.get(name, "").strip() for name in ("folder", "data", "out"))
        self._model(folder)
        source = self.studio.tables.source(data)
        place = self.studio.folder.path(out)
        if place.exists():
            raise UsageError(f"{out} exists; choose another name")
        if place.suffix not in (".csv", ".tsv", ".parquet", ".jsonl", ".arrow"):
            raise UsageError("the name of the file must end with .csv, .tsv, .parquet, .jsonl or .arrow")
        coverage = number(fields.get("coverage"), "coverage", 0.5, 0.999, 0.9)
        words = ["predict", f"{folder}/{MODEL}", data if source != data else source, "--out", out]
        words += ["--coverage", f"{coverage:g}"] if coverage != 0.9 else []
        words += ["--safe-csv"] if fields.get("safe") else []
        return see("/job", name=self.studio.jobs.start("predict", words, data, out).name)

    def file(self, request):
        """The file that a job has written."""
        job = self.studio.jobs.get(asked(request, "name"))
        path = self.studio.folder.path(job.out)
        if job.kind != "predict" or not path.is_file():
            raise UsageError("the job has written no file")
        name = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in path.name)
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return FileResponse(path, media_type="application/octet-stream", headers=headers)


def cell_input(value):
    """A cell as the text of a field, from which it can be read again; missing values are empty.

    Examples
    --------
    >>> from statlearn.app.studio.use import cell_input
    >>> cell_input(3.0), cell_input(0.1), cell_input(None), cell_input(True), cell_input("a")
    ('3', '0.1', '', 'true', 'a')
    """
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
    return value.isoformat(sep=" ") if hasattr(value, "hour") else str(value)


def _text(value):
    return (
        "–" if value is None or value != value else names.bare(value) if isinstance(value, (int, float)) else str(value)
    )


def _changes(changes):
    return ", ".join(f"{name} = {cell_input(value) or 'missing'}" for name, value in changes.items())


def _shown(scenario):
    """A scenario as the template shows it."""
    probabilities = sorted(scenario.probabilities.items(), key=lambda item: -item[1])[:8]
    return {
        "prediction": _text(scenario.prediction),
        "interval": "" if scenario.lower is None else f"{names.plain(scenario.lower)} to {names.plain(scenario.upper)}",
        "probabilities": [(label, f"{100 * p:.1f} %", f"{100 * p:.1f}") for label, p in probabilities],
    }


def curve_figure(curve, target, actual=None):
    """The prediction of one row along one column."""
    y_label = f"probability of {shorten(curve.label, 24)}" if curve.label else f"predicted {shorten(target, 30)}"
    sides = [curve.mean, *([] if curve.lower is None else [curve.lower, curve.upper])]
    low, high = (0.0, 1.0) if curve.label else extent(*sides)
    if curve.numeric:
        plot = Plot(
            extent(curve.values, pad=0.02),
            (low, high),
            width=460,
            height=250,
            x_label=shorten(curve.column, 40),
            y_label=y_label,
        )
        if curve.lower is not None:
            plot.band(curve.values, curve.lower, curve.upper, "s1")
        plot.line(curve.values, curve.mean, "s1")
        if curve.at is not None and curve.at == curve.at:
            plot.rule(x=float(curve.at))
            if plot.x.low <= float(curve.at) <= plot.x.high:
                plot.dot(float(curve.at), float(np.interp(float(curve.at), curve.values, curve.mean)), "s2", size=9)
    else:
        shown = [shorten(str(value), 14) for value in curve.values]
        plot = Plot(shown, (low, high), width=460, height=250, x_label=shorten(curve.column, 40), y_label=y_label)
        for k, value in enumerate(curve.values):
            if curve.lower is not None:
                plot.whiskers(curve.lower[k], curve.upper[k], k, "s1 soft")
            plot.dot(k, curve.mean[k], "s2" if value == curve.at else "s1", size=10)
    return plot.svg(f"Prediction along {curve.column}", "")


def reason_figure(reasons):
    """How far each column moves a prediction, as bars."""
    shown = reasons[::-1]
    moves = np.array([move for _, move, _ in shown])
    plot = Plot(
        extent(np.r_[moves, 0.0]),
        [shorten(name, 22) for name, _, _ in shown],
        width=460,
        height=40 + 24 * len(shown),
        grid="x",
        x_label="moves the prediction by",
    )
    for k, move in enumerate(moves):
        plot.bars(min(0.0, move), max(0.0, move), k - 0.33, k + 0.33, "s1" if move > 0 else "s2")
    plot.rule(x=0.0, css="axis")
    return plot.svg("What moves the prediction", "")
