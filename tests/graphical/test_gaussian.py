"""Gaussian algebra: marginals, conditionals, precision, canonical forms."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from statlearn.graphical import (
    CanonicalForm,
    MultivariateGaussian,
    conditional,
    dependence_graph,
    generating_class,
    marginal,
    maximal_cliques,
    partial_correlation,
    precision_matrix,
    regression_from_precision,
    separates,
)
from tests.graphical.data import CARCASS, CARCASS_NAMES, GAUSS4, GAUSS4_MEAN, random_covariance, sparse_precision
from tests.helpers import assert_close


@pytest.mark.spec("GRM-T1", "GRM-03")
def test_precision_of_the_carcass_data():
    K = np.round(100 * precision_matrix(CARCASS)).astype(int)
    assert np.diag(K).tolist() == [44, 16, 54, 14, 56, 16, 26]
    rows = [
        [44, 3, -20, -7, -16, 4, 10],
        [3, 16, -3, -6, -6, -6, -3],
        [-20, -3, 54, 6, -21, -5, 9],
        [-7, -6, 6, 14, -1, -9, 0],
        [-16, -6, -21, -1, 56, 3, 7],
        [4, -6, -5, -9, 3, 16, -1],
    ]
    assert K[:6].tolist() == rows


@pytest.mark.spec("GRM-T2", "GRM-03")
def test_partial_correlations_of_the_carcass_data():
    R = np.round(100 * partial_correlation(CARCASS)).astype(int)
    upper = [
        [-11, 41, 30, 32, -16, -29],
        [9, 41, 19, 35, 16],
        [-24, 38, 18, -24],
        [2, 61, 2],
        [-9, -18],
        [7],
    ]
    assert [R[i, i + 1 :].tolist() for i in range(6)] == upper


@pytest.mark.spec("GRM-T3", "GRM-02")
def test_conditional_of_gauss4():
    mean, covariance = conditional(GAUSS4_MEAN, GAUSS4, [2, 3], [2.8, 4.1])
    assert_close(mean, [0.943956, 2.054945], atol=1e-6)
    assert_close(covariance, [[6.813187, -1.483516], [-1.483516, 6.395604]], atol=1e-6)
    steps = [conditional(np.zeros(4), GAUSS4, [2, 3], unit)[0] for unit in np.eye(2)]
    assert_close(np.column_stack(steps), [[0.417582, 0.274725], [0.021978, 0.593407]], atol=1e-6)


@pytest.mark.spec("GRM-T4", "GRM-03", "GRM-04")
def test_precision_and_regression_of_gauss4():
    K = precision_matrix(GAUSS4)
    assert_close(K[0], [0.154582, 0.035857, -0.065339, -0.063745], atol=1e-6)
    coef, noise = regression_from_precision(K, 0)
    assert_close(coef, [-0.231959, 0.422680, 0.412371], atol=1e-6)
    assert_close(noise, 6.469072, atol=1e-6)
    R = partial_correlation(GAUSS4)
    expected = [-0.224738, 0.448032, 0.370752, 0.123520, 0.606168, 0.024562]
    assert_close(R[np.triu_indices(4, 1)], expected, atol=1e-6)
    assert_close(np.linalg.det(GAUSS4), 3765.0)


@pytest.mark.spec("GRM-T5", "GRM-19")
def test_canonical_form_of_gauss4():
    form = CanonicalForm.from_moments(GAUSS4_MEAN, GAUSS4)
    assert_close(form.h, [-0.224701, -0.120850, 0.294290, 0.474104], atol=1e-6)
    assert_close(form.g, -8.948947, atol=1e-6)


@pytest.mark.spec("GRM-01")
def test_density_and_samples_with_full_and_deficient_rank(seed):
    rng = np.random.default_rng(seed)
    S = random_covariance(rng, 3)
    law = MultivariateGaussian([1, 2, 3], S)
    X = rng.normal(size=(5, 3))
    assert_close(law.logpdf(X), multivariate_normal([1, 2, 3], S).logpdf(X))
    A = rng.normal(size=(3, 2))
    flat = MultivariateGaussian([1.0, 2.0, 3.0], factor=A)
    assert flat.rank == 2
    rows = flat.rvs(20000, random_state=seed)
    # Five standard errors of an entry of a covariance of 20,000 rows.
    assert np.abs(np.cov(rows.T) - A @ A.T).max() < 5 * np.sqrt(2 / 20000) * np.max(np.diag(A @ A.T))
    assert_close(flat.logpdf(rows[:5]), multivariate_normal([1, 2, 3], A @ A.T, allow_singular=True).logpdf(rows[:5]))
    assert np.isneginf(flat.logpdf(rows[:5] + np.linalg.svd(A)[0][:, 2])).all()


@pytest.mark.spec("GRM-02")
def test_marginal_and_conditional_make_the_joint_density(seed):
    rng = np.random.default_rng(seed)
    law = MultivariateGaussian(rng.normal(size=4), random_covariance(rng, 4))
    x = rng.normal(size=4)
    given = law.conditional([1, 3], x[[1, 3]])
    assert_close(law.logpdf(x), law.marginal([1, 3]).logpdf(x[[1, 3]]) + given.logpdf(x[[0, 2]]))
    assert_close(marginal(law.mean, law.covariance, [1, 3])[1], law.covariance[np.ix_([1, 3], [1, 3])])


@pytest.mark.spec("GRM-P1")
def test_zeros_of_the_precision_are_conditional_independences(seed):
    rng = np.random.default_rng(seed)
    K = sparse_precision(rng, 5)
    S = np.linalg.inv(K)
    R = partial_correlation(S)
    for u in range(5):
        for v in range(u):
            rest = [k for k in range(5) if k not in (u, v)]
            _, C = conditional(np.zeros(5), S, rest, np.zeros(3))
            assert_close(R[u, v], C[0, 1] / np.sqrt(C[0, 0] * C[1, 1]))
            assert (abs(C[0, 1]) < 1e-12) == (K[u, v] == 0)
    scale = rng.uniform(0.1, 10.0, size=5)
    assert_close(partial_correlation(S * np.outer(scale, scale)), R)
    scale[2] *= -1
    flipped = partial_correlation(S * np.outer(scale, scale))
    signs = np.ones((5, 5))
    signs[2] = signs[:, 2] = -1
    signs[2, 2] = 1
    assert_close(flipped, R * signs)


@pytest.mark.spec("GRM-P2")
def test_blocks_of_the_precision_are_conditional_moments(seed):
    rng = np.random.default_rng(seed)
    S = random_covariance(rng, 5)
    K = precision_matrix(S)
    A, B = [0, 2], [1, 3, 4]
    _, C = conditional(np.zeros(5), S, B, [0, 0, 0])
    assert_close(np.linalg.inv(K[np.ix_(A, A)]), C)
    gain = S[np.ix_(A, B)] @ np.linalg.inv(S[np.ix_(B, B)])
    assert_close(gain, -np.linalg.inv(K[np.ix_(A, A)]) @ K[np.ix_(A, B)])
    assert_close(conditional(np.zeros(5), S, B, [7, -8, 9])[1], C)


@pytest.mark.spec("GRM-P8", "GRM-19")
def test_canonical_forms_multiply_divide_and_condition(seed):
    rng = np.random.default_rng(seed)
    f = CanonicalForm.from_moments(rng.normal(size=2), random_covariance(rng, 2), scope="xy")
    g = CanonicalForm.from_moments(rng.normal(size=2), random_covariance(rng, 2), scope="yz")
    x = rng.normal(size=(4, 3))
    both = f * g
    assert both.scope == ["x", "y", "z"]
    assert_close(both.logpdf(x), f.logpdf(x[:, :2]) + g.logpdf(x[:, 1:]))
    assert_close((both / g).logpdf(x), f.logpdf(x[:, :2]))
    mean, S = rng.normal(size=3), random_covariance(rng, 3)
    joint = CanonicalForm.from_moments(mean, S, scope="abc")
    back_mean, back = joint.moments()
    assert_close(back_mean, mean)
    assert_close(back, S)
    assert_close(joint.log_integral(), 0.0)
    side = joint.marginalize("b")
    assert_close(side.moments()[1], S[np.ix_([0, 2], [0, 2])])
    assert_close(side.moments()[0], mean[[0, 2]])
    # p(b | a, c) = joint / marginal, as a potential over all three.
    ratio = joint / side
    rows = rng.normal(size=(3, 3))
    for row, value in zip(rows, ratio.extended(["a", "b", "c"]).logpdf(rows)):
        m, C = conditional(mean, S, [0, 2], row[[0, 2]])
        assert_close(value, multivariate_normal(m, C).logpdf(row[1]))
    given = joint.condition({"b": 0.7})
    m, C = conditional(mean, S, [1], [0.7])
    assert_close(given.moments()[0], m)
    assert_close(given.moments()[1], C)
    assert_close(given.log_integral(), multivariate_normal(mean[1], S[1, 1]).logpdf(0.7))


@pytest.mark.spec("GRM-06")
def test_graph_cliques_and_formula_of_a_precision():
    K = np.array([[2.0, 1, 1, 0], [1, 2, 1, 0], [1, 1, 3, 1], [0, 0, 1, 2]])
    graph = dependence_graph(K, names="abcd")
    assert maximal_cliques(graph) == [["a", "b", "c"], ["c", "d"]]
    assert generating_class(graph) == "a*b*c + c*d"
    assert dependence_graph(precision_matrix(CARCASS), threshold=0.4, names=CARCASS_NAMES).edges() == [
        ("Fat11", "Fat12"),
        ("Meat11", "Meat12"),
        ("Meat12", "Meat13"),
    ]


def test_cliques_of_random_graphs_match_brute_force(seed):
    from itertools import combinations

    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((7, 7)) < 0.5, 1)
    graph = dependence_graph(np.eye(7) * 10 + A + A.T)
    complete = [
        set(s)
        for k in range(1, 8)
        for s in combinations(graph.nodes, k)
        if all(graph.has_edge(a, b) for a, b in combinations(s, 2))
    ]
    largest = [s for s in complete if not any(s < t for t in complete)]
    assert sorted(map(sorted, maximal_cliques(graph))) == sorted(map(sorted, largest))


@pytest.mark.spec("GRM-20")
def test_separation_in_a_square():
    square = ["ab", "bc", "cd", "da"]
    assert separates(square, "a", "c", given=["b", "d"])
    assert not separates(square, "a", "c", given=["b"])
    assert separates([("a", "b"), ("c", "d")], "a", "d", given=[])


@pytest.mark.spec("GRM-P9")
def test_density_factorises_over_the_cliques_of_a_decomposable_graph(seed):
    rng = np.random.default_rng(seed)
    K = np.zeros((4, 4))
    for i, j in [(0, 1), (0, 2), (1, 2), (2, 3)]:  # cliques {0, 1, 2} and {2, 3} with separator {2}
        K[i, j] = K[j, i] = rng.uniform(0.2, 0.5)
    K += 2 * np.eye(4)
    law = MultivariateGaussian(rng.normal(size=4), np.linalg.inv(K))
    x = rng.normal(size=(6, 4))
    parts = [law.marginal(c).logpdf(x[:, c]) for c in ([0, 1, 2], [2, 3], [2])]
    assert_close(law.logpdf(x), parts[0] + parts[1] - parts[2])
    assert_close(
        np.linalg.det(law.covariance),
        np.prod([np.linalg.det(law.covariance[np.ix_(c, c)]) for c in ([0, 1, 2], [2, 3])]) / law.covariance[2, 2],
    )
    # The exponent is a sum of terms of the edges and nodes alone.
    form = CanonicalForm.from_moments(law.mean, law.covariance)
    edges = sum(-form.K[i, j] * x[:, i] * x[:, j] for i, j in [(0, 1), (0, 2), (1, 2), (2, 3)])
    assert_close(form.logpdf(x), form.g + x @ form.h - 0.5 * x**2 @ np.diag(form.K) + edges)


@pytest.mark.parametrize("bad", [[[1.0, 2.0], [2.0, 1.0]], [[1.0, 0.5], [0.2, 1.0]], [[1.0, np.nan], [np.nan, 1.0]]])
def test_invalid_covariances_raise(bad):
    with pytest.raises(ValueError, match="covariance"):
        precision_matrix(bad)
    with pytest.raises(ValueError, match="covariance"):
        MultivariateGaussian([0, 0], bad)


def test_bad_columns_raise():
    with pytest.raises(ValueError, match="given"):
        conditional([0, 0], np.eye(2), [2], [1.0])
    with pytest.raises(ValueError, match="values"):
        conditional([0, 0], np.eye(2), [1], [1.0, 2.0])
    with pytest.raises(ValueError, match="keep"):
        marginal([0, 0], np.eye(2), [1, 1])


@pytest.mark.spec("CRS-135")
def test_small_distributions_are_printed_with_their_numbers():
    law = MultivariateGaussian([1, 2, -3], [[4, 2, -2], [2, 5, -5], [-2, -5, 8]])
    assert str(law).splitlines() == [
        "MultivariateGaussian(3 variables, rank 3)",
        "   mean    std  correlations",
        "0     1      2",
        "1     2  2.236   0.447",
        "2    -3  2.828  -0.354  -0.791",
    ]
    given = law.conditional(2, 3.0)
    assert [line.split()[1:3] for line in str(given).splitlines()[2:]] == [
        [f"{mean:.4g}", f"{std:.4g}"] for mean, std in zip(given.mean, np.sqrt(np.diagonal(given.covariance)))
    ]
    assert str(MultivariateGaussian(np.zeros(7), np.eye(7))) == "MultivariateGaussian(7 variables, rank 7)"
    one = str(law.marginal(0))
    assert one.startswith("MultivariateGaussian(1 variable, rank 1)")
    assert "correlations" not in one
    assert "nan" not in str(MultivariateGaussian([0, 0], [[1, 0], [0, 0]]))
