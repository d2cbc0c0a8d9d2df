"""One AutoML tool on one table: `python automl_worker.py tool folder seconds cores`, in the tool's own environment.

Reads train.parquet, test.parquet and about.json of the folder, and writes found.json: predictions for the test rows (or
probabilities with their classes), the score that the tool itself reports, and the name of the model that it returns.
"""

import importlib.metadata
import json
import sys
import time
from pathlib import Path


def run_statlearn(train, test, target, task, seconds, cores):
    import numpy as np

    from statlearn import compare

    # The race has test rows of its own, so none are held out here: all rows are learned from, as the others do.
    result = compare(train, target, holdout=0, time_limit=seconds, n_jobs=cores)
    best = result.model(result.best)
    scores = best.scores[result.metric]
    scores = scores[np.isfinite(scores)]
    reported, std_error = result.level(result.best)
    facts = {
        "reported": reported,
        "std_error": std_error,
        "winner": f"{best.label} ({len(scores)} folds)",
    }
    if task == "regression":
        return {"values": best.estimator.predict(test), **facts}
    return {"probabilities": best.estimator.predict_proba(test), "classes": best.estimator.classes_, **facts}


def run_flaml(train, test, target, task, seconds, cores):
    from flaml import AutoML

    automl = AutoML()
    metric = "rmse" if task == "regression" else "log_loss"
    automl.fit(
        train.drop(columns=target), train[target], task=task, metric=metric, time_budget=seconds, n_jobs=cores, seed=0,
        verbose=0,
    )  # fmt: skip
    facts = {"reported": float(automl.best_loss), "winner": automl.best_estimator}
    if task == "regression":
        return {"values": automl.predict(test), **facts}
    return {"probabilities": automl.predict_proba(test), "classes": automl.classes_, **facts}


def run_mljar(train, test, target, task, seconds, cores):
    import tempfile

    from supervised.automl import AutoML

    automl = AutoML(
        mode="Perform", total_time_limit=int(seconds), eval_metric="rmse" if task == "regression" else "logloss",
        n_jobs=cores, explain_level=0, random_state=0, verbose=0, results_path=tempfile.mkdtemp(),
    )  # fmt: skip
    automl.fit(train.drop(columns=target), train[target])
    board = automl.get_leaderboard()
    facts = {"reported": float(board["metric_value"].min())}
    facts["winner"] = str(board.sort_values("metric_value")["name"].iloc[0])
    if task == "regression":
        return {"values": automl.predict(test), **facts}
    names = [c for c in automl.predict_all(test.head(5)).columns if c.startswith("prediction_")]
    classes = [c.removeprefix("prediction_") for c in names]
    return {"probabilities": automl.predict_proba(test), "classes": classes, **facts}


def run_autogluon(train, test, target, task, seconds, cores):
    import tempfile

    from autogluon.tabular import TabularPredictor

    metric = "root_mean_squared_error" if task == "regression" else "log_loss"
    kind = None if task == "classification" else "regression"
    predictor = TabularPredictor(label=target, eval_metric=metric, problem_type=kind, path=tempfile.mkdtemp())
    predictor.fit(train, presets="medium_quality", time_limit=seconds, num_cpus=cores, num_gpus=0)
    board = predictor.leaderboard()
    facts = {"reported": -float(board["score_val"].max()), "winner": predictor.model_best}
    if task == "regression":
        return {"values": predictor.predict(test), **facts}
    table = predictor.predict_proba(test)
    return {"probabilities": table.to_numpy(), "classes": list(table.columns), **facts}


DISTRIBUTIONS = {"mljar": "mljar-supervised", "autogluon": "autogluon.tabular", "flaml": "flaml"}


def main():
    import numpy as np
    import pandas as pd

    tool, folder, seconds, cores = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    about = json.loads((folder / "about.json").read_text())
    train, test = pd.read_parquet(folder / "train.parquet"), pd.read_parquet(folder / "test.parquet")
    start = time.perf_counter()
    found = globals()[f"run_{tool}"](train, test, about["target"], about["task"], seconds, cores)
    found["took"] = round(time.perf_counter() - start, 1)
    if tool in DISTRIBUTIONS:
        found["version"] = importlib.metadata.version(DISTRIBUTIONS[tool])
    plain = {key: np.asarray(value).tolist() if hasattr(value, "__len__") and not isinstance(value, str) else value
             for key, value in found.items()}  # fmt: skip
    (folder / "found.json").write_text(json.dumps(plain))


if __name__ == "__main__":
    main()
