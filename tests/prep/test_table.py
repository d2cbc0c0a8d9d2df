"""Mixed tables: detection of kinds, encodings, refusals."""

import datetime as dt
import io
import pickle
import zipfile

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from hypothesis import given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

from statlearn.linear import LinearRegression
from statlearn.prep import OneHotEncoder, TableTransformer
from tests.helpers import assert_close

FRAMES = pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])

LOANS = {
    "owner": ["Y", "N", "N", "Y", "N"],
    "marital": ["Single", "Married", "Divorced", "Single", "Married"],
    "age": [20, 25, 35, 24, 28],
    "income": ["75K", "100K", "170K", "90K", "120K"],
    "default": ["Y", "N", "N", "Y", "N"],
}


@FRAMES
@pytest.mark.spec("PRE-09", "PRE-T6")
def test_loan_table(frame):
    loans = frame(LOANS)
    table = TableTransformer().fit(loans)
    assert table.kinds_ == {
        "owner": "binary",
        "marital": "category",
        "age": "number",
        "income": "number",
        "default": "binary",
    }
    names = table.get_feature_names_out().tolist()
    assert names == [
        "owner_Y",
        "marital_Divorced",
        "marital_Married",
        "marital_Single",
        "age",
        "income",
        "default_Y",
    ]
    assert table.get_source_names_out().tolist() == [name.partition("_")[0] for name in names]
    np.testing.assert_array_equal(
        table.transform(loans),
        [
            [1, 0, 0, 1, 20, 75000, 1],
            [0, 0, 1, 0, 25, 100000, 0],
            [0, 1, 0, 0, 35, 170000, 0],
            [1, 0, 0, 1, 24, 90000, 1],
            [0, 0, 1, 0, 28, 120000, 0],
        ],
    )


def mixed_table(n=60, seed=0):
    """A column of every kind, some with gaps."""
    rng = np.random.default_rng(seed)
    gap = lambda values, share=0.1: [None if rng.random() < share else v for v in values]  # noqa: E731
    start = dt.date(2020, 1, 1)
    verbs = ["likes", "sells", "paints", "breaks"]
    return {
        "number": gap(rng.normal(size=n).tolist()),
        "count": rng.integers(0, 9, size=n).tolist(),
        "price": [f"${v:,.2f}" for v in rng.gamma(2, 2000, size=n)],
        "flag": (rng.random(n) < 0.4).tolist(),
        "answer": gap(rng.choice(["no", "yes"], size=n).tolist()),
        "colour": gap(rng.choice(["red", "green", "blue"], size=n).tolist()),
        "city": [f"city {int(v)}" for v in rng.geometric(0.1, size=n)],
        "day": gap([start + dt.timedelta(days=int(v)) for v in rng.integers(0, 900, size=n)]),
        "stamp": [f"{start + dt.timedelta(days=int(v))}T{int(v) % 24:02d}:30:00" for v in rng.integers(0, 900, size=n)],
        "story": [f"person {a} {verbs[a % 4]} thing number {b}" for a, b in rng.integers(0, 20, size=(n, 2))],
        "row": list(range(1, n + 1)),
        "code": [f"K{k:05d}" for k in range(n)],
        "same": ["x"] * n,
        "void": [None] * n,
    }


KINDS = {
    "number": "number",
    "count": "number",
    "price": "number",
    "flag": "binary",
    "answer": "binary",
    "colour": "category",
    "city": "category",
    "day": "date",
    "stamp": "date",
    "story": "text",
    "row": "identifier",
    "code": "identifier",
    "same": "constant",
    "void": "empty",
}


@FRAMES
def test_every_kind_is_recognised_and_recorded(frame):
    table = TableTransformer(max_levels=8, max_terms=12).fit(frame(mixed_table()))
    assert table.kinds_ == KINDS
    assert list(table.dropped_) == ["row", "code", "same", "void"]
    text = str(table.summary())
    assert all(name in text for name in KINDS)
    assert "dropped: constant" in text
    frame_of = table.summary().to_frame()
    assert frame_of["columns"].sum() == len(table.get_feature_names_out())


