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


def test_a_failure_leaves_only_the_old_file(tmp_path):
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


def test_a_full_disk_leaves_no_partial_file(tmp_path):
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


def names_and_texts(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def write_run(folder, run, names=("board.csv", "model.bin", "report.html"), stale=()):
    with atomic_files.replacing_together(folder, stale=stale) as stage:
        for name in names:
            (stage / name).write_text(run)


def test_several_files_take_their_places_together(tmp_path):
    write_run(tmp_path, "old", names=("board.csv", "report.html", "extra.csv"))
    write_run(tmp_path, "new", stale=["extra.csv"])
    assert names_and_texts(tmp_path) == dict.fromkeys(["board.csv", "model.bin", "report.html"], "new")
    assert len(list(tmp_path.iterdir())) == 3


def test_a_failed_run_leaves_the_files_of_the_last_one(tmp_path):
    write_run(tmp_path, "old")

    def fail():
        with atomic_files.replacing_together(tmp_path) as stage:
            (stage / "board.csv").write_text("new")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        fail()
    assert set(names_and_texts(tmp_path).values()) == {"old"}
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_kill_at_any_step_never_mixes_two_runs(tmp_path, killed_at_step):
    step, outcomes = 0, set()
    while True:
        step += 1
        folder = tmp_path / str(step)
        folder.mkdir()
        write_run(folder, "old")
        finished = not killed_at_step(step, lambda folder=folder: write_run(folder, "new"))
        texts = set(names_and_texts(folder).values())
        assert len(texts) <= 1, f"killed at step {step}: {names_and_texts(folder)}"
        atomic_files.finish_replacing(folder)
        after = names_and_texts(folder)
        assert len(after) == 3
        assert len(set(after.values())) == 1
        outcomes |= set(after.values())
        if finished:
            break
        write_run(folder, "third")  # what the dead process left is swept up
        assert set(names_and_texts(folder).values()) == {"third"}
        assert len(list(folder.iterdir())) == 3
    assert step > 8
    assert outcomes == {"old", "new"}


def test_links_to_other_folders_are_not_followed(tmp_path):
    """A folder from a stranger would pull files out of another folder when it is opened."""
    private, folder = tmp_path / "private", tmp_path / "report"
    private.mkdir()
    folder.mkdir()
    (private / "key").write_text("secret")
    (folder / atomic_files.READY).symlink_to(private, target_is_directory=True)
    atomic_files.finish_replacing(folder)
    assert names_and_texts(private) == {"key": "secret"}
    assert names_and_texts(folder) == {}
