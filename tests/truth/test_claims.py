"""Every statement of a comparison has a predicate."""

from statlearn.app.honesty import findings as honesty
from statlearn.app.honesty import wording
from truth.claims import CLAIMS


def test_every_finding_has_a_predicate():
    missing = set(honesty.CATALOG) - {code for kind, code in CLAIMS if kind == "finding"}
    assert not missing, f"write a claim for {sorted(missing)} in truth/claims.py"


def test_every_sentence_of_the_verdict_has_a_predicate():
    missing = set(wording.VERDICT) - {code for kind, code in CLAIMS if kind == "sentence"}
    assert not missing, f"write a claim for {sorted(missing)} in truth/claims.py"


def test_every_predicate_is_about_a_documented_statement():
    known = {"finding": set(honesty.CATALOG), "sentence": set(wording.VERDICT)}
    unknown = [key for key in CLAIMS if key[0] in known and key[1] not in known[key[0]]]
    assert not unknown
