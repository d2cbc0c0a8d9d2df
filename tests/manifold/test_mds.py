"""Classical and least-squares scaling."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.stats import ortho_group
from sklearn import manifold as reference
from sklearn.exceptions import ConvergenceWarning
from sklearn.isotonic import IsotonicRegression

import statlearn
from statlearn._core import native
from statlearn._core.warnings import StatlearnWarning
from statlearn.manifold import MDS, ClassicalMDS, distances_from_gram, double_center, mds_stress, smacof
from statlearn.manifold._mds import _Isotonic
from statlearn.neighbors import pairwise_distances
from tests.helpers import assert_close
from tests.manifold.problems import countries, same_up_to_signs


@pytest.mark.spec("MAN-01", "MAN-T1")
@pytest.mark.parametrize("n, eigenvalues", [(3, [0.5, 0.5, 0]), (4, [0.5, 0.5, 0.5, 0])])
def test_unit_simplices_are_recovered(n, eigenvalues):
    D = 1.0 - np.eye(n)
    assert_close(np.linalg.eigvalsh(double_center(D))[::-1], eigenvalues)
    mds = ClassicalMDS(n - 1, metric="precomputed").fit(D)
    assert_close(mds.eigenvalues_, eigenvalues[:-1])
    assert_close(pairwise_distances(mds.embedding_), D)
    assert_close(mds.explained_ratio_, 1.0)


@pytest.mark.spec("MAN-02", "MAN-P1")
def test_double_centring_gives_the_inner_products_of_centred_rows(seed):
    X = np.random.default_rng(seed).normal(size=(9, 4))
    D = pairwise_distances(X)
    centred = X - X.mean(axis=0)
    assert_close(double_center(D), centred @ centred.T)
    assert_close(distances_from_gram(double_center(D)), D, atol=1e-7)  # roots of rounding errors
    H = np.eye(9) - 1 / 9
    assert_close(double_center(D), -0.5 * H @ D**2 @ H)
    assert_close(H @ H, H)
    assert_close(np.trace(H), 8)


@pytest.mark.spec("MAN-01", "MAN-P1")
@pytest.mark.parametrize("n", [40, 700])  # a complete decomposition, and the iterative one
def test_classical_scaling_is_scikit_learns_and_pca(seed, n):
    X = np.random.default_rng(seed).normal(size=(n, 5)) * [5, 4, 3, 2, 1]
    mds = ClassicalMDS(3).fit(X)
    same_up_to_signs(mds.embedding_, reference.ClassicalMDS(3).fit(X).embedding_)
    U, S, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    same_up_to_signs(mds.embedding_, (U * S)[:, :3])
    assert (np.abs(mds.embedding_).max(axis=0) == mds.embedding_.max(axis=0)).all()  # the sign convention
    rotation = ortho_group.rvs(3, random_state=seed)
    Y = mds.embedding_
    assert_close(pairwise_distances(Y @ rotation), pairwise_distances(Y), atol=1e-6)


@pytest.mark.spec("MAN-01")
def test_dissimilarities_that_are_not_distances_are_clipped_with_a_warning():
    D = np.array([[0, 1, 1, 4], [1, 0, 1, 1], [1, 1, 0, 1], [4, 1, 1, 0]], dtype=float)  # 4 > 1 + 1
    with pytest.warns(UserWarning, match="of the 4 eigenvalues are positive"):
        mds = ClassicalMDS(4, metric="precomputed").fit(D)
    assert mds.smallest_eigenvalue_ < -0.1
    assert_close(mds.smallest_eigenvalue_, np.linalg.eigvalsh(double_center(D))[0])
    assert (mds.embedding_[:, mds.eigenvalues_ < 0] == 0).all()


def test_non_metric_dissimilarities_are_reported_with_their_size():
    D = pairwise_distances(np.random.default_rng(0).normal(size=(30, 2)))
    ClassicalMDS(2, metric="precomputed").fit(D)  # distances of points: no warning
    D[3, 7] = D[7, 3] = 25.0  # a typing error, far from the triangle inequality
    smallest = np.linalg.eigvalsh(double_center(D))[[0, -1]]
    with pytest.warns(StatlearnWarning, match="not Euclidean distances") as caught:
        ClassicalMDS(2, metric="precomputed").fit(D)
    message = str(caught[0].message)
    assert f"{smallest[0]:.3g}, {-smallest[0] / smallest[1]:.0%} of the largest" in message
    assert "Use MDS" in message
    with pytest.warns(StatlearnWarning, match="not Euclidean distances"):
        ClassicalMDS(1, metric=lambda a, b: float(abs(a[0] - b[0]) ** 2)).fit(np.arange(9.0)[:, None])


def test_other_metrics_are_taken(seed):
    X = np.random.default_rng(seed).normal(size=(15, 3))
    D = pairwise_distances(X, metric="manhattan")
    a = ClassicalMDS(2, metric="manhattan").fit(X).embedding_
    with pytest.warns(StatlearnWarning, match="not Euclidean"):
        assert_close(a, ClassicalMDS(2, metric="precomputed").fit(D).embedding_)
    with pytest.raises(ValueError, match="exceeds the 15 rows"):
        ClassicalMDS(16).fit(X)


@pytest.mark.spec("MAN-03", "MAN-T4")
def test_countries_by_least_squares():
    D = countries()
    mds = MDS(2, metric="precomputed", init="random", n_init=60, eps=1e-13, max_iter=5000, random_state=0).fit(D)
    assert_close(2 * mds.raw_stress_, 176.3164371, rtol=1e-6)  # printed digits
    assert_close(mds.root_stress_, 13.2784200, rtol=1e-6)
    assert len(mds.init_stress_) == 60
    assert mds.init_stress_.max() > 1.01 * mds.stress_  # other starts end in other minima
    assert_close(mds.init_stress_.min(), mds.stress_)


@pytest.mark.spec("MAN-03", "MAN-P4")
def test_stress_never_rises_and_ignores_rigid_motions(seed):
    rng = np.random.default_rng(seed)
    D = pairwise_distances(rng.normal(size=(30, 6)))
    mds = MDS(2, metric="precomputed", init="random", random_state=seed).fit(D)
    assert (np.diff(mds.stress_path_) <= 1e-9 * mds.stress_path_[0]).all()
    moved = mds.embedding_ @ ortho_group.rvs(2, random_state=seed) + [3.0, -2.0]
    assert_close(mds_stress(D, moved), mds.raw_stress_, rtol=1e-9)


@pytest.mark.spec("MAN-P4")
@pytest.mark.parametrize("method", ["smacof", "gradient"])
def test_distances_of_few_dimensions_are_met_exactly(seed, method):
    D = pairwise_distances(np.random.default_rng(seed).normal(size=(12, 2)))
    assert MDS(2, metric="precomputed", method=method).fit(D).stress_ < 1e-9 * np.sum(D**2)


@pytest.mark.spec("MAN-03")
def test_the_three_forms_of_stress_are_their_formulas(seed):
    rng = np.random.default_rng(seed)
    D, Z = pairwise_distances(rng.normal(size=(10, 4))), rng.normal(size=(10, 2))
    upper = np.triu_indices(10, 1)
    d = pairwise_distances(Z)[upper]
    raw = np.sum((d - D[upper]) ** 2)
    assert_close(mds_stress(D, Z), raw)
    assert_close(mds_stress(D, Z, kind="root"), np.sqrt(2 * raw))
    assert_close(mds_stress(D, Z, kind="normalized"), np.sqrt(raw / np.sum(d**2)))


@pytest.mark.parametrize("metric_mds", [True, False])
def test_same_end_as_scikit_learn(metric_mds):
    X = np.random.default_rng(3).normal(size=(40, 5))
    ours = MDS(metric_mds=metric_mds, eps=1e-10, max_iter=3000).fit(X)
    theirs = reference.MDS(metric_mds=metric_mds, init="classical_mds", eps=1e-10, max_iter=3000).fit(X)
    assert_close(ours.stress_, theirs.stress_, rtol=1e-3 if not metric_mds else 1e-6)  # flat for monotone fits
    assert ours.stress_ == (ours.raw_stress_ if metric_mds else ours.normalized_stress_)


def test_disparities_are_an_isotonic_regression(seed):
    rng = np.random.default_rng(seed)
    D = np.round(pairwise_distances(rng.normal(size=(9, 2))), 1)  # with ties
    Z = rng.normal(size=(9, 2))
    disparity = _Isotonic(D)(Z)
    upper = np.triu_indices(9, 1)
    d = pairwise_distances(Z)[upper]
    fitted = IsotonicRegression().fit_transform(D[upper], d)
    assert_close(disparity[upper], fitted * np.sqrt(36 / np.sum(fitted**2)))


def test_a_guttman_step_is_its_formula_and_the_gradient(seed):
    rng = np.random.default_rng(seed)
    D, Z = pairwise_distances(rng.normal(size=(37, 4))), rng.normal(size=(37, 3))
    updated = np.empty_like(Z)
    error, squares = native.manifold.guttman_transform(D, Z, updated)
    d = pairwise_distances(Z)
    B = np.where(d > 0, -D / np.where(d > 0, d, 1), 0.0)
    np.fill_diagonal(B, 0.0)
    np.fill_diagonal(B, -B.sum(axis=1))
    assert_close(updated, B @ Z / 37)
    assert_close([error, squares], [np.sum((d - D) ** 2) / 2, np.sum(d**2) / 2])

    def value(flat):
        return native.manifold.guttman_transform(D, flat.reshape(37, 3), np.empty((37, 3)))[0]

    def gradient(flat):
        step = np.empty((37, 3))
        native.manifold.guttman_transform(D, flat.reshape(37, 3), step)
        Y = flat.reshape(37, 3)
        return 2 * 37 * (Y - Y.mean(axis=0) - step).ravel()

    assert check_grad(value, gradient, Z.ravel()) < 1e-3 * np.linalg.norm(gradient(Z.ravel()))


def test_threads_do_not_change_a_bit(seed):
    rng = np.random.default_rng(seed)
    D, Z = pairwise_distances(rng.normal(size=(300, 4))), rng.normal(size=(300, 2))
    sums, steps = [], []
    for n in (1, 2):
        with statlearn.threads(n):
            steps.append(np.empty_like(Z))
            sums.append(native.manifold.guttman_transform(D, Z, steps[-1]))
    assert sums[0] == sums[1]
    np.testing.assert_array_equal(steps[0], steps[1])


def test_smacof_takes_a_start_and_returns_its_steps(seed):
    rng = np.random.default_rng(seed)
    D, start = pairwise_distances(rng.normal(size=(10, 2))), rng.normal(size=(10, 2))
    kept = start.copy()
    Z, stress, n_iter = smacof(D, init=start, return_n_iter=True, eps=1e-9, max_iter=2000)
    np.testing.assert_array_equal(start, kept)
    assert_close(stress, mds_stress(D, Z))
    assert n_iter >= 1
    assert_close(
        smacof(D, init=start, eps=1e-9, max_iter=2000, normalized_stress=True)[1], mds_stress(D, Z, kind="normalized")
    )
    assert_close(MDS(2, metric="precomputed", eps=1e-9, max_iter=2000).fit(D, init=start).embedding_, Z)


def test_too_few_steps_warn(seed):
    D = pairwise_distances(np.random.default_rng(seed).normal(size=(20, 5)))
    with pytest.warns(ConvergenceWarning, match="still falling after 2 steps"):
        MDS(2, metric="precomputed", init="random", max_iter=2, random_state=0).fit(D)


@pytest.mark.parametrize(
    "D, message",
    [
        (np.ones((2, 3)), "X: array must be 2-dimensional and square"),
        (np.array([[0, 1.0], [2, 0]]), "X: Array must be symmetric"),
        (np.array([[0, -1.0], [-1, 0]]), "X contains negative dissimilarities"),
        (np.array([[1.0, 1], [1, 0]]), "X must have zeros on the diagonal"),
    ],
)
@pytest.mark.parametrize("estimator", [ClassicalMDS, MDS])
def test_wrong_dissimilarities_raise(estimator, D, message):
    with pytest.raises(ValueError, match=message):
        estimator(1, metric="precomputed").fit(D)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: MDS(metric_mds=False, method="gradient").fit(np.eye(3)), "supports metric scaling only"),
        (lambda: MDS(metric_mds=False).fit(np.ones((3, 2))), "All dissimilarities are 0"),
        (lambda: MDS().fit(np.eye(3), init=np.ones((2, 2))), r"`init` must have shape \(3, 2\)"),
        (lambda: smacof(1 - np.eye(3), init=np.ones((2, 2))), "`init` must have 3 rows"),
        (lambda: mds_stress(1 - np.eye(3), np.ones((2, 2))), "Z has 2 rows, but D describes 3"),
        (lambda: distances_from_gram(np.ones((2, 3))), "B must be a square matrix"),
    ],
)
def test_wrong_input_raises_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
