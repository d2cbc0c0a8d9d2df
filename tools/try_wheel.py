"""Try a wheel as a newcomer would: in an empty environment, without a compiler.

python tools/try_wheel.py DIST           the wheel in this folder that suits the running Python
python tools/try_wheel.py --installed    the package that is installed in the running Python

It installs the wheel with the extra `app`, checks its size and contents, runs the first example of the README, compares
models on a built-in table, predicts from the saved model, and runs scikit-learn's checks on ten estimators.
"""

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

MEGABYTES = 15
ESTIMATORS = [
    "linear.LinearRegression",
    "linear.Lasso",
    "linear.LogisticRegression",
    "trees.DecisionTreeClassifier",
    "ensemble.RandomForestRegressor",
    "ensemble.GradientBoostingClassifier",
    "svm.SVC",
    "cluster.KMeans",
    "decomposition.PCA",
    "neighbors.KNeighborsClassifier",
]
CHECKS = """
import importlib, sys, warnings
from sklearn.utils.estimator_checks import check_estimator
warnings.simplefilter("ignore")
drawn = "rows are drawn in proportion to their weights: the same trees in distribution, not one by one"
kinds = ("dense", "sparse")
settings = {  # of the contract tests, too
    "RandomForestRegressor": {"n_estimators": 5, "random_state": 0},
    "SVC": {"tol": 1e-10},
    "KMeans": {"n_clusters": 3, "random_state": 0},
    "PCA": {"n_components": 2, "random_state": 0},
}
expected = {"RandomForestRegressor": {f"check_sample_weight_equivalence_on_{kind}_data": drawn for kind in kinds}}
for path in sys.argv[1:]:
    family, name = path.split(".")
    estimator = getattr(importlib.import_module(f"statlearn.{family}"), name)(**settings.get(name, {}))
    check_estimator(estimator, expected_failed_checks=expected.get(name), on_skip=None)
    print(path, "passes check_estimator")
"""
EXAMPLE = """
from sklearn.datasets import load_diabetes
from statlearn._core import native
from statlearn.linear import LassoCV, LinearRegression
assert not hasattr(native, "probes"), "what only tests call is in the wheel"
X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
table = str(LinearRegression().fit(X, y).summary())
assert "bmi             5.6030     0.71711    7.813   4.30e-14" in table, table
Z = (X - X.mean()) / X.std()
lasso = LassoCV(cv=10, rule="one_se").fit(Z, y)
assert list(X.columns[lasso.coef_ != 0]) == ["bmi", "bp", "s3", "s5"]
"""


def run(*command, cwd):
    """Run a command without a compiler in reach, so that nothing is built in silence."""
    environment = {**os.environ, "CC": "/bin/false", "CXX": "/bin/false"}
    environment.pop("PYTHONPATH", None)
    subprocess.run(list(map(str, command)), cwd=cwd, env=environment, check=True)


def check_contents(wheel):
    """Check the size of a wheel, and that it holds the compiled levels and the licences of what is compiled in."""
    size = wheel.stat().st_size / 1e6
    names = zipfile.ZipFile(wheel).namelist()
    print(f"{wheel.name}: {size:.1f} MB, {len(names)} files")
    if size > MEGABYTES:
        raise SystemExit(f"{wheel.name} has {size:.1f} MB; the limit is {MEGABYTES} MB.")
    wanted = ["_native_", "py.typed", "nanobind.txt", "robin-map.txt"]
    missing = [part for part in wanted if not any(part in name for name in names)]
    if missing:
        raise SystemExit(f"{wheel.name} lacks {', '.join(missing)}.")


def suits(wheel):
    """Whether a wheel is for this version of Python."""
    return ("-abi3-" if sys.version_info >= (3, 12) else f"-cp3{sys.version_info.minor}-cp") in wheel.name


def install(wheel, folder):
    """Create an environment with the wheel, and return its interpreter."""
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    options = ["--quiet", "--no-compile", "--only-binary", ":all:"]
    run(python, "-m", "pip", "install", *options, f"{wheel}[app]", "pandas", cwd=folder)
    return python


def use(python, folder):
    """Use the installed package as a library and from the shell."""
    run(python, "-c", EXAMPLE, cwd=folder)
    run(python, "-m", "statlearn", "compare", "loans", "--quick", "--out", "results", cwd=folder)
    run(python, "-m", "statlearn", "predict", "results/model.statlearn", "loans", "--out", "new.csv", cwd=folder)
    for file in ("results/report.html", "new.csv"):
        if not (folder / file).stat().st_size:
            raise SystemExit(f"{file} is empty.")
    run(python, "-c", CHECKS, *ESTIMATORS, cwd=folder)


def main(arguments):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments == ["--installed"]:
            python = sys.executable
        else:
            wheel = next(filter(suits, Path(arguments[0]).resolve().glob("*.whl")))
            check_contents(wheel)
            python = install(wheel, folder)
        use(python, folder)


if __name__ == "__main__":
    main(sys.argv[1:])
