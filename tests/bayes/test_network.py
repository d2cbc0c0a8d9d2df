"""Discrete Bayesian networks."""

import itertools
import math

import matplotlib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from statlearn._core.warnings import StatlearnWarning
from statlearn._math.graphs.graph import CycleError
from statlearn.bayes import DiscreteBayesianNetwork, expand_incomplete
from tests.helpers import assert_close

matplotlib.use("Agg")

BAGS = pd.DataFrame(
    [(None, "c", "r"), (1, "l", "r"), (1, "c", None), (1, "c", "g"), (None, "l", None)],
    columns=["Bag", "Flavour", "Wrapper"],
    dtype=object,
)
BAG_EDGES = [("Bag", "Flavour"), ("Bag", "Wrapper")]
BAG_STATES = {"Bag": [1, 2], "Flavour": ["c", "l"], "Wrapper": ["r", "g"]}


def bags(start, **settings_):
    init = {
        "Bag": [start[0], 1 - start[0]],
        "Flavour": [[p, 1 - p] for p in start[1:3]],
        "Wrapper": [[p, 1 - p] for p in start[3:]],
    }
    return DiscreteBayesianNetwork(BAG_EDGES, states=BAG_STATES, init=init, **settings_)


def random_network(seed, n=6, most_parents=3, sizes=(2, 3)):
    rng = np.random.default_rng(seed)
    states = {f"n{i}": list(range(rng.integers(sizes[0], sizes[1] + 1))) for i in range(n)}
    parents = {
        f"n{i}": [f"n{j}" for j in rng.choice(i, size=min(i, rng.integers(0, most_parents + 1)), replace=False)]
        for i in range(n)
    }
    tables = {v: rng.dirichlet(np.ones(len(states[v])), size=tuple(len(states[u]) for u in parents[v])) for v in states}
    return DiscreteBayesianNetwork.from_tables(tables, states, parents)


def joint(network):
    """All joint states and their log probabilities, by the definition."""
    every = [dict(zip(network.nodes_, c)) for c in itertools.product(*(network.states_[v] for v in network.nodes_))]
    logs = [
        sum(math.log(network.tables_[v][tuple(full[u] for u in (*network.parents_[v], v))]) for v in network.nodes_)
        for full in every
    ]
    return every, np.array(logs)


@pytest.mark.spec("BAY-18")
@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(0, 4))
def test_inference_by_tree_and_enumeration_equals_the_definition(seed, n_observed):
    network = random_network(seed)
    rng = np.random.default_rng(seed + 1)
    observed = rng.choice(network.nodes_, size=n_observed, replace=False)
    evidence = {str(v): int(rng.integers(len(network.states_[v]))) for v in observed}
    hidden = [v for v in network.nodes_ if v not in evidence]
    every, logs = joint(network)
    fits = np.array([all(full[v] == s for v, s in evidence.items()) for full in every])
    p = np.where(fits, np.exp(logs), 0.0)
    assert_close(p[fits].sum(), np.exp(network.log_evidence(evidence)))
    wanted = hidden[-2:][::-1]
    want = np.zeros([len(network.states_[v]) for v in wanted])
    for full, q in zip(every, p):
        want[tuple(full[v] for v in wanted)] += q
    want /= want.sum()
    for method in ("auto", "enumeration", "junction_tree"):
        found = network.query(wanted, evidence, method=method)
        assert_close(found.values, want, atol=1e-12)
        assert found.variables == wanted
    marginals = network.marginals(evidence)
    for v in hidden:
        assert_close(marginals[v], [p[[full[v] == s for full in every]].sum() / p.sum() for s in network.states_[v]])
    for v, state in evidence.items():
        assert marginals[v].tolist() == np.eye(len(network.states_[v]))[state].tolist()
    best, log_p = network.most_probable_explanation(evidence)
    assert_close(log_p, logs[fits].max())
    assert all(best[v] == s for v, s in evidence.items())
    assert_close(logs[every.index(best)], log_p)


