"""Two comparisons side by side."""

import numpy as np
import pytest

from statlearn.app.compare.run import compare
from statlearn.app.compare.side_by_side import read_reports, side_by_side
from statlearn.app.errors import DataError, ModelFileError
from statlearn.app.explore.clustering import cluster

from ..cli.test_commands import run
from ..made import regression_frame
from ..report.test_report import EVIL, Page


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    base = tmp_path_factory.mktemp("reports")
    frame = regression_frame(100)
    compare(frame, "price", models=["least-squares", "ridge"], folds=3).write(base / "all")
    compare(frame, "price", models=["ridge"], folds=3, drop=["size"]).write(base / "without")
    return base / "all", base / "without"


def test_changes_on_the_same_rows_have_paired_errors(folders):
    found = read_reports(*folders)
    assert found.same_rows
    pair = next(p for p in found.pairs if p.name == "ridge")
    one, two = (c.model("ridge").predictions for c in found.comparisons)
    y = found.comparisons[0].y_true
    roots = [np.sqrt(np.mean((y - p) ** 2)) for p in (one, two)]
    assert pair.change[0] == pytest.approx(roots[1] - roots[0])
    influence = (y - two) ** 2 / (2 * roots[1]) - (y - one) ** 2 / (2 * roots[0])
    assert pair.change[1] == pytest.approx(influence.std(ddof=1) / np.sqrt(len(y)))
    alone = next(p for p in found.pairs if p.name == "least-squares")
    assert (alone.levels[1], alone.change) == (None, None)
    differing = {name for name, *_ in found.differences}
    assert {"columns used", "drop"} <= differing
    assert "folds" not in differing
    assert "same rows" in found.notes[0]


def test_other_rows_targets_and_metrics_are_said(folders):
    first = read_reports(*folders).comparisons[0]
    frame = regression_frame(100)
    rows = compare(frame.head(80), "price", models=["ridge"], folds=3)
    assert "different rows" in side_by_side((first, rows)).notes[0]
    target = side_by_side((first, compare(frame, "age", models=["ridge"], folds=3)))
    assert "different targets" in target.notes[0]
    assert target.metric is None
    assert all(p.change is None for p in target.pairs)


def test_the_command_prints_and_writes_the_page(folders, tmp_path):
    found = run("report", *folders, "-o", tmp_path / "both.html")
    assert found.exit_code == 0, found.output
    assert "What differs" in found.output
    page = Page((tmp_path / "both.html").read_text(encoding="utf-8"))
    assert "ridge" in page.text
    assert "script" not in page.tags


def test_names_are_escaped(folders):
    first, second = read_reports(*folders).comparisons
    page = Page(side_by_side((first, second), (EVIL, "second")).to_html())
    assert not {"script", "img"} & set(page.tags)
    assert EVIL in page.text


def test_folders_without_a_comparison_are_refused(folders, tmp_path):
    (tmp_path / "empty").mkdir()
    cluster(regression_frame(60).drop(columns="price"), n_clusters=2, max_clusters=2, quick=True).write(tmp_path / "c")
    for folder, words in (
        (tmp_path / "none", "no such folder"),
        (tmp_path / "empty", "is not the folder of a finished comparison"),
        (tmp_path / "c", "holds a report of statlearn cluster, not of a comparison"),
        (folders[0] / "report.html", "is a file; pass the folder"),
    ):
        with pytest.raises(DataError, match=words):
            read_reports(folders[0], folder)
        page = tmp_path / "page.html"
        found = run("report", folders[0], folder, "-o", page)
        assert found.exit_code == 1
        assert words in found.output
        assert not page.exists()


def test_a_report_of_another_version_is_refused(folders, tmp_path):
    (tmp_path / "old").mkdir()
    for path in folders[0].iterdir():
        (tmp_path / "old" / path.name).write_bytes(path.read_bytes())
    (tmp_path / "old" / "comparison.statlearn").write_bytes(b"PK of another time")
    with pytest.raises(ModelFileError):
        read_reports(folders[0], tmp_path / "old")
