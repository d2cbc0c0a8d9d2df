"""Options of gradient boosting: exact search, sampling, constraints, starts, losses of one's own, sparse tables."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csc_matrix, csr_matrix
from sklearn.datasets import make_classification, make_friedman1
from sklearn.ensemble import GradientBoostingClassifier as SklearnClassifier
from sklearn.ensemble import GradientBoostingRegressor as SklearnRegressor
from sklearn.linear_model import LinearRegression
from sklearn.metrics import log_loss

import statlearn
from statlearn.ensemble import ExclusiveFeatureBundler, GradientBoostingClassifier, GradientBoostingRegressor
from tests.helpers import assert_close

# ---- Exact search ----


def printed_data():
    i = np.arange(60)
    X = np.column_stack([np.sin(i * 1.7), np.cos(i * 2.3) * i, (i * 37 % 61) / 10.0])
    y = X[:, 0] * 2 + np.where(X[:, 1] > 3, 1.5, -0.5) * X[:, 2]
    X[i % 7 == 3, 2] = np.nan
    return X, y


# XGBoost 3.2.0: XGBRegressor(tree_method="exact", n_estimators=5, learning_rate=0.3, min_child_weight=0,
# base_score=0.5, ...).fit(X.astype("float32"), y).predict(X, output_margin=True)[:6], and the number of leaves. Its
# gamma is twice ours.
XGBOOST = [
    (
        dict(reg_lambda=1.0, gamma=0.25, max_depth=3),
        [-0.11612, 0.16988, -0.9371, -2.47993, -0.29703, 0.74948],
        37,
    ),
    (
        dict(reg_lambda=0.5, reg_alpha=2.0, max_depth=3),
        [0.25913, -0.02791, -1.05727, -2.45673, -0.02791, 0.54357],
        36,
    ),
    (
        dict(reg_lambda=1.0, gamma=3.0, max_depth=5),
        [-0.07372, 0.08587, -1.44584, -2.21338, -0.26234, 0.39876],
        28,
    ),
]
FIVE = dict(n_estimators=5, learning_rate=0.3, init="zero", post_prune=True)


@pytest.mark.spec("ENS-27", "ENS-28", "ENS-30")
@pytest.mark.parametrize("tree_method", ["exact", "hist"])
@pytest.mark.parametrize("options, expected, leaves", XGBOOST)
def test_exact_greedy_matches_xgboost(tree_method, options, expected, leaves):
    X, y = printed_data()
    model = GradientBoostingRegressor(tree_method=tree_method, **FIVE, **options).fit(X, y - 0.5)
    assert_close(model.predict(X)[:6] + 0.5, expected, atol=2e-5)
    assert model.forest_.is_leaf.sum() == leaves


@pytest.mark.spec("ENS-27")
def test_exact_greedy_of_classes_matches_xgboost():
    X, y = printed_data()
    options = dict(reg_lambda=1.0, gamma=0.05, max_depth=3, tree_method="exact")
    model = GradientBoostingClassifier(**FIVE, **options).fit(X, y > np.median(y))
    # XGBClassifier with the same settings
    expected = [0.9745, 0.60699, -1.83468, -1.83468, -1.10937, 1.4882]
    assert_close(model.decision_function(X)[:6], expected, atol=2e-5)
    assert model.forest_.is_leaf.sum() == 29


@pytest.mark.spec("ENS-27")
def test_exact_search_sees_more_than_the_bins(seed):
    X, y = make_friedman1(n_samples=600, noise=1.0, random_state=seed)
    options = dict(n_estimators=15, max_depth=4)
    exact = GradientBoostingRegressor(tree_method="exact", **options).fit(X, y)
    theirs = SklearnRegressor(random_state=0, **options).fit(X, y)
    # scikit-learn's trees read single precision: thresholds differ by rounding, rows beside them could, too.
    assert_close(exact.predict(X), theirs.predict(X), rtol=1e-6, atol=0)
    coarse = GradientBoostingRegressor(max_bins=8, **options).fit(X, y)
    assert exact.train_score_[-1] < coarse.train_score_[-1]


@pytest.mark.spec("ENS-24", "ENS-P19")
def test_newton_leaves_match_scikit_learn(seed):
    """Stumps on one column: trees that see second derivatives cut elsewhere, so one cut is all there is."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(200, 1)).astype(float)
    y = rng.random(200) < np.where(X[:, 0] == 1, 0.7, 0.4)
    ours = GradientBoostingClassifier(n_estimators=30, max_depth=1).fit(X, y)
    theirs = SklearnClassifier(n_estimators=30, max_depth=1).fit(X, y)
    assert_close(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-10, atol=0)
    assert_close(ours.train_score_, theirs.train_score_, rtol=1e-10, atol=0)


