"""Work in processes of its own: started, watched, stopped and found again after a restart of the studio."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from statlearn._core import atomic_files
from statlearn.app.errors import AppError, UsageError

AT_ONCE = 3  # jobs that run at a time
LOG_BYTES = 20_000  # of the output of a job that are shown
JOURNAL_BYTES = 20_000_000
ENDED = ("done", "stopped", "failed", "lost")


@dataclass(frozen=True)
class Job:
    """One command that was started.

    Parameters
    ----------
    name : str
        Its name, and that of its folder.
    kind : str
        The command: "compare", "cluster", ...
    words : list of str
        The command line behind ``statlearn``.
    data : str
        The table.
    out : str
        The folder or file that it writes, in the studio's folder.
    began : float
        Seconds since 1970.
    pid : int
    mark : str
        When the process was born, in the words of the system: a number of a process may be given again.
    """

    name: str
    kind: str
    words: list
    data: str
    out: str
    began: float
    pid: int = 0
    mark: str = ""

    @property
    def resumable(self):
        """Whether what is finished is kept, and the command can continue from it."""
        return self.kind == "compare"


class Jobs:
    """The jobs of a folder.

    Parameters
    ----------
    folder : Folder
    """

    def __init__(self, folder):
        self.folder = folder
        self._children: dict[str, subprocess.Popen] = {}
        self._lock = threading.Lock()

    def all(self):
        """All jobs, the newest first."""
        found = []
        for path in self.folder.own("jobs").iterdir():
            job = self._read(path)
            found += [job] if job is not None else []
        return sorted(found, key=lambda job: -job.began)

    def get(self, name):
        """The job of that name; UsageError if there is none."""
        job = self._read(self._folder(name)) if re.fullmatch(r"[\w-]{1,80}", name) else None
        if job is None:
            raise UsageError("there is no such job; it may have been removed from the folder")
        return job

    def writing_to(self, out):
        """The latest job that wrote to a folder, or None."""
        return next((job for job in self.all() if job.out == out), None)

    def start(self, kind, words, data, out):
        """Start a command of the command line in a process of its own.

        Parameters
        ----------
        kind, words, data, out
            As in `Job`.

        Returns
        -------
        Job
        """
        with self._lock:
            running = [job for job in self.all() if self.state(job) == "running"]
            if len(running) >= AT_ONCE:
                raise UsageError(f"{len(running)} jobs are running; wait for one of them, or stop it")
            if any(job.out == out for job in running):
                raise UsageError(f"a running job writes to {out}; wait until it ends, or choose another folder")
            stamp = time.strftime("%Y%m%d-%H%M%S")
            name = next(n for k in range(1000) if not self._folder(n := f"{kind}-{stamp}-{k}").exists())
            return self._launch(Job(name, kind, [str(w) for w in words], data, out, time.time()))

    def _launch(self, job):
        place = self.folder.own("jobs", job.name)
        self._write(place, job)
        with open(place / "log.txt", "ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "statlearn.app.studio.worker", str(place)], cwd=self.folder.root,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self._children[job.name] = process
        job = Job(**{**job.__dict__, "pid": process.pid, "mark": _birth(process.pid)})
        self._write(place, job)
        return job

    def resume(self, job):
        """Start a comparison that has ended early again, from what it has finished."""
        if not job.resumable or self.state(job) in ("running", "done"):
            raise UsageError("only a comparison that has ended early can be resumed")
        words = job.words if "--resume" in job.words else [*job.words, "--resume"]
        with self._lock:
            place = self._folder(job.name)
            (place / "end.json").unlink(missing_ok=True)
            return self._launch(Job(**{**job.__dict__, "words": words}))

    def stop(self, job):
        """Ask a job to end and to keep what it has, as Ctrl-C does."""
        if self.state(job) != "running":
            return
        try:
            os.kill(job.pid, signal.SIGINT)
        except OSError as error:
            raise AppError("the job cannot be stopped") from error

    def state(self, job):
        """What became of a job: "running", "done", "stopped", "failed", or "lost" if its process has vanished."""
        child = self._children.get(job.name)
        alive = child.poll() is None if child is not None else _birth(job.pid) == job.mark != ""
        if alive:
            return "running"
        try:
            code = json.loads((self._folder(job.name) / "end.json").read_text(encoding="utf-8"))["code"]
        except (OSError, ValueError, KeyError, TypeError):
            return "lost"
        return {0: "done", 130: "stopped"}.get(code, "failed")

    def log(self, job):
        """The end of what the command has printed."""
        try:
            with open(self._folder(job.name) / "log.txt", "rb") as file:
                file.seek(0, os.SEEK_END)
                file.seek(max(file.tell() - LOG_BYTES, 0))
                return file.read().decode("utf-8", errors="replace")
        except OSError:
            return ""

    def changed(self, job):
        """A number that changes whenever there is something new to show."""
        found = []
        for name in ("journal.jsonl", "end.json"):
            try:
                found.append(os.stat(self._folder(job.name) / name).st_size)
            except OSError:
                found.append(-1)
        return (*found, self.state(job))

    def events(self, job):
        """The events of the journal; lines that are not complete yet are left out."""
        try:
            with open(self._folder(job.name) / "journal.jsonl", "rb") as file:
                lines = file.read(JOURNAL_BYTES).split(b"\n")
        except OSError:
            return []
        found = []
        for line in lines[:-1]:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            found += [event] if isinstance(event, dict) else []
        return found

    def _folder(self, name):
        return self.folder.own("jobs") / name

    def _read(self, place):
        try:
            known = json.loads((place / "job.json").read_text(encoding="utf-8"))
            job = Job(**known)
            words = isinstance(job.words, list) and all(isinstance(w, str) for w in job.words)
            texts = all(isinstance(v, str) for v in (job.kind, job.data, job.out, job.mark))
            numbers = isinstance(job.began, float) and isinstance(job.pid, int)
            return job if words and texts and numbers and job.name == place.name else None
        except (OSError, ValueError, TypeError):
            return None

    @staticmethod
    def _write(place, job):
        atomic_files.write_text(place / "job.json", json.dumps(job.__dict__))


def _birth(pid):
    """When a process was born, in the words of the system; "" if there is none or it cannot be known."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = text.rpartition(")")[2].split()
    return "" if fields[0] == "Z" else fields[19]
