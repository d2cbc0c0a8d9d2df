"""Boundaries between pairs of classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.discriminant import LinearDiscriminantAnalysis, decision_hyperplane, pairwise_log_odds
from tests.discriminant.tables import TWO5, TWO5_Y, gaussians
from tests.helpers import assert_close


@pytest.mark.spec("DIS-14", "DIS-P6", "DIS-P7")
@given(seed=st.integers(0, 10_000), p=st.integers(1, 4), k=st.integers(2, 4), equal=st.booleans())
def test_log_odds_are_linear_differences_of_discriminants(seed, p, k, equal):
    rng = np.random.default_rng(seed)
    X, y = gaussians(rng, 60, p, k)
    priors = np.full(k, 1 / k) if equal else rng.dirichlet(np.ones(k)) * 0.9 + 0.1 / k
    model = LinearDiscriminantAnalysis(priors=priors).fit(X, y)
    odds = pairwise_log_odds(model, X, 0, 1)
    delta = model.discriminant_functions(X)
    assert_close(odds, delta[:, 0] - delta[:, 1], rtol=1e-6, atol=1e-6)
    log_proba = model.predict_log_proba(X)
    assert_close(odds, log_proba[:, 0] - log_proba[:, 1], rtol=1e-6, atol=1e-6)
    plane = decision_hyperplane(model, 0, 1)
    assert_close(X @ plane.normal + plane.offset, odds)
    middle = model.means_[:2].mean(axis=0)
    assert_close(middle @ plane.normal + plane.offset, np.log(priors[0] / priors[1]), rtol=1e-6, atol=1e-6)
    assert_close(pairwise_log_odds(model, X, 1, 0), -odds)


@pytest.mark.spec("DIS-P7")
@given(seed=st.integers(0, 10_000))
def test_three_boundaries_in_the_plane_meet_in_one_point(seed):
    X, y = gaussians(np.random.default_rng(seed), 60, 2, 3)
    model = LinearDiscriminantAnalysis().fit(X, y)
    planes = [decision_hyperplane(model, a, b) for a, b in ((0, 1), (1, 2), (0, 2))]
    A = np.stack([plane.normal for plane in planes])
    point = np.linalg.lstsq(A[:2], -np.array([planes[0].offset, planes[1].offset]), rcond=None)[0]
    scale = np.abs(A[2] * point).sum() + abs(planes[2].offset)
    assert abs(A[2] @ point + planes[2].offset) < 1e-7 * scale


@pytest.mark.spec("DIS-14", "DIS-T3")
def test_the_printed_boundary():
    plane = decision_hyperplane(LinearDiscriminantAnalysis(cov_divisor="n-k").fit(TWO5, TWO5_Y), "B", "A")
    assert_close(plane.normal, [3.4152824, 1.5681063], atol=1e-6)
    assert_close(plane.offset, -28.4053156, atol=1e-6)


def test_unknown_classes_raise():
    model = LinearDiscriminantAnalysis().fit(TWO5, TWO5_Y)
    with pytest.raises(ValueError, match="'C' must be one of the classes"):
        decision_hyperplane(model, "A", "C")
    with pytest.raises(ValueError, match="X has 3 features"):
        pairwise_log_odds(model, np.ones((1, 3)), "A", "B")