@pytest.mark.spec("ENS-24")
def test_gradient_leaves_step_by_the_sum_of_the_gradients(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, size=(50, 1)).astype(float), rng.integers(0, 2, 50)
    model = GradientBoostingClassifier(leaf="gradient", n_estimators=1, learning_rate=0.01, max_depth=1).fit(X, y)
    p = y.mean()
    for side in (0.0, 1.0):
        step = -0.01 * np.sum(p - y[X[:, 0] == side])
        assert model.decision_function([[side]])[0] == pytest.approx(np.log(p / (1 - p)) + step, rel=1e-10)


@pytest.mark.spec("ENS-P18", "ENS-24")
def test_deviance_is_log_loss_at_half_the_score(seed):
    X, y = make_classification(200, 5, random_state=seed)
    f = np.linspace(-3, 3, 9)
    assert_close(np.logaddexp(0, -2 * (f / 2)), np.logaddexp(0, -f), atol=0)
    logistic = GradientBoostingClassifier(n_estimators=20).fit(X, y)
    # Its hessian is four times that of the logistic loss and its gradient twice: Newton steps are halved with f.
    half = GradientBoostingClassifier(loss="deviance", n_estimators=20).fit(X, y)
    assert_close(2 * half.decision_function(X), logistic.decision_function(X), rtol=1e-6, atol=1e-8)
    assert_close(half.predict_proba(X), logistic.predict_proba(X), rtol=1e-6, atol=0)
    # Slopes at large negative margins: bounded for both, not for the exponential loss.
    far = np.array([-5.0, -10.0, -20.0])
    assert np.all(np.abs(-2 / (1 + np.exp(2 * far))) <= 2)
    assert np.all(np.diff(np.abs(-np.exp(-far))) > 0)


# ---- Rows and columns ----


@pytest.mark.spec("ENS-31", "ENS-P22")
def test_goss_with_all_rows_equals_no_sampling(seed):
    X, y = make_friedman1(n_samples=300, random_state=seed)
    plain = GradientBoostingRegressor(n_estimators=10, random_state=0).fit(X, y)
    whole = GradientBoostingRegressor(n_estimators=10, random_state=0, goss=(1.0, 0.0)).fit(X, y)
    np.testing.assert_array_equal(whole.predict(X), plain.predict(X))
    sampled = GradientBoostingRegressor(n_estimators=100, random_state=0, goss=(0.2, 0.2)).fit(X, y)
    assert sampled.score(X, y) > 0.9
    assert sampled.forest_.rows[sampled.forest_.roots].max() == 120
    for wrong in ((0.7, 0.5), (-0.1, 0.5), (0.5,)):
        with pytest.raises(ValueError, match="goss"):
            GradientBoostingRegressor(goss=wrong).fit(X, y)


@pytest.mark.spec("ENS-P22", "ENS-31")
def test_gradient_sums_under_goss_are_unbiased(seed):
    from statlearn.ensemble.boosting._growth import TreeGrower

    rng = np.random.default_rng(seed)
    g = rng.normal(size=(1, 1000))
    model = GradientBoostingRegressor(goss=(0.1, 0.2), n_estimators=1).fit(g.T, g[0])
    model.max_features_ = 1
    grower = TreeGrower(model, g.T.copy(), None, 7)
    sums = []
    for round_ in range(400):
        grower.draw_rows(round_, g)
        assert len(grower.sample) == 300
        sums.append(np.sum(g[0, grower.sample] * grower.factor[grower.sample]))
    assert np.mean(sums) == pytest.approx(g.sum(), abs=4 * np.std(sums) / np.sqrt(400))
    largest = np.argsort(-np.abs(g[0]))[:100]
    assert np.isin(largest, grower.sample).all()
    np.testing.assert_array_equal(grower.factor[largest], 1.0)


