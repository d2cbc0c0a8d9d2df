"""Penalised Gaussian likelihood of tables with missing values, by EM."""

import numpy as np

from statlearn._math.linalg.positive import cholesky


class MissingPatterns:
    """Rows grouped by the columns that they observe."""

    def __init__(self, X, weights=None):
        self.n, self.p = X.shape
        self.weights = np.ones(self.n) if weights is None else np.asarray(weights, dtype=np.float64)
        observed = ~np.isnan(X)
        kinds, number = np.unique(observed, axis=0, return_inverse=True)
        number = np.ravel(number)
        self.groups = []
        for k, kind in enumerate(kinds):
            rows = np.flatnonzero(number == k)
            o, m = np.flatnonzero(kind), np.flatnonzero(~kind)
            self.groups.append((o, m, X[np.ix_(rows, o)], self.weights[rows]))

    def start(self, X):
        """Weighted means and variances of the observed cells."""
        seen = ~np.isnan(X)
        w = self.weights[:, None] * seen
        total = w.sum(axis=0)
        filled = np.where(seen, X, 0.0)
        mean = (w * filled).sum(axis=0) / total
        variance = (w * (filled - mean) ** 2).sum(axis=0) / total
        return mean, np.diag(variance)

    def expectation(self, mean, covariance):
        """Expected first and second moments (about zero), and the observed log-likelihood per unit of weight."""
        total = self.weights.sum()
        first = np.zeros(self.p)
        second = np.zeros((self.p, self.p))
        log_likelihood = 0.0
        shift = mean  # moments about the current mean avoid cancellation
        for o, m, rows, w in self.groups:
            Z = np.zeros((len(rows), self.p))
            if len(o):
                factor = cholesky(covariance[np.ix_(o, o)])
                if factor is None:
                    raise ValueError(
                        "The expected covariance of X is not positive definite, as columns are constant or dependent "
                        "where they are observed. Increase `alpha`, or drop such columns."
                    )
                D = rows - mean[o]
                Z[:, o] = D
                solved = factor.solve(D.T).T
                norm = np.einsum("ij,ij->i", D, solved)
                log_likelihood -= 0.5 * float(w @ norm + w.sum() * (factor.log_det + len(o) * np.log(2.0 * np.pi)))
                if len(m):
                    Z[:, m] = solved @ covariance[np.ix_(o, m)]
            if len(m):
                C = covariance[np.ix_(m, m)]
                if len(o):
                    C = C - covariance[np.ix_(m, o)] @ factor.solve(covariance[np.ix_(o, m)])
                second[np.ix_(m, m)] += w.sum() * C
            first += w @ Z
            second += (Z * w[:, None]).T @ Z
        return shift, first / total, second / total, log_likelihood / total


def em_fit(X, weights, maximise, refuse, *, assume_centered, tol, max_iter):
    """EM with a penalised M step.

    `refuse(S)` raises if the first covariance S allows no solution, and `maximise(S, start)` returns a
    `PrecisionSolution` for the expected covariance S. `history` holds the penalised observed log-likelihood per unit of
    weight, less half the penalty, at every iterate.

    Returns
    -------
    mean, solution, history, converged
    """
    patterns = MissingPatterns(X, weights)
    mean, covariance = patterns.start(X)
    if assume_centered:
        covariance = covariance + np.diag(mean**2)
        mean = np.zeros_like(mean)
    refuse(covariance)
    # Columns without variance, which a penalty of the diagonal allows, start with any.
    covariance = np.diag(np.where(np.diag(covariance) > 0, np.diag(covariance), 1.0))
    history, solution = [], None
    for _ in range(max_iter + 1):
        shift, first, second, value = patterns.expectation(mean, covariance)
        if solution is not None:
            history.append(value - 0.5 * solution.penalty)
            if len(history) > 1 and history[-1] - history[-2] <= tol * (1.0 + abs(history[-1])):
                return mean, solution, history, True
        if len(history) > max_iter:
            break
        if assume_centered:
            S = second  # the shift is zero
        else:
            mean = shift + first
            S = second - np.outer(first, first)
        S = (S + S.T) / 2.0
        solution = maximise(S, None if solution is None else solution.precision)
        covariance = solution.covariance
    return mean, solution, history, False
