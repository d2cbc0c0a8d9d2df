"""Decompositions. The quality is the objective of the method, computed from the factors."""

import warnings

import numpy as np

from benchmarks.case import Case, threads


def _counts(n, p, k, seed=0):
    """Counts around a product of non-negative factors."""
    rng = np.random.default_rng(seed)
    return rng.poisson(0.3 * rng.gamma(1.0, size=(n, k)) @ rng.gamma(1.0, size=(k, p))).astype(float)


def _quiet(function, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **options)


def _factors(cls, X, k, **options):
    model = cls(k, random_state=0, **options)
    W = _quiet(model.fit_transform, X)
    return dict(W=W, H=model.components_, n_iter=model.n_iter_)


class nmf(Case):
    """Non-negative factorisation, Frobenius norm, by coordinate descent with the default stopping rule."""

    size, quick = dict(n=5000, p=1000, k=20), dict(n=60, p=20, k=3)
    goal = dict(sklearn=2)
    accept = dict(objective=1e-2)

    def data(n, p, k):
        return dict(X=_counts(n, p, k), k=k)

    def quality(fit, X, k):
        return dict(objective=np.sum((X - fit.W @ fit.H) ** 2), iterations=fit.n_iter)

    def statlearn(X, k):
        from statlearn.decomposition import NMF

        return _factors(NMF, X, k)

    def sklearn(X, k):
        from sklearn.decomposition import NMF

        return _factors(NMF, X, k)


class nmf_kl(nmf):
    """The same with the Kullback-Leibler divergence, by multiplicative updates."""

    goal = dict(sklearn=4)

    def quality(fit, X, k):
        Y = np.maximum(fit.W @ fit.H, 1e-12)
        log = np.zeros_like(X)
        np.log(X, out=log, where=X > 0)
        return dict(objective=np.sum(X * (log - np.log(Y)) - X + Y), iterations=fit.n_iter)

    def statlearn(X, k):
        from statlearn.decomposition import NMF

        return _factors(NMF, X, k, solver="mu", beta_loss="kullback-leibler")

    def sklearn(X, k):
        from sklearn.decomposition import NMF

        return _factors(NMF, X, k, solver="mu", beta_loss="kullback-leibler")


class nmf_missing(Case):
    """Coordinate descent with 30 per cent of the cells missing, against the complete table."""

    size, quick = nmf.size, nmf.quick

    def data(n, p, k):
        X = _counts(n, p, k)
        return dict(X=X, holes=np.random.default_rng(1).random(X.shape) < 0.3, k=k)

    def quality(fit, X, holes, k):
        return dict(iterations=fit.n_iter)

    def statlearn(X, holes, k):
        from statlearn.decomposition import NMF

        return _factors(NMF, np.where(holes, np.nan, X), k)

    def statlearn_complete(X, holes, k):
        from statlearn.decomposition import NMF

        return _factors(NMF, X, k)


class matching_pursuit(Case):
    """Orthogonal matching pursuit of many signals with ten atoms each. (That of spams chooses atoms by the error they
    leave, a forward selection: it needs the same number of steps.)"""

    size, quick = dict(n=10_000, p=64, k=256, atoms=10), dict(n=50, p=8, k=12, atoms=3)
    goal = dict(spams=1, sklearn=5)
    accept = dict(objective=2e-2)

    def data(n, p, k, atoms):
        rng = np.random.default_rng(0)
        D = rng.normal(size=(k, p))
        return dict(X=rng.normal(size=(n, p)), D=D / np.linalg.norm(D, axis=1, keepdims=True), atoms=atoms)

    def quality(fit, X, D, atoms):
        return dict(objective=np.sum((X - fit.codes @ D) ** 2))

    def statlearn(X, D, atoms):
        from statlearn.decomposition import sparse_encode

        return dict(codes=sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=atoms))

    def sklearn(X, D, atoms):
        from sklearn.decomposition import sparse_encode

        return dict(codes=sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=atoms))

    def spams(X, D, atoms):
        import spams

        codes = spams.omp(np.asfortranarray(X.T), np.asfortranarray(D.T), L=atoms, numThreads=threads())
        return dict(codes=codes.toarray().T)


