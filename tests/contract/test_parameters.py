"""Every constructor parameter has a rule, and a value outside the rule is refused by name."""

import pytest
from sklearn.base import clone

from statlearn._core.params import Int, InvalidParameterError, parameter_names, rules_of
from tests.contract.fits import shared_fit
from tests.contract.instances import all_instances, make_problem, name_of

ESTIMATORS = all_instances()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_every_parameter_has_a_rule(estimator):
    assert sorted(estimator._constraints) == sorted(parameter_names(type(estimator)))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_bad_values_raise_by_name(estimator):
    X, y = make_problem(estimator)
    for parameter, constraints in estimator._constraints.items():
        rules = rules_of(constraints)
        for value in [bad for rule in rules for bad in rule.bad_values()]:
            if any(rule.accepts(value) for rule in rules):
                continue
            broken = clone(estimator).set_params(**{parameter: value})
            with pytest.raises(InvalidParameterError, match=f"'{parameter}' parameter of {name_of(estimator)}"):
                broken.fit(X, y)


# Counts that nothing in the data bounds: they drive loops or the size of arrays.
SIZES = {
    "alphas", "n_alphas", "Cs", "n_thresholds", "n_bins", "bins", "n_intervals", "n_knots", "n_lags", "grid_size",
    "n_grid", "n_hidden", "n_chains", "n_sweeps", "n_rounds", "n_subsamples", "n_starts", "min_categories",
    "embedding_size", "n_copies", "sample_steps", "max_trials", "n_local_trials", "cg_steps",
}  # fmt: skip
REFUSED_LATER = {("ThinPlateSpline", "n_knots"), ("ShrunkenCentroidsCV", "n_thresholds")}  # or limited by the rows


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_absurd_sizes_raise(estimator):
    for parameter in SIZES & set(estimator._constraints):
        if (name_of(estimator), parameter) not in REFUSED_LATER:
            rules = [rule for rule in rules_of(estimator._constraints[parameter]) if isinstance(rule, Int)]
            assert not any(rule.accepts(2**31) for rule in rules), parameter


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_fit_leaves_the_parameters_alone(estimator):
    before = {k: repr(v) for k, v in estimator.get_params().items()}
    assert {k: repr(v) for k, v in shared_fit(estimator).estimator.get_params().items()} == before


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_docstring_describes_the_parameters_and_has_an_example(estimator):
    doc = type(estimator).__doc__
    assert "Examples\n" in doc
    missing = [p for p in parameter_names(type(estimator)) if f"\n    {p} : " not in doc and f"{p}, " not in doc]
    assert not missing, f"not documented: {missing}"
