"""Ensembles of trees. The quality is the loss on rows that nobody was trained on."""

import time

import numpy as np

from benchmarks.case import Case, threads

ROUNDS = 100


def _interactions(n, p, seed):
    """Rows with products, waves and steps in seven of the columns, single precision."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).astype(np.float32)
    f = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] ** 2 - 1 + 0.5 * X[:, 4] + 0.5 * X[:, 5] * (X[:, 6] > 0)
    return X, f.astype(np.float64), rng


class boosting_binary(Case):
    """Gradient boosting of two classes, binning included; test loss of the same test rows."""

    size, quick = dict(n=1_000_000, p=28, leaves=31), dict(n=2000, p=8)
    grow = dict(n=[100_000, 1_000_000, 4_000_000], p=[14, 28, 56])
    goal = dict(lightgbm=1.3, xgboost=1.3)

    def data(n, p, leaves):
        X, f, rng = _interactions(n + 50_000, p, 0)
        y = (f + rng.logistic(size=len(f)) > 0).astype(np.int64)
        return dict(X=X[:n], y=y[:n], X_test=X[n:], y_test=y[n:], leaves=leaves)

    def quality(fit, X, y, X_test, y_test, leaves):
        return {"test loss": np.mean(np.logaddexp(0, -(2 * y_test - 1) * fit.scores))}

    def statlearn(X, y, X_test, y_test, leaves):
        from statlearn.ensemble import GradientBoostingClassifier

        m = GradientBoostingClassifier(
            n_estimators=ROUNDS, max_leaf_nodes=leaves, max_depth=None, min_samples_leaf=20, random_state=0
        ).fit(X, y)
        return dict(scores=m.decision_function(X_test))

    def lightgbm(X, y, X_test, y_test, leaves):
        import lightgbm

        m = lightgbm.LGBMClassifier(n_estimators=ROUNDS, num_leaves=leaves, n_jobs=threads(), verbose=-1).fit(X, y)
        return dict(scores=m.predict(X_test, raw_score=True))

    def xgboost(X, y, X_test, y_test, leaves):
        import xgboost

        m = xgboost.XGBClassifier(
            n_estimators=ROUNDS,
            max_leaves=leaves,
            max_depth=0,
            grow_policy="lossguide",
            tree_method="hist",
            learning_rate=0.1,
            n_jobs=threads(),
        ).fit(X, y)
        return dict(scores=m.predict(X_test, output_margin=True))

    def sklearn(X, y, X_test, y_test, leaves):
        from sklearn.ensemble import HistGradientBoostingClassifier

        m = HistGradientBoostingClassifier(max_iter=ROUNDS, max_leaf_nodes=leaves, early_stopping=False).fit(X, y)
        return dict(scores=m.decision_function(X_test))


class tree_shap(Case):
    """Shapley values of 10,000 rows, 100 trees of 31 leaves; each explains the model it has trained, untimed."""

    size, quick = dict(n=10_000, p=28, leaves=31), dict(n=200, p=8)
    grow = dict(n=[1000, 10_000, 100_000], leaves=[7, 31, 127])
    goal = dict(lightgbm=2)
    accept = {"gap to the prediction": 1e-4}  # XGBoost works in single precision

    def data(n, p, leaves):
        X, f, rng = _interactions(max(n, 100_000), p, 0)
        return dict(X=X, y=(f + rng.logistic(size=len(f)) > 0).astype(np.int64), n=n, leaves=leaves)

    def quality(fit, X, y, n, leaves):
        return {"gap to the prediction": np.abs(fit.values.sum(axis=1) - fit.scores).max()}

    def statlearn(X, y, n, leaves):
        from statlearn.ensemble import GradientBoostingClassifier
        from statlearn.ensemble import tree_shap as explain

        m = GradientBoostingClassifier(
            n_estimators=ROUNDS, max_leaf_nodes=leaves, max_depth=None, min_samples_leaf=20, random_state=0
        ).fit(X, y)
        start = time.perf_counter()
        found = explain(m, X[:n])
        seconds = time.perf_counter() - start
        values = np.column_stack([found.values, np.full(n, found.base_value)])
        return dict(seconds=seconds, values=values, scores=m.decision_function(X[:n]))

    def lightgbm(X, y, n, leaves):
        import lightgbm

        m = lightgbm.LGBMClassifier(n_estimators=ROUNDS, num_leaves=leaves, n_jobs=threads(), verbose=-1).fit(X, y)
        start = time.perf_counter()
        values = m.predict(X[:n], pred_contrib=True)
        return dict(seconds=time.perf_counter() - start, values=values, scores=m.predict(X[:n], raw_score=True))

    def xgboost(X, y, n, leaves):
        import xgboost

        m = xgboost.XGBClassifier(
            n_estimators=ROUNDS, max_leaves=leaves, max_depth=0, grow_policy="lossguide", n_jobs=threads()
        ).fit(X, y)
        start = time.perf_counter()
        values = m.get_booster().predict(xgboost.DMatrix(X[:n]), pred_contribs=True)
        return dict(seconds=time.perf_counter() - start, values=values, scores=m.predict(X[:n], output_margin=True))


def _noisy_classes(n, p, trees):
    """Two classes with noise: fully grown trees are deep."""
    X, f, rng = _interactions(n + 20_000, p, 0)
    y = (f + rng.logistic(size=len(f)) > 0).astype(np.int64)
    return dict(X=X[:n], y=y[:n], X_test=X[n:], y_test=y[n:], trees=trees)


class _ForestCase(Case):
    size, quick = dict(n=100_000, p=20, trees=100), dict(n=1000, p=8, trees=5)

    def data(n, p, trees):
        return _noisy_classes(n, p, trees)

    def quality(fit, X, y, X_test, y_test, trees):
        p = np.clip(fit.probability, 1e-3, 1 - 1e-3)
        loss = -np.mean(np.where(y_test == 1, np.log(p), np.log1p(-p)))
        return {"test error": np.mean((fit.probability > 0.5) != y_test), "test loss": loss}


class random_forest(_ForestCase):
    """Fully grown trees on bootstrap samples, sqrt(p) columns a node; accuracy on the same test rows."""

    grow = dict(n=[100_000, 1_000_000])
    goal = dict(sklearnex=1.5, sklearn=9.0)

    def statlearn(X, y, X_test, y_test, trees):
        from statlearn.ensemble import RandomForestClassifier

        m = RandomForestClassifier(trees, random_state=0).fit(X, y)
        return dict(probability=m.predict_proba(X_test)[:, 1])

    def sklearnex(X, y, X_test, y_test, trees):
        from sklearnex.ensemble import RandomForestClassifier

        m = RandomForestClassifier(trees, n_jobs=threads(), random_state=0).fit(X, y)
        return dict(probability=m.predict_proba(X_test)[:, 1])

    def sklearn(X, y, X_test, y_test, trees):
        from sklearn.ensemble import RandomForestClassifier

        m = RandomForestClassifier(trees, n_jobs=threads(), random_state=0).fit(X, y)
        return dict(probability=m.predict_proba(X_test)[:, 1])


class extra_trees(_ForestCase):
    """Fully grown trees with one random cut per column; accuracy on the same test rows."""

    goal = dict(sklearn=3.0)

    def statlearn(X, y, X_test, y_test, trees):
        from statlearn.ensemble import ExtraTreesClassifier

        m = ExtraTreesClassifier(trees, random_state=0).fit(X, y)
        return dict(probability=m.predict_proba(X_test)[:, 1])

    def sklearnex(X, y, X_test, y_test, trees):
        from sklearnex.ensemble import ExtraTreesClassifier

        m = ExtraTreesClassifier(trees, n_jobs=threads(), random_state=0).fit(X, y)
        return dict(probability=m.predict_proba(X_test)[:, 1])

    def sklearn(X, y, X_test, y_test, trees):
        from sklearn.ensemble import ExtraTreesClassifier

        m = ExtraTreesClassifier(trees, n_jobs=threads(), random_state=0).fit(X, y)
        return dict(probability=m.predict_proba(X_test)[:, 1])


class random_forest_regression(Case):
    """Regression trees on a third of the columns; error on the same test rows."""

    size, quick = dict(n=50_000, p=20, trees=50), dict(n=1000, p=8, trees=5)
    goal = dict(sklearn=3.0)

    def data(n, p, trees):
        X, f, rng = _interactions(n + 20_000, p, 0)
        y = f + rng.normal(size=len(f))
        return dict(X=X[:n], y=y[:n], X_test=X[n:], y_test=y[n:], trees=trees)

    def quality(fit, X, y, X_test, y_test, trees):
        return {"test error": np.mean((fit.prediction - y_test) ** 2)}

    def statlearn(X, y, X_test, y_test, trees):
        from statlearn.ensemble import RandomForestRegressor

        return dict(
            prediction=RandomForestRegressor(trees, max_features=1 / 3, random_state=0).fit(X, y).predict(X_test)
        )

    def sklearnex(X, y, X_test, y_test, trees):
        from sklearnex.ensemble import RandomForestRegressor

        m = RandomForestRegressor(trees, max_features=1 / 3, n_jobs=threads(), random_state=0).fit(X, y)
        return dict(prediction=m.predict(X_test))

    def sklearn(X, y, X_test, y_test, trees):
        from sklearn.ensemble import RandomForestRegressor

        m = RandomForestRegressor(trees, max_features=1 / 3, n_jobs=threads(), random_state=0).fit(X, y)
        return dict(prediction=m.predict(X_test))
