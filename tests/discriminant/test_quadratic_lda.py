"""Linear discriminant analysis with quadratic terms."""

import numpy as np
import pytest
from sklearn.preprocessing import PolynomialFeatures

from statlearn._core.warnings import RankWarning
from statlearn.discriminant import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, QuadraticLDA
from tests.discriminant.tables import gaussians
from tests.helpers import assert_close


@pytest.mark.spec("DIS-17")
def test_it_is_lda_of_squares_and_products(rng):
    X, y = gaussians(rng, 120, common=False)
    Z = PolynomialFeatures(2, include_bias=False).fit_transform(X)
    peer = LinearDiscriminantAnalysis().fit(Z, y)
    model = QuadraticLDA().fit(X, y)
    assert_close(model.predict_proba(X), peer.predict_proba(Z), atol=1e-6)
    moved = QuadraticLDA().fit(1000 + 0.01 * X, y)  # the quadratic space does not depend on units
    assert_close(moved.predict_proba(1000 + 0.01 * X), model.predict_proba(X), atol=1e-6)
    with_priors = QuadraticLDA(priors=[0.1, 0.1, 0.8]).fit(X, y)
    assert_close(with_priors.predict_proba(X), model.set_priors([0.1, 0.1, 0.8]).predict_proba(X), atol=1e-6)


@pytest.mark.spec("DIS-17", "DIS-18")
@pytest.mark.parametrize(("p", "k"), [(1, 2), (2, 3), (4, 3)])
def test_parameters_are_reported_next_to_those_of_qda(rng, p, k):
    X, y = gaussians(rng, 120, p, k, common=False)
    model = QuadraticLDA().fit(X, y)
    assert model.n_parameters_ == model.n_parameters_qda_ == QuadraticDiscriminantAnalysis().fit(X, y).n_parameters_
    assert model.n_parameters_lda_ == LinearDiscriminantAnalysis().fit(X, y).n_parameters_
    rows = 1 if k == 2 else k
    assert model.coef_.shape == (rows, p * (p + 3) // 2)


@pytest.mark.spec("DIS-17")
def test_it_is_similar_to_qda_but_not_the_same(rng):
    X = np.vstack([rng.normal(size=(300, 2)), 2.5 * rng.normal(size=(300, 2))])
    y = np.arange(2).repeat(300)
    expanded, quadratic = QuadraticLDA().fit(X, y), QuadraticDiscriminantAnalysis().fit(X, y)
    linear = LinearDiscriminantAnalysis().fit(X, y)
    assert linear.score(X, y) < 0.65 < min(expanded.score(X, y), quadratic.score(X, y))
    assert np.mean(expanded.predict(X) == quadratic.predict(X)) > 0.85
    assert not np.allclose(expanded.predict_proba(X), quadratic.predict_proba(X), atol=0.01)


def test_a_singular_scatter_is_reported_by_name(rng):
    X, y = gaussians(rng, 120)
    X = np.column_stack([X, (X[:, 0] > 0).astype(float)])  # the square of two values is no new column
    with pytest.warns(RankWarning, match="QuadraticLDA: the within-class scatter of the columns, squares and products"):
        QuadraticLDA().fit(X, y)
