"""The sentences of the verdict and their codes."""

import string

import numpy as np
import pandas as pd
import pytest

import statlearn
from statlearn.app.honesty.wording import VERDICT, say, spoken


def words_of(template):
    return {name: "some words" for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("code", [code for code, text in VERDICT.items() if text[0] not in ".," and text[-1] in ".:"])
def test_a_sentence_is_recognised_by_its_template(code):
    words = words_of(VERDICT[code])
    verdict = f"{say('ALONE')} {say(code, **words)} {say('BASELINE-NEAR')} Nobody knows this one."
    expected = [("ALONE", {}), (code, words), ("BASELINE-NEAR", {})]
    assert spoken(verdict) == (expected, "Nobody knows this one.")


@pytest.mark.parametrize("start", ["BEST", "STACK-PREFERRED"])
@pytest.mark.parametrize("end", [code for code, text in VERDICT.items() if text[0] in ".,"])
def test_the_first_sentence_is_a_beginning_and_an_end(start, end):
    verdict = say(start, **words_of(VERDICT[start])) + say(end, **words_of(VERDICT[end]))
    said, rest = spoken(verdict)
    assert [code for code, _ in said] == [start, end]
    assert rest == ""


def test_the_templates_explain_the_whole_verdict_of_a_comparison():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    table = pd.DataFrame({"x": x, "same": 3 * x, "one": 1, "y": 2 * x + rng.normal(size=60)})
    leaking = table.assign(copy=2 * table["y"])
    said, rest = spoken(statlearn.compare(table, "y", models=["ridge", "lasso"], folds=4).verdict)
    assert rest == ""
    assert {"BEST", "BETTER-THAN-BASELINE", "HELD-OUT", "LEFT-OUT"} <= {code for code, _ in said}
    said, rest = spoken(statlearn.compare(leaking, "y", models=["ridge"], folds=4).verdict)
    assert rest == ""
    codes = [code for code, _ in said]
    assert (codes[0], codes[-1]) == ("LEAK-LEFT-OUT", "WITH-LEAK")
