"""Multilayer perceptrons: gradients, scikit-learn's trajectories, linear limits, weights, categories, refusals."""

import copy

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier as TheirClassifier
from sklearn.neural_network import MLPRegressor as TheirRegressor
from sklearn.preprocessing import scale

from statlearn.linear import LinearRegression, LogisticRegression
from statlearn.neural import MLPClassifier, MLPRegressor, activation, check_gradient
from statlearn.neural._dense import DenseNetwork, TensorRows
from statlearn.neural._dense_objective import DenseObjective
from statlearn.neural._forward import apply_output, mean_loss
from statlearn.neural._layout import Layout
from statlearn.neural._objective import Objective
from tests.helpers import assert_close

FEW = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return scale(X), y


def objective_of(network, layout, X, target, weights, alpha, codes=None, kind=DenseObjective):
    """Value and gradient as functions of a flat vector."""
    rows = TensorRows(X, target, weights, codes)

    def evaluate(vector):
        vector = torch.from_numpy(np.array(vector))
        with kind(network, rows, layout, vector, alpha) as objective:
            value, gradient = objective()
        return value, gradient.numpy().copy()

    return evaluate


def random_target(output, n, k, rng):
    return {
        "identity": rng.normal(size=(n, k)),
        "logistic": rng.integers(0, 2, size=(n, k)).astype(float),
        "softmax": rng.integers(0, k, size=n),
        "exp": rng.poisson(2.0, size=(n, k)).astype(float),
    }[output]


@pytest.mark.spec("NEU-P1", "NEU-06")
@pytest.mark.parametrize("kind", [DenseObjective, Objective])
@pytest.mark.parametrize("output", ["identity", "logistic", "softmax", "exp"])
@pytest.mark.parametrize("names", [["tanh", "softplus"], ["logistic", "relu"], ["identity", "tanh"]])
def test_gradient_is_finite_differences_for_every_loss_and_layer(output, names, kind, rng):
    n, k = 6, 3
    X, codes = rng.normal(size=(n, 2)), rng.integers(0, 3, size=(n, 1))
    target = random_target(output, n, k, rng)
    layout = Layout([(4, 5), (5, 4), (4, k), (3, 2)], [(5,), (4,), (k,)])
    weights = rng.uniform(0.5, 2, size=n)
    evaluate = objective_of(DenseNetwork(names, output, 1), layout, X, target, weights, 0.7, codes, kind)
    at = 0.5 * rng.normal(size=layout.size)
    assert check_gradient(lambda v: evaluate(v)[0], at, lambda v: evaluate(v)[1], rtol=1e-7)


@pytest.mark.spec("NEU-P1")
def test_gradient_matches_pytorch(rng):
    X, y = rng.normal(size=(20, 3)), rng.integers(0, 4, size=20)
    layout = Layout([(3, 6), (6, 4)], [(6,), (4,)])
    vector = rng.normal(size=layout.size)
    value, gradient = objective_of(DenseNetwork(["softplus"], "softmax"), layout, X, y, None, 0.3)(vector)
    leaf = torch.from_numpy(vector).requires_grad_()
    W1, W2, b1, b2 = layout.views(leaf)
    scores = torch.nn.functional.softplus(torch.from_numpy(X) @ W1 + b1, threshold=1e9) @ W2 + b2
    loss = torch.nn.functional.cross_entropy(scores, torch.from_numpy(y))
    loss = loss + 0.3 / 40 * ((W1**2).sum() + (W2**2).sum())
    loss.backward()
    assert_close(value, loss.item())
    assert_close(gradient, leaf.grad.numpy())


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("output", ["identity", "logistic", "softmax", "exp"])
def test_native_gradient_is_that_on_pytorch_for_many_rows(output, sparse, rng):
    n, k = 2500, 3  # several chunks, pieces and slices
    X = rng.normal(size=(n, 300)) * (rng.random((n, 300)) < 0.2)
    tables = [] if sparse else [(4, 2), (5, 3)]
    codes = None if sparse else np.column_stack([rng.integers(0, levels, size=n) for levels, _ in tables])
    layers = [(300 + sum(length for _, length in tables), 20), (20, 17), (17, k)]
    layout = Layout([*layers, *tables], [(20,), (17,), (k,)])
    network = DenseNetwork(["relu", "tanh"], output, len(tables))
    vector = 0.1 * rng.normal(size=layout.size)
    target, weights = random_target(output, n, k, rng), rng.uniform(0.5, 2, size=n)
    (value, gradient), (same_value, same) = (
        objective_of(network, layout, csr_matrix(X) if sparse else X, target, weights, 0.7, codes, kind)(vector)
        for kind in (DenseObjective, Objective)
    )
    assert_close(value, same_value)
    assert_close(gradient, same, atol=1e-13)


