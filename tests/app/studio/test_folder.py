"""Nothing outside of the folder is found or opened."""

import os

import pytest

from statlearn.app.errors import UsageError
from statlearn.app.studio.folder import Folder

OUTSIDE = ("../x.csv", "a/../../x.csv", "/etc/passwd", "", ".", "a\0b", "..", "x" * 5000, "link.csv", "loop")


@pytest.mark.parametrize("name", OUTSIDE)
def test_names_that_lead_out_raise(tmp_path, name):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    os.symlink(tmp_path / "x.csv", root / "link.csv")
    os.symlink(root / "loop", root / "loop")
    with pytest.raises(UsageError, match="`name` must be"):
        Folder(root).path(name)


def test_files_are_found_by_kind_newest_first(tmp_path):
    for k, name in enumerate(("old.csv", "deep/new.parquet", ".hidden.csv", "notes.md", "node_modules/x.csv")):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
        os.utime(path, (k, k))
    (tmp_path / "report").mkdir()
    for name in ("report.html", "report.json", "predictions.csv", "model.statlearn", "comparison.statlearn"):
        (tmp_path / "report" / name).write_text("x")
    folder = Folder(tmp_path)
    assert [e.name for e in folder.tables()] == ["deep/new.parquet", "old.csv"]
    assert [e.name for e in folder.models()] == ["report/model.statlearn"]
    assert [e.name for e in folder.reports()] == ["report/report.json"]


def test_links_out_of_the_folder_are_not_listed(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "x.csv").write_text("a")
    os.symlink(tmp_path / "x.csv", root / "link.csv")
    assert Folder(root).tables() == []
