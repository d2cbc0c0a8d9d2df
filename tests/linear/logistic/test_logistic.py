"""LogisticRegression: optimality, agreement with R and statsmodels, inference, separation, options."""

import warnings

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, sparse
from sklearn import linear_model as sklearn_linear
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from statlearn._core.warnings import RankWarning, SeparationWarning
from statlearn.linear import LinearRegression, LogisticRegression, expit
from tests.helpers import assert_close
from tests.linear.saheart import NAMES, load_saheart

SMOOTH = ["lbfgs", "irls", "newton-cg", "newton-cholesky", "sag", "saga", "coordinate", "gd"]


def make_problem(rng, n=200, p=4, K=2):
    X = rng.normal(size=(n, p)) * np.array([1.0, 2.0, 0.5, 1.0])[:p] + 1.0
    B = rng.normal(size=(K, p))
    y = (X @ B.T + rng.gumbel(size=(n, K)) * 1.5).argmax(axis=1)
    return X, y


def objective(X, y, coef, intercept, C, l1_ratio=0.0):
    """The docstring formula, literally: a sum over the rows plus the penalty."""
    scores = X @ np.atleast_2d(coef).T + intercept
    if scores.shape[1] == 1:
        loss = np.logaddexp(0, -np.where(y == np.max(y), 1, -1) * scores[:, 0]).sum()
    else:
        loss = (np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(y)), y]).sum()
    if np.isinf(C):
        return loss
    return loss + (l1_ratio * np.abs(coef).sum() + 0.5 * (1 - l1_ratio) * np.sum(coef**2)) / C


# --- acceptance: South African heart disease ------------------------------------------------------------------------


@pytest.mark.spec("LIN-36", "LIN-39", "LIN-T14", "LIN-T17")
@pytest.mark.parametrize("solver", ["irls", "lbfgs"])
def test_heart_disease_table(solver):
    X, y = load_saheart()
    model = LogisticRegression(C=np.inf, solver=solver, tol=1e-9).fit(X, y)
    s = model.summary()
    # The catalog's values, and R 4.2.2: glm(chd ~ ., binomial, control = glm.control(epsilon = 1e-14)).
    catalog = [-4.1296, 0.00576, 0.07953, 0.18478, 0.93919, -0.03454, 0.00061, 0.04254]
    assert_close(s["estimate"], catalog, rtol=0, atol=5e-5)
    r_estimate = [-4.1295997299229, 0.0057606766907, 0.0795256306931, 0.1847793340278, 0.9391854892136,
                  -0.0345434337552, 0.0006065017264, 0.0425412098570]  # fmt: skip
    r_error = [0.964187180023, 0.005632669779, 0.026215302526, 0.057412391996, 0.224873712047, 0.029105773215,
               0.004455057036, 0.010175348691]  # fmt: skip
    r_p = [1.844021769e-05, 3.064375105e-01, 2.416885532e-03, 1.288821437e-03, 2.960262504e-05, 2.352970017e-01,
           8.917123345e-01, 2.904712143e-05]  # fmt: skip
    assert_close(s["estimate"], r_estimate, rtol=1e-6)
    assert_close(s["std_error"], r_error, rtol=1e-6)
    assert_close(s["p"], r_p, rtol=1e-5)
    assert_close(s["z"], [-4.283, 1.023, 3.034, 3.218, 4.177, -1.187, 0.136, 4.181], rtol=0, atol=5e-4)
    assert_close(s.facts["null_deviance"], 596.10842, rtol=1e-8)
    assert_close(s.facts["deviance"], 483.1740324, rtol=1e-9)
    assert_close(s.facts["aic"], 499.1740324, rtol=1e-9)
    assert_close(s.facts["bic"], 532.2585515, rtol=1e-9)
    assert (s.facts["df_null"], s.facts["df_residual"], s.facts["test_df"]) == (461, 454, 7)
    assert_close(model.log_likelihood_, -241.5870, rtol=0, atol=5e-5)
    assert_close(model.predict_proba(X)[:, 1].sum(), 160.0, rtol=1e-8)
    # Odds interval: the catalog's rounded numbers, and the same formula in the table.
    assert_close(np.exp([0.081 - 2 * 0.026, 0.081 + 2 * 0.026]), [1.0294, 1.1422], rtol=0, atol=1e-4)
    half = 1.959963984540054 * s["std_error"]
    assert_close(s["odds_ratio"], np.exp(s["estimate"]))
    assert_close(s["odds_low"], np.exp(s["estimate"] - half))
    assert_close(s["odds_high"], np.exp(s["estimate"] + half))


