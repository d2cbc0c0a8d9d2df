"""LogisticRegressionCV: the same choice as scikit-learn, the one-standard-error rule, shapes and scores."""

import numpy as np
import pytest
from sklearn import linear_model as sklearn_linear
from sklearn.datasets import load_iris
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import scale

from statlearn._core.warnings import SeparationWarning
from statlearn.linear import LogisticRegression, LogisticRegressionCV
from tests.helpers import assert_close

CS = np.logspace(-3, 2, 6)


def make_problem(rng, n=150, K=2):
    X = rng.normal(size=(n, 5))
    y = (X[:, :K] + 1.5 * rng.gumbel(size=(n, K))).argmax(axis=1)
    return X, y


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("scoring", ["neg_log_loss", None, "roc_auc_ovr"])
def test_scores_and_choice_agree_with_scikit_learn(rng, K, scoring):
    X, y = make_problem(rng, K=K)
    options = dict(Cs=CS, l1_ratios=(0.0,), cv=4, scoring=scoring, tol=1e-9, max_iter=10_000,
                   use_legacy_attributes=False)  # fmt: skip
    ours = LogisticRegressionCV(**options).fit(X, y)
    theirs = sklearn_linear.LogisticRegressionCV(**options).fit(X, y)
    assert_close(ours.scores_, theirs.scores_, rtol=1e-4, atol=1e-5)  # their stopping rule
    assert ours.C_ == theirs.C_
    assert ours.scores_.shape == (4, 1, 6)
    assert ours.coefs_paths_.shape == theirs.coefs_paths_.shape
    assert_close(ours.coef_, theirs.coef_, rtol=1e-3, atol=1e-5)
    assert_close(ours.score(X, y), theirs.score(X, y), rtol=1e-4)


def test_elastic_net_choice_matches_a_grid_search(rng):
    X, y = make_problem(rng)
    folds = StratifiedKFold(3)
    ratios = [0.2, 0.8, 1.0]
    model = LogisticRegressionCV(Cs=CS, l1_ratios=ratios, solver="saga", cv=folds, tol=1e-6).fit(X, y)
    search = GridSearchCV(
        LogisticRegression(solver="saga", tol=1e-6), {"C": CS, "l1_ratio": ratios}, cv=folds, scoring="neg_log_loss"
    ).fit(X, y)
    assert (model.C_, model.l1_ratio_) == (search.best_params_["C"], search.best_params_["l1_ratio"])
    assert_close(model.coef_, search.best_estimator_.coef_, rtol=1e-3, atol=1e-4)  # L1 gaps of 1e-8


def test_curve_holds_the_losses_and_one_se_prefers_the_simpler_model(rng):
    X, y = make_problem(rng)
    best = LogisticRegressionCV(Cs=CS[::-1], cv=5).fit(X, y)  # any order of the grid
    simple = LogisticRegressionCV(Cs=CS, cv=5, rule="one_se").fit(X, y)
    curve = best.cv_curve_
    assert_close(curve.parameter, CS)
    assert_close(curve.loss, -best.scores_[:, 0, ::-1].T)
    assert CS[curve.best] == best.C_
    assert CS[curve.one_se] == simple.C_
    assert simple.C_ < best.C_
    # The losses are the log-losses of plain fits on the folds.
    train, test = next(StratifiedKFold(5).split(X, y))
    fold = LogisticRegression(C=CS[2]).fit(X[train], y[train])
    assert_close(curve.loss[2, 0], log_loss(y[test], fold.predict_proba(X[test])), rtol=1e-4)
    assert curve.plot().get_xlabel() == "log10(C)"


def test_refit_false_averages_the_folds(rng):
    X, y = make_problem(rng, K=3)
    model = LogisticRegressionCV(Cs=CS, cv=3, refit=False).fit(X, y)
    best = np.argmax(model.scores_[:, 0], axis=1)
    rows = np.mean([model.coefs_paths_[f, 0, c] for f, c in enumerate(best)], axis=0)
    assert_close(model.coef_, rows[:, :-1])
    assert_close(model.intercept_, rows[:, -1])
    assert_close(model.C_, np.mean(CS[best]))


@pytest.mark.parametrize("ratios", [(0.0, 0.5), (0.0,), "default"])
@pytest.mark.filterwarnings("ignore:The default value for l1_ratios:FutureWarning")
def test_legacy_attributes_have_scikit_learns_shapes(rng, ratios):
    X, y = make_problem(rng, K=3)
    options = dict(Cs=CS, solver="saga", cv=3, scoring="accuracy", use_legacy_attributes=True, max_iter=1000)
    if ratios != "default":
        options["l1_ratios"] = ratios
    ours = LogisticRegressionCV(**options).fit(X, y)
    theirs = sklearn_linear.LogisticRegressionCV(**options).fit(X, y)
    for name in ("C_", "l1_ratio_", "n_iter_", "Cs_", "l1_ratios_"):
        assert np.shape(getattr(ours, name)) == np.shape(getattr(theirs, name)), name
    for name in ("scores_", "coefs_paths_"):
        a, b = getattr(ours, name), getattr(theirs, name)
        assert [np.shape(a[k]) for k in sorted(a)] == [np.shape(b[k]) for k in sorted(b)], name


