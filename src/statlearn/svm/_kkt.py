"""Optimality conditions of fitted machines, evaluated from outside the solver."""

import itertools

import numpy as np
from scipy.linalg import solve
from scipy.optimize import lsq_linear
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_weights import class_factors
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import check_same_length, class_codes
from statlearn._math.linalg.sparse_arrays import to_dense
from statlearn.svm._hard_margin import HardMarginSVC
from statlearn.svm._linear_svc import LinearSVC
from statlearn.svm._linear_svr import LinearSVR
from statlearn.svm._machine_weights import machine_weights
from statlearn.svm._nu_svc import NuSVC
from statlearn.svm._one_class import OneClassSVM
from statlearn.svm._svc import SVC
from statlearn.svm._svr import SVR, NuSVR

_MOST_ROWS = 2000  # with slack or near the margin, for which the dual is solved
_KINK = 1e-6  # rows this close to the margin count as on it, or within the tolerance of the machine


def kkt_report(model, X, y=None, sample_weight=None):
    r"""Karush-Kuhn-Tucker residuals and duality gap of a fitted machine on its training data.

    Parameters
    ----------
    model : fitted SVC, NuSVC, HardMarginSVC, SVR, NuSVR, OneClassSVM, LinearSVC or LinearSVR
    X, y, sample_weight
        The data that the model was fitted on; `OneClassSVM` has no y.

    Returns
    -------
    Summary
        One row per binary machine, with the columns

        - ``primal_value`` and ``dual_value``, ``duality_gap`` (their difference) and ``relative_gap``;
        - ``primal_feasibility``: largest violation of a constraint, slacks included (only the hard margin can have
          one);
        - ``dual_feasibility``: largest violation of :math:`0\le\alpha_i\le C_i`, that is of
          :math:`C_i=\alpha_i+\mu_i` with non-negative :math:`\mu`;
        - ``balance``: :math:`|\sum_i\alpha_iy_i|`, or for a penalised intercept its difference from the intercept; if
          `nu` fixes the sum of the multipliers, the difference from that sum as well;
        - ``complementary_slackness``: largest :math:`\alpha_i\,|y_if_i-1+\xi_i|` or :math:`(C_i-\alpha_i)\,\xi_i`, over
          the scale of C;
        - ``stationarity``: :math:`\lVert w-\sum_i\alpha_iy_ix_i\rVert`, for linear machines.

        ``facts["residual"]`` is the largest of all but the gap.

    Notes
    -----
    The kernel function is evaluated again, in double precision. A machine of `NuSVC` is examined as the `SVC` that it
    equals, whose cost of a row is its weight times the sum of the multipliers over `nu` times the sum of the weights.

    Linear machines do not store their multipliers, which are recovered from the slacks. For the hinge, those of rows on
    the margin are the bounded least-squares solution of the stationarity condition. For the squared hinge they are
    :math:`\alpha_i=2C_i\xi_i`. A large :math:`C_i` multiplies the error of the slacks, so that these multipliers can be
    far from optimal although the weights are not; then the dual restricted to the rows with slack or near the margin is
    solved (up to 2000 such rows). ``complementary_slackness`` is the largest :math:`|\xi_i-\alpha_i/(2C_i)|` there.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.svm import SVC, kkt_report
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = SVC(tol=1e-6).fit(X[50:], y[50:])
    >>> bool(kkt_report(machine, X[50:], y[50:]).facts["residual"] < 1e-5)
    True
    """
    known = (SVC, NuSVC, HardMarginSVC, SVR, NuSVR, OneClassSVM, LinearSVC, LinearSVR)
    if not isinstance(model, known):
        names = ", ".join(each.__name__ for each in known)
        raise TypeError(f"`model` must be one of {names}, got {type(model).__name__}.")
    check_is_fitted(model)
    if isinstance(model, OneClassSVM):
        y = np.zeros(X.shape[0] if hasattr(X, "shape") else len(X))
    elif y is None:
        raise ValueError(f"y is required: {type(model).__name__} was fitted with one.")
    check_same_length(X, y)
    y = np.asarray(y)
    weights = machine_weights(sample_weight, np.empty((y.size, 1)), warns=False)
    weights = np.ones(y.size) if weights is None else weights
    if isinstance(model, (LinearSVC, LinearSVR)):
        machines = _linear(model, X, y, weights)
    elif isinstance(model, (SVR, NuSVR)):
        machines = [_regression(model, X, y.astype(float), weights)]
    elif isinstance(model, OneClassSVM):
        machines = [_one_class(model, X, weights)]
    else:
        machines = _classification(model, X, y, weights)
    columns = {key: np.array([m[key] for m in machines]) for key in machines[0]}
    residual = max(
        float(np.max(columns[key]))
        for key in ("primal_feasibility", "dual_feasibility", "balance", "complementary_slackness", "stationarity")
    )
    rows = [f"machine {k}" for k in range(len(machines))] if len(machines) > 1 else ["machine"]
    return Summary(
        f"Optimality conditions of {type(model).__name__}",
        Table(rows, columns),
        facts={"residual": residual, "duality_gap": float(np.max(np.abs(columns["duality_gap"])))},
        labels={"residual": "largest residual", "duality_gap": "largest duality gap"},
    )


