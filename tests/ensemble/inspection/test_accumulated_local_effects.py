"""Accumulated local effects against their definition written out, and functions whose effects are known."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from statlearn.ensemble import GradientBoostingRegressor, accumulated_local_effects, partial_dependence
from statlearn.linear import LinearRegression, LogisticRegression
from tests.helpers import assert_close

from .test_partial_dependence import Given


def written_out(f, X, j, K):
    """The first-order effect by loops, with the quantiles of R's type 1 as in the package ALEPlot."""
    edges = np.unique([X[:, j].min(), *np.quantile(X[:, j], np.arange(1, K + 1) / K, method="inverted_cdf")])
    effect, counts = [0.0], []
    for k in range(1, len(edges)):
        low, high = edges[k - 1], edges[k]
        rows = X[((X[:, j] > low) | ((k == 1) & (X[:, j] == low))) & (X[:, j] <= high)]
        a, b = rows.copy(), rows.copy()
        a[:, j], b[:, j] = low, high
        effect.append(effect[-1] + np.mean(f(b) - f(a)))
        counts.append(len(rows))
    effect = np.array(effect)
    return edges, effect - np.average((effect[1:] + effect[:-1]) / 2, weights=counts), counts


def test_first_order_effects_are_their_definition(rng):
    X = rng.normal(size=(120, 3)).round(1)
    model = GradientBoostingRegressor(n_estimators=20, random_state=0).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    for j in range(3):
        edges, effect, counts = written_out(model.predict, X, j, 15)
        found = accumulated_local_effects(model, X, [j], n_intervals=15)
        assert_close(found.grid_values[0], edges)
        assert_close(found.average[0], effect)
        assert_close(found.counts, counts)


def test_weights_are_copies(rng):
    X = rng.normal(size=(60, 2))
    weights = rng.integers(0, 4, size=60)
    model = Given(lambda X: X[:, 0] * np.exp(X[:, 1])).fit(X)
    for features in ([0], [0, 1]):
        found = accumulated_local_effects(model, X, features, n_intervals=8, sample_weight=weights)
        copies = accumulated_local_effects(model, np.repeat(X, weights, axis=0), features, n_intervals=8)
        assert_close(found.average, copies.average)
        assert_close(found.counts, copies.counts)


def test_terms_of_an_additive_function_are_recovered_whatever_the_dependence(rng):
    x = rng.uniform(-1, 1, size=500)
    X = np.column_stack([x, x + 0.05 * rng.normal(size=500)])
    model = Given(lambda X: np.sin(3 * X[:, 0]) + X[:, 1] ** 2).fit(X)
    for j, term in ((0, lambda z: np.sin(3 * z)), (1, np.square)):
        found = accumulated_local_effects(model, X, [j])
        gap = found.average[0] - term(found.grid_values[0])
        assert_close(gap, np.full(len(gap), gap[0]))
    pair = accumulated_local_effects(model, X, [0, 1], n_intervals=10)
    assert_close(pair.average, np.zeros_like(pair.average), atol=1e-10)  # no interaction


def test_only_near_rows_are_evaluated(rng):
    """A model that is wild away from the diagonal: partial dependence sees it, local effects do not."""
    x = rng.uniform(size=2000)
    X = np.column_stack([x, x])
    model = Given(lambda X: X[:, 0] + 100 * (np.abs(X[:, 0] - X[:, 1]) > 0.2)).fit(X)
    found = accumulated_local_effects(model, X, [0], n_intervals=20)
    assert_close(np.diff(found.average[0]), np.diff(found.grid_values[0]))
    assert np.ptp(partial_dependence(model, X, [0]).average) > 10


