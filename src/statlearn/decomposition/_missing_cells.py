r"""Gaussian models of low rank fitted to tables with missing values, by expectation-maximisation.

.. math:: x = \mu + W z + e, \qquad z \sim N(0, I_k), \qquad e \sim N(0, \mathrm{diag}(\psi))

Every row contributes the likelihood of its observed cells: values are assumed to be missing at random.
"""

from dataclasses import dataclass

import numpy as np

from statlearn._core.blas import single_blas_thread
from statlearn._core.frames import column_names
from statlearn._core.warnings import MAX_ITER, OK

_CHUNK_NUMBERS = 2**22  # numbers of the small matrices of a chunk of rows


@dataclass
class LowRankGaussian:
    """The model: mean (p,), loadings W (p, k) and noise variances psi (p,)."""

    mean: np.ndarray
    loadings: np.ndarray
    noise: np.ndarray

    def posterior(self, X):
        """Mean (n, k) and covariance (n, k, k) of z given the observed cells of each row, and log-likelihood (n,)."""
        seen = ~np.isnan(X)
        k = self.loadings.shape[1]
        M = seen.astype(np.float64)
        centred = np.where(seen, X - self.mean, 0.0)
        scaled = self.loadings / self.noise[:, None]
        outer = np.einsum("pa,pb->pab", scaled, self.loadings).reshape(len(self.mean), k * k)
        A = (M @ outer).reshape(len(X), k, k)
        A[:, np.arange(k), np.arange(k)] += 1.0
        b = centred @ scaled
        covariance = np.linalg.inv(A)
        z = np.einsum("nab,nb->na", covariance, b)
        log_det = np.linalg.slogdet(A)[1] + M @ np.log(self.noise)
        square = (centred**2) @ (1.0 / self.noise) - np.sum(b * z, axis=1)
        return z, covariance, -0.5 * (M.sum(axis=1) * np.log(2 * np.pi) + log_det + square)

    def chunks(self, n):
        """Slices of rows whose small matrices fit into memory."""
        k = self.loadings.shape[1]
        step = max(64, _CHUNK_NUMBERS // max(1, (k + 1) ** 2))
        return [slice(i, min(i + step, n)) for i in range(0, n, step)]

    def completed(self, X):
        """X with missing values replaced by their conditional expectations."""
        X = np.array(X, dtype=np.float64)
        rows = np.isnan(X).any(axis=1).nonzero()[0]
        for part in self.chunks(len(rows)):
            block = X[rows[part]]
            expected = self.mean + self.posterior(block)[0] @ self.loadings.T
            X[rows[part]] = np.where(np.isnan(block), expected, block)
        return X

    def log_likelihood(self, X):
        """Log-likelihood of the observed cells of each row."""
        X = np.asarray(X, dtype=np.float64)
        parts = [self.posterior(X[part])[2] for part in self.chunks(len(X))]
        return np.concatenate(parts) if parts else np.empty(0)


def has_missing(X):
    """Whether a dense array of finite numbers and NaN has a NaN."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isnan(np.sum(X))) and bool(np.isnan(X).any())


def refuse_empty_columns(X, table):
    """Raise an error if a column has no observed value; `table` is X as given, for the names."""
    empty = np.isnan(X).all(axis=0)
    if empty.any():
        names = column_names(table if hasattr(table, "columns") else X)
        which = [repr(names[j]) for j in np.flatnonzero(empty)[:3]]
        more = "" if empty.sum() <= 3 else f" and {empty.sum() - 3} more"
        raise ValueError(f"X has no observed value in column {', '.join(which)}{more}; drop such columns.")


def fit_low_rank(X, k, weights=None, *, common_noise, tol, max_iter):
    """Maximum-likelihood model of rank k by parameter-expanded EM.

    Parameters
    ----------
    X : ndarray of shape (n, p), float64, NaN where a cell is missing
    k : int
    weights : ndarray of shape (n,) or None, default=None
    common_noise : bool
        One noise variance for all columns (probabilistic principal components) instead of one per column (factors).
    tol : float
        Stop once the log-likelihood of a cell rises by less than this per step.
    max_iter : int

    Returns
    -------
    model : LowRankGaussian
    log_likelihood : list of float
        Total after each step; it never falls.
    status : int
    """
    with single_blas_thread(0 if X.size < 2**18 else X.size):
        try:
            return _expand_and_maximise(X, k, weights, common_noise, tol, max_iter)
        except np.linalg.LinAlgError:
            raise ValueError(
                f"X has too few observed values for {k} components; use fewer components or more rows."
            ) from None


def _expand_and_maximise(X, k, weights, common_noise, tol, max_iter):
    w = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
    keep = (w > 0) & ~np.isnan(X).all(axis=1)
    X, w = X[keep], w[keep]
    seen = ~np.isnan(X)
    filled = np.where(seen, X, 0.0)
    M = seen * w[:, None]
    count = M.sum(axis=0)
    if not np.all(count > 0):
        raise ValueError("A column of X has no observed value in the rows to fit; drop the column, or use more rows.")
    cells = count.sum()
    model = _start(X, seen, M, count, k, common_noise)
    floor = 1e-12 * max(float(np.mean(np.sum(M * (filled - model.mean * seen) ** 2, axis=0) / count)), 1e-300)
    history: list[float] = []
    status = MAX_ITER
    for _ in range(max_iter):
        gram = np.zeros((X.shape[1], (k + 1) ** 2))
        cross = np.zeros((X.shape[1], k + 1))
        second, first, total = np.zeros((k, k)), np.zeros(k), 0.0
        for part in model.chunks(len(X)):
            z, covariance, log_likelihood = model.posterior(X[part])
            m = np.column_stack([z, np.ones(len(z))])
            moments = np.einsum("na,nb->nab", m, m)
            moments[:, :k, :k] += covariance
            gram += M[part].T @ moments.reshape(len(z), -1)
            cross += (M[part] * filled[part]).T @ m
            second += np.einsum("n,nab->ab", w[part], moments[:, :k, :k])
            first += w[part] @ z
            total += float(w[part] @ log_likelihood)
        history.append(total)
        if len(history) > 1 and history[-1] - history[-2] <= tol * cells:
            status = OK
            break
        solved = np.linalg.solve(gram.reshape(-1, k + 1, k + 1), cross[:, :, None])[:, :, 0]
        squares = np.sum(M * filled**2, axis=0) - np.sum(solved * cross, axis=1)
        noise = np.full(len(count), squares.sum() / cells) if common_noise else squares / count
        # Expansion: the factors have this mean and covariance; turning them into N(0, I) improves the fit.
        centre = first / w.sum()
        root = np.linalg.cholesky(second / w.sum() - np.outer(centre, centre))
        model = LowRankGaussian(solved[:, k] + solved[:, :k] @ centre, solved[:, :k] @ root, np.maximum(noise, floor))
    return model, history, status


def _start(X, seen, M, count, k, common_noise):
    """Principal components of the table with missing values at the column means."""
    mean = np.sum(np.where(seen, M * np.where(seen, X, 0.0), 0.0), axis=0) / count
    Z = np.where(seen, X - mean, 0.0) * np.sqrt(M.max(axis=1))[:, None]
    total = M.max(axis=1).sum()
    values, vectors = np.linalg.eigh(Z.T @ Z / total)
    values, vectors = values[::-1], vectors[:, ::-1]
    rest = float(np.mean(values[k:])) if k < len(values) else 0.0
    scale = max(float(values[0]), 1e-300)
    sigma = max(rest, 1e-3 * scale)
    loadings = vectors[:, :k] * np.sqrt(np.maximum(values[:k] - sigma, 1e-3 * scale))
    noise = np.full(len(mean), sigma)
    if not common_noise:
        variance = np.sum(M * np.where(seen, X - mean, 0.0) ** 2, axis=0) / count
        noise = np.maximum(variance - np.sum(loadings**2, axis=1), 0.05 * np.maximum(variance, 1e-12 * scale))
    return LowRankGaussian(mean, loadings, noise)
