"""Metrics: printed values, identities over generated labels, scikit-learn, weights as copies."""

import inspect
import pickle
import warnings

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from statlearn import assess
from tests.helpers import assert_close

seeds = st.integers(0, 10**6)


def labels(seed, n=60, K=3):
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(K), rng.integers(0, K, n)]
    z = np.r_[np.arange(K), np.where(rng.random(n) < 0.6, y[K:], rng.integers(0, K, n))]
    return y, z


def from_table(C):
    """Label vectors with this confusion matrix, rows the truth."""
    C = np.asarray(C)
    cells = [(i, j) for i in range(len(C)) for j in range(len(C)) for _ in range(C[i, j])]
    return (np.array(v) for v in zip(*cells))


# --------------------------------------------------------------------------------------------------------- regression


@pytest.mark.spec("ASM-08", "ASM-10", "ASM-11", "ASM-15", "ASM-16", "ASM-20")
def test_standard_metrics_match_sklearn():
    for name in (
        "mean_absolute_error", "median_absolute_error", "r2_score",
        "explained_variance_score", "accuracy_score", "zero_one_loss", "balanced_accuracy_score",
        "classification_report", "matthews_corrcoef", "cohen_kappa_score", "roc_curve",
        "roc_auc_score", "det_curve", "precision_recall_curve", "log_loss", "brier_score_loss",
    ):  # fmt: skip
        ours, theirs = getattr(assess, name), getattr(sklearn.metrics, name)  # in our words, with the same calls
        assert str(inspect.signature(ours)) == str(inspect.signature(theirs)), name
        np.testing.assert_equal(ours([0, 1, 1, 0], [0, 1, 0, 0]), theirs([0, 1, 1, 0], [0, 1, 0, 0]))
    for name in ("precision_score", "recall_score"):  # with a clearer error
        assert getattr(assess, name).__wrapped__ is getattr(sklearn.metrics, name), name


@pytest.mark.spec("ASM-08")
def test_errors_of_several_outputs(rng):
    y, f = rng.normal(size=(2, 25, 2))
    r = y - f
    assert_close(assess.mean_squared_error(y, f, multioutput="raw_values"), np.mean(r**2, axis=0))
    assert_close(assess.root_mean_squared_error(y[:, 0], f[:, 0]), np.sqrt(np.mean(r[:, 0] ** 2)))
    assert_close(assess.mean_absolute_error(y, f), np.mean(np.abs(r)))
    assert_close(assess.median_absolute_error(y[:, 0], f[:, 0]), np.median(np.abs(r[:, 0])))  # not squared


@pytest.mark.spec("ASM-09")
def test_fractional_error():
    assert_close(assess.mean_fractional_error([1.0, 4.0], [2.0, 3.0]), (1 + 1 / 3) / 2)
    assert_close(assess.mean_fractional_error([3.0], [1.0]), assess.mean_fractional_error([1.0], [3.0]))
    weighted = assess.mean_fractional_error([1.0, 4.0], [2.0, 3.0], sample_weight=[3, 1])
    assert_close(weighted, assess.mean_fractional_error([1.0, 1.0, 1.0, 4.0], [2.0, 2.0, 2.0, 3.0]))
    for bad in (0.0, -1.0):
        with pytest.raises(ValueError, match="positive"):
            assess.mean_fractional_error([1.0, bad], [1.0, 1.0])


@pytest.mark.spec("ASM-10", "ASM-P9")
@given(seed=seeds)
def test_r2_is_explained_variance_when_residuals_average_zero(seed):
    rng = np.random.default_rng(seed)
    y, r = rng.normal(size=30), rng.normal(size=30)
    centred = y + r - r.mean()
    assert_close(assess.r2_score(y, centred), assess.explained_variance_score(y, centred))
    assert_close(assess.explained_variance_score(y, centred + 5), assess.explained_variance_score(y, centred))
    assert assess.r2_score(y, centred + 5) < assess.r2_score(y, centred)


@pytest.mark.spec("ASM-10", "ASM-P9")
def test_r2_of_a_constant_target_is_one_or_zero():
    for score in (assess.r2_score, assess.explained_variance_score):
        assert score([2.0, 2.0, 2.0], [2.0, 2.0, 2.0]) == 1.0
        assert score([2.0, 2.0, 2.0], [2.0, 2.0, 3.0]) == 0.0


# --------------------------------------------------------------------------------------------------- confusion matrix


