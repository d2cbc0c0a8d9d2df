"""Hidden Markov models against sums over all paths."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from statlearn.mixture import CategoricalHMM
from tests.helpers import assert_close

START, MOVE, SHOW = [0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]], [[0.9, 0.1], [0.2, 0.8]]


def random_tables(rng, S, V):
    return rng.dirichlet(np.ones(S)), rng.dirichlet(np.ones(S), size=S), rng.dirichlet(np.ones(V), size=S)


def paths_and_probabilities(x, start, move, show):
    """Every path with its joint probability with the symbols."""
    found = {}
    for path in itertools.product(range(len(start)), repeat=len(x)):
        p = start[path[0]] * show[path[0]][x[0]]
        for t in range(1, len(x)):
            p *= move[path[t - 1]][path[t]] * show[path[t]][x[t]]
        found[path] = p
    return found


@pytest.mark.spec("MIX-11", "MIX-T5")
def test_likelihood_and_best_path_of_the_small_example():
    model = CategoricalHMM.from_parameters(START, MOVE, SHOW)
    assert_close(np.exp(model.score_samples([[0, 1, 0]])), [0.10893], rtol=1e-9)
    path, log_probability = model.decode([[0, 1, 0]])
    np.testing.assert_array_equal(path, [[0, 1, 0]])
    assert_close(np.exp(log_probability), [0.046656], rtol=1e-9)


@pytest.mark.spec("MIX-11", "MIX-P11")
@given(seed=st.integers(0, 10_000), S=st.integers(1, 3), V=st.integers(1, 3), T=st.integers(1, 4))
def test_forward_backward_and_viterbi_are_sums_and_maxima_over_paths(seed, S, V, T):
    rng = np.random.default_rng(seed)
    tables = random_tables(rng, S, V)
    model = CategoricalHMM.from_parameters(*tables)
    x = rng.integers(0, V, size=(1, T))
    paths = paths_and_probabilities(x[0], *tables)
    total = sum(paths.values())
    _, _, by_forward, by_backward = model.forward_backward(x)
    assert_close(np.exp(by_forward), [total])
    assert_close(by_backward, by_forward)
    posterior = np.zeros((T, S))
    for path, p in paths.items():
        posterior[np.arange(T), path] += p / total
    assert_close(model.predict_proba(x)[0], posterior)
    path, best = model.decode(x)
    assert_close(np.exp(best), [max(paths.values())])
    assert_close(paths[tuple(path[0])], max(paths.values()))


@pytest.mark.spec("MIX-P11")
def test_identity_transitions_are_a_mixture_over_sequences(rng):
    start, _, show = random_tables(rng, 3, 4)
    model = CategoricalHMM.from_parameters(start, np.eye(3), show)
    X = rng.integers(0, 4, size=(20, 6))
    joint = np.log(start) + np.log(show)[:, X].sum(axis=2).T
    assert_close(model.score_samples(X), logsumexp(joint, axis=1))
    assert_close(model.predict_proba(X)[:, 3], np.exp(joint - logsumexp(joint, axis=1, keepdims=True)))


@pytest.mark.spec("MIX-11", "MIX-P1")
@given(seed=st.integers(0, 5000), alpha=st.sampled_from([0.0, 0.3]))
def test_baum_welch_never_lowers_the_likelihood(seed, alpha):
    rng = np.random.default_rng(seed)
    X = CategoricalHMM.from_parameters(*random_tables(rng, 2, 3), random_state=seed).sample(15, 8)[0].astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    model = CategoricalHMM(2, n_init=1, random_state=seed, alpha=alpha, tol=1e-4, max_iter=5000).fit(X)
    assert np.all(np.diff(model.lower_bound_history_) >= -1e-8 * abs(model.log_likelihood_))
    for table in (model.start_, model.transition_, model.emission_):
        assert_close(table.sum(axis=-1), np.ones(table.shape[:-1]))
    assert_close(model.score_samples(X).sum(), model.log_likelihood_)


@pytest.mark.spec("MIX-11")
def test_one_step_of_baum_welch_by_hand(rng):
    """Expected counts over all paths of two sequences."""
    X = np.array([[0, 1, 0], [1, 1, 0]])
    starts, moves, shows = np.zeros(2), np.zeros((2, 2)), np.zeros((2, 2))
    for x in X:
        paths = paths_and_probabilities(x, START, MOVE, SHOW)
        total = sum(paths.values())
        for path, p in paths.items():
            starts[path[0]] += p / total
            for t in range(3):
                shows[path[t], x[t]] += p / total
                if t:
                    moves[path[t - 1], path[t]] += p / total
    model = CategoricalHMM(2, start_init=START, transition_init=MOVE, emission_init=SHOW, max_iter=1, n_init=1)
    with pytest.warns(match="did not converge"):
        model.fit(X)
    assert_close(model.start_, starts / 2)
    assert_close(model.transition_, moves / moves.sum(axis=1, keepdims=True))
    assert_close(model.emission_, shows / shows.sum(axis=1, keepdims=True))


@pytest.mark.spec("MIX-11")
def test_recovers_the_tables_of_a_long_sample():
    truth = CategoricalHMM.from_parameters(START, [[0.9, 0.1], [0.2, 0.8]], SHOW, random_state=0)
    X, states = truth.sample(150, 40)
    model = CategoricalHMM(2, random_state=0, n_init=3, acceleration="squarem").fit(X)
    order = np.argsort(-model.emission_[:, 0])
    assert_close(model.emission_[order], SHOW, atol=0.04)
    assert_close(model.transition_[np.ix_(order, order)], [[0.9, 0.1], [0.2, 0.8]], atol=0.04)
    assert np.mean(order[truth.predict(X)] == model.predict(X)) > 0.97
    assert np.mean(truth.predict(X) == states) > 0.8


def test_short_sequences_end_in_missing_cells_and_text_is_welcome():
    model = CategoricalHMM.from_parameters(START, MOVE, SHOW, symbols=["a", "b"])
    rows = np.array([["a", "b", "a", None, None], ["a", None, "b", "a", "a"]], dtype=object)
    short = CategoricalHMM.from_parameters(START, MOVE, SHOW)
    assert_close(model.score_samples(rows)[0], short.score_samples([[0, 1, 0]])[0])
    np.testing.assert_array_equal(model.predict(rows)[0], [0, 1, 0, -1, -1])
    both = [short.score_samples([[0, s, 1, 0, 0]])[0] for s in (0, 1)]
    assert_close(model.score_samples(rows)[1], logsumexp(both))


def test_long_sequences_do_not_underflow(rng):
    model = CategoricalHMM.from_parameters(START, MOVE, SHOW)
    x = rng.integers(0, 2, size=(1, 20_000))
    _, _, by_forward, by_backward = model.forward_backward(x)
    assert by_forward[0] < -8_000
    assert_close(by_forward, by_backward)


def test_weights_are_copies_and_bad_tables_raise(rng):
    X = rng.integers(0, 3, size=(20, 5))
    weights = rng.integers(0, 3, size=20)
    start = dict(random_state=0, n_init=1, tol=1e-9, max_iter=20_000)
    a = CategoricalHMM(2, **start).fit(X, sample_weight=weights)
    b = CategoricalHMM(2, **start).fit(np.repeat(X, weights, axis=0))
    assert_close(a.transition_, b.transition_, rtol=1e-6, atol=1e-8)
    for make, message in [
        (lambda: CategoricalHMM.from_parameters([0.5, 0.6], MOVE, SHOW), "`start`: every row"),
        (lambda: CategoricalHMM.from_parameters(START, [[1.0]], SHOW), "`transition` must have shape"),
        (lambda: CategoricalHMM.from_parameters(START, MOVE, SHOW, symbols=["a"]), "one per column"),
        (lambda: CategoricalHMM(2, emission_init=[[1.0], [1.0]]).fit(X), "`emission_init` must have shape"),
        (lambda: CategoricalHMM.from_parameters(START, MOVE, SHOW).sample(3), "'n_times'"),
    ]:
        with pytest.raises(ValueError, match=message):
            make()


@pytest.mark.parametrize("symbols", [[], [np.nan], [0.0, np.nan], [[0, 1]]])
def test_symbols_without_a_symbol_raise(symbols):
    with pytest.raises(ValueError, match="`symbols` must be a non-empty list without missing values"):
        CategoricalHMM(2, symbols=symbols).fit([[0, 1], [1, 0]])
