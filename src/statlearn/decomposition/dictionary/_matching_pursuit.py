"""Plain matching pursuit, for comparison with the orthogonal one."""

import numpy as np
from sklearn.utils.validation import check_array

from statlearn._core.params import Int, Real, check_arguments
from statlearn._core.validation import FLOATS
from statlearn.linear import OrthogonalMatchingPursuit, orthogonal_mp


def matching_pursuit(X, dictionary, *, n_steps=None, tol=None, return_residuals=False):
    r"""Matching pursuit: greedy codes without refitting.

    Each step adds to the code the projection of the residual on the atom with the largest absolute inner product,
    :math:`c_j \leftarrow c_j + \langle r, d_j \rangle / \lVert d_j \rVert^2`. Earlier coefficients are not refitted, so
    that an atom can be chosen again and the error falls slowly; :func:`sparse_encode` with ``algorithm="omp"`` refits
    all chosen atoms by least squares.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        One signal per row.
    dictionary : array-like of shape (n_components, n_features)
        One atom per row.
    n_steps : int or None, default=None
        Maximum number of steps; None means the number of atoms.
    tol : float or None, default=None
        Stop when the squared norm of the residual is at most this.
    return_residuals : bool, default=False
        Whether to return the squared norms of the residuals as well.

    Returns
    -------
    codes : ndarray of shape (n_samples, n_components)
    residuals : ndarray of shape (n_samples, n_steps + 1)
        Squared norm of each signal's residual after each step; only with ``return_residuals=True``.

    See Also
    --------
    sparse_encode, OrthogonalMatchingPursuit

    References
    ----------
    Mallat & Zhang (1993), Matching pursuits with time-frequency dictionaries.

    Examples
    --------
    >>> from statlearn.decomposition import matching_pursuit
    >>> matching_pursuit([[2.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]], n_steps=1)
    array([[2., 0.]])
    """
    check_arguments(matching_pursuit, n_steps=(n_steps, [Int(1, None), None]), tol=(tol, [Real(0, None), None]))
    X = check_array(X, dtype=FLOATS, input_name="X")
    D = check_array(dictionary, dtype=FLOATS, input_name="dictionary").astype(np.float64)
    if D.shape[1] != X.shape[1]:
        raise ValueError(f"`dictionary` has {D.shape[1]} features, but X has {X.shape[1]}.")
    gram = D @ D.T
    norms = np.diag(gram).copy()
    if not (norms > 0).all():
        raise ValueError(f"dictionary: atom {int(np.argmin(norms))} is zero; remove it.")
    steps = D.shape[0] if n_steps is None else n_steps
    signals = X.astype(np.float64)
    inner, square = signals @ D.T, np.einsum("ij,ij->i", signals, signals)
    codes, rows = np.zeros_like(inner), np.arange(len(X))
    residuals = [square.copy()]
    for _ in range(steps):
        chosen = np.argmax(np.abs(inner) / np.sqrt(norms), axis=1)
        gain = inner[rows, chosen] / norms[chosen]
        if tol is not None:
            gain = np.where(square > tol, gain, 0.0)
        codes[rows, chosen] += gain
        square = np.maximum(square - gain**2 * norms[chosen], 0.0)
        inner -= gain[:, None] * gram[chosen]
        residuals.append(square.copy())
        if not gain.any():
            break
    codes = codes.astype(X.dtype, copy=False)
    return (codes, np.column_stack(residuals)) if return_residuals else codes


__all__ = ["OrthogonalMatchingPursuit", "matching_pursuit", "orthogonal_mp"]
