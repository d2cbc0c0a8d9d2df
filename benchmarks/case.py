"""What a benchmark is: data, one runner for each implementation, and a quality computed from the results.

A case, complete::

    class ridge(Case):
        '''Ridge at one alpha.'''
        size, quick = dict(n=10_000, p=100), dict(n=50, p=5)
        goal = dict(sklearn=2)                       # be twice as fast
        accept = dict(objective=1e-8)                # what "same quality" means

        def data(n, p):
            X, y = sparse_regression(n, p)
            return dict(X=X, y=y)

        def quality(fit, X, y):
            return dict(objective=np.sum((y - X @ fit.coef) ** 2) + np.sum(fit.coef**2))

        def statlearn(X, y):
            from statlearn.linear import Ridge
            return dict(coef=Ridge(alpha=1.0, fit_intercept=False).fit(X, y).coef_)

        def sklearn(X, y):
            from sklearn.linear_model import Ridge
            return dict(coef=Ridge(alpha=1.0, fit_intercept=False).fit(X, y).coef_)

        glmnet = R("list(coef = ...)")               # an R expression in the same variables

Functions have no `self`: a case is a namespace, and inheriting one reuses its runners on other data. Runners
import inside: the first, untimed run on the `quick` size pays for imports and compilation. A result is a dict
of arrays; if it holds "seconds", that is the time (for work that measures itself), and the text "shown" (a
learned program) stands below the table. A quality "objective" is shown as its relative excess over the best
found; arrays (one value for each alpha) by their worst element.
"""

import importlib
import importlib.util
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

ENVIRONMENTS = {
    "adelie": ".venv-adelie",
    "celer": ".venv-celer",
    "pygam": ".venv-pygam",
    "libsvm": ".venv-svm",
    "liblinear": ".venv-svm",
    "thundersvm": ".venv-svm",
    "snapml": ".venv-svm",
    "flaml": ".venv-flaml",
    "mljar": ".venv-mljar",
    "autogluon": ".venv-autogluon",
}  # all others live in .venv-bench: see peers.py


@dataclass(frozen=True)
class R:
    """A runner written in R; `library` is loaded first, and is the package whose version is reported."""

    code: str
    library: str = "glmnet"


class Case:
    """Base of all cases; a subclass whose name has no leading underscore can be run."""

    size: ClassVar[dict] = {}
    quick: ClassVar[dict] = {}  # the tiny size, for warm-up and tests: updates `size`
    grow: ClassVar[dict] = {}  # argument -> sizes, for the table of cost growth
    goal: ClassVar[dict] = {}  # runner -> how many times faster statlearn should be
    accept: ClassVar[dict] = {}  # quality -> largest value that counts as solved
    same: ClassVar[tuple] = ()  # qualities that must be equal for all: counts

    def data(**size):
        return {}

    def quality(fit, **data):
        return {}

    @classmethod
    def runners(cls):
        """All runners by name, the oldest ancestor's first; a subclass drops one by setting it to None."""
        names = [name for base in reversed(cls.__mro__) for name in vars(base) if name not in vars(Case)]
        found = {n: getattr(cls, n) for n in dict.fromkeys(names) if not n.startswith("_")}
        return {n: r for n, r in found.items() if isinstance(r, R) or callable(r)}

    @classmethod
    def sizes(cls, quick=False, change=None):
        return {**cls.size, **(cls.quick if quick else {}), **(change or {})}


def library_of(runner):
    """`sklearn_newton` is a runner of sklearn: the first word names the library."""
    return runner.split("_")[0]


def load_suite(name):
    """The cases of `benchmarks/<name>.py`, or of a file given by its path, in the order written."""
    if name.endswith(".py"):
        spec = importlib.util.spec_from_file_location(Path(name).stem, name)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(f"benchmarks.{name}")
    return {
        n: c
        for n, c in vars(module).items()
        if isinstance(c, type) and issubclass(c, Case) and c is not Case and not n.startswith("_")
    }


def threads():
    """Threads a runner may use, for libraries that ignore the environment."""
    return int(os.environ.get("OMP_NUM_THREADS", "1"))
