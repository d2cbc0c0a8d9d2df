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


def _agreement(labels, truth):
    from sklearn.metrics import adjusted_rand_score

    return adjusted_rand_score(truth, labels)


class dbscan(Case):
    """Density-based clusters of points in space, a tenth of them noise."""

    size, quick = dict(n=200_000, p=3, eps=0.05, least=10), dict(n=2000, eps=0.2)
    grow = dict(n=[50_000, 200_000, 1_000_000], p=[2, 3, 5])
    goal = dict(dbscan=1.2, sklearn=10)

    def data(n, p, eps, least):
        X, rng = _groups(n, p, 20, 0.05)
        X[: n // 10] = rng.uniform(-3, 3, size=(n // 10, p))
        return dict(X=X, eps=eps, least=least)

    def quality(fit, X, eps, least):
        return {"clusters": fit.labels.max() + 1, "noise": np.mean(fit.labels == -1)}

    def statlearn(X, eps, least):
        from statlearn.cluster import DBSCAN

        return dict(labels=DBSCAN(eps, min_samples=least).fit(X).labels_)

    def sklearn(X, eps, least):
        from sklearn.cluster import DBSCAN

        return dict(labels=DBSCAN(eps=eps, min_samples=least, n_jobs=threads()).fit(X).labels_)

    def dbscan(X, eps, least):
        from dbscan import DBSCAN

        return dict(labels=DBSCAN(X, eps=eps, min_samples=least)[0])


class ward(Case):
    """Ward's hierarchy of points; the quality is the sum of the heights."""

    size, quick = dict(n=15_000, p=10), dict(n=300)
    grow = dict(n=[5000, 15_000, 50_000], p=[2, 10, 50])
    goal = dict(fastcluster=1.5, sklearn=5)
    accept = dict(objective=1e-9)

    def data(n, p):
        return dict(X=_groups(n, p, 30, 0.5)[0])

    def quality(fit, X):
        return dict(objective=fit.heights.sum())

    def statlearn(X):
        from statlearn.cluster import linkage

        return dict(heights=linkage(X, "ward")[:, 2])

    def fastcluster(X):
        import fastcluster

        return dict(heights=fastcluster.linkage_vector(X, "ward")[:, 2])

    def sklearn(X):
        from sklearn.cluster import ward_tree

        return dict(heights=ward_tree(X, return_distance=True)[4])


class average_linkage(ward):
    """Average linkage, distances included."""

    grow = dict(n=[5000, 15_000, 30_000], p=[2, 10, 50])
    goal = dict(fastcluster=1.5)

    def statlearn(X):
        from statlearn.cluster import linkage

        return dict(heights=linkage(X, "average")[:, 2])

    def fastcluster(X):
        import fastcluster

        return dict(heights=fastcluster.linkage(X, "average")[:, 2])

    def sklearn(X):
        from sklearn.cluster import AgglomerativeClustering

        m = AgglomerativeClustering(2, linkage="average", compute_distances=True).fit(X)
        return dict(heights=m.distances_)


class single_linkage(ward):
    """Single linkage: a minimum spanning tree and its hierarchy. Genie with a Gini limit of 1 is single linkage."""

    size, quick = dict(n=100_000, p=3), dict(n=300)
    grow = dict(n=[10_000, 100_000, 1_000_000], p=[2, 3, 10])
    goal = dict(genieclust=1.5)
    fastcluster = sklearn = None

    def statlearn(X):
        from statlearn.cluster import linkage

        return dict(heights=linkage(X, "single")[:, 2])

    def genieclust(X):
        from genieclust import Genie

        return dict(heights=Genie(1, gini_threshold=1.0).fit(X).distances_)


class hdbscan(Case):
    """Density-based clusters at all densities; the quality is the agreement with the groups of the data."""

    size, quick = dict(n=50_000, p=3, least=50), dict(n=1000, least=10)
    grow = dict(n=[10_000, 50_000, 200_000], p=[2, 3, 10])
    goal = dict(hdbscan=2)

    def data(n, p, least):
        rng = np.random.default_rng(0)
        truth = rng.integers(20, size=n)
        X = 3 * rng.normal(size=(20, p))[truth] + rng.uniform(0.1, 0.5, size=20)[truth][:, None] * rng.normal(
            size=(n, p)
        )
        return dict(X=X, truth=truth, least=least)

    def quality(fit, X, truth, least):
        return {"agreement": _agreement(fit.labels, truth), "noise": np.mean(fit.labels == -1)}

    def statlearn(X, truth, least):
        from statlearn.cluster import HDBSCAN

        return dict(labels=HDBSCAN(least, min_samples=10).fit(X).labels_)

    def hdbscan(X, truth, least):
        from hdbscan import HDBSCAN

        return dict(labels=HDBSCAN(least, min_samples=9, core_dist_n_jobs=threads()).fit(X).labels_)


class silhouette(Case):
    """Exact silhouettes of all rows."""

    size, quick = dict(n=50_000, p=10, k=10), dict(n=500, p=3, k=3)
    grow = dict(n=[10_000, 20_000, 50_000], p=[2, 10, 50])
    goal = dict(sklearn=2)

    def data(n, p, k):
        X, rng = _groups(n, p, k, 0.5)
        return dict(X=X, labels=((X - X.mean(axis=0)) @ rng.normal(size=(p, k))).argmax(axis=1))

    def quality(fit, X, labels):
        return {"mean silhouette": fit.score}

    def statlearn(X, labels):
        from statlearn.cluster import silhouette_score

        return dict(score=silhouette_score(X, labels))

    def sklearn(X, labels):
        from sklearn.metrics import silhouette_score

        return dict(score=silhouette_score(X, labels))


class mean_shift(Case):
    """Mean shift with a flat kernel from every row."""

    size, quick = dict(n=5000, p=3, k=8), dict(n=200, p=2, k=3)
    grow = dict(n=[2000, 5000, 20_000])
    goal = dict(sklearn=10)

    def data(n, p, k):
        return dict(X=_groups(n, p, k, 0.25)[0], width=0.6)

    def quality(fit, X, width):
        near = [np.linalg.norm(X - mode, axis=1) <= width for mode in fit.centres]
        fixed = max(np.linalg.norm(X[rows].mean(axis=0) - mode) for rows, mode in zip(near, fit.centres))
        return {"modes": len(fit.centres), "largest move left": fixed / width}

    def statlearn(X, width):
        from statlearn.cluster import MeanShift

        return dict(centres=MeanShift(bandwidth=width).fit(X).cluster_centers_)

    def statlearn_gaussian(X, width):
        from statlearn.cluster import MeanShift

        return dict(centres=MeanShift(bandwidth=width / 2, kernel="gaussian").fit(X).cluster_centers_)

    def sklearn(X, width):
        from sklearn.cluster import MeanShift

        return dict(centres=MeanShift(bandwidth=width, n_jobs=threads()).fit(X).cluster_centers_)


class spectral(Case):
    """Spectral clustering on Gaussian similarities of all pairs."""

    size, quick = dict(n=5000, p=5, k=8), dict(n=300, p=2, k=3)
    grow = dict(n=[2000, 5000, 10_000])
    goal = dict(sklearn=2)

    def data(n, p, k):
        X, _ = _groups(n, p, k, 0.2)
        return dict(X=X, k=k)

    def quality(fit, X, k):
        """What the partition cuts, in a graph of near rows."""
        from sklearn.neighbors import kneighbors_graph

        W = kneighbors_graph(X, 10)
        own = fit.labels[W.indices] == np.repeat(fit.labels, 10)
        return {"normalised cut": sum(1 - own[np.repeat(fit.labels, 10) == c].mean() for c in np.unique(fit.labels))}

    def statlearn(X, k):
        from statlearn.cluster import SpectralClustering

        return dict(labels=SpectralClustering(k, gamma=1.0, random_state=0).fit(X).labels_)

    def sklearn(X, k):
        from sklearn.cluster import SpectralClustering

        return dict(labels=SpectralClustering(k, gamma=1.0, random_state=0).fit(X).labels_)


class spectral_neighbors(spectral):
    """Spectral clustering on a graph of ten neighbours."""

    def statlearn(X, k):
        from statlearn.cluster import SpectralClustering

        return dict(labels=SpectralClustering(k, affinity="nearest_neighbors", random_state=0).fit(X).labels_)

    def sklearn(X, k):
        from sklearn.cluster import SpectralClustering

        m = SpectralClustering(k, affinity="nearest_neighbors", n_jobs=threads(), random_state=0)
        return dict(labels=m.fit(X).labels_)


class affinity_propagation(Case):
    """Affinity propagation for a hundred sweeps."""

    size, quick = dict(n=3000, p=5, k=8), dict(n=200, p=2, k=3)
    goal = dict(sklearn=2)

    def data(n, p, k):
        return dict(X=_groups(n, p, k, 0.2)[0])

    def quality(fit, X):
        away = ((X - X[fit.exemplar]) ** 2).sum()
        return {"objective": away + 30.0 * len(np.unique(fit.exemplar))}

    def statlearn(X):
        from statlearn.cluster import AffinityPropagation

        m = AffinityPropagation(preference=-30.0, max_iter=100, convergence_iter=100, random_state=0).fit(X)
        return dict(exemplar=m.cluster_centers_indices_[m.labels_])

    def sklearn(X):
        from sklearn.cluster import AffinityPropagation

        m = AffinityPropagation(preference=-30.0, max_iter=100, convergence_iter=100, random_state=0).fit(X)
        return dict(exemplar=m.cluster_centers_indices_[m.labels_])
