"""Programs that minimise a function on the unit cube: ``minimise(function, d, n, seed)`` evaluates it n times."""


def statlearn(function, d, n, seed):
    from statlearn.gp import BayesianOptimizer

    BayesianOptimizer([(0.0, 1.0)] * d, noise=False, random_state=seed).optimize(function, n_trials=n)


def botorch(function, d, n, seed):
    import torch
    from botorch.acquisition import LogExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Standardize
    from botorch.optim import optimize_acqf
    from botorch.utils.sampling import draw_sobol_samples
    from gpytorch.mlls import ExactMarginalLogLikelihood

    bounds = torch.stack([torch.zeros(d), torch.ones(d)]).double()
    torch.manual_seed(seed)
    X = draw_sobol_samples(bounds, max(2 * d, 4), 1, seed=seed).squeeze(1).double()
    Y = torch.tensor([[-function(x.numpy())] for x in X]).double()
    while len(X) < n:
        model = SingleTaskGP(X, Y, outcome_transform=Standardize(1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        gain = LogExpectedImprovement(model, best_f=Y.max())
        x, _ = optimize_acqf(gain, bounds, q=1, num_restarts=10, raw_samples=512)
        X = torch.cat([X, x])
        Y = torch.cat([Y, torch.tensor([[-function(x[0].numpy())]]).double()])


def _study(sampler, function, d, n):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda t: function([t.suggest_float(f"x{j}", 0, 1) for j in range(d)]), n_trials=n)


def optuna(function, d, n, seed):
    from optuna.samplers import TPESampler

    _study(TPESampler(multivariate=True, seed=seed), function, d, n)


def optuna_gp(function, d, n, seed):
    from optuna.samplers import GPSampler

    _study(GPSampler(seed=seed, deterministic_objective=True), function, d, n)


def skopt(function, d, n, seed):
    from skopt import gp_minimize

    gp_minimize(function, [(0.0, 1.0)] * d, n_calls=n, random_state=seed)


OPTIMIZERS = {each.__name__: each for each in (statlearn, botorch, optuna, optuna_gp, skopt)}


def values_of(name, function, d, n, seed):
    """Values of the function in the order in which a program evaluates it."""
    values = []

    def recorded(u):
        values.append(float(function(u)))
        return values[-1]

    OPTIMIZERS[name](recorded, d, int(n), int(seed))
    return values[: int(n)]
