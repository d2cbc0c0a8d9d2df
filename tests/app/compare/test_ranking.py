"""Ranks, ties and the words of the verdict."""

from types import SimpleNamespace

import numpy as np

from statlearn.app.compare import ranking
from statlearn.app.compare.result import ModelResult
from statlearn.app.compare.results import Difference, Evidence, Results, differences
from statlearn.app.compare.scoring import METRICS, Predictions
from statlearn.app.names import plus_minus

RMSE = METRICS["regression"]["rmse"]


def model(name, complexity, *scores, fitted=True):
    found = ModelResult(name, name, "statlearn.linear.Lasso", complexity, status="done")
    found.scores = {"rmse": np.array(scores, float)}
    found.estimator = object() if fitted else None
    return found


ROWS = 6  # of a fold


def evidence_of(*models):
    """Rows whose errors are those of their fold, give or take a little."""
    n_folds = len(models[0].scores["rmse"])
    rows = np.arange(ROWS * n_folds)
    folds = [(np.setdiff1d(rows, test), test) for test in np.split(rows, n_folds)]
    wave = np.resize([1.0, -1.0], ROWS)
    tested = {
        m.name: {
            k: Predictions(wave * np.sqrt(score**2 * (1 + 0.1 * wave)))
            for k, score in enumerate(m.scores["rmse"]) if np.isfinite(score)
        }
        for m in models
    }  # fmt: skip
    return Evidence(np.zeros(len(rows)), folds, tested, [RMSE])


def ranked(*models):
    evidence = evidence_of(*models)
    return ranking.rank(list(models), Results("rmse", evidence.scores()), RMSE, evidence)


def results_of(*models, gaps=()):
    """The table of results of some models, with these differences."""
    return Results("rmse", evidence_of(*models).scores(), list(gaps))


def test_few_folds_do_not_make_a_winner():
    steady = model("steady", 2, 1.0, 1.1, 0.9, 1.0)
    lucky = model("lucky", 2, 0.8, np.nan, np.nan, np.nan)
    half = model("half", 2, 0.95, 1.0, np.nan, np.nan)
    assert [m.name for m in ranked(steady, lucky)] == ["steady", "lucky"]
    assert ranked(steady, half)[0] is half


def test_the_best_model_is_one_that_can_predict():
    fast = model("fast", 1, 1.0, 1.0)
    better = model("better", 2, 0.9, 0.9, fitted=False)
    assert [m.name for m in ranked(fast, better)] == ["fast", "better"]


def test_a_wild_score_is_not_called_a_tie():
    best, wild, baseline = model("best", 5, 1.0, 1.1), model("wild", 2, 30.0, 2.0), model("baseline", 0, 4.0, 4.1)
    other = model("other", 2, 2.0, 2.1)
    differences = {
        "wild": Difference("wild", 15.0, 14.0, 0.4),
        "other": Difference("other", 1.0, 0.01, 0.001),
        "baseline": Difference("baseline", 3.0, 0.1, 0.01),
    }
    by_name = {m.name: m for m in (best, other, wild, baseline)}
    result = SimpleNamespace(
        models=list(by_name.values()), best="best", simplest="best", baseline="baseline", metric="rmse",
        model=by_name.get, level=results_of(best, wild, other, baseline).level,
    )  # fmt: skip
    words = ranking._second(result, differences)
    assert words.endswith("both others are significantly worse or no better than the baseline.")


def test_models_that_did_not_run_are_named_and_not_judged():
    best, late = model("best", 5, 1.0, 1.1), ModelResult("late, L1", "late, L1", "", 2, status="out of time")
    result = SimpleNamespace(models=[best, late], best="best", simplest="best", baseline="none")
    assert ranking._second(result, {}) == "No other model was compared with it."
    assert ranking._not_finished(result) == "Not compared because time ran out: late, L1."


def verdict_of(best, baseline, simplest, gap, *more):
    table = results_of(best, baseline, *more)
    lead = {m.name: table.level(m.name)[0] - table.level(best.name)[0] for m in more}
    gaps = [gap, *(Difference(m.name, lead[m.name], 0.1, 0.2) for m in more)]
    result = SimpleNamespace(
        models=[best, *more, baseline], best=best.name, simplest=simplest, baseline=baseline.name, differences=gaps,
        metric="rmse", task="regression", target="price", settings={"folds": len(best.scores["rmse"])},
        profile=SimpleNamespace(left_out={}), holdout_scores={}, copied=0.0, level=table.level,
        signal=float("nan"), greater_is_better=False,
        model=lambda name: {m.name: m for m in (best, baseline, *more)}[name],
    )  # fmt: skip
    return ranking.verdict(result)


