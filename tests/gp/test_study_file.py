"""Studies on disk: resumed where they ended, whatever ended them."""

import os
import signal
import subprocess
import sys

import pytest

from statlearn.gp import BayesianOptimizer

SPACE = {"x": (0.0, 1.0), "n": (1, 9), "kind": ["a", None, (1, 2)]}


def objective(p):
    return (p["x"] - 0.3) ** 2 + 0.1 * p["n"] + (p["kind"] is None)


def test_a_resumed_study_proposes_the_points_of_an_uninterrupted_one(tmp_path):
    path = tmp_path / "study.jsonl"
    whole = BayesianOptimizer(SPACE, random_state=3).optimize(objective, n_trials=12)
    with BayesianOptimizer(SPACE, study=path, random_state=3) as first:
        first.optimize(objective, n_trials=7)
        first.ask()  # under way when the process ends
    with BayesianOptimizer(SPACE, study=path) as second:  # the seed is that of the file
        assert [trial.status for trial in second.trials] == ["done"] * 7 + ["waiting"]
        second.optimize(objective, n_trials=12)
        assert [t.point for t in second.trials] == [t.point for t in whole.trials]
        assert [t.values for t in second.trials] == [t.values for t in whole.trials]


SCRIPT = """
import os, signal, sys
from statlearn.gp import BayesianOptimizer

def objective(p):
    if len(optimizer.trials) == 6:
        os.kill(os.getpid(), signal.SIGKILL)
    return (p[0] - 0.3) ** 2

optimizer = BayesianOptimizer([(0.0, 1.0)], study=sys.argv[1], random_state=0)
optimizer.optimize(objective, n_trials=20)
"""


def test_kill_9_loses_only_the_evaluation_under_way(tmp_path):
    path = tmp_path / "study.jsonl"
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    with BayesianOptimizer([(0.0, 1.0)], study=path) as resumed:
        assert [trial.status for trial in resumed.trials] == ["done"] * 5 + ["waiting"]
        lost = resumed.trials[5].point
        assert resumed.ask() == lost


def test_failures_constraints_and_extra_points_are_stored(tmp_path):
    path = tmp_path / "study.jsonl"
    with BayesianOptimizer(SPACE, study=path, n_constraints=1, random_state=0) as one:
        one.tell({"x": 0.1, "n": 3, "kind": (1, 2)}, 1.5, [-0.25])
        one.tell({"x": 0.2, "n": 4, "kind": None}, float("nan"))
        one.tell(one.ask(), error="broken")
    with BayesianOptimizer(SPACE, study=path, n_constraints=1) as two:
        assert [(t.point, t.status, t.values, t.constraints, t.error) for t in two.trials] == [
            (t.point, t.status, t.values, t.constraints, t.error) for t in one.trials
        ]


def test_an_incomplete_last_line_is_dropped_and_other_damage_reported(tmp_path):
    path = tmp_path / "study.jsonl"
    with BayesianOptimizer([(0.0, 1.0)], study=path, random_state=0) as optimizer:
        optimizer.optimize(lambda p: p[0], n_trials=4)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"trial":4,"x":[0.')
    with BayesianOptimizer([(0.0, 1.0)], study=path) as resumed:
        assert len(resumed.trials) == 4
        resumed.optimize(lambda p: p[0], n_trials=5)
    assert path.read_bytes().startswith(whole)
    with BayesianOptimizer([(0.0, 1.0)], study=path) as resumed:
        assert len(resumed.trials) == 5
    lines = whole.split(b"\n")
    path.write_bytes(b"\n".join([lines[0], b"garbage", *lines[2:]]))
    with pytest.raises(ValueError, match=r"line 2.*damaged"):
        BayesianOptimizer([(0.0, 1.0)], study=path)


def test_another_space_another_process_and_another_file_raise(tmp_path):
    path = tmp_path / "study.jsonl"
    with BayesianOptimizer([(0.0, 1.0)], study=path, random_state=0), pytest.raises(ValueError, match="in use"):
        BayesianOptimizer([(0.0, 1.0)], study=path)
    with pytest.raises(ValueError, match="`space`"):
        BayesianOptimizer([(0.0, 2.0)], study=path)
    with pytest.raises(ValueError, match="`maximize`"):
        BayesianOptimizer([(0.0, 1.0)], maximize=True, study=path)
    (tmp_path / "other.txt").write_text("hello\n")
    with pytest.raises(ValueError, match="study"):
        BayesianOptimizer([(0.0, 1.0)], study=tmp_path / "other.txt")
    with pytest.raises(ValueError, match="does not exist"):
        BayesianOptimizer([(0.0, 1.0)], study=tmp_path / "nowhere" / "study.jsonl")
    assert os.listdir(tmp_path) == ["study.jsonl", "other.txt"] or len(os.listdir(tmp_path)) == 2


ASKED = '{"trial":0,"x":[0.5,3,1],"origin":"design"}'
TAMPERED = {
    "a trial that was never begun": '{"trial":3,"y":[1.0]}',
    "a negative trial": '{"trial":-1,"y":[1.0]}',
    "a trial of text": '{"trial":"0","y":[1.0]}',
    "no trial": "{}",
    "a trial begun twice": f"{ASKED}\n{ASKED}",
    "no origin": '{"trial":0,"x":[0.5,3,1]}',
    "a point outside": '{"trial":0,"x":[1.5,3,1],"origin":"design"}',
    "a point that is NaN": '{"trial":0,"x":[NaN,3,1],"origin":"design"}',
    "a point too short": '{"trial":0,"x":[0.5,3],"origin":"design"}',
    "a point of text": '{"trial":0,"x":"abc","origin":"design"}',
    "no such category": '{"trial":0,"x":[0.5,3,3],"origin":"design"}',
    "a value of text": f'{ASKED}\n{{"trial":0,"y":["x"]}}',
    "a value that is infinite": f'{ASKED}\n{{"trial":0,"y":[1e999]}}',
    "two values": f'{ASKED}\n{{"trial":0,"y":[1.0,2.0]}}',
    "constraints": f'{ASKED}\n{{"trial":0,"y":[1.0],"c":[1.0]}}',
    "seconds of text": f'{ASKED}\n{{"trial":0,"y":[1.0],"seconds":"x"}}',
    "a deep nest": "[" * 100_000,
    "a list": "[1]",
}


@pytest.mark.parametrize("lines", TAMPERED.values(), ids=TAMPERED)
def test_studies_that_were_tampered_with_raise_by_line(lines, tmp_path):
    path = tmp_path / "study.jsonl"
    BayesianOptimizer(SPACE, study=path, random_state=0).close()
    path.write_text(path.read_text() + lines + "\n")
    with pytest.raises(ValueError, match=r"^`study`: line \d of .* (is damaged|does not belong)"):
        BayesianOptimizer(SPACE, study=path)
    path.write_text(path.read_text().replace('"seed":0', '"seed":-1'))
    with pytest.raises(ValueError, match="`study`: line"):
        BayesianOptimizer(SPACE, study=path)
