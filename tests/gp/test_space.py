"""Search spaces: maps to the unit cube and back, designs, short forms, refusals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from statlearn.gp import Categorical, Integer, Real, Space
from statlearn.gp._space import as_dimension, space_of_values
from tests.helpers import assert_close


@given(
    low=st.floats(1e-6, 1e3),
    ratio=st.floats(1.001, 1e6),
    at=st.floats(0, 1),
    prior=st.sampled_from(["uniform", "log-uniform"]),
)
def test_positions_and_values_are_inverse(low, ratio, at, prior):
    dimension = Real(low, low * ratio, prior)
    value = dimension.value(at)
    assert dimension.low <= value <= dimension.high
    assert_close(dimension.position(value), at, atol=1e-6)
    assert dimension.value(0.0) == dimension.low
    assert dimension.value(1.0) == dimension.high


@given(low=st.integers(1, 50), width=st.integers(1, 60), prior=st.sampled_from(["uniform", "log-uniform"]))
def test_integers_survive_the_round_trip_through_cells(low, width, prior):
    dimension = Integer(low, low + width, prior)
    for value, position in zip(range(low, low + width + 1), dimension.grid()):
        assert dimension.value(position) == value
        assert_close(dimension.position(value), position)
    positions = np.linspace(0, 1, 97)
    snapped = dimension.snap(positions)
    assert_close(dimension.snap(snapped), snapped)
    assert [dimension.value(p) for p in positions] == [dimension.value(p) for p in snapped]


def test_integers_are_drawn_equally_often():
    values = [Integer(1, 4).value(p) for p in (np.arange(400) + 0.5) / 400]
    assert np.bincount(values)[1:].tolist() == [100] * 4


def test_categories_of_any_type_are_equally_far_apart():
    dimension = Categorical(["a", None, (1, 2), True, 1, 2.5])
    for value in dimension.categories:
        assert dimension.value(dimension.position(value)) is value
    columns = dimension.columns(dimension.grid())
    distances = np.linalg.norm(columns[:, None] - columns, axis=2)
    assert_close(distances, 1.0 - np.eye(6))
    assert Categorical([False, True]).columns(np.array([0.1, 0.9])).tolist() == [[0.0], [1.0]]


def test_short_forms():
    assert as_dimension((1, 5)) == Integer(1, 5)
    assert as_dimension((1, 5.0)) == Real(1, 5)
    assert as_dimension((1e-3, 1.0, "log-uniform")) == Real(1e-3, 1.0, "log-uniform")
    assert as_dimension(["a", "b"]) == Categorical(["a", "b"])
    assert as_dimension([1, 2]) == Categorical([1, 2])
    assert as_dimension((True, False)) == Categorical([True, False])
    assert as_dimension(stats.loguniform(1e-2, 10.0)) == Real(1e-2, 10.0, "log-uniform")
    assert as_dimension(stats.uniform(1, 2)) == Real(1, 3)
    assert as_dimension(stats.randint(2, 9)) == Integer(2, 8)
    assert space_of_values([0.01, 0.1, 1.0]) == Real(0.01, 1.0, "log-uniform")
    assert space_of_values([1, 2, 8]) == Integer(1, 8)
    assert space_of_values([0.1, 0.2]) == Categorical([0.1, 0.2])
    assert space_of_values([None, 3, 5]) == Categorical([None, 3, 5])


@pytest.mark.spec("GPR-18")
@pytest.mark.parametrize("kind", ["sobol", "lhs", "halton", "random"])
def test_designs_cover_the_space(kind):
    space = Space({"a": (0.0, 1.0), "b": (1, 3), "c": ["x", "y"]})
    design = space.design(16, kind, np.random.default_rng(0))
    assert design.shape == (16, 3)
    assert_close(space.snap(design), design)
    assert {space.point(row)["b"] for row in design} == {1, 2, 3}
    if kind == "lhs":
        assert np.bincount((design[:, 0] * 16).astype(int), minlength=16).tolist() == [1] * 16


def test_points_are_dicts_or_lists():
    named, plain = Space({"a": (0.0, 1.0), "b": [1, 2, 3]}), Space([(0.0, 1.0), [1, 2, 3]])
    assert named.point([0.5, 0.5]) == {"a": 0.5, "b": 2}
    assert plain.point([0.5, 0.5]) == [0.5, 2]
    assert_close(named.positions({"b": 2, "a": 0.5}), plain.positions([0.5, 2]))
    assert named.size == math.inf
    assert Space([(1, 3), ["x", "y"]]).size == 6
    assert len(Space([(1, 3), ["x", "y"]]).all_positions()) == 6
    assert named.width == 4


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: Real(1.0, 1.0), "less than"),
        (lambda: Real(2.0, 1.0), "less than"),
        (lambda: Real(0.0, 1.0, "log-uniform"), "positive"),
        (lambda: Real(0.0, np.inf), "high"),
        (lambda: Real(0.0, 1.0, "normal"), "prior"),
        (lambda: Integer(1.5, 3), "low"),
        (lambda: Categorical([]), "categories"),
        (lambda: Categorical("abc"), "categories"),
        (lambda: Categorical([1, 1]), "twice"),
        (lambda: Space([]), "dimensions"),
        (lambda: Space(3), "dimensions"),
        (lambda: Space({"alpha": (3.0, 1.0)}), "alpha"),
        (lambda: Space({"alpha": "abc"}), "alpha"),
        (lambda: Space({"alpha": stats.norm(0, 1)}), "norm"),
        (lambda: Space({"a": (0.0, 1.0)}).positions({"b": 1.0}), "keys"),
        (lambda: Space({"a": (0.0, 1.0)}).positions({"a": 2.0}), "'a'"),
        (lambda: Space([(0.0, 1.0)]).positions([0.1, 0.2]), "1 values"),
        (lambda: Space([(0.0, 1.0)]).positions(["x"]), "value"),
        (lambda: Space([["a", "b"]]).positions(["c"]), "'c'"),
    ],
)
def test_bad_spaces_and_points_raise(make, words):
    with pytest.raises(ValueError, match=words):
        make()
