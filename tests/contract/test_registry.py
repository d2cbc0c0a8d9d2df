"""What the registry finds, and what importing costs."""

import subprocess
import sys

import pytest

import statlearn


def loaded_by(statement):
    """Names of the modules that a statement loads in a fresh interpreter."""
    code = f"import sys; {statement}; print(' '.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_import_statlearn_loads_no_family_and_no_sklearn():
    loaded = loaded_by("import statlearn")
    assert not loaded & {"sklearn", "scipy", "numpy", "matplotlib", "statlearn.linear"}


def test_importing_a_family_loads_no_pandas_matplotlib_or_scipy_stats():
    loaded = loaded_by("import statlearn.linear")
    beside = loaded_by("import sklearn.linear_model")
    assert not (loaded - beside) & {"pandas", "matplotlib", "scipy.stats", "polars"}


def test_subpackages_are_attributes():
    assert statlearn.linear.__name__ == "statlearn.linear"
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        statlearn.nonsense  # noqa: B018


def test_all_estimators_filters():
    everything = dict(statlearn.all_estimators())
    kinds = [dict(statlearn.all_estimators(kind)) for kind in ("classifier", "regressor", "transformer")]
    assert everything
    assert set().union(*kinds) <= set(everything)
    assert dict(statlearn.all_estimators(family="linear")).keys() <= everything.keys()
    with pytest.raises(ValueError, match="type_filter"):
        statlearn.all_estimators("nonsense")
    with pytest.raises(ValueError, match="family"):
        statlearn.all_estimators(family="nonsense")


def test_every_exported_name_exists():
    for name in statlearn.linear.__all__:
        assert getattr(statlearn.linear, name) is not None
