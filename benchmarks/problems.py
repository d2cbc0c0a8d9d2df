"""Data that look like data (correlated columns, few effects, noise), and the objectives written literally."""

import numpy as np


def correlated(n, p, rng, rho=0.5):
    """Gaussian columns, neighbours correlated by rho (autoregression over columns), column-major."""
    X = np.empty((n, p), order="F")
    X[:, 0] = rng.standard_normal(n)
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * rng.standard_normal(n)
    return X


def sparse_truth(p, k, rng):
    """k effects of size 0.5 to 1.5, either sign, spread evenly over the columns."""
    w = np.zeros(p)
    at = np.linspace(0, p - 1, min(k, p)).astype(int)
    w[at] = rng.choice([-1, 1], at.size) * rng.uniform(0.5, 1.5, at.size)
    return w


def sparse_regression(n, p, k, *, rho=0.5, snr=3.0, seed=0, centre=False):
    """X (column-major), y. Centred, solvers without intercept solve the same problem as the others."""
    rng = np.random.default_rng(seed)
    X = correlated(n, p, rng, rho)
    signal = X @ sparse_truth(p, k, rng)
    y = signal + rng.standard_normal(n) * signal.std() / np.sqrt(snr)
    if centre:
        X -= X.mean(axis=0)
        y -= y.mean()
    else:
        y += 3.0
    return X, y


def sparse_classification(n, p, k, *, rho=0.5, strength=2.0, seed=0):
    """X (column-major), y in {0, 1}; log-odds with standard deviation `strength`."""
    rng = np.random.default_rng(seed)
    X = correlated(n, p, rng, rho)
    score = X @ sparse_truth(p, k, rng)
    score *= strength / score.std()
    return X, (rng.random(n) < 1 / (1 + np.exp(-0.3 - score))).astype(float)


def sparse_counts(n, p, k, *, rho=0.5, strength=1.0, seed=0):
    """X (column-major), counts y; logarithms of the means with standard deviation `strength`."""
    rng = np.random.default_rng(seed)
    X = correlated(n, p, rng, rho)
    score = X @ sparse_truth(p, k, rng)
    score *= strength / score.std()
    return X, rng.poisson(np.exp(score)).astype(float)


def alpha_grid(largest, eps, count=100):
    return largest * np.geomspace(1, eps, count)


def lasso_gaps(X, y, alphas, coefs):
    """Duality gap of |y - Xw|^2 / (2n) + alpha |w|_1 at each column of coefs, over the objective at w = 0.

    The dual point is the residual, scaled to the best feasible length. Needs y and the columns of X centred.
    So it is what the result alone can prove; the distance to the optimum is often much less (see the excess).
    """
    return _quadratic_gaps(
        X, y, alphas, coefs, norm=lambda W: np.abs(W).sum(axis=0), dual_norm=lambda G: np.abs(G).max(axis=0)
    )


def group_gaps(X, y, alphas, coefs, group):
    """The same for the group lasso, penalty alpha sqrt(group) |w_g|_2, `group` neighbouring columns each."""

    def lengths(W):
        return np.linalg.norm(W.reshape(-1, group, W.shape[1]), axis=1)

    return _quadratic_gaps(
        X,
        y,
        alphas,
        coefs,
        norm=lambda W: np.sqrt(group) * lengths(W).sum(axis=0),
        dual_norm=lambda G: lengths(G).max(axis=0) / np.sqrt(group),
    )


def _quadratic_gaps(X, y, alphas, coefs, norm, dual_norm):
    n = len(y)
    r = y[:, None] - X @ coefs
    primal = np.sum(r**2, axis=0) / (2 * n) + alphas * norm(coefs)
    longest = n * alphas / dual_norm(X.T @ r)
    rr = np.sum(r**2, axis=0)
    s = np.clip(y @ r / rr, -longest, longest)
    dual = (2 * s * (y @ r) - s**2 * rr) / (2 * n)
    return (primal - dual) / (y @ y / (2 * n))


def lasso_objective(X, y, alphas, coefs):
    return np.sum((y[:, None] - X @ coefs) ** 2, axis=0) / (2 * len(y)) + alphas * np.abs(coefs).sum(axis=0)


def log_loss(y, score):
    """Sum over rows of log(1 + exp(-s f)) with s = 2y - 1; a score for each column, or just one."""
    return np.logaddexp(0, -(2 * y - 1) * score.T).sum(axis=-1)


def logistic_gaps(X, y, alphas, coefs, intercepts):
    """Duality gap of mean log loss + alpha |w|_1 (intercept free), relative to the intercept-only model.

    The dual point must be orthogonal to the intercept: it is taken at the best one for the given slopes.
    """
    n, sign = len(y), (2 * y - 1)[:, None]
    score = X @ coefs + intercepts
    primal = log_loss(y, score) / n + alphas * np.abs(coefs).sum(axis=0)
    for _ in range(30):
        t = 1 / (1 + np.exp(sign * score))
        score += np.sum(sign * t, axis=0) / np.sum(t * (1 - t), axis=0)
    s = np.minimum(1, n * alphas / np.abs(X.T @ (sign * t)).max(axis=0))
    t = np.clip(s * t, 1e-300, 1 - 1e-16)
    dual = -np.mean(t * np.log(t) + (1 - t) * np.log1p(-t), axis=0)
    share = y.mean()
    return (primal - dual) / -(share * np.log(share) + (1 - share) * np.log1p(-share))


def poisson_gaps(X, y, alphas, coefs, intercepts):
    """Duality gap of the mean half deviance + alpha |w|_1 (intercept free), relative to the intercept-only model."""
    n, y = len(y), y[:, None]
    constant = np.where(y > 0, y * np.log(np.maximum(y, 1)), 0) - y
    score = X @ coefs + intercepts
    primal = np.mean(np.exp(score) - y * score + constant, axis=0) + alphas * np.abs(coefs).sum(axis=0)
    mean = np.exp(score)
    mean *= y.sum() / mean.sum(axis=0)  # the best intercept for the given slopes
    s = np.minimum(1, n * alphas / np.abs(X.T @ (y - mean)).max(axis=0))
    z = y + s * (mean - y)
    dual = np.mean(z - np.where(z > 0, z * np.log(np.maximum(z, 1e-300)), 0) + constant, axis=0)
    return (primal - dual) / np.mean(y.mean() - y * np.log(y.mean()) + constant)


def r_squared(X, y, fit):
    return 1 - np.mean((y - fit.intercept - X @ np.ravel(fit.coef)) ** 2) / np.var(y)