@pytest.mark.spec("CRS-43")
def test_first_irls_step_by_hand():
    X, y = np.arange(4.0)[:, None], [0, 0, 1, 1]
    with pytest.warns(SeparationWarning):
        model = LogisticRegression(C=np.inf, solver="irls", store_steps=True).fit(X, y)
    steps = model.steps_
    assert_close(steps["working_response"][0], [-2.0, -2.0, 2.0, 2.0])
    assert_close(steps["weight"][0], 0.25)
    assert_close([steps["intercept"][0], *steps["coef"][0]], [-2.4, 1.6])


@pytest.mark.spec("CRS-43")
@pytest.mark.parametrize("C", [np.inf, 0.5])
def test_every_irls_step_is_weighted_least_squares(rng, C):
    X, y = make_problem(rng, n=60, p=3)
    s, offset = rng.uniform(0.5, 2.0, 60), 0.3 * rng.normal(size=60)
    model = LogisticRegression(C=C, solver="irls", store_steps=True, tol=1e-10).fit(X, y, s, offset)
    steps = model.steps_
    assert len(steps["weight"]) == model.n_iter_[0] > 3
    assert np.all(model.history_["step"] == 1.0)
    Z, ridge = np.column_stack([np.ones(60), X]), np.diag([0.0, 1, 1, 1]) / C
    beta = np.zeros(4)
    for z, w, intercept, coef in zip(*(steps[k] for k in ("working_response", "weight", "intercept", "coef"))):
        p = expit(Z @ beta + offset)
        assert_close(w, s * p * (1 - p))
        assert_close(w * (z - Z @ beta), s * (y - p))
        beta = np.linalg.solve((Z.T * w) @ Z + ridge, Z.T @ (w * z))
        assert_close([intercept, *coef], beta)
    assert_close(model.coef_[0], beta[1:])


def test_steps_are_stored_only_where_they_are_weighted_least_squares():
    X, y = np.arange(6.0)[:, None], [0, 1, 2, 0, 1, 2]
    for options in ({"solver": "irls"}, {"solver": "lbfgs"}):
        with pytest.raises(ValueError, match="`store_steps`=True requires solver='irls' and two classes"):
            LogisticRegression(store_steps=True, **options).fit(X, y)


@pytest.mark.spec("LIN-38", "LIN-T15", "LIN-P25")
def test_irls_history_on_heart_disease():
    X, y = load_saheart()
    model = LogisticRegression(C=np.inf, solver="irls", tol=1e-12).fit(X, y)
    changes = [2.894, 1.004, 0.2225, 0.00869, 1.20e-5, 2.2e-11]
    assert_close(model.history_["max_change"][:4], changes[:4], rtol=1e-3)
    assert_close(model.history_["max_change"][4], changes[4], rtol=4e-3)  # printed with three digits
    assert_close(model.history_["max_change"][5], changes[5], rtol=0.1)  # at the edge of rounding
    likelihood = [-320.234, -245.797, -241.7024, -241.5872, -241.5870]
    assert_close(model.history_["log_likelihood"][:5], likelihood, rtol=1e-5)
    assert np.all(np.diff(model.history_["log_likelihood"]) > -1e-9)
    assert_close(model.history_["step"], 1.0)
    # One Newton step is one weighted least-squares fit of the working response.
    Z = np.column_stack([X, np.ones(len(X))])
    beta = np.zeros(8)
    for _ in range(2):
        p = expit(Z @ beta)
        w = p * (1 - p)
        z = Z @ beta + (y - p) / w
        beta = np.linalg.lstsq(np.sqrt(w)[:, None] * Z, np.sqrt(w) * z, rcond=None)[0]
    with pytest.warns(ConvergenceWarning, match="2 iterations"):
        two = LogisticRegression(C=np.inf, solver="irls", max_iter=2).fit(X, y)
    assert_close(np.append(two.coef_[0], two.intercept_), beta)


# --- optimality ---------------------------------------------------------------------------------------------------


