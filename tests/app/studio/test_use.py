"""What if, and predictions for a table, with a model of the folder."""

import re
from html import unescape

import polars as pl
import pytest

from .conftest import run_job

MODEL = {"folder": "sales-report", "data": "sales.csv", "row": 4}


def test_the_form_has_the_cells_of_the_row(made):
    text = made.get("/whatif", folder="sales-report", row=4)
    table = pl.read_csv(made.studio.folder.root / "sales.csv")
    assert f'value="{table["area"][4]}"' in text.replace('.0"', '"') or f'value="{table["area"][4]:g}"' in text
    assert "in training" in text
    assert 'name="c:shop_id"' not in text  # the group is no column of the model


def test_the_answer_follows_a_changed_cell_and_shows_its_command(made):
    plain = made.get("/whatif/answer", **MODEL)
    changed = made.get("/whatif/answer", **MODEL, **{"c:area": "200", "column": "area"})
    assert "with 1 change" in changed
    assert "with 1 change" not in plain
    assert "90 % interval" in changed
    assert "<svg" in changed
    assert "statlearn explain sales-report/model.statlearn sales.csv --row 4 --set area=200" in unescape(changed)


def test_versions_are_kept_in_a_table(made):
    first = made.get("/whatif/answer", **MODEL, **{"c:area": "200", "keep": "1"})
    kept = unescape(re.search(r'id="kept" value="(.*?)"', first)[1])
    second = made.get("/whatif/answer", **MODEL, **{"c:area": "90", "keep": "1", "kept": kept})
    assert "area = 200" in second
    assert "area = 90" in second
    for wrong in ("x", "{}", '[{"area": 3}]', "[" * 50_000):
        answer = made.ask("GET", "/whatif/answer", params={**MODEL, "kept": wrong[:4000]})
        assert answer.status_code == 400


def test_reasons_and_nearest_rows_are_shown(made):
    text = made.get("/whatif/reasons", **MODEL, **{"c:area": "200"})
    assert "moves" in text
    assert "Nearest training rows" in text


@pytest.mark.parametrize(
    "change",
    [{"folder": ".."}, {"folder": "nothing"}, {"data": "../x.csv"}, {"row": "-1"}, {"row": "999999"},
     {"c:area": "many"}, {"column": "nothing"}, {"coverage": "2"}],
)  # fmt: skip
def test_impossible_questions_are_refused(made, change):
    assert made.ask("GET", "/whatif/answer", params={**MODEL, **change}).status_code == 400


def test_files_that_are_not_models_are_not_loaded(made):
    place = made.studio.folder.root / "bad"
    place.mkdir()
    (place / "model.statlearn").write_bytes(b"\x80\x04cos\nsystem\n")
    answer = made.ask("GET", "/whatif", params={"folder": "bad", "data": "sales.csv"})
    assert answer.status_code == 400
    (place / "model.statlearn").unlink()


def test_a_table_is_predicted_and_can_be_taken_away(made):
    text = made.get("/predict", folder="sales-report")
    assert "sales-predictions.csv" in text
    assert "No column is distributed differently" in made.get("/predict/drift", folder="sales-report", data="sales.csv")
    fields = {"folder": "sales-report", "data": "sales.csv", "out": "p.csv", "coverage": "0.8"}
    name, state = run_job(made, made.post("/predict/start", fields))
    assert state == "done", made.studio.jobs.log(made.studio.jobs.get(name))
    assert "Look at the predictions" in made.get("/job", name=name)
    answer = made.ask("GET", "/job/file", params={"name": name})
    assert answer.content.startswith(b"prediction,lower,upper")
    assert made.post("/predict/start", fields).status_code == 400  # the file exists
    for wrong in (
        {"out": "../p.csv"},
        {"out": "p.exe"},
        {"data": "x"},
        {"coverage": "3", "out": "q.csv"},
        {"folder": "x"},
    ):
        assert made.post("/predict/start", {**fields, **wrong}).status_code == 400
    assert made.ask("GET", "/job/file", params={"name": made.jobs[0][0]}).status_code == 400


def test_a_table_that_has_moved_is_reported(made):
    table = pl.read_csv(made.studio.folder.root / "sales.csv").with_columns(area=pl.col("area") + 500)
    table.write_csv(made.studio.folder.root / "moved.csv")
    text = made.get("/predict/drift", folder="sales-report", data="moved.csv")
    assert "1 column has moved" in text
    (made.studio.folder.root / "moved.csv").unlink()
