"""Clusters of a table: the result, its files and the command."""

import json
import re

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import make_blobs

from statlearn.app.cli import console
from statlearn.app.compare.progress import PlainProgress
from statlearn.app.errors import DataError, UsageError
from statlearn.app.explore.clustering import METHODS, cluster
from statlearn.app.model.predict import load_table_model

from ..cli.test_commands import run
from ..cli.test_console import printed
from ..report.test_report import EVIL, Page

FILES = ["labels.csv", "model.statlearn", "report.html", "report.json", "validity.csv"]


def flowers(n=120, seed=0):
    """Three groups that differ in length and width, a useless number, an identifier, and the truth."""
    X, y = make_blobs(n, centers=[[0, 0], [0, 5], [5, -3]], cluster_std=0.6, random_state=seed)
    rng = np.random.default_rng(seed)
    return pl.DataFrame({
        "id": [f"row{i:04d}" for i in range(n)],
        "length": 100 * X[:, 0],
        "width": X[:, 1],
        "noise": rng.normal(size=n),
        "colour": [("red", "red", "blue")[k] if i % 9 else "blue" for i, k in enumerate(y)],
        "kind": [("a", "b", "c")[k] for k in y],
    })  # fmt: skip


@pytest.fixture(scope="module")
def found():
    return cluster(flowers(), truth="kind", max_clusters=6, quick=True, source="flowers.csv", drop=["colour", "noise"])


def test_clusters_are_found_numbered_by_size_and_described(found):
    assert found.n_clusters == 3
    assert found.truth["adjusted_rand"] == 1.0
    assert list(found.sizes) == sorted(found.sizes, reverse=True)
    assert set(found.labels) == {1, 2, 3}
    assert {c["name"] for c in found.columns} == {"length", "width"}
    assert min(c["share"] for c in found.columns) > 0.8
    frame = flowers().to_pandas()
    length = next(c for c in found.columns if c["name"] == "length")
    for k, cell in enumerate(length["cells"], start=1):
        assert cell["value"] == pytest.approx(frame["length"][found.labels == k].mean())
    assert "id" in found.dropped
    assert "3 clusters of 40, 40 and 40 rows" in found.verdict
    assert "They differ most in" in found.verdict
    assert found.verdict in repr(found)


def test_the_files_and_the_page(found, tmp_path):
    paths = found.write(tmp_path / "out")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == FILES
    labels = pl.read_csv(paths["labels"])
    assert labels.columns == ["row", "cluster", "silhouette"]
    np.testing.assert_array_equal(labels["cluster"], found.labels)
    validity = pl.read_csv(paths["validity"])
    assert validity["k"].to_list() == [1, 2, 3, 4, 5, 6]
    assert {"within", "silhouette", "gap", "gap_error", "prediction_strength", "stability"} <= set(validity.columns)
    report = json.loads(paths["json"].read_text())
    assert report["n_clusters"] == 3
    assert report["validity"]["silhouette"][0] is None
    page = Page(paths["html"].read_text(encoding="utf-8"))
    labelled = {value.split(".")[0] for _, name, value in page.attributes if name == "aria-label"}
    assert {"Rows along the first two principal components", "Silhouettes of the rows", "gap statistic"} <= labelled
    assert "script" not in page.tags
    assert found.verdict in page.text
    assert "Comparison with kind" in page.text


def test_a_saved_model_labels_other_rows(found, tmp_path):
    model = load_table_model(found.write(tmp_path)["model"])
    again = model.predict(flowers())
    np.testing.assert_array_equal(again, found.labels)
    assert model.predict_table(flowers()).columns == ["cluster"]
    with pytest.raises(DataError, match="is missing a column"):
        model.predict(flowers().drop("width"))


@pytest.mark.parametrize("method", [m for m in METHODS if m != "kmeans"])
def test_other_methods(method):
    found = cluster(flowers(60), truth="kind", drop=["noise", "colour"], method=method, max_clusters=4, quick=True)
    assert found.n_clusters == 3
    assert found.truth["adjusted_rand"] > 0.9
    assert (found.model is None) == (method == "ward")
    assert METHODS[method] in Page(found.to_html()).text


