"""Federated averaging: rounds of one step are gradient descent on the pooled rows."""

import numpy as np
import pytest

from statlearn.ensemble import RandomForestClassifier, federated_average, federated_fit
from statlearn.linear import LinearRegression, LogisticRegression
from statlearn.neural import MLPClassifier, MLPRegressor
from statlearn.svm import SVC, SGDClassifier, SGDRegressor
from statlearn.trees import DecisionTreeClassifier
from tests.helpers import assert_close


def tables(rng, sizes=(10, 25, 40), n_classes=3):
    X = rng.normal(size=(sum(sizes), 4))
    y = (X @ rng.normal(size=(4, n_classes))).argmax(axis=1)
    cuts = np.cumsum(sizes)[:-1]
    return X, y, list(zip(np.split(X, cuts), np.split(y, cuts)))


@pytest.mark.spec("CRS-91")
def test_average_is_the_weighted_mean_of_the_parameters(seed):
    _, _, sites = tables(np.random.default_rng(seed), sizes=(40, 60))
    models = [LogisticRegression().fit(*site) for site in sites]
    average = federated_average(models, [1, 3])
    assert_close(average.coef_, (models[0].coef_ + 3 * models[1].coef_) / 4)
    assert_close(average.intercept_, (models[0].intercept_ + 3 * models[1].intercept_) / 4)
    assert_close(
        average.decision_function(sites[0][0]),
        sum(w * model.decision_function(sites[0][0]) for w, model in zip((0.25, 0.75), models)),
    )
    with pytest.raises(ValueError, match="average of several"):
        average.summary()


@pytest.mark.spec("CRS-91")
@pytest.mark.parametrize("hidden", [(), (5,)])
def test_rounds_of_one_step_are_full_batch_gradient_descent(seed, hidden):
    X, y, sites = tables(np.random.default_rng(seed))
    network = MLPClassifier(
        hidden, solver="sgd", momentum=0, nesterovs_momentum=False, alpha=0, learning_rate_init=0.5, batch_size=75,
        shuffle=False, random_state=0,
    )  # fmt: skip
    with pytest.warns(UserWarning, match="batch_size"):
        common = federated_fit(network, sites, n_rounds=7)
    central = MLPClassifier(**network.get_params())
    for _ in range(7):
        central.partial_fit(X, y, classes=[0, 1, 2])
    for a, b in zip(common.coefs_ + common.intercepts_, central.coefs_ + central.intercepts_):
        assert_close(a, b, atol=1e-12)


@pytest.mark.spec("CRS-91")
def test_sites_of_one_row_are_full_batch_gradient_descent_of_stochastic_gradients(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 3))
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=20)
    model = SGDRegressor(penalty=None, learning_rate="constant", eta0=0.1)
    common = federated_fit(model, [(X[[k]], y[[k]]) for k in range(20)], n_rounds=5)
    coef, intercept = np.zeros(3), 0.0
    for _ in range(5):
        residuals = y - X @ coef - intercept
        coef, intercept = coef + 0.1 * residuals @ X / 20, intercept + 0.1 * residuals.mean()
    assert_close(common.coef_, coef)
    assert_close(common.intercept_, [intercept])


@pytest.mark.spec("CRS-91")
@pytest.mark.parametrize(
    "estimator",
    [SGDClassifier(random_state=0), SGDClassifier(average=True, random_state=0), MLPClassifier(3, random_state=0)],
)
def test_one_site_is_central_training(seed, estimator):
    X, y, _ = tables(np.random.default_rng(seed))
    common = federated_fit(estimator, [(X, y)], n_rounds=3, n_local=2)
    central = type(estimator)(**estimator.get_params())
    for _ in range(6):
        central.partial_fit(X, y, classes=[0, 1, 2])
    if hasattr(central, "coef_"):
        np.testing.assert_array_equal(common.coef_, central.coef_)
    else:
        for a, b in zip(common.coefs_, central.coefs_):
            np.testing.assert_array_equal(a, b)


def test_rounds_of_logistic_regression_approach_the_pooled_fit(seed):
    X, y, sites = tables(np.random.default_rng(seed), sizes=(150, 150, 300))
    seen = []
    common = federated_fit(LogisticRegression(), sites, n_rounds=5, n_local=3, callback=lambda k, model: seen.append(k))
    assert seen == [1, 2, 3, 4, 5]
    assert np.mean(common.predict(X) == LogisticRegression().fit(X, y).predict(X)) > 0.9
    assert common.get_params() == LogisticRegression().get_params()
    with pytest.raises(ValueError, match="Every site must have rows of all 3 classes"):
        federated_fit(LogisticRegression(), [(X, y), (X[y < 2], y[y < 2])])


def test_models_that_cannot_be_averaged_raise(seed):
    X, y, sites = tables(np.random.default_rng(seed))
    with pytest.raises(TypeError, match="must be linear models or networks, got RandomForestClassifier"):
        federated_average([RandomForestClassifier(2).fit(X, y)])
    with pytest.raises(TypeError, match="must predict from `coef_` and `intercept_` alone; SVC does not"):
        federated_average([SVC(kernel="linear").fit(X, y)])
    with pytest.raises(ValueError, match="must agree in `classes_`"):
        federated_average([LogisticRegression().fit(X, y), LogisticRegression().fit(X, y + 1)])
    with pytest.raises(ValueError, match="must agree in `n_features_in_`"):
        federated_average([LinearRegression().fit(X, y), LinearRegression().fit(X[:, :2], y)])
    networks = [MLPRegressor(hidden_layer_sizes=(size,), random_state=0).partial_fit(X, y) for size in (2, 3)]
    with pytest.raises(ValueError, match=r"`coefs_` has the shapes \(4, 2\), \(4, 3\)"):
        federated_average(networks)
    with pytest.raises(ValueError, match="must be of one class"):
        federated_average([LinearRegression().fit(X, y), networks[0]])
    with pytest.raises(ValueError, match="one number for each of the 2 models"):
        federated_average(networks, [1.0])
    with pytest.raises(ValueError, match="at least one fitted model"):
        federated_average([])
    with pytest.raises(TypeError, match="must have `partial_fit`"):
        federated_fit(DecisionTreeClassifier(), sites)
