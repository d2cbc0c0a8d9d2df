"""One style for all pictures: applied while drawing, gone afterwards, nested as the caller wants."""

import matplotlib
import pytest

from statlearn.plot import THEMES, plot_path, style, styled, theme


def test_the_style_ends_with_its_block():
    before = matplotlib.rcParams.copy()
    with style("dark") as colours:
        assert matplotlib.rcParams["axes.facecolor"] == colours.background
        assert theme() is THEMES["dark"]
    assert matplotlib.rcParams == before
    assert theme() is THEMES["light"]


def test_a_plot_keeps_the_style_that_is_active():
    @styled
    def draw():
        return theme().name

    assert draw() == "light"
    with style("dark"):
        assert draw() == "dark"


def test_a_plot_leaves_the_settings_of_others_alone():
    before = matplotlib.rcParams.copy()
    plot_path([1.0, 0.1], [[0.0, 1.0]])
    assert matplotlib.rcParams == before


@pytest.mark.parametrize("name", THEMES)
def test_the_colours_of_a_cycle_stand_off_the_background(name):
    def luminance(colour):
        rgb = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in matplotlib.colors.to_rgb(colour)]
        return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]

    def contrast(a, b):
        low, high = sorted((luminance(a), luminance(b)))
        return (high + 0.05) / (low + 0.05)

    colours = THEMES[name]
    assert contrast(colours.ink, colours.background) > 7
    assert contrast(colours.muted, colours.background) > 4.5
    assert all(contrast(c, colours.background) > 2 for c in colours.cycle)


def test_an_unknown_style_raises_by_name():
    with pytest.raises(ValueError, match="`name` must be one of"), style("purple"):
        pass
