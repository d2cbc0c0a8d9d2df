"""How a comparison reports its progress. Any object with these methods will do."""

import json
import os
import sys
import time

from statlearn.app.terminal import visible

JOURNAL = "STATLEARN_JOURNAL"  # the variable of the environment that names the file of a `JournalProgress`


class Stopwatch:
    """Time since its making, and how much slower than alone the process runs on a busy machine."""

    def __init__(self):
        self._wall, self._cpu = time.monotonic(), time.process_time()

    @property
    def elapsed(self):
        return time.monotonic() - self._wall

    @property
    def slowdown(self):
        """Seconds that pass for one second of work: 1 on an idle machine, 5 at most."""
        worked = time.process_time() - self._cpu
        return min(max(self.elapsed / max(worked, 0.05), 1.0), 5.0)


class Progress:
    """Silence; the base of the others."""

    def start(self, models, n_units, done, seconds=None):
        """The work is known: labels of the models by name, units of work in all, how many were found done, the limit.

        Under a time limit (seconds) the number of units is the most that there can be.
        """

    def unit(self, record, label):
        """One model on one fold is finished."""

    def step(self, done, total, words):
        """Work without models and folds: `done` steps of `total` are finished, this one about `words`."""

    def note(self, text):
        """Something to say on the way."""

    def finish(self):
        """No more units will come."""


class PlainProgress(Progress):
    """A line per finished round of folds, for logs and pipes."""

    def __init__(self, stream=None):
        self.stream = stream or sys.stderr

    def start(self, models, n_units, done, seconds=None):
        self.n_units, self.n_done, self.began, self.last = n_units, done, time.monotonic(), 0.0
        self.seconds = seconds
        resumed = f", {done} of them already done" if done else ""
        limit = "" if seconds is None else f" in at most {seconds:.0f} s"
        self._say(f"{len(models)} models, {'up to ' if limit else ''}{_fits(n_units)}{limit}{resumed}")

    def unit(self, record, label):
        self.n_done += 1
        if record.status != "done":
            self._say(f"{label}: {record.status} ({record.error})")
        now = time.monotonic()
        if self.n_done == self.n_units or now - self.last >= 5:
            self.last = now
            if self.seconds is None:
                self._say(f"{self.n_done} of {self.n_units} fits done, {now - self.began:.1f} s")
            else:
                self._say(f"{_fits(self.n_done)} done, {now - self.began:.1f} of {self.seconds:.0f} s")

    def step(self, done, total, words):
        now = time.monotonic()
        if done == total or now - getattr(self, "last", 0.0) >= 5:
            self.last = now
            self._say(f"{words}: {done} of {total}")

    def note(self, text):
        self._say(text)

    def _say(self, text):
        print(visible(text), file=self.stream, flush=True)


class RichProgress(Progress):
    """A live bar with the time that is left, for terminals."""

    def __init__(self, console):
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self.console = console
        self.bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )

    def start(self, models, n_units, done, seconds=None):
        self.width = max(len(label) for label in models.values())
        self.began, self.seconds = time.monotonic(), seconds
        total, completed = (n_units, done) if seconds is None else (round(seconds), 0)
        self.task = self.bar.add_task("".ljust(self.width), total=total, completed=completed)
        self.bar.start()

    def unit(self, record, label):
        if record.status != "done":
            self.note(f"{label}: {record.status} ({record.error})")
        if self.seconds is None:
            self.bar.update(self.task, advance=1, description=label.ljust(self.width))
        else:
            elapsed = min(round(time.monotonic() - self.began), round(self.seconds))
            self.bar.update(self.task, completed=elapsed, description=label.ljust(self.width))

    def step(self, done, total, words):
        if not self.bar.live.is_started:
            self.task = self.bar.add_task("", total=total)
            self.bar.start()
        self.bar.update(self.task, completed=done, total=total, description=words.ljust(20))

    def note(self, text):
        self.console.print(text, highlight=False, markup=False)  # brackets of names are no markup

    def finish(self):
        self.bar.stop()


class JournalProgress(Progress):
    """A line of JSON for every event, at the end of a file: for programs that show the progress.

    Parameters
    ----------
    path : path
    """

    def __init__(self, path):
        self.path = path
        self._write(event="run", pid=os.getpid())

    def start(self, models, n_units, done, seconds=None):
        self._write(event="start", models=models, units=n_units, done=done, seconds=seconds)

    def unit(self, record, label):
        self._write(
            event="unit", model=record.model, label=label, fold=record.fold, status=record.status, error=record.error,
            scores=record.scores, fit_seconds=record.fit_seconds, rows=record.rows,
        )  # fmt: skip

    def step(self, done, total, words):
        self._write(event="step", done=done, total=total, words=words)

    def note(self, text):
        self._write(event="note", text=text)

    def _write(self, **event):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"time": time.time(), **event}) + "\n")


def _fits(n):
    return "1 fit" if n == 1 else f"{n} fits"


def progress_for(screen):
    """A live bar on a terminal, plain lines on standard error elsewhere, a journal where `JOURNAL` names its file."""
    if os.environ.get(JOURNAL):
        return JournalProgress(os.environ[JOURNAL])
    return RichProgress(screen) if screen.is_terminal else PlainProgress()
