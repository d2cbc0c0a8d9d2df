"""Errors of validation name the argument."""

import datetime
import itertools
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import make_pipeline

from statlearn._core import validation as _validation
from statlearn._core.params import ListOf, Options
from statlearn._core.validation import check_weights, class_codes, naming, validate_data
from statlearn.cluster import KMedoids
from statlearn.ensemble import VotingRegressor
from statlearn.linear import Lasso, LinearRegression, LogisticRegression, Ridge
from statlearn.neighbors import KNeighborsRegressor
from statlearn.prep import FormulaTransformer, OneHotEncoder, StandardScaler, TableTransformer, TfidfTransformer
from statlearn.smooth import GAM, MARS
from statlearn.trees import DecisionTreeRegressor

X, Y = np.arange(12.0).reshape(6, 2), np.arange(6.0)


@pytest.mark.parametrize(
    "data, options, message",
    [
        ((X[:, 0],), {}, "^X: Expected 2D array, got 1D"),
        ((X[:0],), {}, "^X: Found array with 0 sample"),
        ((X.astype(complex), Y), {}, "^X: Complex data"),
        ((np.array([["red", "blue"]] * 6), Y), {"dtype": float}, "^Column 0 of X contains text .*could not convert"),
        ((sparse.csr_array(X), Y), {}, "^Sparse data was passed for X"),
        ((X, Y[:3]), {}, "^X and y: Found input variables with inconsistent numbers of samples"),
        ((X, np.array(["red"] * 6, dtype=object)), {"y_numeric": True}, "^y: could not convert string"),
        ((np.full((6, 2), np.nan), Y), {}, "^Input X contains NaN"),
        ((X, np.full(6, np.nan)), {}, "^Input y contains NaN"),
    ],
)
def test_messages_of_scikit_learn_get_the_missing_argument_name(data, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        validate_data(BaseEstimator(), *data, **options)


def test_valid_input_passes_and_is_remembered():
    estimator = BaseEstimator()
    table, target = validate_data(estimator, pd.DataFrame(X, columns=["a", "b"]), Y)
    np.testing.assert_array_equal(table, X)
    np.testing.assert_array_equal(target, Y)
    assert estimator.n_features_in_ == 2
    assert list(estimator.feature_names_in_) == ["a", "b"]


class Named(np.ndarray):
    """A subclass of arrays, which may have ways of its own."""


TABLES = {
    "plain": X,
    "columns first": np.asfortranarray(X),
    "every other row": np.repeat(X, 2, axis=0)[::2],
    "single precision": X.astype(np.float32),
    "other bytes": X.astype(">f8"),
    "whole numbers": X.astype(int),
    "no rows": X[:0],
    "no columns": X[:, :0],
    "one more column": np.hstack([X, X[:, :1]]),
    "one dimension": X[:, 0],
    "missing": np.where(X == 3, np.nan, X),
    "infinite": np.where(X == 3, np.inf, X),
    "huge": np.full((6, 2), 1e308),
    "subclass": X.view(Named),
    "frame": pd.DataFrame(X, columns=["a", "b"]),
    "list": X.tolist(),
}
TARGETS = {
    "none": "no_validation",
    "numbers": Y,
    "whole": Y.astype(int),
    "labels": np.array(list("ababab")),
    "objects": Y.astype(object),
    "column": Y[:, None],
    "every other": np.repeat(Y, 2)[::2],
    "short": Y[:3],
    "missing": np.where(Y == 3, np.nan, Y),
    "list": Y.tolist(),
    "text": "abc",
    "nothing": None,
}
OPTIONS = [
    {},
    {"dtype": np.float64},
    {"dtype": (np.float64, np.float32), "order": "C"},
    {"dtype": np.dtype(np.float32), "y_numeric": True},
    {"dtype": None, "order": "F", "ensure_all_finite": "allow-nan", "multi_output": True},
    {"reset": False},
    {"reset": False, "ensure_min_samples": 7},
    {"copy": True},
    {"ensure_min_features": 3},
]


def outcome(data, options, names):
    """What `validate_data` returns or raises, and what the estimator knows then."""
    estimator = BaseEstimator()
    estimator.n_features_in_ = 2
    if names:
        estimator.feature_names_in_ = np.array(["a", "b"], dtype=object)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            valid = validate_data(estimator, *data, **options)
            valid = valid if isinstance(valid, tuple) else (valid,)
        except (ValueError, TypeError) as error:
            valid = (str(error),)
    return valid, vars(estimator), [str(warning.message) for warning in told]


@pytest.mark.parametrize("names", [False, True])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_arrays_recognised_at_once_are_those_that_scikit_learn_returns_unchanged(options, names, monkeypatch):
    for table, target in itertools.product(TABLES.values(), TARGETS.values()):
        if target is TARGETS["none"] and {"y_numeric", "multi_output"} & options.keys():
            continue
        found = outcome((table, target), options, names)
        with monkeypatch.context() as patch:
            patch.setattr(_validation, "_is_plain", lambda *arguments: False)
            expected = outcome((table, target), options, names)
        np.testing.assert_equal(found, expected)
        for ours, theirs, given in zip(found[0], expected[0], (table, target)):
            if isinstance(theirs, np.ndarray):
                assert (ours.dtype, ours.flags.c_contiguous) == (theirs.dtype, theirs.flags.c_contiguous)
                assert np.shares_memory(ours, given) == np.shares_memory(theirs, given)


@pytest.mark.parametrize("rows", [6, 600])  # by QR, and by cross products
def test_least_squares_names_the_columns_of_missing_values(rows):
    table = pd.DataFrame(np.arange(3.0 * rows).reshape(-1, 3) ** 0.5, columns=["a", "b", "c"])
    table.iloc[2, 1] = np.nan
    for fit in (LinearRegression().fit, LinearRegression().partial_fit):
        with pytest.raises(ValueError, match=r"^Input X contains NaN in 'b'\. LinearRegression does not handle"):
            fit(table, np.arange(float(rows)))
    with pytest.raises(ValueError, match=r"^Input X contains NaN\. LinearRegression does not handle missing"):
        LinearRegression().fit(sparse.csr_array(table.to_numpy()), np.arange(float(rows)))
    with pytest.raises(ValueError, match=r"^Input X contains infinity"):
        LinearRegression().fit(table.fillna(np.inf), np.arange(float(rows)))


def test_plain_arrays_are_recognised_at_once(monkeypatch):
    monkeypatch.setattr(_validation.validation, "validate_data", None)
    estimator = BaseEstimator()
    assert validate_data(estimator, X, Y) == (X, Y)
    assert estimator.n_features_in_ == 2
    assert validate_data(estimator, X[:1], reset=False, dtype=(np.float64, np.float32)) is not None


def test_duplicate_column_names_raise():
    table = pd.DataFrame(np.ones((6, 4)), columns=["a", "b", "a", "c"])
    with pytest.raises(ValueError, match=r"X has duplicate column names: 'a'\. Rename these columns"):
        validate_data(BaseEstimator(), table)


@pytest.mark.parametrize("model", [LinearRegression(), Lasso(), KMedoids(n_clusters=2), KNeighborsRegressor()])
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda c: pd.DataFrame(c).astype({"town": "category"})])
def test_text_in_a_table_raises_with_its_column_and_a_remedy(model, make):
    table = {"a": Y, "town": list("xyxyxy")}
    words = rf"Column 'town' contains text \('x'\).* {type(model).__name__} accepts only numbers; put a Table"
    with pytest.raises(ValueError, match=words):
        model.fit(make(table), Y)