@pytest.mark.parametrize("name", ["relu", "tanh", "logistic", "softplus", "threshold"])
def test_activations_of_the_kernel_keep_nan(name):
    layout = Layout([(1, 1), (1, 1)], [(1,), (1,)])
    evaluate = objective_of(DenseNetwork([name], "identity"), layout, np.ones((1, 1)), np.zeros((1, 1)), None, 0.0)
    assert np.isnan(evaluate(np.array([np.nan, 1.0, 0.0, 0.0]))[0])
    assert np.isfinite(evaluate(np.array([-800.0, 1.0, 0.0, 0.0]))[0])
    assert np.isfinite(evaluate(np.array([800.0, 1.0, 0.0, 0.0]))[0])


@FEW
@pytest.mark.spec("NEU-04", "NEU-P9")
@pytest.mark.parametrize(
    "settings",
    [
        {"max_iter": 4},
        {"max_iter": 4, "solver": "sgd", "activation": "logistic", "learning_rate": "invscaling"},
        {"max_iter": 4, "solver": "sgd", "nesterovs_momentum": False, "shuffle": False, "batch_size": 64},
        {"max_iter": 10, "solver": "lbfgs", "hidden_layer_sizes": (6, 5)},
        {"max_iter": 5, "early_stopping": True, "activation": "tanh"},
    ],
)
def test_classifier_takes_the_steps_of_scikit_learn(settings):
    X, y = load_digits(n_class=4, return_X_y=True)
    settings = {"hidden_layer_sizes": 8, "random_state": 3, **settings}
    theirs = TheirClassifier(**settings).fit(X / 16, y)
    ours = MLPClassifier(**settings).fit(X / 16, y)
    for a, b in zip(ours.coefs_ + ours.intercepts_, theirs.coefs_ + theirs.intercepts_):
        assert_close(a, b, rtol=1e-9, atol=1e-11)
    assert_close(ours.predict_proba(X / 16), theirs.predict_proba(X / 16))
    assert_close(ours.loss_, theirs.loss_)
    if settings.get("early_stopping"):
        assert_close(ours.validation_scores_, theirs.validation_scores_)


@FEW
@pytest.mark.spec("NEU-05")
@pytest.mark.parametrize(
    "settings, outputs",
    [({"loss": "poisson"}, 1), ({"solver": "sgd"}, 2), ({"solver": "lbfgs", "alpha": 0.1}, 1), ({"batch_size": 50}, 3)],
)
def test_regressor_takes_the_steps_of_scikit_learn(settings, outputs):
    X, y = load_diabetes(return_X_y=True)
    Y = np.column_stack([y / 50, np.sqrt(y), y / 10])[:, :outputs]
    y = Y[:, 0] if outputs == 1 else Y
    settings = {"hidden_layer_sizes": 6, "max_iter": 5, "random_state": 0, **settings}
    theirs, ours = TheirRegressor(**settings).fit(X, y), MLPRegressor(**settings).fit(X, y)
    assert_close(ours.predict(X), theirs.predict(X))
    # scikit-learn reports the mean over outputs, but follows the gradient of the sum
    assert_close(ours.loss_, theirs.loss_ * (outputs if outputs > 1 else 1), rtol=1e-3)


@FEW
@pytest.mark.spec("NEU-04")
def test_loss_at_given_weights_matches_scikit_learn(iris):
    X, y = iris
    theirs = TheirClassifier(5, max_iter=1, solver="lbfgs", alpha=2.0, random_state=0).fit(X, y)
    ours = MLPClassifier(5, max_iter=1, solver="lbfgs", alpha=2.0, random_state=0).fit(X, y)
    assert_close(ours.loss_, theirs.loss_)
    penalty = 2.0 / (2 * len(y)) * sum((w**2).sum() for w in ours.coefs_)
    p = ours.predict_proba(X)[np.arange(len(y)), y]
    assert_close(ours.loss_, penalty - np.log(p).mean())


