"""What the summaries of the family say."""

import numpy as np
import pandas as pd
import pytest

from statlearn.discriminant import (
    DiagonalLDA,
    DiagonalQDA,
    FlexibleDiscriminantAnalysis,
    LinearDiscriminantAnalysis,
    MixtureDiscriminantAnalysis,
    PenalizedDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    QuadraticLDA,
    ReducedRankLDA,
    RegularizedDiscriminantAnalysis,
    SparseLDA,
)
from tests.discriminant.tables import gaussians
from tests.helpers import assert_close


@pytest.mark.parametrize("model", [FlexibleDiscriminantAnalysis(), PenalizedDiscriminantAnalysis(2.0)])
def test_variates_and_centroids(model, rng):
    X, y = gaussians(rng, 90, 4, 4)
    summary = model.fit(X, y).summary()
    assert_close(summary["R2"], model.r2_)
    Z = model.transform(X)
    means = [Z[y == c, 0].mean() for c in range(4)]
    found = summary.tables[0].columns["variate 1"]
    assert_close(found - found[0], np.array(means) - means[0], atol=1e-7)


def test_ranks_subclasses_and_selected_columns(rng):
    X, y = gaussians(rng, 90, 4, 4)
    model = ReducedRankLDA().fit(X, y)
    assert_close(model.summary()["cv_error"], model.cv_curve_.mean)
    assert "chosen by cross-validation" in str(model.summary())
    assert "cv_error" not in ReducedRankLDA(2).fit(X, y).summary().table.columns
    mixture = MixtureDiscriminantAnalysis(2, random_state=0, tol=1e-3).fit(X, y)
    assert mixture.summary().table.rows[:3] == ["0, 1", "0, 2", "1, 1"]
    assert_close(mixture.summary()["x1"], mixture.subclass_means_[:, 1])
    sparse = SparseLDA(0.2).fit(X, y)
    assert len(sparse.summary().table.rows) == sparse.support_.sum()
    assert "not valid" in str(sparse.summary())


def test_names_of_columns_are_printed_unchanged(rng):
    """A column called p was printed as a p-value, one called n replaced the class counts, and underscores were lost."""
    X, y = gaussians(rng, 90, 3, 3)
    X = pd.DataFrame(X * 1000, columns=["p", "n", "bill_length"])
    means = LinearDiscriminantAnalysis().fit(X, y).summary().tables[1]
    assert means.cells()[0] == ["prior", "n", "p", "mean of n", "bill_length"]
    assert [row[1] for row in means.cells()[1]] == [str(count) for count in np.bincount(y)]
    assert_close([float(row[2]) for row in means.cells()[1]], X["p"].groupby(y).mean(), rtol=1e-3)
    subclasses = MixtureDiscriminantAnalysis(2, random_state=0).fit(X, y).summary().table
    assert subclasses.cells()[0] == ["share", "p", "n", "bill_length"]


def test_the_regressor_is_named(rng):
    X, y = gaussians(rng, 90, 3, 3)
    assert "LinearRegression" in str(FlexibleDiscriminantAnalysis().fit(X, y).summary())


def test_diagonal_models_list_means_and_standard_deviations():
    X = np.array([[0.0, 1.0], [2.0, 3.0], [10.0, 0.0], [14.0, 2.0]])
    linear, quadratic = (model.fit(X, ["a", "a", "b", "b"]).summary() for model in (DiagonalLDA(), DiagonalQDA()))
    assert_close(linear["prior"], [0.5, 0.5])
    assert_close(linear.tables[0].columns["b"], [12, 1])
    assert_close(linear.tables[1].columns["pooled"], np.sqrt([5, 2]))  # (2 + 8) / 2 and (2 + 2) / 2
    assert_close(quadratic.tables[1].columns["b"], np.sqrt([8, 2]))


@pytest.mark.parametrize("k", [2, 3])
def test_the_coefficients_of_quadratic_terms_give_the_rule(k, rng):
    X, y = gaussians(rng, k=k)
    frame = pd.DataFrame(X[:, :2], columns=["u", "v"])
    model = QuadraticLDA().fit(frame, y)
    table = model.summary().tables[0]
    assert table.rows == ["intercept", "u", "v", "u²", "u × v", "v²"]
    u, v = ((frame - frame.mean()) / frame.std(ddof=0)).to_numpy().T
    scores = np.column_stack([np.ones(len(u)), u, v, u * u, u * v, v * v]) @ np.column_stack(
        list(table.columns.values())
    )
    found = model.decision_function(frame)
    if k == 2:
        assert_close(scores[:, 0], found)
        assert list(table.columns) == ["log odds of 1"]
    else:  # up to a term that all classes share
        assert_close(scores - scores[:, :1], found - found[:, :1])


def test_condition_numbers_match_the_regularised_correlations(rng):
    X, y = gaussians(rng, 90, 3, 2)
    X[y == 0, 2] = 1.0  # constant within a class: only the regularised covariance is regular
    model = QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.3, store_covariance=True).fit(X, y)
    between = RegularizedDiscriminantAnalysis(0.5, 0.2).fit(X, y)
    for one, covariances in ((model, model.covariance_), (between, between.covariances_)):
        for found, S in zip(one.summary()["condition_number"], covariances):
            scale = np.sqrt(np.diag(S))
            assert_close(found, np.linalg.cond(S / np.outer(scale, scale)))


def test_tests_and_coefficients_of_a_shrunken_model_are_distinguished(rng):
    X, y = gaussians(rng, 60, 3, 2)
    plain = LinearDiscriminantAnalysis("eigen").fit(X, y).summary()
    shrunken = LinearDiscriminantAnalysis("eigen", shrinkage=0.5).fit(X, y).summary()
    assert_close(plain["eigenvalue"], shrunken["eigenvalue"])
    assert any("covariance with shrinkage 0.5" in note and "scatter as it is" in note for note in shrunken.notes)
    assert not plain.notes
