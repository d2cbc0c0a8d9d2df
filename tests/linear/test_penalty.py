"""Penalties on other scales."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from sklearn.metrics import log_loss

from statlearn.linear import LassoLars, LogisticRegression, Ridge, convert_penalty
from tests.helpers import assert_close

L2 = ["sklearn", "rss", "half_rss", "mean", "C", "prior_variance"]
L1 = ["sklearn", "rss", "half_rss", "mean", "C", "laplace_scale"]


@pytest.mark.spec("LIN-19", "LIN-P13")
@given(
    st.floats(1e-6, 1e6),
    st.sampled_from([("l2", a, b) for a in L2 for b in L2] + [("l1", a, b) for a in L1 for b in L1]),
    st.floats(1, 1e5),
    st.floats(1e-3, 1e3),
)
def test_conversions_go_and_come_back(value, scales, n, sigma2):
    penalty, source, target = scales
    there = convert_penalty(value, source, target, penalty=penalty, n_samples=n, sigma2=sigma2)
    back = convert_penalty(there, target, source, penalty=penalty, n_samples=n, sigma2=sigma2)
    assert back == pytest.approx(value, rel=1e-12)


@pytest.mark.spec("LIN-19")
def test_each_scale_by_its_definition():
    assert convert_penalty(3.0, "half_rss", "rss") == 6.0
    assert convert_penalty(3.0, "sklearn", "rss") == 3.0
    assert convert_penalty(0.5, "mean", "rss", n_samples=10) == 5.0
    assert convert_penalty(4.0, "C", "rss") == 1 / 8
    assert convert_penalty(2.0, "prior_variance", "rss", sigma2=3.0) == 1.5
    assert convert_penalty(3.0, "half_rss", "rss", penalty="l1") == 6.0
    assert convert_penalty(0.5, "sklearn", "rss", penalty="l1", n_samples=10) == 10.0
    assert convert_penalty(4.0, "C", "rss", penalty="l1") == 1 / 4
    assert convert_penalty(4.0, "laplace_scale", "rss", penalty="l1", sigma2=3.0) == 1.5
    assert np.array_equal(convert_penalty([1.0, 2.0], "half_rss", "rss"), [2.0, 4.0])


@pytest.mark.spec("LIN-19")
def test_converted_penalties_give_the_same_fit(rng):
    X, y = rng.normal(size=(30, 4)), rng.normal(size=30)
    y += X[:, 0]
    for scale in ("rss", "half_rss"):
        alpha = convert_penalty(2.0, "sklearn", scale)
        assert_close(Ridge(alpha, penalty_scale=scale).fit(X, y).coef_, Ridge(2.0).fit(X, y).coef_)
        alpha = convert_penalty(0.1, "sklearn", scale, penalty="l1", n_samples=30)
        same = LassoLars(alpha, penalty_scale=scale).fit(X, y)
        assert_close(same.coef_, LassoLars(0.1).fit(X, y).coef_)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((1.0, "rss", "mean"), "n_samples is required"),
        ((1.0, "rss", "prior_variance"), "sigma2 is required"),
        ((1.0, "rss", "laplace_scale"), "'target' parameter"),
        ((-1.0, "rss", "half_rss"), "value must be at least 0"),
        ((np.nan, "rss", "half_rss"), "value must be at least 0"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        convert_penalty(*arguments)


@pytest.mark.spec("CRS-54")
def test_priors_of_a_classifier():
    convert = partial(convert_penalty, loss="log_loss")
    assert convert(0.49, "prior_variance", "C") == 0.49  # C is the variance
    assert convert(0.7, "laplace_scale", "C", penalty="l1") == 0.7
    assert convert(4.0, "lambda_over_2m", "C") == 0.25
    assert convert(0.25, "C", "rss") == 2.0  # sum of losses + 2 |w|^2
    assert convert_penalty(3.0, "lambda_over_2m", "rss") == 3.0  # RSS/(2m) + 3 |w|^2 / (2m)
    assert convert(0.5, "prior_variance", "lambda_over_2m") == 2.0
    with pytest.raises(ValueError, match="`sigma2` has no meaning"):
        convert(1.0, "prior_variance", "C", sigma2=1.0)
    with pytest.raises(ValueError, match="source"):
        convert(1.0, "half_rss", "C")


@pytest.mark.spec("CRS-54")
@pytest.mark.parametrize("prior, K", [("gaussian", 2), ("laplace", 2), ("gaussian", 3), ("laplace", 3)])
def test_the_fit_under_a_prior_is_the_posterior_mode(prior, K, rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(0, K, 60)
    model = LogisticRegression(prior=prior, prior_scale=0.4, tol=1e-9).fit(X, y)

    def negative_log_posterior(coef, intercept):
        loss = log_loss(y, softmax_of(X @ coef.T + intercept), labels=range(K), normalize=False)
        density = stats.norm(0, 0.4) if prior == "gaussian" else stats.laplace(0, 0.4)
        return loss - density.logpdf(coef).sum()

    best = negative_log_posterior(model.coef_, model.intercept_)
    for _ in range(30):
        coef = model.coef_ + 1e-3 * rng.normal(size=model.coef_.shape)
        assert negative_log_posterior(coef, model.intercept_) > best
    C = 0.16 if prior == "gaussian" else 0.4
    same = LogisticRegression(C=C, l1_ratio=float(prior == "laplace"), solver="saga", tol=1e-9).fit(X, y)
    assert_close(model.coef_, same.coef_, atol=1e-7)
    with pytest.raises(ValueError, match="`prior` replaces `C`"):
        LogisticRegression(prior=prior, C=0.5).fit(X, y)
    with pytest.raises(ValueError, match="the fit has a penalty"):
        model.summary()


def softmax_of(scores):
    return special.softmax(np.column_stack([0.0 * scores, scores]) if scores.shape[1] == 1 else scores, axis=1)
