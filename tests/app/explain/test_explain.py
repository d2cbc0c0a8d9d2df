"""A saved model looked at on one table."""

import numpy as np
import pandas as pd
import pytest

from statlearn.app.cli import console
from statlearn.app.compare.run import compare
from statlearn.app.errors import DataError
from statlearn.app.explain.explain import explain
from statlearn.app.model.file import load, save
from statlearn.app.model.table_model import TableModel

from ..cli.test_console import printed
from ..made import classification_frame, regression_frame
from ..report.test_report import EVIL, Page


@pytest.fixture(scope="module")
def prices():
    frame = regression_frame(160)
    return compare(frame, "price", models=["least-squares"], folds=3).model_for_use("least-squares"), frame


@pytest.fixture(scope="module")
def kinds():
    frame = classification_frame(160)
    return compare(frame, "kind", models=["logistic-l2"], folds=3).model_for_use("logistic-l2"), frame


def test_a_regression_is_explained(prices):
    model, frame = prices
    found = explain(model, frame.assign(price=np.where(np.arange(160) == 7, np.nan, frame["price"])), source="t.csv")
    assert found.importance.columns[:2] == ["size", "age"]
    assert len(found.y) == 159
    assert found.scores["rmse"] == pytest.approx(np.sqrt(np.mean((found.y - found.predictions) ** 2)))
    assert found.learning is None
    worst = found.worst[0]
    assert worst.actual == frame["price"][worst.row]  # positions are those of the table as given
    text = printed(console.explanation(found))
    assert "Permutation importance" in text
    assert "Worst rows" in text


def test_training_rows_are_recognised_and_said(prices, kinds):
    model, frame = prices
    fresh = regression_frame(240).tail(80)
    assert model.was_seen(frame, frame["price"]).sum() == model.n_seen  # the held-out rows are not among them
    assert not model.was_seen(fresh, fresh["price"]).any()
    mixed = explain(model, frame)
    assert mixed.n_seen == model.n_seen < len(frame)
    assert any("of the 160 rows are training rows of the model" in note for note in mixed.table_notes)
    hidden = ~model.was_seen(frame, frame["price"])
    errors = frame["price"][hidden] - model.predict(frame[hidden])
    assert mixed.unseen_scores["rmse"] == pytest.approx(np.sqrt(np.mean(errors**2)))
    assert "on the rows it has not seen" in mixed.to_html()
    unseen = explain(model, fresh)
    assert unseen.n_seen == 0
    assert not unseen.table_notes
    classifier, table = kinds
    page = explain(classifier, table).to_html()
    assert "Out-of-fold" not in page
    assert "are training rows of the model. The predicted class is the most probable one." in page


def test_the_page_of_an_explanation(prices, kinds, tmp_path):
    for (model, frame), figure in ((prices, "Actual against predicted values"), (kinds, "ROC curve")):
        found = explain(model, frame)
        found.write(tmp_path / "page.html")
        page = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
        labels = {value.split(".")[0] for _, name, value in page.attributes if name == "aria-label"}
        assert {figure, "Permutation importance", "Partial dependence on size"} <= labels
        assert "It relies most on size" in page.text
        assert "In the comparison that chose it" in page.text
        assert "script" not in page.tags
        assert found._repr_html_() == found.to_html()


def test_trees_tell_what_moved_the_worst_predictions(tmp_path):
    frame = regression_frame(160)
    model = compare(frame, "price", models=["gradient-boosting"], folds=3).model_for_use("gradient-boosting")
    found = explain(model, frame)
    assert found.unit == "the prediction"
    for worst in found.worst:
        assert worst.reasons
        assert {name for name, _ in worst.reasons} <= set(frame.columns) - {"price"}
    text = printed(console.explanation(found))
    assert "moved by: how far each column moves the prediction from its mean" in text
    page = Page(found.to_html())
    assert "Moved by: how far each column moves the prediction from its mean" in page.text


def test_names_on_the_page_are_escaped(prices):
    model, frame = prices
    found = explain(model, frame, source=EVIL)
    found.importance.columns[0] = EVIL
    found.table_notes = [EVIL]
    page = Page(found.to_html())
    assert not {"script", "img"} & set(page.tags)
    assert EVIL in page.text


def test_what_cannot_be_explained_is_refused(prices, kinds):
    model, frame = prices
    with pytest.raises(DataError, match="is missing the target 'price'"):
        explain(model, frame.drop(columns="price"))
    with pytest.raises(DataError, match="fewer than two rows"):
        explain(model, frame.assign(price=np.nan))
    model, frame = kinds
    with pytest.raises(DataError, match="was not trained on: other"):
        explain(model, pd.concat([frame, frame.assign(kind="other")]))


def test_rows_that_only_share_the_features_of_training_rows_are_new(prices):
    model, frame = prices
    other = frame.assign(price=frame["price"] + 1000.0)
    assert not model.was_seen(other, other["price"]).any()
    assert explain(model, other).n_seen == 0


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_every_kind_of_saved_model_is_explained_and_predicts(task, tmp_path):
    """The explanation of a stack ended with an error, although a stack wins half of the comparisons."""
    frame, target, names = {
        "regression": (regression_frame(120), "price", ["least-squares", "regression-tree", "random-forest"]),
        "classification": (classification_frame(120), "kind", ["logistic-l2", "naive-bayes*", "random-forest"]),
    }[task]
    result = compare(frame, target, models=[*names, "stack"], folds=3, holdout=0.1)
    done = [m.name for m in result.models if m.estimator is not None]
    assert "stack" in done
    assert len(done) >= 5
    for name in done:
        save(result.model_for_use(name), tmp_path / "model.statlearn")
        model = load(tmp_path / "model.statlearn", TableModel)
        found = explain(model, frame, seconds=0.0)
        assert printed(console.explanation(found))
        assert Page(found.to_html()).text
        assert len(model.predict_table(frame.drop(columns=target).head(2))) == 2


def test_the_report_calls_a_stack_by_its_class():
    result = compare(regression_frame(120), "price", models=["least-squares", "regression-tree", "stack"], folds=3)
    stack = result.model("stack")
    assert stack.estimator_class.endswith(type(stack.estimator).__name__)