def test_dates_in_a_table_are_named_by_their_column():
    table = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=3), "x": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match="Column 'day' contains dates"):
        validate_data(BaseEstimator(), table, [0.0, 1.0, 2.0])


def test_a_target_of_text_is_converted_or_refused_by_name():
    X = np.zeros((2, 1))
    _, y = validate_data(BaseEstimator(), X, np.array(["1.5", "2"]), y_numeric=True)
    np.testing.assert_array_equal(y, [1.5, 2.0])
    with pytest.raises(ValueError, match="y must contain numbers, got 'low'"):
        validate_data(BaseEstimator(), X, np.array(["1.5", "low"]), y_numeric=True)


def test_text_in_the_target_is_not_blamed_on_the_table():
    with pytest.raises(ValueError, match=r"^y: could not convert string"):
        LinearRegression().fit(pd.DataFrame({"a": Y}), pd.Series(list("xyxyxy")))


@pytest.mark.parametrize(
    "weights", [["red"] * 6, np.full(6, np.nan), np.ones(5), np.ones((6, 2)), -np.ones(6), np.full(6, 1e-310)]
)
def test_invalid_weights_raise_by_name(weights):
    with pytest.raises((ValueError, TypeError), match="background_weight"):
        check_weights(weights, X, name="background_weight")