def test_second_order_effects_of_a_product_are_the_centred_product(rng):
    """f = x0 x1 with independent columns: the pure interaction is (x0 - m0)(x1 - m1), up to the width of the cells."""
    X = rng.uniform(size=(4000, 2))
    found = accumulated_local_effects(Given(lambda X: X[:, 0] * X[:, 1]).fit(X), X, [0, 1], n_intervals=20)
    assert found.average.shape == (1, 21, 21)
    expected = (found.grid_values[0][:, None] - 0.5) * (found.grid_values[1][None, :] - 0.5)
    assert_close(found.average[0], expected, atol=0.02)  # four standard errors: the centring is by the sample
    counts = found.counts
    corners = found.average[0]
    middle = (corners[1:, 1:] + corners[1:, :-1] + corners[:-1, 1:] + corners[:-1, :-1]) / 4
    assert_close((middle * counts).sum(), 0.0)
    assert counts.sum() == 4000
    line = np.column_stack([X[:, 0], X[:, 0]])  # only the diagonal has rows: the others borrow from it
    filled = accumulated_local_effects(Given(lambda X: X[:, 0] * X[:, 1]).fit(line), line, [0, 1], n_intervals=10)
    assert (filled.counts == 0).sum() > 50
    assert np.isfinite(filled.average).all()


@pytest.fixture
def coloured(rng):
    n = 300
    colour = rng.choice(["red", "green", "blue"], size=n, p=[0.5, 0.3, 0.2])
    size = rng.normal(size=n) + np.select([colour == "red", colour == "green"], [0.0, 1.0], 2.0)
    frame = pd.DataFrame({"size": size, "colour": colour})
    y = np.select([colour == "red", colour == "green"], [1.0, 3.0], 7.0) + size
    encoder = make_column_transformer((OneHotEncoder(drop="first"), ["colour"]), remainder="passthrough")
    return frame, make_pipeline(encoder, LinearRegression()).fit(frame, y)


def test_effects_of_categories(coloured):
    frame, model = coloured
    found = accumulated_local_effects(model, frame, "colour")
    assert found.grid_values[0].tolist() in (["red", "green", "blue"], ["blue", "green", "red"])  # alike in size
    at = dict(zip(found.grid_values[0], found.average[0]))
    assert_close([at["green"] - at["red"], at["blue"] - at["red"]], [2.0, 6.0], atol=1e-8)
    assert_close(found.average[0] @ found.counts, 0.0, atol=1e-8)
    sorted_ = accumulated_local_effects(model, frame, "colour", order="value")
    assert sorted_.grid_values[0].tolist() == ["blue", "green", "red"]
    given = accumulated_local_effects(model, frame, "colour", order=["green", "red", "blue"])
    assert given.grid_values[0].tolist() == ["green", "red", "blue"]
    assert_close(given.average[0], [at["green"], at["red"], at["blue"]], atol=1e-8)
    with pytest.raises(ValueError, match="every level exactly once"):
        accumulated_local_effects(model, frame, "colour", order=["green", "red"])


def test_classes_missing_cells_and_bad_requests(rng, coloured):
    X = rng.normal(size=(90, 2))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=90), [-0.5, 0.5])
    three = LogisticRegression().fit(X, y)
    found = accumulated_local_effects(three, X, [0], n_intervals=5)
    assert found.average.shape == (3, 6)
    assert_close(found.average.sum(axis=0), np.zeros(6))  # probabilities sum to one
    two = accumulated_local_effects(LogisticRegression().fit(X, y > 0), X, [0], response_method="decision_function")
    assert two.average.shape[0] == 1
    holes = X.copy()
    holes[::3, 0] = np.nan
    model = GradientBoostingRegressor(n_estimators=5).fit(holes, np.nan_to_num(holes[:, 0]))
    found = accumulated_local_effects(model, holes, [0], n_intervals=5)
    assert found.counts.sum() == 60
    frame, pipeline = coloured
    for features in (["size", "colour"], ["size", "size"], ["size", "colour", "size"]):
        with pytest.raises(ValueError, match="one column or two different numeric"):
            accumulated_local_effects(pipeline, frame, features)
    with pytest.raises(ValueError, match="constant column"):
        accumulated_local_effects(three, np.ones((5, 2)), [0])