def test_a_class_missing_from_a_fold_keeps_its_place(rng):
    X, y = load_iris(return_X_y=True)
    X = scale(X)
    rows = np.arange(len(y))
    folds = [(rows[y != 2], rows[y == 2]), (rows[::2], rows[1::2])]
    model = LogisticRegressionCV(Cs=[0.1, 1.0], cv=folds).fit(X, y)
    assert model.coefs_paths_.shape == (2, 1, 2, 3, 5)
    assert model.predict_proba(X).shape == (150, 3)


def test_sample_weights_reach_fits_and_scores(rng):
    X, y = make_problem(rng)
    weights = rng.uniform(0.5, 2.0, len(y))
    model = LogisticRegressionCV(Cs=[0.1], cv=3).fit(X, y, sample_weight=weights)
    train, test = next(StratifiedKFold(3).split(X, y))
    fold = LogisticRegression(C=0.1).fit(X[train], y[train], sample_weight=weights[train])
    expected = -log_loss(y[test], fold.predict_proba(X[test]), sample_weight=weights[test])
    assert_close(model.scores_[0, 0, 0], expected, rtol=1e-4)


def test_inference_is_refused(rng):
    X, y = make_problem(rng)
    with pytest.raises(ValueError, match="cross-validation"):
        LogisticRegressionCV(Cs=[1.0], cv=3).fit(X, y).summary()


def test_one_warning_for_many_separated_folds(rng):
    X, y = make_problem(rng)
    y = (X[:, 0] > 0).astype(int)
    with pytest.warns(SeparationWarning, match="of the fits") as caught:
        LogisticRegressionCV(Cs=[np.inf], cv=3).fit(X, y)
    assert len(caught) == 1


@pytest.mark.parametrize(
    "options, message",
    [
        ({"Cs": []}, "Cs"),
        ({"Cs": [-1.0]}, "Cs"),
        ({"l1_ratios": [2.0]}, "l1_ratios"),
        ({"l1_ratios": [0.5], "solver": "irls"}, "supports only 'l2'.*'coordinate'"),
        ({"rule": "best"}, "rule"),
        ({"cv": 1}, "cv"),
    ],
)
def test_bad_options_are_named(rng, options, message):
    X, y = make_problem(rng)
    with pytest.raises(ValueError, match=message):
        LogisticRegressionCV(**options).fit(X, y)


def test_brier_scores_match_scikit_learn(rng):
    for K in (2, 3):
        X, y = make_problem(rng, K=K)
        model = LogisticRegressionCV(Cs=[0.1, 1.0], cv=3, scoring="neg_brier_score").fit(X, y)
        train, test = next(StratifiedKFold(3).split(X, y))
        fold = LogisticRegression(C=1.0).fit(X[train], y[train])
        expected = -brier_score_loss(y[test], fold.predict_proba(X[test]), labels=np.arange(K))
        assert_close(model.scores_[0, 0, 1], expected, rtol=1e-4)


def test_a_fold_without_weight_is_refused(rng):
    X, y = make_problem(rng)
    with pytest.raises(ValueError, match="sample_weight` is 0 for all training rows of a fold"):
        LogisticRegressionCV(cv=2).fit(X, y, sample_weight=np.arange(len(y)) == 0)


def test_the_penalty_of_older_scripts_overrides_the_mixing_values(rng):
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    old = LogisticRegressionCV(Cs=3, cv=3, penalty="l1", solver="saga").fit(X, y)
    new = LogisticRegressionCV(Cs=3, cv=3, l1_ratios=(1.0,), solver="saga").fit(X, y)
    np.testing.assert_array_equal(old.coef_, new.coef_)
    assert old.l1_ratio_ == 1.0


@pytest.mark.spec("CRS-109")
def test_default_solver_accepts_l1_ratios(rng):
    X, y = make_problem(rng)
    options = {"Cs": [0.05, 0.5], "l1_ratios": (1.0, 0.5), "cv": 3, "tol": 1e-8, "max_iter": 500}
    default = LogisticRegressionCV(**options).fit(X, y)
    saga = LogisticRegressionCV(solver="saga", **options).fit(X, y)
    np.testing.assert_allclose(default.coef_, saga.coef_, atol=1e-6)
    assert default.C_ == saga.C_
    assert default.l1_ratio_ == saga.l1_ratio_
