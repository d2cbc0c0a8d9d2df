"""Which models take part."""

import importlib

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from statlearn import all_estimators
from statlearn._core.params import parameter_names
from statlearn.app.compare.portfolio.entry import Entry
from statlearn.app.compare.portfolio.selection import (
    ABBREVIATIONS,
    Candidate,
    Facts,
    _named,
    candidates,
    select,
    spaces_of,
)
from statlearn.app.compare.scoring import METRICS
from statlearn.app.errors import UsageError

RMSE = METRICS["regression"]["rmse"]
LOG_LOSS = METRICS["classification"]["log_loss"]
ACCURACY = METRICS["classification"]["accuracy"]


def facts(task="regression", n=100, p=5, y=None, **more):
    return Facts(task, n, p, np.linspace(-1, 1, n) if y is None else y, **more)


def names(found):
    return [candidate.name for candidate in found[0]]


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_every_declared_space_makes_an_estimator(task):
    found = candidates(task)
    assert found[0].space.complexity == 0
    assert len({candidate.name for candidate in found}) == len(found)
    for candidate in found:
        known = parameter_names(candidate.estimator)
        assert {*candidate.space.grid, *candidate.space.fixed} <= set(known), candidate.name
        model = candidate.make(3, lambda k: k, "one_se")
        assert isinstance(model, BaseEstimator)
        assert model.get_params().get("rule", "one_se") == "one_se"
        assert candidate.class_name.startswith("statlearn.")


def test_every_declared_label_has_an_entry_of_its_family_and_the_other_way_round():
    declared = {}
    for name, cls in all_estimators():
        spaces = cls.__dict__.get("_search_space", ())
        if spaces:
            labels = {s.label for s in spaces} if isinstance(spaces, tuple) else None
            declared.setdefault(cls.__module__.split(".")[1], {})[name] = labels
    for family, classes in declared.items():
        entries = importlib.import_module(f"statlearn.app.compare.portfolio.{family}").ENTRIES
        assert {name: None if isinstance(e, Entry) else set(e) for name, e in entries.items()} == classes


def test_a_declared_space_makes_a_candidate():
    declared = {cls for _, cls in all_estimators() if spaces_of(cls)}
    listed = {c.estimator for task in ("regression", "classification") for c in candidates(task)}
    assert declared == listed


def test_the_default_portfolio_suits_the_table():
    assert "poisson-regression" not in names(select("regression", None, RMSE, facts()))
    counts = np.arange(100) % 7
    assert "poisson-regression" in names(select("regression", None, RMSE, facts(y=counts)))
    assert "gamma-regression" not in names(select("regression", None, RMSE, facts(y=counts)))
    assert "gamma-regression" in names(select("regression", None, RMSE, facts(y=counts + 1)))
    chosen, notes = select("regression", None, RMSE, facts(p=31))
    assert "best-subset-bic" not in [c.name for c in chosen]
    assert any("best subset" in note and "30 columns" in note for note in notes)
    chosen, notes = select("regression", None, RMSE, facts(n=60))
    assert "k-nearest-neighbours" not in [c.name for c in chosen]
    assert any("k nearest" in note and "at least 80 rows" in note for note in notes)


def test_the_support_vector_machine_joins_by_default_with_its_sigmoids_on_tables_of_moderate_size():
    y = np.arange(100) % 2
    chosen = names(select("classification", None, LOG_LOSS, facts("classification", y=y, n_classes=2)))
    assert "support-vector-machine" in chosen
    chosen, notes = select("classification", None, LOG_LOSS, facts("classification", n=5001, y=y, n_classes=2))
    assert "support-vector-machine" not in [c.name for c in chosen]
    assert any("support vector machine" in note and "5,000 rows" in note for note in notes)


def test_classifiers_without_probabilities_stay_out_where_they_are_needed():
    some = facts("classification", y=np.arange(100) % 2, n_classes=2)
    assert "ridge-classifier" not in names(select("classification", None, LOG_LOSS, some))
    assert "ridge-classifier" in names(select("classification", None, ACCURACY, some))
    three = facts("classification", y=np.arange(100) % 3, n_classes=3)
    assert "stepwise-logistic-aic" not in names(select("classification", None, LOG_LOSS, three))


def test_models_are_found_by_name_class_and_pattern():
    assert names(select("regression", ["LassoCV"], RMSE, facts())) == ["mean-of-the-target", "lasso"]
    assert names(select("regression", ["*lasso*"], RMSE, facts())) == ["mean-of-the-target", "adaptive-lasso", "lasso"]
    assert names(select("regression", ["best subset, BIC"], RMSE, facts(p=35)))[1:] == ["best-subset-bic"]
    assert names(select("regression", ["mean-of-the-target"], RMSE, facts())) == ["mean-of-the-target"]
    with pytest.raises(UsageError, match=r"unknown model 'laso'.*lasso"):
        select("regression", ["laso"], RMSE, facts())
    with pytest.raises(UsageError, match="counts"):
        select("regression", ["poisson-regression"], RMSE, facts())


