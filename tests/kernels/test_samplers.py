"""Random and sampled features of particular kernels."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import kernel_approximation as reference

from statlearn import kernels
from statlearn.kernels import AdditiveChi2Sampler, PolynomialCountSketch, RBFSampler, SkewedChi2Sampler
from tests.helpers import assert_close


def table(seed, n=30, p=4, dtype=np.float64):
    X = np.random.default_rng(seed).random((n, p))
    X[X < 0.2] = 0.0
    return X.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("RBFSampler", {"gamma": 0.5, "n_components": 20, "random_state": 1}),
        ("RBFSampler", {"gamma": "scale", "n_components": 20, "random_state": 1}),
        ("SkewedChi2Sampler", {"skewedness": 0.3, "n_components": 20, "random_state": 1}),
        ("AdditiveChi2Sampler", {"sample_steps": 1}),
        ("AdditiveChi2Sampler", {"sample_steps": 3}),
        ("AdditiveChi2Sampler", {"sample_steps": 5, "sample_interval": 0.3}),
        ("PolynomialCountSketch", {"degree": 3, "n_components": 21, "random_state": 1}),
        ("PolynomialCountSketch", {"degree": 2, "coef0": 0.7, "gamma": 0.4, "n_components": 16, "random_state": 1}),
    ],
)
def test_the_same_features_as_scikit_learn(name, options, dtype, seed):
    X = table(seed, dtype=dtype)
    ours, theirs = (getattr(m, name)(**options).fit(X) for m in (kernels, reference))
    A, B = ours.transform(X), theirs.transform(X)
    assert A.dtype == dtype
    assert_close(A, B, rtol=0, atol=1e-10 if dtype == np.float64 else 2e-5)
    assert len(ours.get_feature_names_out()) == A.shape[1]
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
    if name != "SkewedChi2Sampler":
        S = ours.transform(sparse.csr_matrix(X))
        assert_close(S.toarray() if sparse.issparse(S) else S, A, rtol=0, atol=1e-5)


def test_estimates_of_the_gaussian_are_unbiased(seed):
    X = table(seed, n=6)
    K = kernels.rbf_kernel(X, gamma=2.0)
    estimates = []
    for r in range(400):
        Z = RBFSampler(gamma=2.0, n_components=50, random_state=r).fit_transform(X)
        estimates.append(Z @ Z.T)
    error = np.mean(estimates, axis=0) - K
    spread = np.std(estimates, axis=0) / np.sqrt(400)
    assert np.all(np.abs(error) < 5 * spread + 1e-12)
    assert np.std(estimates, axis=0).max() < 1.5 / np.sqrt(50)


def test_estimates_of_the_polynomial_are_unbiased(seed):
    X = table(seed, n=5)
    K = kernels.polynomial_kernel(X, degree=2, gamma=1.0, coef0=0.5)
    estimates = []
    for r in range(400):
        Z = PolynomialCountSketch(degree=2, coef0=0.5, n_components=32, random_state=r).fit_transform(X)
        estimates.append(Z @ Z.T)
    error = np.mean(estimates, axis=0) - K
    assert np.all(np.abs(error) < 5 * np.std(estimates, axis=0) / np.sqrt(400) + 1e-12)


def test_more_frequencies_approximate_the_additive_kernel_better(seed):
    X = table(seed) + 0.01
    exact = np.sum(2 * X[:, None] * X / (X[:, None] + X), axis=2)
    errors = []
    for steps, interval in [(1, 0.8), (3, 0.4), (12, 0.2)]:
        Z = AdditiveChi2Sampler(sample_steps=steps, sample_interval=interval).fit_transform(X)
        errors.append(np.abs(Z @ Z.T - exact).max())
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-2
    # The relation to the kernel of that name.
    rows = X.sum(axis=1)
    assert_close(exact, (rows[:, None] + rows + kernels.additive_chi2_kernel(X)) / 2)


def test_skewed_kernel_is_approximated(seed):
    X = table(seed, n=8)
    c = 0.5
    exact = np.prod(2 * np.sqrt(X[:, None] + c) * np.sqrt(X + c) / (X[:, None] + X + 2 * c), axis=2)
    Z = SkewedChi2Sampler(skewedness=c, n_components=20000, random_state=0).fit_transform(X)
    assert np.abs(Z @ Z.T - exact).max() < 0.05  # standard error 0.007, maximum of 64


def test_bad_settings_and_data_raise():
    with pytest.raises(ValueError, match="X may not contain entries smaller than -skewedness"):
        SkewedChi2Sampler().fit_transform([[-1.0]])
    with pytest.raises(ValueError, match="you need to provide sample_interval"):
        AdditiveChi2Sampler(sample_steps=4).fit([[1.0]])
    with pytest.raises(ValueError, match="Negative values"):
        AdditiveChi2Sampler().fit([[-1.0]])
    with pytest.raises(ValueError, match="'gamma' parameter of RBFSampler"):
        RBFSampler(gamma="auto").fit([[1.0]])


def test_numbers_of_frequencies_without_meaning_raise():
    with pytest.raises(ValueError, match="'sample_steps' parameter of AdditiveChi2Sampler"):
        AdditiveChi2Sampler(sample_steps=2**40, sample_interval=0.1).fit([[1.0], [2.0]])


def test_more_features_than_memory_raise_at_once():
    X = np.ones((2, 2))
    sampler = AdditiveChi2Sampler(sample_steps=2, sample_interval=0.5).fit(X).set_params(sample_steps=2**70)
    with pytest.raises(MemoryError, match="`sample_steps`"):
        sampler.transform(X)
    with pytest.raises(MemoryError, match="`sample_steps`"):
        sampler.get_feature_names_out()