class dictionary(Case):
    """Dictionary learning with lasso codes, to the objective of spams' online algorithm."""

    size, quick = dict(n=5000, p=64, k=100, alpha=0.5), dict(n=100, p=8, k=10, alpha=0.5)
    goal = dict(spams=1)
    accept = dict(objective=2e-2)

    def data(n, p, k, alpha):
        rng = np.random.default_rng(0)
        D = rng.normal(size=(k, p))
        D /= np.linalg.norm(D, axis=1, keepdims=True)
        codes = np.where(rng.random((n, k)) < 0.05, 3 * rng.normal(size=(n, k)), 0.0)
        return dict(X=codes @ D + 0.1 * rng.normal(size=(n, p)), k=k, alpha=alpha)

    def quality(fit, X, k, alpha):
        from statlearn.decomposition import sparse_encode

        codes = sparse_encode(X, fit.D, alpha=alpha)
        return dict(objective=0.5 * np.sum((X - codes @ fit.D) ** 2) + alpha * np.abs(codes).sum())

    def statlearn(X, k, alpha):
        from statlearn.decomposition import OnlineDictionaryLearning

        model = OnlineDictionaryLearning(k, alpha=alpha, max_iter=4, tol=0, random_state=0)
        return dict(D=model.fit(X).components_)

    def spams(X, k, alpha):
        import spams

        options = dict(K=k, lambda1=alpha, iter=100, batchsize=512, mode=2, verbose=False)
        D = spams.trainDL(np.asfortranarray(X.T), numThreads=threads(), **options)
        return dict(D=np.ascontiguousarray(D.T))

    def sklearn(X, k, alpha):
        from sklearn.decomposition import MiniBatchDictionaryLearning

        model = MiniBatchDictionaryLearning(k, alpha=alpha, max_iter=5, batch_size=64, tol=0, random_state=0)
        return dict(D=_quiet(model.fit, X).components_)


def _ratings(n_users, n_items, n):
    """Ratings of users of equal and items of unequal popularity."""
    from scipy import sparse

    rng = np.random.default_rng(0)
    u, i = rng.integers(n_users, size=n), (n_items * rng.random(n) ** 2).astype(int)
    R = sparse.coo_matrix((rng.integers(1, 6, size=n).astype(float), (u, i)), shape=(n_users, n_items)).tocsr()
    R.data = np.minimum(R.data, 5.0)
    return R


class matrix_factorization(Case):
    """Ten sweeps of alternating least squares with biases."""

    size, quick = dict(n_users=20_000, n_items=5000, n=1_000_000, k=20), dict(n_users=50, n_items=20, n=300, k=2)
    goal = dict(cmfrec=1.5)

    def data(n_users, n_items, n, k):
        return dict(R=_ratings(n_users, n_items, n), k=k)

    def quality(fit, R, k):
        return dict(rmse=fit.rmse)

    def statlearn(R, k):
        from statlearn.decomposition import MatrixFactorization

        model = MatrixFactorization(k, alpha=10.0, max_iter=10, tol=0, random_state=0).fit(R)
        return dict(rmse=-model.score(R))

    def cmfrec(R, k):
        import cmfrec

        C = R.tocoo()
        model = cmfrec.CMF(k=k, lambda_=10.0, niter=10, nthreads=threads(), use_cg=False, verbose=False).fit(C)
        return dict(rmse=np.sqrt(np.mean((model.predict(C.row, C.col) - C.data) ** 2)))


class implicit_factorization(Case):
    """Fifteen sweeps for implicit feedback, conjugate gradients."""

    size, quick = dict(n_users=20_000, n_items=5000, n=1_000_000, k=50), dict(n_users=50, n_items=20, n=300, k=2)
    goal = dict(implicit=1)
    accept = dict(objective=1e-2)

    def data(n_users, n_items, n, k):
        return dict(R=_ratings(n_users, n_items, n), k=k)

    def quality(fit, R, k):
        C = R.tocoo()
        product = np.einsum("ij,ij->i", fit.U[C.row], fit.V[C.col])
        everywhere = np.sum((fit.U.T @ fit.U) * (fit.V.T @ fit.V))
        observed = np.sum((1 + 10.0 * C.data) * (1 - product) ** 2 - product**2)
        return dict(objective=everywhere + observed + np.sum(fit.U**2) + np.sum(fit.V**2))

    def statlearn(R, k):
        from statlearn.decomposition import ImplicitFactorization

        model = ImplicitFactorization(k, max_iter=15, tol=0, random_state=0).fit(R)
        return dict(U=model.user_factors_, V=model.item_factors_)

    def implicit(R, k):
        from implicit.als import AlternatingLeastSquares

        model = AlternatingLeastSquares(
            factors=k,
            regularization=1.0,
            alpha=10.0,
            iterations=15,
            num_threads=threads(),
            use_gpu=False,
            random_state=0,
        )
        model.fit(R, show_progress=False)
        return dict(U=np.asarray(model.user_factors, float), V=np.asarray(model.item_factors, float))


