"""`python -m truth`: see the package's docstring."""

import argparse
import datetime
import json
import platform
from pathlib import Path

from truth import run
from truth.rates import page, text

GUIDE = Path(__file__).parents[1] / "docs" / "app" / "error_rates.rst"
FULL = 2000


def parse(argv=None):
    p = argparse.ArgumentParser(prog="python -m truth", description="how often is what statlearn compare says untrue?")
    p.add_argument("--tables", type=int, default=FULL, help=f"tables to compare (default {FULL})")
    p.add_argument("--worlds", nargs="+", metavar="NAME", help="only these worlds")
    p.add_argument("--real-out", type=Path, default=run.RESULTS / "real.jsonl", help="file of the real tables' results")
    p.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    p.add_argument("--out", type=Path, default=run.RESULTS / "worlds.jsonl", help="file of the results; continued")
    p.add_argument("--fresh", type=int, default=None, help="fresh rows (default 100,000)")
    p.add_argument("--write", action="store_true", help="write the page of the guide")
    p.add_argument("--show", metavar="WORLD:SEED", help="compare one table and print what was said and what is true")
    p.add_argument("--real", type=int, nargs="?", const=60, metavar="N", help="N real tables, changed (default 60)")
    return p.parse_args(argv)


def main(argv=None):
    args = parse(argv)
    if args.show:
        return show(*args.show.split(":"))
    if args.real:
        from truth import real

        return real.main(args.real, jobs=args.jobs, path=args.real_out)
    records = run.run(args.tables, args.out, jobs=args.jobs, only=args.worlds, fresh=args.fresh)
    print(text(records))
    if args.write:
        GUIDE.write_text(page(records, about(args), run.read(args.real_out)))
        print(f"written: {GUIDE}")


def about(args):
    """What the page says of the run."""
    import numpy
    import scipy
    import sklearn

    import statlearn
    from truth.examine import FOLDS, FRESH, FRESH_OTHERS, MODELS

    models = "; ".join(f"{task}: {', '.join(names)}" for task, names in MODELS.items())
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "jobs": f"{args.jobs} processes",
        "fresh": args.fresh or FRESH,
        "others": min(args.fresh or FRESH, FRESH_OTHERS),
        "versions": {
            "statlearn": statlearn.__version__, "Python": platform.python_version(), "numpy": numpy.__version__,
            "scipy": scipy.__version__, "scikit-learn": sklearn.__version__, "Models": models, "Folds": str(FOLDS),
        },
    }  # fmt: skip


def show(name, seed):
    """One table: its facts, what was said, and the rulings that are wrong."""
    import truth.worlds  # noqa: F401
    from truth.claims import CLAIMS, Case
    from truth.examine import examine
    from truth.world import WORLDS

    record = examine(WORLDS[name], int(seed))
    print(json.dumps({k: v for k, v in record.items() if k != "verdict"}, indent=1, ensure_ascii=False))
    print(record.get("verdict", record.get("error")))
    for (kind, code), claim in CLAIMS.items():
        for made, true in claim.rule(Case(record)):
            if true is not None and made != true:
                print(f"wrong: {kind} {code}: {'made' if made else 'not made'}; {claim.meaning}")


if __name__ == "__main__":
    main()
