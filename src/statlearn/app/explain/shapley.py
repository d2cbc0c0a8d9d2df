"""Shapley values of single predictions by column: exact for sums of trees and linear models, else sampled.

A pipeline prepares the table before its model sees it. A column of the table may become several columns there (levels,
marks of missing values); their values are added up.
"""

from dataclasses import dataclass

import numpy as np

from statlearn._core.frames import column_from_rows, column_names, n_rows, take_rows
from statlearn._core.inspection import MAX_CELLS

from .importance import predict_values

LOG_LINK = ("poisson", "gamma", "tweedie")
N_ORDERS = 64  # random orders of the columns for each row, in pairs of an order and its reverse
MIN_PAIRS = 4
MAX_ROW_CELLS = 2_000_000  # of the tables predicted for one row
MAX_BACKGROUND = 200
LINEAR_ROWS = 50  # behind the test whether a model is linear
LINEAR_TOLERANCE = 1e-8  # relative to the size of the predictions


@dataclass
class Shapley:
    """How far each column moves the predictions of some rows from their mean.

    Parameters
    ----------
    columns : list of str
    values : ndarray of shape (n_rows, n_columns, n_outputs)
        One output for regression, else one per class.
    errors : ndarray of shape (n_rows, n_columns, n_outputs) or None
        Standard errors of sampled values; None if the values are exact.
    base : ndarray of shape (n_outputs,)
        The output when no column is known: its mean over the background, or over the training rows of trees.
    outputs : ndarray of shape (n_rows, n_outputs)
        What is explained, on the scale of `unit`.
    unit : {"prediction", "log", "score", "log-odds", "share", "probability"}
    method : {"trees", "linear", "sampled"}
    n_orders : int
        Sampled orders of the columns for each row; 0 if exact.
    """

    columns: list
    values: np.ndarray
    errors: np.ndarray | None
    base: np.ndarray
    outputs: np.ndarray
    unit: str
    method: str
    n_orders: int = 0

    def largest(self, row, output=0, n=None):
        """The columns that move one row's output most: (column, value, standard error or None), the largest first."""
        moves = self.values[row, :, output]
        order = [j for j in np.argsort(-np.abs(moves), kind="stable") if moves[j] != 0.0][:n]
        errors = None if self.errors is None else self.errors[row, :, output]
        return [(self.columns[j], float(moves[j]), None if errors is None else float(errors[j])) for j in order]


def shapley_values(estimator, X, background=None, *, columns=None, n_orders=N_ORDERS, seed=0, exact=True):
    """Shapley values of the predictions for each row, by column of the table.

    Sums of trees are explained exactly by `statlearn.ensemble.tree_shap` (path-dependent), linear models by the
    difference of each column to its mean over the background. Everything else, stacks included, is explained by sampled
    orders: the columns of a background row take the values of the row one after the other, and each column is credited
    with the change of the prediction. Orders are drawn in pairs, one the reverse of the other; the spread of the pairs
    gives the standard errors.

    Parameters
    ----------
    estimator : fitted pipeline or stack
    X : table
        Rows to explain.
    background : table or None
        Rows that stand for "unknown"; not needed for trees. At most 200 are used.
    columns : sequence of str or None
        Columns that the model uses; None for all.
    n_orders : int
        Sampled orders for each row.
    seed : int
    exact : bool
        Whether to use the exact methods where they exist.

    Returns
    -------
    Shapley or None
        None if a background is needed and there is none with at least two rows.
    """
    found = _of_trees(estimator, X) if exact else None
    if found is not None:
        return found
    if background is None or n_rows(background) < 2:
        return None
    rng = np.random.default_rng(seed)
    if n_rows(background) > MAX_BACKGROUND:
        background = take_rows(background, np.sort(rng.choice(n_rows(background), MAX_BACKGROUND, replace=False)))
    found = _of_linear(estimator, X, background) if exact else None
    return _sampled(estimator, X, background, columns, n_orders, rng) if found is None else found