def test_other_errors_pass_unchanged():
    with pytest.raises(ValueError, match=r"^alpha is too large$"), naming("alpha"):
        raise ValueError("alpha is too large")
    with pytest.raises(UnicodeDecodeError), naming("alpha"):
        b"\xff".decode()


def test_weights_so_small_that_products_vanish_raise():
    X = np.ones((3, 1))
    with pytest.raises(ValueError, match=r"^sample_weight is at most 3e-310, .*; scale the weights"):
        check_weights([1e-310, 2e-310, 3e-310], X)
    assert check_weights([1e-310, 0.0, 1e-90], X).max() == 1e-90


def test_missing_values_raise_by_column_with_ways_out():
    from statlearn.linear import Ridge

    X = pd.DataFrame({"age": [1.0, np.nan, 3.0], "height": [1.0, 2.0, 3.0], "weight": [np.nan, 2.0, 3.0]})
    with pytest.raises(ValueError, match=r"X contains NaN in 'age', 'weight'\. Ridge .*statlearn\.prep\.ModelImputer"):
        Ridge().fit(X, [1, 2, 3])
    with pytest.raises(ValueError, match=r"X contains NaN\. Ridge does not handle missing values"):
        Ridge().fit(X.to_numpy(), [1, 2, 3])


def test_class_codes_are_positions_among_the_classes():
    classes = np.array(["a", "b", "d"])
    np.testing.assert_array_equal(class_codes(classes, ["d", "a", "b", "d"]), [2, 0, 1, 2])


@pytest.mark.parametrize("label", ["0", "c", "z"])  # before, between and after the classes
def test_a_label_outside_the_classes_is_named(label):
    message = rf"y_val contains the label '{label}', which is not one of .*\['a', 'b', 'd'\]"
    with pytest.raises(ValueError, match=message):
        class_codes(np.array(["a", "b", "d"]), ["a", label], name="y_val")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (pd.Timestamp("2020-01-31"), "2020-01-31 00:00:00"),
        (datetime.date(2020, 1, 31), "2020-01-31"),
        (datetime.time(8, 30), "08:30:00"),
    ],
)
def test_dates_among_objects_raise_by_column_with_advice(value, shown):
    rows = [[1.0, value], [2.0, value]]
    words = rf"contains dates or times \('{shown}'\); convert it to numbers"
    with pytest.raises(ValueError, match=f"Column 'day' {words}"):
        validate_data(Lasso(), pd.DataFrame(rows, columns=["x", "day"]).astype(object), dtype=np.float64)
    with pytest.raises(ValueError, match=f"Column 1 of X {words}"):
        validate_data(Lasso(), np.array(rows, dtype=object), dtype=np.float64)
    with pytest.raises(ValueError, match=f"Column 1 of X {words}"):
        validate_data(Lasso(), rows, dtype=np.float64)


def test_text_in_an_array_raises_by_column():
    with pytest.raises(ValueError, match=r"Column 1 of X contains text \('b'\).*Lasso accepts only numbers"):
        validate_data(Lasso(), np.array([["1", "2"], ["3", "b"]]), dtype=np.float64)


def test_the_ways_out_of_missing_values_suit_the_estimator():
    from statlearn.cluster import KMeans
    from statlearn.decomposition import FastICA
    from statlearn.linear import Ridge
    from statlearn.manifold import MDS

    X = np.array([[0.0, np.nan, 3.0], [np.nan, 0.0, 1.0], [3.0, 1.0, 0.0]])
    with pytest.raises(ValueError, match="or use a model that handles them, such as a tree"):
        Ridge().fit(X, [1, 2, 3])
    with pytest.raises(ValueError, match=r"or use PCA, FactorAnalysis or NMF of statlearn\.decomposition"):
        FastICA().fit(X)
    with pytest.raises(ValueError, match=r"or drop the rows \(DropMissing\)\.$"):
        KMeans(2).fit(X)
    with pytest.raises(ValueError, match="drop the rows and columns that they belong to"):
        MDS(metric="precomputed").fit(X)


