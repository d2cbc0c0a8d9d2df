"""Nearest neighbours. The quality is the share of queries with a neighbour missed, and the mean distance."""

import numpy as np

from benchmarks.case import Case, threads


def _clusters(n, p, seed, centres=50):
    """Rows around a few centres: neither uniform nor far apart."""
    rng = np.random.default_rng(seed)
    return 2.0 * rng.normal(size=(centres, p))[rng.integers(centres, size=n)] + rng.normal(size=(n, p))


class knn_tree(Case):
    """k nearest neighbours in few dimensions, building the index included."""

    size, quick = dict(n=200_000, m=20_000, p=5, k=10), dict(n=2000, m=200)
    grow = dict(n=[100_000, 1_000_000], p=[3, 5, 8], k=[1, 10, 50])
    goal = dict(pykdtree=1.3, sklearnex=1.3, sklearn=4)
    accept = dict(missed=0)

    def data(n, m, p, k):
        X = _clusters(n + m, p, 0)
        return dict(X=X[:n], Q=X[n:], k=k)

    def quality(fit, X, Q, k):
        some = slice(None, None, max(1, len(Q) // 200))
        exact = np.linalg.norm(Q[some, None].astype(float) - X[fit.rows[some]].astype(float), axis=2)
        nearest = np.stack([np.sort(np.linalg.norm(X.astype(float) - q, axis=1))[:k] for q in Q[some].astype(float)])
        return dict(missed=np.mean(exact.max(axis=1) > nearest[:, -1] * (1 + 1e-6)), distance=fit.distances.mean())

    def statlearn(X, Q, k):
        from statlearn.neighbors import NearestNeighbors

        d, i = NearestNeighbors(n_neighbors=k).fit(X).kneighbors(Q)
        return dict(distances=d, rows=i)

    def pykdtree(X, Q, k):
        from pykdtree.kdtree import KDTree

        d, i = KDTree(X).query(Q, k=k)
        return dict(distances=d.reshape(len(Q), k), rows=i.reshape(len(Q), k).astype(np.int64))

    def sklearnex(X, Q, k):
        from sklearnex.neighbors import NearestNeighbors

        d, i = NearestNeighbors(n_neighbors=k, algorithm="kd_tree").fit(X).kneighbors(Q)
        return dict(distances=d, rows=i)

    def sklearn(X, Q, k):
        from sklearn.neighbors import NearestNeighbors

        d, i = NearestNeighbors(n_neighbors=k, n_jobs=threads()).fit(X).kneighbors(Q)
        return dict(distances=d, rows=i)

    def scipy(X, Q, k):
        from scipy.spatial import KDTree

        d, i = KDTree(X).query(Q, k=k, workers=threads())
        return dict(distances=d.reshape(len(Q), k), rows=i.reshape(len(Q), k))


class knn_self(knn_tree):
    """The nearest neighbours of every row among the others, as clustering and graphs ask for them."""

    size, quick = dict(n=200_000, m=0, p=3, k=10), dict(n=2000, m=0)
    goal = dict(pykdtree=1.3, sklearn=4)
    sklearnex = scipy = None

    def data(n, m, p, k):
        X = _clusters(n, p, 0)
        return dict(X=X, Q=X, k=k)

    def statlearn(X, Q, k):
        from statlearn.neighbors import NearestNeighbors

        d, i = NearestNeighbors(n_neighbors=k - 1).fit(X).kneighbors()
        own = np.arange(len(X))[:, None]
        return dict(distances=np.hstack([np.zeros((len(X), 1)), d]), rows=np.hstack([own, i]))


class knn_brute(knn_tree):
    """k nearest neighbours in many dimensions: every row is looked at."""

    size, quick = dict(n=50_000, m=5_000, p=100, k=10), dict(n=500, m=50)
    grow = dict(n=[50_000, 200_000], p=[20, 100, 400], k=[1, 10, 50])
    goal = dict(faiss=1.1, sklearn=2)
    pykdtree = scipy = None

    def data(n, m, p, k):
        X = _clusters(n + m, p, 0).astype(np.float32)
        return dict(X=X[:n], Q=X[n:], k=k)

    def faiss(X, Q, k):
        import faiss

        faiss.omp_set_num_threads(threads())
        index = faiss.IndexFlatL2(X.shape[1])
        index.add(X)
        d, i = index.search(Q, k)
        return dict(distances=np.sqrt(d), rows=i)

    def sklearnex(X, Q, k):
        from sklearnex.neighbors import NearestNeighbors

        d, i = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(X).kneighbors(Q)
        return dict(distances=d, rows=i)


class knn_manhattan(knn_tree):
    """The same with another metric, by brute force."""

    size, quick = dict(n=20_000, m=2_000, p=50, k=10), dict(n=500, m=50)
    goal = dict(sklearn=1.5)
    pykdtree = scipy = sklearnex = None

    def quality(fit, X, Q, k):
        return dict(distance=fit.distances.mean())

    def statlearn(X, Q, k):
        from statlearn.neighbors import NearestNeighbors

        d, i = NearestNeighbors(n_neighbors=k, metric="manhattan").fit(X).kneighbors(Q)
        return dict(distances=d, rows=i)

    def sklearn(X, Q, k):
        from sklearn.neighbors import NearestNeighbors

        d, i = (
            NearestNeighbors(n_neighbors=k, metric="manhattan", algorithm="brute", n_jobs=threads())
            .fit(X)
            .kneighbors(Q)
        )
        return dict(distances=d, rows=i)


class radius_tree(Case):
    """All rows within a radius."""

    size, quick = dict(n=200_000, m=20_000, p=3), dict(n=2000, m=200)
    goal = dict(sklearn=3)

    def data(n, m, p):
        X = _clusters(n + m, p, 0)
        return dict(X=X[:n], Q=X[n:], r=0.3)

    def quality(fit, X, Q, r):
        return dict(pairs=fit.pairs, distance=fit.distance)

    def statlearn(X, Q, r):
        from statlearn.neighbors import NearestNeighbors

        A = NearestNeighbors(radius=r).fit(X).radius_neighbors_graph(Q, mode="distance")
        return dict(pairs=A.nnz, distance=A.data.sum())

    def sklearn(X, Q, r):
        from sklearn.neighbors import NearestNeighbors

        A = NearestNeighbors(radius=r, n_jobs=threads()).fit(X).radius_neighbors_graph(Q, mode="distance")
        return dict(pairs=A.nnz, distance=A.data.sum())


class knn_classify(Case):
    """Classes of new rows by the votes of 15 neighbours, fit included."""

    size, quick = dict(n=100_000, m=20_000, p=5, k=15), dict(n=2000, m=200)
    goal = dict(sklearn=4, sklearnex=1.3)

    def data(n, m, p, k):
        rng = np.random.default_rng(0)
        centres = 2.0 * rng.normal(size=(30, p))
        own = rng.integers(30, size=n + m)
        X, y = centres[own] + rng.normal(size=(n + m, p)), own % 5
        return dict(X=X[:n], y=y[:n], Q=X[n:], truth=y[n:], k=k)

    def quality(fit, X, y, Q, truth, k):
        return dict(error=np.mean(fit.labels != truth))

    def statlearn(X, y, Q, truth, k):
        from statlearn.neighbors import KNeighborsClassifier

        return dict(labels=KNeighborsClassifier(k).fit(X, y).predict(Q))

    def sklearnex(X, y, Q, truth, k):
        from sklearnex.neighbors import KNeighborsClassifier

        return dict(labels=KNeighborsClassifier(k).fit(X, y).predict(Q))

    def sklearn(X, y, Q, truth, k):
        from sklearn.neighbors import KNeighborsClassifier

        return dict(labels=KNeighborsClassifier(k, n_jobs=threads()).fit(X, y).predict(Q))


class kernel_density(Case):
    """Gaussian density at new rows, to a relative error of 1e-4 in each; the quality is the error of the logarithm."""

    size, quick = dict(n=50_000, m=5_000, h=0.2), dict(n=2000, m=200)
    goal = dict(sklearn=5)
    accept = dict(error=1e-4)

    def data(n, m, h):
        rng = np.random.default_rng(0)
        return dict(X=rng.normal(size=(n, 2)), Q=rng.normal(size=(m, 2)), h=h)

    def quality(fit, X, Q, h):
        some = slice(None, None, max(1, len(Q) // 50))
        squares = np.array([np.mean(np.exp(-0.5 * ((X - q) ** 2).sum(axis=1) / h**2)) for q in Q[some]])
        exact = np.log(squares / (2 * np.pi * h**2))
        return dict(error=np.abs(fit.logs[some] - exact).max())

    def statlearn(X, Q, h):
        from statlearn.neighbors import KernelDensity

        return dict(logs=KernelDensity(bandwidth=h, rtol=1e-4).fit(X).score_samples(Q))

    def sklearn(X, Q, h):
        from sklearn.neighbors import KernelDensity

        return dict(logs=KernelDensity(bandwidth=h, rtol=1e-4).fit(X).score_samples(Q))


class outlier_factor(Case):
    """Local outlier factors of all rows; the quality is their mean."""

    size, quick = dict(n=100_000, p=4, k=20), dict(n=2000)
    goal = dict(sklearn=4)

    def data(n, p, k):
        return dict(X=_clusters(n, p, 0), k=k)

    def quality(fit, X, k):
        return dict(mean=fit.factors.mean())

    def statlearn(X, k):
        from statlearn.neighbors import LocalOutlierFactor

        return dict(factors=-LocalOutlierFactor(k).fit(X).negative_outlier_factor_)

    def sklearn(X, k):
        from sklearn.neighbors import LocalOutlierFactor

        return dict(factors=-LocalOutlierFactor(k, n_jobs=threads()).fit(X).negative_outlier_factor_)
