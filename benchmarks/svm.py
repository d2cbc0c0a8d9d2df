"""Support vector machines. The quality is the objective, or the error of cross-validation."""

import numpy as np
from scipy import sparse

from benchmarks.case import Case, R, threads


def _square(X, support, coef, gamma):
    """b'Kb of signed multipliers b, by blocks of rows."""
    from statlearn.kernels import rbf_kernel

    rows, total = support.astype(int), 0.0
    for begin in range(0, len(rows), 1000):
        part = slice(begin, begin + 1000)
        total += coef[part] @ (rbf_kernel(X[rows[part]], X[rows], gamma=gamma) @ coef)
    return total


def _libsvm(X, y, options):
    """Support and coefficients of the authors' LIBSVM; one thread, as it is shipped."""
    from libsvm.svmutil import svm_problem, svm_train

    m = svm_train(svm_problem(y, sparse.csr_matrix(X)), options + " -q")
    return dict(support=np.array(m.get_sv_indices()) - 1, coef=np.array([c[0] for c in m.get_sv_coef()]))


def _liblinear(X, y, options):
    """Coefficients of the authors' LIBLINEAR, whose intercept is penalised."""
    from liblinear.liblinearutil import problem, train

    m = train(problem(y, sparse.csr_matrix(X)), options + " -B 1 -q")
    w, b = m.get_decfun()
    sign = 1.0 if m.get_labels()[0] == 1 else -1.0
    return dict(coef=sign * np.array(w), intercept=np.array([sign * b]))


