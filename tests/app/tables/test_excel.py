"""Excel files that would end the process that reads them."""

import zipfile

import pytest

from statlearn.app.errors import DataError
from statlearn.app.tables.excel import child, read_excel
from statlearn.app.tables.reading import read_table
from tests.app.tables.test_reading import workbook

ROWS = [["a", "b"], [1, 0.5], [2, 1.5]]


def with_cell(path, place):
    """A workbook with one more cell, anywhere in the sheet."""
    path.write_bytes(workbook(ROWS))
    with zipfile.ZipFile(path) as source:
        parts = {name: source.read(name).decode() for name in source.namelist()}
    row = "".join(filter(str.isdigit, place))
    cell = f'<row r="{row}"><c r="{place}"><v>1</v></c></row></sheetData>'
    parts["xl/s1.xml"] = parts["xl/s1.xml"].replace("</sheetData>", cell)
    with zipfile.ZipFile(path, "w") as target:
        for name, text in parts.items():
            target.writestr(name, text)
    return path


@pytest.mark.parametrize("place", ["XFD1048576", "ZZZZZZ4294967295"])
def test_cells_at_opposite_corners_of_a_sheet_raise(place, tmp_path):
    """They made the reader ask for half a terabyte, which ends a process, or panic."""
    path = with_cell(tmp_path / "far.xlsx", place)
    with pytest.raises(DataError, match="cannot be read as Excel"):
        read_table(path)


def test_the_child_writes_the_sheet_and_the_notes(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("statlearn.app.tables.excel._limit", lambda size: None)
    path = tmp_path / "t.xlsx"
    path.write_bytes(workbook([["x"]], ROWS))
    child(str(path), str(tmp_path / "sheet.arrow"))
    assert capsys.readouterr().out == '{"notes": ["The file has 2 sheets; \'Sheet2\', the largest, was read."]}\n'
    notes = []
    assert read_excel(path, notes).rows() == [(1.0, 0.5), (2.0, 1.5)]
    assert len(notes) == 1
    path.write_bytes(workbook([["x"]]))
    child(str(path), str(tmp_path / "sheet.arrow"))
    assert "has no sheet with any rows" in capsys.readouterr().out
