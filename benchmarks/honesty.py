"""Are the errors that `statlearn compare` states the errors on new rows? `python -m benchmarks.honesty`.

From each table a small sample is drawn, compared, and the model that won is tested on all other rows: so many that its
error there is nearly the true one. Over the draws, how often does that error lie in the stated 95 % interval of the
held-out rows, and within one standard error of the cross-validated score (the "±" of the leaderboard)? The simulation
knows the truth: its test rows are drawn anew.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from benchmarks.automl import TABLES

REGRESSION = ["ridge", "lasso", "regression-tree", "k-nearest-neighbours", "stack"]
CLASSIFICATION = ["logistic-l2", "shrunken-centroids", "decision-tree", "k-nearest-neighbours", "stack"]


def simulated(seed, n=50_000):
    """Friedman's first function with a noise of variance 1."""
    import pandas as pd
    from sklearn.datasets import make_friedman1

    X, y = make_friedman1(n, n_features=8, noise=1.0, random_state=seed)
    return pd.DataFrame(X, columns=[f"x{k}" for k in range(1, 9)]).assign(y=y)


def draw(name, split, rows):
    """A sample of the table, the rows that are left, and the name of the target."""
    if name == "simulation":
        table, target = simulated(split), "y"
    else:
        load, target = TABLES[name]
        table = load().reset_index(drop=True)
    order = np.random.default_rng(split).permutation(len(table))
    return table.iloc[order[:rows]], table.iloc[order[rows:]], target


def once(name, split, rows):
    from statlearn import compare
    from statlearn.app.compare.scoring import METRICS, predictions_of

    sample, rest, target = draw(name, split, rows)
    models = CLASSIFICATION if sample[target].dtype == object else REGRESSION
    result = compare(sample, target, models=models, random_state=split)
    best = result.model(result.best)
    classes = None if result.task == "regression" else np.unique(result.y_true)
    truth = rest[target].to_numpy()
    if classes is not None:
        truth = np.searchsorted(classes, truth)
    metric = METRICS[result.task][result.metric]
    found = predictions_of(best.estimator, rest.drop(columns=target), classes)
    mean, std_error = result.level(result.best)
    held, low, high = result.holdout_scores[result.best][result.metric]
    return {
        "table": name, "split": split, "rows": rows, "metric": result.metric, "winner": best.label,
        "true": float(metric(truth, found)), "mean": mean, "std_error": std_error,
        "folds": len(best.scores[result.metric]), "held": held, "low": low, "high": high,
    }  # fmt: skip


def show(lines):
    print(f"{'table':<12}{'draws':>6}{'true':>9}{'over folds':>17}{'SE':>8}{'within 1 SE':>13}"
          f"{'in t interval':>15}{'in held-out 95 %':>18}")  # fmt: skip
    from scipy.stats import t

    for name in [*dict.fromkeys(line["table"] for line in lines), None]:
        mine = [line for line in lines if name in (None, line["table"])]
        true, mean, error = (np.array([line[k] for line in mine]) for k in ("true", "mean", "std_error"))
        wide = error * np.array([t.ppf(0.975, line["folds"] - 1) for line in mine])
        gap = np.abs(true - mean)
        inside = np.mean([line["low"] <= line["true"] <= line["high"] for line in mine])
        shown = [f"{np.mean(v):.4g}" if name else "" for v in (true, mean, error)]
        print(f"{name or 'all':<12}{len(mine):>6}{shown[0]:>9}{shown[1]:>17}{shown[2]:>8}{np.mean(gap <= error):>13.0%}"
              f"{np.mean(gap <= wide):>15.0%}{inside:>18.0%}")  # fmt: skip


def main(argv=None):
    p = argparse.ArgumentParser(prog="python -m benchmarks.honesty", description=__doc__.splitlines()[0])
    p.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "honesty.jsonl")
    p.add_argument("--tables", nargs="+", default=["simulation", "wage", "diamonds", "spambase", "magic"])
    p.add_argument("--splits", type=int, default=20)
    p.add_argument("--rows", type=int, default=400)
    args = p.parse_args(argv)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.loads(text) for text in args.out.read_text().splitlines()] if args.out.exists() else []
    known = {(line["table"], line["split"], line["rows"]) for line in lines}
    for split in range(args.splits):
        for name in args.tables:
            if (name, split, args.rows) not in known:
                lines.append(once(name, split, args.rows))
                with args.out.open("a") as file:
                    file.write(json.dumps(lines[-1]) + "\n")
    show([line for line in lines if line["rows"] == args.rows])


if __name__ == "__main__":
    main()
