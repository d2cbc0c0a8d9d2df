"""Models on components are the model on the scores, and candidates of `statlearn compare` by name."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

from statlearn.app.compare.portfolio.selection import candidates
from statlearn.decomposition import NMF, PCA, ComponentClassifier, ComponentRegressor
from statlearn.linear import PrincipalComponentRegression, Ridge
from tests.helpers import assert_close


@pytest.mark.spec("DEC-05")
def test_regression_on_principal_components():
    X, y = load_diabetes(return_X_y=True)
    model = ComponentRegressor("pca", n_components=4, alpha=0.0).fit(X, y)
    assert_close(model.predict(X), PrincipalComponentRegression(4).fit(X, y).predict(X), rtol=1e-6)
    assert isinstance(model.decomposition_, PCA)


@pytest.mark.parametrize("method", ["ica", "nmf", "factors"])
def test_other_decompositions(method):
    X, y = load_diabetes(return_X_y=True)
    model = ComponentRegressor(method, n_components=3, random_state=0).fit(X, y)
    unit = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    scores = model.decomposition_.transform(unit if method == "nmf" else X) / model.scale_
    assert_close(model.predict(X), Ridge(1e-3).fit(scores, y).predict(scores), rtol=1e-3)
    assert model.score(X, y) > 0.2
    if method == "nmf":
        assert isinstance(model.decomposition_, NMF)
        assert np.isfinite(model.predict(X + 100.0)).all()  # outside of the training range


def test_classes_are_checked_and_bad_input_raises():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for method in ("pca", "ica", "nmf"):
        model = ComponentClassifier(method, n_components=4, random_state=0).fit(X, y)
        assert model.score(X, y) > 0.9
        assert_close(model.predict_proba(X).sum(axis=1), 1)
    with pytest.raises(ValueError, match="only one class"):
        ComponentClassifier().fit(X, np.zeros(len(X)))
    assert ComponentRegressor(n_components=50).fit(X, y).n_components_ == 13


def test_they_are_candidates_by_name_only():
    for task, names in (
        ("regression", {"independent-components-ridge", "non-negative-factors-ridge"}),
        ("classification", {f"{a}-logistic-regression" for a in ("principal-components", "independent-components")}),
    ):
        found = {c.name: c for c in candidates(task)}
        assert names <= set(found)
        assert not any(found[name].space.default for name in names)