@pytest.mark.spec("ASM-12")
@given(seed=seeds, K=st.integers(2, 5), kind=st.sampled_from(["int", "str", "bool", "float", "far"]))
def test_confusion_agrees_with_sklearn(seed, K, kind):
    y, z = labels(seed, K=2 if kind == "bool" else K)
    name = {
        "int": lambda v: v - 1,
        "str": lambda v: np.array(list("dbeac"))[v],
        "bool": lambda v: v.astype(bool),
        "float": lambda v: v.astype(float),
        "far": lambda v: v * 10**9,
    }[kind]
    y, z = name(y), name(z)
    weights = np.random.default_rng(seed).uniform(size=len(y))
    assert np.array_equal(assess.confusion_matrix(y, z), sklearn.metrics.confusion_matrix(y, z))
    assert assess.confusion_matrix(y, z).dtype.kind == "i"
    for normalize in (None, "true", "pred", "all"):
        ours = assess.confusion_matrix(y, z, sample_weight=weights, normalize=normalize)
        theirs = sklearn.metrics.confusion_matrix(y, z, sample_weight=weights, normalize=normalize)
        assert_close(ours, theirs)
    some = np.unique(y)[::-1][:2]
    assert np.array_equal(
        assess.confusion_matrix(y, z, labels=some), sklearn.metrics.confusion_matrix(y, z, labels=some)
    )
    assert np.array_equal(assess.per_class_confusion(y, z), sklearn.metrics.multilabel_confusion_matrix(y, z))


@pytest.mark.spec("ASM-12")
def test_three_layouts_of_two_classes():
    y, z = from_table([[15, 5], [10, 20]])  # TN 15, FP 5, FN 10, TP 20
    assert assess.confusion_matrix(y, z).tolist() == [[15, 5], [10, 20]]
    assert assess.confusion_matrix(y, z, layout="pred_rows").tolist() == [[15, 10], [5, 20]]
    assert assess.confusion_matrix(y, z, positive_first=True).tolist() == [[20, 10], [5, 15]]
    assert assess.confusion_matrix(y, z, layout="pred_rows", positive_first=True).tolist() == [[20, 5], [10, 15]]


def test_invalid_confusion_input_raises():
    with pytest.raises(ValueError, match="inconsistent"):
        assess.confusion_matrix([0, 1], [0])
    with pytest.raises(ValueError, match="continuous"):
        assess.confusion_matrix([0, 1], [0.2, 0.9])
    with pytest.raises(ValueError, match="must be in y_true"):
        assess.confusion_matrix([0, 1], [0, 1], labels=[7])
    with pytest.raises(ValueError, match="0 sample"):
        assess.confusion_matrix([], [])


# ------------------------------------------------------------------------------------------- per class, and averages


@pytest.mark.spec("ASM-11", "ASM-16", "ASM-T2")
def test_the_majority_classifier():
    y, z = np.repeat([0, 1], [95, 5]), np.zeros(100, dtype=int)
    assert_close(assess.accuracy_score(y, z), 0.95, atol=1e-12)
    assert_close(assess.balanced_accuracy_score(y, z), 0.5, atol=1e-12)
    assert_close(assess.cohen_kappa_score(y, z), 0.0, atol=1e-12)


@pytest.mark.spec("ASM-11")
@given(seed=seeds)
def test_balanced_accuracy_weighs_each_class_alike(seed):
    y, z = labels(seed)
    w = np.random.default_rng(seed).uniform(0.1, 2, size=len(y))
    own = w / np.array([w[y == c].sum() for c in y])
    ours = assess.balanced_accuracy_score(y, z, sample_weight=w)
    assert_close(ours, np.sum(own * (y == z)) / own.sum())


@pytest.mark.spec("ASM-14", "ASM-15", "ASM-T3")
def test_averages_of_a_printed_report():
    found = assess.report_averages([0.96, 0.73], [0.99, 0.41], [1884, 116], f1=[0.98, 0.53])
    assert_close(list(found["weighted"].values()), [0.94666, 0.95636, 0.9539], rtol=0, atol=1e-5)
    macro = found["macro"]
    assert_close(
        [macro["precision"], macro["recall"], macro["f1_harmonic"], macro["f1"]], [0.845, 0.70, 0.7656958, 0.755],
        rtol=0, atol=1e-5,
    )  # fmt: skip
    y, z = labels(0)
    rows = sklearn.metrics.precision_recall_fscore_support(y, z)
    report = assess.classification_report(y, z, output_dict=True)
    found = assess.report_averages(rows[0], rows[1], rows[3])
    assert_close(found["macro"]["f1"], report["macro avg"]["f1-score"])
    assert_close(found["weighted"]["precision"], report["weighted avg"]["precision"])