@pytest.mark.spec("BAY-18")
def test_printed_posterior_of_the_alarm():
    # Russell & Norvig, Artificial Intelligence, section 14.4: P(burglary | john calls, mary calls) = .284.
    yes_no = {v: ["yes", "no"] for v in "BEAJM"}
    tables = {
        "B": [0.001, 0.999],
        "E": [0.002, 0.998],
        "A": [[[0.95, 0.05], [0.94, 0.06]], [[0.29, 0.71], [0.001, 0.999]]],
        "J": [[0.9, 0.1], [0.05, 0.95]],
        "M": [[0.7, 0.3], [0.01, 0.99]],
    }
    network = DiscreteBayesianNetwork.from_tables(tables, yes_no, {"A": ["B", "E"], "J": ["A"], "M": ["A"]})
    for method in ("enumeration", "junction_tree"):
        found = network.query("B", {"J": "yes", "M": "yes"}, method=method)
        assert_close(found["yes"], 0.2841718353643929, rtol=1e-12)  # pgmpy 1.1.2, pyAgrum 3.3.1
    assert network.d_separated("B", "E")
    assert not network.d_separated("B", "E", given=["J"])
    assert network.markov_blanket("B") == ["E", "A"]
    assert network.n_parameters() == 10
    assert "Free parameters  10" in str(network.summary())
    sampled = network.query("B", {"J": "yes", "M": "yes"}, method="sampling", n_samples=200_000, random_state=0)
    assert abs(sampled["yes"] - 0.28417) < 0.06  # few samples have a burglary: 4.5 standard errors
    assert network.query(["A", "B"], {"J": "yes"}).to_frame().shape == (4, 3)
    assert_close(sum(network.query(["A", "B"], {"J": "yes"}).to_dict().values()), 1.0)


@pytest.mark.spec("BAY-18")
def test_tables_are_weighted_counts_with_optional_smoothing(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (200, 3))
    w = rng.integers(0, 3, 200)
    for alpha in (0.0, 0.5):
        network = DiscreteBayesianNetwork([("x0", "x2"), ("x1", "x2")], alpha=alpha).fit(X, sample_weight=w)
        counts = np.zeros((3, 3, 3))
        np.add.at(counts, tuple(X.T), w)
        top = counts + alpha
        assert_close(network.tables_["x2"], top / top.sum(axis=2, keepdims=True))
        first = np.bincount(X[:, 0], w, minlength=3) + alpha
        assert_close(network.tables_["x0"], first / first.sum())
        copies = DiscreteBayesianNetwork([("x0", "x2"), ("x1", "x2")], alpha=alpha).fit(np.repeat(X, w, axis=0))
        assert_close(copies.log_likelihood_, network.log_likelihood_)
    assert network.n_iter_ == 1
    logs = sum(np.log(network.tables_[v][at]) for v, at in
               [("x0", X[:, 0]), ("x1", X[:, 1]), ("x2", tuple(X.T))])  # fmt: skip
    assert_close(network.score_samples(X), logs)
    assert_close(network.score(X), logs.mean())


@pytest.mark.spec("BAY-18")
def test_samples_have_the_frequencies_of_the_network(seed):
    network = random_network(3, n=4)
    rows = network.sample(40_000, random_state=seed)
    every, logs = joint(network)
    p = np.exp(logs)
    number = {tuple(full.values()): k for k, full in enumerate(every)}
    found = np.bincount([number[tuple(row)] for row in rows], minlength=len(every))
    expected = 40_000 * p
    chi2 = np.sum((found - expected) ** 2 / expected)
    assert chi2 < len(every) + 6 * np.sqrt(2 * len(every))
    assert np.array_equal(network.sample(5, random_state=seed), network.sample(5, random_state=seed))
    drawn, weights = network.sample(40_000, {"n3": 0}, return_weights=True, random_state=seed)
    assert set(drawn[:, 3]) == {0}
    want = network.query("n0", {"n3": 0}).values
    assert_close([np.average(drawn[:, 0] == s, weights=weights) for s in network.states_["n0"]], want, atol=0.03)


