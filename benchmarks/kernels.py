"""Kernel matrices, kernel ridge regression, approximate features. The quality is the error against exact values."""

import numpy as np

from benchmarks.case import Case


def _rows(n, p, dtype, seed=0):
    return np.random.default_rng(seed).random((n, p)).astype(dtype)


def _sparse(values, columns, starts, p):
    from scipy import sparse

    return sparse.csr_matrix((values, columns, starts), shape=(len(starts) - 1, int(p)))


def _worst(K, X, kernel):
    """Largest error of the first rows, in double precision."""
    some = X[:50].astype(np.float64)
    return dict(error=float(np.abs(K - kernel(some, X.astype(np.float64))).max()))


class rbf_gram(Case):
    """Gaussian kernel matrix of rows with themselves."""

    size, quick = dict(n=5000, p=20, gamma=0.05, dtype="float64"), dict(n=200)
    grow = dict(n=[1000, 2000, 5000, 10_000], p=[5, 20, 100, 500])
    goal = dict(sklearn=2)
    accept = dict(error=1e-12)

    def data(n, p, gamma, dtype):
        return dict(X=_rows(n, p, dtype), gamma=gamma)

    def quality(fit, X, gamma):
        from scipy.spatial.distance import cdist

        return _worst(fit.K, X, lambda A, B: np.exp(-gamma * cdist(A, B, "sqeuclidean")))

    def statlearn(X, gamma):
        from statlearn.kernels import rbf_kernel

        return dict(K=rbf_kernel(X, gamma=gamma)[:50].copy())

    def sklearn(X, gamma):
        from sklearn.metrics.pairwise import rbf_kernel

        return dict(K=rbf_kernel(X, gamma=gamma)[:50].copy())


class rbf_gram_float(rbf_gram):
    """The same in single precision."""

    size = dict(n=5000, p=20, gamma=0.05, dtype="float32")
    goal = dict(sklearn=4)
    accept = dict(error=1e-5)


class rbf_cross(Case):
    """Gaussian kernel between two tables, as a prediction needs it."""

    size, quick = dict(n=20_000, m=1000, p=20, gamma=0.05), dict(n=300, m=50)
    grow = dict(n=[5000, 20_000, 80_000])
    goal = dict(sklearn=2)
    accept = dict(error=1e-12)

    def data(n, m, p, gamma):
        return dict(X=_rows(n, p, float), Y=_rows(m, p, float, 1), gamma=gamma)

    def quality(fit, X, Y, gamma):
        from scipy.spatial.distance import cdist

        return dict(error=float(np.abs(fit.K - np.exp(-gamma * cdist(X[:50], Y, "sqeuclidean"))).max()))

    def statlearn(X, Y, gamma):
        from statlearn.kernels import rbf_kernel

        return dict(K=rbf_kernel(X, Y, gamma=gamma)[:50].copy())

    def sklearn(X, Y, gamma):
        from sklearn.metrics.pairwise import rbf_kernel

        return dict(K=rbf_kernel(X, Y, gamma=gamma)[:50].copy())


class laplacian_gram(Case):
    """Laplacian kernel matrix."""

    size, quick = dict(n=3000, p=20), dict(n=200)
    goal = dict(sklearn=2)
    accept = dict(error=1e-12)

    def data(n, p):
        return dict(X=_rows(n, p, float))

    def quality(fit, X):
        from scipy.spatial.distance import cdist

        return _worst(fit.K, X, lambda A, B: np.exp(-cdist(A, B, "cityblock") / X.shape[1]))

    def statlearn(X):
        from statlearn.kernels import laplacian_kernel

        return dict(K=laplacian_kernel(X)[:50].copy())

    def sklearn(X):
        from sklearn.metrics.pairwise import laplacian_kernel

        return dict(K=laplacian_kernel(X)[:50].copy())


class chi2_gram(Case):
    """Chi-squared kernel matrix."""

    size, quick = dict(n=3000, p=20), dict(n=200)
    goal = dict(sklearn=2)
    accept = dict(error=1e-12)

    def data(n, p):
        return dict(X=_rows(n, p, float))

    def quality(fit, X):
        return _worst(fit.K, X, lambda A, B: np.exp(-np.sum((A[:, None] - B) ** 2 / (A[:, None] + B), axis=2)))

    def statlearn(X):
        from statlearn.kernels import chi2_kernel

        return dict(K=chi2_kernel(X)[:50].copy())

    def sklearn(X):
        from sklearn.metrics.pairwise import chi2_kernel

        return dict(K=chi2_kernel(X)[:50].copy())


