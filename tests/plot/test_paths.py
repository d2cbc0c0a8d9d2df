"""Coefficient profiles and cross-validation curves draw what they are given."""

import subprocess
import sys

import numpy as np
import pytest

from statlearn.plot import plot_path
from tests.helpers import assert_close

ALPHAS = np.array([1.0, 0.1, 0.01])
COEFS = np.array([[0.0, 1.0, 2.0], [0.0, 0.0, -0.5], [0.0, 0.0, 0.0]])


def test_profiles_run_over_log_alpha_from_the_largest_penalty():
    ax = plot_path(ALPHAS, COEFS, feature_names=["age", "dose", "never"], chosen=0.1)
    lines = [line for line in ax.lines if len(line.get_xdata()) == 3]
    assert_close(lines[0].get_xdata(), np.log10(ALPHAS))
    assert_close(lines[0].get_ydata(), COEFS[0])
    assert len(lines) == 2, "a profile that is zero throughout is not drawn"
    assert {text.get_text() for text in ax.texts} == {"age", "dose"}
    assert ax.xaxis_inverted()
    assert any(np.allclose(line.get_xdata(), -1.0) for line in ax.lines), "the chosen penalty is marked"


def test_profiles_against_the_l1_norm():
    ax = plot_path(ALPHAS, COEFS, x="l1_norm", chosen=0.1)
    assert_close(ax.lines[0].get_xdata(), [0.0, 1.0, 2.5])
    assert not ax.xaxis_inverted()
    assert any(np.allclose(line.get_xdata(), 1.0) for line in ax.lines)


@pytest.mark.parametrize("x", ["log_alpha", "l1_norm"])
def test_names_of_profiles_that_end_alike_do_not_overlap(x):
    ends = np.array([2.0, 2.01, 1.99, -1.0, 0.5])
    ax = plot_path(ALPHAS, ends[:, None] * [0.0, 0.5, 1.0], feature_names=["b", "long name", "a", "low", "mid"], x=x)
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    heights = sorted((box.y0 + box.y1) / 2 for box in boxes)
    assert (np.diff(heights) > 8.5 * ax.figure.dpi / 72).all()
    assert max(box.x1 for box in boxes) < ax.bbox.x1, "there is room beside the lines"
    order = [text.get_text() for text in sorted(ax.texts, key=lambda text: text.get_window_extent().y0)]
    assert order == ["low", "mid", "a", "b", "long name"]


@pytest.mark.parametrize("arguments", [{"coefs": COEFS[:, :2]}, {"coefs": COEFS, "x": "nonsense"}])
def test_wrong_arguments_are_named(arguments):
    with pytest.raises(ValueError, match=r"`coefs` must have shape|`x` must be"):
        plot_path(ALPHAS, **arguments)


def test_missing_matplotlib_raises_with_the_package_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None; sys.modules['matplotlib.pyplot'] = None\n"
        "from statlearn.plot import plot_path\n"
        "plot_path([1.0], [[1.0]])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'statlearn[plot]'" in run.stderr