@pytest.mark.spec("BAY-19", "BAY-T9", "BAY-20")
def test_bags_with_missing_values_from_an_asymmetric_start():
    first = bags([0.5, 0.6, 0.4, 0.6, 0.4], tol=0.0, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="1 steps"):
        first.fit(BAGS)
    assert_close(first.log_likelihoods_, [-7.484721, -5.865097], atol=1e-6)
    assert_close(first.tables_["Bag"][0], 0.818462, atol=1e-6)
    assert_close(first.tables_["Flavour"][:, 0], [0.657895, 0.338983], atol=1e-6)
    assert_close(first.tables_["Wrapper"][:, 0], [0.618797, 0.603390], atol=1e-6)
    model = bags([0.5, 0.6, 0.4, 0.6, 0.4], tol=1e-14, max_iter=10_000).fit(BAGS)
    assert_close(model.log_likelihoods_[:4], [-7.484721, -5.865097, -5.506041, -5.376041], atol=1e-6)
    assert_close(model.log_likelihood_, -5.274601, atol=1e-6)
    assert_close(model.tables_["Bag"][0], 1.0, atol=1e-5)
    assert_close([model.tables_["Flavour"][0, 0], model.tables_["Wrapper"][0, 0]], [0.6, 2 / 3], atol=1e-5)

    start = bags([0.5, 0.6, 0.4, 0.6, 0.4])
    network = DiscreteBayesianNetwork.from_tables(start.init, BAG_STATES, {"Flavour": ["Bag"], "Wrapper": ["Bag"]})
    table = expand_incomplete(network, BAGS)
    assert len(table.rows) == 10
    assert_close(np.bincount(table.source, table.weights), 1.0)
    frame = table.to_frame()
    again = DiscreteBayesianNetwork(BAG_EDGES, states=BAG_STATES).fit(
        frame[["Bag", "Flavour", "Wrapper"]], sample_weight=frame["weight"]
    )
    for node in BAG_STATES:  # the M step is the fit of the E-step table
        assert_close(again.tables_[node], first.tables_[node])


@pytest.mark.spec("BAY-T10")
def test_bags_from_the_symmetric_start():
    with pytest.warns(ConvergenceWarning):
        model = bags([0.5] * 5, tol=0.0, max_iter=1).fit(BAGS)
    assert_close(model.tables_["Bag"][0], 0.8, atol=1e-9)
    assert_close(model.tables_["Flavour"][:, 0], [0.625, 0.5], atol=1e-9)
    assert_close(model.tables_["Wrapper"][:, 0], [0.5625, 0.75], atol=1e-9)


@pytest.mark.spec("BAY-P12", "BAY-19")
@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_em_never_lowers_the_likelihood(seed):
    network = random_network(seed, n=5)
    rng = np.random.default_rng(seed)
    rows = network.sample(60, random_state=seed)
    complete = pd.DataFrame(rows.copy(), columns=network.nodes_)
    rows[rng.uniform(size=rows.shape) < 0.3] = None
    data = pd.DataFrame(rows, columns=network.nodes_)
    model = DiscreteBayesianNetwork(network.edges, states=network.states_, tol=1e-7, random_state=seed, max_iter=3000)
    model.fit(data)
    assert np.all(np.diff(model.log_likelihoods_) >= -1e-9 * abs(model.log_likelihood_))
    assert_close(model.score_samples(data).sum(), model.log_likelihood_, rtol=1e-9)
    table = expand_incomplete(model, data)
    assert_close(np.bincount(table.source, table.weights, minlength=60), 1.0)
    model.fit(complete)
    assert model.n_iter_ == 1  # closed form
    counts = complete.groupby(network.nodes_[0]).size()
    assert_close(model.tables_[network.nodes_[0]][counts.index.astype(int)], counts / 60)


@pytest.mark.spec("BAY-19")
def test_rows_with_many_missing_values_agree_with_enumeration():
    """A chain whose rows lack 13 neighbouring values has 8,192 completions: the junction tree is used."""
    rng = np.random.default_rng(0)
    n = 15
    edges = [(f"x{i}", f"x{i + 1}") for i in range(n - 1)]
    X = np.empty((30, n))
    X[:, 0] = rng.integers(0, 2, 30)
    for i in range(1, n):
        X[:, i] = np.where(rng.uniform(size=30) < 0.8, X[:, i - 1], 1 - X[:, i - 1])
    X[0, 1:14] = np.nan
    model = DiscreteBayesianNetwork(edges, tol=0.0, max_iter=1, random_state=0)
    with pytest.warns(ConvergenceWarning):
        model.fit(X)
    start = DiscreteBayesianNetwork(edges, random_state=0)
    start.fit(X[1:])  # for its layout
    from statlearn.bayes._network_arrays import expected_counts

    layout, flat, _ = start._layout()
    codes = start._codes(X)
    for weights in (np.ones(30), rng.uniform(size=30)):
        tree = layout.tree()
        by_tree = expected_counts(layout, flat, codes, weights, tree)
        from statlearn._core import native

        counts = np.zeros(len(flat))
        log_p, _ = native.bayes.expected_counts(*layout.arrays(flat), *tree, codes, weights, 10**6, counts)
        assert_close(by_tree[0], counts, atol=1e-12)
        assert_close(by_tree[1], log_p)


