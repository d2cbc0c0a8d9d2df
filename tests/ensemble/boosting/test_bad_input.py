"""Bad and strange input to gradient boosting: a clear error, or the documented treatment."""

import pickle

import numpy as np
import pandas as pd
import pytest

from statlearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from tests.helpers import assert_close

X = np.random.default_rng(0).normal(size=(40, 3))
Y = X[:, 0] + 0.1


def test_targets_and_weights_that_make_no_sense():
    with pytest.raises(ValueError, match="NaN"):
        GradientBoostingRegressor().fit(X, np.where(np.arange(40) == 3, np.nan, Y))
    with pytest.raises(ValueError, match="Negative"):
        GradientBoostingRegressor().fit(X, Y, sample_weight=np.linspace(-1, 1, 40))
    with pytest.raises(ValueError, match="all weights are zero"):
        GradientBoostingRegressor().fit(X, Y, sample_weight=np.zeros(40))
    with pytest.raises(ValueError, match="one class"):
        GradientBoostingClassifier().fit(X, np.ones(40, int))
    with pytest.raises(ValueError, match="infinity"):
        GradientBoostingRegressor().fit(np.where(X > 2, np.inf, X), Y)
    with pytest.raises(ValueError, match="y_val"):
        GradientBoostingRegressor().fit(X, Y, X_val=X)
    with pytest.raises(ValueError, match="infinity"):
        GradientBoostingRegressor().fit(X, Y).predict(np.full((1, 3), np.inf))


@pytest.mark.parametrize("tree_method", ["hist", "exact"])
def test_columns_without_information_are_ignored(tree_method):
    table = np.column_stack([X[:, 0], np.full(40, 7.0), np.full(40, np.nan)])
    model = GradientBoostingRegressor(tree_method=tree_method).fit(table, Y)
    np.testing.assert_array_equal(model.feature_importances_, [1.0, 0.0, 0.0])
    constant = GradientBoostingRegressor(tree_method=tree_method).fit(table[:, 1:], Y)
    assert_close(constant.predict(table[:, 1:]), Y.mean(), atol=0)
    one_row = GradientBoostingRegressor(tree_method=tree_method).fit(X[:1], Y[:1])
    assert_close(one_row.predict(X[:2]), Y[0], atol=0)


def test_a_category_column_without_values_is_ignored():
    table = np.column_stack([X[:, 0], np.full(40, np.nan)])
    for method in ("hist", "exact"):
        model = GradientBoostingRegressor(categorical_features=[1], tree_method=method).fit(table, Y)
        assert np.isfinite(model.predict([[0.0, 3.0], [0.0, np.nan]])).all()


def test_a_damaged_model_raises():
    model = GradientBoostingRegressor(n_estimators=3).fit(X, Y)
    for name, value in (("child", 10**6), ("feature", 99)):
        array = getattr(model.forest_, name)
        kept, array[0] = array[0], value
        with pytest.raises(ValueError, match="damaged"):
            model.predict(np.repeat(X, 5, axis=0))
        with pytest.raises(ValueError, match="damaged"):
            model.fast_predictor()
        array[0] = kept


def test_long_chains_of_splits_do_not_overflow_the_stack():
    x = np.arange(300.0)[:, None]
    y = 3.0 ** (x[:, 0] - 300)  # every best split takes off the last row
    model = GradientBoostingRegressor(n_estimators=1, max_depth=None, tree_method="exact", learning_rate=1.0).fit(x, y)
    assert model.forest_.depth.max() > 100
    assert np.isfinite(model.predict(x)).all()


def test_validation_rows_are_checked_as_training_rows_are():
    model = GradientBoostingRegressor(n_estimators=3)
    with pytest.raises(ValueError, match="`X_val` has 40 rows, but `y_val` has 7"):
        model.fit(X, Y, X_val=X, y_val=Y[:7])
    with pytest.raises(ValueError, match="y_val contains NaN"):
        model.fit(X, Y, X_val=X, y_val=np.where(np.arange(40) == 3, np.nan, Y))
    with pytest.raises(ValueError, match="y_val must be strictly positive"):
        GradientBoostingRegressor(loss="gamma").fit(X, np.abs(Y) + 1, X_val=X, y_val=Y)


def test_a_custom_loss_of_another_length_is_named():
    with pytest.raises(ValueError, match=r"a gradient of shape \(3,\) for 40 rows"):
        GradientBoostingRegressor(loss=lambda y, f: ((y - f) ** 2 / 2, (f - y)[:3], np.ones(len(y)))).fit(X, Y)
    scalar = GradientBoostingRegressor(loss=lambda y, f: ((y - f) ** 2 / 2, f - y, 1.0), n_estimators=5).fit(X, Y)
    plain = GradientBoostingRegressor(n_estimators=5).fit(X, Y)
    assert_close(scalar.predict(X), plain.predict(X), rtol=1e-6, atol=0)


def test_a_warm_start_on_rows_without_a_level_keeps_the_codes():
    """The codes of the first fit hold: with codes of their own, the rows of b would be taken for a."""
    rng = np.random.default_rng(0)
    letters = rng.choice(list("abc"), 300)
    y = np.select([letters == "a", letters == "b"], [5.0, 0.0], -5.0)
    frame = pd.DataFrame({"letter": pd.Categorical(letters)})
    model = GradientBoostingRegressor(n_estimators=20, learning_rate=0.5, warm_start=True).fit(frame, y)
    part = letters != "a"
    rest = pd.DataFrame({"letter": pd.Categorical(letters[part])})
    model.set_params(n_estimators=40).fit(rest, y[part])
    assert_close(model.predict(frame), y, atol=1e-3)


