"""Set up the peers: `python -m benchmarks.peers`. Running it again changes nothing that is already there.

.venv-bench   the `bench` extra: what can live beside current NumPy and scikit-learn. statlearn itself is not
              installed here but imported from this checkout's src, where the build has put the native module
              (so: built by the same Python version).
.venv-adelie  adelie is compiled against NumPy 1.
.venv-celer   celer's LassoCV passes an argument that scikit-learn 1.9 no longer has.
.venv-pygam   pyGAM wants a scipy before 1.17.
.venv-svm     LIBSVM and LIBLINEAR by their authors, ThunderSVM and Snap ML, which ship libraries of their own.
.venv-flaml, .venv-mljar, .venv-autogluon
              the AutoML packages of `python -m benchmarks.automl`: each pins versions that the others do not accept.
glmnet, kernlab   R and its packages come from the system: apt install r-base-core r-cran-glmnet r-cran-kernlab.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(os.environ.get("BENCH_ENVS", ROOT))  # of the environments: several checkouts can share them
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
PACKAGES = {
    ".venv-bench": [
        *PROJECT["dependencies"],
        *(one for one in EXTRAS["app"] if not one.startswith("statlearn[")),  # the race of benchmarks/automl.py
        *EXTRAS["plot"],
        *EXTRAS["bench"],
        "pyarrow",
    ],
    ".venv-adelie": ["adelie", "numpy<2"],
    ".venv-celer": ["celer", "scikit-learn<1.8"],
    ".venv-pygam": ["pygam"],
    ".venv-svm": ["libsvm-official", "liblinear-official", "thundersvm-cpu", "snapml"],
    ".venv-flaml": ["flaml[automl]", "pyarrow"],
    ".venv-mljar": ["mljar-supervised", "pyarrow"],
    ".venv-autogluon": ["autogluon.tabular[lightgbm,catboost,xgboost]", "pyarrow"],
}


def make(folder, packages):
    python = folder / "bin" / "python"
    done = folder / "bench-packages.txt"  # written last: a broken installation is tried again
    if done.exists() and done.read_text().split("\n") == packages:
        return "ready"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
    done.write_text("\n".join(packages))
    return "installed"


def main():
    failed = False
    for name, packages in PACKAGES.items():
        try:
            print(f"{name}: {make(FOLDER / name, packages)} ({', '.join(packages)})", flush=True)
        except subprocess.CalledProcessError as error:  # the other peers are still worth having
            failed = True
            print(f"{name}: failed: {error}", flush=True)
    if not shutil.which("Rscript"):
        print("glmnet: no Rscript found; apt install r-base-core r-cran-glmnet")
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
