"""Clustering. The quality is the objective that the method minimises, or the agreement with the exact answer."""

import numpy as np

from benchmarks.case import Case, threads


def _groups(n, p, k, spread, seed=0):
    """Overlapping round groups."""
    rng = np.random.default_rng(seed)
    middles = rng.normal(size=(k, p))
    return middles[rng.integers(k, size=n)] + spread * rng.normal(size=(n, p)), rng


class kmeans(Case):
    """k-means from given centres until no label changes or the centres stand still."""

    size, quick = dict(n=500_000, p=20, k=50, tol=1e-4), dict(n=2000, p=5, k=8)
    grow = dict(n=[100_000, 500_000, 2_000_000], k=[10, 50, 200])
    goal = dict(sklearn=2, sklearnex=2)
    accept = dict(objective=1e-6)

    def data(n, p, k, tol):
        X, rng = _groups(n, p, k, 1.0)
        return dict(X=X, start=X[rng.choice(n, k, replace=False)], tol=tol)

    def quality(fit, X, start, tol):
        total = sum(
            np.min(((block[:, None] - fit.centres) ** 2).sum(axis=2), axis=1).sum()
            for block in np.array_split(X[:100_000], 50)
        )
        return dict(objective=total, iterations=fit.n_iter)

    def statlearn(X, start, tol):
        from statlearn.cluster import KMeans

        m = KMeans(len(start), init=start, n_init=1, tol=tol).fit(X)
        return dict(centres=m.cluster_centers_, n_iter=m.n_iter_)

    def statlearn_full(X, start, tol):
        from statlearn.cluster import KMeans

        m = KMeans(len(start), init=start, n_init=1, tol=tol, algorithm="full").fit(X)
        return dict(centres=m.cluster_centers_, n_iter=m.n_iter_)

    def sklearn(X, start, tol):
        from sklearn.cluster import KMeans

        m = KMeans(len(start), init=start, n_init=1, tol=tol).fit(X)
        return dict(centres=m.cluster_centers_, n_iter=m.n_iter_)

    def sklearn_elkan(X, start, tol):
        from sklearn.cluster import KMeans

        m = KMeans(len(start), init=start, n_init=1, tol=tol, algorithm="elkan").fit(X)
        return dict(centres=m.cluster_centers_, n_iter=m.n_iter_)

    def sklearnex(X, start, tol):
        from sklearnex.cluster import KMeans

        m = KMeans(len(start), init=start, n_init=1, tol=tol).fit(X)
        return dict(centres=m.cluster_centers_, n_iter=m.n_iter_)


class kmedoids(Case):
    """k-medoids by FasterPAM from given medoids on a matrix of dissimilarities."""

    size, quick = dict(n=5000, p=5, k=10), dict(n=200, k=4)
    grow = dict(n=[1000, 5000, 10_000], k=[5, 20, 100])
    goal = dict(kmedoids=1)
    accept = dict(objective=1e-6)

    def data(n, p, k):
        from scipy.spatial.distance import cdist

        X, rng = _groups(n, p, k, 1.0)
        return dict(D=cdist(X, X), start=rng.choice(n, k, replace=False).astype(np.uint64))

    def quality(fit, D, start):
        return dict(objective=D[:, fit.medoids.astype(np.intp)].min(axis=1).sum())

    def statlearn(D, start):
        from statlearn.cluster import KMedoids

        m = KMedoids(len(start), metric="precomputed", init=start.astype(np.intp)).fit(D)
        return dict(medoids=m.medoid_indices_)

    def kmedoids(D, start):
        from kmedoids import fasterpam

        return dict(medoids=fasterpam(D, start.copy(), n_cpu=threads()).medoids)