@pytest.mark.parametrize("model", [LinearRegression(), KNeighborsRegressor(), LogisticRegression()])
def test_a_missing_label_of_pandas_raises_a_plain_message(model):
    y = pd.Series(["a", None, "b", "a"], dtype="string")
    with pytest.raises(ValueError, match="Input y contains missing values"):
        model.fit(np.arange(8.0).reshape(4, 2), y)


@pytest.mark.parametrize("estimator", [StandardScaler(), Ridge(), GAM(), DecisionTreeRegressor(), FormulaTransformer()])
def test_arrow_tables_give_the_results_of_arrays(estimator, rng):
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    table = pa.table({"x0": X[:, 0], "x1": X[:, 1]})
    method = "predict" if hasattr(estimator, "predict") else "transform"
    by_array = getattr(clone(estimator).fit(X, y), method)(X)
    fitted = clone(estimator).fit(table, y)
    np.testing.assert_array_equal(getattr(fitted, method)(table), by_array)
    assert fitted.feature_names_in_.tolist() == ["x0", "x1"]


def test_repeated_names_of_arrow_tables_raise():
    table = pa.Table.from_arrays([pa.array([1.0, 2.0])] * 2, names=["a", "a"])
    with pytest.raises(ValueError, match="duplicate column names: 'a'"):
        StandardScaler().fit(table)


@pytest.mark.parametrize("make", [lambda dates: pd.DataFrame({"day": dates}), lambda dates: dates.to_numpy()[:, None]])
def test_dates_as_counts_raise(make):
    with pytest.raises(ValueError, match="contains dates or times"):
        TfidfTransformer().fit(make(pd.date_range("2026-01-01", periods=5)))


def test_lists_of_values_are_checked_entry_by_entry():
    rule = ListOf(Options("full", "diag"))
    assert rule.accepts(np.array(["full", "diag"]))
    assert rule.accepts(("full",))
    for wrong in ("full", [], ["round"], np.array([["full"]]), np.array(5), np.zeros((2, 2)), [["full"]], [{}], None):
        assert not rule.accepts(wrong)


def test_lazy_targets_and_columns_of_odd_types_are_named():
    with pytest.raises(TypeError, match=r"^y is a lazy frame; call collect"):
        Ridge().fit(X, pl.DataFrame({"y": Y}).lazy())
    periods = pd.DataFrame({"a": Y, "month": pd.period_range("2026-01", periods=6, freq="M")})
    with pytest.raises(TypeError, match=r"Column 'month' has values of type period\[M\]"):
        TableTransformer().fit(periods)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame({"a": [1.0, 2.0], "town": ["Ulm", "Bern"]}), "Column 'town' contains text"),
        (pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, np.nan]}), "contains NaN in 'b'"),
        (pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["a", "a"]), "duplicate column names: 'a'"),
        (np.array([1.0, np.inf]), "Reshape your data"),
    ],
)
def test_errors_are_explained_whatever_the_words_of_scikit_learn(table, message, monkeypatch):
    def refuse(*args, **options):
        raise ValueError("words of the next release")

    monkeypatch.setattr("statlearn._core.validation.validation.validate_data", refuse)
    with pytest.raises(ValueError, match=message):
        validate_data(Ridge(), table)


def test_errors_of_members_that_accept_text_keep_their_words():
    class Broken(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("the solver failed")

    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "town": ["Ulm", "Bern", "Ulm"]})
    member = make_pipeline(OneHotEncoder(), Broken())
    with pytest.raises(ValueError, match="the solver failed"):
        VotingRegressor([("member", member)]).fit(table, [1.0, 2.0, 3.0])


def test_broadcast_tables_beyond_the_memory_are_refused_at_once():
    """The sum of their cells, which tells whether these are finite, took minutes."""
    X, y = np.broadcast_to(np.ones((1, 2)), (10**12, 2)), np.broadcast_to(np.ones(1), (10**12,))
    with pytest.raises(MemoryError, match=r"X of shape \(1000000000000, 2\), written out, would take 16 TB"):
        MARS().fit(X, y)
