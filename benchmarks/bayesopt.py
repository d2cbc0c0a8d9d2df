"""Bayesian optimisation: the same functions, numbers of evaluations and seeds.

The objectives cost nothing, so that the seconds are the overhead of proposing points. The quality is the median over
the seeds of the simple regret: the best value found minus the minimum.
"""

import functools

import numpy as np

from benchmarks.case import Case

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


class branin(Case):
    """Branin's function of two variables."""

    size, quick = dict(name="branin", n=60, seeds=5), dict(n=12, seeds=1)
    goal = dict(botorch=5)

    def data(name, n, seeds):
        return dict(name=np.array(name), n=np.array(n), seeds=np.arange(seeds))

    def quality(fit, name, n, seeds):
        return {"regret": float(np.median(fit.best))}

    def statlearn(name, n, seeds):
        from statlearn.gp import BayesianOptimizer

        function, d = FUNCTIONS[str(name)]
        best = []
        for seed in seeds:
            optimizer = BayesianOptimizer([(0.0, 1.0)] * d, noise=False, random_state=int(seed))
            optimizer.optimize(function, n_trials=int(n))
            best.append(min(trial.values[0] for trial in optimizer.trials))
        return dict(best=np.array(best))

    def botorch(name, n, seeds):
        import torch
        from botorch.acquisition import LogExpectedImprovement
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import SingleTaskGP
        from botorch.models.transforms import Standardize
        from botorch.optim import optimize_acqf
        from botorch.utils.sampling import draw_sobol_samples
        from gpytorch.mlls import ExactMarginalLogLikelihood

        function, d = FUNCTIONS[str(name)]
        bounds = torch.stack([torch.zeros(d), torch.ones(d)]).double()
        best = []
        for seed in seeds:
            torch.manual_seed(int(seed))
            X = draw_sobol_samples(bounds, max(2 * d, 4), 1, seed=int(seed)).squeeze(1).double()
            Y = torch.tensor([[-function(x.numpy())] for x in X]).double()
            while len(X) < n:
                model = SingleTaskGP(X, Y, outcome_transform=Standardize(1))
                fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
                gain = LogExpectedImprovement(model, best_f=Y.max())
                x, _ = optimize_acqf(gain, bounds, q=1, num_restarts=10, raw_samples=512)
                X = torch.cat([X, x])
                Y = torch.cat([Y, torch.tensor([[-function(x[0].numpy())]]).double()])
            best.append(-float(Y.max()))
        return dict(best=np.array(best))

    def optuna(name, n, seeds):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        function, d = FUNCTIONS[str(name)]
        best = []
        for seed in seeds:
            study = optuna.create_study(sampler=optuna.samplers.TPESampler(multivariate=True, seed=int(seed)))
            study.optimize(
                lambda t: function(np.array([t.suggest_float(f"x{j}", 0, 1) for j in range(d)])), n_trials=int(n)
            )
            best.append(study.best_value)
        return dict(best=np.array(best))

    def optuna_gp(name, n, seeds):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        function, d = FUNCTIONS[str(name)]
        best = []
        for seed in seeds:
            study = optuna.create_study(sampler=optuna.samplers.GPSampler(seed=int(seed)))
            study.optimize(
                lambda t: function(np.array([t.suggest_float(f"x{j}", 0, 1) for j in range(d)])), n_trials=int(n)
            )
            best.append(study.best_value)
        return dict(best=np.array(best))

    def skopt(name, n, seeds):
        import skopt

        function, d = FUNCTIONS[str(name)]
        best = [
            skopt.gp_minimize(function, [(0.0, 1.0)] * d, n_calls=int(n), random_state=int(seed)).fun for seed in seeds
        ]
        return dict(best=np.array(best))


class hartmann(branin):
    """Hartmann's function of six variables."""

    size = dict(name="hartmann", n=60, seeds=5)


class ackley(branin):
    """Ackley's function of five variables, shifted."""

    size = dict(name="ackley", n=60, seeds=5)


class boosting(branin):
    """Four parameters of gradient boosting; most of the time is that of the fits."""

    size = dict(name="boosting", n=40, seeds=3)
    goal: dict = {}
