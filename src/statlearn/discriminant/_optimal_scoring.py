"""Optimal scoring: discriminants from regressions of class scores, and the rule that follows from them.

Scores Θ (classes x columns) with Θ' D Θ = I, D the class proportions, turn labels into numbers. A regression η of the
scores on X leaves the residual sum of squares 1 - λ for the best scores, whose λ are eigenvalues of Θ0' Y' Ŷ / n.
Distances in η, weighted by 1 / (λ (1 - λ)), are Mahalanobis distances of the discriminant analysis.
"""

import numpy as np
from scipy import linalg

from statlearn._core.summary import Summary, Table

# R² of a score is kept below this: interpolation would give infinite distances.
_CLOSE_TO_ONE = 1.0 - 1e-8
_CLOSE_TO_ZERO = 1e-10


def start_scores(shares):
    """Scores (k, k - 1), orthonormal in the metric of the class proportions and orthogonal to the constant."""
    k = len(shares)
    root = np.sqrt(shares)
    Q = linalg.qr(np.column_stack([root, np.eye(k)[:, : k - 1]]), mode="economic")[0]
    return Q[:, 1:] / root[:, None]


def best_rotation(products, n_components=None):
    """Rotation (k - 1, L) of the start scores and their R² (L,), from ``T' W F / n``; useless components are left out.

    Parameters
    ----------
    products : ndarray of shape (k - 1, k - 1)
        Mean products of the scores of the rows and their fitted values.
    n_components : int or None, default=None
    """
    values, vectors = linalg.eigh((products + products.T) / 2)
    values, vectors = values[::-1], vectors[:, ::-1]
    keep = max(1, int(np.sum(values > _CLOSE_TO_ZERO)))
    keep = keep if n_components is None else min(keep, n_components)
    return vectors[:, :keep], np.clip(values[:keep], _CLOSE_TO_ZERO, _CLOSE_TO_ONE)


def variate_scale(r2):
    """Factors that turn fitted scores into discriminant variates of unit variance within the classes."""
    return 1.0 / np.sqrt(r2 * (1.0 - r2))


def between_shares(r2):
    """Share of each variate in the between-class variance."""
    ratio = r2 / (1.0 - r2)
    return ratio / ratio.sum()


def centroid_scores(Z, centroids):
    """``-|z - centroid|^2 / 2`` up to a constant per row."""
    return Z @ centroids.T - 0.5 * np.sum(centroids**2, axis=1).astype(Z.dtype)


def variate_summary(title, model, facts=None, labels=None):
    """Summary of discriminant variates: R² of the scores, shares and the class centroids."""
    rows = [f"variate {j + 1}" for j in range(len(model.r2_))]
    table = Table(rows, {"R2": model.r2_, "share": np.asarray(model.explained_variance_ratio_, dtype=float)})
    centroids = {name: model.centroids_[:, j].astype(float) for j, name in enumerate(rows)}
    classes = [str(c) for c in model.classes_]
    priors = {"prior": np.asarray(model.priors_, dtype=float)}
    return Summary(title, table, facts or {}, labels or {}, [Table(classes, priors | centroids, "Class centroids")])
