"""``statlearn rules``: reading baskets, finding rules, and saying how far they hold."""

import gzip
import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from statlearn.app.cli.program import app
from statlearn.app.errors import DataError, UsageError
from statlearn.app.explore.rule_mining import mine_rules
from statlearn.app.tables.baskets import read_basket_file, table_baskets


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


def test_packed_and_utf_16_files_have_one_basket_per_line(tmp_path, rng):
    rows = shop(rng, 100)
    text = "\n".join(",".join(row) for row in rows)
    (tmp_path / "lines.csv.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "lines16.csv").write_text(text, encoding="utf-16")
    for name in ("lines.csv.gz", "lines16.csv"):
        found = read_basket_file(tmp_path / name)
        assert "one basket per line" in found.form
        assert found.baskets.to_lists() == [sorted(row) for row in rows]
    assert "UTF-16" in found.notes[0]
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(text.encode())[:-20])
    with pytest.raises(DataError, match="damaged gzip"):
        read_basket_file(tmp_path / "cut.csv.gz")


def test_a_table_with_quoted_separators_is_not_one_basket_per_line(tmp_path):
    rows = [f'{"fm"[k % 2]},"' + ", ".join(["word"] * (1 + k % 5)) + f'",{k}' for k in range(40)]
    (tmp_path / "table.csv").write_text("sex,text,age\n" + "\n".join(rows), encoding="utf-8")
    assert "table of 3 columns" in read_basket_file(tmp_path / "table.csv").form


def test_a_first_line_that_occurs_below_is_a_basket(tmp_path, rng):
    sex, drink = rng.choice(["male", "female"], 60), rng.choice(["tea", "coffee", "water"], 60)
    path = tmp_path / "equal.csv"
    path.write_text("\n".join(f"{a},{b}" for a, b in zip(sex, drink)))
    found = read_basket_file(path)
    assert found.form.startswith("one basket per line")
    assert len(found.baskets) == 60
    assert "first line is taken as a basket" in found.notes[0]
    path.write_text("sex,drink\n" + "\n".join(f"{a},{b}" for a, b in zip(sex, drink)))
    assert "table" in read_basket_file(path).form
    codes = rng.integers(1, 4, (60, 2))  # the same numbers in both columns are not the same item
    path.write_text("1,2\n" + "\n".join(f"{a},{b}" for a, b in codes))
    assert "table" in read_basket_file(path).form


def test_padded_lists_and_mixed_tables(rng):
    goods = [f"good {k}" for k in range(12)]
    rows = [list(rng.permutation(goods)[: rng.integers(1, 5)]) for _ in range(200)]
    padded = pl.DataFrame({f"item {j}": [row[j] if j < len(row) else None for row in rows] for j in range(4)})
    found = table_baskets(padded.with_columns(size=pl.Series([len(row) for row in rows])))
    assert found.baskets.to_lists() == [sorted(row) for row in rows]
    assert "share their values" in found.notes[0]
    mixed = pl.DataFrame({"sex": ["f", "m"] * 20, "age": np.arange(18.0, 58.0), "id": [f"n{k}" for k in range(40)]})
    found = table_baskets(mixed)
    assert found.binarized
    assert found.baskets.items == ["sex=f", "sex=m", "age<=37.5", "age>37.5"]
    assert "identifiers" in found.dropped["id"]
    numbered = mixed.with_columns(row_id=pl.Series(np.arange(40)))
    assert set(table_baskets(numbered).dropped) == {"id", "row_id"}
    chosen = table_baskets(numbered, keep=["row_id"], drop=["id", "age"])
    assert chosen.baskets.items == ["sex=f", "sex=m", "row_id<=19.5", "row_id>19.5"]
    with pytest.raises(UsageError, match="unknown column 'ages'; did you mean 'age'"):
        table_baskets(numbered, drop=["ages"])


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
    assert not len(found.rules) or "none of them significant" in found.verdict
    assert "chance" in found.findings[0][0] or found.findings[0][0] == "No rules"


def test_rules_of_frequent_sets_are_corrected_for_sets_that_were_not_frequent():
    """The support selects pairs by the count that the test judges, so infrequent pairs must count as tests."""
    false = 0
    for seed in range(40):
        X = np.random.default_rng(seed).random((200, 10))
        found = mine_rules(pl.DataFrame(X, schema=[f"x{j}" for j in range(10)]), min_support=0.3, max_len=2)
        assert found.n_examined == 20 * 19
        false += bool(found.significant.any())
    assert false <= 6  # P(Bin(40, 0.05) > 6) = 0.003; eight with the number of frequent pairs as the correction


def test_the_automatic_threshold_falls_to_ten_baskets(rng):
    found = mine_rules([[f"i{k}" for k in rng.choice(10_000, 20, replace=False)] for _ in range(30)])
    assert found.itemsets.min_count == 10
    assert found.verdict == "No rules: no two items occur together in at least 10 baskets."
    assert found.findings[0][1] == "No two items occur together in at least 10 baskets."


def test_findings_agree_in_number_and_name_one_column(rng):
    a = np.arange(60) < 10
    table = pl.DataFrame({"a": np.where(a, "x", "y"), "b": np.where(a, "u", "v"), "c": rng.choice(["k", "m"], 60)})
    titles = [title for title, _, _ in mine_rules(table, min_support=10, max_len=3).findings]
    assert any("without exception" in title for title in titles)
    sums = pl.DataFrame({"p": rng.choice(["k", "m"], 80), "q": rng.choice(["k", "m"], 80)})
    both = sums.with_columns(r=pl.when((pl.col("p") == "k") & (pl.col("q") == "k")).then(pl.lit("s")).otherwise(
        pl.Series(rng.choice(["s", "t"], 80))))  # fmt: skip
    found = mine_rules(both, min_support=5)
    certain = found.rules.counts == found.rules.antecedent_counts
    assert certain.any()  # only with two conditions, which need not mean that a column determines another
    assert not any("without exception" in title for title, _, _ in found.findings)
    one = mine_rules([["a", "b"]] * 12 + [["a"]] * 9 + [["c"]] * 20, min_confidence=0.9)
    assert [title for title, _, _ in one.findings if "30" in title] == ["The only rule rests on fewer than 30 baskets"]


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
