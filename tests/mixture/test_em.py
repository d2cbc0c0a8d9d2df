"""The EM driver on problems small enough to be checked by hand, and its diagnostics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import norm

from statlearn.mixture import EMDriver, MonotonicityError, elbo, free_energy, gem_step
from tests.helpers import assert_close


def two_normals(seed, n=60):
    """Data of two overlapping normals, the log joint of means (variances 1, shares given) and the steps."""
    rng = np.random.default_rng(seed)
    x = np.concatenate([rng.normal(-1, 1, n // 3), rng.normal(1.5, 1, n - n // 3)])

    def log_joint(theta):
        share = 1.0 / (1.0 + np.exp(-theta[2]))
        return np.column_stack([np.log(share) + norm.logpdf(x, theta[0]), np.log1p(-share) + norm.logpdf(x, theta[1])])

    def e_step(theta):
        joint = log_joint(theta)
        row = logsumexp(joint, axis=1)
        return row.sum(), np.exp(joint - row[:, None])

    def m_step(R):
        share = R[:, 0].mean()
        return np.array([R[:, 0] @ x / R[:, 0].sum(), R[:, 1] @ x / R[:, 1].sum(), np.log(share / (1 - share))])

    def q(theta, R):
        return np.sum(R * log_joint(theta))

    def q_gradient(theta, R):
        share = 1.0 / (1.0 + np.exp(-theta[2]))
        return np.array([R[:, 0] @ (x - theta[0]), R[:, 1] @ (x - theta[1]), R[:, 0].sum() - share * len(x)])

    return x, log_joint, e_step, m_step, q, q_gradient


START = np.array([-0.3, 0.4, 0.2])


@pytest.mark.spec("MIX-01", "MIX-P1")
@given(seed=st.integers(0, 10_000))
def test_the_likelihood_never_falls_and_rises_at_least_as_much_as_q(seed):
    _, _, e_step, m_step, q, _ = two_normals(seed)
    theta = START
    before, R = e_step(theta)
    for _ in range(10):
        new = m_step(R)
        after, new_R = e_step(new)
        assert after - before >= q(new, R) - q(theta, R) - 1e-9
        assert q(new, R) >= q(theta, R) - 1e-9
        theta, before, R = new, after, new_R
    result = EMDriver(e_step, m_step, max_iter=50, tol=1e-8, on_fall="raise").run(START)
    assert np.all(np.diff(result.history) >= -1e-9)
    assert result.falls == 0


def test_history_holds_the_start_and_every_step():
    _, _, e_step, m_step, _, _ = two_normals(0)
    result = EMDriver(e_step, m_step, max_iter=5, tol=0.0).run(START)
    theta, expected = START, [e_step(START)[0]]
    for _ in range(5):
        theta = m_step(e_step(theta)[1])
        expected.append(e_step(theta)[0])
    assert_close(result.history, expected)
    assert_close(result.parameters, theta)
    assert result.n_iter == 5
    assert not result.converged
    assert_close(result.objective, expected[-1])
    assert_close(result.expected, e_step(theta)[1])


def test_converges_to_a_stationary_point():
    x, log_joint, e_step, m_step, _, _ = two_normals(1)
    result = EMDriver(e_step, m_step, tol=1e-12, max_iter=10_000).run(START)
    assert result.converged
    h = 1e-6
    for k in range(3):
        step = h * np.eye(3)[k]
        slope = (e_step(result.parameters + step)[0] - e_step(result.parameters - step)[0]) / (2 * h)
        assert abs(slope) < 1e-3  # the rule is on the objective: its slope is the square root of that
    assert len(x) == len(log_joint(START))


@pytest.mark.spec("MIX-02", "MIX-P1")
@pytest.mark.parametrize("newton", [False, True])
def test_generalized_em_climbs_with_gradient_or_newton_steps(newton, seed):
    x, _, e_step, m_step, q, q_gradient = two_normals(seed)

    def hessian(theta, R):
        share = 1.0 / (1.0 + np.exp(-theta[2]))
        return -np.diag([R[:, 0].sum(), R[:, 1].sum(), len(x) * share * (1 - share)])

    def partial(R, theta):
        curvature = (lambda t: hessian(t, R)) if newton else None
        return gem_step(
            lambda t: q(t, R),
            lambda t: q_gradient(t, R),
            theta,
            hessian=curvature,
            step=1 / len(x) if not newton else 1,
        )

    driver = EMDriver(e_step, partial, generalized=True, tol=1e-11, max_iter=20_000, on_fall="raise")
    found = driver.run(START)
    exact = EMDriver(e_step, m_step, tol=1e-11, max_iter=20_000).run(START)
    assert_close(found.objective, exact.objective, rtol=1e-8)
    assert np.all(np.diff(found.history) >= -1e-9)


@pytest.mark.spec("MIX-02")
def test_a_generalized_step_that_is_too_long_is_halved():
    _, _, e_step, m_step, q, _ = two_normals(3)
    wild = EMDriver(
        e_step,
        lambda R, theta: theta + 5.0 * (m_step(R) - theta),  # overshoots
        generalized=True,
        q_function=q,
        pack=np.asarray,
        unpack=np.asarray,
        on_fall="raise",
        tol=1e-9,
    )
    assert np.all(np.diff(wild.run(START).history) >= -1e-9)
    stubborn = EMDriver(
        e_step,
        lambda R, theta: theta - (m_step(R) - theta),  # downhill: the old parameters are kept
        generalized=True,
        q_function=q,
        pack=np.asarray,
        unpack=np.asarray,
        on_fall="raise",
    )
    result = stubborn.run(START)
    assert_close(result.parameters, START)


@pytest.mark.spec("MIX-01")
def test_a_wrong_m_step_is_noticed():
    _, _, e_step, m_step, _, _ = two_normals(0)
    with pytest.raises(MonotonicityError, match="decreased from"):
        EMDriver(e_step, lambda R: m_step(R) + [3.0, 0.0, 0.0], on_fall="raise").run(START)
    with pytest.warns(RuntimeWarning, match="decreased from"):
        result = EMDriver(e_step, lambda R: m_step(R) + [3.0, 0.0, 0.0], max_iter=3).run(START)
    assert result.falls > 0
    EMDriver(e_step, lambda R: m_step(R) + [3.0, 0.0, 0.0], max_iter=3, on_fall="ignore").run(START)


@pytest.mark.spec("MIX-01")
def test_the_best_of_several_starts_is_returned():
    _, _, e_step, m_step, _, _ = two_normals(0)
    starts = [np.array([0.5, 0.5, 0.0]), START, np.array([2.0, -2.0, 0.0])]  # the first is symmetric: a fixed point
    driver = EMDriver(e_step, m_step, n_init=3, tol=1e-10)
    result = driver.run(lambda i: starts[i])
    assert_close(result.starts, [driver.run(start).objective for start in starts])
    assert result.objective == result.starts.max()
    assert result.starts[0] < result.starts[1] - 0.1


def test_squarem_needs_fewer_steps_and_never_ends_lower(seed):
    _, _, e_step, m_step, _, _ = two_normals(seed, n=300)
    settings = dict(tol=1e-10, max_iter=50_000, pack=np.asarray, unpack=np.asarray, on_fall="raise")
    plain = EMDriver(e_step, m_step, **settings).run(START)
    fast = EMDriver(e_step, m_step, acceleration="squarem", **settings).run(START)
    assert fast.converged
    assert fast.objective >= plain.objective - 1e-7
    assert fast.n_iter < 0.7 * plain.n_iter


def test_a_report_may_end_the_run():
    _, _, e_step, m_step, _, _ = two_normals(0)
    seen = []

    def report(n_iter, objective, parameters):
        seen.append(objective)
        return n_iter == 3

    result = EMDriver(e_step, m_step, report=report, tol=0.0).run(START)
    assert result.n_iter == 3
    assert not result.converged
    assert_close(seen, result.history[1:])


def test_arguments_are_checked():
    _, _, e_step, m_step, _, _ = two_normals(0)
    with pytest.raises(ValueError, match="`pack` and `unpack`"):
        EMDriver(e_step, m_step, acceleration="squarem")
    with pytest.raises(ValueError, match="'tol' parameter of EMDriver"):
        EMDriver(e_step, m_step, tol=-1.0)
    with pytest.raises(ValueError, match="halving"):
        EMDriver(e_step, m_step, generalized=True, q_function=lambda t, R: 0.0)
    with pytest.raises(ValueError, match="cannot start"):
        EMDriver(lambda t: (np.nan, t), lambda t: t).run(0.0)
    with pytest.raises(ValueError, match="`q`: every row"):
        free_energy(np.zeros((2, 2)), np.ones((2, 2)))
    with pytest.raises(ValueError, match="the same shape"):
        elbo(np.zeros((2, 2)), np.ones((2, 3)))


@pytest.mark.spec("MIX-03", "MIX-P2")
@given(seed=st.integers(0, 10_000), n=st.integers(1, 12), k=st.integers(1, 5))
def test_the_bound_is_tight_at_the_posterior_and_below_elsewhere(seed, n, k):
    rng = np.random.default_rng(seed)
    log_joint = rng.normal(scale=3.0, size=(n, k))
    weight = rng.uniform(0.5, 2.0, size=n)
    row = logsumexp(log_joint, axis=1)
    posterior = np.exp(log_joint - row[:, None])
    assert_close(free_energy(log_joint, posterior, weight), weight @ row)
    other = rng.dirichlet(np.ones(k), size=n)
    parts = elbo(log_joint, other, weight)
    assert_close(parts.bound, free_energy(log_joint, other, weight))
    assert_close(parts.bound + parts.kl, weight @ row)
    assert_close(parts.log_likelihood, weight @ row)
    assert parts.kl >= -1e-9
    literal = weight @ np.sum(other * (log_joint - np.log(other)), axis=1)
    assert_close(parts.bound, literal)


@pytest.mark.spec("MIX-03")
def test_certain_responsibilities_have_no_entropy():
    log_joint = np.log([[0.2, 0.1], [0.4, 0.3]])
    assert_close(free_energy(log_joint, [[1, 0], [0, 1]]), np.log(0.2 * 0.3))
    assert_close(free_energy([[np.log(0.5), -np.inf]], [[1.0, 0.0]]), np.log(0.5))
