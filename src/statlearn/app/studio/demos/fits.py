"""Demonstrations of fits: least squares with a point to drag, the lasso path, bias and variance."""

import functools

import numpy as np

from statlearn.app.studio.demos.demo import Demo, Dial, Shown, axes, fact
from statlearn.linear import LinearRegression, lasso_path


@functools.cache
def _line_data():
    rng = np.random.default_rng(3)
    x = np.sort(rng.uniform(0, 10, 24))
    return x, 2 + 0.8 * x + rng.normal(0, 1.1, 24)


def _least_squares(v):
    x, y = _line_data()
    x, y = np.r_[x, v["px"]], np.r_[y, v["py"]]
    model = LinearRegression().fit(x[:, None], y)
    without = LinearRegression().fit(x[:-1, None], y[:-1])
    residuals = y - model.predict(x[:, None])
    centred = (x - x.mean()) ** 2
    leverage = 1 / len(x) + centred[-1] / centred.sum()
    plot = axes((-1.0, 15.0), (-4.0, 18.0), "x", "y")
    ends = np.array([-1.0, 15.0])
    plot.whiskers(np.minimum(y, y - residuals), np.maximum(y, y - residuals), x, "s2 soft")
    plot.line(ends, without.predict(ends[:, None]), "reference", dash="4 3")
    plot.line(ends, model.predict(ends[:, None]), "s1")
    plot.dots(x[:-1], y[:-1], "ink", size=6)
    plot.dot(v["px"], v["py"], "s2", size=14)
    plot.key("with the point", "s1")
    plot.key("without it", "reference", "dash")
    facts = [
        fact("intercept", model.intercept_),
        fact("slope", float(model.coef_[0])),
        fact("sum of squares", float(residuals @ residuals)),
        fact("leverage of the point", float(leverage), 3),
    ]
    words = (
        "The orange bars are residuals; their squares are what is made small. A point far to the side has leverage: it "
        "turns the line towards itself."
    )
    return Shown(plot, "Least squares line through points", facts, words)


LEAST_SQUARES = Demo(
    "least-squares",
    "Least squares",
    "How far can one point pull the line?",
    "min over a, b of Σ (yᵢ − a − b xᵢ)²",
    (),
    _least_squares,
    "statlearn.linear.LinearRegression",
    point=(13.0, 3.0),
    guide="linear/least_squares",
)


@functools.cache
def _path_data():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 8))
    X[:, 1] += 0.7 * X[:, 0]
    y = X @ np.array([3.0, -2.0, 1.5, 0, 0, 0.6, 0, 0]) + rng.normal(0, 2.0, 80)
    X = (X - X.mean(0)) / X.std(0)
    alphas, coefs, *_ = lasso_path(X, y - y.mean(), alphas=80)
    return X, y - y.mean(), np.asarray(alphas), np.asarray(coefs)


def _lasso_path(v):
    X, y, alphas, coefs = _path_data()
    alpha = float(np.clip(v["alpha"], alphas[-1], alphas[0]))
    at = lasso_path(X, y, alphas=np.array([alpha]))[1][:, 0]
    plot = axes(
        (alphas[-1], alphas[0]),
        (coefs.min() - 0.2, coefs.max() + 0.2),
        "penalty α",
        "coefficient",
        x_log=True,
        x_reversed=True,
    )
    for j, path in enumerate(coefs):
        plot.line(alphas, path, f"s{j % 7 + 1}", title=f"x{j + 1}")
        plot.dot(alpha, at[j], f"s{j % 7 + 1}", size=9, title=f"x{j + 1}: {at[j]:.3g}")
    plot.rule(x=alpha)
    residuals = y - X @ at
    facts = [
        fact("α", alpha, 3),
        fact("columns in the model", int(np.sum(at != 0))),
        fact("mean squared error", float(residuals @ residuals / len(y))),
        fact("Σ |wⱼ|", float(np.abs(at).sum())),
    ]
    words = (
        "From left to right the penalty falls and coefficients leave zero, one after the other. Those of the "
        "columns that "
        "matter come first; all are shrunk towards zero."
    )
    return Shown(plot, "Coefficients along the lasso path", facts, words)


LASSO_PATH = Demo(
    "lasso-path",
    "The lasso path",
    "Which columns come in first as the penalty falls?",
    "min over w of ‖y − Xw‖² / 2n + α Σ |wⱼ|",
    (Dial("alpha", "penalty α (power of ten)", -2.6, 0.5, 0.02, -0.5, True),),
    _lasso_path,
    "statlearn.linear.lasso_path",
    guide="linear/lasso",
)


def _truth(x):
    return np.sin(1.3 * x) + 0.3 * x


@functools.cache
def _samples(n, noise):
    rng = np.random.default_rng(7)
    x = np.linspace(0.05, 5.95, n)
    return x, _truth(x) + noise * rng.normal(size=(40, n))


def _powers(x, degree):
    z = x / 3.0 - 1.0
    return np.polynomial.legendre.legvander(z, degree)[:, 1:]


def _bias_variance(v):
    degree, n, noise = int(v["degree"]), int(v["n"]), v["noise"]
    x, samples = _samples(n, round(noise, 3))
    grid = np.linspace(0, 6, 80)
    design, at = _powers(x, degree), _powers(grid, degree)
    fits = np.array([LinearRegression().fit(design, y).predict(at) for y in samples])
    mean = fits.mean(axis=0)
    plot = axes((0, 6), (-2.0, 4.0), "x", "y")
    for fit in fits[:25]:
        plot.line(grid, fit, "s1 ice")
    plot.line(grid, mean, "s1")
    plot.line(grid, _truth(grid), "s2")
    plot.dots(x, samples[0], "ink faded", size=5)
    for words, css in (("truth", "s2"), ("mean of the fits", "s1")):
        plot.key(words, css)
    bias, variance = float(np.mean((mean - _truth(grid)) ** 2)), float(np.mean(fits.var(axis=0)))
    facts = [
        fact("bias²", bias, 3),
        fact("variance", variance, 3),
        fact("noise", noise**2, 3),
        fact("expected error", bias + variance + noise**2, 3),
    ]
    words = (
        "Each faint line is the fit to another sample. Low degrees miss the truth in the same way every time "
        "(bias); high "
        "degrees follow the noise of their sample (variance)."
    )
    return Shown(plot, "Polynomial fits to forty samples", facts, words)


BIAS_VARIANCE = Demo(
    "bias-variance",
    "Bias and variance",
    "Which degree has the smallest expected error?",
    "E (y − f̂(x))² = bias² + variance + noise",
    (
        Dial("degree", "degree", 1, 14, 1, 3),
        Dial("n", "rows", 15, 60, 1, 24),
        Dial("noise", "noise", 0.1, 1.0, 0.05, 0.5),
    ),
    _bias_variance,
    "statlearn.linear.LinearRegression",
    guide="assess/index",
)
