"""Whitening, and principal components as latent variables."""

from typing import NamedTuple

import numpy as np

from statlearn._core.params import Options, Real, check_arguments
from statlearn._core.validation import check_array
from statlearn._math.linalg.eigen import eigh
from statlearn._math.linalg.svd import signed

from ._svd import numerical_rank, svd


class Whitened(NamedTuple):
    """Result of `whiten`: the white table, the maps to and from it, and the mean."""

    Z: np.ndarray
    matrix: np.ndarray
    inverse: np.ndarray
    mean: np.ndarray

    def transform(self, X):
        """White coordinates of other rows."""
        return (np.asarray(X, dtype=np.float64) - self.mean) @ self.matrix

    def inverse_transform(self, Z):
        """Rows of white coordinates; exact if the whitening kept all directions."""
        return np.asarray(Z, dtype=np.float64) @ self.inverse + self.mean


class LatentForm(NamedTuple):
    """Result of `latent_variable_form`: the table about its mean is ``S @ A.T``."""

    S: np.ndarray
    A: np.ndarray
    mean: np.ndarray

    def rotated(self, R):
        """The equally valid form with latent variables S R and loadings A R, for an orthogonal R."""
        R = check_array(R, dtype=np.float64, input_name="R")
        k = self.S.shape[1]
        if R.shape != (k, k) or not np.allclose(R.T @ R, np.eye(k), atol=1e-8):
            raise ValueError(f"R must be an orthogonal matrix of shape ({k}, {k}).")
        return LatentForm(self.S @ R, self.A @ R, self.mean)


def whiten(X, *, method="pca", tol=None):
    r"""Coordinates with mean 0 and covariance I (divisor n).

    With the covariance :math:`\Sigma = V \Lambda V^\top` and the centred table :math:`U D V^\top`,

    - "pca": :math:`Z = (X - \bar x) V \Lambda^{-1/2}`;
    - "zca": :math:`Z = (X - \bar x) \Sigma^{-1/2}`, of all whitenings the one closest to the table itself;
    - "svd": :math:`Z = \sqrt n\, U`, computed from the table instead of its covariance.

    "pca" and "svd" are the same coordinates. The second does not square the table and is accurate for columns that
    are nearly dependent.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    method : {"pca", "zca", "svd"}, default="pca"
    tol : float or None, default=None
        Directions whose standard deviation is at most `tol` times the largest are dropped; "zca" sets them to 0.
        None means the limit of the precision: that of the covariance for "pca" and "zca", and of the table for "svd".

    Returns
    -------
    Whitened
        Named tuple of `Z`, the maps `matrix` and `inverse`, and `mean`; ``transform`` and ``inverse_transform`` apply
        the maps to other rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.decomposition import whiten
    >>> white = whiten(load_iris().data, method="zca")
    >>> np.allclose(np.cov(white.Z, rowvar=False, bias=True), np.eye(4))
    True
    """
    check_arguments(whiten, method=(method, [Options("pca", "zca", "svd")]), tol=(tol, [Real(0, 1), None]))
    X = check_array(X, dtype=np.float64, input_name="X", ensure_min_samples=2)
    n = len(X)
    mean = X.mean(axis=0)
    centred = X - mean
    if method == "svd":
        _, s, Vt = svd(centred, tol=tol)
        scale = s / np.sqrt(n)
    else:
        values, vectors = eigh(centred.T @ centred / n)
        scale = np.sqrt(np.maximum(values[::-1], 0.0))
        Vt = signed(None, vectors[:, ::-1].T)[1]
        limit = np.sqrt(max(X.shape) * np.finfo(np.float64).eps) if tol is None else tol
        keep = numerical_rank(scale, X.shape, limit)
        scale, Vt = scale[:keep], Vt[:keep]
    if scale.size == 0:
        raise ValueError("X is constant, so it has no direction to whiten.")
    matrix, inverse = Vt.T / scale, scale[:, None] * Vt
    if method == "zca":
        matrix, inverse = matrix @ Vt, Vt.T @ inverse
    return Whitened(centred @ matrix, matrix, inverse, mean)


def latent_variable_form(X):
    r"""Principal components as uncorrelated latent variables of variance 1.

    .. math:: X - 1\bar x^\top = S A^\top, \qquad S = \sqrt n\, U, \quad A = V D / \sqrt n

    so that the covariance of S (divisor n) is I. For any orthogonal R, ``S R`` and ``A R`` fit equally well: variance
    alone does not identify the latent variables.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)

    Returns
    -------
    LatentForm
        Named tuple of `S` (n_samples, r), `A` (n_features, r) and `mean`, with r the rank; ``rotated(R)`` applies a
        rotation.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.decomposition import latent_variable_form
    >>> X = load_iris().data
    >>> form = latent_variable_form(X)
    >>> np.allclose(form.S @ form.A.T + form.mean, X)
    True
    """
    X = check_array(X, dtype=np.float64, input_name="X", ensure_min_samples=2)
    mean = X.mean(axis=0)
    U, s, Vt = svd(X - mean)
    root = np.sqrt(len(X))
    return LatentForm(root * U, Vt.T * (s / root), mean)
