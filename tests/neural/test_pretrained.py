"""Networks that start with the layers of others."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from statlearn.linear import LogisticRegression
from statlearn.neural import Autoencoder, Conv2dClassifier, MLPClassifier, MLPRegressor
from tests.helpers import assert_close

pytestmark = [pytest.mark.spec("CRS-95"), pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


@pytest.fixture(scope="module")
def source(digits):
    X, y = digits
    return MLPClassifier((20, 10), activation=("tanh", "relu"), max_iter=10, random_state=0).fit(X[y < 5], y[y < 5])


@pytest.mark.parametrize("n_frozen", [0, 1, 2])
def test_frozen_layers_keep_their_weights_exactly(digits, source, n_frozen):
    X, y = digits
    model = MLPClassifier.from_pretrained(source, n_frozen=n_frozen, hidden_layer_sizes=5, max_iter=5, random_state=0)
    model = clone(model).fit(X[:200], y[:200])
    assert [len(b) for b in model.intercepts_] == [20, 10, 5, 10]
    assert model.activations_ == ["tanh", "relu", "relu"]
    for k in range(2):
        same = np.array_equal(model.coefs_[k], source.coefs_[k])
        assert same == (k < n_frozen)
        assert np.array_equal(model.intercepts_[k], source.intercepts_[k]) == (k < n_frozen)
    assert_close(model.predict_proba(X).sum(axis=1), 1)


def test_with_all_layers_frozen_the_output_is_a_logistic_regression_on_the_codes(digits, source):
    X, y = digits
    rows = slice(0, 150)
    settings = dict(solver="lbfgs", alpha=1.0, tol=1e-9, max_iter=2000, random_state=0)
    model = MLPClassifier.from_pretrained(source, n_frozen=2, **settings).fit(X[rows], y[rows])
    hidden = np.maximum(
        np.tanh(X @ source.coefs_[0] + source.intercepts_[0]) @ source.coefs_[1] + source.intercepts_[1], 0
    )
    reference = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(hidden[rows], y[rows])
    assert_close(model.predict_proba(X), reference.predict_proba(hidden), atol=1e-5)


def test_training_without_frozen_layers_starts_at_the_copies(digits, source):
    X, y = digits
    known = y < 5
    again = MLPClassifier.from_pretrained(source, max_iter=1, learning_rate_init=1e-12, random_state=0)
    again.fit(X[known], y[known])
    assert_close(again.coefs_[0], source.coefs_[0], atol=1e-9)
    assert_close(again.intercepts_[1], source.intercepts_[1], atol=1e-9)


def test_encoders_and_regressors_hand_on_their_layers(digits):
    X, y = digits
    codes = Autoencoder(3, hidden_layer_sizes=(12,), max_iter=3, random_state=0).fit(X)
    model = MLPRegressor.from_pretrained(codes, n_frozen=2, max_iter=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.coefs_[1], codes.coefs_[1])
    assert_close(model.predict(X), (codes.transform(X) @ model.coefs_[2] + model.intercepts_[2])[:, 0])
    further = MLPClassifier.from_pretrained(model, n_frozen=1, max_iter=2, random_state=0, early_stopping=True)
    further.fit(X, y)
    np.testing.assert_array_equal(further.coefs_[0], codes.coefs_[0])


@pytest.mark.parametrize("n_frozen", [0, 1, 2, 3])
def test_frozen_convolutions_keep_their_filters_exactly(digits, n_frozen):
    X, y = digits
    model = Conv2dClassifier(
        (3, 4), pool_size=(2, 1), hidden_layer_sizes=6, image_shape=(8, 8), max_iter=2, random_state=0
    )
    model.fit(X[y < 5], y[y < 5])
    new = clone(Conv2dClassifier.from_pretrained(model, n_frozen=n_frozen, max_iter=3, random_state=1))
    new.fit(X[y >= 5], y[y >= 5])
    before = [*zip(model.filters_, model.filter_biases_), (model.coefs_[0], model.intercepts_[0])]
    after = [*zip(new.filters_, new.filter_biases_), (new.coefs_[0], new.intercepts_[0])]
    for k, (old, now) in enumerate(zip(before, after)):
        assert all(np.array_equal(a, b) for a, b in zip(old, now)) == (k < n_frozen)
    assert new.classes_.tolist() == [5, 6, 7, 8, 9]
    assert_close(new.predict_proba(X).sum(axis=1), 1)


def test_frozen_convolutions_are_followed_by_the_best_layers_on_their_maps(digits):
    X, y = digits
    model = Conv2dClassifier(3, hidden_layer_sizes=(), image_shape=(8, 8), max_iter=2, random_state=0).fit(X, y)
    settings = dict(solver="lbfgs", alpha=1.0, tol=1e-9, max_iter=2000, random_state=0)
    new = Conv2dClassifier.from_pretrained(model, n_frozen=1, **settings).fit(X[:150], y[:150])
    maps = model.feature_maps(X).reshape(len(X), 3, 4, 2, 4, 2).max(axis=(3, 5)).reshape(len(X), -1)
    reference = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(maps[:150], y[:150])
    assert_close(new.predict_proba(X), reference.predict_proba(maps), atol=1e-5)


def test_wrong_sources_and_layers_raise(digits, source):
    X, y = digits
    with pytest.raises(
        TypeError, match="`model` must be a fitted MLPClassifier, MLPRegressor or Autoencoder, got Logis"
    ):
        MLPClassifier.from_pretrained(LogisticRegression().fit(X[:50], y[:50]))
    with pytest.raises(TypeError, match="`model` must be a fitted Conv2dClassifier, got MLPClassifier"):
        Conv2dClassifier.from_pretrained(source)
    with pytest.raises(ValueError, match="`n_frozen`=3 exceeds the 2 pretrained layers"):
        MLPClassifier.from_pretrained(source, n_frozen=3)
    with pytest.raises(ValueError, match="X has 5 columns, but the first layer of `pretrained` takes 64"):
        MLPClassifier.from_pretrained(source).fit(X[:, :5], y)
    with pytest.raises(ValueError, match=r"`pretrained`\[0\] must be \(coef, intercept, activation\), got 3"):
        MLPClassifier(pretrained=[3]).fit(X, y)
    with pytest.raises(ValueError, match=r"`pretrained`\[1\] must have a matrix of 2 rows"):
        MLPClassifier(pretrained=[(np.ones((64, 2)), np.zeros(2), "relu"), (np.ones((3, 2)), np.zeros(2), "relu")]).fit(
            X, y
        )
    with pytest.raises(ValueError, match="`n_frozen`=1 exceeds the 0 pretrained layers"):
        Conv2dClassifier(3, n_frozen=1, image_shape=(8, 8)).fit(X, y)
    with pytest.raises(ValueError, match=r"`pretrained`\[0\] must have weights and biases of shapes \(3, 1, 3, 3\)"):
        Conv2dClassifier(3, pretrained=[(np.ones(2), np.ones(3))], image_shape=(8, 8)).fit(X, y)
