"""Ranks, ties and the words of the verdict."""

from types import SimpleNamespace

import numpy as np

from statlearn.app import ranking
from statlearn.app.ranking import score_holdout
from statlearn.app.result import Difference, ModelResult
from statlearn.app.scoring import METRICS, level
from statlearn.assess import corrected_resampled_ttest

RMSE = METRICS["regression"]["rmse"]


def model(name, complexity, *scores, fitted=True):
    found = ModelResult(name, name, "statlearn.linear.Lasso", complexity, status="done")
    found.scores = {"rmse": np.array(scores, float)}
    found.estimator = object() if fitted else None
    return found


def test_few_folds_do_not_make_a_winner():
    steady = model("steady", 2, 1.0, 1.1, 0.9, 1.0)
    lucky = model("lucky", 2, 0.8, np.nan, np.nan, np.nan)
    half = model("half", 2, 0.95, 1.0, np.nan, np.nan)
    assert [m.name for m in ranking.rank([steady, lucky], RMSE)] == ["steady", "lucky"]
    assert ranking.rank([steady, half], RMSE)[0] is half


def test_the_best_model_is_one_that_can_predict():
    fast = model("fast", 1, 1.0, 1.0)
    better = model("better", 2, 0.9, 0.9, fitted=False)
    assert [m.name for m in ranking.rank([fast, better], RMSE)] == ["fast", "better"]


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
        model=by_name.get,
    )  # fmt: skip
    words = ranking._second(result, differences)
    assert words.endswith("both others are significantly worse or no better than the baseline.")


def test_models_that_did_not_run_are_named_and_not_judged():
    best, late = model("best", 5, 1.0, 1.1), ModelResult("late, L1", "late, L1", "", 2, status="out of time")
    result = SimpleNamespace(models=[best, late], best="best", simplest="best", baseline="none")
    assert ranking._second(result, {}) == "No other model was compared with it."
    assert ranking._not_finished(result) == "Not compared because time ran out: late, L1."


def verdict_of(best, baseline, simplest, gap, *more):
    lead = {m.name: np.nanmean(m.scores["rmse"] - best.scores["rmse"]) for m in more}
    gaps = [gap, *(Difference(m.name, lead[m.name], 0.1, 0.2) for m in more)]
    result = SimpleNamespace(
        models=[best, *more, baseline], best=best.name, simplest=simplest, baseline=baseline.name, differences=gaps,
        metric="rmse", task="regression", target="price", settings={"folds": len(best.scores["rmse"])},
        profile=SimpleNamespace(left_out={}), holdout_scores={}, copied=0.0,
        model=lambda name: {m.name: m for m in (best, baseline, *more)}[name],
    )  # fmt: skip
    return ranking.verdict(result)


def test_the_verdict_writes_numbers_as_the_board_does():
    best, baseline = model("lasso", 2, 49577.0, 50197.0), model("mean", 0, 101000.0, 99000.0)
    words = verdict_of(best, baseline, "lasso", Difference("mean", 50113.0, 1310.0, 0.001))
    assert "root mean squared error of 49,888 ± 310 over 2 outer folds" in words
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
    assert ranking.rank([forest, stack, baseline], RMSE)[0] is stack
    clearly_worse = model("stack", 6, 1.10, 1.21, 1.06, 1.13)
    assert ranking.rank([forest, clearly_worse, baseline], RMSE)[0] is forest
    words = verdict_of(stack, baseline, "stack", Difference("mean", 2.0, 0.1, 0.001), forest)
    assert words.startswith(
        "The stack, which averages several models, is preferred to forest, whose better root mean squared error "
        "(1.031) may be due to luck. That of the stack is 1.034 ± 0.037 over 4 outer folds, significantly better "
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
        models=list(models.values()), best="mars", simplest="mars", baseline="mean", metric="rmse", model=models.get
    )
    words = ranking._second(result, gaps)
    assert words.endswith("neither of the others is significantly worse (1 of them on fewer folds).")


