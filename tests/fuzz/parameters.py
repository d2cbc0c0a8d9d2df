"""Parameters drawn from the rules that an estimator declares."""

import inspect
import re

import numpy as np
from scipy import sparse
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit

from statlearn._core.params import HasMethods, Instance, Int, ListOf, Options, Real
from statlearn.linear import LinearRegression, LogisticRegression, Ridge
from statlearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from statlearn.smooth import SplineTransformer, StepBasis
from statlearn.trees import DecisionTreeClassifier, DecisionTreeRegressor
from tests.contract.instances import SETTINGS

# Parameters that multiply the work: large values would only cost time.
WORK = re.compile(
    "iter|n_estimators|n_init|draws|boot|n_jobs|n_trees|epochs|samples_init|n_refs|n_grid|degree|order|rank|n_restarts|"
    "n_alphas|n_quantiles|max_terms|components|n_splits|n_repeats|verbose|n_points|burn|warm|n_basis|df|bins|"
    "n_candidates|max_subset|n_lambda|interaction|max_size|n_bits|leaf_size"
)
NUMBERS = (0.0, 1e-300, 1e-12, 1e-3, 0.1, 0.5, 0.9, 1.0, 1.5, 2.0, 10.0, 1e6, 1e300, np.inf)
METRICS = ("euclidean", "manhattan", "cosine", "chebyshev", "minkowski", "hamming", "precomputed", "nonsense")
FORMULAS = ("s(x0)", "c0 + c1", "~ .", "s(0) + s(1)", "", "((", "s(x0, k=2)", "te(x0,x1)", "x0:x1")


class CannotDraw(Exception):
    """No values can be drawn from this rule."""


def one_of(rng, values):
    return values[rng.integers(len(values))]


def draw_real(rng, rule):
    low, high = rule.low, rule.high
    values = [v for v in NUMBERS if rule.accepts(v)]
    if low is not None and high is not None:
        values += [low + (high - low) * rng.random()] * 3
    values += [float(end) for end in (low, high) if end is not None and rule.accepts(float(end))]
    if low is None:
        values += [-1.0, -1e300]
    return float(one_of(rng, values or [0.5 if low is None else low]))


def draw_int(rng, rule, name):
    low = -3 if rule.low is None else int(rule.low)
    values = [low, low, low + 1, low + 2, low + 3, low + int(rng.integers(0, 12))]
    if not WORK.search(name):
        values += [1000, 2**31 - 1, 2**31, 2**40]
    elif "jobs" not in name:
        values += [low + 30]
    if rule.high is not None:
        values = [v for v in values if v <= rule.high]
        if rule.high <= 5000 or not WORK.search(name):
            values.append(int(rule.high))
    return int(one_of(rng, values))


def small_estimator(rng, methods=("fit", "predict")):
    if "transform" in methods:
        return one_of(rng, [StepBasis(), SplineTransformer()])
    return one_of(
        rng,
        [
            LinearRegression(),
            LogisticRegression(),
            DecisionTreeClassifier(max_depth=2),
            DecisionTreeRegressor(max_depth=2),
            KNeighborsClassifier(3),
            KNeighborsRegressor(3),
            Ridge(),
        ],
    )


def draw_word(rng, word, p):
    """A value for one of the rules that are known by a word."""
    if word == "boolean":
        return bool(rng.integers(2))
    if word == "random_state":
        return one_of(rng, [0, None, np.random.RandomState(1), np.int64(3), 2**32 - 1])
    if word == "verbose":
        return 0
    if word == "cv":
        return one_of(rng, [2, 3, KFold(2), LeaveOneOut(), ShuffleSplit(2, random_state=0), None, 50])
    if word == "array-like":
        k = int(rng.choice([0, 1, 2, 3, p, p + 1]))
        numbers = [rng.normal(size=k), np.abs(rng.normal(size=k)), list(range(k)), rng.integers(0, 2, k)]
        return one_of(rng, [*numbers, rng.normal(size=(k, p)), [True] * k, [np.nan] * k, ["c0"] * k])
    if word == "sparse matrix":
        return sparse.eye_array(max(p, 1), format="csr")
    raise CannotDraw(word)


