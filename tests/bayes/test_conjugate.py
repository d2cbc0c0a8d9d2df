"""Conjugate models."""

import itertools

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from statlearn.bayes import BetaBernoulli, BetaBinomial, DirichletMultinomial, NormalGamma, NormalMean
from tests.helpers import assert_close

matplotlib.use("Agg")


@pytest.mark.spec("BAY-11", "BAY-T1")
def test_beta_posterior_printed_values():
    posterior = BetaBernoulli(2, 2).update(ones=7, zeros=3)
    assert_close(
        [posterior.mean, posterior.variance, posterior.mode, posterior.mle], [9 / 14, 0.0153061, 2 / 3, 0.7], atol=1e-7
    )
    assert_close(posterior.mean, 0.6428571, atol=1e-7)
    low, high = posterior.interval(0.9)
    assert_close(stats.beta(9, 5).cdf([low, high]), [0.05, 0.95])
    assert_close(posterior.predictive().pmf([0, 1]), [5 / 14, 9 / 14])


@pytest.mark.spec("BAY-12", "BAY-T2")
def test_beta_binomial_variance_and_total():
    model = BetaBinomial(10, 2, 3)
    assert_close(model.variance, 6.0, rtol=1e-12)
    assert_close(model.pmf(np.arange(11)).sum(), 1.0, rtol=1e-12)
    assert_close(model.pmf(np.arange(11)), stats.betabinom(10, 2, 3).pmf(np.arange(11)))
    assert_close(integrate.quad(lambda t: model.joint_pdf(4, t), 0, 1)[0], model.pmf(4))
    assert model.pmf([-1, 11, 2.5]).tolist() == [0, 0, 0]
    assert model.posterior(4).a == 6.0


@pytest.mark.spec("BAY-13", "BAY-T3")
def test_dirichlet_multinomial_printed_moments():
    model = DirichletMultinomial([1, 2, 3])
    assert_close(model.count_mean(10), [1.6666667, 3.3333333, 5.0], atol=1e-7)
    assert_close(model.count_variance(10), [3.1746032, 5.0793651, 5.7142857], atol=1e-7)
    posterior = model.update([4, 0, 6])
    assert_close(posterior.mode, (np.array([5, 2, 9]) - 1) / (16 - 3))
    assert_close(posterior.mean, np.array([5, 2, 9]) / 16)


@pytest.mark.spec("BAY-T4", "BAY-11")
@given(st.integers(0, 50), st.integers(0, 50))
def test_uniform_prior_gives_one_plus_the_counts(h, t):
    posterior = BetaBernoulli().update([1] * h + [0] * t)
    assert (posterior.a, posterior.b) == (1.0 + h, 1.0 + t)


@pytest.mark.spec("BAY-P7")
@given(st.lists(st.integers(0, 1), min_size=1, max_size=30), st.integers(0, 30), st.randoms())
def test_sequential_updates_equal_one_batch(data, cut, random):
    shuffled = data[:]
    random.shuffle(shuffled)
    parts = shuffled[:cut], shuffled[cut:]
    for prior in (BetaBernoulli(2, 3), NormalMean(1.0, 2.0, 3.0), NormalGamma(0.5, 2.0, 3.0, 1.0)):
        one, several = prior.update(data), prior.update(parts[0]).update(parts[1])
        for name in vars(one):
            assert_close(getattr(several, name), getattr(one, name), rtol=1e-10)
    counts = np.bincount(data, minlength=2)
    steps = DirichletMultinomial([1.0, 2.0])
    for value in shuffled:
        steps = steps.update(np.eye(2)[value])
    assert_close(steps.alpha, DirichletMultinomial([1.0, 2.0]).update(counts).alpha)


@pytest.mark.spec("BAY-P8")
@given(st.integers(1, 40), st.integers(1, 40))
def test_flat_priors_make_the_mode_the_maximum_likelihood_estimate(n1, n0):
    posterior = BetaBernoulli(1, 1).update(ones=n1, zeros=n0)
    assert_close(posterior.mode, posterior.mle)
    dirichlet = DirichletMultinomial([1, 1, 1]).update([n1, n0, 3])
    assert_close(dirichlet.mode, dirichlet.mle)


