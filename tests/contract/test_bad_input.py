"""Broken data gets a ValueError or TypeError that names the argument; never a crash or a silent answer."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from tests.contract.fits import shared_fit
from tests.contract.instances import (
    LEGAL_DATA,
    LEGAL_WEIGHTS,
    PARTIAL_LABELS,
    all_instances,
    make_problem,
    name_of,
    takes_vectors,
)
from tests.fuzz import judge

ESTIMATORS = all_instances(tables=True)
WEIGHTED = [e for e in ESTIMATORS if has_fit_parameter(e, "sample_weight")]


def put(array, place, value):
    """The array with one cell replaced."""
    array = np.array(array, dtype=float if not isinstance(value, str) else object)
    array.flat[place] = value
    return array


@dataclass
class Corruption:
    """What is made of (X, y) at a place, and the argument that the message has to name."""

    apply: Callable
    argument: str
    places: tuple = (None,)  # or those where the break matters: the first cell, one inside, the last

    def __call__(self, *data):
        return [self.apply(*data, place) for place in self.places]


CELLS = (0, 13, -1)
LENGTHS = (1, 13, -1)
BROKEN_DATA = {
    "nan in X": Corruption(lambda X, y, k: (put(X, k, np.nan), y), "X", CELLS),
    "infinity in X": Corruption(lambda X, y, k: (put(X, k, np.inf), y), "X", CELLS),
    "text in X": Corruption(lambda X, y, k: (put(X, k, "red"), y), "X", CELLS),
    "X has one dimension": Corruption(lambda X, y, k: (X[:, 0], y), "X"),
    "X has three dimensions": Corruption(lambda X, y, k: (X[None], y), "X"),
    "X has no rows": Corruption(lambda X, y, k: (X[:0], y[:0]), "X"),
    "X has no columns": Corruption(lambda X, y, k: (X[:, :0], y), "X"),
    "X is complex": Corruption(lambda X, y, k: (X.astype(complex), y), "X"),
    "y is too short": Corruption(lambda X, y, k: (X, y[:k]), "y", LENGTHS),
    "y is missing": Corruption(lambda X, y, k: (X, None), "y"),
    "y has nan": Corruption(lambda X, y, k: (X, put(y, k, np.nan)), "y", CELLS),
    "y has infinity": Corruption(lambda X, y, k: (X, put(y, k, np.inf)), "y", CELLS),
}
BROKEN_WEIGHTS = {
    "nan": Corruption(lambda w, k: put(w, k, np.nan), "sample_weight", CELLS),
    "infinity": Corruption(lambda w, k: put(w, k, np.inf), "sample_weight", CELLS),
    "too short": Corruption(lambda w, k: w[:k], "sample_weight", LENGTHS),
    "all zero": Corruption(lambda w, k: 0 * w, "sample_weight"),
    "negative": Corruption(lambda w, k: put(w, k, -1.0), "sample_weight", CELLS),
    "two columns": Corruption(lambda w, k: np.column_stack([w, w]), "sample_weight"),
    "text": Corruption(lambda w, k: put(w, k, "red"), "sample_weight", CELLS),
    "a negative number": Corruption(lambda w, k: -1.0, "sample_weight"),
    "nan for all": Corruption(lambda w, k: np.nan, "sample_weight"),
}


def is_legal(estimator, corruption):
    """Whether what would be broken data elsewhere is what this estimator says it takes."""
    tags = get_tags(estimator)
    if corruption == "y has nan" and name_of(estimator) in PARTIAL_LABELS:
        return True
    if corruption.startswith("y"):
        return not tags.target_tags.required
    if tags.no_validation or corruption in LEGAL_DATA.get(name_of(estimator), {}):
        return True
    return {"nan in X": tags.input_tags.allow_nan, "text in X": tags.input_tags.string}.get(corruption, False)


def cases(estimators, corruptions):
    """Parameters for every estimator and every corruption that is not legal for it."""
    return [
        pytest.param(estimator, corruption, id=f"{corruption}-{name_of(estimator)}")
        for corruption in corruptions
        for estimator in estimators
        if not is_legal(estimator, corruption)
    ]


def weight_cases():
    """Parameters for every estimator that takes weights and every corruption of them that is not legal for it."""
    return [
        pytest.param(estimator, corruption, id=f"{corruption}-{name_of(estimator)}")
        for corruption in BROKEN_WEIGHTS
        for estimator in WEIGHTED
        if corruption not in LEGAL_WEIGHTS.get(name_of(estimator), {})
    ]


def assert_named(error, argument):
    """The message names the argument, and does not send people to another package."""
    assert re.search(rf"\b{argument}\b", str(error)), f"no `{argument}` in: {error}"
    assert "sklearn." not in str(error), error


ODD_TABLES = {
    "None": lambda X: None,
    "a word": lambda X: "word",
    "a dict": lambda X: {"a": [1, 2]},
    "an object": lambda X: object(),
    "a lazy frame": lambda X: pl.DataFrame(X[:, :2]).lazy(),
    "periods": lambda X: pd.DataFrame({"a": X[:, 0], "b": pd.period_range("2026-01-01", periods=len(X))}),
    "intervals": lambda X: pd.DataFrame({"a": X[:, 0], "b": pd.interval_range(0, len(X))}),
}
OBJECTS = re.compile(r"\bX\b|^Column 'b'|terms: ")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_odd_tables_raise_by_name_or_accepted(estimator):
    X, y = make_problem(estimator, n=30)
    X = np.asarray(X) if np.ndim(X) == 2 and X.dtype.kind in "fiu" else np.random.default_rng(0).normal(size=(30, 4))
    for odd, make in ODD_TABLES.items():
        refusal = None
        try:
            clone(estimator).fit(make(X), y)
        except (ValueError, TypeError) as error:
            refusal = str(error)
        assert refusal is None or OBJECTS.search(refusal), f"{odd}: {refusal}"
        assert not re.search("unhashable|has no len|not 'Period'|Interval'$", refusal or ""), f"{odd}: {refusal}"


@pytest.mark.filterwarnings("ignore:A column-vector y")
@pytest.mark.parametrize(
    "estimator, corruption",
    [
        *cases(ESTIMATORS, [name for name in BROKEN_DATA if name != "X has one dimension"]),
        *cases([e for e in ESTIMATORS if not takes_vectors(e)], ["X has one dimension"]),
    ],
)
def test_broken_data_raises_by_name(estimator, corruption):
    X, y = make_problem(estimator, n=30)
    for data in BROKEN_DATA[corruption](X, y):
        with pytest.raises((ValueError, TypeError)) as caught:
            clone(estimator).fit(*data)
        assert_named(caught.value, BROKEN_DATA[corruption].argument)


@pytest.mark.parametrize(
    "estimator", [e for e in ESTIMATORS if is_classifier(e) and name_of(e) not in PARTIAL_LABELS], ids=name_of
)
def test_missing_labels_raise(estimator):
    X, y = make_problem(estimator, n=30)
    labels = np.array(["a", "b", "c"], dtype=object)[np.unique(y, return_inverse=True)[1] % 3]
    labels[4] = None
    with pytest.raises(ValueError, match=r"\by\b.*None"):
        clone(estimator).fit(X, labels)


@pytest.mark.parametrize("estimator, corruption", weight_cases())
def test_broken_weights_raise_by_name(estimator, corruption):
    X, y = make_problem(estimator, n=30)
    for weights in BROKEN_WEIGHTS[corruption](np.ones(len(y))):
        with pytest.raises((ValueError, TypeError)) as caught:
            clone(estimator).fit(X, y, sample_weight=weights)
        assert_named(caught.value, "sample_weight")


def assert_refused(method, estimator, corruption):
    """A method of the fitted estimator refuses a broken X."""
    fit = shared_fit(estimator)
    for X, _ in BROKEN_DATA[corruption](fit.X, fit.y):
        with pytest.raises((ValueError, TypeError)) as caught:
            getattr(fit.estimator, method)(X)
        assert_named(caught.value, "X")


AT_PREDICTION = ["nan in X", "infinity in X", "X has one dimension", "X has no rows", "text in X"]


@pytest.mark.parametrize(
    "estimator, corruption", cases([e for e in ESTIMATORS if hasattr(e, "predict")], AT_PREDICTION)
)
def test_broken_data_raises_at_prediction(estimator, corruption):
    assert_refused("predict", estimator, corruption)


TRANSFORMERS = [e for e in ESTIMATORS if hasattr(e, "transform") and not isinstance(e, SelectorMixin)]
SELECTORS = [e for e in ESTIMATORS if isinstance(e, SelectorMixin)]  # return text and infinity as they are


@pytest.mark.parametrize(
    "estimator, corruption",
    [*cases(TRANSFORMERS, AT_PREDICTION), *cases(SELECTORS, ["nan in X", "X has one dimension", "X has no rows"])],
)
def test_broken_data_raises_at_transformation(estimator, corruption):
    assert_refused("transform", estimator, corruption)


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if hasattr(e, "predict")], ids=name_of)
def test_another_number_of_columns_raises_at_prediction(estimator):
    fit = shared_fit(estimator)
    with pytest.raises(ValueError, match=r"\bX has 3 features"):
        fit.estimator.predict(fit.X[:, :-1])


def broken_sparse(X, layout, part, place, value):
    """X as a compressed sparse matrix with one wrong number among its indices, which scipy accepts."""
    table = (sparse.csr_array if layout == "csr" else sparse.csc_array)(np.asarray(X, dtype=float))
    getattr(table, part)[place] = value
    return table


BROKEN_INDICES = [
    ("csr", "indices", 1, 10**8), ("csr", "indices", -1, -1), ("csr", "indptr", -1, 10**8), ("csr", "indptr", 2, 10**8),
    ("csc", "indices", 0, 10**8), ("csc", "indptr", 1, -(10**8)),
]  # fmt: skip


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if not get_tags(e).no_validation], ids=name_of)
def test_sparse_indices_out_of_range_are_refused(estimator):
    """Without a check these end the process inside scipy's conversions."""
    fit = shared_fit(estimator)
    X = np.asarray(fit.X) if np.ndim(fit.X) == 2 and fit.X.dtype.kind in "fiu" else np.ones((30, 4))
    verbs = [verb for verb in ("predict", "transform", "score_samples") if hasattr(fit.estimator, verb)]
    for case in BROKEN_INDICES:
        calls = [lambda table: clone(estimator).fit(table, fit.y), *(getattr(fit.estimator, verb) for verb in verbs)]
        for call in calls:
            with pytest.raises((ValueError, TypeError)) as caught:
                call(broken_sparse(X, *case))
            assert_named(caught.value, "X")


AWKWARD = {
    "constant column": lambda X, y: (np.column_stack([X[:, :1], np.full(len(X), 3.0), X[:, 2:]]), y),
    "collinear": lambda X, y: (np.column_stack([X[:, :3], X[:, 0] + X[:, 1]]), y),
    "one row": lambda X, y: (X[:1], y[:1]),
    "more columns than rows": lambda X, y: (np.tile(X[:20], (1, 6)) + np.arange(24), y[:20]),
    "huge scale": lambda X, y: (X * 1e12, y),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
@pytest.mark.parametrize("case", AWKWARD)
def test_awkward_but_legal_data_gives_finite_answers_or_a_clear_error(estimator, case):
    X, y = AWKWARD[case](*make_problem(estimator, n=30))
    fitted, refusal = clone(estimator), None
    try:
        fitted.fit(X, y)
    except ValueError as error:
        refusal = error
    if refusal is not None:  # in our own words or scikit-learn's, not out of a factorisation
        assert judge.of_exception(refusal)[0] == "clean", refusal
    elif hasattr(fitted, "predict"):
        prediction = np.asarray(fitted.predict(X))
        assert len(prediction) == len(X)
        if prediction.dtype.kind == "f":
            assert np.isfinite(prediction).all()
