"""The honesty box: each code appears when it should, and not on honest data."""

import datetime
import re

import numpy as np
import polars as pl
import pytest

from statlearn.app.compare.portfolio.entry import Space
from statlearn.app.compare.run import compare
from statlearn.app.honesty import findings as honesty
from statlearn.app.honesty.findings import CATALOG


def codes(frame, target="y", **options):
    options = {"models": ["least-squares", "lasso"], "folds": 4, "holdout": 0.25, **options}
    result = compare(frame, target, **options)
    return {finding.code: finding for finding in result.findings}


def honest(rng, n=400, **more):
    x1, x2 = rng.normal(size=n), rng.normal(size=n)
    return pl.DataFrame({"x1": x1, "x2": x2, "y": x1 + rng.normal(size=n), **more})


def test_every_code_has_words():
    for title, why, advice in CATALOG.values():
        assert title[0].isupper()
        assert not title.endswith(".")
        assert why.endswith(".")
        assert advice.endswith(".")


def test_honest_data_gives_no_warning(rng):
    assert not {c for c, f in codes(honest(rng)).items() if f.severity != "note"}


def test_leaks_are_serious_and_come_first(rng):
    frame = honest(rng)
    found = codes(frame.with_columns(copy=2 * pl.col("y"), near=pl.col("y") + 1e-2 * pl.col("x2")))
    assert found["TARGET-IN-DISGUISE"].severity == "serious"
    assert "'copy'" in found["TARGET-IN-DISGUISE"].detail
    assert "'near'" in found["LEAK"].detail
    assert next(iter(found)) in ("TARGET-IN-DISGUISE", "LEAK")


def test_the_time_of_a_slow_series_is_no_leak(rng):
    """Fifty intervals of time explain nearly all of the variance of a slow series."""
    n = 600
    frame = pl.DataFrame({"day": np.arange(n), "x": rng.normal(size=n), "y": np.cumsum(rng.normal(size=n))})
    result = compare(frame, "y", models=["ridge"], folds=4)
    assert result.settings["time_order"] == "day"
    assert "LEAK" not in [f.code for f in result.findings]
    assert "may be a leak" not in result.verdict


def test_duplicates_across_folds(rng):
    frame = honest(rng, n=200)
    found = codes(pl.concat([frame, frame.head(60)]))
    assert found["DUPLICATES"].severity == "warning"
    assert "copy" in found["DUPLICATES"].detail
    assert "DUPLICATES" not in codes(frame)


def test_groups_and_dates_are_noticed(rng):
    n = 400
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=k) for k in range(n)]
    frame = honest(rng, patient=[f"p{k % 40}" for k in range(n)], day=days)
    found = codes(frame)
    assert "'patient'" in found["GROUPS"].detail
    assert "day" in found["TIME-ORDER"].detail
    assert "GROUPS" not in codes(frame, groups="patient")


@pytest.mark.parametrize("share", [0.95, 0.3])
def test_an_id_that_occurs_several_times_is_a_group(share, rng):
    n = 400
    frame = honest(rng, n=n, ID=rng.permutation(np.arange(n) % int(share * n)) + 10_000)
    result = compare(frame, "y", models=["ridge"], folds=3)
    found = {f.code: f for f in result.findings}
    assert f"'ID' has {int(share * n)} distinct values in 400 rows" in found["GROUPS"].detail
    # Nearly one for each row, it names the rows; otherwise it is used as a label, and the finding says what it may be.
    assert ("ID" in result.profile.left_out) == (share > 0.9)
    if share < 0.9:
        assert result.profile.kinds["ID"] == "category"
        assert "labels of a category" in found["GROUPS"].detail
        assert found["GROUPS"].severity == "warning"
        kept = compare(frame, "y", models=["ridge"], folds=3, keep=["ID"])
        assert kept.profile.kinds["ID"] == "number"
    assert "GROUPS" not in codes(honest(rng, n=n, ID=np.arange(n) + 10_000))