@pytest.mark.spec("BAY-P9", "BAY-13")
def test_counts_of_a_dirichlet_multinomial(seed):
    model = DirichletMultinomial([0.7, 2.0, 3.5])
    n = 5
    every = np.array([c for c in itertools.product(range(n + 1), repeat=3) if sum(c) == n])
    p = model.pmf(every)
    assert_close(p.sum(), 1.0)
    assert_close(p, stats.dirichlet_multinomial([0.7, 2.0, 3.5], n).pmf(every))
    for k in range(3):
        marginal = [p[every[:, k] == y].sum() for y in range(n + 1)]
        assert_close(marginal, model.count_marginal(k, n).pmf(np.arange(n + 1)))
    draws = model.sample_counts(n, 20_000, random_state=seed)
    error = np.sqrt(model.count_variance(n) / 20_000)
    assert np.all(np.abs(draws.mean(axis=0) - model.count_mean(n)) < 4.5 * error)
    assert np.all(np.abs(draws.var(axis=0) / model.count_variance(n) - 1) < 0.1)
    assert_close(model.sample(3, random_state=seed).sum(axis=1), 1.0)
    binomial = BetaBinomial(8, 2.0, 5.0)
    draws = binomial.sample(20_000, random_state=seed)
    assert abs(draws.mean() - binomial.mean) < 4.5 * np.sqrt(binomial.variance / 20_000)


@pytest.mark.spec("BAY-14")
def test_normal_posteriors_by_numerical_integration():
    data = np.array([0.3, 1.9, 1.1, 0.4])
    grid = np.linspace(-6, 8, 20_001)
    density = stats.norm.pdf(grid, 0.5, 2.0) * np.prod(stats.norm.pdf(data[:, None], grid, 1.5), axis=0)
    density /= np.trapezoid(density, grid)
    posterior = NormalMean(0.5, 4.0, 2.25).update(data)
    assert_close(posterior.pdf(grid), density, atol=1e-8)
    assert_close(posterior.predictive().var(), posterior.variance + 2.25)

    prior = NormalGamma(0.5, 2.0, 3.0, 1.5)
    posterior = prior.update(data)
    mu, lam = np.linspace(-5, 6, 1201), np.linspace(1e-4, 12, 2401)
    M, L = np.meshgrid(mu, lam, indexing="ij")

    def log_density(m, kappa, shape, rate):
        return stats.norm.logpdf(M, m, 1 / np.sqrt(kappa * L)) + stats.gamma.logpdf(L, shape, scale=1 / rate)

    joint = log_density(0.5, 2.0, 3.0, 1.5) + sum(stats.norm.logpdf(x, M, 1 / np.sqrt(L)) for x in data)
    want = log_density(posterior.mean, posterior.kappa, posterior.shape, posterior.rate)
    gap = (joint - want)[np.isfinite(want)]
    assert_close(gap, gap.flat[0], atol=1e-8)  # the same up to a constant
    by_mu = np.trapezoid(np.exp(want), lam, axis=1)
    assert_close(by_mu, posterior.mean_distribution().pdf(mu), atol=2e-4)
    assert_close(posterior.precision_mean, posterior.precision_distribution().mean())