@pytest.mark.spec("ENS-P23")
@pytest.mark.parametrize("share", [0.0, 0.1])
def test_weights_are_copies(seed, share):
    X, y = make_friedman1(n_samples=80, random_state=seed)
    weights = np.random.default_rng(seed).integers(0, 4, 80)
    options = dict(n_estimators=10, min_weight_fraction_leaf=share)
    weighted = GradientBoostingRegressor(**options).fit(X, y, sample_weight=weights)
    copies = GradientBoostingRegressor(**options).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_close(weighted.predict(X), copies.predict(X), rtol=1e-9, atol=0)


def test_limits_have_the_meaning_of_scikit_learn(seed):
    X, y = make_friedman1(n_samples=150, noise=1.0, random_state=seed)
    w = np.random.default_rng(seed).uniform(0.5, 2.0, 150)
    for limits in (
        dict(min_samples_split=40),
        dict(min_samples_split=0.3, min_samples_leaf=0.1),
        dict(min_weight_fraction_leaf=0.15),
        dict(min_impurity_decrease=0.3),
        dict(ccp_alpha=0.4),
    ):
        options = dict(n_estimators=8, max_depth=4, **limits)
        ours = GradientBoostingRegressor(**options).fit(X, y, sample_weight=w)
        theirs = SklearnRegressor(random_state=0, **options).fit(X, y, sample_weight=w)
        assert_close(ours.predict(X), theirs.predict(X), rtol=1e-6, err_msg=str(limits), atol=0)
        assert [t.tree_.n_leaves for t in ours.estimators_[:, 0]] == [
            t.tree_.n_leaves for t in theirs.estimators_[:, 0]
        ]


def test_interactions_are_limited(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 3))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    free = GradientBoostingRegressor().fit(X, y)
    additive = GradientBoostingRegressor(interaction_cst="no_interactions").fit(X, y)
    assert free.score(X, y) > 0.9 > additive.score(X, y)
    # Without interactions, what a column adds does not depend on the others.
    at, other = np.tile(X[0], (2, 1)), np.tile(X[1], (2, 1))
    at[1, 2], other[1, 2] = 3.0, 3.0
    at[0, 2], other[0, 2] = -3.0, -3.0
    assert np.diff(additive.predict(at)) == pytest.approx(np.diff(additive.predict(other)), rel=1e-9)
    with pytest.raises(ValueError, match="interaction_cst"):
        GradientBoostingRegressor(interaction_cst=[[0, 7]]).fit(X, y)


# ---- Starts, losses, stopping ----


def test_start_from_another_model(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 2))
    y = 5 * X[:, 0] + np.sign(X[:, 1])
    model = GradientBoostingRegressor(init=LinearRegression(), n_estimators=30, max_depth=1).fit(X, y)
    theirs = SklearnRegressor(init=LinearRegression(), n_estimators=30, max_depth=1).fit(X, y)
    assert_close(model.predict(X), theirs.predict(X), atol=1e-5)  # they read single precision
    zero = GradientBoostingRegressor(init="zero", n_estimators=1, learning_rate=1e-9).fit(X, y)
    assert_close(zero.predict(X), 0.0, atol=1e-6)


def squared(y, f):
    return (y - f) ** 2 / 2, f - y, np.ones(len(y))


def logistic(y, f):
    p = 1 / (1 + np.exp(-f))
    return np.logaddexp(0, f) - y * f, p - y, p * (1 - p)


