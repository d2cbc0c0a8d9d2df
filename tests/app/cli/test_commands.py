"""The command, from outside: exit codes, files, messages, Ctrl-C and going on."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from statlearn.app.cli.commands import _seconds
from statlearn.app.cli.program import app
from statlearn.app.compare.comparison import Comparison
from statlearn.app.errors import UsageError
from statlearn.app.report.folder_lock import locked

FILES = ["comparison.statlearn", "leaderboard.csv", "model.statlearn", "predictions.csv", "report.html", "report.json"]
QUICK = ["--quick", "--folds", "3"]


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def start(*arguments, **options):
    command = [sys.executable, "-m", "statlearn", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    frame = pl.DataFrame({"x": x, "kind": ["a", "b"] * 40, "y": x + 0.3 * rng.normal(size=80)})
    path = tmp_path / "table.csv"
    frame.write_csv(path)
    return path


def test_compare_writes_all_files_and_prints_the_verdict(table, tmp_path):
    out = tmp_path / "out"
    found = run("compare", table, "--target", "y", "-m", "lasso,ridge", "-o", out, *QUICK, "--mute", "SMALL")
    assert found.exit_code == 0, found.output
    assert sorted(p.name for p in out.iterdir()) == FILES
    assert "is best" in found.output
    assert str(out / "report.html") in found.output
    report = json.loads((out / "report.json").read_text())
    assert report["target"] == "y"
    assert "Few rows" not in found.output


def test_predict_describe_explain_models_datasets(table, tmp_path):
    out = tmp_path / "out"
    assert run("compare", table, "-t", "y", "-m", "least-squares", "-o", out, *QUICK).exit_code == 0
    for suffix in ("csv", "parquet", "jsonl"):
        target = tmp_path / f"predictions.{suffix}"
        found = run("predict", out / "model.statlearn", table, "-o", target)
        assert found.exit_code == 0, found.output
        assert target.exists()
    assert pl.read_csv(tmp_path / "predictions.csv").columns == ["prediction", "lower", "upper"]
    explained = run("explain", out / "model.statlearn", table)
    assert explained.exit_code == 0, explained.output
    assert "x" in explained.output
    page = tmp_path / "row.html"
    found = run("explain", out / "model.statlearn", table, "--row", 3, "--set", "x=2.5", "-o", page)
    assert found.exit_code == 0, found.output
    assert "predicting y in row 3" in found.output
    assert "<html" in page.read_text()
    for wrong, words in [
        (("--set", "x=2.5"), "--set needs --row"),
        (("--row", 3, "--set", "z=1"), "least squares uses no column 'z'"),
        (("--row", 80), "--row must be between 0 and 79, got 80"),
    ]:
        found = run("explain", out / "model.statlearn", table, *wrong, "-o", tmp_path / "none.html")
        assert found.exit_code == 2
        assert words in found.output
    assert not (tmp_path / "none.html").exists()
    for arguments, words in [
        (("describe", table), "80 rows"),
        (("describe", "iris"), "species"),
        (("models",), "lasso"),
        (("models", "--family", "trees", "--task", "regression"), "regression-tree"),
        (("models", "--all"), "LassoCV"),
        (("models", "gradient-boosting"), "Parameters"),
        (("models", "RidgeCV"), "Parameters"),
        (("datasets",), "diabetes"),
        (("datasets", "wine"), "178 rows"),
        (("--version",), "statlearn 0."),
        (("compare", "--help"), "--time-limit"),
    ]:
        found = run(*arguments)
        assert found.exit_code == 0, found.output
        assert words in found.output


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("compare", "TABLE"), "--target is required"),
        (("compare", "TABLE", "-t", "z"), "unknown column 'z'"),
        (("compare", "TABLE", "y"), "write --target y"),
        (("compare", "TABLE", "-t", "y", "-t", "x1"), "--target names one column, got 'y' and 'x1'"),
        (("compare", "TABLE", "-t", "y", "--drop", "y"), "--drop: 'y' is the target"),
        (("compare", "diabets"), "did you mean diabetes?"),
        (("compare", "TABLE", "-t", "y", "--models", "magic"), "unknown model"),
        (("compare", "TABLE", "-t", "y", "--metric", "beauty"), "--metric must be"),
        (("compare", "TABLE", "-t", "y", "--task", "sorting"), "--task must be"),
        (("compare", "TABLE", "-t", "y", "--folds", "1"), "--folds must be"),
        (("compare", "TABLE", "-t", "y", "--folds", "many"), "--folds"),
        (("compare", "TABLE", "-t", "y", "--holdout", "2"), "--holdout must be"),
        (("compare", "TABLE", "-t", "y", "--time-limit", "soon"), "--time-limit must be"),
        (("compare", "TABLE", "-t", "y", "--mute", "LEEK"), "unknown finding"),
        (("compare", "TABLE", "-t", "y", "--jobs", "0"), "--jobs must be"),
        (("compare", "TABLE", "-t", "y", "--nonsense"), "--nonsense"),
        (
            ("compare", "TABLE", "-t", "kind", "--cost", "fp=-1,fn=5"),
            "--cost: fp must be a finite number of at least 0",
        ),
        (("compare", "TABLE", "-t", "kind", "--cost", "5"), "--cost must have the form fp=1,fn=5"),
        (("compare", "TABLE", "-t", "y", "--cost", "fp=1,fn=5"), "--cost needs a target with two classes"),
        (("compare", "nothing.csv", "-t", "y"), "no such file"),
        (("compare", "FOLDER", "-t", "y"), "this is a folder"),
        (("describe", "nothing.csv"), "no such file"),
        (("models", "magic"), "unknown model 'magic'"),
        (("models", "--family", "magic"), "--family must be one of"),
        (("models", "--task", "magic"), "--task must be"),
        (("models", "--find", "silhouette"), "'statlearn find silhouette' searches functions too"),
        (("find", "gausian"), "Similar words"),
        (("find", "-"), "`word` must be a text"),
        (("compare", "TABLE", "-t", "y", "--keep", "z"), "--keep: unknown column 'z'"),
        (("compare", "TABLE", "-t", "y", "--time", "60"), "--time-limit"),
        (("datasets", "magic"), "unknown table"),
        (("juggle",), "juggle"),
    ],
)
def test_wrong_use_ends_with_2_and_writes_nothing(arguments, words, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    found = run(*[{"TABLE": table, "FOLDER": tmp_path}.get(a, a) for a in arguments])
    assert found.exit_code == 2, found.output
    assert words in found.output
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "content, words",
    [
        ("", "is empty"),
        ("x,y\n", "header but no rows"),
        ("x,y\n1,2\n", "too few"),
        ("x,x,y\n" + "1,2,3\n" * 30, "duplicate column names"),
        ("x,y\n" + "1,5\n2,5\n" * 15, "constant"),
        ("x,y\n" + "1,\n2,\n" * 15, "is missing in every row"),
        ("x,y\n" + "1,a\n2,b\n" * 15 + "3,c\n", "only one row"),
        ("x,y\n" + "".join(f"5,{k / 7}\n" for k in range(30)), "no usable columns"),
        ("y\n" + "".join(f"{k / 7}\n" for k in range(30)), "no columns besides the target"),
        ("x,y\n1,2,3,4\n", "cannot be read"),
    ],
)
def test_tables_that_cannot_be_used_end_with_1_and_write_nothing(content, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "t.csv"
    path.write_text(content)
    found = run("compare", path, "-t", "y")
    assert found.exit_code == 1, found.output
    assert words in found.output
    assert found.output.count("\n") == 1  # one line, no traceback
    assert list(tmp_path.iterdir()) == [path]


def test_model_files_that_cannot_be_loaded_end_with_1(table, tmp_path):
    (tmp_path / "bad.statlearn").write_bytes(b"not a model")
    for model in ("bad.statlearn", "missing.statlearn"):
        found = run("predict", tmp_path / model, table, "-o", tmp_path / "p.csv")
        assert found.exit_code == 1
        assert model in found.output
        assert not (tmp_path / "p.csv").exists()


def test_an_output_that_cannot_be_written(table, tmp_path):
    (tmp_path / "file").write_text("x")
    found = run("compare", table, "-t", "y", "-m", "lasso", *QUICK, "-o", tmp_path / "file")
    assert found.exit_code == 1
    assert "not a folder" in found.output


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device that is always full is Linux's")
def test_a_full_disk_is_told_and_leaves_nothing_half_written(table, tmp_path, monkeypatch):
    import errno

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    out = tmp_path / "out"
    monkeypatch.setattr(os, "fsync", full)
    found = run("compare", table, "-t", "y", "-m", "least-squares", *QUICK, "-o", out)
    assert found.exit_code == 1
    assert "disk is full" in found.output
    assert not [p for p in out.rglob("*") if p.is_file()]


def test_mixed_types_and_other_encodings_work(tmp_path):
    rows = "\n".join(f"{k},{'Größe' if k % 3 else k},{k % 7 / 3}" for k in range(60))
    path = tmp_path / "t.csv"
    path.write_bytes(f"zahl,gemischt,y\n{rows}\n".encode("cp1252"))
    found = run("compare", path, "-t", "y", "-m", "lasso", *QUICK, "-o", tmp_path / "out")
    assert found.exit_code == 0, found.output


def test_times():
    assert [_seconds(t) for t in ("90", "90s", "1.5m", "10min", "1h", None)] == [90, 90, 90, 600, 3600, None]
    for wrong in ("", "0", "soon", "-5s", "1d"):
        with pytest.raises(UsageError):
            _seconds(wrong)


def test_ctrl_c_keeps_what_is_finished_and_resume_goes_on(tmp_path):
    """The real thing: a process, a signal, a second process."""
    out = tmp_path / "out"
    arguments = ["compare", "diabetes", "-m", "lasso,ridge", "--folds", "10", "--repeats", "3", "-o", out, "--quick"]
    process = start(*arguments)
    deadline = time.monotonic() + 100
    while len(list(out.glob("state/*.npz"))) < 15 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=100)
    assert process.returncode == 130, printed + errors
    assert "UNFINISHED" in printed
    assert "Traceback" not in errors
    assert set(FILES) <= {p.name for p in out.iterdir()}
    first = json.loads((out / "report.json").read_text())
    n_first = len(first["models"][0]["scores"]["rmse"])
    assert 2 <= n_first < 30
    assert not list(out.rglob("*.part"))

    process = start(*arguments, "--resume")
    printed, errors = process.communicate(timeout=200)
    assert process.returncode == 0, printed + errors
    assert "already done" in errors
    second = json.loads((out / "report.json").read_text())
    assert second["complete"]
    whole = {m["name"]: m["scores"]["rmse"] for m in second["models"]}
    for model in first["models"]:
        # The signal may come when one model has finished a fold and the other has not, which is None then.
        kept = [
            (now, before) for now, before in zip(whole[model["name"]], model["scores"]["rmse"]) if before is not None
        ]
        assert len(kept) >= n_first - 1
        assert all(now == before for now, before in kept)
        assert len(whole[model["name"]]) == 30
    assert not (out / "state").exists()


def test_ctrl_c_at_once_ends_with_130_and_no_report(tmp_path):
    out = tmp_path / "out"
    process = start("compare", "diabetes", "-o", out)
    while not (out / "state" / "about.json").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=100)
    assert process.returncode == 130, printed + errors
    assert "Traceback" not in errors
    assert not (out / "report.html").exists() or "UNFINISHED" in printed


def test_the_command_without_its_extra_says_what_to_install(tmp_path):
    (tmp_path / "typer.py").write_text("raise ModuleNotFoundError(\"No module named 'typer'\", name='typer')")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    process = start("--help", env=environment)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "pip install 'statlearn[app]'" in errors


def test_help_loads_nothing_heavy():
    code = "import sys\ntry:\n    from statlearn.app.cli import main; main(['--help'])\nexcept SystemExit: pass\n" \
        "print(' '.join(sys.modules), file=sys.stderr)"  # fmt: skip
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "compare" in found.stdout
    assert not {"numpy", "sklearn", "polars", "rich.console", "narwhals"} & set(found.stderr.split())


@pytest.mark.spec("CRS-171")
def test_words_lead_to_models_and_functions(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    found = run("models", "--find", "softmax")
    assert found.exit_code == 0, found.output
    assert "LogisticRegression" in found.output
    assert "attention_weights" not in found.output
    assert "attention_weights" in run("find", "softmax").output
    assert "XGBoost" not in run("models", "--find", "XGBoost", "--task", "regression").output
    assert "GradientBoostingRegressor" in run("models", "--find", "XGBoost", "--task", "regression").output


def test_every_name_in_the_list_of_models_is_taken_by_compare(monkeypatch):
    from statlearn.app.cli.catalogue import entries
    from statlearn.app.compare.portfolio.selection import candidates

    for task in ("regression", "classification"):
        listed = {name for entry in entries(task=task) for name in entry.names}
        assert listed == {candidate.name for candidate in candidates(task)}
    monkeypatch.setenv("COLUMNS", "120")
    lines = run("models").output.splitlines()
    assert len(lines) <= 40  # one screen
    assert any("gradient-boosting" in line for line in lines)
    assert not any("adaboost*" in line for line in lines)  # counted, not named
    named = run("models", "--family", "ensemble").output
    assert "adaboost*" in named


def test_a_second_run_into_the_same_folder_is_refused(table, tmp_path):
    out = tmp_path / "out"
    with locked(out):
        process = start("compare", table, "-t", "y", "-m", "least-squares", *QUICK, "-o", out)
        _, errors = process.communicate(timeout=100)
    assert process.returncode == 1
    assert "another run is writing to" in errors
    assert "--out" in errors
    assert not out.exists()


def test_ctrl_c_while_inspecting_writes_the_report_and_keeps_the_checkpoints(table, tmp_path, monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    out = tmp_path / "out"
    monkeypatch.setattr(Comparison, "inspect", interrupted)
    arguments = ["compare", table, "-t", "y", "-m", "least-squares", "--folds", "3", "-o", out]
    assert run(*arguments).exit_code == 130
    assert set(FILES) <= {p.name for p in out.iterdir()}
    assert (out / "state" / "about.json").exists()
    monkeypatch.undo()
    assert run(*arguments, "--resume").exit_code == 0
    assert not (out / "state").exists()


def test_safe_csv_reaches_every_table(tmp_path):
    rows = "\n".join(f"{'=1+1' if k % 2 else '+x'},{k % 7},{k % 5}" for k in range(60))
    (tmp_path / "t.csv").write_text(f"kind,a,b\n{rows}\n")
    out = tmp_path / "out"
    assert run("rules", tmp_path / "t.csv", "-o", out, "--safe-csv").exit_code == 0
    for name in ("rules.csv", "itemsets.csv"):
        text = (out / name).read_text()
        assert not [line for line in text.splitlines() if line.startswith(tuple("=+-@"))], name