@pytest.mark.spec("NEU-P5")
def test_without_hidden_layers_it_is_logistic_regression(iris):
    X, y = iris
    for labels in (y, y == 1):
        linear = LogisticRegression(C=1.0, tol=1e-10).fit(X, labels)
        network = MLPClassifier((), alpha=1.0, solver="lbfgs", tol=1e-7, max_iter=1000, random_state=0).fit(X, labels)
        # the softmax penalises all classes alike, as the multinomial model does; the solver stops at tol
        assert_close(network.predict_proba(X), linear.predict_proba(X), atol=1e-4)


@pytest.mark.spec("NEU-P5")
def test_without_hidden_layers_it_is_least_squares():
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X[:, :4]), scale(y)
    network = MLPRegressor(hidden_layer_sizes=(), alpha=0, solver="lbfgs", tol=1e-8, max_iter=2000, random_state=0)
    assert_close(network.fit(X, y).predict(X), LinearRegression().fit(X, y).predict(X), atol=1e-4)  # lbfgs stops early


@FEW
@pytest.mark.spec("NEU-06")
def test_activations_per_layer_are_used(iris):
    X, y = iris
    names = ["tanh", "softplus", "relu"]
    model = MLPClassifier((4, 3, 2), names, solver="lbfgs", max_iter=50, alpha=0.5, random_state=0)
    model.fit(X, y)
    values = X
    for W, b, name in zip(model.coefs_, model.intercepts_, [*names, "identity"]):
        values = activation(name)(values @ W + b)
    assert_close(model.predict_proba(X), apply_output(values, "softmax"))
    assert model.activations_ == names


@FEW
@pytest.mark.spec("NEU-06")
def test_layers_below_a_hard_threshold_keep_their_weights(iris):
    X, y = iris
    settings = {"hidden_layer_sizes": (6, 5), "activation": ["tanh", "threshold"], "alpha": 0, "random_state": 0}
    short, long = (MLPClassifier(max_iter=k, **settings).fit(X, y) for k in (1, 30))
    np.testing.assert_array_equal(short.coefs_[0], long.coefs_[0])
    assert not np.array_equal(short.coefs_[2], long.coefs_[2])


@pytest.mark.spec("NEU-P4")
def test_training_loss_falls_with_width():
    x = np.linspace(-3, 3, 80)[:, None]
    y = np.sin(2 * x[:, 0]) + 0.3 * x[:, 0] ** 2

    def best(width):  # of three starts, since the loss has many minima
        return min(
            MLPRegressor(hidden_layer_sizes=width, activation="tanh", solver="lbfgs", alpha=1e-6, max_iter=1000,
                         tol=1e-4, random_state=seed).fit(x, y).loss_ for seed in range(3))  # fmt: skip

    losses = [best(width) for width in (1, 4, 16)]
    assert losses[0] > 3 * losses[1]
    assert losses[1] > 3 * losses[2]


@pytest.mark.spec("NEU-P10")
def test_cross_entropy_is_convex_in_the_scores_and_the_squared_loss_of_a_sigmoid_is_not(rng):
    for kind, target in (("softmax", np.array([1])), ("logistic", np.array([[1.0, 0.0, 1.0]]))):
        for _ in range(50):
            a, b = 5 * rng.normal(size=(2, 1, 3))
            t = rng.uniform()
            middle = mean_loss(t * a + (1 - t) * b, target, kind)
            assert middle <= t * mean_loss(a, target, kind) + (1 - t) * mean_loss(b, target, kind) + 1e-12

    def squared(z):
        return (activation("logistic")(z) - 1.0) ** 2

    assert squared(-4.0) > (squared(-8.0) + squared(0.0)) / 2


@FEW
@pytest.mark.spec("NEU-P9")
def test_threads_do_not_change_a_bit(rng):
    import statlearn

    X, y = rng.normal(size=(600, 120)).astype(np.float32), rng.integers(0, 3, size=600)
    before = torch.get_num_threads()
    fits = []
    for threads in (1, 2, 3):
        with statlearn.threads(threads):
            fits.append(MLPClassifier(200, batch_size=256, max_iter=2, random_state=0).fit(X, y))
    for other in fits[1:]:
        for a, b in zip(fits[0].coefs_, other.coefs_):
            np.testing.assert_array_equal(a, b)
    assert torch.get_num_threads() == before


