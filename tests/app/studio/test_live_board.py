"""The board of a running comparison is read from its journal."""

from statlearn.app.studio.live_board import live_board, read_progress


def unit(model, fold, score, **more):
    return {"event": "unit", "model": model, "label": model.upper(), "fold": fold, "status": "done", "error": None,
            "scores": {"rmse": score}, "fit_seconds": 0.5, **more}  # fmt: skip


START = {"event": "start", "models": {"a": "A", "b": "B", "c": "C"}, "units": 9, "done": 0, "seconds": None}
RUN = {"event": "run", "pid": 1}


def test_models_are_ranked_by_the_mean_of_their_folds():
    events = [RUN, START, unit("a", 0, 2.0), unit("b", 0, 1.0), unit("a", 1, 4.0), unit("a", -1, 0.0)]
    progress = read_progress(events)
    board = live_board(progress)
    assert (progress.done, progress.units) == (4, 9)
    assert [(r["label"], r["folds"]) for r in board["rows"]] == [("B", 1), ("A", 2)]
    assert board["rows"][1]["mean"].startswith("3")
    assert board["waiting"] == ["C"]


def test_a_resumed_run_keeps_the_scores_and_counts_once():
    events = [RUN, START, unit("a", 0, 2.0), RUN, {**START, "done": 1}, unit("b", 0, 1.0)]
    progress = read_progress(events)
    assert progress.done == 2
    assert set(progress.scores) == {"a", "b"}


def test_later_parts_of_a_run_change_no_scores():
    events = [RUN, START, unit("a", 0, 2.0), {**START, "units": 3}, unit("a", 1, 100.0)]
    progress = read_progress(events)
    assert progress.scores == {"a": {0: {"rmse": 2.0}}}
    assert progress.phase


def test_failed_fits_are_listed_once():
    failed = {**unit("a", 0, 1.0), "status": "failed", "error": "singular", "scores": {}}
    progress = read_progress([RUN, START, failed, failed])
    assert progress.problems == [("A", "singular")]
    assert live_board(progress) is None