def test_a_series_of_years_is_in_order_of_time(rng):
    frame = honest(rng, n=80, Year=np.arange(80) + 1901)
    assert "'Year' increases from each row to the next" in codes(frame)["TIME-ORDER"].detail
    shuffled = codes(frame.sample(fraction=1.0, shuffle=True, seed=1))
    assert shuffled["TIME-ORDER"].detail == "Columns of years: 'Year'."
    assert "TIME-ORDER" not in codes(honest(rng, n=80, Size=np.arange(80)))


def test_a_count_per_person_is_no_group(rng):
    result = compare(honest(rng, n=60, rooms_per_person=np.arange(60) % 7), "y", models=["ridge"], folds=3)
    assert result.profile.kinds["rooms_per_person"] == "number"
    assert "GROUPS" not in {f.code for f in result.findings}


def test_an_edge_of_the_grid(rng, monkeypatch):
    from statlearn.linear import RidgeCV

    frame = honest(rng)
    assert "GRID-EDGE" not in codes(frame, models=["ridge"])
    alphas = {"alphas": (1e5, 3e4, 1e4, 3e3)}  # all of them far too large
    monkeypatch.setattr(RidgeCV, "_search_space", Space(2.0, label="ridge", fixed=alphas))
    found = codes(frame, models=["ridge"])
    assert found["GRID-EDGE"].models == ["ridge"]
    assert "3e+03, the last of 4" in found["GRID-EDGE"].detail
    # A copy of the target wants no penalty: the edge is not the news.
    leaking = codes(frame.with_columns(copy=3 * pl.col("y")), models=["ridge"], keep=["copy"])
    assert "TARGET-IN-DISGUISE" in leaking
    assert "GRID-EDGE" not in leaking


def test_imbalance_and_rare_classes(rng):
    n = 400
    x = rng.normal(size=n)
    y = np.where(np.arange(n) < 16, "rare", "common")
    frame = pl.DataFrame({"x": x, "z": rng.normal(size=n), "y": y.tolist()})
    found = codes(frame, models=["logistic-l2"], metric="accuracy")
    assert found["IMBALANCE"].severity == "warning"
    assert "'rare'" in found["IMBALANCE"].detail
    few = pl.DataFrame({"x": x, "z": rng.normal(size=n), "y": np.where(np.arange(n) < 4, "rare", "common").tolist()})
    assert "RARE-CLASS" in codes(few, models=["logistic-l2"])


def test_no_signal_in_noise(rng):
    frame = pl.DataFrame({"x": rng.normal(size=100), "y": rng.normal(size=100)})
    assert "NO-SIGNAL" in codes(frame)


def test_a_signal_that_no_model_finds_is_not_called_noise(rng):
    """With -999 for gaps, ridge is no better than the mean, and the columns are related to the target all the same."""
    x = rng.normal(size=300)
    frame = pl.DataFrame({"x": np.where(np.arange(300) % 40, 10 + x, -999.0), "y": x + rng.normal(size=300)})
    result = compare(frame, "y", models=["ridge"], folds=4)
    assert result.best == result.baseline
    assert "although an F test of all columns together finds that they are related to y (p < 0.001)" in result.verdict
    assert "NO-SIGNAL" not in [f.code for f in result.findings]


def test_non_convergence_names_the_model(rng, monkeypatch):
    from statlearn.linear import HuberRegressor

    monkeypatch.setattr(HuberRegressor, "_search_space", Space(2.0, label="Huber", fixed={"max_iter": 1}))
    found = codes(honest(rng), models=["huber"])
    assert found["NOT-CONVERGED"].models == ["huber"]


def test_few_rows_wide_tables_and_empty_columns(rng):
    n = 50
    X = rng.normal(size=(n, 60))
    frame = pl.DataFrame({f"x{j}": X[:, j] for j in range(60)}).with_columns(
        y=pl.Series(X[:, 0] + rng.normal(size=n)),
        gaps=pl.Series([None if k % 5 else float(k) for k in range(n)]),
    )
    found = codes(frame, models=["lasso"])
    assert {"SMALL", "WIDE", "MISSING"} <= found.keys()
    assert "'gaps'" in found["MISSING"].detail