def test_the_verdict_writes_numbers_as_the_board_does():
    best, baseline = model("lasso", 2, 49577.0, 50197.0), model("mean", 0, 101000.0, 99000.0)
    words = verdict_of(best, baseline, "lasso", Difference("mean", 50113.0, 1310.0, 0.001))
    number = plus_minus(*results_of(best, baseline).level("lasso"))
    assert f"root mean squared error of {number} over 2 outer folds" in words
    assert "significantly better than the baseline (100,005, p = 0.001)" in words


def test_a_baseline_within_one_standard_error_is_called_the_baseline():
    best, baseline = model("knn", 2, 1.0, 1.2, 1.1, 1.1), model("mean", 0, 1.05, 1.2, 1.1, 1.15)
    ridge = model("ridge", 1, 1.4, 1.5, 1.4, 1.5)
    words = verdict_of(best, baseline, "mean", Difference("mean", 0.025, 0.03, 0.6), ridge)
    assert "but not significantly better than the baseline" in words
    assert words.endswith("The baseline is within one standard error of it.")


def test_a_stack_level_with_the_best_model_is_ranked_first_and_the_verdict_says_why():
    stack, forest = model("stack", 6, 1.00, 1.12, 0.95, 1.06), model("forest", 5, 1.02, 1.10, 0.97, 1.03)
    baseline = model("mean", 0, 3.0, 3.1, 2.9, 3.0)
    assert ranked(forest, stack, baseline)[0] is stack
    clearly_worse = model("stack", 6, 1.50, 1.61, 1.46, 1.53)
    assert ranked(forest, clearly_worse, baseline)[0] is forest
    words = verdict_of(stack, baseline, "stack", Difference("mean", 2.0, 0.1, 0.001), forest)
    number = plus_minus(*results_of(stack, baseline, forest).level("stack"))
    assert words.startswith(
        "The stack, which averages several models, is preferred to forest, whose better root mean squared error "
        f"(1.031) may be due to luck. That of the stack is {number} over 4 outer folds, significantly better "
        "than the baseline"
    )


def test_ties_on_fewer_folds_are_reported_as_such():
    best, partial = model("mars", 5, 1.0, 1.1, 0.9), model("forest", 6, 3.0, 4.0, np.nan)
    other, baseline = model("tree", 6, 1.0, 1.1, 1.0), model("mean", 0, 9.0, 9.0, 9.0)
    gaps = {
        m.name: Difference(m.name, gap, 1.0, p)
        for m, gap, p in ((partial, 2.5, 0.2), (other, 0.1, 0.5), (baseline, 8.0, 0.001))
    }
    models = {m.name: m for m in (best, other, partial, baseline)}
    result = SimpleNamespace(
        models=list(models.values()), best="mars", simplest="mars", baseline="mean", metric="rmse", model=models.get,
        level=results_of(*models.values()).level,
    )  # fmt: skip
    words = ranking._second(result, gaps)
    assert words.endswith("neither of the others is significantly worse (1 of them on fewer folds).")


def test_ranks_and_gaps_agree_with_the_errors_that_are_shown():
    """The mean of the folds' roots would put the model first that fails badly in one fold."""
    wild, steady = model("wild", 2, 1.0, 1.0, 1.0, 3.0), model("steady", 2, 1.6, 1.6, 1.6, 1.6)
    assert wild.scores["rmse"].mean() < steady.scores["rmse"].mean()
    assert [m.name for m in ranked(wild, steady)] == ["steady", "wild"]
    evidence = evidence_of(wild, steady)
    scores = evidence.scores()
    (gap,) = differences(evidence, scores, ["steady", "wild"], "steady")
    np.testing.assert_allclose(gap.mean, scores["wild"]["rmse"][0] - scores["steady"]["rmse"][0])


def test_the_simplest_model_is_near_the_best_by_the_numbers_of_the_board():
    best, near, far = model("best", 5, 2.0, 2.0, 2.4), model("near", 2, 2.0, 2.0, 2.42), model("far", 1, 3.0, 3.0, 3.0)
    evidence = evidence_of(best, near, far)
    scores = evidence.scores()
    table = Results("rmse", scores, differences(evidence, scores, ["best", "near", "far"], "best"))
    assert ranking.simplest_within_one_se([best, near, far], table, evidence) == "near"


