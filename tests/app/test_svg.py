"""The drawings: ticks, scales, paths."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.app.report import board_figures, figures, svg
from statlearn.app.result import TuningCurve
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