def test_draws_and_plots(seed):
    import matplotlib.pyplot as plt

    for model in (BetaBernoulli(3, 4), NormalMean(1, 2), NormalGamma(), DirichletMultinomial([2, 3, 4])):
        ax = model.plot()
        assert ax.lines
        assert len(model.sample(7, random_state=seed)) == 7
        plt.close(ax.figure)
    assert abs(NormalGamma(2.0, 5.0, 4.0, 2.0).sample(5000, random_state=seed)[:, 0].mean() - 2.0) < 0.05
    assert np.isnan(BetaBernoulli(0.5, 0.5).mode)
    assert BetaBernoulli(0.5, 2.0).mode == 0.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BetaBernoulli(0, 1), "`a` must be positive"),
        (lambda: BetaBernoulli().update([0, 2]), "only zeros and ones"),
        (lambda: BetaBernoulli().update(ones=-1), "`ones` must contain non-negative"),
        (lambda: BetaBernoulli().interval(2), "`level`"),
        (lambda: BetaBinomial(2.5), "`n` must be"),
        (lambda: DirichletMultinomial([1, -1]), "`alpha` must be positive"),
        (lambda: DirichletMultinomial([1, 1]).update([1, 2, 3]), "must have 2 entries"),
        (lambda: NormalMean(0, -1), "`variance` must be positive"),
        (lambda: NormalGamma(rate=0), "`rate` must be positive"),
        (lambda: NormalMean().update([np.inf]), "finite"),
    ],
)
def test_wrong_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.spec("CRS-69")
def test_dirichlet_densities():
    assert_close(DirichletMultinomial([2, 3, 4]).pdf([0.2, 0.3, 0.5]), 7.56)
    assert_close(DirichletMultinomial([1, 1, 1]).pdf([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]]), [2.0, 2.0])
    off = [[0.2, 0.3, 0.6], [-0.1, 0.6, 0.5], [np.nan, 0.5, 0.5]]
    assert_close(DirichletMultinomial([2, 3, 4]).pdf(off), 0.0)
    assert DirichletMultinomial([2, 3, 4]).logpdf([0.0, 0.5, 0.5]) == -np.inf
    assert DirichletMultinomial([0.5, 3, 4]).logpdf([0.0, 0.5, 0.5]) == np.inf
    pair = DirichletMultinomial([2.5, 1.5])
    assert_close(pair.pdf([[0.3, 0.7]]), pair.marginal(0).pdf(0.3))
    with pytest.raises(ValueError, match="`theta` must have 2 entries"):
        pair.pdf([0.2, 0.3, 0.5])


@pytest.mark.spec("CRS-69")
@given(st.lists(st.floats(0.2, 8), min_size=2, max_size=5), st.integers(0, 10**6))
def test_dirichlet_density_is_scipys(alpha, seed):
    theta = np.random.default_rng(seed).dirichlet(np.ones(len(alpha)))
    theta = np.clip(theta, 1e-6, None) / np.clip(theta, 1e-6, None).sum()
    assert_close(DirichletMultinomial(alpha).logpdf(theta), stats.dirichlet(alpha).logpdf(theta), atol=1e-8)


@pytest.mark.spec("CRS-70")
def test_joint_density_of_counts_and_probabilities():
    model = DirichletMultinomial([2, 3, 4])
    assert_close(model.joint_pdf([1, 2, 1], [0.2, 0.3, 0.5]), 0.81648)
    expected = stats.multinomial(4, [0.2, 0.3, 0.5]).pmf([1, 2, 1]) * model.pdf([0.2, 0.3, 0.5])
    assert_close(model.joint_pdf([1, 2, 1], [0.2, 0.3, 0.5]), expected)

    def density(b, a):
        return float(model.joint_pdf([1, 2, 1], [a, b, max(1 - a - b, 0.0)]))

    total, _ = integrate.dblquad(density, 0, 1, 0, lambda a: 1 - a, epsabs=1e-9)
    assert_close(total, model.pmf([1, 2, 1]), rtol=1e-6)
    posterior = model.update([1, 2, 1]).pdf([0.2, 0.3, 0.5])
    assert_close(model.joint_pdf([1, 2, 1], [0.2, 0.3, 0.5]), posterior * model.pmf([1, 2, 1]))
    assert model.joint_pdf([1.5, 2, 1], [0.2, 0.3, 0.5]) == model.joint_pdf([1, 2, 1], [0.2, 0.3, 0.6]) == 0


@pytest.mark.spec("CRS-69")
def test_ternary_picture():
    ax = DirichletMultinomial([2, 3, 4]).plot_ternary(labels=["a", "b", "c"])
    assert [text.get_text() for text in ax.texts] == ["a", "b", "c"]
    assert_close(ax.lines[-1].get_xdata(), (3 + 2) / 9)  # of the mean
    matplotlib.pyplot.close(ax.figure)
    with pytest.raises(ValueError, match="three probabilities"):
        DirichletMultinomial([1, 1]).plot_ternary()


@pytest.mark.spec("CRS-130")
def test_a_scalar_prior_suggests_a_uniform_prior():
    with pytest.raises(ValueError, match=r"at least two parameters, got 6\. For 6 categories .* write \[1\]\*6\."):
        DirichletMultinomial(6)
    with pytest.raises(ValueError, match=r"got 0\.5\.$"):
        DirichletMultinomial(0.5)
    assert len(DirichletMultinomial([1] * 6).alpha) == 6
