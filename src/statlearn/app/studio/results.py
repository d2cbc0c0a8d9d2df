"""What has been made in the folder: comparisons and other reports, one by one, two side by side, and as files."""

import json
import threading
import time
from collections import OrderedDict

import numpy as np
from markupsafe import Markup
from starlette.responses import FileResponse

from statlearn.app.compare.comparison import Comparison
from statlearn.app.compare.leaderboard import finished
from statlearn.app.compare.side_by_side import _kind_of, read_reports
from statlearn.app.errors import UsageError
from statlearn.app.names import duration, metric_label, plus_minus
from statlearn.app.report.content import page
from statlearn.app.report.model import model_section
from statlearn.app.report.side_by_side import pair_rows
from statlearn.app.report.svg import Plot
from statlearn.app.studio.choices import shell
from statlearn.app.studio.suggestions import suggestions
from statlearn.app.studio.web import asked, number, see

FILES = {
    "report.html": "text/html", "report.json": "application/json", "leaderboard.csv": "text/csv",
    "predictions.csv": "text/csv", "labels.csv": "text/csv", "validity.csv": "text/csv", "coordinates.csv": "text/csv",
    "scree.csv": "text/csv", "loadings.csv": "text/csv", "rules.csv": "text/csv", "itemsets.csv": "text/csv",
    "model.statlearn": "application/octet-stream",
}  # fmt: skip
REPORT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
HEAD_BYTES = 3_000_000  # of a report.json that are read for the history
MOST_OPEN = 4
SHOWN = 200


def routes(studio):
    """Pages and actions of this module."""
    web, pages = studio.web, ResultPages(studio)
    return [
        web.get("/results", pages.history),
        web.get("/results/two", pages.two),
        web.get("/report", pages.report),
        web.get("/report/file", pages.file),
        web.get("/understand", pages.understand),
        web.get("/understand/threshold", pages.threshold),
        web.post("/report/again", pages.again),
    ]


class Reports:
    """Comparisons that were opened last.

    Parameters
    ----------
    folder : Folder
    """

    def __init__(self, folder):
        self.folder, self._open, self._lock = folder, OrderedDict(), threading.Lock()

    def get(self, name):
        """The comparison in a folder, read again if its files have changed."""
        path = self.folder.path(name)
        if not (path / "report.json").is_file():
            raise UsageError(f"{name} holds no report")
        key = (name, (path / "report.json").stat().st_mtime_ns)
        with self._lock:
            if key not in self._open:
                self._open[key] = Comparison.open(path)
                while len(self._open) > MOST_OPEN:
                    self._open.popitem(last=False)
            self._open.move_to_end(key)
            return self._open[key]