@pytest.mark.spec("ASM-13", "ASM-14", "ASM-T4")
def test_macro_averages_of_a_three_class_table():
    y, z = from_table([[8, 2, 0], [1, 6, 3], [0, 5, 5]])
    assert_close(assess.precision_score(y, z, average="macro"), 0.6584758, rtol=0, atol=1e-6)
    assert_close(assess.recall_score(y, z, average="macro"), 0.6333333, rtol=0, atol=1e-6)
    assert_close(assess.f1_score(y, z, macro="harmonic"), 0.6456599, rtol=0, atol=1e-6)
    assert_close(assess.f1_score(y, z, average="macro"), 0.6398000, rtol=0, atol=1e-6)


@pytest.mark.spec("CRS-38")
@given(seed=seeds, K=st.integers(2, 4), beta=st.sampled_from([0.0, 0.5, 1.0, 2.0, np.inf]))
def test_macro_f_beta_of_mean_precision_and_recall(seed, K, beta):
    y, z = labels(seed, K=K)
    w = np.random.default_rng(seed).integers(1, 4, len(y))
    P = assess.precision_score(y, z, average="macro", sample_weight=w)
    R = assess.recall_score(y, z, average="macro", sample_weight=w)
    harmonic = assess.fbeta_score(y, z, beta=beta, macro="harmonic", sample_weight=w)
    assert_close(harmonic, R if beta == np.inf else (1 + beta**2) * P * R / (beta**2 * P + R))
    mean = assess.fbeta_score(y, z, beta=beta, average="macro", sample_weight=w)
    assert_close(mean, sklearn.metrics.fbeta_score(y, z, beta=beta, average="macro", sample_weight=w))
    assert harmonic >= mean - 1e-12  # the score is concave in precision and recall
    assert_close(assess.fbeta_score(y, z, beta=1, macro="harmonic"), assess.f1_score(y, z, macro="harmonic"))


@pytest.mark.spec("CRS-38")
def test_macro_f_beta_of_a_three_class_table():
    y, z = from_table([[8, 2, 0], [1, 6, 3], [0, 5, 5]])
    P, R = 0.6584758, 0.6333333
    assert_close(assess.fbeta_score(y, z, beta=2, macro="harmonic"), 5 * P * R / (4 * P + R), rtol=0, atol=1e-6)
    with pytest.raises(ValueError, match="macro"):
        assess.fbeta_score(y, z, beta=2, macro="geometric")
    with pytest.raises(ValueError, match="beta"):
        assess.fbeta_score(y, z, beta=-1.0, macro="harmonic")


@pytest.mark.spec("ASM-13", "ASM-16", "ASM-T5")
def test_two_class_table():
    y, z = from_table([[15, 5], [10, 20]])
    assert_close(assess.cohen_kappa_score(y, z), 0.4, atol=1e-6)
    values = [assess.precision_score(y, z), assess.recall_score(y, z), assess.specificity_score(y, z)]
    assert_close(values, [0.8, 0.6666667, 0.75], rtol=0, atol=1e-6)
    values = [assess.f1_score(y, z), assess.fbeta_score(y, z, beta=2), assess.fbeta_score(y, z, beta=0.5)]
    assert_close(values, [0.7272727, 0.6896552, 0.7692308], rtol=0, atol=1e-6)


@pytest.mark.spec("ASM-13")
@given(seed=seeds, K=st.integers(2, 4))
def test_specificity_is_the_recall_of_the_rest(seed, K):
    y, z = labels(seed, K=K)
    each = assess.specificity_score(y, z, average=None)
    rest = [assess.recall_score(y != k, z != k) for k in range(K)]
    assert_close(each, rest)
    support = np.bincount(y)
    assert_close(assess.specificity_score(y, z, average="macro"), np.mean(rest))
    assert_close(assess.specificity_score(y, z, average="weighted"), np.average(rest, weights=support))
    tables = sklearn.metrics.multilabel_confusion_matrix(y, z).sum(axis=0)
    assert_close(assess.specificity_score(y, z, average="micro"), tables[0, 0] / tables[0].sum())
    some = assess.specificity_score(y, z, labels=[1, 0], average=None)
    assert_close(some, each[[1, 0]])