def test_pandas_and_polars_give_the_same_design():
    data = mixed_table()
    options = {"max_levels": 8, "max_terms": 12, "scale": True, "drop": "first"}
    a = TableTransformer(**options).fit(pd.DataFrame(data))
    b = TableTransformer(**options).fit(pl.DataFrame(data))
    assert a.get_feature_names_out().tolist() == b.get_feature_names_out().tolist()
    assert_close(a.transform(pd.DataFrame(data)), b.transform(pl.DataFrame(data)))


@FRAMES
def test_numbers_are_cut_into_bins_on_request(frame):
    size = [1.0, 2, 3, 4, 5, None, 7, 8]
    data = frame({"size": size, "doors": [2, 2, 4, 4, 4, 2, 4, 5], "colour": ["red", "blue", "grey", "red"] * 2})
    coded = TableTransformer(bins=4, categories="codes", keep_missing=True).fit(data)
    assert coded.get_feature_names_out().tolist() == ["size", "doors", "colour"]
    assert coded.categorical_.all()
    nan = np.nan
    expected = [[0, 0, 2], [0, 0, 0], [1, 1, 1], [1, 1, 2], [2, 1, 2], [nan, 0, 0], [3, 1, 1], [3, 2, 2]]
    assert_close(coded.transform(data), expected)
    assert coded.encoders_["doors"].code_labels == [[" = 2", " = 4", " = 5"]]
    assert coded.encoders_["size"].code_labels == [[": below 2.5", ": 2.5 to 4.5", ": 4.5 to 6", ": 6 or more"]]
    halves = TableTransformer(bins=2, drop="first").fit(data)
    names = ["size_4.5 or more", "size_missing", "doors_3 or more", "colour_grey", "colour_red"]
    assert halves.get_feature_names_out().tolist() == names
    assert_close(halves.transform(data)[[0, 4, 5]], [[0, 0, 0, 0, 1], [1, 0, 1, 0, 1], [0, 1, 0, 0, 0]])
    assert "missing values indicated, cut into 2 bins" in str(halves.summary())


@pytest.mark.parametrize("categories", ["codes", "indicators"])
def test_every_column_of_a_binned_table_is_discrete(categories):
    data = pl.DataFrame(mixed_table())
    levels = pl.Series(["low", "middle", "high", "top"] * 15, dtype=pl.Enum(["low", "middle", "high", "top"]))
    table = TableTransformer(bins=3, categories=categories, keep_missing=True, max_terms=5)
    design = table.fit_transform(data.with_columns(rank=levels))
    design = design[~np.isnan(design)]
    assert (design == np.floor(design)).all()
    assert design.min() == 0
    assert {name: kind for name, kind in table.kinds_.items() if name != "rank"} == KINDS
    if categories == "codes":
        assert table.encoders_["rank"].code_labels == [[" = low", ": middle to high", " = top"]]
    else:
        assert np.unique(design).tolist() == [0, 1]


def test_bins_of_a_table_of_numbers_that_look_like_identifiers():
    data = pl.DataFrame({"id": np.arange(20.0)})
    assert TableTransformer(bins=2, categories="codes").fit_transform(data).ravel().tolist() == [0] * 10 + [1] * 10


@pytest.mark.spec("PRE-P11")
@pytest.mark.parametrize("sparse", [False, True])
def test_a_row_does_not_depend_on_the_others(sparse):
    data = pl.DataFrame(mixed_table())
    table = TableTransformer(max_levels=8, sparse=sparse).fit(data[:40])
    dense = lambda block: block.toarray() if sparse else block  # noqa: E731
    whole = dense(table.transform(data))
    assert np.isfinite(whole).all()
    for k in (0, 39, 40, 59):
        np.testing.assert_array_equal(dense(table.transform(data[k : k + 1]))[0], whole[k])
    np.testing.assert_array_equal(dense(table.fit_transform(data)), dense(table.fit(data).transform(data)))


def test_sparse_and_dense_are_the_same():
    data = pl.DataFrame(mixed_table())
    dense = TableTransformer(scale=True).fit_transform(data)
    csr = TableTransformer(scale=True, sparse=True).fit_transform(data)
    np.testing.assert_array_equal(csr.toarray(), dense)