@FEW
def test_float32_rows_give_float32_weights(iris):
    X, y = iris
    single = MLPClassifier(4, max_iter=5, random_state=0).fit(X.astype(np.float32), y)
    double = MLPClassifier(4, max_iter=5, random_state=0).fit(X, y)
    assert {w.dtype for w in single.coefs_ + single.intercepts_} == {np.dtype(np.float32)}
    assert_close(single.predict_proba(X), double.predict_proba(X), rtol=1e-4, atol=1e-5)


def test_integer_weights_are_copies_and_zero_is_absence(iris):
    X, y = iris
    weights = np.random.default_rng(0).integers(0, 3, size=len(y))
    model = MLPClassifier(3, "tanh", solver="lbfgs", alpha=1.0, tol=1e-6, max_iter=500, random_state=0)
    rows = np.repeat(np.arange(len(y)), weights)
    weighted, copied = clone(model).fit(X, y, sample_weight=weights), clone(model).fit(X[rows], y[rows])
    assert_close(weighted.predict_proba(X), copied.predict_proba(X), atol=1e-5)
    # adam on one batch: the same steps
    model = MLPClassifier(3, batch_size=1000, max_iter=300, random_state=0, tol=1e-2, learning_rate_init=0.01)
    with pytest.warns(UserWarning, match="larger than sample size"):
        weighted, copied = clone(model).fit(X, y, sample_weight=weights), clone(model).fit(X[rows], y[rows])
    assert_close(weighted.predict_proba(X), copied.predict_proba(X), rtol=1e-6)


@FEW
def test_sparse_rows_give_the_same_network():
    X, y = load_digits(n_class=3, return_X_y=True)
    for solver in ("adam", "lbfgs"):
        dense = MLPClassifier(5, solver=solver, max_iter=4, random_state=0).fit(X / 16, y)
        sparse = MLPClassifier(5, solver=solver, max_iter=4, random_state=0).fit(csr_matrix(X / 16), y)
        assert_close(sparse.predict_proba(csr_matrix(X / 16)), dense.predict_proba(X / 16))


def categorical_table(frame, rng, n=200):
    city = rng.choice(["Bern", "Basel", "Zug"], size=n)
    x = rng.normal(size=n)
    y = x + np.where(city == "Bern", 2.0, np.where(city == "Zug", -1.0, 0.0))
    if frame is pd.DataFrame:
        return pd.DataFrame({"x": x, "city": pd.Categorical(city)}), y
    return pl.DataFrame({"x": x, "city": pl.Series(city).cast(pl.Categorical)}), y


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_categories_are_embedded(frame, rng):
    table, y = categorical_table(frame, rng)
    model = MLPRegressor(hidden_layer_sizes=(4,), activation="tanh", solver="lbfgs", max_iter=2000, random_state=0)
    model.fit(table, y)
    assert [e.shape for e in model.embeddings_] == [(3, 2)]
    assert model.score(table, y) > 0.999
    # the same columns as numbers that are named as categories
    codes = np.array([["Basel", "Bern", "Zug"].index(c) for c in table["city"].to_list()], float)
    coded = np.column_stack([table["x"].to_numpy(), codes])
    plain = clone(model).set_params(categorical_features=[1]).fit(coded, y)
    assert_close(plain.predict(coded), model.predict(table))


def test_unseen_categories_get_the_mean_embedding_and_missing_ones_raise(rng):
    table, y = categorical_table(pd.DataFrame, rng)
    settings = {"solver": "lbfgs", "max_iter": 500, "random_state": 0, "tol": 1e-2}
    model = MLPRegressor(hidden_layer_sizes=(), **settings).fit(table, y)
    known = [pd.DataFrame({"x": [0.0], "city": [c]}) for c in ("Bern", "Basel", "Zug")]
    unseen = pd.DataFrame({"x": [0.0], "city": ["Genf"]})
    assert_close(model.predict(unseen)[0], np.mean([model.predict(row)[0] for row in known]), rtol=1e-6)
    for missing in (pd.DataFrame({"x": [0.0], "city": [None]}), pd.DataFrame({"x": [np.nan], "city": ["Bern"]})):
        with pytest.raises(ValueError, match="Input X contains NaN"):
            model.predict(missing)
    table.loc[3, "city"] = None
    with pytest.raises(ValueError, match="Input X contains NaN in 'city'"):
        MLPRegressor(hidden_layer_sizes=(), **settings).fit(table, y)
    with pytest.raises(ValueError, match="Column 'city' contains text"):
        MLPRegressor().fit(pd.DataFrame({"city": ["a", "b"]}), [0.0, 1.0])


