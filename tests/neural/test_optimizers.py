"""The steps of the optimizers and the sum of gradients, in one pass each, against their formulas."""

import numpy as np
import pytest
import torch

from statlearn import threads
from statlearn._core import native
from statlearn.neural._objective import BatchPieces
from statlearn.neural._optimizers import SGD, Adam
from tests.helpers import assert_close

N = 20_001  # several blocks and a rest


def _rounding(dtype):
    """What a few steps may lose to rounding, at entries of the size of 1."""
    return dict(rtol=1e-5, atol=1e-6) if dtype == np.float32 else dict(rtol=1e-12, atol=1e-13)


@pytest.fixture(params=[np.float32, np.float64])
def arrays(request, rng):
    return [rng.normal(size=N).astype(request.param) for _ in range(3)]


def moved(optimizer, parameters, gradients):
    """The parameters after steps along these gradients."""
    tensor = torch.from_numpy(parameters.copy())
    state = [torch.from_numpy(getattr(optimizer, name)) for name in optimizer.arrays]
    for gradient in gradients:
        halves = torch.from_numpy(np.stack([gradient, gradient]))  # two pieces, each with half of the gradient
        optimizer.step(tensor, BatchPieces(halves, 0, 0.0, 2.0), *state)
    return tensor.numpy()


def test_adam_takes_the_steps_of_its_paper(arrays):
    w, *gradients = arrays
    b1, b2, epsilon, rate = 0.9, 0.99, 1e-6, 0.01
    found = moved(Adam(N, w.dtype, rate, b1, b2, epsilon), w, gradients)
    expected, m, v = w.astype(float), 0.0, 0.0
    for t, g in enumerate(gradients, 1):
        g = g.astype(float)
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        expected -= rate * np.sqrt(1 - b2**t) / (1 - b1**t) * m / (np.sqrt(v) + epsilon)
    assert_close(found, expected, **_rounding(w.dtype))


@pytest.mark.parametrize("nesterov", [True, False])
def test_momentum_takes_the_steps_of_its_formula(arrays, nesterov):
    w, *gradients = arrays
    found = moved(SGD(N, w.dtype, 0.1, "constant", 0.8, nesterov, 0.5), w, gradients)
    expected, velocity = w.astype(float), 0.0
    for g in gradients:
        velocity = 0.8 * velocity - 0.1 * g.astype(float)
        expected += 0.8 * velocity - 0.1 * g.astype(float) if nesterov else velocity
    assert_close(found, expected, **_rounding(w.dtype))


def test_the_gradients_of_pieces_are_summed_with_the_penalty(arrays):
    parts, w = np.stack(arrays), arrays[1][: N // 2]
    expected = parts.sum(axis=0)
    expected[: len(w)] += w * w.dtype.type(0.5)
    results = []
    for n_threads in (1, 3):
        with threads(n_threads):
            mine = parts.copy()
            squares = native.neural.gradient_sum(mine, arrays[1], len(w), 0.5, 7.0)
        assert_close(mine[0], expected / 7, **_rounding(w.dtype))
        assert_close(squares, np.sum(w.astype(float) ** 2))
        results.append((mine[0].tobytes(), squares))
    assert results[0] == results[1]