class item_neighbors(Case):
    """The 50 most similar items of each by the cosine of their ratings."""

    size, quick = dict(n_users=50_000, n_items=20_000, n=1_000_000, top=50), dict(n_users=60, n_items=40, n=400, top=5)
    goal = dict(scipy=5)

    def data(n_users, n_items, n, top):
        return dict(R=_ratings(n_users, n_items, n), top=top)

    def quality(fit, R, top):
        return dict(mean_similarity=fit.S.mean())

    def statlearn(R, top):
        from statlearn.decomposition import ItemKNNRecommender

        return dict(S=ItemKNNRecommender(top, over="all", shrinkage=0.0, center=False).fit(R).similarities_)

    def scipy(R, top):
        from scipy import sparse

        lengths = np.sqrt(np.asarray(R.multiply(R).sum(axis=0)).ravel())
        N = (R @ sparse.diags(1.0 / np.where(lengths > 0, lengths, 1.0))).T.tocsr()
        P = (N @ N.T).tocsr()
        P.setdiag(0.0)
        S = np.zeros((P.shape[0], top))
        for i in range(P.shape[0]):
            row = P.data[P.indptr[i] : P.indptr[i + 1]]
            best = np.sort(np.partition(row, -top)[-top:] if len(row) > top else row)[::-1]
            S[i, : len(best)] = best
        return dict(S=S)


class archetypes(Case):
    """Archetypal analysis from one start."""

    size, quick = dict(n=10_000, p=20, k=5), dict(n=100, p=4, k=3)
    goal = dict(archetypes=10)
    accept = dict(objective=2e-2)

    def data(n, p, k):
        rng = np.random.default_rng(0)
        corners = 3 * rng.normal(size=(k, p))
        return dict(X=rng.dirichlet(np.ones(k), size=n) @ corners + 0.1 * rng.normal(size=(n, p)), k=k)

    def quality(fit, X, k):
        from statlearn.decomposition._archetypes import simplex_codes

        centre = fit.Z.mean(axis=0)
        W = simplex_codes(X - centre, fit.Z - centre)
        return dict(objective=np.sum((X - W @ fit.Z) ** 2))

    def statlearn(X, k):
        from statlearn.decomposition import ArchetypalAnalysis

        return dict(Z=_quiet(ArchetypalAnalysis(k, n_init=1, random_state=0).fit, X).archetypes_)

    def archetypes(X, k):
        from archetypes import AA

        return dict(Z=_quiet(AA(n_archetypes=k, n_init=1, max_iter=50, random_state=0).fit, X).archetypes_)


class pca(Case):
    """Twenty components of a tall table in single precision."""

    size, quick = dict(n=100_000, p=300), dict(n=200, p=10)
    goal = dict(faiss=1)

    def data(n, p):
        rng = np.random.default_rng(0)
        k = min(20, p - 1)
        X = rng.normal(size=(n, k)) @ rng.normal(size=(k, p)) + rng.normal(size=(n, p))
        return dict(X=X.astype(np.float32), k=k)

    def quality(fit, X, k):
        Z = X[:5000] - X.mean(axis=0)
        return {"objective": float(np.mean((Z - Z @ fit.V.T @ fit.V) ** 2))}

    def statlearn(X, k):
        from statlearn.decomposition import PCA

        return dict(V=PCA(k).fit(X).components_)

    def sklearn(X, k):
        from sklearn.decomposition import PCA

        return dict(V=PCA(k).fit(X).components_)

    def faiss(X, k):
        import faiss

        model = faiss.PCAMatrix(X.shape[1], k)
        model.train(X)
        return dict(V=faiss.vector_to_array(model.A).reshape(k, X.shape[1]))


