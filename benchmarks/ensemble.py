"""Ensembles of trees. The quality is the loss on rows that nobody was trained on."""

import time

import numpy as np

from benchmarks.case import Case, R, threads

ROUNDS = 100


def _interactions(n, p, seed):
    """Rows with products, waves and steps in seven of the columns, single precision."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).astype(np.float32)
    f = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] ** 2 - 1 + 0.5 * X[:, 4] + 0.5 * X[:, 5] * (X[:, 6] > 0)
    return X, f.astype(np.float64), rng


class gradient_boosting_binary(Case):
    """Gradient boosting of two classes, binning included; loss of rows that nobody was trained on."""

    size, quick = dict(n=1_000_000, p=28, leaves=31), dict(n=2000, p=8)
    grow = dict(n=[100_000, 1_000_000, 4_000_000], p=[14, 28, 56])
    goal = dict(lightgbm=1.3, xgboost=1.3, catboost=1.3)

    def data(n, p, leaves):
        X, f, rng = _interactions(n + 50_000, p, 0)
        y = (f + rng.logistic(size=len(f)) > 0).astype(np.int64)
        return dict(X=X[:n], y=y[:n], X_test=X[n:], y_test=y[n:], leaves=leaves)

    def quality(fit, X, y, X_test, y_test, leaves):
        return {"test loss": np.mean(np.logaddexp(0, -(2 * y_test - 1) * fit.scores))}

    def statlearn(X, y, X_test, y_test, leaves):
        from statlearn.ensemble import GradientBoostingClassifier

        return dict(scores=GradientBoostingClassifier(**_ours(leaves)).fit(X, y).decision_function(X_test))

    def lightgbm(X, y, X_test, y_test, leaves):
        from lightgbm import LGBMClassifier

        return dict(scores=LGBMClassifier(**_lightgbm(leaves)).fit(X, y).predict(X_test, raw_score=True))

    def lightgbm_quantized(X, y, X_test, y_test, leaves):
        from lightgbm import LGBMClassifier

        options = dict(use_quantized_grad=True, quant_train_renew_leaf=True)
        return dict(scores=LGBMClassifier(**_lightgbm(leaves), **options).fit(X, y).predict(X_test, raw_score=True))

    def xgboost(X, y, X_test, y_test, leaves):
        from xgboost import XGBClassifier

        return dict(scores=XGBClassifier(**_xgboost(leaves)).fit(X, y).predict(X_test, output_margin=True))

    def catboost(X, y, X_test, y_test, leaves):
        from catboost import CatBoostClassifier

        m = CatBoostClassifier(**_catboost(leaves), **_ONE_STEP).fit(X, y)
        return dict(scores=m.predict(X_test, prediction_type="RawFormulaVal"))

    def catboost_ten_steps(X, y, X_test, y_test, leaves):
        from catboost import CatBoostClassifier

        m = CatBoostClassifier(**_catboost(leaves)).fit(X, y)
        return dict(scores=m.predict(X_test, prediction_type="RawFormulaVal"))

    def statlearn_longer_steps(X, y, X_test, y_test, leaves):
        from statlearn.ensemble import GradientBoostingClassifier

        m = GradientBoostingClassifier(learning_rate=0.13, **_ours(leaves)).fit(X, y)
        return dict(scores=m.decision_function(X_test))

    def sklearn(X, y, X_test, y_test, leaves):
        from sklearn.ensemble import HistGradientBoostingClassifier

        m = HistGradientBoostingClassifier(max_iter=ROUNDS, max_leaf_nodes=leaves, early_stopping=False).fit(X, y)
        return dict(scores=m.decision_function(X_test))


class gradient_boosting_large_trees(gradient_boosting_binary):
    """The same with 255 leaves."""

    size = dict(n=1_000_000, p=28, leaves=255)
    grow = {}


class gradient_boosting_multinomial(Case):
    """Gradient boosting of five classes."""

    size, quick = dict(n=200_000, p=28, leaves=31), dict(n=2000, p=8)
    goal = dict(lightgbm=1.3, xgboost=1.3)

    def data(n, p, leaves):
        X, f, rng = _interactions(n + 50_000, p, 0)
        y = np.digitize(f + rng.logistic(size=len(f)), [-2.0, -0.5, 0.5, 2.0]).astype(np.int64)
        return dict(X=X[:n], y=y[:n], X_test=X[n:], y_test=y[n:], leaves=leaves)

    def quality(fit, X, y, X_test, y_test, leaves):
        return {"test loss": -np.mean(np.log(fit.proba[np.arange(len(y_test)), y_test]))}

    def statlearn(X, y, X_test, y_test, leaves):
        from statlearn.ensemble import GradientBoostingClassifier

        return dict(proba=GradientBoostingClassifier(**_ours(leaves)).fit(X, y).predict_proba(X_test))

    def lightgbm(X, y, X_test, y_test, leaves):
        from lightgbm import LGBMClassifier

        return dict(proba=LGBMClassifier(**_lightgbm(leaves)).fit(X, y).predict_proba(X_test))

    def xgboost(X, y, X_test, y_test, leaves):
        from xgboost import XGBClassifier

        return dict(proba=XGBClassifier(**_xgboost(leaves)).fit(X, y).predict_proba(X_test))


class gradient_boosting_regression(Case):
    """Gradient boosting of a number."""

    size, quick = dict(n=1_000_000, p=28, leaves=31), dict(n=2000, p=8)
    goal = dict(lightgbm=1.3, xgboost=1.3)

    def data(n, p, leaves):
        X, f, rng = _interactions(n + 50_000, p, 0)
        y = f + rng.normal(size=len(f))
        return dict(X=X[:n], y=y[:n], X_test=X[n:], y_test=y[n:], leaves=leaves)

    def quality(fit, X, y, X_test, y_test, leaves):
        return {"test error": np.mean((y_test - fit.prediction) ** 2)}

    def statlearn(X, y, X_test, y_test, leaves):
        from statlearn.ensemble import GradientBoostingRegressor

        return dict(prediction=GradientBoostingRegressor(**_ours(leaves)).fit(X, y).predict(X_test))

    def lightgbm(X, y, X_test, y_test, leaves):
        from lightgbm import LGBMRegressor

        return dict(prediction=LGBMRegressor(**_lightgbm(leaves)).fit(X, y).predict(X_test))

    def xgboost(X, y, X_test, y_test, leaves):
        from xgboost import XGBRegressor

        return dict(prediction=XGBRegressor(**_xgboost(leaves)).fit(X, y).predict(X_test))


class gradient_boosting_categories(gradient_boosting_regression):
    """Ten columns of categories with 4 to 1,000 levels, main effects and a product of two."""

    size, quick = dict(n=500_000, p=10, leaves=31), dict(n=3000)

    def data(n, p, leaves):
        rng = np.random.default_rng(0)
        n += 50_000
        levels = np.geomspace(4, 1000, p).astype(int)
        X = np.column_stack([rng.integers(0, k, n) for k in levels]).astype(np.float32)
        effects = [rng.normal(size=k) for k in levels]
        code = X.astype(int)
        f = sum(e[c] for e, c in zip(effects, code.T, strict=True))
        f = f + 2 * effects[0][code[:, 0]] * effects[-1][code[:, -1]]
        y = f + rng.normal(size=n)
        m = n - 50_000
        return dict(X=X[:m], y=y[:m], X_test=X[m:], y_test=y[m:], leaves=leaves)

    def statlearn(X, y, X_test, y_test, leaves):
        from statlearn.ensemble import GradientBoostingRegressor

        m = GradientBoostingRegressor(**_ours(leaves), categorical_features=list(range(X.shape[1]))).fit(X, y)
        return dict(prediction=m.predict(X_test))

    def lightgbm(X, y, X_test, y_test, leaves):
        from lightgbm import LGBMRegressor

        m = LGBMRegressor(**_lightgbm(leaves)).fit(X, y, categorical_feature=list(range(X.shape[1])))
        return dict(prediction=m.predict(X_test))

    def xgboost(X, y, X_test, y_test, leaves):
        from xgboost import XGBRegressor

        kinds = ["c"] * X.shape[1]
        m = XGBRegressor(**_xgboost(leaves), feature_types=kinds, enable_categorical=True).fit(X, y)
        return dict(prediction=m.predict(X_test))


class gradient_boosting_predict(Case):
    """Scores of a million rows by 100 trees of 31 leaves; each library by its own model of the same settings."""

    size, quick = dict(n=1_000_000, p=28), dict(n=2000, p=8)
    goal = dict(lightgbm=5, xgboost=2, tl2cgen=2)
    _model = {}

    def data(n, p):
        X, f, rng = _interactions(n, p, 0)
        return dict(X=X, y=(f + rng.logistic(size=n) > 0).astype(np.int64))

    def quality(fit, X, y):
        return {"loss": np.mean(np.logaddexp(0, -(2 * y - 1) * fit.scores))}

    def _timed(X, y, train, predict):
        """Only the prediction counts; the model is trained once."""
        key = X.shape
        if key not in gradient_boosting_predict._model:
            gradient_boosting_predict._model[key] = train(X[:50_000], y[:50_000])
        model = gradient_boosting_predict._model[key]
        begin = time.perf_counter()
        scores = predict(model, X)
        return dict(scores=scores, seconds=time.perf_counter() - begin)

    def statlearn(X, y):
        from statlearn.ensemble import GradientBoostingClassifier

        train = GradientBoostingClassifier(**_ours(31)).fit
        return gradient_boosting_predict._timed(X, y, train, lambda m, X: m.decision_function(X))

    def lightgbm(X, y):
        from lightgbm import LGBMClassifier

        train = LGBMClassifier(**_lightgbm(31)).fit
        return gradient_boosting_predict._timed(X, y, train, lambda m, X: m.predict(X, raw_score=True))

    def xgboost(X, y):
        from xgboost import XGBClassifier

        train = XGBClassifier(**_xgboost(31)).fit
        return gradient_boosting_predict._timed(X, y, train, lambda m, X: m.predict(X, output_margin=True))

    def tl2cgen(X, y):
        import tempfile

        import tl2cgen
        import treelite
        from lightgbm import LGBMClassifier

        def train(X, y):
            model = treelite.frontend.from_lightgbm(LGBMClassifier(**_lightgbm(31)).fit(X, y).booster_)
            library = tempfile.mkdtemp() + "/trees.so"
            tl2cgen.export_lib(model, toolchain="gcc", libpath=library, params={"parallel_comp": 4})
            return tl2cgen.Predictor(library, nthread=threads())

        return gradient_boosting_predict._timed(
            X, y, train, lambda m, X: np.ravel(m.predict(tl2cgen.DMatrix(X), pred_margin=True))
        )


class gradient_boosting_predict_row(Case):
    """One row at a time, 1,000 times: seconds divided by 1,000 is the time of a row."""

    size, quick = dict(n=20_000, p=28), dict(n=2000, p=8)
    goal = dict(lightgbm=5)

    data = gradient_boosting_predict.data

    def quality(fit, X, y):
        return {"loss": np.mean(np.logaddexp(0, -(2 * y[:1000] - 1) * fit.scores))}

    def statlearn(X, y):
        from statlearn.ensemble import GradientBoostingClassifier

        fast = GradientBoostingClassifier(**_ours(31)).fit(X, y).fast_predictor()
        rows = list(X[:1000].astype(np.float64))
        begin = time.perf_counter()
        scores = [fast.scores(row)[0] for row in rows]
        return dict(scores=np.array(scores), seconds=time.perf_counter() - begin)

    def lightgbm(X, y):
        from lightgbm import LGBMClassifier

        model = LGBMClassifier(**_lightgbm(31)).fit(X, y).booster_
        rows = list(X[:1000])
        begin = time.perf_counter()
        scores = [model.predict(row[None], raw_score=True)[0] for row in rows]
        return dict(scores=np.array(scores), seconds=time.perf_counter() - begin)


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
    goal = dict(sklearnex=1.5, sklearn=9.0, snapml=1.5, ranger=1.5)

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

    def snapml(X, y, X_test, y_test, trees):
        from snapml import RandomForestClassifier

        options = dict(max_features="sqrt", n_jobs=threads(), random_state=0, use_histograms=True)
        m = RandomForestClassifier(trees, **options).fit(X, y)
        return dict(probability=m.predict_proba(X_test)[:, 1])

    ranger = R(
        "{k <- as.integer(Sys.getenv('OMP_NUM_THREADS'));"
        "colnames(X) <- colnames(X_test) <- paste0('x', seq_len(ncol(X)));"
        "f <- ranger(x = X, y = factor(y), num.trees = trees, probability = TRUE, min.node.size = 1, oob.error = FALSE,"
        "  num.threads = k, seed = 1, verbose = FALSE);"
        "list(probability = predict(f, X_test, num.threads = k, verbose = FALSE)$predictions[, 2])}",
        library="ranger",
    )


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

    def snapml(X, y, X_test, y_test, trees):
        from snapml import RandomForestRegressor

        options = dict(max_features=1 / 3, n_jobs=threads(), random_state=0, use_histograms=True)
        return dict(prediction=RandomForestRegressor(trees, **options).fit(X, y).predict(X_test))

    ranger = R(
        "{k <- as.integer(Sys.getenv('OMP_NUM_THREADS'));"
        "colnames(X) <- colnames(X_test) <- paste0('x', seq_len(ncol(X)));"
        "f <- ranger(x = X, y = y, num.trees = trees, mtry = max(1, round(ncol(X) / 3)), min.node.size = 1,"
        "  oob.error = FALSE, num.threads = k, seed = 1, verbose = FALSE);"
        "list(prediction = predict(f, X_test, num.threads = k, verbose = FALSE)$predictions)}",
        library="ranger",
    )


class isolation_forest(Case):
    """Isolation forest of 100 trees of 256 rows: the fit and the scores of all rows; the area under the ROC curve for
    one row of 100 that comes from a wider distribution."""

    size, quick = dict(n=200_000, p=20), dict(n=1000, p=5)
    grow = dict(n=[200_000, 2_000_000])
    goal = dict(sklearn=5)

    def data(n, p):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, p))
        X[: n // 100] *= 1.5
        return dict(X=X, trees=100)

    def quality(fit, X, trees):
        from sklearn.metrics import roc_auc_score

        return {"auc": roc_auc_score(np.arange(len(X)) < len(X) // 100, -fit.scores)}

    def statlearn(X, trees):
        from statlearn.ensemble import IsolationForest

        return dict(scores=IsolationForest(n_estimators=trees, random_state=0).fit(X).score_samples(X))

    def sklearn(X, trees):
        from sklearn.ensemble import IsolationForest

        model = IsolationForest(n_estimators=trees, random_state=0, n_jobs=threads()).fit(X)
        return dict(scores=model.score_samples(X))


class adaboost(Case):
    """AdaBoost of 200 exact stumps; the share of wrong test rows."""

    size, quick = dict(n=100_000, p=20, trees=200), dict(n=500, p=8, trees=5)
    grow = dict(n=[100_000, 1_000_000], p=[20, 80])
    goal = dict(sklearn=30)

    def data(n, p, trees):
        return _noisy_classes(n, p, trees)

    def quality(fit, X, y, X_test, y_test, trees):
        return {"test error": np.mean(fit.labels != y_test)}

    def statlearn(X, y, X_test, y_test, trees):
        from statlearn.ensemble import AdaBoostClassifier

        return dict(labels=AdaBoostClassifier(n_estimators=trees, random_state=0).fit(X, y).predict(X_test))

    def sklearn(X, y, X_test, y_test, trees):
        from sklearn.ensemble import AdaBoostClassifier

        return dict(labels=AdaBoostClassifier(n_estimators=trees, random_state=0).fit(X, y).predict(X_test))


def _ours(leaves):
    return dict(
        n_estimators=ROUNDS,
        max_leaf_nodes=leaves,
        max_depth=None,
        min_samples_leaf=20,
        min_child_weight=1e-3,
        random_state=0,
    )


def _lightgbm(leaves):
    return dict(n_estimators=ROUNDS, num_leaves=leaves, n_jobs=threads(), verbose=-1)


def _xgboost(leaves):
    growth = dict(max_leaves=leaves, max_depth=0, grow_policy="lossguide", tree_method="hist")
    return dict(n_estimators=ROUNDS, learning_rate=0.1, n_jobs=threads(), **growth)


# The algorithm of the others: one Newton step for the leaves of a tree, splits by the gain of squared gradients. By
# default CatBoost takes ten steps and the cosine, which goes farther with each tree, as a larger learning rate does.
_ONE_STEP = dict(leaf_estimation_iterations=1, score_function="L2", random_strength=0, bootstrap_type="No")


def _catboost(leaves):
    growth = dict(grow_policy="Lossguide", max_leaves=leaves, max_depth=16, min_data_in_leaf=20)
    quiet = dict(verbose=0, allow_writing_files=False)
    return dict(iterations=ROUNDS, learning_rate=0.1, thread_count=threads(), **quiet, **growth)
