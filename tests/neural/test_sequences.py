"""Recurrent and attention networks: PyTorch's layers, lengths, order of the values."""

import numpy as np
import pytest
import torch
from sklearn.exceptions import ConvergenceWarning

from statlearn.neural import (
    AttentionClassifier,
    RecurrentClassifier,
    RecurrentRegressor,
    attention,
    attention_weights,
    plot_history,
)
from tests.helpers import assert_close

MODELS = [RecurrentClassifier(cell, n_units=3) for cell in ("rnn", "gru", "lstm")]
MODELS += [AttentionClassifier(4, n_blocks=blocks) for blocks in (1, 2)]


def sequences(rng, n=30, n_steps=7, n_columns=2):
    X = rng.normal(size=(n, n_steps, n_columns))
    return X, rng.integers(0, 3, n), rng.integers(1, n_steps + 1, n)


def fitted(model, X, y, lengths=None, weights=None):
    """The model after a few steps."""
    model = type(model)(**model.get_params()).set_params(solver="adam", max_iter=3, random_state=0)
    with pytest.warns(ConvergenceWarning):
        return model.fit(X, y, weights, lengths=lengths)


@pytest.mark.spec("CRS-98")
@pytest.mark.parametrize("cell", ["rnn", "gru", "lstm"])
def test_predictions_on_numpy_match_the_cells_of_pytorch(seed, cell):
    X, y, _ = sequences(np.random.default_rng(seed))
    model = fitted(RecurrentClassifier(cell, n_units=4), X, y)
    layer = {"rnn": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[cell](2, 4, batch_first=True).double()
    names = ("input_weights", "recurrent_weights", "input_biases", "recurrent_biases")
    with torch.no_grad():
        for parameter, name in zip(layer.parameters(), names):
            parameter.copy_(torch.from_numpy(model.parameters_[name]))
        states = layer(torch.from_numpy((X - X.mean(axis=(0, 1))) / X.std(axis=(0, 1))))[0].numpy()
    np.testing.assert_allclose(model.hidden_states(X), states, atol=1e-6)
    scores = states[:, -1] @ model.parameters_["coef"] + model.parameters_["intercept"]
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-6)


@pytest.mark.spec("CRS-98", "CRS-99")
@pytest.mark.parametrize("model", MODELS)
def test_pytorch_and_numpy_agree_with_lengths(seed, model):
    X, y, lengths = sequences(np.random.default_rng(seed))
    model = fitted(model, X, y, lengths)
    scaled, _ = model._read(X, lengths)
    parameters = [torch.from_numpy(each) for each in model.parameters_.values()]
    scores = model._network().scores(parameters, torch.from_numpy(scaled), torch.from_numpy(lengths))
    np.testing.assert_allclose(model._scores(X, lengths), scores.numpy(), atol=1e-6)


@pytest.mark.spec("CRS-98", "CRS-99")
@pytest.mark.parametrize("model", MODELS)
def test_values_behind_the_end_of_a_sequence_do_not_matter(seed, model):
    rng = np.random.default_rng(seed)
    X, y, lengths = sequences(rng)
    lengths[0] = 7
    other = X.copy()
    other[np.arange(7) >= lengths[:, None]] = rng.normal()
    other[np.arange(7) >= lengths[:, None], 0] = np.nan
    ragged = [each[:length] for each, length in zip(X, lengths)]
    a, b = fitted(model, X, y, lengths), fitted(model, other, y, lengths)
    np.testing.assert_array_equal(a.predict_proba(X, lengths), b.predict_proba(other, lengths))
    np.testing.assert_array_equal(a.predict_proba(X, lengths), fitted(model, ragged, y).predict_proba(ragged))
    alone = np.vstack([a.predict_proba(each[None]) for each in ragged])
    assert_close(alone, a.predict_proba(X, lengths))


@pytest.mark.spec("CRS-98")
@pytest.mark.parametrize("cell", ["rnn", "gru", "lstm"])
def test_the_order_of_the_values_determines_the_classes(seed, cell):
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.normal(size=(150, 6)), axis=1) + 0.3 * rng.normal(size=(150, 6))
    X, y = np.vstack([rows, rows[:, ::-1]]), np.repeat([0, 1], 150)
    test = np.arange(300) % 150 >= 100
    model = RecurrentClassifier(cell, n_units=5, solver="lbfgs", alpha=0.1, tol=1e-2, random_state=seed)
    assert model.fit(X[~test], y[~test]).score(X[test], y[test]) > 0.9
    assert plot_history(model) is not None


