"""Single cells far away from all others."""

import numpy as np

from truth.world import Facts, Made, world
from truth.worlds.parts import linear, logistic, two_tasks


@world(rows=[100, 400, 1000], away=[10.0, 1e3, 1e5, 1e7], task=["regression", "classification"], strong=[True, False])
def one_far_cell(rng, rows, away, task, strong):
    """One cell of a column, 10 to 10^7 standard deviations away."""

    def spoil(frame, rng):
        frame.loc[rng.integers(len(frame)), "height"] = away
        return frame

    facts = Facts(signal=strong, numbers=["height"], outliers=["height"])
    return Made(two_tasks(task, strong), rows, facts, spoil, keeps_spoiling=False, task=task)


@world(rows=[100, 400], value=[np.inf, 1e308], task=["regression", "classification"])
def infinite_cell(rng, rows, value, task):
    """One cell that is infinite, or nearly."""

    def spoil(frame, rng):
        frame.loc[rng.integers(len(frame)), "width"] = value
        return frame

    facts = Facts(numbers=["width"], outliers=["width"])
    return Made(two_tasks(task), rows, facts, spoil, keeps_spoiling=False, task=task)


@world(rows=[150, 500], away=[30.0, 1000.0])
def far_target(rng, rows, away):
    """One value of the target far away, as if a comma had been lost."""

    def spoil(frame, rng):
        frame.loc[rng.integers(len(frame)), "y"] = away
        return frame

    return Made(linear(0.5), rows, Facts(outliers=["y"], wild=True), spoil, keeps_spoiling=False)


@world(rows=[150, 500])
def far_noise_column(rng, rows):
    """A column without signal that has one cell far away, beside classes."""

    def spoil(frame, rng):
        frame.loc[rng.integers(len(frame)), "length"] = 99999.0
        return frame

    return Made(logistic(2.0), rows, Facts(outliers=["length"]), spoil, keeps_spoiling=False, task="classification")
