"""scikit-learn's own checks, on every estimator: check_estimator and those it runs on itself beside it."""

import pytest
from sklearn.utils import estimator_checks as checks
from sklearn.utils.validation import has_fit_parameter

from tests.contract.instances import BY_ROUNDING, all_instances, expected_failures, name_of

EVERYTHING = all_instances()
ESTIMATORS = all_instances(tables=True)
TRANSFORMERS = [e for e in ESTIMATORS if hasattr(e, "transform")]


@pytest.mark.filterwarnings("ignore")  # the checks feed tiny, degenerate data
@pytest.mark.parametrize("estimator", EVERYTHING, ids=name_of)
def test_check_estimator(estimator):
    """All of `check_estimator` is one test: as tests of their own the 16,000 checks would take half a minute more."""
    expected = expected_failures(estimator)
    results = checks.check_estimator(estimator, expected_failed_checks=expected, on_skip=None, on_fail=None)
    failures = []
    for result in results:
        if result["status"] == "failed":
            result["exception"].add_note(f"in {result['check_name']}")
            failures.append(result["exception"])
    if failures:
        raise ExceptionGroup(f"{name_of(estimator)} fails {len(failures)} of {len(results)} checks", failures)
    # Skipped is what is asked of a method that there is not, or of another build of scipy (array API), and a check that
    # scikit-learn skips by the names of its models of two tables.
    for result in results:
        if result["status"] == "skipped" and "array_api" not in result["check_name"]:
            reason = str(result["exception"])
            assert "does not have a" in reason or "cross decomposition" in reason, result["check_name"]
    passed = {result["check_name"] for result in results if result["status"] == "passed"}
    for name, reason in expected.items():
        assert name not in passed or reason == BY_ROUNDING, f"{name} passes, though it is expected to fail: {reason}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_column_names_are_checked(estimator):
    check = checks.check_dataframe_column_names_consistency
    if check.__name__ in expected_failures(estimator):
        with pytest.raises((AssertionError, ValueError)):
            check(name_of(estimator), estimator)
    else:
        check(name_of(estimator), estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if hasattr(e, "copy_X")], ids=name_of)
def test_works_in_place_only_on_writeable_input(estimator):
    checks.check_inplace_ensure_writeable(name_of(estimator), estimator.set_params(copy_X=False))


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if has_fit_parameter(e, "sample_weight")], ids=name_of)
def test_all_zero_weights_raise(estimator):
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
