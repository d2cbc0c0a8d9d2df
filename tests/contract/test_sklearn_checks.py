"""scikit-learn's own checks, on every estimator: check_estimator and those it runs on itself beside it."""

import unittest
import warnings

import pytest
from sklearn.utils import estimator_checks as checks
from sklearn.utils.validation import has_fit_parameter

from tests.contract.instances import BY_ROUNDING, all_instances, expected_failures, name_of

EVERYTHING = all_instances()
ESTIMATORS = all_instances(tables=True)
TRANSFORMERS = [e for e in ESTIMATORS if hasattr(e, "transform")]


def estimator_checks():
    """Every check of `check_estimator` for every estimator; those of the array API need another build of scipy."""
    for instance in EVERYTHING:
        expected = expected_failures(instance)
        with warnings.catch_warnings(action="ignore"):  # that most checks are left out for documents and images
            found = list(checks.estimator_checks_generator(instance))
        for estimator, check in found:
            name = check.func.__name__
            if "array_api" in name:
                continue
            yield pytest.param(estimator, check, expected.get(name), id=f"{name_of(instance)}-{name}")


def holds(reason, check, *args):
    """Run a check that fails for the reason, if there is one; it must not pass, unless rounding decides.

    The mark `xfail` would print the traceback of each failure to a report that nobody reads: a third of a second.
    """
    if not reason:
        check(*args)
        return
    failed = False
    try:
        check(*args)
    except unittest.SkipTest:
        raise
    except Exception:
        failed = True
    if failed:
        pytest.xfail(reason)
    assert reason == BY_ROUNDING, f"passes, though it is expected to fail: {reason}"


@pytest.mark.filterwarnings("ignore")  # the checks feed tiny, degenerate data
@pytest.mark.parametrize("estimator, check, reason", list(estimator_checks()))
def test_check_estimator(estimator, check, reason):
    holds(reason, check, estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_column_names_are_checked(estimator):
    check = checks.check_dataframe_column_names_consistency
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        holds(expected_failures(estimator).get(check.__name__), check, name_of(estimator), estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if hasattr(e, "copy_X")], ids=name_of)
def test_works_in_place_only_on_writeable_input(estimator):
    checks.check_inplace_ensure_writeable(name_of(estimator), estimator.set_params(copy_X=False))


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if has_fit_parameter(e, "sample_weight")], ids=name_of)
def test_all_zero_weights_are_refused(estimator):
    checks.check_all_zero_sample_weights_error(name_of(estimator), estimator)


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if hasattr(e, "get_feature_names_out")], ids=name_of)
@pytest.mark.parametrize(
    "check",
    [
        checks.check_transformer_get_feature_names_out,
        checks.check_transformer_get_feature_names_out_pandas,
        checks.check_get_feature_names_out_error,
    ],
    ids=lambda check: check.__name__,
)
@pytest.mark.filterwarnings("ignore")
def test_feature_names_out(estimator, check):
    check(name_of(estimator), estimator)


@pytest.mark.parametrize("estimator", TRANSFORMERS, ids=name_of)
@pytest.mark.parametrize(
    "check",
    [
        checks.check_set_output_transform,
        checks.check_set_output_transform_pandas,
        checks.check_global_output_transform_pandas,
        checks.check_set_output_transform_polars,
        checks.check_global_set_output_transform_polars,
    ],
    ids=lambda check: check.__name__,
)
@pytest.mark.filterwarnings("ignore")
def test_set_output(estimator, check):
    check(name_of(estimator), estimator)
