"""Classical multidimensional scaling: coordinates whose distances approximate given ones."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from statlearn._core.native import manifold as native
from statlearn._core.params import Instance, Int, check_params
from statlearn._core.validation import require_finite
from statlearn._core.warnings import StatlearnWarning, warn
from statlearn._math.linalg.eigen import leading_eigenpairs

from ._dissimilarities import check_dissimilarities, dissimilarities

_NOT_EUCLIDEAN = 0.05  # size of a negative eigenvalue, relative to the largest, that is more than noise (empirical)
METRIC_CONSTRAINTS = {"metric": [Instance(str), "callable"], "metric_params": [Instance(dict), None]}


def double_center(D):
    r"""Inner products that correspond to distances, :math:`\tau(D) = -\tfrac12 H D^2 H` with :math:`H = I - 11^\top/n`.

    For distances between the rows of a matrix X it is the Gram matrix of the centred rows.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Distances (not squared).

    Returns
    -------
    B : ndarray of shape (n, n)

    Examples
    --------
    >>> from statlearn.manifold import double_center
    >>> double_center([[0, 2], [2, 0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    D = check_dissimilarities(check_array(D, dtype=np.float64, input_name="D"), "D")
    return centred_products(np.ascontiguousarray(D))[0]


def centred_products(D):
    """Inner products of distances D, the means of -D²/2 over its rows, and the sum of squares of the products."""
    B, means = np.empty_like(D), np.empty(len(D))
    squares = native.double_center(D, True, means, B)
    return B, means, squares


def distances_from_gram(B):
    r"""Distances from inner products, :math:`D_{ij}^2 = B_{ii} - 2 B_{ij} + B_{jj}`.

    Parameters
    ----------
    B : array-like of shape (n, n)
        Symmetric matrix of inner products. Squared distances below 0, which rounding or an indefinite matrix gives,
        count as 0.

    Returns
    -------
    D : ndarray of shape (n, n)

    Examples
    --------
    >>> from statlearn.manifold import distances_from_gram
    >>> distances_from_gram([[1, -1], [-1, 1]])
    array([[0., 2.],
           [2., 0.]])
    """
    B = check_array(B, dtype=np.float64, input_name="B")
    if B.shape[0] != B.shape[1]:
        raise ValueError(f"B must be a square matrix of inner products, got shape {B.shape}.")
    diagonal = np.diagonal(B)
    squares = diagonal[:, None] - 2.0 * B + diagonal
    np.fill_diagonal(squares, 0.0)
    return np.sqrt(np.maximum(squares, 0.0))


def principal_coordinates(B, k, seed=0):
    """Coordinates from inner products: the k leading eigenvectors times the roots of their eigenvalues.

    Returns
    -------
    coordinates : ndarray of shape (n, k)
        Columns of eigenvalues that are not positive are 0.
    values : ndarray of shape (k,)
    vectors : ndarray of shape (n, k)
    """
    values, vectors = leading_eigenpairs(B, k, check_random_state(seed))
    return vectors * np.sqrt(np.maximum(values, 0.0)), values, vectors


class ClassicalMDS(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Classical multidimensional scaling (principal coordinates).

    The coordinates :math:`Y = U_q \Lambda_q^{1/2}` come from the leading eigenpairs of
    :math:`B = -\tfrac12 H D^2 H`. Among all q-dimensional coordinates they minimise the squared error of the inner
    products, :math:`\lVert B - Y Y^\top \rVert_F`. For Euclidean distances they are the scores of principal component
    analysis.

    Parameters
    ----------
    n_components : int, default=2
        Number of dimensions.
    metric : str or callable, default="euclidean"
        A metric of :func:`statlearn.neighbors.pairwise_distances`, or "precomputed" if X contains dissimilarities.
    metric_params : dict or None, default=None
        Parameters of the metric.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates. The entry of largest absolute value of each column is positive.
    eigenvalues_ : ndarray of shape (n_components,)
        Leading eigenvalues of B. Dimensions with eigenvalues that are not positive have coordinates 0, with a warning.
    smallest_eigenvalue_ : float
        Clearly negative if the dissimilarities are not Euclidean distances of any points. If they are given and its
        size exceeds 5 % of the largest eigenvalue, there is a warning.
    explained_ratio_ : float
        Sum of the eigenvalues used over the trace of B.
    dissimilarity_matrix_ : ndarray of shape (n_samples, n_samples)
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str

    See Also
    --------
    MDS : minimises the error of the distances themselves.
    Isomap : the same with distances along the data.

    Notes
    -----
    Needs the n x n matrix and O(n^2) time per pass of the eigensolver.

    References
    ----------
    Torgerson (1952), Multidimensional scaling: I. Theory and method. Psychometrika 17.

    Examples
    --------
    >>> from statlearn.manifold import ClassicalMDS
    >>> ClassicalMDS(1).fit_transform([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]).ravel().round(6) + 0.0
    array([ 5.,  0., -5.])
    """

    _constraints = {"n_components": [Int(1, None)], **METRIC_CONSTRAINTS}

    def __init__(self, n_components=2, *, metric="euclidean", metric_params=None):
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params

    def fit(self, X, y=None):
        """Compute the coordinates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Rows, or dissimilarities with ``metric="precomputed"``.
        y : ignored

        Returns
        -------
        self
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        """Compute and return the coordinates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        y : ignored

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
        """
        check_params(self)
        D = dissimilarities(self, X, self.metric, self.metric_params)
        n = D.shape[0]
        if self.n_components > n:
            raise ValueError(f"`n_components`={self.n_components} exceeds the {n} rows of X; use at most {n}.")
        B, means, _ = centred_products(np.ascontiguousarray(D))
        require_finite(means)
        self.embedding_, self.eigenvalues_, _ = principal_coordinates(B, self.n_components)
        trace = float(np.trace(B))
        np.negative(B, out=B)
        self.smallest_eigenvalue_ = -float(leading_eigenpairs(B, 1, check_random_state(0))[0][0])
        used = np.maximum(self.eigenvalues_, 0.0)
        self.explained_ratio_ = float(used.sum() / trace) if trace > 0 else 1.0
        self.dissimilarity_matrix_ = D
        tiny = 1e-10 * max(self.eigenvalues_[0], abs(self.smallest_eigenvalue_))
        if (self.eigenvalues_ < -tiny).any():
            warn(
                f"Only {(self.eigenvalues_ > 0).sum()} of the {self.n_components} eigenvalues are positive, so the "
                "other coordinates are 0: the dissimilarities are not distances in that many dimensions. Reduce "
                "`n_components`, or use MDS.",
                StatlearnWarning,
            )
        elif self._unknown_source() and -self.smallest_eigenvalue_ > _NOT_EUCLIDEAN * self.eigenvalues_[0]:
            warn(
                "The dissimilarities are not Euclidean distances: the smallest eigenvalue of the inner products is "
                f"{self.smallest_eigenvalue_:.3g}, {-self.smallest_eigenvalue_ / self.eigenvalues_[0]:.0%} of the "
                "largest in size, and classical scaling ignores negative eigenvalues. Use MDS, which fits the "
                "dissimilarities themselves, and check for entries that break the triangle inequality.",
                StatlearnWarning,
            )
        return self.embedding_

    def _unknown_source(self):
        """Whether the dissimilarities come from the user rather than from a metric known by name."""
        return callable(self.metric) or self.metric == "precomputed"

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags
