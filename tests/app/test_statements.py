"""Every statement outside the verdict has a predicate here that decides whether it is true of a table.

`statlearn.app.statements` lists the templates. A new one without a case in `CASES` fails the first test.
"""

import re
import string
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from statlearn.app.compare.planning import make_plan
from statlearn.app.compare.request import Request
from statlearn.app.compare.run import compare
from statlearn.app.compare.side_by_side import side_by_side
from statlearn.app.explain.residuals import residual_tests
from statlearn.app.explain.what_if import what_if
from statlearn.app.statements import STATEMENTS, say
from statlearn.app.tables.table import as_table

CASES = {}


def case(*codes):
    """Marks a function that yields (statements that were made, code, whether the code is true)."""

    def mark(function):
        CASES.update(dict.fromkeys(codes, function))
        return function

    return mark


def pattern(code):
    """A printed statement of this code."""
    parts = [re.escape(text) + (".+?" if name else "") for text, name, *_ in string.Formatter().parse(STATEMENTS[code])]
    return re.compile("".join(parts) + "$")


def test_every_statement_has_a_case():
    assert set(CASES) == set(STATEMENTS)


@pytest.mark.parametrize("code", list(STATEMENTS))
def test_a_statement_is_made_where_it_is_true_and_only_there(code):
    true_somewhere = false_somewhere = False
    for made, own, true in CASES[code]():
        if own != code:
            continue
        assert any(pattern(code).match(text) for text in made) == true, (code, made)
        true_somewhere |= true
        false_somewhere |= not true
    assert true_somewhere
    assert false_somewhere


def test_words_are_filled_in():
    assert say("UNKNOWN-LEVEL", column="'a'", value="'b'") == "'a' = 'b' does not occur in the training rows."


def _frame(n=90, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": rng.normal(size=n), "town": rng.choice(["a", "b"], size=n)})
    return frame.assign(y=2 * frame["x"] + (frame["town"] == "a") + rng.normal(size=n))


_MODELS = {}


def _model(name):
    if name not in _MODELS:
        _MODELS[name] = compare(_frame(), "y", models=[name], folds=2, holdout=0).model_for_use(name)
    return _MODELS[name]


@case("SHAPLEY-TREES", "SHAPLEY-LINEAR", "SHAPLEY-SAMPLED")
def reasons_by_kind_of_model():
    kinds = {
        "regression-tree": "SHAPLEY-TREES",
        "least-squares": "SHAPLEY-LINEAR",
        "k-nearest-neighbours": "SHAPLEY-SAMPLED",
    }
    for name, own in kinds.items():
        made = [what_if(_model(name), _frame(), 3).method]
        for code in kinds.values():
            yield made, code, code == own


@case("NO-BACKGROUND", "OUTSIDE-RANGE", "UNKNOWN-LEVEL")
def changed_rows():
    model, frame = _model("least-squares"), _frame()
    top = float(frame["x"].max())
    for changes, rows in (({"x": top + 1}, 90), ({"x": top}, 90), ({"town": "c"}, 90), ({"town": "b"}, 10), ({}, 11)):
        made = what_if(model, frame.head(rows), 0, changes).notes
        yield made, "NO-BACKGROUND", rows <= 10
        yield made, "OUTSIDE-RANGE", changes.get("x", 0) > top
        yield made, "UNKNOWN-LEVEL", changes.get("town") == "c"


@case("DRIFT", "DRIFT-VALUES", "DRIFT-LEVELS", "DRIFT-MISSING", "NEW-LEVELS")
def new_tables():
    """Rates of false alarms are measured in ``tests/app/model/test_drift.py``; here the changes are certain."""
    model, same = _model("least-squares"), _frame(200, seed=1)
    lost = same["x"].where(np.arange(200) % 2 == 0)
    for frame, true in (
        (same, ()),
        (same.assign(x=same["x"] + 3), ("DRIFT", "DRIFT-VALUES")),
        (same.assign(town="a"), ("DRIFT", "DRIFT-LEVELS")),
        (same.assign(x=lost), ("DRIFT", "DRIFT-MISSING")),
        (same.assign(town=np.where(np.arange(200) < 2, "c", same["town"])), ("NEW-LEVELS",)),
    ):
        made = model.drift(frame).notes()
        for code in ("DRIFT", "DRIFT-VALUES", "DRIFT-LEVELS", "DRIFT-MISSING", "NEW-LEVELS"):
            yield made, code, code in true


@case("COST")
def decisions_with_costs():
    """That the cost holds on fresh rows is measured in ``tests/app/compare/test_costs.py``."""
    frame = _frame(120).assign(y=lambda f: np.where(f["y"] > 0, "high", "low"))
    for cost in ("fp=1,fn=3", None):
        found = compare(frame, "y", models=["logistic-l2"], folds=3, cost=cost)
        yield (
            ([] if cost is None else [found.costs.words(found.best, found.model(found.best).label)]),
            "COST",
            bool(cost),
        )


@case(
    "RESIDUALS-NORMAL", "RESIDUALS-NOT-NORMAL", "SPREAD-EVEN", "SPREAD-GROWS", "SPREAD-SHRINKS",
    "NEIGHBOURS-UNCORRELATED", "NEIGHBOURS-CORRELATED",
)  # fmt: skip
def residuals():
    """Rates are measured in ``tests/app/explain/test_residuals.py``; here deviations are certain."""
    rng = np.random.default_rng(3)
    p, noise = rng.uniform(0, 3, size=500), rng.normal(size=500)
    kinds = {
        (): noise,
        ("RESIDUALS-NOT-NORMAL",): rng.lognormal(size=500),
        ("RESIDUALS-NOT-NORMAL", "SPREAD-GROWS"): np.exp(p) * noise,
        ("RESIDUALS-NOT-NORMAL", "SPREAD-SHRINKS"): np.exp(-p) * noise,
        ("NEIGHBOURS-CORRELATED",): noise + np.roll(noise, 1),
    }
    pairs = {
        "RESIDUALS-NORMAL": {"RESIDUALS-NOT-NORMAL"}, "SPREAD-EVEN": {"SPREAD-GROWS", "SPREAD-SHRINKS"},
        "NEIGHBOURS-UNCORRELATED": {"NEIGHBOURS-CORRELATED"},
    }  # fmt: skip
    for true, errors in kinds.items():
        made = [t.words for t in residual_tests(p + errors, p)]
        for fine, wrong in pairs.items():
            yield made, fine, not wrong & set(true)
            for code in wrong:
                yield made, code, code in true


@case("REPORTS-SAME-ROWS", "REPORTS-OTHER-ROWS", "REPORTS-OTHER-METRIC", "REPORTS-OTHER-TARGET")
def two_reports():
    def found(frame, target, **options):
        return compare(frame, target, models=["least-squares"], folds=2, holdout=0, **options)

    frame = _frame()
    first = found(frame, "y")
    changed = replace(found(frame, "y"), metrics=["poisson_deviance"])
    kinds = {
        "REPORTS-SAME-ROWS": found(frame.drop(columns="town"), "y"),
        "REPORTS-OTHER-ROWS": found(frame.head(60), "y"),
        "REPORTS-OTHER-METRIC": changed,
        "REPORTS-OTHER-TARGET": found(frame, "x"),
    }
    for true, second in kinds.items():
        made = side_by_side((first, second)).notes
        for code in kinds:
            yield made, code, code == true


@case("FREQUENCIES")
def counted_rows():
    frame = _frame().assign(times=2)
    for weights in ("times", None):
        found = compare(frame, "y", models=["least-squares"], folds=2, holdout=0, weights=weights)
        made = found.profile.notes
        yield made, "FREQUENCIES", weights is not None
        assert weights is None or f"{len(found.y_true)} rows in all" in made[-1]


@case("LOG-TARGET")
def logarithms():
    """Rates are measured in ``tests/app/compare/test_log_target.py``; here the errors are certain."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=120)
    for true, y in ((True, np.exp(x + 0.7 * rng.normal(size=120))), (False, 30 + x + rng.normal(size=120))):
        made = make_plan(Request(as_table(pd.DataFrame({"x": x, "y": y})), "y")).profile.notes
        yield made, "LOG-TARGET", true