def _report(primal, dual, *, primal_feasibility=0.0, dual_feasibility, balance, slackness, stationarity=0.0):
    return {
        "primal_value": float(primal),
        "dual_value": float(dual),
        "duality_gap": float(primal - dual),
        "relative_gap": float((primal - dual) / max(abs(primal), 1e-300)),
        "primal_feasibility": float(primal_feasibility),
        "dual_feasibility": float(dual_feasibility) + 0.0,  # not -0
        "balance": float(balance),
        "complementary_slackness": float(slackness),
        "stationarity": float(stationarity),
    }


def _classification(model, X, y, weights):
    hard = isinstance(model, HardMarginSVC)
    classes = model.classes_
    codes = class_codes(classes, y)
    k = classes.size
    dual_coef = to_dense(model.dual_coef_)
    layout = np.zeros((dual_coef.shape[0], y.size))
    layout[:, model.support_] = dual_coef
    nu = model.nu if isinstance(model, NuSVC) else None
    if hard:
        prices = np.full(y.size, np.inf)
    else:
        prices = model.class_weight_[codes] * weights * (1.0 if nu else model.C_)
    values = np.atleast_2d(model.decision_function(X)).T if hard or k == 2 else model._pair_sums(X)
    if values.shape[0] != y.size:
        values = values.T
    present = weights > 0
    machines = []
    if k > 2 and not model._one_vs_rest:
        for c, (i, j) in enumerate(itertools.combinations(range(k), 2)):
            rows = np.flatnonzero(present & ((codes == i) | (codes == j)))
            signs = np.where(codes[rows] == i, 1.0, -1.0)
            coef = np.where(codes[rows] == i, layout[j - 1, rows], layout[i, rows])
            machines.append((rows, signs, coef, values[:, c], model.intercept_[c]))
    else:
        for c in range(values.shape[1]):
            rows = np.flatnonzero(present)
            signs = np.where(codes[rows] == (1 if k == 2 else c), 1.0, -1.0)
            machines.append((rows, signs, layout[c, rows], values[:, c], model.intercept_[c]))
    reports = []
    for rows, signs, coef, f, b in machines:
        alpha, f, price = coef * signs, f[rows], prices[rows]
        if nu:
            price = price * alpha.sum() / (nu * price.sum())
        slack = np.maximum(1.0 - signs * f, 0.0)
        square = float(coef @ (f - b))
        scale = max(float(np.max(np.minimum(price, np.abs(alpha).max(initial=1e-300)))), 1e-300)
        slackness = np.max(np.abs(alpha) * np.maximum(signs * f - 1.0, 0.0), initial=0.0)
        if not hard:
            slackness = max(slackness, float(np.max((price - alpha) * slack, initial=0.0)))
        over = 0.0 if hard else np.max(alpha - price, initial=0.0)
        reports.append(
            _report(
                0.5 * square + (0.0 if hard else price @ slack),
                alpha.sum() - 0.5 * square,
                primal_feasibility=slack.max(initial=0.0) if hard else 0.0,
                dual_feasibility=max(np.max(-alpha, initial=0.0), over) / scale,
                balance=abs(coef.sum()) / scale,
                slackness=slackness / scale,
            )
        )
    return reports