def _prepared(estimator):
    """The steps before the model, the model, and the source of each prepared column; None if these are unknown."""
    if not hasattr(estimator, "steps"):  # a stack: a mean of several models on several tables
        return None
    prepare, model = estimator[:-1], estimator[-1]
    if len(prepare) == 0 or not hasattr(prepare[0], "get_source_names_out"):
        return None
    return prepare, model, np.asarray(prepare[0].get_source_names_out()).astype(str)


def _by_column(values, sources):
    """Values of prepared columns, (n_rows, n_prepared, n_outputs), added up by column of the table."""
    names, code = np.unique(sources, return_inverse=True)
    total = np.zeros((values.shape[0], len(names), values.shape[2]))
    for k, place in enumerate(code):
        total[:, place] += values[:, k]
    return names.tolist(), total


def _both_classes(values, n_classes):
    """A column for the first of two classes, where there is one for the second only."""
    return np.concatenate([-values, values], axis=-1) if n_classes == 2 and values.shape[-1] == 1 else values


def _of_trees(estimator, X):
    from statlearn.ensemble import is_sum_of_trees, tree_shap

    parts = _prepared(estimator)
    if parts is None or not is_sum_of_trees(parts[1]):
        return None
    prepare, model, sources = parts
    design = prepare.transform(X)
    if design.shape[1] != len(sources):  # another step has changed the columns
        return None
    shap = tree_shap(model, design)
    n_classes = len(getattr(model, "classes_", ()))
    values = shap.values if shap.values.ndim == 3 else shap.values[:, :, None]
    columns, values = _by_column(_both_classes(values, n_classes), sources)
    base = _both_classes(np.atleast_1d(np.asarray(shap.base_value, float)), n_classes)
    outputs = _both_classes(np.asarray(shap.prediction, float).reshape(len(values), -1), n_classes)
    if n_classes == 2 and not hasattr(model, "decision_function") and shap.values.ndim == 2:  # shares, not scores
        base[0], outputs[:, 0] = 1 - base[1], 1 - outputs[:, 1]
    return Shapley(columns, values, None, base, outputs, _tree_unit(model, n_classes), "trees")


def _tree_unit(model, n_classes):
    loss = getattr(model, "loss_", getattr(model, "loss", None))  # the loss that was fitted: "auto" is none
    if n_classes == 0:
        return "log" if loss in LOG_LINK else "prediction"
    if not hasattr(model, "decision_function"):
        return "share"
    return "log-odds" if loss == "log_loss" and n_classes == 2 else "score"


def _of_linear(estimator, X, background):
    parts = _prepared(estimator)
    if parts is None:
        return None
    prepare, model, sources = parts
    known = np.asarray(prepare.transform(background), float)
    if known.shape[1] != len(sources):
        return None
    linear = _linear_score(model, known[:LINEAR_ROWS])
    if linear is None:
        return None
    weights, intercept, unit = linear
    design = np.asarray(prepare.transform(X), float)
    n_classes = len(getattr(model, "classes_", ()))
    mean = known.mean(axis=0)
    values = _both_classes((design - mean)[:, :, None] * weights.T[None], n_classes)
    columns, values = _by_column(values, sources)
    base = _both_classes(mean @ weights.T + intercept, n_classes)
    outputs = _both_classes(design @ weights.T + intercept, n_classes)
    return Shapley(columns, values, None, base, outputs, unit, "linear")


def _linear_score(model, design):
    """Coefficients, intercepts and unit of a model whose output is linear in the design, by what it predicts there."""
    coef, intercept = getattr(model, "coef_", None), getattr(model, "intercept_", 0.0)
    if coef is None:
        return None
    weights = np.atleast_2d(np.asarray(coef, float))
    if weights.ndim != 2 or weights.shape[1] != design.shape[1]:
        return None
    intercept = np.atleast_1d(np.asarray(intercept, float))
    expected = design @ weights.T + intercept
    for unit, said in _linear_outputs(model, design):
        said = np.asarray(said, float).reshape(len(design), -1)
        scale = max(float(np.abs(said).max(initial=0.0)), 1e-300)
        if said.shape == expected.shape and np.abs(said - expected).max() <= LINEAR_TOLERANCE * scale:
            return weights, intercept, unit
    return None


