"""Demonstrations of functions in steps: a tree that grows and is pruned, boosting in rounds."""

import functools

import numpy as np

from statlearn.app.studio.demos.demo import Demo, Dial, Shown, axes, fact
from statlearn.ensemble import GradientBoostingRegressor
from statlearn.trees import DecisionTreeRegressor


def _truth(x):
    return np.where(x < 2, 1.0, np.where(x < 5, 3.0 + np.sin(2.2 * x), 1.5 - 0.25 * (x - 5)))


@functools.cache
def _data(noise, n=140, seed=4):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0, 8, n))
    return x, _truth(x) + noise * rng.normal(size=n)


def _frame(x, y):
    plot = axes((0, 8), (-1.2, 6.0), "x", "y")
    plot.dots(x, y, "ink faded", size=5)
    plot.line(np.linspace(0, 8, 200), _truth(np.linspace(0, 8, 200)), "reference", dash="4 3")
    plot.key("truth", "reference", "dash")
    return plot


def _tree(v):
    x, y = _data(round(v["noise"], 3))
    new_x, new_y = _data(round(v["noise"], 3), 1000, 98)
    full = DecisionTreeRegressor(max_leaf_nodes=int(v["leaves"]), min_samples_leaf=2).fit(x[:, None], y)
    model = DecisionTreeRegressor(max_leaf_nodes=int(v["leaves"]), min_samples_leaf=2, ccp_alpha=v["alpha"]).fit(
        x[:, None], y
    )
    grid = np.linspace(0, 8, 400)
    plot = _frame(x, y)
    plot.line(grid, full.predict(grid[:, None]), "s2 thin")
    plot.line(grid, model.predict(grid[:, None]), "s1")
    plot.key("grown", "s2")
    plot.key("pruned", "s1")
    facts = [
        fact("leaves grown", int(full.get_n_leaves())),
        fact("leaves after pruning", int(model.get_n_leaves())),
        fact("error on the points", float(np.mean((model.predict(x[:, None]) - y) ** 2)), 3),
        fact("error on new points", float(np.mean((model.predict(new_x[:, None]) - new_y) ** 2)), 3),
    ]
    words = (
        "Growing adds the split that lowers the squared error most. Pruning takes back the splits that lower it "
        "by less "
        "than α per leaf: the error on the points rises, that on new points falls at first."
    )
    return Shown(plot, "A regression tree, grown and pruned", facts, words)


TREE = Demo(
    "tree",
    "A tree grows and is pruned",
    "How many leaves does the table bear?",
    "Σ (yᵢ − f(xᵢ))² / n + α · number of leaves",
    (
        Dial("leaves", "leaves at most", 2, 60, 1, 30),
        Dial("alpha", "α (power of ten)", -4, 0, 0.05, -1.8, True),
        Dial("noise", "noise", 0.1, 1.2, 0.05, 0.6),
    ),
    _tree,
    "statlearn.trees.DecisionTreeRegressor",
    guide="trees/index",
)


def _boosting(v):
    x, y = _data(0.5)
    new_x, new_y = _data(0.5, 1000, 98)
    rounds, rate, depth = int(v["rounds"]), v["rate"], int(v["depth"])
    grid = np.linspace(0, 8, 400)
    model = GradientBoostingRegressor(n_estimators=max(rounds, 1), learning_rate=rate, max_depth=depth, random_state=0)
    model.fit(x[:, None], y)
    at = (
        [model.predict(z[:, None]) for z in (grid, x, new_x)]
        if rounds
        else [np.full(len(z), y.mean()) for z in (grid, x, new_x)]
    )
    plot = _frame(x, y)
    plot.line(grid, at[0], "s1")
    plot.key(f"after {rounds} rounds", "s1")
    facts = [
        fact("rounds", rounds),
        fact("error on the points", float(np.mean((at[1] - y) ** 2)), 3),
        fact("error on new points", float(np.mean((at[2] - new_y) ** 2)), 3),
    ]
    words = (
        "Each round fits a small tree to what is left of the points and adds a share of it. The error on the "
        "points falls "
        "without end; that on new points turns when the trees begin to follow noise."
    )
    return Shown(plot, f"Boosting after {rounds} rounds", facts, words)


BOOSTING = Demo(
    "boosting",
    "Boosting, round by round",
    "When do more trees begin to hurt?",
    "f ← f + η · tree fitted to −∂L/∂f",
    (
        Dial("rounds", "rounds", 0, 300, 1, 20),
        Dial("rate", "learning rate η", 0.02, 1, 0.02, 0.1),
        Dial("depth", "depth", 1, 6, 1, 2),
    ),
    _boosting,
    "statlearn.ensemble.GradientBoostingRegressor",
    guide="ensemble/index",
)
