"""Tables of fitted classifiers: support vectors, margins, objectives and what is left of the optimality conditions."""

import itertools

import numpy as np

from statlearn._core.summary import Summary, Table
from statlearn._math.linalg.sparse_arrays import to_dense

_ON_MARGIN, _INSIDE, _WRONG = 1, 2, 3  # codes of `SVC._status_codes`


def _machine_names(classes, one_vs_rest):
    """Names of the binary machines; the class for which decision values are positive stands first."""
    if classes.size == 2:
        return [f"{classes[1]} against {classes[0]}"]
    if one_vs_rest:
        return [f"{each} against the rest" for each in classes]
    return [f"{first} against {second}" for first, second in itertools.combinations(classes, 2)]


def _status_counts(codes):
    """Rows of each status, from codes with a column per machine or from one column."""
    return {
        "on_margin": np.sum(codes == _ON_MARGIN, axis=0),
        "inside": np.sum(codes == _INSIDE, axis=0),
        "wrong_side": np.sum(codes == _WRONG, axis=0),
    }


def svc_summary(model):
    """Summary of a fitted `SVC`."""
    codes = model._status_codes
    counts = _status_counts(codes)
    columns = {
        "support_vectors": sum(counts.values()),
        **counts,
        "margin": model.margin_,
        "width": model.width_,
        "dual_value": -model.objective_,
        "violation": model.violation_,
        "iterations": model.n_iter_,
    }
    n_rows = int(np.any(codes <= _WRONG, axis=1).sum())
    facts = {
        "kernel": "function" if model._kernel == "callable" else model._kernel,
        "gamma": model._gamma if model._kernel in ("rbf", "poly", "sigmoid") else None,
        "C": model.C_,
        "n_rows": n_rows,
        "n_support": int(model.n_support_.sum()),
        "support_share": float(model.n_support_.sum() / n_rows),
        "loo_error_bound": getattr(model, "loo_error_bound_", None),
        "tol": float(model.tol),
        "converged": model.fit_status_ == 0,
    }
    labels = {
        "kernel": "Kernel",
        "gamma": "  gamma",
        "C": "C",
        "n_rows": "Rows",
        "n_support": "Support vectors",
        "support_share": "  as a share of the rows",
        "loo_error_bound": "Bound on the leave-one-out error",
        "tol": "Tolerance of the violation",
        "converged": "Converged",
    }
    of_class = {"support_vectors": model.n_support_}
    if codes.shape[1] == 1:
        parts = np.split(codes[model.support_, 0], np.cumsum(model.n_support_)[:-1])
        by_class = [_status_counts(part) for part in parts]
        of_class |= {key: np.array([each[key] for each in by_class]) for key in counts}
    notes = [
        "on margin: multiplier between 0 and C; inside: at C, within the margin; wrong side: at C, misclassified.",
    ]
    if codes.shape[1] == 1 and not counts["on_margin"][0]:
        notes.append("No multiplier lies between 0 and C, so the leave-one-out bound is not informative.")
    return Summary(
        "Support vector classification",
        Table(_machine_names(model.classes_, model._one_vs_rest), columns),
        facts=facts,
        labels=labels,
        tables=[Table([str(c) for c in model.classes_], of_class, caption="Support vectors by class")],
        notes=notes,
    )


def linear_svc_summary(model):
    """Summary of a fitted `LinearSVC`."""
    joint = model.multi_class == "crammer_singer"
    size = np.sqrt(np.sum(np.square(np.asarray(to_dense(model.coef_), dtype=np.float64)), axis=1))
    with np.errstate(divide="ignore"):
        columns = {"margin": 1.0 / size, "width": 2.0 / size}
    if joint:
        names = [str(c) for c in model.classes_] if model.classes_.size > 2 else _machine_names(model.classes_, True)
    else:
        names = _machine_names(model.classes_, True)
        columns = {
            "rows_with_loss": model._losses[0],
            "wrong_side": model._losses[1],
            **columns,
            "objective": model.objective_,
        }
    columns["intercept"] = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), size.shape)
    columns["nonzero_weights"] = np.sum(to_dense(model.coef_) != 0, axis=1)
    facts = {
        "loss": "joint, of Crammer and Singer" if joint else model.loss.replace("_", " "),
        "penalty": "l2" if joint else model.penalty,
        "C": float(model.C),
        "n_rows": model._n_rows,
        "n_features": int(model.n_features_in_),
        "objective": float(np.sum(model.objective_)) if joint else None,
        "violation": model.violation_,
        "tol": float(model.tol),
        "n_iter": model.n_iter_,
        "converged": model.fit_status_ == 0,
    }
    labels = {
        "loss": "Loss",
        "penalty": "Penalty",
        "C": "C",
        "n_rows": "Rows",
        "n_features": "Columns",
        "objective": "Objective",
        "violation": "Violation at the end",
        "tol": "Tolerance (tol)",
        "n_iter": "Iterations",
        "converged": "Converged",
    }
    notes = []
    if not joint:
        notes.append("Rows with a loss lie within the margin or on the wrong side of the boundary.")
    return Summary(
        "Linear support vector classification", Table(names, columns), facts=facts, labels=labels, notes=notes
    )
