"""The command: `python -m tests.fuzz --help`."""

import argparse
import collections
import json
import re
import sys
import time

from tests.fuzz import __doc__ as MANUAL
from tests.fuzz.judge import BAD, OUTCOMES
from tests.fuzz.known import KNOWN
from tests.fuzz.processes import run
from tests.fuzz.rounds import ESTIMATORS, draw_round, run_round


def replay(options):
    draw = draw_round(options.replay, options.seed, options.round, defaults=options.defaults)
    print(draw.text, draw.estimator, sep="\n")
    outcome, text, _ = run_round(draw, trace=True)
    print(f"{outcome}: {text}")
    return outcome in BAD


def tell(row, seed):
    """Print an outcome and how to repeat it."""
    name, outcome, number, text, _ = row
    reason = KNOWN.get((name, outcome))
    print(f"{name}: {outcome}{f' (known: {reason})' if reason else ''}: {text}")
    print(f"    python -m tests.fuzz --replay {name} --seed {seed} --round {number}", flush=True)


def summarise(rows, seed, seconds):
    """Print the counts; True if something bad is not known."""
    total, noisy = collections.Counter(row[1] for row in rows), sum(row[4] for row in rows)
    counts = ", ".join(f"{total[outcome]} {outcome}" for outcome in OUTCOMES)
    print(f"{len(rows)} inputs, seed {seed}, {seconds:.0f} s: {counts}; {noisy} fine with a RuntimeWarning")
    bad = {(name, outcome) for name, outcome, *_ in rows if outcome in BAD}
    gone = sorted(set(KNOWN) - bad)
    if gone:
        print(f"known, but not met here: {', '.join(f'{name} ({outcome})' for name, outcome in gone)}")
    return bool(bad - set(KNOWN))


def main():
    parser = argparse.ArgumentParser(
        "python -m tests.fuzz", description=MANUAL, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=20, help="rounds of each estimator")
    parser.add_argument("--only", default=".", metavar="REGEX", help="estimators whose name or module matches")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS", help="start nothing later")
    parser.add_argument("--seconds", type=float, default=60, help="of work: a round that takes more is a hang")
    parser.add_argument("--jobs", type=int, default=2, help="estimators at a time")
    parser.add_argument("--memory", type=float, default=8, metavar="GB", help="of one process; 0 for no limit")
    parser.add_argument("--defaults", action="store_true", help="draw no parameters")
    parser.add_argument("--murky", action="store_true", help="show murky outcomes, too")
    parser.add_argument("--json", metavar="FILE", help="write all outcomes that are neither fine nor clean")
    parser.add_argument("--replay", metavar="NAME", help="repeat one round of an estimator, with --seed and --round")
    parser.add_argument("--round", type=int, default=0)
    options = parser.parse_args()
    if options.replay:
        return replay(options)
    names = [name for name, cls in ESTIMATORS.items() if re.search(options.only, f"{cls.__module__}.{name}")]
    start = time.monotonic()
    rows = []
    for row in run(names, options):
        rows.append(row)
        if row[1] in BAD or (options.murky and row[1] == "murky"):
            tell(row, options.seed)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump([row[:4] for row in rows if row[1] not in ("fine", "clean")], file, indent=1)
    return summarise(rows, options.seed, time.monotonic() - start)


if __name__ == "__main__":
    sys.exit(main())
