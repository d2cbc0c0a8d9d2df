"""The linear family. Cases are called by their class names on the command line: hence the lower case.

Each peer gets the setting a knowledgeable user would choose for the asked quality; where its default is
looser than that, both are here (`adelie`, `adelie_tight`) and the quality columns say what each reaches.
`statlearn_loose` is our path at about the gap that the defaults of adelie and glmnet leave (3e-3 to 6e-3), so that
loose is compared with loose and tight with tight.
"""

import subprocess
import sys

import numpy as np

from benchmarks.case import Case, R, threads
from benchmarks.problems import (
    alpha_grid,
    correlated,
    group_gaps,
    lasso_gaps,
    lasso_objective,
    log_loss,
    logistic_gaps,
    poisson_gaps,
    r_squared,
    sparse_classification,
    sparse_counts,
    sparse_regression,
)


class least_squares(Case):
    """Least squares; statlearn and statsmodels with the inference table, the others without."""

    size, quick = dict(n=1_000_000, p=50), dict(n=300, p=5)
    grow = dict(n=[62_500, 250_000, 1_000_000], p=[25, 50, 100])
    goal = dict(sklearnex=1, sklearn=10)
    accept = dict(objective=1e-10)

    def data(n, p):
        X, y = sparse_regression(n, p, k=p)
        return dict(X=np.ascontiguousarray(X), y=y)

    def quality(fit, X, y):
        r = y - fit.intercept - X @ fit.coef
        measures = dict(objective=r @ r / 2)
        if hasattr(fit, "std_error"):  # slopes only; the formula, literally, on centred columns
            C = X - X.mean(axis=0)
            se = np.sqrt(r @ r / (len(y) - X.shape[1] - 1) * np.diag(np.linalg.inv(C.T @ C)))
            measures["error of se"] = np.abs(fit.std_error / se - 1)
        return measures

    def statlearn(X, y):
        from statlearn.linear import LinearRegression

        m = LinearRegression().fit(X, y)
        table = m.summary()
        return dict(coef=m.coef_, intercept=m.intercept_, std_error=np.asarray(table["std_error"])[1:])

    def sklearn(X, y):
        from sklearn.linear_model import LinearRegression

        m = LinearRegression().fit(X, y)
        return dict(coef=m.coef_, intercept=m.intercept_)

    def sklearnex(X, y):
        from sklearnex.linear_model import LinearRegression

        m = LinearRegression().fit(X, y)
        return dict(coef=m.coef_, intercept=m.intercept_)

    def statsmodels(X, y):
        import statsmodels.api as sm

        m = sm.OLS(y, sm.add_constant(X)).fit(method="qr")
        m.summary()
        return dict(coef=m.params[1:], intercept=m.params[0], std_error=m.bse[1:])


class ridge_cv(Case):
    """RidgeCV, 50 alphas, leave-one-out."""

    size, quick = dict(n=20_000, p=500), dict(n=60, p=5)
    grow = dict(n=[5_000, 20_000, 80_000], p=[125, 250, 500])
    goal = dict(sklearn=20)
    accept = dict(objective=1e-8)

    def data(n, p):
        X, y = sparse_regression(n, p, k=p // 2, rho=0.9, snr=0.5)
        return dict(X=np.ascontiguousarray(X), y=y, alphas=np.geomspace(1e-2, 1e5, 50))

    def quality(fit, X, y, alphas):
        """All must choose the same alpha: the objective is compared at each one's own."""
        r = y - fit.intercept - X @ fit.coef
        return dict(objective=(r @ r + fit.alpha * fit.coef @ fit.coef) / 2, alpha=fit.alpha)

    def statlearn(X, y, alphas):
        from statlearn.linear import RidgeCV

        m = RidgeCV(alphas=alphas).fit(X, y)
        return dict(coef=m.coef_, intercept=m.intercept_, alpha=m.alpha_)

    def sklearn(X, y, alphas):
        from sklearn.linear_model import RidgeCV

        m = RidgeCV(alphas=alphas).fit(X, y)
        return dict(coef=m.coef_, intercept=m.intercept_, alpha=m.alpha_)


class lasso_path_wide(Case):
    """Lasso path, 100 alphas, many more columns than rows."""

    size, quick = dict(n=1_000, p=10_000, k=50, eps=1e-2), dict(n=60, p=100, k=5)
    grow = dict(n=[250, 500, 1_000, 2_000], p=[2_500, 5_000, 10_000, 20_000])
    goal = dict(adelie=1.5, sklearn=8, celer=8)
    accept = dict(gap=1e-4)

    def data(n, p, k, eps):
        X, y = sparse_regression(n, p, k, centre=True)
        return dict(X=X, y=y, alphas=alpha_grid(np.abs(X.T @ y).max() / n, eps))

    def quality(fit, X, y, alphas):
        coefs = fit.coefs
        return dict(gap=lasso_gaps(X, y, alphas, coefs), objective=lasso_objective(X, y, alphas, coefs))

    def statlearn(X, y, alphas, tol=1e-4):
        from statlearn.linear import lasso_path

        return dict(coefs=lasso_path(X, y, alphas=alphas, tol=tol)[1])

    def statlearn_loose(X, y, alphas):
        return lasso_path_wide.statlearn(X, y, alphas, tol=5e-3)

    def sklearn(X, y, alphas):
        from sklearn.linear_model import lasso_path

        # It stops at gap <= tol |y|^2, twice the objective at zero.
        return dict(coefs=lasso_path(X, y, alphas=alphas, tol=5e-5, max_iter=10_000)[1])

    def celer(X, y, alphas):
        from celer import celer_path

        return dict(coefs=celer_path(X, y, "lasso", alphas=alphas, tol=4e-5, prune=1, max_iter=100)[1])

    def skglm(X, y, alphas):
        from skglm.datafits import Quadratic
        from skglm.penalties import L1
        from skglm.solvers import AndersonCD

        # Its tolerance is on the violation of the optimality conditions, in the units of alpha.
        solver = AndersonCD(tol=alphas[-1] * 1e-2, fit_intercept=False, max_iter=1000)
        return dict(coefs=solver.path(X, y, Quadratic(), L1(alphas[0]), alphas)[1])

    def adelie(X, y, alphas, **options):
        import adelie as ad

        fixed = dict(intercept=False, early_exit=False, progress_bar=False, n_threads=threads())
        state = ad.grpnet(X, ad.glm.gaussian(y), lmda_path=alphas, **fixed, **options)
        return dict(coefs=state.betas.toarray().T)

    def adelie_tight(X, y, alphas):
        return lasso_path_wide.adelie(X, y, alphas, tol=1e-11)

    glmnet = R("""
        fit <- glmnet(X, y, lambda = alphas, standardize = FALSE, intercept = FALSE)
        list(coefs = as.matrix(fit$beta))""")
    glmnet_tight = R("""
        fit <- glmnet(X, y, lambda = alphas, standardize = FALSE, intercept = FALSE,
                      thresh = 1e-11, maxit = 1e7)
        list(coefs = as.matrix(fit$beta))""")


class lasso_path_tall(lasso_path_wide):
    """Lasso path, 100 alphas, many more rows than columns."""

    size, quick = dict(n=100_000, p=200, k=40, eps=1e-3), dict(n=200, p=10, k=4)
    grow = dict(n=[25_000, 50_000, 100_000, 200_000], p=[50, 100, 200, 400])
    goal = dict(adelie_cov=1.5)

    def adelie_cov(X, y, alphas, **options):
        import adelie as ad

        fixed = dict(early_exit=False, rdev_tol=0, progress_bar=False, n_threads=threads())
        state = ad.gaussian_cov(X.T @ X / len(y), X.T @ y / len(y), lmda_path=alphas, **fixed, **options)
        return dict(coefs=state.betas.toarray().T)

    def adelie_cov_tight(X, y, alphas):
        return lasso_path_tall.adelie_cov(X, y, alphas, tol=1e-10)

    statlearn_loose = None
    adelie_tight = None
    glmnet_tight = None
    glmnet = R("""
        fit <- glmnet(X, y, lambda = alphas, standardize = FALSE, intercept = FALSE,
                      type.gaussian = "covariance")
        list(coefs = as.matrix(fit$beta))""")


class lasso_cv(Case):
    """LassoCV, 100 alphas, 10 folds."""

    size, quick = dict(n=2_000, p=2_000, k=50, eps=3e-2), dict(n=100, p=20, k=5)
    grow = dict(n=[500, 1_000, 2_000], p=[500, 1_000, 2_000])
    goal = dict(adelie=2, sklearn=8)
    accept = dict(gap=1e-4)

    def data(n, p, k, eps):
        X, y = sparse_regression(2 * n, p, k, snr=1.0)
        X, X_test, y, y_test = np.asfortranarray(X[:n]), X[n:], y[:n], y[n:]
        alphas = alpha_grid(np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / n, eps)
        folds = np.arange(n) * 10 // n + 1  # consecutive, as KFold cuts them
        return dict(X=X, y=y, alphas=alphas, folds=folds, X_test=X_test, y_test=y_test)

    def quality(fit, X, y, X_test, y_test, **_):
        C, c, alpha = X - X.mean(axis=0), y - y.mean(), np.atleast_1d(fit.alpha)
        gap = lasso_gaps(C, c, alpha, fit.coef.reshape(-1, 1))
        return {"gap": gap, "alpha": fit.alpha, "test R2": r_squared(X_test, y_test, fit)}

    def statlearn(X, y, alphas, **_):
        from sklearn.model_selection import KFold

        from statlearn.linear import LassoCV

        m = LassoCV(alphas=alphas, cv=KFold(10), tol=1e-4, n_jobs=threads()).fit(X, y)
        return dict(coef=m.coef_, intercept=m.intercept_, alpha=m.alpha_)

    def sklearn(X, y, alphas, **_):
        from sklearn.linear_model import LassoCV
        from sklearn.model_selection import KFold

        m = LassoCV(alphas=alphas, cv=KFold(10), tol=5e-5, max_iter=10_000, n_jobs=threads()).fit(X, y)
        return dict(coef=m.coef_, intercept=m.intercept_, alpha=m.alpha_)

    def celer(X, y, alphas, **_):
        from celer import LassoCV
        from sklearn.model_selection import KFold

        m = LassoCV(alphas=alphas, cv=KFold(10), tol=5e-5, n_jobs=threads()).fit(X, y)
        return dict(coef=m.coef_, intercept=m.intercept_, alpha=m.alpha_)

    def adelie(X, y, alphas, **_):
        import adelie as ad

        glm, n_threads = ad.glm.gaussian(y), threads()
        eps = alphas[-1] / alphas[0]
        options = dict(progress_bar=False, n_threads=n_threads)
        cv = ad.cv_grpnet(X, glm, n_folds=10, min_ratio=eps, lmda_path_size=len(alphas), seed=0, **options)
        state = cv.fit(X, glm, lmda_path_size=cv.best_idx + 1, **options)
        return dict(coef=state.betas.toarray()[-1], intercept=state.intercepts[-1], alpha=cv.lmdas[cv.best_idx])

    glmnet = R("""
        cv <- cv.glmnet(X, y, lambda = alphas, foldid = folds, standardize = FALSE)
        w <- as.numeric(coef(cv, s = "lambda.min"))
        list(coef = w[-1], intercept = w[1], alpha = cv$lambda.min)""")


class _logistic(Case):
    """Shared by the two- and the many-class case: sum of log losses + |w|^2 / 2, intercepts free."""

    def _fit(model, X, y):
        m = model.fit(X, y)
        return dict(coef=m.coef_, intercept=m.intercept_)

    def statlearn(X, y):
        from statlearn.linear import LogisticRegression

        return _logistic._fit(LogisticRegression(C=1.0, tol=1e-8), X, y)

    def sklearn_lbfgs(X, y):
        from sklearn.linear_model import LogisticRegression

        return _logistic._fit(LogisticRegression(C=1.0, tol=1e-5, max_iter=1000), X, y)

    def sklearn_newton(X, y):
        from sklearn.linear_model import LogisticRegression

        return _logistic._fit(LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-4), X, y)

    def sklearnex(X, y):
        from sklearnex.linear_model import LogisticRegression

        return _logistic._fit(LogisticRegression(C=1.0, tol=1e-5, max_iter=1000), X, y)


