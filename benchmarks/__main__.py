"""`python -m benchmarks linear -k lasso`: see the package's docstring."""

import argparse
import ast
import time
from pathlib import Path

from benchmarks.case import load_suite
from benchmarks.report import growth, table, write_json
from benchmarks.run import run_case


def parse(argv=None):
    p = argparse.ArgumentParser(prog="python -m benchmarks", description="statlearn and its peers on the same work")
    p.add_argument("suite", nargs="?", default="linear", help="a family (linear), or the path of a file with cases")
    p.add_argument("-k", default="", metavar="TEXT", help="only cases whose name contains TEXT")
    p.add_argument("--only", nargs="+", metavar="PEER", help="only these implementations (statlearn adelie ...)")
    p.add_argument("--list", action="store_true", help="name the cases and their implementations, run nothing")
    p.add_argument("--quick", action="store_true", help="tiny sizes: does it work, not how fast")
    p.add_argument("--grow", action="store_true", help="cost over each size argument, instead of the full size")
    p.add_argument(
        "--set",
        nargs="+",
        default=[],
        metavar="NAME=VALUE",
        help="other sizes, as in n=500 eps=1e-3; with --grow, n=[500,1000]",
    )
    p.add_argument("--repeat", type=int, default=5, help="timed runs of each, the best counts (default 5)")
    p.add_argument("--budget", type=float, default=60, help="seconds after which one repeats no more (default 60)")
    p.add_argument("--threads", type=int, default=2, help="threads for all (default 2)")
    p.add_argument(
        "--json",
        metavar="FILE",
        help="where to write results (default benchmarks/results/<suite>-<time>.json)",
    )
    return p.parse_args(argv)


def main(argv=None):
    args = parse(argv)
    cases = {n: c for n, c in load_suite(args.suite).items() if args.k in n}
    if not cases:
        raise SystemExit(f"no case of {args.suite} contains {args.k!r}")
    if args.list:
        for name, case in cases.items():
            print(f"{name}: {(case.__doc__ or '').strip().splitlines()[0]}\n    {', '.join(case.runners())}")
        return
    change = {k: ast.literal_eval(v) for k, v in (pair.split("=", 1) for pair in args.set)}
    common = dict(quick=args.quick, only=args.only, repeat=args.repeat, threads=args.threads, budget=args.budget)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    target = args.json or Path(__file__).parent / "results" / f"{Path(args.suite).stem}-{stamp}.json"
    results = []
    for case in cases.values():
        if args.grow:
            series_of = {k: v for k, v in change.items() if isinstance(v, list)} or case.grow
            fixed = {k: v for k, v in change.items() if not isinstance(v, list)}
            for argument, values in series_of.items():
                series = []
                for value in values:
                    series.append(run_case(args.suite, case, change={**fixed, argument: value}, **common))
                    results.append(series[-1])
                    write_json(target, results, args.threads)
                print(growth(series, argument), end="\n\n", flush=True)
        else:
            results.append(run_case(args.suite, case, change=change, **common))
            write_json(target, results, args.threads)  # after each case: an interrupted run keeps what it has
            print(table(results[-1]), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