@FEW
def test_partial_fit_is_one_epoch_of_fit(iris):
    X, y = iris
    for solver in ("adam", "sgd"):
        settings = {"hidden_layer_sizes": 4, "solver": solver, "shuffle": False, "tol": 0, "random_state": 0}
        whole = MLPClassifier(max_iter=7, **settings).fit(X, y)
        parts = MLPClassifier(**settings)
        for _ in range(7):
            parts.partial_fit(X, y, classes=[0, 1, 2])
        for a, b in zip(whole.coefs_, parts.coefs_):
            assert_close(a, b, rtol=1e-12)
        assert_close(parts.loss_curve_, whole.loss_curve_)
    with pytest.raises(ValueError, match="classes must be passed"):
        MLPClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="`y` has classes not in"):
        MLPClassifier(4, random_state=0).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match=r"layers of sizes \[4, 4, 3\].* ask for \[4, 9, 3\]"):
        parts.set_params(hidden_layer_sizes=9).partial_fit(X, y)
    assert not hasattr(MLPClassifier(solver="lbfgs"), "partial_fit")


@FEW
@pytest.mark.parametrize("solver", ["adam", "sgd"])
@pytest.mark.parametrize("first, then", [(np.float64, np.float32), (np.float32, np.float64)])
def test_partial_fit_takes_rows_of_another_precision(solver, first, then, iris):
    X, y = iris
    X = X.astype(np.float32)
    model = MLPClassifier(4, solver=solver, random_state=0).partial_fit(X.astype(first), y, classes=[0, 1, 2])
    same = copy.deepcopy(model).partial_fit(X.astype(first), y)
    model.partial_fit(X.astype(then), y)
    assert {coef.dtype for coef in model.coefs_} == {np.dtype(first)}
    for a, b in zip(model.coefs_, same.coefs_):
        np.testing.assert_array_equal(a, b)


@FEW
def test_warm_start_continues(iris):
    X, y = iris
    model = MLPClassifier(4, solver="lbfgs", max_iter=5, warm_start=True, random_state=0).fit(X, y)
    first = model.loss_
    assert model.fit(X, y).loss_ < first
    with pytest.raises(ValueError, match="same classes as in the previous call"):
        model.fit(X, y % 2)


@FEW
def test_several_labels(rng):
    X = rng.normal(size=(120, 4))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] + X[:, 2] > 0]).astype(int)
    model = MLPClassifier(6, solver="lbfgs", max_iter=200, random_state=0).fit(X, Y)
    assert (model.predict(X) == Y).mean() > 0.98
    assert model.predict_proba(X).shape == (120, 2)
    assert MLPClassifier(6, early_stopping=True, max_iter=3, random_state=0).fit(X, Y).predict(X).shape == Y.shape


def test_labels_of_any_type_come_back(iris):
    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"], dtype=object)
    for labels in (names[y], (y == 0), y + 0.0):
        model = MLPClassifier(3, "tanh", solver="lbfgs", tol=1e-2, max_iter=300, random_state=0).fit(X, labels)
        assert model.predict(X).dtype == np.asarray(labels).dtype
        assert (model.predict(X) == labels).mean() > 0.95


@pytest.mark.parametrize(
    "settings, data, message",
    [
        ({"hidden_layer_sizes": (5, 0)}, {}, r"hidden_layer_sizes must be > 0, got \[5, 0\]"),
        ({"hidden_layer_sizes": (2.5,)}, {}, "`hidden_layer_sizes` must contain whole numbers, got 2.5"),
        ({"hidden_layer_sizes": (5, 4), "activation": ["relu"]}, {}, "`activation` has 1 entries.*2 hidden layers"),
        ({"activation": ["swish"]}, {}, "'activation' parameter of MLPClassifier"),
        ({"device": "cuda"} if not torch.cuda.is_available() else {"device": "tpu"}, {}, "device"),
        ({"early_stopping": True, "validation_fraction": 0.001}, {}, "validation set is too small|test_size"),
        ({}, {"y_val": [0]}, "`y_val` requires `X_val`"),
        ({}, {"X_val": [[0.0] * 4]}, "`X_val` requires `y_val`"),
        ({}, {"X_val": [[0.0] * 4], "y_val": [0, 1]}, "`X_val` has 1 rows, but `y_val` has 2"),
        ({}, {"X_val": [[0.0] * 4], "y_val": [7]}, "`y_val` contains the label 7"),
        ({}, {"X_val": [[0.0] * 3], "y_val": [0]}, "X_val: X has 3 features"),
    ],
)
def test_bad_settings_raise(settings, data, message, iris):
    X, y = iris
    with pytest.raises(ValueError, match=message):
        MLPClassifier(**{"max_iter": 2, **settings}).fit(X, y, **data)


