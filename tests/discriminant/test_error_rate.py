"""Theoretical error rates of two Gaussian classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.discriminant import LinearDiscriminantAnalysis, lda_error_rate
from tests.discriminant.tables import TWO5, TWO5_Y
from tests.helpers import assert_close


@pytest.mark.spec("DIS-15", "DIS-T5")
def test_the_argument_is_halved():
    assert_close(lda_error_rate(2.0), 0.1586553, atol=1e-7)


@pytest.mark.spec("DIS-15", "DIS-T6")
def test_the_printed_table():
    model = LinearDiscriminantAnalysis(cov_divisor="n-k", store_covariance=True).fit(TWO5, TWO5_Y)
    assert_close(model.mahalanobis_distances()[0, 1], 4.9397701, atol=1e-6)
    assert_close(lda_error_rate(means=model.means_, covariance=model.covariance_), 0.0067578, atol=1e-6)


@pytest.mark.spec("DIS-15", "DIS-P12")
@given(seed=st.integers(0, 10_000), prior=st.floats(0.1, 0.9))
def test_simulated_errors_agree(seed, prior):
    rng = np.random.default_rng(seed)
    p, n = 3, 40_000
    means, root = rng.normal(size=(2, p)), rng.normal(size=(p, p)) / 2 + np.eye(p)
    S = root @ root.T + 0.05 * np.eye(p)
    y = (rng.random(n) > prior).astype(int)
    X = means[y] + rng.multivariate_normal(np.zeros(p), S, size=n)
    w = np.linalg.solve(S, means[1] - means[0])
    rule = (X - means.mean(axis=0)) @ w + np.log((1 - prior) / prior) > 0
    error = lda_error_rate(means=means, covariance=S, priors=[prior, 1 - prior])
    assert abs(np.mean(rule != y) - error) < 4.5 * np.sqrt(error * (1 - error) / n) + 1e-4


@pytest.mark.spec("DIS-15")
def test_error_rate_reaches_its_limits():
    assert lda_error_rate(0.0) == 0.5
    assert lda_error_rate(0.0, priors=[0.2, 0.8]) == 0.2
    assert lda_error_rate(3.0, priors=[0.0, 1.0]) == 0.0
    assert lda_error_rate(50.0) < 1e-100
    assert_close(lda_error_rate(1.0, priors=[0.3, 0.7]), lda_error_rate(1.0, priors=[0.7, 0.3]))
    assert lda_error_rate(1.0, priors=[0.3, 0.7]) < min(lda_error_rate(1.0), 0.3)


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="`delta`, or both"):
        lda_error_rate()
    with pytest.raises(ValueError, match="delta"):
        lda_error_rate(-1.0)
    with pytest.raises(ValueError, match="must be None"):
        lda_error_rate(1.0, means=[[0], [1]], covariance=[[1]])
    with pytest.raises(ValueError, match="`means` must have shape"):
        lda_error_rate(means=[[0, 1], [1, 1]], covariance=[[1]])
