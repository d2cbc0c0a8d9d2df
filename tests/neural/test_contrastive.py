"""Contrastive codes: the loss, its gradient, and what training makes of them."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.preprocessing import scale

from statlearn.neural import ContrastiveEncoder, MLPClassifier, contrastive_loss
from statlearn.neural._contrastive import corrupted
from tests.helpers import assert_close

pytestmark = [pytest.mark.spec("CRS-97"), pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")]


def obvious_loss(first, second, temperature):
    """The definition, pair by pair."""
    Z = np.vstack([first, second])
    Z = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    n, total = len(first), 0.0
    for i in range(2 * n):
        j = (i + n) % (2 * n)
        terms = [np.exp(Z[i] @ Z[k] / temperature) for k in range(2 * n) if k != i]
        total -= np.log(np.exp(Z[i] @ Z[j] / temperature) / sum(terms))
    return total / (2 * n)


def test_loss_of_two_orthogonal_pairs():
    assert_close(contrastive_loss(np.eye(2), np.eye(2), 1.0), np.log(1 + 2 / np.e))
    assert_close(contrastive_loss(np.eye(2), np.eye(2), 1.0), 0.5514447, atol=5e-8)  # as printed


@pytest.mark.parametrize("temperature", [0.1, 0.5, 2.0])
def test_loss_is_its_definition(seed, temperature):
    first, second = np.random.default_rng(seed).normal(size=(2, 7, 3))
    assert_close(contrastive_loss(first, second, temperature), obvious_loss(first, second, temperature))
    assert_close(contrastive_loss(3 * first, second, temperature), obvious_loss(first, second, temperature))


def test_gradient_matches_finite_differences(seed):
    first, second = np.random.default_rng(seed).normal(size=(2, 5, 3))
    _, (slope_first, slope_second) = contrastive_loss(first, second, 0.3, return_gradient=True)

    def loss(x):
        return contrastive_loss(x[:15].reshape(5, 3), x[15:].reshape(5, 3), 0.3)

    point = np.concatenate([first.ravel(), second.ravel()])
    slope = np.concatenate([slope_first.ravel(), slope_second.ravel()])
    step = 1e-6 * np.eye(30)
    numeric = [(loss(point + h) - loss(point - h)) / 2e-6 for h in step]
    assert_close(slope, numeric, atol=1e-7)  # of central differences


def test_training_lowers_the_loss_of_new_pairs():
    X = scale(load_iris().data)
    settings = dict(hidden_layer_sizes=16, projection_layer_sizes=(), learning_rate_init=0.01, tol=0, random_state=0)
    few, many = (ContrastiveEncoder(4, max_iter=n, **settings).fit(X) for n in (1, 60))
    rng = np.random.RandomState(1)
    pairs = corrupted(X, rng), corrupted(X, rng)
    losses = [contrastive_loss(*map(model.transform, pairs)) for model in (few, many)]
    assert losses[1] < losses[0] - 0.05
    assert many.history_["loss"][-1] < many.history_["loss"][0]


def test_codes_ignore_what_the_augmentation_changes():
    """Three groups in two columns, and a third column of noise that the augmentation redraws."""
    rng = np.random.default_rng(0)
    X, _ = make_blobs(150, centers=3, random_state=0)
    X = scale(np.column_stack([X, 5 * rng.normal(size=150)]))

    def redraw(X, rng):
        return np.column_stack([X[:, :2] + 0.05 * rng.standard_normal((len(X), 2)), rng.standard_normal(len(X))])

    model = ContrastiveEncoder(8, redraw, hidden_layer_sizes=32, max_iter=60, random_state=0).fit(X)
    other = X.copy()
    other[:, 2] = rng.permutation(X[:, 2])
    codes, changed, apart = model.transform(X), model.transform(other), model.transform(X[::-1])
    assert np.abs(codes - changed).mean() < 0.3 * np.abs(codes - apart).mean()


def test_encoders_start_classifiers():
    X, y = load_iris(return_X_y=True)
    encoder = ContrastiveEncoder(5, hidden_layer_sizes=7, max_iter=3, random_state=0).fit(scale(X))
    model = MLPClassifier.from_pretrained(encoder, n_frozen=2, solver="lbfgs", random_state=0).fit(scale(X), y)
    np.testing.assert_array_equal(model.coefs_[1], encoder.coefs_[1])
    assert model.score(scale(X), y) > 0.9


def test_wrong_pairs_and_augmentations_raise():
    with pytest.raises(ValueError, match=r"`second` must have the shape of `first`, \(2, 2\), got \(3, 3\)"):
        contrastive_loss(np.eye(2), np.eye(3))
    with pytest.raises(ValueError, match=r"`augment` must return finite numbers of shape \(4, 2\), got an array"):
        ContrastiveEncoder(2, lambda X, rng: X[:, :1], max_iter=1).fit(np.arange(8.0).reshape(4, 2))
