"""Independent components: recovery of sources, agreement with scikit-learn, negentropy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import FastICA as Peer

from statlearn._core.native import decomposition as native
from statlearn.decomposition import FastICA, ProDenICA, fastica, ica_mutual_information, negentropy
from statlearn.decomposition.factors._negentropy import neighbour_entropy, spacing_entropy
from statlearn.decomposition.factors._prodenica import TiltedDensity
from tests.helpers import assert_close

MIXING = np.array([[1.0, 0.5, 0.2], [0.3, 1.0, -0.4], [-0.6, 0.1, 1.0]])


def mixed(seed, n=1500):
    rng = np.random.default_rng(seed)
    S = np.column_stack(
        [rng.uniform(-1, 1, n), rng.laplace(size=n), rng.choice([-1.0, 1.0], n) + 0.2 * rng.normal(size=n)]
    )
    S = (S - S.mean(axis=0)) / S.std(axis=0)
    return S, S @ MIXING.T + [5.0, -2.0, 1.0]


def matching(found, truth):
    """Smallest absolute correlation of sources with the ones that they match best, one to one."""
    k = found.shape[1]
    correlation = np.abs(np.corrcoef(found.T, truth.T)[:k, k:])
    rows, columns = linear_sum_assignment(-correlation)
    return correlation[rows, columns].min()


@pytest.mark.spec("DEC-23", "DEC-P11")
@pytest.mark.parametrize("algorithm", ["parallel", "deflation"])
@pytest.mark.parametrize("fun", ["logcosh", "exp", "cube"])
def test_sources_are_recovered_up_to_sign_and_order(algorithm, fun, seed):
    S, X = mixed(seed)
    model = FastICA(algorithm=algorithm, fun=fun, random_state=seed).fit(X)
    found = model.transform(X)
    assert matching(found, S) > 0.985
    assert_close(np.cov(found, rowvar=False, bias=True), np.eye(3), atol=1e-6)
    assert_close(model.inverse_transform(found), X, atol=1e-6)
    assert_close(model.components_ @ model.mixing_, np.eye(3), atol=1e-8)


@pytest.mark.spec("DEC-23")
@pytest.mark.parametrize("algorithm", ["parallel", "deflation"])
@pytest.mark.parametrize("fun", ["logcosh", "exp", "cube"])
def test_steps_agree_with_scikit_learn(algorithm, fun, seed):
    _, X = mixed(seed, n=400)
    ours = FastICA(algorithm=algorithm, fun=fun, random_state=seed).fit(X)
    peer = Peer(algorithm=algorithm, fun=fun, random_state=seed).fit(X)
    assert ours.n_iter_ == peer.n_iter_
    assert_close(ours.components_, peer.components_, rtol=1e-4, atol=1e-5)


@pytest.mark.spec("DEC-23")
def test_the_fixed_point_is_stationary_and_keeps_the_factor_a():
    """Erratum 004b: w has p entries, and the factor a stays in the second term."""
    _, X = mixed(3)
    a = 1.5
    K, W, S = fastica(X, fun_args={"alpha": a}, whiten="arbitrary-variance", tol=1e-12, max_iter=500, random_state=0)
    Z = (X - X.mean(axis=0)) @ K.T * np.sqrt(len(X))
    assert_close(np.cov(Z, rowvar=False, bias=True), np.eye(3), atol=1e-8)
    assert_close(W @ W.T, np.eye(3), atol=1e-8)
    for w in W:
        y = Z @ w
        step = np.mean(Z * np.tanh(a * y)[:, None], axis=0) - a * np.mean(1 - np.tanh(a * y) ** 2) * w
        residual = step - (step @ w) * w
        others = W @ residual  # what is left turns directions only symmetrically
        assert np.abs(others).max() < 0.05
    assert_close(S, (X - X.mean(axis=0)) @ (W @ K).T, atol=1e-9)


@given(st.integers(0, 10_000), st.integers(1, 9), st.integers(1, 600), st.sampled_from([0, 1, 2]))
def test_the_kernel_computes_the_moments(seed, k, n, contrast):
    rng = np.random.default_rng(seed)
    Z, W = rng.normal(size=(k, n)), rng.normal(size=(max(1, k - 1), k))
    moments, slopes = np.empty(W.shape), np.empty(len(W))
    native.ica_moments(Z, W, contrast, 1.3, moments, slopes)
    y = W @ Z
    g, slope = [
        (np.tanh(1.3 * y), 1.3 * (1 - np.tanh(1.3 * y) ** 2)),
        (y * np.exp(-(y**2) / 2), (1 - y**2) * np.exp(-(y**2) / 2)),
        (y**3, 3 * y**2),
    ][contrast]
    assert_close(moments, g @ Z.T, rtol=1e-9, atol=1e-9)
    assert_close(slopes, slope.sum(axis=1), rtol=1e-9, atol=1e-9)


def test_white_data_and_callables_are_accepted_and_bad_input_raises(seed):
    S, X = mixed(seed, n=500)
    Z = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0] * np.sqrt(len(X))
    model = FastICA(whiten=False, random_state=0).fit(Z)
    assert matching(model.transform(Z), S) > 0.98
    assert not hasattr(model, "mean_")

    def cube(u, power=3):
        return u**power, (power * u ** (power - 1)).mean(axis=-1)

    own = FastICA(fun=cube, random_state=0).fit(X)
    assert_close(own.components_, FastICA(fun="cube", random_state=0).fit(X).components_, atol=1e-6)
    with pytest.raises(ValueError, match="alpha must be in"):
        FastICA(fun_args={"alpha": 5}).fit(X)
    with pytest.raises(ValueError, match="w_init has invalid shape"):
        FastICA(w_init=np.ones((2, 2))).fit(X)
    with pytest.warns(UserWarning, match="n_components is too large"):
        FastICA(9, random_state=0).fit(X)
    with pytest.warns(UserWarning, match="did not converge"):
        FastICA(max_iter=1, tol=0, random_state=0).fit(X)


@pytest.mark.spec("DEC-23")
def test_product_densities_recover_skewed_sources_and_their_densities(seed):
    rng = np.random.default_rng(seed)
    n = 1000
    S = np.column_stack([rng.exponential(size=n), rng.choice([-1, 1], n) + 0.3 * rng.normal(size=n)])
    X = S @ MIXING[:2, :2].T
    model = ProDenICA(n_init=0, random_state=seed).fit(X)
    assert matching(model.transform(X), S) > 0.99
    assert np.all(model.negentropy_ > 0.1)
    for grid, log_density in zip(model.grid_, model.log_density_):
        assert_close(np.trapezoid(np.exp(log_density), grid), 1, atol=0.02)
    assert_close(model.inverse_transform(model.transform(X)), X, atol=1e-6)
    normal = ProDenICA(n_init=0, random_state=seed, max_iter=10, tol=1.0).fit(rng.normal(size=(n, 2)))
    assert normal.negentropy_.max() < 0.02


@pytest.mark.spec("DEC-24", "DEC-P11")
def test_negentropy_is_zero_for_normal_quantiles_and_positive_otherwise():
    from scipy.stats import norm

    grid = (np.arange(20_000) + 0.5) / 20_000
    for a in (1.0, 1.5, 2.0):
        assert negentropy(norm.ppf(grid), a=a) < 1e-8
        # A uniform variable: E log cosh(a U) / a by quadrature.
        half = np.sqrt(3)
        of_uniform = quad(lambda u, a=a, half=half: np.log(np.cosh(a * u)) / a / (2 * half), -half, half)[0]
        of_normal = quad(lambda z, a=a: np.log(np.cosh(a * z)) / a * norm.pdf(z), -12, 12)[0]
        assert_close(negentropy(grid, a=a), (of_uniform - of_normal) ** 2, rtol=1e-3)
    both = negentropy(np.column_stack([norm.ppf(grid), grid]))
    assert both.shape == (2,)
    assert np.all(both >= 0)
    with pytest.raises(ValueError, match="constant column"):
        negentropy(np.ones(10))


@pytest.mark.spec("DEC-24")
def test_mutual_information_of_a_normal_pair():
    """For a normal pair with correlation r it is -log(1 - r^2) / 2."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(4000, 2))
    X = np.column_stack([Z[:, 0], 0.8 * Z[:, 0] + 0.6 * Z[:, 1]])
    assert_close(ica_mutual_information(X, np.eye(2)), -0.5 * np.log(1 - 0.64), atol=0.08)
    back = np.linalg.inv([[1.0, 0.0], [0.8, 0.6]])
    assert_close(ica_mutual_information(X, back), 0, atol=0.08)
    assert_close(spacing_entropy(Z[:, 0]), 0.5 * np.log(2 * np.pi * np.e), atol=0.05)
    assert_close(neighbour_entropy(Z), np.log(2 * np.pi * np.e), atol=0.08)
    with pytest.raises(ValueError, match="regular matrix"):
        ica_mutual_information(X, np.zeros((2, 2)))


def test_moments_that_overflow_raise_a_plain_message():
    X = np.array([[0.0, 0.0], [1e-12, 1e12]])
    with pytest.raises(ValueError, match="overflow or underflow"):
        FastICA(random_state=0).fit(X)


def test_densities_have_their_degrees_of_freedom_after_turns(rng):
    """Turns keep the penalty of their first step; the last densities are fitted to the end."""
    s = rng.exponential(size=300) - 1.0
    start = TiltedDensity(s, 6, 100)
    rough = TiltedDensity(s + 0.05 * rng.normal(size=300), 6, 100, start, rough=True)
    last = TiltedDensity(s, 6, 100, rough)
    assert_close(last.spline.df_, 6.0, rtol=1e-4)
    assert_close(last.tilt(s)[0], start.tilt(s)[0], atol=1e-3)