class logistic(_logistic):
    """Logistic regression, L2 penalty."""

    size, quick = dict(n=500_000, p=50), dict(n=300, p=5)
    grow = dict(n=[31_250, 125_000, 500_000], p=[25, 50, 100])
    goal = dict(sklearnex=1.5, sklearn_lbfgs=1.5)
    accept = dict(objective=1e-8)

    def data(n, p):
        X, y = sparse_classification(n, p, k=p // 2)
        return dict(X=np.ascontiguousarray(X), y=y)

    def quality(fit, X, y):
        w, b = fit.coef.ravel(), fit.intercept.ravel()
        return dict(objective=log_loss(y, X @ w + b) + w @ w / 2)


class multinomial(_logistic):
    """Multinomial regression, L2 penalty, 10 classes."""

    size, quick = dict(n=60_000, p=100, K=10), dict(n=300, p=5, K=3)
    grow = dict(n=[15_000, 30_000, 60_000], p=[50, 100, 200])
    goal = dict(sklearnex=1.5)
    accept = dict(objective=1e-8)

    def data(n, p, K):
        rng = np.random.default_rng(0)
        X = correlated(n, p, rng)
        score = X @ rng.normal(size=(p, K)) / np.sqrt(p) * 1.5 + rng.gumbel(size=(n, K))
        return dict(X=np.ascontiguousarray(X), y=score.argmax(axis=1))

    def quality(fit, X, y):
        score = X @ fit.coef.T + fit.intercept
        score -= score.max(axis=1, keepdims=True)
        loss = np.log(np.exp(score).sum(axis=1)) - score[np.arange(len(y)), y]
        return dict(objective=loss.sum() + np.sum(fit.coef**2) / 2)


class logistic_path(Case):
    """Logistic L1 path, 100 alphas, free intercept."""

    size, quick = dict(n=5_000, p=2_000, k=50, eps=1e-2), dict(n=100, p=20, k=5)
    grow = dict(n=[1_250, 2_500, 5_000], p=[500, 1_000, 2_000])
    goal = dict(adelie=2, glmnet=2)
    accept = dict(gap=1e-4)

    def data(n, p, k, eps):
        X, y = sparse_classification(n, p, k)
        return dict(X=X, y=y, alphas=alpha_grid(np.abs(X.T @ (y - y.mean())).max() / n, eps))

    def quality(fit, X, y, alphas):
        w, b = fit.coefs, fit.intercepts
        objective = log_loss(y, X @ w + b) / len(y) + alphas * np.abs(w).sum(axis=0)
        return dict(gap=logistic_gaps(X, y, alphas, w, b), objective=objective)

    def statlearn(X, y, alphas, tol=1e-4):
        from statlearn.linear import logistic_path

        _, coefs, intercepts, *_ = logistic_path(X, y, alphas=alphas, tol=tol)
        return dict(coefs=coefs, intercepts=intercepts)

    def statlearn_loose(X, y, alphas):
        return logistic_path.statlearn(X, y, alphas, tol=4e-3)

    def adelie(X, y, alphas, **options):
        import adelie as ad

        fixed = dict(early_exit=False, progress_bar=False, n_threads=threads())
        state = ad.grpnet(X, ad.glm.binomial(y), lmda_path=alphas, **fixed, **options)
        return dict(coefs=state.betas.toarray().T, intercepts=state.intercepts)

    def adelie_tight(X, y, alphas):
        return logistic_path.adelie(X, y, alphas, tol=1e-11, irls_tol=1e-11)

    def skglm(X, y, alphas):
        from skglm.datafits import Logistic
        from skglm.penalties import L1
        from skglm.solvers import ProxNewton

        solver, coefs = ProxNewton(tol=alphas[-1] * 1e-1, fit_intercept=True, max_iter=100), []
        w, score = np.zeros(X.shape[1] + 1), np.zeros(len(y))
        for alpha in alphas:
            w = solver.solve(X, 2 * y - 1, Logistic(), L1(alpha), w.copy(), score)[0]
            score = X @ w[:-1] + w[-1]
            coefs.append(w)
        coefs = np.array(coefs).T
        return dict(coefs=coefs[:-1], intercepts=coefs[-1])

    glmnet = R("""
        fit <- glmnet(X, y, family = "binomial", lambda = alphas, standardize = FALSE)
        list(coefs = as.matrix(fit$beta), intercepts = fit$a0)""")
    glmnet_tight = R("""
        fit <- glmnet(X, y, family = "binomial", lambda = alphas, standardize = FALSE,
                      thresh = 1e-11, maxit = 1e7)
        list(coefs = as.matrix(fit$beta), intercepts = fit$a0)""")


class poisson(Case):
    """Poisson regression, L2 penalty: mean half deviance + alpha |w|^2 / 2, intercept free."""

    size, quick = dict(n=500_000, p=50), dict(n=300, p=5)
    grow = dict(n=[31_250, 125_000, 500_000], p=[25, 50, 100])
    goal = dict(sklearn_lbfgs=1.5)
    accept = dict(objective=1e-8)
    alpha = 1e-4

    def data(n, p):
        X, y = sparse_counts(n, p, k=p // 2)
        return dict(X=np.ascontiguousarray(X), y=y)

    def quality(fit, X, y):
        eta = X @ fit.coef + fit.intercept
        return dict(objective=np.mean(np.exp(eta) - y * eta) + poisson.alpha * fit.coef @ fit.coef / 2)

    def _fit(model, X, y):
        m = model.fit(X, y)
        return dict(coef=m.coef_, intercept=m.intercept_)

    def statlearn(X, y):
        from statlearn.linear import PoissonRegressor

        return poisson._fit(PoissonRegressor(alpha=poisson.alpha, tol=1e-6), X, y)

    def sklearn_lbfgs(X, y):
        from sklearn.linear_model import PoissonRegressor

        return poisson._fit(PoissonRegressor(alpha=poisson.alpha, tol=1e-6, max_iter=1000), X, y)

    def sklearn_newton(X, y):
        from sklearn.linear_model import PoissonRegressor

        return poisson._fit(PoissonRegressor(alpha=poisson.alpha, tol=1e-6, solver="newton-cholesky"), X, y)


class poisson_path(Case):
    """Poisson L1 path, 100 alphas, free intercept."""

    size, quick = dict(n=5_000, p=1_000, k=50, eps=1e-2), dict(n=100, p=20, k=5)
    grow = dict(n=[1_250, 2_500, 5_000], p=[250, 500, 1_000])
    goal = dict(glmnet=1, adelie=1)
    accept = dict(gap=1e-4)

    def data(n, p, k, eps):
        X, y = sparse_counts(n, p, k)
        return dict(X=X, y=y, alphas=alpha_grid(np.abs(X.T @ (y - y.mean())).max() / n, eps))

    def quality(fit, X, y, alphas):
        w, b = fit.coefs, fit.intercepts
        eta = X @ w + b
        objective = np.mean(np.exp(eta) - y[:, None] * eta, axis=0) + alphas * np.abs(w).sum(axis=0)
        return dict(gap=poisson_gaps(X, y, alphas, w, b), objective=objective)

    def statlearn(X, y, alphas):
        from statlearn.linear import glm_path

        _, coefs, intercepts = glm_path(X, y, "poisson", alphas=alphas, tol=1e-4)
        return dict(coefs=coefs, intercepts=intercepts)

    def adelie(X, y, alphas, **options):
        import adelie as ad

        fixed = dict(early_exit=False, progress_bar=False, n_threads=threads())
        state = ad.grpnet(X, ad.glm.poisson(y), lmda_path=alphas, **fixed, **options)
        return dict(coefs=state.betas.toarray().T, intercepts=state.intercepts)

    glmnet = R("""
        fit <- glmnet(X, y, family = "poisson", lambda = alphas, standardize = FALSE)
        list(coefs = as.matrix(fit$beta), intercepts = fit$a0)""")


class multi_task_lasso(Case):
    """Features selected for ten targets at a tenth of the largest penalty, to a gap of 1e-6."""

    size, quick = dict(n=1000, p=5000), dict(n=60, p=100)
    goal = dict(sklearn=2, skglm=2)

    def data(n, p):
        rng = np.random.default_rng(0)
        X = np.asfortranarray(rng.normal(size=(n, p)))
        W = np.zeros((p, 10))
        W[rng.choice(p, 30, replace=False)] = rng.normal(size=(30, 10))
        Y = X @ W + rng.normal(size=(n, 10))
        Y -= Y.mean(axis=0)
        alpha = 0.1 * float(np.max(np.linalg.norm(X.T @ Y, axis=1))) / n
        return dict(X=X, Y=np.asfortranarray(Y), alpha=alpha)

    def quality(fit, X, Y, alpha):
        residual = Y - X @ fit.W.T - fit.b
        value = np.sum(residual**2) / (2 * len(X)) + alpha * np.linalg.norm(fit.W, axis=0).sum()
        return {"objective": float(value)}

    def _fit(MultiTaskLasso, X, Y, alpha):
        model = MultiTaskLasso(alpha=alpha, tol=1e-6).fit(X, Y)
        return dict(W=np.asarray(model.coef_), b=np.asarray(model.intercept_))

    def statlearn(X, Y, alpha):
        from statlearn.linear import MultiTaskLasso

        return multi_task_lasso._fit(MultiTaskLasso, X, Y, alpha)

    def sklearn(X, Y, alpha):
        from sklearn.linear_model import MultiTaskLasso

        return multi_task_lasso._fit(MultiTaskLasso, X, Y, alpha)

    def skglm(X, Y, alpha):
        from skglm import MultiTaskLasso

        return multi_task_lasso._fit(MultiTaskLasso, X, Y, alpha)


class group_lasso_path(Case):
    """Group lasso path, 100 alphas, groups of neighbouring columns, weights sqrt(size)."""

    size, quick = dict(n=1_000, p=5_000, k=10, group=10, eps=1e-2), dict(n=60, p=40, k=2, group=4)
    grow = dict(n=[250, 500, 1_000], p=[1_250, 2_500, 5_000])
    goal = dict(adelie=1)
    accept = dict(gap=1e-4)

    def data(n, p, k, group, eps):
        rng = np.random.default_rng(0)
        X = correlated(n, p, rng)
        truth = np.zeros((p // group, group))
        truth[np.linspace(0, p // group - 1, k).astype(int)] = rng.normal(size=(k, group))
        signal = X @ truth.ravel()
        y = signal + rng.standard_normal(n) * signal.std() / np.sqrt(3)
        X -= X.mean(axis=0)
        y -= y.mean()
        largest = np.linalg.norm((X.T @ y).reshape(-1, group), axis=1).max() / (n * np.sqrt(group))
        return dict(X=X, y=y, alphas=alpha_grid(largest, eps), group=group)

    def quality(fit, X, y, alphas, group):
        W = fit.coefs
        sizes = np.linalg.norm(W.reshape(-1, group, W.shape[1]), axis=1).sum(axis=0)
        loss = np.sum((y[:, None] - X @ W) ** 2, axis=0) / (2 * len(y))
        return dict(gap=group_gaps(X, y, alphas, W, group), objective=loss + alphas * np.sqrt(group) * sizes)

    def statlearn(X, y, alphas, group, tol=1e-4):
        from statlearn.linear import group_lasso_path

        groups = np.arange(X.shape[1]) // group
        return dict(coefs=group_lasso_path(X, y, groups=groups, alphas=alphas, tol=tol)[1])

    def statlearn_loose(X, y, alphas, group):
        return group_lasso_path.statlearn(X, y, alphas, group, tol=4e-3)

    def celer(X, y, alphas, group):
        from celer import celer_path

        weights = np.full(X.shape[1] // group, np.sqrt(group))
        # Without pruning: it stops by a dual point of its own, and pruned, the gap of the result itself is far worse.
        options = dict(groups=group, weights=weights, tol=3e-5, prune=0, max_iter=100)
        return dict(coefs=celer_path(X, y, "grouplasso", alphas=alphas, **options)[1])

    def adelie(X, y, alphas, group, **options):
        import adelie as ad

        groups = np.arange(0, X.shape[1], group)
        fixed = dict(intercept=False, early_exit=False, progress_bar=False, n_threads=threads())
        state = ad.grpnet(X, ad.glm.gaussian(y), groups=groups, lmda_path=alphas, **fixed, **options)
        return dict(coefs=state.betas.toarray().T)

    def adelie_tight(X, y, alphas, group):
        return group_lasso_path.adelie(X, y, alphas, group, tol=1e-11)


def fresh_import(module):
    """Seconds that `import module` takes in a new process, the interpreter's own start not counted."""
    code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if run.returncode:
        raise ImportError((run.stderr.strip().splitlines() or ["no message"])[-1])
    return dict(seconds=float(run.stdout))


class single_rows(Case):
    """Predictions for one row after another, as a service is asked for them."""

    size, quick = dict(n=5_000, p=20), dict(n=50, p=3)
    goal = dict(sklearn=3)

    def data(n, p):
        X, y = sparse_regression(n, p, k=p)
        return dict(X=np.ascontiguousarray(X), y=y)

    def quality(fit, X, y):
        return dict(error=float(np.mean((y - fit.predicted) ** 2)))

    def statlearn(X, y):
        from statlearn.linear import Ridge

        model = Ridge().fit(X, y)
        return dict(predicted=np.concatenate([model.predict(X[i : i + 1]) for i in range(len(X))]))

    def sklearn(X, y):
        from sklearn.linear_model import Ridge

        model = Ridge().fit(X, y)
        return dict(predicted=np.concatenate([model.predict(X[i : i + 1]) for i in range(len(X))]))


class import_package(Case):
    """Importing the package, in a fresh process."""

    goal = dict(sklearn=1)

    def statlearn():
        return fresh_import("statlearn")

    def sklearn():
        return fresh_import("sklearn")


class import_family(Case):
    """Importing the linear family, in a fresh process."""

    goal = dict(sklearn=1)

    def statlearn():
        return fresh_import("statlearn.linear")

    def sklearn():
        return fresh_import("sklearn.linear_model")
