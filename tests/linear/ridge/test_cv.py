"""The choice of the ridge penalty: leave-one-out and GCV from one decomposition, K-fold, information criteria."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sklearn.linear_model as sk
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.model_selection import GridSearchCV, KFold

from statlearn.assess import cross_val_score
from statlearn.linear import Ridge, RidgeClassifier, RidgeClassifierCV, RidgeCV
from tests.helpers import assert_close

ALPHAS = np.logspace(-3, 3, 7)


def problem(rng, n=25, p=6, m=None):
    X = rng.normal(size=(n, p)) + 1.0
    shape = n if m is None else (n, m)
    return X, (X[:, 0] if m is None else X[:, :1]) + rng.normal(size=shape) + 3.0


@pytest.mark.spec("LIN-13")
@pytest.mark.parametrize("shape", [(60, 8), (15, 30)])
@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
def test_agrees_with_scikit_learn(shape, scoring, rng):
    X, Y = problem(rng, *shape, m=3)
    settings = {"alphas": ALPHAS, "scoring": scoring, "store_cv_results": True}
    ours, theirs = RidgeCV(**settings).fit(X, Y), sk.RidgeCV(**settings).fit(X, Y)
    assert ours.alpha_ == theirs.alpha_
    assert_close(ours.best_score_, theirs.best_score_)
    assert_close(ours.coef_, theirs.coef_)
    assert_close(ours.intercept_, theirs.intercept_)
    assert_close(ours.cv_results_, theirs.cv_results_, rtol=1e-6)


@pytest.mark.spec("LIN-13")
def test_generalised_cross_validation(rng):
    X, y = problem(rng, 40, 5)
    weights = rng.integers(1, 4, 40).astype(float)
    model = RidgeCV(ALPHAS, criterion="gcv").fit(X, y, weights)
    S = weights.sum()
    for alpha, loss in zip(model.cv_curve_.parameter, model.cv_curve_.mean):
        ones = np.column_stack([np.ones(40), X])
        penalty = np.diag([0.0, *[alpha] * 5])
        hat = ones @ np.linalg.solve(ones.T @ (weights[:, None] * ones) + penalty, (weights[:, None] * ones).T)
        rss = np.sum(weights * (y - hat @ y) ** 2)
        assert_close(loss, rss / S / (1 - np.trace(hat) / S) ** 2)
        if alpha == model.alpha_:
            assert_close(model.df_, np.trace(hat) - 1)
    copies = RidgeCV(ALPHAS, criterion="gcv").fit(
        np.repeat(X, weights.astype(int), axis=0), np.repeat(y, weights.astype(int))
    )
    assert_close(copies.cv_curve_.mean, model.cv_curve_.mean)


@pytest.mark.spec("LIN-13")
def test_one_standard_error_rule_takes_a_larger_penalty(rng):
    X, y = problem(rng, 40, 10)
    alphas = np.logspace(-2, 4, 25)
    best, simple = RidgeCV(alphas).fit(X, y), RidgeCV(alphas, rule="one_se").fit(X, y)
    curve = simple.cv_curve_
    assert np.all(np.diff(curve.parameter) < 0)
    errors = RidgeCV(alphas, store_cv_results=True).fit(X, y).cv_results_[:, ::-1]
    assert_close(curve.mean, errors.mean(axis=0))
    assert_close(curve.std_error, errors.std(axis=0, ddof=1) / np.sqrt(40))
    limit = curve.mean.min() + curve.std_error[curve.mean.argmin()]
    assert simple.alpha_ == curve.parameter[curve.mean <= limit].max()
    assert simple.alpha_ > best.alpha_
    folds = RidgeCV(alphas, cv=5, rule="one_se").fit(X, y)
    assert folds.alpha_ >= RidgeCV(alphas, cv=5).fit(X, y).alpha_


def test_one_penalty_per_target(rng):
    X, Y = problem(rng, 30, 5, m=3)
    Y[:, 1] = rng.normal(size=30)
    model = RidgeCV(ALPHAS, alpha_per_target=True, store_cv_results=True).fit(X, Y)
    single = [RidgeCV(ALPHAS).fit(X, y) for y in Y.T]
    assert_close(model.alpha_, [s.alpha_ for s in single])
    assert_close(model.best_score_, [s.best_score_ for s in single])
    assert_close(model.coef_, [s.coef_ for s in single])
    assert_close(model.df_, [s.df_ for s in single])
    assert len(model.cv_curve_) == 3
    assert model.cv_results_.shape == (30, 3, 7)


@pytest.mark.spec("LIN-13")
@pytest.mark.parametrize("shape", [(60, 6), (20, 30), (60, 40)])
@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error", "callable"])
def test_folds_agree_with_a_grid_search(shape, scoring, rng):
    X, y = problem(rng, *shape)
    weights = rng.uniform(0.5, 2, shape[0])
    if scoring == "callable":
        scoring = make_scorer(mean_absolute_error, greater_is_better=False)
    cv = KFold(4, shuffle=True, random_state=0)
    model = RidgeCV(ALPHAS, cv=cv, scoring=scoring).fit(X, y, weights)
    search = GridSearchCV(sk.Ridge(solver="svd"), {"alpha": ALPHAS}, cv=cv, scoring=scoring)
    search.fit(X, y, sample_weight=weights)
    assert model.alpha_ == search.best_params_["alpha"]
    assert_close(model.best_score_, search.best_score_, rtol=1e-6)
    if scoring is not None:
        assert_close(-model.cv_curve_.mean[::-1], search.cv_results_["mean_test_score"], rtol=1e-6)
    assert_close(model.coef_, search.best_estimator_.coef_, rtol=1e-6)


def test_rows_of_weight_zero_are_absent(rng):
    X, y = problem(rng, 20, 3)
    weights = np.r_[np.zeros(4), rng.uniform(0.5, 2, 16)]
    y[:4] = 1e6
    model = RidgeCV(ALPHAS, store_cv_results=True).fit(X, y, weights)
    without = RidgeCV(ALPHAS, store_cv_results=True).fit(X[4:], y[4:], weights[4:])
    assert_close(model.coef_, without.coef_)
    assert_close(model.best_score_, without.best_score_)
    assert np.isnan(model.cv_results_[:4]).all()
    assert_close(model.cv_results_[4:], without.cv_results_)


@pytest.mark.parametrize(
    "params, message",
    [
        ({"alphas": []}, "alphas must not be empty"),
        ({"alphas": [1.0, np.nan]}, r"alphas\[1\] == nan"),
        ({"alphas": [0.0, 1.0]}, r"alphas\[0\] == 0.0, must be > 0.0"),
        ({"criterion": "gcv", "rule": "one_se"}, "has no standard error"),
        ({"criterion": "gcv", "cv": 3}, "criterion='gcv' requires cv=None"),
        ({"scoring": "no such score"}, "no such score"),
    ],
)
def test_wrong_settings_are_refused(params, message, rng):
    X, y = problem(rng)
    with pytest.raises(ValueError, match=message):
        RidgeCV(**params).fit(X, y)


def test_classifier_chooses_like_the_regression_on_signs(rng):
    X = rng.normal(size=(50, 4))
    y = (X[:, 0] + rng.normal(size=50) > 0).astype(int)
    model = RidgeClassifierCV(ALPHAS, store_cv_results=True).fit(X, y)
    plain = RidgeCV(ALPHAS).fit(X, 2.0 * y - 1)
    assert model.alpha_ == plain.alpha_
    assert_close(model.coef_, plain.coef_)
    assert model.cv_results_.shape == (50, 1, 7)
    by_folds = RidgeClassifierCV(ALPHAS, cv=4).fit(X, y)
    search = GridSearchCV(RidgeClassifier(), {"alpha": ALPHAS}, cv=4).fit(X, y)
    assert by_folds.best_score_ == pytest.approx(search.best_score_)


def test_classifier_scores_leave_one_out_predictions(rng):
    X = rng.normal(size=(30, 3))
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.7 * rng.normal(size=30), [-0.5, 0.5])]
    model = RidgeClassifierCV([0.5], scoring="accuracy").fit(X, y)
    hits = []
    for i in range(30):
        keep = np.arange(30) != i
        hits.append(RidgeClassifier(0.5).fit(X[keep], y[keep]).predict(X[[i]])[0] == y[i])
    assert_close(model.best_score_, np.mean(hits))
    binary = np.where(y == "a", "no", "yes")
    model = RidgeClassifierCV([0.5], scoring="roc_auc").fit(X, binary)
    assert 0.5 < model.best_score_ <= 1


def test_metrics_of_probabilities_are_refused(rng):
    X = rng.normal(size=(20, 2))
    with pytest.raises(ValueError, match="`scoring` must be a metric of predicted values"):
        RidgeCV(scoring="neg_log_loss").fit(X, X[:, 0])


@pytest.mark.spec("CRS-15")
@pytest.mark.parametrize("weighted", [False, True])
def test_the_curve_of_folds_is_the_pooled_squared_error(rng, weighted):
    X, y = problem(rng, 33, 4)
    weights = rng.integers(1, 4, 33).astype(float) if weighted else None
    model = RidgeCV([0.1, 1.0, 30.0], cv=KFold(5)).fit(X, y, weights)
    curve = model.cv_curve_
    assert curve.parameter.tolist() == [30.0, 1.0, 0.1]
    assert np.all(curve.mean > 0)
    assert curve.score is None
    for alpha, loss in zip(curve.parameter, curve.mean):
        held_out = np.empty(33)
        for train, test in KFold(5).split(X):
            w = None if weights is None else weights[train]
            held_out[test] = Ridge(alpha).fit(X[train], y[train], w).predict(X[test])
        assert_close(loss, np.average((y - held_out) ** 2, weights=weights))
        if not weighted:
            pooled = cross_val_score(
                Ridge(alpha), X, y, cv=KFold(5), scoring="neg_mean_squared_error", aggregate="pooled"
            )
            assert_close(loss, -pooled.estimate)
    assert curve.plot().get_ylabel() == "cross-validated loss"
    assert_close(model.best_score_, sk.RidgeCV([0.1, 1.0, 30.0], cv=KFold(5)).fit(X, y, weights).best_score_)


@pytest.mark.spec("CRS-15")
def test_curves_of_scores_have_the_name_and_the_sign_of_the_score(rng):
    X, y = problem(rng, 40, 4)
    for model in (
        RidgeCV([0.1, 1.0, 10.0], cv=4, scoring="r2").fit(X, y),
        RidgeCV([0.1, 1.0, 10.0], scoring="neg_mean_absolute_error").fit(X, y),
        RidgeClassifierCV([0.1, 1.0, 10.0], cv=4).fit(X, y > np.median(y)),
    ):
        ax = model.cv_curve_.plot()
        name = {"r2": "r2", None: "accuracy"}.get(model.scoring, model.scoring)
        assert ax.get_ylabel() == f"cross-validated {name}"
        shown = ax.containers[0].lines[0].get_ydata()
        assert_close(shown, -model.cv_curve_.mean)
        assert_close(shown.max(), model.best_score_)
        plt.close(ax.figure)
