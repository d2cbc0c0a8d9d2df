"""Latent classes on the table of sweets, and as a model of categorical tables in general."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from statlearn.mixture import LatentClassModel
from tests.helpers import assert_close

# Flavour, wrapper, holes -> count.
SWEETS = [
    ("cherry", "red", "yes", 273),
    ("cherry", "red", "no", 93),
    ("cherry", "green", "yes", 104),
    ("cherry", "green", "no", 90),
    ("lime", "red", "yes", 79),
    ("lime", "red", "no", 100),
    ("lime", "green", "yes", 94),
    ("lime", "green", "no", 167),
]
CELLS = np.array([row[:3] for row in SWEETS])
COUNTS = np.array([row[3] for row in SWEETS])
# Columns of the tables are sorted categories: cherry, lime; green, red; no, yes.
START = dict(
    weights_init=[0.6, 0.4],
    tables_init=[[[0.6, 0.4], [0.4, 0.6]], [[0.4, 0.6], [0.6, 0.4]], [[0.4, 0.6], [0.6, 0.4]]],
)


def after(steps):
    model = LatentClassModel(2, max_iter=steps, tol=0.0, **START)
    if steps:
        with pytest.warns(match="did not converge"):
            return model.fit(CELLS, sample_weight=COUNTS)
    return model.fit(CELLS, sample_weight=COUNTS)


def parameters(model):
    flavour, wrapper, holes = model.tables_
    return [flavour[0, 0], wrapper[0, 1], holes[0, 1]], [flavour[1, 0], wrapper[1, 1], holes[1, 1]]


@pytest.mark.spec("MIX-07", "MIX-T1")
def test_first_expectations():
    expected = [0.8350515, 0.6923077, 0.6923077, 0.5, 0.6923077, 0.5, 0.5, 0.3076923]
    assert_close(after(0).predict_proba(CELLS)[:, 0], expected, atol=1e-6)


@pytest.mark.spec("MIX-07", "MIX-T2")
def test_one_step():
    model = after(1)
    first, second = parameters(model)
    assert_close(model.weights_[0], 0.612431, atol=1e-6)
    assert_close(first, [0.668408, 0.648312, 0.655848], atol=1e-6)
    assert_close(second, [0.388695, 0.381748, 0.382741], atol=1e-6)


@pytest.mark.spec("MIX-07", "MIX-T3")
def test_ten_steps():
    model = after(10)
    history = model.lower_bound_history_
    assert_close(history[[0, 1, 2, 10]], [-2044.26036, -2021.02624, -2003.02505, -1982.01779], atol=1e-5)
    assert_close(after(2).weights_[0], 0.606155, atol=1e-6)
    first, second = parameters(model)
    assert_close(model.weights_[0], 0.559853, atol=1e-6)
    assert_close(first, [0.806031, 0.737062, 0.767898], atol=1e-6)
    assert_close(second, [0.247057, 0.300704, 0.272840], atol=1e-6)
    assert_close(model.log_likelihood_, history[-1])


@pytest.mark.spec("MIX-07", "MIX-P6")
def test_counts_table_repeated_rows_and_weights_are_one():
    table = np.zeros((2, 2, 2))
    for flavour, wrapper, holes, count in SWEETS:
        table[int(flavour == "lime"), int(wrapper == "red"), int(holes == "yes")] = count
    start = dict(max_iter=50, tol=1e-9, **START)
    with pytest.warns(match="did not converge"):
        models = [
            LatentClassModel(2, **start).fit_table(table),
            LatentClassModel(2, **start).fit(np.repeat(CELLS, COUNTS, axis=0)),
            LatentClassModel(2, **start).fit(CELLS, sample_weight=COUNTS),
        ]
    for model in models[1:]:
        assert_close(model.weights_, models[0].weights_, rtol=1e-9)
        for a, b in zip(model.tables_, models[0].tables_):
            assert_close(a, b, rtol=1e-9)


def random_table(rng, n=200, missing=0.0):
    y = rng.integers(0, 2, size=n)
    X = np.column_stack([rng.binomial(2, 0.2 + 0.5 * y), rng.binomial(1, 0.8 - 0.5 * y), rng.binomial(3, 0.4, size=n)])
    X = X.astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    return X


@pytest.mark.spec("MIX-07", "MIX-P1", "MIX-P3")
@given(seed=st.integers(0, 5000), missing=st.sampled_from([0.0, 0.3]), alpha=st.sampled_from([0.0, 0.5]))
def test_likelihood_rises_and_is_the_sum_over_classes(seed, missing, alpha):
    X = random_table(np.random.default_rng(seed), missing=missing)
    model = LatentClassModel(2, n_init=2, random_state=seed, alpha=alpha, tol=1e-5, max_iter=5000).fit(X)
    assert np.all(np.diff(model.lower_bound_history_) >= -1e-8 * abs(model.log_likelihood_))
    joint = np.tile(np.log(model.weights_), (len(X), 1))
    with np.errstate(divide="ignore"):
        for column, table, categories in zip(X.T, model.tables_, model.categories_):
            seen = ~np.isnan(column)
            joint[seen] += np.log(table[:, np.searchsorted(categories, column[seen])]).T
            assert_close(table.sum(axis=1), [1.0, 1.0])
    rows = logsumexp(joint, axis=1)
    assert_close(model.score_samples(X), rows)
    assert_close(model.predict_proba(X), np.exp(joint - rows[:, None]), atol=1e-9)
    assert_close(model.log_likelihood_, rows.sum())


def test_squarem_needs_fewer_steps():
    start = dict(tol=1e-9, max_iter=50_000, **START)
    plain = LatentClassModel(2, **start).fit(CELLS, sample_weight=COUNTS)
    fast = LatentClassModel(2, acceleration="squarem", **start).fit(CELLS, sample_weight=COUNTS)
    assert fast.log_likelihood_ >= plain.log_likelihood_ - 1e-3
    assert fast.n_iter_ < plain.n_iter_ / 2


def test_a_saturated_model_fits_the_table():
    """Two classes and three binary columns have as many parameters as cells."""
    model = LatentClassModel(2, tol=1e-13, max_iter=50_000, acceleration="squarem", **START)
    model.fit(CELLS, sample_weight=COUNTS)
    assert model._n_parameters() == 7
    assert 0 <= model.deviance(CELLS, COUNTS) < 0.1


def test_samples_follow_the_tables():
    model = LatentClassModel(2, random_state=0, n_init=2, tol=1e-6).fit(CELLS, sample_weight=COUNTS)
    X, y = model.sample(20_000)
    assert_close(np.mean(y == 0), model.weights_[0], atol=0.02)
    assert_close(np.mean(X[y == 0, 0] == "cherry"), model.tables_[0][0, 0], atol=0.02)


def test_unknown_values_count_as_missing_and_bad_input_raises():
    model = LatentClassModel(2, random_state=0, n_init=1, tol=1e-6).fit(CELLS, sample_weight=COUNTS)
    rows = np.array([["cherry", "blue", "yes"], ["cherry", None, "yes"]], dtype=object)
    a, b = model.predict_proba(rows)
    assert_close(a, b)
    for make, message in [
        (lambda: LatentClassModel(2, tables_init=[[[1.0]]]).fit(CELLS), "`tables_init` must have shapes"),
        (lambda: LatentClassModel(2, tables_init=[np.ones((2, 2))] * 3).fit(CELLS), "probability distribution"),
        (lambda: LatentClassModel(2, weights_init=[1.0, 1.0]).fit(CELLS), "normalized"),
        (lambda: LatentClassModel().fit_table([[-1, 2], [1, 1]]), "counts"),
        (lambda: LatentClassModel().fit(np.array([[1.0, np.nan], [2.0, np.nan]])), "only missing values"),
        (lambda: LatentClassModel().fit(np.array([["a", 1], [2, 1]], dtype=object)), "cannot be compared"),
        (lambda: model.deviance(rows), "complete rows"),
    ]:
        with pytest.raises(ValueError, match=message):
            make()


def test_callbacks_see_the_rows():
    class Recorder:
        def __init__(self):
            self.scores = []

        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context, *, X, fitted_estimator):
            if context.parent is not None and fitted_estimator is not None:
                self.scores.append(fitted_estimator.score(X))

        def teardown(self, estimator, context):
            pass

    recorder = Recorder()
    model = LatentClassModel(2, tol=1e-4, **START).set_callbacks(recorder).fit(CELLS, sample_weight=COUNTS)
    assert len(recorder.scores) == model.n_iter_  # given start values are one start
    assert_close(recorder.scores[-1], model.score(CELLS))