@pytest.mark.spec("ASM-13")
def test_specificity_without_negatives():
    with pytest.warns(UndefinedMetricWarning, match="Specificity"):
        assert assess.specificity_score([1, 1], [1, 0]) == 0.0
    assert assess.specificity_score([1, 1], [1, 0], zero_division=1.0) == 1.0
    assert np.isnan(assess.specificity_score([1, 1], [1, 0], zero_division=np.nan))
    with pytest.raises(ValueError, match="exactly two classes"):
        assess.specificity_score([0, 1, 2], [0, 1, 2])
    with pytest.raises(ValueError, match="pos_label=1 is not a valid label"):
        assess.specificity_score(["a", "b"], ["a", "a"], pos_label=1)


@pytest.mark.spec("CRS-128")
def test_own_metrics_take_the_larger_label_as_positive():
    y, z = ["a", "a", "a", "b", "b"], ["a", "b", "a", "b", "a"]
    coded = [0, 0, 0, 1, 1], [0, 1, 0, 1, 0]
    for metric in (
        assess.specificity_score,
        assess.false_positive_rate,
        assess.error_shares,
        assess.neyman_pearson_score,
    ):
        assert metric(y, z) == metric(*coded) == metric(y, z, pos_label="b")
    assert assess.specificity_score([1, 1, 2], [1, 2, 2]) == 0.5
    assert assess.false_positive_rate([0, 0], [0, 0]) == 0.0  # 1 is known to be the positive class
    with pytest.raises(ValueError, match="only the class 'a' is present"):
        assess.specificity_score(["a", "a"], ["a", "a"])


@pytest.mark.spec("CRS-128")
def test_metrics_of_scikit_learn_name_the_label_to_pass():
    y, z = ["a", "a", "b"], ["a", "b", "b"]
    for metric in (assess.precision_score, assess.recall_score, assess.f1_score):
        with pytest.raises(ValueError, match=r"not a valid label.*pass pos_label='b'"):
            metric(y, z)
        assert metric(y, z, pos_label="b") == metric([0, 0, 1], [0, 1, 1])
        assert metric(y, z, average="macro") == getattr(sklearn.metrics, metric.__name__)(y, z, average="macro")
        assert pickle.loads(pickle.dumps(metric)) is metric
    with pytest.raises(ValueError, match="pass pos_label='b'"):
        assess.fbeta_score(y, z, beta=2.0)
    with pytest.raises(ValueError, match=r"not a valid label.*; pass pos_label='b'"):
        assess.average_precision_score(y, [0.1, 0.8, 0.9])
    assert assess.average_precision_score(y, [0.1, 0.8, 0.9], pos_label="b") == 1.0


@pytest.mark.spec("ASM-P5")
@given(seed=seeds, K=st.integers(2, 5))
def test_micro_averages_are_accuracy_and_balanced_accuracy_is_macro_recall(seed, K):
    y, z = labels(seed, K=K)
    accuracy = assess.accuracy_score(y, z)
    for score in (assess.precision_score, assess.recall_score, assess.f1_score):
        assert_close(score(y, z, average="micro"), accuracy)
    assert_close(assess.balanced_accuracy_score(y, z), assess.recall_score(y, z, average="macro"))
    assert_close(assess.balanced_accuracy_score(y, np.zeros_like(y)), 1 / K)
    assert assess.f1_score(y, z, macro="harmonic") >= assess.f1_score(y, z, average="macro") - 1e-12


@pytest.mark.spec("ASM-P6")
@given(seed=seeds)
def test_f_scores(seed):
    y, z = labels(seed, K=2)
    P, R = assess.precision_score(y, z), assess.recall_score(y, z)
    (_, fp), (fn, tp) = assess.confusion_matrix(y, z)
    assert_close(assess.f1_score(y, z), 2 * P * R / (P + R))
    assert_close(assess.f1_score(y, z), 2 * tp / (2 * tp + fp + fn))
    assert_close(assess.fbeta_score(y, z, beta=1e5), R, rtol=1e-6)
    assert_close(assess.fbeta_score(y, z, beta=1e-5), P, rtol=1e-6)
    assert_close(assess.false_positive_rate(y, z), 1 - assess.specificity_score(y, z))


