"""Rounds run in processes of their own, which may crash or hang."""

import multiprocessing
import os
import resource
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

from tests.fuzz.rounds import draw_round, run_round

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


def outcomes(name, seed, rounds, options):
    """(outcome, round, text, noisy) of every round; a crash or a hang costs one round."""
    rounds = list(rounds)
    while rounds:
        mine, theirs = CONTEXT.Pipe(duplex=False)
        process = CONTEXT.Process(target=work, args=(name, seed, rounds, options, theirs), daemon=True)
        process.start()
        theirs.close()
        number, text = rounds[0], f"round {rounds[0]}: before its first line"
        while rounds:
            try:
                if mine.poll(options.seconds):
                    outcome, number, text, noisy = mine.recv()
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


def run(names, options):
    """Rows (name, outcome, round, text, noisy), in steps over the estimators until the budget is spent."""
    CONTEXT.set_forkserver_preload(["tests.fuzz.processes"])
    end = time.monotonic() + options.budget

    def share(task):
        name, first = task
        if time.monotonic() > end:
            return []
        rounds = range(first, min(first + STEP, options.rounds))
        return [(name, *row) for row in outcomes(name, options.seed, rounds, options)]

    tasks = [(name, first) for first in range(0, options.rounds, STEP) for name in names]
    with ThreadPoolExecutor(options.jobs) as pool:
        for rows in pool.map(share, tasks):
            yield from rows
