"""The one comparison that tests use, and data that several of them share."""

import numpy as np


def assert_close(actual, desired, rtol=1e-7, atol=1e-9, err_msg=""):
    """Equal to about half the digits of a double; a looser tolerance at a call carries its reason."""
    np.testing.assert_allclose(actual, desired, rtol=rtol, atol=atol, err_msg=err_msg)


def fitted_state(estimator):
    """Everything that `fit` learned: the attributes that end in an underscore, measured times aside."""
    state = {k: v for k, v in vars(estimator).items() if k.endswith("_") and not k.startswith("__")}
    state.pop("refit_time_", None)
    if "cv_results_" in state:
        state["cv_results_"] = {k: v for k, v in state["cv_results_"].items() if not k.endswith("_time")}
    return state


def assert_same_state(a, b, path=""):
    """The same fitted values to the last bit, through lists, dicts and plain objects."""
    assert type(a) is type(b), f"{path}: {type(a)} and {type(b)}"
    if isinstance(a, dict):
        assert a.keys() == b.keys(), path
        for key in a:
            assert_same_state(a[key], b[key], f"{path}.{key}")
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b), path
        for k, (x, y) in enumerate(zip(a, b)):
            assert_same_state(x, y, f"{path}[{k}]")
    elif isinstance(a, np.ndarray) and a.dtype == object:
        assert_same_state(a.tolist(), b.tolist(), path)
    elif isinstance(a, (np.ndarray, np.generic, float)):
        np.testing.assert_array_equal(a, b, err_msg=path)
    elif hasattr(a, "toarray"):
        np.testing.assert_array_equal(a.toarray(), b.toarray(), err_msg=path)
    elif hasattr(a, "__dict__") and not isinstance(a, type):
        assert_same_state(vars(a), vars(b), f"{path}:{type(a).__name__}")
    else:
        assert a == b, path
