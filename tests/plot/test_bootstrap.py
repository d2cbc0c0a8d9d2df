"""Diagram of bootstrap samples."""

import numpy as np
import pytest
from sklearn.utils import check_random_state

from statlearn.plot import bootstrap_diagram, style


@pytest.fixture(autouse=True)
def close_figures():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def cells(ax, n):
    """Numbers printed in the cells, 0 where there is none, one line per sample."""
    printed = {(text.get_position()[1], text.get_position()[0]): text.get_text() for text in ax.texts}
    lines = range(1, len(ax.get_yticklabels()))
    return np.array([[int(printed.get((line, row), 0)) for row in range(n)] for line in lines])


@pytest.mark.spec("CRS-158")
def test_cells_count_the_draws_of_every_row(seed):
    data = np.array([3.5, 1.0, 7.25, 9.0, 4.0, 6.0])
    ax = bootstrap_diagram(data, np.median, n_resamples=5, random_state=seed)
    counts = cells(ax, 6)
    assert (counts.sum(axis=1) == 6).all()
    texts = [text.get_text() for text in ax.texts]
    assert texts[:6] == ["3.5", "1", "7.25", "9", "4", "6"]  # the training set on top
    rng = check_random_state(seed)
    for line, row_counts in enumerate(counts, start=1):
        sample = data[rng.randint(6, size=6)]
        np.testing.assert_array_equal(row_counts, [np.sum(sample == value) for value in data])
        assert f"S(Z*{line}) = {np.median(sample):.3g}" in texts
        assert texts.count(f"{100 * (row_counts == 0).mean():.0f} % out") >= 1
    assert f"S(Z) = {np.median(data):.3g}" in texts
    assert f"{100 * (counts == 0).mean():.0f} % left out; {100 * (5 / 6) ** 6:.1f} % expected" in ax.get_xlabel()


def test_standard_error_is_the_spread_of_the_statistics():
    ax = bootstrap_diagram([1.0, 2.0, 4.0, 8.0], n_resamples=4, random_state=1)
    values = [float(text.get_text().split("= ")[1]) for text in ax.texts if text.get_text().startswith("S(Z*")]
    assert f"std. error {np.std(values, ddof=1):.2g}," in ax.get_xlabel()  # the values need no more than three digits


def test_without_data_twelve_rows_are_drawn():
    ax = bootstrap_diagram(n_resamples=1)
    assert cells(ax, 12).sum() == 12
    assert "std. error" not in ax.get_xlabel()  # one sample has no spread


def test_tables_are_resampled_by_rows():
    table = np.column_stack([np.arange(5.0), np.ones(5)])
    ax = bootstrap_diagram(table, lambda rows: rows[:, 1].sum(), n_resamples=2)
    assert [text.get_text() for text in ax.texts if "S(" in text.get_text()] == ["S(Z) = 5", "S(Z*1) = 5", "S(Z*2) = 5"]


def test_diagram_follows_the_style():
    with style("dark") as colours:
        ax = bootstrap_diagram()
    assert ax.texts[0].get_color() == colours.ink


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"data": [1.0]}, "at least 2 rows"),
        ({"data": 3.0}, "at least 2 rows"),
        ({"statistic": "mean"}, "statistic"),
        ({"n_resamples": 0}, "n_resamples"),
    ],
)
def test_wrong_arguments_raise(arguments, message):
    with pytest.raises(ValueError, match=message):
        bootstrap_diagram(**arguments)