@pytest.mark.spec("LIN-36", "LIN-40")
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("solver", SMOOTH)
def test_every_solver_finds_the_optimum_of_the_documented_objective(rng, solver, K):
    X, y = make_problem(rng, K=K)
    model = LogisticRegression(C=0.7, solver=solver, tol=1e-9, max_iter=100_000).fit(X, y)
    rows = 1 if K == 2 else K

    def flat(theta):
        theta = theta.reshape(rows, -1)
        return objective(X, y, theta[:, :-1], theta[:, -1], 0.7)

    best = optimize.minimize(flat, np.zeros(rows * 5), method="BFGS", options={"gtol": 1e-7})
    at = objective(X, y, model.coef_, model.intercept_, 0.7)
    assert at <= best.fun + 1e-9
    assert_close(model.coef_, best.x.reshape(rows, -1)[:, :-1], rtol=1e-3, atol=1e-4)  # BFGS by differences
    for d in 1e-3 * rng.normal(size=(10, rows, 5)):
        assert objective(X, y, model.coef_ + d[:, :-1], model.intercept_ + d[:, -1], 0.7) > at


@pytest.mark.spec("LIN-36")
@pytest.mark.parametrize("l1_ratio", [1.0, 0.4])
@pytest.mark.parametrize("K", [2, 3])
def test_l1_fits_satisfy_the_subgradient_conditions(rng, l1_ratio, K):
    X, y = make_problem(rng, K=K)
    C = 0.05
    model = LogisticRegression(C=C, l1_ratio=l1_ratio, solver="saga", tol=1e-10).fit(X, y)
    P = model.predict_proba(X)
    residual = (P - np.eye(K)[y])[:, 1:] if K == 2 else P - np.eye(K)[y]
    gradient = C * (residual.T @ X) + (1 - l1_ratio) * model.coef_
    zero = model.coef_ == 0
    assert zero.any()
    assert np.all(np.abs(gradient[zero]) <= l1_ratio + 1e-6)
    assert_close(gradient[~zero], -l1_ratio * np.sign(model.coef_[~zero]), rtol=1e-4)
    assert_close(residual.sum(axis=0), 0.0, atol=1e-5)  # free intercepts
    assert 0 <= model.dual_gap_ <= 1e-10


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_agrees_with_scikit_learn(rng, C):
    X, y = make_problem(rng, K=3)
    ours = LogisticRegression(C=C, tol=1e-9).fit(X, y)
    theirs = sklearn_linear.LogisticRegression(C=C, tol=1e-12, max_iter=10_000).fit(X, y)
    assert_close(ours.coef_, theirs.coef_, rtol=1e-3, atol=1e-4)  # their stopping rule
    assert_close(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("solver, l1_ratio", [("lbfgs", 0.0), ("irls", 0.0), ("saga", 0.5)])
def test_sparse_and_dense_agree(rng, K, solver, l1_ratio):
    X, y = make_problem(rng, K=K)
    X[rng.uniform(size=X.shape) < 0.5] = 0.0
    dense = LogisticRegression(C=0.5, l1_ratio=l1_ratio, solver=solver, tol=1e-10).fit(X, y)
    for layout in (sparse.csr_matrix, sparse.csc_array):
        model = LogisticRegression(C=0.5, l1_ratio=l1_ratio, solver=solver, tol=1e-10).fit(layout(X), y)
        assert_close(model.coef_, dense.coef_, rtol=1e-5, atol=1e-6)
        assert_close(model.predict_proba(layout(X)), dense.predict_proba(X), rtol=1e-5, atol=1e-6)


def test_large_samples_start_from_a_sample_and_end_at_the_optimum(rng):
    n, p = 130_000, 3
    X = rng.normal(size=(n, p)) + [100.0, 0.0, -5.0]
    y = (X @ [0.5, -1.0, 0.2] - 49.0 + rng.logistic(size=n) > 0).astype(int)
    model = LogisticRegression(C=1.0, tol=1e-7).fit(X, y)
    P = model.predict_proba(X)[:, 1]
    gradient = X.T @ (P - y) + model.coef_[0]
    assert np.abs(gradient).max() / n < 1e-7
    newton = LogisticRegression(C=1.0, tol=1e-9, solver="irls").fit(X, y)
    assert_close(model.coef_, newton.coef_, rtol=1e-5)


@pytest.mark.parametrize("p", [400, 1500])  # block and diagonal preconditioners
def test_wide_multinomial_reaches_the_optimum(rng, p):
    X = rng.normal(size=(150, p))
    y = rng.integers(0, 3, 150)
    model = LogisticRegression(C=0.01, tol=1e-8, max_iter=500).fit(X, y)
    gradient = (model.predict_proba(X) - np.eye(3)[y]).T @ X + model.coef_ / 0.01
    assert np.abs(gradient).max() / 150 < 1e-7


@pytest.mark.spec("LIN-P25")
def test_same_optimum_from_any_start(rng):
    X, y = make_problem(rng)
    reference = LogisticRegression(C=2.0, tol=1e-10).fit(X, y)
    for solver in ("lbfgs", "irls", "coordinate"):
        model = LogisticRegression(C=2.0, tol=1e-10, solver=solver, warm_start=True).fit(X, y)
        model.coef_ = model.coef_ + rng.normal(size=model.coef_.shape)
        model.intercept_ = model.intercept_ + 1.0
        assert_close(model.fit(X, y).coef_, reference.coef_, rtol=1e-5)


# --- properties ---------------------------------------------------------------------------------------------------


@pytest.mark.spec("LIN-P26")
@given(st.integers(0, 10_000))
def test_unpenalised_score_is_zero_and_probabilities_sum_to_the_counts(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 3))
    y = (X[:, 0] + 2 * rng.logistic(size=150) > 0).astype(int)
    model = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    residual = model.predict_proba(X)[:, 1] - y
    assert_close(residual.sum(), 0.0, atol=1e-6)
    assert_close(X.T @ residual, 0.0, atol=1e-6)


