"""Pipelines: transformers are learned in a pass, and applied to every block of the passes after it."""

import numpy as np
from sklearn.base import clone

from .requirements import checked_copy

SAMPLE = 100_000  # rows from which a transformer without additive statistics learns


class RowSample:
    """A uniform sample of rows: those with the smallest random keys.

    Parameters
    ----------
    parts : list of (block, rows, keys, table, target)
        Rows by block, in order.
    """

    def __init__(self, parts):
        self.parts = parts

    @classmethod
    def from_block(cls, block, seed):
        """Every row of a block that can be among the sample, in its order."""
        rng = np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, 0, block.index]))
        keys = rng.random(len(block))
        rows = np.sort(np.argpartition(keys, SAMPLE)[:SAMPLE]) if len(keys) > SAMPLE else np.arange(len(keys))
        y = None if block.y is None else block.y[rows]
        return cls([(keys[rows], _take(block.X, rows), y)])

    def merge(self, other):
        """The sample of both."""
        parts = [*self.parts, *other.parts]
        keys = np.concatenate([part[0] for part in parts])
        if len(keys) <= SAMPLE:
            return RowSample(parts)
        limit = np.partition(keys, SAMPLE - 1)[SAMPLE - 1]
        return RowSample([_kept_rows(part, limit) for part in parts])

    def tables(self):
        """The rows as one table, and their targets."""
        frames = [part[1] for part in self.parts if len(part[0])]
        targets = [part[2] for part in self.parts if len(part[0])]
        y = None if targets[0] is None else np.concatenate(targets)
        return _stack(frames), y


def _take(X, rows):
    """Some rows of an array or a data frame."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _kept_rows(part, limit):
    keys, X, y = part
    rows = np.flatnonzero(keys <= limit)
    return keys[rows], _take(X, rows), None if y is None else y[rows]


def _stack(frames):
    """Blocks of rows as one table of their kind."""
    if isinstance(frames[0], np.ndarray):
        return np.concatenate(frames)
    import narwhals.stable.v1 as nw

    return nw.concat([nw.from_native(frame, eager_only=True) for frame in frames]).to_native()


def _sample(block, seed):
    return RowSample.from_block(block, seed)


def fit_pipeline(estimator, passes):
    """The fit of a pipeline whose last step can be fitted over blocks."""
    from .methods import exact_method, method_of

    model = clone(estimator)
    steps = [(name, step) for name, step in model.steps if step is not None and step != "passthrough"]
    fitted = {}
    for name, step in steps[:-1]:
        method = exact_method(step)
        if method is None:
            X, y = passes.reduce(_sample, 0).tables()
            fitted[name] = clone(step).fit(X, y)
        else:
            fitted[name] = method(checked_copy(step), passes)
        passes.transform_by(fitted[name])
    name, last = steps[-1]
    fitted[name] = method_of(last)(last, passes)
    model.steps = [(name, fitted.get(name, step)) for name, step in model.steps]
    return model
