"""References for explained variances, quantile grids and pictures."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from statlearn.decomposition import (
    PCA,
    TruncatedSVD,
    biplot,
    broken_stick,
    explained_variance_reference,
    quantile_grid,
    scree_plot,
)
from tests.decomposition.problems import low_rank
from tests.helpers import assert_close


@pytest.mark.spec("DEC-08")
@pytest.mark.parametrize("method", ["permutation", "normal", "rotation"])
def test_reference_separates_structure_from_noise(method):
    X = low_rank(0, n=100, p=8, k=2, noise=0.5)
    found = explained_variance_reference(X, method=method, random_state=0)
    assert_close(found.explained, PCA().fit(X).explained_variance_, rtol=1e-6)
    assert found.n_components in (1, 2)
    assert found.reference.shape == (20, 8)
    if method == "permutation":  # the variances of the columns remain
        assert_close(found.reference.sum(axis=1), found.explained.sum())
    noise = np.random.default_rng(1).normal(size=(200, 6))
    assert (
        explained_variance_reference(noise, method=method, n_repeats=40, level=0.999, random_state=0).n_components == 0
    )
    assert_close(found.share.sum(), 1)
    assert found.plot().get_ylabel() == "variance"


@pytest.mark.spec("DEC-08")
def test_parallel_analysis_is_about_the_distribution_of_marchenko_and_pastur():
    """Eigenvalues of white noise lie between (1 - sqrt(p / n))^2 and (1 + sqrt(p / n))^2."""
    rng = np.random.default_rng(0)
    found = explained_variance_reference(
        rng.normal(size=(400, 100)), method="normal", scale=True, n_repeats=5, random_state=0
    )
    assert_close(found.reference[:, 0].mean(), (1 + 0.5) ** 2, rtol=0.05)
    assert_close(found.reference[:, -1].mean(), (1 - 0.5) ** 2, rtol=0.15)


def test_broken_stick_is_the_expectation_of_sorted_pieces():
    rng = np.random.default_rng(0)
    cuts = np.sort(rng.random((20_000, 3)), axis=1)
    pieces = np.diff(np.hstack([np.zeros((20_000, 1)), cuts, np.ones((20_000, 1))]), axis=1)
    assert_close(broken_stick(4), np.sort(pieces, axis=1)[:, ::-1].mean(axis=0), atol=0.005)
    assert_close(broken_stick(4).sum(), 1)


@pytest.mark.spec("DEC-09")
def test_quantile_grid_holds_the_nearest_rows():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(400, 2)) * [3.0, 1.0]
    rows, points = quantile_grid(scores)
    assert rows.shape == (5, 5)
    assert points.shape == (5, 5, 2)
    deviation = scores.std(axis=0)
    for i, level in enumerate((0.05, 0.25, 0.5, 0.75, 0.95)):
        assert_close(points[i, :, 1], np.quantile(scores[:, 1], level))
        assert_close(points[:, i, 0], np.quantile(scores[:, 0], level))
    distance = np.linalg.norm((scores - points[1, 3]) / deviation, axis=1)
    assert rows[1, 3] == distance.argmin()
    with pytest.raises(ValueError, match="at least 2 columns"):
        quantile_grid(scores[:, :1])


def test_plots_show_the_model():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = PCA().fit(X)
    ax = scree_plot(model)
    assert_close([bar.get_height() for bar in ax.patches], model.explained_variance_ratio_)
    stick = ax.get_lines()[1].get_ydata()
    assert_close(stick, broken_stick(4))
    parallel = explained_variance_reference(X, method="normal", random_state=0)
    assert_close(scree_plot(model, reference=parallel).get_lines()[1].get_ydata().shape, (4,))
    assert len(scree_plot(TruncatedSVD(2, random_state=0).fit(X), reference=None).get_lines()) == 1
    ax = biplot(model, X, labels=y)
    assert ax.get_xlabel() == "PC1 (92.5 %)"
    shown = {text.get_text() for text in ax.texts}
    assert set(X.columns) <= shown
    with pytest.raises(ValueError, match=r"components\[1\]"):
        biplot(model, X, components=(0, 7))
