"""The drawings: ticks, scales, paths."""

import datetime
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.app.compare.result import PartialDependence, TuningCurve
from statlearn.app.names import bare, moment, plain
from statlearn.app.report import board_figures, figures, svg
from tests.helpers import assert_close

finite = st.floats(-1e9, 1e9, allow_subnormal=False)


@given(finite, st.floats(1e-6, 1e9), st.integers(2, 8))
def test_ticks_are_round_few_and_inside(low, span, n):
    high = low + span
    if high - low < 1e-9 * abs(low):
        return
    ticks = svg.nice_ticks(low, high, n)
    assert len(ticks) <= 2 * n + 2
    step = np.diff(ticks)
    if len(step):
        assert_close(step, step[0], rtol=1e-4, atol=0)
        mantissa = step[0] / 10 ** math.floor(math.log10(step[0]) + 1e-6)
        assert min(abs(mantissa - m) for m in (1, 2, 2.5, 5, 10)) < 1e-3
    slack = 1e-6 * max(span, abs(low))
    assert (ticks >= low - slack).all()
    assert (ticks <= high + slack).all()


@pytest.mark.parametrize(
    "ticks, words",
    [
        ([0, 0.5, 1], ["0", "0.5", "1.0"]),
        ([-20000, 0, 20000], ["−20k", "0", "20k"]),
        ([1000, 2000], ["1000", "2000"]),
        ([1999, 2001], ["1999", "2001"]),
        ([0, 2.5e6], ["0", "2.5M"]),
        ([0, 2e-6], ["0", "2.0e-6"]),
    ],
)
def test_ticks_are_written_alike(ticks, words):
    assert svg.tick_labels(ticks) == words


def test_scales_map_ends_to_ends():
    assert svg.Linear(2, 4, 0, 100)(3) == 50
    assert svg.Log(1, 100, 0, 100)(10) == pytest.approx(50)
    assert svg.Log(1e-9, 1e3, 0, 100).labels[0].startswith("10⁻")
    assert svg.Bands(["a", "b"], 0, 100)(1) == 75
    assert svg.Linear(3, 3, 0, 100)(3) == 50  # a single value stands in the middle


def test_a_long_curve_is_thinned_to_the_pixels_but_keeps_its_ends():
    x = np.linspace(0, 100, 100_000)
    path = svg.polyline(x, np.sin(x))
    assert path.startswith("M0 ")
    assert path.endswith(f"L100 {svg.number(math.sin(100))}")
    assert path.count("L") < 400


def test_gaps_break_a_curve():
    assert svg.polyline([0, 10, 20, 30], [0, 0, math.nan, 0]).count("M") == 2


@pytest.mark.parametrize("n", [1, 700, 50_000])
def test_density_counts_every_point_in_a_bounded_path(n, rng):
    plot = svg.Plot((-4, 4), (-4, 4))
    x, y = rng.normal(size=(2, n)).clip(-3.9, 3.9)
    plot.density(x, y)
    places = re.findall(r"M([\d.-]+) ([\d.-]+)h0", "".join(plot.body))
    assert 1 <= len(places) <= 1500
    for px, py in places:
        assert plot.left - 8 <= float(px) <= plot.right + 8
        assert plot.top - 8 <= float(py) <= plot.bottom + 8
    plot.density(np.empty(0), np.empty(0))


@pytest.mark.parametrize("predicted", [1e9, 0.0])
def test_wild_and_constant_predictions_do_not_break_the_figures(predicted, rng):
    y = rng.normal(size=300)
    p = y + rng.normal(size=300)
    p[:5] = predicted
    for text in (
        figures.observed_figure(y, p, "y", "predicted"),
        figures.residual_figure(y, p, "predicted"),
        figures.quantile_figure(y, p),
    ):
        assert "nan" not in text
        assert "inf" not in text
    if predicted:
        assert "5 outside" in figures.observed_figure(y, p, "y", "predicted")


