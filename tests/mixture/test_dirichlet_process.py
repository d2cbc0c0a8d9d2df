"""The Chinese restaurant process, its expected number of tables, and broken sticks."""

from fractions import Fraction

import numpy as np
import pytest

from statlearn.mixture import chinese_restaurant, expected_tables, stick_breaking
from tests.helpers import assert_close


@pytest.mark.spec("CRS-83")
def test_expected_tables_are_the_sum_of_the_chances_of_a_new_one():
    assert round(expected_tables(10, 1.0)[0], 4) == 2.9290
    assert round(expected_tables(100, 1.0)[0], 4) == 5.1874
    for n, alpha in ((0, 2.0), (1, 0.3), (7, 0.5), (40, 12.5)):
        chances = alpha / (alpha + np.arange(n))
        mean, std = expected_tables(n, alpha)
        assert_close(mean, chances.sum())
        assert_close(std, np.sqrt((chances * (1 - chances)).sum()), atol=1e-7)
    assert expected_tables([5, 10], 1.0)[0].shape == (2,)


def partition_probability(tables, alpha):
    """Probability of a seating order, guest by guest."""
    probability = Fraction(1)
    for i, table in enumerate(tables):
        same = tables[:i].count(table)
        probability *= (Fraction(same) if same else alpha) / (i + alpha)
    return probability


@pytest.mark.spec("CRS-83")
def test_seatings_of_four_guests_have_their_exact_probabilities(seed):
    rng, alpha, n = np.random.RandomState(seed), Fraction(3, 2), 20_000
    counts = {}
    for _ in range(n):
        tables = tuple(chinese_restaurant(4, float(alpha), random_state=rng).tolist())
        counts[tables] = counts.get(tables, 0) + 1
    assert len(counts) == 15  # partitions of four
    assert sum(partition_probability(tables, alpha) for tables in counts) == 1
    expected = np.array([float(partition_probability(tables, alpha)) * n for tables in counts])
    statistic = np.sum((np.array(list(counts.values())) - expected) ** 2 / expected)
    assert statistic < 42.6  # 0.9999 quantile of chi-squared with 14 degrees of freedom


@pytest.mark.spec("CRS-83")
def test_sticks_sum_to_one_and_have_the_mean_of_a_geometric_sequence(seed):
    alpha, n = 2.0, 4000
    draws = np.array([stick_breaking(alpha, n_sticks=6, random_state=seed * n + k) for k in range(n)])
    assert_close(draws.sum(axis=1), np.ones(n))
    means = alpha ** np.arange(5) / (1 + alpha) ** np.arange(1, 6)
    error = draws.std(axis=0)[:5] / np.sqrt(n)
    assert np.all(np.abs(draws.mean(axis=0)[:5] - means) < 5 * error)
    long = stick_breaking(alpha, tol=1e-6, random_state=seed)
    assert 1 - 1e-6 <= long.sum() <= 1
    assert (long > 0).all()


def test_first_guests_and_repeated_draws():
    assert chinese_restaurant(0).tolist() == []
    assert chinese_restaurant(1, 1e-9).tolist() == [0]
    assert chinese_restaurant(50, 1e-12, random_state=1).max() == 0
    np.testing.assert_array_equal(chinese_restaurant(30, random_state=3), chinese_restaurant(30, random_state=3))
    tables = chinese_restaurant(200, 3.0, random_state=0)
    assert tables[np.unique(tables, return_index=True)[1]].tolist() == list(range(tables.max() + 1))


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="alpha"):
        chinese_restaurant(3, 0.0)
    with pytest.raises(ValueError, match="`n` must"):
        expected_tables(-1)
    with pytest.raises(ValueError, match="`alpha` must"):
        expected_tables(3, [1.0, 0.0])
    with pytest.raises(ValueError, match="n_sticks"):
        stick_breaking(1e7)