def test_the_number_can_be_given_and_mixed_columns_are_reported():
    frame = flowers(60).with_columns(width=pl.when(pl.int_range(60) % 7 > 0).then(pl.col("width")))
    found = cluster(frame, n_clusters=5, max_clusters=3, quick=True, scale=False)
    assert found.n_clusters == 5
    assert found.choice.k[-1] == 5
    titles = {title for title, _, _ in found.findings}
    assert {
        "Columns were not scaled",
        "Missing values were filled",
        "Categories and numbers share one distance",
    } <= titles
    colour = next(c for c in found.columns if c["name"] == "colour")
    assert re.fullmatch(r"(red|blue) \(\d+ %\)", colour["cells"][0]["value"])
    text = printed(console.clustering(found))
    assert "What distinguishes the clusters" in text
    assert "Columns were not scaled" in text


def test_dates_are_described_as_dates():
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, 1) + pl.duration(days=59), eager=True)
    frame = flowers(60).select("length", "width").with_columns(day=days)
    found = cluster(frame, n_clusters=2, max_clusters=2, quick=True)
    described = {c["name"]: c for c in found.columns}
    assert {"day", "month of day", "weekday of day"} <= set(described)
    assert described["day"]["overall"] == "2020-01-30"
    assert all(cell["value"].startswith("2020-0") for cell in described["day"]["cells"])


def test_no_clusters_are_called_so():
    frame = pl.DataFrame(dict(zip("abc", np.random.default_rng(0).uniform(size=(3, 80)))))
    found = cluster(frame, n_clusters=1, max_clusters=4, quick=True)
    assert "One cluster" in found.verdict
    page = Page(found.to_html())
    assert "No clusters" in page.text
    chosen = cluster(frame, max_clusters=4, quick=True)
    titles = {title for title, _, _ in chosen.findings}
    assert chosen.n_clusters == 1 or titles & {"There may be no clusters", "The indices disagree"}


def test_long_tables_are_judged_by_a_sample(monkeypatch):
    import statlearn.app.explore.clustering as module

    monkeypatch.setattr(module, "MAX_JUDGED", 60)
    found = cluster(flowers(200), truth="kind", drop=["colour", "noise"], max_clusters=4, quick=True)
    assert len(found.silhouettes) == 60
    assert len(found.labels) == 200
    assert found.truth["adjusted_rand"] == 1.0
    assert any("sample of 60 of 200 rows" in note for note in found.notes)
    assert found.labelled()["silhouette"].is_nan().sum() == 140


def test_names_on_the_page_are_escaped():
    frame = flowers(60).rename({"length": EVIL, "kind": EVIL + "2"})
    found = cluster(frame, truth=EVIL + "2", max_clusters=3, quick=True, source=EVIL, notes=[EVIL])
    page = Page(found.to_html())
    assert not {"script", "img"} & set(page.tags)
    assert EVIL in page.text


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"method": "magic"}, UsageError, "`method` must be one of kmeans"),
        ({"n_clusters": 0}, UsageError, "at least 1"),
        ({"truth": "nothing"}, UsageError, "unknown column 'nothing'"),
        ({"drop": ["id", "length", "width", "noise", "colour", "kind"]}, UsageError, "no columns are left"),
        ({"drop": ["length", "width", "noise", "colour", "kind"]}, DataError, "no column of this table can be used"),
        ({"n_clusters": 40}, DataError, "`n_clusters`=40 is too large for this table; use at most 30"),
        ({"truth": "id"}, UsageError, "use a column with at most 50"),
    ],
)
def test_what_cannot_be_done_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        cluster(flowers(60), max_clusters=2, quick=True, **options)


def test_too_few_rows_are_refused():
    with pytest.raises(DataError, match="too few for clustering"):
        cluster(flowers(60)[:5])


def test_the_command(tmp_path):
    flowers().write_csv(tmp_path / "flowers.csv")
    out = tmp_path / "out"
    said = run("cluster", tmp_path / "flowers.csv", "--truth", "kind", "--drop", "colour,noise", "--max-clusters", "5",
               "--quick", "-o", out)  # fmt: skip
    assert said.exit_code == 0, said.output
    assert "3 clusters of 40, 40 and 40 rows" in said.output
    assert str(out / "labels.csv") in said.output
    assert sorted(p.name for p in out.iterdir()) == FILES
    target = tmp_path / "new.csv"
    assert run("predict", out / "model.statlearn", tmp_path / "flowers.csv", "-o", target).exit_code == 0
    np.testing.assert_array_equal(pl.read_csv(target)["cluster"], pl.read_csv(out / "labels.csv")["cluster"])
    for arguments, code in ((["nowhere.csv"], 2), ([tmp_path / "flowers.csv", "--method", "magic"], 2)):
        assert run("cluster", *arguments).exit_code == code


