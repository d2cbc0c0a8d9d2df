"""Counting of rulings, and the page."""

import numpy as np
from scipy.optimize import brentq

import truth.worlds  # noqa: F401
from truth.claims import CLAIMS
from truth.rates import Rate, page, percent, rates_of, text, wilson


class FakeCase:
    record = {"world": "somewhere", "seed": 3}


def test_wilson_interval_inverts_the_score_test():
    low, high = wilson(3, 40)
    for end, bracket in ((low, (1e-6, 3 / 40)), (high, (3 / 40, 1 - 1e-6))):
        root = brentq(lambda p: (3 / 40 - p) ** 2 - 1.959963985**2 * p * (1 - p) / 40, *bracket)
        np.testing.assert_allclose(end, root)
    assert wilson(0, 0) == (0.0, 1.0)


def test_a_rate_counts_statements_made_and_true():
    rate = Rate(CLAIMS["finding", "SMALL"])
    for made, true in (
        [(True, True)] * 5 + [(False, True)] + [(True, False)] * 2 + [(False, False)] * 4 + [(True, None)]
    ):
        rate.add(FakeCase, made, true)
    assert rate.recall == (5, 6)
    assert rate.alarms == (2, 6)
    assert rate.untrue == (2, 7)
    assert rate.wrong_in["somewhere"] == 2
    assert rate.verdict == "missed"


def test_a_finding_that_silence_cannot_judge_is_judged_by_those_made():
    rate = Rate(CLAIMS["finding", "UNSTABLE-WINNER"])
    for made, true in [(True, True)] * 99 + [(True, False)] + [(False, None)] * 50:
        rate.add(FakeCase, made, true)
    assert rate.untrue == (1, 100)
    assert rate.verdict == "met"


def test_promises_that_are_not_made_have_no_goal():
    rate = Rate(CLAIMS["number", "± of the headline, time"])
    rate.add(FakeCase, True, False)
    assert rate.verdict == ""


def test_shares_are_written_with_their_intervals():
    assert percent(3, 150) == "3 of 150 (2.0 %, 0.7 to 5.7 %)"
    assert percent(0, 0) == "–"


def test_the_page_lists_every_claim_and_world():
    about = {"date": "2026-01-01", "jobs": "2 processes", "fresh": 1, "others": 1, "versions": {"numpy": "2"}}
    written = page([], about)
    assert all(f"``{code}``" in written for kind, code in CLAIMS if kind != "number")
    assert "linear-mean" in written
    assert len(rates_of([])) == len(CLAIMS)
    assert "SMALL" in text([])
