"""Demonstrations of classes in the plane: neighbours, the perceptron, the margin of a support vector machine."""

import functools

import numpy as np

from statlearn.app.studio.demos.demo import Demo, Dial, Shown, axes, decision_map, fact
from statlearn.linear import Perceptron
from statlearn.neighbors import KNeighborsClassifier
from statlearn.svm import SVC

LIMITS = (-3.2, 3.2), (-2.6, 2.6)


@functools.cache
def _moons(noise, n=160, seed=2):
    rng = np.random.default_rng(seed)
    t = rng.uniform(0, np.pi, n)
    y = np.arange(n) % 2
    X = np.where(y[:, None] == 0, np.c_[np.cos(t), np.sin(t)], np.c_[1 - np.cos(t), 0.5 - np.sin(t)])
    return (X - [0.5, 0.25]) * 1.5 + noise * rng.normal(size=(n, 2)), y


@functools.cache
def _two_clouds(gap, n=60):
    rng = np.random.default_rng(11)
    y = np.arange(n) % 2
    centre = np.where(y[:, None] == 0, [-0.8, -0.4], [0.8, 0.4]) * gap
    return centre + 0.62 * rng.normal(size=(n, 2)), y


def _classes(plot, X, y):
    for k in range(2):
        plot.dots(X[y == k, 0], X[y == k, 1], f"s{k + 1} solid", size=6)


def _neighbours(v):
    k, (X, y) = int(v["k"]), _moons(round(v["noise"], 3))
    new_X, new_y = _moons(round(v["noise"], 3), 1000, 99)
    model = KNeighborsClassifier(k).fit(X, y)
    plot = axes(*LIMITS, "x₁", "x₂")
    decision_map(plot, model.predict, 2)
    _classes(plot, X, y)
    facts = [
        fact("neighbours", k),
        fact("errors on the points", f"{100 * (1 - model.score(X, y)):.1f} %"),
        fact("errors on 1,000 new points", f"{100 * (1 - model.score(new_X, new_y)):.1f} %"),
    ]
    words = (
        "One neighbour makes no error on its own points and draws islands around noise. Many neighbours smooth the "
        "boundary until it loses the shape of the moons."
    )
    return Shown(plot, f"Decisions of {k} nearest neighbours", facts, words)


NEIGHBOURS = Demo(
    "neighbours",
    "Nearest neighbours",
    "How many neighbours should vote?",
    "ŷ(x) = the majority among the k nearest points",
    (Dial("k", "neighbours", 1, 79, 2, 5), Dial("noise", "noise", 0.1, 0.8, 0.05, 0.4)),
    _neighbours,
    "statlearn.neighbors.KNeighborsClassifier",
    guide="neighbors/index",
)


def _perceptron(v):
    X, y = _two_clouds(round(v["gap"], 3))
    steps = int(v["steps"])
    model, corrections, lines = Perceptron(shuffle=False), 0, []
    rows = np.arange(steps) % len(X)
    for row in rows:
        before = None if not lines else lines[-1]
        model.partial_fit(X[row : row + 1], y[row : row + 1], classes=[0, 1])
        now = (*model.coef_[0], float(model.intercept_[0]))
        corrections += now != before
        if now != before:
            lines.append(now)
    plot = axes(*LIMITS, "x₁", "x₂")
    if lines and np.any(model.coef_):
        decision_map(plot, model.predict, 2)
        for line in lines[-6:-1]:
            _border(plot, line, "muted ice")
        _border(plot, lines[-1], "ink")
    _classes(plot, X, y)
    if steps:
        plot.dot(*X[rows[-1]], f"s{y[rows[-1]] + 1} ring", size=15, title="the point of the last step")
    wrong = int(np.sum(model.predict(X) != y)) if steps else len(y)
    facts = [fact("points seen", steps), fact("corrections", corrections), fact("wrong now", f"{wrong} of {len(y)}")]
    words = (
        "One point after the other: if it is on the wrong side, it is added to the weights. Clouds that a line "
        "can divide "
        "are divided after finitely many corrections; others keep the line moving for ever."
    )
    return Shown(plot, f"The perceptron after {steps} points", facts, words)


def _border(plot, line, css):
    a, b, c = line
    ends = np.array([plot.x.low, plot.x.high])
    if abs(b) > 1e-9:
        plot.line(ends, -(a * ends + c) / b, css)
    elif abs(a) > 1e-9:
        plot.line([-c / a] * 2, [plot.y.low, plot.y.high], css)


PERCEPTRON = Demo(
    "perceptron",
    "The perceptron",
    "When does the line come to rest?",
    "if yᵢ (w·xᵢ + b) ≤ 0:  w ← w + yᵢ xᵢ,  b ← b + yᵢ",
    (Dial("steps", "points seen", 0, 180, 1, 12), Dial("gap", "distance of the clouds", 0.6, 2.0, 0.05, 1.4)),
    _perceptron,
    "statlearn.linear.Perceptron",
    guide="linear/index",
)


def _support_vectors(v):
    curved = v["curved"] >= 0.5
    X, y = _moons(0.35) if curved else _two_clouds(round(v["gap"], 3))
    model = SVC(C=v["C"], kernel="rbf" if curved else "linear", gamma=0.8).fit(X, y)
    plot = axes(*LIMITS, "x₁", "x₂")
    decision_map(plot, model.predict, 2)
    _classes(plot, X, y)
    support = X[model.support_]
    for x in support:
        plot.dot(*x, "ink ring hollow", size=11)
    facts = [fact("C", v["C"], 3), fact("support vectors", f"{len(support)} of {len(X)}")]
    facts.append(fact("wrong on its own points", int(np.sum(model.predict(X) != y))))
    if not curved:
        w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
        for level, css in ((0, "ink"), (1, "muted"), (-1, "muted")):
            _border(plot, (*w, b - level), css)
        facts.insert(1, fact("width of the margin", float(2 / np.linalg.norm(w)), 3))
    words = (
        "Ringed points hold the boundary: those on the margin and inside of it. A small C allows many of them "
        "and a wide "
        "margin; a large C insists on every point."
    )
    return Shown(plot, "The margin of a support vector machine", facts, words)


SUPPORT_VECTORS = Demo(
    "support-vectors",
    "Support vectors and C",
    "How wide a margin is worth how many mistakes?",
    "min over w, b of ½ ‖w‖² + C Σ max(0, 1 − yᵢ (w·xᵢ + b))",
    (
        Dial("C", "C (power of ten)", -2.5, 3, 0.05, 0, True),
        Dial("gap", "distance of the clouds", 0.6, 2.0, 0.05, 1.2),
        Dial("curved", "0: a line, 1: a Gaussian kernel", 0, 1, 1, 0),
    ),
    _support_vectors,
    "statlearn.svm.SVC",
    guide="svm/index",
)
