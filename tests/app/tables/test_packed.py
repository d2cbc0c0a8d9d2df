"""Packed files are unpacked with a limit."""

import gzip

import pytest

from statlearn.app.errors import DataError
from statlearn.app.tables import packed
from statlearn.app.tables.baskets import read_basket_file
from statlearn.app.tables.reading import read_table


@pytest.fixture
def bomb(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "MAX_BYTES", 2**20)
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"0,0\n" * 2**19))
    assert path.stat().st_size < 10_000
    return path


@pytest.mark.parametrize("read", [read_table, lambda path: read_basket_file(path, form="baskets")])
def test_files_that_unpack_to_too_much_are_refused(read, bomb):
    with pytest.raises(DataError, match=r"unpacks to more than 1\.05 MB; unpack it first"):
        read(bomb)


def test_files_within_the_limit_are_read(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert packed.unpacked(path) == b"a,b\n1,2\n"
    assert packed.unpacked(path, 3) == b"a,b"
    assert read_table(path).frame.rows() == [(1, 2)]


@pytest.mark.parametrize("cut", [slice(None, -9), slice(None, 12)])
def test_damaged_files_raise(tmp_path, cut):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n")[cut])
    with pytest.raises(DataError, match="incomplete or damaged gzip file"):
        packed.check_unpacked_size(path)
