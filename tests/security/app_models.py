"""Files of the app for the attack, and the commands that read them: predict, explain and report."""

import contextlib
import functools
import html.parser
import io

import numpy as np
import pandas as pd

NAMES = ("Comparison", "ClusterModel", "EmbeddingModel", "TableModel", "ThresholdModel")
N = 40
STEP = 3  # changes that count as one, since the commands take longer than the verbs of an estimator


@functools.cache
def table(kind):
    """Numbers, levels, dates and text with gaps, and a target."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=N),
            "age": np.where(rng.random(N) < 0.1, np.nan, rng.normal(size=N)),
            "town": rng.choice(["Bonn", "Köln", "Ulm"], N),
            "day": pd.date_range("2026-01-01", periods=N)[rng.permutation(N)],
            "words": [" ".join(rng.choice(["red", "green", "old", "new", "house"], 4)) for _ in range(N)],
        }
    )
    score = frame["size"] + (frame["town"] == "Ulm") + 0.5 * rng.normal(size=N)
    return frame.assign(price=score if kind == "regression" else np.where(score > 0, "yes", "no"))


@functools.cache
def fitted(name):
    """The model of a name, a table to ask it about and its target."""
    from statlearn.app.compare.run import compare
    from statlearn.app.explore.clustering import cluster
    from statlearn.app.explore.embedding import embed
    from statlearn.app.report.outputs import _stored

    frame = table("regression" if name == "TableModel" else "classification")
    y = frame["price"]
    if name == "ClusterModel":
        return cluster(frame, method="gaussian", n_clusters=2).model, frame.iloc[:12], y[:12]
    if name == "EmbeddingModel":
        return embed(frame).model, frame.iloc[:12], y[:12]
    models = {
        "TableModel": ["regression-tree"],
        "ThresholdModel": ["logistic-l2"],
        "Comparison": ["logistic-l2", "decision-tree"],
    }[name]
    cost = {} if name == "TableModel" else {"cost": "fp=1,fn=3"}
    found = compare(frame, "price", models=models, folds=3, store_rows=True, **cost)
    if name == "Comparison":
        return _stored(found.inspect(seconds=1.0, learning=False)), frame.iloc[:12], y[:12]
    return found.model_for_use(models[0]), frame.iloc[:12], y[:12]


def commands(model):
    """What the command line does with a loaded model beside its own verbs: functions of the model and a table."""
    from statlearn.app.compare.comparison import Comparison
    from statlearn.app.model.table_model import TableModel

    if isinstance(model, Comparison):
        return (_pages,)
    return (_explain, _what_if) if type(model) is TableModel else ()


def _explain(model, frame):
    from statlearn.app.cli import console
    from statlearn.app.explain.explain import explain

    found = explain(model, frame, seconds=0.1)
    assert_harmless(found.to_html())
    _print(console.explanation(found))


def _what_if(model, frame):
    from statlearn.app.explain.what_if import what_if

    assert_harmless(what_if(model, frame, 3, {"size": "1.5"}).to_html())


def _pages(model, frame):
    from statlearn.app.cli import console
    from statlearn.app.compare.side_by_side import side_by_side
    from statlearn.app.report.files import comparison_json, leaderboard_csv, predictions_csv
    from statlearn.app.report.html import report_html

    def tables():
        leaderboard_csv(model, io.StringIO())
        predictions_csv(model, io.StringIO())

    for command in (
        lambda: assert_harmless(report_html(model)),
        lambda: assert_harmless(model._repr_html_()),
        lambda: assert_harmless(side_by_side([model, fitted("Comparison")[0]]).to_html()),
        lambda: _print(console.comparison(model)),
        lambda: comparison_json(model),
        tables,
    ):
        with contextlib.suppress(Exception):  # but not Harm
            command()


def _print(view):
    from statlearn.app.cli import console

    console.make_console(file=io.StringIO()).print(view)


EMPTY_ICON = '<link rel="icon" href="data:,">'  # so that browsers ask for none


class Harm(BaseException):
    """A page with a part that a browser would run or load."""


class _Parts(html.parser.HTMLParser):
    RUN_OR_LOADED = {"base", "embed", "form", "frame", "iframe", "img", "link", "object", "script"}

    def handle_starttag(self, tag, attributes):
        if self.get_starttag_text() == EMPTY_ICON:
            return
        inside = {name: value or "" for name, value in attributes}
        outside = [v for name, v in inside.items() if name in ("href", "src", "xlink:href") and v[:1] != "#"]
        if tag in self.RUN_OR_LOADED or outside or any(name.startswith("on") for name in inside):
            raise Harm(f"a page contains {self.get_starttag_text()[:100]}")


def assert_harmless(page):
    """Raise Harm for a page with scripts, handlers of events or anything from elsewhere."""
    _Parts().feed(page)
