"""Exact leave-one-out scores of Gaussian discriminants from the statistic of all rows.

Removing one copy of a row x of class k changes the scatters of class k and of all classes together by a rank-one term
along v = x - m_k, and the mean of class k by a multiple of v. Quadratic forms and determinants then follow from the
eigendecomposition of matrices that are the same for all rows (Sherman-Morrison and the determinant lemma). The second
shrinkage adds a multiple of the identity, which the eigenvectors share.
"""

import numpy as np
from scipy import linalg
from scipy.special import softmax

from statlearn._core.class_scores import class_priors
from statlearn._core.validation import FLOATS, validate_data
from statlearn._math.linalg.eigen import eigh

from ._base import check_training
from ._class_scatter import ClassScatter
from ._sphering import sphere


def check_unit_weights(weights):
    """Leave-one-out removes one copy of a row, so weights are counts of copies: at least 1."""
    if weights is not None and np.any(weights < 1):
        raise ValueError(
            "Leave-one-out removes one copy of a row, so sample_weight must be 0 or at least 1. "
            "Scale the weights, or use cross-validation with folds."
        )


def _mixture(alpha, S_class, left_class, S_pool, left_pool):
    """``alpha S_class / left_class + (1 - alpha) S_pool / left_pool``, None if a needed divisor is not positive."""
    if (alpha > 0 and left_class <= 0) or (alpha < 1 and left_pool <= 0):
        return None
    M = np.zeros_like(S_pool)
    if alpha > 0:
        M += (alpha / left_class) * S_class
    if alpha < 1:
        M += ((1 - alpha) / left_pool) * S_pool
    return M