# ----------------------------------------------------------------------------------------------------- shares, prices


@pytest.mark.spec("ASM-17", "ASM-P7")
@given(seed=seeds)
def test_shares_and_neyman_pearson(seed):
    y, z = labels(seed, K=2)
    shares = assess.error_shares(y, z)
    n = len(y)
    assert_close(shares, [np.sum(z > y) / n, np.sum(z < y) / n, np.mean(z != y)])
    assert_close(assess.accuracy_score(y, z), 1 - (shares.fp_share + shares.fn_share))
    assert_close(assess.neyman_pearson_score(y, z), np.mean(z != y))
    assert_close(assess.neyman_pearson_score(y, z, 7), 7 * shares.fn_share + shares.fp_share)
    swapped = assess.error_shares(y, z, pos_label=0)
    assert (swapped.fp_share, swapped.fn_share) == (shares.fn_share, shares.fp_share)


@pytest.mark.spec("ASM-P7")
def test_kappa_is_one_for_perfect_and_zero_on_average_for_independent_labels(rng):
    values = []
    for _ in range(300):
        y, z = rng.choice(3, p=[0.5, 0.3, 0.2], size=200), rng.choice(3, p=[0.2, 0.2, 0.6], size=200)
        values.append(assess.cohen_kappa_score(y, z))
    assert abs(np.mean(values)) < 4 * np.std(values) / np.sqrt(300)
    assert assess.cohen_kappa_score(y, y) == 1.0


@pytest.mark.spec("ASM-18")
def test_cost_sensitive_scores():
    y, z = from_table([[15, 5], [10, 20]])
    ones = np.ones((2, 2))
    assert_close(assess.cost_sensitive_score(y, z, ones), assess.accuracy_score(y, z))
    assert_close(assess.cost_sensitive_score(y, z, ones, kind="error"), assess.zero_one_loss(y, z))
    W = np.array([[1.0, 2.0], [3.0, 0.5]])
    cells = W * [[15, 5], [10, 20]]
    assert_close(assess.cost_sensitive_score(y, z, W), np.trace(cells) / cells.sum())
    assert_close(assess.cost_sensitive_score(y, z, W, kind="cost"), cells.sum() / 50)
    loss = assess.losses.LossMatrix([[0, 2], [3, 0]], reduction="mean")
    assert_close(assess.cost_sensitive_score(y, z, [[0, 2], [3, 0]], kind="cost"), loss.value(y, z))
    with pytest.raises(ValueError, match="shape"):
        assess.cost_sensitive_score(y, z, np.ones((3, 3)))


# ------------------------------------------------------------------------------------------------------ probabilities


@pytest.mark.spec("ASM-19", "ASM-T9")
def test_log_likelihood_of_balls_in_bits():
    seen = ["red"] * 3 + ["blue"] * 2
    found = [assess.log_likelihood(seen, np.full(5, theta), base=2) for theta in (0.5, 0.6, 0.75)]
    assert_close(found, [-5, -4.8547530, -5.2451125], rtol=0, atol=1e-6)
    grid = np.linspace(0.01, 0.99, 99)
    best = grid[np.argmax([assess.log_likelihood(seen, np.full(5, t)) for t in grid])]
    assert_close(best, 3 / 5)


@pytest.mark.spec("ASM-19", "ASM-T10")
def test_log_likelihood_of_three_colours():
    x = np.array([1, 1, 2, 2, 2, 3])
    g = np.array(["g", "y", "g", "g", "b", "b"])
    P = {1: [0, 0.5, 0.5], 2: [1 / 3, 2 / 3, 0], 3: [1, 0, 0]}  # columns in the order b, g, y
    found = assess.log_likelihood(g, [P[v] for v in x], base=2)
    assert_close(found, -4.7548875, rtol=0, atol=1e-6)


@pytest.mark.spec("ASM-19")
@given(seed=seeds)
def test_log_likelihood_is_minus_n_log_loss(seed):
    rng = np.random.default_rng(seed)
    y = np.r_[0, 1, 2, rng.integers(0, 3, 20)]
    P = rng.dirichlet(np.ones(3), size=23)
    assert_close(assess.log_likelihood(y, P), -23 * assess.log_loss(y, P))
    assert_close(assess.deviance(y, P), 46 * assess.log_loss(y, P))
    assert_close(assess.log_likelihood(y, P, base=10) * np.log(10), assess.log_likelihood(y, P))


