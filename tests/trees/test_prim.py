"""PRIM: peels, pastes, the choice by cross-validation, the covering."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.trees import PRIM, C45Classifier, DecisionList, peel_count, rules_from_tree
from statlearn.trees._prim_box import Peeler
from tests.helpers import assert_close


def corner(rng, n=500, noise=0.1):
    X = rng.random((n, 4))
    y = ((X[:, 0] > 0.6) & (X[:, 1] <= 0.4)) + noise * rng.normal(size=n)
    return X, y


def slow_peels(X, y, alpha):
    """Mean after every possible peel of a whole table without ties: (mean, column, rows left)."""
    k = max(1, int(alpha * len(y)))
    for j in range(X.shape[1]):
        order = np.argsort(X[:, j])
        for kept in (order[k:], order[:-k]):
            yield y[kept].mean(), j, np.sort(kept)


@pytest.mark.spec("TRE-T15", "TRE-32")
def test_number_of_peels():
    assert_close(peel_count(128), 46.0517, atol=1e-4)
    assert peel_count(128, rounding="ceil") == 29
    assert_close(peel_count(128, 0.5, n_end=2), np.log2(128) - 1)
    assert peel_count(1) == peel_count(1, rounding="ceil") == 0
    with pytest.raises(ValueError, match="alpha"):
        peel_count(10, 1.5)


@pytest.mark.spec("TRE-P20", "TRE-31")
@given(seed=st.integers(0, 10_000), alpha=st.sampled_from([0.05, 0.1, 0.3]))
def test_each_peel_is_small_and_the_best_of_all(seed, alpha):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(120, 3)), rng.normal(size=120)
    boxes = Peeler(X, y, np.ones(120), [0, 0, 0], alpha, 10).trajectory()
    assert boxes[0].support == 1.0
    for before, after in itertools.pairwise(boxes):
        inside, kept = before.contains(X), after.contains(X)
        assert not np.any(kept & ~inside)
        removed = inside.sum() - kept.sum()
        assert 1 <= removed <= max(1, alpha * inside.sum())
        assert kept.sum() >= 10
        assert_close(after.mean, y[kept].mean())
        assert_close(after.support, kept.mean())
        best = max(slow_peels(X[inside], y[inside], alpha))
        assert_close(after.mean, best[0])


@pytest.mark.spec("TRE-P20", "TRE-31")
@given(seed=st.integers(0, 10_000))
def test_pasting_never_lowers_the_mean(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(100, 3)), rng.normal(size=100)
    X[:, 2] = rng.integers(0, 4, 100)
    peeler = Peeler(X, y, np.ones(100), [0, 0, 4], 0.2, 10)
    for box in peeler.trajectory():
        wider = peeler.pasted(box)
        inside, now = box.contains(X), wider.contains(X)
        assert not np.any(inside & ~now)
        assert wider.mean >= box.mean
        assert_close(wider.mean, y[now].mean())
        assert_close(wider.support, now.mean())


@pytest.mark.spec("TRE-31", "TRE-32")
def test_finds_the_corner(seed, rng):
    X, y = corner(rng)
    model = PRIM(max_boxes=1).fit(pd.DataFrame(X, columns=list("abcd")), y)
    box = model.boxes_[0]
    assert {0, 1} <= set(box.used())
    # New rows in the box come from the corner.
    new_X, new_y = corner(np.random.default_rng(100 + seed), 5000)
    inside = box.contains(new_X)
    assert new_y[inside].mean() > 0.9
    assert 0.02 < inside.mean() < 0.18
    path = model.trajectory_[0]
    assert path.support[0] == 1.0
    assert np.all(np.diff(path.support) < 0)
    assert np.all(path.pasted_mean >= path.mean - 1e-12)
    assert_close(path.pasted_mean[path.chosen], box.mean)
    text = str(model.rules()[0])
    assert text.startswith("a > 0.")
    assert " and b " in text
    assert str(model.rules()[-1]).startswith("anything else -> ")


@pytest.mark.spec("TRE-31")
def test_covering_takes_the_second_bump(rng):
    X = rng.random((800, 2))
    first, second = (X < 0.25).all(axis=1), (X > 0.75).all(axis=1)
    y = 2.0 * first + 1.0 * second + 0.1 * rng.normal(size=800)
    model = PRIM(n_min=20).fit(X, y)
    assert model.boxes_[0].mean > 1.8
    assert 0.8 < model.boxes_[1].mean < 1.3
    numbers = model.apply([[0.1, 0.1], [0.9, 0.9], [0.1, 0.9]])
    assert numbers[0] == 0
    assert numbers[1] > 0
    assert_close(model.predict([[0.1, 0.1]]), model.boxes_[0].mean)
    outside = np.append([b.mean for b in model.boxes_], model.remainder_mean_)
    assert_close(model.predict(X), outside[model.apply(X)])
    # The rules are the boxes: the first that covers a row speaks.
    said = np.full(len(X), np.nan)
    for rule in model.rules():
        said = np.where(np.isnan(said) & rule.covers(X), rule.prediction, said)
    assert_close(said, model.predict(X))


@pytest.mark.spec("TRE-31")
def test_low_means_are_high_means_of_the_negative(rng):
    X, y = corner(rng, 200)
    low = PRIM(objective="min").fit(X, -y)
    high = PRIM().fit(X, y)
    assert_close(low.predict(X), -high.predict(X))


@pytest.mark.spec("TRE-31")
def test_names_are_peeled_level_by_level(rng):
    colour = rng.choice(["red", "green", "blue", "grey"], 400)
    x = rng.random(400)
    y = np.isin(colour, ["red", "blue"]) * (x > 0.5) + 0.1 * rng.normal(size=400)
    frame = pd.DataFrame({"colour": colour, "x": x})
    model = PRIM(max_boxes=1).fit(frame, y)
    blue, green, grey, red = model.boxes_[0].allowed[0]
    assert not green
    assert not grey
    assert blue or red
    assert str(model.rules()[0]).startswith("colour in {")
    colours = np.array(["violet", "green", "blue" if blue else "red"])
    assert model.apply(pd.DataFrame({"colour": colours, "x": [0.75] * 3})).tolist() == [-1, -1, 0]


@pytest.mark.spec("TRE-31")
def test_one_standard_error_takes_a_larger_box(rng):
    X, y = corner(rng, 300, noise=1.0)
    best, simple = (PRIM(max_boxes=1, rule=rule).fit(X, y) for rule in ("min", "one_se"))
    assert simple.trajectory_[0].chosen <= best.trajectory_[0].chosen
    assert best.cv_curves_[0].best == best.trajectory_[0].chosen
    greedy = PRIM(max_boxes=1, cv=None).fit(X, y)
    assert_close(greedy.boxes_[0].mean, greedy.trajectory_[0].pasted_mean.max())
    assert greedy.cv_curves_ == []


@pytest.mark.spec("TRE-31")
def test_ties_are_peeled_whole():
    X = np.repeat([[0.0], [1.0]], 50, axis=0)
    y = X[:, 0].copy()
    model = PRIM(cv=None).fit(X, y)
    assert model.boxes_[0].mean == 1.0
    assert model.boxes_[0].lower[0] == 0.5
    # Where nothing can be won there is no box.
    assert PRIM(cv=None).fit(X, np.ones(100)).boxes_ == []


@pytest.mark.spec("TRE-32")
def test_trajectory_is_drawn(rng):
    model = PRIM().fit(*corner(rng, 200))
    ax = model.plot_trajectory()
    assert ax.get_xlabel().startswith("support")
    assert len(ax.lines) == 3
    with pytest.raises(ValueError, match="out of range; "):
        model.plot_trajectory(99)


def test_missing_cells_raise():
    with pytest.raises(ValueError, match="contains NaN"):
        PRIM().fit([[1.0], [np.nan]], [0.0, 1.0])
    with pytest.raises(ValueError, match="contains NaN: column"):
        PRIM().fit(pd.DataFrame({"a": ["x", None]}), [0.0, 1.0])


def test_missing_cells_of_a_frame_raise_by_the_name_of_their_column():
    X = pd.DataFrame({"kind": pd.Categorical(list("abcd") * 5), "x": np.arange(20.0)})
    X.loc[3, "x"] = np.nan
    with pytest.raises(ValueError, match=r"contains NaN: column 'x' has missing values"):
        PRIM().fit(X, np.arange(20.0))
    with pytest.raises(ValueError, match=r"contains NaN: column 'x' has missing values"):
        PRIM().fit(X[["x"]], np.arange(20.0))


def test_rows_of_one_fold_are_left_without_a_curve(rng):
    X, y = rng.normal(size=(20, 1)), rng.normal(size=20)
    folds = [(np.delete(np.arange(20), np.arange(k, 20, 2)), np.arange(k, 20, 2)) for k in range(2)]
    weights = np.where(np.arange(20) % 2 == 0, 1e3, 0.0)  # all weight in the first fold
    model = PRIM(cv=folds).fit(X, y, sample_weight=weights)
    assert model.cv_curves_ == []
    assert len(model.boxes_) >= 1


@pytest.mark.spec("CRS-134")
def test_boxes_and_rules_print_one_per_line(rng):
    X = rng.normal(size=(100, 3))
    model = PRIM(max_boxes=2).fit(X, X[:, 0] + X[:, 2])
    rules = model.rules()
    assert repr(rules) == "\n".join(str(rule) for rule in rules)
    assert "nan" not in repr(rules)
    assert "np." not in repr(rules)
    assert repr(model.boxes_) == repr(rules[:-1])
    assert isinstance(model.boxes_, list)
    frame = rules.to_frame()
    assert frame.columns.tolist() == ["rule", "prediction", "support"]  # means have no precision
    assert_close(frame.prediction[:-1], [box.mean for box in model.boxes_])
    assert model.boxes_.to_frame("polars").columns == ["box", "mean", "support", "weight"]
    with pytest.raises(ValueError, match="`backend` must be 'pandas' or 'polars'"):
        rules.to_frame("arrow")


@pytest.mark.spec("CRS-134")
def test_rules_of_classes_keep_their_precision():
    X = [["red", 1.0], ["red", 2.0], ["blue", 1.0], ["blue", 5.0]] * 5
    tree = C45Classifier().fit(X, ["a", "a", "b", "b"] * 5)
    assert repr(tree.rules()) == "x0 = blue -> b (10 rows, 100% right)\nx0 = red -> a (10 rows, 100% right)"
    assert tree.rules().to_frame().to_dict("list") == {
        "rule": ["x0 = blue", "x0 = red"], "prediction": ["b", "a"], "support": [10.0, 10.0], "precision": [1.0, 1.0],
    }  # fmt: skip
    listed = DecisionList().fit(np.arange(40.0)[:, None], np.arange(40) > 20)
    assert repr(listed.rules_).count("\n") == len(listed.rules_) - 1
    assert repr(rules_from_tree(tree)) == repr(tree.rules())
    assert repr(tree.rules()[0:0]) == "[]"
