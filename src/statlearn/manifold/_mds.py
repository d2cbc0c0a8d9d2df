"""Least-squares multidimensional scaling, metric and non-metric."""

import numpy as np
from scipy.optimize import isotonic_regression, minimize
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from statlearn._core.jobs import jobs
from statlearn._core.native import manifold as native
from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped

from ._classical_mds import METRIC_CONSTRAINTS, centred_products, principal_coordinates
from ._dissimilarities import check_dissimilarities, dissimilarities


def mds_stress(D, Z, *, kind="raw"):
    r"""Stress of a configuration.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Dissimilarities.
    Z : array-like of shape (n, q)
        Coordinates.
    kind : {"raw", "root", "normalized"}, default="raw"
        "raw" is :math:`\sum_{i<j} (d_{ij} - \lVert z_i - z_j \rVert)^2`; "root" is the square root of the sum over
        ordered pairs, which counts each pair twice; "normalized" is Kruskal's stress-1, the square root of the raw
        stress over :math:`\sum_{i<j} \lVert z_i - z_j \rVert^2`.

    Returns
    -------
    stress : float

    Examples
    --------
    >>> from statlearn.manifold import mds_stress
    >>> mds_stress([[0, 2], [2, 0]], [[0.0], [1.0]]), mds_stress([[0, 2], [2, 0]], [[0.0], [1.0]], kind="normalized")
    (1.0, 1.0)
    """
    check_arguments(mds_stress, kind=(kind, [Options("raw", "root", "normalized")]))
    D = check_dissimilarities(check_array(D, dtype=np.float64, input_name="D"), "D")
    Z = check_array(Z, dtype=np.float64, order="C", input_name="Z")
    if len(Z) != len(D):
        raise ValueError(f"Z has {len(Z)} rows, but D describes {len(D)}.")
    error, squares = native.guttman_transform(D, Z, np.empty_like(Z))
    return _stress(kind, error, squares)


def _stress(kind, error, squares):
    if kind == "raw":
        return error
    if kind == "root":
        return float(np.sqrt(2.0 * error))
    return float(np.sqrt(error / squares)) if squares > 0 else 0.0


class _Isotonic:
    """Disparities: the monotone function of the dissimilarities that is closest to the current distances.

    Pairs of dissimilarity 0 count as missing, as in scikit-learn: their disparity is their current distance.
    """

    def __init__(self, D):
        self.n = len(D)
        self.upper = np.triu_indices(self.n, 1)
        targets = D[self.upper]
        self.known = np.flatnonzero(targets > 0)
        if not len(self.known):
            raise ValueError(
                "All dissimilarities are 0, so they have no order to preserve; use `metric_mds=True`, or drop "
                "duplicate rows."
            )
        values = targets[self.known]
        self.order = np.argsort(values, kind="stable")
        _, self.group = np.unique(values[self.order], return_inverse=True)  # equal dissimilarities, equal disparities
        self.size = np.bincount(self.group)

    def __call__(self, Z):
        difference = Z[self.upper[0]] - Z[self.upper[1]]
        distance = np.sqrt(np.einsum("ij,ij->i", difference, difference))
        means = np.bincount(self.group, distance[self.known][self.order]) / self.size
        fitted = isotonic_regression(means, weights=self.size).x[self.group]
        disparity = distance.copy()
        disparity[self.known[self.order]] = fitted
        total = np.sum(disparity**2)
        if total > 0:
            disparity *= np.sqrt(len(disparity) / total)
        full = np.zeros((self.n, self.n))
        full[self.upper] = disparity
        full.T[self.upper] = disparity
        return full


def _majorise(D, Z, metric, max_iter, eps, verbose):
    """SMACOF from Z: coordinates, error and squared distances at the end, iterations, history of raw stress, status."""
    Z = np.array(Z, dtype=np.float64, order="C")  # a copy: the two buffers change places
    disparities = None if metric else _Isotonic(D)
    target = D
    updated, history, status = np.empty_like(Z), [], MAX_ITER
    before = None
    for iteration in range(1, max_iter + 1):
        if not metric:
            target = disparities(Z)
        error, squares = native.guttman_transform(target, Z, updated)
        history.append(error)
        if verbose > 1:
            print(f"MDS: step {iteration}, stress {error:.6g}")
        if before is not None and (before - error) / max(squares, np.finfo(float).tiny) < eps:
            status = OK
            break
        before = error
        Z, updated = updated, Z
    error, squares = native.guttman_transform(target, Z, np.empty_like(Z))
    return Z, error, squares, iteration, history, status