def test_two_folds_are_called_too_few_for_a_test():
    best, baseline = model("lasso", 2, 0.005, 0.008), model("mean", 0, 6.0, 11.0)
    words = verdict_of(best, baseline, "lasso", Difference("mean", 8.3, 3.2, 0.24))
    assert ". The baseline has 8.9, but 2 folds are too few to test the difference (p = 0.24)." in words
    assert "not significantly" not in words


def test_models_that_are_level_with_the_best_are_named():
    best, baseline = model("lasso", 1, 1.0, 1.1, 0.9, 1.0), model("mean", 0, 9.0, 9.0, 9.0, 9.0)
    near, far = model("forest", 6, 1.2, 1.3, 1.0, 1.2), model("tree", 3, 3.0, 3.1, 3.0, 3.0)
    result = SimpleNamespace(
        models=[best, near, far, baseline], best="lasso", simplest="lasso", baseline="mean", metric="rmse",
        model={m.name: m for m in (best, near, far, baseline)}.get, level=results_of(best, near, far, baseline).level,
    )  # fmt: skip
    gaps = {"forest": Difference("forest", 0.2, 0.2, 0.3), "tree": Difference("tree", 2.0, 0.1, 0.001)}
    words = ranking._second(result, gaps | {"mean": Difference("mean", 8.0, 0.1, 0.001)})
    assert words.startswith("No simpler model is within one standard error of it")
    assert words.endswith(", but forest (1.180) is not significantly worse.")


def test_intervals_of_heavy_tailed_errors_are_called_rough(rng):
    def is_rough(errors):
        result = SimpleNamespace(
            model=lambda _: SimpleNamespace(predictions=np.zeros(len(errors))), best="ridge", task="regression",
            metric="rmse", y_true=errors, holdout_predictions={},
        )  # fmt: skip
        return ranking._is_dominated(result)

    assert np.mean([is_rough(rng.normal(size=100)) for _ in range(100)]) < 0.05
    assert np.mean([is_rough(rng.standard_t(3, size=1000)) for _ in range(100)]) > 0.9
    assert np.mean([is_rough(np.exp(rng.normal(size=300))) for _ in range(100)]) > 0.9


def test_equal_losses_of_all_rows_have_no_interval():
    held = {"best": {"rmse": (0.6931, 0.6931, 0.6931)}}
    assert ranking._held_out(SimpleNamespace(best="best", metric="rmse", holdout_scores=held)) == ""


def test_a_baseline_that_is_significantly_worse_is_not_the_simplest_model():
    best, ridge, baseline = model("knn", 2, 1.0, 1.2), model("ridge", 1, 1.01, 1.21), model("mean", 0, 1.05, 1.25)
    evidence, near = evidence_of(best, ridge, baseline), Difference("ridge", 0.01, 0.02, 0.6)
    for p_value, simplest in ((0.03, "ridge"), (0.3, "mean")):
        table = results_of(best, ridge, baseline, gaps=[near, Difference("mean", 0.04, 0.01, p_value)])
        assert table.level("knn")[1] > 0.04
        assert ranking.simplest_within_one_se([best, ridge, baseline], table, evidence) == simplest


def test_a_tie_with_a_model_that_may_be_much_worse_is_left_open():
    best, other, baseline = model("tree", 2, 1.0, 1.2), model("ridge", 2.5, 1.3, 1.4), model("mean", 0, 2.0, 2.2)
    table, known = results_of(best, other, baseline), {m.name: m for m in (best, other, baseline)}
    result = SimpleNamespace(
        models=list(known.values()), best="tree", simplest="tree", baseline="mean", metric="rmse", model=known.get,
        level=table.level, greater_is_better=False,
    )  # fmt: skip
    gaps = {"ridge": Difference("ridge", 0.25, 0.4, 0.55), "mean": Difference("mean", 1.0, 0.1, 0.001)}
    assert ranking._second(result, gaps) == (
        "Whether ridge, the only other model compared, is better or worse cannot be told from these rows (p = 0.55)."
    )
    gaps["ridge"] = Difference("ridge", 0.25, 0.1, 0.07)
    assert ranking._second(result, gaps) == "Ridge, the only other model compared, is not significantly worse."
