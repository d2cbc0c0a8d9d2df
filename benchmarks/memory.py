"""Peak memory of fits beyond their table, in units of the table: `python -m benchmarks.memory --help`.

Each fit runs in a fresh process. The table (n x p, row-major) is in memory before. What counts is how far the resident
memory of the process rises above that while `fit` runs, after a small fit has paid for imports. A model that keeps the
table or numbers for every row cannot use less than these.
"""

import argparse
import importlib
import re
import subprocess
import sys

GOAL = 1.2

# Estimator, its parameters, and the kind of target: r(egression), c(lasses), n(on-negative), or none.
CASES = [
    ("linear.LinearRegression", {}, "r"),
    ("linear.Ridge", {}, "r"),
    ("linear.RidgeCV", {}, "r"),
    ("linear.Lasso", {"alpha": 0.1}, "r"),
    ("linear.LassoCV", {"cv": 3}, "r"),
    ("linear.ElasticNet", {"alpha": 0.1}, "r"),
    ("linear.BayesianRidge", {}, "r"),
    ("linear.HuberRegressor", {}, "r"),
    ("linear.LogisticRegression", {}, "c"),
    ("linear.PoissonRegressor", {}, "n"),
    ("linear.GammaRegressor", {}, "n"),
    ("linear.RidgeClassifier", {}, "c"),
    ("linear.PartialLeastSquares", {}, "r"),
    ("svm.LinearSVC", {}, "c"),
    ("svm.LinearSVR", {}, "r"),
    ("svm.SGDClassifier", {"random_state": 0}, "c"),
    ("discriminant.LinearDiscriminantAnalysis", {}, "c"),
    ("discriminant.QuadraticDiscriminantAnalysis", {}, "c"),
    ("bayes.GaussianNB", {}, "c"),
    ("neighbors.NearestCentroid", {}, "c"),
    ("neighbors.KNeighborsClassifier", {}, "c"),
    ("trees.DecisionTreeRegressor", {"max_depth": 6}, "r"),
    ("trees.DecisionTreeClassifier", {"max_depth": 6}, "c"),
    ("ensemble.RandomForestRegressor", {"n_estimators": 2, "max_depth": 8}, "r"),
    ("ensemble.RandomForestClassifier", {"n_estimators": 2, "max_depth": 8}, "c"),
    ("ensemble.GradientBoostingRegressor", {"n_estimators": 3}, "r"),
    ("ensemble.IsolationForest", {"n_estimators": 10}, None),
    ("cluster.KMeans", {"n_clusters": 5, "n_init": 1, "max_iter": 5, "tol": 1.0}, None),
    ("cluster.MiniBatchKMeans", {"n_clusters": 5, "n_init": 1, "max_iter": 2}, None),
    ("mixture.GaussianMixture", {"n_components": 3, "max_iter": 3, "tol": 1.0}, None),
    ("decomposition.PCA", {"n_components": 3}, None),
    ("decomposition.IncrementalPCA", {"n_components": 3}, None),
    ("decomposition.FactorAnalysis", {"n_components": 3, "max_iter": 10, "tol": 1.0}, None),
    ("decomposition.FastICA", {"n_components": 3, "max_iter": 5, "tol": 1.0}, None),
    ("graphical.EmpiricalCovariance", {}, None),
    ("graphical.LedoitWolf", {}, None),
    ("graphical.GraphicalLasso", {"alpha": 0.1}, None),
    ("prep.StandardScaler", {}, None),
    ("prep.MinMaxScaler", {}, None),
    ("prep.RobustScaler", {}, None),
    ("prep.KBinsDiscretizer", {}, None),
    ("smooth.SplineTransformer", {}, None),
]


def resident(field):
    """Bytes of this process: VmRSS now, or VmHWM at most since `forget_peak`."""
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))


def forget_peak():
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def table(n, p, dtype, target):
    """A table of normal numbers, made block by block, and a target that depends on it."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = np.empty((n, p), dtype)
    for first in range(0, n, 10_000):
        block = X[first : first + 10_000]
        block[:] = rng.standard_normal(block.shape)
    score = X @ np.linspace(1.0, 0.1, p).astype(dtype)
    if target == "c":
        return X, (score > 0).astype(int)
    if target == "n":
        return X, np.exp(np.clip(0.1 * score, -3, 3))
    return X, score + rng.standard_normal(n).astype(dtype) if target == "r" else None


def measure(path, parameters, target, n, p, dtype):
    """Peak memory beyond the table in units of the table, in this process."""
    import warnings

    warnings.simplefilter("ignore")
    module, name = path.split(".")
    cls = getattr(importlib.import_module(f"statlearn.{module}"), name)
    small = table(1_000, p, dtype, target)
    cls(**parameters).fit(*(part for part in small if part is not None))
    data = [part for part in table(n, p, dtype, target) if part is not None]
    forget_peak()
    before = resident("VmRSS")
    model = cls(**parameters).fit(*data)
    return (resident("VmHWM") - before) / data[0].nbytes, model


def main(argv=None):
    parser = argparse.ArgumentParser(
        "python -m benchmarks.memory", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-n", type=int, default=400_000, help="rows")
    parser.add_argument("-p", type=int, default=20, help="columns")
    parser.add_argument("-k", default=".", metavar="REGEX", help="only estimators that match")
    parser.add_argument("--one", nargs=2, metavar=("NUMBER", "DTYPE"), help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.one:
        number, dtype = options.one
        print(f"{measure(*CASES[int(number)], options.n, options.p, dtype)[0]:.2f}")
        return
    print(f"peak beyond a table of {options.n:,} x {options.p}, in units of the table (goal {GOAL})\n")
    print(f"{'':44}{'float64':>10}{'float32':>10}")
    above = 0
    for number, (path, *_) in enumerate(CASES):
        if not re.search(options.k, path):
            continue
        cells = []
        for dtype in ("float64", "float32"):
            size = ["-n", str(options.n), "-p", str(options.p)]
            command = [sys.executable, "-m", "benchmarks.memory", *size, "--one", str(number), dtype]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            found = done.stdout.strip() if done.returncode == 0 else "failed"
            above += found == "failed" or float(found) > GOAL
            cells.append(found)
        print(f"{path:44}{cells[0]:>10}{cells[1]:>10}", flush=True)
    print(f"\n{above} above the goal")


if __name__ == "__main__":
    main()
