"""Diagonal discriminants."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

from statlearn._core.warnings import RankWarning
from statlearn.discriminant import DiagonalLDA, DiagonalQDA, scatter_matrices
from tests.discriminant.tables import gaussians
from tests.helpers import assert_close


class DiagonalCovariance:
    def fit(self, X):
        self.covariance_ = np.diag(X.var(axis=0))


@pytest.mark.spec("DIS-09", "DIS-P9")
@given(seed=st.integers(0, 10_000), p=st.integers(1, 6), k=st.integers(2, 4))
def test_the_independence_rule(seed, p, k):
    X, y = gaussians(np.random.default_rng(seed), 60, p, k)
    model = DiagonalLDA().fit(X, y)
    s = scatter_matrices(X, y)
    variances = np.diag(s.pooled_covariance)
    delta = -(((X[:, None] - s.means) ** 2) / variances).sum(axis=2) + 2 * np.log(s.counts / len(X))
    np.testing.assert_array_equal(model.predict(X), delta.argmax(axis=1))
    score = model.decision_function(X)
    gap = score if k == 2 else score[:, 1] - score[:, 0]
    assert_close(2 * gap, delta[:, 1] - delta[:, 0], rtol=1e-6, atol=1e-7)
    # Linear discriminant analysis whose pooled covariance has been made diagonal.
    P = np.diag(1 / variances)
    linear = X @ P @ s.means.T - 0.5 * np.einsum("kp,pq,kq->k", s.means, P, s.means) + np.log(s.counts / len(X))
    assert_close(linear[:, 1] - linear[:, 0], gap, rtol=1e-6, atol=1e-7)


@pytest.mark.spec("DIS-P9")
def test_linear_analysis_with_a_diagonal_covariance_is_the_same(rng):
    from statlearn.discriminant import LinearDiscriminantAnalysis

    X, y = gaussians(rng, 60)
    full = LinearDiscriminantAnalysis("lsqr", covariance_estimator=DiagonalCovariance()).fit(X, y)
    assert_close(DiagonalLDA(cov_divisor="n").fit(X, y).predict_proba(X), full.predict_proba(X))


@given(seed=st.integers(0, 10_000))
def test_the_quadratic_one_is_naive_bayes(seed):
    X, y = gaussians(np.random.default_rng(seed), 60, common=False)
    peer = GaussianNB(var_smoothing=0).fit(X, y)
    assert_close(DiagonalQDA(cov_divisor="nk").fit(X, y).predict_proba(X), peer.predict_proba(X), atol=1e-9)


def test_many_columns_and_few_rows(rng):
    y = np.arange(30) % 3
    X = rng.normal(size=(30, 2000))
    X[:, :60] += 3 * np.eye(3)[y].repeat(20, axis=1)
    assert DiagonalLDA().fit(X, y).score(X, y) == 1.0


def test_constant_columns(rng):
    X, y = gaussians(rng, 60)
    Z = np.column_stack([X, np.ones(60)])
    for model in (DiagonalLDA(), DiagonalQDA()):
        with pytest.warns(RankWarning, match="constant within the classes, so they are ignored: x3"):
            found = model.fit(Z, y).predict_proba(Z)
        assert_close(found, model.fit(X, y).predict_proba(X))
    Z[:, 3] = y == 1
    for model in (DiagonalLDA(), DiagonalQDA()):
        with pytest.warns(RankWarning, match="differ between classes: x3. They separate classes without error"):
            model.fit(Z, y)
    Z[:, 3] = rng.normal(size=60) * (y > 0)
    with pytest.warns(RankWarning, match="replaced by the pooled one"):
        model = DiagonalQDA().fit(Z, y)
    assert_close(model.var_[0, 3], scatter_matrices(Z, y).pooled_covariance[3, 3])
    with pytest.raises(ValueError, match="All columns of X are constant"):
        DiagonalLDA().fit(np.ones((6, 2)), [0, 1] * 3)
    with pytest.raises(ValueError, match=r"only 1 sample in class 1.*use DiagonalLDA"):
        DiagonalQDA().fit(X[:4], [0, 0, 0, 1])