def test_progress_says_how_far_it_is(capsys):
    progress = PlainProgress()
    progress.step(1, 3, "gap statistic")
    progress.step(2, 3, "gap statistic")
    progress.step(3, 3, "stability")
    assert capsys.readouterr().err.splitlines() == ["gap statistic: 1 of 3", "stability: 3 of 3"]


def test_texts_that_all_differ_do_not_tell_clusters_apart(rng):
    centre = np.repeat([0.0, 8.0], 40)
    frame = pl.DataFrame(
        {
            "a": centre + rng.normal(size=80), "b": centre + rng.normal(size=80),
            "remark": [f"the remark number {k} on this one" for k in range(80)],
        }
    )  # fmt: skip
    found = cluster(frame, max_clusters=3, quick=True)
    assert "remark" not in {column["name"] for column in found.columns}
    assert "remark" not in found.verdict


def test_a_split_vote_is_reported():
    from types import SimpleNamespace

    from statlearn.app.explore.clustering import Clustering

    votes = {"a": 2, "b": 2, "c": 4, "d": 3, "e": 3}
    split = SimpleNamespace(choice=SimpleNamespace(choices=votes), n_clusters=2)
    assert Clustering._votes(split) == (
        "The vote is split: 2 of 5 indices favour this number, 2 favour 3, 1 favours 4."
    )
    clear = SimpleNamespace(choice=SimpleNamespace(choices={"a": 2, "b": 2, "c": 4}), n_clusters=2)
    assert Clustering._votes(clear) == "2 of 3 indices favour this number."


def test_one_cluster_that_was_requested_is_not_called_a_finding():
    found = cluster(flowers(60), n_clusters=1, drop=["id", "kind", "colour", "noise"], max_clusters=4, quick=True)
    assert found.verdict.startswith("One cluster, as requested.")
    assert "favour 3" in found.verdict


def test_what_missing_values_became_depends_on_the_kind_of_the_column():
    frame = flowers(60).with_columns(
        width=pl.when(pl.int_range(60) % 10 > 0).then(pl.col("width")),
        town=pl.Series([None, "a", "b", "c", "d", "a"] * 10),
    )
    found = cluster(frame, drop=["kind", "colour"], max_clusters=3, quick=True)
    details = {title: detail for title, detail, _ in found.findings}
    assert details["Missing values were filled"] == (
        "6 missing values became the median of their column (marked in a second column); "
        "10 missing values became a separate level."
    )


def test_columns_that_were_left_out_are_printed():
    found = cluster(flowers(60), drop=["kind", "colour"], max_clusters=3, quick=True)
    assert "Columns left out: id (" in printed(console.clustering(found))


def test_a_mixture_gives_every_row_the_probabilities_of_its_clusters(tmp_path):
    table = flowers()
    found = cluster(table, method="gaussian", n_clusters=3, max_clusters=3, quick=True, drop=["kind", "colour"])
    paths = found.write(tmp_path / "out")
    labels = pl.read_csv(paths["labels"])
    p = labels.select("probability of 1", "probability of 2", "probability of 3").to_numpy()
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(p.argmax(axis=1) + 1, labels["cluster"])
    predicted = load_table_model(paths["model"]).predict_table(table)
    np.testing.assert_allclose(predicted["probability of 2"], p[:, 1])


def test_methods_without_probabilities_have_none(found):
    assert found.posteriors is None
    assert found.labelled().columns == ["row", "cluster", "silhouette"]


def test_new_rows_of_a_clustering_are_compared_with_its_rows(found):
    assert found.model.drift(flowers(seed=1)).notes() == []
    moved = flowers(seed=1).with_columns(width=pl.col("width") + 9)
    assert found.model.drift(moved).moved == ["width"]
