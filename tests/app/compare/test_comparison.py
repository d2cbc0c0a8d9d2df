"""Plots and notebook view of a comparison."""

import copy
from dataclasses import FrozenInstanceError, replace

import pytest

from tests.helpers import assert_close


@pytest.fixture
def result(regression):
    return regression


def test_a_comparison_does_not_change(result):
    with pytest.raises(FrozenInstanceError):
        result.verdict = "another one"


def test_the_leaderboard_plot_holds_every_model(result):
    ax = result.plot_leaderboard()
    labels = [t.get_text() for t in ax.get_yticklabels()]
    assert labels == [m.label for m in result.models]
    assert result.plot_leaderboard(metric="r2", ax=ax) is ax
    with pytest.raises(ValueError, match="`metric` must be one of rmse, r2"):
        result.plot_leaderboard(metric="auc")


def test_the_scores_plot_has_a_line_per_fold_and_the_mean(result):
    ax = result.plot_scores()
    assert len(ax.lines) == 6
    assert_close(ax.lines[-1].get_ydata(), [m.scores["rmse"].mean() for m in result.models], atol=0)


def test_the_tuning_plot_marks_the_choice(result):
    curve = result.model("lasso").tuning
    ax = result.plot_tuning("lasso")
    assert ax.get_xscale() == "log"
    marked = [line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 1]
    assert curve.values[curve.best] in marked
    assert result.plot_tuning().get_title(loc="left") in {m.label for m in result.models}
    with pytest.raises(ValueError, match="no tuning curve"):
        result.plot_tuning("ols")
    plain = copy.deepcopy(result)
    for model in plain.models:
        model.tuning = None
    with pytest.raises(ValueError, match="No model in this comparison was tuned"):
        plain.plot_tuning()


def test_a_tuning_parameter_of_words_is_drawn_too(result):
    model = copy.deepcopy(result.model("lasso"))
    model.tuning.values = [f"v{k}" for k in range(len(model.tuning.values))]
    assert replace(result, models=[model]).plot_tuning("lasso").get_xticklabels()[0].get_text() == "v0"


def test_the_predictions_plot_shows_what_the_task_asks_for(result, binary, multiclass):
    assert result.plot_predictions().get_ylabel() == "actual price"
    assert binary.plot_predictions().get_xlabel() == "false positive rate"
    assert len(multiclass.plot_predictions("logistic").lines) == 7
    bare = copy.deepcopy(result)
    bare.model("ols").predictions = None
    with pytest.raises(ValueError, match="no predictions"):
        bare.plot_predictions("ols")


def test_the_notebook_view_is_escaped_html(result):
    strange = copy.deepcopy(result)
    strange.models[0].label = "<script>"
    strange.models[-1].status = "failed"
    text = strange._repr_html_()
    assert strange.findings[0].code in text
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "failed" in text