def test_missing_numbers_are_filled_and_marked():
    data = pl.DataFrame({"a": [1.0, None, 3.0, 8.0], "b": ["1", "?", "3", "3"]})
    table = TableTransformer().fit(data)
    assert table.get_feature_names_out().tolist() == ["a", "a_missing", "b", "b_missing"]
    np.testing.assert_array_equal(table.transform(data), [[1, 0, 1, 0], [3, 1, 3, 1], [3, 0, 3, 0], [8, 0, 3, 0]])
    mean = TableTransformer(impute="mean", indicator=False).fit_transform(data)
    np.testing.assert_array_equal(mean[1], [4, 7 / 3])
    kept = TableTransformer(keep_missing=True).fit_transform(data)
    np.testing.assert_array_equal(kept, [[1, 1], [np.nan, np.nan], [3, 3], [8, 3]])
    # A gap where training had none is filled, without a mark.
    late = TableTransformer().fit(data[2:].select("a")).transform(data[:2].select("a"))
    np.testing.assert_array_equal(late, [[1], [5.5]])


def test_numbers_missing_in_the_same_rows_share_an_indicator():
    gap, other = [1.0, np.nan, 3.0, np.nan, 2.0], [np.nan, 1.0, 4.0, 2.0, 3.0]
    data = pd.DataFrame({"a": gap, "b": other, "c": [v**2 for v in gap], "d": [5.0, np.nan, 5.0, np.nan, 5.0]})
    table = TableTransformer().fit(data)
    assert table.get_feature_names_out().tolist() == ["a", "a_missing", "b", "b_missing", "c", "d_missing"]
    assert_close(table.transform(data)[:, 1], np.isnan(gap))


def test_a_constant_with_gaps_names_the_rows_with_gaps():
    data = pl.DataFrame({"a": [2.0, None, 2.0], "b": [1, 2, 4]})
    assert TableTransformer().fit(data).get_feature_names_out().tolist() == ["a_missing", "b"]
    kept = TableTransformer(keep_missing=True).fit_transform(data)
    np.testing.assert_array_equal(kept, [[2, 1], [np.nan, 2], [2, 4]])


def test_missing_levels_are_a_level_and_two_levels_take_the_more_frequent():
    data = pl.DataFrame({"c": ["a", "b", None, "c"], "b": ["u", "u", None, "v"]})
    table = TableTransformer().fit(data)
    assert table.get_feature_names_out().tolist() == ["c_a", "c_b", "c_c", "c_(missing)", "b_v", "b_missing"]
    np.testing.assert_array_equal(table.transform(data)[2], [0, 0, 0, 1, 0, 1])


def test_rare_levels_are_pooled_and_unseen_ones_join_them():
    data = pl.DataFrame({"c": ["a"] * 5 + ["b"] * 4 + ["c", "d"]})
    table = TableTransformer(max_levels=3).fit(data)
    assert table.get_feature_names_out().tolist() == ["c_a", "c_b", "c_(other)"]
    np.testing.assert_array_equal(table.transform(pl.DataFrame({"c": ["d", "new", None]})), [[0, 0, 1]] * 3)
    full = TableTransformer().fit(data)
    np.testing.assert_array_equal(full.transform(pl.DataFrame({"c": ["new", "d"]})), [[0, 0, 0, 0], [0, 0, 0, 1]])
    assert TableTransformer(min_count=2).fit(data).get_feature_names_out().tolist() == ["c_a", "c_b", "c_(other)"]


@pytest.mark.spec("PRE-P3")
def test_all_dummies_with_an_intercept_are_dependent_and_one_fewer_are_not():
    data = pl.DataFrame({"c": list("aabbccdd")})
    ones = np.ones((8, 1))
    full = np.hstack([ones, TableTransformer().fit_transform(data)])
    fewer = np.hstack([ones, TableTransformer(drop="first").fit_transform(data)])
    assert np.linalg.matrix_rank(full) == 4 == np.linalg.matrix_rank(fewer)
    assert fewer.shape[1] == 4


