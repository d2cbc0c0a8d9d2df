"""Affinity propagation: clustering around exemplars by message passing."""

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import euclidean_distances, pairwise_distances_argmin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.memory import require_memory
from statlearn._core.native import cluster as native
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import require_finite, validate_data
from statlearn._core.warnings import OK, warn


def affinity_propagation(
    S,
    *,
    preference=None,
    convergence_iter=15,
    max_iter=200,
    damping=0.5,
    copy=True,
    verbose=False,
    return_n_iter=False,
    random_state=None,
):
    """Affinity propagation on a matrix of similarities.

    The parameters are those of :class:`AffinityPropagation`.

    Parameters
    ----------
    S : array-like of shape (n_samples, n_samples)
    preference : array-like of shape (n_samples,), float or None, default=None
    convergence_iter : int, default=15
    max_iter : int, default=200
    damping : float, default=0.5
    copy : bool, default=True
    verbose : bool, default=False
    return_n_iter : bool, default=False
    random_state : int, RandomState or None, default=None

    Returns
    -------
    cluster_centers_indices : ndarray of shape (n_clusters,)
    labels : ndarray of shape (n_samples,)
    n_iter : int
        Only returned if `return_n_iter` is True.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.cluster import affinity_propagation
    >>> x = np.array([0.0, 0.2, 0.3, 7.0, 7.2])
    >>> centers, labels = affinity_propagation(-((x[:, None] - x) ** 2), random_state=0)
    >>> labels
    array([0, 0, 0, 1, 1])
    """
    model = AffinityPropagation(
        damping=damping,
        max_iter=max_iter,
        convergence_iter=convergence_iter,
        copy=copy,
        preference=preference,
        affinity="precomputed",
        verbose=verbose,
        random_state=random_state,
    ).fit(S)
    result = model.cluster_centers_indices_, model.labels_
    return (*result, model.n_iter_) if return_n_iter else result


