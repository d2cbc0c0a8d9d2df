"""Tables as items."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from statlearn._core.warnings import AmbiguousInputWarning
from statlearn.rules import AssociationRules, BinarizeDataset


def survey(rng, n=400):
    """Fourteen questions as in the demographics data: eight nominal, six ordinal."""
    nominal = {f"q{k}": rng.permutation(np.arange(n) % size) for k, size in enumerate([2, 5, 9, 3, 3, 5, 8, 3])}
    ordinal = {f"o{k}": rng.permutation(np.arange(n) % size) for k, size in enumerate([7, 6, 9, 5, 9, 9])}
    return pd.DataFrame(nominal | ordinal)


@pytest.mark.spec("RUL-02", "RUL-T11")
def test_fifty_columns_of_the_survey(rng):
    table = survey(rng).astype(object)
    table.iloc[3, 0] = table.iloc[7, 10] = None
    binarizer = BinarizeDataset(ordinal=[f"o{k}" for k in range(6)]).fit(table)
    found = binarizer.transform(table)
    assert found.shape == (398, 50)  # 38 + 12; incomplete rows are left out
    assert np.all(found.sum(axis=1) == 14)
    assert binarizer.complete_rows(table).sum() == 398
    loose = BinarizeDataset(ordinal=[f"o{k}" for k in range(6)], missing="ignore").fit(table)
    assert loose.transform(table).shape == (400, 50)
    assert loose.transform(table)[3].sum() == 13


@pytest.mark.spec("RUL-02")
def test_ordinals_are_cut_at_the_median():
    table = pd.DataFrame({"age": [20, 30, 40, 50, 60] * 3, "sex": list("fmfmf") * 3})
    binarizer = BinarizeDataset(ordinal=["age"]).fit(table)
    assert binarizer.items_ == ["age<=40", "age>40", "sex=f", "sex=m"]
    np.testing.assert_array_equal(binarizer.transform(table)[:, 0], table.age <= 40)
    more = BinarizeDataset(ordinal=["age"], n_bins=3).fit(table)
    assert more.items_[:3] == ["age<=30", "30<age<=50", "age>50"]
    # Most values at the maximum: the boundary moves so that neither side is empty.
    top = BinarizeDataset(ordinal=[0]).fit([[1], [5], [5], [5]])
    assert top.items_ == ["x0<=1", "x0>1"]


def test_automatic_choices_dates_ordered_categories_and_dropped_columns(rng):
    n = 60
    table = pd.DataFrame(
        {
            "income": rng.normal(size=n),
            "children": rng.integers(0, 4, n),
            "member": rng.random(n) < 0.5,
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(n), "D"),
            "size": pd.Categorical(["s", "m", "l"] * 20, categories=["s", "m", "l"], ordered=True),
            "name": [f"person {k}" for k in range(n)],
            "constant": 1,
            "nothing": [None] * n,
        }
    )
    with pytest.warns(AmbiguousInputWarning, match="column 'children'"):
        binarizer = BinarizeDataset(missing="ignore").fit(table)
    assert binarizer.items_[2:6] == ["children=0", "children=1", "children=2", "children=3"]
    assert {"member=True", "member=False", "since<=2020-01-30", "since>2020-01-30", "size<=m", "size>m"} <= set(
        binarizer.items_
    )
    assert binarizer.dropped_ == {
        "name": "identifiers (60 distinct values)", "constant": "a single value", "nothing": "no value",
    }  # fmt: skip
    polars = pl.from_pandas(table.drop(columns=["nothing", "size"])).with_columns(pl.col("children").cast(pl.String))
    again = BinarizeDataset(missing="ignore").fit(polars)
    assert again.items_ == [i for i in binarizer.items_ if not i.startswith("size")]
    np.testing.assert_array_equal(binarizer.transform(table)[:, 0], table.income <= binarizer.cuts_[0][0])


def test_weights_are_copies_and_unseen_levels_have_no_item(rng):
    X = np.column_stack([rng.normal(size=30), rng.integers(0, 3, 30) / 2])
    weights = rng.integers(0, 4, 30)
    one = BinarizeDataset(max_levels=3).fit(X, sample_weight=weights)
    two = BinarizeDataset(max_levels=3).fit(np.repeat(X, weights, axis=0))
    assert one.items_ == two.items_
    assert BinarizeDataset().fit([["a"], ["b"]]).transform([["c"]]).tolist() == [[False, False]]


def test_invalid_input_raises(rng):
    with pytest.raises(ValueError, match="'nothing', which is not a column"):
        BinarizeDataset(ordinal=["nothing"]).fit(survey(rng))
    with pytest.raises(ValueError, match="text without an order"):
        BinarizeDataset(ordinal=[0]).fit([["a"], ["b"]])
    with pytest.raises(ValueError, match="missing='ignore'"):
        BinarizeDataset().fit([[np.nan, 1], [1, np.nan]])
    with pytest.raises(ValueError, match="infinity"):
        BinarizeDataset().fit([[np.inf], [1.0]])


def test_numbers_are_identifiers_by_their_name_only():
    frame = pd.DataFrame(
        {"number": np.arange(1, 41), "user_id": 7 * np.arange(40) + 1, "dose": np.arange(1, 41),
         "year": np.arange(1980, 2020), "side": ["left", "right"] * 20}
    )  # fmt: skip
    model = BinarizeDataset().fit(frame)
    assert set(model.dropped_) == {"number", "user_id"}
    assert {"year>1999.5", "dose>20.5"} <= set(model.items_)
    assert not BinarizeDataset(drop_identifiers=False).fit(frame).dropped_
    assert set(BinarizeDataset(keep=["number"]).fit(frame).dropped_) == {"user_id"}
    assert not BinarizeDataset().fit(np.column_stack([np.arange(1, 41), np.arange(40) % 2])).dropped_
    with pytest.raises(ValueError, match="keep contains 'nothing', which is not a column"):
        BinarizeDataset(keep=["nothing"]).fit(frame)


@pytest.mark.spec("CRS-36")
def test_integer_codes_that_become_many_items_are_warned_about():
    X = pd.DataFrame({"education": np.arange(60) % 9 + 1, "sex": np.arange(60) % 2, "age": np.arange(60)})
    with pytest.warns(AmbiguousInputWarning, match="column 'education' become one item per value.*`ordinal`"):
        binarizer = BinarizeDataset().fit(X)
    assert len(binarizer.levels_[0]) == 9
    assert BinarizeDataset(ordinal=["education", "age"]).fit(X).items_[:2] == ["education<=5", "education>5"]
    BinarizeDataset(ordinal=["age"]).fit(X)  # an answer, too
    BinarizeDataset().fit(X.astype({"education": str}))
    BinarizeDataset().fit(X[["sex", "age"]])
    BinarizeDataset().fit(X[["sex"]].assign(dose=np.arange(60) % 3 / 2))
    AssociationRules(min_support=0.4).fit(X)  # has no such parameter