@pytest.mark.spec("CRS-40")
@FRAMES
def test_the_last_level_can_be_the_reference(frame):
    data = frame({"c": ["Married", "Single", "Divorced", "Single"]})
    table = TableTransformer(drop="last").fit(data)
    assert table.get_feature_names_out().tolist() == ["c_Divorced", "c_Married"]
    encoder = OneHotEncoder(drop="last", sparse_output=False)
    levels = [["Married"], ["Single"], ["Divorced"], ["Single"]]
    np.testing.assert_array_equal(table.transform(data), encoder.fit_transform(levels))
    assert "reference level Single" in str(table.summary())


@pytest.mark.spec("CRS-40")
def test_pooled_and_missing_levels_are_never_the_reference_of_drop_last():
    data = pl.DataFrame({"c": [*"aaabbbxy", None], "size": [1.0, 2, 3, 4, 5, 6, 7, None, 8]})
    table = TableTransformer(drop="last", min_count=2, bins=2).fit(data)
    names = ["c_a", "c_(other)", "c_(missing)", "size_below 4.5", "size_missing"]
    assert table.get_feature_names_out().tolist() == names
    design = table.transform(data)
    np.testing.assert_array_equal(
        design[[0, 3, 6, 8]], [[1, 0, 0, 1, 0], [0, 0, 0, 1, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0]]
    )
    pooled = TableTransformer(drop="last", min_count=3).fit(pl.DataFrame({"c": [*"abcd", None]}))
    assert pooled.get_feature_names_out().tolist() == ["c_(missing)"]


def test_ordered_levels_are_counted_in_their_order():
    sizes = ["small", "large", None, "medium", "medium"]
    order = ["small", "medium", "large"]
    tables = [
        (pd.DataFrame({"size": pd.Categorical(sizes, categories=order, ordered=True)}), {}),
        (pl.DataFrame({"size": pl.Series(sizes, dtype=pl.Enum(order))}), {}),
        (pl.DataFrame({"size": sizes}), {"orders": {"size": order}}),
    ]
    for data, options in tables:
        table = TableTransformer(indicator=False, **options).fit(data)
        assert table.kinds_ == {"size": "ordinal"}
        np.testing.assert_array_equal(table.transform(data).ravel(), [0, 2, 1, 1, 1])


def test_dates_give_elapsed_days_and_the_parts_that_vary():
    data = pl.DataFrame({"when": [dt.datetime(2023, 12, 31, 6), dt.datetime(2024, 2, 29, 6), None]})
    table = TableTransformer(indicator=False).fit(data)
    assert table.get_feature_names_out().tolist() == [
        "when_days",
        "when_year",
        "when_month",
        "when_day",
        "when_weekday",
    ]
    np.testing.assert_array_equal(table.transform(data)[:2], [[0, 2023, 12, 31, 6], [60, 2024, 2, 29, 3]])
    text = pl.DataFrame({"when": ["2024-03-01T06:00:00"]})
    np.testing.assert_array_equal(table.transform(text), [[61, 2024, 3, 1, 4]])


def test_dates_are_one_column_of_days_on_request():
    data = pl.DataFrame({"when": [dt.datetime(2023, 12, 31, 6), dt.datetime(2024, 2, 29, 18), None]})
    table = TableTransformer(dates="days", indicator=False).fit(data)
    assert list(table.get_feature_names_out()) == ["when_days"]
    assert_close(table.transform(data).ravel(), [0.0, 60.5, 30.25])  # the median instead of the missing one


@given(st.lists(st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)), min_size=2, max_size=9, unique=True))
def test_parts_of_dates_are_the_calendars(moments):
    table = TableTransformer().fit(pl.DataFrame({"d": moments}))
    design = dict(zip(table.get_feature_names_out(), table.transform(pl.DataFrame({"d": moments})).T))
    for name, expected in {
        "d_year": [m.year for m in moments],
        "d_month": [m.month for m in moments],
        "d_day": [m.day for m in moments],
        "d_weekday": [m.weekday() for m in moments],
        "d_days": [(m - min(moments)) / dt.timedelta(days=1) for m in moments],
    }.items():
        if name in design:
            assert_close(design[name], expected, rtol=1e-12)


