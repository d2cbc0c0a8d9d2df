"""Steps and piecewise polynomials."""

from itertools import pairwise

import numpy as np
import pytest

from statlearn.linear import LinearRegression
from statlearn.smooth import PiecewisePolynomialBasis, SplineTransformer, StepBasis
from statlearn.smooth.splines._basis import TruncatedPowerBasis
from tests.helpers import assert_close


@pytest.mark.spec("SMT-02")
def test_steps_give_the_mean_of_each_interval(rng):
    x, y = rng.uniform(size=(60, 1)), rng.normal(size=60)
    basis = StepBasis(cuts=[0.25, 0.7]).fit(x)
    H = basis.transform(x)
    assert_close(H.sum(axis=1), 1.0)
    fit = LinearRegression(fit_intercept=False).fit(H, y)
    inside = np.searchsorted([0.25, 0.7], x[:, 0], side="right")
    assert_close(fit.coef_, [y[inside == k].mean() for k in range(3)])
    assert basis.get_feature_names_out().tolist() == ["x0[-inf,0.25)", "x0[0.25,0.7)", "x0[0.7,inf)"]
    assert_close(basis.transform([[0.25]]), [[0, 1, 0]])  # half-open
    sparse = StepBasis(cuts=[0.25, 0.7], sparse_output=True, include_bias=False).fit_transform(x)
    assert_close(sparse.toarray(), H[:, 1:])


def test_quantile_cuts_merge_where_values_are_tied():
    X = np.array([[0.0], [0], [0], [0], [1], [2]])
    basis = StepBasis(n_intervals=4).fit(X)
    assert np.all(np.diff(basis.cuts_[0]) > 0)
    assert basis.transform(X).any(axis=0).all()


@pytest.mark.spec("SMT-T2", "SMT-02")
def test_parameter_counts_with_two_knots(rng):
    x = rng.uniform(size=(50, 1))

    def count(**settings):
        H = PiecewisePolynomialBasis(cuts=[0.3, 0.6], **settings).fit_transform(x)
        assert np.linalg.matrix_rank(H) == H.shape[1]
        return H.shape[1]

    assert count(degree=3) == 12
    assert count(degree=3, continuity=2) == 6 == 3 * 4 - 2 * 3
    assert count(degree=1, continuity=0) == 4
    assert [count(degree=3, continuity=c) for c in (0, 1)] == [10, 8]
    for K in (2, 5, 9):
        assert SplineTransformer(basis="natural", n_knots=K).fit_transform(x).shape[1] == K


@pytest.mark.spec("SMT-02")
@pytest.mark.parametrize("continuity", [0, 1, 2])
def test_the_requested_derivatives_are_continuous(continuity, rng):
    basis = PiecewisePolynomialBasis(degree=3, cuts=[0.4], continuity=continuity).fit(rng.uniform(size=(9, 1)))
    coef = rng.normal(size=basis.n_features_out_)
    step = 1e-3
    offsets = np.arange(-4, 5) * step

    def derivatives(side):  # by one-sided differences of cubics, which third differences make exact
        x = 0.4 + side * (offsets[4:] + 1e-12)
        values = basis.transform(x[:, None]) @ coef
        poly = np.polynomial.Polynomial.fit(x - 0.4, values, 3).convert().coef
        return poly * [1, 1, 2, 6]

    gap = np.abs(derivatives(1) - derivatives(-1))
    assert np.all(gap[: continuity + 1] < 1e-3)
    assert gap[continuity + 1] > 1e-2


def test_free_pieces_are_separate_fits(rng):
    x, y = np.sort(rng.uniform(size=40)), rng.normal(size=40)
    H = PiecewisePolynomialBasis(degree=2, cuts=[0.5]).fit_transform(x[:, None])
    fitted = H @ np.linalg.lstsq(H, y)[0]
    for part in (x < 0.5, x >= 0.5):
        assert_close(fitted[part], np.polyval(np.polyfit(x[part], y[part], 2), x[part]), atol=1e-7)


@pytest.mark.spec("SMT-T1")
def test_linear_spline_with_one_knot():
    """b0 + b1 x + b2 (x - k)_+: slopes b1 and b1 + b2, right-hand intercept b0 - b2 k."""
    b, k = np.array([2.0, -1.0, 4.0]), 3.0
    basis = TruncatedPowerBasis([0, k, 10], degree=1)
    f = lambda x: basis.design(np.asarray(x, dtype=float)) @ b  # noqa: E731
    left, right = f([1.0, 2.0]), f([5.0, 6.0])
    assert left[1] - left[0] == b[1]
    assert right[1] - right[0] == b[1] + b[2]
    assert right[0] - 5.0 * (b[1] + b[2]) == b[0] - b[2] * k


@pytest.mark.parametrize(
    "settings, words",
    [
        (dict(cuts=[1.0, 0.0]), "increase"),
        (dict(cuts=np.ones((1, 3))), "column"),
        (dict(continuity=3), "continuity"),
    ],
)
def test_bad_settings_raise(settings, words):
    with pytest.raises(ValueError, match=words):
        PiecewisePolynomialBasis(**settings).fit(np.arange(5.0)[:, None])


@pytest.mark.spec("SMT-02", "SMT-10")
@pytest.mark.parametrize("continuity", [-1, 0, 1, 2])
def test_penalties_are_integrals_of_derivatives(continuity):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 2, size=(50, 2))
    basis = PiecewisePolynomialBasis(cuts=[0.1, 0.9], continuity=continuity, include_bias=False).fit(X)
    beta = rng.normal(size=basis.n_features_out_)
    for derivative in (1, 2):
        total = 0.0
        for j in range(2):
            step = 1e-3
            edges = np.array([X[:, j].min(), 0.1, 0.9, X[:, j].max()])
            for low, high in pairwise(edges):
                # Inside one piece a cubic is equal to the polynomial through any four of its values.
                nodes = np.linspace(low + step, high - step, 4)
                at = np.tile(X[0], (4, 1))
                at[:, j] = nodes
                piece = np.polynomial.Polynomial.fit(nodes, basis.transform(at) @ beta, 3)
                square = (piece.deriv(derivative) ** 2).integ()
                total += square(high) - square(low)
        assert beta @ basis.penalty_matrix(derivative) @ beta == pytest.approx(total, rel=1e-7)


def test_steps_are_penalised_by_their_differences():
    basis = StepBasis(cuts=[1.0, 2.0, 3.0]).fit([[0.0, 0.0], [4.0, 4.0]])
    b = np.array([1.0, 3.0, 2.0, 2.0, 0.0, 0.0, 1.0, 0.0])
    assert b @ basis.penalty_matrix() @ b == pytest.approx(4 + 1 + 0 + 0 + 1 + 1)
    assert b @ basis.penalty_matrix(2) @ b == pytest.approx(9 + 1 + 1 + 4)
    rest = StepBasis(cuts=[1.0, 2.0, 3.0], include_bias=False).fit([[0.0], [4.0]])
    assert np.array([2.0, 1.0, 1.0]) @ rest.penalty_matrix() @ [2.0, 1.0, 1.0] == pytest.approx(4 + 1 + 0)
