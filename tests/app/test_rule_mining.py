"""``statlearn rules``: reading baskets, finding rules, and saying how far they hold."""

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from statlearn.app.baskets import read_basket_file, table_baskets
from statlearn.app.commands import app
from statlearn.app.errors import DataError, UsageError
from statlearn.app.rule_mining import mine_rules


def shop(rng, n=600):
    """Baskets in which crisps follow beer, and all else is independent."""
    rows = []
    for _ in range(n):
        row = [item for item, p in (("milk", 0.5), ("bread", 0.4), ("tea", 0.2), ("salt", 0.1)) if rng.random() < p]
        if rng.random() < 0.3:
            row.append("beer")
        if rng.random() < (0.7 if "beer" in row else 0.1):
            row.append("crisps")
        rows.append(row or ["milk"])
    return rows


def write_lines(path, rows, sep=","):
    path.write_text("\n".join(sep.join(row) for row in rows) + "\n", encoding="utf-8")
    return path


def test_every_form_of_file_gives_the_same_baskets(tmp_path, rng):
    rows = shop(rng)
    expected = [sorted(row) for row in rows]
    for sep in (",", ";", "\t", " "):
        found = read_basket_file(write_lines(tmp_path / "lines.csv", rows, sep))
        assert found.baskets.to_lists() == expected
        assert "one basket per line" in found.form
    pairs = [(k, item) for k, row in enumerate(rows) for item in row]
    long = pl.DataFrame(pairs, schema=["order_id", "product"], orient="row")
    long.write_csv(tmp_path / "long.csv")
    found = read_basket_file(tmp_path / "long.csv")
    assert found.baskets.to_lists() == expected
    assert "by their names" in found.notes[-1]
    renamed = long.rename({"order_id": "a", "product": "b"})
    assert table_baskets(renamed, basket="a", item="b").baskets.to_lists() == expected
    goods = ("beer", "bread", "crisps", "milk", "salt", "tea")
    table = pl.DataFrame({item: [item in row for row in rows] for item in goods})
    table.write_csv(tmp_path / "table.csv")
    assert read_basket_file(tmp_path / "table.csv").baskets.to_lists() == expected


def test_padded_lists_and_mixed_tables(rng):
    goods = [f"good {k}" for k in range(12)]
    rows = [list(rng.permutation(goods)[: rng.integers(1, 5)]) for _ in range(200)]
    padded = pl.DataFrame({f"item {j}": [row[j] if j < len(row) else None for row in rows] for j in range(4)})
    found = table_baskets(padded.with_columns(size=pl.Series([len(row) for row in rows])))
    assert found.baskets.to_lists() == [sorted(row) for row in rows]
    assert "share their values" in found.notes[0]
    mixed = pl.DataFrame({"sex": ["f", "m"] * 20, "age": np.arange(40.0), "id": [f"n{k}" for k in range(40)]})
    found = table_baskets(mixed)
    assert found.binarized
    assert found.baskets.items == ["sex=f", "sex=m", "age<=19.5", "age>19.5"]
    assert "identifiers" in found.dropped["id"]


def test_the_planted_rule_is_found_and_holds_on_other_baskets(rng):
    found = mine_rules(shop(rng, 2000))
    sure = found.rules.select(found.significant)
    assert (("beer",), ("crisps",)) in set(sure)
    assert all({"beer", "crisps"} <= {*a, *b} for a, b in sure)
    assert "significant" in found.verdict
    assert found.checked["other"].max() > 2


def test_independent_items_give_no_significant_rule(rng):
    table = rng.random((1000, 8)) < 0.4
    found = mine_rules([[f"i{j}" for j in np.flatnonzero(row)] for row in table], min_support=0.1)
    assert found.significant.sum() == 0
    assert "chance" in found.findings[0][0] or found.findings[0][0] == "No rules"


def test_the_command_writes_its_files(tmp_path, rng):
    data = write_lines(tmp_path / "shop.csv", shop(rng))
    run = CliRunner().invoke(app, ["rules", str(data), "--out", str(tmp_path / "out"), "--support", "0.05"])
    assert run.exit_code == 0, run.output
    assert "{beer} => {crisps}" in run.output
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    rules = pl.read_csv(tmp_path / "out" / "rules.csv")
    assert report["n_rules"] == len(rules)
    assert report["rules"][0]["lift"] == pytest.approx(rules["lift"][0])
    page = (tmp_path / "out" / "report.html").read_text()
    assert "<svg" in page
    assert "Honesty box" in page
    sets = pl.read_csv(tmp_path / "out" / "itemsets.csv")
    assert sets["count"].min() >= 30


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"min_support": 1.5}, "whole number"),
        ({"min_support": 0.0}, "share below 1"),
        ({"min_confidence": 2}, "between 0 and 1"),
        ({"max_len": 1}, "at least 2"),
        ({"level": 1}, "between 0 and 1"),
    ],
)
def test_wrong_options_are_named(options, words, rng):
    with pytest.raises(UsageError, match=words):
        mine_rules(shop(rng, 20), **options)


def test_files_that_cannot_be_used(tmp_path, rng):
    with pytest.raises(DataError, match="too few"):
        mine_rules([["a"]] * 3)
    with pytest.raises(UsageError, match="format"):
        read_basket_file("x", form="magic")
    with pytest.raises(UsageError, match="together"):
        read_basket_file("x", basket="a")
    with pytest.raises(DataError, match="no such file"):
        read_basket_file(tmp_path / "none.csv", form="baskets")
    (tmp_path / "empty.csv").write_text("\n\n")
    with pytest.raises(DataError, match="no baskets"):
        read_basket_file(tmp_path / "empty.csv", form="baskets")
    with pytest.raises(UsageError, match="unknown column 'c'"):
        table_baskets(pl.DataFrame({"a": [1], "b": [2]}), basket="c", item="b")
