"""Equal rows and equal columns: replicates of a design, frequencies, and accidental copies."""

import itertools

import numpy as np
import pandas as pd

from truth.world import Facts, Made, world
from truth.worlds.parts import two_tasks, with_columns


@world(replicates=[3, 9], counted=[True, False])
def factorial(rng, replicates, counted):
    """A full factorial design of three factors with replicates, as `warpbreaks`."""
    cells = np.array(list(itertools.product(range(2), range(3), range(2))))
    effects = rng.normal(size=3)

    def draw(rng, n):
        code = cells[np.arange(n) % len(cells)]
        best = 10 + 3 * code @ effects
        y = best + 2 * rng.normal(size=n)
        frame = pd.DataFrame({
            "wool": np.array(["A", "B"], dtype=object)[code[:, 0]],
            "tension": np.array(["L", "M", "H"], dtype=object)[code[:, 1]],
            "oven": np.array(["old", "new"], dtype=object)[code[:, 2]],
        })  # fmt: skip
        return frame.assign(y=np.round(y) if counted else y), best

    return Made(draw, 12 * replicates, Facts(designed=True))


@world(rows=[300, 1000])
def few_categories(rng, rows):
    """Four categories and a class, as the passengers of the Titanic: equal rows are a matter of chance."""

    def draw(rng, n):
        a, b, c = rng.integers(4, size=n), rng.integers(2, size=n), rng.integers(2, size=n)
        p = 1 / (1 + np.exp(-(1.5 * b - 0.5 * a + 0.3 * c)))
        frame = pd.DataFrame({
            "class": np.array(["first", "second", "third", "crew"], dtype=object)[a],
            "sex": np.array(["male", "female"], dtype=object)[b], "age": np.array(["adult", "child"], dtype=object)[c],
        })  # fmt: skip
        return frame.assign(y=np.where(rng.random(n) < p, "yes", "no")), np.column_stack([1 - p, p])

    return Made(draw, rows, Facts(designed=True), task="classification")


@world(rows=[300, 1000])
def frequencies(rng, rows):
    """A row for each kind of case and a column with the number of its cases, which is passed as weights."""

    def draw(rng, n):
        a, b = rng.integers(3, size=n), rng.integers(2, size=n)
        p = 1 / (1 + np.exp(-(1.0 * b - 0.7 * a + 0.5)))
        frame = pd.DataFrame({
            "department": np.array(["A", "B", "C"], dtype=object)[a],
            "sex": np.array(["male", "female"], dtype=object)[b],
        })  # fmt: skip
        return frame.assign(y=np.where(rng.random(n) < p, "yes", "no"), Freq=1), np.column_stack([1 - p, p])

    def spoil(frame, rng):
        return frame.groupby(["department", "sex", "y"], as_index=False)["Freq"].sum()

    facts = Facts(designed=True, options={"weights": "Freq"})
    return Made(draw, rows, facts, spoil, keeps_spoiling=False, task="classification")


@world(rows=[100, 400], share=[0.02, 0.1, 0.3], task=["regression", "classification"])
def entered_twice(rng, rows, share, task):
    """Rows that were entered a second time by accident."""

    def spoil(frame, rng):
        again = rng.choice(len(frame), size=max(round(share * len(frame)), 1), replace=False)
        frame = pd.concat([frame, frame.iloc[again]], ignore_index=True)
        return frame.sample(frac=1, random_state=int(rng.integers(2**31)), ignore_index=True)

    # Both the row and its copy have one.
    facts = Facts(copies=2 * share / (1 + share))
    return Made(two_tasks(task), rows, facts, spoil, keeps_spoiling=False, task=task)


@world(rows=[80, 400], how=["same", "scaled", "text"], task=["regression", "classification"])
def repeated_column(rng, rows, how, task):
    """A column that is there twice."""

    def add(frame, rng):
        x = frame["height"]
        if how == "text":
            frame = frame.assign(colour=np.where(x > 0, "red", "blue"))
            return frame.assign(paint=frame["colour"])
        return frame.assign(size=x if how == "same" else 2.54 * x + 1)

    facts = Facts(repeated=["paint" if how == "text" else "size"])
    return Made(with_columns(two_tasks(task), add), rows, facts, task=task)


@world(rows=[80, 400], value=[1.0, "same"])
def constant_column(rng, rows, value):
    """A column with a single value."""

    def add(frame, rng):
        return frame.assign(batch=value)

    return Made(with_columns(two_tasks("regression"), add), rows, Facts(constants=["batch"]))


@world(rows=[60, 200])
def rounded_columns(rng, rows):
    """Measurements with few distinct values: equal rows are rare, and chance."""

    def add(frame, rng):
        return frame.round(0).assign(y=frame["y"].round(1))

    return Made(with_columns(two_tasks("regression"), add), rows)
