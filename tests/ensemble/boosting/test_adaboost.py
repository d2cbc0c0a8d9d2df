"""AdaBoost for classes: hand values, the theory's identities, scikit-learn, the exact stumps behind it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import ensemble, tree
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from statlearn.ensemble import AdaBoostClassifier, ForwardStagewise
from statlearn.linear import LogisticRegression
from statlearn.trees import DecisionTreeClassifier
from tests.helpers import assert_close

BOOST10 = np.arange(10.0)[:, None], np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])


class ErrorStump(ClassifierMixin, BaseEstimator):
    """The stump of smallest weighted error, found by trying them all."""

    def fit(self, X, y, sample_weight):
        self.classes_ = np.unique(y)
        s = np.where(y == self.classes_[1], 1.0, -1.0)
        best = np.inf
        for j in range(X.shape[1]):
            values = np.unique(X[:, j])
            for t in (values[1:] + values[:-1]) / 2:
                side = np.where(X[:, j] <= t, 1.0, -1.0)
                for sign in (1.0, -1.0):
                    error = sample_weight @ (sign * side != s)
                    if error < best - 1e-12:
                        best, self.rule_ = error, (j, t, sign)
        return self

    def predict(self, X):
        j, t, sign = self.rule_
        return self.classes_[(sign * np.where(X[:, j] <= t, 1.0, -1.0) > 0).astype(int)]


def spheres(n, rng):
    X = rng.normal(size=(n, 10))
    return X, np.where((X**2).sum(axis=1) > 9.341818, 1, -1)


def overlapping(seed, n=60, p=3, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = np.digitize(X @ rng.normal(size=p) + rng.normal(size=n), np.linspace(-1, 1, classes + 1)[1:-1])
    y[:classes] = np.arange(classes)
    return X, y


@pytest.mark.spec("ENS-15", "ENS-16", "ENS-T5")
def test_three_rounds_by_hand():
    X, y = BOOST10
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    said = model.diagnostics_
    assert [m.tree_.threshold[0] for m in model.estimators_] == [2.5, 8.5, 5.5]
    expected = {
        "error": [0.3, 0.2142857, 0.1818182],
        "alpha": [0.4236489, 0.6496415, 0.7520387],
        "training_error": [0.3, 0.3, 0.0],
        "Z": [0.9165151, 0.8206518, 0.7713892],
        "product_Z": [0.9165151, 0.7521398, 0.5801925],
        "exponential_loss": [0.9165151, 0.7521398, 0.5801925],
        "bound": [0.9231163, 0.7840635, 0.6403473],
    }
    for name, values in expected.items():
        assert_close(said[name], values, rtol=0, atol=1e-6, err_msg=name)
    full = AdaBoostClassifier(n_estimators=3, alpha_scale="full").fit(X, y)
    assert_close(full.diagnostics_["alpha"], [0.8472979, 1.2992830, 1.5040774], rtol=0, atol=1e-6)
    assert_close(full.estimator_weights_, [0.8472979, 1.2992830, 1.5040774], rtol=0, atol=1e-6)
    assert_close([1 - s for s in model.staged_score(X, y)], [0.3, 0.3, 0.0])
    np.testing.assert_array_equal(model.estimators_[2].predict([[0.0], [9.0]]), [-1, 1])  # the third is reversed


@pytest.mark.spec("ENS-16", "ENS-T6")
def test_weights_of_the_rows_by_hand():
    X, y = BOOST10
    weights = AdaBoostClassifier(n_estimators=2, store_weights=True).fit(X, y).diagnostics_["weights"]
    assert_close(weights[1], np.where(np.isin(np.arange(10), [6, 7, 8]), 1 / 6, 1 / 14), rtol=0, atol=1e-9)
    assert_close(weights[2], [1 / 22] * 3 + [1 / 6] * 3 + [7 / 66] * 3 + [1 / 22], rtol=0, atol=1e-9)


@pytest.mark.spec("ENS-P11", "ENS-16")
@given(seed=st.integers(0, 10_000))
def test_error_is_below_the_exponential_loss_is_the_product_of_z_is_below_the_bound(seed):
    X, y = overlapping(seed)
    model = AdaBoostClassifier(n_estimators=12, store_weights=True, random_state=0).fit(X, y)
    said = model.diagnostics_
    assert np.all(said["training_error"] <= said["exponential_loss"] + 1e-12)
    assert_close(said["exponential_loss"], said["product_Z"])
    assert np.all(said["product_Z"] <= said["bound"] + 1e-12)
    assert_close(said["Z"], 2 * np.sqrt(said["error"] * (1 - said["error"])))
    for weights, member in zip(said["weights"][1:], model.estimators_, strict=True):
        assert_close(weights @ (member.predict(X) != y), 0.5)
    f = np.where(y == 1, 1, -1) * model.decision_function(X) * model.estimator_weights_.sum() / 4
    assert_close(np.mean(np.exp(-f)), said["exponential_loss"][-1])


@pytest.mark.spec("ENS-P12")
@given(seed=st.integers(0, 10_000))
def test_is_forward_stagewise_with_exponential_loss(seed):
    X, y = overlapping(seed, n=40)
    sign = np.where(y == 1, 1.0, -1.0)
    boosted = AdaBoostClassifier(ErrorStump(), n_estimators=5).fit(X, sign)
    stagewise = ForwardStagewise("exponential", n_estimators=5, init=0.0).fit(X, sign)
    f = boosted.decision_function(X) * boosted.estimator_weights_.sum() / 4
    assert_close(f, stagewise.predict(X))
    assert_close(np.abs(stagewise.steps_), boosted.diagnostics_["alpha"])
    assert_close(stagewise.train_score_[1:], boosted.diagnostics_["exponential_loss"])


@pytest.mark.spec("ENS-P12")
def test_half_and_full_scale_are_the_same_classifier():
    X, y = overlapping(0)
    half, full = (AdaBoostClassifier(alpha_scale=s, store_weights=True).fit(X, y) for s in ("half", "full"))
    assert_close(full.diagnostics_["alpha"], 2 * half.diagnostics_["alpha"])
    np.testing.assert_array_equal(full.diagnostics_["weights"], half.diagnostics_["weights"])
    np.testing.assert_array_equal(full.decision_function(X), half.decision_function(X))


@pytest.mark.spec("ENS-P13")
def test_exponential_loss_falls_when_the_training_error_is_flat(rng):
    X, y = spheres(100, rng)
    said = AdaBoostClassifier(n_estimators=300).fit(X, y).diagnostics_
    flat = np.flatnonzero(said["training_error"] == 0.0)
    assert len(flat) > 50
    assert np.all(np.diff(said["exponential_loss"]) < 0)
    assert said["exponential_loss"][-1] < 0.7 * said["exponential_loss"][flat[0]]


@pytest.mark.spec("ENS-P14", "ENS-17")
def test_population_minimiser_is_half_the_log_odds():
    # Four cells with known shares of the class 1; cells as indicator columns, so that stumps can tell them apart.
    shares, copies = np.array([0.1, 0.4, 0.65, 0.9]), 200
    cell = np.repeat(np.arange(4), copies)
    y = np.concatenate([np.arange(copies) < round(copies * p) for p in shares]).astype(int)
    X = (cell[:, None] == np.arange(4)).astype(float)
    with pytest.warns(UserWarning, match="no better than chance"):  # at the minimum all stumps are
        model = AdaBoostClassifier(n_estimators=300).fit(X, y)
    f = model.decision_function(np.eye(4)) * model.estimator_weights_.sum() / 4
    assert_close(f, 0.5 * np.log(shares / (1 - shares)), atol=1e-4)  # the rounds close in on it
    proba = model.predict_proba(np.eye(4), link="exponential")[:, 1]
    assert_close(proba, shares, atol=1e-4)  # the rounds close in on it
    assert_close(proba, 1 / (1 + np.exp(-2 * f)))


@pytest.mark.spec("ENS-17")
def test_exponential_link_of_more_classes_is_the_population_one():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    votes = model.decision_function(X) * model.estimator_weights_.sum()
    p = np.exp(2 / 3 * votes)  # softmax of f / (K - 1), f = (K - 1)^2 / K times the votes
    assert_close(model.predict_proba(X, link="exponential"), p / p.sum(axis=1, keepdims=True))
    with pytest.raises(ValueError, match="link"):
        model.predict_proba(X, link="logit")


@pytest.mark.spec("ENS-15")
@pytest.mark.parametrize("data", [load_iris, load_breast_cancer, load_wine])
def test_agrees_with_scikit_learn_given_the_same_learner(data):
    X, y = data(return_X_y=True)
    settings = {"n_estimators": 15, "learning_rate": 0.7, "random_state": 0}
    learner = tree.DecisionTreeClassifier(max_depth=2)
    ours = AdaBoostClassifier(learner, **settings).fit(X, y)
    theirs = ensemble.AdaBoostClassifier(learner, **settings).fit(X, y)
    for method in ("predict", "decision_function", "predict_proba"):
        assert_close(getattr(ours, method)(X), getattr(theirs, method)(X), err_msg=method)
    for a, b in zip(ours.staged_decision_function(X), theirs.staged_decision_function(X), strict=True):
        assert_close(a, b)
    assert_close(ours.estimator_weights_, theirs.estimator_weights_)
    assert_close(ours.estimator_errors_, theirs.estimator_errors_)
    parts = [w * m.feature_importances_ for w, m in zip(ours.estimator_weights_, ours.estimators_)]
    assert_close(ours.feature_importances_, np.sum(parts, axis=0) / ours.estimator_weights_.sum())


@pytest.mark.spec("ENS-15", "ENS-P23")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("algorithm", ["samme", "m1", "real"])
def test_weights_are_copies(classes, algorithm, rng):
    X, y = overlapping(1, n=80, classes=classes)
    weights = rng.integers(0, 4, len(y))
    # Deep enough for M1; more rounds would bring leaves in which two classes tie but for rounding.
    learner = DecisionTreeClassifier(max_depth=4 if algorithm == "m1" else 1)
    settings = {"n_estimators": 2 if algorithm == "m1" else 4, "algorithm": algorithm, "random_state": 0}
    a, b = (AdaBoostClassifier(learner, **settings) for _ in range(2))
    rows = np.repeat(np.arange(len(y)), weights)
    a.fit(X, y, sample_weight=weights)
    b.fit(X[rows], y[rows])
    assert_close(a.decision_function(X), b.decision_function(X), rtol=1e-6)


@pytest.mark.spec("ENS-15")
def test_m1_is_samme_for_two_classes_and_asks_for_more_of_three():
    X, y = overlapping(0)
    m1, samme = (AdaBoostClassifier(algorithm=a).fit(X, y) for a in ("m1", "samme"))
    np.testing.assert_array_equal(m1.decision_function(X), samme.decision_function(X))
    X, y = load_iris(return_X_y=True)
    m1, samme = (
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), algorithm=a).fit(X, y) for a in ("m1", "samme")
    )
    e = m1.diagnostics_["error"]
    assert np.all(e < 0.5)
    assert_close(m1.diagnostics_["alpha"], 0.5 * np.log((1 - e) / e))
    assert_close(m1.estimator_weights_[0], samme.estimator_weights_[0] - np.log(2))


@pytest.mark.spec("ENS-15")
def test_real_version_adds_half_log_odds_of_the_leaves():
    X, y = overlapping(3, n=200)
    model = AdaBoostClassifier(n_estimators=6, algorithm="real").fit(X, y)
    sign, f = np.where(y == 1, 1.0, -1.0), np.zeros(len(y))
    for t, member in enumerate(model.estimators_):
        w = np.exp(-sign * f)
        left = X[:, member.tree_.feature[0]] <= member.tree_.threshold[0]
        for side in (left, ~left):
            p = w[side] @ (sign[side] > 0) / w[side].sum()
            f[side] += 0.5 * np.diff(np.log(np.maximum([1 - p, p], np.finfo(float).eps)))
        assert_close(model.diagnostics_["exponential_loss"][t], np.mean(np.exp(-sign * f)))
    assert_close(model.decision_function(X), 2 * f / 6)
    assert_close(model.predict_proba(X, link="exponential")[:, 1], 1 / (1 + np.exp(-2 * f)))
    with pytest.raises(ValueError, match="probabilities"):
        AdaBoostClassifier(ErrorStump(), algorithm="real").fit(X, y)


@pytest.mark.spec("ENS-15")
def test_learners_without_weights_get_rows_drawn_by_them():
    class Plain(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.inner_ = LogisticRegression().fit(X, y)
            self.classes_ = self.inner_.classes_
            return self

        def predict(self, X):
            return self.inner_.predict(X)

    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = AdaBoostClassifier(Plain(), n_estimators=5, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.97
    np.testing.assert_array_equal(
        AdaBoostClassifier(Plain(), n_estimators=5, random_state=0).fit(X, y).decision_function(X),
        model.decision_function(X),
    )


def test_a_learner_without_mistakes_ends_the_boosting():
    X = np.arange(6.0)[:, None]
    model = AdaBoostClassifier(n_estimators=10).fit(X, [0, 0, 0, 1, 1, 1])
    assert len(model) == 1
    eps = np.finfo(float).eps
    assert_close(model.estimator_weights_[0], np.log((1 - eps) / eps))
    assert model.score(X, [0, 0, 0, 1, 1, 1]) == 1.0


def test_a_learner_no_better_than_chance_ends_the_boosting():
    X = np.zeros((10, 1))
    with pytest.warns(UserWarning, match="no better than chance"):
        model = AdaBoostClassifier().fit(X, [0] * 7 + [1] * 3)
    assert len(model) == 1
    with pytest.raises(ValueError, match="worse than random"):
        AdaBoostClassifier().fit(X, [0] * 5 + [1] * 5)


@pytest.mark.spec("ENS-T9")
def test_nested_spheres():
    errors = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, y = spheres(2000, rng)
        A, b = spheres(10_000, rng)
        model = AdaBoostClassifier(n_estimators=400).fit(X, y)
        staged = [np.mean(said != b) for said in model.staged_predict(A)]
        errors.append([staged[0], staged[99], staged[399]])
    one, hundred, all_ = np.mean(errors, axis=0)
    assert 0.44 <= one <= 0.47
    assert 0.18 <= hundred <= 0.22
    assert 0.11 <= all_ <= 0.145


def test_steps_beyond_twice_the_best_are_warned_of():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="above 2, so every step increases the exponential loss"):
        AdaBoostClassifier(n_estimators=3, learning_rate=23.0).fit(X, y)


def test_a_regressor_raises(rng):
    with pytest.raises(ValueError, match="`estimator` must be a classifier, got DecisionTreeRegressor"):
        AdaBoostClassifier(tree.DecisionTreeRegressor()).fit(rng.normal(size=(6, 2)), [0, 1] * 3)


@pytest.mark.spec("CRS-09")
@pytest.mark.parametrize(("alpha_scale", "score"), [("full", 0.64250), ("half", 0.32125)])
def test_additive_score_on_both_scales(alpha_scale, score):
    X, y = np.arange(10.0)[:, None], np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])
    model = AdaBoostClassifier(n_estimators=3, alpha_scale=alpha_scale).fit(X, y)
    assert_close(model.decision_function([[0.0]]), [0.35199], atol=1e-5)
    assert_close(model.decision_function([[0.0]], scale="sum"), [score], atol=1e-5)
    F = model.decision_function(X, scale="sum")
    half = F if alpha_scale == "half" else F / 2
    assert_close(np.mean(np.exp(-y * half)), model.diagnostics_["exponential_loss"][-1])
    stagewise = ForwardStagewise("exponential", n_estimators=3, init=0.0).fit(X, y)
    assert_close(half, stagewise.predict(X))
    *_, last = model.staged_decision_function(X, scale="sum")
    assert_close(last, F)
    with pytest.raises(ValueError, match="`scale` must be 'mean' or 'sum'"):
        model.decision_function(X, scale="total")


@pytest.mark.spec("CRS-09")
@pytest.mark.parametrize("algorithm", ["samme", "real"])
def test_the_exponential_loss_matches_the_additive_score(rng, algorithm):
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=80) > 0, 1, -1)
    model = AdaBoostClassifier(n_estimators=10, algorithm=algorithm, learning_rate=0.5).fit(X, y)
    losses = [np.mean(np.exp(-y * F)) for F in model.staged_decision_function(X, scale="sum")]
    assert_close(losses, model.diagnostics_["exponential_loss"])
