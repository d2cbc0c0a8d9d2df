"""Models of two tables: scikit-learn's values, optimality, identities between the methods."""

import numpy as np
import pytest
from sklearn import cross_decomposition as reference
from sklearn.datasets import load_linnerud

from statlearn._core.warnings import StatlearnWarning
from statlearn.decomposition import CCA, PLSSVD, PLSCanonical, PLSRegression
from statlearn.linear import LinearRegression, PartialLeastSquares
from tests.helpers import assert_close

MODELS = ["PLSRegression", "PLSCanonical", "CCA", "PLSSVD"]


def tables(rng, n=80, p=6, q=4):
    z = rng.normal(size=(n, 3))
    X = z @ rng.normal(size=(3, p)) + rng.normal(size=(n, p))
    return X, z @ rng.normal(size=(3, q)) + rng.normal(size=(n, q))


def pair_of(name, k, **options):
    precise = {} if name == "PLSSVD" else {"tol": 1e-22, "max_iter": 20_000}
    ours = {"PLSRegression": PLSRegression, "PLSCanonical": PLSCanonical, "CCA": CCA, "PLSSVD": PLSSVD}[name]
    return ours(k, **options), getattr(reference, name)(k, **options, **precise)


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("name", MODELS)
def test_attributes_and_predictions_equal_those_of_scikit_learn(rng, name, scale):
    X, Y = tables(rng)
    ours, theirs = (model.fit(X, Y) for model in pair_of(name, 3, scale=scale))
    attributes = ["x_weights_", "y_weights_"]
    if name != "PLSSVD":
        attributes += ["x_loadings_", "y_loadings_", "x_rotations_", "y_rotations_", "coef_"]
        assert_close(ours.predict(X), theirs.predict(X), rtol=1e-6, atol=1e-7)
    for attribute in attributes:
        a, b = getattr(ours, attribute), getattr(theirs, attribute)
        assert_close(np.abs(a), np.abs(b), rtol=1e-5, atol=1e-6)  # NIPALS stops at differences of 1e-11
    for a, b in zip(ours.transform(X, Y), theirs.transform(X, Y)):
        assert_close(np.abs(a), np.abs(b), rtol=1e-5, atol=1e-6)


def test_first_directions_have_the_largest_covariance(rng):
    X, Y = tables(rng)
    A, B = (T - T.mean(axis=0) for T in (X, Y))
    model = PLSCanonical(1, scale=False).fit(X, Y)
    best = model.x_weights_[:, 0] @ A.T @ B @ model.y_weights_[:, 0]
    for _ in range(200):
        w, c = (v / np.linalg.norm(v) for v in (rng.normal(size=6), rng.normal(size=4)))
        assert w @ A.T @ B @ c < best


def test_canonical_correlations_match_the_generalised_eigenproblem(rng):
    X, Y = tables(rng)
    model = CCA(4).fit(X, Y)
    S = np.cov(np.column_stack([X, Y]).T)
    M = np.linalg.solve(S[:6, :6], S[:6, 6:]) @ np.linalg.solve(S[6:, 6:], S[6:, :6])
    assert_close(model.correlations_, np.sqrt(np.sort(np.linalg.eigvals(M).real)[::-1][:4]))
    t, u = model.transform(X, Y)
    assert_close([np.corrcoef(t[:, a], u[:, a])[0, 1] for a in range(4)], model.correlations_)
    assert_close(np.corrcoef(t.T), np.eye(4), atol=1e-10)


def test_tests_of_canonical_correlations_have_the_published_values():
    """Linnerud's exercise data: SAS/STAT User's Guide, PROC CANCORR, example 'Fitness club data'."""
    data = load_linnerud()
    table = CCA(1).fit(data.data, data.target).summary().columns
    assert_close(table["canonical_correlation"], [0.795608, 0.200556, 0.072570], atol=5e-7)
    assert_close(table["Wilks_left"], [0.35039053, 0.95472266, 0.99473355], atol=5e-9)
    assert_close(table["F"], [2.05, 0.18, 0.08], atol=5e-3)
    assert_close(table["df1"], [9, 4, 1])
    assert_close(table["df2"], [34.223, 30, 16], atol=5e-4)
    assert_close(table["p"], [0.0635, 0.9491, 0.7748], atol=5e-5)


def test_simpls_and_nipals_agree_for_one_target_and_differ_for_several(rng):
    X, Y = tables(rng)
    for k in (1, 3):
        a = PLSRegression(k, algorithm="simpls").fit(X, Y[:, 0])
        assert_close(a.coef_, PLSRegression(k).fit(X, Y[:, 0]).coef_)
    a, b = PLSRegression(3, algorithm="simpls").fit(X, Y), PLSRegression(3).fit(X, Y)
    assert np.abs(a.coef_ - b.coef_).max() > 1e-6
    t = a.transform(X)
    assert_close(t.T @ t, np.eye(3), atol=1e-10)


def test_all_components_give_least_squares_of_linear(rng):
    X, Y = tables(rng)
    for algorithm in ("nipals", "simpls"):
        full = PLSRegression(6, algorithm=algorithm).fit(X, Y)
        assert_close(full.predict(X), LinearRegression().fit(X, Y).predict(X))
    assert_close(PLSRegression(2).fit(X, Y).coef_, PartialLeastSquares(2).fit(X, Y).coef_)


def test_rows_are_recovered_from_all_scores(rng):
    X, Y = tables(rng, p=4, q=4)
    model = PLSCanonical(4).fit(X, Y)
    for back, table in zip(model.inverse_transform(*model.transform(X, Y)), (X, Y)):
        assert_close(back, table)


@pytest.mark.parametrize("model", [PLSRegression(), PLSCanonical(), CCA(), PLSSVD()])
def test_weights_count_as_copies_of_rows(rng, model):
    X, Y = tables(rng, n=40)
    k = rng.integers(0, 3, 40)
    weighted = model.fit(X, Y, sample_weight=k).transform(X)
    assert_close(weighted, model.fit(np.repeat(X, k, axis=0), np.repeat(Y, k, axis=0)).transform(X))


def test_too_many_components_raise_or_warn(rng):
    X, Y = tables(rng)
    with pytest.raises(ValueError, match="`n_components` must be at most 4 for 80 rows, 6 columns of X and 4 of y"):
        CCA(5).fit(X, Y)
    with pytest.warns(StatlearnWarning, match="After 1 components nothing common"):
        model = PLSCanonical(2).fit(X, np.column_stack([X[:, 0], 2 * X[:, 0]]) * 1.0)
    assert model.transform(X).shape == (80, 1)
    with pytest.raises(ValueError, match=r"`y` must have shape \(80, 2\)"):
        model.transform(X, Y)
