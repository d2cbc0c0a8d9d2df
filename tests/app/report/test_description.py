"""The page of the columns of a table."""

import numpy as np
import polars as pl

from statlearn import datasets
from statlearn.app.report.description import description_html
from statlearn.app.tables import frames
from statlearn.app.tables.profile import profile_table

from ..cli.test_commands import run
from .test_report import EVIL, Page


def test_every_column_is_on_the_page_and_those_left_out_say_why():
    frame = frames.as_frame(datasets.load("loans").frame)
    profile = profile_table(frame, source="loans", target="paid_back", drop=["age"])
    page = Page(description_html(profile))
    assert all(name in page.text for name in frame.columns)
    assert "left out: as requested" in page.text
    assert "columns besides the target" in page.text
    assert not {"script", "img"} & set(page.tags)


def test_wide_tables_and_tables_without_a_target_have_pages():
    wide = pl.DataFrame({f"column {k}": np.random.default_rng(k).normal(size=30) for k in range(40)})
    page = Page(description_html(profile_table(frames.as_frame(wide))))
    assert "column 39" in page.text
    assert "besides the target" not in page.text


def test_names_and_cells_are_escaped():
    table = pl.DataFrame({EVIL: ["a", EVIL] * 20, "x": range(40)})
    page = Page(description_html(profile_table(frames.as_frame(table), source=EVIL)))
    assert not {"script", "img"} & set(page.tags)
    assert EVIL in page.text


def test_describe_writes_the_page(tmp_path):
    found = run("describe", "iris", "-o", tmp_path / "iris.html")
    assert found.exit_code == 0, found.output
    assert "sepal" in Page((tmp_path / "iris.html").read_text(encoding="utf-8")).text
    failed = run("describe", "iris", "-t", "nothing", "-o", tmp_path / "none.html")
    assert failed.exit_code == 2
    assert not (tmp_path / "none.html").exists()