def test_inner_folds_replace_a_number():
    lasso = next(c for c in candidates("regression") if c.name == "lasso")
    assert isinstance(lasso, Candidate)
    assert lasso.make(0, lambda k: [("folds", k)], "min").cv == [("folds", 5)]


@pytest.mark.parametrize(
    "task, short, name",
    [
        ("classification", "lda", "linear-discriminant-analysis"),
        ("classification", "svm", "support-vector-machine"),
        ("regression", "svm", "support-vector-regression"),
        ("regression", "tree", "regression-tree"),
        ("classification", "tree", "decision-tree"),
        ("regression", "GAM", "additive-model"),
        ("regression", "knn", "k-nearest-neighbours"),
    ],
)
def test_usual_abbreviations_are_taken(task, short, name):
    assert name in {candidate.name for candidate in _named(candidates(task), [short])}


def test_every_abbreviation_stands_for_a_model():
    everything = [*candidates("regression"), *candidates("classification")]
    for short in ABBREVIATIONS:
        assert _named(everything, [short])


def test_networks_join_on_large_tables_where_pytorch_is_installed(monkeypatch):
    large = facts(n=6000)
    assert "neural-network" in names(select("regression", None, RMSE, large))
    chosen, notes = select("regression", None, RMSE, facts(n=400))
    assert "neural-network" not in [c.name for c in chosen]
    assert not any("neural" in note for note in notes)
    assert "neural-network" in names(select("regression", ["mlp"], RMSE, facts(n=400)))
    monkeypatch.setattr("statlearn.app.compare.portfolio.selection.find_spec", lambda name: None)
    chosen, notes = select("regression", None, RMSE, large)
    assert "neural-network" not in [c.name for c in chosen]
    assert any("neural network was left out: it needs PyTorch" in note for note in notes)


def test_naive_bayes_for_counts_needs_columns_that_can_be_counts():
    y = np.arange(100) % 2
    some = facts("classification", y=y, n_classes=2)
    assert names(select("classification", ["MultinomialNB", "ComplementNB"], LOG_LOSS, some))[1:] == [
        "naive-bayes-complement", "naive-bayes-multinomial",
    ]  # fmt: skip
    wrong = facts("classification", y=y, n_classes=2, uncountable=lambda: "'depth' contains negative values")
    with pytest.raises(UsageError, match="needs counts or other non-negative numbers, but 'depth' contains negative"):
        select("classification", ["MultinomialNB"], LOG_LOSS, wrong)
    chosen, notes = select("classification", ["nb"], LOG_LOSS, wrong)
    assert {"naive-bayes-bernoulli", "naive-bayes-categorical"} <= {c.name for c in chosen}
    assert sum("was left out: it needs counts" in note for note in notes) == 2


def test_fishers_discriminant_joins_by_name_where_two_classes_are_ranked():
    two = facts("classification", y=np.arange(100) % 2, n_classes=2)
    assert names(select("classification", ["fisher"], ACCURACY, two))[1:] == ["fisher-discriminant"]
    with pytest.raises(UsageError, match="does not predict probabilities"):
        select("classification", ["fisher"], LOG_LOSS, two)
    three = facts("classification", y=np.arange(100) % 3, n_classes=3)
    with pytest.raises(UsageError, match="only two classes"):
        select("classification", ["fisher"], ACCURACY, three)


def test_models_of_discrete_data_are_no_part_of_the_default_portfolio():
    some = facts("classification", y=np.arange(100) % 2, n_classes=2)
    chosen = set(names(select("classification", None, ACCURACY, some)))
    kinds = ("bernoulli", "categorical", "complement", "multinomial")
    assert not chosen & {"fisher-discriminant", *(f"naive-bayes-{kind}" for kind in kinds)}


@pytest.mark.parametrize(
    ("task", "asked", "words"),
    [
        ("regression", "logistic-l2", r"'logistic-l2' is a model for classification, but this is regression; .*"),
        ("classification", "least-squares", r"is a model for regression, .* use least-squares-classifier.*"),
        ("classification", "LassoCV", r"'LassoCV' is a model for regression, but this is classification; .*"),
    ],
)
def test_names_of_the_other_task_are_told_apart_from_unknown_ones(task, asked, words):
    other = {"regression": "classification", "classification": "regression"}[task]
    with pytest.raises(UsageError, match=f"{words} or set task='{other}'"):
        _named(candidates(task), [asked])
