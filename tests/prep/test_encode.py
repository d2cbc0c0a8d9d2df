"""Dummies, bins, median splits."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.prep import (
    KBinsDiscretizer,
    LabelBinarizer,
    LabelEncoder,
    MedianSplit,
    OneHotEncoder,
    OrdinalEncoder,
)
from tests.helpers import assert_close


@pytest.mark.spec("PRE-07", "PRE-T2")
def test_printed_dummies():
    levels = ["Married", "Single", "Divorced"]
    full = OneHotEncoder(categories=[levels], sparse_output=False).fit_transform([[v] for v in levels])
    np.testing.assert_array_equal(full, np.eye(3))
    six = OneHotEncoder(drop="last", sparse_output=False).fit([[k] for k in range(1, 7)])
    np.testing.assert_array_equal(six.transform([[k] for k in range(1, 7)]), np.eye(6)[:, :5])
    assert six.get_feature_names_out(["v"]).tolist() == ["v_1", "v_2", "v_3", "v_4", "v_5"]
    np.testing.assert_array_equal(six.inverse_transform(np.zeros((1, 5))), [[6]])


@pytest.mark.spec("PRE-07")
def test_every_rule_for_dropping_rows():
    table = pd.DataFrame({"c": list("abca"), "b": list("uvuv")})
    names = lambda drop: OneHotEncoder(drop=drop).fit(table).get_feature_names_out().tolist()  # noqa: E731
    assert names(None) == ["c_a", "c_b", "c_c", "b_u", "b_v"]
    assert names("first") == ["c_b", "c_c", "b_v"]
    assert names("last") == ["c_a", "c_b", "b_u"]
    assert names("if_binary") == ["c_a", "c_b", "c_c", "b_v"]
    assert names(["b", "v"]) == ["c_a", "c_c", "b_u"]


@pytest.mark.spec("PRE-07")
def test_unseen_levels():
    table = pd.DataFrame({"c": list("abc")})
    with pytest.raises(ValueError, match="unknown categories"):
        OneHotEncoder(drop="last").fit(table).transform(pd.DataFrame({"c": ["z"]}))
    lenient = OneHotEncoder(drop="last", handle_unknown="ignore", sparse_output=False).fit(table)
    with pytest.warns(UserWarning, match="unknown categories"):
        np.testing.assert_array_equal(lenient.transform(pd.DataFrame({"c": ["z"]})), [[0, 0]])


def test_the_last_level_among_those_that_are_not_pooled():
    table = pd.DataFrame({"c": ["a"] * 5 + ["b"] * 4 + ["z"]})
    encoder = OneHotEncoder(drop="last", min_frequency=2, sparse_output=False).fit(table)
    assert encoder.get_feature_names_out().tolist() == ["c_a", "c_infrequent_sklearn"]
    with pytest.raises(ValueError, match="not pooled"):
        OneHotEncoder(drop="last", min_frequency=9).fit(table)


@pytest.mark.spec("PRE-P3")
@given(st.lists(st.integers(0, 5), min_size=2, max_size=30))
def test_ranks_with_an_intercept(codes):
    X = np.array(codes)[:, None]
    K = len(set(codes))
    ones = np.ones((len(codes), 1))
    full = OneHotEncoder(sparse_output=False).fit_transform(X)
    assert np.linalg.matrix_rank(np.hstack([ones, full])) == K
    for drop in ("first", "last"):
        fewer = np.hstack([ones, OneHotEncoder(drop=drop, sparse_output=False).fit_transform(X)])
        assert np.linalg.matrix_rank(fewer) == K == fewer.shape[1]


@pytest.mark.spec("PRE-08")
def test_codes_and_label_maps():
    np.testing.assert_array_equal(OrdinalEncoder().fit_transform([["b"], ["a"], ["b"]]).ravel(), [1, 0, 1])
    np.testing.assert_array_equal(LabelEncoder().fit_transform(["no", "yes", "no"]), [0, 1, 0])
    np.testing.assert_array_equal(LabelBinarizer().fit_transform(["no", "yes"]).ravel(), [0, 1])
    np.testing.assert_array_equal(LabelBinarizer(neg_label=-1).fit_transform(["no", "yes"]).ravel(), [-1, 1])


@pytest.mark.spec("PRE-14", "PRE-T7")
def test_printed_log_bins():
    x = np.array([[1.0], [10.0], [100.0], [1000.0]])
    bins = KBinsDiscretizer(3, encode="ordinal", strategy="log").fit(x)
    np.testing.assert_array_equal(bins.bin_edges_[0], [1, 10, 100, 1000])
    np.testing.assert_array_equal(bins.transform(x).ravel(), [0, 1, 2, 2])


@pytest.mark.spec("PRE-14", "PRE-P4")
def test_log_bins_are_uniform_bins_of_the_logarithm(rng):
    X = np.exp(rng.normal(size=(200, 3)) * 3)
    log = KBinsDiscretizer([3, 4, 7], encode="ordinal", strategy="log").fit(X)
    uniform = KBinsDiscretizer([3, 4, 7], encode="ordinal", strategy="uniform").fit(np.log(X))
    np.testing.assert_array_equal(log.transform(X), uniform.transform(np.log(X)))
    for edges, linear in zip(log.bin_edges_, uniform.bin_edges_):
        assert_close(np.log(edges), linear)
    onehot = KBinsDiscretizer(4, strategy="log").fit(X)
    assert onehot.transform(X).shape == (200, 12)
    assert len(onehot.get_feature_names_out()) == 12


@pytest.mark.spec("PRE-P4")
@given(st.integers(20, 200), st.integers(2, 6))
def test_quantile_bins_have_nearly_equal_counts(n, bins):
    X = np.random.default_rng(n).permutation(n)[:, None] * 1.0
    counts = np.bincount(KBinsDiscretizer(bins, encode="ordinal").fit_transform(X).ravel().astype(int))
    assert len(counts) == bins
    assert np.ptp(counts) <= 2


def test_log_bins_need_positive_values():
    table = pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 2.0]})
    with pytest.raises(ValueError, match="positive values, but column 'b' of X contains 0"):
        KBinsDiscretizer(strategy="log").fit(table)


@pytest.mark.spec("PRE-15")
def test_median_split():
    table = pd.DataFrame({"age": [1, 2, 3, 4, 7], "stairs": [3, 3, 3, 1, 2], "floor": [1, 1, 1, 2, 5]})
    split = MedianSplit().fit(table)
    assert split.get_feature_names_out().tolist() == ["age<=3", "age>3", "stairs<3", "stairs>=3", "floor<=1", "floor>1"]
    np.testing.assert_array_equal(
        split.transform(table),
        [
            [1, 0, 0, 1, 1, 0],
            [1, 0, 0, 1, 1, 0],
            [1, 0, 0, 1, 1, 0],
            [0, 1, 1, 0, 0, 1],
            [0, 1, 1, 0, 0, 1],
        ],
    )
    gap = split.transform(pd.DataFrame({"age": [np.nan], "stairs": [1.0], "floor": [2.0]}))
    np.testing.assert_array_equal(gap, [[0, 0, 1, 0, 0, 1]])
    high = MedianSplit(side="high").fit(table[["age"]])
    assert high.get_feature_names_out().tolist() == ["age<3", "age>=3"]
    with pytest.raises(ValueError, match="'a' contains only missing values"):
        MedianSplit().fit(pd.DataFrame({"a": [np.nan, np.nan]}))


@pytest.mark.parametrize("encode", ["onehot", "ordinal"])
@pytest.mark.parametrize("strategy", ["quantile", "kmeans", "uniform"])
@pytest.mark.parametrize("factor", [2.0**-500, 2.0**-1050])
def test_bins_do_not_depend_on_the_unit(strategy, encode, factor):
    X = np.arange(1.0, 61.0).reshape(30, 2)  # exact in denormal numbers, too
    plain = KBinsDiscretizer(4, encode=encode, strategy=strategy).fit(X)
    small = KBinsDiscretizer(4, encode=encode, strategy=strategy).fit(X * factor)
    assert plain.n_bins_.tolist() == small.n_bins_.tolist() == [4, 4]
    a, b = plain.transform(X), small.transform(X * factor)
    assert np.array_equal(*(v.toarray() if hasattr(v, "toarray") else v for v in (a, b)))


@pytest.mark.parametrize("strategy", ["quantile", "kmeans", "uniform", "log"])
@pytest.mark.filterwarnings("ignore:Feature 0 is constant")
def test_the_inverse_of_a_constant_column_is_the_constant(strategy):
    X = np.column_stack([np.full(10, 7.0), np.arange(1.0, 11.0)])
    bins = KBinsDiscretizer(3, strategy=strategy).fit(X)
    assert (bins.inverse_transform(bins.transform(X))[:, 0] == 7.0).all()


def test_a_column_whose_quantiles_are_all_equal_has_one_bin():
    X, weights = np.arange(20.0)[:, None], np.zeros(20)
    weights[5] = 1.0
    with pytest.warns(UserWarning, match="width are too small"):
        bins = KBinsDiscretizer(3).fit(X, sample_weight=weights)
    assert bins.n_bins_.tolist() == [1]
    assert bins.inverse_transform(bins.transform(X)).ravel().tolist() == [5.0] * 20


def test_categories_are_lists_of_levels():
    with pytest.raises(ValueError, match="`categories` must be 'auto' or contain one list of levels"):
        OneHotEncoder(categories=[True]).fit([["a"], ["b"]])


@pytest.mark.parametrize("drop", [None, "last"])
def test_a_refit_has_no_pooled_levels_or_names_of_an_earlier_one(drop):
    X = [["a"], ["a"], ["b"], ["b"], ["c"]]
    encoder = OneHotEncoder(min_frequency=2, drop=drop).fit(pd.DataFrame(X, columns=["letter"]))
    assert encoder.infrequent_categories_[0].tolist() == ["c"]
    encoder.set_params(min_frequency=None).fit(np.array(X, dtype=object))
    assert not hasattr(encoder, "infrequent_categories_")
    assert not hasattr(encoder, "feature_names_in_")


@pytest.mark.parametrize("drop", [None, "last"])
def test_a_list_without_rows_raises(drop):
    with pytest.raises(ValueError, match="X must have at least one row, got none"):
        OneHotEncoder(drop=drop).fit([])
