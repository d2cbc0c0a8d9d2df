"""What goes in may be a data frame, a memory map, in any order and precision; weights are copies."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from tests.contract.fits import shared_fit
from tests.contract.instances import all_instances, expected_failures, make_problem, name_of, outputs
from tests.helpers import assert_close, assert_same_state, fitted_state

ESTIMATORS = all_instances(tables=True)
WEIGHTED = [
    e
    for e in ESTIMATORS
    if has_fit_parameter(e, "sample_weight")
    and "check_sample_weight_equivalence_on_dense_data" not in expected_failures(e)
]


def assert_same_outputs(a, b, **tolerance):
    assert a.keys() == b.keys()
    for method in a:
        if np.asarray(a[method]).dtype.kind in "fc":
            assert_close(a[method], b[method], err_msg=method, **tolerance)
        else:
            np.testing.assert_array_equal(a[method], b[method], err_msg=method)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_data_frames_give_names_and_the_same_model(estimator, frame):
    fit = shared_fit(estimator)
    names = ["height", "weight", "age", "dose"]
    table = frame(dict(zip(names, fit.X.T)))
    named = clone(estimator).fit(table, fit.y)
    np.testing.assert_array_equal(named.feature_names_in_, names)
    assert_same_outputs(outputs(named, table), outputs(fit.estimator, fit.X))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_order_and_read_only_memory_do_not_matter(estimator, tmp_path):
    fit = shared_fit(estimator)
    X, y, expected = fit.X, fit.y, outputs(fit.estimator, fit.X)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    for variant in (np.asfortranarray(X), mapped, np.repeat(X, 2, axis=1)[:, ::2]):
        assert_same_outputs(outputs(clone(estimator).fit(variant, y), variant), expected)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_single_precision_agrees_with_double(estimator):
    fit = shared_fit(estimator)
    X, y = fit.X, fit.y
    single = clone(estimator).fit(X.astype(np.float32), y.astype(np.float32) if y.dtype.kind == "f" else y)
    a, b = outputs(fit.estimator, X), outputs(single, X.astype(np.float32))
    for method in a:
        if np.asarray(a[method]).dtype.kind == "f":
            # float32 carries 7 digits, of which the solver's stopping rule may cost a few.
            assert_close(b[method], a[method], rtol=2e-3, atol=2e-3, err_msg=method)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_fit_does_not_change_its_input(estimator):
    fit, (X, y) = shared_fit(estimator), make_problem(estimator)
    np.testing.assert_array_equal(fit.X, X)
    np.testing.assert_array_equal(fit.y, y)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_fitting_twice_is_fitting_once(estimator):
    once, twice = shared_fit(estimator), shared_fit(estimator)
    twice.estimator.fit(twice.X, twice.y)
    assert_same_state(fitted_state(twice.estimator), fitted_state(once.estimator))


@pytest.mark.parametrize("estimator", WEIGHTED, ids=name_of)
def test_weight_k_means_k_copies(estimator):
    X, y = make_problem(estimator)
    weights = np.random.default_rng(1).integers(0, 4, size=len(y))
    if hasattr(estimator, "cv") or hasattr(estimator, "tol"):
        estimator = clone(estimator)
    settings = {"tol": 1e-12, "max_iter": 100_000, "cv": 0}
    names = estimator.get_params()
    tight = {k: v for k, v in settings.items() if k in names and k != "cv" and names[k] is not None}
    weighted, copied = clone(estimator).set_params(**tight), clone(estimator).set_params(**tight)
    rows = np.repeat(np.arange(len(y)), weights)
    if "cv" in names and names.get("bandwidth", "cv") == "cv":  # otherwise there is no choice
        # The same rows must be held out together: the folds are given, not drawn.
        group = np.arange(len(y)) % 3
        weighted.set_params(cv=[(np.flatnonzero(group != g), np.flatnonzero(group == g)) for g in range(3)])
        copied.set_params(cv=[(np.flatnonzero(group[rows] != g), np.flatnonzero(group[rows] == g)) for g in range(3)])
    weighted.fit(X, y, sample_weight=weights)
    copied.fit(X[rows], y[rows])
    # Iterative solvers stop within their own tolerance of the common optimum.
    assert_same_outputs(outputs(weighted, X), outputs(copied, X), rtol=1e-5, atol=1e-6)