class sparse_svd(Case):
    """Truncated decomposition of a sparse table with uneven columns, 50 components."""

    size, quick = dict(n=100_000, p=50_000, nnz=10_000_000, k=50), dict(n=300, p=200, nnz=3000, k=5)
    goal = dict(sklearn=2)

    def data(n, p, nnz, k):
        from scipy import sparse

        rng = np.random.default_rng(0)
        rows, columns = rng.integers(0, n, nnz), (p * rng.random(nnz) ** 2).astype(int)
        X = sparse.csr_matrix((rng.random(nnz), (rows, columns)), shape=(n, p))
        return dict(values=X.data, indices=X.indices, starts=X.indptr, p=p, k=k)

    def quality(fit, values, indices, starts, p, k):
        return {"objective": -float(np.sum(fit.s**2))}

    def statlearn(values, indices, starts, p, k):
        from scipy import sparse

        from statlearn.decomposition import TruncatedSVD

        X = sparse.csr_matrix((values, indices, starts), shape=(len(starts) - 1, p))
        return dict(s=TruncatedSVD(k, random_state=0).fit(X).singular_values_)

    def sklearn(values, indices, starts, p, k):
        from scipy import sparse
        from sklearn.decomposition import TruncatedSVD

        X = sparse.csr_matrix((values, indices, starts), shape=(len(starts) - 1, p))
        return dict(s=TruncatedSVD(k, random_state=0).fit(X).singular_values_)


class ica(Case):
    """Thirty Laplace sources, parallel fixed-point iteration from the same start."""

    size, quick = dict(n=100_000, k=30), dict(n=500, k=3)
    goal = dict(sklearn=2)

    def data(n, k):
        rng = np.random.default_rng(0)
        return dict(X=rng.laplace(size=(n, k)) @ rng.normal(size=(k, k)))

    def quality(fit, X):
        from statlearn.decomposition import negentropy

        return {"objective": -float(np.sum(negentropy(X @ fit.W.T)))}

    def statlearn(X):
        from statlearn.decomposition import FastICA

        return dict(W=_quiet(FastICA(random_state=0).fit, X).components_)

    def sklearn(X):
        from sklearn.decomposition import FastICA

        return dict(W=_quiet(FastICA(random_state=0, whiten_solver="eigh").fit, X).components_)


class sparse_pca(Case):
    """Ten components with a tenth of the loadings, dictionary form."""

    size, quick = dict(n=2000, p=600), dict(n=60, p=20)
    goal = dict(sklearn=1.5)

    def data(n, p):
        rng = np.random.default_rng(0)
        V = rng.normal(size=(10, p)) * (rng.random((10, p)) < 0.1)
        return dict(X=rng.normal(size=(n, 10)) @ V + 0.5 * rng.normal(size=(n, p)))

    def quality(fit, X):
        return {"objective": float(fit.error)}

    def statlearn(X):
        from statlearn.decomposition import SparsePCA

        return dict(error=_quiet(SparsePCA(10, max_iter=100, random_state=0).fit, X).error_[-1])

    def sklearn(X):
        from sklearn.decomposition import SparsePCA

        return dict(error=_quiet(SparsePCA(10, max_iter=100, random_state=0, method="cd").fit, X).error_[-1])


class pursuit(Case):
    """Rank 20 with 5 % corrupted cells to 1e-6, against thirty partial decompositions."""

    size, quick = dict(n=1000, k=20), dict(n=60, k=2)
    goal = dict(scipy=1)

    def data(n, k):
        rng = np.random.default_rng(0)
        L = rng.normal(size=(n, k)) @ rng.normal(size=(k, n))
        S = np.where(rng.random((n, n)) < 0.05, 10 * np.sqrt(k) * rng.choice([-1, 1], size=(n, n)), 0.0)
        return dict(X=L + S, k=k)

    def quality(fit, X, k):
        return {"rank": float(fit.rank)}

    def statlearn(X, k):
        from statlearn.decomposition import PrincipalComponentPursuit

        return dict(rank=PrincipalComponentPursuit(tol=1e-6).fit(X).n_components_)

    def scipy(X, k):
        from scipy.sparse.linalg import svds

        for _ in range(30):
            svds(X, k=k, random_state=0)
        return dict(rank=k)