class ResultPages:
    """Pages about reports.

    Parameters
    ----------
    studio : Studio
    """

    def __init__(self, studio):
        self.studio, self.render, self.reports = studio, studio.web.render, studio.reports
        self._heads: dict = {}

    # All of them.

    def history(self, request):
        """Everything that was made in the folder, the newest first, and what is running."""
        jobs = [(job, self.studio.jobs.state(job)) for job in self.studio.jobs.all()[:SHOWN]]
        rows = [self._head(entry) for entry in self.studio.folder.reports()[:SHOWN]]
        return self.render(
            "results.html.j2", title="Results", at="results", rows=[row for row in rows if row],
            jobs=[(job, state) for job, state in jobs if state in ("running", "stopped", "failed", "lost")],
        )  # fmt: skip

    def _head(self, entry):
        """The facts of one report, remembered as long as its file does not change."""
        key = (entry.name, entry.changed, entry.size)
        if key not in self._heads:
            self._heads[key] = self._read_head(entry)
        return self._heads[key]

    def _read_head(self, entry):
        path = self.studio.folder.path(entry.name)
        found = {
            "folder": entry.name.removesuffix("report.json").rstrip("/") or ".", "kind": _kind_of(path) or "",
            "when": time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.changed)), "data": "", "words": "",
            "score": "", "best": "", "time": "", "findings": "",
        }  # fmt: skip
        found["kind"] = {"report": "compare"}.get(found["kind"], found["kind"])
        if found["kind"] == "" or entry.size > 40 * HEAD_BYTES or found["folder"] == ".":
            return None
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if found["kind"] == "compare":
                found |= _facts_of(content)
            else:
                found["data"] = str(content.get("source", ""))
        except (OSError, ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
            found["words"] = "cannot be read"
        return found

    def two(self, request):
        """Two comparisons side by side."""
        first, second = (asked(request, name) for name in ("first", "second"))
        paths = [self.studio.folder.path(name) for name in (first, second)]
        found = read_reports(*paths)
        return self.render(
            "two_reports.html.j2", title="Two comparisons", at="results", folders=(first, second),
            verdicts=[c.verdict for c in found.comparisons], notes=found.notes, differences=found.differences,
            metric="" if found.metric is None else metric_label(found.metric), rows=pair_rows(found),
            command=shell(["report", first, second]),
        )  # fmt: skip

    # One of them.

    def report(self, request):
        """The verdict, the board and the honesty box of a comparison; the report of another command."""
        folder = asked(request, "folder")
        path = self.studio.folder.path(folder)
        kind = _kind_of(path / "report.json")
        files = [name for name in FILES if (path / name).is_file()]
        if kind != "report":
            return self.render(
                "other_report.html.j2", title=folder, at="results", folder_name=folder, files=files, kind=kind or "",
                data=None,
            )  # fmt: skip
        found = self.reports.get(folder)
        content = page(found, set())
        content |= {"title": f"Predicting {found.target}", "at": "results", "data": None}
        columns = [c.name for c in found.profile.columns]
        return self.render(
            "report.html.j2", folder_name=folder, files=files, source_data=self._source(found, path),
            offers=[suggestions(finding, columns) for finding in found.grouped_findings()], **content,
        )  # fmt: skip

    def _source(self, found, path):
        """The name of the table of a comparison, where it is in the studio's folder; None elsewhere."""
        job = self.studio.jobs.writing_to(self.studio.folder.name(path))
        for data in filter(None, (job.data if job else None, found.profile.source)):
            try:
                self.studio.tables.source(data)
                return data
            except UsageError:
                continue
        return None

    def file(self, request):
        """A file of a report, for looking or for taking away."""
        folder, name = asked(request, "folder"), asked(request, "name")
        if name not in FILES:
            raise UsageError("`name` must be a file of a report")
        path = self.studio.folder.path(f"{folder}/{name}")
        if not path.is_file():
            raise UsageError(f"{folder}/{name}: no such file")
        headers = {"content-security-policy": REPORT_POLICY}
        if name != "report.html" or request.query_params.get("save"):
            plain = "".join(c if c.isalnum() or c in "-_." else "-" for c in f"{folder}-{name}".replace("/", "-"))
            headers["content-disposition"] = f'attachment; filename="{plain.encode("ascii", "replace").decode()}"'
        return FileResponse(path, media_type=FILES[name], headers=headers)

    def again(self, request, fields):
        """Change a role because of a finding, and go back to the form of the comparison."""
        data, column, role = (fields.get(name, "") for name in ("data", "column", "role"))
        opened = self.studio.tables.get(data)
        memory = self.studio.memory
        memory.save(memory.load(data).with_role(opened.column(column), role))
        return see("/compare", data=data)

    # Understand.

    def understand(self, request):
        """The figures, tables and settings of one model of a comparison."""
        folder = asked(request, "folder")
        found = self.reports.get(folder)
        known = finished(found)
        wanted = request.query_params.get("model") or found.best
        entry = next((e for e in known if e.name == wanted), None)
        if entry is None:
            raise UsageError(f"the comparison has no model {wanted!r} with a score")
        return self.render(
            "understand.html.j2", title=entry.label, at="results", folder_name=folder,
            models=[(e.name, e.label) for e in known], chosen=wanted, target=found.target, source=found.profile.source,
            m=model_section(found, entry, True), verdict=found.verdict,
            two_classes=_decides(found, entry.model), saved=wanted == found.best,
        )  # fmt: skip

    def threshold(self, request):
        """The decisions of a model with two classes at a threshold, and what they cost."""
        found = self.reports.get(asked(request, "folder"))
        model = found.model(asked(request, "model"))
        if not _decides(found, model):
            raise UsageError("a threshold needs two classes and probabilities")
        cut, fp, fn = (
            number(request.query_params.get(name), name, 0, most, default)
            for name, most, default in (("threshold", 1, 0.5), ("fp", 1e9, 1.0), ("fn", 1e9, 1.0))
        )
        y = np.asarray(found.y_true)
        p = np.asarray(model.predictions, dtype=float)[:, 1]
        known = np.isfinite(p)
        positive = np.array([str(v) for v in y[known].tolist()]) == str(found.profile.classes[1])
        return self.render(
            "threshold.html.j2", **decisions(positive, p[known], cut, fp, fn), classes=found.profile.classes
        )


def _facts_of(content):
    """The facts of a comparison for the history, from its report.json."""
    best = next((m for m in content["models"] if m["name"] == content["best"]), None)
    row = next((r for r in content["leaderboard"] if r["model"] == content["best"]), {})
    metric = content["metric"]
    score = plus_minus(row.get(metric), row.get(f"{metric}_se"))
    return {
        "data": content["profile"]["source"], "target": content["target"], "best": best["label"] if best else "",
        "score": f"{metric_label(metric)} {score}", "complete": content["complete"],
        "time": duration(content["seconds"]),
        "words": f"{content['target']}: {best['label'] if best else 'no model'}", "findings": len(content["findings"]),
    }  # fmt: skip


def _decides(found, model):
    """Whether a model has probabilities of two classes."""
    if found.task != "classification" or len(found.profile.classes) != 2 or model.predictions is None:
        return False
    p = np.asarray(model.predictions, dtype=float)
    return p.ndim == 2 and not bool(np.isin(p[np.isfinite(p)], (0.0, 1.0)).all())


def decisions(positive, probability, cut, fp, fn):
    """Counts, rates and costs of decisions at a threshold, and the curve of the cost over all thresholds.

    Parameters
    ----------
    positive : ndarray of bool
    probability : ndarray
        Of the positive class, from models that have not seen the row.
    cut : float
        From this probability on, the positive class is decided.
    fp, fn : float
        Costs of a false positive and of a false negative.

    Returns
    -------
    dict
    """
    decided, n = probability >= cut, len(positive)
    tp, fpos = int(np.sum(decided & positive)), int(np.sum(decided & ~positive))
    fneg, tn = int(np.sum(~decided & positive)), int(np.sum(~decided & ~positive))
    cuts = np.linspace(0, 1, 101)
    order = np.sort(probability[positive]), np.sort(probability[~positive])
    missed, raised = np.searchsorted(order[0], cuts), len(order[1]) - np.searchsorted(order[1], cuts)
    cost = (fn * missed + fp * raised) / max(n, 1)
    plot = Plot(
        (0, 1), (0, float(cost.max()) or 1.0), width=420, height=230, x_label="threshold", y_label="cost per row"
    )
    plot.line(cuts, cost, "s1")
    plot.rule(x=cut)
    now = (fn * fneg + fp * fpos) / max(n, 1)
    plot.dot(cut, now, "s1", size=9)
    best = cuts[int(np.argmin(cost))]
    plot.dot(best, float(cost.min()), "s2 ring", size=9, title="smallest cost")
    rates = [
        ("accuracy", tp + tn, n), ("precision", tp, tp + fpos), ("recall", tp, tp + fneg),
        ("specificity", tn, tn + fpos),
    ]  # fmt: skip
    return {
        "cells": [[tn, fpos], [fneg, tp]], "n": n, "cost": f"{now:.4g}", "best": f"{best:.2f}",
        "smallest": f"{cost.min():.4g}", "cut": f"{cut:.2f}",
        "rates": [(name, f"{100 * part / whole:.1f} %" if whole else "–") for name, part, whole in rates],
        "svg": Markup(plot.svg("Cost of the decisions by threshold", f"{now:.4g} per row at {cut:.2f}")),
    }  # fmt: skip
