"""Rules for parameter values."""

import numpy as np
import pytest

from statlearn._core.params import Int, InvalidParameterError, Options, Real, check_value


@pytest.mark.parametrize(
    "rule, good, bad",
    [
        (Real(0, None), [0, 0.0, np.float32(2), 1e300], [-1e-300, np.nan, np.inf, -np.inf, "1", None, True]),
        (Real(0, None, closed="right"), [1e-300, np.inf], [0, -np.inf]),
        (Real(0, None, closed="both"), [0, np.inf], [-np.inf]),
        (Real(None, None), [-1e300, 1e300], [np.inf, -np.inf]),
        (Real(0, 1, closed="neither"), [0.5], [0, 1, np.inf]),
        (Real(0, 1, closed="both"), [0, 1], [1.0001]),
        (Int(1, 5), [1, np.int64(5)], [0, 6, 1.0, False]),
        (Options("a", "b"), ["a"], ["c", 1, None]),
    ],
)
def test_rules(rule, good, bad):
    assert all(rule.accepts(value) for value in good)
    assert not any(rule.accepts(value) for value in bad)
    assert not any(rule.accepts(value) for value in rule.bad_values())


@pytest.mark.parametrize(
    "word, good, bad",
    [
        ("boolean", [True, np.bool_(False)], [1, "yes"]),
        ("random_state", [None, 0, np.random.RandomState(0)], [-1, 0.5, "0"]),
        ("cv", [None, 5, [([0], [1])]], [1, 2.5, "five"]),
        ("verbose", [0, True, 3], [-1, 0.5]),
        ("array-like", [[1, 2], np.ones(3)], [1, "text", {}]),
        (None, [None], [0]),
    ],
)
def test_words(word, good, bad):
    for value in good:
        check_value("p", value, [word], "Thing")
    for value in bad:
        with pytest.raises(InvalidParameterError):
            check_value("p", value, [word], "Thing")


def test_message_names_parameter_owner_rules_and_value():
    with pytest.raises(InvalidParameterError) as caught:
        check_value("alpha", -1, [Real(0, None), Options("auto"), None], "Lasso")
    assert str(caught.value) == (
        "The 'alpha' parameter of Lasso must be a float in the range [0.0, inf), a str among {'auto'} or None. "
        "Got -1 instead."
    )
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, TypeError)