def test_scaled_columns_have_mean_zero_and_variance_one():
    data = pl.DataFrame(mixed_table())
    table = TableTransformer(scale=True).fit(data)
    design = dict(zip(table.get_feature_names_out(), table.transform(data).T))
    for name in ("number", "count", "price", "day_days", "stamp_weekday"):
        assert_close([design[name].mean(), design[name].std()], [0, 1])
    assert set(design["flag"]) == {0.0, 1.0}


def test_words_are_capped():
    data = pl.DataFrame(mixed_table())
    table = TableTransformer(max_terms=5).fit(data.select("story"))
    assert table.transform(data).shape == (60, 5)
    assert_close(np.linalg.norm(table.transform(data), axis=1), 1)


def test_kinds_can_be_passed():
    data = pl.DataFrame({"zip": [94305, 10001, 94305], "id": list("abc"), "n": [1, 2, 3]})
    table = TableTransformer(kinds={"zip": "category", "id": "drop"}).fit(data)
    assert table.get_feature_names_out().tolist() == ["zip_10001", "zip_94305", "n"]
    assert table.kinds_["id"] == "drop"
    by_number = TableTransformer(kinds={0: "category"}).fit(data.select("zip", "n").to_numpy())
    assert by_number.get_feature_names_out().tolist() == ["x0_10001", "x0_94305", "x1"]
    with pytest.raises(ValueError, match="does not have: 'zap'"):
        TableTransformer(kinds={"zap": "category"}).fit(data)
    with pytest.raises(ValueError, match="'integer' is not a valid kind for column 'zip'"):
        TableTransformer(kinds={"zip": "integer"}).fit(data)
    with pytest.raises(ValueError, match="'id' cannot be used as a number"):
        TableTransformer(kinds={"id": "number"}).fit(data)
    with pytest.raises(ValueError, match="'id' cannot be used as a date"):
        TableTransformer(kinds={"id": "date"}).fit(data)


