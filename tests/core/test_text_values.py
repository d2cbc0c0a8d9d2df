"""Dates in text: formats, mixtures of them, and the order of day and month."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn._core.text_values import date_format, month_comes_first, read_date


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        (["2024-02-29", "2024-03-01 10:30"], "iso"),
        (["29.02.2024", "01.03.2024 10:30"], "%d.%m.%Y|%d.%m.%Y %H:%M"),
        (["2024-02-29", "01.03.2024"], "iso|%d.%m.%Y"),
        (["02/29/2024", "03/01/2024"], "%m/%d/%Y"),
        (["29/02/2024", "01/03/2024"], "%d/%m/%Y"),
        (["Feb 29, 2024", "March 1, 2024"], None),  # the same shape, and no format reads both
        (["Feb 29, 2024", "2024-03-01"], "iso|%b %d, %Y"),
        (["2024-02", "2024-03"], "%Y-%m"),
        (["01.03.24", "29.02.24"], "%d.%m.%y"),
        (["1.2.10", "3.11.12"], None),  # versions
        (["02/29/2024", "29/02/2024"], None),
        (["03/04/2024", "29/02/2024 10:30", "02/29/2024 11:30"], None),
        (["2024-02-29", "red"], None),
        (["2024-02-30"], None),
        ([], None),
    ],
)
def test_the_format_of_a_column_of_dates(texts, form):
    assert date_format(texts) == form
    for text in texts if form else ():
        assert read_date(text, form) is not None


def test_dates_of_several_formats_are_the_same_days():
    day = dt.datetime(2024, 2, 29)
    texts = ["2024-02-29", "29.02.2024", "29 February 2024", "February 29, 2024", "2024/02/29"]
    form = date_format(texts)
    assert {read_date(text, form) for text in texts} == {day}


def test_an_order_of_day_and_month_that_is_a_guess_is_known():
    assert month_comes_first(["03/04/2024", "05-06-2024"])
    assert not month_comes_first(["03/04/2024", "02/29/2024"])
    assert not month_comes_first(["2024-03-04"])
    assert not month_comes_first(["red"])


@given(st.lists(st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)), min_size=1, max_size=8))
def test_days_come_back_whatever_order_a_column_has(days):
    for form in ("%d/%m/%Y", "%m/%d/%Y"):
        texts = [day.strftime(form) for day in days]
        found = date_format(texts)
        if form == "%m/%d/%Y" or not month_comes_first(texts):
            assert [read_date(text, found).date() for text in texts] == days
