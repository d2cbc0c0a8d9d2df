"""The build's progress and its table of times."""

from tools import build


def test_few_steps_are_not_announced(capsys):
    progress = build.Progress(jobs=2, terminal=False)
    progress.step(1, build.MANY_STEPS)
    assert capsys.readouterr().out == ""


def test_a_log_gets_a_sentence_first_and_the_last_step(capsys):
    progress = build.Progress(jobs=2, terminal=False)
    for done in range(1, 97):
        progress.step(done, 96)
    first, *lines = capsys.readouterr().out.splitlines()
    assert "96 steps, about 2 min on 2 cores" in first
    assert lines == ["  96 of 96 steps, 0 s"]


def test_a_terminal_gets_one_line_that_is_updated(capsys):
    progress = build.Progress(jobs=4, terminal=True)
    for done in range(1, 21):
        progress.step(done, 20)
    sentence, line, rest = capsys.readouterr().out.split("\n")
    assert sentence.startswith("Compiling")
    assert line.count("\r") == 20
    assert rest == ""


def test_times_are_of_the_last_build_of_files_that_are_still_there(tmp_path, capsys):
    log = ["# ninja log v7"]
    for start, end, name in [
        (0, 9000, "slow.cpp.o"),
        (0, 2000, "fast.cpp.o"),
        (0, 5000, "gone.cpp.o"),
        (0, 3000, "slow.cpp.o"),
    ]:
        log.append(f"{start}\t{end}\t0\tCMakeFiles/core.dir/native/{name}\tabc")
        if name != "gone.cpp.o":
            (tmp_path / "CMakeFiles/core.dir/native").mkdir(parents=True, exist_ok=True)
            (tmp_path / "CMakeFiles/core.dir/native" / name).touch()
    (tmp_path / ".ninja_log").write_text("\n".join(log) + "\n")
    build.print_times(tmp_path, 10)
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.startswith("2 steps, 5 s of work")
    assert [row.split()[0] for row in rows] == ["3.0", "2.0"]
    assert [row.split()[-1] for row in rows] == ["core/slow.cpp", "core/fast.cpp"]
