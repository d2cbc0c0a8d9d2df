"""What a demonstration is: an objective, dials, and a picture for every setting of the dials."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from statlearn.app.names import plain
from statlearn.app.report.svg import Plot, number

WIDTH, HEIGHT = 640, 400
GRID = (72, 45)  # cells of a map of decisions


@dataclass(frozen=True)
class Dial:
    """A number that the reader sets.

    Parameters
    ----------
    name, words : str
    low, high, step, value : float
    logarithmic : bool
        Whether the dial shows ten to the power of its number.
    """

    name: str
    words: str
    low: float
    high: float
    step: float
    value: float
    logarithmic: bool = False

    def read(self, text):
        """The number that a form gives, within the limits; the usual one for anything else."""
        try:
            read = float(text)
        except (TypeError, ValueError):
            read = self.value
        if not self.low <= read <= self.high:
            read = min(max(read, self.low), self.high) if read == read else self.value
        return 10.0**read if self.logarithmic else read


@dataclass(frozen=True)
class Shown:
    """The answer of a demonstration.

    Parameters
    ----------
    plot : Plot
    title : str
        What a screen reader says.
    facts : list of (str, str)
    words : str
        What to see in the picture.
    """

    plot: Plot
    title: str
    facts: list
    words: str


@dataclass(frozen=True)
class Demo:
    """One demonstration.

    Parameters
    ----------
    name, title, question, objective : str
    dials : tuple of Dial
    picture : callable
        From a dict of the dials (and "px", "py" where a point is dragged) to what is shown.
    uses : str
        The public name of what computes it.
    point : tuple of (float, float) or None
        Where the point that can be dragged stands first.
    guide : str
        The page of the guide.
    """

    name: str
    title: str
    question: str
    objective: str
    dials: tuple
    picture: Callable
    uses: str
    point: tuple | None = None
    guide: str = ""
    notes: tuple = field(default=())

    def values(self, given):
        """The settings of the dials in a mapping of texts."""
        found = {dial.name: dial.read(given.get(dial.name)) for dial in self.dials}
        if self.point is not None:
            for name, usual in zip(("px", "py"), self.point):
                found[name] = Dial(name, "", -1e3, 1e3, 0, usual).read(given.get(name))
        return found


def axes(x, y, x_label, y_label, **more):
    """The axes of a demonstration."""
    return Plot(x, y, width=WIDTH, height=HEIGHT, x_label=x_label, y_label=y_label, **{"grid": "xy", "top": 14, **more})


def decision_map(plot, predict, n_classes):
    """The regions of the classes as bands behind the points: runs of equal cells of a grid."""
    x = np.linspace(plot.x.low, plot.x.high, GRID[0] + 1)
    y = np.linspace(plot.y.low, plot.y.high, GRID[1] + 1)
    mx, my = (x[:-1] + x[1:]) / 2, (y[:-1] + y[1:]) / 2
    cells = np.column_stack([a.ravel() for a in np.meshgrid(mx, my)])
    labels = np.asarray(predict(cells)).reshape(GRID[1], GRID[0])
    for k in range(n_classes):
        x0, x1, y0, y1 = [], [], [], []
        for row in range(GRID[1]):
            edges = np.flatnonzero(np.diff(np.r_[0, (labels[row] == k).astype(int), 0]))
            for a, b in zip(edges[::2], edges[1::2]):
                x0.append(x[a])
                x1.append(x[b])
                y0.append(y[row])
                y1.append(y[row + 1])
        if x0:
            plot._path(_boxes(plot, x0, x1, y0, y1), f"band s{k + 1}")


def _boxes(plot, x0, x1, y0, y1):
    a, b, c, d = plot.x(x0), plot.x(x1), plot.y(y0), plot.y(y1)
    return "".join(f"M{number(p)} {number(r)}H{number(q)}V{number(s)}H{number(p)}z" for p, q, r, s in zip(a, b, c, d))


def fact(words, value, digits=4):
    """A fact with its number written for people."""
    return words, value if isinstance(value, str) else plain(value, digits)