def test_one_fold_that_decides_the_mean(rng):
    frame = honest(rng)
    assert "WILD-FOLD" not in codes(frame)
    y = frame["y"].to_numpy().copy()
    y[0] = 1e4  # an error of typing
    found = codes(frame.with_columns(y=pl.Series(y)), holdout=0, models=["least-absolute-deviations"])
    assert "WILD-FOLD" in found
    assert "WILD-FOLD" not in codes(frame.with_columns(y=pl.Series(y)), holdout=0, metric="r2")


def test_a_held_out_part_that_differs(rng):
    n = 200
    x = rng.normal(size=n)
    y = x + 0.1 * rng.normal(size=n)
    y[160:] += 5  # in the order of time, the end differs
    frame = pl.DataFrame({"t": np.arange(n) * 1.5, "x": x, "y": y})
    found = codes(frame.drop("t"), time_order=np.arange(n), holdout=0.2)
    assert "HOLDOUT-GAP" in found


@pytest.mark.parametrize("code", ["SMALL", "small"])
def test_muted_codes_are_silent(code, rng):
    frame = honest(rng, n=60)
    assert "SMALL" in codes(frame)
    assert "SMALL" not in codes(frame, mute=[code])


def test_columns_that_together_are_the_target_make_a_score_too_good(rng):
    low, width = rng.gamma(4.0, 5.0, size=200), rng.gamma(2.0, 3.0, size=200)
    frame = pl.DataFrame({"low": low, "high": low + width, "noise": rng.normal(size=200), "y": low + width / 2})
    found = codes(frame)
    assert found["TOO-GOOD"].severity == "warning"
    assert "cross-validated R² of 1.0000" in found["TOO-GOOD"].detail
    assert not {"LEAK", "TARGET-IN-DISGUISE"} & set(found)
    assert "TOO-GOOD" not in codes(frame.with_columns(copy=2 * pl.col("y")), keep=["copy"])  # named by column
    assert "TOO-GOOD" not in codes(honest(rng))


def test_a_rare_class_does_not_make_a_score_too_good(rng):
    y = ["yes" if k % 500 == 0 else "no" for k in range(3000)]
    frame = pl.DataFrame({"x1": rng.normal(size=3000), "x2": rng.normal(size=3000), "y": y})
    assert "TOO-GOOD" not in codes(frame, models=["logistic-l2"])


def test_copies_are_in_the_verdict_unless_few_values_make_them_likely(rng):
    base = pl.DataFrame({"a": rng.normal(size=30), "b": rng.normal(size=30)}).with_columns(
        y=pl.Series(rng.normal(size=30))
    )
    copied = compare(pl.concat([base] * 4), "y", models=["ridge", "k-nearest-neighbours"], folds=4)
    words = r"These errors are too small: \d+% of the rows have an exact copy among the training rows\."
    assert re.search(words, copied.verdict)
    few = pl.DataFrame({"a": rng.integers(0, 3, 120), "b": rng.integers(0, 2, 120)})
    few = few.with_columns(y=pl.Series(np.where(rng.random(120) < 0.3 + 0.2 * few["a"].to_numpy(), "yes", "no")))
    by_chance = compare(few, "y", models=["logistic-l2", "decision-tree"], folds=4)
    assert not any(f.code == "DUPLICATES" for f in by_chance.findings)
    assert "too small" not in by_chance.verdict


def test_the_verdict_states_the_held_out_score_with_its_interval(rng):
    X = rng.normal(size=(100, 2))
    result = compare(X, X[:, 0] + rng.normal(size=100), models=["ridge"], folds=4)
    value, low, high = result.holdout_scores["ridge"]["rmse"]
    assert (
        f"On the 20 held-out rows, the best model has a root mean squared error of {value:.2f} "
        f"(95 % interval {low:.2f} to {high:.2f})" in result.verdict
    )