@pytest.mark.spec("LIN-P26", "LIN-38")
@pytest.mark.parametrize("solver", ["lbfgs", "irls"])
@pytest.mark.parametrize("K", [2, 3])
def test_complete_separation_is_reported_and_any_penalty_keeps_it_finite(rng, solver, K):
    X = rng.normal(size=(60, 2))
    y = np.digitize(X[:, 0], [0.0] if K == 2 else [-0.5, 0.5])
    X[:, 0] += 0.2 * (y - 1)
    with pytest.warns(SeparationWarning, match="x0"):
        model = LogisticRegression(C=np.inf, solver=solver).fit(X, y)
    assert model.separated_
    assert np.all(np.isfinite(model.coef_))
    with pytest.raises(ValueError, match="separated"):
        model.summary()
    penalised = LogisticRegression(C=1e4, solver=solver).fit(X, y)  # warnings are errors
    assert np.abs(penalised.coef_).max() < 1e3


@pytest.mark.spec("LIN-P26")
@pytest.mark.parametrize("solver", ["lbfgs", "irls", "sag"])
def test_quasi_complete_separation_is_reported_with_the_column_at_fault(rng, solver):
    n = 200
    noise, dummy = rng.normal(size=n), np.zeros(n)
    y = (noise + 2 * rng.logistic(size=n) > 0).astype(int)
    dummy[np.flatnonzero(y == 1)[:15]] = 1.0  # whenever it is 1, y is 1: its coefficient is infinite
    with pytest.warns(SeparationWarning, match=r"columns: dummy\)"):
        model = LogisticRegression(C=np.inf, solver=solver).fit(_frame({"noise": noise, "dummy": dummy}), y)
    assert model.separated_
    rest = LogisticRegression(C=np.inf, tol=1e-8).fit(noise[dummy == 0, None], y[dummy == 0])
    assert_close(model.coef_[0, 0], rest.coef_[0, 0], rtol=1e-3)  # the others converge to the fit without those rows


def _frame(columns):
    import pandas as pd

    return pd.DataFrame(columns)


@given(st.integers(0, 10_000))
def test_strong_but_overlapping_data_are_not_called_separated(seed):
    rng = np.random.default_rng(seed)
    X = 10 * rng.normal(size=(300, 2))
    y = (X[:, 0] + rng.logistic(size=300) > 0).astype(int)
    swap = np.argsort(np.abs(X[:, 0]))[:6]
    y[swap] = 1 - (X[swap, 0] > 0)  # the six rows nearest the boundary are on the wrong side
    model = LogisticRegression(C=np.inf).fit(X, y)  # warnings are errors
    assert not model.separated_
    exact = LogisticRegression(C=np.inf, solver="irls", tol=1e-10).fit(X, y)
    assert_close(model.coef_, exact.coef_, rtol=1e-3)


