"""Conjunctive hypotheses and version spaces."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.logic import ConjunctiveHypothesis, SearchBudgetExceeded, VersionSpace
from statlearn.logic._hypothesis import _maximal, at_least
from tests.logic.tasks import TENNIS_X, TENNIS_Y

VALUES = [list(dict.fromkeys(column)) for column in zip(*TENNIS_X)]
H = ConjunctiveHypothesis


def all_hypotheses(values):
    slots = [[None, *each] for each in values]
    return [H(each) for each in itertools.product(*slots)] + [H.bottom(len(values))]


@pytest.mark.spec("LOG-T1", "LOG-01")
def test_hypotheses_are_counted():
    assert H.count([3, 2, 2, 2]) == 109 == len(all_hypotheses(VALUES))
    for n in range(1, 6):
        assert H.count([2] * n) == 3**n + 1 == len(set(all_hypotheses([["a", "b"]] * n)))


@pytest.mark.spec("LOG-01")
def test_the_order_is_a_lattice():
    hypotheses = all_hypotheses([["a", "b"], ["c", "d"]])
    rows = list(itertools.product("ab", "cd"))
    for g, s in itertools.product(hypotheses, repeat=2):
        assert (g >= s) == all(g.accepts(row) for row in rows if s.accepts(row))
        above = [h for h in hypotheses if h >= g and h >= s]
        assert g.join(s) in above
        assert all(h >= g.join(s) for h in above)
        below = [h for h in hypotheses if g >= h and s >= h]
        assert all(g.meet(s) >= h for h in below)
    assert H.top(2) >= H.bottom(2)
    assert H(["a", "∅"]) == H.bottom(2)
    assert H.top(2) > H.bottom(2)
    assert H.bottom(2) < H.top(2)


@pytest.mark.spec("LOG-T2", "LOG-03")
def test_boundaries_of_the_seven_rows():
    first = {H(["Overcast", "?", "?", "?"]), H(["Rain", "?", "?", "?"]), H(["?", "Mild", "?", "?"])}
    first |= {H(["?", "?", "Normal", "?"]), H(["?", "?", "?", "Strong"])}
    strong = H(["?", "?", "?", "Strong"])
    overcast = {H(["Overcast", "?", "?", "?"])}
    general = [first, first - {strong}, *[overcast] * 5]
    bottom = H.bottom(4)
    specific = [
        bottom,
        bottom,
        H(["Overcast", "Hot", "High", "Weak"]),
        H(["Overcast", "?", "High", "Weak"]),
        H(["Overcast", "?", "High", "?"]),
        H(["Overcast", "?", "?", "?"]),
        H(["Overcast", "?", "?", "?"]),
    ]
    sizes = [None, None, 8, 4, 2, 1, 1]
    space = VersionSpace(VALUES)
    for row, label, g, s, size in zip(TENNIS_X, TENNIS_Y, general, specific, sizes):
        space.update(row, label == "Yes")
        assert set(space.general) == g
        assert space.specific == [s]
        assert size is None or len(space) == size


examples = st.lists(
    st.tuples(st.tuples(*[st.sampled_from(v) for v in ("ab", "cd", "efg")]), st.booleans()), min_size=1, max_size=7
)


@pytest.mark.spec("LOG-P1", "LOG-03")
@given(examples, st.randoms(use_true_random=False))
def test_the_interval_is_the_brute_force_version_space_in_any_order(rows, random):
    values = ["ab", "cd", "efg"]
    consistent = {h for h in all_hypotheses(values) if all(h.accepts(row) == yes for row, yes in rows)}
    space = VersionSpace(values)
    for row, yes in rows:
        space.update(row, yes)
    assert set(space) == {h for h in consistent if h.is_satisfiable}
    assert space.is_empty == (not consistent)
    assert {h for h in all_hypotheses(values) if h in space} == consistent
    shuffled = list(rows)
    random.shuffle(shuffled)
    other = VersionSpace(values)
    for row, yes in shuffled:
        other.update(row, yes)
    assert (set(other.general), other.specific) == (set(space.general), space.specific)
    if consistent:
        for row in itertools.product(*values):
            votes = {h.accepts(row) for h in consistent}
            assert space.decide(row) == (votes.pop() if len(votes) == 1 else None)


@pytest.mark.spec("LOG-P1")
def test_contradictory_labels_empty_the_space():
    space = VersionSpace(["ab"]).update("a", True).update("a", False)
    assert space.is_empty
    assert len(space) == 0
    with pytest.raises(ValueError, match="empty"):
        space.decide("a")


@pytest.mark.spec("LOG-03")
def test_wrong_rows_and_large_boundaries_raise():
    space = VersionSpace([["a", "b"], ["c", "d"]])
    with pytest.raises(ValueError, match="'x' is not a value of attribute 1"):
        space.update(["a", "x"], True)
    with pytest.raises(ValueError, match="2 attributes"):
        space.update(["a"], True)
    wide = VersionSpace([range(30)] * 10, max_boundary=100)
    with pytest.raises(SearchBudgetExceeded, match="max_boundary=100"):
        wide.update([0] * 10, False)


@pytest.mark.parametrize("n_kept", [0, 3, 200])
def test_maximal_hypotheses_by_lookup_are_those_by_comparison(n_kept, rng):
    draws = [tuple(np.where(rng.random(5) < 0.6, -1, rng.integers(0, 2, 5)).tolist()) for _ in range(120 + n_kept)]
    fresh, kept = dict.fromkeys(draws[:120]), list(dict.fromkeys(draws[120:]))
    expected = [h for h in fresh if not any(at_least(g, h) for g in [*kept, *(f for f in fresh if f != h)])]
    assert sorted(_maximal(fresh, kept)) == sorted(expected)