@pytest.mark.spec("BAY-P13")
def test_symmetric_start_of_a_hidden_class_is_a_fixed_point(seed):
    X = np.random.default_rng(seed).integers(0, 2, (50, 3))
    means = X.mean(axis=0)
    init = {"H": [0.5, 0.5], **{f"x{j}": [[1 - m, m]] * 2 for j, m in enumerate(means)}}
    edges = [("H", f"x{j}") for j in range(3)]
    with pytest.warns(ConvergenceWarning, match="the same for all states of the latent node 'H'"):
        model = DiscreteBayesianNetwork(edges, latent={"H": 2}, init=init).fit(X)
    assert_close(model.tables_["H"], 0.5)
    for j in range(3):
        assert_close(model.tables_[f"x{j}"][:, 1], means[j])
    free = DiscreteBayesianNetwork(edges, latent={"H": 2}, random_state=seed, tol=1e-9, max_iter=5000).fit(X)
    assert free.log_likelihood_ > model.log_likelihood_ + 1e-3  # chance leaves the symmetric point


def test_a_latent_class_model_is_recovered(seed):
    rng = np.random.default_rng(seed)
    h = rng.integers(0, 2, 4000)
    X = (rng.uniform(size=(4000, 5)) < np.where(h[:, None] == 1, 0.85, 0.2)).astype(int)
    edges = [("H", f"x{j}") for j in range(5)]
    model = DiscreteBayesianNetwork(edges, latent={"H": ["a", "b"]}, random_state=seed, tol=1e-9).fit(X)
    found = np.sort([model.tables_[f"x{j}"][:, 1] for j in range(5)], axis=1)
    assert_close(found, [[0.2, 0.85]] * 5, atol=0.05)
    guess = model.posterior(X, "H")[:, 1] > 0.5
    assert max(np.mean(guess == h), np.mean(guess != h)) > 0.9
    assert model.impute(X[:3]).shape == (3, 6)


def test_impute_fills_the_most_probable_states():
    network = random_network(5)
    rows = network.sample(20, random_state=0)
    full = rows.copy()
    rows[::2, 1] = None
    rows[::3, 4] = None
    filled = network.impute(pd.DataFrame(rows, columns=network.nodes_))
    kept = rows != None  # noqa: E711
    assert np.array_equal(filled[kept], full[kept])
    for i in (0, 2, 3):
        evidence = {v: s for v, s in zip(network.nodes_, rows[i]) if s is not None}
        best, _ = network.most_probable_explanation(evidence)
        assert filled[i].tolist() == list(best.values())


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda n: n.query("n0", {"n1": 7}), ValueError, "7 is not a state of 'n1'; its states are 0, 1"),
        (lambda n: n.query("n0", {"zz": 0}), ValueError, "`evidence`: 'zz' is not a node"),
        (lambda n: n.query("zz"), ValueError, "`variables`: 'zz' is not a node"),
        (lambda n: n.query("n0", {"n0": 0}), ValueError, "'n0' is observed"),
        (lambda n: n.query("n0", method="magic"), ValueError, "`method` must be"),
        (
            lambda n: DiscreteBayesianNetwork([("x0", "x1"), ("x1", "x0")]).fit([[0, 1], [1, 0]]),
            CycleError,
            "x0 -> x1 -> x0",
        ),
        (lambda n: DiscreteBayesianNetwork([("x0", "x7")]).fit([[0, 1], [1, 0]]), ValueError, "'x7'"),
        (
            lambda n: DiscreteBayesianNetwork(states={"x0": [0]}).fit([[0, 1], [1, 0]]),
            ValueError,
            "1 is not a state of 'x0'",
        ),
        (lambda n: DiscreteBayesianNetwork.from_tables({"a": [0.5, 0.6]}, {"a": [0, 1]}), ValueError, "sum to 1"),
        (
            lambda n: DiscreteBayesianNetwork.from_tables({"a": [1.0]}, {"a": [0, 1]}),
            ValueError,
            r"table of 'a' must have the shape \(2,\)",
        ),
        (lambda n: DiscreteBayesianNetwork.from_tables({}, {"a": [0, 1]}), ValueError, "table of 'a' is missing"),
        (lambda n: DiscreteBayesianNetwork(latent={"x0": 2}).fit([[0], [1]]), ValueError, "`latent`: 'x0' is a column"),
        (lambda n: DiscreteBayesianNetwork(latent={"h": 1.5}).fit([[0], [1]]), ValueError, "`latent`: 'h' must have a"),
        (lambda n: DiscreteBayesianNetwork(latent={"h": 0}).fit([[0], [1]]), ValueError, "'h' must have at least one"),
        (lambda n: DiscreteBayesianNetwork([("x0", "x0")]).fit([[0], [1]]), ValueError, "^`edges`: .* to itself"),
        (lambda n: DiscreteBayesianNetwork([3]).fit([[0], [1]]), ValueError, "`edges` must be a list of pairs"),
        (lambda n: n.query("n0", "n1"), TypeError, "`evidence` must be a dict"),
    ],
)
def test_wrong_input_is_named(act, error, message):
    with pytest.raises(error, match=message):
        act(random_network(1))