@pytest.mark.spec("LIN-P28")
def test_softmax_with_two_classes_is_binary_logistic(rng):
    X, y = make_problem(rng)
    binary = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    # A third class with no weight in the likelihood leaves the softmax of the two others.
    coef = np.vstack([np.zeros(4), binary.coef_[0]])
    scores = X @ coef.T + [0, binary.intercept_[0]]
    P = np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])
    assert_close(P, binary.predict_proba(X))
    for shift in rng.normal(size=(3, 4)):
        moved = scores + (X @ shift)[:, None]
        assert_close(np.exp(moved - np.logaddexp.reduce(moved, axis=1)[:, None]), P)
    # Symmetric L2 fits: two classes with C are the softmax with C/2 per class vector.
    from statlearn._math.solvers.logistic_loss import LogisticLoss
    from statlearn._math.solvers.smooth import newton

    loss = LogisticLoss(X, y, 3, l2=0.02, fixed_last=False)
    result = newton(loss, np.zeros(loss.shape), tol=1e-12, max_iter=100, gauge=1e-8 * np.eye(15))
    assert_close(result.phi[:2, :-1].sum(axis=0) + result.phi[2, :-1], 0.0, atol=1e-6)


@pytest.mark.spec("LIN-41", "LIN-P29")
def test_reference_class_does_not_change_the_fit(rng):
    X, y = make_problem(rng, K=3)
    labels = np.array(["red", "green", "blue"])[y]
    symmetric = LogisticRegression(C=np.inf, tol=1e-10).fit(X, labels)
    P = symmetric.predict_proba(X)
    assert_close(P.sum(axis=1), 1.0)
    assert_close(symmetric.coef_.sum(axis=0), 0.0, atol=1e-10)
    for reference in ("red", "green", "blue", "last"):
        model = LogisticRegression(C=np.inf, tol=1e-10, reference=reference).fit(X, labels)
        r = 2 if reference == "last" else list(model.classes_).index(reference)
        assert_close(model.coef_[r], 0.0)
        assert_close(model.intercept_[r], 0.0)
        assert_close(model.predict_proba(X), P, rtol=1e-6)
        logodds = np.log(P / P[:, [r]])
        assert_close(X @ model.coef_.T + model.intercept_, logodds, rtol=1e-5, atol=1e-6)
        assert len(model.summary().table.rows) == 2 * 5  # (K - 1)(p + 1) parameters
    with pytest.raises(ValueError, match="reference must be one of the classes"):
        LogisticRegression(reference="purple").fit(X, labels)


@pytest.mark.spec("LIN-39", "LIN-40")
def test_multinomial_summary_agrees_with_statsmodels(rng):
    X, y = make_problem(rng, K=3)
    theirs = sm.MNLogit(y, sm.add_constant(X)).fit(disp=0, method="newton", tol=1e-12)
    s = LogisticRegression(C=np.inf, tol=1e-11, reference=0).fit(X, y).summary()
    assert_close(s["estimate"], theirs.params.T.ravel(), rtol=1e-6)
    assert_close(s["std_error"], theirs.bse.T.ravel(), rtol=1e-6)
    assert_close(s["p"], theirs.pvalues.T.ravel(), rtol=1e-5)
    assert_close(s.facts["log_likelihood"], theirs.llf)
    assert_close(s.facts["null_deviance"], -2 * theirs.llnull)
    assert_close(s.facts["test_p"], theirs.llr_pvalue, rtol=1e-6)
    assert_close(s.facts["aic"], theirs.aic)


@pytest.mark.spec("LIN-P30")
@given(st.integers(0, 10_000))
def test_integer_weights_are_copies(seed):
    rng = np.random.default_rng(seed)
    X, y = make_problem(rng, n=60, K=3)
    weights = rng.integers(0, 4, 60)
    weights[:3] = 1
    y[:3] = [0, 1, 2]
    rows = np.repeat(np.arange(60), weights)
    for options in ({}, {"l1_ratio": 0.5, "solver": "saga"}, {"class_weight": "balanced"}):
        a = LogisticRegression(C=0.5, tol=1e-9, **options).fit(X, y, sample_weight=weights)
        b = LogisticRegression(C=0.5, tol=1e-9, **options).fit(X[rows], y[rows])
        assert_close(a.coef_, b.coef_, rtol=1e-4, atol=1e-6)  # an L1 gap of 1e-11 leaves 1e-6 in the coefficients
    # Class weight k is k copies of the rows of that class.
    c = LogisticRegression(C=0.5, tol=1e-9, class_weight={1: 3}).fit(X, y)
    rows = np.concatenate([np.arange(60), *[np.flatnonzero(y == 1)] * 2])
    assert_close(c.coef_, LogisticRegression(C=0.5, tol=1e-9).fit(X[rows], y[rows]).coef_, rtol=1e-5, atol=1e-7)


