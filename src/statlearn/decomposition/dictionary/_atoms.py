"""Starts and updates of dictionaries."""

import numpy as np
from scipy import linalg
from sklearn.utils.extmath import svd_flip

from statlearn._core import native

_RARELY_USED = 1e-6  # sum of squared codes below which an atom is replaced, as in spams and scikit-learn


def to_unit_ball(atom):
    """The atom, scaled down to norm 1 if it is longer."""
    return atom / max(1.0, float(np.linalg.norm(atom)))


def singular_start(X, k):
    """Atoms and codes from the singular vectors of X; zeros beyond its rank."""
    codes, sizes, atoms = linalg.svd(X, full_matrices=False)
    codes, atoms = svd_flip(codes, atoms)
    return fill_up(sizes[:, None] * atoms, k), fill_up(codes.T, k).T


def fill_up(atoms, k):
    """The first k rows, with zeros behind them where there are fewer."""
    return np.vstack([atoms[:k], np.zeros((max(0, k - len(atoms)), atoms.shape[1]), atoms.dtype)])


def block_update(D, A, B, X, codes, rng, positive=False):
    """One pass of block coordinate descent over the atoms, in place: d_j += (b_j - a_j'D) / a_jj, projected.

    Minimises tr(D'AD)/2 - tr(D'B) over one atom at a time, with A = C'C and B = C'X. An atom that is hardly used
    becomes a random signal with a little noise, and its codes 0. Returns the number of such atoms.
    """
    A, B = (np.ascontiguousarray(products, np.float64) for products in (A, B))
    atoms = np.ascontiguousarray(D, np.float64)
    unused, j = 0, 0
    while (j := native.decomposition.atoms_update(A, B, j, _RARELY_USED, positive, atoms)) < len(D):
        fresh = X[rng.choice(len(X))]
        atoms[j] = fresh + rng.normal(0.0, 0.01 * (fresh.std() or 1.0), size=len(fresh))
        if codes is not None:
            codes[:, j] = 0.0
        if positive:
            np.clip(atoms[j], 0.0, None, out=atoms[j])
        atoms[j] = to_unit_ball(atoms[j])
        unused, j = unused + 1, j + 1
    if atoms is not D:
        D[:] = atoms
    return unused


def gradient_update(D, A, B, rate, n, positive=False):
    """A gradient step (rate / n)(A D - B), in place, and the projection of the atoms."""
    D -= rate / n * (A @ D - B)
    if positive:
        np.clip(D, 0.0, None, out=D)
    D /= np.maximum(np.linalg.norm(D, axis=1, keepdims=True), 1.0)


def lasso_cost(X, codes, D, alpha):
    """|X - C D|^2 / 2 + alpha |C|_1"""
    residual = X - codes @ D
    return 0.5 * float(np.sum(residual**2)) + alpha * float(np.abs(codes).sum())
