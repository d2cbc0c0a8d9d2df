"""The command: `python -m tests.security --help`."""

import argparse
import collections
import faulthandler
import re
import sys
import time

from tests.fuzz.processes import run
from tests.fuzz.rounds import ESTIMATORS
from tests.security.attack import BAD, NAMES, STEP, fitted, try_one, work
from tests.security.attack import __doc__ as MANUAL
from tests.security.tampering import State, some_changes
from tests.security.verbs import Watch


def replay(options):
    """One change again, in this process; the traceback of what takes too long."""
    model, X, y = fitted(options.replay)
    state = State.of(model)
    change = some_changes(state, options.replay, options.seed)[options.number]
    print(change.text, flush=True)
    faulthandler.dump_traceback_later(options.seconds, exit=True)
    outcome, text = try_one(change, state, X, y, Watch())
    print(f"{outcome}: {text}")
    return outcome in BAD


def _module(name):
    return ESTIMATORS[name].__module__ if name in ESTIMATORS else "statlearn.app"


def main(arguments=None):
    parser = argparse.ArgumentParser(
        "python -m tests.security", description=MANUAL, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=30, metavar="N", help="changes of each model")
    parser.add_argument("--only", default=".", metavar="REGEX", help="models whose name or module matches")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS", help="start nothing later")
    parser.add_argument("--seconds", type=float, default=10, help="of work: a change that takes more is a hang")
    parser.add_argument("--jobs", type=int, default=2, help="estimators at a time")
    parser.add_argument("--memory", type=float, default=2, metavar="GB", help="of one process; 0 for no limit")
    parser.add_argument("--replay", metavar="NAME", help="repeat one change of an estimator, with --seed and --number")
    parser.add_argument("--number", type=int, default=0)
    options = parser.parse_args(arguments)
    if options.replay:
        return replay(options)
    names = [name for name in NAMES if re.search(options.only, f"{_module(name)}.{name}")]
    start, total = time.monotonic(), collections.Counter()
    for name, outcome, number, text, _ in run(names, options, work, STEP):
        total[outcome] += 1
        if outcome in BAD:
            print(f"{name}: {outcome}: {text}")
            print(f"    python -m tests.security --replay {name} --seed {options.seed} --number {number}", flush=True)
    del total["end"]
    counts = ", ".join(f"{count:,} {outcome}" for outcome, count in total.most_common())
    print(f"{total.total():,} states, seed {options.seed}, {time.monotonic() - start:.0f} s: {counts}")
    return any(total[outcome] for outcome in BAD)


if __name__ == "__main__":
    sys.exit(main())