def _curved(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    f = np.sin(X @ rng.normal(size=p) / 2) + 0.5 * X[:, 0] * X[:, 1]
    return X, f, f + 0.3 * rng.normal(size=n)


class svc_rbf(Case):
    """Two classes, Gaussian kernel."""

    size, quick = dict(n=10_000, p=20, C=2.0, gamma=0.05), dict(n=300)
    grow = dict(n=[1000, 3000, 10_000, 30_000, 100_000])
    goal = dict(sklearn=3, sklearnex=1.5)
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

    def sklearnex(X, y, C, gamma):
        from sklearnex.svm import SVC

        m = SVC(C=C, gamma=gamma).fit(X, y)
        return dict(support=m.support_, coef=np.ravel(m.dual_coef_))

    def libsvm(X, y, C, gamma):
        return _libsvm(X, y, f"-s 0 -t 2 -c {C} -g {gamma} -m 200")

    def thundersvm(X, y, C, gamma):
        from thundersvm import SVC

        m = SVC(C=C, gamma=gamma, n_jobs=threads()).fit(X, y)
        return dict(support=np.asarray(m.support_), coef=np.ravel(m.dual_coef_))

    kernlab = R(
        "{m <- ksvm(X, as.factor(y), type='C-svc', kernel='rbfdot', kpar=list(sigma=gamma), C=C, scaled=FALSE,"
        " cache=200); list(support=SVindex(m) - 1, coef=unlist(coef(m)))}",
        library="kernlab",
    )


class svr_rbf(Case):
    """Regression, Gaussian kernel."""

    size, quick = dict(n=10_000, p=10, C=5.0, gamma=0.3, epsilon=0.1), dict(n=300)
    grow = dict(n=[1000, 3000, 10_000])
    goal = dict(sklearn=3, sklearnex=1.5)
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

    def sklearnex(X, y, C, gamma, epsilon):
        from sklearnex.svm import SVR

        m = SVR(C=C, gamma=gamma, epsilon=epsilon).fit(X, y)
        return dict(support=m.support_, coef=np.ravel(m.dual_coef_))

    def libsvm(X, y, C, gamma, epsilon):
        return _libsvm(X, y, f"-s 3 -t 2 -c {C} -g {gamma} -p {epsilon} -m 200")

    def thundersvm(X, y, C, gamma, epsilon):
        from thundersvm import SVR

        m = SVR(C=C, gamma=gamma, epsilon=epsilon, n_jobs=threads()).fit(X, y)
        return dict(support=np.asarray(m.support_), coef=np.ravel(m.dual_coef_))


def _rows(values, indices, starts, p):
    return sparse.csr_matrix((values, indices, starts), shape=(len(starts) - 1, p))


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

    def liblinear(X, y):
        return _liblinear(X, y, "-s 2 -e 0.0001")

    def liblinear_dual(X, y):
        return _liblinear(X, y, "-s 1 -e 0.0001")


class linear_svc_sparse(Case):
    """Squared hinge on sparse rows with frequent and rare columns, as in text."""

    size, quick = dict(n=100_000, p=50_000, entries=100), dict(n=300, p=200, entries=10)
    grow = dict(n=[10_000, 30_000, 100_000])
    goal = dict(sklearn=2)
    accept = dict(objective=1e-5)  # the default tolerance of both

    def data(n, p, entries):
        rng = np.random.default_rng(0)
        columns = np.minimum((rng.pareto(0.8, size=n * entries) * 30).astype(np.int64), 10**9) % p
        values = np.abs(rng.normal(size=n * entries)) + 0.1
        X = sparse.csr_matrix((values, (np.repeat(np.arange(n), entries), columns)), shape=(n, p))
        X.sum_duplicates()
        X = sparse.csr_matrix(X.multiply(1 / np.sqrt(X.multiply(X).sum(axis=1))))
        score = X @ (rng.normal(size=p) * (rng.random(p) < 0.1))
        noisy = score + 0.3 * score.std() * rng.normal(size=n)
        y = np.where(noisy > np.median(score), 1.0, -1.0)
        return dict(values=X.data, indices=X.indices, starts=X.indptr, p=p, y=y)

    def quality(fit, values, indices, starts, p, y):
        return linear_svc.quality(fit, _rows(values, indices, starts, p), y)

    def statlearn(values, indices, starts, p, y):
        return linear_svc.statlearn(_rows(values, indices, starts, p), y)

    def sklearn(values, indices, starts, p, y):
        return linear_svc.sklearn(_rows(values, indices, starts, p), y)

    def sklearn_dual(values, indices, starts, p, y):
        from sklearn.svm import LinearSVC

        m = LinearSVC(dual=True, max_iter=10_000).fit(_rows(values, indices, starts, p), y)
        return dict(coef=m.coef_[0], intercept=m.intercept_)

    def liblinear(values, indices, starts, p, y):
        return linear_svc.liblinear(_rows(values, indices, starts, p), y)

    def liblinear_dual(values, indices, starts, p, y):
        return linear_svc.liblinear_dual(_rows(values, indices, starts, p), y)


class linear_svc_hinge(Case):
    """The hinge itself on the same sparse rows."""

    size, quick = linear_svc_sparse.size, linear_svc_sparse.quick
    grow = linear_svc_sparse.grow
    goal = dict(sklearn=1)
    accept = dict(objective=1e-3)  # tolerances have different meanings

    def data(n, p, entries):
        return linear_svc_sparse.data(n, p, entries)

    def quality(fit, values, indices, starts, p, y):
        X, w, b = _rows(values, indices, starts, p), fit.coef, float(fit.intercept[0])
        return dict(objective=0.5 * (w @ w + b * b) + np.sum(np.maximum(1 - y * (X @ w + b), 0)))

    def statlearn(values, indices, starts, p, y):
        from statlearn.svm import LinearSVC

        m = LinearSVC(loss="hinge").fit(_rows(values, indices, starts, p), y)
        return dict(coef=m.coef_[0], intercept=m.intercept_)

    def sklearn(values, indices, starts, p, y):
        from sklearn.svm import LinearSVC

        m = LinearSVC(loss="hinge").fit(_rows(values, indices, starts, p), y)
        return dict(coef=m.coef_[0], intercept=m.intercept_)

    def liblinear(values, indices, starts, p, y):
        return _liblinear(_rows(values, indices, starts, p), y, "-s 3 -e 0.0001")

    def snapml(values, indices, starts, p, y):
        from snapml import SupportVectorMachine

        m = SupportVectorMachine(max_iter=1000, fit_intercept=True, n_jobs=threads(), tol=1e-4)
        m.fit(_rows(values, indices, starts, p), y)
        return dict(coef=np.ravel(m.coef_)[:p], intercept=np.ravel(m.intercept_))


class svc_ten_classes(Case):
    """Ten classes, fit and prediction of five times as many rows."""

    size, quick = dict(n=20_000, p=64, C=1.0, gamma=0.005), dict(n=300, p=8, gamma=0.05)
    grow = dict(n=[2000, 6000, 20_000])
    goal = dict(sklearn=5, sklearnex=2)
    accept = dict(error=0.05)

    def data(n, p, C, gamma):
        rng = np.random.default_rng(0)
        centres, y = 1.2 * rng.normal(size=(10, p)), rng.integers(10, size=6 * n)
        X = centres[y] + 1.6 * rng.normal(size=(6 * n, p))
        return dict(X=X[:n], y=y[:n], X_new=X[n:], y_new=y[n:], C=C, gamma=gamma)

    def quality(fit, X, y, X_new, y_new, C, gamma):
        return dict(error=float(np.mean(fit.said != y_new)))

    def statlearn(X, y, X_new, y_new, C, gamma):
        from statlearn.svm import SVC

        return dict(said=SVC(C=C, gamma=gamma).fit(X, y).predict(X_new))

    def sklearn(X, y, X_new, y_new, C, gamma):
        from sklearn.svm import SVC

        return dict(said=SVC(C=C, gamma=gamma).fit(X, y).predict(X_new))

    def sklearnex(X, y, X_new, y_new, C, gamma):
        from sklearnex.svm import SVC

        return dict(said=SVC(C=C, gamma=gamma).fit(X, y).predict(X_new))


class sgd_classifier(Case):
    """Twenty passes of the stochastic hinge on dense rows."""

    size, quick = dict(n=200_000, p=50), dict(n=500, p=5)
    goal = dict(sklearn=1)
    accept = dict(objective=1e-6)

    def data(n, p):
        return linear_svc.data(n, p)

    def quality(fit, X, y):
        return dict(objective=float(np.maximum(1 - y * (X @ fit.coef + fit.intercept), 0).mean()))

    def statlearn(X, y):
        from statlearn.svm import SGDClassifier

        m = SGDClassifier(max_iter=20, tol=None, random_state=0).fit(X, y)
        return dict(coef=m.coef_[0], intercept=m.intercept_)

    def sklearn(X, y):
        from sklearn.linear_model import SGDClassifier

        m = SGDClassifier(max_iter=20, tol=None, random_state=0).fit(X, y)
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
