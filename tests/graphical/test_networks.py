"""Linear Gaussian nodes, Gaussian networks and networks with discrete nodes; conditional graphical models."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from statlearn.graphical import (
    ConditionalGaussianNetwork,
    ConditionalGGM,
    GaussianBayesianNetwork,
    LinearGaussianCPD,
    MultivariateGaussian,
    conditional,
    graphical_lasso,
)
from tests.graphical.data import random_covariance
from tests.helpers import assert_close


@pytest.mark.spec("GRM-T12", "GRM-16")
def test_marginal_of_a_linear_gaussian_node():
    mean, variance = LinearGaussianCPD(0.2, [-2, 3, 7], 9.6).marginal([0.2, 0.2, 0.2], np.eye(3))
    assert_close(mean, 1.8)
    assert_close(variance, 71.6)


@pytest.mark.spec("GRM-16", "GRM-P7")
def test_maximum_likelihood_of_a_node_is_least_squares(seed):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(40, 3)), rng.integers(0, 3, size=40)
    y = X @ [1.0, -2.0, 0.5] + 3 + rng.normal(size=40)
    cpd = LinearGaussianCPD.from_data(X, y, sample_weight=w)
    ols = LinearRegression().fit(X, y, sample_weight=w)
    assert_close(cpd.coef, ols.coef_)
    assert_close(cpd.intercept, ols.intercept_)
    assert_close(cpd.noise_variance, np.average((y - ols.predict(X)) ** 2, weights=w))
    S = random_covariance(rng, 3)
    cpd = LinearGaussianCPD.from_moments(np.zeros(3), S)
    quadratic = sum(cpd.coef[i] * cpd.coef[j] * S[i, j] for i in range(2) for j in range(2))
    assert_close(cpd.noise_variance, S[2, 2] - quadratic)


EDGES = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]


def diamond():
    cpds = {
        "d": LinearGaussianCPD(1.0, [2.0, -1.0], 0.5),
        "a": LinearGaussianCPD(0.5, [], 2.0),
        "b": LinearGaussianCPD(0.0, [1.5], 1.0),
        "c": LinearGaussianCPD(-1.0, [0.7], 0.3),
    }
    return GaussianBayesianNetwork.from_cpds(cpds, EDGES)


@pytest.mark.spec("GRM-17", "GRM-P7")
def test_joint_moments_follow_the_recursion_and_the_samples(seed):
    net = diamond()  # columns d, a, b, c: not in topological order
    mean = dict(zip("dabc", net.location_))
    S = pd.DataFrame(net.covariance_, index=list("dabc"), columns=list("dabc"))
    assert_close(mean["b"], 0.75)
    assert_close(mean["d"], 1 + 2 * 0.75 - (-1 + 0.35))
    assert_close(S.loc["a", "b"], 1.5 * 2.0)
    assert_close(S.loc["b", "c"], 1.5 * 0.7 * 2.0)
    assert_close(S.loc["d", "d"], 0.5 + 4 * S.loc["b", "b"] + S.loc["c", "c"] - 4 * S.loc["b", "c"])
    X = net.sample(40000, random_state=seed)
    error = np.abs(np.cov(X.T) - net.covariance_) / np.sqrt(np.outer(np.diag(S), np.diag(S)))
    assert error.max() < 5 * np.sqrt(2 / 40000)
    frame = pd.DataFrame(X, columns=list("dabc"))
    again = GaussianBayesianNetwork(EDGES).fit(frame)
    assert np.abs(again.coef_ - net.coef_).max() < 0.05
    assert (again.coef_ == 0)[net.coef_ == 0].all()
    assert_close(net.score_samples(frame.head()), MultivariateGaussian(net.location_, net.covariance_).logpdf(X[:5]))
    names, m, C = net.condition({"d": 2.0, "a": 0.0})
    m2, C2 = conditional(net.location_, net.covariance_, [0, 1], [2.0, 0.0])
    assert names == ["b", "c"]
    assert_close(m, m2)
    assert_close(C, C2)


@pytest.mark.spec("GRM-17")
def test_a_complete_network_has_the_sample_covariance(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 3))
    net = GaussianBayesianNetwork([(2, 0), (2, 1), (0, 1)]).fit(X)
    assert_close(net.covariance_, np.cov(X.T, bias=True))
    with pytest.raises(ValueError, match="cycle"):
        GaussianBayesianNetwork([(0, 1), (1, 2), (2, 0)]).fit(X)
    with pytest.raises(ValueError, match="edges"):
        GaussianBayesianNetwork([(0, "q")]).fit(X)


@pytest.mark.spec("GRM-18")
def test_discrete_and_gaussian_nodes(seed):
    rng = np.random.default_rng(seed)
    n = 4000
    sex = rng.choice(["f", "m"], size=n, p=[0.3, 0.7])
    smoker = np.where(rng.random(n) < np.where(sex == "m", 0.6, 0.2), "yes", "no")
    height = np.where(sex == "m", 180.0, 168.0) + 7 * rng.normal(size=n)
    weight = 0.9 * height - 90 + np.where(smoker == "yes", 5.0, 0.0) + 4 * rng.normal(size=n)
    table = pd.DataFrame({"weight": weight, "sex": sex, "smoker": smoker, "height": height})
    edges = [("sex", "smoker"), ("sex", "height"), ("smoker", "weight"), ("height", "weight")]
    net = ConditionalGaussianNetwork(edges, ["sex", "smoker"]).fit(table)
    parents, tab = net.tables_["smoker"]
    assert parents == ["sex"]
    assert_close(tab[1, 1], np.mean(smoker[sex == "m"] == "yes"))
    rows = smoker == "yes"
    ols = LinearRegression().fit(height[rows, None], weight[rows])
    assert_close(net.cpds_["weight"][("yes",)].coef, ols.coef_)
    assert_close(sum(p for _, p, _, _ in net.configurations()), 1.0)
    # Bayes' rule by hand for one variable.
    law = {s: (np.mean(sex == s), height[sex == s].mean(), height[sex == s].var()) for s in "fm"}
    density = {s: p / np.sqrt(v) * np.exp(-((174 - m) ** 2) / (2 * v)) for s, (p, m, v) in law.items()}
    posterior = net.discrete_posterior({"height": 174.0})["sex"]
    assert_close(posterior["m"], density["m"] / sum(density.values()))
    drawn = net.sample(20000, random_state=seed)
    assert abs(np.mean(drawn["sex"] == "m") - 0.7) < 0.04
    assert abs(np.corrcoef(drawn["weight"], drawn["height"])[0, 1] - np.corrcoef(weight, height)[0, 1]) < 0.05


@pytest.mark.spec("GRM-18")
def test_a_discrete_node_may_not_have_a_gaussian_parent():
    table = pd.DataFrame({"x": [0.0, 1, 2, 3], "d": [0, 1, 0, 1]})
    with pytest.raises(ValueError, match="Gaussian parent"):
        ConditionalGaussianNetwork([("x", "d")], ["d"]).fit(table)
    with pytest.raises(ValueError, match="'x'"):
        ConditionalGaussianNetwork([("d", "x")], ["d"]).fit(table.assign(x=["a", "b", "c", "d"]))


def cggm_objective(model, X, Y):
    R = Y - X @ model.coef_.T - model.intercept_
    K = model.precision_
    value = -np.linalg.slogdet(K)[1] + np.trace(R.T @ R / len(R) @ K)
    value += model.alpha_coef * np.sum(X.std(axis=0) * np.abs(model.coef_))
    return value + model.alpha * (np.abs(K).sum() - np.trace(np.abs(K)))


@pytest.mark.spec("GRM-12")
def test_conditional_model_is_stationary_and_monotone(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 4))
    Y = X[:, [0, 0, 1]] * [1.0, -1.0, 2.0] + rng.multivariate_normal(
        [0, 0, 0], [[1, 0.6, 0], [0.6, 1, 0], [0, 0, 1]], 120
    )
    model = ConditionalGGM(0.1, alpha_coef=0.2, tol=1e-9, max_iter=1000).fit(X, Y)
    assert (np.diff(model.objective_path_) <= 1e-9).all()
    assert_close(model.objective_path_[-1], cggm_objective(model, X, Y))
    R = Y - model.predict(X)
    S = R.T @ R / len(R)
    assert_close(graphical_lasso(S, 0.1, tol=1e-10)[1], model.precision_, atol=1e-3)
    # The lasso part: gradient of tr(R(M) K) is -2 K R'X / n.
    G = -2 * model.precision_ @ R.T @ (X - X.mean(axis=0)) / len(X)
    limit = 0.2 * X.std(axis=0)
    M = model.coef_
    bad = np.where(M != 0, np.abs(G + limit * np.sign(M)), np.maximum(np.abs(G) - limit, 0))
    assert bad.max() < 1e-3
    assert model.to_graph().has_edge("y0", "y1")


@pytest.mark.spec("GRM-12")
def test_conditional_model_without_penalty_is_least_squares_and_screens(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 3))
    Y = X[:, :2] * 5 + rng.normal(size=(200, 2))
    model = ConditionalGGM(0.0, alpha_coef=0.0, tol=1e-10).fit(X, Y)
    assert_close(model.coef_, LinearRegression().fit(X, Y).coef_, atol=1e-5)
    screened = ConditionalGGM(0.05, alpha_coef=0.05, screen=1e-6).fit(X, Y)
    assert screened.screened_.sum() == 2
    assert (screened.coef_[~screened.screened_] == 0).all()
    assert_close(model.predict(X[:2]), X[:2] @ model.coef_.T + model.intercept_)


def test_constant_columns_raise_by_name():
    with pytest.raises(ValueError, match="column 'x1' is constant"):
        GaussianBayesianNetwork().fit([[1.0, 2.0], [3.0, 2.0]])


@pytest.mark.spec("CRS-133")
def test_arguments_of_pgmpy_raise_with_ours():
    with pytest.raises(
        TypeError,
        match=r"use LinearGaussianCPD\(0.2, \[-2, 3\], 9.6, variable='Y', evidence=\['X1', 'X2'\]\)",
    ):
        LinearGaussianCPD("Y", [0.2, -2, 3], 9.6, ["X1", "X2"])
    with pytest.raises(TypeError, match=r"\(intercept, coef, noise_variance\)"):
        LinearGaussianCPD(0.2, [1.0], 1.0, ["X"])


@pytest.mark.spec("CRS-133")
def test_named_distributions_make_a_network():
    cpds = [
        LinearGaussianCPD(1.0, noise_variance=4.0, variable="X1"),
        LinearGaussianCPD(-5.0, [0.5], 4.0, variable="X2", evidence=["X1"]),
        LinearGaussianCPD(0.2, [3, -2], 9.6, variable="Y", evidence=["X2", "X1"]),
    ]
    assert repr(cpds[2]) == "Y | X2, X1 ~ N(0.2 + 3 X2 - 2 X1, 9.6)"
    named = GaussianBayesianNetwork.from_cpds(cpds)
    edges = [("X1", "X2"), ("X1", "Y"), ("X2", "Y")]
    plain = {
        "X1": LinearGaussianCPD(1.0, (), 4.0),
        "X2": LinearGaussianCPD(-5.0, [0.5], 4.0),
        "Y": LinearGaussianCPD(0.2, [-2, 3], 9.6),
    }
    joint = GaussianBayesianNetwork.from_cpds(plain, edges).joint()
    assert_close(named.joint().mean, joint.mean)
    assert_close(named.joint().covariance, joint.covariance)
    assert_close(GaussianBayesianNetwork.from_cpds({c.variable: c for c in cpds}, edges).coef_, named.coef_)
    with pytest.raises(ValueError, match="must have `variable`"):
        GaussianBayesianNetwork.from_cpds([LinearGaussianCPD()])
    with pytest.raises(ValueError, match="only if all distributions have `evidence`"):
        GaussianBayesianNetwork.from_cpds(plain)
    with pytest.raises(ValueError, match="the `evidence` of 'X2' is"):
        GaussianBayesianNetwork.from_cpds(cpds[:2] + [LinearGaussianCPD(variable="Z")], [("Z", "X2")])
    with pytest.raises(ValueError, match="`evidence` has 1 names for 2 coefficients"):
        LinearGaussianCPD(0.0, [1, 2], evidence=["a"])
