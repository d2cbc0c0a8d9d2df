"""Gradient boosting: printed values, scikit-learn on problems without ties, and the options."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, brentq
from sklearn.datasets import load_iris, make_classification, make_friedman1
from sklearn.ensemble import GradientBoostingClassifier as SklearnClassifier
from sklearn.ensemble import GradientBoostingRegressor as SklearnRegressor
from sklearn.model_selection import train_test_split

from statlearn.ensemble import GradientBooster, GradientBoostingClassifier, GradientBoostingRegressor
from statlearn.ensemble.boosting._growth import meeting_point
from statlearn.ensemble.boosting._losses import classification_loss, regression_loss
from tests.helpers import assert_close

STEPS_X = np.arange(1.0, 11.0)[:, None]
STEPS_Y = np.array([5.56, 5.70, 5.91, 6.40, 6.80, 7.05, 8.90, 8.70, 9.00, 9.05])


@pytest.mark.spec("ENS-T8", "ENS-27", "ENS-P19")
@pytest.mark.parametrize(
    "reg_lambda, gain, leaves", [(0.0, 8.5921008, (-1.0703333, 1.6055)), (1.0, 7.0700715, (-0.9174286, 1.2844))]
)
def test_printed_gain_and_leaves_of_the_first_split(reg_lambda, gain, leaves):
    model = GradientBoostingRegressor(n_estimators=1, max_depth=1, learning_rate=1.0, reg_lambda=reg_lambda)
    forest = model.fit(STEPS_X, STEPS_Y).forest_
    assert forest.threshold[0] == 6.5
    assert forest.gain[0] == pytest.approx(gain, abs=1e-6)
    assert_close(forest.value[1:], leaves, atol=1e-6)
    if reg_lambda == 0.0:  # half the fall of the squared error
        before, after = np.sum((STEPS_Y - STEPS_Y.mean()) ** 2), np.sum((STEPS_Y - model.predict(STEPS_X)) ** 2)
        assert forest.gain[0] == pytest.approx((before - after) / 2, rel=1e-12)


@pytest.mark.spec("ENS-23", "ENS-25", "ENS-P19")
@pytest.mark.parametrize("limits", [{"max_depth": 3}, {"max_depth": None, "max_leaf_nodes": 6}])
@pytest.mark.parametrize("min_samples_leaf", [1, 7])
def test_squared_error_agrees_with_scikit_learn(seed, limits, min_samples_leaf):
    X, y = make_friedman1(n_samples=200, noise=1.0, random_state=seed)  # fewer rows than bins: the search is exact
    options = dict(n_estimators=20, min_samples_leaf=min_samples_leaf, learning_rate=0.3, **limits)
    ours = GradientBoostingRegressor(**options).fit(X, y)
    theirs = SklearnRegressor(random_state=0, **options).fit(X, y)
    assert_close(ours.predict(X), theirs.predict(X), rtol=1e-9, atol=0)
    assert_close(ours.train_score_, theirs.train_score_, rtol=1e-9, atol=0)
    assert_close(ours.feature_importances_.sum(), 1.0, atol=0)


@pytest.mark.spec("ENS-23", "ENS-P15")
@pytest.mark.parametrize(
    "loss", ["squared_error", "absolute_error", "huber", "log_cosh", "quantile", "poisson", "gamma", "tweedie"]
)
def test_training_loss_falls_and_the_start_is_the_best_constant(seed, loss):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4))
    y = rng.gamma(3.0, np.exp(0.5 * X[:, 0] - 0.3 * X[:, 1]) / 3.0)
    model = GradientBoostingRegressor(loss=loss, alpha=0.7, n_estimators=40).fit(X, y)
    if loss != "huber":  # its cut moves with the residuals
        assert np.all(np.diff(model.train_score_) <= 1e-12)
    # Deviances are not 0 at a perfect fit: the fall is measured against that.
    perfect = np.log(y) if loss in ("poisson", "gamma", "tweedie") else y
    floor = regression_loss(loss, 0.7).value(y, perfect[:, None], None) if loss != "huber" else 0.0
    assert model.train_score_[-1] - floor < 0.7 * (model.train_score_[0] - floor)
    constant = {"squared_error": y.mean(), "absolute_error": np.median(y), "huber": np.median(y)}
    constant["log_cosh"] = brentq(lambda c: np.tanh(y - c).sum(), y.min(), y.max(), xtol=1e-14)
    constant["quantile"] = np.quantile(y, 0.7, method="averaged_inverted_cdf")
    assert model.start_[0] == pytest.approx(constant.get(loss, np.log(y.mean())), rel=1e-12)


@pytest.mark.spec("ENS-P17")
def test_huber_with_an_infinite_cut_is_squared_error(seed):
    y = make_friedman1(n_samples=100, random_state=seed)[1]
    loss = regression_loss("huber", alpha=0.999)
    g, h = np.empty((2, 1, 100))
    loss.derivatives(y, np.full((100, 1), y.mean()), None, g, h)
    loss.delta = np.inf
    r = y - y.mean()
    assert_close(loss.slope(r), r, atol=0)
    assert_close(loss.loss(r), r**2 / 2, atol=0)
    assert loss.centre(r, None) == pytest.approx(r.mean(), abs=1e-12)
    assert loss.centre(y, None) == pytest.approx(y.mean(), rel=1e-12)
    X, y = make_friedman1(n_samples=100, random_state=seed)
    huber = GradientBoostingRegressor(loss="huber", delta=1e6, n_estimators=10).fit(X, y)
    plain = GradientBoostingRegressor(n_estimators=10).fit(X, y)
    assert_close(huber.predict(X), plain.predict(X), rtol=1e-9, atol=0)
    narrow = GradientBoostingRegressor(loss="huber", delta=0.5, n_estimators=10).fit(X, y)
    assert not np.allclose(narrow.predict(X), plain.predict(X))


@pytest.mark.spec("ENS-24", "ENS-P18")
@pytest.mark.parametrize("name", ["squared_error", "log_loss", "exponential", "poisson", "gamma", "tweedie"])
@pytest.mark.parametrize("dtype, tol", [(np.float64, 1e-6), (np.float32, 2e-3)])
def test_derivatives_match_differences_of_the_documented_loss(seed, name, dtype, tol):
    rng = np.random.default_rng(seed)
    n, q = 50, 1.3
    f = rng.uniform(-3, 3, n)
    y = rng.integers(0, 2, n).astype(float) if name in ("log_loss", "exponential") else rng.gamma(2.0, size=n)
    w = rng.uniform(0.5, 2.0, n)
    formula = {
        "squared_error": lambda s: (y - s) ** 2 / 2,
        "log_loss": lambda s: np.logaddexp(0, s) - y * s,
        "exponential": lambda s: np.exp(-(2 * y - 1) * s),
        "poisson": lambda s: np.exp(s) - y * s,
        "gamma": lambda s: y * np.exp(-s) + s,
        "tweedie": lambda s: np.exp((2 - q) * s) / (2 - q) - y * np.exp((1 - q) * s) / (1 - q),
    }[name]
    loss = classification_loss(name, 2) if name in ("log_loss", "exponential") else regression_loss(name, power=q)
    g, h = np.empty((2, 1, n), dtype)
    cast = [a.astype(dtype) for a in (y, f[:, None], w)]
    mean = loss.derivatives(*cast, g, h)
    assert mean == pytest.approx(np.average(formula(f), weights=w), rel=tol)
    step = 1e-4
    slope = (formula(f + step) - formula(f - step)) / (2 * step)
    curve = (formula(f + step) - 2 * formula(f) + formula(f - step)) / step**2
    assert_close(g[0], w * slope, rtol=tol, atol=tol)
    assert_close(h[0], w * curve, rtol=max(tol, 1e-5), atol=max(tol, 1e-5))


@pytest.mark.spec("ENS-24")
def test_multinomial_derivatives_match_differences(seed):
    rng = np.random.default_rng(seed)
    y, f = rng.integers(0, 4, 6).astype(np.int32), rng.normal(size=(6, 4))
    loss = classification_loss("log_loss", 4)
    g, h = np.empty((2, 4, 6))
    loss.derivatives(y, f, None, g, h)
    slope = approx_fprime(f.ravel(), lambda s: 6 * loss.value(y, s.reshape(6, 4), None), 1e-7).reshape(6, 4)
    assert_close(g.T, slope, atol=1e-6)
    p = loss.prediction(f)
    assert_close(h.T, 4 / 3 * p * (1 - p), rtol=1e-12, atol=0)


@pytest.mark.spec("ENS-24", "ENS-26")
@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_two_classes(seed, loss):
    X, y = make_classification(600, 8, flip_y=0.1, random_state=seed)
    labels = np.array(["no", "yes"])[y]
    X_train, X_test, y_train, y_test = train_test_split(X, labels, random_state=seed)
    model = GradientBoostingClassifier(loss=loss, random_state=0).fit(X_train, y_train)
    assert model.score(X_test, y_test) > 0.8
    scores = model.decision_function(X_test)
    factor = 2.0 if loss == "exponential" else 1.0
    assert_close(model.predict_proba(X_test)[:, 1], 1 / (1 + np.exp(-factor * scores)), rtol=1e-12, atol=0)
    stages = list(model.staged_predict_proba(X_test))
    assert len(stages) == model.n_estimators_ == 100
    assert_close(stages[-1], model.predict_proba(X_test), rtol=1e-12, atol=0)
    np.testing.assert_array_equal(list(model.staged_predict(X_test))[-1], model.predict(X_test))
    assert_close(list(model.staged_decision_function(X_test))[-1], scores, rtol=1e-12, atol=0)


@pytest.mark.spec("ENS-24")
def test_three_classes(seed):
    X, y = load_iris(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=seed, stratify=y)
    model = GradientBoostingClassifier(n_estimators=30).fit(X_train, y_train)
    probabilities = model.predict_proba(X_test)
    assert_close(probabilities.sum(axis=1), 1.0, atol=0)
    assert model.score(X_test, y_test) > 0.9
    assert model.apply(X_test).shape == (len(X_test), 30, 3)
    # The start is the logarithm of the class shares, up to a constant.
    shares = np.exp(model.start_) / np.exp(model.start_).sum()
    assert_close(shares, np.bincount(y_train) / len(y_train), atol=0)


@pytest.mark.spec("ENS-P21")
def test_smaller_steps_need_more_rounds(seed):
    X, y = make_friedman1(n_samples=300, random_state=seed)
    falls = [GradientBoostingRegressor(learning_rate=rate).fit(X, y).train_score_ for rate in (0.05, 0.1, 0.3)]
    goal = 0.2 * falls[0][0]
    needed = [np.argmax(fall < goal) for fall in falls]
    assert needed[0] > needed[1] > needed[2] > 0


@pytest.mark.spec("ENS-25")
def test_subsamples_and_column_draws_follow_the_seed(seed):
    X, y = make_friedman1(n_samples=400, random_state=seed)
    options = dict(subsample=0.5, max_features=0.4, n_estimators=30)
    first, again, other = (GradientBoostingRegressor(random_state=s, **options).fit(X, y) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.predict(X), again.predict(X))
    assert not np.array_equal(first.predict(X), other.predict(X))
    # The scores kept while fitting are those of the finished model, for sampled rows and the others alike.
    whole = GradientBoostingRegressor(random_state=1, max_features=0.4, n_estimators=30).fit(X, y)
    assert whole.train_score_[-1] == pytest.approx(np.mean((y - whole.predict(X)) ** 2), rel=1e-10)
    assert first.oob_improvement_[:5].min() > 0  # of the same rows, before and after the round
    assert first.oob_score_ == first.oob_scores_[-1]
    assert not hasattr(whole, "oob_improvement_")


def test_early_stopping_uses_the_given_rows(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(400, 5)), rng.normal(size=400)
    X_val, y_val = rng.normal(size=(200, 5)), rng.normal(size=200)
    model = GradientBoostingRegressor(n_iter_no_change=5, n_estimators=500)
    model.fit(X, y, X_val=X_val, y_val=y_val)
    assert model.n_estimators_ < 100
    assert model.validation_score_[-1] == pytest.approx(np.mean((y_val - model.predict(X_val)) ** 2), rel=1e-10)
    held_out = GradientBoostingRegressor(n_iter_no_change=5, n_estimators=500, random_state=0).fit(X, y)
    assert held_out.n_estimators_ < 200


def test_warm_start_continues(seed):
    X, y = make_friedman1(n_samples=200, random_state=seed)
    whole = GradientBoostingRegressor(n_estimators=30, random_state=0).fit(X, y)
    grown = GradientBoostingRegressor(n_estimators=12, random_state=0, warm_start=True).fit(X, y)
    grown.set_params(n_estimators=30).fit(X, y)
    assert_close(grown.predict(X), whole.predict(X), rtol=1e-9, atol=0)
    assert len(grown.train_score_) == 30
    with pytest.raises(ValueError, match="n_estimators=5"):
        grown.set_params(n_estimators=5).fit(X, y)


@pytest.mark.spec("ENS-30")
def test_missing_values_carry_their_meaning(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(500, 2))
    gone = rng.random(500) < 0.3
    X[gone, 0] = np.nan
    y = np.where(gone, 5.0, X[:, 1])
    model = GradientBoostingRegressor(n_estimators=50).fit(X, y)
    assert model.score(X, y) > 0.98
    assert_close(model.predict([[np.nan, 0.0]]), 5.0, atol=0.3)
    # NaN that training never saw goes with the majority instead of failing.
    assert np.isfinite(GradientBoostingRegressor().fit(X[:, 1:], y).predict([[np.nan]])).all()


def test_categories_are_sets_not_sizes(seed):
    rng = np.random.default_rng(seed)
    level = rng.integers(0, 40, 800)
    effect = rng.normal(size=40)
    X = np.column_stack([level * 7.0, rng.normal(size=800)])
    y = effect[level] + 0.1 * rng.normal(size=800)
    one_tree = dict(n_estimators=1, max_depth=2, learning_rate=1.0)
    as_sets = GradientBoostingRegressor(categorical_features=[0], **one_tree).fit(X, y)
    as_sizes = GradientBoostingRegressor(**one_tree).fit(X, y)
    assert as_sets.score(X, y) > 0.75 > as_sizes.score(X, y)
    assert np.isfinite(as_sets.predict([[999.0, 0.0], [np.nan, 0.0]])).all()
    by_mask = GradientBoostingRegressor(categorical_features=[True, False], **one_tree).fit(X, y)
    np.testing.assert_array_equal(by_mask.predict(X), as_sets.predict(X))


def test_monotone_columns(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(600, 2))
    y = X[:, 0] + np.sin(4 * X[:, 0]) - X[:, 1] + 0.3 * rng.normal(size=600)
    model = GradientBoostingRegressor(monotonic_cst=[1, -1], max_depth=4).fit(X, y)
    line = np.linspace(-2, 2, 300)
    for other in (-1.0, 0.0, 1.5):
        assert np.all(np.diff(model.predict(np.column_stack([line, np.full(300, other)]))) >= -1e-12)
        assert np.all(np.diff(model.predict(np.column_stack([np.full(300, other), line]))) <= 1e-12)


@pytest.mark.parametrize(
    "settings",
    [
        {"loss": "absolute_error"},
        {"loss": "huber", "subsample": 0.5},
        {"loss": "quantile", "alpha": 0.8, "max_depth": None, "max_leaf_nodes": 16},
        {"loss": "absolute_error", "goss": (0.2, 0.2), "tree_method": "exact"},
        {"leaf": "gradient", "learning_rate": 1e-3},
    ],
)
def test_leaves_fitted_to_their_rows_keep_monotone_columns(seed, settings):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 3))
    y = np.exp(0.5 * X[:, 0] + np.sin(2 * X[:, 1])) - np.sin(3 * X[:, 0]) + rng.gamma(2, size=400) + X[:, 2]
    X[rng.random(X.shape) < 0.05] = np.nan
    options = {"n_estimators": 15, "max_depth": 4, "random_state": 0, **settings}
    model = GradientBoostingRegressor(monotonic_cst=[1, 0, -1], **options).fit(X, y)
    grid = np.linspace(-4, 4, 50)
    for column, sign in ((0, 1), (2, -1)):
        rows = np.repeat(X[:40], len(grid), axis=0)
        rows[:, column] = np.tile(grid, 40)
        steps = sign * np.diff(model.predict(rows).reshape(40, -1), axis=1)
        assert steps.min() >= -1e-12
    free = GradientBoostingRegressor(**options).fit(X, y)
    constant = np.abs(y - np.median(y)).mean()
    lost = [np.abs(y - m.predict(X)).mean() for m in (free, model)]
    if settings.get("loss") == "absolute_error":
        assert lost[0] < lost[1] < 0.8 * constant  # the direction costs something, but most is learned


def test_the_meeting_point_of_two_sides_moves_values_least(seed):
    rng = np.random.default_rng(seed)
    low, high = rng.normal(size=5) + 1, rng.normal(size=4)
    a, b = rng.uniform(0.5, 3, 5), rng.uniform(0.5, 3, 4)

    def moved(m):
        return a @ np.maximum(low - m, 0) ** 2 + b @ np.maximum(m - high, 0) ** 2

    best = meeting_point(low, a, high, b)
    assert moved(best) <= min(moved(m) for m in np.linspace(-3, 4, 701)) + 1e-12


@pytest.mark.spec("ENS-P23")
def test_class_weights_are_sample_weights(seed):
    X, y = make_classification(200, 5, random_state=seed)
    given = GradientBoostingClassifier(class_weight={0: 1.0, 1: 3.0}, n_estimators=10).fit(X, y)
    plain = GradientBoostingClassifier(n_estimators=10).fit(X, y, sample_weight=np.where(y == 1, 3.0, 1.0))
    assert_close(given.predict_proba(X), plain.predict_proba(X), rtol=1e-12, atol=0)


@pytest.mark.spec("ENS-29")
def test_rounded_gradients_lose_no_accuracy(seed, monkeypatch):
    X, y = make_friedman1(n_samples=42_000, noise=1.0, random_state=seed)
    X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=30_000, random_state=seed)
    options = dict(max_depth=None, max_leaf_nodes=31, min_samples_leaf=20, n_estimators=40)
    rounded = GradientBoostingRegressor(random_state=0, **options).fit(X_train, y_train)
    monkeypatch.setattr("statlearn.ensemble.boosting._growth.QUANTISED_FROM", 10**9)
    exact = GradientBoostingRegressor(random_state=0, **options).fit(X_train, y_train)
    assert not np.array_equal(rounded.predict(X_test), exact.predict(X_test))
    assert rounded.score(X_test, y_test) == pytest.approx(exact.score(X_test, y_test), abs=0.002)


def test_wrong_input_is_named():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20.0)
    with pytest.raises(ValueError, match="strictly positive for loss='gamma'"):
        GradientBoostingRegressor(loss="gamma").fit(X, y - 1)
    with pytest.raises(ValueError, match="non-negative"):
        GradientBoostingRegressor(loss="poisson").fit(X, y - 1)
    with pytest.raises(ValueError, match="only suitable for a binary"):
        GradientBoostingClassifier(loss="exponential").fit(X, np.arange(20) % 3)
    with pytest.raises(ValueError, match="categorical_features"):
        GradientBoostingRegressor(categorical_features=[2]).fit(X, y)
    with pytest.raises(ValueError, match="monotonic_cst"):
        GradientBoostingRegressor(monotonic_cst=[1]).fit(X, y)
    with pytest.raises(ValueError, match="y_val"):
        GradientBoostingClassifier().fit(X, y > 5, X_val=X, y_val=np.full(20, 7))


def test_verbose_shows_progress(capsys):
    X, y = make_friedman1(n_samples=50, random_state=0)
    GradientBoostingRegressor(n_estimators=20, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["Iter", "Train", "Loss", "Remaining", "Time"]
    assert [line.split()[0] for line in lines[1:]] == [*map(str, range(1, 11)), "20"]


@pytest.mark.spec("CRS-39")
@pytest.mark.parametrize("tree_method", ["exact", "hist"])
def test_log_cosh_trees_match_the_general_form(seed, tree_method):
    rng = np.random.default_rng(seed)
    X, noise = make_friedman1(n_samples=120, random_state=seed)[0], rng.standard_t(2, 120)
    y = 3.0 * np.sin(4.0 * X[:, 0]) + X[:, 1] + noise
    w = rng.uniform(0.5, 2.0, 120)
    settings = dict(loss="log_cosh", n_estimators=10, learning_rate=0.3)
    fast = GradientBoostingRegressor(tree_method=tree_method, **settings).fit(X, y, w)
    slow = GradientBooster(line_search="leaf", **settings).fit(X, y, w)
    assert_close(fast.predict(X), slow.predict(X), atol=1e-6)
    assert_close(fast.train_score_, slow.train_score_[1:], atol=1e-6)


@pytest.mark.spec("CRS-39")
@pytest.mark.parametrize("shift", [0.0, -1e6])
def test_log_cosh_start_and_leaves_are_roots_of_the_sum_of_tanh(seed, shift):
    rng = np.random.default_rng(seed)
    y = np.concatenate([rng.standard_t(1.5, 30), 200.0 + 5.0 * rng.standard_t(1.5, 25)]) + shift
    X = np.repeat([[0.0], [1.0]], [30, 25], axis=0)
    w = rng.integers(1, 4, 55).astype(float)
    model = GradientBoostingRegressor(loss="log_cosh", max_depth=1, n_estimators=1, learning_rate=1.0).fit(X, y, w)
    for rows, centre in [(slice(None), model.start_[0]), *((X[:, 0] == k, model.predict([[k]])[0]) for k in (0, 1))]:
        assert abs(np.sum(w[rows] * np.tanh(y[rows] - centre))) < 1e-7  # 1e-10 of the unit at 1e6
    copies = GradientBoostingRegressor(loss="log_cosh", max_depth=1, n_estimators=1, learning_rate=1.0)
    copies.fit(np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int)))
    assert_close(copies.predict(X), model.predict(X))


@pytest.mark.spec("CRS-49")
@pytest.mark.parametrize("K", [2, 3, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_trees_grown_on_residuals_match_friedman_and_scikit_learn(K, weighted, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 5))
    y = np.clip(np.round(X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=200)), 0, K - 1).astype(int)
    w = rng.uniform(0.5, 2.0, 200) if weighted else None
    ours = GradientBoostingClassifier(growth="gradient", tree_method="exact", n_estimators=10).fit(X, y, w)
    theirs = SklearnClassifier(n_estimators=10, random_state=0).fit(X, y, w)
    for stage, expected in zip(ours.staged_predict_proba(X), theirs.staged_predict_proba(X), strict=True):
        assert_close(stage, expected, rtol=0, atol=1e-6)
    newton = GradientBoostingClassifier(tree_method="exact", n_estimators=10).fit(X, y, w)
    assert np.abs(newton.predict_proba(X) - ours.predict_proba(X)).max() > 1e-3


@pytest.mark.spec("CRS-49")
@pytest.mark.parametrize("tree_method", ["exact", "hist"])
@pytest.mark.parametrize("loss", ["log_loss", "deviance"])
def test_the_leaves_of_the_first_round_by_friedmans_formulas(loss, tree_method, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(120, 3)), rng.integers(0, 2, 120)
    model = GradientBoostingClassifier(loss=loss, growth="gradient", tree_method=tree_method, n_estimators=1,
                                       learning_rate=1.0, max_depth=2).fit(X, y)  # fmt: skip
    leaves, step = model.apply(X)[:, 0, 0], model.decision_function(X) - model.start_[0]
    half = model.start_[0] * (0.5 if loss == "log_loss" else 1.0)  # half the log-odds
    s = 2 * y - 1
    r = 2 * s / (1 + np.exp(2 * s * half))
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        gamma = np.sum(r[rows]) / np.sum(np.abs(r[rows]) * (2 - np.abs(r[rows])))
        assert_close(step[rows], gamma * (2.0 if loss == "log_loss" else 1.0))


@pytest.mark.spec("CRS-49")
def test_growth_on_gradients_with_samples_and_penalties(seed):
    X, y = make_classification(300, random_state=seed)
    options = dict(growth="gradient", n_estimators=20, random_state=0)
    for extra in ({"subsample": 0.5}, {"goss": (0.2, 0.2)}, {"reg_lambda": 5.0}, {"monotonic_cst": [1] + [0] * 19}):
        model = GradientBoostingClassifier(**options, **extra).fit(X, y)
        assert model.score(X, y) > 0.85
    grid = np.tile(X[:1], (50, 1))
    grid[:, 0] = np.linspace(-3, 3, 50)
    assert np.all(np.diff(model.decision_function(grid)) >= -1e-12)
    shrunken = GradientBoostingClassifier(**options, reg_lambda=1e6).fit(X, y)
    assert np.ptp(shrunken.decision_function(X)) < 1e-3
