"""Partial least squares of two tables: regression, canonical form, and the singular value decomposition."""

import numpy as np
from scipy import linalg

from statlearn._core.params import Options

from ._base import CrossModel, CrossRegression
from ._cross_components import covariance_pair, cross_components, simpls_components


class PLSRegression(CrossRegression):
    r"""Partial least squares regression of one or several targets.

    Component a is the score :math:`t_a = X_a w_a` of X deflated by the earlier components, where the unit vector
    :math:`w_a` maximises :math:`\lVert Y^\top X_a w \rVert`. The targets are regressed on the scores.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    scale : bool, default=True
        Divide the columns of X and y by their standard deviations first.
    max_iter : int, default=500
        Not used: the directions are singular vectors, computed directly.
    tol : float, default=1e-6
        Not used, as `max_iter`.
    copy : bool, default=True
        Not used: the input is never modified.
    algorithm : {"nipals", "simpls"}, default="nipals"
        "simpls" deflates the cross-products of X and y instead of X. The two agree for one target and for one
        component; with several targets SIMPLS keeps to directions of largest covariance with all of y.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features)
    intercept_ : ndarray of shape (n_targets,)
    x_weights_ : ndarray of shape (n_features, n_components)
        The vectors :math:`w_a`; with SIMPLS the rotations.
    y_weights_ : ndarray of shape (n_targets, n_components)
        Coefficients of the (deflated) targets on the scores.
    x_loadings_ : ndarray of shape (n_features, n_components)
    y_loadings_ : ndarray of shape (n_targets, n_components)
    x_rotations_ : ndarray of shape (n_features, n_components)
        Scores are the centred and scaled X times this matrix.
    y_rotations_ : ndarray of shape (n_targets, n_components)
    n_iter_ : list of int
        Always 1 for each component.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    statlearn.linear.PartialLeastSquares : The same regression with the number of components chosen by
        cross-validation.

    Notes
    -----
    The tall data are reduced once to a triangular factor of p + q columns, O(n(p + q)²); components then cost nothing
    that depends on n. The fit is not linear in y, so the standard errors of least squares do not apply. Signs are such
    that the largest entry of each :math:`w_a` is positive.

    References
    ----------
    Wold, S., Sjöström, M. and Eriksson, L. (2001). PLS-regression: a basic tool of chemometrics. *Chemometrics and
    Intelligent Laboratory Systems* 58.

    De Jong, S. (1993). SIMPLS: an alternative approach to partial least squares regression. *Chemometrics and
    Intelligent Laboratory Systems* 18.

    Examples
    --------
    >>> from statlearn.decomposition import PLSRegression
    >>> X = [[1.0, 2.0, 0.0], [2.0, 1.0, 1.0], [3.0, 5.0, 1.0], [4.0, 4.0, 3.0], [6.0, 5.0, 2.0]]
    >>> Y = [[2.0, 0.5], [3.1, 1.2], [7.9, 2.0], [8.2, 4.1], [11.0, 5.9]]
    >>> PLSRegression(n_components=2).fit(X, Y).predict(X).round(2)
    array([[ 2.34,  0.08],
           [ 2.65,  1.33],
           [ 7.79,  2.55],
           [ 8.85,  4.65],
           [10.57,  5.1 ]])
    """

    _constraints = {**CrossRegression._constraints, "algorithm": [Options("nipals", "simpls")]}

    def __init__(self, n_components=2, *, scale=True, max_iter=500, tol=1e-6, copy=True, algorithm="nipals"):
        self.n_components = n_components
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol
        self.copy = copy
        self.algorithm = algorithm

    def _largest(self, n, p, q):
        return min(n, p)

    def _components(self, A, B, k):
        if self.algorithm == "simpls":
            return simpls_components(A, B, k)
        return cross_components(A, B, k, pair=covariance_pair, canonical=False, unit_y=False)


