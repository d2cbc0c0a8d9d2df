"""Locks on the folders of runs."""

import os
import subprocess
import sys
import threading

import pytest
from typer.testing import CliRunner

from statlearn.app.cli.program import app
from statlearn.app.errors import FolderInUse
from statlearn.app.report.folder_lock import locked

HOLD = """
import sys
from statlearn.app.report.folder_lock import locked
with locked(sys.argv[1]):
    print("locked", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def other_process(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "locked\n"
    yield process
    process.kill()
    process.communicate()


def test_a_folder_in_use_by_another_process_is_refused(tmp_path, other_process):
    with pytest.raises(FolderInUse, match="another run is writing to"), locked(tmp_path):
        pass
    other_process.communicate("")
    with locked(tmp_path):
        pass


def test_the_command_refuses_a_folder_in_use(tmp_path, other_process):
    command = ["compare", "diabetes", "--models", "ridge", "--folds", "2", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    assert "another run is writing to" in done.stderr
    assert os.listdir(tmp_path) == [".lock"]


def test_a_killed_process_releases_its_folder(tmp_path, other_process):
    other_process.kill()
    other_process.wait()
    with locked(tmp_path):
        pass


def test_locks_of_one_thread_nest_and_leave_nothing_behind(tmp_path):
    with locked(tmp_path):
        with locked(tmp_path / "." / ""):
            pass
        with pytest.raises(FolderInUse, match="another run"):
            in_another_thread(lambda: locked(tmp_path).__enter__())
    assert os.listdir(tmp_path) == []
    in_another_thread(lambda: locked(tmp_path).__enter__())


def in_another_thread(function):
    errors = []

    def run():
        try:
            function()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


def test_a_missing_folder_is_created_and_stays_if_it_is_used(tmp_path):
    with locked(tmp_path / "a" / "b"):
        assert (tmp_path / "a" / "b").is_dir()
    assert list(tmp_path.iterdir()) == []
    with locked(tmp_path / "a" / "b"):
        (tmp_path / "a" / "b" / "file").write_text("")
    assert (tmp_path / "a" / "b" / "file").exists()


def test_a_linked_lock_creates_no_file_elsewhere(tmp_path):
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / ".lock").symlink_to(tmp_path / "login-script")
    with pytest.raises(OSError, match="lock"), locked(folder):
        pass
    assert not (tmp_path / "login-script").exists()
