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


def report(rows, options, seconds):
    """Print what was found; True if something bad is not known."""
    bad, total = collections.defaultdict(list), collections.Counter(row[1] for row in rows)
    for name, outcome, number, text, _ in rows:
        if outcome in BAD or (options.murky and outcome == "murky"):
            bad[name].append((outcome, number, text))
    new = False
    for name in sorted(bad):
        print(name)
        for outcome, number, text in sorted(bad[name], key=lambda row: -OUTCOMES.index(row[0]))[: options.show]:
            reason = KNOWN.get((name, outcome))
            new = new or (outcome in BAD and reason is None)
            print(f"    {outcome}{f' (known: {reason})' if reason else ''}: {text}")
            print(f"        python -m tests.fuzz --replay {name} --seed {options.seed} --round {number}")
    counts = ", ".join(f"{total[outcome]} {outcome}" for outcome in OUTCOMES)
    noisy = sum(row[4] for row in rows)
    print(f"{len(rows)} inputs, seed {options.seed}, {seconds:.0f} s: {counts}; {noisy} fine with a RuntimeWarning")
    return new


def main():
    parser = argparse.ArgumentParser(
        "python -m tests.fuzz", description=MANUAL, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=20, help="rounds of each estimator")
    parser.add_argument("--only", default=".", metavar="REGEX", help="estimators whose name or module matches")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS", help="start nothing later")
    parser.add_argument("--seconds", type=float, default=60, help="a round that takes longer is a hang")
    parser.add_argument("--jobs", type=int, default=2, help="estimators at a time")
    parser.add_argument("--memory", type=float, default=8, metavar="GB", help="of one process; 0 for no limit")
    parser.add_argument("--defaults", action="store_true", help="draw no parameters")
    parser.add_argument("--murky", action="store_true", help="show murky outcomes, too")
    parser.add_argument("--show", type=int, default=4, help="lines per estimator")
    parser.add_argument("--json", metavar="FILE", help="write all outcomes that are neither fine nor clean")
    parser.add_argument("--replay", metavar="NAME", help="repeat one round of an estimator, with --seed and --round")
    parser.add_argument("--round", type=int, default=0)
    options = parser.parse_args()
    if options.replay:
        return replay(options)
    names = [name for name, cls in ESTIMATORS.items() if re.search(options.only, f"{cls.__module__}.{name}")]
    start = time.monotonic()
    rows = run(names, options)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump([row[:4] for row in rows if row[1] not in ("fine", "clean")], file, indent=1)
    return report(rows, options, time.monotonic() - start)


if __name__ == "__main__":
    sys.exit(main())
