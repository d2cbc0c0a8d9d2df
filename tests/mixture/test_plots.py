"""Pictures of mixtures."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import Ellipse
from scipy.stats import chi2, f

from statlearn.mixture import (
    BayesianGaussianMixture,
    GaussianMixture,
    GaussianMixtureIC,
    StudentTMixture,
    criterion_plot,
    ellipse_plot,
    gmm_density_plot,
)
from statlearn.mixture._plots import ellipse_radii
from tests.helpers import assert_close


def blobs(rng):
    return np.concatenate([rng.normal(0, 1, (40, 2)), rng.normal(6, 1, (40, 2))])


@pytest.mark.spec("MIX-12")
def test_density_contours_and_hard_regions_are_drawn(rng):
    X = blobs(rng)
    model = GaussianMixture(2, random_state=0).fit(X)
    ax = gmm_density_plot(model, X, grid_resolution=40)
    contours = [c for c in ax.collections if type(c).__name__ == "QuadContourSet"]
    assert len(contours) == 4  # regions, two borders, density
    assert sum(len(c.get_offsets()) for c in ax.collections if type(c).__name__ == "PathCollection") == len(X)
    # The density that is drawn is the density.
    levels = contours[-1].levels
    assert levels.max() <= model.score_samples(X).max() + 1.0
    plain = gmm_density_plot(model, regions=False, levels=[-5.0, -4.0], grid_resolution=30)
    assert [type(c).__name__ for c in plain.collections] == ["QuadContourSet"]


@pytest.mark.spec("MIX-12")
def test_names_of_the_columns_are_used_and_other_widths_refused(rng):
    frame = pd.DataFrame(blobs(rng), columns=["height", "weight"])
    model = GaussianMixture(2, random_state=0).fit(frame)
    ax = gmm_density_plot(model, frame, grid_resolution=20)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("height", "weight")
    three = GaussianMixture().fit(rng.normal(size=(20, 3)))
    with pytest.raises(ValueError, match="must be a mixture of two columns"):
        gmm_density_plot(three)
    with pytest.raises(ValueError, match="must have two columns"):
        ellipse_plot(model, rng.normal(size=(5, 3)))
    with pytest.raises(ValueError, match="coverage"):
        ellipse_plot(model, coverage=[1.5])


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_ellipses_hold_their_share_of_the_component(kind, rng):
    X = blobs(rng) @ [[1.0, 0.5], [0.0, 1.0]]
    for model in (
        GaussianMixture(2, covariance_type=kind, random_state=0).fit(X),
        BayesianGaussianMixture(n_components=2, covariance_type=kind, random_state=0).fit(X),
    ):
        ax = ellipse_plot(model, X, coverage=[0.9])
        patches = [p for p in ax.patches if isinstance(p, Ellipse)]
        assert len(patches) == 4
        patch = patches[0]
        draws = rng.multivariate_normal(model.means_[0], model._parameters().full_covariances()[0], size=4000)
        angle = np.radians(patch.angle)
        turned = (draws - patch.center) @ [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        inside = (turned[:, 0] / (patch.width / 2)) ** 2 + (turned[:, 1] / (patch.height / 2)) ** 2 <= 1
        assert_close(inside.mean(), 0.9, atol=0.02)


def test_radii_are_quantiles(rng):
    share = np.array([0.3, 0.95])
    assert_close(ellipse_radii(share) ** 2, chi2.ppf(share, 2))
    assert_close(ellipse_radii(share, [5.0]) ** 2, 2 * f.ppf(share, 2, 5))
    model = StudentTMixture(2, random_state=0).fit(blobs(rng))
    assert len(ellipse_plot(model).patches) == 8


def test_criteria_are_drawn_for_every_shape(rng):
    chosen = GaussianMixtureIC([1, 2, 3], random_state=0, n_init=1).fit(blobs(rng))
    ax = criterion_plot(chosen)
    assert len(ax.get_legend().get_texts()) == 4
    assert ax.get_ylabel() == "BIC"
    assert criterion_plot(chosen, criterion="icl").get_ylabel() == "ICL"
