"""The order of the contract's tests."""

from pathlib import Path

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    """Put the tests of one estimator side by side: a worker then finds the fit that they share (fits.py)."""
    places = [k for k, item in enumerate(items) if HERE in item.path.parents]
    contract = sorted((items[k] for k in places), key=_estimator_name)
    for k, item in zip(places, contract):
        items[k] = item


def _estimator_name(item):
    estimator = item.callspec.params.get("estimator") if hasattr(item, "callspec") else None
    return "" if estimator is None else type(estimator).__name__
