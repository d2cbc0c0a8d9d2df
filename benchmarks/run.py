"""Runs a case: one process for each implementation, taking turns; collects times and quality."""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from queue import Empty, Queue
from types import SimpleNamespace

import numpy as np

from benchmarks import store
from benchmarks.case import ENVIRONMENTS, R, library_of

ROOT = Path(__file__).resolve().parent.parent
THREAD_VARIABLES = [f"{lib}_NUM_THREADS" for lib in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA", "STATLEARN")]


class Failed(Exception):
    """An implementation could not go on; the message is the reason, in one line."""


def interpreter(library):
    """The Python of the environment where `library` lives; the running one if .venv-bench was never made.

    BENCH_ENVS names another folder that holds the environments, so that several checkouts can share them.
    """
    folder = Path(os.environ.get("BENCH_ENVS", ROOT))
    own = ENVIRONMENTS.get(library)
    python = folder / (own or ".venv-bench") / "bin" / "python"
    if python.exists():
        return str(python)
    if own:
        raise Failed(f"no environment {own}: run `python -m benchmarks.peers`")
    return sys.executable


class Worker:
    """The process of one runner, seen from outside: `ask` a command, get the answer or a Failed."""

    def __init__(self, suite, case, name, folder, threads):
        runner = case.runners()[name]
        if isinstance(runner, R):
            if not shutil.which("Rscript"):
                raise Failed("Rscript is not installed")
            (folder / f"{name}.R").write_text(runner.code)
            script = str(Path(__file__).with_name("worker.R"))
            command = ["Rscript", "--vanilla", script, str(folder), name, runner.library]
        else:
            python = interpreter(library_of(name))
            command = [python, "-m", "benchmarks.worker", suite, case.__name__, name, str(folder)]
        # statlearn comes from the src of this checkout, where the build puts the native module.
        path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
        env = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, str(threads)), "PYTHONPATH": path}
        self.name, self.log = name, folder / f"{name}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command,
                env=env,
                text=True,
                bufsize=1,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
            )
        if hasattr(os, "sched_setaffinity"):  # some libraries count processors instead of reading the variables
            os.sched_setaffinity(self.process.pid, sorted(os.sched_getaffinity(0))[:threads])
        self.lines = Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())
        self.lines.put(None)

    def ask(self, command, limit):
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
            line = self.lines.get(timeout=limit)
        except Empty:
            raise Failed(f"no answer to {command!r} within {limit:g} s") from None
        except BrokenPipeError:
            line = None
        if line is None:
            last = (self.log.read_text(errors="replace").strip().splitlines() or ["no message"])[-1]
            raise Failed(f"process ended ({self.process.wait()}): {last}")
        state, _, value = line.partition(" ")
        if state != "ok":
            raise Failed(value)
        return value

    def close(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            stream.close()


def worst(value):
    return float(np.max(value)) if np.size(value) else float("nan")


def excess(values):
    """Relative distance of each objective (number or array over a path) from the best found by anyone."""
    best = np.min(np.stack([np.asarray(v, float) for v in values]), axis=0)
    return [worst((v - best) / np.maximum(np.abs(best), np.finfo(float).tiny)) for v in values]


def run_case(suite, case, *, quick=False, change=None, only=None, repeat=5, threads=2, budget=60.0, limit=900.0):
    """Time all runners of `case` in turn; returns a plain dict, ready for JSON.

    Each runs `repeat` times, fewer once it has used `budget` seconds; one answer may take `limit` seconds.
    """
    size = case.sizes(quick, change)
    data = case.data(**size)
    rows, failures, workers = {}, {}, {}

    def attempt(name, action):
        try:
            return action()
        except Failed as reason:
            failures[name] = str(reason)
            rows.pop(name, None)
            if name in workers:
                workers.pop(name).close()
            return None

    with tempfile.TemporaryDirectory(prefix="statlearn-bench-") as folder:
        folder = Path(folder)
        store.save(folder / "data", data)
        store.save(folder / "warm", case.data(**case.sizes(quick=True)))
        try:
            for name in case.runners():
                if only and not any(library_of(name) == o or name == o for o in only):
                    continue
                worker = attempt(name, lambda n=name: Worker(suite, case, n, folder, threads))
                if worker:
                    workers[name] = worker
                    # One after the other: a warm-up that compiles must not disturb its neighbour.
                    version = attempt(name, lambda w=worker: w.ask("start", limit))
                    if version is not None:
                        rows[name] = {"name": name, "version": version, "times": [], "cpu": [], "quality": {}}
            for _ in range(repeat):
                for name in list(workers):
                    times = rows[name]["times"]
                    if times and sum(times) + min(times) > budget:
                        continue
                    answer = attempt(name, lambda w=workers[name]: w.ask("run", limit))
                    if answer is not None:
                        seconds, cpu = map(float, answer.split())
                        times.append(seconds)
                        rows[name]["cpu"].append(cpu)
            for name in list(workers):
                if attempt(name, lambda w=workers[name]: w.ask("save", limit)) is not None:
                    fit = SimpleNamespace(**store.load(folder / name))
                    rows[name]["quality"] = case.quality(fit, **data)
                    rows[name]["shown"] = str(getattr(fit, "shown", ""))
        finally:
            for worker in workers.values():
                worker.close()
    return {
        "case": case.__name__,
        "title": (case.__doc__ or "").strip(),
        "size": size,
        "goal": case.goal,
        "accept": case.accept,
        "same": case.same,
        "rows": finish(list(rows.values()), case),
        "failures": failures,
    }


def finish(rows, case):
    """Best times, ratios to the best peer and to statlearn's goal, qualities as single numbers."""
    with_objective = [r for r in rows if "objective" in r["quality"]]
    for row, value in zip(with_objective, excess([r["quality"]["objective"] for r in with_objective] or [0])):
        row["quality"]["objective"] = value
    for row in rows:
        row["quality"] = {k: worst(v) for k, v in row["quality"].items()}
        row["seconds"] = min(row["times"])
        row["cpu"] = min(row["cpu"])
        row["solved"] = all(row["quality"].get(k, 0) <= v for k, v in case.accept.items())
    for measure in case.same:
        found = [r["quality"].get(measure) for r in rows]
        usual = max(found, key=found.count, default=None)
        for row, value in zip(rows, found):
            row["solved"] = row["solved"] and value == usual
    peers = [r["seconds"] for r in rows if library_of(r["name"]) != "statlearn"]
    for row in rows:
        row["ratio"] = row["seconds"] / min(peers) if peers else None
    return rows
