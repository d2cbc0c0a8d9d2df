"""The report's files: complete, escaped, small, whole or not at all."""

import copy
import csv
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from statlearn.app import report
from statlearn.app.compare.result import ColumnProfile, Finding
from statlearn.app.compare.run import compare
from statlearn.app.errors import UsageError
from statlearn.app.model import file as model_file
from statlearn.app.model.table_model import TableModel
from statlearn.app.report.html import report_html
from statlearn.app.report.model import inference
from tests.helpers import assert_close

EVIL = '<script>alert("x")</script><img src=x onerror=alert(1)>\'"&{{7*7}}'
VOID = {"meta", "link", "br", "img", "input", "hr", "wbr"}


class Page(HTMLParser):
    """Checks that elements are closed in order, and keeps what the tests ask for."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.words = [], [], [], []
        self.feed(text.replace("<wbr>", ""))
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def ids(self):
        return [value for _, name, value in self.attributes if name == "id"]


@pytest.fixture(params=["regression", "binary", "multiclass"])
def comparison(request):
    return request.getfixturevalue(request.param)


def test_all_sections_are_there_and_every_link_leads_somewhere(comparison):
    page = Page(report_html(comparison))
    ids = page.ids()
    assert {"verdict", "leaderboard", "honesty", "data", "models", "reproduce"} <= set(ids)
    assert len(ids) == len(set(ids))
    links = [value for tag, name, value in page.attributes if (tag, name) == ("a", "href")]
    assert links
    assert all(link[0] == "#" and link[1:] in ids for link in links)
    assert comparison.verdict in page.text.replace("\u00a0", " ")
    for model in comparison.models:
        assert model.label in page.text
    for finding in comparison.findings:
        assert finding.code in page.text
        assert finding.advice in page.text


def test_nothing_comes_from_elsewhere_and_nothing_runs(comparison):
    page = Page(report_html(comparison))
    assert not {"script", "iframe", "object", "embed", "img", "base", "form"} & set(page.tags)
    for _, name, value in page.attributes:
        assert not name.startswith("on")
        if name in ("src", "href", "action"):
            assert value.startswith(("#", "data:"))
    assert "url(" not in report_html(comparison)
    assert "@import" not in report_html(comparison)


def test_the_figures_of_each_kind_are_drawn(regression, binary, multiclass):
    def names(comparison):
        return {
            value.split(".")[0] for _, name, value in Page(report_html(comparison)).attributes if name == "aria-label"
        }

    assert {
        "Learning curve",
        "Validation curve over alpha",
        "Actual against predicted values",
        "Residuals against predicted values",
        "Normal quantile plot of the residuals",
        "Permutation importance",
        "Partial dependence on size",
        "Paired differences to the best model",
        "Score against time",
    } <= names(regression)
    assert {"ROC curve", "Precision and recall", "Calibration", "Learning curve"} <= names(binary)
    assert {"ROC curve", "Calibration", "Confusion matrix of 13 classes"} <= names(multiclass)


def test_figures_have_words_for_those_who_do_not_see_them(comparison):
    page = Page(report_html(comparison))
    labelled = sum(1 for tag, name, value in page.attributes if tag == "svg" and name == "aria-label" and value)
    hidden = sum(1 for tag, name, _ in page.attributes if tag == "svg" and name == "aria-hidden")
    inner = sum(1 for tag, name, value in page.attributes if (tag, name, value) == ("svg", "class", "clip"))
    assert labelled + hidden + inner == page.tags.count("svg") > 10
    assert page.tags.count("h1") == 1


def test_inference_is_shown_where_valid_and_refused_with_the_reason_elsewhere(regression):
    text = Page(report_html(regression)).text
    assert "Std. Error" in text
    assert "standardscaler__size" in text or "remainder__size" in text
    refusals = [m for m in regression.models if m.name == "lasso"]
    with pytest.raises(ValueError) as refusal:
        refusals[0].estimator[-1].summary()
    assert str(refusal.value) in text


def test_the_summary_of_a_bayes_classifier_or_discriminant_is_shown_by_the_names_of_the_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(90, 2)), columns=["height", "width"])
    # One class looks like the name of a column of an array.
    frame["kind"] = np.where(frame["height"] + 0.3 * rng.normal(size=90) > 0, "x1", "x7")
    models = ["naive-bayes-gaussian", "naive-bayes-binned", "naive-bayes-tree*", "lda", "mda"]
    found = compare(frame, target="kind", models=models, folds=3)
    shown = {m.name: inference(m.estimator) for m in found.models if m.name != found.baseline}
    assert len(shown) == 5
    gaussian, binned = shown["naive-bayes-gaussian"], shown["naive-bayes-binned"]
    assert (gaussian["heading"], shown["linear-discriminant-analysis"]["heading"]) == ("Fitted model", "Inference")
    classes, means, _ = gaussian["tables"]
    assert [row["name"] for row in classes["rows"]] == means["headings"] == ["x1", "x7"]
    assert [row["name"] for row in means["rows"]] == ["height", "width"]
    assert "one standard deviation" in gaussian["notes"][-1]
    assert not any("one standard deviation" in note for note in binned["notes"])
    assert all(row["name"].startswith(("height: ", "width: ")) for row in binned["tables"][1]["rows"])
    assert shown["linear-discriminant-analysis"]["tables"][2]["headings"][-2:] == ["height", "width"]
    assert shown["mixture-discriminant-analysis"]["tables"][0]["headings"][-2:] == ["height", "width"]
    network = shown["naive-bayes-tree-augmented"]["tables"][0]["rows"]
    assert {row["cells"][1] for row in network} <= {"", "class", "class, height", "class, width"}
    text = Page(report_html(found)).text
    assert "Terms with the largest log odds of each class" in text
    assert "Fitted model" in text


def test_the_summary_of_a_model_with_coded_categories_names_the_levels():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=90), "colour": np.tile(["red", "green", "blue"], 30)})
    frame["kind"] = np.where((frame["colour"] == "red") ^ (rng.uniform(size=90) < 0.1), "a", "b")
    found = compare(frame, target="kind", models=["naive-bayes-kernel*", "naive-bayes-binned", "GaussianNB"], folds=3)
    assert len(found.models) == 4
    for model in found.models:
        if model.name != found.baseline:
            table = -1 if "gaussian" in model.name else 1
            terms = [row["name"] for row in inference(model.estimator)["tables"][table]["rows"]]
            assert {"colour = red", "colour = green", "colour = blue"} <= set(terms)


def test_naive_bayes_for_discrete_data_is_compared_on_tables_that_suit_it(tmp_path):
    rng = np.random.default_rng(0)
    n = 120
    kind = np.arange(n) % 2
    frame = pd.DataFrame({
        "size": rng.normal(3 + kind, size=n).round(3) ** 2,
        "doors": 2 + rng.integers(0, 3, n),
        "colour": np.where(rng.uniform(size=n) < 0.8, np.where(kind, "red", "blue"), "grey"),
        "kind": np.where(kind, "a", "b"),
    })  # fmt: skip
    frame.loc[::10, "size"] = np.nan
    models = ["BernoulliNB", "CategoricalNB", "ComplementNB", "MultinomialNB"]
    found = compare(frame, target="kind", models=models, folds=3)
    shown = {m.name.removeprefix("naive-bayes-"): m for m in found.models if m.name != found.baseline}
    assert set(shown) == {"bernoulli", "categorical", "complement", "multinomial"}
    assert not any(m.warnings for m in shown.values())
    assert all(np.mean(shown[name].scores["accuracy"]) > 0.8 for name in ("bernoulli", "categorical"))
    terms = {name: {row["name"] for row in inference(m.estimator)["tables"][1]["rows"]} for name, m in shown.items()}
    assert {"colour = red", "colour = blue"} <= terms["categorical"]
    assert any(term.startswith("size: ") for term in terms["categorical"])
    assert {"colour = red", "colour = blue"} <= terms["bernoulli"]  # one factor, not an indicator for each level
    assert {"colour_red", "colour_blue"} <= terms["multinomial"]  # every level counts, none is the reference
    for model in shown.values():  # the tables are learned with the model, from any mix of rows
        assert set(model.estimator.predict(frame.drop(columns="kind").iloc[:3])) <= {"a", "b"}
        kept = TableModel.from_comparison(found, model.name)
        model_file.save(kept, tmp_path / "model.statlearn")
        assert model_file.load(tmp_path / "model.statlearn").predict(frame).tolist() == kept.predict(frame).tolist()


def test_a_table_with_negative_numbers_is_no_table_of_counts():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"depth": rng.normal(size=60), "n": rng.integers(0, 5, 60), "kind": ["a", "b"] * 30})
    found = compare(frame, target="kind", models=["MultinomialNB", "BernoulliNB"], folds=3)
    assert any("'depth' contains negative values" in note for note in found.profile.notes)
    days = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=60), "kind": ["a", "b"] * 30})
    with pytest.raises(UsageError, match="'day' contains dates"):
        compare(days, target="kind", models=["ComplementNB"], folds=3)


def test_what_users_supply_is_escaped(regression):
    hostile = replace(
        copy.deepcopy(regression), target=EVIL, verdict=EVIL,
        findings=[Finding(EVIL, EVIL, EVIL, EVIL, EVIL, EVIL, [EVIL])],
        settings={"command": EVIL, EVIL: EVIL, "versions": {EVIL: EVIL}},
    )  # fmt: skip
    hostile.profile.target = hostile.profile.source = EVIL
    hostile.profile.notes = [EVIL]
    hostile.profile.columns = [
        ColumnProfile(EVIL, EVIL, 1, 2, levels=[(EVIL, 3), ("b", 1)], note=EVIL),
        *hostile.profile.columns,
    ]
    for model in hostile.models:
        model.label = model.error = model.estimator_class = EVIL
        model.settings = {EVIL: EVIL}
        model.warnings = [EVIL]
        if model.tuning is not None:
            model.tuning.parameter, model.tuning.metric = EVIL, EVIL
        looked = model.inspection
        if looked is None:
            continue
        looked.notes = [EVIL]
        looked.importance.columns = [EVIL] * len(looked.importance.columns)
        for found in looked.dependence:
            found.column = EVIL
            found.outputs = [EVIL]
        for row in looked.worst:
            row.actual = row.predicted = EVIL
            row.cells = {EVIL: EVIL}
    hostile.models[-1].status = "failed"
    text = report_html(hostile)
    page = Page(text)
    assert not {"script", "img"} & set(page.tags)
    assert all(not name.startswith("on") for _, name, _ in page.attributes)
    assert "{{7*7}}" in page.text  # shown as it is, not computed
    assert EVIL in page.text


def test_json_holds_every_number(comparison, tmp_path):
    paths = report.write(comparison, tmp_path / "new" / "folder")
    content = json.loads(paths["json"].read_text())
    assert content["best"] == comparison.best
    for stored, model in zip(content["models"], comparison.models):
        assert_close(stored["scores"][comparison.metric], model.scores[comparison.metric], atol=0)
        if model.name == comparison.baseline:
            continue
        drops = model.inspection.importance.drops
        assert_close(stored["inspection"]["importance"]["drops"], drops, atol=0)
    assert len(content["profile"]["columns"]) == len(comparison.profile.columns)
    assert content["findings"][0]["code"] == comparison.findings[0].code
    assert content["n_train"] + content["n_holdout"] == comparison.profile.n_rows


def test_leaderboard_and_predictions_are_readable_tables(comparison, tmp_path):
    paths = report.write(comparison, tmp_path)
    with paths["leaderboard"].open() as file:
        board = list(csv.DictReader(file))
    assert [row["model"] for row in board] == [m.name for m in comparison.models]
    expected, _ = comparison.level(comparison.models[0].name)
    assert float(board[0][comparison.metric]) == pytest.approx(expected)
    with paths["predictions"].open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == comparison.profile.n_rows
    assert sorted(int(r["row"]) for r in rows) == list(range(len(rows)))
    best = comparison.model(comparison.best).predictions
    if comparison.task == "regression":
        assert_close([float(r[comparison.best]) for r in rows[: len(best)]], best, atol=0)
    else:
        assert {r[comparison.best] for r in rows} <= set(comparison.profile.classes)
        last = comparison.profile.classes[-1]
        assert_close([float(r[f"P({last})"]) for r in rows[: len(best)]], best[:, -1], atol=0)
    assert all(r["actual"] for r in rows)


def test_the_same_comparison_gives_the_same_bytes(comparison):
    assert report_html(comparison) == report_html(comparison)


def test_the_page_stays_small_whatever_the_data(regression):
    n, rng = 5_000, np.random.default_rng(0)
    huge = replace(copy.deepcopy(regression), y_true=rng.standard_cauchy(n), models=[], best="m0", simplest="m20")
    huge.profile.columns *= 2000
    template = regression.models[0]
    for k in range(30):
        model = copy.copy(template)
        model.name, model.label = f"m{k}", "a name of some length " * 10
        model.predictions = huge.y_true + rng.standard_cauchy(n)
        model.warnings = ["w" * 5000] * 50
        huge.results.scores[model.name] = huge.results.scores[template.name]
        huge.models.append(model)
    assert len(report_html(huge).encode()) < 3_000_000
    text = report_html(huge, max_bytes=600_000)
    assert len(text.encode()) < 600_000
    assert "Figures are omitted to keep this file small" in text
    page = Page(text)
    assert "more columns are in report.json" in page.text


def test_a_failed_write_leaves_nothing_half_written(regression, tmp_path, monkeypatch):
    report.write(regression, tmp_path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        report.write(regression, tmp_path)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_a_comparison_without_results_is_still_a_report(regression):
    empty = replace(copy.deepcopy(regression), complete=False)
    for model in empty.models:
        model.status, model.error, model.scores = "failed", "it broke", {}
    text = Page(report_html(empty)).text
    assert "No model has finished" in text
    assert "it broke" in text
    assert "Not finished" in text


def test_a_bare_comparison_needs_no_inspection(binary):
    bare = replace(copy.deepcopy(binary), holdout_scores={}, holdout_rows=np.empty(0, int), findings=[])
    for model in bare.models:
        model.inspection = model.tuning = model.estimator = None
        model.predictions[::3] = np.nan
    text = Page(report_html(bare)).text
    assert "other pitfalls found nothing." in text


@pytest.mark.parametrize("histograms", [True, False])
def test_a_wide_table_is_shown_in_tiles(regression, histograms):
    wide = copy.deepcopy(regression)
    wide.profile.columns = [
        ColumnProfile(
            f"column {k}",
            "number",
            0,
            9,
            {"min": 0.0, "max": 2.0},
            histogram=(np.arange(4.0), np.array([1, 2, 3])) if histograms else None,
        )
        for k in range(300)
    ]
    page = Page(report_html(wide))
    shown = 119 if histograms else 36
    assert page.text.count("column ") - page.text.count("column is ") >= shown
    assert f"{300 - shown:,} more columns are in report.json" in page.text
    assert "price target" in page.text  # the target comes first, from the rows that took part


@pytest.mark.parametrize(
    "name", ["GAM", "MARS", "AdditiveModel", "BRUTO", "SplineLogistic", "GAMClassifier", "MARSClassifier"]
)
def test_the_functions_of_additive_models_are_drawn_under_the_names_of_the_columns(name):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    import statlearn.smooth
    from statlearn.app.report.model import inference, term_figures

    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.uniform(size=(120, 2)), columns=["size", "age"])
    y = np.sin(5 * table["size"]) + table["age"] + 0.3 * rng.normal(size=120)
    model = getattr(statlearn.smooth, name)(**({"C": 100.0} if name == "MARSClassifier" else {}))
    if hasattr(model, "predict_proba"):
        y = (y > 1).astype(int)
    fitted = make_pipeline(StandardScaler(), model).fit(table, y)
    figures = term_figures(fitted)
    assert len(figures) == 2
    assert "size" in figures[0]
    found = inference(fitted)
    if name in ("GAM", "GAMClassifier"):
        assert [row["name"] for row in found["tables"][1]["rows"]] == ["s(size)", "s(age)"]
    if name == "MARS":
        assert any("size" in row["name"] for row in found["tables"][0]["rows"])
    assert term_figures(make_pipeline(StandardScaler())) == []


def test_a_time_limit_is_not_called_reproducible(regression):
    timed = copy.deepcopy(regression)
    assert "give the same numbers" in Page(report_html(timed)).text
    timed.settings["time_limit"] = 30.0
    text = Page(report_html(timed)).text
    assert "give the same numbers" not in text
    assert "another run may finish other fits" in text


def test_hidden_findings_are_not_reported_as_absent(regression):
    clean = replace(regression, findings=[], settings=regression.settings | {"mute": ["LEAK"]})
    assert "found nothing (hidden on request: LEAK)" in Page(report_html(clean)).text


def test_rows_of_unfinished_folds_are_not_counted_as_predicted(regression):
    partial = copy.deepcopy(regression)
    best = partial.model(partial.best)
    best.predictions = np.where(np.arange(len(best.predictions)) < 10, np.nan, best.predictions)
    text = Page(report_html(partial)).text
    n = len(best.predictions)
    assert f"{n - 10:,} of {n:,} training rows (those of finished folds)" in text


def test_columns_that_were_left_out_are_not_counted_as_features(regression):
    from statlearn.app.report.content import page

    known = dict(page(regression)["facts"])["features"]
    fewer = copy.deepcopy(regression)
    next(c for c in fewer.profile.columns if c.name != fewer.target).left_out = "identifier"
    assert int(dict(page(fewer)["facts"])["features"]) == int(known) - 1


def test_rows_of_the_predictions_are_known_by_their_identifiers(rng, tmp_path):
    n = 40
    table = pd.DataFrame({"x": rng.normal(size=n), "customer_id": [f"C{k:03d}" for k in rng.permutation(n)]})
    result = compare(table, table["x"] + rng.normal(size=n), models=["least-squares"], folds=3)
    with result.write(tmp_path)["predictions"].open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:4] == ["row", "customer_id", "part", "actual"]
    assert len(rows) == n
    assert all(row["customer_id"] == table["customer_id"][int(row["row"])] for row in rows)


def test_the_board_is_sorted_by_every_metric_without_scripts(binary):
    text = report_html(binary)
    orders = re.search(r'<div class="orders-tables">(.*?)</div>', text, re.DOTALL)[1]
    tables = re.findall(r"<caption>(.*?)</caption>(.*?)</table>", orders, re.DOTALL)
    assert [name for name, _ in tables] == ["accuracy", "tune + fit"]
    labels = re.findall(r'<th scope="row">(.*?)</th>', tables[0][1])
    level = {m.label: binary.level(m.name, "accuracy")[0] for m in binary.models}
    assert [level[label] for label in labels] == sorted(level.values(), reverse=True)
