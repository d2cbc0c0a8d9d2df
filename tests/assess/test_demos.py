"""Lessons that can be counted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin

from statlearn.assess import no_free_lunch, wrong_cv_demo
from statlearn.assess._demos import _best_splits
from tests.helpers import assert_close


@pytest.mark.spec("ASM-36", "ASM-T15")
def test_screening_outside_the_folds_deceives(seed):
    found = wrong_cv_demo(60, random_state=seed)
    assert found.outside.mean() < 0.3
    assert 0.45 < found.inside.mean() < 0.60
    assert found.true_error == 0.5


@pytest.mark.spec("ASM-36")
def test_best_stump_is_the_best_of_all_cuts(rng):
    X, y = rng.normal(size=(11, 4)), rng.integers(0, 2, 11)
    mistakes, threshold, above = _best_splits(X, y)
    for j in range(4):
        cuts = np.sort(X[:, j])
        every = [np.sum(((X[:, j] > c) == up) != y) for c in (cuts[:-1] + cuts[1:]) / 2 for up in (True, False)]
        assert mistakes[j] == min(every)
        assert np.sum(np.where(X[:, j] > threshold[j], above[j], 1 - above[j]) != y) == mistakes[j]


class Nearest(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.X_, self.y_ = X, y
        return self

    def predict(self, X):
        return self.y_[np.abs(X - self.X_.T).argmin(axis=1)]


LEARNERS = {
    "never": lambda x, y: lambda new: np.zeros(len(new)),
    "majority": lambda x, y: lambda new: np.full(len(new), float(np.mean(y) > 0.5)),
    "contrary": lambda x, y: lambda new: np.full(len(new), 1 - y[-1]),
    "parity": lambda x, y: lambda new: (new + y.sum()) % 2,
    "nearest": Nearest(),
}


@pytest.mark.spec("ASM-37", "ASM-T16")
@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_errs_the_same_over_all_targets(name):
    assert no_free_lunch(LEARNERS[name]) == 4.0


@pytest.mark.spec("ASM-37", "ASM-P14")
@given(st.integers(2, 7), st.data())
def test_sums_are_equal_for_all_learners(n_points, data):
    train = data.draw(st.lists(st.integers(0, n_points - 1), unique=True, min_size=1, max_size=n_points))
    weights = data.draw(st.lists(st.integers(1, 5), min_size=n_points, max_size=n_points))
    sums = {no_free_lunch(learner, n_points, train, probability=weights) for learner in LEARNERS.values()}
    assert len(sums) == 1
    off = sum(w for k, w in enumerate(weights) if k not in train) / sum(weights)
    assert_close(sums.pop(), 2 ** (n_points - 1) * off)


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="`train` must contain"):
        no_free_lunch(LEARNERS["never"], 4, (0, 7))
    with pytest.raises(ValueError, match="`probability` must contain"):
        no_free_lunch(LEARNERS["never"], 4, probability=[1.0])
    with pytest.raises(ValueError, match="exceeds"):
        wrong_cv_demo(1, n_per_class=2, n_folds=5)
