"""The harness on a toy case: no peer needed, nothing about speed."""

import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import assert_close

ROOT = Path(__file__).resolve().parents[2]

TOY = '''
import os

import numpy as np

from benchmarks.case import Case, R


class toy_mean(Case):
    """The mean, in several ways."""

    size, quick = dict(n=1000), dict(n=10)
    grow = dict(n=[10, 20])
    goal = dict(plain=0)
    accept = dict(objective=1e-3)

    def data(n):
        return dict(x=np.arange(float(n)), shift=2.0)

    def quality(fit, x, shift):
        return dict(objective=np.sum((x + shift - fit.mean) ** 2))

    def statlearn(x, shift):
        return dict(mean=np.mean(x + shift))

    def plain(x, shift):
        print("noise on standard output must not disturb the protocol")
        return dict(mean=sum(x) / len(x) + shift)

    def plain_wrong(x, shift):
        return dict(mean=0.0, seconds=7.0)

    def missing(x, shift):
        import no_such_library

    def crashing(x, shift):
        os._exit(3)

    def late(x, shift):
        if len(x) > 10:
            raise ValueError("fails on the real data\\nonly")
        return dict(mean=0.0)

    base = R("list(mean = mean(x) + shift)", library="stats")


class toy_reuse(toy_mean):
    """The same runners on other data."""

    missing = crashing = late = base = None

    def data(n):
        return dict(x=np.ones(n), shift=0.0)


class _hidden(Case):
    pass
'''


@pytest.fixture
def toy(tmp_path):
    path = tmp_path / "toy.py"
    path.write_text(TOY)
    return path


@pytest.fixture
def bench(monkeypatch):
    """Imports a module of the benchmarks folder, which is not part of the package."""
    monkeypatch.syspath_prepend(str(ROOT))
    return lambda name: importlib.import_module(f"benchmarks.{name}")


