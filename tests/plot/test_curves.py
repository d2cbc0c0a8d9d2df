"""Curves with bands, marks and importances."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

from statlearn import plot
from statlearn.assess import bias_variance_decomposition, permutation_importance_interval, validation_curve
from statlearn.ensemble import (
    RandomForestRegressor,
    oob_permutation_importance,
    permutation_importance,
    voided_importance,
)
from statlearn.linear import LinearRegression, Ridge
from statlearn.trees import DecisionTreeRegressor
from tests.helpers import assert_close

X, y = load_diabetes(return_X_y=True)


@pytest.fixture(scope="module")
def curve():
    return validation_curve(
        Ridge(), X, y, param_name="alpha", param_range=[10.0, 1.0, 0.1, 0.01], scoring="neg_mean_squared_error"
    )


def test_errors_bands_and_marks(curve):
    ax = plot.plot_score_curve(curve, mark="both", replicates=True, acceptable=3000.0)
    means = [line for line in ax.lines if line.get_label() in ("training", "test")]
    assert_close(means[1].get_ydata(), -curve.test_mean)
    assert ax.get_ylabel() == "mean squared error"
    assert ax.get_xscale() == "log"
    assert ax.xaxis_inverted(), "the simplest model stays on the left"
    found = curve.cv_curve
    marks = {line.get_label(): line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 2}
    assert marks["best"] == curve.parameter[found.best]
    assert marks["simplest within one SE"] == curve.parameter[found.one_se]
    band = ax.collections[1].get_paths()[0].vertices
    assert_close(band[:, 1].max(), np.max(-curve.test_mean + curve.test_std_error))


def test_bands_of_other_kinds(curve):
    for band in ("sd", 0.8, None):
        ax = plot.plot_score_curve(curve, band=band, error=False)
        assert len(ax.collections) == (0 if band is None else 2)
    middle = plot.plot_score_curve(curve, centre="median", error=True)
    assert_close(middle.lines[1].get_ydata(), np.median(-curve.test_scores, axis=1))
    with pytest.raises(ValueError, match="`centre` must be"):
        plot.plot_score_curve(curve, centre="mode")
    with pytest.raises(ValueError, match="`mark` must be"):
        plot.plot_score_curve(curve, mark="median")
    assert curve.plot().get_xlabel() == "alpha"


def test_displays_compute_and_draw():
    learning = plot.LearningCurveDisplay.from_estimator(LinearRegression(), X, y, train_sizes=[50, 200], cv=3)
    assert learning.curve.test_scores.shape == (2, 3)
    assert learning.ax_.get_xlabel() == "training rows"
    valid = plot.ValidationCurveDisplay.from_estimator(
        Ridge(), X, y, param_name="alpha", param_range=[1.0, 0.1], cv=3, plot_options={"mark": "one_se"}
    )
    assert valid.ax_.get_xlabel() == "alpha"


def test_bias_and_variance_are_drawn_by_part():
    def draw(rng):
        return X[:50], X[:50].sum(axis=1) + rng.normal(size=50)

    found = [
        bias_variance_decomposition(Ridge(a), draw, X[:50], truth=X[:50].sum(axis=1), noise=1.0, n_sets=5)
        for a in (10.0, 0.1)
    ]
    ax = plot.plot_bias_variance([10.0, 0.1], found)
    lines = {line.get_label(): line.get_ydata() for line in ax.lines}
    assert_close(lines["squared error"], np.add(lines["bias²"], lines["variance"]) + 1.0)
    with pytest.raises(ValueError, match="decompositions"):
        plot.plot_bias_variance([1.0], found)


def test_importances_are_sorted():
    model = LinearRegression().fit(X, y)
    found = permutation_importance_interval(model, X, y, n_repeats=2, n_resamples=5, random_state=0)
    ax = found.plot()
    drawn = ax.lines[0].get_xdata()
    assert np.all(np.diff(drawn) <= 0)
    assert ax.get_yticklabels()[0].get_text() == found.names[found.order[0]]


@pytest.mark.spec("ENS-11")
def test_importances_of_shuffles_are_drawn_from_the_smallest_to_the_largest(rng):
    X = rng.normal(size=(60, 3))
    model = LinearRegression().fit(X, X @ [1.0, 3.0, 0.0])
    found = permutation_importance(model, X, X @ [1.0, 3.0, 0.0], random_state=0)
    ax = plot.plot_importance(found, names=["a", "b", "c"], max_columns=2)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["b", "a"]
    assert_close(ax.lines[0].get_xdata(), found.importances_mean[[1, 0]])
    ends = np.array([segment[:, 0] for segment in ax.collections[0].get_segments()])
    assert_close(ends, np.column_stack([found.importances.min(axis=1), found.importances.max(axis=1)])[[1, 0]])
    assert plot.plot_importance(found).get_yticklabels()[0].get_text() == "x1"


@pytest.mark.spec("CRS-113")
def test_importances_of_models_vectors_and_series():
    frame = pd.DataFrame(X[:, :4], columns=["age", "sex", "bmi", "bp"])
    tree = DecisionTreeRegressor(max_depth=3).fit(frame, y)
    forest = RandomForestRegressor(5, random_state=0).fit(X[:, :4], y)
    best = int(np.argmax(tree.feature_importances_))
    for model, names in ((tree, frame.columns), (forest, ["x0", "x1", "x2", "x3"])):
        ax = plot.plot_importance(model)
        assert ax.get_yticklabels()[0].get_text() == names[best]
        assert_close([bar.get_width() for bar in ax.patches], np.sort(model.feature_importances_)[::-1])
        assert not ax.collections, "there are no intervals"
    for vector in (
        tree.feature_importances_,
        pd.Series(tree.feature_importances_, index=frame.columns),
        tree.feature_importances_.tolist(),
        oob_permutation_importance(forest, X[:, :4], y, random_state=0),
        voided_importance(forest, X[:, :4], y, random_state=0),
    ):
        ax = plot.plot_importance(vector, scale="max100")
        assert_close(ax.patches[0].get_width(), 100.0)
        assert ax.get_yticklabels()[0].get_text() == ("bmi" if isinstance(vector, pd.Series) else "x2")
    found = permutation_importance(tree, frame, y, random_state=0)
    assert_close(plot.plot_importance(found, scale="max100").lines[0].get_xdata()[0], 100.0)


@pytest.mark.parametrize(
    ("importance", "options", "message"),
    [
        (Ridge().fit(X, y), {}, "Ridge has no feature_importances_; pass the result of .*permutation_importance"),
        ("bmi", {}, "`importance` must be a fitted model"),
        ([[1.0]], {}, "`importance` must be a fitted model"),
        ([1.0, np.nan], {}, "finite"),
        ([1.0, 2.0], {"names": ["a"]}, "`names` must have one name per column"),
        ([1.0, 2.0], {"scale": "sum"}, "`scale` must be"),
    ],
)
def test_bad_importances_are_named(importance, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        plot.plot_importance(importance, **options)