def _regression(model, X, y, weights):
    coef = _by_row(model, y.size)
    f = model.predict(X)
    unit = getattr(model, "target_scale_", 1.0)
    price = model.C * unit * weights
    epsilon = model.epsilon_ if isinstance(model, NuSVR) else model.epsilon * unit
    excess = np.maximum(np.abs(y - f) - epsilon, 0.0)
    square = float(coef @ (f - model.intercept_[0]))
    r = y - f
    slackness = 0.0
    for sign in (1.0, -1.0):
        alpha = np.maximum(sign * coef, 0.0)
        slackness = max(
            slackness,
            float(np.max(alpha * np.maximum(epsilon - sign * r, 0.0))),
            float(np.max((price - alpha) * np.maximum(sign * r - epsilon, 0.0))),
        )
    scale = max(float(price.max()), 1e-300)
    balance = abs(coef.sum())
    if isinstance(model, NuSVR):
        # With a tube of no width, the two multipliers of a row need not exclude each other.
        rest = model.nu * price.sum() - np.abs(coef).sum()
        balance = max(balance, abs(rest) if epsilon > 0.0 else -rest)
    return _report(
        0.5 * square + price @ excess,
        y @ coef - epsilon * np.abs(coef).sum() - 0.5 * square,
        dual_feasibility=np.max(np.abs(coef) - price, initial=0.0) / scale,
        balance=balance / scale,
        slackness=slackness / scale,
    )


def _one_class(model, X, weights):
    coef = _by_row(model, weights.size)
    f = model.decision_function(X)
    total, rho = model.nu * weights.sum(), -float(model.intercept_[0])
    square = float(coef @ (f + rho))
    scale = max(float(weights.max()), 1e-300)
    slackness = max(
        float(np.max(coef * np.maximum(f, 0.0))), float(np.max((weights - coef) * np.maximum(-f, 0.0)))
    )  # fmt: skip
    return _report(
        0.5 * square + weights @ np.maximum(-f, 0.0) - rho * total,
        -0.5 * square,
        dual_feasibility=max(np.max(-coef), np.max(coef - weights), 0.0) / scale,
        balance=abs(coef.sum() - total) / scale,
        slackness=slackness / scale,
    )


def _by_row(model, n):
    coef = np.zeros(n)
    coef[model.support_] = np.ravel(to_dense(model.dual_coef_))
    return coef


def _linear(model, X, y, weights):
    if getattr(model, "penalty", "l2") == "l1" or getattr(model, "multi_class", "ovr") == "crammer_singer":
        raise ValueError("model: the report covers L2 penalties and one-vs-rest machines only.")
    X = np.asarray(to_dense(X), dtype=np.float64)
    coef = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    intercepts = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), (coef.shape[0],))
    regression = isinstance(model, LinearSVR)
    if not regression:
        codes = class_codes(model.classes_, y)
        factors = class_factors(model.class_weight, model.classes_, codes, weights)
    reports = []
    for c, (w, b) in enumerate(zip(coef, intercepts)):
        f = X @ w + b
        if regression:
            r = y.astype(float) - f
            signs, gap = np.where(r >= 0, 1.0, -1.0), np.abs(r) - model.epsilon
            price, target = model.C * weights, y.astype(float) - signs * model.epsilon
        else:
            member = codes == (1 if model.classes_.size == 2 else c)
            signs = np.where(member, 1.0, -1.0)
            gap = 1.0 - signs * f
            price = model.C * weights * (
                factors[codes] if model.classes_.size == 2 else np.where(member, factors[c], 1.0)
            )  # fmt: skip
            target = signs
        reports.append(_linear_machine(model, X, w, b, signs, gap, price, target))
    return reports


