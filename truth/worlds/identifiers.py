"""Columns that only say which row it is, and measurements that look as if they did."""

import numpy as np

from truth.world import Facts, Made, world
from truth.worlds.parts import two_tasks, with_columns


@world(rows=[60, 300], name=["id", "row", "number"], task=["regression", "classification"])
def row_numbers(rng, rows, name, task):
    """1, 2, 3, ... in an order that has nothing to do with the target."""

    def spoil(frame, rng):
        frame.insert(0, name, np.arange(1, len(frame) + 1))
        return frame

    return Made(two_tasks(task), rows, Facts(identifiers=[name]), spoil, task=task)


@world(rows=[60, 300], task=["regression", "classification"])
def codes(rng, rows, task):
    """A code of letters and digits, another one in each row."""

    def spoil(frame, rng):
        frame["code"] = [f"K{v:07d}" for v in rng.permutation(10**6)[: len(frame)]]
        return frame

    return Made(two_tasks(task), rows, Facts(identifiers=["code"]), spoil, task=task)


@world(rows=[80, 300], task=["regression", "classification"])
def sorted_rows(rng, rows, task):
    """Row numbers of a table that was sorted by its target before they were given."""

    def spoil(frame, rng):
        frame = frame.sort_values("y", ignore_index=True)
        frame.insert(0, "id", np.arange(1, len(frame) + 1))
        return frame

    facts = Facts(identifiers=["id"])
    return Made(two_tasks(task), rows, facts, spoil, keeps_spoiling=False, fresh=_numbered(task), task=task)


def _numbered(task):
    def add(frame, rng):
        return frame.assign(id=np.arange(10**6, 10**6 + len(frame)))

    return with_columns(two_tasks(task), add)


@world(rows=[80, 300], how=["decimals", "integers", "long"])
def distinct_measurements(rng, rows, how):
    """A measurement that differs in every row and carries the signal: no identifier."""

    def add(frame, rng):
        x = frame["height"].to_numpy()
        return frame.assign(height={
            "decimals": np.round(100 + 15 * x, 4), "integers": np.round(1e6 + 2e5 * x).astype(int),
            "long": np.round(1e9 * np.exp(x)).astype(np.int64),
        }[how])  # fmt: skip

    return Made(with_columns(two_tasks("regression"), add), rows, Facts(numbers=["height"]))


@world(rows=[200, 600])
def postal_codes(rng, rows):
    """Digits with leading zeros, few of them: labels, not numbers."""

    def add(frame, rng):
        return frame.assign(post=[f"{v:05d}" for v in 100 * rng.integers(1, 15, size=len(frame))])

    return Made(with_columns(two_tasks("regression"), add), rows)