@pytest.mark.spec("ASM-19")
def test_invalid_log_likelihood_input_raises():
    assert assess.log_likelihood([0, 1], [0.5, 0.0]) == -np.inf
    assert assess.log_likelihood([0, 1], [0.5, 0.0], sample_weight=[1, 0]) == np.log(0.5)
    with pytest.raises(ValueError, match="labels"):
        assess.log_likelihood([1, 1], [0.5, 0.2])
    assert assess.log_likelihood([1, 1], [0.5, 0.5], labels=[0, 1], base=2) == -2.0
    with pytest.raises(ValueError, match="columns"):
        assess.log_likelihood([0, 1], np.full((2, 3), 1 / 3))
    with pytest.raises(ValueError, match=r"outside \[0, 1\]"):
        assess.log_likelihood([0, 1], [0.5, 1.2])


# ------------------------------------------------------------------------------------------------------------ weights

OF_VALUES = ["mean_squared_error", "root_mean_squared_error", "mean_absolute_error", "median_absolute_error",
             "mean_fractional_error", "r2_score", "explained_variance_score"]  # fmt: skip
OF_LABELS = ["accuracy_score", "zero_one_loss", "balanced_accuracy_score", "precision_score", "recall_score",
             "specificity_score", "false_positive_rate", "f1_score", "matthews_corrcoef", "cohen_kappa_score",
             "confusion_matrix", "per_class_confusion", "error_shares", "neyman_pearson_score"]  # fmt: skip
OF_SCORES = ["roc_auc_score", "average_precision_score", "equal_error_rate"]
OF_PROBABILITIES = ["log_loss", "brier_score_loss", "log_likelihood", "deviance"]


@pytest.mark.spec("ASM-P23")
@pytest.mark.parametrize("name", OF_VALUES + OF_LABELS + OF_SCORES + OF_PROBABILITIES)
@given(seed=seeds)
def test_weights_are_copies(name, seed):
    rng = np.random.default_rng(seed)
    metric = getattr(assess, name)
    if name in OF_VALUES:
        y, z = rng.uniform(1, 3, size=(2, 24))
    else:
        y, z = labels(seed, n=22, K=2)
        z = z if name in OF_LABELS else np.clip(z + rng.normal(size=24), 0.1, 0.9)
    weights = np.r_[1, 1, rng.integers(0, 4, 22)]  # both classes stay
    rows = np.repeat(np.arange(24), weights)
    if name == "median_absolute_error" and weights.sum() % 2 == 0:
        weights[0] += 1  # with an even number of copies the weighted median is the lower of the two middle ones
        rows = np.repeat(np.arange(24), weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        weighted, copied = metric(y, z, sample_weight=weights), metric(y[rows], z[rows])
    assert_close(weighted, copied)


@pytest.mark.spec("CRS-06")
def test_squared_errors_of_vector_responses_are_averaged_or_summed(rng):
    Y, P = [[1, 2], [3, 4]], [[2, 4], [3, 6]]
    assert assess.mean_squared_error(Y, P) == 2.25
    assert assess.mean_squared_error(Y, P, multioutput="sum") == 4.5
    assert_close(assess.root_mean_squared_error(Y, P), (np.sqrt(0.5) + 2) / 2)
    assert_close(assess.root_mean_squared_error(Y, P, multioutput="sum"), np.sqrt(4.5))
    Y, P, weights = rng.normal(size=(7, 3)), rng.normal(size=(7, 3)), rng.integers(1, 4, 7)
    for name in ("mean_squared_error", "root_mean_squared_error"):
        ours, theirs = getattr(assess, name), getattr(sklearn.metrics, name)
        for multioutput in ("uniform_average", "raw_values", [0.2, 0.3, 0.5]):
            assert_close(
                ours(Y, P, sample_weight=weights, multioutput=multioutput),
                theirs(Y, P, sample_weight=weights, multioutput=multioutput),
            )
        repeated = [np.repeat(a, weights, axis=0) for a in (Y, P)]
        assert_close(ours(Y, P, sample_weight=weights, multioutput="sum"), ours(*repeated, multioutput="sum"))
        assert_close(ours(Y[:, 0], P[:, 0], multioutput="sum"), ours(Y[:, 0], P[:, 0]))
        with pytest.raises(ValueError, match="multioutput"):
            ours(Y, P, multioutput="total")
