"""Clusters, map and rules as forms that start the commands."""

import pytest

from .conftest import run_job


@pytest.mark.parametrize("kind", ["cluster", "embed", "rules"])
def test_forms_show_the_command(made, kind):
    text = made.get(f"/{kind}", data="sales.csv")
    assert f"statlearn {kind} sales.csv" in text
    assert made.ask("GET", f"/{kind}", params={"data": "../x"}).status_code == 400


def test_a_map_is_made_and_shown(made):
    fields = {"kind": "embed", "data": "sales.csv", "method": "pca", "components": "2", "colour": "size", "out": "map"}
    name, state = run_job(made, made.post("/explore/start", fields))
    job = made.studio.jobs.get(name)
    assert state == "done", made.studio.jobs.log(job)
    assert job.words == ["embed", "sales.csv", "--colour", "size", "--out", "map"]
    page = made.get("/report", folder="map")
    assert "<iframe" in page
    assert "sandbox" in page
    assert "coordinates.csv" in page
    assert made.post("/explore/start", fields).status_code == 400  # the folder exists
    assert "map" in made.get("/embed", data="sales.csv")


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "shell"},
        {"method": "luck"},
        {"components": "2; rm"},
        {"colour": "nothing"},
        {"out": "../x"},
        {"data": "x"},
    ],
)
def test_wrong_fields_start_nothing(made, change):
    fields = {"kind": "embed", "data": "sales.csv", "method": "pca", "components": "2", "out": "other"}
    before = len(made.studio.jobs.all())
    assert made.post("/explore/start", {**fields, **change}).status_code == 400
    assert len(made.studio.jobs.all()) == before