@pytest.mark.parametrize(
    "name, values, kind",
    [
        ("year", list(range(1950, 1980)), "number"),  # counts, but not the rows
        ("user_id", [7 * k + 3 for k in range(30)], "identifier"),
        ("nr", list(range(30)), "identifier"),
        ("time", list(range(30)), "number"),
        ("travel_days", list(range(1, 31)), "number"),
        ("width", [7 * k + 3 for k in range(30)], "number"),
        ("zip", ["01234", "94305", "10001"] * 10, "category"),
        ("when", ["01/02/2024", "13/02/2024"] * 15, "date"),
        ("degree", ["Bachelor of Fine Arts", "Master of Arts", "none"] * 10, "category"),
        ("truth", ["true", "false"] * 15, "binary"),
        ("gap", ["1", "NA", "2"] * 10, "number"),
    ],
)
def test_kinds_of_columns_are_inferred(name, values, kind):
    assert TableTransformer().fit(pl.DataFrame({name: values, "x": [0.5, 1.5] * (len(values) // 2)})).kinds_[
        name
    ] == kind  # fmt: skip


def test_mismatched_tables_raise_by_column_name():
    data = pl.DataFrame(mixed_table())
    table = TableTransformer(max_levels=8).fit(data)
    with pytest.raises(ValueError, match="lacks columns of the training table: 'count', 'colour'"):
        table.transform(data.drop("count", "colour"))
    wrong = data.with_columns(
        number=pl.lit("tall"), day=pl.lit(3.5), story=pl.lit(2), colour=pl.lit(1.5), count=pl.col("day"), city="day"
    )
    with pytest.raises(ValueError) as refusal:
        table.transform(wrong)
    for words in (
        "'number' expected numbers, got text such as 'tall'",
        "'day' expected dates, got numbers",
        "'story' expected text, got numbers",
        "'colour' expected levels, got numbers",
        "'count' expected numbers, got dates",
        "'city' expected levels, got dates",
    ):
        assert words in str(refusal.value)
    with pytest.raises(ValueError, match="'number' contains infinity"):
        table.transform(data.with_columns(number=float("inf")))


def test_extra_columns_order_and_dropped_columns_do_not_matter():
    data = pl.DataFrame(mixed_table())
    table = TableTransformer(max_levels=8).fit(data)
    other = data.drop("row", "code", "same", "void").with_columns(more=pl.lit("x"))
    np.testing.assert_array_equal(table.transform(other.select(other.columns[::-1])), table.transform(data))


def test_a_frame_of_missing_cells_is_served():
    data = pl.DataFrame(mixed_table())
    table = TableTransformer(max_levels=8).fit(data)
    void = pl.DataFrame({name: [None, None] for name in data.columns})
    assert np.isfinite(table.transform(void)).all()


def test_tables_without_usable_columns_raise():
    with pytest.raises(ValueError, match=r"no usable columns.*'a' dropped: constant; 'b' dropped: all values missing"):
        TableTransformer().fit(pl.DataFrame({"a": [1, 1], "b": [None, None]}))
    with pytest.raises(ValueError, match="0 sample"):
        TableTransformer().fit(pl.DataFrame({"a": []}))
    with pytest.raises(ValueError, match="duplicate column names: 'a'"):
        TableTransformer().fit(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]))


def test_a_counter_is_used_if_no_other_column_is_left():
    table = TableTransformer().fit(pl.DataFrame({"x": range(30), "same": [1] * 30}))
    assert table.kinds_ == {"x": "number", "same": "constant"}
    assert list(table.dropped_) == ["same"]


def test_names_are_unique():
    data = pl.DataFrame({"a": ["b", "c", "d"], "a_b": [1, 2, 3]})
    assert TableTransformer().fit(data).get_feature_names_out().tolist() == ["a_b", "a_c", "a_d", "a_b_2"]


def test_state_survives_pickle_and_skops():
    data = pl.DataFrame(mixed_table())
    table = TableTransformer(max_levels=8).fit(data)
    packed = skops.io.dumps(table)
    unknown = skops.io.get_untrusted_types(data=packed)
    assert all(name.startswith("statlearn.") for name in unknown)
    for copy in (pickle.loads(pickle.dumps(table)), skops.io.loads(packed, trusted=unknown)):
        np.testing.assert_array_equal(copy.transform(data), table.transform(data))
        assert str(copy.summary()) == str(table.summary())


def number_columns(seed, n=40):
    """Columns of numbers of many sorts among columns of other kinds."""
    rng = np.random.default_rng(seed)
    gappy = lambda values, share: np.where(rng.random(n) < share, np.nan, values)  # noqa: E731
    return {
        "big": 1e6 + rng.normal(size=n),
        "colour": rng.choice(["red", "green", "blue"], size=n).tolist(),
        "gaps": gappy(rng.normal(size=n), 0.3),
        "row": np.arange(n),
        "same": np.full(n, 0.1),
        "same with gaps": np.r_[np.nan, np.full(n - 1, 0.1)],
        "count": rng.integers(0, 4, size=n),
        "price": [f"${v:.2f}" for v in rng.gamma(2, 20, size=n)],
        "short": rng.normal(size=n).astype(np.float32),
        "void": np.full(n, np.nan),
        "flag": rng.random(n) < 0.5,
        "mostly gone": np.r_[1.0, 2.0, 4.0, np.full(n - 3, np.nan)],
    }


def encoded_number(train, column, *, scale, impute, indicator, keep_missing):
    """The columns that one column of numbers gives: the rule of the docstring, literally."""
    known = train[~np.isnan(train)]
    fill = np.median(known) if impute == "median" else np.mean(known)
    full = lambda values: values if keep_missing else np.where(np.isnan(values), fill, values)  # noqa: E731
    gaps = known.size < train.size
    design = []
    if np.ptp(known) > 0 or (gaps and keep_missing):
        shown = known if keep_missing else full(train)
        sd = np.std(shown) if np.ptp(known) > 0 else 1.0
        design.append((full(column) - np.mean(shown)) / sd if scale else full(column))
    if gaps and indicator and not keep_missing:
        design.append(np.isnan(column))
    return design


@FRAMES
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {"impute": "median", "indicator": True, "keep_missing": False},
        {"impute": "mean", "indicator": True, "keep_missing": False},
        {"impute": "mean", "indicator": False, "keep_missing": False},
        {"impute": "median", "indicator": True, "keep_missing": True},
    ],
    ids=["median", "mean", "no indicator", "gaps kept"],
)
def test_numbers_among_other_columns_follow_the_rule_one_by_one(frame, sparse, scale, options, seed):
    train, new = number_columns(seed), number_columns(seed + 1)
    kinds = {"flag": "number", "same": "number"}
    table = TableTransformer(scale=scale, sparse=sparse, kinds=kinds, **options).fit(frame(train))
    design = table.transform(frame(new))
    design = design.toarray() if sparse else design
    names = table.get_feature_names_out().tolist()
    assert [name for name in names if not name.startswith("colour")] == [
        name
        for column in train
        if column not in ("colour", "row", "same", "void")
        for name in (column, f"{column}_missing")
        if name in names
    ]
    silent = [] if options["indicator"] else ["same with gaps"]  # all that it could say is where its gaps are
    assert list(table.dropped_) == ["row", "same", *silent, "void"]
    for column in ("big", "gaps", "same with gaps", "count", "short", "flag", "mostly gone"):
        expected = encoded_number(
            np.asarray(train[column], float), np.asarray(new[column], float), scale=scale, **options
        )
        places = [k for k, name in enumerate(names) if name in (column, f"{column}_missing")]
        assert len(places) == len(expected)
        for place, values in zip(places, expected):
            assert_close(design[:, place], values, rtol=1e-9)  # 1e6 + noise loses six digits when centred
    rows = table.summary().to_frame()
    assert rows["columns"].tolist() == [
        sum(name == column or name.startswith(f"{column}_") for name in names) for column in train
    ]
    assert rows["missing"].tolist() == [int(pd.isna(np.asarray(column, object)).sum()) for column in train.values()]


