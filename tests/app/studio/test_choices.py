"""What the user says about a table is kept, and the command says the same."""

import json
import shlex

import pytest

from statlearn.app.errors import UsageError
from statlearn.app.studio.choices import Choices, Memory, python, shell
from statlearn.app.studio.folder import Folder


@pytest.fixture
def choices():
    found = Choices("a b.csv").with_role("y", "target").with_role("g", "group").with_role("x'; rm -rf", "drop")
    return found.with_kind("zip", "category").with_kind("size", ["S", "M", "L"])


def test_a_role_of_one_column_moves(choices):
    moved = choices.with_role("z", "target")
    assert moved.column("target") == "z"
    assert "y" not in moved.roles
    assert moved.with_role("z", "feature").column("target") is None


def test_unknown_roles_and_kinds_raise(choices):
    with pytest.raises(UsageError, match="`role` must be"):
        choices.with_role("y", "king")
    with pytest.raises(UsageError, match="`kind` must be"):
        choices.with_kind("y", "colour")


def test_the_shell_command_says_the_choices(choices):
    words = ["compare", choices.data, *choices.options()]
    assert shlex.split(shell(words)) == [
        "statlearn", "compare", "a b.csv", "--target", "y", "--group", "g", "--drop", "x'; rm -rf", "--kind",
        "zip=category", "--kind", "size=S<M<L",
    ]  # fmt: skip


def test_the_call_from_python_says_the_choices(choices):
    names = {}
    call = python(choices.data, "statlearn.compare", choices.arguments())
    tail = call[call.index("result") :].replace("statlearn.compare", "dict").replace("    table,\n", "")
    exec(tail, names)
    assert names["result"]["target"] == "y"
    assert names["result"]["kinds"] == {"zip": "category", "size": ["S", "M", "L"]}
    assert "open_table('a b.csv')" in call


def test_choices_survive_a_restart(choices, tmp_path):
    Memory(Folder(tmp_path)).save(choices)
    assert Memory(Folder(tmp_path)).load("a b.csv") == choices
    assert Memory(Folder(tmp_path)).load("other.csv") == Choices("other.csv")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"data": "other"}', '{"data": "a b.csv", "roles": {"y": "king"}}',
             '{"data": "a b.csv", "kinds": {"y": 3}}', '{"data": "a b.csv", "roles": []}', "[" * 100_000],
)  # fmt: skip
def test_damaged_files_count_as_absent(choices, tmp_path, text):
    memory = Memory(Folder(tmp_path))
    memory.save(choices)
    (path,) = (tmp_path / ".statlearn-studio" / "choices").iterdir()
    assert json.loads(path.read_text())["roles"]["y"] == "target"
    path.write_text(text)
    assert memory.load("a b.csv") == Choices("a b.csv")