def test_more_bad_input():
    with pytest.raises(ValueError, match="at least 2 classes in the data, but y contains only one class"):
        MLPClassifier().fit([[1.0], [2.0]], [1, 1])
    with pytest.raises(ValueError, match="`y` must not be negative"):
        MLPRegressor("poisson").fit([[1.0], [2.0]], [1.0, -1.0])
    with pytest.raises(ValueError, match=r"[Uu]nknown label type: continuous|continuous"):
        MLPClassifier().fit([[1.0], [2.0]], [0.5, 1.7])


def test_exploding_losses_name_the_epoch_and_the_remedy(iris):
    X, y = iris
    model = MLPRegressor(hidden_layer_sizes=20, activation="identity", solver="sgd", learning_rate_init=1e3)
    with pytest.raises(ValueError, match=r"non-finite.*epoch \d+: standardise.*lower learning_rate_init \(now 1000\)"):
        model.fit(X, y)
    model.set_params(early_stopping=True, learning_rate_init=1.0, random_state=0)
    with pytest.warns(ConvergenceWarning, match="The weights of the best epoch before are kept"):
        model.fit(1e3 * X, y)
    assert np.isfinite(model.predict(X)).all()
    assert np.isnan(model.validation_scores_[-1])


@FEW
def test_a_scaled_target_is_the_same_network_in_other_units():
    X, y = load_diabetes(return_X_y=True)
    settings = {"hidden_layer_sizes": 5, "max_iter": 20, "random_state": 0, "early_stopping": True}
    for target in (y, np.column_stack([y, 10 * X[:, 2]])):
        weights = 1.0 + (np.arange(len(y)) % 3)
        ours = MLPRegressor(scale_target=True, **settings).fit(X, target, sample_weight=weights)
        shifted = MLPRegressor(scale_target=True, **settings).fit(X, 1e4 + 1e3 * target, sample_weight=weights)
        assert_close(shifted.predict(X), 1e4 + 1e3 * ours.predict(X))
        assert_close(shifted.loss_curve_, ours.loss_curve_)
    model = MLPRegressor(hidden_layer_sizes=5, scale_target=True, warm_start=True, max_iter=20, random_state=0)
    first = model.fit(X, y).loss_
    assert model.fit(X, y).loss_ < first  # continues where it was, in the same units
    for _ in range(3):
        model.partial_fit(X, y)
    assert model.loss_ < first


def test_categories_without_an_embedding_raise_in_later_calls(rng):
    colours = pd.CategoricalDtype(["red", "blue", "green"])
    table = pd.DataFrame({"x": rng.normal(size=8), "colour": pd.Series(["red", "blue"] * 4, dtype=colours)})
    model = MLPClassifier(3, random_state=0).partial_fit(table, [0, 1] * 4, classes=[0, 1])
    new = table.assign(colour=pd.Series(["green"] * 8, dtype=colours))
    assert model.predict(new).shape == (8,)
    with pytest.raises(ValueError, match="Column 'colour' of X has a category that the first call did not have"):
        model.partial_fit(new, [0, 1] * 4)


def test_a_validation_set_with_fewer_rows_than_classes_raises(rng):
    with pytest.raises(ValueError, match=r"validation set is too small. Increase 'validation_fraction'"):
        MLPClassifier(3, early_stopping=True).fit(rng.normal(size=(6, 2)), [0, 1] * 3)


@FEW
def test_a_continued_fit_uses_the_unit_of_the_target_of_this_network(rng):
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + rng.normal(size=40)
    settings = dict(solver="sgd", max_iter=3, random_state=0)

    def continued(model):
        return model.set_params(scale_target=True, warm_start=True).fit(X, y).predict(X)

    used = MLPRegressor(hidden_layer_sizes=(4,), scale_target=True, **settings).fit(X, 1000 * y)
    used.set_params(scale_target=False).fit(X, y)
    assert not hasattr(used, "target_unit_")
    new = MLPRegressor(hidden_layer_sizes=(4,), scale_target=False, **settings).fit(X, y)
    np.testing.assert_array_equal(continued(used), continued(new))
