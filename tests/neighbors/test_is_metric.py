"""Whether a matrix holds distances."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from statlearn.neighbors import is_metric


@pytest.mark.spec("NEI-12")
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
def test_distances_are_a_metric(metric, rng):
    X = rng.normal(size=(30, 3))
    report = is_metric(cdist(X, X, metric))
    assert report
    assert report.distinct
    assert str(report) == "a metric"


@pytest.mark.spec("NEI-12")
def test_squared_distances_break_the_triangle_and_the_worst_triple_is_named():
    x = np.array([0.0, 1.0, 5.0])
    report = is_metric(np.subtract.outer(x, x) ** 2)
    assert not report
    assert report.symmetric
    assert report.zero_diagonal
    assert not report.triangle
    i, j, k, amount = report.violations["triangle"][0]
    assert {i, j} == {0, 2}
    assert k == 1
    assert amount == 25 - 1 - 16
    assert report.n_violations["triangle"] == 2
    assert "triangle: 2 violations" in str(report)


@pytest.mark.spec("NEI-12")
def test_every_property_is_reported_with_its_place():
    D = np.array([[0.0, 1.0, 1.0], [1.2, 0.0, 1.0], [1.0, 1.0, 0.5]])
    report = is_metric(D)
    assert not report.symmetric
    assert report.violations["symmetric"] == [(0, 1, pytest.approx(0.2))]
    assert report.violations["zero_diagonal"] == [(2, 2, 0.5)]
    assert report.triangle
    negative = is_metric([[0.0, -1.0], [-1.0, 0.0]])
    assert not negative.non_negative
    assert not negative.triangle  # 0 = d(i, i) > d(i, j) + d(j, i)


def test_equal_rows_make_a_pseudometric(rng):
    X = rng.normal(size=(6, 2))[[0, 1, 2, 2, 3]]
    report = is_metric(cdist(X, X))
    assert report
    assert not report.distinct
    assert report.violations["distinct"] == [(2, 3, 1.0)]
    assert "pseudometric" in str(report)


def test_random_triangles_agree_with_three_loops(rng):
    D = rng.uniform(0.2, 1, size=(12, 12))
    D = np.triu(D, 1) + np.triu(D, 1).T
    count = sum(D[i, j] > D[i, k] + D[k, j] + 1e-12 for i in range(12) for j in range(12) for k in range(12))
    report = is_metric(D, max_violations=3)
    assert report.n_violations["triangle"] == count
    assert len(report.violations["triangle"]) == min(3, count)
    amounts = [v[-1] for v in report.violations["triangle"]]
    assert amounts == sorted(amounts, reverse=True)


def test_other_shapes_raise():
    with pytest.raises(ValueError, match="square"):
        is_metric(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="tol"):
        is_metric(np.zeros((2, 2)), tol=-1)
