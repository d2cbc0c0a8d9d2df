"""Pictures of Shapley values: every row a point, every step a bar, and the steps end at the prediction."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from statlearn import plot
from statlearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, tree_shap
from tests.helpers import assert_close


@pytest.fixture
def shap(rng):
    X = rng.normal(size=(120, 5))
    X[::9, 1] = np.nan
    y = 2 * X[:, 0] + np.nan_to_num(X[:, 1])
    yield tree_shap(GradientBoostingRegressor(n_estimators=20, random_state=0).fit(X, y), X)
    plt.close("all")


def test_every_row_is_a_point_at_its_value(shap):
    ax = shap.plot(max_columns=2)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["x0", "x1"]
    points = np.concatenate([c.get_offsets() for c in ax.collections if len(c.get_offsets()) > 1])
    first = points[np.round(points[:, 1]) == 0]
    assert_close(np.sort(first[:, 0]), np.sort(shap.values[:, 0]))
    assert np.abs(points[:, 1] - np.round(points[:, 1])).max() < 0.5
    few = plot.plot_shap_summary(shap, max_columns=1, max_rows=50)
    assert sum(len(c.get_offsets()) for c in few.collections) == 50


def test_steps_lead_from_the_base_to_the_prediction(shap):
    for most in (2, 9):
        ax = shap.plot_row(3, max_columns=most)
        widths = [bar.get_width() for bar in ax.patches]
        assert len(widths) == (3 if most == 2 else 5)
        assert_close(shap.base_value + sum(widths), shap.prediction[3])
        largest = np.argmax(np.abs(shap.values[3]))
        assert ax.get_yticklabels()[0].get_text().startswith(f"x{largest} = ")
    assert "2 others" not in [t.get_text() for t in ax.get_yticklabels()]
    written = plot.plot_shap_row(shap, 0, cells=["a", "b", "c", "d", "e"])
    assert "x1 = b" in [t.get_text() for t in written.get_yticklabels()]
    assert np.isnan(shap.data[0, 1])
    assert "x1 = missing" in [t.get_text() for t in shap.plot_row(0).get_yticklabels()]


def test_several_outputs_are_bars_of_mean_sizes(rng):
    X = rng.normal(size=(60, 3))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    found = tree_shap(GradientBoostingClassifier(n_estimators=3).fit(X, y), X)
    ax = plot.plot_shap_summary(found)
    assert_close(sum(bar.get_width() for bar in ax.patches), np.abs(found.values).mean(axis=0).sum())
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["0", "1", "2"]
    with pytest.raises(ValueError, match="single output"):
        found.plot_row(0)
    assert len(found.output("2").plot_row(0).patches) == 3
    plt.close("all")