@pytest.mark.parametrize(
    "values",
    [[1.0, 0.1, 0.01], ["gini", "entropy", "log"], [(1, "a"), (2, "b"), (3, "c")], [None, 3, 5], [True, False, True]],
)
def test_a_validation_curve_of_any_parameter(values):
    curve = TuningCurve("p", values, np.array([3.0, 1.0, 1e6]), np.array([0.1, 0.1, np.nan]), 1, 1, 1, "rmse", True)
    text = figures.tuning_figure(curve)
    assert text.startswith("<svg")
    assert "nan" not in text


def test_one_whisker_column_for_all_scales():
    column = board_figures.WhiskerColumn([1.0, 1.1, 500.0, np.inf], [0.1, 0.1, 1.0, 0.0], 0, False)
    assert "M226" in column.cell(500.0, 1.0, [499.0, 501.0], "far")
    assert "circle" in column.cell(1.1, 0.1, [1.0, 1.2], "near")
    assert 0 <= column.band[0] < column.band[1] <= 100
    assert "nan" not in column.axis()


@pytest.mark.parametrize(
    ("first", "last", "labels"),
    [
        ("1967-07-01", "2015-04-01", ["1970", "1980", "1990", "2000", "2010"]),
        ("2020-01-10", "2020-07-20", ["2020-02", "2020-03", "2020-04", "2020-05", "2020-06", "2020-07"]),
        (
            "2020-02-27",
            "2020-03-03",
            ["2020-02-27", "2020-02-28", "2020-02-29", "2020-03-01", "2020-03-02", "2020-03-03"],
        ),
        ("2020-02-27T03:00", "2020-02-27T13:00", ["2020-02-27 04:00", "2020-02-27 06:00"]),
    ],
)
def test_axes_of_dates_have_ticks_where_years_months_days_and_hours_begin(first, last, labels):
    low, high = (np.datetime64(day, "m").astype(int) / 1440 for day in (first, last))
    ticks, words = svg.date_ticks(low, high)
    assert words[: len(labels)] == labels
    assert np.all((ticks >= low) & (ticks <= high))
    np.testing.assert_array_equal(ticks, [np.datetime64(w.replace(" ", "T"), "m").astype(int) / 1440 for w in words])


def test_dates_of_a_dependence_are_shown_as_dates():
    days = [datetime.datetime(1990 + k, 1, 1) for k in range(21)]
    curve = np.arange(21.0)[:, None]
    deciles = np.array(days, dtype="datetime64[us]")[2:20:2]
    found = PartialDependence("when", days, curve, curve - 1, curve + 1, ["prediction"], False, deciles)
    drawn = figures.dependence_figure(found, "y")
    assert re.findall(r">(\d{4})<", drawn) == ["1990", "1995", "2000", "2005", "2010"]
    assert not re.search(r"\d{7}", drawn)


def test_moments_and_numbers_of_tables():
    assert moment(0.0) == "1970-01-01"
    assert moment(datetime.date(2001, 2, 3)) == "2001-02-03"
    assert moment(datetime.datetime(2001, 2, 3, 4, 5)) == "2001-02-03 04:05"
    assert [plain(v) for v in (1999, 12345, -2500, 1234.5)] == ["1999", "12,345", "−2500", "1234"]
    assert [bare(v) for v in (8.2, 10.0, 0.5, 1e9)] == ["8.2", "10", "0.5", "1.00×10⁹"]


def test_curves_that_differ_by_rounding_are_flat():
    plot = svg.Plot((0.0, 1.0), (0.3, 0.3 + 1e-16))
    assert plot.y.high - plot.y.low > 0.01
    plot.line([0.0, 1.0], [1e16, -1e300])
    assert max(abs(float(v)) for v in re.findall(r"-?\d+\.?\d*", plot.body[0].split('d="')[1])) <= 20_000
