"""Changes of real tables, and what has to follow."""

import numpy as np
import pandas as pd
import pytest

from truth import real
from truth.examine import compared


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    return pd.DataFrame({"x": x, "kind": np.where(rng.random(80) < 0.5, "a", "b"), "y": 2 * x + rng.normal(size=80)})


@pytest.mark.parametrize("change", real.CHANGES.values(), ids=list(real.CHANGES))
def test_a_change_leaves_the_table_itself_alone(frame, change):
    before = frame.copy()
    new, target = change(frame, "y", "regression", np.random.default_rng(1))
    pd.testing.assert_frame_equal(frame, before)
    assert target in new
    assert not new.equals(frame)


def test_relations_hold_for_a_table_whose_answer_is_known(frame):
    def record_of(table):
        record = compared(table, "y", "regression", {})
        return {k: v for k, v in record.items() if k != "result"}

    base = record_of(frame)
    for change in ("leaked", "copied", "renamed"):
        new = real.CHANGES[change](frame, "y", "regression", np.random.default_rng(1))[0]
        holds = real.relations(change, base, record_of(new))
        assert holds.pop("the saved model does not use it", None) in (True, False, None)
        assert all(holds.values()), (change, holds)


def test_rates_count_tables_and_name_those_that_fail(frame):
    base = {"findings": [], "said": [["BEST", {}]], "levels": {"m": [1.0, 0.1]}, "best": "m", "kinds": {"x": "number"}}
    records = [base | {"name": "t", "change": None}, base | {"name": "t", "change": "rescaled"}]
    counts = real.rates(records)
    assert counts["rescaled", "same findings"] == [1, 1, []]
    assert counts["rescaled", "score times 1,000"] == [0, 1, ["t"]]


def test_the_same_tables_are_drawn_every_time():
    assert real.tables(20) == real.tables(20)
    assert len(set(real.tables(real.DRAWN))) == real.DRAWN
