"""Broken data gets a ValueError or TypeError that says which argument is wrong; never a crash or a silent answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from tests.contract.instances import LEGAL_DATA, all_instances, make_problem, name_of

ESTIMATORS = all_instances(tables=True)


def put(array, place, value):
    array = np.array(array, dtype=float if not isinstance(value, str) else object)
    array.flat[place % array.size] = value
    return array


# Each corruption: what it makes of (X, y), and words of which the message must contain one.
BROKEN_DATA = {
    "nan in X": (lambda X, y, k: (put(X, k, np.nan), y), ["X"]),
    "infinity in X": (lambda X, y, k: (put(X, k, np.inf), y), ["X"]),
    "text in X": (lambda X, y, k: (put(X, k, "red"), y), ["X", "string", "str", "convert"]),
    "X has one dimension": (lambda X, y, k: (X[:, 0], y), ["2D"]),
    "X has three dimensions": (lambda X, y, k: (X[None], y), ["X", "dim", "inconsistent"]),
    "X has no rows": (lambda X, y, k: (X[:0], y[:0]), ["sample"]),
    "X has no columns": (lambda X, y, k: (X[:, :0], y), ["feature"]),
    "X is complex": (lambda X, y, k: (X.astype(complex), y), ["Complex", "complex"]),
    "y is too short": (lambda X, y, k: (X, y[: 1 + k % (len(y) - 1)]), ["inconsistent", "y"]),
    "y is missing": (lambda X, y, k: (X, None), ["y"]),
    "y has nan": (lambda X, y, k: (X, put(y, k, np.nan)), ["y"]),
    "y has infinity": (lambda X, y, k: (X, put(y, k, np.inf)), ["y"]),
}

BROKEN_WEIGHTS = {
    "nan": lambda w, k: put(w, k, np.nan),
    "infinity": lambda w, k: put(w, k, np.inf),
    "too short": lambda w, k: w[: 1 + k % (len(w) - 1)],
    "all zero": lambda w, k: 0 * w,
    "negative": lambda w, k: put(w, k, -1.0),
    "two columns": lambda w, k: np.column_stack([w, w]),
    "text": lambda w, k: put(w, k, "red"),
}


def is_legal(estimator, corruption):
    """Whether what would be broken data elsewhere is what this estimator says it takes."""
    tags = get_tags(estimator)
    if corruption.startswith("y"):
        return not tags.target_tags.required
    if tags.no_validation or corruption in LEGAL_DATA.get(name_of(estimator), {}):
        return True
    return {"nan in X": tags.input_tags.allow_nan, "text in X": tags.input_tags.string}.get(corruption, False)


@pytest.mark.filterwarnings("ignore:A column-vector y")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
@pytest.mark.parametrize("corruption", BROKEN_DATA)
def test_broken_data_is_refused_by_name(estimator, corruption):
    if is_legal(estimator, corruption):
        return
    break_it, words = BROKEN_DATA[corruption]
    X, y = make_problem(estimator, n=30)

    # Given inside: hypothesis chains the settings of one function over all its parameters, here more than a thousand.
    @given(place=st.integers(0, 10_000))
    def check(place):
        with pytest.raises((ValueError, TypeError)) as caught:
            clone(estimator).fit(*break_it(X, y, place))
        assert any(word in str(caught.value) for word in words), str(caught.value)

    check()


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if is_classifier(e)], ids=name_of)
def test_missing_labels_are_told(estimator):
    X, y = make_problem(estimator, n=30)
    labels = np.array(["a", "b", "c"], dtype=object)[np.unique(y, return_inverse=True)[1] % 3]
    labels[4] = None
    with pytest.raises(ValueError, match="None"):
        clone(estimator).fit(X, labels)


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if has_fit_parameter(e, "sample_weight")], ids=name_of)
@pytest.mark.parametrize("corruption", BROKEN_WEIGHTS)
def test_broken_weights_are_refused_by_name(estimator, corruption):
    X, y = make_problem(estimator, n=30)

    @given(place=st.integers(0, 10_000))
    def check(place):
        weights = BROKEN_WEIGHTS[corruption](np.ones(len(y)), place)
        with pytest.raises((ValueError, TypeError), match=r"sample_weight|[Ss]ample weights|weights|convert string"):
            clone(estimator).fit(X, y, sample_weight=weights)

    check()


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if hasattr(e, "predict")], ids=name_of)
@pytest.mark.parametrize(
    "corruption", ["nan in X", "infinity in X", "X has one dimension", "X has no rows", "text in X"]
)
def test_broken_data_is_refused_at_prediction(estimator, corruption):
    if is_legal(estimator, corruption):
        return
    X, y = make_problem(estimator, n=30)
    fitted = clone(estimator).fit(X, y)
    with pytest.raises((ValueError, TypeError)):
        fitted.predict(BROKEN_DATA[corruption][0](X, y, 3)[0])
    with pytest.raises(ValueError, match="features"):
        fitted.predict(X[:, :-1])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
@pytest.mark.parametrize("case", ["constant column", "collinear", "one row", "more columns than rows", "huge scale"])
def test_awkward_but_legal_data_gives_finite_answers_or_a_clear_error(estimator, case):
    X, y = make_problem(estimator, n=30)
    if case == "constant column":
        X[:, 1] = 3.0
    elif case == "collinear":
        X[:, 3] = X[:, 0] + X[:, 1]
    elif case == "one row":
        X, y = X[:1], y[:1]
    elif case == "more columns than rows":
        X = np.tile(X, (1, 8)) + np.arange(32)
    elif case == "huge scale":
        X = X * 1e12
    fitted = clone(estimator)
    try:
        fitted.fit(X, y)
    except ValueError:  # a refusal is fine; test_broken_data looks at messages
        return
    if hasattr(fitted, "predict"):
        prediction = np.asarray(fitted.predict(X))
        if prediction.dtype.kind == "f":
            assert np.isfinite(prediction).all()
