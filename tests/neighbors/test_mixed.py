"""Distances of mixed tables."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from statlearn.neighbors import KNeighborsClassifier, MixedDistance, attribute_weights
from tests.helpers import assert_close


def mean_over_pairs(d, x):
    return np.mean([[d(a, b) for b in x] for a in x])


@pytest.mark.spec("NEI-13", "NEI-P9")
def test_every_column_contributes_the_same_on_average(rng):
    for _ in range(5):
        X = np.column_stack([rng.normal(size=40) * 100, rng.exponential(size=40), rng.integers(0, 5, size=40)])
        w = attribute_weights(X)
        for j in range(3):
            assert_close(w[j] * mean_over_pairs(lambda a, b: (a - b) ** 2, X[:, j]), 1.0)
        assert_close(1 / w, 2 * X.var(axis=0))
        w = attribute_weights(X, numeric="absolute", kinds=["numeric", "numeric", "nominal"])
        for j in range(2):
            assert_close(w[j] * mean_over_pairs(lambda a, b: abs(a - b), X[:, j]), 1.0)
        assert_close(w[2] * mean_over_pairs(lambda a, b: float(a != b), X[:, 2]), 1.0)
        # The same through the distance: the mean over pairs of the whole is 1, and so is each column's part.
        D = MixedDistance(["numeric", "numeric", "nominal"], scale="mean").fit_transform(X)
        assert_close(D.mean(), 1.0)
        for j in range(3):
            part = MixedDistance(["numeric", "numeric", "nominal"], scale="mean", weights=np.eye(3)[j]).fit_transform(X)
            assert_close(part.mean(), 1.0)


def test_a_constant_column_has_no_weight():
    assert_close(attribute_weights([[1.0, 0.0], [1.0, 2.0]]), [0.0, 0.5])


def gower(table, other, kinds, ranges):
    """Gower's coefficient, literally."""
    out = np.empty((len(table), len(other)))
    for a, x in enumerate(table):
        for b, y in enumerate(other):
            total = count = 0.0
            for j, kind in enumerate(kinds):
                u, v = x[j], y[j]
                if u is None or v is None or u != u or v != v or (kind == "asymmetric" and u == v == 0):
                    continue
                total += abs(u - v) / ranges[j] if kind == "numeric" else float(u != v)
                count += 1
            out[a, b] = total / count if count else 1.0
    return out


@pytest.mark.spec("NEI-13")
def test_defaults_are_gowers_coefficient(rng):
    kinds = ["numeric", "nominal", "asymmetric", "numeric"]
    rows = [
        [
            None if rng.random() < 0.2 else float(rng.normal()),
            None if rng.random() < 0.2 else str(rng.choice(["red", "green", "blue"])),
            float(rng.integers(0, 2)),
            float(rng.exponential()),
        ]
        for _ in range(40)
    ]
    train, new = rows[:30], rows[30:]
    new[0][1] = "violet"  # not seen in training
    ranges = {j: np.ptp([r[j] for r in train if r[j] is not None]) for j in (0, 3)}
    model = MixedDistance(kinds).fit(train)
    assert_close(model.transform(new), gower(new, train, kinds, ranges))
    assert_close(model.fit_transform(train), gower(train, train, kinds, ranges))
    assert_close(model.pairwise(new), gower(new, new, kinds, ranges))
    assert_close(model.pairwise(new, train), model.transform(new))


def test_kinds_are_detected_and_frames_are_read():
    table = pd.DataFrame({"age": [1, 2, 5], "colour": ["a", "b", "a"], "size": pd.Categorical(["s", "m", "s"])})
    model = MixedDistance().fit(table)
    assert model.kinds_ == ["numeric", "nominal", "nominal"]
    assert_close(model.transform(table)[0], [0, (0.25 + 2) / 3, 1 / 3])
    assert MixedDistance().fit(np.array([["1", "2"], ["3", "4"]])).kinds_ == ["nominal"] * 2


def test_ordinal_levels_are_positions():
    X = [["a"], ["b"], ["d"]]
    D = MixedDistance(["ordinal"], scale=None).fit(X).transform([["a"]])
    assert_close(D, [[0, 1 / 3, 2 / 3]])
    with pytest.raises(ValueError, match="the level 'c', which is not among"):
        MixedDistance(["ordinal"]).fit(X).transform([["c"]])


def test_weights_and_squares():
    X = [[0.0, 0.0], [2.0, 1.0]]
    D = MixedDistance(numeric="squared", scale=None, weights=[3.0, 1.0]).fit_transform(X)
    assert_close(D[0, 1], (3 * 4 + 1) / 4)


@pytest.mark.spec("NEI-13")
def test_neighbours_of_a_mixed_table():
    table = pd.DataFrame({"dose": [0.0, 0.1, 0.9, 1.0], "group": ["x", "x", "y", "y"]})
    model = make_pipeline(MixedDistance(), KNeighborsClassifier(1, metric="precomputed"))
    model.fit(table, [0, 0, 1, 1])
    new = pd.DataFrame({"dose": [0.2, 0.6], "group": ["x", "y"]})
    assert model.predict(new).tolist() == [0, 1]


@pytest.mark.parametrize(
    "settings, X, words",
    [
        ({"kinds": ["numeric"]}, [["a"]], "not numbers"),
        ({"kinds": ["odd"]}, [[1.0]], "'odd'"),
        ({"kinds": ["numeric"]}, [[1.0, 2.0]], "`kinds` has 1 entries"),
        ({"kinds": ["asymmetric"]}, [[2.0]], "0 and 1"),
        ({"weights": [1.0]}, [[1.0, 2.0]], "weights"),
        ({"weights": [-1.0, 1.0]}, [[1.0, 2.0]], "weights"),
        ({}, [[np.inf]], "infinity"),
    ],
)
def test_bad_tables_raise(settings, X, words):
    with pytest.raises(ValueError, match=words):
        MixedDistance(**settings).fit(X)
