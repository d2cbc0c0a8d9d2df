"""Coordinates of a table: the result, its files and the command."""

import json
import re

import numpy as np
import polars as pl
import pytest

from statlearn.app.cli import console
from statlearn.app.errors import DataError, UsageError
from statlearn.app.explore.embedding import LINEAR, METHODS, embed
from statlearn.app.model.predict import load_table_model
from statlearn.app.report.svg import key_rows
from statlearn.decomposition import PCA

from ..cli.test_commands import run
from ..cli.test_console import printed
from ..report.test_report import EVIL, Page

FILES = ["coordinates.csv", "loadings.csv", "model.statlearn", "report.html", "report.json", "scree.csv"]


def cars(n=80, seed=0):
    """Five columns behind which two hidden numbers stand, an identifier and a group."""
    rng = np.random.default_rng(seed)
    size, sport = rng.normal(size=(2, n))
    noise = 0.3 * rng.normal(size=(5, n))
    return pl.DataFrame({
        "id": [f"car{i:04d}" for i in range(n)],
        "length": 400 + 50 * (size + noise[0]),
        "weight": 1500 + 300 * (size + noise[1]),
        "seats": size + noise[2],
        "power": 100 + 40 * (sport + noise[3]),
        "speed": 180 + 30 * (sport + noise[4]),
        "kind": np.where(size > 0, "large", "small"),
    })  # fmt: skip


@pytest.fixture(scope="module")
def found():
    return embed(cars(), colour="kind", source="cars.csv")


def test_components_are_those_of_the_scaled_columns(found):
    X = cars().select("length", "weight", "seats", "power", "speed").to_numpy()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = PCA(2).fit(X)
    np.testing.assert_allclose(found.coordinates, model.transform(X), atol=1e-9)
    np.testing.assert_allclose(found.loadings, model.components_.T, atol=1e-9)
    np.testing.assert_allclose(found.share, PCA().fit(X).explained_variance_ratio_, atol=1e-9)
    assert found.suggested == 2
    assert "id" in found.dropped
    assert "2 principal components" in found.verdict
    assert "2 components have more variance than in permuted columns" in found.verdict
    distance = np.linalg.norm(X[:, None] - X, axis=2)
    shown = np.linalg.norm(found.coordinates[:, None] - found.coordinates, axis=2)
    factor = np.sum(distance * shown) / np.sum(shown**2)
    expected = np.sqrt(np.sum((distance - factor * shown) ** 2) / np.sum(distance**2))
    assert found.stress == pytest.approx(expected)
    assert found.trustworthiness > 0.9


def test_the_files_and_the_page(found, tmp_path):
    found.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == FILES
    content = json.loads((tmp_path / "report.json").read_text())
    assert content["stress"] == pytest.approx(found.stress)
    assert set(content["loadings"]) == {"length", "weight", "seats", "power", "speed"}
    table = pl.read_csv(tmp_path / "coordinates.csv")
    np.testing.assert_allclose(table.select("PC1", "PC2").to_numpy(), found.coordinates, atol=1e-9)
    assert pl.read_csv(tmp_path / "scree.csv")["share"].sum() == pytest.approx(1)
    page = Page((tmp_path / "report.html").read_text())
    for words in ("Scree plot", "Loadings", "Biplot", "stress", "large"):
        assert words in page.text
    text = printed(console.embedding(found))
    assert "Largest loadings" in text
    assert "Columns left out: id (" in text


def test_other_rows_get_the_same_coordinates(found, tmp_path):
    found.write(tmp_path)
    model = load_table_model(tmp_path / "model.statlearn")
    table = model.predict_table(cars().head(5))
    np.testing.assert_allclose(np.column_stack([table["PC1"], table["PC2"]]), found.coordinates[:5], atol=1e-9)


@pytest.mark.parametrize("method", [m for m in METHODS if m != "pca"])
def test_other_methods(method):
    found = embed(cars(40), method=method, colour="kind", n_components=1 if method == "factors" else 2)
    assert np.isfinite(found.coordinates).all()
    assert (found.loadings is not None) == (method in LINEAR)
    assert (found.model is None) == (method in ("mds", "spectral"))
    assert METHODS[method] in Page(found.to_html()).text
    if method == "nmf":
        assert min(found.coordinates.min(), found.loadings.min()) >= 0.0
    if method == "factors":  # two hidden numbers: one factor is refuted
        assert "The likelihood test asks for more factors" in {title for title, _, _ in found.findings}


def test_findings_and_refusals(monkeypatch):
    holes = pl.when(pl.int_range(40) % 7 > 0).then(pl.col("seats"))
    frame = cars(40).with_columns(seats=holes, weight=1000 * pl.col("weight"))
    found = embed(frame, scale=False, n_components=1)
    titles = {title for title, _, _ in found.findings}
    assert {"Missing values were filled", "One column dominates"} <= titles
    wild = cars(900).with_columns(power=pl.when(pl.int_range(900) == 3).then(1e6).otherwise(pl.col("power")))
    outlying = {title: detail for title, detail, _ in embed(wild, drop=["kind"]).findings}
    assert "such as row 4" in outlying["Outlying rows"]
    noise = pl.DataFrame(dict(zip("abcdef", np.random.default_rng(0).normal(size=(6, 60)))))
    assert "less than half of the variance" in str(embed(noise).findings)
    with pytest.raises(UsageError, match="`method` must be one of"):
        embed(frame, method="tsne")
    with pytest.raises(UsageError, match="unknown column 'colour'"):
        embed(frame, colour="colour")
    with pytest.raises(DataError, match="too large for this table"):
        embed(frame, n_components=50)
    with pytest.raises(DataError, match="too few for an embedding"):
        embed(frame.head(3))
    monkeypatch.setattr("statlearn.app.explore.embedding.MAX_SCALED", 30)
    sampled = embed(cars(60), method="isomap")
    assert len(sampled.coordinates) == 30
    assert any("30 of 60 rows were drawn" in note for note in sampled.notes)