def _linear_machine(model, X, w, b, signs, gap, price, target):
    """Report of one machine; the loss of row i is `price` times max(gap, 0), or its square."""
    free = model.fit_intercept and not model.penalize_intercept
    scale = float(model.intercept_scaling) if model.fit_intercept and not free else 0.0
    slack = np.maximum(gap, 0.0)
    squared = model.loss.startswith("squared")
    alpha = 2.0 * price * slack if squared else _hinge_multipliers(model, X, w, b, signs, gap, price, scale)
    v = b / scale if scale else 0.0
    loss = price @ (slack**2 if squared else slack)
    primal = 0.5 * (w @ w + v * v) + loss
    dual = _linear_dual(X, signs * alpha, target, price, scale, squared)
    if squared and abs(primal - dual) > model.tol * primal:
        near = np.flatnonzero((gap > -10 * max(_KINK, model.tol)) & (price > 0))
        other = _dual_of_rows(near, X, signs, target, price, scale, free)
        if other is not None:
            value = _linear_dual(X, signs * other, target, price, scale, squared)
            if abs(primal - value) < abs(primal - dual):
                alpha, dual = other, value
    coefs = signs * alpha
    if not model.fit_intercept:
        balance = 0.0
    else:
        balance = abs(v - scale * coefs.sum()) if scale else abs(coefs.sum())
    bound = np.abs(coefs @ X)
    span = max(float(np.abs(price).max()), 1e-300)
    if squared:
        charged = price > 0
        slackness = np.max(np.abs(slack[charged] - alpha[charged] / (2.0 * price[charged])), initial=0.0)
    else:
        slackness = np.max(alpha * np.maximum(-gap, 0.0), initial=0.0) / span
    return _report(
        primal,
        dual,
        dual_feasibility=0.0,
        balance=balance / max(1.0, span),
        slackness=slackness,
        stationarity=np.linalg.norm(w - coefs @ X) / max(1.0, float(bound.max(initial=0.0))),
    )


def _hinge_multipliers(model, X, w, b, signs, gap, price, scale):
    """Multipliers of a hinge: 0 or the price, and for rows on the kink what stationarity requires."""
    width = max(_KINK, model.tol)
    alpha = np.where(gap > width, price, 0.0)
    kink = np.flatnonzero((np.abs(gap) <= width) & (price > 0))
    if kink.size:
        columns = [signs[kink, None] * X[kink], signs[kink, None] * max(scale, 1.0)]
        wanted = np.append(w - (signs * alpha) @ X, (b / scale if scale else 0.0) - max(scale, 1.0) * signs @ alpha)
        if not model.fit_intercept:
            columns[1], wanted[-1] = 0.0 * columns[1], 0.0
        alpha[kink] = lsq_linear(np.hstack(columns).T, wanted, bounds=(0.0, price[kink]), tol=1e-14).x
    return alpha


def _linear_dual(X, coefs, target, price, scale, squared):
    """Dual objective of a linear machine at signed multipliers."""
    w = coefs @ X
    charged = price > 0
    extra = np.sum(coefs[charged] ** 2 / (4.0 * price[charged])) if squared else 0.0
    return float(target @ coefs - 0.5 * (w @ w + (scale * coefs.sum()) ** 2) - extra)


def _dual_of_rows(rows, X, signs, target, price, scale, free):
    """Multipliers that maximise the dual of a squared loss, 0 for other rows; None if there are too many rows.

    Optimality is a linear system for the multipliers that are not 0; those that come out negative are set to 0.
    """
    alpha = np.zeros(signs.size)
    if rows.size > _MOST_ROWS:
        return None
    while rows.size:
        Z = signs[rows, None] * X[rows]
        Q = Z @ Z.T + scale**2 * np.outer(signs[rows], signs[rows])
        Q[np.diag_indices_from(Q)] += 0.5 / price[rows]
        wanted = signs[rows] * target[rows]
        if free:  # the multipliers of the two signs are in balance
            Q = np.block([[Q, signs[rows, None]], [signs[rows], np.zeros((1, 1))]])
            wanted = np.append(wanted, 0.0)
        try:
            dual = solve(Q, wanted, assume_a="sym")[: rows.size]
        except np.linalg.LinAlgError:
            return None
        if np.min(dual) >= 0.0:
            alpha[rows] = dual
            break
        rows = rows[dual > 0.0]
    return alpha
