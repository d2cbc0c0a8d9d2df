"""Demonstrations of groups without labels: the steps of k-means and of expectation maximisation."""

import functools
import warnings

import numpy as np

from statlearn.app.studio.demos.demo import Demo, Dial, Shown, axes, decision_map, fact
from statlearn.cluster import KMeans
from statlearn.mixture import GaussianMixture

LIMITS = (-6.0, 6.0), (-4.5, 4.5)


@functools.cache
def _clouds():
    rng = np.random.default_rng(5)
    parts = [((-3, 1.5), (0.7, 0.9), 70), ((0.5, -1.8), (1.3, 0.6), 90), ((2.8, 1.8), (0.8, 0.8), 60)]
    return np.concatenate([rng.normal(centre, spread, (n, 2)) for centre, spread, n in parts])


def _starts(k, seed):
    X = _clouds()
    return X[np.random.default_rng(int(seed)).choice(len(X), int(k), replace=False)]


def _quietly(model, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a few steps do not converge, as they should here
        return model.fit(X)


def _k_means(v):
    X, k, steps = _clouds(), int(v["k"]), int(v["steps"])
    start = _starts(k, v["seed"])
    paths = [start]
    for step in range(1, steps + 1):
        model = _quietly(KMeans(k, init=start, n_init=1, max_iter=step, tol=0), X)
        paths.append(model.cluster_centers_)
    centres = paths[-1]
    labels = ((X[:, None] - centres) ** 2).sum(-1).argmin(1)
    within = float(((X - centres[labels]) ** 2).sum())
    plot = axes(*LIMITS, "x₁", "x₂")
    decision_map(plot, lambda Z: ((Z[:, None] - centres) ** 2).sum(-1).argmin(1), k)
    for j in range(k):
        plot.dots(X[labels == j, 0], X[labels == j, 1], f"s{j + 1}", size=5)
        trail = np.array([path[j] for path in paths])
        plot.line(trail[:, 0], trail[:, 1], "ink thin")
        plot.dot(*centres[j], f"s{j + 1}", size=15, title=f"centre {j + 1}")
    moved = 0.0 if steps == 0 else float(np.abs(paths[-1] - paths[-2]).max())
    facts = [fact("step", steps), fact("within sum of squares", within), fact("the centres moved by", moved, 3)]
    words = (
        "Each step gives every row to its nearest centre and moves each centre to the mean of its rows. The sum "
        "of squares "
        "never rises, but another start can end elsewhere."
    )
    return Shown(plot, f"k-means after {steps} steps", facts, words)


K_MEANS = Demo(
    "k-means",
    "k-means, step by step",
    "Where do the centres come to rest, and does it depend on the start?",
    "min over centres of Σ minⱼ ‖xᵢ − mⱼ‖²",
    (Dial("steps", "steps", 0, 14, 1, 2), Dial("k", "clusters", 2, 6, 1, 3), Dial("seed", "start", 0, 9, 1, 4)),
    _k_means,
    "statlearn.cluster.KMeans",
    guide="cluster/kmeans",
)


def _em(v):
    X, k, steps = _clouds(), int(v["k"]), int(v["steps"])
    start = _starts(k, v["seed"])
    model = GaussianMixture(
        k,
        means_init=start,
        weights_init=np.full(k, 1 / k),
        precisions_init=np.array([np.eye(2)] * k),
        max_iter=max(steps, 1),
        tol=0.0,
        reg_covar=1e-4,
    )
    if steps:
        _quietly(model, X)
        means, covariances, weights = model.means_, model.covariances_, model.weights_
    else:
        means, covariances, weights = start, np.array([np.eye(2)] * k), np.full(k, 1 / k)
    density = np.array([w * _normal(X, m, c) for w, m, c in zip(weights, means, covariances)])
    shares = density / density.sum(axis=0)
    plot = axes(*LIMITS, "x₁", "x₂")
    angles = np.linspace(0, 2 * np.pi, 60)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    certain = shares.max(axis=0) > 0.9
    for j in range(k):
        here = shares.argmax(axis=0) == j
        plot.dots(X[here & certain, 0], X[here & certain, 1], f"s{j + 1}", size=5)
        plot.dots(X[here & ~certain, 0], X[here & ~certain, 1], f"s{j + 1} faded", size=5)
        root = np.linalg.cholesky(covariances[j])
        for radius in (1.0, 2.0):
            ring = means[j] + radius * circle @ root.T
            plot.line(ring[:, 0], ring[:, 1], f"s{j + 1}" if radius == 1 else f"s{j + 1} thin")
        plot.dot(*means[j], f"s{j + 1}", size=11)
    facts = [
        fact("step", steps),
        fact("log-likelihood", float(np.log(density.sum(axis=0)).sum()), 6),
        fact("weights", ", ".join(f"{w:.2f}" for w in weights)),
    ]
    words = (
        "The E step gives each row a share in every cloud (faint where it is undecided), the M step refits the "
        "clouds with "
        "these shares. The likelihood rises with every step. Ellipses hold one and two standard deviations."
    )
    return Shown(plot, f"A mixture after {steps} steps of EM", facts, words)


def _normal(X, mean, covariance):
    root = np.linalg.cholesky(covariance)
    z = np.linalg.solve(root, (X - mean).T)
    return np.exp(-0.5 * (z**2).sum(axis=0)) / (2 * np.pi * np.diag(root).prod())


EM = Demo(
    "em",
    "Expectation maximisation",
    "How does a mixture find its clouds?",
    "max over π, μ, Σ of Σᵢ log Σⱼ πⱼ N(xᵢ | μⱼ, Σⱼ)",
    (Dial("steps", "steps", 0, 40, 1, 3), Dial("k", "clouds", 2, 5, 1, 3), Dial("seed", "start", 0, 9, 1, 4)),
    _em,
    "statlearn.mixture.GaussianMixture",
    guide="mixture/index",
)
