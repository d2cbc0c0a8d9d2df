"""Compare: the form that starts a comparison, the live board, stop and resume."""

import asyncio
import re
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from statlearn.app.compare.request import Request
from statlearn.app.compare.scoring import DEFAULT, METRICS
from statlearn.app.compare.task import choose_task
from statlearn.app.errors import UsageError
from statlearn.app.names import metric_label
from statlearn.app.studio.choices import python, shell
from statlearn.app.studio.jobs import ENDED
from statlearn.app.studio.live_board import live_board, read_progress
from statlearn.app.studio.look import Look
from statlearn.app.studio.web import asked, number, see

LIMITS = {"": "none", "30s": "30 seconds", "2m": "2 minutes", "10m": "10 minutes", "1h": "1 hour"}
SETTINGS = (
    "metric",
    "folds",
    "repeats",
    "holdout",
    "models",
    "limit",
    "jobs",
    "rule",
    "search",
    "cost",
    "quick",
    "rows",
)
OPTIONS = {
    "metric": "--metric", "folds": "--folds", "repeats": "--repeats", "holdout": "--holdout", "models": "--models",
    "limit": "--time-limit", "jobs": "--jobs", "rule": "--rule", "search": "--search", "cost": "--cost",
}  # fmt: skip
USUAL = {
    "metric": "", "folds": "10", "repeats": "1", "holdout": "0.2", "models": "", "limit": "", "jobs": "1",
    "rule": "min", "search": "grid", "cost": "",
}  # fmt: skip
TICK = 0.4  # seconds between two looks at a job
STREAMS = 24  # open at a time


def routes(studio):
    """Pages and actions of this module."""
    web, pages = studio.web, ComparePages(studio)
    return [
        web.get("/compare", pages.form),
        web.get("/compare/command", pages.command),
        web.get("/compare/models", pages.models),
        web.post("/compare/start", pages.start),
        web.get("/job", pages.job),
        web.post("/job/stop", pages.stop),
        web.post("/job/resume", pages.resume),
        web.stream("/job/events", pages.events),
    ]


