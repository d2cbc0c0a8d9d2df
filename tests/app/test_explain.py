"""A saved model looked at on one table."""

import numpy as np
import pandas as pd
import pytest

from statlearn.app import console
from statlearn.app.compare import compare
from statlearn.app.errors import DataError
from statlearn.app.explain import explain

from .made import classification_frame, regression_frame
from .test_console import printed
from .test_report import EVIL, Page


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
    assert "What shuffling a column costs" in text
    assert "Worst rows" in text


def test_training_rows_are_recognised_and_said(prices, kinds):
    model, frame = prices
    fresh = regression_frame(240).tail(80)
    assert model.was_seen(frame).sum() == model.n_seen  # the held-out rows are not among them
    assert not model.was_seen(fresh).any()
    mixed = explain(model, frame)
    assert mixed.n_seen == model.n_seen < len(frame)
    assert any("of the 160 rows are training rows of the model" in note for note in mixed.table_notes)
    hidden = ~model.was_seen(frame)
    errors = frame["price"][hidden] - model.predict(frame[hidden])
    assert mixed.unseen_scores["rmse"] == pytest.approx(np.sqrt(np.mean(errors**2)))
    assert "on those that it has not seen" in mixed.to_html()
    unseen = explain(model, fresh)
    assert unseen.n_seen == 0
    assert not unseen.table_notes
    classifier, table = kinds
    page = explain(classifier, table).to_html()
    assert "Out-of-fold" not in page
    assert "are training rows of the model. The most probable class." in page


def test_the_page_of_an_explanation(prices, kinds, tmp_path):
    for (model, frame), figure in ((prices, "Actual against predicted values"), (kinds, "ROC curve")):
        found = explain(model, frame)
        found.write(tmp_path / "page.html")
        page = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
        labels = {value.split(".")[0] for _, name, value in page.attributes if name == "aria-label"}
        assert {figure, "Permutation importance", "Partial dependence on size"} <= labels
        assert "It relies most on size" in page.text
        assert "in the comparison that chose it" in page.text
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
    assert "moved by: how far each column takes the prediction from its mean" in text
    page = Page(found.to_html())
    assert "Moved by: how far each column takes the prediction from its mean" in page.text


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
    with pytest.raises(DataError, match="lacks the target 'price'"):
        explain(model, frame.drop(columns="price"))
    with pytest.raises(DataError, match="fewer than two rows"):
        explain(model, frame.assign(price=np.nan))
    model, frame = kinds
    with pytest.raises(DataError, match="does not know: other"):
        explain(model, pd.concat([frame, frame.assign(kind="other")]))