_SETTINGS = [
    {},
    {"tree_method": "exact"},
    {"max_depth": None, "min_samples_leaf": 50},
    {"categorical_features": [2]},
]


@pytest.mark.parametrize("settings", _SETTINGS)
@pytest.mark.parametrize("rows", [300, 25_000])
def test_targets_whose_squares_overflow_raise(settings, rows):
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=(rows, 2)), rng.integers(0, 40, rows)])
    y = rng.normal(size=rows)
    with pytest.raises(ValueError, match="The loss is inf after 0 rounds because of overflow"):
        GradientBoostingRegressor(n_estimators=3, **settings).fit(table, 1e200 * y)
    with pytest.raises(ValueError, match="too large for dtype"):
        GradientBoostingRegressor(n_estimators=3, **settings).fit(table.astype(np.float32), 1e39 * y)
    plain = GradientBoostingRegressor(n_estimators=3, random_state=0, **settings).fit(table, y)
    large = GradientBoostingRegressor(n_estimators=3, random_state=0, **settings).fit(table, 2.0**400 * y)
    assert_close(large.predict(table) / 2.0**400, plain.predict(table), atol=0)


def test_sums_that_overflow_leave_nodes_alone():
    """The loss is finite, the square of a sum of gradients is not."""
    y = np.repeat([1.0, 0.0], 5_000) * 2e152
    x = np.arange(10_000.0)[:, None]
    for method in ("hist", "exact"):
        model = GradientBoostingRegressor(n_estimators=2, max_depth=None, tree_method=method).fit(x, y)
        assert np.isfinite(model.predict(x)).all()


def test_categories_have_no_direction(rng):
    X = np.column_stack([rng.integers(0, 4, 100), rng.normal(size=100)])
    model = GradientBoostingRegressor(n_estimators=2, categorical_features=[0], monotonic_cst=[1, 0])
    with pytest.raises(ValueError, match="must be 0 for categorical columns"):
        model.fit(X, X[:, 1])
    model.set_params(monotonic_cst=[0, 1]).fit(X, X[:, 1])


def test_a_warm_start_raises_for_other_columns_classes_and_losses(rng):
    X = rng.normal(size=(60, 3))
    y = np.exp(X[:, 0])
    model = GradientBoostingRegressor(n_estimators=3, warm_start=True).fit(X, y).set_params(n_estimators=5)
    with pytest.raises(ValueError, match="X has 2 features, but GradientBoostingRegressor is expecting 3"):
        model.fit(X[:, :2], y)
    with pytest.raises(ValueError, match=r"cannot continue with loss='poisson'.* fitted with loss='squared_error'"):
        copied(model).set_params(loss="poisson").fit(X, y)
    labels = np.digitize(y, [0.7, 1.5])
    model = GradientBoostingClassifier(n_estimators=3, warm_start=True).fit(X, labels > 0).set_params(n_estimators=5)
    for other in (labels, np.where(labels > 0, "yes", "no")):
        with pytest.raises(ValueError, match="`warm_start`=True requires the classes of the previous fit"):
            copied(model).fit(X, other)
    assert model.fit(X, labels > 0).n_estimators_ == 5


def copied(fitted):
    return pickle.loads(pickle.dumps(fitted))


def test_validation_options_require_a_validation_table(rng):
    X = rng.normal(size=(40, 2))
    for name in ("y_val", "sample_weight_val"):
        with pytest.raises(ValueError, match=f"{name}` requires `X_val`"):
            GradientBoostingRegressor(n_estimators=2, n_iter_no_change=2).fit(X, X[:, 0], **{name: np.ones(40)})
    watched = dict(X_val=X, y_val=X[:, 0], sample_weight_val=np.zeros(40))
    with pytest.raises(ValueError, match=r"^sample_weight_val must contain a positive weight"):
        GradientBoostingRegressor(n_estimators=2, n_iter_no_change=2).fit(X, X[:, 0], **watched)


def test_a_custom_loss_cannot_change_its_arguments(rng):
    X = rng.normal(size=(40, 2))

    def careless(y, f):
        f -= y
        return f**2 / 2, f, np.ones_like(f)

    with pytest.raises(ValueError, match="read-only"):
        GradientBoostingRegressor(loss=careless, n_estimators=2).fit(X, X[:, 0])


def test_targets_of_rows_without_weight_are_not_looked_at(rng):
    X = rng.normal(size=(60, 2))
    y = np.exp(X[:, 0])
    counts = X[:, 0] > 0
    for loss in ("gamma", "poisson", "tweedie"):
        options = {"loss": loss, "n_estimators": 5}
        weighted = GradientBoostingRegressor(**options).fit(X, np.where(counts, y, -1.0), sample_weight=counts * 1.0)
        plain = GradientBoostingRegressor(**options).fit(X[counts], y[counts])
        assert_close(weighted.predict(X), plain.predict(X), rtol=1e-12, atol=0)
    with pytest.raises(ValueError, match="at least one positive"):
        GradientBoostingRegressor(loss="poisson").fit(X, y * ~counts, sample_weight=counts * 1.0)


def test_the_table_of_rounds_has_a_gap_where_no_row_is_left_out(capsys):
    GradientBoostingRegressor(subsample=0.9, n_estimators=2, verbose=1).fit([[1.0]], [2.0])
    assert len(capsys.readouterr().out.splitlines()) == 3
