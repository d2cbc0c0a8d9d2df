"""Linear discriminant analysis: identities, printed values, R and scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg
from scipy.special import softmax
from sklearn.covariance import OAS, LedoitWolf
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Peer
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from statlearn._core.warnings import RankWarning
from statlearn.discriminant import FisherDiscriminant, LinearDiscriminantAnalysis, ReducedRankLDA, scatter_matrices
from statlearn.linear import LogisticRegression
from tests.discriminant.tables import TWO5, TWO5_Y, crabs, gaussians, vowel
from tests.helpers import assert_close

SOLVERS = ["svd", "lsqr", "eigen", "sphere"]
ROWS = [70, 83, 133]  # of iris, near the border of two species


@pytest.mark.spec("DIS-01", "DIS-02", "DIS-T3")
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_printed_rule(solver):
    model = LinearDiscriminantAnalysis(solver, cov_divisor="n-k", store_covariance=True).fit(TWO5, TWO5_Y)
    assert_close(model.covariance_, [[1.65, -0.15], [-0.15, 2.75]], atol=1e-6)
    assert_close(model.coef_[0], [3.4152824, 1.5681063], atol=1e-6)
    assert_close(model.intercept_, -28.4053156, atol=1e-6)
    assert_close(model.discriminant_functions([[5, 6]])[0], [12.2463877, 10.3261219], atol=1e-6)
    assert_close(model.predict_proba([[5, 6]])[0], [0.8721681, 0.1278319], atol=1e-6)
    assert model.predict([[5, 6]])[0] == "A"


@pytest.mark.spec("DIS-01", "DIS-05", "DIS-P6", "DIS-P11")
@pytest.mark.parametrize("solver", SOLVERS)
@given(seed=st.integers(0, 10_000), p=st.integers(1, 5), k=st.integers(2, 4), given_priors=st.booleans())
def test_every_solver_is_the_formula(solver, seed, p, k, given_priors):
    rng = np.random.default_rng(seed)
    X, y = gaussians(rng, 50, p, k)
    priors = rng.dirichlet(np.ones(k) * 3) if given_priors else None
    model = LinearDiscriminantAnalysis(solver, priors=priors, cov_divisor="n").fit(X, y)
    s = scatter_matrices(X, y)
    P = np.linalg.inv(s.within / len(X))
    pi = np.bincount(y) / len(y) if priors is None else priors
    delta = X @ P @ s.means.T - 0.5 * np.einsum("kp,pq,kq->k", s.means, P, s.means) + np.log(pi)
    assert_close(model.discriminant_functions(X), delta, rtol=1e-6, atol=1e-6)
    assert_close(model.predict_proba(X), softmax(delta, axis=1), atol=1e-7)
    np.testing.assert_array_equal(model.predict(X), delta.argmax(axis=1))
    scores = model.decision_function(X)
    gaps = scores if k == 2 else scores[:, 1] - scores[:, 0]
    assert_close(gaps, delta[:, 1] - delta[:, 0], rtol=1e-6, atol=1e-6)
    if k > 2:
        assert_close(X @ model.coef_.T + model.intercept_, scores, rtol=1e-6, atol=1e-6)


@pytest.mark.spec("DIS-01", "DIS-07", "DIS-11")
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"priors": [0.2, 0.3, 0.5]},
        {"solver": "lsqr"},
        {"solver": "lsqr", "priors": [0.2, 0.3, 0.5]},
        {"solver": "lsqr", "shrinkage": 0.3},
        {"solver": "lsqr", "shrinkage": "auto"},
        {"solver": "lsqr", "covariance_estimator": OAS()},
        {"solver": "eigen"},
        {"solver": "eigen", "shrinkage": 0.3},
        {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "eigen", "covariance_estimator": LedoitWolf(), "n_components": 1},
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scikit_learn_agrees(settings, dtype):
    X, y = load_iris(return_X_y=True)
    X = X.astype(dtype)
    ours, theirs = LinearDiscriminantAnalysis(**settings).fit(X, y), Peer(**settings).fit(X.astype(float), y)
    tight = {"rtol": 1e-8, "atol": 1e-8} if dtype == np.float64 else {"rtol": 1e-3, "atol": 1e-3}
    for name in ("coef_", "intercept_", "means_", "priors_", "explained_variance_ratio_", "covariance_"):
        if hasattr(theirs, name):
            assert_close(getattr(ours, name), getattr(theirs, name), **tight)
    assert_close(ours.predict_proba(X), theirs.predict_proba(X), **tight)
    assert_close(ours.decision_function(X), theirs.decision_function(X), **tight)
    assert ours.coef_.dtype == dtype
    if settings.get("solver") != "lsqr":
        assert_close(abs(ours.transform(X)), abs(theirs.transform(X)), **tight)


@pytest.mark.spec("DIS-01", "DIS-02", "DIS-05", "DIS-11")
def test_r_agrees_on_iris():
    # R 4.2.2, MASS 7.3-58.2: l <- lda(Species ~ ., iris); l$scaling; l$svd; predict(l, iris[c(71, 84, 134), 1:4])
    X, y = load_iris(return_X_y=True)
    model = LinearDiscriminantAnalysis(cov_divisor="n-k").fit(X, y)
    scaling = np.array(
        [
            [0.829377642266, -0.024102148877],
            [1.534473067700, -2.164521234658],
            [-2.201211655562, 0.931921210029],
            [-2.810460308843, -2.839187852983],
        ]
    )
    assert_close(abs(model.scalings_), abs(scaling), rtol=1e-9)
    posterior = [[0.253228224738, 0.746771775262], [0.143391908079, 0.856608091921], [0.729388128032, 0.270611871968]]
    assert_close(model.predict_proba(X[ROWS])[:, 1:], posterior, rtol=1e-9)
    variates = [[3.71589614655, 1.044514420755], [4.49846635108, 0.882749915292], [3.81515972074, 0.942985932461]]
    assert_close(abs(model.transform(X[ROWS])), variates, rtol=1e-9)
    # svd of R: ratio of between to within standard deviations
    s = scatter_matrices(X, y)
    svd = np.sqrt(linalg.eigh(s.between / 2, s.pooled_covariance, eigvals_only=True)[::-1][:2])
    assert_close(svd, [48.64264380226, 4.57998271097], rtol=1e-9)
    assert_close(model.explained_variance_ratio_, svd**2 / np.sum(svd**2))
    # lda(..., prior = c(.2, .3, .5)), and the same priors set afterwards
    changed = [[0.1690613801052, 0.830938619895], [0.0912701025069, 0.908729897493], [0.6179119260234, 0.382088073977]]
    assert_close(model.set_priors([0.2, 0.3, 0.5]).predict_proba(X[ROWS])[:, 1:], changed, rtol=1e-9)
    refit = LinearDiscriminantAnalysis(cov_divisor="n-k", priors=[0.2, 0.3, 0.5]).fit(X, y)
    assert_close(refit.predict_proba(X), model.predict_proba(X))
    assert_close(refit.decision_function(X) @ [1, -1, 0], model.decision_function(X) @ [1, -1, 0])


@pytest.mark.spec("DIS-01")
def test_r_agrees_on_crabs_and_vowel():
    # lda(as.matrix(crabs[, 4:8]), paste0(sp, sex)): table(predict(l)$class, g), predict(l)$posterior[c(1, 60), ]
    X, y = crabs()
    model = LinearDiscriminantAnalysis(cov_divisor="n-k").fit(X, y)
    confusion = [[50, 5, 0, 0], [0, 45, 0, 0], [0, 0, 47, 0], [0, 0, 3, 50]]
    found = [[np.sum((model.predict(X) == a) & (y == b)) for b in model.classes_] for a in model.classes_]
    np.testing.assert_array_equal(found, confusion)
    posterior = [
        [0.355856384801472, 6.42199268457e-01, 3.07058476691e-06, 1.94127615675e-03],
        [0.734898544888994, 2.65101252273e-01, 6.18542494141e-08, 1.40983293371e-07],
    ]
    assert_close(model.predict_proba(X[[0, 59]]), posterior, rtol=1e-8)
    # Errors printed by Hastie, Tibshirani & Friedman, table 4.1: 0.32 and 0.56
    X, y, X_test, y_test = vowel()
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert (round(1 - model.score(X, y), 2), round(1 - model.score(X_test, y_test), 2)) == (0.32, 0.56)


@pytest.mark.spec("DIS-02")
@pytest.mark.parametrize("solver", SOLVERS)
def test_divisors_scale_the_covariance(solver, rng):
    X, y = gaussians(rng, 40)
    model = {d: LinearDiscriminantAnalysis(solver, cov_divisor=d, store_covariance=True).fit(X, y)
             for d in ("auto", "n", "n-k")}  # fmt: skip
    within = scatter_matrices(X, y).within
    assert_close(model["n"].covariance_, within / len(X))
    assert_close(model["auto"].covariance_, within / len(X))  # as scikit-learn 1.9 for all solvers
    assert_close(model["n-k"].covariance_, within / (len(X) - 3))
    assert_close(model["n-k"].coef_ * len(X) / (len(X) - 3), model["n"].coef_, rtol=1e-6)


@pytest.mark.spec("DIS-03")
def test_sphere_is_the_nearest_sphered_mean(rng):
    X, y = gaussians(rng, 60)
    model = LinearDiscriminantAnalysis("sphere", priors=[0.5, 0.3, 0.2]).fit(X, y)
    values, U = np.linalg.eigh(model.covariance_)
    sphered = X @ U / np.sqrt(values)
    centres = model.means_ @ U / np.sqrt(values)
    squares = ((sphered[:, None] - centres) ** 2).sum(axis=2)
    np.testing.assert_array_equal(model.predict(X), np.argmin(squares - 2 * np.log(model.priors_), axis=1))
    assert_close(model.sphering_.T @ model.covariance_ @ model.sphering_, np.eye(3))


@pytest.mark.spec("DIS-07")
@pytest.mark.parametrize("solver", ["lsqr", "eigen", "sphere"])
def test_shrinkage_targets(solver, rng):
    X, y = gaussians(rng, 60, 4)
    S = scatter_matrices(X, y).within / len(X)
    for target, T in (("scaled_identity", np.trace(S) / 4 * np.eye(4)), ("identity", np.eye(4))):
        model = LinearDiscriminantAnalysis(solver, shrinkage=0.25, shrinkage_target=target).fit(X, y)
        assert_close(model.covariance_, 0.75 * S + 0.25 * T)
        P = np.linalg.inv(0.75 * S + 0.25 * T)
        gap = model.discriminant_functions(X) @ [1, -1, 0]
        m = model.means_
        assert_close(gap, (X - (m[0] + m[1]) / 2) @ P @ (m[0] - m[1]) + np.log(model.priors_[0] / model.priors_[1]))


@pytest.mark.spec("DIS-08")
def test_remedies_for_singular_scatter(rng):
    X, y = gaussians(rng, 60, 3)
    Z = np.column_stack([X, X @ [1.0, -2.0, 0.5]])
    plain = LinearDiscriminantAnalysis().fit(X, y)
    for solver in SOLVERS:
        with pytest.warns(RankWarning, match="rank 3 of 4"):
            model = LinearDiscriminantAnalysis(solver).fit(Z, y)
        assert_close(model.predict_proba(Z), plain.predict_proba(X), atol=1e-6)  # a collinear column adds nothing
        with pytest.raises(linalg.LinAlgError, match="singular"):
            LinearDiscriminantAnalysis(solver, on_singular="raise").fit(Z, y)
        with pytest.warns(RankWarning, match="shrunk by"):
            model = LinearDiscriminantAnalysis(solver, on_singular="shrink", store_covariance=True).fit(Z, y)
        assert np.linalg.eigvalsh(model.covariance_).min() > 0
        with pytest.warns(RankWarning, match="projected"):
            model = LinearDiscriminantAnalysis(solver, on_singular="between").fit(Z, y)
        # The same as to project on an orthonormal basis of the space of the means, and fit there.
        gaps = model.means_ - model.means_.mean(axis=0)
        B = np.linalg.svd(gaps)[2][:2].T
        assert_close(model.predict_proba(Z), LinearDiscriminantAnalysis().fit(Z @ B, y).predict_proba(Z @ B), atol=1e-6)


@pytest.mark.spec("DIS-08")
def test_fewer_rows_than_columns(rng):
    X, y = rng.normal(size=(30, 90)), np.arange(30) % 3
    X[:, :3] += 6 * np.eye(3)[y]
    with pytest.warns(RankWarning, match="rank 27 of 90"):
        model = LinearDiscriminantAnalysis().fit(X, y)
    assert_close(model.predict_proba(X), Peer().fit(X, y).predict_proba(X), atol=1e-7)
    assert_close(abs(model.transform(X)), abs(Peer().fit(X, y).transform(X)), rtol=1e-5)
    for remedy in ("between", "shrink"):
        with pytest.warns(RankWarning):
            found = LinearDiscriminantAnalysis(on_singular=remedy).fit(X, y)
        assert found.score(X, y) > 0.9
    with pytest.raises(linalg.LinAlgError):
        LinearDiscriminantAnalysis(on_singular="raise").fit(X, y)
    assert LinearDiscriminantAnalysis("lsqr", shrinkage="auto").fit(X, y).score(X, y) > 0.9
    with pytest.raises(ValueError, match="fewer rows than columns"):
        model.summary()


@pytest.mark.spec("DIS-11", "DIS-P1", "DIS-P4", "DIS-P10")
@pytest.mark.parametrize("solver", ["svd", "eigen", "sphere"])
@given(seed=st.integers(0, 10_000), p=st.integers(2, 5), k=st.integers(2, 5))
def test_canonical_variates(solver, seed, p, k):
    X, y = gaussians(np.random.default_rng(seed), 60, p, k)
    model = LinearDiscriminantAnalysis(solver).fit(X, y)
    s = scatter_matrices(X, y)
    L = model.transform(X).shape[1]  # "svd" drops a variate whose means are 10,000 times closer than those of the first
    V = model.scalings_[:, :L]
    assert min(p, k - 1) >= L
    assert len(model.get_feature_names_out()) == L
    assert min(p, k - 1) == L or (solver != "eigen" and model.explained_variance_ratio_[L] < 1e-8)
    assert_close(V.T @ (s.within / len(X)) @ V, np.eye(L), atol=1e-7)
    total = V.T @ s.total @ V
    assert_close(total, np.diag(np.diag(total)), atol=1e-5 * total.max())
    ratio = np.diag(V.T @ s.between @ V)
    assert np.all(np.diff(ratio) <= 1e-6 * ratio[0])
    assert_close(model.explained_variance_ratio_, ratio / ratio.sum(), atol=1e-7)
    # Distances between the projected means are Mahalanobis distances.
    Z = model.transform(model.means_)
    P = np.linalg.inv(s.within / len(X))
    for a in range(k):
        for b in range(k):
            gap = model.means_[a] - model.means_[b]
            assert_close(np.sum((Z[a] - Z[b]) ** 2), gap @ P @ gap, rtol=1e-6, atol=1e-7)
    assert_close(model.mahalanobis_distances() ** 2, ((Z[:, None] - Z) ** 2).sum(axis=2), rtol=1e-6, atol=1e-6)


@pytest.mark.spec("DIS-P4")
def test_one_direction_keeps_differences_of_distances_only(rng):
    X, y = gaussians(rng, 60, 3, 2)
    model = LinearDiscriminantAnalysis().fit(X, y)
    P = np.linalg.inv(scatter_matrices(X, y).within / len(X))
    far = np.stack([np.einsum("ij,jk,ik->i", X - m, P, X - m) for m in model.means_], axis=1)
    Z, centres = model.transform(X), model.transform(model.means_)
    near = (Z - centres.T) ** 2
    assert_close(far[:, 0] - far[:, 1], near[:, 0] - near[:, 1], rtol=1e-6, atol=1e-6)
    assert np.all(near <= far + 1e-9)
    assert not np.allclose(near, far)


@pytest.mark.spec("DIS-P14")
def test_lda_separates_where_pca_does_not(rng):
    y = np.arange(200) % 2
    X = np.column_stack([30 * rng.normal(size=200), 2.0 * y + 0.2 * rng.normal(size=200)])
    on_pca = PCA(1).fit_transform(X)
    assert LinearDiscriminantAnalysis().fit(X, y).score(X, y) > 0.99
    assert LinearDiscriminantAnalysis().fit(on_pca, y).score(on_pca, y) < 0.7


@pytest.mark.spec("DIS-P15")
@given(seed=st.integers(0, 10_000))
def test_affine_maps_do_not_change_decisions(seed):
    rng = np.random.default_rng(seed)
    X, y = gaussians(rng, 60, 3)
    A = rng.normal(size=(3, 3)) + 3 * np.eye(3)
    b = 10 * rng.normal(size=3)
    for solver in SOLVERS:
        plain, moved = (LinearDiscriminantAnalysis(solver).fit(Z, y) for Z in (X, X @ A + b))
        assert_close(moved.predict_proba(X @ A + b), plain.predict_proba(X), atol=1e-6)


@pytest.mark.spec("DIS-P16")
def test_gaussian_data_favour_lda_and_heavy_tails_logistic_regression(rng):
    """Mean test errors over many training sets; the differences are several standard errors wide."""
    gap = np.array([1.0, 0, 0, 0, 0])

    def draw(n, heavy):
        y = rng.permutation(n) % 2
        Z = rng.standard_t(1.3, size=(n, 5)) if heavy else rng.normal(size=(n, 5))
        return Z + np.outer(2 * y - 1, gap if not heavy else 1.5 * gap), y

    def errors(heavy, n, times):
        X_test, y_test = draw(4000, heavy)
        found = []
        for _ in range(times):
            X, y = draw(n, heavy)
            rivals = LinearDiscriminantAnalysis(), LogisticRegression(C=1e6)
            found.append([1 - rival.fit(X, y).score(X_test, y_test) for rival in rivals])
        found = np.array(found)
        gaps = found[:, 1] - found[:, 0]
        return gaps.mean(), gaps.std() / np.sqrt(times)

    mean, error = errors(False, 24, 40)
    assert mean > 3 * error
    mean, error = errors(True, 200, 30)
    assert mean < -3 * error


@pytest.mark.parametrize("divisor", ["n", "n-k"])
def test_leave_one_out_equals_refitting(divisor, rng):
    X, y = gaussians(rng, 40)
    X, y = np.vstack([X, [[3.0, 3.0, 3.0]]]), np.append(y, 7)  # and a class of one row
    for priors in (None, [0.1, 0.2, 0.3, 0.4]):
        model = LinearDiscriminantAnalysis(cov_divisor=divisor, priors=priors)
        found = model.loo_predict_proba(X, y)
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            if y[i] == 7:
                assert found[i, 3] == 0
                continue
            assert_close(found[i], model.fit(X[rest], y[rest]).predict_proba(X[[i]])[0], atol=1e-8)
    X, y = load_iris(return_X_y=True)
    model = LinearDiscriminantAnalysis(cov_divisor=divisor)
    peer = cross_val_predict(model, X, y, cv=LeaveOneOut(), method="predict_proba")
    assert_close(model.loo_predict_proba(X, y), peer)


def test_r_agrees_on_leave_one_out():
    # lda(Species ~ ., iris, CV = TRUE)$posterior[c(71, 84, 134), ]; R keeps the priors of all rows
    X, y = load_iris(return_X_y=True)
    model = LinearDiscriminantAnalysis(cov_divisor="n-k", priors=np.full(3, 1 / 3))
    found = model.loo_predict_proba(X, y)
    posterior = [
        [0.1772726704444, 0.822727329556],
        [0.0992415286604, 0.900758471340],
        [0.7876237564214, 0.212376243579],
    ]
    assert_close(found[ROWS, 1:], posterior, rtol=1e-9)
    assert np.sum(found.argmax(axis=1) != y) == 3
    X, y = crabs()
    model = LinearDiscriminantAnalysis(cov_divisor="n-k", priors=np.full(4, 1 / 4))
    assert np.sum(model.fit(X, y).classes_[model.loo_predict_proba(X, y).argmax(axis=1)] != y) == 10


def test_unsupported_settings_of_leave_one_out_raise(rng):
    X, y = gaussians(rng, 40)
    with pytest.raises(ValueError, match="gamma"):
        LinearDiscriminantAnalysis("lsqr", shrinkage=0.1).loo_predict_proba(X, y)
    with pytest.raises(ValueError, match="sample_weight"):
        LinearDiscriminantAnalysis().loo_predict_proba(X, y, np.full(len(X), 0.5))
    with pytest.raises(linalg.LinAlgError, match="singular"):
        LinearDiscriminantAnalysis().loo_predict_proba(np.column_stack([X, X[:, 0]]), y)
    w = np.ones(len(X))
    w[::7] = 0  # absent rows are predicted by the model of all others
    found = LinearDiscriminantAnalysis().loo_predict_proba(X, y, w)
    assert_close(found[::7], LinearDiscriminantAnalysis().fit(X, y, w).predict_proba(X[::7]))


@given(seed=st.integers(0, 10_000), cuts=st.integers(1, 4))
def test_partial_fits_equal_one_fit(seed, cuts):
    rng = np.random.default_rng(seed)
    X, y = gaussians(rng, 80)
    order = rng.permutation(len(X))
    X, y = X[order], y[order]
    for solver in SOLVERS:
        model = LinearDiscriminantAnalysis(solver)
        whole = LinearDiscriminantAnalysis(solver).fit(X, y)
        for rows in np.array_split(np.arange(len(X)), cuts):
            model.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
        assert_close(model.predict_proba(X), whole.predict_proba(X), atol=1e-7)


def test_partial_fit_with_classes_that_have_no_rows_yet(rng):
    X, y = gaussians(rng, 60)
    model = LinearDiscriminantAnalysis().partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    assert np.all(model.predict_proba(X)[:, 2] == 0)
    assert_close(model.predict_proba(X)[:, :2], LinearDiscriminantAnalysis().fit(X[y < 2], y[y < 2]).predict_proba(X))
    model.partial_fit(X[y == 2], y[y == 2])
    assert_close(model.predict_proba(X), LinearDiscriminantAnalysis().fit(X, y).predict_proba(X), atol=1e-7)
    with pytest.raises(ValueError, match="not one of the classes"):
        model.partial_fit(X, y + 1)
    with pytest.raises(ValueError, match="classes must be passed"):
        LinearDiscriminantAnalysis().partial_fit(X, y)


def test_summary_equals_manova_of_r():
    # m <- manova(as.matrix(iris[, 1:4]) ~ Species, iris); summary(m, test = ...)$stats[1, ]
    X, y = load_iris(return_X_y=True)
    summary = LinearDiscriminantAnalysis().fit(X, y).summary()
    tests = summary.tables[0]
    assert_close(tests.columns["statistic"], [0.0234386306509, 1.19189882504, 32.4773202409, 32.1919291983], rtol=1e-9)
    assert_close(tests.columns["F"], [199.145343540, 53.4664887846, 580.532099306, 1166.95743344], rtol=1e-9)
    assert_close(tests.columns["df2"], [288, 290, 286, 145])
    p_values = [1.36500583259e-112, 9.74216271942e-53, 6.43617620124e-172, 3.78729764964e-109]
    assert_close(np.log(tests.columns["p"]), np.log(p_values))
    assert_close(summary["canonical_correlation"] ** 2, summary["eigenvalue"] / (1 + summary["eigenvalue"]))
    assert_close(np.prod(1 - summary["canonical_correlation"] ** 2), tests.columns["statistic"][0])
    assert "Group means" in str(summary)
    assert "setosa" not in str(summary)


@pytest.mark.parametrize(
    "model", [*map(LinearDiscriminantAnalysis, SOLVERS), ReducedRankLDA(), FisherDiscriminant()], ids=str
)
@pytest.mark.parametrize("n", [60, 8], ids=["long", "wide"])
def test_ignored_columns_that_separate_the_classes_are_named(rng, model, n):
    y = np.arange(n) % 2
    X = pd.DataFrame(rng.normal(size=(n, 9)), columns=list("abcdefghi")).assign(same=7.0, answer=3.0 + y)
    with pytest.warns(RankWarning, match="but differ between classes: answer. They separate"):
        model.fit(X, y)
    with pytest.warns(RankWarning) as caught:
        model.fit(X.drop(columns="answer"), y)
    assert not any("They separate" in str(each.message) for each in caught)


@pytest.mark.spec("DIS-18")
@pytest.mark.parametrize(("p", "k"), [(1, 2), (4, 3), (3, 5)])
def test_parameters_are_counted(rng, p, k):
    X, y = gaussians(rng, 80, p, k)
    assert LinearDiscriminantAnalysis().fit(X, y).n_parameters_ == (k - 1) * (p + 1)


@pytest.mark.spec("DIS-05")
def test_priors_are_checked(rng):
    X, y = gaussians(rng, 40)
    with pytest.raises(ValueError, match="`priors` must be non-negative"):
        LinearDiscriminantAnalysis(priors=[-0.1, 0.6, 0.5]).fit(X, y)
    with pytest.raises(ValueError, match="one entry per class"):
        LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y)
    with pytest.warns(UserWarning, match="sum to 1 but to 2"):
        model = LinearDiscriminantAnalysis(priors=[1, 0.5, 0.5]).fit(X, y)
    assert_close(model.priors_, [0.5, 0.25, 0.25])
    with pytest.raises(ValueError, match="one entry per class"):
        model.set_priors([1.0])
    for none in (None, "abc", ["a", "b", "c"]):
        with pytest.raises(ValueError, match="`priors` must contain one number per class"):
            model.set_priors(none)
    never = LinearDiscriminantAnalysis(priors=[0.5, 0.5, 0.0]).fit(X, y)
    assert np.all(never.predict_proba(X)[:, 2] == 0)


@pytest.mark.spec("CRS-110")
@pytest.mark.parametrize("shrinkage", [0.3, "auto"])
def test_shrinkage_with_the_default_solver_names_those_that_support_it(shrinkage):
    with pytest.raises(NotImplementedError, match="Use solver='eigen', 'lsqr' or 'sphere'"):
        LinearDiscriminantAnalysis(shrinkage=shrinkage).fit(TWO5, TWO5_Y)
    for solver in ("eigen", "lsqr", "sphere"):
        LinearDiscriminantAnalysis(solver, shrinkage=shrinkage).fit(TWO5, TWO5_Y)


@pytest.mark.spec("CRS-45")
@pytest.mark.parametrize("solver", ["svd", "eigen", "sphere"])
def test_eigenvalues_sum_to_the_hotelling_lawley_trace(solver):
    X, y = load_iris(return_X_y=True)
    model = LinearDiscriminantAnalysis(solver, n_components=1).fit(X, y)
    scatter = scatter_matrices(X, y)
    within, between = scatter.within, scatter.between
    expected = np.sort(linalg.eigvals(np.linalg.solve(within, between)).real)[::-1][:2]
    assert_close(model.eigenvalues_, expected)
    assert_close(model.eigenvalues_, model.summary()["eigenvalue"])
    assert_close(model.eigenvalues_, ReducedRankLDA().fit(X, y).eigenvalues_)
    Z = LinearDiscriminantAnalysis(solver).fit(X, y).transform(X)
    means = np.array([Z[y == k].mean(axis=0) for k in range(3)])
    assert_close(means.var(axis=0).sum(), np.trace(np.linalg.solve(within, between)))
    assert not hasattr(model.set_params(solver="lsqr", n_components=None).fit(X, y), "eigenvalues_")
