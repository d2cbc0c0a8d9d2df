"""Gibbs distributions, Markov properties, Ising models and Boltzmann machines."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from statlearn._core.warnings import StatlearnWarning
from statlearn.graphical import (
    BernoulliRBM,
    BoltzmannMachine,
    GibbsDistribution,
    IsingModel,
    UndirectedGraph,
    markov_report,
    stack_rbms,
    with_labels,
)
from statlearn.graphical._boltzmann import _exact_gradient
from statlearn.graphical._ising import all_states
from tests.helpers import assert_close


@pytest.mark.spec("GRM-T10", "GRM-21")
def test_pairwise_without_local():
    table = np.zeros((2, 2, 2))
    table[0, 0, 0] = table[1, 1, 1] = 0.5
    report = markov_report(table, [("B", "C")])
    assert (report.pairwise, report.local, report.global_, report.positive) == (True, False, False, False)
    assert (["A"], ["B", "C"], []) in report.counterexamples["local"]
    assert not GibbsDistribution.from_table(table).independent(["A"], ["B", "C"])


@pytest.mark.spec("GRM-T11", "GRM-21")
def test_local_without_global():
    table = np.zeros((2, 2, 2, 2))
    table[0, 0, 0, 0] = table[1, 1, 1, 1] = 0.5
    report = markov_report(table, [("A", "B"), ("C", "D")])
    assert (report.pairwise, report.local, report.global_) == (True, True, False)
    assert (["A"], ["C"], []) in report.counterexamples["global"]
    assert "fails" in repr(report)


@pytest.mark.spec("GRM-P10", "GRM-21")
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**20), zeros=st.booleans())
def test_order_of_the_markov_properties(seed, zeros):
    rng = np.random.default_rng(seed)
    edges = [pair for pair in ["ab", "bc", "cd", "ad", "ac", "bd"] if rng.random() < 0.5]
    graph = UndirectedGraph("abcd", edges)
    tables = [(list(clique), rng.integers(0 if zeros else 1, 4, size=(2,) * len(clique))) for clique in graph.cliques()]
    try:
        law = GibbsDistribution(dict.fromkeys("abcd", 2), tables)
    except ValueError:  # zero everywhere
        return
    report = markov_report(law, graph)
    assert report.global_  # a product over cliques has the global property
    other = markov_report(law, UndirectedGraph("abcd", [e for e in edges if rng.random() < 0.5]))
    if other.global_:
        assert other.local
    if other.local:
        assert other.pairwise
    if other.positive:
        assert other.pairwise == other.local == other.global_


@pytest.mark.spec("GRM-22")
def test_gibbs_marginals_are_sums_of_the_product(seed):
    rng = np.random.default_rng(seed)
    f, g, h = rng.random((2, 3)), rng.random((3, 2)), rng.random((2, 3, 2))
    law = GibbsDistribution({"a": 2, "b": 3, "c": 2}, [("ab", f), ("bc", g), (["c", "b", "a"], h)])
    joint = np.einsum("ab,bc,cba->abc", f, g, h)
    assert_close(law.log_partition, np.log(joint.sum()))
    assert_close(law.table, joint / joint.sum())
    assert_close(law.marginal(["c", "a"]), joint.sum(axis=1).T / joint.sum())
    assert_close(law.conditional(["a"], {"b": 1, "c": 0}), joint[:, 1, 0] / joint[:, 1, 0].sum())
    assert_close(law.probability({"a": 1, "c": 1}), joint[1, :, 1].sum() / joint.sum())
    assert law.graph().edges() == [("a", "b"), ("a", "c"), ("b", "c")]


@pytest.mark.spec("GRM-22")
def test_pairwise_tables_cannot_express_a_triple_interaction():
    parity = np.array([[[0.2, 0.05], [0.05, 0.2]], [[0.05, 0.2], [0.2, 0.05]]])
    law = GibbsDistribution.from_table(parity)
    ising = IsingModel("exact").fit(all_states(3), sample_weight=law.table.ravel())
    assert_close(ising.probabilities(), np.full(8, 1 / 8), atol=1e-6)  # every pair is independent


@pytest.mark.parametrize(
    ("potentials", "message"),
    [
        ([("ax", np.ones((2, 2)))], "'x'"),
        ([("ab", np.ones((2, 3)))], "shape"),
        ([("ab", -np.ones((2, 2)))], "negative"),
        ([("ab", np.zeros((2, 2)))], "zero"),
    ],
)
def test_bad_potentials_raise(potentials, message):
    with pytest.raises(ValueError, match=message):
        GibbsDistribution({"a": 2, "b": 2}, potentials)
    with pytest.raises(ValueError, match="sum to 1"):
        GibbsDistribution.from_table([0.5, 0.6])


def random_ising(rng, p, scale=1.0):
    J = np.triu(rng.normal(scale=scale, size=(p, p)), 1)
    return IsingModel.from_parameters(J + J.T, rng.normal(scale=0.5, size=p))


@pytest.mark.spec("GRM-P11", "GRM-23")
def test_conditionals_are_logistic(seed):
    model = random_ising(np.random.default_rng(seed), 4)
    states, law = all_states(4), model.probabilities()
    assert_close(law.sum(), 1.0)
    assert_close(model.score_samples(states), np.log(law))
    for j in range(4):
        flipped = states.copy()
        flipped[:, j] = 1 - flipped[:, j]
        partner = flipped @ (2 ** np.arange(4)[::-1])
        one = np.where(states[:, j] == 1, law, law[partner.astype(int)])
        assert_close(model.conditional(states)[:, j], one / (law + law[partner.astype(int)]))


@pytest.mark.spec("GRM-P11", "GRM-23", "GRM-24")
@pytest.mark.parametrize("method", ["exact", "ipf"])
def test_margins_of_edges_and_nodes_match_the_data(method, seed):
    rng = np.random.default_rng(seed)
    X = random_ising(rng, 5).sample(400, random_state=seed)
    edges = [(0, 1), (1, 2), (2, 3), (0, 3)]
    model = IsingModel(method, graph=edges, tol=1e-9, max_iter=5000).fit(X)
    law, states = model.probabilities(), all_states(5)
    assert_close(law @ states, X.mean(axis=0), atol=1e-6)
    for i, j in edges:
        assert_close(law @ (states[:, i] * states[:, j]), np.mean(X[:, i] * X[:, j]), atol=1e-6)
    assert model.interactions_[0, 2] == 0
    assert model.n_edges_ == 4


@pytest.mark.spec("GRM-24", "GRM-23")
def test_three_ways_of_fitting_agree(seed):
    rng = np.random.default_rng(seed)
    X = random_ising(rng, 4, 0.7).sample(20000, random_state=seed)
    exact, ipf = IsingModel("exact").fit(X), IsingModel("ipf", tol=1e-10).fit(X)
    assert_close(ipf.interactions_, exact.interactions_, atol=1e-5)
    assert_close(ipf.bias_, exact.bias_, atol=1e-5)
    pseudo = IsingModel("pseudo").fit(X)
    assert np.abs(pseudo.interactions_ - exact.interactions_).max() < 0.1  # consistent, not equal
    # Two variables: the pseudo-likelihood maximum is the log odds ratio, as the likelihood's.
    two = X[:, :2]
    a, b, c, d = (np.mean((two == s).all(axis=1)) for s in ([0, 0], [0, 1], [1, 0], [1, 1]))
    for method in ("exact", "ipf", "pseudo"):
        assert_close(IsingModel(method).fit(two).interactions_[0, 1], np.log(a * d / (b * c)), atol=1e-5)


@pytest.mark.spec("GRM-P13", "GRM-25")
@pytest.mark.parametrize("rule", ["and", "or"])
def test_l1_neighbourhoods_recover_a_sparse_graph(rule, seed):
    rng = np.random.default_rng(seed)
    p = 10
    J = np.zeros((p, p))
    for i in range(p - 1):
        J[i, i + 1] = J[i + 1, i] = 2.0 * rng.choice([-1, 1])
    X = IsingModel.from_parameters(J, -J.sum(axis=1) / 2).sample(3000, random_state=seed)
    model = IsingModel(structure="l1", rule=rule).fit(X)
    assert ((model.interactions_ != 0) == (J != 0)).all()
    assert (np.sign(model.interactions_) == np.sign(J)).all()


def test_ising_weights_and_bad_input(seed):
    rng = np.random.default_rng(seed)
    X, w = rng.integers(0, 2, size=(60, 3)), rng.integers(0, 3, size=60)
    assert_close(
        IsingModel(l2=0.1).fit(X, sample_weight=w).interactions_,
        IsingModel(l2=0.1).fit(np.repeat(X, w, axis=0)).interactions_,
        atol=1e-6,
    )
    with pytest.raises(ValueError, match="only 0 and 1"):
        IsingModel().fit(X + 1)
    with pytest.raises(ValueError, match="2\\^p"):
        IsingModel("exact").fit(rng.integers(0, 2, size=(30, 25)))
    from sklearn.exceptions import ConvergenceWarning

    with pytest.warns(ConvergenceWarning, match="l2"):
        IsingModel("exact").fit([[0, 0], [1, 1], [0, 0], [1, 1]])


def test_gibbs_samples_have_the_moments_of_the_model(seed):
    from statlearn._core.native import graphical as native

    rng = np.random.default_rng(seed)
    model = random_ising(rng, 4, 0.6)
    states = rng.integers(0, 2, size=(20000, 4)).astype(np.uint8)
    J, b = model.interactions_, model.bias_
    native.gibbs_sweeps(J, b, np.ones(4, dtype=np.uint8), 60, 5, states, np.empty((0, 4)))
    second = states.T.astype(float) @ states / len(states)
    exact = (all_states(4) * model.probabilities()[:, None]).T @ all_states(4)
    assert np.abs(second - exact).max() < 5 * 0.5 / np.sqrt(20000)
    frozen = states.copy()
    native.gibbs_sweeps(J, b, np.array([1, 0, 0, 1], dtype=np.uint8), 3, 6, frozen, np.empty((0, 4)))
    assert (frozen[:, 1:3] == states[:, 1:3]).all()


@pytest.mark.spec("GRM-26")
def test_boltzmann_gradient_matches_the_likelihood(seed):
    rng = np.random.default_rng(seed)
    patterns, w = all_states(3)[[0, 3, 5, 7]], np.array([0.1, 0.4, 0.3, 0.2])
    J = np.triu(rng.normal(size=(5, 5)), 1)
    J += J.T
    b = rng.normal(size=5)
    value, (dJ, db) = _exact_gradient(patterns, w, J, b)
    machine = BoltzmannMachine(2)
    machine.interactions_, machine.bias_, machine.n_features_in_ = J, b, 3
    assert_close(value, w @ machine.score_samples(patterns))
    assert_close(np.exp(machine.score_samples(all_states(3))).sum(), 1.0)
    for i, j in [(0, 1), (1, 4), (3, 4)]:
        E = np.zeros((5, 5))
        E[i, j] = E[j, i] = 1e-6
        slope = (_exact_gradient(patterns, w, J + E, b)[0] - _exact_gradient(patterns, w, J - E, b)[0]) / 2e-6
        assert_close(dJ[i, j], slope, atol=1e-7)
    e = 1e-6 * np.eye(5)[3]
    assert_close(
        db[3], (_exact_gradient(patterns, w, J, b + e)[0] - _exact_gradient(patterns, w, J, b - e)[0]) / 2e-6, atol=1e-7
    )


@pytest.mark.spec("GRM-26")
def test_hidden_units_learn_a_parity_that_pairs_cannot():
    X = all_states(3)[[0, 3, 5, 6]]  # even parity: all pairs independent
    ising = BoltzmannMachine(0, n_iter=200, random_state=0).fit(X)
    hidden = BoltzmannMachine(3, n_iter=1500, random_state=1).fit(X)
    assert_close(ising.score(X), np.log(1 / 8), atol=1e-3)
    assert hidden.score(X) > np.log(1 / 8) + 0.3
    assert (np.diff(hidden.log_likelihood_path_) >= -1e-12).all()


@pytest.mark.spec("GRM-26")
def test_sampled_gradients_reach_the_exact_fit(seed):
    rng = np.random.default_rng(seed)
    X = random_ising(rng, 4).sample(3000, random_state=seed)
    exact = BoltzmannMachine(0, method="exact", n_iter=400, random_state=0).fit(X)
    gibbs = BoltzmannMachine(0, method="gibbs", n_iter=400, n_chains=2000, random_state=0).fit(X)
    assert gibbs.score(X) > exact.score(X) - 0.02
    assert set(np.unique(gibbs.sample(10, random_state=0))) <= {0.0, 1.0}


def tiny_rbm(rng, p=4, h=3):
    model = BernoulliRBM(h)
    model.components_ = rng.normal(size=(h, p))
    model.intercept_hidden_, model.intercept_visible_ = rng.normal(size=h), rng.normal(size=p)
    model.n_features_in_ = p
    return model


@pytest.mark.spec("GRM-P12", "GRM-27")
def test_free_energy_and_hidden_units_by_enumeration(seed):
    model = tiny_rbm(np.random.default_rng(seed))
    V, H = all_states(4), all_states(3)
    energy = V @ model.intercept_visible_[:, None] + H @ model.intercept_hidden_ + V @ model.components_.T @ H.T
    assert_close(model.free_energy(V), -np.log(np.exp(energy).sum(axis=1)))
    assert_close(model.log_partition(), np.log(np.exp(energy).sum()))
    posterior = np.exp(energy) / np.exp(energy).sum(axis=1, keepdims=True)
    assert_close(model.transform(V), posterior @ H)
    # Independent given the visible units: the joint posterior is a product.
    mean = model.transform(V)
    product = np.prod(np.where(H[None] == 1, mean[:, None], 1 - mean[:, None]), axis=2)
    assert_close(posterior, product)


@pytest.mark.spec("GRM-P12", "GRM-27")
@pytest.mark.parametrize("method", ["cd", "pcd"])
@pytest.mark.parametrize("k", [1, 3])
def test_learning_lowers_the_reconstruction_error_and_raises_the_likelihood(method, k):
    rng = np.random.default_rng(0)
    base = rng.integers(0, 2, size=(3, 8))
    X = np.abs(base[rng.integers(0, 3, 300)] - (rng.random((300, 8)) < 0.05)).astype(float)
    model = BernoulliRBM(6, method=method, k=k, n_iter=60, learning_rate=0.1, random_state=0).fit(X)
    errors = model.reconstruction_errors_
    assert errors[-1] < 0.6 * errors[0]
    start = -8 * np.log(2)
    fitted = np.mean(-model.free_energy(X)) - model.log_partition()
    assert fitted > start + 1.5


@pytest.mark.spec("GRM-27")
def test_one_step_of_contrastive_divergence_has_the_expected_gradient():
    """Averaged over many seeds, a step from zero weights moves W by rate (<v h>_data - <v h>_model)."""
    from statlearn._core.native import graphical as native

    X = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    total = np.zeros((3, 2))
    for seed in range(4000):
        W, b, c = np.zeros((3, 2)), np.zeros(3), np.zeros(2)
        native.rbm_epoch(X, 2, 1, False, 1.0, seed, 0, W, b, c, np.zeros((2, 2)))
        total += W
    expected = 0.5 * X.mean(axis=0)[:, None] - 0.25  # hidden means are 1/2, drawn visible units have mean 1/2
    assert np.abs(total / 4000 - expected).max() < 0.02


@pytest.mark.spec("GRM-27")
def test_label_units_classify_digits_and_layers_stack():
    X, y = load_digits(return_X_y=True)
    X = (X > 7).astype(np.float32)[:900]
    Z, classes = with_labels(X, y[:900])
    model = BernoulliRBM(60, n_labels=10, n_iter=25, learning_rate=0.05, random_state=0).fit(Z[:700])
    accuracy = np.mean(classes[model.predict_label(X[700:])] == y[700:900])
    assert accuracy > 0.7
    stack = stack_rbms(X, [20, 10], n_iter=2, random_state=0)
    assert stack.transform(X).shape == (900, 10)


def test_sparse_and_dense_rows_give_the_same_machine():
    from scipy.sparse import csr_array

    X = (np.random.default_rng(0).random((50, 6)) < 0.3).astype(float)
    a = BernoulliRBM(4, n_iter=3, random_state=0).fit(X)
    b = BernoulliRBM(4, n_iter=3, random_state=0).fit(csr_array(X))
    assert (a.components_ == b.components_).all()
    assert_close(a.transform(csr_array(X)), expit(X @ a.components_.T + a.intercept_hidden_))
    c = BernoulliRBM(4, random_state=0).partial_fit(X).partial_fit(X).partial_fit(X)
    assert_close(c.components_, a.components_)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_values_that_are_not_probabilities_warn(form):
    X = form(np.array([[0.0, 3.0], [1.0, 0.0], [0.5, 2.0]]))
    with pytest.warns(StatlearnWarning, match=r"between 0 and 3.*\[0, 1\].*MinMaxScaler"):
        BernoulliRBM(2, n_iter=1, random_state=0).fit(X)
    with pytest.warns(StatlearnWarning, match="binary"):
        BernoulliRBM(2, random_state=0).partial_fit(-X)


def test_a_fit_ends_the_random_streams_of_earlier_calls(rng):
    X = rng.integers(0, 2, size=(40, 5)).astype(float)
    used = BernoulliRBM(3, n_iter=2, random_state=0).partial_fit(X).partial_fit(X)
    used.gibbs(X)
    models = [model.fit(X) for model in (used, BernoulliRBM(3, n_iter=2, random_state=0))]
    np.testing.assert_array_equal(*(model.gibbs(X) for model in models))
    np.testing.assert_array_equal(*(model.partial_fit(X).components_ for model in models))


def test_energies_of_large_single_precision_rows_do_not_cancel_to_nan(rng):
    X = rng.integers(2, size=(20, 4)).astype(np.float32)
    model = BernoulliRBM(n_components=2, random_state=0).fit(X)
    model.components_ = model.components_ * np.float32(1e20)
    assert not np.isnan(model.score_samples((1e25 * rng.normal(size=(20, 4))).astype(np.float32))).any()


def test_a_learning_rate_at_which_weights_overflow_is_named(rng):
    X = rng.integers(2, size=(20, 4)).astype(np.float32)
    with pytest.raises(ValueError, match="`learning_rate`"):
        BernoulliRBM(n_components=2, learning_rate=1e300, random_state=0).fit(X)


def chain_rows(n, p=6, strength=2.0, seed=0):
    J = np.diag(np.full(p - 1, strength), 1)
    return IsingModel.from_parameters(J + J.T, np.full(p, -0.5 * strength)).sample(n, random_state=seed)


@pytest.mark.spec("CRS-67")
@pytest.mark.parametrize("alpha", [0.02, 0.1, None])
@pytest.mark.parametrize("l2", [0.0, 0.05])
def test_the_joint_l1_estimate_is_optimal(alpha, l2, seed):
    rng = np.random.default_rng(seed)
    X, w = chain_rows(60, p=5, seed=seed), rng.integers(1, 3, 60).astype(float)
    model = IsingModel(structure="exact_l1", alpha=alpha, l2=l2, tol=1e-10).fit(X, sample_weight=w)
    assert model.kkt_residual_ < 1e-8
    strength = np.sqrt(np.log(5) / w.sum()) if alpha is None else alpha

    def objective(J, b):
        value = IsingModel.from_parameters(J, b).score(X, sample_weight=w)
        edges = np.triu(J, 1)
        return value - strength * np.abs(edges).sum() - 0.5 * l2 * np.sum(edges**2)

    best = objective(model.interactions_, model.bias_)
    for _ in range(20):
        change = 1e-3 * np.triu(rng.normal(size=(5, 5)), 1)
        assert objective(model.interactions_ + change + change.T, model.bias_ + 1e-3 * rng.normal(size=5)) < best
    # The moments of the model, state by state.
    states = np.array(list(itertools.product([0.0, 1.0], repeat=5)))
    gap = np.average(X[:, :, None] * X[:, None], axis=0, weights=w) - np.einsum(
        "s,si,sj->ij", model.probabilities(), states, states
    )
    assert_close(np.diag(gap), 0.0, atol=1e-8)
    J = model.interactions_
    off = ~np.eye(5, dtype=bool)
    assert_close(gap[J != 0], (strength * np.sign(J) + l2 * J)[J != 0], atol=1e-8)
    assert np.all(np.abs(gap[(J == 0) & off]) <= strength + 1e-8)
    assert (J == 0)[off].any()


@pytest.mark.spec("CRS-67")
def test_without_a_penalty_the_joint_estimate_matches_ipf():
    X = chain_rows(400, p=4, strength=0.8)
    joint = IsingModel(structure="exact_l1", alpha=0.0, tol=1e-11).fit(X)
    fitted = IsingModel(method="ipf", tol=1e-12).fit(X)
    assert_close(joint.interactions_, fitted.interactions_, atol=1e-7)
    assert_close(joint.bias_, fitted.bias_, atol=1e-7)
    on_graph = IsingModel(structure="exact_l1", alpha=0.0, graph=[(0, 1), (1, 2)], tol=1e-11).fit(X)
    given = IsingModel(method="ipf", graph=[(0, 1), (1, 2)], tol=1e-12).fit(X)
    assert_close(on_graph.interactions_, given.interactions_, atol=1e-7)
    nothing = IsingModel(structure="exact_l1", alpha=1.0).fit(X)
    assert nothing.n_edges_ == 0
    assert_close(expit(nothing.bias_), X.mean(axis=0), atol=1e-7)


@pytest.mark.spec("CRS-67")
def test_joint_nodewise_and_pseudo_likelihood_edges_agree():
    X = chain_rows(2000)
    chain = {(j, j + 1) for j in range(5)}

    def edges(J, threshold=0.0):
        return {(int(i), int(j)) for i, j in np.argwhere(np.abs(np.triu(J, 1)) > threshold)}

    joint = IsingModel(structure="exact_l1", alpha=0.02).fit(X)
    assert edges(joint.interactions_) == chain
    assert edges(IsingModel(structure="l1", alpha=0.02).fit(X).interactions_) == chain
    assert edges(IsingModel(method="pseudo", tol=1e-6).fit(X).interactions_, 1.0) == chain
    assert np.all(np.abs(joint.interactions_) <= np.abs(IsingModel().fit(X).interactions_) + 0.5)  # shrunken


def test_limits_of_the_joint_estimate():
    with pytest.raises(ValueError, match="up to p = 15; there are 16 variables"):
        IsingModel(structure="exact_l1").fit(chain_rows(20, p=16))
    with pytest.raises(ValueError, match="`alpha` must be positive with structure='l1'"):
        IsingModel(structure="l1", alpha=0.0).fit(chain_rows(20))
    with pytest.warns(ConvergenceWarning, match="a variable is constant"):
        IsingModel(structure="exact_l1").fit(np.column_stack([chain_rows(50, p=3), np.ones(50)]))
