"""The small form of `python -m truth`: fixed tables, wide bounds."""

import pytest

import truth.worlds  # noqa: F401
from truth.claims import Case
from truth.examine import examine
from truth.rates import rates_of
from truth.world import WORLDS

TABLES = {
    "noise": [("pure-noise", s) for s in range(4)] + [("noise-classes", 0), ("noise-in-many-columns", 0)],
    "signal": [("linear-mean", 3), ("steps", 0), ("curves", 0), ("linear-logit", 0), ("sparse-mean", 0)],
    "leaks": [("copied-target", 1), ("copied-target", 2), ("two-leaks", 0), ("renamed-classes", 3)],
    "columns": [("row-numbers", 0), ("constant-column", 0), ("repeated-column", 0), ("plain-gaps", 0), ("money", 0)],
    "rows": [("few-rows", 1), ("rare-class", 0), ("sampled", 0)],
}


@pytest.fixture(scope="module", params=list(TABLES))
def records(request):
    found = [examine(WORLDS[name], seed, fresh=4000) for name, seed in TABLES[request.param]]
    assert not [record["error"] for record in found if "error" in record]
    return request.param, found


def test_printed_statements_are_true(records):
    """Claims that hold on all worlds by construction, and some that fixed tables cannot miss."""
    theme, records = records
    rates = rates_of(records)
    assert rates["number", "words of the verdict"].made_false == 0
    for code in ("FAILED", "UNFINISHED", "QUICK-TUNING", "SAMPLED", "SMALL", "LEFT-OUT", "MISSING", "REPEATED-COLUMN"):
        rate = rates["finding", code]
        assert rate.made_false == rate.silent_true == 0, (code, rate.examples, rate.missed_in)
    assert rates["sentence", "OTHERS-TIED"].made_false + rates["sentence", "SIMPLEST-TIED"].made_false <= 1
    cases = [Case(record) for record in records]
    if theme == "noise":
        assert sum("BETTER-THAN-BASELINE" in case.said for case in cases) <= 2
        assert sum("NO-SIGNAL" in case.codes for case in cases) >= 4
    if theme == "signal":
        assert sum("BETTER-THAN-BASELINE" in case.said for case in cases) >= 3
    if theme == "leaks":
        assert rates["sentence", "RESTS-ON-LEAK"].made_false == 0
        assert rates["finding", "TARGET-IN-DISGUISE"].silent_true <= 1
    held = rates["number", "held-out interval"]
    assert held.made_false <= 2
