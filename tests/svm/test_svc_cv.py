"""Grid search with shared kernels."""

import numpy as np
import pytest
import sklearn.svm
from sklearn.model_selection import GridSearchCV

from statlearn.svm import SVC, SVCCV
from tests.helpers import assert_close
from tests.svm.data import cancer, iris


@pytest.mark.parametrize("data", [cancer, iris])
def test_scores_match_a_grid_search(data):
    X, y = data()
    Cs, gammas = [0.1, 1.0, 10.0], [0.01, 0.1]
    search = SVCCV(Cs=Cs, gammas=gammas).fit(X, y)
    reference = GridSearchCV(sklearn.svm.SVC(), {"C": Cs, "gamma": gammas}).fit(X, y)
    expected = reference.cv_results_["mean_test_score"].reshape(3, 2)
    # a row within the tolerance of the boundary may change sides
    assert np.abs(search.scores_.mean(axis=2).T - expected).max() <= 1.0 / len(y) + 1e-12
    assert (search.C_, search.gamma_) in [(C, g) for C in Cs for g in gammas]
    final = SVC(C=search.C_, gamma=search.gamma_).fit(X, y)
    np.testing.assert_array_equal(search.decision_function(X), final.decision_function(X))
    np.testing.assert_array_equal(search.predict(X), final.predict(X))


def test_weights_of_the_search_count_copies():
    X, y = cancer()
    X, y = X[:150], y[:150]
    splits = [(np.arange(100), np.arange(100, 150)), (np.arange(50, 150), np.arange(50))]
    w = np.ones(150)
    a = SVCCV(Cs=[1.0], gammas=["scale"], cv=splits).fit(X, y)
    b = SVCCV(Cs=[1.0], gammas=["scale"], cv=splits).fit(X, y, sample_weight=2 * w)
    assert a.gammas_[0] == pytest.approx(b.gammas_[0])
    assert_close(SVCCV(Cs=[2.0], gammas=[a.gamma_], cv=splits).fit(X, y).scores_, b.scores_)
    with pytest.raises(ValueError, match="gammas"):
        SVCCV(gammas=[-1.0]).fit(X, y)


@pytest.mark.parametrize("gammas", [np.array([[0.5], [1.0]]), [0.5, None], [np.inf], ["c0"]])
def test_invalid_gamma_raises_by_name(gammas, rng):
    with pytest.raises(ValueError, match="gammas must contain positive numbers"):
        SVCCV(gammas=gammas).fit(rng.normal(size=(20, 2)), np.arange(20) % 2)
