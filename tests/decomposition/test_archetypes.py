"""Archetypal analysis: the optimality of its steps, known corners, monotone objectives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.decomposition import ArchetypalAnalysis
from statlearn.decomposition._archetypes import drawn_rows, nearest_in_hull, simplex_codes
from tests.helpers import assert_close

CORNERS = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]])


@pytest.fixture
def triangle(rng):
    return np.vstack([CORNERS, rng.dirichlet([1.0, 1.0, 1.0], size=60) @ CORNERS])


@pytest.mark.spec("DEC-17")
@pytest.mark.parametrize("init", ["furthest_sum", "random"])
def test_the_corners_of_a_triangle_are_recovered(triangle, init):
    model = ArchetypalAnalysis(3, init=init, tol=1e-10, max_iter=2000, random_state=0)
    W = model.fit_transform(triangle)
    found = model.archetypes_[np.argsort(model.archetypes_ @ [1.0, 10.0])]
    assert_close(found, CORNERS[np.argsort(CORNERS @ [1.0, 10.0])], atol=0.02)  # converges slowly near the optimum
    assert_close(W.sum(axis=1), 1.0)
    assert W.min() >= 0
    assert model.explained_share_ > 0.999


@pytest.mark.spec("DEC-P9")
@given(st.integers(0, 10_000), st.integers(2, 5))
def test_archetypes_are_mixtures_of_rows_and_the_objective_never_rises(seed, k):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    model = ArchetypalAnalysis(k, n_init=1, tol=1e-4, random_state=0).fit(X)
    B = model.archetype_weights_
    assert B.min() >= 0
    assert_close(B.sum(axis=1), 1.0)
    assert_close(B @ X, model.archetypes_)
    assert (np.diff(model.objective_path_) <= 1e-6 * model.objective_path_[0]).all()


@pytest.mark.spec("DEC-P9")
def test_one_archetype_is_the_mean(rng):
    X, s = rng.normal(size=(20, 4)), rng.integers(1, 4, size=20)
    model = ArchetypalAnalysis(1).fit(X, sample_weight=s)
    assert_close(model.archetypes_[0], np.average(X, axis=0, weights=s))
    assert_close(model.objective_, np.sum(s[:, None] * (X - model.archetypes_) ** 2))


def test_rows_are_projected_on_the_hull_of_the_archetypes(rng):
    """The conditions of the nearest point: no archetype lies farther in the direction of the residual."""
    Z, X = rng.normal(size=(4, 3)), 2 * rng.normal(size=(30, 3))
    W = simplex_codes(X, Z)
    residual = X - W @ Z
    gain = residual @ Z.T
    assert (gain.max(axis=1) <= np.sum(residual * (W @ Z), axis=1) + 1e-6).all()


@given(st.integers(0, 10_000))
def test_the_nearest_point_of_a_hull_satisfies_its_conditions(seed):
    rng = np.random.default_rng(seed)
    X, point = rng.normal(size=(25, 3)), 1.5 * rng.normal(size=3)
    start = np.eye(25)[0]
    b = nearest_in_hull(X, point, start)
    z = b @ X
    assert b.min() >= 0
    assert_close(b.sum(), 1.0)
    assert (X @ (point - z)).max() <= (point - z) @ z + 1e-6


def test_too_many_archetypes_raise():
    with pytest.raises(ValueError, match="exceeds the 2 distinct rows"):
        ArchetypalAnalysis(3).fit([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0]])


@pytest.mark.parametrize("exponent", [-1000, -530, 530])
def test_the_scale_of_the_columns_changes_no_weight(exponent, rng):
    X = rng.normal(size=(20, 3))
    model = ArchetypalAnalysis(3, n_init=1, random_state=0).fit(X)
    scaled = ArchetypalAnalysis(3, n_init=1, random_state=0).fit(np.ldexp(X, exponent))
    assert scaled.explained_share_ == model.explained_share_
    np.testing.assert_array_equal(scaled.archetypes_, np.ldexp(model.archetypes_, exponent))
    assert_close(scaled.transform(np.ldexp(X, exponent)), model.transform(X))


def test_random_rows_are_detected_next_to_a_row_of_large_weight(rng):
    X = np.repeat(rng.normal(size=(4, 2)), 20, axis=0)
    weights = np.ones(80)
    weights[0] = 1e15
    chosen = drawn_rows(X, 4, rng, weights)
    assert len(np.unique(X[chosen], axis=0)) == 4


def test_fewer_distinct_rows_than_archetypes_in_a_long_table(rng):
    X = np.repeat(rng.normal(size=(1, 2)), 40, axis=0)
    model = ArchetypalAnalysis(3, init="random", n_init=1, random_state=0).fit(X)
    assert_close(model.archetypes_, X[:3])


@pytest.mark.spec("CRS-136")
def test_archetypes_are_drawn_as_profiles_and_corners(triangle):
    model = ArchetypalAnalysis(3, random_state=0).fit(triangle)
    profiles = model.plot()
    for line, archetype in zip(profiles.lines, model.archetypes_, strict=True):
        assert_close(line.get_ydata(), archetype)
    assert len(model.plot(triangle, kind="profiles").lines) == len(triangle) + 3
    outline, rows = model.plot(triangle).lines
    corners = np.column_stack(outline.get_data())[:3]
    assert_close(np.column_stack(rows.get_data()), model.transform(triangle) @ corners)
    with pytest.raises(ValueError, match="needs the rows"):
        model.plot(kind="simplex")
    with pytest.raises(ValueError, match="at least 3 archetypes, got 2"):
        ArchetypalAnalysis(2, random_state=0).fit(triangle).plot(triangle)
