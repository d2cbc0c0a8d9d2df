"""Single trees. The quality is what the tree says about rows that it was not grown on."""

import numpy as np

from benchmarks.case import Case, R, threads
from benchmarks.ensemble import _interactions


class exact_tree(Case):
    """One exact, fully grown classification tree."""

    size, quick = dict(n=200_000, p=20), dict(n=2000, p=5)
    grow = dict(n=[100_000, 1_000_000, 3_000_000], p=[10, 20, 40])
    goal = dict(sklearn=7, snapml=1.3)

    def data(n, p):
        X, f, rng = _interactions(n + 20_000, p if p > 7 else 8, 0)
        y = (f + rng.logistic(size=len(f)) > 0).astype(np.int64)
        return dict(X=X[:n], y=y[:n], X_test=X[n:], y_test=y[n:])

    def quality(fit, X, y, X_test, y_test):
        return {"test error": np.mean(fit.said != y_test), "training error": np.mean(fit.again != y[:1000])}

    def statlearn(X, y, X_test, y_test):
        from statlearn.trees import DecisionTreeClassifier

        m = DecisionTreeClassifier().fit(X, y)
        return dict(said=m.predict(X_test), again=m.predict(X[:1000]))

    def sklearn(X, y, X_test, y_test):
        from sklearn.tree import DecisionTreeClassifier

        m = DecisionTreeClassifier(random_state=0).fit(X, y)
        return dict(said=m.predict(X_test), again=m.predict(X[:1000]))

    def snapml(X, y, X_test, y_test):
        from snapml import DecisionTreeClassifier

        m = DecisionTreeClassifier(n_jobs=threads(), splitter="best", use_histograms=False).fit(X, y)
        return dict(said=m.predict(X_test), again=m.predict(X[:1000]))


class exact_regression_tree(exact_tree):
    """One exact, fully grown regression tree: as many leaves as rows."""

    def data(n, p):
        X, f, rng = _interactions(n + 20_000, p if p > 7 else 8, 0)
        y = f + rng.normal(size=len(f))
        return dict(X=X[:n], y=y[:n], X_test=X[n:], y_test=y[n:])

    def quality(fit, X, y, X_test, y_test):
        return {"test error": np.mean((fit.said - y_test) ** 2), "training error": np.max(np.abs(fit.again - y[:1000]))}

    def statlearn(X, y, X_test, y_test):
        from statlearn.trees import DecisionTreeRegressor

        m = DecisionTreeRegressor().fit(X, y)
        return dict(said=m.predict(X_test), again=m.predict(X[:1000]))

    def sklearn(X, y, X_test, y_test):
        from sklearn.tree import DecisionTreeRegressor

        m = DecisionTreeRegressor(random_state=0).fit(X, y)
        return dict(said=m.predict(X_test), again=m.predict(X[:1000]))

    def snapml(X, y, X_test, y_test):
        from snapml import DecisionTreeRegressor

        m = DecisionTreeRegressor(n_jobs=threads(), splitter="best", use_histograms=False).fit(X, y)
        return dict(said=m.predict(X_test), again=m.predict(X[:1000]))


class surrogate_tree(Case):
    """A tree with surrogate splits on a table with gaps, pruned as R's rpart does."""

    size, quick = dict(n=20_000, p=10), dict(n=500)
    goal = dict(rpart=10)

    def data(n, p):
        X, f, rng = _interactions(n, p, 0)
        y = f + rng.normal(size=n)
        X = X.astype(np.float64)
        X[rng.random(X.shape) < 0.1] = np.nan
        return dict(X=X, y=y)

    def quality(fit, X, y):
        return {"training error": np.mean((fit.said - y) ** 2)}

    def statlearn(X, y):
        from statlearn.trees import DecisionTreeRegressor

        m = DecisionTreeRegressor(
            missing="surrogate", min_samples_split=20, min_samples_leaf=7, ccp_alpha=0.001 * y.var()
        ).fit(X, y)
        return dict(said=m.predict(X))

    rpart = R(
        "{d <- data.frame(X); d$y <- y; f <- rpart(y ~ ., d, control = rpart.control(cp = 0.001, xval = 0)); "
        "list(said = predict(f, d))}",
        library="rpart",
    )


class c45_tree(Case):
    """C4.5 with pessimistic pruning; scikit-learn's tree for entropy, grown fully, does the growing only."""

    size, quick = dict(n=100_000, p=20), dict(n=2000, p=8)
    grow = dict(n=[10_000, 100_000, 1_000_000], p=[10, 20, 40])
    goal = dict(sklearn=1)
    data = exact_tree.data

    def quality(fit, X, y, X_test, y_test):
        return {"test error": np.mean(fit.said != y_test)}

    def statlearn(X, y, X_test, y_test):
        from statlearn.trees import C45Classifier

        return dict(said=C45Classifier().fit(X, y).predict(X_test))

    def sklearn(X, y, X_test, y_test):
        from sklearn.tree import DecisionTreeClassifier

        m = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
        return dict(said=m.fit(X, y).predict(X_test))


class model_tree(Case):
    """A tree with ridge regressions in its leaves, pruned and smoothed; scikit-learn's plain tree for scale."""

    size, quick = dict(n=100_000, p=20), dict(n=2000, p=8)
    grow = dict(n=[10_000, 100_000, 1_000_000], p=[10, 20, 40])
    goal = dict(sklearn=1)
    data = exact_regression_tree.data

    def quality(fit, X, y, X_test, y_test):
        return {"test error": np.mean((fit.said - y_test) ** 2)}

    def statlearn(X, y, X_test, y_test):
        from statlearn.trees import ModelTreeRegressor

        return dict(said=ModelTreeRegressor(min_samples_leaf=20).fit(X, y).predict(X_test))

    def sklearn(X, y, X_test, y_test):
        from sklearn.tree import DecisionTreeRegressor

        return dict(said=DecisionTreeRegressor(min_samples_leaf=20, random_state=0).fit(X, y).predict(X_test))