@pytest.mark.parametrize(
    "n, models, seen",
    [
        (60, ["ridge", "regression-tree"], "models that use categories directly see all, others the 29 most frequent"),
        (60, ["ridge"], "the models see the 29 most frequent"),
        (60, ["regression-tree"], None),
        (210, ["regression-tree"], "the models see the 199 most frequent"),
        (
            210,
            ["ridge", "regression-tree"],
            "models that use categories directly see the 199 most frequent, others the 29 most frequent",
        ),
    ],
)
def test_pooled_levels_are_noted(rng, n, models, seen):
    shops = np.arange(4 * n) % n
    frame = pl.DataFrame({"shop": [f"s{k}" for k in shops], "x": rng.normal(size=4 * n)})
    result = compare(frame, 0.1 * shops + rng.normal(size=4 * n), models=models, folds=3, holdout=0)
    notes = [note for note in result.profile.notes if "levels" in note]
    assert notes == ([] if seen is None else [f"'shop' has {n} levels: {seen}, and the rest are pooled."])


def test_a_column_that_no_model_sees_is_no_leak(rng):
    n = 200
    y = np.sort(rng.choice(["no", "yes"], n))  # sorted by the target: the number of a row gives it away
    weight = np.where(y == "yes", 1.0, 2.0) + 0.1 * rng.normal(size=n)
    frame = pl.DataFrame({"rownames": np.arange(1, n + 1), "x": rng.normal(size=n), "weight": weight, "y": y})
    asked = {"models": ["lda"], "folds": 4}
    assert "'weight'" in codes(frame, **asked)["LEAK"].detail
    result = compare(frame, "y", drop=["weight"], **asked)
    assert "LEAK" not in {finding.code for finding in result.findings}
    assert "leak" not in result.verdict
    left = next(finding for finding in result.findings if finding.code == "LEFT-OUT")
    assert "'rownames' only numbers the rows, yet it is associated with the target" in left.detail


def test_a_grid_of_several_parameters_has_no_edge(rng):
    X = rng.normal(size=(150, 3))
    result = compare(X, X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=150), models=["random-forest"], folds=3)
    assert len(result.model("random-forest").grid) == 2
    assert not any(f.code == "GRID-EDGE" for f in result.findings)


@pytest.mark.parametrize(("size", "expected"), [(1.0, ["WILD-FOLD"]), (1e-12, [])])
def test_folds_that_differ_by_rounding_are_no_finding(size, expected):
    rng = np.random.default_rng(0)
    result = compare(honest(rng), "y", models=["least-squares", "lasso"], folds=4)
    result.model(result.best).scores[result.metric] = size * np.array([0.1, 0.1, 0.1, 0.9])
    assert [finding.code for finding in honesty._wild_fold(result, None, None)] == expected


def test_which_member_of_the_stack_leads_is_no_finding():
    frame = honest(np.random.default_rng(0), n=200)
    frame = frame.with_columns(y=pl.col("y") + 3.0 * (pl.col("x2") > 0))  # lines and a step: better together
    lines = ["least-squares", "lasso", "ridge"]
    assert "UNSTABLE-WINNER" in codes(frame, models=lines, folds=4)
    result = compare(frame, "y", models=[*lines, "regression-tree", "stack"], folds=4)
    assert result.best == "stack"
    assert "UNSTABLE-WINNER" not in {finding.code for finding in result.findings}


def test_probabilities_worse_than_guessing_of_a_model_that_separates_the_classes(rng):
    n = 300
    x = rng.normal(size=n)
    y = np.where(x + 1.5 * rng.normal(size=n) > 0, "yes", "no")
    # The same measurement twenty times: naive Bayes counts it as twenty pieces of evidence.
    frame = pl.DataFrame({f"x{k}": x + 0.05 * rng.normal(size=n) for k in range(20)} | {"y": y})
    found = codes(frame, models=["GaussianNB", "lda"])
    words = r"baseline is 0.69\d. Worse: naive Bayes, Gaussian \(.*ROC AUC 0.\d+\)"
    assert re.search(words, found["OVERCONFIDENT"].detail)
    assert found["OVERCONFIDENT"].models == ["naive-bayes-gaussian"]
    assert "OVERCONFIDENT" not in codes(frame, models=["GaussianNB", "lda"], metric="roc_auc")
    noise = frame.with_columns(y=pl.Series(rng.permutation(y)))  # nothing learned: the baseline is simply better
    assert "OVERCONFIDENT" not in codes(noise, models=["GaussianNB"])