def test_a_loss_of_ones_own(seed):
    X, y = make_friedman1(n_samples=150, random_state=seed)
    own = GradientBoostingRegressor(loss=squared, n_estimators=10).fit(X, y)
    named = GradientBoostingRegressor(n_estimators=10).fit(X, y)
    assert_close(own.predict(X), named.predict(X), rtol=1e-9, atol=0)
    assert_close(2 * own.train_score_, named.train_score_, rtol=1e-9, atol=0)
    labels = np.where(y > np.median(y), "high", "low")
    own = GradientBoostingClassifier(loss=logistic, n_estimators=10).fit(X, labels)
    named = GradientBoostingClassifier(n_estimators=10).fit(X, labels)
    assert_close(own.predict_proba(X), named.predict_proba(X), rtol=1e-6, atol=0)


@pytest.mark.parametrize(
    "loss, message",
    [
        (lambda y, f: (f, np.full(len(y), np.nan), np.ones(len(y))), "returned nan as gradient"),
        (lambda y, f: (f, f, -np.ones(len(y))), "negative hessian"),
        (lambda y, f: (f, f), "three arrays"),
    ],
)
def test_a_bad_loss_of_ones_own_raises(loss, message):
    X, y = np.arange(20.0)[:, None], np.arange(20.0)
    with pytest.raises(ValueError, match=message):
        GradientBoostingRegressor(loss=loss).fit(X, y)


def test_stopping_by_a_score(seed):
    X, y = make_classification(600, 6, flip_y=0.2, random_state=seed)
    options = dict(n_estimators=300, n_iter_no_change=5, tol=0.0, random_state=0)
    model = GradientBoostingClassifier(scoring="neg_log_loss", **options)
    model.fit(X[:400], y[:400], X_val=X[400:], y_val=y[400:])
    assert model.n_estimators_ < 300
    assert model.validation_score_[-1] == pytest.approx(log_loss(y[400:], model.predict_proba(X[400:])), rel=1e-9)
    accuracy = GradientBoostingClassifier(scoring="accuracy", **options).fit(X, y)
    assert accuracy.n_estimators_ < 300
    assert np.all(accuracy.validation_score_ <= 0)


@pytest.mark.spec("ENS-26")
def test_the_best_round_comes_from_the_stages(seed):
    X, y = make_friedman1(n_samples=400, noise=2.0, random_state=seed)
    model = GradientBoostingRegressor(n_estimators=300, learning_rate=0.3).fit(X[:200], y[:200])
    errors = [np.mean((y[200:] - stage) ** 2) for stage in model.staged_predict(X[200:])]
    best = int(np.argmin(errors))
    assert 0 < best < 250
    assert errors[best] < errors[-1]


# ---- Sparse tables and bundles ----


def one_hot_table(rng, n, groups, levels):
    return np.concatenate([np.eye(levels)[rng.integers(0, levels, n)] for _ in range(groups)], axis=1)


@pytest.mark.spec("ENS-32", "ENS-P22")
def test_bundled_columns_give_the_same_model(seed):
    rng = np.random.default_rng(seed)
    X = one_hot_table(rng, 400, 3, 8) * rng.integers(1, 4, size=(400, 24))
    y = X @ rng.normal(size=24) + 0.1 * rng.normal(size=400)
    dense = GradientBoostingRegressor(n_estimators=20).fit(X, y)
    for table in (csr_matrix(X), csc_matrix(X)):
        bundled = GradientBoostingRegressor(n_estimators=20).fit(table, y)
        apart = GradientBoostingRegressor(n_estimators=20, max_conflict_rate=None).fit(table, y)
        assert bundled._bins.transform(csr_matrix(X)).by_column.shape[0] < 8
        assert apart._bins.transform(csr_matrix(X)).by_column.shape[0] == 24
        for model in (bundled, apart):
            np.testing.assert_array_equal(model.forest_.feature, dense.forest_.feature)
            assert_close(model.forest_.threshold, dense.forest_.threshold, atol=0)
            assert_close(model.predict(X), dense.predict(X), rtol=1e-10, atol=0)
            assert_close(model.predict(table), dense.predict(X), rtol=1e-10, atol=0)
            np.testing.assert_array_equal(model.apply(table), dense.apply(X))