def _descend(D, Z, max_iter, eps, verbose):
    """SMACOF's minimum by L-BFGS on the stress, whose gradient is 2 n (Z - mean - Guttman transform of Z)."""
    n, q = Z.shape
    scale = max(float(np.sum(D * D)), np.finfo(float).tiny)
    history = []

    def value_and_gradient(flat):
        at = np.ascontiguousarray(flat.reshape(n, q))
        updated = np.empty_like(at)
        error, _ = native.guttman_transform(D, at, updated)
        return error / scale, (2.0 * n / scale) * (at - at.mean(axis=0) - updated).ravel()

    def note(flat):
        history.append(value_and_gradient(flat)[0] * scale)
        if verbose > 1:
            print(f"MDS: step {len(history)}, stress {history[-1]:.6g}")

    options = {"maxiter": max_iter, "ftol": eps * 1e-3, "gtol": 1e-12, "maxfun": 20 * max_iter}
    result = minimize(value_and_gradient, Z.ravel(), jac=True, method="L-BFGS-B", callback=note, options=options)
    Z = np.ascontiguousarray(result.x.reshape(n, q))
    error, squares = native.guttman_transform(D, Z, np.empty_like(Z))
    return Z, error, squares, int(result.nit), history, MAX_ITER if result.nit >= max_iter else OK


def _best_of_starts(D, k, metric, starts, method, max_iter, eps, verbose):
    """Run with the smallest stress: normalised for non-metric scaling, raw otherwise."""
    best, all_stress = None, []
    for number, start in enumerate(starts):
        if method == "gradient":
            run = _descend(D, start, max_iter, eps, verbose)
        else:
            run = _majorise(D, start, metric, max_iter, eps, verbose)
        value = run[1] if metric else _stress("normalized", run[1], run[2])
        all_stress.append(value)
        if verbose:
            print(f"MDS: start {number + 1} of {len(starts)}, stress {value:.6g} after {run[3]} steps")
        if best is None or value < all_stress[best[0]]:
            best = number, run
    return best[1], np.array(all_stress)


def smacof(
    dissimilarities,
    *,
    metric=True,
    n_components=2,
    init=None,
    n_init=1,
    n_jobs=None,
    max_iter=300,
    verbose=0,
    eps=1e-6,
    random_state=None,
    return_n_iter=False,
    normalized_stress="auto",
):
    """Coordinates of least stress by majorisation (SMACOF).

    Parameters
    ----------
    dissimilarities : array-like of shape (n_samples, n_samples)
    metric : bool, default=True
        Whether to fit the dissimilarities themselves, or the best monotone function of them.
    n_components : int, default=2
    init : array-like of shape (n_samples, n_components) or None, default=None
        Initial coordinates; None draws `n_init` random ones.
    n_init : int, default=1
    n_jobs : int or None, default=None
        Number of threads; see :func:`statlearn.threads`.
    max_iter : int, default=300
    verbose : int, default=0
    eps : float, default=1e-6
        Stops when the stress falls by less than this share of the sum of squared distances.
    random_state : int, RandomState or None, default=None
    return_n_iter : bool, default=False
    normalized_stress : bool or "auto", default="auto"
        Whether to return Kruskal's stress-1 instead of the raw stress; "auto" means for non-metric scaling.

    Returns
    -------
    Z : ndarray of shape (n_samples, n_components)
    stress : float
    n_iter : int
        Only if `return_n_iter`.

    Examples
    --------
    >>> from statlearn.manifold import smacof
    >>> Z, stress = smacof([[0, 3, 4], [3, 0, 5], [4, 5, 0]], random_state=0)
    >>> stress < 1e-4
    True
    """
    D = check_dissimilarities(
        check_array(dissimilarities, dtype=np.float64, input_name="dissimilarities"), "dissimilarities"
    )
    check_arguments(
        smacof,
        metric=(metric, ["boolean"]),
        n_components=(n_components, [Int(1, None)]),
        n_init=(n_init, [Int(1, None)]),
        max_iter=(max_iter, [Int(1, None)]),
        eps=(eps, [Real(0, None)]),
        normalized_stress=(normalized_stress, ["boolean", Options("auto")]),
    )
    rng = check_random_state(random_state)
    if init is not None:
        starts = [check_array(init, dtype=np.float64, input_name="init")]
        if starts[0].shape[0] != len(D):
            raise ValueError(f"`init` must have {len(D)} rows, got shape {starts[0].shape}.")
    else:
        starts = [_random_start(D, n_components, rng) for _ in range(n_init)]
    with jobs(n_jobs):
        run, _ = _best_of_starts(D, n_components, metric, starts, "smacof", max_iter, eps, verbose)
    warn_if_stopped(
        "smacof", run[5], f"the stress was still falling after {run[3]} steps", remedy="Increase max_iter or eps."
    )
    normalized = not metric if normalized_stress == "auto" else normalized_stress
    stress = _stress("normalized" if normalized else "raw", run[1], run[2])
    return (run[0], stress, run[3]) if return_n_iter else (run[0], stress)


