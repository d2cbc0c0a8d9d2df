"""Rounds run in processes of their own, which may crash or hang."""

import multiprocessing
import os
import resource
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.fuzz.rounds import draw_round, run_round

PATIENCE = 10  # times the seconds of work: a round that does next to nothing for so long waits for nothing
NOTHING = 1.0  # seconds of work, of a process that only polls whether it may continue
STEP = 5  # rounds of an estimator before the next one's turn, so that a budget reaches all of them
CONTEXT = multiprocessing.get_context("forkserver")


def work(name, seed, rounds, options, pipe):
    """The rounds of one estimator, in a process of its own."""
    if options.memory:
        resource.setrlimit(resource.RLIMIT_AS, (int(options.memory * 2**30),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    os.environ["PYTHONWARNINGS"] = "ignore"
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # what members print in their own processes, too
    for number in rounds:
        draw = draw_round(name, seed, number, defaults=options.defaults)
        pipe.send(("start", number, draw.text, False))
        outcome, text, noisy = run_round(draw)
        pipe.send((outcome, number, text, noisy))


def seconds_of_work(pid):
    """Processor time of a process and the children it has waited for; None where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


class Watch:
    """Tells when a round takes too long: by its work, however slowly a busy machine lets it, or by doing none."""

    def __init__(self, process, limit):
        self.process, self.limit = process, limit
        self.restart()

    def restart(self):
        self.awake, self.worked = time.monotonic(), seconds_of_work(self.process.pid) or 0.0
        self.seen = self.worked

    def is_over(self):
        now, work = time.monotonic(), seconds_of_work(self.process.pid)
        if work is None:
            return now - self.awake > self.limit
        if work - self.seen > NOTHING:
            self.awake, self.seen = now, work
        return work - self.worked > self.limit or now - self.awake > PATIENCE * self.limit


def outcomes(name, seed, rounds, options, work=work):
    """(outcome, round, text, noisy) of every round; a crash or a hang costs one round.

    `work` runs in a process of its own and sends each outcome after a line "start".
    """
    rounds = list(rounds)
    while rounds:
        mine, theirs = CONTEXT.Pipe(duplex=False)
        process = CONTEXT.Process(target=work, args=(name, seed, rounds, options, theirs), daemon=True)
        process.start()
        theirs.close()
        watch = Watch(process, options.seconds)
        number, text = rounds[0], f"round {rounds[0]}: before its first line"
        while rounds:
            try:
                while not (answered := mine.poll(0.5)) and not watch.is_over():
                    pass
                if answered:
                    outcome, number, text, noisy = mine.recv()
                    watch.restart()
                else:
                    outcome, noisy = "hang", False
            except (EOFError, ConnectionResetError):
                process.join(5)
                outcome, text, noisy = "crash", f"{text} (exit code {process.exitcode})", False
            if outcome == "start":
                continue
            rounds = [r for r in rounds if r > number]
            yield outcome, number, text, noisy
            if outcome in ("hang", "crash"):
                break
        process.kill()
        process.join()


def run(names, options, work=work, step=STEP):
    """Rows (name, outcome, round, text, noisy), in steps over the estimators until the budget is spent."""
    CONTEXT.set_forkserver_preload([work.__module__])
    end = time.monotonic() + options.budget

    def share(task):
        name, first = task
        if time.monotonic() > end:
            return []
        rounds = range(first, min(first + step, options.rounds))
        return [(name, *row) for row in outcomes(name, options.seed, rounds, options, work)]

    tasks = [(name, first) for first in range(0, options.rounds, step) for name in names]
    with ThreadPoolExecutor(options.jobs) as pool:
        for rows in pool.map(share, tasks):
            yield from rows
