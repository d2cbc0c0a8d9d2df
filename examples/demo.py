"""The main job: compare every suitable model on a built-in table, honestly, then predict with the best one.

Run by ``make demo``; the same as ``statlearn compare diabetes --out build/demo`` and ``statlearn predict ...`` in a
shell. Prints the verdict, the leaderboard and the honesty box, and writes the report to ``build/demo/report.html``.
"""

import sys
from pathlib import Path

from statlearn.app.cli import main

OUT = Path("build/demo")


def run(*arguments):
    """One command; the process ends where it fails."""
    print(f"$ statlearn {' '.join(map(str, arguments))}\n", flush=True)
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as end:
        if end.code:
            sys.exit(end.code)
    print(flush=True)


run("compare", "diabetes", "--out", OUT)
run("predict", OUT / "model.statlearn", "diabetes", "--out", OUT / "predicted.csv")
print(f"Report: {OUT / 'report.html'}")