def test_the_interval_of_a_mean_loss_allows_for_the_number_of_rows_of_each_class(rng):
    """Resampling by class held the loss of a constant forecast fixed: an interval of width 0."""
    truth = np.r_[np.ones(6, int), np.zeros(294, int)]
    table = np.column_stack([np.full(300, 0.98), np.full(300, 0.02)])
    metrics = [METRICS["classification"][name] for name in ("log_loss", "brier", "roc_auc")]
    problem = SimpleNamespace(classes=np.array(["no", "yes"]), metrics=metrics, seed=0)
    model = SimpleNamespace(name="constant", estimator=Constant(table))
    scores, _ = score_holdout([model], np.zeros((300, 1)), truth, problem)
    for name in ("log_loss", "brier"):
        value, low, high = scores["constant"][name]
        # Six rare rows, give or take two standard deviations of their number.
        assert low < 0.7 * value
        assert high > 1.4 * value


class Constant:
    classes_ = np.array(["no", "yes"])

    def __init__(self, table):
        self.table = table

    def predict_proba(self, X):
        return self.table


def test_ranks_and_gaps_agree_with_the_errors_that_are_shown():
    """The mean of the folds' roots would put the model first that fails badly in one fold."""
    wild, steady = model("wild", 2, 1.0, 1.0, 1.0, 3.0), model("steady", 2, 1.6, 1.6, 1.6, 1.6)
    assert wild.scores["rmse"].mean() < steady.scores["rmse"].mean()
    ranked = ranking.rank([wild, steady], RMSE)
    assert [m.name for m in ranked] == ["steady", "wild"]
    (gap,) = ranking.differences(ranked, RMSE, 90, 10)
    shown = [level("rmse", m.scores["rmse"])[0] for m in ranked]
    np.testing.assert_allclose(gap.mean, shown[1] - shown[0])


def test_one_fold_of_extreme_rows_does_not_hide_a_perfect_model():
    perfect, baseline = model("perfect", 1, 0.1, 0.1, 0.1, 0.2), model("baseline", 0, 1.9, 1.8, 2.0, 4.5)
    (gap,) = ranking.differences([perfect, baseline], RMSE, 120, 40)
    squares = corrected_resampled_ttest(baseline.scores["rmse"] ** 2 - perfect.scores["rmse"] ** 2, 120, 40)
    assert gap.p_value < 0.1 < squares.p_value


def test_the_simplest_model_is_near_the_best_by_the_numbers_of_the_board():
    """Squares of root mean squared errors would put the baseline more than a standard error behind."""
    best = model("best", 5, 2.942, 4.874, 8.482, 12.426, 15.579)
    baseline = model("baseline", 0, 4.015, 3.531, 5.437, 17.918, 18.593)
    (top, error), (other, _) = (level("rmse", m.scores["rmse"]) for m in (best, baseline))
    assert top < other < top + error
    assert ranking.simplest_within_one_se([best, baseline], RMSE) == "baseline"


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
        model={m.name: m for m in (best, near, far, baseline)}.get,
    )  # fmt: skip
    gaps = {"forest": Difference("forest", 0.2, 0.2, 0.3), "tree": Difference("tree", 2.0, 0.1, 0.001)}
    words = ranking._second(result, gaps | {"mean": Difference("mean", 8.0, 0.1, 0.001)})
    assert words.startswith("No simpler model is within one standard error of it")
    assert words.endswith(", but forest (1.180) is not significantly worse.")


def test_an_error_that_belongs_to_another_difference_is_not_shown():
    even, hard = np.array([1.0, 1.2, 0.9, 1.1, 1.0]), np.array([1.0, 1.2, 0.9, 1.1, 30.0])
    behind = even + np.array([0.1, 0.2, 0.05, 0.1, 0.15])
    steady = ranking.differences([model("a", 1, *even), model("b", 1, *behind)], RMSE, 80, 20)[0]
    assert not steady.is_uneven
    ahead = np.array([0.3, 0.25, 0.35, 0.3, -0.2])  # worse in every fold but the hard one
    wild = ranking.differences([model("a", 1, *hard), model("b", 1, *hard + ahead)], RMSE, 80, 20)[0]
    assert wild.mean < 0 < wild.fold_mean
    assert wild.is_uneven
