"""What the command prints, and what it knows of the models."""

import copy
import io
from dataclasses import replace

import numpy as np
import pytest
from rich.text import Text

from statlearn.app.cli import catalogue, console
from statlearn.app.compare.progress import PlainProgress, RichProgress
from statlearn.app.compare.result import ColumnProfile, Finding, TableProfile


def printed(what, **options):
    stream = io.StringIO()
    console.make_console(file=stream, **{"width": 120, **options}).print(what)
    return stream.getvalue()


def test_a_comparison_prints_verdict_leaderboard_and_honesty_box(regression):
    text = printed(console.comparison(regression, paths={"report": "out/report.html"}))
    assert regression.verdict in text
    for model in regression.models:
        assert model.label in text
    assert "best" in text
    assert "GRID-EDGE" in text
    assert text.index("LEAK") < text.index("GRID-EDGE")  # serious first
    assert "out/report.html" in text
    assert "\x1b" not in text  # no colours off a terminal


def test_colours_only_on_a_terminal(regression):
    assert "\x1b[" in printed(console.Leaderboard(regression), force_terminal=True, color_system="standard", width=120)


def test_whiskers_keep_the_order_and_mark_the_far_ones():
    near, same, far = console._whiskers([(1.0, 0.1), (1.1, 0.1), (50.0, 0.1)], greater_is_better=False)
    assert near.index("●") < same.index("●")
    assert far.endswith("▶")
    assert console._whiskers([], True) == []


def test_no_mean_is_an_arrow_on_the_side_of_better_ones():
    # The long whisker of the fourth reaches beyond the fifth, which is too far away to set the range itself.
    stats = [(1.0, 0.1), (1.1, 0.1), (1.2, 0.1), (1.4, 0.9), (2.0, 0.1), (9.0, 0.1), (np.nan, np.nan)]
    lines = console._whiskers(stats, greater_is_better=False)
    dots = [line.index("●") for line in lines[:5]]
    assert dots == sorted(dots)
    assert lines[5].endswith("▶")
    assert lines[6].strip() == ""
    mirrored = console._whiskers([(-mean, error) for mean, error in stats], greater_is_better=True)
    assert mirrored[5].startswith("◀")
    dots = [line.index("●") for line in mirrored[:5]]
    assert dots == sorted(dots, reverse=True)


def test_brackets_of_the_user_stay_brackets(regression):
    finding = Finding("X", "[bold]t[/]", "[/]", "", "[link=http://x]a[/link]")
    strange = replace(regression, verdict="[red]not red[/red]", findings=[finding])
    text = printed(console.comparison(strange))
    for words in ("[red]not red[/red]", "[bold]t[/]", "[link=http://x]a[/link]"):
        assert words in text


def test_failed_and_unfinished_are_said(regression):
    broken = replace(copy.deepcopy(regression), complete=False, findings=[])
    broken.models[-1].status, broken.models[-1].error = "failed", "singular [matrix]"
    text = printed(console.comparison(broken))
    assert "failed (singular [matrix])" in text
    assert "not finished" in text
    assert "nothing found." in text
    broken.settings["mute"] = ["LEAK"]
    assert "nothing found (hidden on request: LEAK)." in printed(console.comparison(broken))


def test_describe_shows_every_column(regression):
    profile = copy.deepcopy(regression.profile)
    profile.columns.append(ColumnProfile("[x]", "text", 3, 5, note="looks like an identifier"))
    profile.notes = ["read as UTF-16"]
    text = printed(console.profile(profile))
    for column in profile.columns:
        assert column.name in text
    assert "identifier" in text
    assert "read as UTF-16" in text
    assert "█" in text
    wide = TableProfile("wide", 10, [ColumnProfile(f"c{k}", "number", 0, 2) for k in range(300)], sampled_rows=5)
    text = printed(console.profile(wide))
    assert "100 more columns" in text
    assert "sample of 5 rows" in text


def test_inspection_tables(regression):
    looked = regression.models[0].inspection
    assert looked.importance.columns[0] in printed(console.importance(looked.importance))
    assert looked.dependence[0].column in printed(console.dependence(looked.dependence[0]))
    assert f"{looked.worst[0].row}" in printed(console.worst_rows(looked.worst))