def test_numbers_colour_by_quarters_and_names_are_escaped():
    frame = cars(60).rename({"length": EVIL, "kind": EVIL + "2"})
    page = embed(frame, colour="power").to_html()
    assert EVIL not in page
    assert "and more" in page


def test_the_command_writes_everything(tmp_path):
    file = tmp_path / "cars.csv"
    cars().write_csv(file)
    result = run("embed", str(file), "--colour", "kind", "-o", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == FILES
    assert "2 principal components" in result.output
    wrong = run("embed", str(file), "--method", "tsne", "-o", str(tmp_path / "other"))
    assert wrong.exit_code != 0
    assert "--method must be one of" in wrong.output
    assert not (tmp_path / "other").exists()


def test_a_date_is_one_column_and_missing_values_are_none():
    table = cars().with_columns(
        day=pl.date_range(pl.date(2020, 1, 1), pl.date(2021, 12, 31), eager=True).gather_every(9)[:80],
        speed=pl.when(pl.int_range(80) % 7 == 0).then(None).otherwise(pl.col("speed")),
        power=pl.when(pl.int_range(80) % 7 == 0).then(None).otherwise(pl.col("power")),
    )
    found = embed(table, drop=["kind"])
    assert found.design_names == ["length", "weight", "seats", "power", "speed", "day_days"]
    assert any(title == "Missing values were filled" for title, *_ in found.findings)


def test_the_test_of_factors_is_given_with_a_p_value_one_can_read():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 3)) @ rng.normal(size=(3, 9)) + 0.5 * rng.normal(size=(1200, 9))
    found = embed(pl.DataFrame(X), method="factors", n_components=1)
    (words,) = [text for title, text, _ in found.findings if title == "The likelihood test asks for more factors"]
    assert "that 1 factor suffices has p value below 0.0001. With this many rows" in words


def test_the_verdict_counts_leading_components_only():
    found = embed(cars(60), drop=["kind"])
    found.share, found.parallel = np.array([0.5, 0.2, 0.05, 0.2]), np.array([0.4, 0.1, 0.1, 0.1])
    found.stick, found.suggested = found.parallel, 2
    assert "The first 2 components have more variance" in found.verdict
    assert found.to_html().count('class="is-best"') == 2
    found.suggested, found.method = 1, "ica"
    assert "The first principal component has more variance" in found.verdict
    found.suggested = 0
    assert "Not even the first principal component" in found.verdict


def test_missing_values_are_counted_and_the_advice_fits_the_method():
    frame = cars(60).with_columns(
        speed=pl.when(pl.int_range(60) % 4 == 0).then(pl.col("speed")),
        power=pl.when(pl.int_range(60) % 10 > 0).then(pl.col("power")),
    )
    for method, own in (("pca", "PCA"), ("factors", "FactorAnalysis"), ("nmf", "NMF"), ("mds", None)):
        found = embed(frame, method=method, n_components=1, drop=["kind"])
        ((_, detail, advice),) = [f for f in found.findings if f[0] == "Missing values were filled"]
        assert detail.startswith("Missing values in 'speed' (75 %) and 'power' (10 %) were replaced")
        assert "Leave out columns that are mostly missing" in advice
        assert (f"statlearn.decomposition.{own} handles" in advice) if own else ("handles" not in advice)


def test_columns_that_the_factors_explain_entirely_are_named():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 1)) + 0.7 * rng.normal(size=(200, 5))
    frame = pl.DataFrame({**dict(zip("abcde", X.T)), "copy": X[:, 0] + 1e-3 * rng.normal(size=200)})
    found = embed(frame, method="factors", n_components=2)
    assert not found.notes  # it has converged
    ((_, detail, _),) = [f for f in found.findings if f[0] == "Columns without variance of their own"]
    assert "all but 0.5 % of the variance" in detail
    assert "'a'" in detail or "'copy'" in detail


def test_far_rows_do_not_shrink_the_biplot():
    wild = cars(200).with_columns(power=pl.when(pl.int_range(200) == 3).then(1e4).otherwise(pl.col("power")))
    page = Page(embed(wild, drop=["kind"]).to_html()).text
    assert "1 row lies outside of this figure" in page
    assert "outside of this figure" not in Page(embed(cars(200), drop=["kind"]).to_html()).text


def test_a_key_of_many_names_has_several_rows():
    names = [f"kind {k}" for k in range(7)]
    assert key_rows(names, 1000) == [7]
    assert key_rows(names, 160) == [2, 2, 2, 1]
    assert key_rows(["a name that is longer than the room"] * 2, 20) == [1, 1]
    page = embed(cars(70).with_columns(kind=pl.Series(names * 10)), colour="kind").to_html()
    heights = {re.search(rf'y="([^"]*)">{name}<', page).group(1) for name in names}
    assert len(heights) == 2