@pytest.mark.spec("ENS-32", "ENS-P22")
def test_rounded_sums_read_bundles_too(seed, monkeypatch):
    monkeypatch.setattr("statlearn.ensemble.boosting._growth.QUANTISED_FROM", 10)
    rng = np.random.default_rng(seed)
    X = one_hot_table(rng, 500, 2, 6)
    y = X @ rng.normal(size=12)
    dense = GradientBoostingRegressor(n_estimators=5, random_state=0).fit(X, y)
    sparse = GradientBoostingRegressor(n_estimators=5, random_state=0).fit(csr_matrix(X), y)
    np.testing.assert_array_equal(sparse.predict(X), dense.predict(X))


def test_sparse_tables_with_negative_many_and_missing_values(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(500, 6)) * (rng.random((500, 6)) < 0.4)
    y = np.where(X[:, 0] < 0, 2.0, 0.0) + X[:, 1] + (X[:, 2] == 0)
    dense = GradientBoostingRegressor(n_estimators=30).fit(X, y)
    sparse = GradientBoostingRegressor(n_estimators=30).fit(csr_matrix(X), y)
    assert sparse.score(csr_matrix(X), y) == pytest.approx(dense.score(X, y), abs=0.01)
    holes = csr_matrix(X)
    holes.data[::5] = np.nan
    model = GradientBoostingRegressor(n_estimators=30).fit(holes, y)
    assert_close(model.predict(holes), model.predict(holes.toarray()), rtol=1e-12, atol=0)
    exact = GradientBoostingRegressor(n_estimators=5, tree_method="exact").fit(csr_matrix(X), y)
    again = GradientBoostingRegressor(n_estimators=5, tree_method="exact").fit(X, y)
    np.testing.assert_array_equal(exact.predict(X), again.predict(X))


@pytest.mark.spec("ENS-32")
def test_bundler_keeps_conflicts_within_the_budget(seed):
    rng = np.random.default_rng(seed)
    X = (rng.random((300, 40)) < 0.03) * rng.integers(1, 5, size=(300, 40))
    counts = []
    for rate in (0.0, 0.05):
        bundler = ExclusiveFeatureBundler(rate).fit(X)
        assert sorted(j for bundle in bundler.bundles_ for j in bundle) == list(range(40))
        for bundle in bundler.bundles_:
            extra = np.maximum(np.count_nonzero(X[:, bundle], axis=1) - 1, 0).sum()
            assert extra <= rate * 300
        codes = bundler.transform(X)
        np.testing.assert_array_equal(codes, bundler.transform(csr_matrix(X)))
        if rate == 0.0:  # nothing is lost: a code tells which column has which value
            for b, bundle in enumerate(bundler.bundles_):
                seen = {}
                for code, row in zip(codes[:, b], X[:, bundle], strict=True):
                    assert seen.setdefault(code, tuple(row)) == tuple(row)
        counts.append(len(bundler.bundles_))
    assert counts[1] < counts[0] < 40


# ---- Fast predictor, faces ----


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_fast_predictor_gives_the_models_numbers(seed, classes):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4))
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 3] = rng.integers(0, 300, 200)
    f = np.nan_to_num(X[:, 0]) + X[:, 3] % 2
    kind = dict(n_estimators=12, categorical_features=[3])
    if classes == 0:
        model = GradientBoostingRegressor(loss="poisson", **kind).fit(X, np.exp(f / 3))
    else:
        y = np.digitize(f, np.quantile(f, np.arange(1, classes) / classes))
        model = GradientBoostingClassifier(**kind).fit(X, np.array(["a", "b", "c"])[y])
    fast = pickle.loads(pickle.dumps(model.fast_predictor()))
    for i in range(50):
        assert fast.predict(X[i]) == pytest.approx(model.predict(X[i : i + 1])[0]) if classes == 0 else True
        if classes:
            assert fast.predict(X[i]) == model.predict(X[i : i + 1])[0]
            assert_close(fast.predict_proba(X[i]), model.predict_proba(X[i : i + 1])[0], rtol=1e-12, atol=0)
    with pytest.raises(ValueError, match="number of features"):
        model.fast_predictor()._scores(np.zeros(3))


