"""Procrustes alignment, principal curves and surfaces."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import procrustes as scipy_procrustes

from statlearn.decomposition import PCA, PrincipalCurve, PrincipalSurface, procrustes, procrustes_average
from statlearn.decomposition.shapes._principal_curve import project_on_polygon
from statlearn.decomposition.shapes._principal_surface import project_on_grid
from statlearn.smooth import SmoothingSpline
from tests.helpers import assert_close

RECTANGLE = np.array([(0, 0), (2, 0), (2, 1), (0, 1)], dtype=float)
TURN = np.array([[np.cos(np.pi / 6), -np.sin(np.pi / 6)], [np.sin(np.pi / 6), np.cos(np.pi / 6)]])


@pytest.mark.spec("DEC-T9", "DEC-25")
def test_a_turned_and_shifted_copy_is_recovered():
    found = procrustes(RECTANGLE, RECTANGLE @ TURN + [3, -1])
    assert_close(found.rotation, TURN)
    assert_close(found.translation, [3, -1])
    assert_close(found.residual, 0, atol=1e-12)
    assert found.scale == 1.0


@pytest.mark.spec("DEC-25", "DEC-P12")
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_no_other_rotation_is_closer(seed, scale, reflection):
    rng = np.random.default_rng(seed)
    X1, X2 = rng.normal(size=(7, 3)), rng.normal(size=(7, 3))
    found = procrustes(X1, X2, scale=scale, reflection=reflection)
    R = found.rotation
    assert_close(R.T @ R, np.eye(3), atol=1e-10)
    if not reflection:
        assert_close(np.linalg.det(R), 1)
    # Erratum 004b: the shift is mean(X2) - R' mean(X1).
    assert_close(found.translation, X2.mean(axis=0) - found.scale * R.T @ X1.mean(axis=0))
    assert_close(found.aligned, found.scale * X1 @ R + found.translation)
    assert_close(found.residual, np.sum((X2 - found.aligned) ** 2))
    for _ in range(5):
        turn = np.linalg.qr(np.eye(3) + 0.1 * rng.normal(size=(3, 3)))[0]
        turn *= np.sign(np.diag(turn))
        if np.linalg.det(turn) < 0:
            continue
        other = found.scale * (1 + 0.1 * rng.normal() * scale) * X1 @ R @ turn
        other = other - other.mean(axis=0) + X2.mean(axis=0)
        assert np.sum((X2 - other) ** 2) >= found.residual - 1e-9
    if scale and reflection:
        centred = X2 - X2.mean(axis=0)
        assert_close(found.residual / np.sum(centred**2), scipy_procrustes(X2, X1)[2])


@pytest.mark.spec("DEC-26", "DEC-P12")
@given(st.integers(0, 10_000), st.booleans())
def test_average_of_turned_copies_is_the_shape(seed, scale):
    rng = np.random.default_rng(seed)
    turns = [np.linalg.qr(rng.normal(size=(2, 2)))[0] for _ in range(4)]
    sizes = rng.uniform(0.5, 2, size=4) if scale else np.ones(4)
    shapes = np.array([s * RECTANGLE @ turn + rng.normal(size=2) for s, turn in zip(sizes, turns)])
    found = procrustes_average(shapes, scale=scale)
    assert_close(found.objective[-1], 0, atol=1e-12)
    assert_close(procrustes(found.mean, RECTANGLE, scale=True).residual, 0, atol=1e-12)
    noisy = procrustes_average(shapes + 0.2 * rng.normal(size=shapes.shape))
    assert np.all(np.diff(noisy.objective) <= 1e-9)
    assert_close(noisy.mean, noisy.aligned.mean(axis=0))
    for rotation in noisy.rotations:
        assert_close(rotation.T @ rotation, np.eye(2), atol=1e-10)


def test_invalid_input_raises():
    with pytest.raises(ValueError, match="same shape"):
        procrustes(RECTANGLE, RECTANGLE[:3])
    with pytest.raises(ValueError, match="one distinct point"):
        procrustes(np.ones((3, 2)), RECTANGLE[:3], scale=True)
    with pytest.raises(ValueError, match="three dimensions"):
        procrustes_average(RECTANGLE)
    with pytest.raises(ValueError, match="only one distinct row"):
        PrincipalCurve().fit(np.ones((8, 2)))
    with pytest.raises(ValueError, match="straight line"):
        PrincipalSurface().fit(np.outer(np.arange(12.0), [1, 2, 3]))


def arc():
    t = np.linspace(0, np.pi, 40)
    return np.column_stack([np.cos(t) + 0.1 * np.sin(7 * t), np.sin(t) + 0.1 * np.cos(11 * t)])


@pytest.mark.spec("DEC-27")
def test_curve_agrees_with_r():
    """R 4.2.2, princurve 2.1.6: principal_curve(x, smoother = "smooth_spline", df = 5, all.knots = TRUE)

    The alternation swings between curves that differ in the third digit; R's splines differ in the fourth.
    """
    model = PrincipalCurve(df=5).fit(arc())
    assert_close(model.distance_, 0.171334051, rtol=3e-3)
    expected = [[1.0705954, 0.1415745], [0.6929982, 0.6863463], [-0.0586476, 0.9862869], [-0.6740105, 0.7341981]]
    assert_close(model.points_[[0, 9, 19, 29]], expected, atol=4e-3)


@pytest.mark.spec("DEC-27", "DEC-P13")
@pytest.mark.parametrize("smoother", ["spline", "loess"])
def test_straight_rows_give_the_first_component_and_bent_ones_the_smoothed_mean(smoother, seed):
    rng = np.random.default_rng(seed)
    line = np.outer(rng.normal(size=60), [0.6, 0.8]) + [1.0, 2.0]
    straight = PrincipalCurve(smoother).fit(line)
    assert_close(straight.points_, line, atol=1e-6)
    score = PCA(1).fit_transform(line)[:, 0]
    assert_close(np.abs(np.corrcoef(straight.arc_length_, score)[0, 1]), 1)
    X = arc()
    model = PrincipalCurve(smoother).fit(X)
    assert model.distance_ < 0.06 * model.objective_[0]
    # Self-consistency: smoothing the columns against the arc length reproduces the points of the curve.
    if smoother == "spline":
        again = np.column_stack(
            [SmoothingSpline(df=5).fit(model.arc_length_, x).predict(model.arc_length_) for x in X.T]
        )
        assert np.sqrt(np.mean((again - model.points_) ** 2)) < 0.02
    assert_close(model.transform(X)[:, 0], model.arc_length_)
    assert_close(model.inverse_transform(model.transform(X)), model.points_, atol=1e-9)
    assert_close(model.project(model.points_), model.points_, atol=1e-7)
    many = PrincipalCurve(smoother).fit(np.repeat(X, 2, axis=0))
    weighted = PrincipalCurve(smoother).fit(X, sample_weight=np.full(40, 2))
    assert_close(many.distance_, weighted.distance_, rtol=0.02)


@given(st.integers(0, 10_000))
def test_projection_finds_the_nearest_point_of_the_polygon(seed):
    rng = np.random.default_rng(seed)
    polygon, X = rng.normal(size=(6, 2)), rng.normal(size=(10, 2))
    length, square, point = project_on_polygon(X, polygon)
    steps = np.diff(polygon, axis=0)
    t = np.linspace(0, 1, 400)
    dense = (polygon[:-1, None] + t[:, None] * steps[:, None]).reshape(-1, 2)
    brute = np.min(np.sum((X[:, None] - dense) ** 2, axis=2), axis=1)
    assert np.all(square <= brute + 1e-12)
    assert_close(square, brute, atol=1e-3)
    assert_close(np.sum((X - point) ** 2, axis=1), square)
    assert np.all((length >= 0) & (length <= np.linalg.norm(steps, axis=1).sum() + 1e-12))


@pytest.mark.spec("DEC-28")
@pytest.mark.parametrize("smoother", ["loess", "thin_plate"])
def test_a_bent_surface_is_recovered(smoother, seed):
    rng = np.random.default_rng(seed)
    n = 250 if smoother == "loess" else 80
    uv = rng.uniform(-1, 1, size=(n, 2))
    X = np.column_stack([uv, 0.7 * uv[:, 0] ** 2]) + 0.02 * rng.normal(size=(n, 3))
    model = PrincipalSurface(smoother, span=0.3).fit(X)
    assert model.distance_ < 0.12 * model.objective_[0]
    truth = 0.7 * model.points_[:, 0] ** 2
    assert np.sqrt(np.mean((model.points_[:, 2] - truth) ** 2)) < 0.06
    assert_close(model.transform(X), model.coordinates_)
    assert_close(np.sum((X - model.project(X)) ** 2), model.distance_)
    near = model.inverse_transform(model.coordinates_)
    assert np.sqrt(np.mean((near - model.points_) ** 2)) < 0.01
    flat = np.column_stack([uv, uv @ [0.5, -0.3]])
    plane = PrincipalSurface(smoother).fit(flat)
    assert plane.distance_ < 1e-6 * np.sum((flat - flat.mean(axis=0)) ** 2)


@given(st.integers(0, 10_000))
def test_projection_on_a_plane_of_triangles_is_exact(seed):
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
    u, v = np.linspace(-4, 4, 9), np.linspace(-3, 3, 7)
    nodes = u[:, None, None] * axes[0] + v[None, :, None] * axes[1]
    X = rng.normal(size=(15, 3))
    at, square, point = project_on_grid(X, u, v, nodes)
    inside = X @ axes.T
    keep = (np.abs(inside[:, 0]) < 4) & (np.abs(inside[:, 1]) < 3)
    assert_close(at[keep], inside[keep], atol=1e-9)
    assert_close(point[keep], (inside @ axes)[keep], atol=1e-9)
    assert_close(square, np.sum((X - point) ** 2, axis=1), atol=1e-9)


@pytest.mark.spec("CRS-136")
def test_principal_curves_are_drawn_with_their_projections(rng):
    angle = rng.uniform(0, np.pi, 60)
    X = np.column_stack([np.cos(angle), np.sin(angle), angle]) + 0.05 * rng.normal(size=(60, 3))
    model = PrincipalCurve().fit(X)
    ax = model.plot(X, columns=[0, 1])
    rows, *joins, curve = ax.lines
    assert_close(np.column_stack(rows.get_data()), X[:, :2])
    assert_close(np.column_stack(joins[7].get_data()), np.stack([X[7, :2], model.project(X[7:8])[0, :2]]))
    assert_close(np.column_stack(curve.get_data()), model.curve_[:, :2])
    assert len(model.plot(X, projections=False, ax=ax).lines) == 62 + 2
    assert model.plot().name == "3d"
    named = PrincipalCurve().fit(pd.DataFrame(X, columns=["a", "b", "c"]))
    assert named.plot(columns=["c", "a"]).get_xlabel() == "c"
    with pytest.raises(ValueError, match="`ax` must have projection='3d'"):
        model.plot(X, columns=[0, 1, 2], ax=ax)
    for columns in (["d", 0], [0, 3], [0]):
        with pytest.raises(ValueError, match="`columns` must"):
            model.plot(X, columns=columns)


@pytest.mark.spec("CRS-136")
def test_principal_surfaces_are_drawn_as_nets(rng):
    at = rng.uniform(-1, 1, (80, 2))
    X = np.column_stack([at, at[:, 0] ** 2])
    model = PrincipalSurface(grid_size=12, max_iter=2, tol=1.0).fit(X)
    ax = model.plot(X)
    assert ax.name == "3d"
    assert len(ax.lines) == 24
    flat = model.plot(X, columns=(2, 0))
    assert_close(flat.collections[0].get_offsets(), X[:, [2, 0]])
    assert_close(flat.collections[0].get_array(), model.transform(X)[:, 0])