def _scores_of_class(M, Z, V, b, gammas, rho=None):
    """Log density of rows (up to a constant) under covariances ``(1 - g)(M - b v v') + g (tr / p) I`` for each gamma.

    Z and V are the rows' deviations from the mean of the class and from that of their own class. With `rho`, Z is
    rho times V.
    """
    out = np.full((len(gammas), len(V)), -np.inf)
    if M is None:
        return out
    p = M.shape[0]
    values, vectors = eigh(M)
    values = np.maximum(values, 0.0)
    whitened = V @ vectors
    rotated = whitened if rho is not None else Z @ vectors
    spread = np.maximum((values.sum() - b * np.einsum("ij,ij->i", V, V)) / p, 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for g, gamma in enumerate(gammas):
            E = (1 - gamma) * values + gamma * spread[:, None] if gamma > 0 else np.broadcast_to(values, whitened.shape)
            scaled = whitened / E
            lever = 1.0 - (1 - gamma) * b * np.einsum("ij,ij->i", scaled, whitened)
            if rho is not None:
                quad = rho**2 * np.einsum("ij,ij->i", scaled, whitened) / lever
            else:
                cross = np.einsum("ij,ij->i", scaled, rotated)
                quad = np.einsum("ij,ij->i", rotated / E, rotated) + (1 - gamma) * b * cross**2 / lever
            score = -0.5 * (np.log(E).sum(axis=1) + np.log(lever) + quad)
            out[g] = np.where((lever > 1e-12) & np.isfinite(score), score, -np.inf)
    return out


def loo_scores(statistic, X, codes, *, alpha, gammas=(0.0,), minus_class=1.0, minus_pool=None, priors=None):
    """Leave-one-out log posterior scores of all rows.

    Parameters
    ----------
    statistic : ClassScatter
        Of all rows, with one scatter per class.
    X : ndarray of shape (n, p)
    codes : ndarray of shape (n,)
    alpha : float
        Weight of the class covariance against the pooled one.
    gammas : sequence of float
        Weights of the identity.
    minus_class, minus_pool : float
        What the divisors subtract from the weights; `minus_pool` None means the number of classes left.
    priors : ndarray or None, default=None
        Fixed priors; None for the class proportions of the remaining rows.

    Returns
    -------
    ndarray of shape (len(gammas), n, k)

    Notes
    -----
    Without the identity (gamma 0) the units of the columns do not matter, so the columns are scaled first.
    """
    gammas = np.asarray(gammas, dtype=np.float64)
    settings = (alpha, minus_class, minus_pool, priors)
    plain = gammas == 0
    if not plain.any():
        return _loo_scores(statistic, X, codes, gammas, *settings)
    spread = np.sqrt(np.diagonal(statistic.within()))
    scale = np.where(spread > 0, spread, 1.0)
    scaled = ClassScatter(statistic.counts, statistic.means / scale, statistic.scatter / np.outer(scale, scale))
    out = np.empty((len(gammas), len(X), len(statistic.counts)))
    out[plain] = _loo_scores(scaled, X / scale, codes, gammas[plain], *settings)
    if not plain.all():
        out[~plain] = _loo_scores(statistic, X, codes, gammas[~plain], *settings)
    return out


def _loo_scores(statistic, X, codes, gammas, alpha, minus_class, minus_pool, priors):
    """The scores in the units of X."""
    counts, means = statistic.counts, statistic.means
    k, n = len(counts), statistic.total_weight
    within = statistic.within()
    X = X.astype(np.float64, copy=False)
    V = X - means[codes]
    left = np.where(counts > 1.0 + 1e-9, counts - 1.0, 0.0)  # of the class of a removed row; 0 if the class vanishes
    grown = np.divide(counts, left, out=np.zeros(k), where=left > 0)  # also the factor of x - mean
    scores = np.full((len(gammas), len(X), k), -np.inf)
    for vanishes in (False, True):
        members = (left[codes] == 0) == vanishes
        n_left = n - 1.0 - ((k - vanishes) if minus_pool is None else minus_pool)
        along = (1 - alpha) / n_left if alpha < 1 and n_left > 0 else 0.0
        for c in range(k):
            rows = np.flatnonzero(members & (codes != c))
            if len(rows):
                M = _mixture(alpha, statistic.scatter[c], counts[c] - minus_class, within, n_left)
                b = grown[codes[rows]] * along
                scores[:, rows, c] = _scores_of_class(M, X[rows] - means[c], V[rows], b, gammas)
            rows = np.flatnonzero(members & (codes == c))
            if len(rows) and not vanishes:
                M = _mixture(alpha, statistic.scatter[c], left[c] - minus_class, within, n_left)
                b = grown[c] * (along + (alpha / (left[c] - minus_class) if M is not None and alpha > 0 else 0.0))
                scores[:, rows, c] = _scores_of_class(M, None, V[rows], np.full(len(rows), b), gammas, rho=grown[c])
    with np.errstate(divide="ignore"):
        if priors is not None:
            return scores + np.log(priors)
        for c in range(k):
            shares = counts.copy()
            shares[c] = left[c]
            scores[:, codes == c] += np.log(shares / shares.sum())
    return scores


def loo_posteriors(estimator, X, y, sample_weight, *, alpha, **divisors):
    """Leave-one-out posteriors of all rows by an unfitted `estimator` with `priors`.

    alpha is 0 for the pooled covariance and 1 for class covariances; `divisors` are `minus_class` or `minus_pool` of
    `loo_scores`. Rows of weight 0 are predicted by the model of all other rows.
    """
    X, y = validate_data(estimator, X, y, dtype=FLOATS, order="C", ensure_min_samples=2)
    rows, classes, codes, weights = check_training(estimator, X, y, sample_weight)
    check_unit_weights(weights)
    statistic = ClassScatter.from_block(rows, codes, weights, n_classes=len(classes))
    for S in [statistic.within()] if alpha == 0 else statistic.scatter:
        if sphere(S, dtype=X.dtype).rank < len(S):
            which = "The within-class scatter" if alpha == 0 else "A class covariance"
            raise linalg.LinAlgError(
                f"{which} is singular, so leave-one-out has no closed form. Remove collinear columns, or use "
                "RegularizedDiscriminantAnalysis with gamma > 0."
            )
    priors = None if estimator.priors is None else class_priors(estimator.priors, statistic.counts)
    proba = softmax(loo_scores(statistic, rows, codes, alpha=alpha, priors=priors, **divisors)[0], axis=1)
    if len(rows) == len(X):
        return proba
    out = np.empty((len(X), len(classes)))
    absent = np.asarray(sample_weight) == 0
    out[~absent] = proba
    out[absent] = estimator.fit(X, y, sample_weight).predict_proba(X[absent])
    return out