class cosine_sparse(Case):
    """Cosine similarities of sparse rows, dense result."""

    size, quick = dict(n=4000, p=20_000, entries=60), dict(n=100, p=500)
    goal = dict(sklearn=1)
    accept = dict(error=1e-12)

    def data(n, p, entries):
        from scipy import sparse

        X = sparse.random(n, p, density=entries / p, format="csr", random_state=0)
        return dict(values=X.data, columns=X.indices, starts=X.indptr, p=p)

    def quality(fit, values, columns, starts, p):
        X = _sparse(values, columns, starts, p)
        A = X[:50].toarray()
        B = X.toarray()
        norms = np.outer(np.linalg.norm(A, axis=1), np.linalg.norm(B, axis=1))
        return dict(error=float(np.abs(fit.K - A @ B.T / norms).max()))

    def statlearn(values, columns, starts, p):
        from statlearn.kernels import cosine_similarity

        return dict(K=cosine_similarity(_sparse(values, columns, starts, p))[:50].copy())

    def sklearn(values, columns, starts, p):
        from sklearn.metrics.pairwise import cosine_similarity

        return dict(K=cosine_similarity(_sparse(values, columns, starts, p))[:50].copy())


class kernel_ridge_cv(Case):
    """Kernel ridge regression, 50 penalties by leave-one-out; scipy: the eigendecomposition alone."""

    size, quick = dict(n=3000, p=10, k=50), dict(n=100, k=5)
    grow = dict(n=[500, 1000, 2000], k=[1, 50, 200])
    goal = dict(scipy=0.9)

    def data(n, p, k):
        X = np.random.default_rng(0).normal(size=(n, p))
        y = np.sin(X[:, 0]) + X[:, 1] + 0.3 * np.random.default_rng(1).normal(size=n)
        return dict(X=X, y=y, alphas=np.geomspace(100, 1e-4, k))

    def statlearn(X, y, alphas):
        from statlearn.kernels import KernelRidgeCV

        m = KernelRidgeCV(alphas).fit(X, y)
        return dict(alpha=m.alpha_)

    def scipy(X, y, alphas):
        from scipy.linalg import eigh
        from sklearn.metrics.pairwise import rbf_kernel

        return dict(values=eigh(rbf_kernel(X), driver="evd")[0])


class kernel_ridge_path(kernel_ridge_cv):
    """Kernel ridge regression, 20 penalties; scikit-learn: five folds by grid search, which is not leave-one-out."""

    size, quick = dict(n=1000, p=10, k=20), dict(n=100, k=5)
    goal = dict(sklearn=5)
    scipy = None

    def sklearn(X, y, alphas):
        from sklearn.kernel_ridge import KernelRidge
        from sklearn.model_selection import GridSearchCV

        m = GridSearchCV(KernelRidge(kernel="rbf"), {"alpha": alphas}, cv=5).fit(X, y - y.mean())
        return dict(alpha=m.best_params_["alpha"])


class nystroem(Case):
    """300 features of a Gaussian kernel from landmarks."""

    size, quick = dict(n=50_000, p=20, m=300), dict(n=500, m=50)
    goal = dict(sklearn=1.5)

    def data(n, p, m):
        return dict(X=_rows(n, p, float), m=m)

    def quality(fit, X, m):
        from scipy.spatial.distance import cdist

        return dict(
            objective=1 + float(np.abs(fit.Z @ fit.Z.T - np.exp(-cdist(X[:200], X[:200], "sqeuclidean") / 20)).max())
        )

    def statlearn(X, m):
        from statlearn.kernels import Nystroem

        return dict(Z=Nystroem(gamma=1 / 20, n_components=m, random_state=0).fit_transform(X)[:200].copy())

    def sklearn(X, m):
        from sklearn.kernel_approximation import Nystroem

        return dict(Z=Nystroem(gamma=1 / 20, n_components=m, random_state=0).fit_transform(X)[:200].copy())
