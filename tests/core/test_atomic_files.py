"""Files that appear whole or not at all."""

import os

import pytest

from statlearn._core import atomic_files


def test_a_file_takes_the_place_of_the_old_one(tmp_path):
    path = tmp_path / "a.txt"
    atomic_files.write_text(path, "eins\n")
    atomic_files.write_text(path, "zwei\n")
    atomic_files.write_bytes(tmp_path / "b.bin", b"\0\1")
    assert path.read_text() == "zwei\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt", "b.bin"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    atomic_files.write_text(path, "old")

    def interrupted():
        with atomic_files.replacing(path) as file:
            file.write("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_full_disk_leaves_nothing(tmp_path):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            atomic_files.write_text(tmp_path / "a.txt", "text")
    assert list(tmp_path.iterdir()) == []


def test_the_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "plain").write_text("")
    atomic_files.write_text(tmp_path / "ours", "")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode
