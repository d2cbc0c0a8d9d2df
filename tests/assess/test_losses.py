"""Losses as objects: differences, limits, identities, population minimisers, reductions, weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import softmax
from sklearn import metrics
from sklearn.base import clone

from statlearn import assess
from statlearn._math.losses import scores as core
from statlearn.assess import empirical_risk, expected_risk, losses
from statlearn.ensemble import (
    ForwardStagewise,
    GradientBooster,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)
from statlearn.linear import RegularizedLinearClassifier, RegularizedLinearRegressor, RepresentativeClassifier
from statlearn.plot import plot_losses
from statlearn.svm import SGDClassifier
from tests.helpers import assert_close

seeds = st.integers(0, 10**6)
REGRESSION = [
    losses.SquaredError(),
    losses.SquaredError(half=True),
    losses.AbsoluteError(),
    losses.Huber(),
    losses.Huber(0.3),
    losses.LogCosh(),
    losses.EpsilonInsensitive(0.4),
    losses.SquaredEpsilonInsensitive(0.4),
    losses.Quantile(0.8),
]
MARGIN = [
    losses.Perceptron(),
    losses.Hinge(),
    losses.SquaredHinge(),
    losses.ModifiedHuber(),
    losses.Logistic(),
    losses.Exponential(),
    losses.BinomialDeviance(),
    losses.MarginSquared(),
]


def data(loss, seed, n=50):
    rng = np.random.default_rng(seed)
    y = rng.choice([-1.0, 1.0], size=n) if loss in MARGIN else rng.normal(size=n)
    return y, 2.0 * rng.normal(size=n)


@pytest.mark.spec("ASM-01", "ASM-03", "ASM-04", "ASM-P1")
@pytest.mark.parametrize("loss", REGRESSION + MARGIN, ids=repr)
@given(seed=seeds)
def test_derivatives_match_differences(loss, seed):
    y, f = data(loss, seed)
    step = 1e-5
    g = loss.gradient(y, f)
    up, down = loss.gradient(y, f + step), loss.gradient(y, f - step)
    calm = np.abs(loss.hessian(y, f + step) - loss.hessian(y, f - step)) < 1e-2  # no kink in between
    calm &= np.abs(up - down) < 0.1
    assert calm.mean() > 0.9
    assert_close(
        g[calm], ((loss.value(y, f + step) - loss.value(y, f - step)) / (2 * step))[calm], rtol=1e-6, atol=1e-6
    )
    assert_close(loss.hessian(y, f)[calm], ((up - down) / (2 * step))[calm], rtol=1e-4, atol=1e-4)


@pytest.mark.spec("ASM-P1")
@pytest.mark.parametrize("loss", REGRESSION + MARGIN, ids=repr)
@given(seed=seeds)
def test_convex_losses_satisfy_jensen(loss, seed):
    assert loss.convex
    y, f = data(loss, seed)
    _, g = data(loss, seed + 1)
    t = np.random.default_rng(seed).uniform(size=len(y))
    mixed = loss.value(y, t * f + (1 - t) * g)
    assert np.all(mixed <= t * loss.value(y, f) + (1 - t) * loss.value(y, g) + 1e-12)


@pytest.mark.spec("ASM-P1")
def test_huber_is_once_and_log_cosh_twice_continuously_differentiable():
    h = 1e-9
    for loss, jump in ((losses.Huber(0.7), 1.0), (losses.LogCosh(), 0.0)):
        at = np.array([0.7 - h, 0.7 + h])
        assert abs(np.diff(loss.gradient(np.zeros(2), at))[0]) < 1e-8
        assert_close(abs(np.diff(loss.hessian(np.zeros(2), at))[0]), jump, atol=1e-7)
    assert np.all(losses.LogCosh().hessian(0.0, 0.0) == 1.0)


@pytest.mark.spec("ASM-01", "ASM-T11", "ASM-T19")
def test_printed_values():
    assert_close(losses.LogCosh().value(0.0, 0.01), 4.9999167e-5, rtol=0, atol=1e-12)
    assert_close(losses.LogCosh().value(20.0, 0.0), 19.3068528, rtol=0, atol=5e-8)
    assert_close(losses.Huber(delta=1).value(-3.0, 0.0), 2.5, atol=1e-12)


@pytest.mark.spec("ASM-P2")
@given(r=st.floats(-50, 50))
def test_limits_of_log_cosh_and_huber(r):
    assert abs(losses.LogCosh().value(0.0, r / 5000) - (r / 5000) ** 2 / 2) <= (r / 5000) ** 4 / 12 + 3e-16
    far = np.copysign(20 + abs(r), r)
    assert_close(losses.LogCosh().value(0.0, far), abs(far) - np.log(2), atol=1e-12)
    assert_close(losses.Huber(100.0).value(0.0, r), r**2 / 2, atol=1e-12)
    assert_close(losses.Huber(1e-9).value(0.0, r) / 1e-9, abs(r), atol=1e-8)


@pytest.mark.spec("ASM-P3")
@given(margin=st.floats(-1, 5), label=st.sampled_from([-1.0, 1.0]))
def test_squared_hinge_and_modified_huber_agree_above_minus_one(margin, label):
    f = label * margin
    assert_close(losses.SquaredHinge().value(label, f), losses.ModifiedHuber().value(label, f), atol=1e-12)
    for loss in (losses.SquaredHinge(), losses.ModifiedHuber()):
        assert loss.value(label, -label) == 4.0
        assert loss.gradient(label, -label) == -4.0 * label
    assert losses.ModifiedHuber().value(1.0, -2.0) == 8.0 < losses.SquaredHinge().value(1.0, -2.0)


@pytest.mark.spec("ASM-P4")
@given(margin=st.floats(1e-6, 1 - 1e-6), label=st.sampled_from([-1.0, 1.0]))
def test_hinge_charges_small_margins_and_the_perceptron_does_not(margin, label):
    assert losses.Hinge().value(label, label * margin) > 0
    assert losses.Perceptron().value(label, label * margin) == 0


@pytest.mark.spec("ASM-03")
@pytest.mark.parametrize("loss", MARGIN, ids=repr)
@pytest.mark.parametrize("p", [0.1, 0.35, 0.5, 0.8])
def test_population_minimizer_minimises_the_expected_loss(loss, p):
    def risk(f):
        return p * loss.value(1.0, f) + (1 - p) * loss.value(-1.0, f)

    best = loss.population_minimizer(p)
    numeric = minimize_scalar(risk, bounds=(-5, 5), method="bounded", options={"xatol": 1e-10})
    assert risk(best) <= numeric.fun + 1e-9
    for other in np.linspace(-4, 4, 81):
        assert risk(best) <= risk(other) + 1e-12
    if loss.smooth:
        assert_close(best, numeric.x, atol=1e-5)


@pytest.mark.spec("ASM-03")
def test_population_minimizers_by_name():
    p = np.array([0.0, 0.3, 1.0])
    assert_close(losses.Hinge().population_minimizer(p), [-1, -1, 1])
    assert_close(losses.SquaredHinge().population_minimizer(p), 2 * p - 1)
    assert_close(losses.Exponential().population_minimizer(0.3), 0.5 * np.log(0.3 / 0.7))
    assert losses.Logistic().population_minimizer(p)[[0, 2]].tolist() == [-np.inf, np.inf]
    with pytest.raises(ValueError, match="between 0 and 1"):
        losses.Hinge().population_minimizer(1.5)


@pytest.mark.spec("ASM-04")
@given(seed=seeds, quantile=st.floats(0.05, 0.95))
def test_quantile_loss_is_smallest_at_the_quantile_and_agrees_with_sklearn(seed, quantile):
    y, f = data(None, seed, n=41)
    loss = losses.Quantile(quantile, reduction="mean")
    assert_close(loss.value(y, f), metrics.mean_pinball_loss(y, f, alpha=quantile))
    at = np.quantile(y, quantile, method="inverted_cdf")
    assert all(loss.value(y, np.full(41, at)) <= loss.value(y, np.full(41, v)) + 1e-12 for v in y)
    inside = losses.EpsilonInsensitive(0.5)
    assert_close(inside.value(y, f), np.maximum(np.abs(y - f) - 0.5, 0))


def test_the_solvers_use_the_same_functions():
    for public, bound in (
        (losses.Huber, core.Huber),
        (losses.Logistic, core.Logistic),
        (losses.Quantile, core.Pinball),
    ):
        assert public._core is bound


# ---------------------------------------------------------------------------------------------- labels, probabilities


@pytest.mark.spec("ASM-02", "ASM-T1")
def test_cross_entropy_of_one_row():
    assert_close(losses.CrossEntropy().value([[1, 0, 0]], [[0.5, 0.3, 0.2]]), 0.6931472, rtol=0, atol=1e-7)
    assert losses.CrossEntropy().value([[1, 0]], [[0.0, 1.0]])[0] == np.inf
    assert losses.CrossEntropy().value([[1, 0]], [[1.0, 0.0]])[0] == 0.0


@pytest.mark.spec("ASM-02")
@given(seed=seeds)
def test_log_loss_and_cross_entropy_agree_with_sklearn_and_each_other(seed):
    rng = np.random.default_rng(seed)
    y, scores = np.r_[0, 1, rng.integers(0, 2, 30)], rng.normal(size=32)
    p = 1 / (1 + np.exp(-scores))
    mean = metrics.log_loss(y, p)
    assert_close(losses.LogLoss(reduction="mean").value(y, p), mean)
    assert_close(losses.LogLoss(reduction="sum").value(y, p), 32 * mean)
    assert_close(losses.LogLoss(from_scores=True).value(y, scores), losses.LogLoss().value(y, p), atol=1e-12)
    assert_close(losses.LogLoss(from_scores=True).value(y, scores), losses.Logistic().value(2 * y - 1, scores))
    two = losses.CrossEntropy().value(np.eye(2)[y], np.column_stack([1 - p, p]))
    assert_close(two, losses.LogLoss().value(y, p))
    labels, Z = rng.integers(0, 4, 32), rng.normal(size=(32, 4))
    labels[:4] = range(4)
    ours = losses.CrossEntropy(from_scores=True, reduction="mean").value(np.eye(4)[labels], Z)
    assert_close(ours, metrics.log_loss(labels, softmax(Z, axis=1)))


@pytest.mark.spec("ASM-02", "ASM-P1")
@pytest.mark.parametrize("from_scores", [True, False])
@given(seed=seeds)
def test_derivatives_of_probabilities_match_differences(from_scores, seed):
    rng = np.random.default_rng(seed)
    y, p = rng.integers(0, 2, 20), rng.uniform(0.05, 0.95, size=20)
    Y, P = np.eye(3)[rng.integers(0, 3, 20)], softmax(rng.normal(size=(20, 3)), axis=1)
    h = 1e-6
    one = losses.LogLoss(from_scores)
    assert_close(one.gradient(y, p), (one.value(y, p + h) - one.value(y, p - h)) / (2 * h), rtol=1e-5, atol=1e-6)
    assert_close(one.hessian(y, p), (one.gradient(y, p + h) - one.gradient(y, p - h)) / (2 * h), rtol=1e-5, atol=1e-5)
    many = losses.CrossEntropy(from_scores)
    check_matrix_derivatives(many, Y, P, h)


def check_matrix_derivatives(loss, y, F, h):
    gradient, hessian = loss.gradient(y, F), loss.hessian(y, F)
    for k in range(F.shape[1]):
        step = h * np.eye(F.shape[1])[k]
        slope = (loss.value(y, F + step) - loss.value(y, F - step)) / (2 * h)
        assert_close(gradient[:, k], slope, rtol=1e-5, atol=1e-6)
        bend = (loss.gradient(y, F + step) - loss.gradient(y, F - step)) / (2 * h)
        assert_close(hessian[:, :, k], bend, rtol=1e-4, atol=1e-5)


@pytest.mark.spec("ASM-02")
def test_zero_one_counts_and_has_no_gradient():
    y, f = np.array(["a", "b", "c"]), np.array(["a", "c", "c"])
    assert losses.ZeroOne(reduction="sum").value(y, f) == 1.0
    assert_close(losses.ZeroOne(reduction="mean").value(y, f), metrics.zero_one_loss(y, f))
    with pytest.raises(NotImplementedError, match="no useful gradient"):
        losses.ZeroOne().gradient(y, f)


# -------------------------------------------------------------------------------------------------------- loss matrix


@pytest.mark.spec("ASM-05", "ASM-P22")
@given(seed=seeds, K=st.integers(2, 6))
def test_loss_matrix_reports_the_cheapest_label_and_zero_one_the_mode(seed, K):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(K), size=30)
    L = rng.uniform(size=(K, K)) * (1 - np.eye(K))
    loss = losses.LossMatrix(L, labels=np.array(list("zyxwvu"))[:K])
    expected = np.array([[sum(p[k] * L[k, a] for k in range(K)) for a in range(K)] for p in P])
    assert_close(loss.expected_loss(P), expected)
    chosen = loss.decide(P)
    rows = [np.flatnonzero(loss.labels == label)[0] for label in chosen]
    assert np.all(expected[np.arange(30), rows] <= expected.min(axis=1) + 1e-15)
    truth = loss.labels[rng.integers(0, K, 30)]
    code = {label: k for k, label in enumerate(loss.labels)}
    assert_close(loss.value(truth, chosen), [L[code[t], code[c]] for t, c in zip(truth, chosen)])
    assert np.array_equal(losses.LossMatrix.zero_one(K).decide(P), P.argmax(axis=1))


@pytest.mark.spec("ASM-05")
def test_invalid_loss_matrices_raise():
    for bad, words in (([[0, 1]], "square"), ([[1, 0], [0, 0]], "diagonal"), ([[0, -1], [1, 0]], "negative")):
        with pytest.raises(ValueError, match=words):
            losses.LossMatrix(bad)
    with pytest.raises(ValueError, match="not among"):
        losses.LossMatrix.zero_one(2).value([0, 1], [0, 2])


# --------------------------------------------------------------------------------------------------- signed distances


@pytest.mark.spec("ASM-06")
@given(seed=seeds, K=st.integers(2, 5))
def test_multiclass_losses_are_their_formulae(seed, K):
    rng = np.random.default_rng(seed)
    points, f, y = rng.normal(size=(K, 3)), 2 * rng.normal(size=(25, 3)), rng.integers(0, K, 25)
    kappa = rng.uniform(0.5, 2, size=K)
    D = losses.signed_distances(f, points, y)
    near = np.array([[np.sum((x - p) ** 2) for p in points] for x in f])
    for n, i in enumerate(y):
        others = [j for j in range(K) if j != i]
        for j in others:
            # Negative exactly when the own representative is nearer; half the difference of squares over the gap.
            gap = np.linalg.norm(points[j] - points[i])
            assert_close(D[n, j], (near[n, i] - near[n, j]) / (2 * gap), atol=1e-9)
        worst = max(D[n, j] for j in others)
        one = (np.array([i]), D[n : n + 1])
        assert losses.MulticlassNP(kappa).value(*one)[0] == (kappa[i] if worst >= 0 else 0.0)
        assert_close(losses.MulticlassHinge(kappa).value(*one)[0], kappa[i] * max(0, 1 + worst))
        assert_close(losses.MulticlassLogistic(kappa).value(*one)[0], kappa[i] * np.log(1 + np.exp(D[n, others]).sum()))
    assert np.all(losses.MulticlassNP(kappa).value(y, D) <= losses.MulticlassHinge(kappa).value(y, D) + 1e-12)
    wrong = near.argmin(axis=1) != y
    assert_close(losses.MulticlassNP().value(y, D), wrong)
    check_matrix_derivatives(losses.MulticlassLogistic(kappa), y, D, 1e-6)
    slope = losses.MulticlassHinge(kappa).gradient(y, D)
    assert_close(slope.sum(axis=1), kappa[y] * (losses.MulticlassHinge().value(y, D) > 0))


@pytest.mark.spec("ASM-06")
def test_distances_match_the_classifier_that_learns_by_them():
    a, b = np.array([1.0, 2.0]), np.array([-1.0, 0.5])
    D = losses.signed_distances(np.array([a, b, (a + b) / 2]), np.array([a, b]), np.zeros(3, dtype=int))[:, 1]
    half = np.linalg.norm(a - b) / 2
    assert_close(D, [-half, half, 0.0], atol=1e-12)
    assert_close(D, RepresentativeClassifier.signed_distance(np.array([a, b, (a + b) / 2]), a, b))
    with pytest.raises(ValueError, match="class index"):
        losses.MulticlassHinge().value([2], [[0.0, 1.0]])
    with pytest.raises(ValueError, match="class_weight"):
        losses.MulticlassHinge([1.0]).value([0], [[0.0, 1.0]])


# ------------------------------------------------------------------------------------------------ reductions, weights


@pytest.mark.spec("ASM-P23")
@pytest.mark.parametrize("loss", REGRESSION + MARGIN, ids=repr)
@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_weights_are_copies_and_gradients_are_of_the_reduced_value(loss, reduction, rng):
    y, f = data(loss, 5, n=20)
    weights = rng.integers(0, 4, 20)
    reduced = type(loss)(**{n: getattr(loss, n) for n in loss._parameters}, reduction=reduction)
    rows = np.repeat(np.arange(20), weights)
    assert_close(reduced.value(y, f, weights), reduced.value(y[rows], f[rows]))
    scale = 1.0 if reduction == "sum" else 1.0 / weights.sum()
    assert_close(reduced.gradient(y, f, weights), scale * weights * loss.gradient(y, f))
    assert_close(reduced.hessian(y, f, weights), scale * weights * loss.hessian(y, f))


def test_wrong_use_raises_by_name():
    with pytest.raises(ValueError, match="'delta' parameter of Huber"):
        losses.Huber(0.0)
    with pytest.raises(ValueError, match="'reduction' parameter of Hinge"):
        losses.Hinge(reduction="max")
    with pytest.raises(ValueError, match=r"labels -1 and \+1"):
        losses.Logistic().value([0, 1], [0.2, 0.3])
    with pytest.raises(ValueError, match="same shape"):
        losses.SquaredError().value([0.0, 1.0], [0.2])
    with pytest.raises(ValueError, match="probabilities"):
        losses.LogLoss().value([0, 1], [0.2, 1.3])
    assert repr(losses.Huber(2.0, reduction="sum")) == "Huber(delta=2.0, reduction='sum')"


def test_the_module_is_an_attribute_of_the_family():
    assert assess.losses is losses
    assert "losses" in dir(assess)
    assert "losses" not in assess.__all__


@pytest.mark.spec("CRS-122")
def test_losses_have_names(rng):
    assert repr(losses.get("huber", delta=2.0)) == "Huber(delta=2.0)"
    assert isinstance(losses.get("logistic"), losses.Logistic)
    assert isinstance(losses.get("log_loss"), losses.Logistic)
    assert isinstance(losses.get("pinball", quantile=0.2), losses.Quantile)
    for name in losses.__all__:
        if name not in ("Loss", "LossMatrix", "get", "signed_distances"):
            assert type(losses.get(name)).__name__ == name
    own = losses.Huber()
    assert losses.get(own) is own
    with pytest.raises(ValueError, match=r"`loss` must be one of \['absolute_error', .*'logistic'.*got 'hubber'"):
        losses.get("hubber")


@pytest.mark.spec("CRS-122")
def test_risks_and_plots_take_names(rng):
    y, f = rng.normal(size=(2, 20))
    assert_close(empirical_risk("squared_error", y, f), np.mean((y - f) ** 2))
    assert_close(empirical_risk("log_loss", np.sign(y), f), empirical_risk(losses.Logistic(), np.sign(y), f))

    def sample(n, rng):
        x = rng.normal(size=(n, 1))
        return x, x[:, 0] + 1.0

    assert_close(expected_risk("absolute_error", lambda X: X[:, 0], sample, n_samples=10, random_state=0).estimate, 1.0)
    ax = plot_losses(["huber", losses.LogCosh()])
    assert [line.get_label() for line in ax.lines[:2]] == ["huber", "LogCosh"]
    x = ax.lines[0].get_xdata()
    assert_close(ax.lines[0].get_ydata(), losses.Huber().value(x, np.zeros_like(x)))
    with pytest.raises(ValueError, match="`loss` must be one of"):
        empirical_risk("squared", y, f)
    with pytest.raises(TypeError, match="`loss` must be a name"):
        empirical_risk(3.0, y, f)


@pytest.mark.spec("CRS-122")
@pytest.mark.parametrize(
    ("model", "names"),
    [
        (RegularizedLinearClassifier(), ("log_loss", "logistic")),
        (RepresentativeClassifier(), ("log_loss", "logistic")),
        (SGDClassifier(random_state=0), ("log_loss", "logistic")),
        (GradientBoostingClassifier(n_estimators=3), ("log_loss", "logistic")),
        (GradientBooster(n_estimators=3, random_state=0), ("log_loss", "logistic")),
        (ForwardStagewise(n_estimators=3), ("log_loss", "logistic")),
        (RegularizedLinearRegressor(), ("quantile", "pinball")),
        (GradientBoostingRegressor(n_estimators=3), ("quantile", "pinball")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_both_names_of_a_loss_give_the_same_model(rng, model, names):
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, 1, -1)
    one, two = (clone(model).set_params(loss=name).fit(X, y) for name in names)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    if hasattr(one, "predict_proba"):
        np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    if hasattr(one, "classes_") and type(model).__name__ == "GradientBoostingClassifier":
        many = clone(model).set_params(loss="logistic").fit(X, np.arange(60) % 3)  # more than two classes too
        assert many.predict_proba(X).shape == (60, 3)