@pytest.mark.spec("LIN-P31")
def test_penalty_shrinks(rng):
    X, y = make_problem(rng)
    Cs = np.geomspace(1e-3, 1e2, 12)
    norms = [np.linalg.norm(LogisticRegression(C=C, tol=1e-8).fit(X, y).coef_) for C in Cs]
    assert np.all(np.diff(norms) > 0)
    counts = [np.count_nonzero(LogisticRegression(C=C, l1_ratio=1, solver="saga").fit(X, y).coef_) for C in Cs]
    assert counts[0] == 0
    assert counts[-1] == 4
    assert np.sum(np.diff(counts) < 0) <= 1  # mostly monotone


@pytest.mark.spec("LIN-P33")
@given(st.integers(0, 10_000))
def test_probabilities_stay_in_the_unit_interval_where_plain_regression_leaves_it(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(100, 1))
    y = (x[:, 0] + 0.5 * rng.logistic(size=100) > 0).astype(int)
    far = np.array([[-10.0], [10.0]])
    line = LinearRegression().fit(x, y).predict(far)
    assert line[0] < 0
    assert line[1] > 1
    P = LogisticRegression().fit(x, y).predict_proba(np.vstack([x, far, 100 * far]))
    assert np.all((P >= 0) & (P <= 1))


# --- options ------------------------------------------------------------------------------------------------------


@pytest.mark.spec("LIN-37")
def test_threshold_moves_the_decision_and_ties_follow_the_rule(rng):
    X, y = make_problem(rng)
    model = LogisticRegression().fit(X, y)
    p = model.predict_proba(X)[:, 1]
    for T in (0.1, 0.5, 0.8):
        model.threshold = T
        np.testing.assert_array_equal(model.predict(X), (p > T).astype(int))
    # All-zero coefficients put every row exactly at one half.
    tie = LogisticRegression(C=1e-30, fit_intercept=False).fit(X, y)
    tie.coef_[:] = 0.0
    assert set(tie.predict(X)) == {0}
    tie.threshold_rule = "ge"
    assert set(tie.predict(X)) == {1}


def test_offset_agrees_with_r():
    X, y = load_saheart()
    columns = [NAMES.index("tobacco"), NAMES.index("age")]
    weights = np.tile([1.0, 2.0], 231)
    model = LogisticRegression(C=np.inf, tol=1e-10)
    model.fit(X[:, columns], y, sample_weight=weights, offset=0.1 * X[:, NAMES.index("ldl")])
    s = model.summary()
    # R 4.2.2: glm(chd ~ tobacco + age + offset(0.1 * ldl), binomial, weights = rep(1:2, 231))
    assert_close(s["estimate"], [-3.59988381005, 0.08831029427, 0.04789007973], rtol=1e-7)
    assert_close(s["std_error"], [0.347082193490, 0.021514576520, 0.007508954826], rtol=1e-6)
    assert_close([s.facts["null_deviance"], s.facts["deviance"]], [868.596943, 762.6526708], rtol=1e-8)


@pytest.mark.parametrize("solver, l1_ratio", [("lbfgs", 0.0), ("saga", 0.7)])
def test_offset_shifts_the_intercept(rng, solver, l1_ratio):
    X, y = make_problem(rng)
    options = dict(C=0.3, l1_ratio=l1_ratio, solver=solver, tol=1e-10)
    plain = LogisticRegression(**options).fit(X, y)
    shifted = LogisticRegression(**options).fit(X, y, offset=np.full(len(y), 2.0))
    assert_close(shifted.coef_, plain.coef_, rtol=1e-5)
    assert_close(shifted.intercept_ + 2.0, plain.intercept_, rtol=1e-5)
    with pytest.raises(ValueError, match="offset"):
        LogisticRegression().fit(X, y, offset=np.zeros(3))


