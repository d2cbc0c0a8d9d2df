"""Quadratic forms of locally linear embeddings: how badly coordinates fit the neighbourhood of every row."""

import numpy as np
from scipy import sparse


def barycenter_weights(X, near, rows, reg):
    """Weights that sum to 1 and rebuild each row from its neighbours in least squares.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Training rows.
    near : ndarray of shape (m, k)
        Neighbours of each of the rows.
    rows : ndarray of shape (m, p)
    reg : float
        The local Gram matrix gets `reg` times its trace on the diagonal.
    """
    difference = X[near] - rows[:, None, :]
    gram = difference @ difference.transpose(0, 2, 1)
    trace = np.trace(gram, axis1=1, axis2=2)
    ridge = np.where(trace > 0, reg * trace, reg)
    gram[:, np.arange(near.shape[1]), np.arange(near.shape[1])] += ridge[:, None]
    try:
        weights = np.linalg.solve(gram, np.ones((*near.shape, 1)))[..., 0]
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError(
            f"The neighbours of a row are linearly dependent and `reg`={reg} is too small; increase `reg`."
        ) from None
    return weights / weights.sum(axis=1, keepdims=True)


def standard_form(X, near, reg):
    """M = (I - W)'(I - W)."""
    n, k = near.shape
    weights = barycenter_weights(X, near, X, reg)
    W = sparse.csr_array((weights.ravel(), near.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    rest = sparse.eye_array(n, format="csr") - W
    return sparse.csr_array(rest.T @ rest)


def modified_form(X, near, n_components, tol):
    """The sum over rows of the penalties of several weight vectors each (Zhang and Wang, 2007)."""
    n, k = near.shape
    centred = X[near] - X[:, None, :]
    gram = centred @ centred.transpose(0, 2, 1)
    values, vectors = np.linalg.eigh(gram)
    values, vectors = np.maximum(values[:, ::-1], 0.0), vectors[:, :, ::-1]  # decreasing
    ridge = 1e-3 * values.sum(axis=1)
    ridge = np.where(ridge > 0, ridge, 1e-3)
    sums = vectors.sum(axis=1)  # of each eigenvector
    weights = np.einsum("nij,nj->ni", vectors, sums / (values + ridge[:, None]))
    weights /= weights.sum(axis=1, keepdims=True)
    # Small eigenvalues span the directions in which the weights are not unique; how many are used depends on a
    # threshold that is the median of the ratio of small to large ones.
    large = values[:, :n_components].sum(axis=1)
    ratio = values[:, n_components:].sum(axis=1) / np.where(large > 0, large, 1.0)
    eta = np.median(ratio)
    tails = np.cumsum(values[:, ::-1], axis=1)[:, ::-1]  # sum of eigenvalues from each position on
    blocks = np.empty((n, k + 1, k + 1))
    for i in range(n):
        enough = np.flatnonzero(tails[i, 1:] / np.maximum(tails[i, 0] - tails[i, 1:], 1e-300) <= eta) + 1
        s = k - int(enough[0]) if len(enough) else 1
        s = min(max(s, 1), k - n_components)
        V = vectors[i][:, k - s :]
        alpha = np.linalg.norm(V.sum(axis=0)) / np.sqrt(s)
        h = alpha - V.sum(axis=0)
        length = np.linalg.norm(h)
        h = h / length if length > tol else np.zeros(s)
        # Columns of (1 - alpha) w 1' + V (I - 2 h h'), the reflected weight vectors, against the row itself.
        several = V - 2.0 * np.outer(V @ h, h) + (1.0 - alpha) * weights[i][:, None]
        block = np.vstack([several, -several.sum(axis=0)[None, :]])
        blocks[i] = block @ block.T
    return _assembled(np.column_stack([near, np.arange(n)]), blocks)


def hessian_form(X, near, n_components):
    """The sum over rows of squared second derivatives along the tangent space (Donoho and Grimes, 2003).

    Local coordinates are fitted by a quadratic polynomial; the part of its basis that is orthogonal to the linear
    functions estimates the Hessian.
    """
    tangent = tangent_coordinates(X, near, n_components)
    first, second = np.triu_indices(n_components)
    squares = tangent[:, :, first] * tangent[:, :, second]
    basis = np.concatenate([np.ones((*near.shape, 1)), tangent, squares], axis=2)
    W = np.linalg.qr(basis)[0][:, :, n_components + 1 :]
    return _assembled(near, W @ W.transpose(0, 2, 1))


def tangent_form(X, near, n_components):
    """The sum over rows of what no affine map of the tangent coordinates explains (Zhang and Zha, 2004)."""
    k = near.shape[1]
    G = np.concatenate([np.full((*near.shape, 1), k**-0.5), tangent_coordinates(X, near, n_components)], axis=2)
    return _assembled(near, np.eye(k) - G @ G.transpose(0, 2, 1))


def tangent_coordinates(X, near, n_components):
    """Orthonormal coordinates of the neighbours of each row in their leading principal directions."""
    local = X[near]
    local = local - local.mean(axis=1, keepdims=True)
    return np.linalg.svd(local, full_matrices=False)[0][:, :, :n_components]


def _assembled(places, blocks):
    """Sum of symmetric matrices, each on the rows and columns that `places` names."""
    n, k = places.shape
    rows, columns = np.repeat(places, k, axis=1), np.tile(places, (1, k))
    return sparse.csr_array(sparse.coo_array((blocks.ravel(), (rows.ravel(), columns.ravel())), shape=(n, n)).tocsr())
