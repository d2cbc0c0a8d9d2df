"""Embeddings: the same coordinates or stress as scikit-learn, timed on the same rows."""

import numpy as np

from benchmarks.case import Case


def _roll(n):
    from sklearn.datasets import make_swiss_roll

    return make_swiss_roll(n, random_state=0)[0]


def _distances(Y, rows=300):
    """Distances of some rows, which do not depend on signs."""
    Y = Y[:rows]
    return np.linalg.norm(Y[:, None] - Y, axis=2)


class isomap(Case):
    """Swiss roll, ten neighbours, two dimensions."""

    size, quick = dict(n=4000), dict(n=100)
    grow = dict(n=[1000, 2000, 4000, 8000])
    goal = dict(sklearn=5)

    def data(n):
        return dict(X=_roll(n))

    def quality(fit, X):
        return {"spread": float(_distances(fit.Y).mean())}

    def statlearn(X):
        from statlearn.manifold import Isomap

        return dict(Y=Isomap(n_neighbors=10).fit_transform(X))

    def sklearn(X):
        from sklearn.manifold import Isomap

        return dict(Y=Isomap(n_neighbors=10).fit_transform(X))


class kernel_pca(Case):
    """Gaussian kernel, 20 components."""

    size, quick = dict(n=4000), dict(n=60)
    goal = dict(sklearn=1.5)

    def data(n):
        return dict(X=np.random.default_rng(0).normal(size=(n, 20)))

    def quality(fit, X):
        return {"variance": float(np.sum(fit.Y**2))}

    def statlearn(X):
        from statlearn.manifold import KernelPCA

        return dict(Y=KernelPCA(20, kernel="rbf", gamma=0.02, random_state=0).fit_transform(X))

    def sklearn(X):
        from sklearn.decomposition import KernelPCA

        model = KernelPCA(20, kernel="rbf", gamma=0.02, eigen_solver="randomized", random_state=0)
        return dict(Y=model.fit_transform(X))


class mds(Case):
    """A hundred steps of SMACOF from the classical solution."""

    size, quick = dict(n=1000), dict(n=40)
    goal = dict(sklearn=3)

    def data(n):
        return dict(X=_roll(n))

    def quality(fit, X):
        return {"objective": float(fit.stress)}

    def statlearn(X):
        import warnings

        from statlearn.manifold import MDS

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # stopped on purpose
            return dict(stress=MDS(2, max_iter=100, eps=0).fit(X).stress_)

    def sklearn(X):
        import warnings

        from sklearn.manifold import MDS

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return dict(stress=MDS(2, max_iter=100, eps=0, init="classical_mds", n_init=1).fit(X).stress_)


class eigenmaps(Case):
    """Laplacian eigenmaps of a graph of ten neighbours."""

    size, quick = dict(n=30_000), dict(n=80)
    goal = dict(sklearn=1)

    def data(n):
        return dict(X=_roll(n))

    def quality(fit, X):
        return {"spread": float(_distances(fit.Y).mean())}

    def statlearn(X):
        from statlearn.manifold import SpectralEmbedding

        return dict(Y=SpectralEmbedding(2, n_neighbors=10, random_state=0).fit_transform(X))

    def sklearn(X):
        from sklearn.manifold import SpectralEmbedding

        return dict(Y=SpectralEmbedding(2, n_neighbors=10, random_state=0).fit_transform(X))


class locally_linear(Case):
    """Modified locally linear embedding, twelve neighbours."""

    size, quick = dict(n=5000), dict(n=80)
    goal = dict(sklearn=2)

    def data(n):
        return dict(X=_roll(n))

    def quality(fit, X):
        return {"spread": float(_distances(fit.Y).mean())}

    def statlearn(X):
        from statlearn.manifold import LocallyLinearEmbedding

        return dict(Y=LocallyLinearEmbedding(n_neighbors=12, method="modified", random_state=0).fit_transform(X))

    def sklearn(X):
        from sklearn.manifold import LocallyLinearEmbedding

        return dict(Y=LocallyLinearEmbedding(n_neighbors=12, method="modified", random_state=0).fit_transform(X))


class diffusion_map(Case):
    """Diffusion map of a graph of 64 neighbours, Gaussian weights of a given width, without the influence of the
    density."""

    size, quick = dict(n=10_000), dict(n=150)
    goal = dict(pydiffmap=10)

    def data(n):
        return dict(X=_roll(n))

    def quality(fit, X):
        return {"gap": float(fit.gap)}

    def statlearn(X):
        from statlearn.manifold import DiffusionMap

        model = DiffusionMap(2, affinity="nearest_neighbors", n_neighbors=64, gamma=0.25, alpha=1.0, random_state=0)
        return dict(gap=1.0 - model.fit(X).eigenvalues_[0])

    def pydiffmap(X):
        from pydiffmap.diffusion_map import DiffusionMap

        # Its weights are exp(-d^2 / (4 epsilon)), its eigenvalues those of (M - I) / epsilon.
        model = DiffusionMap.from_sklearn(n_evecs=2, k=64, epsilon=1.0, alpha=1.0)
        model.fit(X)
        return dict(gap=-np.real(model.evals[0]))


class tsne(Case):
    """A thousand steps of t-SNE, perplexity 30, from principal components; ten clusters in 20 dimensions."""

    size, quick = dict(n=20_000), dict(n=300)
    goal = dict(sklearn=5, opentsne=1.5)

    def data(n):
        rng = np.random.default_rng(0)
        centres = 4 * rng.normal(size=(10, 20))
        return dict(X=centres[rng.integers(0, 10, n)] + rng.normal(size=(n, 20)))

    def quality(fit, X):
        """Share of the ten nearest rows that are among the ten nearest on the map, over 500 rows."""
        near = []
        for rows in (X, fit.Y):
            square = np.sum(rows**2, axis=1) - 2 * rows[:500] @ rows.T
            square[np.arange(500), np.arange(500)] = np.inf
            near.append(np.argpartition(square, 10, axis=1)[:, :10])
        return {"shared": float(np.mean([len(set(a) & set(b)) for a, b in zip(*near)]) / 10)}

    def statlearn(X):
        from statlearn.manifold import TSNE

        return dict(Y=TSNE(random_state=0).fit_transform(X))

    def sklearn(X):
        from sklearn.manifold import TSNE

        return dict(Y=TSNE(random_state=0).fit_transform(X))

    def opentsne(X):
        from openTSNE import TSNE

        # 250 exaggerated steps and 750 others, as the others do.
        return dict(Y=np.asarray(TSNE(n_iter=750, random_state=0, n_jobs=2).fit(X)))
