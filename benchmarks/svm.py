"""Support vector machines. The quality is the objective, or the error of cross-validation."""

import numpy as np

from benchmarks.case import Case


def _square(X, support, coef, gamma):
    """b'Kb of signed multipliers b, by blocks of rows."""
    from statlearn.kernels import rbf_kernel

    rows, total = support.astype(int), 0.0
    for begin in range(0, len(rows), 1000):
        part = slice(begin, begin + 1000)
        total += coef[part] @ (rbf_kernel(X[rows[part]], X[rows], gamma=gamma) @ coef)
    return total


def _curved(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    f = np.sin(X @ rng.normal(size=p) / 2) + 0.5 * X[:, 0] * X[:, 1]
    return X, f, f + 0.3 * rng.normal(size=n)


class svc_rbf(Case):
    """Two classes, Gaussian kernel."""

    size, quick = dict(n=10_000, p=20, C=2.0, gamma=0.05), dict(n=300)
    grow = dict(n=[1000, 3000, 10_000, 30_000])
    goal = dict(sklearn=3)
    accept = dict(objective=1e-6)

    def data(n, p, C, gamma):
        X, _, noisy = _curved(n, p)
        return dict(X=X, y=np.where(noisy > 0, 1.0, -1.0), C=C, gamma=gamma)

    def quality(fit, X, y, C, gamma):
        return dict(objective=0.5 * _square(X, fit.support, fit.coef, gamma) - np.abs(fit.coef).sum())

    def statlearn(X, y, C, gamma):
        from statlearn.svm import SVC

        m = SVC(C=C, gamma=gamma).fit(X, y)
        return dict(support=m.support_, coef=m.dual_coef_.ravel())

    def sklearn(X, y, C, gamma):
        from sklearn.svm import SVC

        m = SVC(C=C, gamma=gamma).fit(X, y)
        return dict(support=m.support_, coef=m.dual_coef_.ravel())


class svr_rbf(Case):
    """Regression, Gaussian kernel."""

    size, quick = dict(n=10_000, p=10, C=5.0, gamma=0.3, epsilon=0.1), dict(n=300)
    grow = dict(n=[1000, 3000, 10_000])
    goal = dict(sklearn=3)
    accept = dict(objective=1e-5)  # the default tolerance of both

    def data(n, p, C, gamma, epsilon):
        X, _, noisy = _curved(n, p)
        return dict(X=X, y=noisy, C=C, gamma=gamma, epsilon=epsilon)

    def quality(fit, X, y, C, gamma, epsilon):
        linear = epsilon * np.abs(fit.coef).sum() - y[fit.support.astype(int)] @ fit.coef
        return dict(objective=0.5 * _square(X, fit.support, fit.coef, gamma) + linear)

    def statlearn(X, y, C, gamma, epsilon):
        from statlearn.svm import SVR

        m = SVR(C=C, gamma=gamma, epsilon=epsilon).fit(X, y)
        return dict(support=m.support_, coef=m.dual_coef_.ravel())

    def sklearn(X, y, C, gamma, epsilon):
        from sklearn.svm import SVR

        m = SVR(C=C, gamma=gamma, epsilon=epsilon).fit(X, y)
        return dict(support=m.support_, coef=m.dual_coef_.ravel())


class linear_svc(Case):
    """Squared hinge on many dense rows."""

    size, quick = dict(n=200_000, p=100), dict(n=500, p=5)
    grow = dict(n=[50_000, 200_000])
    goal = dict(sklearn=3)
    accept = dict(objective=1e-6)

    def data(n, p):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, p))
        return dict(X=X, y=np.where(X @ rng.normal(size=p) + 3 * rng.normal(size=n) > 0, 1.0, -1.0))

    def quality(fit, X, y):
        w, b = fit.coef, float(fit.intercept[0])
        loss = np.sum(np.maximum(1 - y * (X @ w + b), 0) ** 2)
        return dict(objective=0.5 * (w @ w + b * b) + loss)

    def statlearn(X, y):
        from statlearn.svm import LinearSVC

        m = LinearSVC().fit(X, y)
        return dict(coef=m.coef_[0], intercept=m.intercept_)

    def sklearn(X, y):
        from sklearn.svm import LinearSVC

        m = LinearSVC().fit(X, y)
        return dict(coef=m.coef_[0], intercept=m.intercept_)


class svc_grid(Case):
    """A grid over C and gamma with five folds."""

    size, quick = dict(n=3000, p=10), dict(n=150)
    goal = dict(sklearn=4)
    accept = dict(objective=0.02)

    def data(n, p):
        X, _, noisy = _curved(n, p)
        return dict(X=X, y=(noisy > 0).astype(int), Cs=np.logspace(-1, 2, 8), gammas=np.logspace(-2, 0, 5))

    def quality(fit, X, y, Cs, gammas):
        return dict(objective=1.0 - float(fit.best[0]))

    def statlearn(X, y, Cs, gammas):
        from statlearn.svm import SVCCV

        return dict(best=np.array([SVCCV(Cs=Cs, gammas=gammas).fit(X, y).best_score_]))

    def sklearn(X, y, Cs, gammas):
        from sklearn.model_selection import GridSearchCV
        from sklearn.svm import SVC

        search = GridSearchCV(SVC(), {"C": Cs, "gamma": gammas}).fit(X, y)
        return dict(best=np.array([search.best_score_]))
