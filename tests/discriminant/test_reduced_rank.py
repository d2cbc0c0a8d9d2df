"""Reduced-rank linear discriminant analysis."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

from statlearn.discriminant import LinearDiscriminantAnalysis, ReducedRankLDA
from tests.discriminant.tables import gaussians, vowel
from tests.helpers import assert_close


@pytest.mark.spec("DIS-12", "DIS-P10")
@given(seed=st.integers(0, 10_000), p=st.integers(1, 5), k=st.integers(2, 5))
def test_full_rank_is_linear_discriminant_analysis(seed, p, k):
    X, y = gaussians(np.random.default_rng(seed), 70, p, k)
    model = ReducedRankLDA(n_components=min(p, k - 1)).fit(X, y)
    full = LinearDiscriminantAnalysis().fit(X, y)
    assert_close(model.predict_proba(X), full.predict_proba(X), atol=1e-6)
    assert np.all(np.diff(model.eigenvalues_) <= 1e-9 * model.eigenvalues_[0])
    assert_close(model.train_error_[-1], np.mean(full.predict(X) != y))


@pytest.mark.spec("DIS-12")
def test_every_rank_is_lda_of_the_projected_rows(rng):
    X, y = gaussians(rng, 100, 4, 5)
    for rank in (1, 2, 3):
        model = ReducedRankLDA(rank, priors=[0.1, 0.2, 0.3, 0.2, 0.2]).fit(X, y)
        Z = model.transform(X)
        assert Z.shape == (100, rank)
        projected = LinearDiscriminantAnalysis(priors=[0.1, 0.2, 0.3, 0.2, 0.2]).fit(Z, y)
        assert_close(model.predict_proba(X), projected.predict_proba(Z), atol=1e-7)
        assert_close(model.train_error_[rank - 1], np.mean(model.predict(X) != y))


@pytest.mark.spec("DIS-12")
def test_errors_of_all_ranks_are_cross_validated(rng):
    X, y = gaussians(rng, 100, 4, 5, spread=0.7)
    cv = StratifiedKFold(4)
    model = ReducedRankLDA(cv=cv).fit(X, y)
    for rank in range(1, 5):
        wrong = [
            np.mean(ReducedRankLDA(rank).fit(X[train], y[train]).predict(X[test]) != y[test])
            for train, test in cv.split(X, y)
        ]
        assert_close(model.cv_curve_.loss[rank - 1], wrong)
    assert model.n_components_ == model.cv_curve_.parameter[model.cv_curve_.best]
    assert ReducedRankLDA(cv=cv, rule="one_se").fit(X, y).n_components_ <= model.n_components_
    with pytest.raises(ValueError, match="`n_components`=5 exceeds"):
        ReducedRankLDA(5).fit(X, y)


@pytest.mark.spec("DIS-12")
def test_vowel_is_best_in_two_dimensions():
    # Hastie, Tibshirani & Friedman, figure 4.10: the test error is smallest, 0.49, at dimension 2
    X, y, X_test, y_test = vowel()
    errors = [1 - ReducedRankLDA(rank).fit(X, y).score(X_test, y_test) for rank in range(1, 11)]
    assert np.argmin(errors) == 1
    assert round(errors[1], 2) == 0.49
    assert round(errors[-1], 2) == 0.56