class ComparePages:
    """Comparisons that are being made.

    Parameters
    ----------
    studio : Studio
    """

    def __init__(self, studio):
        self.studio, self.render, self.jobs = studio, studio.web.render, studio.jobs
        self.look, self.open_streams = Look(studio), 0

    # Before.

    def form(self, request):
        """The form with the settings of a comparison."""
        data = asked(request, "data")
        opened = self.studio.tables.get(data)
        choices = self.look.choices(data, opened)
        target = choices.column("target")
        if target is None or target not in opened.frame.columns:
            return self.render("no_target.html.j2", title=f"Compare: {data}", at="compare", data=data)
        task = choose_task(opened.frame[target])[0]
        settings = USUAL | {"out": self._free_folder(data), "quick": "", "rows": ""} | choices.settings
        settings["out"] = self._free_folder(data)
        return self.render(
            "compare.html.j2", title=f"Compare: {data}", at="compare", data=data, target=target, task=task,
            settings=settings, roles=[(n, r) for n, r in choices.roles.items() if r != "target"],
            kinds=[(n, k if isinstance(k, str) else " < ".join(k)) for n, k in choices.kinds.items()],
            metrics=[("", f"{metric_label(DEFAULT[task])} (usual)")]
            + [(name, metric_label(name)) for name in METRICS[task] if name != DEFAULT[task]],
            limits=LIMITS.items(),
            two_classes=task == "classification" and opened.frame[target].drop_nulls().n_unique() == 2,
            rows=opened.table.n_rows, **self._commands(choices, settings),
        )  # fmt: skip

    def models(self, request):
        """Names of the models for a task."""
        from statlearn.app.compare.portfolio.selection import candidates

        task = asked(request, "task")
        if task not in METRICS:
            raise UsageError("`task` must be regression or classification")
        families: dict = {}
        for candidate in candidates(task):
            families.setdefault(candidate.class_name.split(".")[1], []).append(
                (candidate.name, candidate.space.default)
            )
        return self.render("models_part.html.j2", families=sorted(families.items()))

    def command(self, request):
        """The command for the fields of the form."""
        fields = dict(request.query_params)
        choices = self.look.choices(asked(request, "data"), self.studio.tables.get(asked(request, "data")))
        return self.render("commands_part.html.j2", **self._commands(choices, USUAL | fields))

    def _commands(self, choices, settings):
        words = self._words(choices, settings)
        arguments = {**choices.arguments(), **_arguments(settings), "out": settings.get("out", "")}
        written = f"\nresult.inspect().write({arguments['out']!r})"
        return {"command": shell(words), "call": python(choices.data, "statlearn.compare", arguments) + written}

    @staticmethod
    def _words(choices, settings):
        """The words of the command line for the choices and the fields of the form."""
        words = ["compare", choices.data, *choices.options()]
        for name, option in OPTIONS.items():
            if settings.get(name, USUAL[name]) != USUAL[name]:
                words += [option, settings[name]]
        words += ["--quick"] if settings.get("quick") else []
        words += ["--store-rows"] if settings.get("rows") else []
        return [*words, "--out", settings.get("out") or "report"]

    def _free_folder(self, data):
        """A name for the folder of the report that no other file has."""
        stem = re.sub(r"[^\w.-]", "-", Path(data).stem) or "table"
        names = (f"{stem}-report{'' if k == 1 else f'-{k}'}" for k in range(1, 10_000))
        return next(name for name in names if not (self.studio.folder.root / name).exists())

    def start(self, request, fields):
        """Check the settings, keep them, and start the comparison in a process of its own."""
        data = fields.get("data", "")
        opened = self.studio.tables.get(data)
        choices = self.look.choices(data, opened)
        settings = {name: fields.get(name, USUAL.get(name, "")).strip() for name in SETTINGS}
        settings["models"] = ",".join(part.strip() for part in settings["models"].split(",") if part.strip())
        out = fields.get("out", "").strip() or self._free_folder(data)
        place = self.studio.folder.path(out)
        if place.exists() and not (place / "report.json").exists() and (not place.is_dir() or any(place.iterdir())):
            raise UsageError(f"{out} exists and holds something else; choose another folder")
        self._check(opened, choices, settings)
        choices = type(choices)(choices.data, choices.roles, choices.kinds, settings)
        self.studio.memory.save(choices)
        name = self.studio.folder.name(place)
        words = self._words(choices, {**settings, "out": name})
        return see("/job", name=self.jobs.start("compare", words, data, name).name)

    @staticmethod
    def _check(opened, choices, settings):
        """Refuse settings that the command would refuse, before a process is started."""
        from statlearn.app.cli.commands import _seconds

        if choices.column("target") is None:
            raise UsageError("choose the column to predict first: give it the role “target”")
        Request(
            opened.table, choices.column("target"), folds=number(settings["folds"], "folds", 2, 1000, whole=True),
            repeats=number(settings["repeats"], "repeats", 1, 1000, whole=True),
            holdout=number(settings["holdout"], "holdout", 0, 0.9), rule=settings["rule"], search=settings["search"],
            time_limit=_seconds(settings["limit"]) if settings["limit"] else None, cost=settings["cost"] or None,
            n_jobs=number(settings["jobs"], "jobs", -1, 256, whole=True), kinds=choices.asked(),
        )  # fmt: skip

    # While it runs, and afterwards.

    def job(self, request):
        """A job: its board, its log, and where its results are."""
        job = self.jobs.get(asked(request, "name"))
        state = self.jobs.state(job)
        return self.render(
            "job.html.j2", title=f"{job.kind}: {job.data}", at=job.kind, data=job.data, job=job, state=state,
            ended=state in ENDED, finished=(self.studio.folder.root / job.out / "report.json").exists(),
            written=job.kind == "predict" and (self.studio.folder.root / job.out).is_file(),
            command=shell(job.words), part=self._part(job, state),
            log=self.jobs.log(job) if state in ("failed", "lost") or job.kind == "predict" else "",
        )  # fmt: skip

    def _part(self, job, state):
        progress = read_progress(self.jobs.events(job))
        return self.render(
            "job_part.html.j2", progress=progress, board=live_board(progress), state=state, job=job,
            share=100 * progress.done / progress.units if progress.units else 0,
        )  # fmt: skip

    def stop(self, request, fields):
        """End a job, which keeps what it has."""
        job = self.jobs.get(fields.get("name", ""))
        self.jobs.stop(job)
        return see("/job", name=job.name)

    def resume(self, request, fields):
        """Continue a comparison that has ended early."""
        job = self.jobs.get(fields.get("name", ""))
        return see("/job", name=self.jobs.resume(job).name)

    def events(self, request):
        """The board as a stream of events, until the job ends or the page is closed."""
        job = self.jobs.get(asked(request, "name"))
        if self.open_streams >= STREAMS:
            raise UsageError("too many pages follow jobs; close some of them")
        return StreamingResponse(self._events(job), media_type="text/event-stream")

    async def _events(self, job):
        self.open_streams += 1
        try:
            seen, waited = None, 0.0
            while True:
                now = await run_in_threadpool(self.jobs.changed, job)
                if now != seen:
                    text = await run_in_threadpool(self._part, job, now[-1])
                    yield "event: part\n" + "".join(f"data: {line}\n" for line in text.splitlines()) + "\n"
                    seen, waited = now, 0.0
                if now[-1] in ENDED:
                    yield "event: end\ndata: .\n\n"
                    return
                await asyncio.sleep(TICK)
                waited += TICK
                if waited >= 10:  # a word now and then, so that a closed page is noticed
                    yield ": still running\n\n"
                    waited = 0.0
        finally:
            self.open_streams -= 1


def _arguments(settings):
    """The fields of the form as arguments of `statlearn.compare`."""
    from statlearn.app.cli.commands import _seconds

    found = {}
    for name, argument, read in (
        ("metric", "metric", str), ("folds", "folds", _whole), ("repeats", "repeats", _whole),
        ("holdout", "holdout", _real),
        ("jobs", "n_jobs", _whole), ("rule", "rule", str), ("search", "search", str), ("cost", "cost", str),
    ):  # fmt: skip
        if settings.get(name, USUAL[name]) != USUAL[name]:
            found[argument] = read(settings[name])
    if settings.get("models"):
        found["models"] = [part.strip() for part in settings["models"].split(",") if part.strip()]
    if settings.get("limit"):
        try:
            found["time_limit"] = _seconds(settings["limit"])
        except UsageError:
            found["time_limit"] = settings["limit"]
    if settings.get("rows"):
        found["store_rows"] = True
    return found


def _whole(text):
    return int(text) if text.lstrip("-").isdigit() else text


def _real(text):
    try:
        return float(text)
    except ValueError:
        return text
