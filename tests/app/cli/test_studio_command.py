"""The command that opens the studio: refusals before anything is served."""

import os
import socket
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from statlearn.app.cli.program import app


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (("missing.csv",), 2, "no such file"),
        (("--port", "70000"), 2, "--port must be between"),
        (("/etc/passwd",), 2, "is not in this folder"),
        (("../x.csv",), 2, "must be inside"),
    ],
)
def test_wrong_use_ends_with_2(arguments, code, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(app, ["studio", "--no-browser", *arguments])
    assert found.exit_code == code, found.output
    assert words in found.output
    assert list(tmp_path.iterdir()) == []


def test_a_port_in_use_is_reported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = CliRunner().invoke(app, ["studio", "--no-browser", "--port", str(port)])
    assert found.exit_code == 1
    assert f"port {port} cannot be used" in found.output


def test_the_command_without_its_extra_says_what_to_install(tmp_path):
    (tmp_path / "starlette.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'starlette'\", name='starlette')"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    command = [sys.executable, "-m", "statlearn", "studio", "--no-browser"]
    found = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=100)
    assert found.returncode == 1
    assert "pip install 'statlearn[studio]'" in found.stderr