def test_numbers_that_come_in_another_type_are_read_or_refused_by_name():
    train = pl.DataFrame(number_columns(0))
    table = TableTransformer().fit(train)
    as_text = train.with_columns(pl.col("count").cast(pl.String), pl.col("big").cast(pl.Decimal(20, 6)))
    assert_close(table.transform(as_text), table.transform(train), rtol=1e-9)
    wrong = train.with_columns(pl.lit("blue").alias("gaps"), pl.lit(3).alias("colour"), pl.lit(np.inf).alias("count"))
    reasons = r"'colour' expected levels.*'gaps' expected numbers.*'count' contains infinity"
    with pytest.raises(ValueError, match=reasons):
        table.transform(wrong)
    with pytest.raises(
        ValueError, match="column 'count' cannot be used as a number column because it contains infinity"
    ):
        TableTransformer().fit(train.with_columns(pl.when(pl.col("row") > 5).then(np.inf).alias("count")))


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "int64[pyarrow]", "Int16", "UInt64"])
def test_nullable_types_of_pandas_are_numbers_with_gaps(dtype):
    data = pd.DataFrame({"a": pd.array([1, None, 3, 8], dtype=dtype), "b": [0.5, 1.5, np.nan, 1.0]})
    np.testing.assert_array_equal(
        TableTransformer().fit_transform(data), [[1, 0, 0.5, 0], [3, 1, 1.5, 0], [3, 0, 1, 1], [8, 0, 1, 0]]
    )


def test_a_wide_table_of_numbers_is_a_few_arrays_in_a_model_file():
    X = np.random.default_rng(0).normal(size=(12, 300))
    names = [f"gene {k}" for k in range(300)]

    def n_files(p):
        packed = skops.io.dumps(TableTransformer(scale=True).fit(pl.DataFrame(X[:, :p], names[:p])))
        return len(zipfile.ZipFile(io.BytesIO(packed)).namelist())

    assert n_files(300) == n_files(3)


def test_frames_come_out_with_names():
    data = pl.DataFrame(LOANS)
    out = TableTransformer().set_output(transform="polars").fit_transform(data)
    assert out.columns[0] == "owner_Y"
    assert TableTransformer().set_output(transform="pandas").fit_transform(data)["income"].tolist()[0] == 75000