def _linear_outputs(model, design):
    """The outputs of a model that may be linear, with their units."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        values = np.asarray(model.predict(design), float)
        yield "prediction", values
        if np.all(values > 0):
            yield "log", np.log(values)
    elif hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(design), float)
        logistic = False
        if scores.ndim == 1 and hasattr(model, "predict_proba"):
            expected = 1 / (1 + np.exp(-np.clip(scores, -500, 500)))
            logistic = np.allclose(np.asarray(model.predict_proba(design))[:, 1], expected, atol=1e-9)
        yield "log-odds" if logistic else "score", scores


def _sampled(estimator, X, background, columns, n_orders, rng):
    names = column_names(X)
    used = np.array([j for j, name in enumerate(names) if columns is None or name in columns])
    n, n_background = n_rows(X), n_rows(background)
    table = _joined(X, background)
    pairs = min(max(2, n_orders // 2), max(MIN_PAIRS, MAX_ROW_CELLS // (2 * (len(used) + 1) * len(names))))
    outputs = _outputs(estimator, X)
    base = _outputs(estimator, background).mean(axis=0)
    values = np.zeros((n, len(names), outputs.shape[1]))
    errors = np.zeros_like(values)
    at_once = max(1, MAX_CELLS // max(1, 2 * (len(used) + 1) * len(names)))
    for i in range(n):
        draws = []
        for first in range(0, pairs, at_once):
            draws.append(_pairs_of_orders(estimator, table, i, n, n_background, used, min(at_once, pairs - first), rng))
        moves = np.concatenate(draws)  # (pairs, used columns, outputs)
        values[i, used] = moves.mean(axis=0)
        errors[i, used] = moves.std(axis=0, ddof=1) / np.sqrt(len(moves))
    unit = "prediction" if not hasattr(estimator, "classes_") else "probability"
    return Shapley(list(names), values, errors, base, outputs, unit, "sampled", 2 * pairs)


def _pairs_of_orders(estimator, table, row, first_background, n_background, used, pairs, rng):
    """Changes of the output credited to each used column, the mean of each pair of orders."""
    p = len(used)
    orders = np.array([rng.permutation(p) for _ in range(pairs)])
    orders = np.concatenate([orders, orders[:, ::-1]])
    rows = first_background + np.tile(_spread(pairs, n_background, rng), 2)
    place = np.empty_like(orders)  # when each column becomes known
    np.put_along_axis(place, orders, np.broadcast_to(np.arange(p), orders.shape), axis=1)
    steps = np.arange(p + 1)
    mixed = take_rows(table, np.repeat(rows, p + 1))
    for k, j in enumerate(used):
        source = np.where(steps[None, :] > place[:, k, None], row, rows[:, None]).ravel()
        mixed = column_from_rows(mixed, int(j), source, source=table)
    path = _outputs(estimator, mixed).reshape(2 * pairs, p + 1, -1)
    change = np.diff(path, axis=1)
    credited = np.empty_like(change)
    for k in range(len(orders)):
        credited[k, orders[k]] = change[k]
    return (credited[:pairs] + credited[pairs:]) / 2


def _spread(n, n_background, rng):
    """`n` positions in the background, each about equally often."""
    rounds = [rng.permutation(n_background) for _ in range(-(-n // n_background))]
    return np.concatenate(rounds)[:n]


def _outputs(estimator, X):
    return np.asarray(predict_values(estimator, X), float).reshape(n_rows(X), -1)


def _joined(X, background):
    """Both tables below each other, in the types of the first."""
    import narwhals as nw

    if isinstance(X, np.ndarray):
        return np.concatenate([X, background])
    first, second = (nw.from_native(part, eager_only=True) for part in (X, background))
    casts = [nw.col(name).cast(dtype) for name, dtype in first.schema.items() if second.schema[name] != dtype]
    return nw.concat([first, second.with_columns(*casts).select(first.columns)], how="vertical").to_native()
