"""The fuzz itself: rounds can be repeated, and each outcome is distinguished from the others."""

from types import SimpleNamespace

import numpy as np
import pytest

from statlearn._core.params import Int, Real
from statlearn.bayes import GaussianNB
from statlearn.ensemble import VotingClassifier
from statlearn.linear import Ridge
from statlearn.manifold import Isomap, _isomap, _neighborhoods
from statlearn.neighbors import KNeighborsRegressor
from tests.fuzz import judge, processes
from tests.fuzz.parameters import draw_value
from tests.fuzz.rounds import Draw, draw_round, run_round
from tests.fuzz.tables import KINDS, OF_X, OF_Y, TAME, WEIGHTS


def test_every_kind_of_table_is_generated():
    assert set(KINDS) == {"plain", "wide", *OF_X, *OF_Y}
    assert set(TAME) <= set(KINDS)


def test_a_round_depends_on_its_number_alone():
    for name in ("Ridge", "KMeans", "TfidfVectorizer"):
        texts = [draw_round(name, 3, number).text for number in range(10)]
        assert texts == [draw_round(name, 3, number).text for number in range(10)]
        assert len(set(texts)) == 10


@pytest.mark.parametrize("rule", [Real(0, None), Real(0, None, closed="right"), Real(-1, 1), Real(None, 2), Int(1, 9)])
def test_drawn_values_obey_the_rule(rule, rng):
    assert all(rule.accepts(draw_value(rng, rule, "alpha", 3)) for _ in range(200))


@pytest.mark.parametrize("kind", WEIGHTS)
def test_weights_are_generated_for_any_number_of_rows(kind, rng):
    for n in (0, 1, 7):
        WEIGHTS[kind](rng.uniform(0.1, 2, n), rng)


def raised(function):
    try:
        function()
    except Exception as error:
        return judge.of_exception(error)[0]
    return None


def test_exceptions_are_distinguished():
    X = np.ones((5, 2))
    assert raised(lambda: Ridge(alpha=-1).fit(X, X[:, 0])) == "clean"
    assert raised(lambda: Ridge().fit(X, None)) == "clean"
    assert raised(lambda: np.ones(3).reshape(2, 2)) == "murky"
    assert raised(lambda: np.linalg.inv(np.zeros((2, 2)))) == "dirty"
    assert raised(lambda: [][1]) == "dirty"


@pytest.mark.parametrize("share, minutes", [(1.0, 1), (0.05, 20), (0.0, 10)])
def test_a_hang_is_distinguished_from_work(share, minutes, monkeypatch):
    """A busy machine gives a round 5 % of a processor: it may take twenty minutes for its minute of work."""
    clock = [0.0]
    monkeypatch.setattr(processes.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(processes, "seconds_of_work", lambda pid: share * clock[0])
    watch = processes.Watch(SimpleNamespace(pid=1), 60)
    while not watch.is_over():
        clock[0] += 1.0
    assert clock[0] == 60 * minutes + 1


def test_a_score_of_one_row_is_undefined():
    judged = lambda y: judge.of_answer("score", np.nan, None, np.array(y), tame=True)  # noqa: E731
    assert judged([[1.0, 2.0]]) is None
    assert judged([1.0, 1.0]) is None
    assert judged([[1.0, 2.0], [3.0, 4.0]])[0] == "silent"


class Liar(Ridge):
    """A regressor that does what a parameter says."""

    does = None

    def fit(self, X, y, sample_weight=None):
        if self.does == "mutated":
            X[0, 0] = 7.0
        return super().fit(X, y)

    def predict(self, X):
        prediction = super().predict(X)
        if self.does == "silent":
            prediction[0] = np.nan
        if self.does == "unequal":
            prediction = prediction + np.random.default_rng().normal()
        return prediction[1:] if self.does == "wrong" else prediction


@pytest.mark.parametrize("does", [None, "silent", "wrong", "mutated", "unequal"])
def test_bad_answers_are_detected(does, monkeypatch, rng):
    monkeypatch.setattr(Liar, "does", does)
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    draw = Draw(Liar(), {}, X, y, None, X, y, True, "plain")
    assert run_round(draw)[0] == (does or "fine")


@pytest.mark.parametrize(("warns", "outcome"), [(True, "fine"), (False, "silent")])
def test_rows_without_coordinates_require_a_warning(warns, outcome, monkeypatch, rng):
    X = rng.uniform(size=(20, 2)) + np.where(np.arange(20) < 6, 100, 0)[:, None]
    monkeypatch.setattr(_isomap, "warn", lambda *_: None)  # of `transform`: that of `fit` is enough
    if not warns:
        monkeypatch.setattr(_neighborhoods, "warn", lambda *_: None)
    draw = Draw(Isomap(on_disconnected="largest"), {}, X, None, None, X, None, False, "plain")
    assert run_round(draw)[0] == outcome


@pytest.mark.parametrize(("lost", "outcome"), [(0, "fine"), (1, "wrong")])
def test_rows_of_unflattened_votes_are_counted_on_the_second_axis(lost, outcome, monkeypatch, rng):
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    votes = VotingClassifier([("a", GaussianNB()), ("b", GaussianNB())], voting="soft", flatten_transform=False)
    whole = VotingClassifier.transform
    monkeypatch.setattr(VotingClassifier, "transform", lambda self, X: whole(self, X)[:, lost:])
    draw = Draw(votes, {"flatten_transform": False}, X, y, None, X, y, False, "plain")
    assert run_round(draw)[0] == outcome


def test_neighbours_without_query_belong_to_the_training_rows(rng):
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    draw = Draw(KNeighborsRegressor(), {}, X, y, None, None, y, False, "plain")
    assert run_round(draw)[0] == "fine"