class PLSCanonical(CrossRegression):
    r"""Canonical partial least squares: pairs of directions of largest covariance, one table deflated like the other.

    Pair a maximises :math:`w^\top X_a^\top Y_a c` over unit vectors w and c. Both tables are deflated by their own
    scores, so that X and y play the same part.

    Parameters
    ----------
    n_components : int, default=2
        Number of pairs.
    scale : bool, default=True
        Divide the columns of X and y by their standard deviations first.
    algorithm : {"nipals", "svd"}, default="nipals"
        Accepted for compatibility: both give the singular vectors, which are computed directly.
    max_iter : int, default=500
        Not used.
    tol : float, default=1e-6
        Not used.
    copy : bool, default=True
        Not used: the input is never modified.

    Attributes
    ----------
    x_weights_ : ndarray of shape (n_features, n_components)
        The vectors w of the deflated tables.
    y_weights_ : ndarray of shape (n_targets, n_components)
    x_loadings_ : ndarray of shape (n_features, n_components)
    y_loadings_ : ndarray of shape (n_targets, n_components)
    x_rotations_ : ndarray of shape (n_features, n_components)
        Scores are the centred and scaled X times this matrix.
    y_rotations_ : ndarray of shape (n_targets, n_components)
    coef_ : ndarray of shape (n_targets, n_features)
    intercept_ : ndarray of shape (n_targets,)
    n_iter_ : list of int
        Always 1 for each component.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    CCA : Pairs of largest correlation instead of covariance.
    PLSSVD : The same first pair; later ones without deflation.

    Notes
    -----
    Covariances depend on the units of the columns: scale them unless they have the same unit. Unlike correlations,
    they are stable where columns nearly depend on each other. Tests of the number of pairs need permutations of rows.

    References
    ----------
    Wegelin, J. (2000). *A survey of partial least squares (PLS) methods, with emphasis on the two-block case*.
    Technical report 371, University of Washington.

    Examples
    --------
    >>> from statlearn.decomposition import PLSCanonical
    >>> X = [[1.0, 2.0, 0.0], [2.0, 1.0, 1.0], [3.0, 5.0, 1.0], [4.0, 4.0, 3.0], [6.0, 5.0, 2.0]]
    >>> Y = [[2.0, 0.5], [3.1, 1.2], [7.9, 2.0], [8.2, 4.1], [11.0, 5.9]]
    >>> x_scores, y_scores = PLSCanonical(n_components=1).fit_transform(X, Y)
    >>> x_scores.round(2).ravel()
    array([-1.81, -1.32,  0.23,  1.18,  1.71])
    """

    _constraints = {**CrossRegression._constraints, "algorithm": [Options("nipals", "svd")]}

    def __init__(self, n_components=2, *, scale=True, algorithm="nipals", max_iter=500, tol=1e-6, copy=True):
        self.n_components = n_components
        self.scale = scale
        self.algorithm = algorithm
        self.max_iter = max_iter
        self.tol = tol
        self.copy = copy

    def _components(self, A, B, k):
        return cross_components(A, B, k, pair=covariance_pair, canonical=True, unit_y=True)


class PLSSVD(CrossModel):
    r"""Singular vectors of the cross-covariance of two tables.

    With :math:`X^\top Y = U \Delta V^\top` of the centred and scaled tables the scores are :math:`XU` and :math:`YV`.
    There is no deflation: all pairs come from one decomposition.

    Parameters
    ----------
    n_components : int, default=2
        Number of pairs.
    scale : bool, default=True
        Divide the columns of X and y by their standard deviations first.
    copy : bool, default=True
        Not used: the input is never modified.

    Attributes
    ----------
    x_weights_ : ndarray of shape (n_features, n_components)
        Left singular vectors U.
    y_weights_ : ndarray of shape (n_targets, n_components)
        Right singular vectors V.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    PLSCanonical : Deflates both tables between pairs.

    Notes
    -----
    The scores of different pairs are correlated in general. In ecology and neuroimaging the method is known as
    co-inertia or as partial least squares correlation.

    References
    ----------
    Wegelin, J. (2000). *A survey of partial least squares (PLS) methods, with emphasis on the two-block case*.
    Technical report 371, University of Washington.

    Examples
    --------
    >>> from statlearn.decomposition import PLSSVD
    >>> X = [[1.0, 2.0, 0.0], [2.0, 1.0, 1.0], [3.0, 5.0, 1.0], [4.0, 4.0, 3.0], [6.0, 5.0, 2.0]]
    >>> Y = [[2.0, 0.5], [3.1, 1.2], [7.9, 2.0], [8.2, 4.1], [11.0, 5.9]]
    >>> PLSSVD(n_components=2).fit(X, Y).x_weights_.round(3)
    array([[ 0.656, -0.313],
           [ 0.55 ,  0.821],
           [ 0.517, -0.477]])
    """

    _constraints = {name: CrossModel._constraints[name] for name in ("n_components", "scale", "copy")}

    def __init__(self, n_components=2, *, scale=True, copy=True):
        self.n_components = n_components
        self.scale = scale
        self.copy = copy

    def _components(self, A, B, k):
        U, d, Vt = linalg.svd(A.T @ B, full_matrices=False, check_finite=False)
        k = min(k, int(np.sum(d > 10 * max(A.shape) * np.finfo(float).eps * d[0])))
        signs = np.where(U[np.argmax(np.abs(U), axis=0), np.arange(U.shape[1])] < 0, -1.0, 1.0)
        return (U * signs)[:, :k], (Vt.T * signs)[:, :k]

    def _store(self, components, n_dimensions, dtype):
        self.x_weights_, self.y_weights_ = components

    def _x_directions(self):
        return self.x_weights_

    def _y_directions(self):
        return self.y_weights_
