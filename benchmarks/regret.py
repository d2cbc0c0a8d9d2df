"""Regret curves of Bayesian optimisation: `python -m benchmarks.regret --seeds 1000 1020 --out FOLDER`.

Every program minimises the functions of `benchmarks.bayesopt`, with the same seeds; set OMP_NUM_THREADS and
OPENBLAS_NUM_THREADS to 1 for the CPU seconds of a step to mean something. A run is a small
file in the folder, so that an interrupted benchmark continues where it ended, and several processes can share the work
(`--only`). The median of the best value so far, minus the minimum, is printed and drawn into `regret.png`.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from benchmarks.bayesopt import FUNCTIONS
from benchmarks.optimizers import OPTIMIZERS, values_of


def run(out, name, program, seed, n):
    """One run, unless its file exists."""
    file = out / program / name / f"{seed}.json"
    if file.exists():
        return
    function, d = FUNCTIONS[name]
    spent = 0.0

    def timed(u):
        nonlocal spent
        start = time.process_time()
        value = function(u)
        spent += time.process_time() - start
        return value

    start = time.process_time()
    values = values_of(program, timed, d, n, seed)
    overhead = time.process_time() - start - spent
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"values": values, "overhead": overhead}))
    print(f"{program} {name} {seed}: {min(values):.4g}, {overhead / n:.3f} CPU seconds per step", flush=True)


def results(out, name, seeds):
    """Best values so far of all runs, by program, and the mean overhead of a step."""
    found = {}
    for program in OPTIMIZERS:
        files = [out / program / name / f"{seed}.json" for seed in seeds]
        runs = [json.loads(file.read_text()) for file in files if file.exists()]
        if runs:
            curves = np.minimum.accumulate([each["values"] for each in runs], axis=1)
            found[program] = curves, np.mean([each["overhead"] for each in runs]) / curves.shape[1]
    return found


def report(out, seeds):
    """Table of medians, and the figure."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(FUNCTIONS), figsize=(4 * len(FUNCTIONS), 3.5))
    for ax, name in zip(axes, FUNCTIONS):
        for program, (curves, overhead) in results(out, name, seeds).items():
            middle, low, high = (np.quantile(curves, q, axis=0) for q in (0.5, 0.25, 0.75))
            steps = np.arange(1, curves.shape[1] + 1)
            ax.plot(steps, middle, label=program)
            ax.fill_between(steps, low, high, alpha=0.15)
            print(
                f"{name:10} {program:10} runs {len(curves):3}  median {middle[-1]:.4g}  quartiles {low[-1]:.4g} to "
                f"{high[-1]:.4g}  {overhead:.3f} CPU seconds per step"
            )
        ax.set(title=name, xlabel="evaluations", yscale="log")
    axes[0].set_ylabel("best value so far minus the minimum")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(out / "regret.png", dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs=2, default=[1000, 1020], metavar=("FIRST", "END"))
    parser.add_argument("--only", nargs="+", default=list(OPTIMIZERS), metavar="PROGRAM")
    parser.add_argument("-n", type=int, default=60, help="evaluations of a run (default 60)")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "regret")
    parser.add_argument("--report", action="store_true", help="run nothing, read what is there")
    args = parser.parse_args()
    seeds = range(*args.seeds)
    for seed in () if args.report else seeds:
        for name in FUNCTIONS:
            for program in args.only:
                run(args.out, name, program, seed, args.n)
    report(args.out, seeds)


if __name__ == "__main__":
    main()
