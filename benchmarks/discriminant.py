"""Discriminant analysis: the same posteriors from the same table."""

import numpy as np

from benchmarks.case import Case, R


def _classes(n, p, k, seed=0, common=True):
    """Gaussian classes with correlated columns."""
    rng = np.random.default_rng(seed)
    roots = [np.eye(p) + 0.5 * rng.normal(size=(p, p)) / np.sqrt(p) for _ in range(1 if common else k)]
    means = 2.0 * rng.normal(size=(k, p)) / np.sqrt(p)
    y = rng.integers(0, k, n)
    Z = rng.normal(size=(n, p))
    if common:
        return Z @ roots[0] + means[y], y
    X = np.empty_like(Z)
    for c in range(k):
        X[y == c] = Z[y == c] @ roots[c] + means[c]
    return X, y


class lda(Case):
    """Linear discriminant analysis: the fit with every solver; scikit-learn's fastest is lsqr."""

    size, quick = dict(n=200_000, p=200, k=10), dict(n=500, p=5, k=3)
    grow = dict(n=[50_000, 200_000], p=[50, 200])
    goal = dict(sklearn=2)

    def data(n, p, k):
        X, y = _classes(n, p, k)
        return dict(X=X, y=y)

    def quality(fit, X, y):
        return {"objective": float(np.ravel(fit.error)[0])}

    def _result(model, X, y):
        return dict(error=float(np.mean(model.predict(X[:2000]) != y[:2000])))

    def statlearn(X, y):
        from statlearn.discriminant import LinearDiscriminantAnalysis

        return lda._result(LinearDiscriminantAnalysis().fit(X, y), X, y)

    def statlearn_lsqr(X, y):
        from statlearn.discriminant import LinearDiscriminantAnalysis

        return lda._result(LinearDiscriminantAnalysis("lsqr").fit(X, y), X, y)

    def statlearn_eigen(X, y):
        from statlearn.discriminant import LinearDiscriminantAnalysis

        return lda._result(LinearDiscriminantAnalysis("eigen").fit(X, y), X, y)

    def statlearn_sphere(X, y):
        from statlearn.discriminant import LinearDiscriminantAnalysis

        return lda._result(LinearDiscriminantAnalysis("sphere").fit(X, y), X, y)

    def sklearn(X, y):
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        return lda._result(LinearDiscriminantAnalysis("lsqr").fit(X, y), X, y)

    def sklearn_svd(X, y):
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        return lda._result(LinearDiscriminantAnalysis().fit(X, y), X, y)

    mass = R(
        "{f <- lda(X, factor(y)); i <- seq_len(min(2000, nrow(X))); "
        "list(error = mean(as.integer(as.character(predict(f, X[i, ])$class)) != y[i]))}",
        library="MASS",
    )


class qda(lda):
    """Quadratic discriminant analysis: the fit."""

    size, quick = dict(n=200_000, p=200, k=10), dict(n=500, p=5, k=3)
    goal = dict(sklearn=3)
    statlearn_lsqr = statlearn_eigen = statlearn_sphere = sklearn_svd = None

    def data(n, p, k):
        X, y = _classes(n, p, k, common=False)
        return dict(X=X, y=y)

    def statlearn(X, y):
        from statlearn.discriminant import QuadraticDiscriminantAnalysis

        return lda._result(QuadraticDiscriminantAnalysis().fit(X, y), X, y)

    def sklearn(X, y):
        from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

        return lda._result(QuadraticDiscriminantAnalysis().fit(X, y), X, y)

    mass = R(
        "{f <- qda(X, factor(y)); i <- seq_len(min(2000, nrow(X))); "
        "list(error = mean(as.integer(as.character(predict(f, X[i, ])$class)) != y[i]))}",
        library="MASS",
    )


class rda(Case):
    """Regularised discriminant analysis: 10 x 10 values of alpha and gamma, ten folds; klaR fits each model anew."""

    size, quick = dict(n=5000, p=50, k=5), dict(n=200, p=4, k=3)
    goal = dict(refit=10, klar=10)

    def data(n, p, k):
        X, y = _classes(n, p, k, common=False)
        return dict(X=X, y=y, grid=np.linspace(0.0, 0.9, 10))

    def quality(fit, X, y, grid):
        return {"objective": float(np.ravel(fit.error)[0])}

    def statlearn(X, y, grid):
        from statlearn.discriminant import RegularizedDiscriminantAnalysis

        model = RegularizedDiscriminantAnalysis(grid, grid, cv=10).fit(X, y)
        return dict(error=float(model.cv_loss_.min()))

    def refit(X, y, grid):
        from sklearn.model_selection import StratifiedKFold, cross_val_score

        from statlearn.discriminant import RegularizedDiscriminantAnalysis

        cv = StratifiedKFold(10)
        models = [RegularizedDiscriminantAnalysis(a, g) for a in grid for g in grid]
        return dict(error=float(min(1 - cross_val_score(model, X, y, cv=cv).mean() for model in models)))

    klar = R(
        "{fold <- integer(length(y)); for (c in unique(y)) fold[y == c] <- rep_len(1:10, sum(y == c)); "
        "wrong <- matrix(0, length(grid), length(grid)); "
        "for (f in 1:10) for (a in seq_along(grid)) for (g in seq_along(grid)) {"
        "m <- rda(X[fold != f, ], factor(y[fold != f]), lambda = 1 - grid[a], gamma = grid[g], "
        "estimate.error = FALSE); "
        "wrong[a, g] <- wrong[a, g] + sum(as.character(predict(m, X[fold == f, ])$class) != y[fold == f])}; "
        "list(error = min(wrong) / length(y))}",
        library="klaR",
    )