def test_trees_one_by_one_add_up_to_the_model(seed):
    X, y = make_friedman1(n_samples=100, random_state=seed)
    model = GradientBoostingRegressor(n_estimators=6, max_depth=2).fit(X, y)
    trees = model.estimators_
    assert trees.shape == (6, 1)
    total = model.start_[0] + sum(tree.predict(X) for tree in trees[:, 0])
    assert_close(total, model.predict(X), rtol=1e-12, atol=0)
    np.testing.assert_array_equal(trees[2, 0].apply(X), model.apply(X)[:, 2])
    assert trees[0, 0].tree_.n_node_samples[0] == 100
    assert trees[0, 0].get_depth() == 2
    assert trees[0, 0].get_n_leaves() == 4
    with pytest.raises(AttributeError):
        getattr(trees[0, 0], "nonsense")  # noqa: B009


def test_more_categories_than_fit_into_a_byte(seed):
    rng = np.random.default_rng(seed)
    level = rng.integers(0, 1000, 6000)
    side = rng.integers(0, 2, 6000)
    effect = rng.normal(size=1000)
    y = np.where(side == 1, effect[level], -effect[level])  # no level has a mean of its own
    X = np.column_stack([level, side]).astype(float)
    model = GradientBoostingRegressor(categorical_features=[0], n_estimators=60, max_depth=4, learning_rate=0.3)
    assert model.fit(X[:4000], y[:4000]).score(X[4000:], y[4000:]) > 0.4  # two rows for each level and side
    only = GradientBoostingRegressor(categorical_features=[0], n_estimators=5).fit(X[:, :1], effect[level])
    assert np.isfinite(only.predict([[5000.0], [np.nan]])).all()
    assert only.score(X[:, :1], effect[level]) > 0.3


def test_any_number_of_threads_splits_wide_columns_alike(seed, monkeypatch):
    monkeypatch.setattr("statlearn.ensemble.boosting._growth.QUANTISED_FROM", 1000)
    rng = np.random.default_rng(seed)
    n = 40_000  # more rows than one thread takes alone
    levels = [3, 300, 400, 270, 500]
    X = np.column_stack([rng.integers(0, k, n) for k in levels] + [rng.normal(size=n)])
    X[rng.random(X.shape) < 0.01] = np.nan
    y = sum(rng.normal(size=k)[np.nan_to_num(c).astype(int)] for k, c in zip(levels, X.T)) + rng.normal(size=n)
    model = GradientBoostingRegressor(
        categorical_features=[0, 1, 2, 3, 4], n_estimators=4, max_leaf_nodes=15, max_depth=None, random_state=seed
    )
    found = []
    for count in (1, 2, 3):
        with statlearn.threads(count):
            found.append(model.fit(X, y).predict(X))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    assert model.score(X, y) > 0.2


# ---- Dropout ----

# XGBoost 3.2.0: XGBRegressor(booster="dart", rate_drop=1, skip_drop=0, normalize_type="tree", tree_method="exact",
# n_estimators=5, min_child_weight=0, base_score=0.5, max_depth=3, reg_lambda=1, learning_rate=...)
# .fit(X.astype("float32"), y).predict(X, output_margin=True)[:6]
DART = {
    0.3: [0.57171, -0.09764, -0.64154, -1.66727, -0.09764, 0.57171],
    1.0: [0.61872, -0.4894, -1.38986, -3.08798, -0.4894, 0.61872],
}


@pytest.mark.parametrize("learning_rate", DART)
def test_dropping_all_rounds_matches_xgboost(learning_rate):
    X, y = printed_data()
    model = GradientBoostingRegressor(
        learning_rate=learning_rate, n_estimators=5, init="zero", reg_lambda=1.0, max_depth=3, dropout=1.0
    ).fit(X, y - 0.5)
    assert_close(model.predict(X)[:6] + 0.5, DART[learning_rate], atol=2e-5)