def run(*arguments):
    command = [sys.executable, "-m", "benchmarks", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_quick_run_reports_all_runners_and_the_reason_of_each_failure(toy, tmp_path):
    out = tmp_path / "deep" / "out.json"
    text = run(toy, "--quick", "--repeat", 2, "--set", "n=30", "-k", "mean", "--json", out)
    result = json.loads(out.read_text())
    (case,) = result["cases"]
    rows = {row["name"]: row for row in case["rows"]}
    expected = {"statlearn", "plain", "plain_wrong"} | ({"base"} if shutil.which("Rscript") else set())
    assert set(rows) == expected
    assert case["size"] == {"n": 30}
    for row in rows.values():
        assert len(row["times"]) == 2
        assert row["seconds"] == min(row["times"])
    assert rows["plain_wrong"]["seconds"] == 7.0
    for name in expected - {"plain_wrong"}:
        assert rows[name]["solved"]
        assert rows[name]["quality"]["objective"] < 1e-12
    assert not rows["plain_wrong"]["solved"]
    assert "no_such_library" in case["failures"]["missing"]
    assert "process ended (3)" in case["failures"]["crashing"]
    assert case["failures"]["late"] == "ValueError: fails on the real data only"
    assert result["machine"]["threads"] == 2
    assert [p.name for p in out.parent.iterdir()] == ["out.json"]  # no temporary file left
    assert "plain_wrong *" in text
    assert "missing: ModuleNotFoundError" in text
    assert "goal 0x plain" in text


def test_only_and_k_choose(toy, tmp_path):
    out = tmp_path / "out.json"
    run(toy, "--quick", "--repeat", 1, "-k", "reuse", "--only", "plain", "--json", out)
    (case,) = json.loads(out.read_text())["cases"]
    assert case["case"] == "toy_reuse"
    assert [row["name"] for row in case["rows"]] == ["plain", "plain_wrong"]  # both are runners of `plain`


def test_counts_that_differ_from_the_usual_one_are_marked(bench):
    class counts:
        accept, same = {}, ("sets",)

    rows = [{"name": n, "times": [1.0], "cpu": [1.0], "quality": {"sets": k}} for n, k in zip("abc", (7, 6, 7))]
    assert [row["solved"] for row in bench("run").finish(rows, counts)] == [True, False, True]


def test_baskets_cross_between_processes_as_lists(bench, tmp_path):
    bench("store").save(tmp_path, {"equal": [[1, 2], [3, 4]], "ragged": [[1], [2, 3]], "x": np.arange(3.0)})
    found = bench("store").load(tmp_path)
    assert (found["equal"], found["ragged"]) == ([[1, 2], [3, 4]], [[1], [2, 3]])
    assert_close(found["x"], [0.0, 1.0, 2.0])


def test_grow_prints_a_table_over_sizes(toy, tmp_path):
    text = run(toy, "--grow", "--repeat", 1, "-k", "reuse", "--json", tmp_path / "out.json")
    assert "toy_reuse over n" in text
    assert "n=10" in text
    assert "n=20" in text
    assert "exponent" in text


def test_list_option_runs_no_benchmark(toy):
    text = run(toy, "--list")
    assert "toy_mean: The mean, in several ways." in text
    assert "hidden" not in text


@pytest.mark.parametrize("suite", ["linear", "assess", "app", "smooth"])
def test_cases_are_well_formed(bench, suite):
    """At their tiny sizes, without running a peer."""
    for case in bench("case").load_suite(suite).values():
        assert "statlearn" in case.runners()
        assert set(case.goal) <= set(case.runners())
        assert set(case.grow) <= set(case.size)
        assert all(np.all(np.isfinite(v)) for v in case.data(**case.sizes(quick=True)).values())


@pytest.mark.parametrize("suite", ["assess", "prep"])
def test_cases_run_at_their_tiny_sizes(bench, suite):
    """Their peers are scikit-learn and scipy, which are here anyway."""
    from types import SimpleNamespace

    for case in bench("case").load_suite(suite).values():
        data = case.data(**case.sizes(quick=True))
        for name, runner in case.runners().items():
            found = case.quality(SimpleNamespace(**runner(**data)), **data)
            assert all(np.isfinite(v) for v in found.values()), (case.__name__, name, found)


def test_gaps_vanish_at_the_optimum_and_bound_the_excess_elsewhere(bench):
    problems = bench("problems")
    from sklearn.linear_model import lasso_path

    X, y = problems.sparse_regression(50, 20, 5, centre=True)
    alphas = problems.alpha_grid(np.abs(X.T @ y).max() / 50, 1e-2, 5)
    best = lasso_path(X, y, alphas=alphas, tol=1e-14, max_iter=100_000)[1]
    assert np.all(problems.lasso_gaps(X, y, alphas, best) < 1e-12)
    other = best + 0.01
    excess = problems.lasso_objective(X, y, alphas, other) - problems.lasso_objective(X, y, alphas, best)
    assert np.all(problems.lasso_gaps(X, y, alphas, other) * (y @ y / 100) >= excess)
    # Groups of one column: the group lasso is the lasso.
    lasso = problems.lasso_gaps(X, y, alphas, other)
    assert_close(problems.group_gaps(X, y, alphas, other, 1), lasso, rtol=1e-10, atol=0)


def test_logistic_gap_vanishes_without_slopes_at_the_largest_alpha(bench):
    problems = bench("problems")
    X, y = problems.sparse_classification(80, 6, 3)
    alphas = np.array([np.abs(X.T @ (y - y.mean())).max() / 80])
    b = np.log(y.mean() / (1 - y.mean()))
    gap = problems.logistic_gaps(X, y, alphas, np.zeros((6, 1)), np.array([b]))
    assert abs(gap[0]) < 1e-12
    assert problems.logistic_gaps(X, y, alphas, np.full((6, 1), 0.1), np.array([b]))[0] > 1e-3
