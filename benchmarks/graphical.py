"""Graphical models. The quality is the penalised likelihood, so that a peer that stops early is seen."""

import numpy as np

from benchmarks.case import Case, R


def _covariance(n, p, seed=0):
    """Correlations of n rows of a sparse Gaussian model."""
    rng = np.random.default_rng(seed)
    K = np.zeros((p, p))
    for i in range(p):
        for j in rng.integers(0, p, 2):
            if i != j:
                K[i, j] = K[j, i] = rng.uniform(0.2, 0.5) * rng.choice([-1, 1])
    K += np.diag(np.abs(K).sum(axis=1) + 0.1)
    X = rng.normal(size=(n, p)) @ np.linalg.cholesky(np.linalg.inv(K)).T
    return X, np.corrcoef(X, rowvar=False)


def _objective(S, K, alpha):
    off = np.abs(K).sum() - np.abs(np.diag(K)).sum()
    return -np.linalg.slogdet(K)[1] + np.sum(S * K) + alpha * off


class graphical_lasso(Case):
    """One penalty, covariance given."""

    size, quick = dict(n=500, p=200, alpha=0.05), dict(n=60, p=8, alpha=0.1)
    goal = dict(glasso=1.5, sklearn=10)
    accept = dict(objective=1e-5)

    def data(n, p, alpha):
        return dict(S=_covariance(n, p)[1], alpha=alpha)

    def quality(fit, S, alpha):
        return dict(objective=_objective(S, fit.K, alpha))

    def statlearn(S, alpha):
        from statlearn.graphical import graphical_lasso

        return dict(K=graphical_lasso(S, alpha)[1])

    def sklearn(S, alpha):
        from sklearn.covariance import graphical_lasso

        return dict(K=graphical_lasso(S, alpha, max_iter=200)[1])

    def skglm(S, alpha):
        from skglm.covariance import GraphicalLasso

        return dict(K=GraphicalLasso(alpha, tol=1e-4).fit(S, mode="precomputed").precision_)

    def gglasso(S, alpha):
        from gglasso.solver.single_admm_solver import ADMM_SGL

        return dict(K=ADMM_SGL(S, alpha, np.eye(len(S)), tol=1e-6, rtol=1e-5)[0]["Theta"])

    glasso = R("list(K = glasso(S, alpha, penalize.diagonal = FALSE)$wi)", "glasso")


class graphical_lasso_sparse(graphical_lasso):
    """A thousand columns and a sparse graph."""

    size, quick = dict(n=500, p=1000, alpha=0.2), dict(n=60, p=10, alpha=0.3)
    goal = dict(glasso=3)
    sklearn = None


class graphical_lasso_path(Case):
    """Ten penalties, covariance given."""

    size, quick = dict(n=500, p=200), dict(n=60, p=8)
    goal = dict(glasso=1.5, sklearn=10)
    accept = dict(objective=1e-5)

    def data(n, p):
        S = _covariance(n, p)[1]
        return dict(S=S, alphas=np.geomspace(0.8, 0.05, 10) * np.abs(S - np.eye(p)).max())

    def quality(fit, S, alphas):
        return dict(objective=np.array([_objective(S, K, a) for K, a in zip(fit.K, alphas)]))

    def statlearn(S, alphas):
        from statlearn.graphical import graphical_lasso_path

        return dict(K=np.array(graphical_lasso_path(S, alphas, covariance="precomputed").precisions))

    def sklearn(S, alphas):
        from sklearn.covariance import graphical_lasso

        return dict(K=np.array([graphical_lasso(S, a, max_iter=200)[1] for a in alphas]))

    def skglm(S, alphas):
        from skglm.covariance import GraphicalLasso

        # Its faster algorithm has no warm start.
        return dict(K=np.array([GraphicalLasso(a, tol=1e-4).fit(S, mode="precomputed").precision_ for a in alphas]))

    # glassopath wants increasing penalties; the objective is compared in the order of `alphas`.
    glasso = R(
        "{ f <- glassopath(S, rev(alphas), penalize.diagonal = FALSE, trace = 0)$wi;"
        " list(K = aperm(f[, , length(alphas):1], c(3, 1, 2))) }",
        "glasso",
    )


class graphical_lasso_cv(Case):
    """The penalty by cross-validation, five folds, four grids."""

    size, quick = dict(n=500, p=200), dict(n=60, p=5)
    goal = dict(sklearn=10)
    accept = dict(objective=1e-3)

    def data(n, p):
        X, _ = _covariance(n, p)
        return dict(X=X / X.std(axis=0))

    def quality(fit, X):
        return dict(objective=-float(np.max(fit.score)))

    def statlearn(X):
        from statlearn.graphical import GraphicalLassoCV

        return dict(score=GraphicalLassoCV().fit(X).cv_results_["mean_test_score"])

    def sklearn(X):
        from sklearn.covariance import GraphicalLassoCV

        return dict(score=GraphicalLassoCV().fit(X).cv_results_["mean_test_score"])


class known_graph(Case):
    """Maximum likelihood on a known sparse graph."""

    size, quick = dict(n=2000, p=500), dict(n=60, p=8)
    goal = dict(ggm=5)
    accept = dict(objective=1e-4)

    def data(n, p):
        S = _covariance(n, p)[1]
        rng = np.random.default_rng(1)
        graph = np.eye(p, k=1) + np.eye(p, k=-1)
        for i, j in rng.integers(0, p, (p, 2)):
            if i != j:
                graph[i, j] = graph[j, i] = 1.0
        return dict(S=S, graph=graph, n=n)

    def quality(fit, S, graph, n):
        W = fit.W
        return dict(objective=float(np.linalg.slogdet(W)[1] + np.sum(S * np.linalg.inv(W))))

    def statlearn(S, graph, n):
        from statlearn.graphical import GaussianGraphicalMLE

        model = GaussianGraphicalMLE(graph, covariance="precomputed", tol=1e-6).fit(S)
        return dict(W=model.covariance_)

    ggm = R(
        "{ dimnames(S) <- dimnames(graph) <- list(1:nrow(S), 1:nrow(S)); list(W = fitConGraph(graph, S, n)$Shat) }",
        "ggm",
    )


class rbm(Case):
    """One pass of persistent contrastive divergence over binary images."""

    size, quick = dict(n=60_000, p=784, h=256), dict(n=100, p=16, h=4)
    goal = dict(sklearn=2)

    def data(n, p, h):
        rng = np.random.default_rng(0)
        patterns = rng.random((10, p)) < 0.2
        X = patterns[rng.integers(0, 10, n)] ^ (rng.random((n, p)) < 0.05)
        return dict(X=X.astype(np.float64), h=h)

    def quality(fit, X, h):
        hidden = 1 / (1 + np.exp(-(X[:2000] @ fit.W.T + fit.c)))
        back = 1 / (1 + np.exp(-(hidden @ fit.W + fit.b)))
        return dict(error=float(np.mean((back - X[:2000]) ** 2)))

    def statlearn(X, h):
        from statlearn.graphical import BernoulliRBM

        m = BernoulliRBM(h, n_iter=1, random_state=0).fit(X)
        return dict(W=m.components_, b=m.intercept_visible_, c=m.intercept_hidden_)

    def sklearn(X, h):
        from sklearn.neural_network import BernoulliRBM

        m = BernoulliRBM(h, n_iter=1, random_state=0).fit(X)
        return dict(W=m.components_, b=m.intercept_visible_, c=m.intercept_hidden_)