def test_penalised_intercept_is_shrunk_like_a_slope(rng):
    X, y = make_problem(rng)
    model = LogisticRegression(C=0.1, penalize_intercept=True, tol=1e-10).fit(X, y)
    ones = np.column_stack([X, np.ones(len(X))])
    as_slope = LogisticRegression(C=0.1, fit_intercept=False, tol=1e-10).fit(ones, y)
    assert_close(np.append(model.coef_, model.intercept_), as_slope.coef_[0], rtol=1e-6)
    liblinear = LogisticRegression(C=0.1, solver="liblinear", intercept_scaling=3.0, tol=1e-10).fit(X, y)
    theirs = sklearn_linear.LogisticRegression(C=0.1, solver="liblinear", intercept_scaling=3.0, tol=1e-10).fit(X, y)
    assert_close(liblinear.coef_, theirs.coef_, rtol=1e-4)
    assert_close(liblinear.intercept_, theirs.intercept_, rtol=1e-4)


@pytest.mark.spec("LIN-39")
def test_summary_refuses_penalised_fits_and_says_what_to_do(rng):
    X, y = make_problem(rng)
    with pytest.raises(ValueError, match=r"penalty.*C=np\.inf"):
        LogisticRegression().fit(X, y).summary()
    s = LogisticRegression(C=np.inf).fit(X, y).summary(level=0.9)
    text = str(s)
    assert "(Intercept)" in text
    assert "residual deviance" in text
    assert "odds ratio" in text
    assert s.to_frame().shape == (5, 9)
    assert_close(s["ci_high"] - s["estimate"], 1.6448536269514722 * s["std_error"])
    with pytest.raises(ValueError, match="level"):
        LogisticRegression(C=np.inf).fit(X, y).summary(level=1.0)


def test_dependent_columns_are_reported(rng):
    X, y = make_problem(rng)
    Z = np.column_stack([X, X[:, 0] - X[:, 1]])
    with pytest.warns(RankWarning, match="rank 5 of 6"):
        model = LogisticRegression(C=np.inf, tol=1e-9).fit(Z, y)
    plain = LogisticRegression(C=np.inf, tol=1e-9).fit(X, y)
    assert_close(model.predict_proba(Z), plain.predict_proba(X), rtol=1e-5)
    assert_close(model.log_likelihood_, plain.log_likelihood_)
    found, expected = model.summary(), plain.summary()
    for column in ("estimate", "std_error", "p"):
        assert_close(found[column][:-1], expected[column], rtol=1e-4)
        assert np.isnan(found[column][-1])
    assert "x4" in found.notes[1]


def test_dependent_columns_of_several_classes_have_gaps_as_in_r():
    """R 4.2.2, nnet 7.3-18: summary(multinom(c ~ x0 + x2, reltol = 1e-14)), against class 1 (ours: against 3)."""
    X = np.column_stack([np.arange(1.0, 9), 2 * np.arange(1.0, 9), [3.0, 1, 2, 5, 2, 1, 4, 4]])
    with pytest.warns(RankWarning):
        found = LogisticRegression(C=np.inf, tol=1e-10).fit(X, [1, 2, 3, 1, 2, 3, 2, 1]).summary()
    # class 1 against 3 is minus R's class 3 against 1
    assert_close(found["estimate"][:4], [-7.226325016, -1.010877621, np.nan, 4.286381712], rtol=1e-4)
    assert_close(found["std_error"][:4], [8.274741994, 0.9589534297, np.nan, 3.270563091], rtol=1e-4)


def test_constant_columns_get_no_weight(rng):
    X, y = make_problem(rng)
    Z = np.column_stack([X, np.full(len(X), 3.0)])
    for options in ({}, {"l1_ratio": 1.0, "solver": "saga"}, {"solver": "irls"}):
        model = LogisticRegression(tol=1e-9, **options).fit(Z, y)
        assert_close(model.coef_[0, -1], 0.0, atol=1e-8)


@pytest.mark.parametrize("K", [2, 3])
def test_float32_in_float32_out(rng, K):
    X, y = make_problem(rng, K=K)
    for options in ({}, {"l1_ratio": 0.5, "solver": "saga"}):
        double = LogisticRegression(tol=1e-8, **options).fit(X, y)
        single = LogisticRegression(tol=1e-8, **options).fit(X.astype(np.float32), y)
        assert single.coef_.dtype == np.float32
        assert single.intercept_.dtype == np.float32
        assert_close(single.coef_, double.coef_, rtol=1e-4, atol=1e-5)


