"""Autoencoders: the subspace of principal components, codes and their decoding."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning

from statlearn.neural import Autoencoder
from tests.helpers import assert_close

FEW = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.spec("NEU-12", "NEU-P6")
def test_a_linear_autoencoder_spans_the_principal_components(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 6)) + 0.1 * rng.normal(size=(200, 6))
    for k in (1, 2):
        model = Autoencoder(k, hidden_layer_sizes=(), alpha=0, solver="lbfgs", tol=1e-7, max_iter=2000, random_state=0)
        model.fit(X)
        pca = PCA(k).fit(X)
        assert subspace_angles(model.coefs_[1].T, pca.components_.T).max() < 1e-3  # lbfgs stops at tol
        best = ((X - pca.inverse_transform(pca.transform(X))) ** 2).sum(axis=1).mean()
        assert_close(model.reconstruction_error(X).mean(), best, rtol=1e-6)
        assert_close(model.loss_, best / 2, rtol=1e-6)
        assert_close(model.score(X), -best, rtol=1e-6)


@pytest.mark.spec("NEU-12")
def test_codes_are_decoded(rng):
    t = rng.uniform(-1, 1, size=300)
    X = np.column_stack([t, t**2, np.sin(2 * t)])
    model = Autoencoder(1, hidden_layer_sizes=8, solver="lbfgs", alpha=1e-5, max_iter=1000, tol=1e-4, random_state=0)
    codes = model.fit_transform(X)
    assert codes.shape == (300, 1)
    back = model.inverse_transform(codes)
    assert_close(((X - back) ** 2).sum(axis=1), model.reconstruction_error(X))
    # one curved component explains more than one straight one
    straight = PCA(1).fit(X)
    assert (
        model.reconstruction_error(X).mean()
        < 0.2 * ((X - straight.inverse_transform(straight.transform(X))) ** 2).sum(axis=1).mean()
    )
    assert list(model.get_feature_names_out()) == ["autoencoder0"]
    assert model.set_output(transform="pandas").transform(X).columns.tolist() == ["autoencoder0"]


@FEW
@pytest.mark.spec("NEU-12")
def test_given_layers_and_logistic_outputs():
    X = load_digits(n_class=2).data / 16
    model = Autoencoder(
        3, hidden_layer_sizes=(12, 8), decoder_layer_sizes=10, activation=["relu", "tanh", "softplus"],
        code_activation="logistic", output="logistic", max_iter=5, random_state=0,
    )  # fmt: skip
    model.fit(X, X_val=X[:50])
    assert [w.shape for w in model.coefs_] == [(64, 12), (12, 8), (8, 3), (3, 10), (10, 64)]
    assert model.activations_ == ["relu", "tanh", "logistic", "softplus"]
    codes, back = model.transform(X), model.inverse_transform(model.transform(X))
    assert codes.min() > 0
    assert codes.max() < 1
    assert back.min() > 0
    assert len(model.history_["validation_loss"]) == 5
    with pytest.raises(ValueError, match="entries of X between 0 and 1"):
        model.fit(2 * X)


@FEW
def test_early_stopping_weights_and_warm_start():
    X = load_iris().data
    settings = {"hidden_layer_sizes": 5, "max_iter": 5, "random_state": 0}
    early = Autoencoder(2, early_stopping=True, **settings).fit(X)
    assert early.best_validation_score_ == max(early.validation_scores_)
    w = np.r_[np.full(100, 2.0), np.zeros(50)]
    assert_close(
        Autoencoder(2, **settings).fit(X, sample_weight=w).coefs_[0],
        Autoencoder(2, **{**settings, "alpha": 0.00005}).fit(X[:100]).coefs_[0],
    )
    warm = Autoencoder(2, warm_start=True, **settings).fit(X)
    first = warm.loss_
    assert warm.fit(X).loss_ < first
    with pytest.raises(ValueError, match=r"layers of sizes \[4, 5, 2, 5, 4\]"):
        warm.set_params(n_components=3).fit(X)


def test_bad_input_raises():
    X = load_iris().data
    with pytest.warns(ConvergenceWarning):
        model = Autoencoder(2, max_iter=1, random_state=0).fit(X)
    with pytest.raises(ValueError, match="X has 3 columns, but codes have 2 components"):
        model.inverse_transform(np.ones((1, 3)))
    with pytest.raises(ValueError, match="`sample_weight_val` requires `X_val`"):
        model.fit(X, sample_weight_val=[1.0])
    with pytest.raises(ValueError, match="X_val"):
        model.fit(X, X_val=X[:, :2])


def test_a_loss_that_explodes_within_the_range_of_numbers_is_an_error_too(rng):
    X = 1000 * rng.normal(size=(60, 5))
    with pytest.raises(ValueError, match=r"The loss exploded: it was .* in epoch \d+\. .* lower learning_rate_init"):
        Autoencoder(2, solver="sgd", learning_rate_init=1e4, max_iter=20, random_state=0).fit(X)
