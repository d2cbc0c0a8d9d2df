"""Demonstrations of Gaussian processes: points that are added, and optimisation step by step."""

import functools

import numpy as np

from statlearn.app.studio.demos.demo import Demo, Dial, Shown, axes, fact
from statlearn.gp import BayesianOptimizer, GaussianProcessRegressor
from statlearn.gp.kernels import RBF

GRID = np.linspace(0, 10, 160)


def _process(v):
    x = np.array([1.0, 2.2, 6.4, 7.1, v["px"]])
    y = np.array([0.4, 1.1, -0.7, -1.0, v["py"]])
    kernel = RBF(v["length"], length_scale_bounds="fixed")
    model = GaussianProcessRegressor(kernel, alpha=v["noise"] ** 2, optimizer=None).fit(x[:, None], y)
    mean, std = model.predict(GRID[:, None], return_std=True)
    draws = model.sample_y(GRID[:, None], n_samples=4, random_state=1)
    plot = axes((0, 10), (-3.0, 3.0), "x", "f(x)")
    plot.band(GRID, mean - 1.96 * std, mean + 1.96 * std, "s1")
    for draw in np.asarray(draws).reshape(len(GRID), -1).T:
        plot.line(GRID, draw, "s1 ice")
    plot.line(GRID, mean, "s1")
    plot.dots(x[:-1], y[:-1], "ink solid", size=8)
    plot.dot(v["px"], v["py"], "s2", size=14)
    plot.key("mean and 95 % band", "s1")
    facts = [
        fact("length scale", v["length"], 3),
        fact("log marginal likelihood", float(model.log_marginal_likelihood_value_), 4),
        fact("largest standard deviation", float(std.max()), 3),
    ]
    words = (
        "Functions that agree with the points are what is left of all smooth functions. Drag the orange point: "
        "near it the "
        "band closes, far from all points it returns to the prior."
    )
    return Shown(plot, "Gaussian process through five points", facts, words)


GAUSSIAN_PROCESS = Demo(
    "gaussian-process",
    "A Gaussian process",
    "What does one more point say about the function?",
    "f | y ~ N( k(x, X) (K + σ²I)⁻¹ y,  k(x, x) − k(x, X) (K + σ²I)⁻¹ k(X, x) )",
    (Dial("length", "length scale", 0.3, 4, 0.05, 1.2), Dial("noise", "noise σ", 0.01, 0.8, 0.01, 0.05)),
    _process,
    "statlearn.gp.GaussianProcessRegressor",
    point=(4.4, 0.8),
    guide="gp/index",
)


def _costly(x):
    return np.sin(1.7 * x) + 0.6 * np.cos(3.1 * x + 1) + 0.05 * (x - 6) ** 2


@functools.lru_cache(64)
def _study(steps, xi):
    """The optimiser after its initial design and this many steps, and where it has looked."""
    study = BayesianOptimizer([(0.0, 10.0)], n_initial=3, noise=False, acquisition="ei", xi=xi, random_state=3)
    for _ in range(3 + steps):
        point = study.ask()
        study.tell(point, float(_costly(np.ravel(point)[0])))
    tried = np.array([np.ravel(t.point)[0] for t in study.trials], dtype=float)
    mean, std = study.predict([[float(x)] for x in GRID])
    gain = study.acquisition_values([[float(x)] for x in GRID])
    return tried, np.ravel(mean), np.ravel(std), np.ravel(gain)


def _optimisation(v):
    steps = int(v["steps"])
    tried, mean, std, gain = _study(steps, round(v["xi"], 3))
    plot = axes((0, 10), (-3.2, 4.0), "x", "f(x), to be made small")
    plot.band(GRID, mean - 1.96 * std, mean + 1.96 * std, "s1")
    plot.line(GRID, mean, "s1")
    plot.line(GRID, _costly(GRID), "reference", dash="4 3")
    worth = np.exp(gain - gain.max())  # the optimiser works with the logarithm
    plot.line(GRID, -3.1 + worth, "s3")
    plot.dots(tried[:3], _costly(tried[:3]), "ink solid", size=7)
    plot.dots(tried[3:-1], _costly(tried[3:-1]), "s2 solid", size=8)
    plot.dot(tried[-1], float(_costly(tried[-1])), "s2", size=13, title="the last evaluation")
    for words, css, kind in (
        ("model", "s1", "line"),
        ("acquisition", "s3", "line"),
        ("truth, unknown", "reference", "dash"),
    ):
        plot.key(words, css, kind)
    best = int(np.argmin(_costly(tried)))
    facts = [
        fact("evaluations", len(tried)),
        fact("best value", float(_costly(tried[best])), 4),
        fact("smallest possible", float(_costly(np.linspace(0, 10, 4001)).min()), 4),
    ]
    words = (
        "After three points, each step evaluates the function where the acquisition (green) is largest: where "
        "the model "
        "is low or unsure. The truth is drawn for us; the optimiser sees the points only."
    )
    return Shown(plot, f"Bayesian optimisation after {steps} steps", facts, words)


BAYES_OPTIMISATION = Demo(
    "bayesian-optimisation",
    "Bayesian optimisation",
    "Where is the next expensive evaluation worth most?",
    "next x = argmax of E max(0, best − ξ − f(x))",
    (Dial("steps", "steps", 0, 14, 1, 3), Dial("xi", "ξ, the smallest gain that counts", 0, 1, 0.05, 0)),
    _optimisation,
    "statlearn.gp.BayesianOptimizer",
    guide="gp/index",
)