def test_log_probabilities_keep_their_digits(rng):
    X, y = make_problem(rng)
    model = LogisticRegression().fit(X, y)
    assert_close(model.predict_log_proba(X), np.log(model.predict_proba(X)))
    far = np.array([[1e3, -1e3, 1e3, -1e3]])
    assert np.all(np.isfinite(model.predict_log_proba(far)))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"C": -1.0}, "C"),
        ({"C": np.nan}, "C"),
        ({"l1_ratio": 1.5}, "l1_ratio"),
        ({"solver": "none"}, "solver"),
        ({"solver": "sag", "l1_ratio": 0.5}, "supports only 'l2'.*'coordinate'"),
        ({"solver": "irls", "l1_ratio": 1.0}, "supports only 'l2'.*'coordinate', 'saga'.*'liblinear'"),
        ({"solver": "liblinear", "l1_ratio": 0.5}, "elasticnet.*'coordinate'"),
        ({"dual": True}, "dual"),
        ({"threshold": 2.0}, "threshold"),
        ({"class_weight": "fair"}, "class_weight"),
    ],
)
def test_bad_options_are_named(rng, options, message):
    X, y = make_problem(rng)
    with pytest.raises(ValueError, match=message):
        LogisticRegression(**options).fit(X, y)


def test_one_class_and_empty_weights_are_refused(rng):
    X, y = make_problem(rng)
    with pytest.raises(ValueError, match="at least 2 classes"):
        LogisticRegression().fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match="sample_weight"):
        LogisticRegression().fit(X, y, sample_weight=np.zeros(len(y)))


def test_without_a_penalty_the_mixing_value_has_no_effect(rng):
    X, y = make_problem(rng)
    model = LogisticRegression(C=np.inf, l1_ratio=0.5, tol=1e-8).fit(X, y)
    assert_close(model.coef_, LogisticRegression(C=np.inf, tol=1e-8).fit(X, y).coef_)


def test_iris_fits_quietly_and_well():
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRegression().fit(X, y)
    assert model.score(X, y) > 0.95


def test_a_broken_start_is_refused(rng):
    X, y = make_problem(rng)
    model = LogisticRegression(warm_start=True).fit(X, y)
    model.coef_[:] = np.nan
    with pytest.raises(ValueError, match="warm_start"):
        model.fit(X, y)


def test_the_penalty_of_older_scripts_is_read(rng):
    X = rng.normal(size=(80, 5))
    y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
    pairs = [
        ({"penalty": "l1", "solver": "liblinear"}, {"l1_ratio": 1.0, "solver": "liblinear"}),
        ({"penalty": "l2", "l1_ratio": 0.5}, {}),
        ({"penalty": "elasticnet", "l1_ratio": 0.5, "solver": "saga"}, {"l1_ratio": 0.5, "solver": "saga"}),
        ({"penalty": None, "C": 0.1}, {"C": np.inf}),
    ]
    for old, new in pairs:
        first, second = LogisticRegression(**old).fit(X, y), LogisticRegression(**new).fit(X, y)
        np.testing.assert_array_equal(first.coef_, second.coef_)
    assert LogisticRegression(penalty=None).fit(X, y).summary()["z"].shape == (6,)
    with pytest.raises(ValueError, match="penalty"):
        LogisticRegression(penalty="l0").fit(X, y)


@pytest.mark.spec("CRS-109")
@pytest.mark.parametrize("options", [{"penalty": "l1"}, {"l1_ratio": 1.0}, {"penalty": "elasticnet", "l1_ratio": 0.3}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_default_solver_accepts_an_l1_term(rng, options, n_classes):
    X = rng.normal(size=(80, 5))
    y = np.digitize(X[:, 0] + rng.normal(size=80), [0.0, 0.8][: n_classes - 1])
    default = LogisticRegression(C=0.3, tol=1e-8, max_iter=500, **options).fit(X, y)
    saga = LogisticRegression(C=0.3, tol=1e-8, max_iter=500, solver="saga", **options).fit(X, y)
    assert np.any(default.coef_ == 0)
    np.testing.assert_allclose(default.coef_, saga.coef_, atol=1e-6)
    np.testing.assert_allclose(default.intercept_, saga.intercept_, atol=1e-6)