AB, OF_B = {"a": ["x", "y"], "b": ["u", "v"]}, {"b": ["a"]}


@pytest.mark.parametrize(
    ("tables", "parents", "message"),
    [
        ({"a": [0.5, 0.5], "b": [0.5, 0.5]}, OF_B, r"table of 'b' must have the shape \(2, 2\) \(a, b\), got \(2,\)"),
        ({"a": [0.5, 0.5], "b": [[0.5, 0.5], [0.5, 0.6]]}, OF_B, "sum to 1 over its states, got 0.5, 0.6 for a='y'"),
        ({"a": [-0.5, 1.5], "b": [[0.5, 0.5]] * 2}, OF_B, "table of 'a' .*got -0.5, 1.5"),
        ({"a": [np.nan, 1.0], "b": [[0.5, 0.5]] * 2}, OF_B, "table of 'a' .*got nan, 1.0"),
        ({"a": ["p", "q"], "b": [[0.5, 0.5]] * 2}, OF_B, "table of 'a' must be an array of numbers"),
        ({"a": [0.5, 0.5], "b": [[0.5, 0.5], [0.5]]}, OF_B, "table of 'b' must be an array of numbers"),
        ({"a": [0.5, 0.5], "b": [0.5, 0.5], "c": [1.0]}, None, "`tables`: 'c' has no entry in `states`"),
        ({"a": [0.5, 0.5], "b": [0.5, 0.5]}, {"b": ["c"]}, "^`parents`: 'c' in"),
        ({"a": [[0.5, 0.5]] * 2, "b": [[0.5, 0.5]] * 2}, {"a": ["b"], "b": ["a"]}, "^`parents` has the directed cycle"),
    ],
)
def test_tables_that_do_not_match_raise(tables, parents, message):
    with pytest.raises(ValueError, match=message):
        DiscreteBayesianNetwork.from_tables(tables, AB, parents)


def test_impossible_evidence_raises():
    network = DiscreteBayesianNetwork.from_tables(
        {"a": [1.0, 0.0], "b": [[1.0, 0.0], [0.5, 0.5]], "c": [0.5, 0.5]},
        {v: ["no", "yes"] for v in "abc"},
        {"b": ["a"]},
    )
    for method in ("enumeration", "junction_tree", "sampling"):
        with pytest.raises(ValueError, match=r"`evidence` \(b='yes'\) has probability 0"):
            network.query("c", {"b": "yes"}, method=method)
    for ask in (network.most_probable_explanation, network.marginals, lambda evidence: network.sample(3, evidence)):
        with pytest.raises(ValueError, match="has probability 0"):
            ask({"b": "yes"})
    assert network.log_evidence({"b": "yes"}) == -np.inf
    rows = pd.DataFrame({"a": ["no", None], "b": ["no", "yes"]})
    for ask in (lambda X: network.posterior(X, "c"), network.impute, lambda X: expand_incomplete(network, X)):
        with pytest.raises(ValueError, match=r"row 1 has probability 0 .*positive `alpha`"):
            ask(rows)


