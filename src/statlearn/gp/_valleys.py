"""Valleys of an objective: evaluated points that lead down to the same best point, and when to search elsewhere."""

import math
from dataclasses import dataclass

import numpy as np

# Shares below are of the drop from the level to the best value. All these numbers are empirical, chosen on Hartmann's
# function of six variables.
REACH = 1.5  # radius of a valley, in length scales
STEPS = np.linspace(0.0, 1.0, 12)[1:-1]  # places on the line to the best point at which the model looks for a hill
HILL = 0.01  # share that the mean may rise on that line before it counts as a hill
MINOR = 0.01  # share up to which an improvement is not notable
SHALLOW, DEEP = 0.25, 0.5  # shares: the least depth of a valley, and of one that deserves a model without the others
FEWEST, PATIENCE = 8, 2  # evaluations of a valley before it counts as searched, and since its last notable improvement
LEFT = 0.005  # share that another evaluation of a searched valley must promise
MOST = 4  # maximum number of valleys that are distinguished
STEEP = 30.0  # height of `Outside` at the centre of a valley; scores are logarithms
EDGE, ROUND = 0.36, 0.02  # weight of `Edges`, and the distance from a face within which it levels off


@dataclass
class Valley:
    """Evaluated points of one valley.

    Parameters
    ----------
    best : int
        Row of its best point.
    members : ndarray of bool
        Its rows.
    depth : float
        Drop from the level to its best value.
    share : float
        The same, relative to the deepest valley.
    turn : int
        Row of its last notable improvement.
    radius : float
        Distance from the best point, in length scales, within which its points lie.
    """

    best: int
    members: np.ndarray
    depth: float
    share: float
    turn: int
    radius: float

    @property
    def deep(self):
        """Whether it hides other valleys from a model of all points."""
        return self.share > DEEP and self.members.sum() >= FEWEST // 2

    @property
    def idle(self):
        """Number of its evaluations since its last notable improvement."""
        return int(self.members[self.turn + 1 :].sum())

    @property
    def left(self):
        """Whether as many evaluations took place elsewhere since its last notable improvement as in all before."""
        return int((~self.members[self.turn + 1 :]).sum()) > self.turn

    def searched(self, log_gain):
        """Whether the search should continue elsewhere, given the logarithm of the gain expected from another point."""
        enough = self.share > DEEP and self.members.sum() >= FEWEST and self.idle >= PATIENCE
        return bool(enough and log_gain < math.log(LEFT * self.depth))


def find_valleys(surrogate, X, y, level, usable):
    """The deepest valleys among evaluated points, the deepest first.

    A valley is a best point and all points within `REACH` length scales of it that are better than the level and from
    which the predicted mean does not rise on the straight line to it. The next valley is found among the other points.
    In the end, a valley reaches no farther than halfway to the next best point of another one.

    Parameters
    ----------
    surrogate : Surrogate
    X : ndarray of shape (n, width)
        Points in the order of their evaluation.
    y : ndarray of shape (n,)
        Values on the scale of the model.
    level : float
        An ordinary value, from which depths are measured.
    usable : ndarray of bool of shape (n,)
        Points that can belong to a valley.

    Returns
    -------
    valleys : list of Valley
    """
    rest, all_valleys = usable & (y < level), []
    drop = level - y[usable].min(initial=level)
    while len(all_valleys) < MOST and rest.any():
        best = int(np.argmin(np.where(rest, y, np.inf)))
        if not level - y[best] > SHALLOW * drop:
            break
        distance = np.sqrt(np.sum(((X - X[best]) / surrogate.lengths) ** 2, axis=1))
        near = np.flatnonzero(rest & (distance < REACH))
        line = X[near, None] + STEPS[:, None] * (X[best] - X[near, None])
        mean = surrogate.predict(line.reshape(-1, X.shape[1]))[0].reshape(len(near), len(STEPS))
        members = np.zeros(len(y), dtype=bool)
        members[near[mean.max(axis=1) <= y[near] + HILL * drop]] = True
        members[best] = True
        all_valleys.append((best, members, distance))
        rest &= ~members
    valleys = []
    for best, members, distance in all_valleys:
        radius = min([REACH, *(distance[other] / 2 for other, _, _ in all_valleys if other != best)])
        members = members & (distance <= radius)
        turn = _turn(np.where(members, y, np.inf), MINOR * drop)
        valleys.append(Valley(best, members, level - y[best], (level - y[best]) / drop, turn, radius))
    return valleys


def _turn(values, minor):
    """Index of the last value that improved on all earlier ones by more than a minor difference."""
    best, turn = math.inf, 0
    for k, value in enumerate(values):
        if value < best - minor:
            turn = k
        best = min(best, value)
    return turn


class Outside:
    """A score that is 0 outside of the given valleys and falls towards their centres.

    Parameters
    ----------
    centres : ndarray of shape (k, width)
    widths : ndarray of shape (k, width)
        How far they reach in each coordinate.
    """

    def __init__(self, centres, widths):
        self.centres, self.widths = centres, widths

    def score(self, X):
        return self.score_and_slope(X)[0]

    def score_and_slope(self, X):
        value, slope = np.zeros(len(X)), np.zeros(X.shape)
        for centre, width in zip(self.centres, self.widths):
            step = (X - centre) / width
            inside = 1.0 - np.einsum("ij,ij->i", step, step)
            if inside.max(initial=0.0) > 0.0:
                value -= STEEP * np.maximum(inside, 0.0)
                slope += np.where(inside > 0.0, 2.0 * STEEP, 0.0)[:, None] * step / width
        return value, slope


class Edges:
    """A score that falls slightly towards the faces of the cube of real dimensions, and not in one dimension.

    A model knows least about the faces and corners, of which there are many in several dimensions, and the first
    proposals would all be spent there. At a face the score is about one less than in the centre.

    Parameters
    ----------
    space : Space
    """

    def __init__(self, space):
        self.columns = np.array([part.start for part in space.slices])[space.real]
        self.weight = EDGE * (1.0 - 1.0 / max(len(self.columns), 1))

    def score(self, X):
        return self.score_and_slope(X)[0]

    def score_and_slope(self, X):
        low = X[:, self.columns] + ROUND
        high = 1.0 + 2.0 * ROUND - low
        slope = np.zeros(X.shape)
        slope[:, self.columns] = self.weight * (1.0 / low - 1.0 / high)
        return self.weight * np.log(low * high / (0.5 + ROUND) ** 2).sum(axis=1), slope
