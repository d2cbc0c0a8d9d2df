"""Tables of the tests of `statlearn.scale`."""

import numpy as np
import polars as pl

NAMES = [f"x{j}" for j in range(5)]


def table(n=3000, seed=0):
    """Numbers far from 0 and on different scales, a target, labels, and weights with zeros."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) @ rng.normal(size=(5, 5)) * [1, 10, 0.1, 1, 1] + [0, 100, 3, -20, 1]
    y = X @ [1.0, 0.2, 3.0, 0.0, -1.0] + rng.normal(size=n)
    labels = np.array(["a", "b", "c"])[(np.digitize(y, np.quantile(y, [0.4, 0.7])) + (rng.random(n) < 0.1)) % 3]
    return pl.DataFrame(X, schema=NAMES).with_columns(
        y=pl.Series(y), label=pl.Series(labels), weight=pl.Series(rng.integers(0, 4, n).astype(float))
    )


def block_folds(n_rows, block, n_folds):
    """The folds of whole blocks, as pairs of rows."""
    from sklearn.model_selection import KFold

    of = np.arange(n_rows) // block
    parts = KFold(n_folds).split(np.arange(of.max() + 1))
    return [(np.flatnonzero(np.isin(of, train)), np.flatnonzero(np.isin(of, test))) for train, test in parts]


def bits(model):
    """All arrays of a fitted model as bytes, with those of its statistic."""
    state = {name: value for name, value in vars(model).items() if name != "fit_report_"}
    if hasattr(state.get("statistic_"), "R"):
        state["statistic_"] = state["statistic_"].R
    arrays = {name: np.asarray(value) for name, value in state.items() if isinstance(value, (np.ndarray, float))}
    return {name: value.tobytes() for name, value in arrays.items() if value.dtype != object}