class AffinityPropagation(ClusterMixin, BaseEstimator):
    r"""Affinity propagation: clusters around exemplars, with their number determined by a preference.

    Exemplars are rows that maximise the sum of the similarities of all rows to their exemplar plus the preferences of
    the exemplars. Rows exchange messages: the responsibility r(i, k) of k as an exemplar for i, and the availability
    a(i, k) of k for i,

    .. math:: r(i, k) = s(i, k) - \max_{k' \ne k} \{a(i, k') + s(i, k')\}, \qquad
        a(i, k) = \min\{0, r(k, k) + \sum_{i' \notin \{i, k\}} \max(0, r(i', k))\}

    each averaged with its previous value, until the exemplars are unchanged for `convergence_iter` iterations.

    Parameters
    ----------
    damping : float, default=0.5
        Weight of the previous message, in [0.5, 1). Increase it if the messages oscillate.
    max_iter : int, default=200
        Maximum number of iterations.
    convergence_iter : int, default=15
        Number of iterations without change after which the algorithm stops.
    copy : bool, default=True
        Whether to copy precomputed similarities; otherwise they are overwritten.
    preference : array-like of shape (n_samples,), float or None, default=None
        Preference of each row for being an exemplar, on the scale of the similarities. Larger values give more
        clusters. None uses the median similarity.
    affinity : {"euclidean", "precomputed"}, default="euclidean"
        "euclidean" uses negative squared distances as similarities; with "precomputed", X contains the similarities.
    verbose : bool, default=False
    random_state : int, RandomState or None, default=None
        Seed of the tiny perturbations that break ties between similarities.

    Attributes
    ----------
    cluster_centers_indices_ : ndarray of shape (n_clusters,)
        Indices of the exemplars.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Rows of the exemplars, unless similarities were precomputed.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row, or -1 for all rows if no exemplar was found.
    affinity_matrix_ : ndarray of shape (n_samples, n_samples)
        Similarities with preferences on the diagonal and ties broken.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    KMedoids : exemplars with a given number of clusters; usually a better optimum, and far faster.

    Notes
    -----
    Requires three n x n matrices in double precision, which are checked against the available memory first, and one
    pass over them per iteration. Messages may oscillate forever; increase `damping` then.

    References
    ----------
    Frey, B. J. and Dueck, D. (2007). Clustering by passing messages between data points. Science 315, 972-976.

    Examples
    --------
    >>> from statlearn.cluster import AffinityPropagation
    >>> model = AffinityPropagation(random_state=5).fit([[1, 2], [1, 4], [1, 0], [4, 2], [4, 4], [4, 0]])
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> model.predict([[0, 0], [4, 4]])
    array([0, 1])
    """

    _constraints = {
        "damping": [Real(0.5, 1.0, closed="left")],
        "max_iter": [Int(1, None)],
        "convergence_iter": [Int(1, None)],
        "copy": ["boolean"],
        "preference": ["array-like", Real(None, None, closed="neither"), None],
        "affinity": [Options("euclidean", "precomputed")],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        damping=0.5,
        max_iter=200,
        convergence_iter=15,
        copy=True,
        preference=None,
        affinity="euclidean",
        verbose=False,
        random_state=None,
    ):
        self.damping = damping
        self.max_iter = max_iter
        self.convergence_iter = convergence_iter
        self.copy = copy
        self.preference = preference
        self.affinity = affinity
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X, y=None):
        """Compute the exemplars.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or similarities (n_samples, n_samples)
        y : ignored

        Returns
        -------
        self : AffinityPropagation
        """
        check_params(self)
        precomputed = self.affinity == "precomputed"
        if precomputed:
            X = validate_data(self, X, dtype=np.float64, order="C", copy=self.copy, force_writeable=True)
        else:
            X = validate_data(self, X, accept_sparse="csr")
        n = X.shape[0]
        require_memory(
            8 * n * n * (2 if precomputed else 3),
            f"The message matrices for {n:,} rows",
            "Use KMedoids, or cluster a sample of the rows.",
        )
        with np.errstate(over="ignore", invalid="ignore"):
            S = X if precomputed else -euclidean_distances(X, squared=True).astype(np.float64, copy=False)
        if S.shape[0] != S.shape[1]:
            raise ValueError(f"The matrix of similarities must be a square array. Got {S.shape} instead.")
        require_finite(S)
        preference = np.asarray(np.median(S) if self.preference is None else self.preference, dtype=np.float64)
        if preference.ndim > 1 or (preference.ndim == 1 and preference.shape[0] != n):
            raise ValueError(
                f"`preference` must be a single number or one per row ({n} rows), got shape {preference.shape}."
            )
        self.affinity_matrix_ = S
        self.cluster_centers_indices_, self.labels_, self.n_iter_ = self._elect(S, preference)
        forget(self, "cluster_centers_")
        if not precomputed:
            self.cluster_centers_ = X[self.cluster_centers_indices_].copy()
        return self

    def _elect(self, S, preference):
        """Exemplars, labels and number of iterations; S receives preferences and tie-breaking perturbations."""
        n = S.shape[0]
        if n == 1 or _all_equal(S, preference):
            warn("All samples have mutually equal similarities. Returning arbitrary cluster center(s).")
            if preference.flat[0] > S.flat[n - 1]:
                return np.arange(n), np.arange(n), 0
            return np.array([0]), np.zeros(n, dtype=int), 0
        S.flat[:: n + 1] = preference
        rng, precision = check_random_state(self.random_state), np.finfo(np.float64)
        for row in S:
            row += (precision.eps * row + 100 * precision.tiny) * rng.standard_normal(n)
        exemplar = np.zeros(n, dtype=np.uint8)
        n_iter, status = native.affinity_propagation(
            S, float(self.damping), self.max_iter, self.convergence_iter, np.zeros((n, n)), np.zeros((n, n)), exemplar
        )
        if self.verbose:
            print(f"Converged after {n_iter - 1} iterations." if status == OK else "Did not converge")
        exemplars = np.flatnonzero(exemplar)
        if not len(exemplars):
            warn(
                "Affinity propagation did not converge and this model will not have any cluster centers. Increase "
                "`damping` or `max_iter`.",
                ConvergenceWarning,
            )
            return np.empty(0, dtype=int), np.full(n, -1), n_iter
        if status != OK:
            warn(
                "Affinity propagation did not converge, this model may return degenerate cluster centers and "
                "labels. Increase `damping` or `max_iter`.",
                ConvergenceWarning,
            )
        return *_refined(S, exemplars), n_iter

    def predict(self, X):
        """Nearest exemplar of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            Cluster of each row, or -1 for all rows if there are no exemplars.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr")
        if not hasattr(self, "cluster_centers_"):
            raise ValueError("Predict method is not supported when affinity='precomputed'.")
        if self.cluster_centers_.shape[0] == 0:
            warn(
                "This model does not have any cluster centers because affinity propagation did not converge. Labeling "
                "every sample as '-1'.",
                ConvergenceWarning,
            )
            return np.full(X.shape[0], -1)
        return pairwise_distances_argmin(X, self.cluster_centers_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        tags.input_tags.sparse = self.affinity != "precomputed"
        return tags


def _all_equal(S, preference):
    """Whether all rows are indistinguishable: equal preferences and equal similarities of all pairs."""
    if np.any(preference != preference.flat[0]):
        return False
    pair = S[0, 1]
    return all(np.all(np.delete(row, i) == pair) for i, row in enumerate(S))


def _nearest(S, exemplars):
    """Index of the exemplar of each row; exemplars belong to themselves."""
    labels = S[:, exemplars].argmax(axis=1)
    labels[exemplars] = np.arange(len(exemplars))
    return labels


def _refined(S, exemplars):
    """Replace each exemplar by the member most similar to its cluster; sorted, with labels."""
    labels = _nearest(S, exemplars)
    best = exemplars.copy()
    for k in range(len(exemplars)):
        members = np.flatnonzero(labels == k)
        best[k] = members[S[np.ix_(members, members)].sum(axis=0).argmax()]
    chosen = best[_nearest(S, best)]
    return np.unique(chosen, return_inverse=True)