def test_a_network_too_wide_raises_with_its_largest_clique():
    n = 40  # two layers, every child with its own pair: the moral graph of all pairs of 40 nodes is complete
    states = {f"p{i}": [0, 1] for i in range(n)}
    parents, tables = {}, {v: [0.5, 0.5] for v in states}
    for i, j in itertools.combinations(range(n), 2):
        child = f"c{i}_{j}"
        states[child], parents[child] = [0, 1], [f"p{i}", f"p{j}"]
        tables[child] = np.full((2, 2, 2), 0.5)
    network = DiscreteBayesianNetwork.from_tables(tables, states, parents)
    with pytest.raises(MemoryError, match=r"clique of 40 nodes .* 1,099,511,627,776 cells .*method='sampling'"):
        network.marginals()
    with pytest.raises(MemoryError, match=r"clique of 40 nodes .*Drop rows or columns with many missing values"):
        DiscreteBayesianNetwork(network.edges, states=states).fit(pd.DataFrame([{v: None for v in states}]))
    with pytest.raises(MemoryError, match=r"about 10\^246 completions"):
        expand_incomplete(network, np.full((1, len(states)), np.nan))
    assert_close(network.query("p0", method="sampling", n_samples=2000, random_state=0)[0], 0.5, atol=0.06)
    observed = {f"p{i}": 0 for i in range(1, n)}  # evidence makes it narrow
    assert_close(network.query("p0", observed, method="junction_tree").values, 0.5)


def test_bif_round_trip_and_foreign_layouts(tmp_path):
    network = random_network(2)
    again = DiscreteBayesianNetwork.from_bif(network.to_bif(tmp_path / "net.bif"))
    assert again.nodes_ == network.nodes_
    assert again.parents_ == network.parents_
    for v in network.nodes_:
        assert np.array_equal(again.tables_[v], network.tables_[v])
        assert again.states_[v] == [str(s) for s in network.states_[v]]
    from_file = DiscreteBayesianNetwork.from_bif(tmp_path / "net.bif")
    assert np.array_equal(from_file.tables_["n5"], network.tables_["n5"])
    text = """
    // a comment
    network "dogs" { property author nobody; }
    variable light-on { type discrete[2] { true, false }; property x = (1,2); }
    variable out { type discrete [ 2 ] { "yes", no }; }
    variable family { type discrete [ 2 ] { 1, 2 }; }
    probability (family) { table 0.15, 0.85; }
    probability (light-on | family) { table 0.6, 0.05, 0.4, 0.95; }
    probability (out | light-on, family) { default 0.3, 0.7; (true, 1) 0.9, 0.1; }
    """
    dogs = DiscreteBayesianNetwork.from_bif(text)
    assert_close(dogs.tables_["light-on"], [[0.6, 0.4], [0.05, 0.95]])
    assert_close(dogs.tables_["out"], [[[0.9, 0.1], [0.3, 0.7]], [[0.3, 0.7], [0.3, 0.7]]])
    for broken, message in [
        (text.replace("0.15, 0.85", "0.15"), "needs 2 numbers"),
        (text.replace("(true, 1)", "(maybe, 1)"), "not states of the parents"),
        (text.replace("default 0.3, 0.7;", ""), "'out' is incomplete"),
        ("variable a { type discrete [2] { x, y }; }", "table of 'a' is missing"),
        ("nonsense {", "unexpected 'nonsense'"),
    ]:
        with pytest.raises(ValueError, match=message):
            DiscreteBayesianNetwork.from_bif(broken)


def test_the_drawing_has_every_node_with_parents_above():
    network = random_network(2)
    ax = network.plot()
    texts = {t.get_text(): t.get_position() for t in ax.texts if t.get_text()}
    assert set(texts) == set(network.nodes_)
    assert all(texts[u][1] > texts[v][1] for v in network.nodes_ for u in network.parents_[v])
    assert len(set(texts.values())) == len(texts)


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "empty string"), ("network x { variable a", "expected more text, got the end of the text")],
)
def test_invalid_bif_text_raises(text, message):
    with pytest.raises(ValueError, match=f"`source` .*{message}"):
        DiscreteBayesianNetwork.from_bif(text)