def draw_instance(rng, types, name):
    """A value for a rule that names types; the parameter's name tells what it is for."""
    if dict in types and re.search("weight|cst|strategy", name):
        return one_of(rng, [{}, {0: 2.0, 1: 1.0}, {0: 0.0}, {7: 1.0}, {"c0": 1}, {0: -1, 1: 5}])
    if name == "n_jobs":
        return one_of(rng, [1, 2, -1, -100, 64, 0])
    if tuple in types and "range" in name:
        return one_of(rng, [(25.0, 75.0), (0, 100), (50, 50), (1, 1), (1, 2), (2, 1), ()])
    if tuple in types or list in types:
        return one_of(rng, [[], [1], [2, 2], (1, 2), [0, 0], [("a", small_estimator(rng))]])
    if str in types and name == "scoring":
        return one_of(rng, ["accuracy", "r2", "neg_log_loss", "no such", "roc_auc"])
    if str in types and name == "metric":
        return one_of(rng, [*METRICS, "mahalanobis", "jaccard"])
    if str in types and name in ("terms", "formula"):
        return one_of(rng, FORMULAS)
    raise CannotDraw(name)


def draw_value(rng, rule, name, p):
    """One value that a rule accepts for a table of p columns; CannotDraw for rules that do not tell enough."""
    if rule is None:
        return None
    if isinstance(rule, str):
        return draw_word(rng, rule, p)
    if isinstance(rule, Int):
        return draw_int(rng, rule, name)
    if isinstance(rule, Real):
        return draw_real(rng, rule)
    if isinstance(rule, Options):
        return one_of(rng, sorted(rule.options, key=str))
    if isinstance(rule, ListOf):
        return [draw_value(rng, rule.rule, name, p) for _ in range(int(rng.integers(1, 4)))]
    if isinstance(rule, HasMethods) and "fit" in rule.methods:
        return small_estimator(rng, rule.methods)
    if isinstance(rule, Instance):
        return draw_instance(rng, rule.types, name)
    raise CannotDraw(type(rule).__name__)


def complete(cls):
    """An instance that has what its class cannot do without: an estimator and its grid, or members."""
    needed = [name for name, p in inspect.signature(cls).parameters.items() if p.default is p.empty]
    estimator = cls(**{name: SETTINGS[cls.__name__][name] for name in needed})
    known, fill = estimator.get_params(deep=False), {}
    for grid in ("param_grid", "param_distributions"):
        if grid in known:
            fill = {"estimator": Ridge(), grid: {"alpha": [0.1, 1.0, 10.0]}}
    if fill and "n_iter" in known:
        fill["n_iter"] = 2
    if "estimators" in known and known["estimators"] is None:
        if "Classifier" in cls.__name__:
            fill["estimators"] = [("a", LogisticRegression()), ("b", DecisionTreeClassifier())]
        else:
            fill["estimators"] = [
                ("a", LinearRegression()),
                ("b", LinearRegression() if "Bayes" in cls.__name__ else Ridge()),
            ]
    return estimator.set_params(**fill)


def draw_instance_of(cls, rng, p, *, defaults=False):
    """An instance with random parameters, and those that were drawn."""
    estimator, chosen = complete(cls), {}
    known = estimator.get_params(deep=False)
    if not defaults and rng.random() < 0.6:
        share = rng.choice([0.1, 0.3, 0.6])
        for name, rules in cls._constraints.items():
            if name not in known or rng.random() > share:
                continue
            try:
                chosen[name] = draw_value(rng, one_of(rng, list(rules)), name, p)
            except CannotDraw:
                continue
    if "random_state" in known and "random_state" not in chosen:
        estimator.set_params(random_state=0)
    if "n_jobs" in known and "n_jobs" not in chosen and rng.random() < 0.1:
        chosen["n_jobs"] = one_of(rng, [1, 2, -1, 500, 0, -1000, None])
    if rng.random() < 0.02 and "random_state" in known:
        chosen["random_state"] = one_of(rng, [-1, "a", 1.5, np.random.default_rng(0), 2**40])
    if "n_estimators" not in chosen and isinstance(known.get("n_estimators"), int):
        estimator.set_params(n_estimators=min(known["n_estimators"], 12))  # hundreds only cost time here
    # The constructor only stores, whereas `set_params` of a pipeline would already look into broken steps.
    return cls(**{**estimator.get_params(deep=False), **chosen}), chosen
