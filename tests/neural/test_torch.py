"""Tensors and devices, the number of threads, and what works without PyTorch."""

import signal
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest
import torch

from statlearn.neural import as_tensor, to_device
from statlearn.neural._torch import interrupt_afterwards, one_torch_thread


@pytest.mark.spec("NEU-13", "NEU-T6")
def test_mixed_lists_are_promoted_to_floats():
    t = as_tensor([[1, 2], [True, False], [0.5, 3.2]])
    assert t.dtype == torch.get_default_dtype()
    np.testing.assert_array_equal(t, np.array([[1, 2], [1, 0], [0.5, 3.2]], np.float32))


@pytest.mark.spec("NEU-13", "NEU-T7")
def test_slices_and_concatenation():
    t = to_device(np.ones((4, 4)), device="cpu")
    t[:, 1] = 0
    np.testing.assert_array_equal(t * t, t)
    wide = torch.cat([t, t, t], dim=1)
    assert wide.shape == (4, 12)
    np.testing.assert_array_equal(t @ t.T, np.full((4, 4), 3.0))


@pytest.mark.spec("NEU-13")
def test_types_and_memory():
    array = np.arange(3.0)
    assert as_tensor(array).dtype == torch.float64
    as_tensor(array)[0] = 7
    assert array[0] == 7  # shared
    assert as_tensor(array, "float32").dtype == torch.float32
    assert as_tensor([True, 2]).dtype == torch.int64
    assert as_tensor(pd.DataFrame({"a": [1.5, 2.0], "b": [True, False]})).dtype == torch.float64
    assert as_tensor(array[::-1]).tolist() == [2.0, 1.0, 7.0]
    a, b = to_device(np.array([1], np.int32), [0.5], device="cpu")
    assert a.dtype == b.dtype == torch.float32
    assert as_tensor(torch.ones(2)).shape == (2,)
    with pytest.raises(ValueError, match="only numbers and booleans"):
        as_tensor(["a"])
    with pytest.raises(ValueError, match="at least one array"):
        to_device()


def test_devices_that_are_absent_raise():
    with pytest.raises(ValueError, match="'device' parameter"):
        as_tensor([1.0], device="tpu")
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="`device`='cuda' is not available"):
            to_device([1.0], device="cuda")


def test_the_number_of_threads_is_restored():
    torch.set_num_threads(2)
    try:
        with one_torch_thread():
            assert torch.get_num_threads() == 1
            other = threading.Thread(target=_use_one_thread)  # another fit begins and ends meanwhile
            other.start()
            other.join()
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)


def _use_one_thread():
    with one_torch_thread():
        torch.ones(3).sum()


WITHOUT_TORCH = """
import pickle, sys, warnings
class NoTorch:  # as if it were not installed
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ImportError("No module named 'torch'")
sys.meta_path.insert(0, NoTorch())
import numpy as np
import statlearn.neural as neural
assert "sklearn" not in sys.modules
model, conv, coder, X, images, expected = pickle.load(open(sys.argv[1], "rb"))
assert np.array_equal(model.predict_proba(X), expected[0])
assert np.array_equal(conv.predict_proba(images), expected[1])
assert np.array_equal(coder.inverse_transform(coder.transform(X)), expected[2])
v = neural.Value(2.0)
(v * v).backward()
assert v.grad == 4 and neural.conv_output_size(32, 5) == 28 and neural.pool(np.ones((4, 4))).shape == (2, 2)
for call in (lambda: model.fit(X, X[:, 0] > 0), lambda: neural.as_tensor([1.0]), lambda: conv.fit(images, [0, 1] * 20),
             lambda: coder.fit(X), lambda: neural.MLPRegressor().fit(X, X[:, 0])):
    try:
        call()
    except ImportError as error:
        assert "pip install 'statlearn[neural]'" in str(error)
    else:
        raise AssertionError("trained without PyTorch")
assert np.array_equal(model.predict_proba(X), expected[0])
print("fine")
"""


def test_predictions_and_the_graph_work_without_pytorch(tmp_path):
    import pickle

    from statlearn.neural import Autoencoder, Conv2dClassifier, MLPClassifier

    rng = np.random.default_rng(0)
    X, images = rng.normal(size=(40, 3)), rng.random((40, 4, 4))
    model = MLPClassifier(3, solver="lbfgs", alpha=1, random_state=0, tol=1e-2).fit(X, X[:, 0] > 0)
    conv = Conv2dClassifier(2, hidden_layer_sizes=(), solver="lbfgs", alpha=1, random_state=0, tol=1e-2)
    conv.fit(images, [0, 1] * 20)
    coder = Autoencoder(1, hidden_layer_sizes=2, solver="lbfgs", random_state=0, tol=1e-2).fit(X)
    expected = model.predict_proba(X), conv.predict_proba(images), coder.inverse_transform(coder.transform(X))
    with open(tmp_path / "models.pkl", "wb") as file:
        pickle.dump((model, conv, coder, X, images, expected), file)
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, str(tmp_path / "models.pkl")], capture_output=True, text=True
    )
    assert run.stdout.strip() == "fine", run.stderr


@pytest.fixture
def interrupts():
    """Ctrl-C raises KeyboardInterrupt, also where the tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_waits_for_the_end_of_an_import(interrupts):
    steps = []

    def import_slowly():
        with interrupt_afterwards():
            signal.raise_signal(signal.SIGINT)
            steps.append("imported")
        steps.append("went on")

    with pytest.raises(KeyboardInterrupt):
        import_slowly()
    assert steps == ["imported"]
    assert signal.getsignal(signal.SIGINT) is interrupts