@pytest.mark.parametrize("classes", [2, 3])
def test_scores_are_up_to_date_under_dropout(seed, classes):
    X, y = make_classification(500, 8, n_informative=5, n_classes=classes, random_state=seed)
    options = dict(n_estimators=25, dropout=0.3, subsample=0.8, random_state=seed)
    model = GradientBoostingClassifier(**options).fit(X[:300], y[:300], X_val=X[300:], y_val=y[300:])
    factor = 2.0 if classes == 2 else 1.0  # as scikit-learn reports it
    loss = factor * log_loss(y[300:], model.predict_proba(X[300:]))
    assert model.validation_score_[-1] == pytest.approx(loss, rel=1e-6)
    first = GradientBoostingClassifier(**{**options, "n_estimators": 10}, warm_start=True).fit(X[:300], y[:300])
    before = first.predict_proba(X).copy()
    on = pickle.loads(pickle.dumps(first)).set_params(n_estimators=25).fit(X[:300], y[:300])
    assert_close(on.predict_proba(X), model.predict_proba(X), atol=1e-9)
    np.testing.assert_array_equal(first.predict_proba(X), before)
    plain = GradientBoostingClassifier(**{**options, "dropout": 0.0}).fit(X[:300], y[:300])
    assert not np.allclose(plain.predict_proba(X), model.predict_proba(X))


def test_dropout_evens_out_the_rounds(seed):
    """Without it the first trees outweigh the later ones; dropout scales them down as others join."""
    X, y = make_friedman1(400, random_state=seed, noise=0.5)
    spread = {}
    for dropout in (0.0, 0.5):
        model = GradientBoostingRegressor(n_estimators=40, learning_rate=1.0, dropout=dropout, random_state=seed)
        forest = model.fit(X, y).forest_
        sizes = np.array([np.ptp(forest.tree(t).value) for t in range(len(forest))])
        spread[dropout] = sizes[:5].mean() / sizes[-5:].mean()
        assert model.score(X, y) > 0.7
        assert model.train_score_[-1] == pytest.approx(np.mean((y - model.predict(X)) ** 2), rel=1e-6)
    assert spread[0.5] < spread[0.0] / 2


def test_losses_of_huber_rounds_do_not_depend_on_later_rounds(seed):
    """Each round has a separate cut, by which its loss is reported."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + rng.standard_t(2, size=200)
    long = GradientBoostingRegressor(loss="huber", n_estimators=8).fit(X, y)
    short = GradientBoostingRegressor(loss="huber", n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(short.train_score_, long.train_score_[:5])


def test_balanced_classes_count_the_weights_of_their_rows(seed):
    """Weight k is k copies, of which "balanced" must know: each class has the same total weight then."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 2))
    y = np.digitize(X[:, 0] + rng.normal(size=200), [0.0, 1.0])
    weights = rng.integers(0, 4, 200) * (1 + (y == 0))
    copies = np.repeat(np.arange(200), weights)
    model = GradientBoostingClassifier(n_estimators=5, class_weight="balanced")
    weighted = model.fit(X, y, sample_weight=weights).predict_proba(X)
    assert_close(weighted, model.fit(X[copies], y[copies]).predict_proba(X), rtol=1e-9, atol=0)
    assert model.fit(X, y, sample_weight=weights).start_ == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize("categories", [None, [2]])
def test_the_fast_predictor_takes_rows_of_its_length_only(rng, categories):
    X = np.column_stack([rng.normal(size=(60, 2)), rng.integers(0, 5, 60)])
    model = GradientBoostingRegressor(n_estimators=3, categorical_features=categories).fit(X, X[:, 0] + X[:, 2])
    fast = model.fast_predictor()
    assert fast.predict(list(X[0])) == fast.predict(X[0]) == model.predict(X[:1])[0]
    for wrong in (X[0, :2], X[:1], [1.0] * 4, 1.0):
        with pytest.raises(ValueError, match=r"one-dimensional array of 3 numbers|wrong number of features"):
            fast.predict(wrong)