def test_every_estimator_has_an_entry_with_words():
    entries = catalogue.entries()
    assert len(entries) > 50
    for entry in entries:
        assert entry.summary
        assert "`" not in entry.summary
    assert "lasso" in printed(console.models(entries))


def test_an_estimator_is_found_by_name_address_and_label():
    entry = catalogue.find("statlearn.linear.LassoCV")
    assert entry.name == "LassoCV"
    assert catalogue.find("lassocv").name == "LassoCV"
    titles = [title for title, _ in catalogue.find("Lasso").sections]
    assert titles[:2] == ["What it does", "Parameters"]
    assert "Notes" in titles
    assert "alpha" in printed(console.model(entry))
    with pytest.raises(ValueError, match="did you mean LassoCV"):
        catalogue.find("LasoCV")
    with pytest.raises(ValueError, match="statlearn models"):
        catalogue.find("qqqqqq")


def test_data_sets_are_listed():
    assert "3,000" in printed(console.datasets([("wage", "regression", 3000, 10, "Wages of men")]))


@pytest.mark.parametrize("width, there, gone", [(120, "size", "…"), (80, "behind the best", "size")])
def test_a_narrow_console_leaves_columns_out(regression, width, there, gone):
    text = printed(console.Leaderboard(regression), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert there in text
    head = text.splitlines()[0]
    assert gone not in head


def test_findings_that_say_the_same_are_one(regression):
    findings = [
        Finding("GRID-EDGE", "At the edge", f"{name}: alpha = 1", "why", "what", "warning", [name])
        for name in ("lasso", "ridge")
    ]
    double = replace(regression, findings=findings)
    (one,) = double.grouped_findings()
    assert one.models == ["lasso", "ridge"]
    assert one.detail == "lasso: alpha = 1\nridge: alpha = 1"
    assert double.findings[0].models == ["lasso"]
    text = printed(console.honesty(double))
    assert text.count("GRID-EDGE") == 1
    assert "ridge: alpha = 1" in text


def test_notes_on_the_table_are_printed_below_a_comparison(regression):
    noted = copy.deepcopy(regression)
    noted.profile.notes = ["Left out 20 rows without a target.", *(f"note {k}" for k in range(12))]
    text = printed(console.comparison(noted))
    assert "Left out 20 rows without a target." in text
    assert "3 more notes are in the report." in text


def test_days_are_printed_without_the_time():
    from datetime import datetime
    from types import SimpleNamespace

    curve = SimpleNamespace(
        column="start", values=[datetime(2019, 1, 24), datetime(2020, 1, 1, 12, 30)], outputs=["prediction"],
        mean=np.array([[811.0], [1304.0]]),
    )  # fmt: skip
    text = printed(console.dependence(curve))
    assert "2019-01-24 " in text
    assert "00:00" not in text.replace("12:30", "")
    assert "811.0" not in text
    assert console._cell(datetime(2019, 1, 24)).plain == "2019-01-24"


def test_control_characters_of_a_table_do_not_reach_the_terminal():
    """They would rename the window, clear the screen or answer a question of the terminal."""
    stream = io.StringIO()
    console.make_console(file=stream, force_terminal=True, color_system="truecolor", width=80).print(
        Text("a\x1b]0;owned\x07\x1b[2Jb", style="bold"), "\u202etxt.exe"
    )
    assert stream.getvalue() == "\x1b[1ma␛]0;owned␛[2Jb\x1b[0m �txt.exe\n"


@pytest.mark.parametrize("kind", [RichProgress, PlainProgress])
def test_notes_of_the_progress_may_contain_brackets_and_control_characters(kind):
    stream = io.StringIO()
    progress = kind(console.make_console(file=stream, width=80)) if kind is RichProgress else kind(stream)
    progress.note("the column '[/x]' \x1b[2J gives the target away")
    assert stream.getvalue() == "the column '[/x]' ␛[2J gives the target away\n"
