"""The generators know what they say of their tables."""

import numpy as np
import pytest

import truth.worlds  # noqa: F401
from truth.examine import score, signal_p_value
from truth.world import WORLDS


def test_there_are_many_worlds_with_different_tables():
    assert len(WORLDS) >= 40
    assert all(world.make.__doc__ for world in WORLDS.values())


@pytest.mark.parametrize("world", WORLDS.values(), ids=list(WORLDS))
def test_a_table_is_reproducible_and_its_facts_name_its_columns(world):
    for seed in range(2):
        made, table, _, settings = world.sample(seed)
        assert table.equals(world.sample(seed)[1])
        assert set(settings) == set(world.dials)
        facts = made.facts
        named = {*facts.leaks, *facts.identifiers, *facts.constants, *facts.numbers, *facts.groups, *facts.ordered}
        assert named <= set(table.columns) - {made.target}
        X, y, ideal = world.fresh(made, seed, 300)
        assert set(X.columns) == set(table.columns) - {made.target}
        assert len(X) == len(y) == len(ideal)
        assert (made.task == "classification") == (np.ndim(ideal) == 2)


def test_the_ideal_prediction_is_better_than_the_mean():
    world = WORLDS["linear-mean"]
    made, *_ = world.sample(0)
    _, y, ideal = world.fresh(made, 0, 5000)
    assert score(y, ideal, None)[0] < np.std(y)


def test_the_p_value_of_the_oracle_distinguishes_signal_from_noise():
    strong, _, clean, _ = next(WORLDS["linear-mean"].sample(s) for s in range(16)
                               if WORLDS["linear-mean"].sample(s)[3] == {"rows": 1500, "r2": 0.8})  # fmt: skip
    assert signal_p_value(clean, strong) < 1e-100
    p = [signal_p_value(*WORLDS["pure-noise"].sample(s)[2::-2]) for s in range(20)]
    assert np.mean(np.array(p) < 0.2) < 0.5
    assert min(p) > 1e-6


def test_scores_are_the_textbook_formulas():
    assert score(np.array([1.0, 3.0]), np.array([1.0, 1.0]), None) == (np.sqrt(2), -1.0)
    classes = np.array(["a", "b"])
    loss, accuracy = score(np.array(["a", "b"]), np.array([[0.5, 0.5], [0.75, 0.25]]), classes)
    np.testing.assert_allclose([loss, accuracy], [np.log(2) * 1.5, 0.5])
