"""Rules for parameter values."""

import numpy as np
import pytest

from statlearn._core.params import Int, InvalidParameterError, Options, Real, check_entries, check_value
from statlearn.decomposition import FactorAnalysis
from statlearn.linear import ElasticNetCV, GeneralizedLinearRegressorCV
from statlearn.prep import KBinsDiscretizer
from statlearn.smooth import RegressionSpline, StepBasis
from statlearn.trees import DecisionTreeRegressor


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
def test_rules_accept_good_values_only(rule, good, bad):
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
def test_words_accept_good_values_only(word, good, bad):
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


@pytest.mark.parametrize("values", [[0.5, 1], (0, 1.0), np.array([0.25]), np.array(0.5), 0.5, np.float32([0, 1])])
def test_entries_of_a_list_pass_unchanged(values):
    assert check_entries("ratios", values, Real(0, 1, closed="both"), "Model") == np.atleast_1d(values).tolist()


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([0.5, 2.0], "2.0"),
        (np.full((2, 2), 0.5), r"\[0.5, 0.5\]"),
        ([[0.5], [0.1, 0.2]], r"\[0.5\]"),
        ([0.5, None], "None"),
        (["c0"], "'c0'"),
        ("c0", "'c0'"),
        ([np.nan], "nan"),
    ],
)
def test_a_bad_entry_of_a_list_is_named(values, found):
    wanted = r"Each entry of the 'ratios' parameter of Model must be a float in the range \[0.0, 1.0\]. Got "
    with pytest.raises(InvalidParameterError, match=wanted + found):
        check_entries("ratios", values, Real(0, 1, closed="both"), "Model")
    with pytest.raises(InvalidParameterError, match="'ratios' parameter of Model must not be empty"):
        check_entries("ratios", [], Real(0, 1), "Model")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (ElasticNetCV(l1_ratio=np.full((2, 3), 0.5)), "l1_ratio"),
        (GeneralizedLinearRegressorCV(l1_ratio=np.full((2, 3), 0.5)), "l1_ratio"),
        (RegressionSpline(df=[None, 3]), "df"),
        (RegressionSpline(df=["a", "b"]), "df"),
        (FactorAnalysis(noise_variance_init=[1.0, np.nan, 1.0]), "noise_variance_init"),
        (FactorAnalysis(noise_variance_init=[1.0, -1.0, 1.0]), "noise_variance_init"),
        (KBinsDiscretizer(n_bins=[None, 2, 3]), "n_bins"),
        (DecisionTreeRegressor(monotonic_cst=np.array(1)), "monotonic_cst"),
    ],
)
def test_lists_of_the_wrong_shape_or_content_raise_by_name(model, name, rng):
    X = rng.normal(size=(30, 3))
    with pytest.raises(ValueError, match=name):
        model.fit(X, X.sum(axis=1))


def test_a_single_cut_may_be_a_scalar_array(rng):
    X = rng.normal(size=(30, 2))
    one = StepBasis(cuts=np.array(0.5)).fit_transform(X)
    np.testing.assert_array_equal(one, StepBasis(cuts=[0.5]).fit_transform(X))