def test_columns_whose_values_hardly_repeat_are_reported(rng):
    X = pd.DataFrame({"size": rng.normal(size=100), "kind": np.arange(100) % 40})
    with pytest.warns(StatlearnWarning, match="column 'size' has 100 distinct values in 100 rows"):
        DiscreteBayesianNetwork().fit(X)
    DiscreteBayesianNetwork().fit(X[["kind"]])  # 40 states, most of them three times


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ("variable A { type discrete [2] {a, b, c}; }", "'A' is declared with 2 states, but has 3"),
        ("variable A { property unused; }", "the variable 'A' has no states"),
        ("variable A { type discrete [2] {a, b}; } variable A { type discrete [2] {a, b}; }", "'A' is declared twice"),
        (
            "variable A { type discrete [2] {a, b}; } probability (A) { table 0.1, 0.9; }",
            "'A' has two probability tables",
        ),
        ("variable B { type discrete [2] {a, b}; }", "'A' has a probability table, but is not declared as a variable"),
    ],
)
def test_contradictions_in_a_bif_file_raise(variables, message):
    with pytest.raises(ValueError, match=message):
        DiscreteBayesianNetwork.from_bif(f"network x {{}} {variables} probability (A) {{ table 0.5, 0.5; }}")


def test_excessive_networks_in_bif_raise_at_once():
    one = "variable p{0} {{ type discrete [2] {{x, y}}; }} probability (p{0}) {{ table .5, .5; }}"
    states = [one.format(k) for k in range(70)]
    child = "variable a { type discrete [2] {x, y}; } probability ( a | %s ) { default .5, .5; }"
    for parents, message in ((45, "the table of 'a' would take"), (70, "at most 60 different parents")):
        names = ", ".join(f"p{k}" for k in range(parents))
        with pytest.raises((ValueError, MemoryError), match=message):
            DiscreteBayesianNetwork.from_bif("\n".join(states) + child % names)
    with pytest.raises(ValueError, match="different parents"):
        DiscreteBayesianNetwork.from_bif("\n".join(states) + child % "p0, p0")
    with pytest.raises(ValueError, match="expected the table of one variable"):
        DiscreteBayesianNetwork.from_bif("probability ( ) { table 1; }")
    with pytest.raises(ValueError, match="source"):
        DiscreteBayesianNetwork.from_bif("{" + "/*" * 500_000)


def many_children(size, n_states):
    """A root of equal states and binary children, and the tables."""
    rng = np.random.default_rng(0)
    tables, states, parents = {"c": np.full(n_states, 1 / n_states)}, {"c": list(range(n_states))}, {}
    for i in range(size):
        p = rng.uniform(0.3, 0.7, (n_states, 1))
        tables[f"x{i}"], states[f"x{i}"], parents[f"x{i}"] = np.hstack([p, 1 - p]), [0, 1], ["c"]
    return DiscreteBayesianNetwork.from_tables(tables, states, parents), tables


@pytest.mark.parametrize("size, n_states", [(400, 10)])
def test_products_of_many_tables_do_not_underflow(size, n_states):
    """The messages to the root were multiplied as they came: the evidence had probability 0."""
    network, tables = many_children(size, n_states)
    evidence = {f"x{i}": 0 for i in range(size)}
    logs = sum(np.log(tables[name][:, 0]) for name in evidence) - np.log(n_states)
    posterior = np.exp(logs - np.logaddexp.reduce(logs))
    assert_close(network.log_evidence(evidence), np.logaddexp.reduce(logs))
    assert_close(network.marginals(evidence)["c"], posterior, atol=1e-12)
    for method in ("enumeration", "junction_tree"):
        assert_close(network.query("c", evidence, method=method).values, posterior, atol=1e-12)
    best, log_p = network.most_probable_explanation(evidence)
    assert best["c"] == np.argmax(logs)
    assert_close(log_p, logs.max())


def test_a_latent_parent_of_many_columns_is_fitted():
    """The product of the tables of one row underflowed, and the row was called impossible."""
    X = np.random.default_rng(0).integers(0, 10, (40, 400))
    edges = [("h", f"x{j}") for j in range(400)]
    network = DiscreteBayesianNetwork(edges, latent={"h": 2}, random_state=0, max_iter=3, tol=1e3).fit(X)
    assert -40 * 400 * np.log(10) < network.log_likelihood_ < 0 if hasattr(network, "log_likelihood_") else True
    assert_close(sum(network.tables_["h"]), 1.0)
