"""Pictures of dependence show the numbers of the functions behind them."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from statlearn import plot
from statlearn.ensemble import GradientBoostingRegressor, accumulated_local_effects, partial_dependence
from statlearn.linear import LinearRegression, LogisticRegression
from tests.helpers import assert_close


@pytest.fixture
def table(rng):
    frame = pd.DataFrame({"a": rng.normal(size=80), "b": rng.normal(size=80), "colour": rng.choice(["x", "y"], 80)})
    y = (frame["a"] * frame["b"] + (frame["colour"] == "x")).to_numpy()
    encoder = make_column_transformer((OneHotEncoder(drop="first"), ["colour"]), remainder="passthrough")
    yield frame, y, make_pipeline(encoder, LinearRegression()).fit(frame, y)
    plt.close("all")


@pytest.mark.spec("ENS-37")
def test_curves_levels_and_maps(table):
    frame, _, model = table
    display = plot.PartialDependenceDisplay.from_estimator(
        model, frame, ["a", "colour", ("a", "b")], kind="both", grid_resolution=12, subsample=30
    )
    assert len(display.axes_) == 3
    curve, levels, area = display.axes_
    expected = partial_dependence(model, frame, ["a"], grid_resolution=12, kind="both")
    drawn = [line for line in curve.lines if line.get_linewidth() > 2]
    assert_close(drawn[0].get_ydata(), expected.average[0])
    assert_close(drawn[0].get_xdata(), expected.grid_values[0])
    assert len(curve.lines) == 30 + 1
    assert [t.get_text() for t in levels.get_xticklabels()] == ["x", "y"]
    assert curve.get_ylim() == levels.get_ylim()
    assert (area.get_xlabel(), area.get_ylabel()) == ("a", "b")
    pair = partial_dependence(model, frame, ["a", "b"], grid_resolution=4)
    assert_close(display.panels[2].average, pair.average[0])
    again = display.plot(ax=plt.subplots(1, 3)[1])
    assert again.figure_ is again.axes_[0].figure
    with pytest.raises(ValueError, match="Expected ax to have 3 axes"):
        display.plot(ax=plt.subplots()[1])


def test_centred_curves_start_at_zero(table):
    frame, _, model = table
    display = plot.PartialDependenceDisplay.from_estimator(
        model, frame, ["a"], kind="both", centered=True, grid_resolution=5, subsample=None
    )
    assert_close([line.get_ydata()[0] for line in display.axes_[0].lines], np.zeros(81))
    only = plot.PartialDependenceDisplay.from_estimator(model, frame, ["a"], kind="individual", subsample=0.25)
    assert len(only.axes_[0].lines) == 20


def test_a_class_is_chosen_by_its_label(rng):
    X = rng.normal(size=(60, 2))
    y = np.array(["low", "mid", "top"])[np.digitize(X[:, 0], [-0.4, 0.4])]
    model = LogisticRegression().fit(X, y)
    display = plot.PartialDependenceDisplay.from_estimator(
        model, X, [0], target="top", feature_names=["size", "age"], grid_resolution=5
    )
    assert display.axes_[0].get_ylabel() == "probability of top"
    assert display.axes_[0].get_xlabel() == "size"
    assert_close(display.panels[0].average, partial_dependence(model, X, [0], grid_resolution=5).average[2])
    for target, message in ((None, "must be specified"), ("none", "not in")):
        with pytest.raises(ValueError, match=message):
            plot.PartialDependenceDisplay.from_estimator(model, X, [0], target=target)
    plt.close("all")


def test_local_effects_are_drawn(table):
    frame, _, model = table
    display = plot.ALEDisplay.from_estimator(model, frame, ["a", "colour", ("a", "b")], n_intervals=6)
    expected = accumulated_local_effects(model, frame, ["a"], n_intervals=6)
    assert_close(display.axes_[0].lines[0].get_ydata(), expected.average[0])
    assert display.axes_[0].get_ylabel() == "effect on prediction"
    # The additive model has no interaction: the map is flat.
    assert_close(display.panels[2].average, np.zeros((7, 7)), atol=1e-10)


def test_scores_of_boosting_are_named_so(rng):
    from statlearn.ensemble import GradientBoostingClassifier

    X = rng.normal(size=(60, 2))
    model = GradientBoostingClassifier(n_estimators=3).fit(X, X[:, 0] > 0)
    display = plot.PartialDependenceDisplay.from_estimator(model, X, [0], grid_resolution=5)
    assert display.axes_[0].get_ylabel() == "score of True (recursion)"
    brute = plot.PartialDependenceDisplay.from_estimator(model, X, [0], grid_resolution=5, method="brute")
    assert brute.axes_[0].get_ylabel() == "probability of True"
    regressor = GradientBoostingRegressor(n_estimators=3).fit(X, X[:, 0])
    display = plot.PartialDependenceDisplay.from_estimator(regressor, X, [0, 1], n_cols=1, grid_resolution=5)
    assert [a.get_ylabel() for a in display.axes_] == ["prediction (recursion)"] * 2
    plt.close("all")


@pytest.mark.spec("CRS-13")
def test_the_axis_label_mentions_the_recursion(rng):
    X = rng.normal(size=(60, 2))
    model = GradientBoostingRegressor(n_estimators=5).fit(X, X[:, 0])
    labels = {
        method: plot.PartialDependenceDisplay.from_estimator(model, X, [0, (0, 1)], method=method, grid_resolution=6)
        for method in ("auto", "brute")
    }
    assert labels["auto"].axes_[0].get_ylabel().endswith("(recursion)")
    assert "recursion" not in labels["brute"].axes_[0].get_ylabel()
    assert [panel.method for panel in labels["auto"].panels] == ["recursion", "recursion"]
