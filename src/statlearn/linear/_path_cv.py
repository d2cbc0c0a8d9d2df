"""Cross-validation of a path of linear models: penalty grid, folds and selection."""

import numbers
from functools import partial

import numpy as np

from statlearn._core.jobs import keep_limit
from statlearn._core.params import GRID_POINTS, Int, Options, Real
from statlearn._core.selection import CVCurve, weighty_folds

# The constraints of the parameters that the functions below read.
PATH_CV_CONSTRAINTS = {
    "eps": [Real(0, 1, closed="neither")],
    "alphas": [GRID_POINTS, "array-like"],
    "cv": ["cv"],
    "n_jobs": [Int(), None],
    "rule": [Options("min", "one_se")],
}


def alpha_grid(largest, eps, n_alphas):
    """Penalties from the largest down to `eps` times it, evenly spaced on a log scale."""
    smallest = np.finfo(np.float64).resolution
    if largest <= smallest:
        return np.full(n_alphas, smallest)
    return np.geomspace(largest, largest * eps, num=n_alphas)


def given_alphas(alphas):
    """The user's penalties in decreasing order; raises an error naming an entry that is not finite and non-negative."""
    alphas = list(alphas)
    if not alphas:
        raise ValueError("alphas must not be empty; pass at least one penalty.")
    for index, alpha in enumerate(alphas):
        if not isinstance(alpha, numbers.Real):
            raise TypeError(f"alphas[{index}] must be an instance of float, not {type(alpha).__name__}")
        if not alpha >= 0.0 or np.isinf(alpha):
            raise ValueError(f"alphas[{index}] == {alpha}, must be >= 0.0.")
    return np.sort(np.asarray(alphas, dtype=np.float64))[::-1]


def fold_results(run, X, y, weights, cv, n_jobs):
    """``run(train, test)`` for every fold, in threads; train and test are triples (X, y, weights or None)."""
    from sklearn.model_selection import check_cv
    from sklearn.utils.parallel import Parallel, delayed

    folds = weighty_folds(check_cv(cv, classifier=False).split(X, y), weights)
    return Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(keep_limit(_run_fold))(run, X, y, weights, train, test) for train, test in folds
    )


def _run_fold(run, X, y, weights, *parts):
    return run(*((X[rows], y[rows], None if weights is None else weights[rows]) for rows in parts))


def _squared_error(fit_path, train, test):
    """Mean squared error on the test rows of every model of the path fitted to the training rows."""
    coefs, intercepts = fit_path(*train)
    X, y, weights = test
    return np.average((y[:, None] - (X @ coefs.T + intercepts)) ** 2, axis=0, weights=weights)


def choose_penalty(estimator, fit_path, X, y, weights, alphas):
    """Set `alphas_`, `mse_path_`, `cv_curve_` and `alpha_` by the estimator's `cv` and `rule`; return the chosen index.

    ``fit_path(X, y, weights)`` returns coefficients (k, p) and intercepts (k,), one model per penalty in decreasing
    order.
    """
    losses = fold_results(partial(_squared_error, fit_path), X, y, weights, estimator.cv, estimator.n_jobs)
    estimator.alphas_, estimator.mse_path_ = alphas, np.column_stack(losses)
    estimator.cv_curve_ = CVCurve(alphas, estimator.mse_path_)
    best = estimator.cv_curve_.chosen(estimator.rule)
    estimator.alpha_ = alphas[best]
    return best
