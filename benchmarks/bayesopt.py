"""Bayesian optimisation: the same functions, numbers of evaluations and seeds.

The objectives cost nothing, so that the seconds are the overhead of proposing points. The quality is the median over
the seeds of the simple regret: the best value found minus the minimum. `python -m benchmarks.regret` draws the curves.
"""

import functools

import numpy as np

from benchmarks.case import Case
from benchmarks.optimizers import values_of

# Hartmann's function of six variables; Surjanovic & Bingham, Virtual Library of Simulation Experiments.
_A = np.array(
    [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
)
_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)
_WEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
_SHIFT = np.array([3.0, -5.0, 7.0, 2.0, -8.0])  # the minimum is not in the centre, where some designs begin


def _branin(u):
    x, y = 15 * u[0] - 5, 15 * u[1]
    wave = (y - 5.1 / (4 * np.pi**2) * x * x + 5 / np.pi * x - 6) ** 2
    return float(wave + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) + 10 - 0.39788735772973816)


def _hartmann(u):
    return float(3.3223680114155147 - _WEIGHTS @ np.exp(-np.sum(_A * (np.asarray(u) - _P) ** 2, axis=1)))


def _ackley(u):
    z = 65.536 * np.asarray(u) - 32.768 - _SHIFT
    return float(-20 * np.exp(-0.2 * np.sqrt(np.mean(z * z))) - np.exp(np.mean(np.cos(2 * np.pi * z))) + 20 + np.e)


@functools.cache
def _cancer():
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return X[::2], y[::2]  # half of the rows: a tenth of a second per fit


def _boosting(u):
    """Log loss of gradient boosting over three folds; a real tuning problem with whole numbers among its parameters."""
    from sklearn.model_selection import cross_val_score

    from statlearn.ensemble import GradientBoostingClassifier

    X, y = _cancer()
    model = GradientBoostingClassifier(
        learning_rate=float(0.01 * 50 ** u[0]),
        max_leaf_nodes=int(2 + round(29 * u[1])),
        min_samples_leaf=int(1 + round(39 * u[2])),
        n_estimators=int(5 + round(45 * u[3])),
        random_state=0,
    )
    return float(-cross_val_score(model, X, y, cv=3, scoring="neg_log_loss").mean())


FUNCTIONS = {"branin": (_branin, 2), "hartmann": (_hartmann, 6), "ackley": (_ackley, 5), "boosting": (_boosting, 4)}


def _best(program, name, n, seeds):
    function, d = FUNCTIONS[str(name)]
    return dict(best=np.array([min(values_of(program, function, d, n, seed)) for seed in seeds]))


class branin(Case):
    """Branin's function of two variables."""

    size, quick = dict(name="branin", n=60, seeds=5), dict(n=12, seeds=1)
    goal = dict(botorch=5)

    def data(name, n, seeds):
        return dict(name=np.array(name), n=np.array(n), seeds=np.arange(seeds))

    def quality(fit, name, n, seeds):
        return {"regret": float(np.median(fit.best))}

    def statlearn(name, n, seeds):
        return _best("statlearn", name, n, seeds)

    def botorch(name, n, seeds):
        return _best("botorch", name, n, seeds)

    def optuna(name, n, seeds):
        return _best("optuna", name, n, seeds)

    def optuna_gp(name, n, seeds):
        return _best("optuna_gp", name, n, seeds)

    def skopt(name, n, seeds):
        return _best("skopt", name, n, seeds)


class hartmann(branin):
    """Hartmann's function of six variables."""

    size = dict(name="hartmann", n=60, seeds=5)


class ackley(branin):
    """Ackley's function of five variables, shifted."""

    size = dict(name="ackley", n=60, seeds=5)


class boosting(branin):
    """Four parameters of gradient boosting; most of the time is that of the fits."""

    size = dict(name="boosting", n=60, seeds=3)
    goal: dict = {}