def test_a_wild_fold_is_reported_where_the_baseline_is_best(rng):
    n = 60
    y = rng.normal(80, 15, size=n)
    y[3] = 1400.0
    result = compare(pl.DataFrame({"x": rng.normal(size=n), "y": y}), "y", models=["least-squares"], folds=5, holdout=0)
    assert "WILD-FOLD" in {f.code for f in result.findings}
    assert result.verdict.endswith("One fold dominates these scores; see WILD-FOLD in the honesty box.")


def test_units_years_and_repeated_columns_are_noticed(rng):
    state, year = np.repeat(np.arange(40), 5), np.tile(np.arange(2001, 2006), 40)
    y = (10 * rng.normal(size=40))[state] + rng.normal(size=200) * 0.3
    frame = pl.DataFrame({
        "state": [f"s{k}" for k in state], "year": year, "x": rng.normal(size=200), "y": y,
    }).with_columns(copy=pl.col("x"))  # fmt: skip
    found = codes(frame, folds_random=True)
    assert found["GROUPS"].severity == "warning"
    assert re.fullmatch(
        r"'state' has 40 distinct values in 200 rows; (more than )?99\.\d% of the variance of the target lies between "
        r"them\.", found["GROUPS"].detail,
    )  # fmt: skip
    assert "LEAK" not in found
    assert found["TIME-ORDER"].detail == "Columns of years: 'year'."
    assert found["REPEATED-COLUMN"].detail == "'copy' repeats 'x'."
    assert "GROUPS" not in codes(frame, groups="state")


def test_a_time_series_under_random_folds_is_a_warning(rng):
    n = 120
    days = [(datetime.date(2024, 1, 1) + datetime.timedelta(days=k)).strftime("%d.%m.%Y") for k in range(n)]
    found = codes(honest(rng, n=n, day=days))["TIME-ORDER"]
    assert found.severity == "warning"
    assert found.detail.startswith("'day' increases from each row to the next")
    shuffled = rng.permutation(days).tolist()
    assert codes(honest(rng, n=n, day=shuffled))["TIME-ORDER"].severity == "note"


def test_columns_that_make_up_the_target_are_named(rng):
    low = rng.normal(20, 5, size=90)
    frame = pl.DataFrame({"low": low, "high": low + rng.uniform(1, 9, size=90), "x": rng.normal(size=90)})
    found = codes(frame.with_columns(y=(pl.col("low") + pl.col("high")) / 2))["TOO-GOOD"]
    assert re.search(r"A linear function of '(low|high)' and '(low|high)' alone comes as close\.", found.detail)


def test_levels_that_differ_in_capitals_only_are_noted(rng):
    n = 90
    frame = honest(rng, n=n, answer=rng.choice(["Yes", "yes ", "No"], size=n).tolist())
    result = compare(frame, "y", models=["least-squares"], folds=3)
    assert any(
        note.startswith("'answer' has levels that differ only in capitals or spaces, such as 'Yes' and 'yes '")
        for note in result.profile.notes
    )


def test_a_wild_row_among_the_held_out_ones_is_reported(rng):
    n = 100
    frame = pl.DataFrame({"x": rng.normal(size=n), "z": rng.normal(size=n)})
    frame = frame.with_columns(y=2 * frame["x"] + pl.Series(rng.normal(size=n)))
    plain = compare(frame, "y", models=["ridge"], folds=4)
    assert "HOLDOUT-GAP" not in [f.code for f in plain.findings]
    row = int(plain.holdout_rows[0])
    wild = frame.with_columns(x=pl.when(pl.int_range(n) == row).then(1e4).otherwise(pl.col("x")))
    found = compare(wild, "y", models=["ridge"], folds=4)
    assert "HOLDOUT-GAP" in [f.code for f in found.findings]  # although its interval holds anything
    assert "a few rows hold much of the error" in found.verdict
