"""Compare: the form, the command, the live board, stop and resume across restarts."""

import asyncio
import os
import re
import shlex
import signal
import time
from html import unescape

import pytest

from statlearn.app.studio.server import Studio

from .conftest import PORT, SETTINGS, Client


def command_of(text):
    return shlex.split(unescape(re.search(r"<pre>(statlearn compare.*?)</pre>", text, re.DOTALL)[1]))


def test_without_a_target_the_form_asks_for_it(client):
    assert "Choose the target" in client.get("/compare", data="sales.csv")


def test_the_form_shows_the_command_that_does_the_same(made):
    fields = {**SETTINGS, "data": "sales.csv", "models": "lasso*", "folds": "7", "out": "x"}
    words = command_of(made.get("/compare/command", **fields))
    assert words == [
        "statlearn", "compare", "sales.csv", "--target", "revenue", "--group", "shop_id", "--kind", "stock=number",
        "--kind", "size=L<M<S", "--folds", "7", "--models", "lasso*", "--quick", "--out", "x",
    ]  # fmt: skip
    assert "groups='shop_id'" in unescape(made.get("/compare/command", **fields))
    assert 'value="sales-report-2"' in made.get("/compare", data="sales.csv")  # a folder that is free


def test_the_models_of_a_task_are_listed(made):
    assert "random-forest" in made.get("/compare/models", task="regression")
    assert "logistic-l1" in made.get("/compare/models", task="classification")
    assert made.ask("GET", "/compare/models", params={"task": "x"}).status_code == 400


@pytest.mark.parametrize(
    "change, words",
    [
        ({"folds": "1"}, "folds"),
        ({"folds": "x"}, "folds"),
        ({"holdout": "2"}, "holdout"),
        ({"limit": "soon"}, "time-limit"),
        ({"search": "luck"}, "search"),
        ({"cost": "5"}, "cost"),
        ({"jobs": "0"}, "jobs"),
        ({"out": "../x"}, "inside"),
        ({"out": "sales.csv"}, "something else"),
        ({"data": "missing.csv"}, "no such file"),
    ],
)
def test_wrong_settings_start_nothing(made, change, words):
    before = len(made.studio.jobs.all())
    answer = made.post("/compare/start", {**SETTINGS, "data": "sales.csv", "models": "ridge", "out": "new", **change})
    assert answer.status_code == 400
    assert words in unescape(answer.text)
    assert len(made.studio.jobs.all()) == before


def test_a_finished_job_shows_its_board_and_report(made):
    name, _ = made.jobs[0]
    text = made.get("/job", name=name)
    assert "Finished" in text
    assert "least squares" in text
    assert "/report?folder=sales-report" in text
    assert "data-stream" not in text


def test_an_ended_job_streams_its_board_once_and_the_end(made):
    answer = made.ask("GET", "/job/events", params={"name": made.jobs[0][0]})
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text.count("event: part") == 1
    assert "data: <table" in answer.text or "<table" in answer.text
    assert answer.text.endswith("event: end\ndata: .\n\n")
    assert made.studio.application  # the stream has closed
    assert made.ask("GET", "/job/events", params={"name": "../../x"}).status_code == 400


@pytest.mark.parametrize("name", ["", "../jobs", "x" * 200, "compare-1"])
def test_unknown_jobs_are_refused(made, name):
    assert made.ask("GET", "/job", params={"name": name}).status_code == 400
    assert made.post("/job/stop", {"name": name}).status_code == 400
    assert made.post("/job/resume", {"name": name}).status_code == 400


def test_a_finished_job_is_not_resumed(made):
    assert made.post("/job/resume", {"name": made.jobs[0][0]}).status_code == 400
    assert made.post("/job/stop", {"name": made.jobs[0][0]}).status_code == 303  # nothing to stop


def stored(folder):
    """Number of fits that a comparison has stored."""
    return len(list((folder / "out").rglob("*.npz")))


def until_stored(folder, jobs, job, n):
    """Wait until a job has stored n more fits."""
    began, deadline = stored(folder), time.monotonic() + 100
    while stored(folder) < began + n and jobs.state(job) == "running" and time.monotonic() < deadline:
        time.sleep(0.02)


def test_killed_stopped_and_resumed_comparisons_lose_nothing(folder):
    client = Client(Studio(folder, PORT))
    fields = {**SETTINGS, "data": "diabetes", "models": "lasso, ridge", "folds": "10", "repeats": "4", "out": "out"}
    answer = client.post("/compare/start", fields)
    name = answer.headers["location"].partition("name=")[2]
    jobs = client.studio.jobs
    job = jobs.get(name)
    until_stored(folder, jobs, job, 8)
    assert client.post("/compare/start", fields).status_code == 400  # the folder is in use
    os.kill(job.pid, signal.SIGKILL)
    jobs._children[name].wait(timeout=30)
    before = stored(folder)
    client = Client(Studio(folder, PORT))  # the studio was killed too, and started again
    jobs = client.studio.jobs
    assert jobs.state(job) == "lost"
    assert "vanished" in client.get("/job", name=name)
    assert client.post("/job/resume", {"name": name}).status_code == 303
    job = jobs.get(name)
    assert job.words[-1] == "--resume"
    until_stored(folder, jobs, job, 8)
    again = Client(Studio(folder, PORT))  # another start finds the running process by its birth
    assert again.studio.jobs.state(job) == "running"
    again.post("/job/stop", {"name": name})
    jobs._children[name].wait(timeout=60)
    assert jobs.state(job) == "stopped"
    assert "Continue where it ended" in client.get("/job", name=name)
    starts = [event["done"] for event in jobs.events(job) if event["event"] == "start"]
    assert starts[0] == 0
    assert 0 < starts[1] <= before  # fits on samples are not stored, and those on all rows are not counted
    assert (folder / "out" / "report.html").exists()  # Ctrl-C writes what there is


def test_streams_end_when_too_many_are_open(made, monkeypatch):
    from statlearn.app.studio import compare_page

    monkeypatch.setattr(compare_page, "STREAMS", 0)
    assert made.ask("GET", "/job/events", params={"name": made.jobs[0][0]}).status_code == 400


def test_the_events_of_a_running_job_follow_its_journal(folder, monkeypatch):
    from statlearn.app.studio import compare_page

    monkeypatch.setattr(compare_page, "TICK", 0.01)
    studio = Studio(folder, PORT)
    pages = compare_page.ComparePages(studio)
    states = iter(["running", "running", "running", "done", "done", "done"])
    monkeypatch.setattr(studio.jobs, "changed", lambda job: (1, next(states)))

    class AnyJob:
        name, kind, out = "compare-1-0", "compare", "out"

    async def everything():
        return [part async for part in pages._events(AnyJob)]

    parts = asyncio.run(everything())
    assert [p.split("\n")[0] for p in parts] == ["event: part", "event: part", "event: end"]
    assert pages.open_streams == 0