def test_arrays_of_objects():
    X = np.array([[1, "a", None], [2, "b", 0.5], [3, "c", 1.5]], dtype=object)
    table = TableTransformer().fit(X)
    assert table.get_feature_names_out().tolist() == ["x0", "x1_a", "x1_b", "x1_c", "x2", "x2_missing"]
    assert table.get_feature_names_out(["n", "c", "g"]).tolist()[0] == "n"
    with pytest.raises(ValueError, match="2 features, but TableTransformer is expecting 3"):
        table.transform(X[:, :2])
    numbered = pd.DataFrame(X)  # names that are numbers: by position
    np.testing.assert_array_equal(TableTransformer().fit(numbered).transform(numbered), table.transform(X))


def test_in_a_pipeline_of_a_linear_model():
    loans = pl.DataFrame(LOANS).drop("default")
    y = np.array([1.0, 2.0, 3.0, 1.5, 2.5])
    model = make_pipeline(TableTransformer(scale=True, drop="first", kinds={"marital": "drop"}), LinearRegression())
    assert_close(model.fit(loans, y).predict(loans[:1]), model.predict(loans)[:1])


@pytest.mark.parametrize("drop", [None, "first"])
def test_given_kinds_without_information_drop_the_column(drop):
    """A fold may hold one level, or no cell, of a column whose kind was read from the whole table."""
    data = pl.DataFrame(
        {
            "x": [1.0, 2.0, 3.0],
            "answer": ["yes", "yes", "yes"],
            "flag": [True, True, True],
            "colour": ["red", "red", "red"],
            "day": pl.Series([None, None, None], dtype=pl.Date),
            "text": ["?", None, ""],
            "words": ["a", "b !", "c"],
            "size": pl.Series(["s", "s", "s"], dtype=pl.Enum(["s", "m"])),
            "gone": [None, None, None],
        }
    )
    kinds = {"answer": "binary", "flag": "binary", "colour": "category", "day": "date", "text": "text", "words": "text"}
    table = TableTransformer(kinds={**kinds, "gone": "number", "size": "ordinal"}, drop=drop).fit(data)
    assert table.get_feature_names_out().tolist() == ["x"]
    assert {table.kinds_[name] for name in data.columns[1:]} == {"constant", "empty"}
    other = data.with_columns(answer=pl.lit("no"), colour=pl.lit("blue"))
    assert_close(table.transform(other), [[1], [2], [3]])


def test_binary_columns_have_two_levels_at_most():
    with pytest.raises(
        ValueError, match="'a' cannot be used as a binary column because it has 3 levels, such as '1', '2', '3'"
    ):
        TableTransformer(kinds={"a": "binary"}).fit(pl.DataFrame({"a": [1, 2, 3]}))


def test_normal_scores_draw_in_long_tails_and_keep_the_order(rng):
    n = 500
    values = np.exp(3 * rng.normal(size=n))
    spike = np.where(rng.uniform(size=n) < 0.7, 0.0, values)
    two = rng.integers(0, 2, n)
    frame = pl.DataFrame({"values": values, "spike": spike, "two": two, "text": [f"{v:.6g} %" for v in values]})
    table = TableTransformer(scale="normal").fit(frame)
    X = table.transform(frame)
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X.std(axis=0), 1)
    assert np.abs(X[:, [0, 3]]).max() < 3.5
    np.testing.assert_array_equal(np.argsort(X[:, 0]), np.argsort(values))
    assert len(np.unique(X[spike == 0, 1])) == 1  # equal values share a score
    assert set(np.unique(X[:, 2].round(9))) == set(((np.array([0, 1]) - two.mean()) / two.std()).round(9))
    # Beyond the training values the scores of the ends hold, between them they are interpolated.
    new = pl.DataFrame({"values": [-1.0, 1e9], "spike": [0.0, 0.0], "two": [0, 1], "text": ["1 %", "1e9 %"]})
    found = table.transform(new)
    np.testing.assert_allclose(found[:, 0], [X[:, 0].min(), X[:, 0].max()])
    assert "normal scores" in str(table.summary())
    gaps = frame.with_columns(values=pl.when(pl.int_range(n) < 9).then(None).otherwise(pl.col("values")))
    kept = TableTransformer(scale="normal", keep_missing=True).fit_transform(gaps)
    assert np.isnan(kept[:9, 0]).all()
    assert np.isfinite(kept[9:]).all()