@pytest.mark.spec("CRS-98")
def test_a_regression_has_the_units_of_its_target(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4))
    y = 1000 + 50 * (X[:, 0] - X[:, 3])
    model = RecurrentRegressor(n_units=4, solver="lbfgs", alpha=0.01, tol=1e-2, random_state=seed).fit(X[:150], y[:150])
    assert model.score(X[150:], y[150:]) > 0.9
    shifted = RecurrentRegressor(n_units=4, solver="lbfgs", alpha=0.01, tol=1e-2, random_state=seed)
    assert_close(shifted.fit(5 * X[:150] + 2, y[:150]).predict(5 * X + 2), model.predict(X), rtol=1e-3)


def test_early_stopping_and_zero_weights(seed):
    X, y, lengths = sequences(np.random.default_rng(seed), n=60)
    model = RecurrentClassifier("rnn", n_units=2, early_stopping=True, random_state=0, learning_rate_init=0.1)
    model.fit(X, y, lengths=lengths)
    assert len(model.validation_scores_) == model.n_iter_
    weights = (np.arange(60) < 40).astype(float)
    left = fitted(model.set_params(early_stopping=False), X, y, lengths, weights)
    np.testing.assert_array_equal(left.predict_proba(X), fitted(model, X[:40], y[:40], lengths[:40]).predict_proba(X))


@pytest.mark.spec("CRS-99")
def test_attention_by_hand():
    identity = np.eye(2)
    assert_close(attention(identity, identity, identity)[0], [0.6697615493266569, 0.3302384506733431])
    assert_close(attention_weights(identity, identity).sum(axis=1), [1, 1])
    causal = attention(identity, identity, [[1.0], [3.0]], mask=np.tri(2, dtype=bool))
    assert_close(causal[0], [1.0])  # the first query sees only itself


@pytest.mark.spec("CRS-99")
def test_attention_matches_pytorch(seed):
    rng = np.random.default_rng(seed)
    Q, K, V = rng.normal(size=(3, 5, 4)), rng.normal(size=(3, 6, 4)), rng.normal(size=(3, 6, 2))
    mask = rng.random((3, 5, 6)) < 0.7
    mask[..., 0] = True
    expected = torch.nn.functional.scaled_dot_product_attention(
        *(torch.from_numpy(each) for each in (Q, K, V)), attn_mask=torch.from_numpy(mask)
    )
    assert_close(attention(Q, K, V, mask=mask), expected.numpy())


@pytest.mark.spec("CRS-99")
def test_attention_maps_are_shares_over_valid_steps(seed):
    X, y, lengths = sequences(np.random.default_rng(seed))
    maps = fitted(AttentionClassifier(4, n_blocks=2), X, y, lengths).attention_maps(X, lengths)
    assert maps.shape == (30, 2, 7, 7)
    assert_close(maps.sum(axis=3), np.ones((30, 2, 7)))
    assert not np.moveaxis(maps, 3, 1)[np.arange(7) >= lengths[:, None]].any()


@pytest.mark.spec("CRS-99")
def test_attention_finds_a_step_wherever_it_is(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 8))
    y = np.abs(X).max(axis=1) > 2.0
    model = AttentionClassifier(8, solver="lbfgs", alpha=0.1, tol=1e-2, random_state=seed).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > 0.8


def test_bad_sequences_raise(seed):
    X, y, lengths = sequences(np.random.default_rng(seed))
    model = fitted(MODELS[0], X, y)
    for wrong in (lengths[:-1], lengths * 0, lengths + 7, lengths / 2):
        with pytest.raises(ValueError, match="`lengths` must contain a whole number from 1 to 7"):
            model.predict(X, wrong)
    with pytest.raises(ValueError, match="X has 1 columns, but RecurrentClassifier is expecting 2"):
        model.predict(X[:, :, :1])
    with pytest.raises(ValueError, match="same columns and a step"):
        model.predict([np.zeros((3, 2)), np.zeros((2, 1))])
    with pytest.raises(ValueError, match="must be of shape"):
        model.predict(X[0, 0])
    with pytest.raises(ValueError, match="X contains NaN"):
        model.predict(X * np.nan)
    with pytest.raises(ValueError, match="`K` must have the 2 columns"):
        attention_weights(np.eye(2), np.eye(3))
    with pytest.raises(ValueError, match="`mask` must allow every query"):
        attention_weights(np.eye(2), np.eye(2), np.zeros((2, 2), bool))
    with pytest.raises(ValueError, match="`V` must have a row"):
        attention(np.eye(2), np.eye(2), np.eye(3))
