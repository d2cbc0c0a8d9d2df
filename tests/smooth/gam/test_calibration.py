"""P-values of smooth terms under the null, with smoothing parameters that were chosen."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import kstest

from statlearn.smooth import GAM, GAMClassifier, lin, re, s, te
from statlearn.smooth.gam._calibration import (
    Criterion,
    NullProblem,
    _penalised_ranges,
    _whitening,
    calibrated,
    distribution,
    draws,
    null_p_values,
    rays,
)
from statlearn.smooth.gam._summary import term_test
from statlearn.smooth.gam._term_tests import chi_square_mixture, chi_square_mixtures, few_weights
from tests.helpers import assert_close


def small_problem(model, j):
    """The null problem of a Gaussian model without random effects, and its criterion."""
    term = model.terms_[j]
    ranges = _penalised_ranges(model, j) if model.method == "ml" else None
    random = np.zeros(0, np.intp) if term.null == 0 else None
    problem = NullProblem(
        model.information_, model.penalty_, model._slices[j], term.penalties, term.null, ranges, random
    )
    free = 1 + sum(other.width if other.parametric else other.null for other in model.terms_)
    return problem, Criterion(problem, model.method, n=model.n_effective_, free=free, known=False, gamma=model.gamma)


def own_draw(model, j, X, y, problem):
    """What the rows are in the coordinates of the null problem: z, over the root of the residual mean square."""
    B, at = model._design(X), model._slices[j]
    others = np.delete(np.arange(B.shape[1]), np.arange(at.start, at.stop))
    Bo, S = B[:, others], model.penalty_[np.ix_(others, others)]
    fitted = Bo @ np.linalg.solve(Bo.T @ Bo + S, Bo.T @ y)
    change = B[:, at] - Bo @ np.linalg.solve(Bo.T @ Bo + S, Bo.T @ B[:, at])
    A = B[:, at].T @ change
    score = B[:, at].T @ (y - fitted)
    # problem.root = R U with R'R = G_jj: so U.
    values, vectors = np.linalg.eigh(B[:, at].T @ B[:, at])
    U = (vectors / np.sqrt(values)) @ problem.root
    assert_close(U.T @ A @ U, np.eye(problem.q), atol=1e-7)
    penalised = y @ (y - fitted) - score @ np.linalg.solve(A, score)  # at lambda = 0, what the others cost included
    return U.T @ score, penalised


@pytest.mark.parametrize("method", ["reml", "ml", "gcv"])
@pytest.mark.parametrize("others", ["none", "a line", "a fixed curve", "select"])
def test_the_small_problem_matches_the_model(method, others):
    rng = np.random.default_rng(0)
    close = 0
    for _ in range(5):
        X = rng.uniform(size=(80, 2))
        y = rng.normal(size=80)
        more = {"none": [], "a line": [lin(1)], "a fixed curve": [s(1, 8, lam=1e-3)], "select": []}[others]
        model = GAM([s(0, 8, select=others == "select"), *more], method=method).fit(X, y)
        problem, criterion = small_problem(model, 0)
        z, residual = own_draw(model, 0, X, y, problem)
        z = z * np.sqrt(criterion.residual / residual)
        found = null_p_values(problem, rays(problem, None), criterion, z[None])[0]
        if others == "select" and model.edf_[0] < 0.01:
            close += np.isinf(found)
        else:
            close += abs(found - term_test(model, 0, False)[1]) < 0.03
    assert close >= 4  # of two valleys of the same depth either may be chosen


def correlated(rng, n):
    """Two features with a correlation of one half."""
    from scipy.special import ndtr

    return ndtr(np.sqrt(0.5) * (rng.normal(size=(n, 2)) + rng.normal(size=(n, 1))))


def gaussian(rng):
    X = correlated(rng, 60)
    return [s(0, 7), s(1, 6)], {}, X, np.sin(2 * np.pi * X[:, 0]) + 0.5 * rng.normal(size=60)


def cross_validated(rng):
    X = rng.uniform(size=(50, 2))
    return [lin(0), s(1, 8)], dict(method="gcv"), X, X[:, 0] + rng.normal(size=50)


def counts(rng):
    X = correlated(rng, 80)
    return [s(0, 6), s(1, 6)], dict(family="poisson"), X, rng.poisson(np.exp(0.5 + np.sin(6 * X[:, 0]))).astype(float)


def classes(rng):
    X = correlated(rng, 200)
    return [lin(0), s(1, 6)], dict(family="binomial", method="ml"), X, (rng.uniform(size=200) < X[:, 0]).astype(float)


def p_values(setting, times, seed=0):
    """Of the second term, which has no effect."""
    found = []
    for r in range(times):
        terms, options, X, y = setting(np.random.default_rng([seed, r]))
        found.append(term_test(GAM(terms, **options).fit(X, y), 1, True)[1])
    return np.array(found)


@pytest.fixture
def fewer_draws(monkeypatch):
    """A quarter of the draws: their standard errors, 0.01 at most, are well below those of the shares of p-values."""
    monkeypatch.setattr("statlearn.smooth.gam._calibration.draws", partial(draws, count=2048))


def has_its_level(p, levels):
    return all(abs(np.mean(p < a) - a) <= 3 * np.sqrt(a * (1 - a) / len(p)) for a in levels)


@pytest.mark.spec("SMT-27")
@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize("times", [1, pytest.param(2, marks=pytest.mark.full)])
def test_p_values_are_uniform_under_the_null(times):
    counted = {gaussian: 55, cross_validated: 35, counts: 30, classes: 30}
    found = {setting.__name__: p_values(setting, times * count) for setting, count in counted.items()}
    for name, p in found.items():
        assert kstest(p, "uniform").pvalue > 0.001, name
        assert has_its_level(p, (0.05, 0.1, 0.5)), name
    together = np.concatenate(list(found.values()))
    assert kstest(together, "uniform").pvalue > 0.001
    assert has_its_level(together, (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9))


@pytest.mark.spec("SMT-27")
@pytest.mark.usefixtures("fewer_draws")
def test_terms_that_may_vanish_have_their_level():
    def vanishing(rng):
        X = rng.uniform(size=(80, 2))
        return [lin(0), s(1, 6, select=True)], {}, X, X[:, 0] + rng.normal(size=80)

    p = p_values(vanishing, 60)
    assert has_its_level(p, (0.01, 0.05, 0.1, 0.25))
    assert 0.1 < np.mean(p == 1.0) < 0.9  # the term is gone
    assert np.all((p < 0.9) | (p == 1.0))


@pytest.mark.spec("SMT-27")
def test_the_choice_of_several_smoothing_parameters_counts_too():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(150, 2))
    y = rng.normal(size=150)
    model = GAM([te(0, 1, k=4)]).fit(X, y)
    levels = np.array([0.05, 0.2, 0.5])
    found = np.array([calibrated(level, model, 0) for level in levels])

    # Plain normal numbers instead of Sobol points with weights, of which the standard errors are measured.
    problem, criterion = small_problem(model, 0)
    candidates, count = rays(problem, None), 20_000

    def at_levels(z, weights):
        Q = distribution(null_p_values(problem, candidates, criterion, z), weights)
        return np.array([Q(level) for level in levels])

    z = rng.normal(size=(count, problem.q))
    z *= np.sqrt(criterion.residual / rng.chisquare(criterion.residual, size=(count, 1)))
    plain = at_levels(z, np.full(count, 1 / count))
    spread = np.std([at_levels(*draws(problem.q, criterion.residual, seed=seed)) for seed in range(1, 13)], axis=0)
    assert np.all(spread < [0.003, 0.006, 0.01])
    assert np.all(np.abs(found - plain) < 4 * np.sqrt(spread**2 + plain * (1 - plain) / count))
    assert np.all((found - levels)[1:] > [0.01, 0.03])  # the choice counts

    # The model refitted.
    again = [term_test(GAM([te(0, 1, k=4)]).fit(X, rng.normal(size=150)), 0, False)[1] for _ in range(100)]
    share = np.mean(again < levels[:, None], axis=1)
    assert np.all(np.abs(share - found) < 3 * np.sqrt(found * (1 - found) / 100))


def test_a_fixed_smoothing_parameter_has_an_exact_test():
    # At a given lambda Wood's p-values, from Bayesian covariances, are too large; here by plain simulation.
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(40, 1))
    model = GAM([s(0, 8, lam=1e-3)]).fit(X, rng.normal(size=40))
    plain = []
    for _ in range(200):
        model = GAM([s(0, 8, lam=1e-3)]).fit(X, rng.normal(size=40))
        plain.append(term_test(model, 0, False)[1])
    for level in (0.05, 0.2, 0.5):
        right = calibrated(level, model, 0)
        assert np.mean(np.array(plain) < level) == pytest.approx(right, abs=3 * np.sqrt(right * (1 - right) / 200))
    assert calibrated(0.05, model, 0) < 0.045


def test_the_distribution_is_smooth_and_keeps_small_p_values():
    rng = np.random.default_rng(2)
    p = rng.uniform(size=4000) ** 1.2
    Q = distribution(p, np.full(4000, 1 / 4000))
    at = np.geomspace(1e-4, 1.0, 300)
    values = np.array([Q(x) for x in at])
    assert np.all(np.diff(values) > 0)
    assert Q(1.0) == pytest.approx(1.0)
    assert Q(0.3) == pytest.approx(0.3 ** (1 / 1.2), abs=0.03)
    assert Q(1e-40) == pytest.approx(1e-35 * Q(1e-5))
    half = distribution(np.append(p, np.full(4000, np.inf)), np.full(8000, 1 / 8000))
    assert half(1.0) == pytest.approx(0.5)
    assert half(0.3) == pytest.approx(Q(0.3) / 2, rel=1e-6)


def test_strong_terms_stay_strong_and_tables_are_the_same_each_time():
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(200, 2))
    y = np.sin(6 * X[:, 0]) + 0.2 * rng.normal(size=200)
    model = GAM().fit(X, y)
    plain = model.summary(calibrate=False).tables[0].columns["p"]
    right = model.summary().tables[0].columns["p"]
    assert right[0] < 1e-30
    assert 0.3 < right[0] / plain[0] < 3
    np.testing.assert_array_equal(right, model.summary().tables[0].columns["p"])
    with pytest.raises(ValueError, match="calibrate"):
        model.summary(calibrate="no")
    classifier = GAMClassifier().fit(X, y > 0)
    raw = classifier.models_[0].summary(calibrate=False).tables[0].columns["p"]
    np.testing.assert_array_equal(classifier.summary(calibrate=False).tables[0].columns["p"], raw)


def test_terms_that_others_can_make_have_p_values():
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.uniform(size=100), rng.integers(0, 5, 100)])
    y = X[:, 0] + rng.normal(size=100)
    with pytest.warns(UserWarning, match="not identifiable"):
        model = GAM([lin(0), s(0, 6)]).fit(X, y)
    assert 0 <= model.summary().tables[0].columns["p"][0] <= 1
    mixed = GAM([s(0, 6, select=True), re(1)]).fit(X, y).summary().tables[0].columns["p"]
    assert np.all((mixed >= 0) & (mixed <= 1))


def test_series_of_several_mixtures_match_each():
    weights = [np.ones(3), np.array([1.0, 1.2, 0.05]), np.array([0.5, 0.4])]
    found = chi_square_mixtures(
        [np.array([1.0, 9.0])] * 3, weights, [np.ones(len(w)) for w in weights], [None, 12.0, None]
    )
    for own, w, df in zip(found, weights, [None, 12.0, None], strict=True):
        assert_close(own, chi_square_mixture(np.array([1.0, 9.0]), w, df), rtol=1e-10, atol=0)


def test_small_weights_may_be_taken_together():
    w = np.append([1.0, 0.6], np.geomspace(0.1, 0.02, 6))
    large, degrees, constant = few_weights(w, 0.12, 0.04)
    assert len(large) == 3
    assert large @ degrees + constant == pytest.approx(w.sum())
    for x in (1.0, 4.0, 10.0):
        assert chi_square_mixture(x - constant, large, degrees=degrees) == pytest.approx(
            chi_square_mixture(x, w), rel=5e-3
        )


def test_whitening_of_a_matrix_that_is_rounding_in_some_directions(seed):
    """Weights of 1e90 leave rounding of that size, of either sign, where other terms determine a column."""
    A = 1e90 * np.cov(np.random.default_rng(seed).normal(size=(20, 4)), rowvar=False)
    noisy = np.zeros((6, 6))
    noisy[:4, :4] = A
    noisy[4, 4], noisy[4, 5], noisy[5, 4] = -1e74, 1e73, 1e73
    U, lost = _whitening(noisy)
    assert U.shape == (6, 4)
    assert lost.shape[1] == 2
    assert_close(U.T @ noisy @ U, np.eye(4), atol=1e-8)
