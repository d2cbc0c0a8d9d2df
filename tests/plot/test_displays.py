"""Displays show the numbers they were given: curves, cells, points, regions."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from statlearn import plot
from statlearn.assess import GroupKFold, KFold, losses
from statlearn.linear import LinearRegression, LogisticRegression
from tests.helpers import assert_close

A, B = load_breast_cancer(return_X_y=True)
A = A[:, [0, 1]]
MODEL = make_pipeline(StandardScaler(), LogisticRegression()).fit(A, B)
SCORE = MODEL.decision_function(A)


@pytest.mark.spec("ASM-40")
def test_qq_plot_as_r_draws_it(rng):
    """qqnorm(c(3, 1, 4, 1.5, 9, 2.6)) in R: ppoints(6) with a = 3/8, qqline through the quartiles (type 7)."""
    values = np.array([3.0, 1.0, 4.0, 1.5, 9.0, 2.6])
    display = plot.QQDisplay.from_residuals(values)
    assert_close(display.theoretical, stats.norm.ppf((np.arange(1, 7) - 0.375) / 6.25))
    assert_close(display.theoretical[-1], 1.2815516, rtol=1e-7)
    assert_close(display.ordered, np.sort(values))
    q = np.quantile(values, [0.25, 0.75])
    assert_close(display.slope, (q[1] - q[0]) / (2 * 0.6744897501960817))
    assert_close(display.intercept + display.slope * 0.6744897501960817, q[1])
    drawn = [line for line in display.ax_.lines if len(line.get_xdata()) == 6]
    assert_close(drawn[0].get_ydata(), np.sort(values))


@pytest.mark.spec("ASM-40")
def test_the_band_of_a_qq_plot_holds_normal_values(rng):
    inside = []
    for _ in range(40):
        display = plot.QQDisplay.from_residuals(rng.normal(size=80), band=0.95)
        plt.close(display.figure_)
        inside.append(np.mean((display.ordered > display.lower) & (display.ordered < display.upper)))
    assert np.mean(inside) > 0.88
    heavy = plot.QQDisplay.from_residuals(rng.standard_t(1.2, size=200))
    assert np.mean((heavy.ordered > heavy.lower) & (heavy.ordered < heavy.upper)) < 0.9


@pytest.mark.spec("ASM-41")
def test_losses_are_drawn_unscaled():
    ax = plot.plot_losses([losses.Huber(delta=0.1), losses.Huber(delta=3.0)], limits=(-4, 4))
    for line, delta in zip([line for line in ax.lines if len(line.get_xdata()) > 2], (0.1, 3.0)):
        r = line.get_xdata()
        expected = np.where(np.abs(r) <= delta, r**2 / 2, delta * (np.abs(r) - delta / 2))
        assert_close(line.get_ydata(), expected)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["Huber(delta=0.1)", "Huber(delta=3)"]
    margin = plot.plot_losses(against="margin")
    curves = {line.get_label(): line for line in margin.lines}
    m = curves["hinge"].get_xdata()
    assert_close(curves["hinge"].get_ydata(), np.maximum(0, 1 - m))
    assert_close(curves["exponential"].get_ydata(), np.exp(-m))
    assert_close(curves["zero-one"].get_ydata(), (m <= 0) * 1.0)
    with pytest.raises(ValueError, match="`against` must be"):
        plot.plot_losses(against="time")


@pytest.mark.spec("ASM-42")
def test_regions_match_the_classifier():
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X[:, :2], columns=["length", "width"])
    model = LogisticRegression().fit(frame, y)
    display = plot.DecisionBoundaryDisplay.from_estimator(model, frame, y, grid_resolution=20)
    corner = pd.DataFrame({"length": [display.xx0[0, 0]], "width": [display.xx1[0, 0]]})
    assert_close(display.response[0, 0], model.predict_proba(corner)[0])
    assert display.ax_.get_xlabel() == "length"
    assert len(display.ax_.collections) >= 3, "one cloud of points per class"
    plain = plot.DecisionBoundaryDisplay.from_estimator(model, frame, regions="class", grid_resolution=20)
    assert set(np.unique(plain.response)) == {0.0, 1.0}
    assert_close(
        plain.response.argmax(axis=-1)[3, 5], model.predict(frame.iloc[:1] * 0 + [display.xx0[3, 5], display.xx1[3, 5]])
    )


@pytest.mark.spec("ASM-42")
def test_half_spaces_point_into_the_positive_class():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = LogisticRegression().fit(X, X[:, 0] + X[:, 1] > 0)
    ax = plot.plot_decision_boundary(model, X, half_spaces=True, grid_resolution=20)
    arrow = next(a for a in ax.texts if a.arrow_patch is not None)
    foot, tip = np.array(arrow.xyann), np.array(arrow.xy)
    assert_close(model.decision_function([foot]), [0.0], atol=1e-8)
    assert model.decision_function([tip])[0] > 0
    with pytest.raises(ValueError, match="must have two columns"):
        plot.plot_decision_boundary(model, np.zeros((3, 3)))
    with pytest.raises(ValueError, match="`regions` must be"):
        plot.plot_decision_boundary(model, X, regions="all")


@pytest.mark.spec("ASM-43")
def test_roc_plot_is_the_curve_with_its_area():
    display = plot.RocDisplay.from_estimator(MODEL, A, B, n_resamples=50)
    fpr, tpr, _ = metrics.roc_curve(B, SCORE, drop_intermediate=False)
    assert_close(display.x, fpr)
    assert_close(display.y, tpr)
    assert f"AUC {metrics.roc_auc_score(B, SCORE):.3f} (" in display.ax_.get_legend().get_texts()[0].get_text()
    on_grid = np.interp(np.linspace(0, 1, 201), fpr, tpr)
    assert np.mean((display.lower <= on_grid + 1e-12) & (on_grid <= display.upper + 1e-12)) > 0.95
    again = display.plot()
    assert again.ax_.get_xlabel() == "false positive rate"


@pytest.mark.spec("ASM-43")
def test_precision_recall_and_det():
    pr = plot.PrecisionRecallDisplay.from_predictions(B, SCORE, band=None)
    precision, recall, _ = metrics.precision_recall_curve(B, SCORE)
    assert_close(pr.x[1:], recall[:-1][::-1])
    assert_close(pr.y[1:], precision[:-1][::-1])
    assert f"{metrics.average_precision_score(B, SCORE):.3f}" in pr.summary
    det = plot.DetDisplay.from_predictions(B, SCORE, n_resamples=20)
    _, tpr, _ = metrics.roc_curve(B, SCORE, drop_intermediate=False)
    assert_close(det.y, 1 - tpr)
    assert "EER" in det.summary


@pytest.mark.spec("ASM-43")
def test_curves_of_several_models_and_classes_share_the_axes():
    ax = plot.roc_plot(B, SCORE, name="both", n_resamples=20)
    plot.roc_plot(B, A[:, 1], name="one", n_resamples=20, ax=ax)
    drawn = [line for line in ax.lines if line.get_gid() == "curve"]
    assert len(drawn) == 2
    assert drawn[0].get_color() != drawn[1].get_color()
    X, y = load_iris(return_X_y=True)
    each = plot.roc_plot(y, LogisticRegression().fit(X, y).predict_proba(X), n_resamples=10)
    assert len([line for line in each.lines if line.get_gid() == "curve"]) == 3
    with pytest.raises(ValueError, match="must have two classes"):
        plot.roc_plot(y, X[:, 0])


@pytest.mark.spec("ASM-43")
def test_confusion_plot_writes_the_counts():
    display = plot.ConfusionDisplay.from_estimator(MODEL, A, B)
    expected = metrics.confusion_matrix(B, MODEL.predict(A))
    np.testing.assert_array_equal(display.counts, expected)
    assert_close(display.shares, expected / expected.sum(axis=1, keepdims=True))
    texts = [text.get_text() for text in display.ax_.texts]
    assert texts[0].startswith(f"{expected[0, 0]}\n")
    ax = plot.confusion_plot(["a", "b"], ["a", "a"], normalize=None, labels=["b", "a"])
    assert [t.get_text() for t in ax.get_xticklabels()] == ["b", "a"]
    assert [t.get_text() for t in ax.texts] == ["0", "1", "0", "1"]


def test_calibration_counts_and_intervals():
    p = np.linspace(0.02, 0.98, 500)
    y = np.random.default_rng(0).uniform(size=500) < p
    display = plot.CalibrationDisplay.from_predictions(y, p, n_bins=5)
    assert display.counts.tolist() == [100] * 5
    assert_close(display.observed[0], y[:100].mean())
    assert np.all((display.low < display.predicted) & (display.predicted < display.high))
    assert plot.CalibrationDisplay.from_estimator(MODEL, A, B).counts.sum() == len(B)


def test_residuals_against_predictions(rng):
    y = rng.normal(size=60)
    fit = 0.5 * y
    ax = plot.residual_plot(y, fit)
    assert_close(ax.lines[0].get_ydata(), y - fit)
    assert plot.residual_plot(y, fit, kind="observed").get_ylabel() == "observed"
    X = rng.normal(size=(60, 2))
    shown = plot.ResidualDisplay.from_estimator(LinearRegression().fit(X, y), X, y)
    assert shown.name == "LinearRegression"
    with pytest.raises(ValueError, match="`kind` must be"):
        plot.residual_plot(y, fit, kind="other")


@pytest.mark.spec("ASM-43")
def test_pair_plot_by_class():
    X, y = load_iris(return_X_y=True, as_frame=True)
    figure = plot.pair_plot(X, y)
    assert len(figure.axes) == 16
    cloud = figure.axes[1].collections
    assert len(cloud) == 3
    assert_close(cloud[0].get_offsets()[:, 0], X.to_numpy()[y == 0, 1])
    assert figure.axes[12].get_xlabel() == "sepal length (cm)"
    numeric = plot.pair_plot(X.to_numpy(), np.linspace(0, 1, 150), max_columns=2, max_rows=50)
    assert len(numeric.axes) == 4
    assert len(numeric.axes[1].collections[0].get_offsets()) == 50


@pytest.mark.spec("ASM-43")
def test_cv_diagram_colours_exactly_the_test_rows():
    groups = np.repeat(np.arange(6), 4)
    ax = plot.cv_diagram(GroupKFold(3), groups=groups, n=24)
    bars = [c for c in ax.collections if c.get_alpha() == 1.0]
    covered = np.zeros((3, 24), dtype=int)
    for bar in bars:
        for path in bar.get_paths():
            box = path.get_extents()
            covered[round(box.y0 + 0.36), round(box.x0 + 0.5) : round(box.x1 + 0.5)] += 1
    for k, (_, test) in enumerate(GroupKFold(3).split(np.zeros((24, 1)), groups=groups)):
        np.testing.assert_array_equal(np.flatnonzero(covered[k]), np.sort(test))
    assert [t.get_text() for t in ax.get_yticklabels()] == ["split 1", "split 2", "split 3", "group"]
    assert len(plot.cv_diagram(KFold(5)).get_yticks()) == 5


@pytest.mark.spec("CRS-11")
def test_the_squared_loss_is_halved_only_if_its_label_says_so():
    curves = {line.get_label(): line for line in plot.plot_losses().get_lines()}

    def at_two(line):
        return np.interp(2.0, line.get_xdata(), line.get_ydata())

    assert at_two(curves["squared"]) == pytest.approx(4.0)
    assert at_two(curves["absolute"]) == pytest.approx(2.0)
    named = plot.plot_losses([losses.SquaredError(), losses.SquaredError(half=True)])
    curves = {line.get_label(): line for line in named.get_lines()}
    assert at_two(curves["SquaredError"]) == pytest.approx(4.0)
    assert at_two(curves["SquaredError / 2"]) == pytest.approx(2.0)