def _random_start(D, k, rng):
    """Uniform coordinates with about the spread of the dissimilarities."""
    return rng.uniform(size=(len(D), k)) * max(float(D.max(initial=0.0)), 1e-300)


class MDS(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Least-squares multidimensional scaling.

    Minimises the stress :math:`\sum_{i<j} (d_{ij} - \lVert z_i - z_j \rVert)^2` over coordinates z (Kruskal and
    Shepard). Non-metric scaling replaces :math:`d_{ij}` by the monotone function of it that fits best.

    Parameters
    ----------
    n_components : int, default=2
        Number of dimensions.
    metric_mds : bool, default=True
        Whether to fit the dissimilarities themselves (metric) or only their order (non-metric, where dissimilarities of
        0 count as missing).
    n_init : int, default=1
        Number of random starts for ``init="random"``; the best result is kept. The stress has local minima, so use
        several.
    init : {"classical_mds", "random"}, default="classical_mds"
        Start: the solution of classical scaling, or uniform random coordinates.
    method : {"smacof", "gradient"}, default="smacof"
        "smacof" majorises the stress and never raises it; "gradient" minimises it by L-BFGS, which takes fewer steps
        close to the minimum (metric scaling only).
    max_iter : int, default=300
        Maximum number of steps of one run.
    verbose : int, default=0
        1 prints a line per start, 2 a line per step.
    eps : float, default=1e-6
        A run stops when the stress falls by less than this share of the sum of squared distances.
    n_jobs : int or None, default=None
        Number of threads; see :func:`statlearn.threads`.
    random_state : int, RandomState or None, default=None
        Random seed of the starts.
    metric : str or callable, default="euclidean"
        A metric of :func:`statlearn.neighbors.pairwise_distances`, or "precomputed" if X contains dissimilarities.
    metric_params : dict or None, default=None
        Parameters of the metric.
    normalized_stress : bool or "auto", default="auto"
        Whether `stress_` is Kruskal's stress-1 instead of the raw stress; "auto" means for non-metric scaling.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    stress_ : float
        Raw or normalised; see `normalized_stress`.
    raw_stress_, root_stress_, normalized_stress_ : float
        All three forms; see :func:`mds_stress`.
    stress_path_ : ndarray
        Raw stress at each step of the best run.
    init_stress_ : ndarray of shape (n_starts,)
        Final stress of every start.
    dissimilarity_matrix_ : ndarray of shape (n_samples, n_samples)
    n_iter_ : int
        Steps of the best run.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str

    See Also
    --------
    ClassicalMDS : closed form, on inner products.
    Isomap : distances along the data.

    Notes
    -----
    Each step takes O(n^2 q). The stress counts absolute errors, so large distances dominate; for curved data, geodesic
    distances (`Isomap`) are the better input. Any rotation or reflection of the solution is equally good.

    References
    ----------
    Borg and Groenen (2005), Modern multidimensional scaling. Springer.

    Examples
    --------
    >>> from statlearn.manifold import MDS
    >>> D = [[0, 3, 4], [3, 0, 5], [4, 5, 0]]
    >>> mds = MDS(metric="precomputed").fit(D)
    >>> mds.embedding_.shape, mds.stress_ < 1e-6
    ((3, 2), True)
    """

    _constraints = {
        "n_components": [Int(1, None)],
        "metric_mds": ["boolean"],
        "n_init": [Int(1, None)],
        "init": [Options("classical_mds", "random")],
        "method": [Options("smacof", "gradient")],
        "max_iter": [Int(1, None)],
        "verbose": ["verbose"],
        "eps": [Real(0, None)],
        "n_jobs": [Int(None, None), None],
        "random_state": ["random_state"],
        **METRIC_CONSTRAINTS,
        "normalized_stress": ["boolean", Options("auto")],
    }

    def __init__(
        self,
        n_components=2,
        *,
        metric_mds=True,
        n_init=1,
        init="classical_mds",
        method="smacof",
        max_iter=300,
        verbose=0,
        eps=1e-6,
        n_jobs=None,
        random_state=None,
        metric="euclidean",
        metric_params=None,
        normalized_stress="auto",
    ):
        self.n_components = n_components
        self.metric_mds = metric_mds
        self.n_init = n_init
        self.init = init
        self.method = method
        self.max_iter = max_iter
        self.verbose = verbose
        self.eps = eps
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.metric = metric
        self.metric_params = metric_params
        self.normalized_stress = normalized_stress

    def fit(self, X, y=None, init=None):
        """Compute the coordinates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Rows, or dissimilarities with ``metric="precomputed"``.
        y : ignored
        init : array-like of shape (n_samples, n_components) or None, default=None
            Start instead of `init` of the constructor.

        Returns
        -------
        self
        """
        self.fit_transform(X, init=init)
        return self

    def fit_transform(self, X, y=None, init=None):
        """Compute and return the coordinates; parameters as in `fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        y : ignored
        init : array-like of shape (n_samples, n_components) or None, default=None

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
        """
        check_params(self)
        if self.method == "gradient" and not self.metric_mds:
            raise ValueError("`method`='gradient' supports metric scaling only; use 'smacof' with `metric_mds`=False.")
        with jobs(self.n_jobs):
            D = dissimilarities(self, X, self.metric, self.metric_params)
            starts = self._starts(D, init)
            run, self.init_stress_ = _best_of_starts(
                D, self.n_components, self.metric_mds, starts, self.method, self.max_iter, self.eps, self.verbose
            )
        self.embedding_, error, squares, self.n_iter_, path, status = run
        self.dissimilarity_matrix_ = D
        self.stress_path_ = np.array(path)
        self.raw_stress_ = error
        self.root_stress_ = _stress("root", error, squares)
        self.normalized_stress_ = _stress("normalized", error, squares)
        normalized = not self.metric_mds if self.normalized_stress == "auto" else self.normalized_stress
        self.stress_ = self.normalized_stress_ if normalized else self.raw_stress_
        warn_if_stopped(
            self, status, f"the stress was still falling after {self.n_iter_} steps", remedy="Increase max_iter or eps."
        )
        return self.embedding_

    def _starts(self, D, init):
        k = self.n_components
        if init is not None:
            start = check_array(init, dtype=np.float64, input_name="init")
            if start.shape != (len(D), k):
                raise ValueError(f"`init` must have shape ({len(D)}, {k}), got {start.shape}.")
            return [start]
        rng = check_random_state(self.random_state)
        if self.init == "random":
            return [_random_start(D, k, rng) for _ in range(self.n_init)]
        start = principal_coordinates(centred_products(np.ascontiguousarray(D))[0], min(k, len(D)))[0]
        start = np.hstack([start, np.zeros((len(D), k - start.shape[1]))])
        # Dimensions without spread would keep all points together; a little noise lets them unfold.
        flat = np.abs(start).max(axis=0) == 0
        start[:, flat] = 1e-3 * D.max(initial=0.0) * rng.standard_normal((len(D), int(flat.sum())))
        return [start]

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags
